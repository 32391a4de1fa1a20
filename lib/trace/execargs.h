/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * execargs.h - text of the arguments of exec(); what tools call is in
 * tracelet/execargs.h
 */
#ifndef TL_TRACE_EXECARGS_H
#define TL_TRACE_EXECARGS_H

#include "tracelet/execargs.h"

/**
 * tl_exec_args_text - what is known from the first argument on, each with its
 * NUL; fewer than @size bytes if something is missing, perhaps within an
 * argument
 */
struct tl_str tl_exec_args_text(const struct tl_exec_args *a);
/**
 * tl_exec_args_read - read what is missing behind the known text from process
 * @pid: more than TL_EXEC_ARGS_MAX, or a record that did not come
 *
 * Only if it still has as many arguments with as many bytes, which begin with all
 * that is known, and something is; never with -r.  Returns whether @a has all of
 * them now.
 */
bool tl_exec_args_read(const struct tl_session *s, struct tl_exec_args *a,
		       pid_t pid);

#endif
