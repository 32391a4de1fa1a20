/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calltree.h - graphs of calls, from the records of their beginnings and ends
 */
#ifndef TL_CALL_CALLTREE_H
#define TL_CALL_CALLTREE_H

#include "tracelet/graph.h"

/** The beginning or the end of a call. */
struct tl_calltree_record {
	uint64_t ns;
	uint64_t function;
	int64_t task; /* thread; the idle ones of all processors are different */
	uint16_t cpu;
	bool irq;         /* in an interrupt, or on the way to it */
	const char *args; /* words, not aligned; a beginning only */
	unsigned int arg_count;
	uint64_t duration; /* ns; this and the next two: an end only */
	bool has_ret;
	uint64_t ret; /* what it returned */
};

struct tl_calltree_config {
	void *ctx;
	size_t max;   /* calls that a graph has a place for */
	size_t total; /* that all have that are not done */
	uint64_t min; /* ns: only calls as long as that */
	bool no_irqs;
	/** Whether a call that is in no other is to have a graph. */
	bool (*is_wanted)(void *ctx, const struct tl_calltree_record *r);
	void (*done)(void *ctx, int64_t task, const struct tl_graph *g);
};

struct tl_calltree;

/** tl_calltree_new - @config is to live as long; NULL without memory */
struct tl_calltree *tl_calltree_new(const struct tl_calltree_config *config);
void tl_calltree_free(struct tl_calltree *c);

/** tl_calltree_begin - a call has begun */
void tl_calltree_begin(struct tl_calltree *c,
		       const struct tl_calltree_record *r);
/**
 * tl_calltree_end - a call has returned; of one that is not known nothing is
 * said
 */
void tl_calltree_end(struct tl_calltree *c, const struct tl_calltree_record *r);

/**
 * tl_calltree_off - @task leaves its processor: what follows is no duration of
 * its calls
 */
void tl_calltree_off(struct tl_calltree *c, int64_t task, uint64_t ns);
/** tl_calltree_on - it is back on one */
void tl_calltree_on(struct tl_calltree *c, int64_t task, uint64_t ns);

/** tl_calltree_finish - @task ends: what is known of its calls is done */
void tl_calltree_finish(struct tl_calltree *c, int64_t task);
/** tl_calltree_finish_all - the same for all */
void tl_calltree_finish_all(struct tl_calltree *c);
/** tl_calltree_void - records were lost: no graph that has begun is true */
void tl_calltree_void(struct tl_calltree *c);
/**
 * tl_calltree_forgotten - graphs that went because there were too many at once,
 * or no memory
 */
uint64_t tl_calltree_forgotten(const struct tl_calltree *c);

#endif
