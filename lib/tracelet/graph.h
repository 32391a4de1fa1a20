/* SPDX-License-Identifier: GPL-2.0-or-later */
/* graph.h - graphs of calls */
#ifndef TRACELET_GRAPH_H
#define TRACELET_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#pragma GCC visibility push(default)

struct tl_functions;
struct tl_session;

/** A call of a function of the kernel. */
struct tl_call {
	uint64_t function;   /* an address in it, for tl_symbol() */
	uint64_t start, end; /* ns of CLOCK_MONOTONIC; end 0: not known */
	uint64_t duration;   /* ns, if it has an end */
	uint64_t self;       /* ns of it that are in none of the calls below */
	uint32_t arg;        /* place of its first argument in the graph's */
	uint16_t depth, cpu, end_cpu;
	uint8_t args; /* words that its arguments are in, if they were asked for */
	bool has_ret;
	uint64_t ret; /* what it returned, as a register has it */
};

/** A call that was asked for, and all below it that were seen. */
struct tl_graph {
	pid_t pid; /* thread */
	/* in the order of their beginning: what a call makes is behind it, one
	 * deeper */
	const struct tl_call *calls;
	size_t count;
	uint64_t missing; /* calls that it had no place for */
	const uint64_t *args;
};

/** What to make graphs of. */
struct tl_graph_config {
	const struct tl_functions *functions;
	/* not these, nor what they call; it may be empty */
	const struct tl_functions *exclude;
	/* below, these and no other; empty: all */
	const struct tl_functions *only;
	unsigned int max_depth; /* levels; 0: all */
	uint64_t min;           /* ns: only calls as long as that */
	bool force;             /* also more than a thousand functions */
	bool no_irqs;           /* not what interrupts do in between */
	bool on_cpu;            /* durations without time off the processor */
	bool args, ret;
	/**
	 * Called when the first call of @g has returned, for what was seen of
	 * it at the end of its thread, or of the run.
	 */
	void (*done)(struct tl_session *s, const struct tl_graph *g);
};

/**
 * tl_graph_open - trace calls as @config says, which is to live as long
 *
 * In setup; the tool says TL_FILTERS_TASKS, and -p, -L, --follow, --cgroup and -n
 * apply to the thread that calls.  What the kernel has only once is taken for
 * this session alone: -EBUSY, after saying who has it.  Returns 0 or another
 * -errno after a message; -ENOTSUP when the kernel lacks what is asked for.
 */
int tl_graph_open(struct tl_session *s, const struct tl_graph_config *config);
/**
 * tl_graph_check - for a tool's check function, limits too: 0, or -ENOTSUP or
 * another -errno after a message; of @config only args and ret matter
 */
int tl_graph_check(struct tl_session *s, const struct tl_graph_config *config);
/** tl_graph_end - at the end of the run: what has not returned is done */
void tl_graph_end(struct tl_session *s);
/** tl_graph_functions - how many functions match; once it is open */
size_t tl_graph_functions(const struct tl_session *s);

/** What is in the lines of a graph. */
struct tl_graph_text {
	bool time, task, no_duration;
	bool tail; /* the function's name at its end */
};

/** tl_graph_header - the header of the kernel's trace file; in setup */
void tl_graph_header(struct tl_session *s, const struct tl_graph_text *show);
/** tl_graph_print - @g as the kernel's trace file has it, in text output */
void tl_graph_print(struct tl_session *s, const struct tl_graph *g,
		    const struct tl_graph_text *show);
/**
 * tl_graph_mark - what stands in front of a duration, in ns, there: '!' above
 * 100 us, ' ' up to 10 us
 */
char tl_graph_mark(uint64_t ns);
/**
 * tl_graph_name - of @c's function: "vfs_read", which lives as long as the
 * session; "0x..." without a symbol, valid until the next call
 */
const char *tl_graph_name(struct tl_session *s, const struct tl_call *c);
/**
 * tl_put_graph_calls - in column @col, of TL_ARGV, the calls that the first one made,
 * an object each with those that it made; valid until the config's done()
 * returns
 */
void tl_put_graph_calls(struct tl_session *s, unsigned int col,
			const struct tl_graph *g);
/**
 * tl_put_graph_args - in column @col, of TL_FIELDS, the arguments of @c; valid until
 * the next call
 */
void tl_put_graph_args(struct tl_session *s, unsigned int col,
		       const struct tl_graph *g, const struct tl_call *c);

#pragma GCC visibility pop

#endif
