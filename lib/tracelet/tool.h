/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tool.h - what a tool is */
#ifndef TRACELET_TOOL_H
#define TRACELET_TOOL_H

#include <stdbool.h>
#include <sys/types.h>

#pragma GCC visibility push(default)

struct tl_column;
struct tl_operand;
struct tl_opt;
struct tl_session;
struct tl_source;

/** Exit status of every tool. */
enum tl_exit {
	TL_EXIT_OK = 0,
	TL_EXIT_FAILED = 1,
	TL_EXIT_USAGE = 2,
	TL_EXIT_UNSUPPORTED = 3, /* this kernel lacks what the tool needs */
};

/** What a tool does its own way. */
enum tl_tool_flags {
	TL_FILTERS_NAMES = 1 << 0, /* -n is matched by the tool */
	/* so are -p, -L and --cgroup: all records are given to it, and
	 * tl_task_matches() tells */
	TL_FILTERS_TASKS = 1 << 1,
	TL_COMMAND = 1 << 2, /* arguments are a command with its options */
	/* query() does all, rows too: the common options for events are left
	 * out */
	TL_NO_EVENTS = 1 << 3,
	TL_NO_TRACEFS = 1 << 4, /* nor does it need tracefs */
	/* --cpu, too: what a row is made of can begin on one processor and end on
	 * another, so it gets all records, and tl_cpu_matches() tells */
	TL_FILTERS_CPUS = 1 << 6,
	/* a file of -o is made, or replaced, by a run that ends with TL_EXIT_OK, and
	 * by no other one */
	TL_OUTPUT_WHOLE = 1 << 7,
};

/**
 * What a tool's pictures of single events are of: --subsecond, and --heatmap where they
 * take time.  The columns of its table say which value is what: enum tl_role.
 */
struct tl_pictured {
	const char *unit; /* "calls"; NULL: there are no such pictures */
	const char *
		latency; /* title of --heatmap: "Time of calls"; NULL: there is none */
	/* rows are not single events: tl_pictured() tells of these instead */
	bool told;
};

#define TL_EXAMPLES 3 /* so many has each tool in -h */

struct tl_example {
	const char *command; /* as it is typed: "opensnoop -x" */
	const char *about;
};

struct tl_tool {
	const char *name;
	const char *summary; /* "trace open() with file name and result" */
	/*
	 * Arguments behind the options, in their order, of which the last ones
	 * may be left out: their names, kinds and targets.  NULL: @args takes
	 * the arguments, and @synopsis tells of them: "function...".
	 */
	const struct tl_operand *operands;
	const char *synopsis;
	/* What is typed first, from the simplest to the most useful. */
	struct tl_example examples[TL_EXAMPLES];
	const struct tl_opt *options;
	const struct tl_column *columns;
	struct tl_pictured pictured;
	/*
	 * What is recorded whatever the options say: added behind @setup, and
	 * looked for by --check before @check.  NULL: nothing.
	 */
	const struct tl_source *sources;
	unsigned int flags; /* enum tl_tool_flags */
	unsigned int
		buffer_kb; /* default of --buffer; 0: the kernel's, 1.4 MB */
	bool quiet;        /* no header line in text unless tl_header() */
	const char *pid;   /* long form of the common -p, where -p is something
			  * else here; NULL: "pid" */

	/**
	 * Takes the arguments behind the options, after @operands; looks at
	 * options that depend on each other.  Returns 0, or -errno after a
	 * message: -EINVAL, after tl_usage(), for TL_EXIT_USAGE, -ENOTSUP for
	 * TL_EXIT_UNSUPPORTED; -ENOMEM needs no message.  NULL: there are no
	 * others.
	 */
	int (*args)(struct tl_session *s, int argc, char **argv);
	/**
	 * Whether the last argument, typed alone with -r, comes behind those of
	 * the capture's run: a filter, a threshold; NULL: it never does.
	 */
	bool (*selects)(const char *text);
	/**
	 * Does what needs no session (-l, -v) and returns an exit status, or -1
	 * to go on; may be NULL.
	 */
	int (*query)(struct tl_session *s);
	/**
	 * --check: 0, or -errno after saying what is missing, and how to mend
	 * it; changes nothing; has tl_limit() for what only an option needs.
	 */
	int (*check)(struct tl_session *s);
	/**
	 * Adds events; -ENOTSUP, after saying what is missing, for
	 * TL_EXIT_UNSUPPORTED; -ECANCELED to end, all being done.
	 */
	int (*setup)(struct tl_session *s);
	/**
	 * Called when records were lost on @cpu, at both ends of the gap: what
	 * was paired is void; may be NULL.
	 */
	void (*lost)(struct tl_session *s, unsigned int cpu);
	/**
	 * Called after the last record, or the last before an error: 0, or
	 * -errno after a message.  Not with -w, where records are not looked
	 * at, nor when set-up failed.  May be NULL.
	 */
	int (*end)(struct tl_session *s);
};

/**
 * tl_limit - in check: an option, or part, of the tool that may not work here; in
 * set-up: call @check if that was given
 * @option: "--in-kernel"; lives as long as the session
 * @given:  it was, so that without it the tool is of no use
 * @check:  0, or -errno after saying what is missing and what to do about it
 *
 * What @check says becomes a limit of the tool, unless the option was given.
 * Returns 0, or what @check does when it was.
 */
int tl_limit(struct tl_session *s, const char *option, bool given,
	     int (*check)(struct tl_session *s));

#pragma GCC visibility pop

#endif
