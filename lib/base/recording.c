// SPDX-License-Identifier: GPL-2.0-or-later
/* recording.c - the system's files and answers as this run sees them */
#include "base/recording.h"

#include <errno.h>
#include <limits.h>
#include <search.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define NO_TEXT UINT64_MAX
/* as in the kernel */
#define ERROR_MAX 4095

struct kept {
	int err; /* instead of a text; 0 without one: it is there */
	char *text;
	size_t len;
	char key[];
};

/* What an entry is in a capture; key and text follow. */
struct saved {
	uint32_t key_len;
	int32_t err;
	uint64_t len; /* or NO_TEXT */
};

void tl_recording_keep(struct tl_recording *r, bool keep)
{
	r->keeps = keep;
}

bool tl_recording_is_on(const struct tl_recording *r)
{
	return r && r->keeps;
}

bool tl_recording_replays(const struct tl_recording *r)
{
	return r && r->replays;
}

static void free_entry(void *entry)
{
	free(((struct kept *)entry)->text);
	free(entry);
}

void tl_recording_free(struct tl_recording *r)
{
	tdestroy(r->entries, free_entry);
	*r = (struct tl_recording){ 0 };
}

/* ---- entries ---------------------------------------------------------- */

/* A key to look for is the string alone. */
static int by_key(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	return strcmp(x->key, y->key);
}

static struct kept *make(const char *key, size_t len)
{
	struct kept *e = calloc(1, sizeof(*e) + len + 1);

	if (e)
		memcpy(e->key, key, len);
	return e;
}

static struct kept *find(const struct tl_recording *r, const char *key)
{
	struct kept *wanted = r ? make(key, strlen(key)) : NULL, **found;

	found = wanted ? tfind(wanted, &r->entries, by_key) : NULL;
	free(wanted);
	return found ? *found : NULL;
}

static struct kept *find_or_add(struct tl_recording *r, const char *key,
				size_t len)
{
	struct kept *e = r ? make(key, len) : NULL, **at;

	at = e ? tsearch(e, &r->entries, by_key) : NULL;
	if (!at || *at != e)
		free(e);
	return at ? *at : NULL;
}

static int set(struct kept *e, const char *text, size_t len, int err)
{
	free(e->text);
	e->text = text ? malloc(len + 1) : NULL;
	e->len = e->text ? len : 0;
	e->err = err;
	if (!text)
		return 0;
	if (!e->text)
		return -ENOMEM;
	memcpy(e->text, text, len);
	e->text[len] = '\0';
	return 0;
}

void tl_recording_note(struct tl_recording *r, const char *key,
		       const char *text, size_t len, int err)
{
	struct kept *e = find_or_add(r, key, strlen(key));

	if (e)
		set(e, text, len, err);
}

void tl_recording_notef(struct tl_recording *r, const char *key,
			const char *fmt, ...)
{
	struct tl_buf b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	tl_buf_vprintf(&b, fmt, ap);
	va_end(ap);
	tl_recording_note(r, key, b.data, b.len, 0);
	tl_buf_free(&b);
}

const char *tl_recording_text(const struct tl_recording *r, const char *key,
			      size_t *len)
{
	const struct kept *e = find(r, key);

	if (len)
		*len = e ? e->len : 0;
	errno = !e || !e->err ? ENOENT : e->err;
	return e ? e->text : NULL;
}

uint64_t tl_recording_number(const struct tl_recording *r, const char *key)
{
	const char *text = tl_recording_text(r, key, NULL);

	return text ? strtoull(text, NULL, 10) : 0;
}

/* ---- in a capture ----------------------------------------------------- */

struct each {
	const char *prefix;
	int (*fn)(void *ctx, const char *key, const char *text, size_t len);
	void *ctx;
	int ret;
};

static void visit(const void *node, VISIT which, void *closure)
{
	const struct kept *e = *(struct kept *const *)node;
	struct each *each = closure;

	if ((which == postorder || which == leaf) && !each->ret &&
	    !strncmp(e->key, each->prefix, strlen(each->prefix)))
		each->ret = each->fn(each->ctx, e->key, e->text, e->len);
}

int tl_recording_each(const struct tl_recording *r, const char *prefix,
		      int (*fn)(void *ctx, const char *key, const char *text,
				size_t len),
		      void *ctx)
{
	struct each each = { .prefix = prefix, .fn = fn, .ctx = ctx };

	if (r)
		twalk_r(r->entries, visit, &each);
	return each.ret;
}

static void save_one(struct tl_buf *b, const char *key, const char *text,
		     size_t len, int err)
{
	struct saved saved = {
		.key_len = (uint32_t)strlen(key),
		.err = err,
		.len = text ? len : NO_TEXT,
	};

	tl_buf_add(b, (const char *)&saved, sizeof(saved));
	tl_buf_add(b, key, saved.key_len);
	if (text)
		tl_buf_add(b, text, len);
}

void tl_recording_save_text(struct tl_buf *b, const char *key, const char *text,
			    size_t len)
{
	save_one(b, key, text, len, 0);
}

static void save(const void *node, VISIT which, void *closure)
{
	const struct kept *e = *(struct kept *const *)node;

	if (which == postorder || which == leaf)
		save_one(closure, e->key, e->text, e->len, e->err);
}

void tl_recording_save(const struct tl_recording *r, struct tl_buf *b)
{
	if (r)
		twalk_r(r->entries, save, b);
}

static int load(struct tl_recording *r, const char **at, const char *end)
{
	struct saved saved;
	struct kept *e;
	size_t left = (size_t)(end - *at), len;
	const char *key;

	if (left < sizeof(saved))
		return -EBADMSG;
	memcpy(&saved, *at, sizeof(saved));
	left -= sizeof(saved);
	key = *at + sizeof(saved);
	if (saved.key_len > left || saved.err < 0 || saved.err > ERROR_MAX)
		return -EBADMSG;
	left -= saved.key_len;
	len = saved.len == NO_TEXT ? 0 : saved.len;
	if (len > left || memchr(key, '\0', saved.key_len))
		return -EBADMSG;
	*at = key + saved.key_len + len;
	e = find_or_add(r, key, saved.key_len);
	if (!e)
		return -ENOMEM;
	return set(e, saved.len == NO_TEXT ? NULL : key + saved.key_len, len,
		   saved.err);
}

int tl_recording_load(struct tl_recording *r, const char *data, size_t len)
{
	const char *at = data, *end = data + len;
	int ret = 0;

	r->replays = true;
	while (!ret && at < end)
		ret = load(r, &at, end);
	return ret;
}

/* ---- answers ---------------------------------------------------------- */

static long answer(struct tl_recording *r, const char *key, long number)
{
	const char *text;

	if (r->replays) {
		text = tl_recording_text(r, key, NULL);
		return text ? strtol(text, NULL, 10) : 0;
	}
	if (r->keeps && number)
		tl_recording_notef(r, key, "%ld", number);
	return number;
}

static long answer_to(struct tl_recording *r, long number, const char *fmt,
		      va_list ap)
{
	struct tl_buf b = { 0 };

	if (!tl_recording_is_on(r) && !tl_recording_replays(r))
		return number;
	tl_buf_str(&b, "answer ");
	tl_buf_vprintf(&b, fmt, ap);
	tl_buf_char(&b, '\0');
	if (!b.failed)
		number = answer(r, b.data, number);
	tl_buf_free(&b);
	return number;
}

long tl_recording_answer(struct tl_recording *r, long number, const char *fmt,
			 ...)
{
	va_list ap;

	va_start(ap, fmt);
	number = answer_to(r, number, fmt, ap);
	va_end(ap);
	return number;
}

int tl_recording_result(struct tl_recording *r, int err, const char *fmt, ...)
{
	va_list ap;
	long n;

	va_start(ap, fmt);
	n = answer_to(r, err, fmt, ap);
	va_end(ap);
	return n > 0 || n < -ERROR_MAX ? -EBADMSG : (int)n;
}

/* ---- files ------------------------------------------------------------ */

/* "@root/README", "/proc/kallsyms" */
static const char *file_key(char key[PATH_MAX], const char *dir,
			    const char *path)
{
	snprintf(key, PATH_MAX, "%s/%s", dir, path + (*path == '/'));
	return key;
}

void tl_recording_note_file(struct tl_recording *r, const char *dir,
			    const char *path, const char *text, size_t len,
			    int err)
{
	char key[PATH_MAX];

	if (tl_recording_is_on(r))
		tl_recording_note(r, file_key(key, dir, path), text, len, err);
}

const char *tl_recording_file(const struct tl_recording *r, const char *dir,
			      const char *path, size_t *len)
{
	char key[PATH_MAX];

	return tl_recording_text(r, file_key(key, dir, path), len);
}

bool tl_recording_has_file(const struct tl_recording *r, const char *dir,
			   const char *path)
{
	char key[PATH_MAX];
	const struct kept *e;

	/* a directory without a recording has no name */
	if (!r)
		return false;
	e = find(r, file_key(key, dir, path));
	return e && !e->err;
}

int tl_recording_wrote(struct tl_recording *r, const char *dir,
		       const char *path, const char *text, int err)
{
	return tl_recording_result(r, err, "%s/%s %s", dir, path, text);
}
