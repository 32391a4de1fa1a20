// SPDX-License-Identifier: GPL-2.0-or-later
/* usertable.c - names of addresses in processes, for a capture */
#include <errno.h>
#include <string.h>

#include "trace/userframes.h"

#define MAX_TEXT  (64 << 20)
#define MAX_NAMES 16 /* of an address: later ones take the place of the last */
#define FORGET_NS 1000000000 /* until a full table is looked through again */
#define NONE      UINT32_MAX

struct tl_user_slot {
	uint32_t hash, item; /* + 1; 0: free */
};

struct tl_user_table *tl_user_table_new(uint64_t last)
{
	struct tl_user_table *t = calloc(1, sizeof(*t));

	if (t)
		t->last = last;
	return t;
}

void tl_user_table_free(struct tl_user_table *t)
{
	if (!t)
		return;
	tl_buf_free(&t->text);
	free(t->texts);
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

static void put_slot(struct tl_user_slot *slots, size_t size,
		     struct tl_user_slot slot)
{
	size_t i = slot.hash & (size - 1);

	while (slots[i].item)
		i = (i + 1) & (size - 1);
	slots[i] = slot;
}

static int widen(struct tl_user_index *x)
{
	size_t i, size = x->size ? x->size * 2 : 64;
	struct tl_user_slot *slots = calloc(size, sizeof(*slots));

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

static int note(struct tl_user_index *x, uint32_t hash, size_t item)
{
	if (x->count * 2 >= x->size && widen(x))
		return -ENOMEM;
	put_slot(x->slots, x->size,
		 (struct tl_user_slot){ hash, (uint32_t)item + 1 });
	x->count++;
	return 0;
}

/* The next item that has @hash: @at begins with that; NONE: there are no more. */
static uint32_t next_of(const struct tl_user_index *x, uint32_t hash,
			size_t *at)
{
	const struct tl_user_slot *slot;

	while (x->size && (slot = &x->slots[*at & (x->size - 1)])->item) {
		++*at;
		if (slot->hash == hash)
			return slot->item - 1;
	}
	return NONE;
}

/* All of an index anew: it has room for them. */
static void clear_index(struct tl_user_index *x)
{
	if (x->size)
		memset(x->slots, 0, x->size * sizeof(*x->slots));
	x->count = 0;
}

/* ---- texts and symbols ------------------------------------------------ */

static const char *text_of(const struct tl_user_table *t, uint32_t number)
{
	return number ? t->text.data + t->texts[number - 1] : NULL;
}

static uint32_t add_text(struct tl_user_table *t, const char *text,
			 uint32_t hash)
{
	const size_t len = strlen(text) + 1, at = t->text.len;
	size_t *texts = tl_user_room(t->texts, t->text_count, sizeof(*texts));

	if (!texts)
		return 0;
	t->texts = texts;
	if (!tl_buf_fits(&t->text, len) ||
	    note(&t->by_text, hash, t->text_count))
		return 0;
	tl_buf_add(&t->text, text, len);
	texts[t->text_count++] = at;
	return (uint32_t)t->text_count;
}

/* 0: of NULL, and without memory. */
static uint32_t text_number(struct tl_user_table *t, const char *text)
{
	const uint32_t hash = text ? hash_text(text) : 0;
	size_t at = hash;
	uint32_t i;

	if (!text)
		return 0;
	while ((i = next_of(&t->by_text, hash, &at)) != NONE)
		if (!strcmp(text_of(t, i + 1), text))
			return i + 1;
	return add_text(t, text, hash);
}

static uint32_t hash_symbol(const struct tl_user_numbers *s)
{
	return mix((uint64_t)s->function << 32 | s->file, s->offset);
}

static uint32_t add_symbol(struct tl_user_table *t,
			   const struct tl_user_numbers *s)
{
	const uint32_t hash = hash_symbol(s);
	struct tl_user_numbers *have;
	size_t at = hash;
	uint32_t i;

	while ((i = next_of(&t->by_symbol, hash, &at)) != NONE) {
		have = &t->symbols[i];
		if (have->function == s->function && have->file == s->file &&
		    have->offset == s->offset)
			return i;
	}
	have = tl_user_room(t->symbols, t->symbol_count, sizeof(*have));
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
	const struct tl_user_numbers s = { .function = text_number(
						   t, sym->function),
					   .file = text_number(t, sym->file),
					   .offset = sym->offset };

	if ((sym->function && !s.function) || (sym->file && !s.file))
		return NONE;
	return add_symbol(t, &s);
}

static struct tl_user_symbol as_symbol(const struct tl_user_table *t,
				       uint32_t symbol)
{
	const struct tl_user_numbers *s = &t->symbols[symbol];

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
static struct tl_user_slot *slot_of(const struct tl_user_table *t,
				    pid_t process)
{
	const struct tl_user_index *x = &t->by_process;
	const uint32_t hash = hash_process(process);
	size_t at = hash;
	uint32_t i;

	while ((i = next_of(x, hash, &at)) != NONE)
		if (t->programs[i].process == process)
			return &x->slots[(at - 1) & (x->size - 1)];
	return NULL;
}

static struct tl_user_program *last_program(const struct tl_user_table *t,
					    pid_t process)
{
	const struct tl_user_slot *slot = slot_of(t, process);

	return slot ? &t->programs[slot->item - 1] : NULL;
}

/* The one that it had at @ns; NULL: not known. */
static struct tl_user_program *program_at(const struct tl_user_table *t,
					  pid_t process, uint64_t ns)
{
	struct tl_user_program *p = last_program(t, process);

	if (!p || (p->until != TL_USER_STILL_THERE && p->until <= ns))
		return NULL;
	while (p->before != NONE && t->programs[p->before].until > ns)
		p = &t->programs[p->before];
	return p;
}

/* The last one becomes the one that its process runs; 0 or -ENOMEM. */
static int note_program(struct tl_user_table *t)
{
	struct tl_user_program *p = &t->programs[t->program_count];
	struct tl_user_slot *slot = slot_of(t, p->process);

	p->before = slot ? slot->item - 1 : NONE;
	if (!slot &&
	    note(&t->by_process, hash_process(p->process), t->program_count))
		return -ENOMEM;
	t->program_count++;
	if (slot)
		slot->item = (uint32_t)t->program_count;
	return 0;
}

static struct tl_user_program *add_program(struct tl_user_table *t,
					   pid_t process)
{
	struct tl_user_program *p =
		tl_user_room(t->programs, t->program_count, sizeof(*p));

	if (!p)
		return NULL;
	t->programs = p;
	p += t->program_count;
	*p = (struct tl_user_program){ .process = process,
				       .until = TL_USER_STILL_THERE,
				       .is_walked = true };
	return note_program(t) ? NULL : p;
}

/* NULL without memory. */
static struct tl_user_program *get_program(struct tl_user_table *t,
					   pid_t process, uint64_t ns)
{
	struct tl_user_program *p =
		program_at(t, process, ns) ?: add_program(t, process);

	if (p && ns > p->seen)
		p->seen = ns;
	return p;
}

static bool is_full(const struct tl_user_table *t)
{
	return t->frame_count >= TL_USER_MAX_FRAMES ||
	       t->symbol_count >= TL_USER_MAX_FRAMES ||
	       t->program_count >= TL_USER_MAX_FRAMES ||
	       t->text.len >= MAX_TEXT;
}

/* All may be moved for it. */
static bool has_room(struct tl_user_table *t, uint64_t ns)
{
	if (!is_full(t))
		return true;
	if (ns < t->next)
		return false;
	tl_user_table_forget(t, t->last && t->last < ns ? ns - t->last : 0);
	t->next = ns + (t->last ? t->last / 8 : FORGET_NS);
	return !is_full(t);
}

static uint32_t number_of(const struct tl_user_table *t,
			  const struct tl_user_program *p)
{
	return (uint32_t)(p - t->programs);
}

void tl_user_table_end(struct tl_user_table *t, pid_t process, uint64_t ns)
{
	struct tl_user_program *p = last_program(t, process);

	if (p && p->until == TL_USER_STILL_THERE)
		p->until = ns;
}

void tl_user_table_walked(struct tl_user_table *t, pid_t process, uint64_t ns,
			  bool walked)
{
	struct tl_user_program *p = has_room(t, ns)
					    ? get_program(t, process, ns)
					    : program_at(t, process, ns);

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
static struct tl_user_frame *frame_at(const struct tl_user_table *t,
				      const struct tl_user_program *p,
				      const struct tl_user_address *a)
{
	const uint32_t number = number_of(t, p),
		       hash = hash_address(number, a->addr, a->is_return);
	struct tl_user_frame *found = NULL, *f;
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
	struct tl_user_program *p = program_at(t, a->process, a->ns);
	const struct tl_user_frame *f = p ? frame_at(t, p, a) : NULL;

	if (p && a->ns > p->seen)
		p->seen = a->ns;
	if (f)
		return !f->again || a->ns < f->again;
	if (has_room(t, a->ns))
		return false;
	t->missing++;
	return true;
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
static bool change(struct tl_user_table *t, struct tl_user_frame *f,
		   uint32_t symbol, const struct tl_user_symbol *sym)
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
static struct tl_user_frame *add_frame(struct tl_user_table *t,
				       struct tl_user_program *p,
				       const struct tl_user_address *a)
{
	const uint32_t number = number_of(t, p);
	struct tl_user_frame *f =
		tl_user_room(t->frames, t->frame_count, sizeof(*f));

	if (!f)
		return NULL;
	t->frames = f;
	if (note(&t->by_address, hash_address(number, a->addr, a->is_return),
		 t->frame_count))
		return NULL;
	f += t->frame_count;
	*f = (struct tl_user_frame){ .addr = a->addr,
				     .is_return = a->is_return,
				     .program = number };
	t->frame_count++;
	return f;
}

/* 0 or -ENOMEM */
static int set_name(struct tl_user_table *t, const struct tl_user_address *a,
		    const struct tl_user_symbol *sym, uint64_t again)
{
	struct tl_user_program *p = get_program(t, a->process, a->ns);
	const uint32_t symbol = symbol_of(t, sym);
	struct tl_user_frame *before, *f;
	unsigned int names;

	if (!p || symbol == NONE)
		return -ENOMEM;
	before = frame_at(t, p, a);
	if (before && change(t, before, symbol, sym)) {
		before->again = again;
		return 0;
	}
	names = before ? before->names + 1U : 0;
	f = add_frame(t, p, a);
	if (!f)
		return -ENOMEM;
	f->names = (uint8_t)names;
	f->since = names ? a->ns : 0;
	f->symbol = symbol;
	f->again = again;
	return 0;
}

void tl_user_table_add(struct tl_user_table *t, const struct tl_user_address *a,
		       const struct tl_user_symbol *sym, bool again)
{
	if (!has_room(t, a->ns) ||
	    set_name(t, a, sym, again ? a->ns + TL_USER_AGAIN_NS : 0))
		t->missing++;
}

/* ---- forgetting ------------------------------------------------------- */

/* What stays gets a number that is not 0; then the one that it will have, + 1. */
struct kept {
	uint32_t *programs, *symbols, *texts;
};

static bool stays(const struct tl_user_table *t, const struct tl_user_frame *f,
		  uint64_t since)
{
	return t->programs[f->program].seen >= since && tl_user_is_named(t, f);
}

static void mark(const struct tl_user_table *t, uint64_t since,
		 const struct kept *k)
{
	size_t i;

	for (i = 0; i < t->frame_count; i++)
		if (stays(t, &t->frames[i], since))
			k->symbols[t->frames[i].symbol] = 1;
	for (i = 0; i < t->symbol_count; i++)
		if (k->symbols[i])
			k->texts[t->symbols[i].function] =
				k->texts[t->symbols[i].file] = 1;
}

static void keep_texts(struct tl_user_table *t, uint32_t *texts)
{
	const size_t count = t->text_count;
	size_t i, len;
	char *text;

	clear_index(&t->by_text);
	t->text_count = t->text.len = 0;
	for (i = 0; i < count; i++) {
		text = t->text.data + t->texts[i];
		if (!texts[i + 1])
			continue;
		len = strlen(text) + 1;
		note(&t->by_text, hash_text(text), t->text_count);
		t->texts[t->text_count] = t->text.len;
		memmove(t->text.data + t->text.len, text, len);
		t->text.len += len;
		texts[i + 1] = (uint32_t)++t->text_count;
	}
	texts[0] = 0; /* there is none */
}

static void keep_symbols(struct tl_user_table *t, const struct kept *k)
{
	const size_t count = t->symbol_count;
	struct tl_user_numbers s;
	size_t i;

	clear_index(&t->by_symbol);
	t->symbol_count = 0;
	for (i = 0; i < count; i++) {
		if (!k->symbols[i])
			continue;
		s = t->symbols[i];
		s.function = k->texts[s.function];
		s.file = k->texts[s.file];
		t->symbols[t->symbol_count] = s;
		note(&t->by_symbol, hash_symbol(&s), t->symbol_count++);
		k->symbols[i] = (uint32_t)t->symbol_count;
	}
}

static void keep_frames(struct tl_user_table *t, const struct kept *k)
{
	const size_t count = t->frame_count;
	struct tl_user_frame f;
	size_t i;

	clear_index(&t->by_address);
	t->frame_count = 0;
	for (i = 0; i < count; i++) {
		f = t->frames[i];
		if (!k->programs[f.program] || !k->symbols[f.symbol])
			continue;
		f.program = k->programs[f.program] - 1;
		f.symbol = k->symbols[f.symbol] - 1;
		note(&t->by_address,
		     hash_address(f.program, f.addr, f.is_return),
		     t->frame_count);
		t->frames[t->frame_count++] = f;
	}
}

static void keep_programs(struct tl_user_table *t, uint64_t since,
			  uint32_t *programs)
{
	const size_t count = t->program_count;
	size_t i;

	clear_index(&t->by_process);
	t->program_count = 0;
	for (i = 0; i < count; i++) {
		if (t->programs[i].seen < since)
			continue;
		t->programs[t->program_count] = t->programs[i];
		note_program(t);
		programs[i] = (uint32_t)t->program_count;
	}
}

void tl_user_table_forget(struct tl_user_table *t, uint64_t since)
{
	const struct kept k = {
		calloc(t->program_count + 1, sizeof(*k.programs)),
		calloc(t->symbol_count + 1, sizeof(*k.symbols)),
		calloc(t->text_count + 1, sizeof(*k.texts)),
	};

	t->forgotten++;
	/* without memory it only stays larger */
	if (k.programs && k.symbols && k.texts) {
		mark(t, since, &k);
		keep_texts(t, k.texts);
		keep_symbols(t, &k);
		keep_programs(t, since, k.programs);
		keep_frames(t, &k);
	}
	free(k.programs);
	free(k.symbols);
	free(k.texts);
}

uint64_t tl_user_table_forgotten(const struct tl_user_table *t)
{
	return t->forgotten;
}
