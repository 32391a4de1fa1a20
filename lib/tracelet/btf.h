/* SPDX-License-Identifier: GPL-2.0-or-later */
/* btf.h - types of the kernel */
#ifndef TRACELET_BTF_H
#define TRACELET_BTF_H

#include <stddef.h>

#pragma GCC visibility push(default)

struct tl_session;

/**
 * tl_btf_check - for a tool's check function: whether the kernel's BTF can be
 * read: 0, or -ENOTSUP after a message
 */
int tl_btf_check(struct tl_session *s);
/**
 * tl_btf_offset - bytes from the start of struct @type to @member, or "OUTER.INNER" of
 * one within it, from the kernel's BTF; or -errno, without a message
 *
 * With -r this, tl_btf_fetch() and tl_btf_enumerator() answer as they did when the
 * capture was written; 0 where it was not asked then.
 */
int tl_btf_offset(struct tl_session *s, const char *type, const char *member);
/**
 * tl_btf_fetch - what a probe fetches for a member that is behind pointers
 * @from: a fetch argument that is a pointer, as "$arg1"
 * @path: structures and members on the way: "kiocb.ki_filp file.f_mapping"; of
 *	  "folio._nr_pages|_folio_nr_pages" the first that is there; "-72" so many bytes
 *	  from there
 * @text: becomes "+24(+0($arg1))"
 *
 * Returns 0, or -ENOTSUP or another -errno after a message.
 */
int tl_btf_fetch(struct tl_session *s, const char *from, const char *path,
		 char *text, size_t size);
/**
 * tl_btf_enumerator - value of @name, which is not negative, in enum @type; or
 * -errno, without a message
 */
int tl_btf_enumerator(struct tl_session *s, const char *type, const char *name);
/**
 * tl_type_declare - "struct NAME" or "NAME" with its members, or an enum;
 * free() it; NULL, errno, after a message
 */
char *tl_type_declare(const char *name);

#pragma GCC visibility pop

#endif
