// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracedat.c - the head of a trace.dat, version 6, as trace-cmd.dat.v6(5) has
 * it
 */
#include "capture/tracedat.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/recording.h"

#define EVENTS  "@instance/events/"
#define FTRACE  EVENTS "ftrace/"
#define FORMAT  "/format"
#define OPTIONS "options  "
#define RECORDS "flyrecord"

/* numbers of options, in trace-cmd's own header */
enum { OPTION_END = 0, OPTION_CLOCK = 4, OPTION_UNAME = 5 };

static void put32(struct tl_buf *b, uint32_t n)
{
	tl_buf_add(b, (const char *)&n, sizeof(n));
}

static void put64(struct tl_buf *b, uint64_t n)
{
	tl_buf_add(b, (const char *)&n, sizeof(n));
}

/* With the NUL at its end. */
static void put_word(struct tl_buf *b, const char *word)
{
	tl_buf_add(b, word, strlen(word) + 1);
}

static void put_text(struct tl_buf *b, const char *text, size_t len)
{
	put64(b, len);
	tl_buf_add(b, text, len);
}

static void put_file(struct tl_buf *b, const struct tl_recording *r,
		     const char *name, const char *key)
{
	size_t len;
	const char *text = tl_recording_text(r, key, &len);

	put_word(b, name);
	put_text(b, text, len);
}

/* ---- formats ---------------------------------------------------------- */

struct formats {
	struct tl_buf *b;
	size_t system; /* where the number of systems is */
	size_t events; /* where the number of this one's events is */
	char name[256];
};

static void count(struct tl_buf *b, size_t at)
{
	uint32_t n;

	if (b->failed)
		return;
	memcpy(&n, b->data + at, sizeof(n));
	n++;
	memcpy(b->data + at, &n, sizeof(n));
}

/* "SYSTEM/EVENT/format", or not one */
static bool is_format(const char *path, size_t *system)
{
	size_t len = strlen(path);

	*system = strcspn(path, "/");
	return len > strlen(FORMAT) &&
	       !strcmp(path + len - strlen(FORMAT), FORMAT) &&
	       *system < len - strlen(FORMAT);
}

static int put_ftrace(void *ctx, const char *key, const char *text, size_t len)
{
	struct formats *f = ctx;
	size_t system;

	if (!text || !is_format(key + strlen(EVENTS), &system))
		return 0;
	count(f->b, f->events);
	put_text(f->b, text, len);
	return 0;
}

/* The formats come by system. */
static int put_format(void *ctx, const char *key, const char *text, size_t len)
{
	struct formats *f = ctx;
	const char *path = key + strlen(EVENTS);
	size_t system;

	if (!text || !is_format(path, &system) ||
	    !strncmp(key, FTRACE, strlen(FTRACE)) || system >= sizeof(f->name))
		return 0;
	if (strncmp(f->name, path, system) || f->name[system]) {
		snprintf(f->name, sizeof(f->name), "%.*s", (int)system, path);
		count(f->b, f->system);
		put_word(f->b, f->name);
		f->events = f->b->len;
		put32(f->b, 0);
	}
	count(f->b, f->events);
	put_text(f->b, text, len);
	return 0;
}

static void put_formats(struct tl_buf *b, const struct tl_recording *r)
{
	struct formats f = { .b = b, .events = b->len };

	put32(b, 0);
	tl_recording_each(r, FTRACE, put_ftrace, &f);
	f.system = b->len;
	put32(b, 0);
	tl_recording_each(r, EVENTS, put_format, &f);
}

/* ---- the rest --------------------------------------------------------- */

static void put_option(struct tl_buf *b, uint16_t option, const char *text)
{
	if (!text)
		return;
	tl_buf_add(b, (const char *)&option, sizeof(option));
	put32(b, (uint32_t)strlen(text) + 1);
	put_word(b, text);
}

static void put_options(struct tl_buf *b, const struct tl_recording *r)
{
	const uint16_t end = OPTION_END;

	put_word(b, OPTIONS);
	put_option(b, OPTION_CLOCK, "[mono]");
	put_option(b, OPTION_UNAME, tl_recording_text(r, "kernel", NULL));
	tl_buf_add(b, (const char *)&end, sizeof(end));
}

/* "PID COMM", a line each, as in saved_cmdlines */
static void put_names(struct tl_buf *b, const struct tl_recording *r)
{
	const char *text = tl_recording_text(r, "names", NULL);

	put_text(b, text, text ? strlen(text) : 0);
}

size_t tl_tracedat_head(struct tl_buf *b, const struct tl_recording *r,
			unsigned int page, unsigned int cpus,
			const struct tl_buf *symbols)
{
	const uint16_t order = 1;
	size_t table;

	tl_buf_add(b, "\x17\x08\x44tracing", 10);
	put_word(b, "6");
	/* 0: the first byte of a number is its lowest */
	tl_buf_char(b, *(const char *)&order == 1 ? 0 : 1);
	tl_buf_char(b, sizeof(long));
	put32(b, page);
	put_file(b, r, "header_page", EVENTS "header_page");
	put_file(b, r, "header_event", EVENTS "header_event");
	put_formats(b, r);
	put32(b, (uint32_t)symbols->len);
	tl_buf_add(b, symbols->data, symbols->len);
	put32(b, 0); /* formats of trace_printk() */
	put_names(b, r);
	put32(b, cpus);
	put_options(b, r);
	put_word(b, RECORDS);
	table = b->len;
	for (; cpus; cpus--) {
		put64(b, 0);
		put64(b, 0);
	}
	return table;
}

void tl_tracedat_place(char *table, unsigned int cpu, uint64_t offset,
		       uint64_t size)
{
	const uint64_t place[] = { offset, size };

	memcpy(table + cpu * sizeof(place), place, sizeof(place));
}
