/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cdecl.h - types of the kernel as C has them */
#ifndef TL_KERNEL_CDECL_H
#define TL_KERNEL_CDECL_H

#include "kernel/btf.h"

/**
 * tl_decl - @name declared with @type: "const char *name"; free() it; NULL
 * without memory
 */
char *tl_decl(struct tl_btf_type type, const char *name);

/**
 * tl_decl_fields - a structure with its members' offsets and sizes, or an enum;
 * free() it; NULL without memory
 */
char *tl_decl_fields(struct tl_btf_type type);

#endif
