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
/**
 * tl_syscall_exec_tells - whether the number that exec returns with is one of
 * the new program's; behind tl_syscall_names()
 */
bool tl_syscall_exec_tells(void);
/**
 * tl_syscalls_are_told - in setup: tl_task_set_compat() is called for each
 * program that begins, before its exec returns
 */
void tl_syscalls_are_told(void);

#endif
