// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * states.c - the states of threads, from records of the scheduler
 *
 * A thread runs, waits for a processor, or sleeps.  Three records change that: the
 * switch of a processor from one thread to another, a wakeup, and the wakeup of a
 * new thread.  What the first record of a thread is tells what it did since the
 * start: who is woken slept, who gets a processor waited, who leaves one ran.
 */
#include "sched/states.h"

#include <stdlib.h>
#include <string.h>

#include "sched/history.h"

/*
 * The low bits of prev_state are the letters of fs/proc/array.c, behind R; none is set
 * of a thread that another one took the processor from, or that yielded it.
 */
#define STATE_BITS 0xff
static const char letters[] = "SDTtXZPI";

#define NEVER UINT64_MAX
#define MOVES 3 /* that are kept of a wait */

enum state {
	RUNS,
	WAITS,
	SLEEPS,
	WOKEN, /* if it slept: it was woken, and is not known to run */
};

struct thread {
	struct thread *chain; /* in its bucket */
	uint64_t since;       /* ns: in this state */
	uint64_t off;         /* ns: it left its processor */
	unsigned int epoch;   /* that state is known since; 0: not at all */
	unsigned int cpu;     /* where it ran last */
	pid_t tid;
	pid_t waker; /* of the sleep before; while it runs: of the next one */
	uint8_t state;
	char letter;    /* why it left its processor */
	bool began;     /* it has been seen that this state began, */
	bool off_began; /* that it left its processor */
	/* where it waits: on the processor @queue first, then it was moved */
	uint8_t moves;
	unsigned int queue;
	struct {
		unsigned int cpu;
		uint64_t ns;
	} move[MOVES];
	_Alignas(max_align_t) char own[];
};

struct cpu {
	unsigned int number;
	struct thread *thread;      /* that runs; NULL: idle, or not known */
	uint64_t since;             /* ns */
	bool known;                 /* what runs */
	pid_t running;              /* if that is known; 0: nothing */
	struct tl_history *history; /* NULL: none is kept */
};

struct tl_states {
	struct tl_states_config config;
	bool created;                /* a thread, by this record */
	struct thread *left, *woken; /* by this record; NULL: none */
	unsigned int epoch;          /* 1, and one more at each loss */
	/* that what is seen now is known since: 0 while records of some processor
	 * are missing, as it is void behind these */
	unsigned int sure;
	/* processors of which records are missing now; one more in the part of a file of
	 * which some are in the file before */
	unsigned int gaps;
	uint64_t complete; /* ns: records are, since then; NEVER: ask later */
	uint64_t cut;      /* ns: told up to then */
	struct tl_sched_slice slice; /* that is being told, */
	const struct thread *told;   /* and its thread */
	struct cpu *cpus;
	unsigned int count_cpus;
	struct thread **buckets;
	size_t size, count; /* a power of two; threads */
};

/* ---- threads ---------------------------------------------------------- */

static inline struct thread **slot(const struct tl_states *st, pid_t tid)
{
	struct thread **p = &st->buckets[(uint32_t)tid & (st->size - 1)];

	while (*p && (*p)->tid != tid)
		p = &(*p)->chain;
	return p;
}

static void grow(struct tl_states *st)
{
	struct thread **old = st->buckets, *th;
	size_t i, size = st->size;
	struct thread **more = calloc(size * 4, sizeof(*more));

	if (!more)
		return; /* only slower */
	st->buckets = more;
	st->size = size * 4;
	for (i = 0; i < size; i++) {
		while ((th = old[i])) {
			struct thread **p;

			old[i] = th->chain;
			p = slot(st, th->tid);
			th->chain = NULL;
			*p = th;
		}
	}
	free(old);
}

static void sleep_since_start(struct tl_states *st, struct thread *th,
			      uint64_t ns);

__attribute__((noinline)) static struct thread *add(struct tl_states *st,
						    pid_t tid, uint64_t ns)
{
	struct thread *th, **p;

	if (st->count >= st->size)
		grow(st);
	p = slot(st, tid);
	th = calloc(1, sizeof(*th) + st->config.own);
	if (!th)
		return NULL;
	th->tid = tid;
	*p = th;
	st->count++;
	st->created = true;
	if (st->config.asleep && st->epoch == 1)
		sleep_since_start(st, th, ns);
	return th;
}

/* NULL without memory: what it does is not told then. */
static inline struct thread *get(struct tl_states *st, pid_t tid, uint64_t ns)
{
	return *slot(st, tid) ?: add(st, tid, ns);
}

static inline bool known(const struct tl_states *st, const struct thread *th)
{
	return th->epoch == st->epoch;
}

/* What a thread does whose first record is of time @ns it did since then. */
static uint64_t complete(struct tl_states *st, uint64_t ns)
{
	if (st->gaps)
		return ns;
	if (st->epoch == 1 && st->complete == NEVER)
		st->complete = *st->config.start;
	if (st->complete > ns)
		st->complete = ns;
	return st->complete;
}

/* ---- processors ------------------------------------------------------- */

__attribute__((noinline)) static struct cpu *add_cpu(struct tl_states *st,
						     unsigned int cpu)
{
	struct cpu *more = reallocarray(st->cpus, cpu + 1, sizeof(*more)), *c;

	if (!more)
		return NULL;
	st->cpus = more;
	while (st->count_cpus <= cpu) {
		c = &more[st->count_cpus];
		*c = (struct cpu){ .number = st->count_cpus++ };
		if (st->config.history)
			c->history = tl_history_new();
	}
	return &more[cpu];
}

static inline struct cpu *cpu_of(struct tl_states *st, unsigned int cpu)
{
	return cpu < st->count_cpus ? &st->cpus[cpu] : add_cpu(st, cpu);
}

/* ---- what is told ----------------------------------------------------- */

/* Beside a kind: what is known of the ends of a time. */
#define BEGAN (1 << 8)
#define ENDED (1 << 9)
#define BOTH  (BEGAN | ENDED)

static unsigned int began(bool is)
{
	return is ? BEGAN : 0;
}

/* The part that has not been told yet. */
static void tell_slice(struct tl_states *st, struct tl_sched_slice *slice)
{
	/* a record can be newer than the end of a run */
	if (slice->since > slice->to)
		slice->since = slice->to;
	slice->from = slice->since > st->cut ? slice->since : st->cut;
	if (slice->from > slice->to)
		slice->from = slice->to;
	st->config.slice(st->config.s, slice);
}

/* Apart, so that what nobody wants to know costs a test. */
__attribute__((noinline)) static void tell_now(struct tl_states *st,
					       unsigned int what,
					       struct thread *th,
					       uint64_t since, uint64_t ns)
{
	const bool run = what & TL_SCHED_RUN, ended = what & ENDED;
	struct tl_sched_slice *slice = &st->slice;

	slice->kind = what & ~BOTH;
	slice->tid = th->tid;
	slice->cpu = th->cpu;
	slice->since = since;
	slice->to = ns;
	slice->began = what & BEGAN;
	slice->ended = ended;
	slice->letter = run && !ended ? '?' : th->letter;
	slice->waker = run || (what & TL_SCHED_SLEEP && !ended) ? 0 : th->waker;
	slice->own = th->own;
	st->told = th;
	tell_slice(st, slice);
}

static inline void tell(struct tl_states *st, unsigned int what,
			struct thread *th, uint64_t since, uint64_t ns)
{
	if (st->config.kinds & what && th->tid != st->config.silent)
		tell_now(st, what, th, since, ns);
}

static void tell_idle(struct tl_states *st, const struct cpu *c, uint64_t since,
		      uint64_t ns, bool ended)
{
	struct tl_sched_slice slice = {
		.kind = TL_SCHED_RUN,
		.cpu = c->number,
		.since = since,
		.to = ns,
		.began = c->known,
		.ended = ended,
		.letter = '?',
	};

	if (st->config.idle)
		tell_slice(st, &slice);
}

/* ---- records ---------------------------------------------------------- */

static void unlink_thread(struct tl_states *st, struct thread **p)
{
	struct thread *th = *p;

	if (st->config.settle)
		st->config.settle(st->config.s, th->tid, th->own);
	if (st->count_cpus && st->cpus[th->cpu].thread == th)
		st->cpus[th->cpu].thread = NULL;
	*p = th->chain;
	free(th);
	st->count--;
}

void tl_states_forget(struct tl_states *st, pid_t tid)
{
	struct thread **p = slot(st, tid);

	if (*p)
		unlink_thread(st, p);
}

/* Without the switches of others, -p, nothing tells that it has left another one. */
static inline void move(struct tl_states *st, struct thread *th,
			const struct cpu *c)
{
	if (th->cpu == c->number)
		return;
	if (st->cpus[th->cpu].thread == th)
		st->cpus[th->cpu].thread = NULL;
	th->cpu = c->number;
}

static char letter_of(uint64_t state)
{
	return state & STATE_BITS ? letters[__builtin_ctzll(state)] : 'R';
}

unsigned int tl_states_mask(char letter)
{
	const char *found = letter ? strchr(letters, letter) : NULL;

	if (!letter)
		return STATE_BITS;
	return found ? 1U << (found - letters) : 0;
}

/* What a thread is known to do since @ns, which is not to run, and where it waits. */
static void stay_off(const struct tl_states *st, struct thread *th,
		     enum state state, uint64_t ns, unsigned int queue)
{
	th->state = state;
	th->epoch = st->sure;
	th->since = ns;
	th->queue = queue;
	th->moves = 0;
}

/* Nothing is known of @th yet, whose first record is of time @ns. */
static void sleep_since_start(struct tl_states *st, struct thread *th,
			      uint64_t ns)
{
	unsigned int cpu = 0;
	char letter;

	if (!st->config.asleep(st->config.s, th->tid, ns, &letter, &cpu) ||
	    cpu >= st->count_cpus)
		return;
	th->cpu = cpu;
	th->letter = letter;
	th->off = complete(st, ns);
	stay_off(st, th, SLEEPS, th->off, cpu);
}

void tl_states_reserve(struct tl_states *st, unsigned int cpus)
{
	if (cpus)
		cpu_of(st, cpus - 1);
}

void tl_states_look(struct tl_states *st, pid_t tid, uint64_t ns)
{
	get(st, tid, ns);
}

/* A thread leaves its processor. */
static void leave(struct tl_states *st, struct cpu *c, struct thread *th,
		  uint64_t ns, uint64_t state)
{
	bool runs = known(st, th) && th->state == RUNS;

	th->letter = letter_of(state);
	move(st, th, c);
	if (runs)
		tell(st, TL_SCHED_RUN | began(th->began) | ENDED, th, th->since,
		     ns);
	else if (c->known) /* exec gave it another id while it ran */
		tell(st, TL_SCHED_RUN | ENDED, th, c->since, ns);
	else
		tell(st, TL_SCHED_RUN | ENDED, th, complete(st, ns), ns);
	if (!runs || th->letter == 'R')
		th->waker = 0;
	stay_off(st, th, th->letter == 'R' ? WAITS : SLEEPS, ns, c->number);
	th->off = ns;
	th->began = th->off_began = true;
	st->left = th;
}

/* Nothing was known of a thread that gets a processor. */
static void enter_unknown(struct tl_states *st, struct thread *th, uint64_t ns)
{
	uint64_t since = complete(st, ns);

	th->letter = '?';
	th->waker = 0;
	tell(st, TL_SCHED_WAIT | ENDED, th, since, ns);
	tell(st, TL_SCHED_OFF | ENDED, th, since, ns);
}

/* It slept, and has been woken: that it did not run all the time is known now. */
static void enter_woken(struct tl_states *st, struct thread *th, uint64_t ns)
{
	uint64_t since = complete(st, th->since);

	th->letter = '?';
	tell(st, TL_SCHED_SLEEP | ENDED, th, since, th->since);
	tell(st, TL_SCHED_WAIT | BOTH, th, th->since, ns);
	tell(st, TL_SCHED_OFF | ENDED, th, since, ns);
}

/*
 * A thread gets a processor.  One that sleeps for all we know was woken before it
 * had left, or a signal was there before it slept: it waited all the time.
 */
static void enter(struct tl_states *st, struct cpu *c, struct thread *th,
		  uint64_t ns)
{
	move(st, th, c);
	if (!known(st, th)) {
		enter_unknown(st, th, ns);
	} else if (th->state == WOKEN) {
		enter_woken(st, th, ns);
	} else if (th->state != RUNS) {
		tell(st, TL_SCHED_WAIT | began(th->began) | ENDED, th,
		     th->since, ns);
		tell(st, TL_SCHED_OFF | began(th->off_began) | ENDED, th,
		     th->off, ns);
	}
	th->state = RUNS;
	th->epoch = st->epoch;
	th->since = ns;
	th->began = true;
	th->waker = 0;
}

/*
 * The thread that leaves @c.  Where another one ran for all we know, exec has given
 * that one the id of its process.
 */
static struct thread *leaving(struct tl_states *st, struct cpu *c, pid_t prev,
			      uint64_t ns)
{
	if (c->thread && c->thread->tid == prev)
		return c->thread;
	if (c->thread)
		tl_states_forget(st, c->thread->tid);
	return get(st, prev, ns);
}

static void switch_out(struct tl_states *st, struct cpu *c, uint64_t ns,
		       pid_t prev, uint64_t state)
{
	struct thread *th = prev ? leaving(st, c, prev, ns) : NULL;

	if (c->history)
		tl_history_note(c->history, prev,
				c->known ? c->since : complete(st, ns));
	if (th)
		leave(st, c, th, ns, state);
	else if (!prev)
		tell_idle(st, c, c->known ? c->since : complete(st, ns), ns,
			  true);
}

/*
 * Who runs on a processor of which no record is missing is known to run there
 * still; all others may have been woken, or have run, unseen.
 */
static void begin_epoch(struct tl_states *st)
{
	unsigned int i;

	st->epoch++;
	st->sure = st->gaps ? 0 : st->epoch;
	st->complete = NEVER;
	for (i = 0; i < st->count_cpus; i++)
		if (st->cpus[i].thread)
			st->cpus[i].thread->epoch = st->epoch;
}

/* From now on no records are in a file before. */
__attribute__((noinline)) static void end_earlier_file(struct tl_states *st)
{
	st->config.whole = 0;
	st->gaps--;
	begin_epoch(st);
}

static inline void note_time(struct tl_states *st, uint64_t ns)
{
	st->created = false;
	if (st->config.whole && ns > st->config.whole)
		end_earlier_file(st);
}

bool tl_states_switch(struct tl_states *st, unsigned int cpu, uint64_t ns,
		      pid_t prev, uint64_t state, pid_t next)
{
	struct cpu *c = cpu_of(st, cpu);
	struct thread *th;

	note_time(st, ns);
	st->left = NULL;
	if (!c)
		return false;
	switch_out(st, c, ns, prev, state);
	c->since = ns;
	c->known = true;
	c->running = next;
	c->thread = NULL;
	th = next ? get(st, next, ns) : NULL;
	if (th)
		enter(st, c, th, ns);
	c->thread = th;
	return st->created;
}

/* Who was woken while all that is known of it is older than a loss. */
static void wake_unknown(const struct tl_states *st, struct thread *th,
			 uint64_t ns, pid_t waker)
{
	stay_off(st, th, WOKEN, ns, th->cpu);
	th->waker = waker;
}

static void wake_sleeper(struct tl_states *st, struct thread *th, uint64_t ns,
			 pid_t waker)
{
	th->waker = waker;
	tell(st, TL_SCHED_SLEEP | began(th->began) | ENDED, th, th->since, ns);
	stay_off(st, th, WAITS, ns, th->cpu);
	th->began = true;
}

bool tl_states_wake(struct tl_states *st, uint64_t ns, pid_t waker, pid_t tid)
{
	struct thread *th;

	note_time(st, ns);
	st->woken = th = get(st, tid, ns);
	if (!th)
		return false;
	if (!known(st, th) || th->state == WOKEN)
		wake_unknown(st, th, ns, waker);
	else if (th->state == SLEEPS)
		wake_sleeper(st, th, ns, waker);
	else if (th->state == RUNS)
		th->waker = waker; /* before it sleeps, or instead */
	else
		st->woken = NULL;
	return st->created;
}

bool tl_states_begin(struct tl_states *st, uint64_t ns, pid_t waker, pid_t tid,
		     unsigned int cpu)
{
	struct thread *th;

	note_time(st, ns);
	th = get(st, tid, ns);
	if (!th)
		return false;
	if (st->count_cpus && st->cpus[th->cpu].thread == th)
		st->cpus[th->cpu].thread = NULL; /* another one of this id */
	stay_off(st, th, WAITS, ns, cpu);
	th->letter = 'S';
	th->off = ns;
	th->began = true;
	th->off_began = false;
	th->waker = waker;
	return st->created;
}

unsigned int tl_states_epoch(const struct tl_states *st)
{
	return st->epoch;
}

void *tl_states_own(const struct tl_states *st, pid_t tid)
{
	struct thread *th = *slot(st, tid);

	return th ? th->own : NULL;
}

void *tl_states_left(const struct tl_states *st)
{
	return st->left ? st->left->own : NULL;
}

void *tl_states_woken(const struct tl_states *st)
{
	return st->woken ? st->woken->own : NULL;
}

void tl_states_move(struct tl_states *st, uint64_t ns, pid_t tid,
		    unsigned int cpu)
{
	struct thread *th = *slot(st, tid);

	if (!th || !known(st, th) || th->state == RUNS || th->moves == MOVES)
		return;
	th->move[th->moves].cpu = cpu;
	th->move[th->moves++].ns = ns;
}

/* On a processor, in a part of a wait. */
static void ran_on(const struct tl_states *st, unsigned int cpu,
		   struct tl_history_part *part)
{
	const struct cpu *c = cpu < st->count_cpus ? &st->cpus[cpu] : NULL;

	if (c && c->history)
		tl_history_ran(c->history, c->known ? c->running : -1, c->since,
			       part);
}

/* From the last processor that the thread waited for to the first one. */
size_t tl_states_ran(const struct tl_states *st, struct tl_sched_runner list[],
		     size_t max)
{
	const struct thread *th = st->told;
	struct tl_history_part part = { .list = list, .max = max };
	unsigned int i;

	part.to = st->slice.to;
	for (i = th->moves; i-- > 0;) {
		part.from = th->move[i].ns > st->slice.since ? th->move[i].ns
							     : st->slice.since;
		ran_on(st, th->move[i].cpu, &part);
		part.to = part.from;
	}
	part.from = st->slice.since;
	ran_on(st, th->queue, &part);
	return part.count;
}

void tl_states_settle(struct tl_states *st, pid_t tid)
{
	struct thread *th = *slot(st, tid);

	if (!th || !st->config.settle)
		return;
	st->config.settle(st->config.s, tid, th->own);
	memset(th->own, 0, st->config.own);
}

void tl_states_lost(struct tl_states *st, unsigned int cpu, unsigned int gaps)
{
	struct cpu *c = cpu_of(st, cpu);

	if (!c)
		return;
	st->gaps = gaps + (st->config.whole != 0);
	c->known = false;
	c->thread = NULL;
	if (c->history)
		tl_history_clear(c->history);
	begin_epoch(st);
}

/* ---- up to now -------------------------------------------------------- */

static void cut_thread(struct tl_states *st, struct thread *th, uint64_t ns)
{
	const bool ended = th->letter == 'X' || th->letter == 'Z';
	const bool off = th->state == WAITS || th->state == SLEEPS;

	if (ended && th->state == SLEEPS)
		return;
	if (th->state == RUNS)
		tell(st, TL_SCHED_RUN | began(th->began), th, th->since, ns);
	else if (th->state == WAITS)
		tell(st, TL_SCHED_WAIT | began(th->began), th, th->since, ns);
	else if (th->state == SLEEPS)
		tell(st, TL_SCHED_SLEEP | began(th->began), th, th->since, ns);
	if (off)
		tell(st, TL_SCHED_OFF | began(th->off_began), th, th->off, ns);
}

void tl_states_cut(struct tl_states *st, uint64_t ns)
{
	struct thread *th;
	struct cpu *c;
	size_t i;

	for (i = 0; i < st->size; i++)
		for (th = st->buckets[i]; th; th = th->chain)
			if (known(st, th))
				cut_thread(st, th, ns);
	for (i = 0; i < st->count_cpus; i++) {
		c = &st->cpus[i];
		if (c->known && !c->running)
			tell_idle(st, c, c->since, ns, false);
	}
	st->cut = ns;
}

void tl_states_each(struct tl_states *st,
		    void (*fn)(struct tl_session *s, pid_t tid, void *own))
{
	struct thread *th;
	size_t i;

	for (i = 0; i < st->size; i++)
		for (th = st->buckets[i]; th; th = th->chain)
			if (th->tid != st->config.silent)
				fn(st->config.s, th->tid, th->own);
}

/* ---- begin and end ---------------------------------------------------- */

struct tl_states *tl_states_new(const struct tl_states_config *config)
{
	struct tl_states *st = calloc(1, sizeof(*st));

	if (!st)
		return NULL;
	*st = (struct tl_states){
		.config = *config,
		.epoch = 1,
		.sure = !config->whole,
		.gaps = config->whole != 0,
		.complete = NEVER,
		.size = 256,
		.buckets = calloc(256, sizeof(*st->buckets)),
	};
	if (st->buckets)
		return st;
	free(st);
	return NULL;
}

void tl_states_free(struct tl_states *st)
{
	struct thread *th;
	size_t i;

	for (i = 0; st && i < st->size; i++) {
		while ((th = st->buckets[i])) {
			st->buckets[i] = th->chain;
			free(th);
		}
	}
	for (i = 0; st && i < st->count_cpus; i++)
		free(st->cpus[i].history);
	if (st)
		free(st->buckets);
	if (st)
		free(st->cpus);
	free(st);
}
