/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h - one run of a tool
 *
 * What a folder knows of a run is whole to that folder, and to those above that
 * need it; all others have a pointer.
 */
#ifndef TL_BASE_SESSION_H
#define TL_BASE_SESSION_H

#include "tracelet/session.h"
#include "tracelet/tool.h"

struct tl_session {
	const struct tl_tool *tool;
	struct tl_settings set;
	struct tl_settings recorded; /* whom a capture's run was asked for */
	const char *command;         /* that is run and traced; NULL: none */
	struct tl_part *parts;       /* what its subjects know: base/part.h */
	struct tl_recording *recording; /* base/recording.h */

	struct tl_instance *instance; /* tracefs/instance.h */
	struct tl_out *out;           /* out/out.h */
	struct tl_events *events;     /* record/event.h */
	struct tl_tasks *tasks;       /* record/task.h */
	struct tl_run *run;           /* run/state.h */

	/* of a capture; NULL: the kernel filters, and threads are this machine's */
	const struct tl_event_filters *filters; /* record/event.h */
	const struct tl_tasks_ops *threads;     /* record/tasktable.h */
};

/** tl_settings_ids - whether -p, -L or --cgroup is given */
bool tl_settings_ids(const struct tl_settings *set);

#endif
