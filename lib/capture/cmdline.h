/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmdline.h - a command line, and that of the run that wrote a capture */
#ifndef TL_CAPTURE_CMDLINE_H
#define TL_CAPTURE_CMDLINE_H

#include "tracelet/tool.h"

struct tl_recording;

struct tl_cmdline {
	int count;
	char **list;  /* the first is the program */
	int defaults; /* see tl_opt_parse_over() */
};

/**
 * tl_cmdline_keep - note them for who reads the capture; @first: the first one
 * that is no option
 */
void tl_cmdline_keep(struct tl_recording *r, const struct tl_cmdline *w,
		     int first, const char *tool);
/**
 * tl_cmdline_again - put what the capture's run was asked for before them
 *
 * Its arguments count where there are none, or only one that @tool->selects,
 * which then is the last of them.  Returns 0, or -EINVAL after a message: it is
 * a capture of another tool.
 */
int tl_cmdline_again(const struct tl_recording *r, struct tl_cmdline *w,
		     int first, const struct tl_tool *tool);

/**
 * tl_cmdline_text - them as a shell would take them back; to be freed, NULL
 * without memory
 */
char *tl_cmdline_text(int count, char **list);
/**
 * tl_cmdline_recorded - the same of the capture's run, options first; NULL: not
 * known
 */
char *tl_cmdline_recorded(const struct tl_recording *r);

#endif
