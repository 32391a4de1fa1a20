// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usernames.c - names of addresses in processes, in a capture
 *
 * There are: the version, texts, symbols, and programs of processes.  Each text is there once,
 * and so is each symbol: function, file and offset.  A program has addresses in their order, each
 * with its distance from the one before and the number of a symbol.  All numbers are of variable
 * length, seven bits in a byte.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/userframes.h"

#define VERSION 1

/* ---- into a capture --------------------------------------------------- */

static void put_number(struct tl_buf *b, uint64_t n)
{
	for (; n >= 0x80; n >>= 7)
		tl_buf_char(b, (char)(n | 0x80));
	tl_buf_char(b, (char)n);
}

static int by_address(const void *a, const void *b)
{
	const struct tl_user_frame *x = *(const struct tl_user_frame **)a,
				   *y = *(const struct tl_user_frame **)b;

	if (x->program != y->program)
		return x->program < y->program ? -1 : 1;
	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->is_return != y->is_return)
		return x->is_return - y->is_return;
	return (x->since > y->since) - (x->since < y->since);
}

/* Those with names; NULL without memory. */
static const struct tl_user_frame **in_order(const struct tl_user_table *t,
					     size_t *count)
{
	const struct tl_user_frame **list =
		calloc(t->frame_count + 1, sizeof(struct tl_user_frame *));
	size_t i;

	*count = 0;
	for (i = 0; list && i < t->frame_count; i++)
		if (tl_user_is_named(t, &t->frames[i]))
			list[(*count)++] = &t->frames[i];
	if (list)
		qsort(list, *count, sizeof(struct tl_user_frame *), by_address);
	return list;
}

static void save_texts(const struct tl_user_table *t, struct tl_buf *b)
{
	size_t i;

	put_number(b, t->text_count);
	tl_buf_add(b, t->text.data, t->text.len);
	put_number(b, t->symbol_count);
	for (i = 0; i < t->symbol_count; i++) {
		put_number(b, t->symbols[i].function);
		put_number(b, t->symbols[i].file);
		put_number(b, t->symbols[i].offset);
	}
}

/* A second name at the same address has the time from when on it counts. */
static void save_frame(struct tl_buf *b, const struct tl_user_frame *f,
		       const struct tl_user_frame *before)
{
	put_number(b, (uint64_t)f->symbol << 1 | f->is_return);
	put_number(b, f->addr - (before ? before->addr : 0));
	if (before && before->addr == f->addr &&
	    before->is_return == f->is_return)
		put_number(b, f->since);
}

static void save_program(struct tl_buf *b, const struct tl_user_program *p,
			 const struct tl_user_frame **list, size_t count)
{
	size_t i;

	put_number(b, (uint32_t)p->process);
	put_number(b, p->until == TL_USER_STILL_THERE ? 0 : p->until);
	put_number(b, (uint64_t)count << 1 | p->is_walked);
	for (i = 0; i < count; i++)
		save_frame(b, list[i], i ? list[i - 1] : NULL);
}

uint64_t tl_user_table_save(struct tl_user_table *t, uint64_t since,
			    struct tl_buf *b)
{
	const uint64_t missing = t->missing;
	const struct tl_user_frame **list;
	size_t i, count, first = 0, end = 0;

	tl_user_table_forget(t, since);
	t->missing = t->next = 0;
	list = in_order(t, &count);
	b->failed |= !list;
	tl_buf_char(b, VERSION);
	save_texts(t, b);
	put_number(b, t->program_count);
	for (i = 0; i < t->program_count && list; i++, first = end) {
		while (end < count && list[end]->program == i)
			end++;
		save_program(b, &t->programs[i], list + first, end - first);
	}
	free(list);
	return missing;
}

/* ---- from a capture, which can say anything --------------------------- */

struct frame {
	uint64_t addr, since;
	uint32_t symbol;
	bool is_return;
};

struct program {
	uint64_t until;
	pid_t process;
	bool is_walked;
	uint32_t first, count; /* frames */
};

struct tl_user_names {
	char *text;
	struct tl_user_symbol *symbols;
	struct program *programs; /* by process and time */
	struct frame *frames;     /* of each program by address and time */
	size_t symbol_count, program_count, frame_count;
};

struct loading {
	struct tl_user_names *n;
	const char *at, *end;
	const char **texts;
	uint64_t text_count;
};

static bool get_number(struct loading *l, uint64_t *n)
{
	unsigned int shift = 0;
	uint8_t byte;

	*n = 0;
	do {
		if (l->at == l->end || shift > 63)
			return false;
		byte = (uint8_t)*l->at++;
		*n |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return true;
}

/* How many follow, of at least one byte each. */
static bool get_count(struct loading *l, uint64_t *n)
{
	return get_number(l, n) && *n <= (uint64_t)(l->end - l->at);
}

static int load_texts(struct loading *l)
{
	const char *end, *text;
	size_t len;
	uint64_t i;

	if (!get_count(l, &l->text_count))
		return -EBADMSG;
	for (i = 0, text = l->at; i < l->text_count; i++) {
		end = memchr(l->at, '\0', (size_t)(l->end - l->at));
		if (!end)
			return -EBADMSG;
		l->at = end + 1;
	}
	len = (size_t)(l->at - text);
	l->texts = calloc(l->text_count + 1, sizeof(*l->texts));
	l->n->text = malloc(len + 1);
	if (!l->texts || !l->n->text)
		return -ENOMEM;
	memcpy(l->n->text, text, len);
	for (i = 0, text = l->n->text; i < l->text_count; i++) {
		l->texts[i] = text;
		text += strlen(text) + 1;
	}
	return 0;
}

static bool get_text(struct loading *l, const char **text)
{
	uint64_t n;

	if (!get_number(l, &n) || n > l->text_count)
		return false;
	*text = n ? l->texts[n - 1] : NULL;
	return true;
}

static int load_symbols(struct loading *l)
{
	struct tl_user_symbol *s;
	uint64_t count;

	if (!get_count(l, &count) || count > TL_USER_MAX_FRAMES)
		return -EBADMSG;
	l->n->symbols = calloc(count + 1, sizeof(*s));
	if (!l->n->symbols)
		return -ENOMEM;
	for (s = l->n->symbols; l->n->symbol_count < count; s++) {
		if (!get_text(l, &s->function) || !get_text(l, &s->file) ||
		    !get_number(l, &s->offset))
			return -EBADMSG;
		/* a function is one of a file */
		if (s->function && !s->file)
			return -EBADMSG;
		l->n->symbol_count++;
	}
	return 0;
}

static bool is_before(const struct frame *f, const struct frame *g)
{
	if (f->addr != g->addr)
		return f->addr < g->addr;
	if (f->is_return != g->is_return)
		return g->is_return;
	return f->since <= g->since;
}

/* @before: NULL: it is the first one */
static bool get_frame(struct loading *l, struct frame *f,
		      const struct frame *before)
{
	uint64_t symbol, step;

	if (!get_number(l, &symbol) || symbol >> 1 >= l->n->symbol_count ||
	    !get_number(l, &step))
		return false;
	*f = (struct frame){ .addr = step,
			     .symbol = (uint32_t)(symbol >> 1),
			     .is_return = symbol & 1 };
	if (!before)
		return true;
	f->addr += before->addr;
	if (!step && f->is_return == before->is_return &&
	    !get_number(l, &f->since))
		return false;
	return f->addr >= step && is_before(before, f);
}

static int load_frames(struct loading *l, struct program *p)
{
	struct tl_user_names *n = l->n;
	struct frame *f;
	uint32_t i;

	for (i = 0; i < p->count; i++) {
		f = tl_user_room(n->frames, n->frame_count, sizeof(*f));
		if (!f)
			return -ENOMEM;
		n->frames = f;
		f += n->frame_count;
		if (!get_frame(l, f, i ? f - 1 : NULL))
			return -EBADMSG;
		n->frame_count++;
	}
	return 0;
}

static int load_program(struct loading *l, struct program *p)
{
	uint64_t process, until, count;

	if (!get_number(l, &process) || process > INT32_MAX ||
	    !get_number(l, &until) || !get_number(l, &count) ||
	    (count >> 1) + l->n->frame_count > TL_USER_MAX_FRAMES)
		return -EBADMSG;
	*p = (struct program){ .process = (pid_t)process,
			       .until = until ?: TL_USER_STILL_THERE,
			       .is_walked = count & 1,
			       .first = (uint32_t)l->n->frame_count,
			       .count = (uint32_t)(count >> 1) };
	return load_frames(l, p);
}

static int by_process(const void *a, const void *b)
{
	const struct program *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->until != y->until)
		return x->until < y->until ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

static int load_programs(struct loading *l)
{
	struct tl_user_names *n = l->n;
	uint64_t count;
	int ret = 0;

	if (!get_count(l, &count) || count > TL_USER_MAX_FRAMES)
		return -EBADMSG;
	n->programs = calloc(count + 1, sizeof(*n->programs));
	if (!n->programs)
		return -ENOMEM;
	for (; n->program_count < count && !ret; n->program_count++)
		ret = load_program(l, &n->programs[n->program_count]);
	qsort(n->programs, n->program_count, sizeof(*n->programs), by_process);
	return ret;
}

static int load_all(struct loading *l)
{
	if (l->at == l->end || *l->at++ != VERSION)
		return -EBADMSG;
	return load_texts(l) ?: load_symbols(l) ?: load_programs(l);
}

struct tl_user_names *tl_user_names_load(const char *data, size_t len)
{
	struct loading l = { .n = calloc(1, sizeof(*l.n)),
			     .at = data,
			     .end = data + len };
	int ret = l.n ? load_all(&l) : -ENOMEM;

	free(l.texts);
	if (!ret)
		return l.n;
	tl_user_names_free(l.n);
	errno = -ret;
	return NULL;
}

void tl_user_names_free(struct tl_user_names *n)
{
	if (!n)
		return;
	free(n->text);
	free(n->symbols);
	free(n->programs);
	free(n->frames);
	free(n);
}

/* ---- one of them ------------------------------------------------------ */

/* The one that @process had at @ns, the first whose end is later; NULL: not known. */
static const struct program *program_at(const struct tl_user_names *n,
					pid_t process, uint64_t ns)
{
	size_t first = 0, end = n->program_count, i;
	const struct program *p;

	while (first < end) {
		i = first + (end - first) / 2;
		p = &n->programs[i];
		if (p->process < process ||
		    (p->process == process && p->until <= ns))
			first = i + 1;
		else
			end = i;
	}
	p = &n->programs[first];
	return first < n->program_count && p->process == process ? p : NULL;
}

bool tl_user_names_find(const struct tl_user_names *n,
			const struct tl_user_address *a,
			struct tl_user_symbol *sym)
{
	const struct program *p = program_at(n, a->process, a->ns);
	const struct frame want = { .addr = a->addr,
				    .since = a->ns,
				    .is_return = a->is_return };
	size_t first = p ? p->first : 0, end = p ? first + p->count : 0, i;
	const struct frame *f;

	while (first < end) {
		i = first + (end - first) / 2;
		if (is_before(&n->frames[i], &want))
			first = i + 1;
		else
			end = i;
	}
	if (!p || first == p->first)
		return false;
	f = &n->frames[first - 1];
	if (f->addr != a->addr || f->is_return != a->is_return)
		return false;
	*sym = n->symbols[f->symbol];
	return true;
}

bool tl_user_names_is_walked(const struct tl_user_names *n, pid_t process,
			     uint64_t ns)
{
	const struct program *p = program_at(n, process, ns);

	return !p || p->is_walked;
}
