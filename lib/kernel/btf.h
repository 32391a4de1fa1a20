/* SPDX-License-Identifier: GPL-2.0-or-later */
/* btf.h - types of the kernel, from its BTF */
#ifndef TL_KERNEL_BTF_H
#define TL_KERNEL_BTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct btf_type;
struct tl_btf_file;
struct tl_session;

/** A type; without @btf it is not known, and 0 is void. */
struct tl_btf_type {
	struct tl_btf_file *btf;
	uint32_t id;
};

enum tl_btf_kind {
	TL_BTF_UNKNOWN, /* also what is declared only, and floats */
	TL_BTF_VOID,
	TL_BTF_INT,
	TL_BTF_ENUM,
	TL_BTF_POINTER,
	TL_BTF_ARRAY,
	TL_BTF_STRUCT, /* or union */
	TL_BTF_FUNCTION,
};

/** A type without const, typedef and the like. */
struct tl_btf_info {
	enum tl_btf_kind kind;
	uint32_t size;           /* bytes, but for pointers to functions */
	bool is_signed, is_bool; /* TL_BTF_INT, TL_BTF_ENUM */
	bool is_char;            /* "char", or "const unsigned char" */
	bool is_byte;            /* "unsigned char", which can be text or not */
	bool is_const, is_user;  /* __user, where BTF has that */
	uint32_t count;          /* of an array */
	struct tl_btf_type bare; /* the type itself */
	struct tl_btf_type inner; /* pointed to, or element */
};

/** A member, or a parameter. */
struct tl_btf_member {
	const char *name; /* "" without one */
	struct tl_btf_type type;
	uint32_t bit;  /* from the start of the structure */
	uint32_t bits; /* of a bit field, else 0 */
};

/** An enumerator. */
struct tl_btf_value {
	int64_t value; /* of 32 bits extended by sign, also of an unsigned enum */
	const char *name;
};

/**
 * tl_btf_use - take the BTF at @path as the kernel's, and free the one before; for
 * tests
 * @path: NULL: there is none
 *
 * Returns 0 or -errno as tl_btf_find().
 */
int tl_btf_use(const char *path);

/**
 * tl_btf_is_theirs - in set-up: whether the types here are those of the kernel
 * whose records are shown; with -r only where that is the one that runs
 */
bool tl_btf_is_theirs(struct tl_session *s);

/** tl_btf_explain - what -errno of a function here means, in words */
const char *tl_btf_explain(int err);

/*
 * These return 0 or -errno without a message: -ENODEV when the kernel has no BTF,
 * -EBADMSG when that is not understood, -ENOENT when there is no such thing.
 */

/** tl_btf_find - a type by "NAME", "struct NAME", "enum NAME" ... */
int tl_btf_find(const char *name, struct tl_btf_type *type);
/**
 * tl_btf_find_function - its prototype; @module may be NULL; -ENOTUNIQ: there
 * are several; -ENODATA: no BTF of this module
 */
int tl_btf_find_function(const char *module, const char *name,
			 struct tl_btf_type *proto);

struct tl_btf_info tl_btf_info(struct tl_btf_type type);

/** tl_btf_find_member - by name, in structures without a name as well */
int tl_btf_find_member(struct tl_btf_type type, const char *name,
		       struct tl_btf_member *m);
/**
 * tl_btf_each_member - call @fn for all that can be named so, until it returns
 * other than 0
 */
int tl_btf_each_member(struct tl_btf_type type,
		       int (*fn)(void *ctx, const char *name), void *ctx);
/**
 * tl_btf_each_type - call @fn for the name of each structure, union and enum
 */
void tl_btf_each_type(void (*fn)(void *ctx, const char *name), void *ctx);

unsigned int tl_btf_parameters(struct tl_btf_type proto);
void tl_btf_parameter(struct tl_btf_type proto, unsigned int i,
		      struct tl_btf_member *m);
struct tl_btf_type tl_btf_returned(struct tl_btf_type proto);

/** tl_btf_value_name - enumerator of enum @type that has @value, or NULL */
const char *tl_btf_value_name(struct tl_btf_type type, int64_t value);

/**
 * tl_btf_keep - a copy of @type that lives as long as the program; NULL without
 * memory
 */
const struct tl_btf_type *tl_btf_keep(struct tl_btf_type type);

/**
 * tl_btf_member - number @i of those of @type itself, a structure or union that
 * has it
 */
void tl_btf_member(struct tl_btf_type type, unsigned int i,
		   struct tl_btf_member *m);
/**
 * tl_btf_value - enumerator number @i of @type itself, an enum; false: it has
 * not so many
 */
bool tl_btf_value(struct tl_btf_type type, unsigned int i,
		  struct tl_btf_value *v);

/**
 * tl_btf_raw - for what BTF has and the above does not tell; NULL: no such type
 */
const struct btf_type *tl_btf_raw(struct tl_btf_type type);
/** tl_btf_string - text at @offset of its strings */
const char *tl_btf_string(struct tl_btf_type type, uint32_t offset);

#endif
