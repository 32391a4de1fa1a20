/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracelet.h - what every tool needs of the library
 *
 * A tool is one const struct tl_tool: its options, its columns, a function
 * that sets up events, and a handler per event.  Everything else (the private
 * tracing instance, the poll loop, losses, signals, privileges, output formats,
 * removal of every trace of itself) is the library's.  What a tool takes besides
 * it includes by its subject: "tracelet/stack.h".
 *
 * Unless said otherwise functions return 0 or a negative errno, take no
 * ownership of what they are given, and return pointers that live as long as
 * the session does.  A function that fails on something the user should know
 * has printed why on stderr.
 */
#ifndef TRACELET_H
#define TRACELET_H

/* The tool itself, and then what it is made of. */
#include "tracelet/tool.h"

#include "tracelet/event.h"
#include "tracelet/filter.h"
#include "tracelet/main.h"
#include "tracelet/message.h"
#include "tracelet/option.h"
#include "tracelet/output.h"
#include "tracelet/run.h"
#include "tracelet/session.h"
#include "tracelet/task.h"
#include "tracelet/text.h"

#endif
