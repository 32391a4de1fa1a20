/* SPDX-License-Identifier: GPL-2.0-or-later */
/* graph.h - the kernel's tracer of calls with all that they call */
#ifndef TL_CALL_GRAPH_H
#define TL_CALL_GRAPH_H

#include "base/buf.h"
#include "base/part.h"
#include "base/session.h"
#include "call/calltree.h"
#include "tracelet/event.h"
#include "tracelet/function.h"
#include "tracelet/graph.h"
#include "tracelet/pairs.h"

/* How many threads that have ended are waited for: they have last records. */
#define TL_GRAPH_ENDED 64

/** Functions, sorted by name. */
struct tl_graph_names {
	struct tl_graph_function {
		char *name, *module; /* "" for the kernel itself */
	} * list;
	size_t count, size;
};

struct tl_graphs {
	struct tl_part part;
	const struct tl_graph_config *config;
	struct tl_calltree *calls;
	struct tl_calltree_config calls_config;
	uint64_t missing; /* calls that were no part of their graphs */
	struct tl_graph_names roots;
	/* words: for set_ftrace_filter, and as set_graph_* know them */
	struct tl_functions hooks, root_words, exclude_words;
	struct tl_field flags, function, args;
	struct tl_field end_function, calltime, rettime, retval;
	struct tl_field prev_pid, next_pid;
	struct {
		pid_t pid;
		uint64_t ns;
	} ended[TL_GRAPH_ENDED];
	unsigned int first_ended, ended_count;

	/* graphtext.c */
	struct tl_buf text, other;
	char *header;
	int cpu_width;
	bool has_types;              /* what functions get is known here */
	struct tl_pairs *prototypes; /* by address */
	struct tl_chunk *chunks;     /* of values that wait for their row */
	struct tl_graph_args *args_row;
	char unnamed[24];
};

extern const struct tl_part_ops tl_graphs_ops;

/** tl_graphs - what tl_graph_open() has made of @s, or NULL */
static inline struct tl_graphs *tl_graphs(const struct tl_session *s)
{
	return tl_part_find(s, &tl_graphs_ops);
}

/** tl_graph_function - the name of @function; NULL when that is not known */
const char *tl_graph_function(struct tl_session *s, uint64_t function);
/** tl_graph_rows_done - values of rows are needed no longer */
void tl_graph_rows_done(struct tl_graphs *g);
/** tl_graph_text_free - what graphtext.c has allocated */
void tl_graph_text_free(struct tl_graphs *g);

#endif
