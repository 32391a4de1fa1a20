/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session.h - one run of a tool: its instance and all that hangs on it */
#ifndef TL_SESSION_H
#define TL_SESSION_H

#include "out.h"
#include "reader.h"
#include "tracelet.h"
#include "undo.h"

struct tl_session {
	const struct tl_tool *tool;
	struct tl_settings set;
	struct tl_out *out;
	char *banner;
	const char *head; /* lines to show in front of rows, or NULL */

	/* tracefs */
	char *root_path;
	int root;
	char *readme; /* read when a feature is asked for */

	/* the private instance; its name is the group of our probes too */
	char name[64];
	int dir;
	struct tl_undo *undo;
	unsigned int probes;
	uint64_t counted_until;

	struct tl_events *events;
	struct tl_tasks *tasks;
	struct tl_symbols *symbols;
	struct tl_lines *lines;
	struct tl_blocks *blocks;
	struct tl_disks *disks;
	struct tl_trigger *triggers;
	int keep_cap; /* or -1 */

	/* reading */
	struct tl_live *live;
	unsigned int gaps; /* processors whose next record is behind a loss */
	uint64_t start_ns;

	/* intervals */
	uint64_t interval;      /* ns; 0: there are none */
	unsigned int intervals; /* still to come; 0: no end */
	void (*on_interval)(struct tl_session *s, uint64_t ns);
};

/* ---- session.c -------------------------------------------------------- */

/**
 * tl_session_open - make the instance: mono clock, no event enabled yet
 *
 * Removes what dead sessions left behind first.
 */
int tl_session_open(struct tl_session *s);

/** tl_session_close - undo all; says what could not be undone */
int tl_session_close(struct tl_session *s);

/* ---- live.c: the poll loop -------------------------------------------- */

/** tl_live_open - open every processor's raw pipe */
int tl_live_open(struct tl_session *s);

/**
 * tl_live_run - read and dispatch until a signal, the end of the duration, or
 * of stdout; then stop recording and give the rest
 * @signals: a signalfd
 *
 * Returns 0, -EPIPE when the reader of stdout has gone, or -errno after a
 * message.
 */
int tl_live_run(struct tl_session *s, int signals);

/** tl_flush - write the rows that wait; -EPIPE, or another -errno after a message */
int tl_flush(struct tl_session *s);

/** tl_live_close - close the pipes, which keep the instance busy */
void tl_live_close(struct tl_session *s);

/** tl_live_overrun - all that was lost in the buffer, by the kernel's own counters */
uint64_t tl_live_overrun(struct tl_session *s);

uint64_t tl_now(void);

/* ---- event.c ---------------------------------------------------------- */

/** tl_event_watch - as tl_event_add(), for the library's own use of an event; called behind the tool's handler, and for records of all processes */
struct tl_event *tl_event_watch(struct tl_session *s, const char *system,
				const char *name, tl_handler *handler);
/** tl_events_enable - begin to record */
int tl_events_enable(struct tl_session *s);
/** tl_events_dispatch - hand a record to its event's handlers */
void tl_events_dispatch(struct tl_session *s, struct tl_record *r);
void tl_events_free(struct tl_session *s);

/** tl_probes_open - for tl_probes_begin(): the open of a file can be a hit itself; -1 without probes */
int tl_probes_open(struct tl_session *s);
/** tl_probes_begin - hits so far were not recorded; once recording has begun; closes @fd */
void tl_probes_begin(struct tl_session *s, int fd);
/** tl_probes_count - read how often this session's probes were hit; before they are disabled */
void tl_probes_count(struct tl_session *s);

/** What was lost, by reason. */
struct tl_losses {
	uint64_t overrun; /* the buffer was full */
	uint64_t missed;  /* a return probe had no instance left */
	uint64_t
		too_large; /* did not fit into a record; if nothing else was lost */
};

/** tl_probes_losses - add what probes could not record; once all records are read */
void tl_probes_losses(struct tl_session *s, struct tl_losses *l);

/* ---- task.c ----------------------------------------------------------- */

/** tl_tasks_open - follow the names of threads, and do what -p, -L, --follow and --cgroup ask for */
int tl_tasks_open(struct tl_session *s);
/** tl_tasks_scan - take in those that run already; once recording has begun */
void tl_tasks_scan(struct tl_session *s);
/** tl_tasks_lost - records were lost: what is known may be out of date */
void tl_tasks_lost(struct tl_session *s);
void tl_tasks_free(struct tl_session *s);

/* ---- trigger.c -------------------------------------------------------- */

/** tl_triggers_report - say what had no place in the tables when these were read last; true when anything had none */
bool tl_triggers_report(const struct tl_session *s);
/** tl_triggers_close - close and free all; what they have open keeps the instance busy */
void tl_triggers_close(struct tl_session *s);

/* ---- line.c, block.c, disk.c, sym.c, cap.c ----------------------------- */

void tl_lines_free(struct tl_session *s);
void tl_blocks_free(struct tl_session *s);
/** tl_blocks_lost - records were lost: what is in flight is not known any more */
void tl_blocks_lost(struct tl_session *s);
/** tl_blocks_forgotten - I/O that was not followed, there being too many */
uint64_t tl_blocks_forgotten(const struct tl_session *s);
void tl_disks_free(struct tl_session *s);

/** tl_symbols_open - open /proc/kallsyms while that is allowed; read later */
int tl_symbols_open(struct tl_session *s);
void tl_symbols_free(struct tl_session *s);

/**
 * tl_cap_drop - give up all privileges that are not needed any more
 * @keep: a capability to keep, or -1
 */
int tl_cap_drop(int keep);

#endif
