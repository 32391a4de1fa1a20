/* SPDX-License-Identifier: GPL-2.0-or-later */
/* object.h - inside of programs and libraries */
#ifndef TL_ELF_OBJECT_H
#define TL_ELF_OBJECT_H

#include "elf/elfio.h"
#include "tracelet/object.h"
#include "tracelet/text.h"

/** A function, in one of its names. */
struct tl_function {
	const char *name;
	const char *version; /* NULL: none */
	uint64_t offset, size;
	bool hidden;   /* an old version, which nothing is linked with now */
	bool local;    /* not seen outside its source file */
	bool indirect; /* it only says which function is to be called */
	bool untyped;  /* a label of assembly */
};

/** A variable among the code. */
struct tl_datum {
	const char *name;
	uint64_t offset, size;
};

/** Names that are not in the file as they are. */
struct tl_copy {
	struct tl_copy *next;
	char text[];
};

struct tl_object {
	char *path;
	struct tl_elf file;
	struct tl_elf debug; /* the file with its symbols, if not itself */
	struct tl_segment {
		uint64_t address, offset, size;
		bool code;
	} * segments;
	size_t segment_count;
	struct tl_code {
		uint64_t offset, size;
	} * code; /* by offset, none touches another */
	size_t code_count;

	bool loaded, stripped; /* stripped: of all that is not exported */
	struct tl_function *functions; /* by name, then offset */
	size_t count, room;
	const struct tl_function **places; /* by offset */
	struct tl_datum *data;             /* by offset */
	size_t data_count, data_room;
	struct tl_copy *copies;
};

/**
 * tl_object_is_code - whether what is at @offset is loaded to be executed
 *
 * Sections say it, and only without any the segments do: linkers put constants
 * into executable segments too.
 */
bool tl_object_is_code(const struct tl_object *o, uint64_t offset);
/**
 * tl_datum_at - the variable at @offset, after tl_functions_load(); NULL: none
 * is there, or not among the code
 */
const struct tl_datum *tl_datum_at(const struct tl_object *o, uint64_t offset);

/**
 * tl_object_is_native - whether a word of it is one of the kernel's; not of a
 * 32-bit program on a 64-bit kernel
 */
bool tl_object_is_native(const struct tl_object *o);

/**
 * tl_functions_load - read symbols, if that has not been done; without a
 * message
 */
int tl_functions_load(struct tl_object *o);
void tl_object_functions_free(struct tl_object *o);

/**
 * tl_debug_open - find the file, or the part, with the symbols of @o, which has
 * none; without a message
 */
int tl_debug_open(struct tl_object *o);
/**
 * tl_debug_crc - as .gnu_debuglink has it, of @len bytes behind those that @crc
 * is of
 */
uint32_t tl_debug_crc(uint32_t crc, const unsigned char *data, size_t len);

/**
 * tl_locate - the same as tl_locate_asked(), of any process; of this machine,
 * whether or not a capture is read
 * @pid: look in this process's mappings first, and then where it would; 0
 */
char *tl_locate(const char *target, pid_t pid);

/**
 * tl_cxx_match - whether @want names @function, as tl_demangle() writes it: in
 * full, without parameters, or without template arguments too
 */
bool tl_cxx_match(const char *function, const char *want);
/**
 * tl_cxx_name - its name without result and parameters; false: it is no
 * function of its own
 */
bool tl_cxx_name(const char *function, struct tl_str *name);

/** Where a probe is: in a file, and in the process that hit it. */
struct tl_user_place {
	struct tl_object *object;
	const char *name; /* of the file */
	uint64_t offset, addr;
};

#endif
