/* SPDX-License-Identifier: GPL-2.0-or-later */
/* export.h - tools that count, as one answer for Prometheus */
#ifndef TRACELET_EXPORT_H
#define TRACELET_EXPORT_H

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(default)

struct tl_session;

/** struct tl_export - tools that are to run, and what each of them has counted last */
struct tl_export;

/**
 * tl_export_new - those of the file @path, or of @names, which are tools without options
 * @path:    NULL: none
 * @is_tool: whether there is a tool of that name
 *
 * NULL after messages; errno is EINVAL where what was asked for is wrong.
 */
struct tl_export *tl_export_new(const struct tl_session *s, const char *path,
				char *const names[], size_t count,
				bool (*is_tool)(const char *name));
/** tl_export_free - end all tools, and wait until they have undone what they did */
void tl_export_free(struct tl_export *e);

/**
 * tl_export_check - whether they can be answered, and each of them works here, as its
 * --check has it
 * @e: NULL: no tools, where nobody said which
 *
 * Returns 0, or -ENOTSUP after messages.
 */
int tl_export_check(const struct tl_export *e);

/** tl_export_address - check ADDRESS:PORT; NULL, or what is wrong with it */
const char *tl_export_address(const char *text);

/**
 * tl_export_run - run the tools, and answer by HTTP, until SIGINT, SIGTERM, SIGHUP or SIGQUIT
 * @listen: ADDRESS:PORT; NULL: the file's, or 127.0.0.1:9470
 *
 * A socket that systemd has opened comes before all of these.  Returns 0, or -errno after
 * a message.
 */
int tl_export_run(struct tl_export *e, const char *listen);

#pragma GCC visibility pop

#endif
