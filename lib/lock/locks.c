// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * locks.c - waits for locks of the kernel
 *
 * Waits nest: who waits for a mutex is interrupted, and the interrupt waits for a spinlock.
 * No thread waits for one lock twice at a time, so a wait is found by lock and thread.
 */
#include "tracelet/lock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/part.h"
#include "record/event.h"
#include "tracelet/hits.h"
#include "tracelet/pairs.h"
#include "tracelet/source.h"

#define MAX_WAITS 65536 /* at a time */

/* Bits of flags in the record (include/trace/events/lock.h). */
enum {
	SPIN = 1 << 0,
	READ = 1 << 1,
	WRITE = 1 << 2,
	RT = 1 << 3,
	PERCPU = 1 << 4,
	MUTEX = 1 << 5
};

struct wait {
	struct tl_lock_wait told; /* @to 0: it goes on */
	int64_t key;              /* of the thread: key_of() */
	bool has_stacks;          /* they have come, or never will */
};

struct locks {
	struct tl_part part;
	const struct tl_locks_config *config;
	struct tl_pairs *waits; /* by the lock */
};

static void on_hit(struct tl_session *s, const struct tl_hit *hit);

static struct tl_hits_config hits = { .hit = on_hit };

/* Where the values are in records; the same for the whole run. */
static struct {
	struct tl_field lock, flags, ended;
	struct tl_event *begin, *end;
} at;

/* A wait that had ended, and lost its stack, was told before: by hits. */
static void on_lost(struct tl_session *s, void *part, unsigned int cpu)
{
	tl_pairs_clear(((struct locks *)part)->waits);
}

static void free_locks(void *part)
{
	struct locks *l = part;

	tl_pairs_free(l->waits);
	free(l);
}

static const struct tl_part_ops locks_ops = { .lost = on_lost,
					      .free = free_locks };

static struct locks *locks(const struct tl_session *s)
{
	return tl_part_find(s, &locks_ops);
}

/* A kernel for real time has spinlocks and semaphores that are of RT mutexes. */
static enum tl_lock_kind kind_of(unsigned int flags, const char **name)
{
	static const struct {
		unsigned int mask, flags;
		enum tl_lock_kind kind;
		const char *name;
	} kinds[] = {
		{ MUTEX, MUTEX, TL_LOCK_MUTEX, "mutex" },
		{ PERCPU | READ, PERCPU | READ, TL_LOCK_PERCPU_RWSEM,
		  "percpu-rwsem-read" },
		{ PERCPU, PERCPU, TL_LOCK_PERCPU_RWSEM, "percpu-rwsem-write" },
		{ SPIN | READ, SPIN | READ, TL_LOCK_RWLOCK, "rwlock-read" },
		{ SPIN | WRITE, SPIN | WRITE, TL_LOCK_RWLOCK, "rwlock-write" },
		{ SPIN, SPIN, TL_LOCK_SPINLOCK, "spinlock" },
		{ READ, READ, TL_LOCK_RWSEM, "rwsem-read" },
		{ WRITE, WRITE, TL_LOCK_RWSEM, "rwsem-write" },
		{ RT, RT, TL_LOCK_RTMUTEX, "rtmutex" },
	};
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if ((flags & kinds[i].mask) != kinds[i].flags)
			continue;
		*name = kinds[i].name;
		return kinds[i].kind;
	}
	*name = "semaphore";
	return TL_LOCK_SEMAPHORE;
}

/* A thread; of an idle processor that. */
static int64_t key_of(const struct tl_record *r)
{
	return r->pid ? r->pid : -1 - (int64_t)r->cpu;
}

static struct wait *find(const struct locks *l, const struct tl_record *r,
			 uint64_t lock)
{
	const int64_t key = key_of(r);
	struct wait *w = tl_pairs_get(l->waits, (int64_t)lock);

	while (w && (w->key != key || w->told.to))
		w = tl_pairs_next(w);
	return w;
}

static void tell(struct tl_session *s, const struct locks *l, struct wait *w)
{
	if (!w->told.to || !w->has_stacks)
		return;
	if (w->told.kind & l->config->kinds && tl_cpu_matches(s, w->told.cpu))
		l->config->waited(s, &w->told);
	tl_pairs_remove(l->waits, w);
}

/* A wait that spins for a mutex and then sleeps has two begins, and one end. */
static void on_begin(struct tl_session *s, const struct tl_record *r)
{
	struct locks *l = r->event->ctx;
	const uint64_t lock = (uint64_t)tl_field_long(r, &at.lock);
	struct wait *w = find(l, r, lock);

	if (w && w->told.kind == TL_LOCK_MUTEX)
		return;
	if (w) /* its end was missed */
		tl_pairs_remove(l->waits, w);
	w = tl_pairs_add(l->waits, (int64_t)lock);
	if (!w)
		return;
	memset(w, 0, sizeof(*w));
	w->key = key_of(r);
	w->told.lock = lock;
	w->told.since = r->ns;
	w->told.kind = kind_of(tl_field_u32(r, &at.flags), &w->told.name);
	tl_hits_record(s, r);
}

/* A clock may give two threads the same time. */
static bool is_of(const struct wait *w, const struct tl_stack_of *thread)
{
	return thread->tid <= 0 || w->key == thread->tid;
}

static void on_hit(struct tl_session *s, const struct tl_hit *hit)
{
	struct locks *l = locks(s);
	struct wait *w = tl_pairs_get(l->waits, hit->value);

	while (w && (w->told.since != hit->ns || w->has_stacks ||
		     !is_of(w, &hit->thread)))
		w = tl_pairs_next(w);
	if (!w)
		return;
	w->told.thread = hit->thread;
	w->has_stacks = true;
	tell(s, l, w);
}

/* Not each has a begin: what the kernel gets at once after all may have none. */
static void on_end(struct tl_session *s, const struct tl_record *r)
{
	struct locks *l = r->event->ctx;
	struct wait *w = find(l, r, (uint64_t)tl_field_long(r, &at.ended));

	if (!w)
		return;
	w->told.to = r->ns;
	w->told.cpu = r->cpu;
	tell(s, l, w);
}

void tl_locks_cut(struct tl_session *s, uint64_t ns)
{
	tl_hits_cut(s, ns);
}

/* ---- set-up ----------------------------------------------------------- */

#define MISSING                                                     \
	"the kernel does not tell of waits for locks (Linux 5.19, " \
	"lock:contention_begin)"

static const struct tl_source sources[] = {
	{ .place = "lock:contention_begin",
	  .handler = on_begin,
	  .fields = TL_SOURCE_FIELDS({ "lock_addr", &at.lock },
				     { "flags", &at.flags }),
	  .added = &at.begin,
	  .missing = MISSING },
	{ .place = "lock:contention_end",
	  .handler = on_end,
	  .fields = TL_SOURCE_FIELDS({ "lock_addr", &at.ended }),
	  .added = &at.end,
	  .missing = MISSING },
	{ 0 }
};

int tl_locks_check(struct tl_session *s, const struct tl_locks_config *config)
{
	return tl_sources_add(s, sources) ?: tl_hits_check(s, config->stacks);
}

static int add_sources(struct tl_session *s, struct locks *l)
{
	int ret = tl_sources_add(s, sources)
			  ?: tl_event_long_field(s, at.begin, "lock_addr",
						 &at.lock)
			  ?: tl_event_long_field(s, at.end, "lock_addr",
						 &at.ended)
			  ?: tl_hits_value(s, at.begin, &at.lock);

	if (ret)
		return ret;
	at.begin->ctx = at.end->ctx = l;
	tl_event_require(at.begin, &at.lock);
	tl_event_require(at.begin, &at.flags);
	tl_event_require(at.end, &at.ended);
	return 0;
}

int tl_locks_open(struct tl_session *s, const struct tl_locks_config *config)
{
	struct locks *l;
	int ret;

	hits.kinds = config->stacks;
	ret = tl_hits_open(s, &hits); /* first: see on_lost() */
	l = ret ? NULL : tl_part_new(s, &locks_ops, sizeof(*l));
	if (!l)
		return ret ?: -ENOMEM;
	l->config = config;
	l->waits = tl_pairs_new(sizeof(struct wait), MAX_WAITS, NULL);
	return l->waits ? add_sources(s, l) : -ENOMEM;
}
