/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flame.c - flame graphs: stacks and times added up, and their folded text */
#include "picture/flame.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/session.h"
#include "out/out.h"
#include "picture/origin.h"
#include "picture/svg.h"
#include "tracelet/message.h"
#include "tracelet/text.h"

#define MAX_BYTES     (32u << 20)
#define FIRST_BUCKETS 1024

/* Stands for all that has no place; nothing comes above it. */
static const struct tl_str rest = { "[...]", 5 };

/* ---- nodes ------------------------------------------------------------ */

static struct tl_flame_node *new_node(struct tl_flame_node *parent,
				      struct tl_str name)
{
	struct tl_flame_node *n = calloc(1, sizeof(*n) + name.len);

	if (!n)
		return NULL;
	n->parent = parent;
	n->len = (unsigned int)name.len;
	memcpy(n->name, name.text, name.len);
	if (!parent)
		return n;
	n->depth = parent->depth + 1;
	n->next = parent->child;
	parent->child = n;
	return n;
}

static inline bool is_named(const struct tl_flame_node *n, struct tl_str name)
{
	return n->len == name.len && !memcmp(n->name, name.text, name.len);
}

static uint64_t turned(uint64_t x, unsigned int bits)
{
	return x << bits | x >> (64 - bits);
}

static void mix(uint64_t v[4])
{
	v[0] += v[1];
	v[2] += v[3];
	v[1] = turned(v[1], 13) ^ v[0];
	v[3] = turned(v[3], 16) ^ v[2];
	v[0] = turned(v[0], 32);
	v[2] += v[1];
	v[0] += v[3];
	v[1] = turned(v[1], 17) ^ v[2];
	v[3] = turned(v[3], 21) ^ v[0];
	v[2] = turned(v[2], 32);
}

static void mix_word(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	mix(v);
	v[0] ^= word;
}

/*
 * SipHash-1-3 of the name, with what its parent has as the key.  The root's is random:
 * who writes the names cannot choose such that all are in one chain.
 */
static uint64_t hash_of(const struct tl_flame_node *parent, struct tl_str name)
{
	uint64_t v[4] = { parent->hash ^ 0x736f6d6570736575, 0x646f72616e646f6d,
			  parent->hash ^ 0x6c7967656e657261,
			  0x7465646279746573 };
	uint64_t word;
	size_t i;

	for (i = 0; i + sizeof(word) <= name.len; i += sizeof(word)) {
		memcpy(&word, name.text + i, sizeof(word));
		mix_word(v, word);
	}
	word = 0;
	memcpy(&word, name.text + i, name.len - i);
	mix_word(v, word ^ (uint64_t)name.len << 56);
	v[2] ^= 0xff;
	for (i = 0; i < 3; i++)
		mix(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static struct tl_flame_node **bucket_of(const struct tl_flame *f, uint64_t hash)
{
	return &f->bucket[(hash ^ hash >> 32) & (f->buckets - 1)];
}

static struct tl_flame_node *find(const struct tl_flame *f,
				  const struct tl_flame_node *parent,
				  struct tl_str name, uint64_t hash)
{
	struct tl_flame_node *n = *bucket_of(f, hash);

	while (n &&
	       (n->hash != hash || n->parent != parent || !is_named(n, name)))
		n = n->chain;
	return n;
}

static void enter(struct tl_flame *f, struct tl_flame_node *n)
{
	struct tl_flame_node **bucket = bucket_of(f, n->hash);

	n->chain = *bucket;
	*bucket = n;
}

/* Twice as many buckets; without memory the chains become longer instead. */
static void widen(struct tl_flame *f)
{
	struct tl_flame_node **old = f->bucket, *n, *chain;
	size_t i, count = f->buckets;

	f->bucket = calloc(count * 2, sizeof(*f->bucket));
	if (!f->bucket) {
		f->bucket = old;
		return;
	}
	f->buckets *= 2;
	for (i = 0; i < count; i++)
		for (n = old[i]; n; n = chain) {
			chain = n->chain;
			enter(f, n);
		}
	free(old);
}

static struct tl_flame_node *add_node(struct tl_flame *f,
				      struct tl_flame_node *parent,
				      struct tl_str name, uint64_t hash)
{
	struct tl_flame_node *n = new_node(parent, name);

	if (!n)
		return NULL;
	n->hash = hash;
	if (f->count >= f->buckets)
		widen(f);
	enter(f, n);
	f->count++;
	return n;
}

const struct tl_flame_node *tl_flame_find(const struct tl_flame *f,
					  const struct tl_flame_node *parent,
					  const struct tl_flame_node *n)
{
	const struct tl_str name = { n->name, n->len };

	/* of another tree its hash is another one */
	return find(f, parent, name, hash_of(parent, name));
}

static bool has_place(const struct tl_flame *f,
		      const struct tl_flame_node *parent, struct tl_str name,
		      size_t size)
{
	return parent->depth + 1 < TL_FLAME_DEPTH && name.len <= f->max &&
	       size <= f->max - f->used;
}

/* A frame of the stack can have the same name: only what is made here is marked. */
static struct tl_flame_node *rest_of(struct tl_flame *f,
				     struct tl_flame_node *parent)
{
	const uint64_t hash = hash_of(parent, rest);
	struct tl_flame_node *n = find(f, parent, rest, hash);

	if (n)
		return n;
	n = add_node(f, parent, rest, hash);
	if (n)
		n->is_rest = true;
	return n;
}

/* The child of that name; "[...]" instead of a new one that has no place. */
static struct tl_flame_node *
child_of(struct tl_flame *f, struct tl_flame_node *parent, struct tl_str name)
{
	/* with its own "[...]", for which there is always a place */
	const size_t size = 2 * sizeof(struct tl_flame_node) + name.len;
	const uint64_t hash = hash_of(parent, name);
	struct tl_flame_node *n = find(f, parent, name, hash);

	if (n)
		return n;
	if (!has_place(f, parent, name, size))
		return rest_of(f, parent);
	n = add_node(f, parent, name, hash);
	f->used += n ? size : 0;
	return n;
}

/* ---- stacks ----------------------------------------------------------- */

static struct tl_str name_of(const struct tl_str *frame)
{
	static const struct tl_str unknown = { "[?]", 3 };

	return frame->text && frame->len ? *frame : unknown;
}

/* How many of the frames are those of the last stack. */
static unsigned int shared(const struct tl_flame *f,
			   const struct tl_str *frames, unsigned int depth)
{
	unsigned int i = 0;

	while (i < depth && i < f->depth &&
	       is_named(f->last[i + 1], name_of(&frames[i])))
		i++;
	return i;
}

/* The node of a stack; in @is_cut whether it is that of only the beginning. */
static struct tl_flame_node *node_of(struct tl_flame *f,
				     const struct tl_str *frames,
				     unsigned int depth, bool *is_cut)
{
	unsigned int i = shared(f, frames, depth);
	struct tl_flame_node *n = f->last[i];
	struct tl_str name;

	for (*is_cut = n->is_rest; i < depth && !*is_cut; i++) {
		name = name_of(&frames[i]);
		n = child_of(f, n, name);
		if (!n)
			break;
		*is_cut = n->is_rest || !is_named(n, name);
		f->last[i + 1] = n;
		f->depth = i + 1;
	}
	return n;
}

int tl_flame_add(struct tl_flame *f, const struct tl_str *frames,
		 unsigned int depth, uint64_t self)
{
	bool is_cut;
	struct tl_flame_node *n = node_of(f, frames, depth, &is_cut);

	if (!n)
		return -ENOMEM;
	/* no sum ever overflows, nor do differences of them */
	if (self > INT64_MAX - f->root->total)
		self = INT64_MAX - f->root->total;
	f->cut += is_cut ? self : 0;
	n->self += self;
	for (; n; n = n->parent)
		n->total += self;
	return 0;
}

struct tl_flame_node *tl_flame_next(const struct tl_flame_node *n)
{
	if (n->child)
		return n->child;
	while (n && !n->next)
		n = n->parent;
	return n ? n->next : NULL;
}

static int by_name(const void *a, const void *b)
{
	const struct tl_flame_node *x = *(struct tl_flame_node *const *)a;
	const struct tl_flame_node *y = *(struct tl_flame_node *const *)b;

	return memcmp(x->name, y->name, x->len < y->len ? x->len : y->len)
		       ?: (x->len > y->len) - (x->len < y->len);
}

int tl_flame_sort(struct tl_flame *f)
{
	struct tl_flame_node **list, *n;
	size_t i = 0;

	list = calloc(f->count + 1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	for (n = tl_flame_next(f->root); n; n = tl_flame_next(n))
		list[i++] = n;
	qsort(list, f->count, sizeof(*list), by_name);
	f->root->child = NULL;
	for (i = 0; i < f->count; i++)
		list[i]->child = NULL;
	/* from the last one on, each in front of its siblings */
	for (i = f->count; i--;) {
		list[i]->next = list[i]->parent->child;
		list[i]->parent->child = list[i];
	}
	free(list);
	return 0;
}

/* ---- what tools call -------------------------------------------------- */

void tl_flame_free(struct tl_flame *f)
{
	struct tl_flame_node *n, *chain;
	size_t i;

	if (!f)
		return;
	for (i = 0; f->bucket && i < f->buckets; i++)
		for (n = f->bucket[i]; n; n = chain) {
			chain = n->chain;
			free(n);
		}
	if (f->fd >= 0)
		close(f->fd);
	free(f->bucket);
	free(f->root);
	free(f);
}

static struct tl_flame *new_flame(void)
{
	struct tl_flame *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->fd = -1;
	f->parts = 1;
	f->max = MAX_BYTES;
	f->buckets = FIRST_BUCKETS;
	f->bucket = calloc(f->buckets, sizeof(*f->bucket));
	f->root = new_node(NULL, (struct tl_str){ "all", 3 });
	f->last[0] = f->root;
	if (!f->bucket || !f->root) {
		tl_flame_free(f);
		return NULL;
	}
	if (getrandom(&f->root->hash, sizeof(f->root->hash), 0) < 0)
		f->root->hash = (uintptr_t)f;
	return f;
}

int tl_flame_check(struct tl_session *s, const char *path)
{
	return tl_svg_claim(s, "--flamegraph", path);
}

struct tl_flame *tl_flame_open(struct tl_session *s, const char *path)
{
	struct tl_flame *f = new_flame();

	if (!f) {
		tl_fail(ENOMEM, "out of memory");
		return NULL;
	}
	f->path = path;
	if (path)
		f->fd = tl_svg_open(path);
	if (!path || f->fd >= 0)
		return f;
	tl_flame_free(f);
	return NULL;
}

void tl_flame_room(struct tl_flame *f, size_t bytes)
{
	f->max = bytes;
}

double tl_flame_cut(const struct tl_flame *f)
{
	return f->cut ? (double)f->cut / (double)f->root->total : 0;
}

void tl_flame_look(struct tl_flame *f, const struct tl_flame_look *look)
{
	f->look = *look;
}

/* A semicolon would end the frame: escaped like what is not text. */
static void add_name(struct tl_buf *b, const struct tl_flame_node *n, bool raw)
{
	struct tl_str name = { n->name, n->len };

	if (raw)
		tl_buf_add(b, name.text, name.len);
	else
		tl_esc_text_but(b, name, ';', "\\x3b");
}

int tl_flame_folded(struct tl_session *s, struct tl_flame *f, uint64_t unit)
{
	size_t ends[TL_FLAME_DEPTH + 1] = { 0 };
	struct tl_buf line = { 0 };
	struct tl_flame_node *n;
	uint64_t time;
	bool failed;

	if (tl_flame_sort(f))
		return tl_fail(ENOMEM, "out of memory");
	for (n = tl_flame_next(f->root); n; n = tl_flame_next(n)) {
		/* the parent's line, without its time, begins this one */
		line.len = ends[n->depth - 1];
		if (n->depth > 1)
			tl_buf_char(&line, ';');
		add_name(&line, n, s->set.raw);
		ends[n->depth] = line.len;
		time = n->self / unit + (n->self % unit >= unit / 2 + unit % 2);
		if (!time)
			continue;
		tl_buf_printf(&line, " %llu", (unsigned long long)time);
		tl_out_line_as_is(s->out,
				  (struct tl_str){ line.data, line.len });
	}
	failed = line.failed;
	tl_buf_free(&line);
	return failed ? tl_fail(ENOMEM, "out of memory") : 0;
}

/* To its file, or to standard output. */
static int write_drawn(struct tl_session *s, struct tl_flame *f,
		       const char *title, const struct tl_origin *origin)
{
	struct tl_buf b = { 0 };
	int ret;

	if (f->fd >= 0)
		return tl_flame_svg(f, title, origin);
	ret = tl_flame_drawn(f, title, origin, &b);
	/* the newline at its end is the line's */
	if (!ret)
		tl_out_line_as_is(s->out, (struct tl_str){ b.data, b.len - 1 });
	tl_buf_free(&b);
	return ret;
}

/* How much it is of, as tooltips say it; for programs in its unit, and exact. */
static void tell_amount(const struct tl_flame *f,
			const struct tl_flame_text *text, struct tl_origin *o)
{
	const uint64_t total = f->root->total;
	struct tl_buf count = { 0 }, shown = { 0 };

	tl_buf_printf(&count, "%llu", (unsigned long long)(total / f->parts));
	if (f->parts > 1)
		tl_buf_printf(&count, ".%03llu",
			      (unsigned long long)(total % f->parts));
	tl_buf_char(&count, '\0');
	tl_flame_amount(&shown, f, text->unit, total);
	tl_buf_char(&shown, '\0');
	tl_origin_amount(o, count.data ?: "", text->unit, shown.data ?: "",
			 text->made_of);
	o->data.failed |= count.failed | shown.failed;
	tl_buf_free(&count);
	tl_buf_free(&shown);
}

int tl_flame_draw(struct tl_session *s, struct tl_flame *f,
		  const struct tl_flame_text *text)
{
	struct tl_origin origin;
	int ret;

	tell_amount(f, text, &origin);
	tl_origin_drawn(s, &origin, text->note);
	ret = write_drawn(s, f, text->title, &origin);
	tl_origin_free(&origin);
	return ret ? tl_fail(-ret, "%s: %s", f->path ?: "standard output",
			     strerror(-ret))
		   : 0;
}

int tl_flame_end(struct tl_session *s, struct tl_flame *f, const char *title,
		 uint64_t count, const char *unit)
{
	struct tl_origin origin;
	int ret = 0;

	if (f->fd >= 0) {
		tl_origin_make(s, &origin, count, unit, NULL);
		ret = tl_flame_svg(f, title, &origin);
		tl_origin_free(&origin);
	}
	if (ret)
		tl_fail(-ret, "%s: %s", f->path, strerror(-ret));
	tl_flame_free(f);
	return ret;
}
