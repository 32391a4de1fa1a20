// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usertable.c - names of addresses in processes, as a capture has them
 *
 * Each text is there once, and so is each symbol.  usernames.c tells how a capture has them.
 */
#include "trace/usertable.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define VERSION 1
/* 50 bytes in memory for each */
#define MAX_FRAMES  500000
#define MAX_TEXT    (64 << 20)
#define AGAIN_NS    20000000 /* until a name that was missing is looked up again */
#define MAX_NAMES   16 /* of an address: later ones take the place of the last */
#define NONE        UINT32_MAX
#define STILL_THERE UINT64_MAX

/* Numbers of items by a hash of what is to be found. */
struct slot {
	uint32_t hash, item; /* + 1; 0: free */
};

struct table_index {
	struct slot *slots;
	size_t size, count; /* a power of two */
};

struct symbol {
	uint32_t function, file; /* where the text is; NONE */
	uint64_t offset;
};

/* A program that a process runs. */
struct program {
	pid_t process;
	uint32_t before; /* the one that it ran before; NONE */
	uint64_t until;  /* ns; STILL_THERE */
	uint64_t seen;   /* ns, last */
	bool is_asked, is_walked;
	uint32_t frames;
};

struct frame {
	uint64_t addr;
	uint64_t since; /* ns: before, it had another name */
	uint64_t again; /* ns: then it may have a better one; 0: never */
	uint32_t program, symbol;
	uint8_t names; /* that came before */
	bool is_return;
};

struct tl_user_table {
	char *text;
	size_t text_len, text_size;
	struct symbol *symbols;
	struct program *programs;
	struct frame *frames;
	size_t symbol_count, program_count, frame_count;
	struct table_index by_text, by_symbol, by_process, by_address;
	uint64_t dropped; /* frames that had no place */
	uint64_t dropped_until;
	uint64_t forgotten; /* times */
};

struct tl_user_table *tl_user_table_new(void)
{
	return calloc(1, sizeof(struct tl_user_table));
}

void tl_user_table_free(struct tl_user_table *t)
{
	if (!t)
		return;
	free(t->text);
	free(t->symbols);
	free(t->programs);
	free(t->frames);
	free(t->by_text.slots);
	free(t->by_symbol.slots);
	free(t->by_process.slots);
	free(t->by_address.slots);
	free(t);
}

/* ---- by hash ---------------------------------------------------------- */

static uint32_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
	return (uint32_t)(hash ^ hash >> 32);
}

static uint32_t hash_text(const char *text)
{
	uint64_t hash = 14695981039346656037U;

	while (*text)
		hash = (hash ^ (uint8_t)*text++) * 1099511628211U;
	return mix(hash, 0);
}

static void put_slot(struct slot *slots, size_t size, struct slot slot)
{
	size_t i = slot.hash & (size - 1);

	while (slots[i].item)
		i = (i + 1) & (size - 1);
	slots[i] = slot;
}

static int widen(struct table_index *x)
{
	size_t i, size = x->size ? x->size * 2 : 64;
	struct slot *slots = calloc(size, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (i = 0; i < x->size; i++)
		if (x->slots[i].item)
			put_slot(slots, size, x->slots[i]);
	free(x->slots);
	x->slots = slots;
	x->size = size;
	return 0;
}

static int note(struct table_index *x, uint32_t hash, size_t item)
{
	if (x->count * 2 >= x->size && widen(x))
		return -ENOMEM;
	put_slot(x->slots, x->size, (struct slot){ hash, (uint32_t)item + 1 });
	x->count++;
	return 0;
}

/* The next item that has @hash: @at begins with that; NONE: there are no more. */
static uint32_t next_of(const struct table_index *x, uint32_t hash, size_t *at)
{
	const struct slot *slot;

	while (x->size && (slot = &x->slots[*at & (x->size - 1)])->item) {
		++*at;
		if (slot->hash == hash)
			return slot->item - 1;
	}
	return NONE;
}

/* @list with room for one more, of @size bytes each; NULL without memory, and it stays. */
static void *roomy(void *list, size_t count, size_t size)
{
	/* it grows from 16, where that is full, and then any power of two */
	if (count && (count < 16 || count & (count - 1)))
		return list;
	return reallocarray(list, count < 16 ? 16 : count * 2, size);
}

/* ---- texts and symbols ------------------------------------------------ */

static uint32_t add_text(struct tl_user_table *t, const char *text,
			 uint32_t hash)
{
	const size_t len = strlen(text) + 1, at = t->text_len;
	size_t size = t->text_size ?: 4096;
	char *more;

	while (size < at + len)
		size *= 2;
	if (size > MAX_TEXT)
		return NONE;
	if (size != t->text_size) {
		more = realloc(t->text, size);
		if (!more)
			return NONE;
		t->text = more;
		t->text_size = size;
	}
	if (note(&t->by_text, hash, at))
		return NONE;
	memcpy(t->text + at, text, len);
	t->text_len += len;
	return (uint32_t)at;
}

/* NONE: of NULL, and without memory. */
static uint32_t text_at(struct tl_user_table *t, const char *text)
{
	const uint32_t hash = text ? hash_text(text) : 0;
	size_t at = hash;
	uint32_t i;

	if (!text)
		return NONE;
	while (t->text && (i = next_of(&t->by_text, hash, &at)) != NONE)
		if (!strcmp(t->text + i, text))
			return i;
	return add_text(t, text, hash);
}

static const char *text_of(const struct tl_user_table *t, uint32_t at)
{
	return at == NONE ? NULL : t->text + at;
}

static uint32_t add_symbol(struct tl_user_table *t, const struct symbol *s)
{
	const uint32_t hash =
		mix((uint64_t)s->function << 32 | s->file, s->offset);
	struct symbol *have;
	size_t at = hash;
	uint32_t i;

	while ((i = next_of(&t->by_symbol, hash, &at)) != NONE) {
		have = &t->symbols[i];
		if (have->function == s->function && have->file == s->file &&
		    have->offset == s->offset)
			return i;
	}
	have = roomy(t->symbols, t->symbol_count, sizeof(*have));
	if (!have)
		return NONE;
	t->symbols = have;
	if (note(&t->by_symbol, hash, t->symbol_count))
		return NONE;
	have[t->symbol_count] = *s;
	return (uint32_t)t->symbol_count++;
}

/* NONE without memory. */
static uint32_t symbol_of(struct tl_user_table *t,
			  const struct tl_user_symbol *sym)
{
	const struct symbol s = { .function = text_at(t, sym->function),
				  .file = text_at(t, sym->file),
				  .offset = sym->offset };

	if ((sym->function && s.function == NONE) ||
	    (sym->file && s.file == NONE))
		return NONE;
	return add_symbol(t, &s);
}

static struct tl_user_symbol as_symbol(const struct tl_user_table *t,
				       uint32_t symbol)
{
	const struct symbol *s = &t->symbols[symbol];

	return (struct tl_user_symbol){ .function = text_of(t, s->function),
					.file = text_of(t, s->file),
					.offset = s->offset };
}

/* ---- programs --------------------------------------------------------- */

static uint32_t hash_process(pid_t process)
{
	return mix((uint32_t)process, 0);
}

/* The slot of its last program; NULL: it has none. */
static struct slot *slot_of(const struct tl_user_table *t, pid_t process)
{
	const struct table_index *x = &t->by_process;
	const uint32_t hash = hash_process(process);
	size_t at = hash;
	uint32_t i;

	while ((i = next_of(x, hash, &at)) != NONE)
		if (t->programs[i].process == process)
			return &x->slots[(at - 1) & (x->size - 1)];
	return NULL;
}

static struct program *last_program(const struct tl_user_table *t,
				    pid_t process)
{
	const struct slot *slot = slot_of(t, process);

	return slot ? &t->programs[slot->item - 1] : NULL;
}

/* The one that it had at @ns; NULL: not known. */
static struct program *program_at(const struct tl_user_table *t, pid_t process,
				  uint64_t ns)
{
	struct program *p = last_program(t, process);

	if (!p || (p->until != STILL_THERE && p->until <= ns))
		return NULL;
	while (p->before != NONE && t->programs[p->before].until > ns)
		p = &t->programs[p->before];
	return p;
}

static struct program *add_program(struct tl_user_table *t, pid_t process)
{
	struct slot *slot = slot_of(t, process);
	struct program *p = roomy(t->programs, t->program_count, sizeof(*p));

	if (!p)
		return NULL;
	t->programs = p;
	if (!slot &&
	    note(&t->by_process, hash_process(process), t->program_count))
		return NULL;
	p += t->program_count;
	*p = (struct program){ .process = process,
			       .before = slot ? slot->item - 1 : NONE,
			       .until = STILL_THERE,
			       .is_walked = true };
	t->program_count++;
	if (slot)
		slot->item = (uint32_t)t->program_count;
	return p;
}

/* NULL without memory. */
static struct program *get_program(struct tl_user_table *t, pid_t process,
				   uint64_t ns)
{
	struct program *p =
		program_at(t, process, ns) ?: add_program(t, process);

	if (p && ns > p->seen)
		p->seen = ns;
	return p;
}

static uint32_t number_of(const struct tl_user_table *t,
			  const struct program *p)
{
	return (uint32_t)(p - t->programs);
}

void tl_user_table_end(struct tl_user_table *t, pid_t process, uint64_t ns)
{
	struct program *p = last_program(t, process);

	if (p && p->until == STILL_THERE)
		p->until = ns;
}

void tl_user_table_walked(struct tl_user_table *t, pid_t process, uint64_t ns,
			  bool walked)
{
	struct program *p = get_program(t, process, ns);

	if (!p)
		return;
	p->is_walked = walked || (p->is_asked && p->is_walked);
	p->is_asked = true;
}

/* ---- addresses -------------------------------------------------------- */

static uint32_t hash_address(uint32_t program, uint64_t addr, bool is_return)
{
	return mix((uint64_t)program << 1 | is_return, addr);
}

/* The name that counts at a->ns; the first one before all; NULL: there is none. */
static struct frame *frame_at(const struct tl_user_table *t,
			      const struct program *p,
			      const struct tl_user_address *a)
{
	const uint32_t number = number_of(t, p),
		       hash = hash_address(number, a->addr, a->is_return);
	struct frame *found = NULL, *f;
	size_t at = hash;
	uint32_t i;

	while ((i = next_of(&t->by_address, hash, &at)) != NONE) {
		f = &t->frames[i];
		if (f->program != number || f->addr != a->addr ||
		    f->is_return != a->is_return)
			continue;
		if (!found || (f->since <= a->ns && f->since >= found->since))
			found = f;
	}
	return found;
}

bool tl_user_table_has(struct tl_user_table *t, const struct tl_user_address *a)
{
	struct program *p = program_at(t, a->process, a->ns);
	const struct frame *f = p ? frame_at(t, p, a) : NULL;

	if (p && a->ns > p->seen)
		p->seen = a->ns;
	return f && (!f->again || a->ns < f->again);
}

static bool is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* What has no function yet is no other code than what is there later. */
static bool is_better(const struct tl_user_symbol *now,
		      const struct tl_user_symbol *before)
{
	return !before->function &&
	       (!before->file || is_same(before->file, now->file) ||
		now->function);
}

/* The process may have ended meanwhile. */
static bool is_worse(const struct tl_user_symbol *now,
		     const struct tl_user_symbol *before)
{
	return !now->function &&
	       (before->function || (before->file && !now->file));
}

/* Whether a name that was not there counts in place of @f. */
static bool change(struct tl_user_table *t, struct frame *f, uint32_t symbol,
		   const struct tl_user_symbol *sym)
{
	const struct tl_user_symbol before = as_symbol(t, f->symbol),
				    now = as_symbol(t, symbol);

	if (symbol == f->symbol || is_worse(&now, &before))
		return true;
	if (!is_better(&now, &before) && f->names < MAX_NAMES - 1)
		return false;
	f->symbol = symbol;
	return true;
}

/* Others may be moved for it. */
static struct frame *add_frame(struct tl_user_table *t, struct program *p,
			       const struct tl_user_address *a)
{
	const uint32_t number = number_of(t, p);
	struct frame *f = roomy(t->frames, t->frame_count, sizeof(*f));

	if (!f)
		return NULL;
	t->frames = f;
	if (note(&t->by_address, hash_address(number, a->addr, a->is_return),
		 t->frame_count))
		return NULL;
	f += t->frame_count;
	*f = (struct frame){ .addr = a->addr,
			     .is_return = a->is_return,
			     .program = number };
	t->frame_count++;
	p->frames++;
	return f;
}

static void make_place(struct tl_user_table *t);

int tl_user_table_add(struct tl_user_table *t, const struct tl_user_address *a,
		      const struct tl_user_symbol *sym, bool again)
{
	const uint64_t when = again ? a->ns + AGAIN_NS : 0;
	struct program *p;
	struct frame *f, *before;
	uint32_t symbol;

	if (t->frame_count >= MAX_FRAMES || t->text_len > MAX_TEXT / 2)
		make_place(t);
	p = get_program(t, a->process, a->ns);
	symbol = symbol_of(t, sym);
	if (!p || symbol == NONE)
		return -ENOMEM;
	before = frame_at(t, p, a);
	if (before && change(t, before, symbol, sym)) {
		before->again = when;
		return 0;
	}
	f = add_frame(t, p, a);
	if (!f)
		return -ENOMEM;
	if (before) {
		before = frame_at(t, p, a); /* they may have moved */
		f->names = before->names + 1;
		f->since = a->ns;
	}
	f->symbol = symbol;
	f->again = when;
	return 0;
}

/* ---- forgetting ------------------------------------------------------- */

static int copy_program(struct tl_user_table *to, const struct program *p,
			uint32_t *number)
{
	struct program *copy = add_program(to, p->process);

	if (!copy)
		return -ENOMEM;
	*number = number_of(to, copy);
	copy->until = p->until;
	copy->seen = p->seen;
	copy->is_asked = p->is_asked;
	copy->is_walked = p->is_walked;
	return 0;
}

static int copy_frame(struct tl_user_table *to, const struct tl_user_table *t,
		      const struct frame *f, uint32_t number)
{
	const struct tl_user_symbol sym = as_symbol(t, f->symbol);
	const struct tl_user_address a = { .addr = f->addr,
					   .is_return = f->is_return };
	const uint32_t symbol = symbol_of(to, &sym);
	struct frame *copy = symbol == NONE
				     ? NULL
				     : add_frame(to, &to->programs[number], &a);

	if (!copy)
		return -ENOMEM;
	copy->since = f->since;
	copy->names = f->names;
	copy->again = f->again;
	copy->symbol = symbol;
	return 0;
}

/* Programs that were seen at @since, or later; NULL without memory. */
static struct tl_user_table *copy_since(const struct tl_user_table *t,
					uint64_t since)
{
	struct tl_user_table *to = tl_user_table_new();
	uint32_t *numbers = calloc(t->program_count + 1, sizeof(*numbers));
	int ret = to && numbers ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; i < t->program_count && !ret; i++) {
		numbers[i] = NONE;
		if (t->programs[i].seen >= since)
			ret = copy_program(to, &t->programs[i], &numbers[i]);
	}
	for (i = 0; i < t->frame_count && !ret; i++)
		if (numbers[t->frames[i].program] != NONE)
			ret = copy_frame(to, t, &t->frames[i],
					 numbers[t->frames[i].program]);
	free(numbers);
	if (!ret)
		return to;
	tl_user_table_free(to);
	return NULL;
}

void tl_user_table_forget(struct tl_user_table *t, uint64_t since)
{
	struct tl_user_table *to = copy_since(t, since), was;

	if (!to)
		return; /* it only stays larger */
	to->dropped = t->dropped;
	to->dropped_until = t->dropped_until;
	to->forgotten = t->forgotten + 1;
	was = *t;
	*t = *to;
	*to = was;
	tl_user_table_free(to);
}

uint64_t tl_user_table_forgotten(const struct tl_user_table *t)
{
	return t->forgotten;
}

static int by_seen(const void *a, const void *b)
{
	const struct program *x = a, *y = b;

	return (x->seen > y->seen) - (x->seen < y->seen);
}

/* When the programs that have half of the frames had been seen for the last time. */
static uint64_t half_time(const struct tl_user_table *t)
{
	struct program *list = calloc(t->program_count + 1, sizeof(*list));
	uint64_t until = UINT64_MAX - 1;
	size_t i, frames = 0;

	if (!list)
		return until;
	memcpy(list, t->programs, t->program_count * sizeof(*list));
	qsort(list, t->program_count, sizeof(*list), by_seen);
	for (i = 0; i < t->program_count && frames < t->frame_count / 2; i++) {
		frames += list[i].frames;
		until = list[i].seen;
	}
	free(list);
	return until;
}

static void make_place(struct tl_user_table *t)
{
	const uint64_t until = half_time(t);
	const size_t had = t->frame_count;

	tl_user_table_forget(t, until + 1);
	t->dropped += had - t->frame_count;
	t->dropped_until = until;
}

/* ---- in a capture ----------------------------------------------------- */

static void put_number(struct tl_buf *b, uint64_t n)
{
	for (; n >= 0x80; n >>= 7)
		tl_buf_char(b, (char)(n | 0x80));
	tl_buf_char(b, (char)n);
}

static int by_address(const void *a, const void *b)
{
	const struct frame *x = a, *y = b;

	if (x->program != y->program)
		return x->program < y->program ? -1 : 1;
	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->is_return != y->is_return)
		return x->is_return - y->is_return;
	return (x->since > y->since) - (x->since < y->since);
}

/* What has neither needs no place: the address is all that is known. */
static bool is_named(const struct tl_user_table *t, const struct frame *f)
{
	const struct symbol *s = &t->symbols[f->symbol];

	return s->function != NONE || s->file != NONE;
}

/* Where a text begins becomes its number, 1 ...; 0: there is none. */
static uint64_t text_number(const uint32_t *numbers, uint32_t at)
{
	return at == NONE ? 0 : numbers[at];
}

static int save_texts(const struct tl_user_table *t, struct tl_buf *b)
{
	uint32_t *numbers = calloc(t->text_len + 1, sizeof(*numbers));
	uint32_t count = 0;
	size_t i;

	if (!numbers)
		return -ENOMEM;
	for (i = 0; i < t->text_len; i += strlen(t->text + i) + 1)
		numbers[i] = ++count;
	put_number(b, count);
	tl_buf_add(b, t->text, t->text_len);
	put_number(b, t->symbol_count);
	for (i = 0; i < t->symbol_count; i++) {
		put_number(b, text_number(numbers, t->symbols[i].function));
		put_number(b, text_number(numbers, t->symbols[i].file));
		put_number(b, t->symbols[i].offset);
	}
	free(numbers);
	return 0;
}

/* A second name at the same address has the time from when on it counts. */
static void save_frame(struct tl_buf *b, const struct frame *f,
		       const struct frame *before)
{
	put_number(b, (uint64_t)f->symbol << 1 | f->is_return);
	put_number(b, f->addr - (before ? before->addr : 0));
	if (before && before->addr == f->addr &&
	    before->is_return == f->is_return)
		put_number(b, f->since);
}

static void save_program(const struct tl_user_table *t, struct tl_buf *b,
			 const struct program *p, const struct frame *f)
{
	const struct frame *before = NULL, *end = f + p->frames;
	const struct frame *i;
	uint32_t count = 0;

	for (i = f; i < end; i++)
		count += is_named(t, i);
	put_number(b, (uint32_t)p->process);
	put_number(b, p->until == STILL_THERE ? 0 : p->until);
	put_number(b, (uint64_t)count << 1 | p->is_walked);
	for (i = f; i < end; i++) {
		if (!is_named(t, i))
			continue;
		save_frame(b, i, before);
		before = i;
	}
}

uint64_t tl_user_table_save(const struct tl_user_table *t, uint64_t since,
			    struct tl_buf *b)
{
	struct tl_user_table *copy = copy_since(t, since);
	const struct frame *f;
	size_t i;

	tl_buf_char(b, VERSION);
	if (!copy || save_texts(copy, b)) {
		b->failed = true;
		tl_user_table_free(copy);
		return 0;
	}
	if (copy->frame_count)
		qsort(copy->frames, copy->frame_count, sizeof(*copy->frames),
		      by_address);
	f = copy->frames;
	put_number(b, copy->program_count);
	for (i = 0; i < copy->program_count; i++) {
		save_program(copy, b, &copy->programs[i], f);
		f += copy->programs[i].frames;
	}
	tl_user_table_free(copy);
	return t->dropped_until >= since ? t->dropped : 0;
}
