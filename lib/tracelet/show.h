/* SPDX-License-Identifier: GPL-2.0-or-later */
/* show.h - any event, as it is */
#ifndef TRACELET_SHOW_H
#define TRACELET_SHOW_H

#include <stdbool.h>

#include "tracelet/option.h"
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

/** What TL_SHOW_OPTIONS() and TL_SHOW_FORMAT() ask for. */
struct tl_show_asked {
	bool head;   /* show the header lines of the kernel's trace file */
	bool stacks; /* show a stack at each event */
	bool format; /* see tl_show_format() */
};

/**
 * TL_SHOW_OPTIONS - how events are shown, in a tool's table of options
 * @asked: a struct tl_show_asked
 * @whose: stacks: "kernel"
 */
#define TL_SHOW_OPTIONS(asked, whose)                                   \
	TL_OPTION('H', NULL, NULL, "show the kernel's column headers",  \
		  TL_OPT_FLAG, &(asked).head),                          \
		TL_OPTION('s', "stacks", NULL, "show " whose " stacks", \
			  TL_OPT_FLAG, &(asked).stacks)
/** TL_SHOW_FORMAT - the option that shows none, of group "format" */
#define TL_SHOW_FORMAT(asked)                                               \
	TL_OPTION('v', NULL, NULL, "show the format of the events and end", \
		  TL_OPT_FLAG, &(asked).format, "format")

/** tl_show_open - get ready for it; in setup, behind the events */
int tl_show_open(struct tl_session *s, const struct tl_show_asked *asked);

/** How a tool with columns of its own shows events. */
struct tl_show_config {
	unsigned int time;  /* column of when it was */
	unsigned int line;  /* column of the line of the kernel's trace file */
	unsigned int stack; /* column of a stack */
	/* Fills the other columns, which are for JSON and CSV. */
	void (*put)(struct tl_session *s, const struct tl_record *r);
};

/**
 * tl_show_open_as - as tl_show_open(), with columns of the tool's own; @config
 * is copied
 */
int tl_show_open_as(struct tl_session *s, const struct tl_show_asked *asked,
		    const struct tl_show_config *config);
/**
 * tl_show_format - print the format of @ev, under the name that its user knows;
 * 0, or -errno after a message
 */
int tl_show_format(struct tl_session *s, const struct tl_event *ev);

#pragma GCC visibility pop

#endif
