/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btffile.h - a file of BTF, of which only that is in memory what was asked for
 *
 * That of a kernel has 6 MB, with 150,000 types; a tool looks at some dozen.
 */
#ifndef TL_KERNEL_BTFFILE_H
#define TL_KERNEL_BTFFILE_H

#include <stdbool.h>
#include <stdint.h>

struct btf_type;
struct tl_btf_file;

/**
 * tl_btf_file_open - open the BTF at @path
 * @base: what a module's types go on from, or NULL; it is not closed before
 *
 * Free it with tl_btf_file_close().  Returns 0 or -errno without a message:
 * ENODEV when it is empty, EBADMSG when it is not understood.
 */
int tl_btf_file_open(const char *path, struct tl_btf_file *base,
		     struct tl_btf_file **file);
/** tl_btf_file_close - free @f, which may be NULL, and what was got from it */
void tl_btf_file_close(struct tl_btf_file *f);

/** tl_btf_file_type - type number @id, one of the base's too; NULL: none has it */
const struct btf_type *tl_btf_file_type(struct tl_btf_file *f, uint32_t id);
/** tl_btf_file_string - text at @offset of its strings; "": there is none */
const char *tl_btf_file_string(struct tl_btf_file *f, uint32_t offset);
/**
 * tl_btf_file_find - the first type from @from on that is called @name, of
 * whatever kind; 0: there is none
 */
uint32_t tl_btf_file_find(struct tl_btf_file *f, const char *name,
			  uint32_t from);
/** tl_btf_file_end - the number behind its last type */
uint32_t tl_btf_file_end(const struct tl_btf_file *f);
/** tl_btf_file_has_signs - whether its enums say if they are signed: 6.1 on */
bool tl_btf_file_has_signs(const struct tl_btf_file *f);

#endif
