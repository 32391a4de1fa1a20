/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracelet.h - what a tracelets tool is made of
 *
 * A tool is one const struct tl_tool: its options, its columns, a function
 * that sets up events, and a handler per event.  Everything else (the private
 * tracing instance, the poll loop, losses, signals, privileges, output formats,
 * removal of every trace of itself) is the library's.
 *
 * Unless said otherwise functions return 0 or a negative errno, take no
 * ownership of what they are given, and return pointers that live as long as
 * the session does.  A function that fails on something the user should know
 * has printed why on stderr.
 */
#ifndef TRACELET_H
#define TRACELET_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/** Exit status of every tool. */
enum tl_exit {
	TL_EXIT_OK = 0,
	TL_EXIT_FAILED = 1,
	TL_EXIT_USAGE = 2,
	TL_EXIT_UNSUPPORTED = 3, /* this kernel lacks what the tool needs */
};

struct tl_session;
struct tl_event;

/** A piece of text that is not terminated; may hold any byte. */
struct tl_str {
	const char *text;
	size_t len;
};

/* ---- options ---------------------------------------------------------- */

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

/** An argument behind the options; a table of them ends with no name. */
struct tl_operand {
	const char *name; /* "interval" */
	enum tl_opt_kind kind;
	void *target;
};

/** A compiled regular expression; matches everything while @text is NULL. */
struct tl_regex {
	const char *text;
	regex_t re;
};

/**
 * tl_regex_compile - compile an expression, for an option or an argument
 * @what: its name, for the message
 *
 * @text must live as long as @re.  Returns 0 or -EINVAL after tl_usage().
 */
int tl_regex_compile(struct tl_regex *re, const char *what, const char *text);

/** tl_regex_match - whether @str, up to @len bytes of it, matches @re */
bool tl_regex_match(const struct tl_regex *re, const char *str, size_t len);

/**
 * tl_regex_literal - the words of @re where it has no special character
 *
 * Such an expression is a plain substring search, which an event filter can do
 * in the kernel.  Returns NULL when it is more than that or was not given.
 */
const char *tl_regex_literal(const struct tl_regex *re);

#define TL_PIDS_MAX 1024

/** Processes, or threads, by their ids. */
struct tl_pids {
	unsigned int count; /* 0: none was given */
	pid_t list[TL_PIDS_MAX];
	char text[40]; /* "1,2"; a long one ends in ",..." */
};

/** tl_pids_has - whether @pid is one of them */
bool tl_pids_has(const struct tl_pids *pids, pid_t pid);

#define TL_SIGNAL_MAX 128 /* some architectures have so many */

/** A set of signals; all while @text is NULL. */
struct tl_signals {
	const char *text;
	bool others; /* all but those */
	bool has[TL_SIGNAL_MAX + 1];
};

/**
 * tl_signals_parse - parse a list, for an option or an argument
 * @what: its name, for the message
 *
 * Names are as in kill(1), with or without SIG in front and in any case; 0 is
 * one too.  @text must live as long as @set.  Returns 0 or -EINVAL after
 * tl_usage().
 */
int tl_signals_parse(struct tl_signals *set, const char *what,
		     const char *text);

/** tl_signals_match - whether @sig, any number, is in @set */
bool tl_signals_match(const struct tl_signals *set, int sig);

/*
 * Strictly what an argument is: seconds above 0, or microseconds, which may
 * have a fraction, or a number above 0.  @what it is called, for the message.
 * Return 0 or -EINVAL after tl_usage().
 */
int tl_arg_seconds(const char *what, const char *text, uint64_t *ns);
int tl_arg_usecs(const char *what, const char *text, uint64_t *ns);
int tl_arg_uint(const char *what, const char *text, unsigned int *n);
/**
 * tl_args_recorded - refuse arguments that a capture was not written with
 * @is_one: whether one is meant, for a last one that may be something else; NULL
 *
 * For arguments that decide what is recorded.  Returns 0, also without a
 * capture, or -EINVAL after a message.
 */
int tl_args_recorded(int argc, char **argv, bool (*is_one)(const char *text));
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

/* ---- addresses --------------------------------------------------------- */

/* An address has 16 bytes, as the network has them; IPv4 is ::ffff:a.b.c.d. */

#define TL_INET_TEXT 56 /* bytes that the text of one needs, with a port */

/** tl_inet_map - the 16 bytes of an IPv4 address */
void tl_inet_map(uint8_t addr[16], const uint8_t ipv4[4]);
/** tl_inet_text - "192.0.2.1", "2001:db8::1" */
void tl_inet_text(const uint8_t addr[16], char text[TL_INET_TEXT]);
/** tl_inet_end - of a connection: "192.0.2.1:80", "[2001:db8::1]:80" */
void tl_inet_end(const uint8_t addr[16], unsigned int port,
		 char text[TL_INET_TEXT]);

/** Addresses with the same first bits. */
struct tl_network {
	bool given; /* else every address matches */
	uint8_t addr[16];
	unsigned int bits; /* of all 128 */
};

bool tl_network_match(const struct tl_network *net, const uint8_t addr[16]);

#define TL_PORTS_MAX 16

/** Ports, with all between the first and the last of a range. */
struct tl_ports {
	unsigned int count; /* 0: every port matches */
	struct tl_range {
		uint16_t first, last;
	} range[TL_PORTS_MAX];
};

bool tl_ports_match(const struct tl_ports *ports, unsigned int port);

/* ---- output ----------------------------------------------------------- */

/** How a column's value is written. */
enum tl_type {
	TL_STR,     /* text, escaped */
	TL_INT,     /* signed decimal */
	TL_UINT,    /* unsigned decimal, of 64 bits */
	TL_HEX,     /* 0x..., negative numbers decimal; JSON: a number */
	TL_ADDRESS, /* 0x... of 64 bits; JSON: text, of which no digit is lost */
	TL_TIME,    /* ns of CLOCK_MONOTONIC, shown as --time asks */
	TL_MSECS,   /* ns, shown as ms with two decimals; JSON, CSV: seconds */
	TL_USECS,   /* ns, shown as whole us; JSON, CSV: seconds */
	TL_NSECS,  /* ns, shown as us with three decimals; JSON, CSV: seconds */
	TL_ARGV,   /* list of strings: quoted like a shell would; JSON: array */
	TL_STACK,  /* list of strings: a line " => NAME" each under the row */
	TL_FIELDS, /* list of name and value; JSON: object */
	/* parts of a billion, shown as "12.5%"; JSON, CSV: 0.125000 */
	TL_PERCENT,
};

/** Where a column is shown. */
enum tl_show {
	TL_SHOW_ALL,
	TL_SHOW_DATA,  /* JSON and CSV only, until tl_column_show() */
	TL_SHOW_TEXT,  /* text only */
	TL_SHOW_NEVER, /* not until tl_column_show() */
};

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
};

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
 * tl_column_type - write column @col as @type: TL_INT where the table has
 * TL_HEX
 */
void tl_column_type(struct tl_session *s, unsigned int col, enum tl_type type);

/*
 * Fill the row: by the column's number in the tool's table.  What is not set
 * is unknown.  Text is not copied: it must live until tl_row().
 */
void tl_put_int(struct tl_session *s, unsigned int col, int64_t num);
void tl_put_str(struct tl_session *s, unsigned int col, struct tl_str str);
void tl_put_text(struct tl_session *s, unsigned int col, const char *text);
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
/**
 * tl_head - in setup: lines in front of the rows, in text; lives as long as the
 * session
 */
void tl_head(struct tl_session *s, const char *lines);
/** tl_print - write a line outside the table, in text output only */
void tl_print(struct tl_session *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- events ----------------------------------------------------------- */

/** A record from the ring buffer. */
struct tl_record {
	uint64_t ns;      /* CLOCK_MONOTONIC */
	const char *data; /* the record as the event's format describes it */
	uint32_t size;
	int32_t pid; /* thread that the event happened in */
	unsigned int cpu;
	const struct tl_event *event;
};

typedef void tl_handler(struct tl_session *s, const struct tl_record *r);

/** A field of an event, resolved. */
struct tl_field {
	uint16_t offset;
	uint16_t size;
	bool is_signed;
	uint8_t where; /* in the record, or by __data_loc or __rel_loc */
};

/**
 * tl_event_add - record event @system:@name in this session
 * @handler: called for each record, in the order of time over all processors
 *
 * The event is enabled when all is set up.  Returns NULL and sets errno;
 * ENOENT, without a message, when the kernel has no such event.
 */
struct tl_event *tl_event_add(struct tl_session *s, const char *system,
			      const char *name, tl_handler *handler);

/**
 * tl_event_add_by_name - the same for "system:name" as a user gave it; when there is
 * no such event that is said, with names that are near
 */
struct tl_event *tl_event_add_by_name(struct tl_session *s, const char *full,
				      tl_handler *handler);

struct tl_functions;

/**
 * tl_instead_expect - in setup: calls of function @name, or of tracepoint
 * "system:name", are asked for
 *
 * Some names are there and never called: C libraries make openat() of open().
 * The library notes those of which it knows what is called instead, unless all
 * comes from a capture; of others there is no cost.
 */
void tl_instead_expect(struct tl_session *s, const char *name);
/** tl_instead_expect_all - the same of each name among @f */
void tl_instead_expect_all(struct tl_session *s, const struct tl_functions *f);
/** tl_instead_expect_event - the same of the place of probe @ev */
void tl_instead_expect_event(struct tl_session *s, const struct tl_event *ev);
/** tl_instead_seen - there was a call; tl_show() says so itself */
void tl_instead_seen(struct tl_session *s, const char *name);
/** tl_instead_seen_at - the same of the function at @addr */
void tl_instead_seen_at(struct tl_session *s, uint64_t addr);
/**
 * tl_instead_report - at the end: say what is called instead of those that no call
 * of was seen, if it is there on this kernel; returns whether anything was said
 */
bool tl_instead_report(struct tl_session *s);

/**
 * tl_event_filter - set the kernel's filter of @ev, none if it is empty; the
 * kernel's own words are printed when it is wrong, -E2BIG when it is too long
 */
int tl_event_filter(struct tl_session *s, struct tl_event *ev,
		    const char *filter);

/**
 * tl_event_on_demand - record @ev only from the first record of @by on that
 * meets @condition, a filter
 *
 * Until then a probe costs little: it fetches nothing.
 */
int tl_event_on_demand(struct tl_session *s, struct tl_event *ev,
		       const struct tl_event *by, const char *condition);

/**
 * tl_event_until - record @ev no longer from a hit of @by on, whatever the filter
 * of that is
 *
 * For an event on demand, which is then as before: the next record that it
 * waits for starts it again.
 */
int tl_event_until(struct tl_session *s, struct tl_event *ev,
		   const struct tl_event *by);

/** An event filter under construction: conditions joined by "&&". */
#define TL_FILTER_MAX 4095
struct tl_filter {
	char text[TL_FILTER_MAX + 1];
};

/**
 * tl_filter_and - add a condition; tl_event_filter() says when it was too much
 */
void tl_filter_and(struct tl_filter *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/**
 * tl_filter_match - add that text field @field has the words of @re in it, if
 * @re is plain words
 */
void tl_filter_match(struct tl_filter *f, const char *field,
		     const struct tl_regex *re);

/**
 * tl_filter_signals - add that @field, which is called @name, is in @set
 *
 * A register may have anything above its int; then the kernel lets the record
 * pass, and the tool has to look again.
 */
void tl_filter_signals(struct tl_filter *f, const char *name,
		       const struct tl_field *field,
		       const struct tl_signals *set);
/**
 * tl_filter_ports - add that number @field, or @other unless that is NULL, is
 * one of @ports, if these were given
 */
void tl_filter_ports(struct tl_filter *f, const struct tl_ports *ports,
		     const char *field, const char *other);

/** tl_event_has - whether there is a field @name on this kernel */
bool tl_event_has(const struct tl_event *ev, const char *name);

/**
 * tl_event_field - find field @name; -ENOENT, with a message, when the event
 * has none
 */
int tl_event_field(struct tl_session *s, const struct tl_event *ev,
		   const char *name, struct tl_field *field);

/**
 * tl_event_long_field - find field @name, a long of the kernel, for
 * tl_field_long()
 */
int tl_event_long_field(struct tl_session *s, struct tl_event *ev,
			const char *name, struct tl_field *field);

/**
 * tl_event_numeric_field - find field @name, as a user gave it, which has to be a
 * number; if it is none that is said, or else which fields there are
 */
int tl_event_numeric_field(struct tl_session *s, struct tl_event *ev,
			   const char *name, struct tl_field *field);

const char *tl_event_system(const struct tl_event *ev);
const char *tl_event_name(const struct tl_event *ev);
/**
 * tl_event_title - as users know it: "system:name", or the name of a probe;
 * free() it
 */
char *tl_event_title(const struct tl_event *ev);

/**
 * tl_field_num - a number, extended by its sign; 0 where the record is too
 * short
 */
int64_t tl_field_num(const struct tl_record *r, const struct tl_field *f);

/**
 * tl_field_long - the same for one that tl_event_long_field() found: quicker
 */
static inline int64_t tl_field_long(const struct tl_record *r,
				    const struct tl_field *f)
{
	int64_t n64;
	int32_t n32;

	if (__builtin_expect(f->size == sizeof(n64), 1)) {
		__builtin_memcpy(&n64, r->data + f->offset, sizeof(n64));
		return n64;
	}
	__builtin_memcpy(&n32, r->data + f->offset, sizeof(n32));
	return n32;
}

/**
 * tl_field_str - text, up to its NUL or the end of its place
 *
 * A text that the kernel could not read, and on kernels up to 6.12 an empty
 * one from a probe, has len 0.  The text is part of the record.
 */
struct tl_str tl_field_str(const struct tl_record *r, const struct tl_field *f);

/**
 * tl_field_bytes - the first @size bytes of a field that is in the record
 * itself; zeroes for those that are not there
 */
void tl_field_bytes(const struct tl_record *r, const struct tl_field *f,
		    void *to, size_t size);

/**
 * tl_probe_add - define a probe for this session and add its event
 * @type:  "p", "r", "r512", "f", "t" ...
 * @name:  of the event, within the session's own group
 * @place: function, function+offset, or tracepoint
 * @args:  fetch arguments as the kernel takes them, may be empty
 *
 * Returns NULL and sets errno.  ENOENT, without a message, when there is no
 * such function, or none that can be probed.
 */
struct tl_event *tl_probe_add(struct tl_session *s, const char *type,
			      const char *name, const char *place,
			      const char *args, tl_handler *handler);

/** How tl_kprobe_add() adds. */
struct tl_kprobe_config {
	bool force; /* also a module that is not loaded, and globs for many */
	tl_handler *handler;
	/**
	 * Called for each event, with its name as the user has it, NULL for
	 * one that stands in for the next one where that has no record; 0, or
	 * -errno after a message.
	 */
	int (*added)(struct tl_session *s, struct tl_event *ev,
		     const char *name);
};

/**
 * tl_kprobe_add - define a probe on the kernel, or one for each function that a
 * glob matches, as a user writes it: "p:NAME FUNCTION ARGUMENT..."
 *
 * In setup.  Arguments are C, or what the kernel itself takes.  Returns 0, or
 * after a message -ENOTSUP for what this kernel cannot do, or another -errno.
 */
int tl_kprobe_add(struct tl_session *s, const char *definition,
		  const struct tl_kprobe_config *config);
/**
 * tl_kprobe_check - for a tool's check function: 0, or -ENOTSUP or another
 * -errno after a message
 */
int tl_kprobe_check(struct tl_session *s);
/**
 * tl_definition_is - whether @text begins like a definition: "p:", "r8:" ...
 */
bool tl_definition_is(const char *text);
/**
 * tl_definition_check - whether it can be read at all: 0, or -EINVAL after a
 * message on the wrong use
 */
int tl_definition_check(const char *text);

/* ---- calls of kernel functions ----------------------------------------- */

/** A call that has returned. */
struct tl_timed_call {
	const char *function;
	uint64_t start, end; /* ns */
	uint64_t duration;   /* ns, see struct tl_timed_calls_config */
	pid_t tid;
	unsigned int cpu;   /* where it returned */
	unsigned int depth; /* calls around it in its thread, of those traced */
	const struct tl_record *entry, *exit;
};

/** What to tell about calls. */
struct tl_timed_calls_config {
	char *const *patterns; /* "[MODULE:]FUNCTION", which may be a glob */
	unsigned int count;
	bool force;   /* also many functions */
	bool args;    /* with arguments */
	bool retval;  /* with what is returned */
	bool running; /* durations without the time off a processor */
	void (*done)(struct tl_session *s, const struct tl_timed_call *call);
};

/**
 * tl_timed_calls_check - for a tool's check function: 0, or -ENOTSUP or another
 * -errno after a message
 */
int tl_timed_calls_check(struct tl_session *s);
/**
 * tl_timed_calls_pattern - whether @text can be one: 0, or -EINVAL after
 * tl_usage()
 */
int tl_timed_calls_pattern(const char *text);
/**
 * tl_timed_calls_open - measure the calls that @config asks for, which is to live as
 * long
 *
 * In setup.  Calls that began before the run, or that records were lost in, are
 * not told of.  Returns 0, or after a message -ENOENT when a pattern matches no
 * function, -E2BIG for too many without @config->force, or another -errno.
 */
int tl_timed_calls_open(struct tl_session *s,
			const struct tl_timed_calls_config *config);
/**
 * tl_timed_calls_unfinished - in end(): calls that have taken @least ns and go on;
 * 0 where that is not certain
 */
uint64_t tl_timed_calls_unfinished(struct tl_session *s, uint64_t least);
/**
 * tl_timed_call_text - "vfs_read(count=1) = 1", as far as that was asked for; valid
 * until the next call
 */
struct tl_str tl_timed_call_text(struct tl_session *s,
				 const struct tl_timed_call *call);
/**
 * tl_put_timed_call - its arguments in column @args, and what it returned, if that
 * is a number, in column @retval, where known
 */
void tl_put_timed_call(struct tl_session *s, unsigned int args,
		       unsigned int retval, const struct tl_timed_call *call);

/**
 * tl_btf_check - for a tool's check function: whether the kernel's BTF can be
 * read: 0, or -ENOTSUP after a message
 */
int tl_btf_check(struct tl_session *s);
/**
 * tl_btf_offset - bytes from the start of struct @type to @member, from the
 * kernel's BTF; or -errno, without a message
 */
int tl_btf_offset(const char *type, const char *member);
/**
 * tl_btf_fetch - what a probe fetches for a member that is behind pointers
 * @from: a fetch argument that is a pointer, as "$arg1"
 * @path: structures and members on the way: "kiocb.ki_filp file.f_mapping"; of
 *	  "folio._nr_pages|_folio_nr_pages" the first that is there
 * @text: becomes "+24(+0($arg1))"
 *
 * Returns 0, or -ENOTSUP or another -errno after a message.
 */
int tl_btf_fetch(const char *from, const char *path, char *text, size_t size);
/**
 * tl_btf_enumerator - value of @name, which is not negative, in enum @type; or
 * -errno, without a message
 */
int tl_btf_enumerator(const char *type, const char *name);

/* ---- the kernel ------------------------------------------------------- */

/**
 * What a kernel may be able to do; each is looked for, not inferred from a
 * version.
 */
enum tl_feature {
	TL_FEATURE_RETURN_ARGS, /* $argN in a return probe: its README line */
	TL_FEATURE_BTF_ARGS, /* arguments by name, NAME->FIELD: its README line */
	TL_FEATURE_FPROBE,   /* "f:": its README line */
	TL_FEATURE_TPROBE,   /* "t:": its README line */
	TL_FEATURE_SYMBOL_TYPE, /* type "symbol" of a value: its README line */
};
bool tl_feature(struct tl_session *s, enum tl_feature feature);

/**
 * tl_function_exists - whether a kernel function can be probed; slow: for
 * --check only
 */
bool tl_function_exists(struct tl_session *s, const char *name);
/**
 * tl_function_list - call @fn for each function that can be traced, @module ""
 * for those of the kernel itself; stops when it returns other than 0, and
 * returns that
 */
int tl_function_list(struct tl_session *s,
		     int (*fn)(void *ctx, const char *name, const char *module),
		     void *ctx);
/**
 * tl_function_declare - prototype of function "[MODULE:]NAME"; free() it; NULL,
 * errno, after a message
 */
char *tl_function_declare(struct tl_session *s, const char *name);
/**
 * tl_type_declare - "struct NAME" or "NAME" with its members, or an enum;
 * free() it; NULL, errno, after a message
 */
char *tl_type_declare(const char *name);

/* ---- function tracers --------------------------------------------------- */

/** Functions of the kernel, as a user asks for them; all zeroes: none. */
struct tl_functions {
	unsigned int count;
	char **list; /* "vfs_*", "vfs_*:mod:xfs", ":mod:xfs" */
};

/**
 * tl_functions_add - take in names or globs, between blanks or commas
 * @what: what they are called, for the message
 *
 * Those of a module are "MODULE:FUNCTION", "FUNCTION:mod:MODULE", or
 * ":mod:MODULE" for all of it.  Returns 0, or -EINVAL after tl_usage();
 * tl_functions_free() also then.
 */
int tl_functions_add(struct tl_functions *f, const char *what,
		     const char *text);
void tl_functions_free(struct tl_functions *f);
/**
 * tl_functions_match - whether function @name is one of them; @module "" for
 * the kernel itself
 */
bool tl_functions_match(const struct tl_functions *f, const char *name,
			const char *module);

/**
 * tl_functions_filter - what function tracers of this session trace: @trace
 * without @except, which may be NULL
 *
 * In setup, before tl_tracer_set().  A name becomes a glob where only functions
 * with a compiler's suffix have it.  Returns 0, or -ENOENT when one of them is
 * no function that can be traced, or another -errno, after a message.
 */
int tl_functions_filter(struct tl_session *s, const struct tl_functions *trace,
			const struct tl_functions *except);
/**
 * tl_functions_count - how many functions that are, without @except, which may
 * be NULL; -errno after a message
 */
int tl_functions_count(struct tl_session *s, const struct tl_functions *except);

/**
 * tl_tracer_check - for a tool's check function: whether this kernel has
 * @tracer, traces functions, and says where they are: 0, or -ENOTSUP or another
 * -errno after a message
 */
int tl_tracer_check(struct tl_session *s, const char *tracer);
/**
 * tl_tracer_set - have @tracer run in the session's own instance
 *
 * In setup, behind tl_tracer_check(), and behind the filter, since without one
 * all functions are traced.  It heeds -p, -L, --follow and --cgroup.  Its
 * records are events of the system "ftrace", for tl_event_add(): "function" has
 * ip and parent_ip, which tl_symbol() knows.
 */
int tl_tracer_set(struct tl_session *s, const char *tracer);
/**
 * tl_tracer_leave_out_self - in setup: what this process calls is not even
 * recorded, which costs all others 17 instructions a call; for very many
 * functions
 */
int tl_tracer_leave_out_self(struct tl_session *s);

/* ---- entries of functions ----------------------------------------------- */

/*
 * Calls, by the function tracer, or by a probe on each function: these have
 * arguments, and stacks.  (options/func_stack_trace of the function tracer is
 * one switch for all instances, up to 6.12 at least.)
 */

/** A call of a function of the kernel. */
struct tl_entry {
	uint64_t function; /* an address in it, for tl_symbol() */
	uint64_t caller;   /* where it returns to; 0: not known */
};

/**
 * tl_entries_trace - have @handler called at each call of what
 * tl_functions_filter() was given
 */
int tl_entries_trace(struct tl_session *s, tl_handler *handler);
/**
 * tl_entries_probe - the same by probes, which heed -n too
 * @except: as tl_functions_filter() was given, which may be NULL
 * @args:   with arguments, where the kernel's BTF has them
 *
 * Functions that cannot be probed are left out, which is said, as is how many
 * have no arguments.  Returns how many are probed, or -errno after a message.
 */
int tl_entries_probe(struct tl_session *s, const struct tl_functions *except,
		     bool args, tl_handler *handler);
/** tl_entry_of - what @r is the call of */
struct tl_entry tl_entry_of(const struct tl_record *r);
/**
 * tl_put_entry_args - in column @col, of TL_FIELDS, the arguments, if they are
 * known; valid until the next record
 */
void tl_put_entry_args(struct tl_session *s, unsigned int col,
		       const struct tl_record *r);

/* ---- stacks ------------------------------------------------------------ */

/** Gets a record back with its stack; NULL: it has none. */
typedef void tl_stack_handler(struct tl_session *s, const struct tl_record *r,
			      const struct tl_record *stack, int tag);

/**
 * tl_stacks_user - before tl_stacks_open() and the events: stacks are those of
 * processes, not the kernel's; 0 or -ENOMEM
 */
int tl_stacks_user(struct tl_session *s);
/** tl_stacks_open - in setup: record the stack at each event */
int tl_stacks_open(struct tl_session *s, tl_stack_handler *handler);
/**
 * tl_stacks_check - for a tool's check function: 0, or -errno after a message
 */
int tl_stacks_check(struct tl_session *s);
/**
 * tl_stacks_hold - in an event's handler: give @r and @tag to the handler above
 * as soon as its stack is there
 */
void tl_stacks_hold(struct tl_session *s, const struct tl_record *r, int tag);
#define TL_STACK_MAX 128 /* frames that are kept of a stack */

/**
 * tl_stack_frames - addresses of @stack, from the innermost function outwards
 *
 * In the handler above only.  Those of the tracer itself are left out.  Returns
 * how many there are.
 */
size_t tl_stack_frames(struct tl_session *s, const struct tl_record *stack,
		       uint64_t frames[TL_STACK_MAX]);
/**
 * tl_put_stack - the functions of @stack in column @col of this row; of a
 * process's stack in the handler above only
 */
void tl_put_stack(struct tl_session *s, unsigned int col,
		  const struct tl_record *stack);

/* ---- any event, as it is ---------------------------------------------- */

/**
 * tl_show_columns - of a tool that shows events: the line of the kernel's trace
 * file in text, its parts and all fields in JSON and CSV
 */
extern const struct tl_column tl_show_columns[];
/** tl_show - the handler of such events */
void tl_show(struct tl_session *s, const struct tl_record *r);
/** tl_show_any - at the end: whether there has been one, or events were lost */
bool tl_show_any(struct tl_session *s);
/**
 * tl_show_open - get ready for it; in setup, behind the events
 * @head:   show the header lines of the kernel's trace file
 * @stacks: show the kernel's stack at each event
 */
int tl_show_open(struct tl_session *s, bool head, bool stacks);

/** How a tool with columns of its own shows events. */
struct tl_show_config {
	unsigned int line;  /* column of the line of the kernel's trace file */
	unsigned int stack; /* column of a stack */
	/* Fills the other columns, which are for JSON and CSV. */
	void (*put)(struct tl_session *s, const struct tl_record *r);
	bool head;   /* show the header lines of the kernel's trace file */
	bool stacks; /* show the kernel's stack at each event */
};

/**
 * tl_show_open_as - as tl_show_open(), with columns of the tool's own; @config
 * is copied
 */
int tl_show_open_as(struct tl_session *s, const struct tl_show_config *config);

/**
 * tl_show_filter - set the kernel's filter of @ev: @filter, unless it is NULL,
 * and -n
 */
int tl_show_filter(struct tl_session *s, struct tl_event *ev,
		   const char *filter);
/**
 * tl_show_format - print the format of @ev, under the name that its user knows;
 * 0, or -errno after a message
 */
int tl_show_format(struct tl_session *s, const struct tl_event *ev);

/**
 * What a value is called, NULL when it has no name; lives as long as the
 * session.
 */
typedef const char *tl_value_namer(const void *ctx, int64_t value);

/**
 * tl_event_name_values - in setup: show a number of a probe's by name; -ENOENT
 * when there is no @field
 */
int tl_event_name_values(struct tl_session *s, struct tl_event *ev,
			 const char *field, tl_value_namer *namer,
			 const void *ctx);

/**
 * tl_event_list - call @fn for each event that can be enabled, sorted; stops
 * when it returns other than 0, and returns that
 */
int tl_event_list(struct tl_session *s,
		  int (*fn)(void *ctx, const char *system, const char *name),
		  void *ctx);
/**
 * tl_event_matches - whether @pattern, a glob for "system:name" or for a whole
 * system, means it
 */
bool tl_event_matches(const char *pattern, const char *system,
		      const char *name);
/** Which events a user asks for. */
struct tl_event_patterns {
	char *const *list; /* as for tl_event_matches() */
	unsigned int count;
	/* but not these, whose system a glob for the whole name may match too;
	 * NULL: none */
	const char *exclude;
};
/**
 * tl_event_each - call @fn once for each event that is asked for, sorted by
 * pattern; stops when it returns other than 0, and returns that
 *
 * -ENOENT, after a message, when no event matches a pattern; those that are
 * excluded match as well.
 */
int tl_event_each(struct tl_session *s, const struct tl_event_patterns *p,
		  int (*fn)(void *ctx, const char *system, const char *name),
		  void *ctx);
/** tl_event_exists - whether this kernel has event @system:@name */
bool tl_event_exists(struct tl_session *s, const char *system,
		     const char *name);
/**
 * tl_event_format - the text of an event's format file; free() it; NULL, errno
 */
char *tl_event_format(struct tl_session *s, const char *system,
		      const char *name);

/* ---- pairing ---------------------------------------------------------- */

/**
 * struct tl_pairs - what the start of an action leaves for its end
 *
 * A bounded map: when it is full the oldest entry goes, because its end was
 * lost or never comes.  Clear it when records were lost: a start must never
 * meet the end of another action.
 */
struct tl_pairs;

/**
 * tl_pairs_new - entries of @size bytes, at most @max; @drop, or NULL, is
 * called for each that goes
 */
struct tl_pairs *tl_pairs_new(size_t size, unsigned int max,
			      void (*drop)(void *entry));
void tl_pairs_free(struct tl_pairs *p);
/**
 * tl_pairs_put - an entry of zeroes for @key, in place of an older one; NULL
 * without memory
 */
void *tl_pairs_put(struct tl_pairs *p, int64_t key);
/** tl_pairs_add - the same, beside older ones of this key; not zeroed */
void *tl_pairs_add(struct tl_pairs *p, int64_t key);
/** tl_pairs_get - the oldest entry of @key, or NULL */
void *tl_pairs_get(struct tl_pairs *p, int64_t key);
/** tl_pairs_next - the next newer entry of the same key, or NULL */
void *tl_pairs_next(void *entry);
/** tl_pairs_evicted - entries that went because it was full */
uint64_t tl_pairs_evicted(const struct tl_pairs *p);
/** tl_pairs_oldest - the oldest entry of all, or NULL */
void *tl_pairs_oldest(struct tl_pairs *p);
/** tl_pairs_newer - the next newer entry of any key, or NULL */
void *tl_pairs_newer(void *entry);
/** tl_pairs_move - give @entry another key; its age stays */
void tl_pairs_move(struct tl_pairs *p, void *entry, int64_t key);
/** tl_pairs_remove - @entry goes */
void tl_pairs_remove(struct tl_pairs *p, void *entry);
/** tl_pairs_drop - the oldest entry of @key, if there is one, goes */
void tl_pairs_drop(struct tl_pairs *p, int64_t key);
void tl_pairs_clear(struct tl_pairs *p);

/* ---- counting --------------------------------------------------------- */

/**
 * struct tl_hist - how many values lie between points
 *
 * Of N points, bucket 0 counts values below the first, bucket I those from
 * point I-1 on that are below point I, bucket N those from the last one on.
 */
struct tl_hist;

/**
 * tl_hist_new - @points rise and live as long as the histogram; NULL without
 * memory
 */
struct tl_hist *tl_hist_new(const int64_t *points, unsigned int count);
void tl_hist_free(struct tl_hist *h);
/** tl_hist_clear - back to zero */
void tl_hist_clear(struct tl_hist *h);
/** tl_hist_add - @value was seen @times more */
void tl_hist_add(struct tl_hist *h, int64_t value, uint64_t times);
/** tl_hist_count - of bucket @bucket */
uint64_t tl_hist_count(const struct tl_hist *h, unsigned int bucket);
/**
 * tl_hist_used - one more than the number of the last bucket that is not empty;
 * 0 when all are
 */
unsigned int tl_hist_used(const struct tl_hist *h);

#define TL_HIST_BAR 38
/**
 * tl_hist_bar - as many "#" as @bucket has of the largest one's TL_HIST_BAR;
 * one at least unless it is empty
 */
const char *tl_hist_bar(const struct tl_hist *h, unsigned int bucket);

/**
 * tl_hist_points - points from a list like "1 8 64"
 * @what: its name, for the message
 *
 * Numbers are separated by blanks or commas, may be negative and must rise.
 * Returns 0 or -EINVAL after tl_usage(); free() @points.
 */
int tl_hist_points(const char *what, const char *text, int64_t **points,
		   unsigned int *count);

/**
 * tl_hist_powers - points 0, 1, and the powers of @power (2 or more) up to
 * @max; -ENOMEM; free() @points
 */
int tl_hist_powers(unsigned int power, uint64_t max, int64_t **points,
		   unsigned int *count);

/**
 * struct tl_spread - values of which percentiles are asked for
 *
 * Those are right to within 0.8 %, and not too small; the largest is exact.
 */
struct tl_spread;

struct tl_spread *tl_spread_new(void);
void tl_spread_free(struct tl_spread *d);
void tl_spread_clear(struct tl_spread *d);
void tl_spread_add(struct tl_spread *d, uint64_t value);
/** tl_spread_count - values added */
uint64_t tl_spread_count(const struct tl_spread *d);
/**
 * tl_spread_at - what @percent of the values are not above; 100: the largest; 0
 * when there are none
 */
uint64_t tl_spread_at(const struct tl_spread *d, double percent);

/**
 * struct tl_tally - how often each of some numbers came: functions by address
 */
struct tl_tally;

/** tl_tally_new - an empty one; NULL without memory */
struct tl_tally *tl_tally_new(void);
/** tl_tally_free - @t may be NULL */
void tl_tally_free(struct tl_tally *t);
/** tl_tally_clear - back to nothing */
void tl_tally_clear(struct tl_tally *t);
/** tl_tally_add - @key came @times more */
void tl_tally_add(struct tl_tally *t, uint64_t key, uint64_t times);
/** tl_tally_count - how often @key came */
uint64_t tl_tally_count(const struct tl_tally *t, uint64_t key);
/** tl_tally_refused - how many times could not be added, for want of memory */
uint64_t tl_tally_refused(const struct tl_tally *t);
/** tl_tally_each - call @fn for each that came, in no order */
void tl_tally_each(const struct tl_tally *t,
		   void (*fn)(void *ctx, uint64_t key, uint64_t count),
		   void *ctx);
/**
 * tl_event_tally - add field @name, a long, of each record of @ev to @t
 *
 * In setup; in place of a handler, and in half of its time.  The session's
 * records of different processors, those of other events too, come in no order
 * then, unless some threads are asked for.
 */
int tl_event_tally(struct tl_session *s, struct tl_event *ev, const char *name,
		   struct tl_tally *t);

/**
 * struct tl_table - values of a tool's own, by a key: a name, who, a connection
 *
 * A key is any bytes: of a text, or of a struct, whose bytes between members
 * are to be zero.
 */
struct tl_table;

/** TL_KEY - struct @key, or anything else that is not a pointer, as a key */
#define TL_KEY(key) ((struct tl_str){ (const char *)&(key), sizeof(key) })

/** A key and its value; both are aligned for any type. */
struct tl_table_entry {
	struct tl_str key;
	void *value;
};

/**
 * tl_table_new - of values of @size bytes; @drop, or NULL, is called for each
 * that goes; NULL without memory
 */
struct tl_table *tl_table_new(size_t size, void (*drop)(void *value));
/** tl_table_free - @t may be NULL */
void tl_table_free(struct tl_table *t);
/**
 * tl_table_limit - there are to be at most @max; any user can make processes and
 * names, so most tables need a limit
 */
void tl_table_limit(struct tl_table *t, size_t max);
/**
 * tl_table_others - have one more entry, of key @key, for all keys that find no
 * place
 *
 * Once, before any other use of @t.  Returns 0 or -ENOMEM.
 */
int tl_table_others(struct tl_table *t, struct tl_str key);
/**
 * tl_table_at - the value of @key, which is copied; zeroed when it is new
 *
 * Its address stays until it goes.  Where it finds no place, or no memory, that
 * of tl_table_others(), else NULL.
 */
void *tl_table_at(struct tl_table *t, struct tl_str key);
/**
 * tl_table_refused - how often tl_table_at() found no place, since the table was
 * cleared
 */
uint64_t tl_table_refused(const struct tl_table *t);
/**
 * tl_table_each - call @fn for all, in the order of their keys, and for the
 * others, if something found no place
 */
void tl_table_each(struct tl_table *t,
		   void (*fn)(void *ctx, struct tl_str key, void *value),
		   void *ctx);
/** tl_table_clear - back to nothing: all values go, and it has its place again */
void tl_table_clear(struct tl_table *t);

/** How a table is shown. */
struct tl_table_view {
	/**
	 * As of qsort(): below 0 where @a comes first; NULL: by key.  What it
	 * finds equal comes by key.
	 */
	int (*order)(const struct tl_table_entry *a,
		     const struct tl_table_entry *b);
	unsigned int first, last; /* no more than so many of these; 0: all */
	/** Writes a row; @ns as of tl_table_show() */
	void (*put)(struct tl_session *s, const struct tl_table_entry *e,
		    uint64_t ns);
};

/**
 * tl_table_show - sort @t, have its rows written, those of the others too, and
 * clear it for the next interval
 * @ns: the end of this one, for the rows
 *
 * A row of the others counts among the first or last ones.  Returns 0, or
 * -ENOMEM after a message; @t is empty then, too.
 */
int tl_table_show(struct tl_session *s, struct tl_table *t,
		  const struct tl_table_view *view, uint64_t ns);

/** What is counted apart for each; the words of an option in this order. */
enum tl_by {
	TL_BY_NAME,
	TL_BY_PID, /* process, with the name it has now */
	TL_BY_NOTHING,
	TL_BY_BOTH, /* process and name of the thread */
};

/** Who something belongs to: as a key, or the start of a value. */
struct tl_who {
	pid_t pid;     /* process; 0: by name, or not known */
	char comm[16]; /* "[others]" for what found no place; "" by nothing */
};

/** tl_who_of - who the record being handled, of thread @tid, belongs to */
struct tl_who tl_who_of(struct tl_session *s, pid_t tid, enum tl_by by);

/**
 * tl_table_by - a table by who: of values that begin with a struct tl_who
 *
 * For tl_table_of(), which fills that in.  More than @max are "[others]"
 * together.  NULL without memory.
 */
struct tl_table *tl_table_by(enum tl_by by, size_t size, size_t max,
			     void (*drop)(void *value));
/**
 * tl_table_of - the value of who thread @tid belongs to, in a table of
 * tl_table_by(): never NULL, and quick for the same thread again
 */
void *tl_table_of(struct tl_session *s, struct tl_table *t, pid_t tid);
/**
 * tl_table_forget - who a thread belongs to may have changed: in the tool's
 * task() and lost(), which it needs to have
 */
void tl_table_forget(struct tl_table *t);

/** struct tl_tallies - a tally for each who */
struct tl_tallies;

/**
 * tl_tallies_new - by who, for at most @max and "[others]"; NULL without memory
 */
struct tl_tallies *tl_tallies_new(enum tl_by by, size_t max);
/** tl_tallies_free - @t may be NULL */
void tl_tallies_free(struct tl_tallies *t);
/**
 * tl_tallies_of - the tally of who thread @tid belongs to, never NULL; by nothing
 * it is always the same one
 */
struct tl_tally *tl_tallies_of(struct tl_session *s, struct tl_tallies *t,
			       pid_t tid);
/** tl_tallies_forget - as tl_table_forget() */
void tl_tallies_forget(struct tl_tallies *t);
/**
 * tl_tallies_each - call @fn for each number of each who, in no order; returns
 * whether that is all, and memory was not short
 */
bool tl_tallies_each(struct tl_tallies *t,
		     void (*fn)(void *ctx, const struct tl_who *who,
				uint64_t key, uint64_t count),
		     void *ctx);
/** tl_tallies_clear - back to nothing: what @fn was given goes */
void tl_tallies_clear(struct tl_tallies *t);

/** struct tl_hists - histograms of the same points, by a key */
struct tl_hists;

/**
 * How they are shown: in text a table for each, in JSON and CSV a row for each
 * bucket, with columns "from", "to", "count", and "time" if there is one.
 */
struct tl_hists_config {
	const int64_t *points; /* these live as long as the histograms */
	unsigned int count;    /* of them */
	int64_t unit;          /* that text counts in */
	const char *unit_name; /* "us" */
	const char *counted;   /* what is: "I/O", "calls" */
	const char *what;      /* in front of a key; NULL: keys are not shown */
	const char *key;       /* of a key's column; NULL: it has none */
	bool inclusive; /* text has the last value of a bucket, not its end */
	int decimals;   /* of inclusive ones */
	bool positive;  /* no value is below 0 */
	bool used_only; /* up to the last bucket that is not empty */
	bool always;    /* an empty one, where there is none */
};

/** tl_hists_new - @config is kept, not copied; NULL without memory */
struct tl_hists *tl_hists_new(const struct tl_hists_config *config);
/** tl_hists_free - @h may be NULL */
void tl_hists_free(struct tl_hists *h);
/** tl_hists_of - that of @key, made when it is new; NULL without memory */
struct tl_hist *tl_hists_of(struct tl_hists *h, struct tl_str key);
/** tl_hists_add - @value was seen once more with @key */
void tl_hists_add(struct tl_hists *h, struct tl_str key, int64_t value);
/**
 * tl_hists_show - all that are not empty, by key; they are empty then
 * @ns:      the end of the interval
 * @heading: a line above them in text; NULL: none
 */
void tl_hists_show(struct tl_session *s, struct tl_hists *h, uint64_t ns,
		   const char *heading);

/* ---- counting in the kernel -------------------------------------------- */

#define TL_TRIGGER_KEYS   3 /* as many as a hist trigger can have */
#define TL_TRIGGER_VALUES 3

/** What the kernel has counted for one set of keys. */
struct tl_trigger_entry {
	/* as the kernel writes them; a negative number, of whatever size, as
	 * the unsigned one of 64 bits that has the same bits */
	struct tl_str keys[TL_TRIGGER_KEYS];
	unsigned int count; /* of keys */
	uint64_t hits;      /* records, since the trigger is there */
	uint64_t value[TL_TRIGGER_VALUES]; /* sums, of those in "vals=" */
	unsigned int values;
};

typedef int tl_trigger_fn(void *ctx, const struct tl_trigger_entry *entry);

struct tl_trigger;

/**
 * tl_trigger_hist - have the kernel count @ev instead of recording it
 * @spec:   "keys=ret", "keys=id,common_pid:vals=count", "keys=__probe_ip.sym"
 * @size:   how many different sets of keys there may be, at most 131072; what
 *          has others is not counted, which is reported at the end of the run
 * @filter: what is counted, all if it is empty
 * @advice: what the user can do about a full table, for the report; lives long
 *
 * In setup, once for an event.  Does not count the tool itself, but in a PID
 * namespace, where the tool has another id than the kernel knows it by.  Heeds
 * neither -n nor, exactly, -p.  Returns NULL and sets errno; ENOTSUP, after a
 * message, when this kernel has no hist triggers.
 */
struct tl_trigger *tl_trigger_hist(struct tl_session *s, struct tl_event *ev,
				   const char *spec, unsigned int size,
				   const char *filter, const char *advice);

/**
 * tl_trigger_check - for a tool's check function: 0, or -ENOTSUP after a
 * message
 */
int tl_trigger_check(struct tl_session *s);

/**
 * tl_trigger_read - call @fn for all that was counted until now
 *
 * Counts never go down: what an interval had is the difference of two calls.
 * Stops when @fn returns other than 0, and returns that.  The last call's
 * figures are those for the report of what was not counted.
 */
int tl_trigger_read(struct tl_trigger *t, tl_trigger_fn *fn, void *ctx);

/**
 * tl_trigger_since - call @fn for each number that was counted since the last
 * time, with how often
 * @seen: what had been counted by then, which becomes what is counted now; empty
 *	  at first.  Triggers that may count the same have one together.
 *
 * For a single key that is a number.  Returns 0, or -errno after a message.
 */
int tl_trigger_since(struct tl_trigger *t, struct tl_tally *seen,
		     void (*fn)(void *ctx, uint64_t key, uint64_t hits),
		     void *ctx);

/* ---- how often functions are called ------------------------------------- */

/** Which calls of functions of the kernel to count, and how. */
struct tl_function_counts_config {
	const struct tl_functions *functions, *except; /* all zeroes: none */
	bool in_kernel;         /* by hist triggers: no buffer can overflow */
	bool often;             /* the counts are shown while the run goes on */
	struct tl_tally *tally; /* gets them, by the functions' addresses */
	/* or, not in the kernel: called for each call, whose function's address
	 * is in field @ip */
	tl_handler *handler;
	struct tl_field *ip;
};

/**
 * tl_function_counts_open - count calls as @config says, which is to live as long
 *
 * In setup.  Returns how many functions that are, 0 where @except leaves none
 * and nothing is counted, or -errno after a message.
 */
int tl_function_counts_open(struct tl_session *s,
			    const struct tl_function_counts_config *config);
/**
 * tl_function_counts_read - add what the kernel itself has counted since the
 * last time; 0, or -errno after a message
 */
int tl_function_counts_read(struct tl_session *s);
/**
 * tl_function_counts_check - for a tool's check function: whether the kernel can
 * count; 0, or -ENOTSUP after a message
 */
int tl_function_counts_check(struct tl_session *s);

/* ---- heat maps --------------------------------------------------------- */

/** struct tl_heatmap - latency against time, how many as a colour */
struct tl_heatmap;

/**
 * tl_heatmap_open - in setup
 * @path: of an SVG file, which is created now and written at the end; "-" for
 *        a line of text per interval, coloured on a terminal
 * @by:   heading of a column with keys, for a line of each; NULL: there is none
 *
 * NULL after a message.
 */
struct tl_heatmap *tl_heatmap_open(struct tl_session *s, const char *path,
				   const char *by);
/**
 * tl_heatmap_add - something of @key ended at @ns (CLOCK_MONOTONIC) and took
 * @latency ns; without a heading keys are empty
 */
void tl_heatmap_add(struct tl_heatmap *m, struct tl_str key, uint64_t ns,
		    uint64_t latency);
/**
 * tl_heatmap_line - where lines are asked for, write those of the interval that
 * ended at @ns; returns whether they are
 */
bool tl_heatmap_line(struct tl_session *s, struct tl_heatmap *m, uint64_t ns);
/**
 * tl_heatmap_end - write the file, and free @m
 * @detail: what it was restricted to; "": nothing
 *
 * Above the picture stand @title and, smaller, how many I/O it is of, @detail,
 * host, kernel, date, losses and command, which are also its attributes data-*.
 */
int tl_heatmap_end(struct tl_session *s, struct tl_heatmap *m,
		   const char *title, const char *detail);

/* ---- flame graphs ------------------------------------------------------ */

/** struct tl_flame - stacks, and the time spent in each, added up */
struct tl_flame;

/**
 * tl_flame_open - in setup
 * @path: of an SVG file, which is created now and written at the end; NULL:
 *        none, for tl_flame_folded() alone
 *
 * Takes 50 MiB at most, enough for 200,000 different stacks of a kernel: a frame
 * that finds no place becomes "[...]", with all that it called.  So does what is
 * deeper than 511 frames.  NULL after a message.
 */
struct tl_flame *tl_flame_open(struct tl_session *s, const char *path);

/**
 * tl_flame_add - add time to a stack
 * @frames: names, the outermost first, which are copied; "[?]" for an empty one
 * @self:   ns in the last of them, without what it called
 *
 * Fastest when a stack begins like the last one.  Returns 0 or -ENOMEM, without
 * a message.
 */
int tl_flame_add(struct tl_flame *f, const struct tl_str *frames,
		 unsigned int depth, uint64_t self);

/**
 * tl_flame_folded - write lines "outer;inner;innermost NS", in text output
 *
 * In the order of the frames' names.  NS is the time in the last frame itself:
 * a stack with none has no line.  It stands behind the line's last blank, as
 * names can have some; a semicolon in one is "\x3b", and more is escaped as
 * in rows, unless --raw.  Returns 0, or -ENOMEM after a message.
 */
int tl_flame_folded(struct tl_session *s, struct tl_flame *f);

/**
 * tl_flame_end - write the file, if there is one, and free @f
 * @count: how many @unit ("calls") the picture is of
 *
 * Above it stands the same as with tl_heatmap_end().
 */
int tl_flame_end(struct tl_session *s, struct tl_flame *f, const char *title,
		 uint64_t count, const char *unit);

/* ---- graphs of calls --------------------------------------------------- */

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

/** What the lines of a graph show. */
enum tl_graph_text {
	TL_GRAPH_TIME = 1 << 0,
	TL_GRAPH_TASK = 1 << 1,
	TL_GRAPH_NO_DURATION = 1 << 2,
	TL_GRAPH_TAIL = 1 << 3, /* the function's name at its end */
};

/**
 * tl_graph_header - the header of the kernel's trace file; in setup; @flags:
 * enum tl_graph_text
 */
void tl_graph_header(struct tl_session *s, unsigned int flags);
/** tl_graph_print - @g as the kernel's trace file has it, in text output */
void tl_graph_print(struct tl_session *s, const struct tl_graph *g,
		    unsigned int flags);
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
 * tl_put_calls - in column @col, of TL_ARGV, the calls that the first one made,
 * an object each with those that it made; valid until the config's done()
 * returns
 */
void tl_put_calls(struct tl_session *s, unsigned int col,
		  const struct tl_graph *g);
/**
 * tl_put_args - in column @col, of TL_FIELDS, the arguments of @c; valid until
 * the next call
 */
void tl_put_args(struct tl_session *s, unsigned int col,
		 const struct tl_graph *g, const struct tl_call *c);

/* ---- block I/O -------------------------------------------------------- */

/** A block I/O. */
struct tl_io {
	uint64_t start;  /* ns: when it was queued where that was asked for,
			  * else issued to its driver, the last time */
	uint64_t issued; /* ns; 0: never (an empty flush that was queued) */
	uint64_t end;    /* ns */
	uint64_t sector; /* of 512 bytes, on the disk */
	uint32_t bytes;
	uint32_t
		dev; /* of the disk, as the kernel has it: major << 20 | minor */
	int error;   /* errno, 0: none */
	unsigned int requeues; /* times that it was issued again */
	pid_t pid;             /* thread that began it */
	pid_t process;         /* and its process, if comm was asked for; 0 */
	char comm[16];         /* its name then, if it was asked for */
	char type[12];         /* "R", "WS", "FF", ... as blktrace has them */
};

/** What to tell about block I/O, and by which events. */
struct tl_io_config {
	const char *device; /* "8,0", "sda", "sda1", a path; NULL: all */
	const char *type;   /* a glob for the type; NULL: all */
	bool queued;        /* measure from queueing */
	bool bio;           /* bios, from submission on, instead of requests */
	bool comm;
	/**
	 * Called at the issue of each, once: all but the end is known; or NULL.
	 */
	void (*issued)(struct tl_session *s, const struct tl_io *io);
	/** Called at the end of each; or NULL. */
	void (*done)(struct tl_session *s, const struct tl_io *io);
};

/**
 * tl_io_open - trace block I/O as @config says, which is to live as long
 *
 * Applies -p, -L, --cgroup and -n to the thread that begins an I/O: the tool
 * says TL_FILTERS_TASKS.  In setup; one of issued() and done() is
 * set.  Without a disk @config->device: -ENODEV after a message.
 */
int tl_io_open(struct tl_session *s, const struct tl_io_config *config);
/**
 * tl_io_others - how many I/O were of others, when none was of who is asked
 * for; else 0
 */
uint64_t tl_io_others(const struct tl_session *s);
/**
 * tl_io_check - whether this kernel has the events for that; 0, or -ENOTSUP
 * after a message
 */
int tl_io_check(struct tl_session *s, const struct tl_io_config *config);

/**
 * tl_disk_name - "sda"; "8,0" for one that is not there any more; valid until
 * the next call
 */
const char *tl_disk_name(struct tl_session *s, uint32_t dev);

#define TL_DEV_MAJOR(dev) ((dev) >> 20)
#define TL_DEV_MINOR(dev) ((dev)&0xfffff)

/* ---- sockets ----------------------------------------------------------- */

/**
 * Both ends of a connection; as a key it is all of what tells one from others.
 */
struct tl_ends {
	uint8_t laddr[16], raddr[16]; /* as for tl_inet_text() */
	uint16_t lport, rport;
};

/** Where an event has the ends of its connection. */
struct tl_socket_fields {
	struct tl_field lport, rport, laddr6, raddr6;
	struct tl_field family, laddr, raddr; /* is_raw: as in the socket */
	bool is_raw;
};

/**
 * tl_socket_of_event - find them in a tracepoint of TCP; 0, or -errno after a
 * message
 */
int tl_socket_of_event(struct tl_session *s, const struct tl_event *ev,
		       struct tl_socket_fields *f);
/**
 * tl_socket_fetch - what a probe is to fetch of a socket
 * @sock: where its address is: "$arg1"
 *
 * The fields are named as those of tracepoints: skaddr, state and the ends.
 * Returns 0, or -errno after a message.
 */
int tl_socket_fetch(const char *sock, char *args, size_t size);
/**
 * tl_socket_of_probe - find the ends in such a probe; 0, or -errno after a
 * message
 */
int tl_socket_of_probe(struct tl_session *s, const struct tl_event *ev,
		       struct tl_socket_fields *f);
/** tl_socket_ends - those of a record */
struct tl_ends tl_socket_ends(const struct tl_record *r,
			      const struct tl_socket_fields *f);
/** Which connections a user wants; all zeroes: all of them. */
struct tl_ends_filter {
	struct tl_ports port, lport, rport;   /* @port is of either end */
	struct tl_network addr, laddr, raddr; /* and so is @addr */
};
/** tl_ends_match - whether connection @e is wanted */
bool tl_ends_match(const struct tl_ends_filter *wanted,
		   const struct tl_ends *e);
/**
 * tl_filter_ends - add the conditions of @wanted that the kernel can check: on
 * the fields sport and dport of a tracepoint
 */
void tl_filter_ends(struct tl_filter *f, const struct tl_ends_filter *wanted);
/**
 * tl_put_end - fill column @col with one end of the row's connection, and the
 * two columns behind it with its address and its port; for two ends of a row
 */
void tl_put_end(struct tl_session *s, unsigned int col, const uint8_t addr[16],
		unsigned int port);

/** tl_tcp_state - "ESTABLISHED"; NULL for what is none */
const char *tl_tcp_state(int64_t state);

/* ---- sources ------------------------------------------------------------ */

/*
 * What a tool records can be a table: tracepoints and probes, with what they
 * fetch.  Set-up, --check and what is said of a kernel that lacks one of them all
 * come from it, so that they agree.
 */

/** A value that the records of a source have; a table ends with no name. */
struct tl_source_field {
	const char *name;       /* of the field */
	struct tl_field *field; /* becomes where it is; NULL: filters name it */
	/* a probe fetches it: */
	const char *from; /* a fetch argument: "$arg1", "+0($arg2)" */
	const char *path; /* what is behind that, as for tl_btf_fetch(); NULL */
	const char *type; /* "s32"; NULL: the kernel's unsigned long */
	/* "tsk->cred->uid": instead of @from and @path, which are needed too,
	 * on kernels that have TL_FEATURE_BTF_ARGS; or NULL */
	const char *by_name;
	bool *found; /* becomes whether there is one; NULL: it is needed */
	const bool *given; /* only where this is true; NULL: always */
};

/** TL_SOURCE_FIELDS - a table of fields in its place: each one in braces */
#define TL_SOURCE_FIELDS(...) \
	((const struct tl_source_field[]){ __VA_ARGS__, { 0 } })

enum tl_source_flags {
	TL_SOURCE_OPTIONAL = 1 << 0, /* the tool can do without it */
	/* only where the kernel lacks the source before it; of such alternatives
	 * the last one's TL_SOURCE_OPTIONAL, limit and missing count for all */
	TL_SOURCE_ELSE = 1 << 1,
};

/** A tracepoint or a probe; a table of them ends with no place. */
struct tl_source {
	/* tracepoint "system:name"; or the function to probe, of "new|old" the
	 * first that is there */
	const char *place;
	tl_handler *handler;
	const struct tl_source_field *fields; /* NULL: none */
	/* of a probe, as for tl_probe_add(); NULL: "p", and the function */
	const char *type, *name;
	/*
	 * Becomes where the ends of a connection are: of a probe that of struct
	 * sock $arg1, which has the fields of tl_socket_fetch(); NULL: nowhere
	 */
	struct tl_socket_fields *socket;
	const char *filter; /* condition in the kernel; NULL: none */
	/** Adds conditions; may be NULL. */
	void (*add_filter)(struct tl_session *s, const struct tl_event *ev,
			   struct tl_filter *f);
	struct tl_event *
		*added;     /* becomes the event, not by --check; or NULL */
	bool *found;        /* becomes whether this source is used; or NULL */
	unsigned int flags; /* enum tl_source_flags */
	/* what an optional one is for: "DIRTIES", a limit of the tool for
	 * --check where the kernel lacks it; NULL: nothing that is told */
	const char *limit;
	const char *missing; /* sentence; NULL: that the kernel lacks it */
};

/**
 * tl_sources_add - add all sources of @table
 *
 * In setup; or in check, where nothing is defined and it is only looked whether
 * all is there.  Returns 0, or after a message -ENOTSUP for what this kernel
 * lacks, or another -errno.
 */
int tl_sources_add(struct tl_session *s, const struct tl_source *table);

/* ---- tasks ------------------------------------------------------------ */

/**
 * tl_task_comm - the name of thread @pid at the time of the record being
 * handled; "<...>" when unknown
 */
struct tl_str tl_task_comm(struct tl_session *s, pid_t pid);

/**
 * tl_task_matches - whether the options of TL_FILTERS_TASKS, and -n, ask for thread
 * @pid; never for the tool itself
 */
bool tl_task_matches(struct tl_session *s, pid_t pid);

/** tl_tasks_filtered - whether not all threads are asked for */
bool tl_tasks_filtered(const struct tl_session *s);

/** tl_task_process - process that thread @pid belongs to, 0 when unknown */
pid_t tl_task_process(struct tl_session *s, pid_t pid);

/**
 * tl_put_task - fill columns with the name of @thread, its process, and its id
 *
 * Where the process is not known its column stays empty; that of thread 0, which
 * is idle, is 0.
 */
void tl_put_task(struct tl_session *s, pid_t thread, unsigned int comm,
		 unsigned int pid, unsigned int tid);

/**
 * tl_task_parent - process that began the process of thread @pid, 0 when
 * unknown
 */
pid_t tl_task_parent(struct tl_session *s, pid_t pid);

/* ---- a command -------------------------------------------------------- */

/**
 * tl_command - run a command and trace only it, and its children
 * @argv: as a program has it, a NULL at its end
 * @user: to run it as; NULL: who called the tool, behind sudo too
 *
 * In args, of a tool with TL_COMMAND.  The command has nothing of the tool's:
 * neither its privileges, nor its signals, nor its descriptors.  The run ends
 * with it, and has its exit status unless the tool itself fails.  Not together
 * with -p, -L, --cgroup and -d.  Returns 0, or -EINVAL after tl_usage().
 */
int tl_command(struct tl_session *s, char **argv, const char *user);
/** tl_command_text - its words, for a banner; NULL without one */
const char *tl_command_text(const struct tl_session *s);
/**
 * tl_command_pid - its process, in setup; it has not executed the command yet;
 * 0 without one
 */
pid_t tl_command_pid(const struct tl_session *s);
/** tl_command_user - the user it runs as, NULL if that is the tool's own */
const char *tl_command_user(const struct tl_session *s);

/* ---- system calls ------------------------------------------------------ */

#define TL_SYSCALLS 512 /* numbers are below; x32 programs set bit 30 too */

/**
 * tl_syscalls_open - know names of system calls, and which programs are 32-bit;
 * in setup
 */
int tl_syscalls_open(struct tl_session *s);
/**
 * tl_syscall_is_compat - whether thread @pid, which returns from call @nr now,
 * is one of a 32-bit program on a 64-bit kernel
 *
 * To be asked at the first return after the tool's task() was called for it.
 * When that is the return of an exec, @nr becomes the number that execve has
 * for the new program.
 */
bool tl_syscall_is_compat(struct tl_session *s, pid_t pid, int64_t *nr);
/**
 * tl_syscall_names - the names alone: enough for the two below; -ELIBACC after
 * a message
 */
int tl_syscall_names(void);
/**
 * tl_syscall_name - "read"; "syscall_1000" when it has no name; @compat: as
 * 32-bit programs count; free() it
 */
char *tl_syscall_name(bool compat, int64_t nr);
/** tl_syscall_number - -1 when there is none of this name */
int tl_syscall_number(bool compat, const char *name);
/**
 * tl_syscall_ends - have @exit and @exit_group called for these two calls,
 * which never return
 *
 * In setup.  Where the kernel has no functions for them, that is said.
 */
int tl_syscall_ends(struct tl_session *s, tl_handler *exit,
		    tl_handler *exit_group);
/**
 * tl_syscall_compat - an event at each call of a 32-bit program, with its
 * number as "nr"; NULL, errno; ENOENT after a message: none here
 */
struct tl_event *tl_syscall_compat(struct tl_session *s);
/** tl_syscall_suggest - print names that are near one that does not exist */
void tl_syscall_suggest(const char *name);

/** Which system calls: all, unless some are given. */
struct tl_syscall_set {
	bool given;
	bool has[2][TL_SYSCALLS]; /* those of 32-bit programs second */
};
/**
 * tl_syscall_set_parse - add those of a list of names to @set
 * @what: what has the list, for the message
 *
 * They are as tl_syscall_name() has them, or as tracepoints do.  Returns 0, or
 * -errno after tl_usage() or another message.
 */
int tl_syscall_set_parse(struct tl_syscall_set *set, const char *what,
			 const char *text);
/** tl_syscall_set_has - @compat: call @nr is that of a 32-bit program */
bool tl_syscall_set_has(const struct tl_syscall_set *set, bool compat,
			int64_t nr);

/** Which system calls to count, and what of them. */
struct tl_syscall_counts_config {
	enum tl_by by;                     /* apart for each */
	const struct tl_syscall_set *only; /* not NULL */
	bool errors, times;
	bool in_kernel; /* by nothing, all calls, and only how many: no buffer
			 * can overflow */
	/* the process that is ours until it executes a command, whose calls are
	 * not counted until then: tl_command_pid, or NULL */
	pid_t (*command)(const struct tl_session *s);
};

/** How calls went. */
struct tl_syscall_sum {
	uint64_t count, errors;
	uint64_t time, timed; /* ns in so many of them */
};

/**
 * tl_syscall_counts_open - count calls as @config says, which is to live as long
 *
 * In setup; the tool has the next two as its task() and lost().  Returns 0, or
 * -errno after a message.
 */
int tl_syscall_counts_open(struct tl_session *s,
			   const struct tl_syscall_counts_config *config);
void tl_syscall_counts_task(struct tl_session *s, pid_t pid);
void tl_syscall_counts_lost(struct tl_session *s, unsigned int cpu);
/**
 * tl_syscall_counts_take - call @fn for all that were made since the last time,
 * until it returns other than 0
 *
 * A name may come twice: once for the programs of each word size.  Returns what
 * @fn does, or -errno when it could not be read.
 */
int tl_syscall_counts_take(struct tl_session *s,
			   int (*fn)(struct tl_session *s,
				     const struct tl_who *who, bool compat,
				     int64_t nr,
				     const struct tl_syscall_sum *sum));
/**
 * tl_syscall_counts_check - for a tool's check function: 0, or -errno after a
 * message
 */
int tl_syscall_counts_check(struct tl_session *s);

/* ---- symbols ---------------------------------------------------------- */

/**
 * tl_symbols_open - in setup: for the two below; stacks and function tracers do
 * it themselves; 0, or -errno, after a message when the kernel gives no
 * addresses
 */
int tl_symbols_open(struct tl_session *s);
/**
 * tl_symbols_load - read them now: it takes so long that a buffer can overflow
 */
int tl_symbols_load(struct tl_session *s);
/**
 * tl_symbol - function at kernel address @addr, and how far into it; NULL when
 * unknown
 */
const char *tl_symbol(struct tl_session *s, uint64_t addr, uint64_t *offset);
/**
 * tl_symbol_module - the module that it is of, "" for the kernel itself; NULL
 * when unknown
 */
const char *tl_symbol_module(struct tl_session *s, uint64_t addr);

/** tl_errno_name - "ENOENT" for 2; NULL when it has none */
const char *tl_errno_name(int err);

/**
 * tl_signal_name - "SIGTERM", "SIGRTMIN+2", and "SIG32" for those that libc
 * keeps for itself; the number when there is no such signal; valid until the
 * next call
 */
const char *tl_signal_name(int sig);
/**
 * tl_signal_code - the si_code that came with @sig: "SI_USER", "SEGV_MAPERR";
 * the number when it has no name; valid until the next call
 */
const char *tl_signal_code(int sig, int code);

/* ---- what is left in tracefs ------------------------------------------ */

enum tl_whose {
	TL_WHOSE_OTHERS, /* or nobody's: the kernel does not say */
	TL_WHOSE_ALIVE,  /* of a tracelet that runs */
	TL_WHOSE_DEAD,   /* of a tracelet that has ended */
};

/** Something in tracefs that is not as at boot. */
struct tl_leftover {
	const char *kind; /* "setting", "trigger", "instance", "kprobe" ... */
	char *name;
	char *state; /* what it is set to, in short; NULL: not known */
	char *owner; /* who has it, for people; NULL: not known */
	pid_t pid;   /* that is; 0: not known */
	enum tl_whose whose;
	char *file;    /* that shows it: in tracefs, or an absolute path */
	bool changed;  /* false: it is as at boot, but perf-tools reset it */
	bool original; /* perf-tools reset it too */
	int act;       /* how it is reset: the library's; 0: not at all */
	char *text;
};

/**
 * tl_leftover_find - all that there is, in the order to reset it in
 *
 * For query() of a TL_NO_EVENTS tool: it takes no instance, and changes
 * nothing.  Free it by tl_leftover_free().  Returns 0, 1 after a message when some
 * files could not be read and the list is of the others, or -errno after a
 * message.
 */
int tl_leftover_find(struct tl_session *s, struct tl_leftover **list,
		     size_t *count);
void tl_leftover_free(struct tl_leftover *list, size_t count);

/**
 * tl_leftover_reset - put it back to what it is at boot, or remove it
 *
 * -EBUSY: somebody still uses it.  What is TL_WHOSE_DEAD is left alone if it
 * lives after all.  Returns 0 or -errno, without a message.
 */
int tl_leftover_reset(struct tl_session *s, const struct tl_leftover *left);
/**
 * tl_leftover_end - ask the tracelets in @list that run to end, and wait for them,
 * 3 s in all; how many were asked, or -errno without a message
 */
int tl_leftover_end(struct tl_session *s, const struct tl_leftover *list,
		    size_t count);
/** tl_leftover_explain - why it could not be reset, in words */
const char *tl_leftover_explain(int err);
/**
 * tl_leftover_text - the text of its file, for people; NULL when it has none;
 * free() it
 */
char *tl_leftover_text(struct tl_session *s, const struct tl_leftover *left);

/* ---- arguments of exec() ------------------------------------------------ */

/* What is known of them without the process, in bytes. */
#define TL_EXEC_ARGS_MAX 32768

/** What an exec() put on the stack of the new program; begins as all zeroes. */
struct tl_exec_args {
	int argc;       /* how many arguments; 0: not known */
	uint64_t start; /* where they are in the process */
	size_t size;    /* of all, each with its NUL */
	uint32_t parts; /* which of them have come */
	bool whole;     /* all have been read from the process */
	char *text;
};

struct tl_exec_probe;

/**
 * tl_exec_args_add - record the arguments of every exec() that succeeds
 * @handler: called for each record: one for up to 256 bytes of arguments, more
 *	     for what is up to 512 and to 2,048, then one for each 2,560, all
 *	     before sched_process_exec
 *
 * TL_EXEC_ARGS_MAX bytes at most.  Of more than 256 bytes all but the first record
 * may be missing when another processor executes a program at the same time.
 *
 * Programs of any word size, gone or not.  Returns NULL and sets errno after
 * a message.
 */
struct tl_exec_probe *tl_exec_args_add(struct tl_session *s,
				       tl_handler *handler);
/**
 * tl_exec_args_check - for a tool's check function: whether this kernel can: 0,
 * or -ENOTSUP after a message
 */
int tl_exec_args_check(struct tl_session *s);
/**
 * tl_exec_args_take - add what @r has to @a; the first record of an exec()
 * begins anew
 */
void tl_exec_args_take(const struct tl_exec_probe *p, struct tl_exec_args *a,
		       const struct tl_record *r);
/**
 * tl_exec_args_text - what is known from the first argument on, each with its
 * NUL; fewer than @size bytes if something is missing, perhaps within an
 * argument
 */
struct tl_str tl_exec_args_text(const struct tl_exec_args *a);
/**
 * tl_exec_args_read - read what is missing behind the known text from process
 * @pid: more than TL_EXEC_ARGS_MAX, or a record that did not come
 *
 * Only if it still has as many arguments with as many bytes, which begin with all
 * that is known, and something is; never with -r.  Returns whether @a has all of
 * them now.
 */
bool tl_exec_args_read(struct tl_exec_args *a, pid_t pid);
void tl_exec_args_free(struct tl_exec_args *a);

/* ---- programs and libraries -------------------------------------------- */

/*
 * Of files that any user may have made: they are read, never run.  An offset
 * is one in the file, as a uprobe takes it; for an address in a process it is
 * address - start of its mapping + offset of that.
 */
struct tl_object;

/**
 * tl_object_open - read the ELF file @path
 *
 * Its symbols, and those of its separate debug file, are read when a function
 * asks.  Returns NULL and sets errno after saying what is wrong; ENOTSUP when
 * libelf is missing.
 */
struct tl_object *tl_object_open(const char *path);
void tl_object_close(struct tl_object *o);
/** tl_object_path - as it was opened */
const char *tl_object_path(const struct tl_object *o);

/**
 * tl_object_symbol - where function @name begins
 * @name: as the file has it, "name@VERSION", or as C++ writes it, with or
 *	  without parameters
 *
 * Returns 0, or -ENOENT after saying why not: names that are near, a stripped
 * file, several functions of that name, or an indirect function, which is
 * chosen only when the program starts.
 */
int tl_object_symbol(struct tl_object *o, const char *name, uint64_t *offset);
/**
 * tl_object_check - for a tool's check function: whether programs can be read:
 * 0, or -ENOTSUP after a message
 */
int tl_object_check(struct tl_session *s);
/**
 * tl_object_check_offset - whether a probe can be at @offset
 *
 * Where a breakpoint would overwrite data the program is damaged.  Sections say
 * what is code, segments only without any; a variable among the code is none.
 * Returns 0, or -EINVAL after saying what is there instead.
 */
int tl_object_check_offset(struct tl_object *o, uint64_t offset);
/**
 * tl_object_offset - where the byte is that the file says to load at @address,
 * as objdump(1) shows it; false: in none of its segments
 */
bool tl_object_offset(struct tl_object *o, uint64_t address, uint64_t *offset);
/**
 * tl_object_function - function that has @offset in it, and how far in; NULL
 * when unknown
 */
const char *tl_object_function(struct tl_object *o, uint64_t offset,
			       uint64_t *into);
/**
 * tl_object_functions - call @fn for each that tl_object_symbol() finds by this
 * name, sorted, until it returns other than 0, which is returned
 */
int tl_object_functions(struct tl_object *o,
			int (*fn)(void *ctx, const char *name, uint64_t offset),
			void *ctx);
/**
 * tl_object_indirect - the same for each indirect function, which has no
 * offset: it is chosen when a program starts
 */
int tl_object_indirect(struct tl_object *o,
		       int (*fn)(void *ctx, const char *name, uint64_t offset),
		       void *ctx);
/**
 * tl_demangle - "ns::f(int)" for "_ZN2ns1fEi"; free() it; NULL when it is no
 * C++ name, or libstdc++ is missing
 */
char *tl_demangle(const char *name);

/** A static probe (USDT), at one of its places. */
struct tl_usdt {
	const char *provider, *name;
	uint64_t offset;
	uint64_t semaphore;   /* where its counter is; 0: it has none */
	bool unreachable;     /* it has one, but not in the file */
	const char *args;     /* as in the file: "-4@%edi 8@-8(%rbp)" */
	unsigned int machine; /* ELF's number */
};

/**
 * tl_object_usdts - call @fn for each place of each, sorted, until it returns
 * other than 0, which is returned
 */
int tl_object_usdts(struct tl_object *o,
		    int (*fn)(void *ctx, const struct tl_usdt *u), void *ctx);

/** An argument of a static probe, for a probe's definition. */
struct tl_usdt_arg {
	char place[48]; /* fetches the value: "%di", "-8(%bp)", "\5" */
	char type[8];   /* "s32" */
};

/**
 * tl_usdt_arg - argument @n, from 1 on, of @u
 *
 * Returns 0, -ENOENT when it has not so many, or -ENOTSUP when a probe cannot
 * fetch it; without a message.
 */
int tl_usdt_arg(const struct tl_usdt *u, unsigned int n,
		struct tl_usdt_arg *arg);
/**
 * tl_usdt_fetch - all that can be fetched, "arg1=%di:s32 arg3=\5:u8"; returns
 * how many cannot, or -ENAMETOOLONG
 */
int tl_usdt_fetch(const struct tl_usdt *u, char *text, size_t size);

/**
 * tl_locate - the file of @target
 * @target: a path, the name of a program in $PATH, or of a library as the
 *	    loader finds it: "libc.so.6", "libc", "c"; NULL: @pid's program
 * @pid:    look in this process's mappings first, and then where it would; 0
 *
 * The path can be opened from here also when the process sees other file
 * systems; free() it.  Returns NULL and sets errno after a message.
 */
char *tl_locate(const char *target, pid_t pid);
/**
 * tl_locate_asked - the same, of the first one of those that -p or -L asks for;
 * warns of the next one that has another file
 */
char *tl_locate_asked(const struct tl_session *s, const char *target);

/**
 * tl_uprobe_add - define a probe in a program or library for this session and
 * add its event
 * @type:      "p"; "r" for the return of the function that begins at @offset
 * @name:      of the event, within the session's own group
 * @o:         the file; lives as long as the session
 * @semaphore: what the kernel adds 1 to while the probe is enabled; 0: nothing
 * @args:      fetch arguments as the kernel takes them, may be empty
 *
 * Returns NULL and sets errno after a message.
 */
struct tl_event *tl_uprobe_add(struct tl_session *s, const char *type,
			       const char *name, struct tl_object *o,
			       uint64_t offset, uint64_t semaphore,
			       const char *args, tl_handler *handler);

/**
 * tl_uprobe_again - of a capture (-r), all that was added there, in its order:
 * 0, or -errno after a message
 */
int tl_uprobe_again(struct tl_session *s,
		    const struct tl_kprobe_config *config);
/** Functions of a program, as a user asks for them. */
struct tl_user_functions {
	const char *program; /* for tl_locate_asked() */
	char *const
		*patterns; /* names, or globs for them; C++ ones in any way */
	unsigned int count;
	const char *exclude; /* but not these, a glob; NULL: none */
	bool force;          /* also more than 200: that takes seconds */
};
/**
 * tl_uprobe_functions - have @handler called at each call of @f, or of those that
 * a capture (-r) was made of
 *
 * In setup.  Their events have the functions' names as tl_event_title(), those of
 * C++ as that writes them.  Returns how many there are, 0 where @f->exclude leaves
 * none, or after a message -ENOENT when a pattern matches none, -E2BIG for too
 * many without @f->force, or another -errno.
 */
int tl_uprobe_functions(struct tl_session *s, const struct tl_user_functions *f,
			tl_handler *handler);

/**
 * tl_uprobe_check - whether this kernel has such probes, and programs can be
 * read: 0, or -ENOTSUP after a message
 */
int tl_uprobe_check(struct tl_session *s);

/** A probe as a user writes it. */
struct tl_udef {
	char type;          /* 'p', 'r', or 'u' for a static probe */
	const char *name;   /* NULL: none was given */
	const char *target; /* for tl_locate(); may be empty */
	const char *symbol; /* function, or PROVIDER:NAME; NULL: none */
	uint64_t offset;    /* from the function on, or in the file */
	const char *args;   /* fetch arguments, may be empty */
	char *text;         /* where these are */
};

/** tl_udef_is_one - whether @text begins as a definition, unlike a filter */
bool tl_udef_is_one(const char *text);
/**
 * tl_udef_parse - "p:[NAME ]FILE:FUNCTION[+0xOFF] ARGS", "r:FILE:0xOFF",
 * "u:FILE:PROVIDER:NAME"; 0, or -EINVAL after tl_usage()
 */
int tl_udef_parse(struct tl_udef *d, const char *text);
void tl_udef_free(struct tl_udef *d);
/**
 * tl_udef_matches - whether @d, of type 'u', means @u; its names can be globs,
 * and that of the provider missing
 */
bool tl_udef_matches(const struct tl_udef *d, const struct tl_usdt *u);
/**
 * tl_udef_fetch - the fetch arguments of @d as the kernel takes them
 * @o: the file
 * @u: a static probe, NULL: a function
 *
 * $argN becomes the place where this machine's calling convention, or the
 * static probe, has it; a type of text is what such a pointer, or that in a
 * register, points to.  Without any all of a static probe's are fetched.
 * Returns text to free(), or NULL and errno after a message.
 */
char *tl_udef_fetch(const struct tl_udef *d, const struct tl_object *o,
		    const struct tl_usdt *u);

/* ---- the session ------------------------------------------------------ */

/** What the common options ask for. */
struct tl_settings {
	bool json, csv, raw, strict, follow, check;
	unsigned int time; /* enum tl_time */
	bool time_given; /* --time was, for a tool with a default of its own */
	uint64_t duration; /* ns, 0: until a signal */
	uint64_t buffer;   /* bytes per processor, 0: the default */
	struct tl_pids pid, tid;
	const char *cgroup;
	struct tl_regex name;
	const char *output;       /* file for what is shown; NULL: stdout */
	const char *write, *read; /* captures; NULL: none */
	uint64_t max_size;        /* bytes of one; 0: no maximum */
	unsigned int rotate;      /* so many are kept; 0: one */
	uint64_t last;            /* ns: that much is written; 0: all */
	const char *trigger;      /* when that is so; NULL: at the end */
};

enum tl_time { TL_TIME_CLOCK, TL_TIME_RELATIVE, TL_TIME_WALL, TL_TIME_ISO };
/** tl_time_width - of its text, where that is always the same, else 0 */
unsigned int tl_time_width(enum tl_time time);

const struct tl_settings *tl_settings(const struct tl_session *s);

/**
 * tl_banner - the line that says what is traced, in text output
 *
 * "Tracing WHAT" is followed by " for N seconds (buffered)..." or by
 * ". Ctrl-C to end.".  tl_banner_who() gives the part that the common filters
 * ask for.
 */
void tl_banner(struct tl_session *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/**
 * tl_banner_top - the same at once, without "(buffered)", for a tool that shows
 * only the @top most of something; 0: all
 */
void tl_banner_top(struct tl_session *s, unsigned int top, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/**
 * tl_is_capture - whether the file @path was written by -w, of any tool; false
 * with -r, since a capture must not name files to open
 */
bool tl_is_capture(const struct tl_session *s, const char *path);
/**
 * tl_banner_who - " issued by PID 1", " issued by process name \"x\"", ... or
 * ""
 */
void tl_banner_who(const struct tl_session *s, char *text, size_t size);
/** tl_banner_for - the same, but " for PID 1" and " for TID 1" */
void tl_banner_for(const struct tl_session *s, char *text, size_t size);

/**
 * tl_set_duration - end after the seconds in @text, as with --duration
 * @what: what the argument is called, for the message
 *
 * For a tool that takes them as an argument.  Returns 0 or -EINVAL after
 * tl_usage().
 */
int tl_set_duration(struct tl_session *s, const char *what, const char *text);

/**
 * tl_interval - call @fn every @interval ns, or with INT64_MAX at the end only
 * @count: end after so many times; 0: with the run
 * @fn:    called when all records up to @ns (CLOCK_MONOTONIC) have been
 *         handled, and none later; also for the part of an interval that the
 *         end of the run cuts short
 *
 * In setup.
 */
void tl_interval(struct tl_session *s, uint64_t interval, unsigned int count,
		 void (*fn)(struct tl_session *s, uint64_t ns));

/**
 * tl_top_begin - begin a table that is shown again each interval, in text: with
 * the time, the system's load, and the header
 * @ns:    the end of the interval
 * @clear: clear the screen, where text goes to a terminal; else, and with -r, an
 *         empty line is in front
 *
 * For a tool that is quiet.
 */
void tl_top_begin(struct tl_session *s, uint64_t ns, bool clear);
/** tl_print_date - a line with the date and time of now, as date(1) has it */
void tl_print_date(struct tl_session *s);
/** tl_clock - the wall clock's "HH:MM:SS" at @ns */
void tl_clock(struct tl_session *s, uint64_t ns, char text[9]);

/**
 * tl_system - call @fn for each thing that a report on this system begins with,
 * @value NULL where it is not known
 */
void tl_system(struct tl_session *s,
	       void (*fn)(struct tl_session *s, const char *name,
			  const char *value));

/**
 * tl_proc_bytes - bytes that lines "NAME:  N kB" of a file of /proc, as meminfo,
 * have now
 * @names: of @count lines
 * @bytes: becomes what they have; -1 without such a line, and always with -r
 */
void tl_proc_bytes(const char *path, const char *const names[], int64_t bytes[],
		   size_t count);

/**
 * tl_path_resolve - the absolute path of @name, which process @pid has given
 * @dfd: the directory that a relative name counts from, or AT_FDCWD
 *
 * Returns @name where that cannot be known: with -r, of a process that has
 * ended, or is not ours to see without CAP_SYS_PTRACE.  Valid until the next
 * call.
 */
struct tl_str tl_path_resolve(pid_t pid, int dfd, struct tl_str name);

/** tl_keep_capability - keep CAP_@cap while tracing; call it in setup */
void tl_keep_capability(struct tl_session *s, int cap);

/**
 * tl_write_file - write @text to @path, which is below the session's instance
 */
int tl_write_file(struct tl_session *s, const char *path, const char *text);

/** tl_fail - print "TOOL: MESSAGE" on stderr and return -@err */
int tl_fail(int err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/** tl_warn - print "TOOL: MESSAGE" on stderr */
void tl_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/**
 * tl_usage - the same, with "try TOOL -h"; returns -EINVAL, which ends the tool
 * with TL_EXIT_USAGE
 */
int tl_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* ---- a tool ----------------------------------------------------------- */

/** What a tool does its own way. */
enum tl_without {
	TL_FILTERS_NAMES = 1 << 0, /* -n is matched by the tool */
	/* so are -p, -L and --cgroup: all records are given to it, and
	 * tl_task_matches() tells */
	TL_FILTERS_TASKS = 1 << 1,
	TL_COMMAND = 1 << 2, /* arguments are a command with its options */
	/* query() does all, rows too: the common options for events are left
	 * out */
	TL_NO_EVENTS = 1 << 3,
	TL_NO_TRACEFS = 1 << 4,  /* nor does it need tracefs */
	TL_ROWS_AT_END = 1 << 5, /* and none before */
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
	unsigned int without; /* enum tl_without */
	unsigned int
		buffer_kb; /* default of --buffer; 0: the kernel's, 1.4 MB */
	bool quiet;        /* no header line in text unless tl_header() */
	const char *pid;   /* long form of the common -p, where -p is something
			  * else here; NULL: "pid" */

	/**
	 * Takes the arguments behind the options, after @operands; looks at
	 * options that depend on each other.  NULL: there are no others.
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
	 * Called when records were lost on @cpu: what was paired is void; may
	 * be NULL.
	 */
	void (*lost)(struct tl_session *s, unsigned int cpu);
	/**
	 * Called when thread @pid has begun, has another name, or has ended;
	 * may be NULL.
	 */
	void (*task)(struct tl_session *s, pid_t pid);
	/**
	 * Called after the last record: 0, or -errno after a message; may be
	 * NULL.
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

/** tl_main - run @tool; use TL_MAIN() */
int tl_main(const struct tl_tool *tool, int argc, char **argv);

#define TL_MAIN(tool)                                \
	int main(int argc, char **argv)              \
	{                                            \
		return tl_main(&(tool), argc, argv); \
	}

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif
