/* SPDX-License-Identifier: GPL-2.0-or-later */
/* show.h - any event, as it is */
#ifndef TRACELET_SHOW_H
#define TRACELET_SHOW_H

#include <stdbool.h>

#include "tracelet/output.h"

#pragma GCC visibility push(default)

struct tl_event;
struct tl_record;
struct tl_session;

/**
 * tl_show_columns - of a tool that shows events: the line of the kernel's trace
 * file in text, its parts and all fields in JSON and CSV
 */
extern const struct tl_column tl_show_columns[];
/** tl_show - the handler of such events */
void tl_show(struct tl_session *s, const struct tl_record *r);
/** tl_show_any - at the end: whether there has been one, or events were lost */
bool tl_show_any(struct tl_session *s);
/**
 * tl_show_open - get ready for it; in setup, behind the events
 * @head:   show the header lines of the kernel's trace file
 * @stacks: show the kernel's stack at each event
 */
int tl_show_open(struct tl_session *s, bool head, bool stacks);

/** How a tool with columns of its own shows events. */
struct tl_show_config {
	unsigned int line;  /* column of the line of the kernel's trace file */
	unsigned int stack; /* column of a stack */
	/* Fills the other columns, which are for JSON and CSV. */
	void (*put)(struct tl_session *s, const struct tl_record *r);
	bool head;   /* show the header lines of the kernel's trace file */
	bool stacks; /* show the kernel's stack at each event */
};

/**
 * tl_show_open_as - as tl_show_open(), with columns of the tool's own; @config
 * is copied
 */
int tl_show_open_as(struct tl_session *s, const struct tl_show_config *config);
/**
 * tl_show_format - print the format of @ev, under the name that its user knows;
 * 0, or -errno after a message
 */
int tl_show_format(struct tl_session *s, const struct tl_event *ev);

#pragma GCC visibility pop

#endif
