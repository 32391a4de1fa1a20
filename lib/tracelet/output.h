/* SPDX-License-Identifier: GPL-2.0-or-later */
/* output.h - rows of columns */
#ifndef TRACELET_OUTPUT_H
#define TRACELET_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracelet/session.h"
#include "tracelet/text.h"

#pragma GCC visibility push(default)

struct tl_session;

/** How a column's value is written. */
enum tl_type {
	TL_STR,     /* text, escaped */
	TL_INT,     /* signed decimal */
	TL_UINT,    /* unsigned decimal, of 64 bits */
	TL_HEX,     /* 0x..., negative numbers decimal; JSON: a number */
	TL_ADDRESS, /* 0x... of 64 bits; JSON: text, of which no digit is lost */
	TL_TIME,    /* ns of CLOCK_MONOTONIC, shown as --time asks */
	TL_WALL_CLOCK, /* the same, shown as "HH:MM:SS", whatever that asks */
	TL_MSECS,  /* ns, shown as ms with two decimals; JSON, CSV: seconds */
	TL_USECS,  /* ns, shown as whole us; JSON, CSV: seconds */
	TL_NSECS,  /* ns, shown as us with three decimals; JSON, CSV: seconds */
	TL_ARGV,   /* list of strings: quoted like a shell would; JSON: array */
	TL_STACK,  /* list of strings: a line " => NAME" each under the row */
	TL_FIELDS, /* list of name and value; JSON: object */
	/* parts of a billion, shown as "12.5%"; JSON, CSV: 0.125000 */
	TL_PERCENT,
	TL_KBYTES, /* bytes, shown as KB with two decimals; JSON, CSV: bytes */
};

/** Where a column is shown. */
enum tl_show {
	TL_SHOW_ALL,
	TL_SHOW_DATA,  /* JSON and CSV only, until tl_column_show() */
	TL_SHOW_TEXT,  /* text only */
	TL_SHOW_NEVER, /* not until tl_column_show() */
};

/** What a column is to a row that has a place on a timeline (--perfetto). */
enum tl_role {
	TL_ROLE_NONE,
	TL_ROLE_TITLE, /* what the row is called there; else by its tool */
	TL_ROLE_BEGIN, /* TL_TIME: when it began, not when it was over */
	TL_ROLE_END,   /* TL_TIME: when it was over, and it has a length */
	/* in ns: how long it took, where begin or end is not said */
	TL_ROLE_LENGTH,
	TL_ROLE_APART, /* the same, and others of its thread may overlap */
};

/** What a column is in metrics (--metrics). */
enum tl_metric_kind {
	TL_METRIC_NONE,
	TL_METRIC_LABEL,     /* tells series apart */
	TL_METRIC_COUNTER,   /* is added up; where it is not known, it is 0 */
	TL_METRIC_EVENTS,    /* the same, but 1 where it is not known */
	TL_METRIC_ROWS,      /* 1, whatever the column says */
	TL_METRIC_HISTOGRAM, /* of the values in rows, or of a struct tl_hists */
};

/**
 * A metric is called "tracelets_TOOL_NAME", and has base units: of a column in ns seconds.
 */
struct tl_metric {
	enum tl_metric_kind kind;
	const char *name; /* "calls_total", "latency_seconds" */
	const char *help; /* a sentence without its dot */
};

/**
 * TL_LABEL - of a small set: no process, path, address or port; a column of TL_FIELDS is
 * a label for each member
 */
#define TL_LABEL                        \
	{                               \
		.kind = TL_METRIC_LABEL \
	}
#define TL_COUNTER(name, help)                         \
	{                                              \
		TL_METRIC_COUNTER, name "_total", help \
	}
#define TL_EVENTS(name, help)                         \
	{                                             \
		TL_METRIC_EVENTS, name "_total", help \
	}
#define TL_ROWS(name, help)                         \
	{                                           \
		TL_METRIC_ROWS, name "_total", help \
	}
#define TL_HISTOGRAM(name, help)                \
	{                                       \
		TL_METRIC_HISTOGRAM, name, help \
	}

/**
 * A column; a table of them ends with a NULL head.  Without any for text, rows
 * are for JSON and CSV only.
 */
struct tl_column {
	const char *head; /* header in text */
	const char *key;  /* key in JSON, header in CSV */
	int width;        /* as in printf: negative left, 0 as wide as it is */
	enum tl_type type;
	enum tl_show show;
	/* The option that shows it elsewhere; NULL: none does. */
	const bool *option;
	enum tl_show then; /* where it is shown with the option */
	enum tl_role role;
	struct tl_metric metric;
};

/**
 * TL_TIME_COLUMNS - the time, and behind it the time of day, in a tool's table: which of
 * them text has is what the options @times and @clock say
 */
#define TL_TIME_COLUMNS(times, clock)                                        \
	{ "TIMEs", "time", -16, TL_TIME, TL_SHOW_DATA, &(times) },           \
	{                                                                    \
		"TIME", "clock", -8, TL_WALL_CLOCK, TL_SHOW_NEVER, &(clock), \
			TL_SHOW_TEXT                                         \
	}

/** A value of a row. */
struct tl_value {
	enum tl_type type;
	bool known; /* false: "-" in text, null in JSON, nothing in CSV */
	bool more;  /* TL_STR, TL_ARGV: cut short; " [...]" follows in text,
		     * "KEY_truncated": true in JSON */
	int64_t num;
	struct tl_str str;
	const struct tl_named *list; /* TL_ARGV, TL_STACK, TL_FIELDS */
	size_t count;
};

/** A member of a list; the name counts in TL_FIELDS only. */
struct tl_named {
	const char *name;
	struct tl_value value;
};

/**
 * tl_columns - use another table than the tool's; in setup, before all else
 * about columns
 */
int tl_columns(struct tl_session *s, const struct tl_column *columns);

/** tl_column_find - the number of the column whose key in JSON is @key; -1: there is none */
int tl_column_find(const struct tl_session *s, const char *key);
/** tl_column_show - where column @col is shown, if not as its table says */
void tl_column_show(struct tl_session *s, unsigned int col, enum tl_show show);
/**
 * tl_show_time - in setup: where --time was given show that instead of the time of day,
 * whose column is @clock, and which the table shows
 * @time: the column of type TL_TIME
 */
void tl_show_time(struct tl_session *s, unsigned int clock, unsigned int time);

/**
 * tl_column_type - write column @col as @type: TL_INT where the table has
 * TL_HEX
 */
void tl_column_type(struct tl_session *s, unsigned int col, enum tl_type type);

/*
 * Fill the row: by the column's number in the tool's table.  What is not set is
 * unknown, and so is a text that is NULL.  Text is not copied: it must live until
 * tl_row().
 */
void tl_put_int(struct tl_session *s, unsigned int col, int64_t num);
void tl_put_str(struct tl_session *s, unsigned int col, struct tl_str str);
void tl_put_text(struct tl_session *s, unsigned int col, const char *text);
/** tl_put_time - fill column @col and the one behind it: a TL_TIME and a TL_WALL_CLOCK */
void tl_put_time(struct tl_session *s, unsigned int col, uint64_t ns);
void tl_put_list(struct tl_session *s, unsigned int col,
		 const struct tl_named *list, size_t count, bool more);

/** tl_row - write the row, and begin an empty one */
void tl_row(struct tl_session *s);

/**
 * tl_header - write the header line, in text output, of a tool that is quiet
 */
void tl_header(struct tl_session *s);

/**
 * tl_is_listed - whether a query for @pattern finds @name: a glob, or a part of
 * it when there is no wildcard; NULL finds all
 */
bool tl_is_listed(const char *pattern, const char *name);
/**
 * tl_list - write a line that a query found, escaped unless --raw, in any
 * output
 */
void tl_list(struct tl_session *s, const char *text);
/** tl_print - write a line outside the table, in text output only */
void tl_print(struct tl_session *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/** tl_time_width - of its text, where that is always the same, else 0 */
unsigned int tl_time_width(enum tl_time time);

/**
 * tl_output_has_reader - whether somebody reads standard output: not of a pipe, or socket,
 * whose other end is closed
 */
bool tl_output_has_reader(void);

#pragma GCC visibility pop

#endif
