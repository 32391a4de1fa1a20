// SPDX-License-Identifier: GPL-2.0-or-later
/* callstack.c - calls that are going on, innermost last, of each thread */
#include "call/callstack.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tracelet/pairs.h"

/*
 * No stack of the kernel's is that deep: what is further down has lost its
 * return.
 */
#define DEPTH_MAX 256

struct thread {
	struct tl_frame *frames;
	unsigned int depth, size;
	bool is_off;
	bool is_ending;  /* it may never return */
	uint64_t off;    /* ns: since when it has no processor */
	uint64_t asleep; /* ns without one, in all */
};

struct tl_callstacks {
	struct tl_pairs *threads;
	/* the one that was asked for last: records come in runs */
	int64_t key;
	struct thread *last;
};

static void free_thread(void *data)
{
	struct thread *t = data;
	unsigned int i;

	for (i = 0; i < t->size; i++)
		free(t->frames[i].data);
	free(t->frames);
}

struct tl_callstacks *tl_callstacks_new(void)
{
	struct tl_callstacks *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	/* threads that have ended go, so there are as many as there can be */
	f->threads = tl_pairs_new(sizeof(struct thread), UINT_MAX, free_thread);
	if (f->threads)
		return f;
	free(f);
	return NULL;
}

void tl_callstacks_free(struct tl_callstacks *f)
{
	if (!f)
		return;
	tl_pairs_free(f->threads);
	free(f);
}

void tl_callstacks_clear(struct tl_callstacks *f)
{
	f->last = NULL;
	tl_pairs_clear(f->threads);
}

void tl_callstacks_forget(struct tl_callstacks *f, int64_t key)
{
	f->last = NULL;
	tl_pairs_drop(f->threads, key);
}

static inline struct thread *find(struct tl_callstacks *f, int64_t key)
{
	if (!f->last || f->key != key) {
		f->key = key;
		f->last = tl_pairs_get(f->threads, key);
	}
	return f->last;
}

/* ---- entry and return ------------------------------------------------- */

static bool grow(struct thread *t)
{
	unsigned int size = t->size ? t->size * 2 : 8;
	struct tl_frame *frames = realloc(t->frames, size * sizeof(*frames));

	if (!frames)
		return false;
	memset(frames + t->size, 0, (size - t->size) * sizeof(*frames));
	t->frames = frames;
	t->size = size;
	return true;
}

/* The outermost one goes. */
static void drop_first(struct thread *t)
{
	struct tl_frame first = t->frames[0];

	memmove(t->frames, t->frames + 1, --t->depth * sizeof(first));
	t->frames[t->depth] = first; /* for the memory that it has */
}

struct tl_frame *tl_callstacks_push(struct tl_callstacks *f, int64_t key,
				    const char *function, uint64_t ns)
{
	struct thread *t = find(f, key);
	struct tl_frame *frame;

	if (!t)
		t = f->last = tl_pairs_put(f->threads, key);
	if (!t)
		return NULL;
	if (t->depth == DEPTH_MAX)
		drop_first(t);
	if (t->depth == t->size && !grow(t))
		return NULL;
	frame = &t->frames[t->depth++];
	frame->function = function;
	frame->start = ns;
	frame->asleep = t->asleep;
	frame->entry.data = NULL;
	return frame;
}

bool tl_frame_keep(struct tl_frame *frame, const struct tl_record *r)
{
	char *data;

	if (frame->room < r->size) {
		data = realloc(frame->data, r->size);
		if (!data)
			return false;
		frame->data = data;
		frame->room = r->size;
	}
	memcpy(frame->data, r->data, r->size);
	frame->entry = *r;
	frame->entry.data = frame->data;
	return true;
}

struct tl_frame *tl_callstacks_pop(struct tl_callstacks *f, int64_t key,
				   const char *function, unsigned int *depth)
{
	struct thread *t = find(f, key);
	unsigned int i = t ? t->depth : 0;

	while (i && t->frames[i - 1].function != function)
		i--;
	if (!i)
		return NULL;
	*depth = t->depth = i - 1;
	t->frames[i - 1].asleep = t->asleep - t->frames[i - 1].asleep;
	return &t->frames[i - 1];
}

void tl_callstacks_end(struct tl_callstacks *f, int64_t key)
{
	struct thread *t = find(f, key);

	if (t)
		t->is_ending = true;
}

/* ---- processors ------------------------------------------------------- */

void tl_callstacks_off(struct tl_callstacks *f, int64_t key, uint64_t ns)
{
	struct thread *t = find(f, key);

	if (!t || !t->depth)
		return;
	t->is_off = true;
	t->off = ns;
}

void tl_callstacks_on(struct tl_callstacks *f, int64_t key, uint64_t ns)
{
	struct thread *t = find(f, key);

	if (!t || !t->is_off)
		return;
	t->is_off = false;
	t->asleep += ns - t->off;
}

/* ---- at the end ------------------------------------------------------- */

static uint64_t asleep_in(const struct thread *t, const struct tl_frame *frame,
			  uint64_t ns)
{
	return t->asleep - frame->asleep + (t->is_off ? ns - t->off : 0);
}

uint64_t tl_callstacks_count(struct tl_callstacks *f, uint64_t ns,
			     uint64_t least)
{
	const struct tl_frame *frame;
	uint64_t count = 0;
	struct thread *t;

	for (t = tl_pairs_oldest(f->threads); t; t = tl_pairs_newer(t)) {
		if (t->is_ending)
			continue;
		for (frame = t->frames; frame < t->frames + t->depth; frame++)
			count += frame->start < ns &&
				 ns - frame->start >=
					 least + asleep_in(t, frame, ns);
	}
	return count;
}
