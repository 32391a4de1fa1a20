/* SPDX-License-Identifier: GPL-2.0-or-later */
/* syscall.h - system calls by number; what tools call is in tracelet/syscall.h */
#ifndef TL_KERNEL_SYSCALL_H
#define TL_KERNEL_SYSCALL_H

#include <stdbool.h>

/**
 * tl_syscall_has_compat - whether this machine has 32-bit programs too; behind
 * tl_syscall_names()
 */
bool tl_syscall_has_compat(void);

#endif
