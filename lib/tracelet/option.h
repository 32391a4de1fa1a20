/* SPDX-License-Identifier: GPL-2.0-or-later */
/* option.h - options and arguments */
#ifndef TRACELET_OPTION_H
#define TRACELET_OPTION_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(default)

struct tl_session;

/** What an option's argument is, and the type of its target. */
enum tl_opt_kind {
	TL_OPT_FLAG,   /* bool: no argument, becomes true */
	TL_OPT_STRING, /* const char *: the argument itself, not empty */
	TL_OPT_UINT,   /* unsigned int, between min and max (0: no limit) */
	TL_OPT_PID,    /* struct tl_pids: an id above 0, or a list like 1,2 */
	/* a time has its own unit where one stands behind it, as in 10ms */
	TL_OPT_SECONDS, /* uint64_t in ns, from seconds with a fraction, above 0 */
	TL_OPT_MSECS, /* uint64_t in ns, from milliseconds, the same way */
	TL_OPT_USECS, /* uint64_t in ns, from microseconds, which may be 0 */
	TL_OPT_SIZE,  /* uint64_t in bytes, suffixes K, M, G, above 0 */
	TL_OPT_REGEX, /* struct tl_regex: POSIX extended */
	TL_OPT_WORD, /* unsigned int: place of the argument in "one|two|three" */
	TL_OPT_SIGNALS, /* struct tl_signals: "TERM,9", or "!CHLD" for all others */
	TL_OPT_NETWORK,  /* struct tl_network: an IP address, or ADDRESS/BITS */
	TL_OPT_PORTS,    /* struct tl_ports: a list like 80,8000-8080 */
	TL_OPT_COUNT,    /* unsigned int, above 0 */
	TL_OPT_GLOB,     /* const char *: a pattern that event filters take */
	TL_OPT_INTERVAL, /* uint64_t in ns, from seconds, at least 1 ms */
	TL_OPT_CPUS,     /* struct tl_cpus: a list like 0,2-5 */
	TL_OPT_PERCENT, /* unsigned int in millionths, from 1% or 0.5, up to 100 */
	TL_OPT_DURATION, /* of the run, from seconds; no target: operands only */
	/*
	 * Together with one of them: it counts only where it is typed.  A
	 * capture, which anybody may have made, brings the options of its run,
	 * but must not name files to write, nor let control characters through.
	 */
	TL_OPT_HERE = 1 << 8,
	/*
	 * The same: it decides what is recorded, so a capture cannot be asked
	 * for it anew; a flag that it was written with may be repeated.
	 */
	TL_OPT_RECORDED = 1 << 9,
};

/** An option; a table of them ends with a zero kind and no name. */
struct tl_opt {
	char letter;      /* 0: long form only */
	const char *name; /* long form, NULL: letter only */
	const char *arg;  /* as shown in -h; for TL_OPT_WORD the words */
	const char *help; /* one line; NULL: it is not shown */
	enum tl_opt_kind kind;
	void *target;
	const char *group;     /* at most one option of a group may be given */
	unsigned int min, max; /* TL_OPT_UINT */
};

/** TL_OPTION - one, for a macro that stands for several in a table */
#define TL_OPTION(...)      \
	{                   \
		__VA_ARGS__ \
	}

/** TL_TIME_OPTIONS - -t and -T, in a tool's table of options: for TL_TIME_COLUMNS */
#define TL_TIME_OPTIONS(times, clock)                                       \
	TL_OPTION('t', NULL, NULL, "show the time", TL_OPT_FLAG, &(times)), \
		TL_OPTION('T', NULL, NULL, "show the time of day",          \
			  TL_OPT_FLAG, &(clock))

/** An argument behind the options; a table of them ends with no name. */
struct tl_operand {
	const char *name; /* "interval" */
	enum tl_opt_kind kind;
	void *target;
};

/**
 * TL_OPERANDS - a table of arguments in its place, at file scope: each one in
 * braces
 */
#define TL_OPERANDS(...) ((const struct tl_operand[]){ __VA_ARGS__, { 0 } })
/** TL_OPERANDS_INTERVAL - "[interval [count]]", as vmstat(8) has them */
#define TL_OPERANDS_INTERVAL(interval, count)                     \
	TL_OPERANDS({ "interval", TL_OPT_INTERVAL, &(interval) }, \
		    { "count", TL_OPT_COUNT, &(count) })

/*
 * Strictly what an argument is: seconds above 0, or microseconds, which may
 * have a fraction, or a number above 0.  @what it is called, for the message.
 * Return 0 or -EINVAL after tl_usage().
 */
int tl_arg_seconds(const char *what, const char *text, uint64_t *ns);
int tl_arg_usecs(const char *what, const char *text, uint64_t *ns);
int tl_arg_uint(const char *what, const char *text, unsigned int *n);
/**
 * tl_args_filter - take the last of @argv if it is a filter behind definitions
 * @argc:   how many there are; one less then
 * @is_one: whether a text is a definition
 *
 * Returns the filter, or NULL.
 */
const char *tl_args_filter(int *argc, char **argv,
			   bool (*is_one)(const char *text));
/** tl_arg_is_filter - whether it has an operator, as every event filter */
bool tl_arg_is_filter(const char *text);
/**
 * tl_arg_glob - fit for an event filter: 0, or -EINVAL after tl_usage(); NULL
 * is
 */
int tl_arg_glob(const char *what, const char *text);

/**
 * tl_set_duration - end after the seconds in @text, as with --duration
 * @what: what the argument is called, for the message
 *
 * For a tool that takes them as an argument.  Returns 0 or -EINVAL after
 * tl_usage().
 */
int tl_set_duration(struct tl_session *s, const char *what, const char *text);
/** tl_duration_text - "for 10 seconds", or "until Ctrl-C" */
void tl_duration_text(struct tl_session *s, char text[40]);

#pragma GCC visibility pop

#endif
