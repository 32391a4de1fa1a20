/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session.h - one run of a tool: its instance and all that hangs on it */
#ifndef TL_BASE_SESSION_H
#define TL_BASE_SESSION_H

#include "tracelet.h"

struct tl_session {
	const struct tl_tool *tool;
	struct tl_settings set;
	struct tl_settings recorded; /* whom a capture's run was asked for */
	struct tl_out *out;
	char *banner;
	const char *head; /* lines to show in front of rows, or NULL */

	char *typed;  /* the command line, as for a shell */
	char **words; /* of the command line and a capture; NULL: none */

	struct tl_instance *instance;
	struct tl_events *events;
	struct tl_tasks *tasks;
	struct tl_part *parts; /* what else hangs on the run */
	struct tl_command *command;
	bool no_wakeups;    /* look for records every 100 ms instead */
	uint64_t keep_caps; /* a bit for each capability */

	/* reading */
	struct tl_live *live;
	struct tl_capture *capture; /* records go there, and nowhere else */
	struct tl_replay *replay;   /* they come from there */
	struct tl_condition *when;  /* of --trigger; NULL: none */
	int signal;                 /* that ended the run, or 0 */
	bool unordered;             /* order over processors does not matter */
	unsigned int gaps; /* processors whose next record is behind a loss */
	uint64_t start_ns;
	uint64_t stop_ns; /* of recording; 0: it goes on */
	bool cut_short;   /* of a capture not all is read */

	/* intervals */
	uint64_t interval;      /* ns; 0: there are none */
	unsigned int intervals; /* still to come; 0: no end */
	void (*on_interval)(struct tl_session *s, uint64_t ns);
};

#endif
