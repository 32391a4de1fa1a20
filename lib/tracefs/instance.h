/* SPDX-License-Identifier: GPL-2.0-or-later */
/* instance.h - the private instance of a run */
#ifndef TL_TRACEFS_INSTANCE_H
#define TL_TRACEFS_INSTANCE_H

#include <stdbool.h>

#include "base/session.h"
#include "tracefs/file.h"
#include "tracefs/undo.h"

/** Where a run is in tracefs. */
struct tl_instance {
	char *root_path;
	struct tl_fs_dir root; /* the top level */

	char name[64]; /* the group of our probes too */
	struct tl_fs_dir dir;
	struct tl_undo *undo;
	uint64_t
		guard_caps; /* a bit for each capability that the guard keeps */
	bool top; /* a tracer of ours runs at the top level; read that too */
};

/** tl_instance_init - before anything is opened */
void tl_instance_init(struct tl_instance *i, struct tl_recording *recording);
/** tl_instance_free - what was opened, and read */
void tl_instance_free(struct tl_instance *i);
/** tl_instance_tracer_dir - the directory that a tracer of ours runs in */
struct tl_fs_dir tl_instance_tracer_dir(const struct tl_session *s);

/**
 * tl_instance_open - make the instance: mono clock, no event enabled yet
 *
 * Removes what dead sessions left behind first.
 */
int tl_instance_open(struct tl_session *s);

/**
 * tl_instance_replay - what a capture has instead of an instance; nothing is
 * changed
 */
int tl_instance_replay(struct tl_session *s);

/**
 * tl_instance_close - undo all, once nothing reads it any more; says what could
 * not be undone
 */
int tl_instance_close(struct tl_session *s);

/** tl_instance_buffer - KB for each processor's buffer; 0: as it is */
unsigned long long tl_instance_buffer(const struct tl_session *s);

#endif
