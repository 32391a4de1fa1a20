/* SPDX-License-Identifier: GPL-2.0-or-later */
/* permit.h - what this kernel, and who runs the tool, permit */
#ifndef TL_PERMIT_H
#define TL_PERMIT_H

#include <stddef.h>

/** tl_first_line - of the file @path; empty when there is none, or it cannot be read */
void tl_first_line(const char *path, char *text, size_t size);

/** tl_lockdown - the kernel's mode of lockdown, see kernel_lockdown(7); empty when it has none, or it cannot be read */
void tl_lockdown(char *text, size_t size);

#endif
