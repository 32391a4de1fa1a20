/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elfio.h - ELF files by libelf, which is loaded when the first is opened */
#ifndef TL_ELF_ELFIO_H
#define TL_ELF_ELFIO_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that a section may have: a sparse file costs its maker nothing. */
#define TL_ELF_MAX (512UL << 20)

/* Sections, or segments; no program has so many, and they take memory. */
#define TL_ELF_PARTS 131072

struct tl_elf {
	Elf *elf;    /* NULL: not open */
	int fd;      /* -1: none */
	char *image; /* of one in memory */
	uint64_t size;
	GElf_Ehdr head;
	size_t segments, sections, names;
};

/** tl_elf_can - whether there is libelf */
bool tl_elf_can(void);

/**
 * tl_elf_open - open file @path
 *
 * Without a message.  Returns 0, -ELIBACC (no libelf), -ENOEXEC (not ELF),
 * -E2BIG (more than TL_ELF_PARTS), -EISDIR, -EINVAL (not a regular file), or
 * what open(2) says.
 */
int tl_elf_open(struct tl_elf *e, const char *path);
/** tl_elf_image - the same for one in memory, which is freed in any case */
int tl_elf_image(struct tl_elf *e, char *image, size_t size);
void tl_elf_close(struct tl_elf *e);

/** tl_elf_native - whether this machine can run it, by its head */
bool tl_elf_native(const GElf_Ehdr *head);
/**
 * tl_elf_is_probed - whether the kernel puts probes into it, of what is native
 *
 * arm64 does not into programs of 32-bit ARM (arch_uprobe_analyze_insn), up to 7.2
 * at least.  It takes such a probe, which then never hits.
 */
bool tl_elf_is_probed(const GElf_Ehdr *head);

bool tl_elf_segment(const struct tl_elf *e, size_t i, GElf_Phdr *p);

/** A section, with what is in it. */
struct tl_section {
	const char *name; /* "" when the file does not say */
	GElf_Shdr head;
	Elf_Data *data; /* NULL: nothing, or not in this file */
};

/**
 * tl_elf_section - the first of @type, or of any if this is 0, called @name, or
 * anything if that is NULL
 */
bool tl_elf_section(const struct tl_elf *e, unsigned int type, const char *name,
		    struct tl_section *sec);
/**
 * tl_elf_section_head - number @i, from 1 on, without what is in it; false:
 * there is none
 */
bool tl_elf_section_head(const struct tl_elf *e, size_t i,
			 struct tl_section *sec);
/** tl_elf_is_code - whether section number @i is executable */
bool tl_elf_is_code(const struct tl_elf *e, size_t i);
/** tl_elf_is_debug - whether all its code is in another file */
bool tl_elf_is_debug(const struct tl_elf *e);

/** tl_elf_string - string of section number @i; NULL when there is none */
const char *tl_elf_string(const struct tl_elf *e, size_t i, size_t offset);

/** tl_elf_symbols - how many symbols @sec has; 0 if it is no such table */
size_t tl_elf_symbols(const struct tl_elf *e, const struct tl_section *sec);
bool tl_elf_symbol(const struct tl_section *sec, size_t i, GElf_Sym *sym);
/** tl_elf_version - of symbol @i, in section SHT_GNU_versym: 0 local, 1 none */
unsigned int tl_elf_version(const struct tl_section *versym, size_t i);
/**
 * tl_elf_definition - a version that is defined at *@offset, which goes on to
 * the next; its number, or 0 at the end
 */
unsigned int tl_elf_definition(const struct tl_elf *e,
			       const struct tl_section *verdef, size_t *offset,
			       const char **name);

/** A note of a section or segment. */
struct tl_note {
	const char *owner, *text;
	size_t owner_len, len;
	unsigned int type;
};

/** tl_elf_note - the note at *@offset of @sec, which goes on to the next */
bool tl_elf_note(const struct tl_section *sec, size_t *offset,
		 struct tl_note *note);
/** tl_elf_build_id - its length, 0: none */
size_t tl_elf_build_id(const struct tl_elf *e, const char **id);

#endif
