/* SPDX-License-Identifier: GPL-2.0-or-later */
/* object.h - programs and libraries on disk */
#ifndef TRACELET_OBJECT_H
#define TRACELET_OBJECT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#pragma GCC visibility push(default)

struct tl_session;

/*
 * Programs and libraries are files that any user may have made: they are read,
 * never run.  An offset
 * is one in the file, as a uprobe takes it; for an address in a process it is
 * address - start of its mapping + offset of that.
 */
struct tl_object;

/**
 * tl_object_open - read the ELF file @path
 *
 * Its symbols, and those of its separate debug file, are read when a function
 * asks.  Returns NULL and sets errno after saying what is wrong; ENOTSUP when
 * libelf is missing.
 */
struct tl_object *tl_object_open(const char *path);
void tl_object_close(struct tl_object *o);
/** tl_object_path - as it was opened */
const char *tl_object_path(const struct tl_object *o);

/**
 * tl_object_symbol - where function @name begins
 * @name: as the file has it, "name@VERSION", or as C++ writes it, with or
 *	  without parameters
 *
 * Returns 0, or -ENOENT after saying why not: names that are near, a stripped
 * file, several functions of that name, or an indirect function, which is
 * chosen only when the program starts.
 */
int tl_object_symbol(struct tl_object *o, const char *name, uint64_t *offset);
/**
 * tl_object_check - for a tool's check function: whether programs can be read:
 * 0, or -ENOTSUP after a message
 */
int tl_object_check(struct tl_session *s);
/**
 * tl_object_check_offset - whether a probe can be at @offset
 *
 * Where a breakpoint would overwrite data the program is damaged.  Sections say
 * what is code, segments only without any; a variable among the code is none.
 * Returns 0, or -EINVAL after saying what is there instead.
 */
int tl_object_check_offset(struct tl_object *o, uint64_t offset);
/**
 * tl_object_offset - where the byte is that the file says to load at @address,
 * as objdump(1) shows it; false: in none of its segments
 */
bool tl_object_offset(struct tl_object *o, uint64_t address, uint64_t *offset);
/**
 * tl_object_function - function that has @offset in it, and how far in; NULL
 * when unknown
 */
const char *tl_object_function(struct tl_object *o, uint64_t offset,
			       uint64_t *into);
/**
 * tl_object_functions - call @fn for each that tl_object_symbol() finds by this
 * name, sorted, until it returns other than 0, which is returned
 */
int tl_object_functions(struct tl_object *o,
			int (*fn)(void *ctx, const char *name, uint64_t offset),
			void *ctx);
/**
 * tl_object_indirect - the same for each indirect function, which has no
 * offset: it is chosen when a program starts
 */
int tl_object_indirect(struct tl_object *o,
		       int (*fn)(void *ctx, const char *name, uint64_t offset),
		       void *ctx);
/**
 * tl_demangle - "ns::f(int)" for "_ZN2ns1fEi"; free() it; NULL when it is no
 * C++ name, or libstdc++ is missing
 */
char *tl_demangle(const char *name);

/**
 * tl_object_asked - open the file of @target, as the first process of those that
 * -p or -L asks for has it; warns of the next one that has another file
 * @target: a path, the name of a program in $PATH, or of a library as the
 *	    loader finds it: "libc.so.6", "libc", "c"; NULL or empty: that
 *	    process' program
 *
 * The process may see other file systems.  Returns NULL and sets errno after a
 * message, always with -r: a capture has no programs.
 */
struct tl_object *tl_object_asked(const struct tl_session *s,
				  const char *target);

#pragma GCC visibility pop

#endif
