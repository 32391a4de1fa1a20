/* SPDX-License-Identifier: GPL-2.0-or-later */
/* who.h - values by process, thread, name, processor or cgroup */
#ifndef TRACELET_WHO_H
#define TRACELET_WHO_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "tracelet/output.h"

#pragma GCC visibility push(default)

struct tl_session;

/** What is counted separately; the words of an option in this order. */
enum tl_by {
	TL_BY_NAME,
	TL_BY_PID, /* process, with the name it has now */
	TL_BY_TID, /* thread, the same way */
	TL_BY_CPU, /* processor */
	TL_BY_CGROUP,
	TL_BY_NOTHING,
	TL_BY_BOTH, /* process and name of the thread */
};

/** Who something belongs to: as a key, or the start of a value. */
struct tl_who {
	/* process, or thread or processor by these; the number of a cgroup; 0: by
	 * name, or not known */
	pid_t pid;
	/* "[others]" for what found no place; "" for TL_BY_NOTHING */
	char comm[16];
};

/**
 * Whose something is, noted while it happened: its thread may be gone, or have another
 * name, when the row is written.  All zero: not known.
 */
struct tl_owner {
	struct tl_who who; /* as by TL_BY_BOTH */
	pid_t tid;
	bool is_asked; /* tl_task_matches() */
};

/** tl_owner_of - that of the record being handled, where its thread is @tid */
struct tl_owner tl_owner_of(struct tl_session *s, pid_t tid);
/** tl_put_owner - fill columns with what is known, as tl_put_task() does */
void tl_put_owner(struct tl_session *s, const struct tl_owner *o,
		  unsigned int comm, unsigned int pid, unsigned int tid);

/** tl_who_compare - as of qsort(): by process, then by name */
int tl_who_compare(const struct tl_who *a, const struct tl_who *b);
/** tl_put_who - fill columns @pid, unless it is 0, and @comm */
void tl_put_who(struct tl_session *s, const struct tl_who *who,
		unsigned int pid, unsigned int comm);
/**
 * tl_show_who - show those of the two columns that tell who apart; by thread
 * @pid is that of its id
 */
void tl_show_who(struct tl_session *s, enum tl_by by, unsigned int pid,
		 unsigned int comm);

/**
 * TL_BY_COLUMNS - the columns that tell who apart in a tool's table, not shown until
 * tl_show_by() is called
 */
#define TL_BY_COLUMNS                                                               \
	{ "PID", "pid", -7, TL_INT, TL_SHOW_NEVER },                                \
		{ "TID", "tid", -7, TL_INT, TL_SHOW_NEVER },                        \
		{ "COMM", "comm", -16, TL_STR, TL_SHOW_NEVER, .metric = TL_LABEL }, \
		{ "CPU", "cpu", -4, TL_INT, TL_SHOW_NEVER, .metric = TL_LABEL },    \
	{                                                                           \
		"CGROUP", "cgroup", -32, TL_STR, TL_SHOW_NEVER,                     \
			.metric = TL_LABEL                                          \
	}
/** TL_BY_WORDS - what an option takes for these, in the order of enum tl_by */
#define TL_BY_WORDS "name|process|thread|cpu|cgroup"

/** tl_by_id - what tells who apart, as for tl_who_of() */
static inline pid_t tl_by_id(enum tl_by by, pid_t tid, unsigned int cpu)
{
	return by == TL_BY_CPU ? (pid_t)cpu : tid;
}
/**
 * tl_who_of - who the record being handled belongs to
 * @id: its thread, by TL_BY_CPU the number of its processor
 */
struct tl_who tl_who_of(struct tl_session *s, pid_t id, enum tl_by by);
/**
 * tl_show_by - in setup: show those columns of TL_BY_COLUMNS that @by needs, where @show
 * says, and have the names of threads followed if they are among them
 */
void tl_show_by(struct tl_session *s, enum tl_by by, enum tl_show show);
/** tl_put_by - fill these columns; of the others together that of the name */
void tl_put_by(struct tl_session *s, enum tl_by by, const struct tl_who *who);
/**
 * tl_by_check - in args: 0, or after a message -EINVAL where a capture cannot tell of
 * @by, -ENOTSUP where this kernel cannot
 */
int tl_by_check(struct tl_session *s, enum tl_by by);

#pragma GCC visibility pop

#endif
