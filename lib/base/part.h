/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * part.h - what hangs on a run besides its core
 *
 * A subject (block I/O, stacks, graphs of calls ...) keeps what it knows of a run
 * in a part, and says with it when it is to be called.  The core calls all parts
 * and knows none by name, so a new subject needs no edit of it.
 */
#ifndef TL_BASE_PART_H
#define TL_BASE_PART_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/session.h"

struct tl_buf;
struct tl_losses;

/** What has become of a thread. */
enum tl_task_change {
	TL_TASK_NEW,
	/* told before, with its old name, and behind; it may have executed
	 * another program */
	TL_TASK_RENAMED,
	TL_TASK_ENDED,     /* some records of it may follow */
	TL_TASK_FORGOTTEN, /* it has ended, and no records of it follow */
	/* another thread of its process has this id now: exec gave it that */
	TL_TASK_REPLACED
};

/**
 * When a part is called; NULL: not then, but for free.  @part is what
 * tl_part_add() was given.
 */
struct tl_part_ops {
	/**
	 * set-up is done, and nothing is recorded yet; 0, or -errno after a
	 * message
	 */
	int (*prepare)(struct tl_session *s, void *part);
	/** recording has begun; 0, or -errno after a message */
	int (*start)(struct tl_session *s, void *part);
	/** recording is about to end */
	void (*stop)(struct tl_session *s, void *part);
	/**
	 * records of @cpu were lost: what has begun may have ended meanwhile
	 */
	void (*lost)(struct tl_session *s, void *part, unsigned int cpu);
	/** thread @tid has changed, at @ns */
	void (*task)(struct tl_session *s, void *part, pid_t tid,
		     enum tl_task_change change, uint64_t ns);
	/** all records of before @ns were given */
	void (*pass)(struct tl_session *s, void *part, uint64_t ns);
	/** a capture begins: note what who reads it will need */
	void (*keep)(struct tl_session *s, void *part);
	/** a capture ends: note what is known only now */
	void (*keep_end)(struct tl_session *s, void *part);
	/**
	 * all records of a file of a capture are in it: add to @to, as of
	 * tl_recording_save_text(), what only these need; what was last needed
	 * before @since may be forgotten, as no later file needs it
	 * @since: ns, nothing in it, or in files that follow, is older
	 */
	void (*keep_file)(struct tl_session *s, void *part, uint64_t since,
			  struct tl_buf *to);
	/** no more records come: give what waits for one */
	void (*flush)(struct tl_session *s, void *part);
	/** close what keeps the instance busy */
	void (*close)(struct tl_session *s, void *part);
	/** put back what was changed, where the guard cannot; 0 or -errno */
	int (*undo)(struct tl_session *s, void *part);
	/** add what could not be recorded; once all records are read */
	void (*count)(struct tl_session *s, void *part, struct tl_losses *l);
	/**
	 * say what was not followed, or not counted; returns how much that is
	 */
	uint64_t (*report)(struct tl_session *s, void *part);
	/** why this cannot be captured: "... has no records"; NULL: it can */
	const char *(*uncaptured)(void *part);
	/**
	 * the end: neither it nor what was added before it is found any more
	 */
	void (*free)(void *part);
};

/** The first member of each part. */
struct tl_part {
	const struct tl_part_ops *ops;
	struct tl_part *next;
};

/**
 * tl_part_add - have @part, which begins with a struct tl_part, hang on the
 * run; its ops->free() is called at the end
 */
void tl_part_add(struct tl_session *s, const struct tl_part_ops *ops,
		 void *part);

/** tl_part_new - the same of @size zeroes; NULL without memory */
void *tl_part_new(struct tl_session *s, const struct tl_part_ops *ops,
		  size_t size);

/** tl_part_find - the part that was added with @ops, or NULL */
static inline void *tl_part_find(const struct tl_session *s,
				 const struct tl_part_ops *ops)
{
	struct tl_part *p = s->parts;

	while (p && p->ops != ops)
		p = p->next;
	return p;
}

/**
 * tl_part_get - that part, made as by tl_part_new() for the first that asks;
 * NULL without memory
 */
void *tl_part_get(struct tl_session *s, const struct tl_part_ops *ops,
		  size_t size);

/* Each calls all parts, in the order in which they were added. */

/** tl_parts_prepare - until one fails, whose -errno it returns; else 0 */
int tl_parts_prepare(struct tl_session *s);
/** tl_parts_start - the same */
int tl_parts_start(struct tl_session *s);
void tl_parts_stop(struct tl_session *s);
void tl_parts_lost(struct tl_session *s, unsigned int cpu);
void tl_parts_task(struct tl_session *s, pid_t tid, enum tl_task_change change,
		   uint64_t ns);
void tl_parts_pass(struct tl_session *s, uint64_t ns);
void tl_parts_keep(struct tl_session *s);
void tl_parts_keep_end(struct tl_session *s);
void tl_parts_keep_file(struct tl_session *s, uint64_t since,
			struct tl_buf *to);
void tl_parts_flush(struct tl_session *s);
void tl_parts_close(struct tl_session *s);
/** tl_parts_undo - all of them; 0, or the last -errno */
int tl_parts_undo(struct tl_session *s);
void tl_parts_count(struct tl_session *s, struct tl_losses *l);
/** tl_parts_report - how much in all was not followed */
uint64_t tl_parts_report(struct tl_session *s);
/** tl_parts_uncaptured - why one of them cannot be captured; NULL: all can */
const char *tl_parts_uncaptured(const struct tl_session *s);
void tl_parts_free(struct tl_session *s);

#endif
