/* SPDX-License-Identifier: GPL-2.0-or-later */
/* object.h - programs and libraries on disk */
#ifndef TL_ELF_OBJECT_H
#define TL_ELF_OBJECT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "elf/elfio.h"
#include "tracelet/text.h"

struct tl_session;

/*
 * Programs and libraries are files that any user may have made: they are read,
 * never run.  An offset is one in the file, as a uprobe takes it; for an address
 * in a process it is address - start of its mapping + offset of that.
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
/**
 * tl_object_open_mapped - the same of what process PID has mapped, below /proc/PID; without
 * a message where that has ended (ENOENT, ESRCH), or this is no ELF file (ENOEXEC, EINVAL)
 */
struct tl_object *tl_object_open_mapped(const char *path);
/**
 * tl_object_open_image - the same of a file in memory, which is freed in any case; it is
 * called @name
 */
struct tl_object *tl_object_open_image(const char *name, char *image,
				       size_t size);
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
 * tl_object_check_probes - whether the kernel has probes in such programs: 0, or
 * -ENOTSUP after a message
 */
int tl_object_check_probes(const struct tl_object *o);
/**
 * tl_object_check_offset - whether a probe can be at @offset
 *
 * Where a breakpoint would overwrite data the program is damaged.  Sections say
 * what is code, segments only without any; a variable among the code is none.
 * Returns 0, or -EINVAL after saying what is there instead.
 */
int tl_object_check_offset(struct tl_object *o, uint64_t offset);
/** tl_object_code - the segment of code that has @offset in it; NULL: none has */
const struct tl_segment *tl_object_code(const struct tl_object *o,
					uint64_t offset);
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
 * tl_demangle - "ns::f(int)" for "_ZN2ns1fEi", and "krate::f" for "_RNvC5krate1f"; free()
 * it; NULL when it is no name of C++ or Rust, or what knows those is missing: libstdc++ when
 * the tool runs, libiberty when it was built
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

/* ---- inside ----------------------------------------------------------- */

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
 * tl_locate - the path of @target as tl_object_asked() finds it, of any process;
 * of this machine, whether or not a capture is read
 * @pid: look in this process's mappings first, and then where it would; 0
 */
char *tl_locate(const char *target, pid_t pid);
/** tl_locate_quietly - the same without a message */
char *tl_locate_quietly(const char *target, pid_t pid);

/**
 * tl_cxx_match - whether @want names @function, as tl_demangle() writes it: in
 * full, without parameters, or without template arguments too
 */
bool tl_cxx_match(const char *function, const char *want);
/**
 * tl_written_match - the same of a function that has @name in its file, in C++ or Rust: there
 * in full, or without what fills in a generic one
 */
bool tl_written_match(const char *name, const char *want);
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
