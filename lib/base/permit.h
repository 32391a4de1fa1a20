/* SPDX-License-Identifier: GPL-2.0-or-later */
/* permit.h - what this kernel, and who runs the tool, permit */
#ifndef TL_BASE_PERMIT_H
#define TL_BASE_PERMIT_H

#include <stdbool.h>
#include <stddef.h>

/**
 * tl_first_line - of the file @path; empty when there is none, or it cannot be
 * read
 */
void tl_first_line(const char *path, char *text, size_t size);

/**
 * tl_lockdown - the kernel's mode of lockdown, see kernel_lockdown(7); empty
 * when it has none, or it cannot be read
 */
void tl_lockdown(char *text, size_t size);

/**
 * tl_in_user_namespace - whether this process is in another one than the
 * system's, where no capability counts for tracing
 */
bool tl_in_user_namespace(void);

/**
 * tl_lacks - whether this process is known to have no capability @cap in effect
 */
bool tl_lacks(int cap);

/** tl_needs_syslog - that CAP_SYSLOG is needed, and how to get it */
const char *tl_needs_syslog(void);

/**
 * tl_refused - why a file of tracefs is refused with EPERM or EACCES, as far as
 * can be told, and what to do
 */
const char *tl_refused(int err);

/**
 * tl_refused_all - the same of a tracefs without any files, as a kernel booted
 * in lockdown has it; begins with "is empty"
 */
const char *tl_refused_all(void);

/** tl_refused_mount - the same of a mount of tracefs */
const char *tl_refused_mount(int err);

#endif
