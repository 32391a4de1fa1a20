/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session.h - one run of a tool: its instance and all that hangs on it */
#ifndef TL_BASE_SESSION_H
#define TL_BASE_SESSION_H

#include "out/out.h"
#include "record/reader.h"
#include "tracefs/undo.h"
#include "tracelet.h"

struct tl_buf;

struct tl_session {
	const struct tl_tool *tool;
	struct tl_settings set;
	struct tl_settings recorded; /* whom a capture's run was asked for */
	struct tl_out *out;
	char *banner;
	const char *head; /* lines to show in front of rows, or NULL */

	char *typed;  /* the command line, as for a shell */
	char **words; /* of the command line and a capture; NULL: none */

	/* tracefs */
	char *root_path;
	int root;
	char *readme;    /* read when a feature is asked for */
	char *functions; /* that can be traced: read when --check asks for one */
	bool unread;     /* it was said that a file of it could not be read */

	/* the private instance; its name is the group of our probes too */
	char name[64];
	int dir;
	struct tl_undo *undo;

	struct tl_events *events;
	struct tl_tasks *tasks;
	struct tl_symbols *symbols;
	struct tl_part *parts; /* what else hangs on the run */
	struct tl_command *command;
	bool no_wakeups; /* look for records every 100 ms instead */
	bool top; /* a tracer of ours runs at the top level; read that too */
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

/* ---- instance.c -------------------------------------------------------- */

/**
 * tl_session_open - make the instance: mono clock, no event enabled yet
 *
 * Removes what dead sessions left behind first.
 */
int tl_session_open(struct tl_session *s);

/** tl_session_replay - what a capture has instead of an instance; nothing is changed */
int tl_session_replay(struct tl_session *s);

/** tl_session_close - undo all, behind tl_live_close(); says what could not be undone */
int tl_session_close(struct tl_session *s);

/* ---- run/loop.c: the poll loop -------------------------------------------- */

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

/** tl_next_boundary - the end of the interval that begins at @last; the last one ends with the duration; 0: there is none */
uint64_t tl_next_boundary(const struct tl_session *s, uint64_t last);

/** tl_live_capture - begin the capture with all that is kept by now */
int tl_live_capture(struct tl_session *s);

/* What a reader does for a session. */
extern const struct tl_reader_ops tl_live_ops;

/** tl_live_close - close the pipes, which keep the instance busy */
void tl_live_close(struct tl_session *s);

/** tl_live_overrun - all that was lost in the buffer, by the kernel's own counters */
uint64_t tl_live_overrun(struct tl_session *s);

/* ---- record/event.c ---------------------------------------------------------- */

/** tl_event_watch - as tl_event_add(), for the library's own use of an event; called behind the tool's handler, and for records of all processes */
struct tl_event *tl_event_watch(struct tl_session *s, const char *system,
				const char *name, tl_handler *handler);
/** tl_events_enable - begin to record */
int tl_events_enable(struct tl_session *s);
/** tl_events_run - hand a record, and those behind it, to their events' handlers; as in struct tl_reader_ops */
int tl_events_run(struct tl_session *s, struct tl_page *page,
		  struct tl_record *r, uint64_t until);
/** tl_events_watch_run - the same for what the library itself watches, and nothing else */
int tl_events_watch_run(struct tl_session *s, struct tl_page *page,
			struct tl_record *r, uint64_t until);
/** tl_events_count_run - only count these records */
void tl_events_count_run(struct tl_session *s, struct tl_page *page,
			 struct tl_record *r);
void tl_events_free(struct tl_session *s);

/** tl_events_lost - records were lost on @cpu */
void tl_events_lost(struct tl_session *s, unsigned int cpu);

/** What was lost, by reason. */
struct tl_losses {
	uint64_t overrun; /* the buffer was full */
	uint64_t missed;  /* a return probe had no instance left */
	uint64_t
		too_large; /* did not fit into a record; if nothing else was lost */
	bool or_own;       /* some of these may be this process's own */
	uint64_t events;       /* in all, as it is reported */
	uint64_t not_followed; /* I/O, or calls */
};

/* ---- run/loss.c ---------------------------------------------------------- */

/** tl_losses_any - whether events were lost; once all records are read */
bool tl_losses_any(struct tl_session *s);
/**
 * tl_losses_report - say what was lost, and why; once all records are read;
 * true when anything was; @l begins as zeroes
 */
bool tl_losses_report(struct tl_session *s, struct tl_losses *l);

/* ---- record/task.c ----------------------------------------------------------- */

/** tl_tasks_open - follow the names of threads, and do what -p, -L, --follow and --cgroup ask for */
int tl_tasks_open(struct tl_session *s);
/** tl_tasks_scan - take in those that run already; once recording has begun */
void tl_tasks_scan(struct tl_session *s);
/** tl_tasks_keep - note all that is known now, for who reads a capture */
void tl_tasks_keep(struct tl_session *s);
/** tl_tasks_self - the tool's own thread id, as in records; -1 when it is not known */
pid_t tl_tasks_self(const struct tl_session *s);
/** tl_task_leave_out_self - add the tool itself to @file, of processes that are not recorded; 1, 0 when it cannot be or needs not, or -errno after a message */
int tl_task_leave_out_self(struct tl_session *s, const char *file);
/** tl_tasks_functions - have function tracers heed -p, -L, --follow and --cgroup too; in setup, before there is one */
int tl_tasks_functions(struct tl_session *s);
/**
 * tl_tasks_end - of a capture: 0 if all who were asked for had been recorded,
 * or -ESRCH after a message
 */
int tl_tasks_end(const struct tl_session *s);
/** tl_tasks_lost - records were lost: what is known may be out of date */
void tl_tasks_lost(struct tl_session *s);
/**
 * tl_tasks_copy - what is known now, to be s->tasks while old records are run
 * @all: do not forget who has ended long ago
 */
struct tl_tasks *tl_tasks_copy(const struct tl_session *s, bool all);
/** tl_tasks_are_past - whether that is so: nothing but threads is to be followed */
bool tl_tasks_are_past(const struct tl_session *s);
void tl_tasks_free(struct tl_session *s);
/** tl_tasks_watch_compat - look which processes are 32-bit; in setup */
void tl_tasks_watch_compat(struct tl_session *s);
/** tl_task_executes - process @pid executes another program from now on */
void tl_task_executes(struct tl_session *s, pid_t pid);
/** tl_task_has_executed - whether that was said since this was asked last */
bool tl_task_has_executed(struct tl_session *s, pid_t pid);
/** tl_task_compat - whether the process of thread @pid is a 32-bit program */
bool tl_task_compat(struct tl_session *s, pid_t pid);
void tl_task_set_compat(struct tl_session *s, pid_t pid, bool compat);
/** tl_task_is_dead - whether thread @pid has ended; it has some records yet */
bool tl_task_is_dead(struct tl_session *s, pid_t pid);
/** tl_task_read_compat - ask the process itself, if it is there still */
void tl_task_read_compat(struct tl_session *s, pid_t pid);

/* ---- trace/stack.c ---------------------------------------------------------- */

/* ---- call/ftrace.c --------------------------------------------------------- */

/** tl_tracer_private - whether @tracer can run in the session's own instance */
bool tl_tracer_private(struct tl_session *s, const char *tracer);

/* ---- call/graph.c ---------------------------------------------------------- */

/* ---- instance.c, for call/graph.c ------------------------------------------- */

/** tl_session_buffer - KB for each processor's buffer; 0: as it is */
unsigned long long tl_session_buffer(const struct tl_session *s);

/* ---- trace/line.c, trace/block.c, kernel/disk.c ------------------------------------------- */

/* ---- call/timed.c --------------------------------------------------------- */

/* ---- probe/instead.c -------------------------------------------------------- */

/** tl_instead_seen_event - as tl_instead_seen(), of a record of @ev */
void tl_instead_seen_event(struct tl_session *s, const struct tl_event *ev);

/* ---- main/check.c ---------------------------------------------------------- */

/** tl_check - do --check and say the result; returns an exit status */
int tl_check(struct tl_session *s);

/* ---- kernel/kallsyms.c, base/cap.c ------------------------------------------------------ */

/** tl_symbols_mark - @addr may be used by who reads a capture; once all are loaded */
void tl_symbols_mark(struct tl_session *s, uint64_t addr);
/** tl_symbols_save - append those that are, as in /proc/kallsyms */
void tl_symbols_save(const struct tl_session *s, struct tl_buf *b);
/** tl_symbols_check - whether there are addresses: 0, or -errno after a message */
int tl_symbols_check(void);
/** tl_symbols_find - the same without a message; of a capture, as it was there */
int tl_symbols_find(void);
/** tl_symbols_try - as tl_symbols_open(), where a number will do in place of a name */
int tl_symbols_try(struct tl_session *s);
void tl_symbols_free(struct tl_session *s);
/** How much to say about an address: "func", "func+0x10", "func+0x10/0x90". */
enum tl_symbol_parts { TL_SYMBOL_NAME, TL_SYMBOL_OFFSET, TL_SYMBOL_SIZE };
/** tl_symbol_text - append that, without an offset of 0 unless its size is asked for; "0x..." without a symbol */
void tl_symbol_text(struct tl_session *s, uint64_t addr,
		    enum tl_symbol_parts parts, struct tl_buf *b);

/**
 * tl_cap_drop - give up all privileges that are not needed any more
 * @keep: a bit for each capability to keep
 */
int tl_cap_drop(uint64_t keep);

#endif
