// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * chain.c - stacks as values
 *
 * A stack is kept once: found by a hash, and compared whole, so that no two of them are
 * ever taken for one.  Addresses in a program get their names when they are seen for the
 * first time: the process may have ended when they are shown.  Those in the kernel get them
 * when they are asked for: to read its symbols takes so long that records may be lost.
 */
#include "trace/chain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/part.h"
#include "base/recording.h"
#include "kernel/functions.h"
#include "record/event.h"
#include "trace/stack.h"
#include "trace/usersym.h"
#include "tracelet/message.h"
#include "tracelet/symbol.h"
#include "tracelet/task.h"
#include "tracelet/tracefs.h"

#define MAX_FRAMES (TL_CHAIN_MAX - 1)
/* Addresses in programs: new ones of many short processes push out the others. */
#define MAX_USER 100000
#define AGAIN_NS 20000000 /* until a name that was missing is looked up again */
/* Stacks: what is more is one of "[...]". */
#define MAX_CHAINS 400000
#define MAX_BYTES \
	(64 << 20) /* of their names, and as many of their addresses */

#define PROGRAMS 4096

/* Whose addresses: of programs another number. */
enum {
	OF_KERNEL = 1 << 0,
	IS_CUT = 1 << 1,       /* there are more, or may be */
	IS_INTERRUPT = 1 << 2, /* of one */
	AT_EVENT = 1 << 3,     /* it begins with what records that */
	IS_BEHIND =
		1
		<< 4, /* what an interrupt has interrupted, and before that itself */
};
#define TITLE_SHIFT 8 /* above these: the number of a title, or 0 */

/* Bytes that are kept once. */
struct item {
	struct item *next; /* in its bucket */
	uint64_t hash;
	uint64_t who; /* of addresses: whose they are; of names 0 */
	const struct tl_chain *named; /* of addresses: once they have names */
	uint64_t again; /* ns: they may have better ones then; 0: never */
	size_t size;
	char bytes[];
};

struct set {
	struct item **buckets;
	size_t size, count; /* a power of two */
	size_t bytes;       /* of all */
};

/* Names, each terminated, or addresses in the kernel; the innermost first. */
struct tl_chain {
	struct item item;
};

struct tl_chains {
	struct tl_part part;
	tl_chain_handler *handler;
	struct tl_chain_more (*ask)(struct tl_session *s,
				    const struct tl_record *r,
				    enum tl_stack_kind kind); /* or NULL */
	char **titles;
	unsigned int title_count;
	bool interrupted; /* TL_STACK_INTERRUPTED */
	bool of_programs; /* there are stacks of these */
	struct tl_stack_fields of_kernel, of_user;
	struct tl_field flags; /* of the kernel's */
	struct set kernel, user, names;
	/* by the lower bits of process ids: one has begun, or executes another program */
	uint32_t programs[PROGRAMS];
	struct tl_buf buf;
	uint64_t list[MAX_FRAMES];
	const struct tl_chain *rest; /* of what has no place */
};

/* That of a program, as it was recorded. */
struct user_stack {
	pid_t process;
	struct tl_frames frames;
	uint64_t ns;
	bool is_walked; /* all of them are its, whatever program that is */
};

static const struct tl_part_ops chains_ops;

static struct tl_chains *chains(const struct tl_session *s)
{
	return tl_part_find(s, &chains_ops);
}

/* ---- each once -------------------------------------------------------- */

static void clear(struct set *set)
{
	struct item *item;
	size_t i;

	for (i = 0; i < set->size; i++) {
		while ((item = set->buckets[i])) {
			set->buckets[i] = item->next;
			free(item);
		}
	}
	set->count = set->bytes = 0;
}

static void widen(struct set *set)
{
	size_t i, size = set->size ? set->size * 4 : 256;
	struct item **more = calloc(size, sizeof(*more)), *item;

	if (!more)
		return; /* only slower */
	for (i = 0; i < set->size; i++) {
		while ((item = set->buckets[i])) {
			set->buckets[i] = item->next;
			item->next = more[item->hash & (size - 1)];
			more[item->hash & (size - 1)] = item;
		}
	}
	free(set->buckets);
	set->buckets = more;
	set->size = size;
}

/* FNV-1a, eight bytes at once; its upper half is mixed into the lower one. */
static uint64_t hash_of(uint64_t who, const char *bytes, size_t size)
{
	uint64_t hash = 14695981039346656037U ^ who, word;

	for (; size >= sizeof(word);
	     bytes += sizeof(word), size -= sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		hash = (hash ^ word) * 1099511628211U;
		hash ^= hash >> 32;
	}
	for (; size; size--)
		hash = (hash ^ (uint8_t)*bytes++) * 1099511628211U;
	return hash ^ hash >> 32;
}

static struct item *find(const struct set *set, const struct item *wanted,
			 const char *bytes)
{
	struct item *item =
		set->size ? set->buckets[wanted->hash & (set->size - 1)] : NULL;

	while (item &&
	       (item->hash != wanted->hash || item->who != wanted->who ||
		item->size != wanted->size ||
		memcmp(item->bytes, bytes, wanted->size)))
		item = item->next;
	return item;
}

static struct item *add(struct set *set, const struct item *like,
			const char *bytes)
{
	struct item *item;

	if (set->count >= set->size)
		widen(set);
	item = set->size ? malloc(sizeof(*item) + like->size) : NULL;
	if (!item)
		return NULL;
	*item = *like;
	memcpy(item->bytes, bytes, like->size);
	item->next = set->buckets[item->hash & (set->size - 1)];
	set->buckets[item->hash & (set->size - 1)] = item;
	set->count++;
	set->bytes += sizeof(*item) + like->size;
	return item;
}

static bool is_full(const struct set *set)
{
	return set->count >= MAX_CHAINS || set->bytes >= MAX_BYTES;
}

/* The item of these bytes; a new one only if it may be. */
static struct item *kept(struct set *set, uint64_t who, const char *bytes,
			 size_t size, bool may_add)
{
	struct item wanted = { .who = who,
			       .size = size,
			       .hash = hash_of(who, bytes, size) },
		    *item = find(set, &wanted, bytes);

	return item || !may_add ? item : add(set, &wanted, bytes);
}

/* The stack of the names in @b; NULL without memory, and the next one may have some. */
static const struct tl_chain *chain_of(struct tl_chains *t, struct tl_buf *b)
{
	static const char rest[] = "[...]";
	const bool full = is_full(&t->names);
	struct item *item;

	if (b->failed)
		tl_buf_free(b);
	if (!b->data || !b->len)
		return NULL;
	item = kept(&t->names, 0, b->data, b->len, !full);
	if (!item && full)
		item = kept(&t->names, 0, rest, sizeof(rest), true);
	return (const struct tl_chain *)item;
}

static void add_name(struct tl_buf *b, struct tl_str name)
{
	tl_buf_add(b, name.text, name.len);
	tl_buf_char(b, '\0');
}

const struct tl_chain *tl_chain_of(struct tl_session *s,
				   const struct tl_str names[], size_t count)
{
	struct tl_chains *t = chains(s);
	size_t i;

	t->buf.len = 0;
	for (i = 0; i < count; i++)
		add_name(&t->buf, names[i]);
	return chain_of(t, &t->buf);
}

size_t tl_chain_names(const struct tl_chain *chain, struct tl_str names[])
{
	const char *name = chain ? chain->item.bytes : NULL,
		   *end = chain ? name + chain->item.size : NULL;
	size_t count = 0;

	for (; name < end && count < TL_CHAIN_MAX;
	     name += names[count++].len + 1)
		names[count] = (struct tl_str){ name, strlen(name) };
	return count;
}

/* ---- names ------------------------------------------------------------ */

static const struct tl_str cut_off = { "[cut]", 5 };

/*
 * Where an interrupt enters the kernel: what it interrupted is behind this.  Of x86:
 * arch/x86/include/asm/idtentry.h, and with FRED (6.9) arch/x86/entry/entry_fred.c, where
 * system calls come in by the same asm_fred_entrypoint_user, and fred_extint() jumps to
 * common_interrupt(); of arm64, before and since 5.14: arch/arm64/kernel/entry.S; elsewhere
 * it stays.
 */
static bool is_entry(struct tl_str name)
{
	static const char *const entries[] = {
		"asm_sysvec_",
		"common_interrupt",
		"fred_extint",
		"el1h_64_irq",
		"el0t_64_irq",
		"el0t_32_irq",
		"el1_irq",
		"el0_irq",
		"asm_exc_xen_hypervisor_callback",
	};
	size_t i, len;

	for (i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		len = strlen(entries[i]);
		if (name.len >= len && !memcmp(name.text, entries[i], len))
			return true;
	}
	return false;
}

/* By its last name: all behind that was left out. */
bool tl_chain_is_interrupt(const struct tl_chain *named)
{
	const char *bytes = named ? named->item.bytes : NULL;
	size_t end = named ? named->item.size - 1 : 0, start = end;

	while (start && bytes[start - 1])
		start--;
	return named && is_entry((struct tl_str){ bytes + start, end - start });
}

/* Up to that one, if there is one. */
static size_t count_of_interrupt(const struct tl_str names[], size_t count)
{
	size_t i = 0;

	while (i < count && !is_entry(names[i]))
		i++;
	return i < count ? i + 1 : count;
}

/* Behind it, and all that an interrupt came by: el1h_64_irq_handler, el1h_64_irq. */
static size_t behind_interrupt(const struct tl_str names[], size_t count)
{
	size_t i = count_of_interrupt(names, count);

	while (i < count &&
	       (is_entry(names[i]) ||
		(names[i].len > 4 && !memcmp(names[i].text, "asm_", 4))))
		i++;
	return i;
}

static void add_title(struct tl_chains *t, uint64_t number)
{
	const char *title = t->titles[number - 1];

	add_name(&t->buf, (struct tl_str){ title, strlen(title) });
}

static void name_kernel(struct tl_session *s, struct tl_chains *t,
			const struct item *item)
{
	static struct tl_str names[MAX_FRAMES];
	const size_t all = item->size / sizeof(t->list[0]);
	size_t i, count = all;
	const char *name;
	uint64_t offset;

	memcpy(t->list, item->bytes, item->size);
	for (i = 0; i < all; i++) {
		name = tl_symbol(s, t->list[i], &offset) ?: "[unknown]";
		names[i] = (struct tl_str){ name, strlen(name) };
	}
	if (item->who & IS_INTERRUPT)
		count = count_of_interrupt(names, all);
	i = item->who & IS_BEHIND  ? behind_interrupt(names, count)
	    : item->who & AT_EVENT ? tl_stack_tracers(names, count)
				   : 0;
	if (item->who >> TITLE_SHIFT)
		add_title(t, item->who >> TITLE_SHIFT);
	for (; i < count; i++)
		add_name(&t->buf, names[i]);
	if (item->who & IS_CUT && count == all)
		add_name(&t->buf, cut_off);
}

const struct tl_chain *tl_chain_named(struct tl_session *s,
				      const struct tl_chain *chain)
{
	struct tl_chains *t = chains(s);
	struct item *item;

	if (!chain || !chain->item.who)
		return chain;
	item = find(&t->kernel, &chain->item, chain->item.bytes);
	if (item && !item->named) {
		t->buf.len = 0;
		name_kernel(s, t, item);
		item->named = chain_of(t, &t->buf);
	}
	return item ? item->named : NULL;
}

/* Adds the names of @stack; 0, or -EAGAIN if they may be better ones later. */
static int name_user(struct tl_session *s, struct tl_chains *t,
		     const struct user_stack *stack)
{
	static const struct tl_user_place nowhere;
	struct tl_user_address a = { .process = stack->process,
				     .ns = stack->ns };
	size_t count = stack->frames.count, i;
	struct tl_user_symbol sym;
	int ret = 0;

	if (count > 1 && !stack->is_walked &&
	    !tl_user_is_walked(s, stack->process, stack->ns))
		count = 1;
	for (i = 0; i < count; i++) {
		memcpy(&a.addr, stack->frames.at + i * sizeof(a.addr),
		       sizeof(a.addr));
		a.is_return = i > 0;
		if (tl_user_symbol(s, &nowhere, &a, &sym))
			ret = -EAGAIN;
		tl_user_symbol_name(&t->buf, &sym);
		tl_buf_char(&t->buf, '\0');
	}
	if (stack->frames.cut || count < stack->frames.count)
		add_name(&t->buf, cut_off);
	return ret;
}

/* ---- records ---------------------------------------------------------- */

static size_t slot_of(pid_t process)
{
	return (size_t)process % PROGRAMS;
}

/* Addresses of another program in the same process are others. */
static uint64_t whose(const struct tl_chains *t, const struct user_stack *stack)
{
	return (uint64_t)t->programs[slot_of(stack->process)] << 32 |
	       (uint32_t)stack->process << 1 | stack->frames.cut;
}

static const struct tl_chain *
kernel_chain(struct tl_chains *t, const struct tl_frames *frames, uint64_t who)
{
	const size_t count =
		frames->count < MAX_FRAMES ? frames->count : MAX_FRAMES;
	struct item *item;

	who |= OF_KERNEL;
	if (frames->cut || count < frames->count)
		who |= IS_CUT;
	item = kept(&t->kernel, who, frames->at, count * sizeof(t->list[0]),
		    !is_full(&t->kernel));
	return item ? (const struct tl_chain *)item : t->rest;
}

static struct tl_chain_more more_of(struct tl_session *s,
				    const struct tl_chains *t,
				    const struct tl_record *r,
				    enum tl_stack_kind kind)
{
	return t->ask ? t->ask(s, r, kind) : (struct tl_chain_more){ 0 };
}

/*
 * Behind the innermost frame the one that called it.  The kernel's own may be there: what
 * calls itself from one place only then has one frame less than it could.
 */
static void add_caller(struct tl_chains *t, struct tl_frames *frames,
		       uint64_t caller, enum tl_stack_kind kind)
{
	const size_t each = sizeof(caller);
	size_t count = frames->count;

	if (!caller || !count)
		return;
	if (kind == TL_STACK_KERNEL && count > 1 &&
	    !memcmp(frames->at + each, &caller, each))
		return;
	if (count > MAX_FRAMES - 1) {
		count = MAX_FRAMES - 1;
		frames->cut = true;
	}
	memcpy(t->list, frames->at, each);
	t->list[1] = caller;
	memcpy(t->list + 2, frames->at + each, (count - 1) * each);
	frames->at = (const char *)t->list;
	frames->count = count + 1;
}

/* The format shows eight frames; there are as many as the record holds. */
static void on_kernel(struct tl_session *s, const struct tl_record *r)
{
	struct tl_chains *t = r->event->ctx;
	const size_t depth = tl_field_u32(r, &t->of_kernel.depth);
	const size_t room =
		(r->size - t->of_kernel.frames.offset) / sizeof(t->list[0]);
	const struct tl_chain_more more = more_of(s, t, r, TL_STACK_KERNEL);
	struct tl_frames frames = {
		.at = r->data + t->of_kernel.frames.offset,
		.count = depth < room ? depth : room,
		.cut = depth > room,
	};
	uint64_t who = (uint64_t)more.title << TITLE_SHIFT;

	if (more.unwanted)
		return;
	add_caller(t, &frames, more.caller, TL_STACK_KERNEL);
	if (!more.is_function)
		who |= AT_EVENT;
	if (t->interrupted)
		who |= IS_BEHIND;
	else if (r->data[t->flags.offset] & TL_IN_INTERRUPT)
		who |= IS_INTERRUPT;
	t->handler(s, r, kernel_chain(t, &frames, who), TL_STACK_KERNEL);
}

/* What may have better names later is looked up again, but not each time. */
static const struct tl_chain *user_chain(struct tl_session *s,
					 struct tl_chains *t,
					 const struct user_stack *stack)
{
	const uint64_t who = whose(t, stack);
	const size_t size = stack->frames.count * sizeof(uint64_t);
	struct item *item = kept(&t->user, who, stack->frames.at, size, false);
	const struct tl_chain *named;
	int passing;

	if (item && (!item->again || stack->ns < item->again))
		return item->named;
	t->buf.len = 0;
	passing = name_user(s, t, stack);
	named = chain_of(t, &t->buf);
	if (!item && t->user.count >= MAX_USER)
		clear(&t->user);
	if (!item && named)
		item = kept(&t->user, who, stack->frames.at, size, true);
	if (item && named) {
		item->named = named;
		item->again = passing ? stack->ns + AGAIN_NS : 0;
	}
	return named;
}

/* As many as the format shows; behind the outermost there are zeroes. */
static void on_user(struct tl_session *s, const struct tl_record *r)
{
	struct tl_chains *t = r->event->ctx;
	const size_t room = t->of_user.frames.size / sizeof(t->list[0]);
	struct user_stack stack = {
		.process = (pid_t)tl_field_u32(r, &t->of_user.process),
		.frames.at = r->data + t->of_user.frames.offset,
		.ns = r->ns,
	};
	const struct tl_chain_more more = more_of(s, t, r, TL_STACK_USER);
	uint64_t frame = 1;
	size_t i = 0;

	if (more.unwanted)
		return;
	for (; i < room && i < MAX_FRAMES; i++) {
		memcpy(&frame, stack.frames.at + i * sizeof(frame),
		       sizeof(frame));
		if (!frame)
			break;
	}
	stack.frames.count = i;
	stack.frames.cut = frame != 0;
	add_caller(t, &stack.frames, more.caller, TL_STACK_USER);
	t->handler(s, r, i ? user_chain(s, t, &stack) : NULL, TL_STACK_USER);
}

/* ---- from elsewhere --------------------------------------------------- */

const struct tl_chain *tl_chain_kernel(struct tl_session *s,
				       const struct tl_frames *frames)
{
	return frames->count ? kernel_chain(chains(s), frames, 0) : NULL;
}

const struct tl_chain *tl_chain_user(struct tl_session *s, pid_t process,
				     const struct tl_frames *frames,
				     uint64_t ns)
{
	struct user_stack stack = { .process = process,
				    .frames = *frames,
				    .ns = ns,
				    .is_walked = true };

	if (stack.frames.count > MAX_FRAMES) {
		stack.frames.count = MAX_FRAMES;
		stack.frames.cut = true;
	}
	return frames->count ? user_chain(s, chains(s), &stack) : NULL;
}

/* ---- what records do not have ----------------------------------------- */

void tl_chains_ask(struct tl_session *s,
		   struct tl_chain_more (*ask)(struct tl_session *s,
					       const struct tl_record *r,
					       enum tl_stack_kind kind))
{
	chains(s)->ask = ask;
}

unsigned int tl_chains_title(struct tl_session *s, const char *text)
{
	struct tl_chains *t = chains(s);
	char **more =
		reallocarray(t->titles, t->title_count + 1, sizeof(*more));

	if (!more)
		return 0;
	t->titles = more;
	more[t->title_count] = strdup(text);
	return more[t->title_count] ? ++t->title_count : 0;
}

/* ---- the part --------------------------------------------------------- */

static void on_task(struct tl_session *s, void *part, pid_t tid,
		    enum tl_task_change change, uint64_t ns)
{
	struct tl_chains *t = part;

	if (!t->of_programs)
		return;
	/* another thread executes no program: exec gives it the id of the process */
	if (change == TL_TASK_NEW ||
	    (change == TL_TASK_RENAMED && tl_task_process(s, tid) == tid))
		t->programs[slot_of(tid)]++;
}

static void free_chains(void *part)
{
	struct tl_chains *t = part;

	clear(&t->kernel);
	clear(&t->user);
	clear(&t->names);
	while (t->title_count)
		free(t->titles[--t->title_count]);
	free(t->titles);
	free(t->kernel.buckets);
	free(t->user.buckets);
	free(t->names.buckets);
	tl_buf_free(&t->buf);
	free(t);
}

static const struct tl_part_ops chains_ops = { .task = on_task,
					       .free = free_chains };

/* ---- set-up ----------------------------------------------------------- */

int tl_chains_check(struct tl_session *s, unsigned int kinds)
{
	int ret = 0;

	if (kinds & TL_STACK_KERNEL)
		ret = tl_stack_check(s, TL_STACK_KERNEL, "");
	if (!ret && kinds & TL_STACK_USER)
		ret = tl_stack_check(s, TL_STACK_USER, ": use -K");
	return ret;
}

static int open_kernel(struct tl_session *s, struct tl_chains *t)
{
	struct tl_event *ev =
		tl_stack_event(s, TL_STACK_KERNEL, on_kernel, &t->of_kernel);
	int ret;

	if (!ev)
		return -errno;
	ev->ctx = t;
	ret = tl_event_field(s, ev, "common_flags", &t->flags);
	tl_event_require(ev, &t->flags);
	return ret;
}

static int open_user(struct tl_session *s, struct tl_chains *t)
{
	struct tl_event *ev =
		tl_stack_event(s, TL_STACK_USER, on_user, &t->of_user);

	if (!ev)
		return -errno;
	ev->ctx = t;
	return 0;
}

static struct tl_chains *new_chains(struct tl_session *s, unsigned int kinds)
{
	struct tl_chains *t = tl_part_new(s, &chains_ops, sizeof(*t));

	if (!t)
		return NULL;
	t->interrupted = kinds & TL_STACK_INTERRUPTED;
	t->of_programs = kinds & TL_STACK_USER;
	t->rest = tl_chain_of(s, &(struct tl_str){ "[...]", 5 }, 1);
	return t->rest ? t : NULL;
}

int tl_chains_use(struct tl_session *s, unsigned int kinds)
{
	int ret = new_chains(s, kinds) ? 0 : -ENOMEM;

	if (!ret && kinds & TL_STACK_KERNEL)
		ret = tl_symbols_open(s);
	if (!ret && kinds & TL_STACK_USER)
		ret = tl_user_symbols_open(s);
	return ret;
}

int tl_chains_open(struct tl_session *s, unsigned int kinds,
		   tl_chain_handler *handler)
{
	struct tl_chains *t;
	int ret = tl_chains_check(s, kinds);

	if (ret)
		return ret;
	t = new_chains(s, kinds);
	if (!t)
		return -ENOMEM;
	t->handler = handler;
	if (kinds & TL_STACK_KERNEL)
		ret = open_kernel(s, t);
	if (!ret && kinds & TL_STACK_USER)
		ret = open_user(s, t);
	return ret;
}

int tl_chains_at(struct tl_session *s, const struct tl_event *ev,
		 const char *condition)
{
	if (tl_recording_replays(s->recording))
		return 0;
	/* a trigger does not wait for its event to be enabled */
	return tl_write_file(s, "tracing_on", "0")
		       ?: tl_event_trigger(s, ev, "stacktrace", condition);
}
