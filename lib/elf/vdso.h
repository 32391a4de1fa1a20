/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vdso.h - the program that the kernel maps into each process */
#ifndef TL_ELF_VDSO_H
#define TL_ELF_VDSO_H

#include "elf/object.h"

#define TL_VDSO_NAME "[vdso]" /* in /proc/PID/maps */

/**
 * tl_vdso_open - that of this process, which is that of all others of its word size; NULL:
 * there is none
 * @size: becomes how many bytes of it are mapped
 */
struct tl_object *tl_vdso_open(uint64_t *size);

#endif
