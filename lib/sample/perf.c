// SPDX-License-Identifier: GPL-2.0-or-later
/* perf.c - samples and mappings from perf_event_open(), as records of the run */
#include "sample/perf.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/part.h"
#include "base/proc.h"
#include "record/cpus.h"
#include "record/page.h"
#include "run/loss.h"
#include "run/run.h"
#include "sample/ring.h"
#include "tracelet/message.h"
#include "tracelet/run.h"

/* Of each processor: at 99 a second enough for two seconds of the deepest stacks. */
#define RING (256 << 10)

/* Frames that always go into one sub-buffer, of 4 KiB at least. */
#define DEEPEST 480

/* A thread that has no id any more when it is sampled: none has this one. */
#define NO_THREAD INT_MAX

#ifndef PERF_FORMAT_LOST /* 6.0 on */
#define PERF_FORMAT_LOST (1U << 4)
#endif

/* A processor. */
struct cpu {
	struct tl_ring ring;
	struct perf *perf;
	unsigned int number;
	int64_t lost;  /* records that the next ones come behind */
	uint64_t told; /* of these in all, by records that tell of them */
	uint64_t throttled_ns, throttled_since;
};

struct perf {
	struct tl_part part;
	const struct tl_sampling *sampling;
	const struct tl_perf_events *events;
	size_t depth;     /* frames that a stack can have */
	bool counts_lost; /* the kernel does: PERF_FORMAT_LOST */
	struct cpu **cpus;
	unsigned int count;
};

static const struct tl_part_ops perf_ops;

/* ---- what the kernel writes: perf_event_open(2) ----------------------- */

/* Behind each record but that of a sample: PERF_SAMPLE_TID, PERF_SAMPLE_TIME. */
struct sample_id {
	int32_t process, tid;
	uint64_t ns;
};

struct sample {
	struct perf_event_header header;
	struct sample_id id;
	uint64_t count; /* of what follows, marks included */
	uint64_t frames[];
};

struct lost {
	struct perf_event_header header;
	uint64_t id, lost;
};

struct mapped {
	struct perf_event_header header;
	int32_t process, tid;
	uint64_t start, size, offset;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t protection, flags;
	char path[];
};

/* At the end of a record. */
static uint64_t time_of(const struct perf_event_header *h)
{
	const struct sample_id *id =
		(const void *)((const char *)h + h->size - sizeof(*id));

	return id->ns;
}

/* ---- records ---------------------------------------------------------- */

/* Frames of one kind, in a sample. */
struct part_of {
	const uint64_t *at;
	size_t count;
};

/* A mark is in front of the frames of each kind; others are of guests. */
static void split(const struct sample *s, struct part_of *kernel,
		  struct part_of *user)
{
	struct part_of other = { 0 }, *to = &other;
	uint64_t i;

	for (i = 0; i < s->count; i++) {
		if (s->frames[i] < PERF_CONTEXT_MAX) {
			to->count++;
			continue;
		}
		to = s->frames[i] == PERF_CONTEXT_KERNEL ? kernel
		     : s->frames[i] == PERF_CONTEXT_USER ? user
							 : &other;
		*to = (struct part_of){ s->frames + i + 1, 0 };
	}
}

/* The kernel keeps no more: the last one of a chain may have a caller. */
static uint32_t cut_of(const struct perf *p, const struct part_of *kernel,
		       const struct part_of *user)
{
	const size_t all = kernel->count + user->count;

	if (all < p->depth)
		return 0;
	return user->count ? TL_STACK_USER : TL_STACK_KERNEL;
}

static struct tl_made_record head_of(const struct tl_event *ev, int32_t tid)
{
	return (struct tl_made_record){ .type = tl_event_type(ev),
					.pid = tid < 0 ? NO_THREAD : tid };
}

/* Returns whether there was room for it. */
static bool add_sample(const struct perf *p, struct tl_page_writer *w,
		       const struct sample *s)
{
	struct part_of kernel = { 0 }, user = { 0 };
	struct tl_sample_record record = {
		.head = head_of(p->events->sample, s->id.tid),
		.process = s->id.process < 0 ? NO_THREAD : s->id.process,
	};
	char *to;

	split(s, &kernel, &user);
	record.kernel = (uint16_t)kernel.count;
	record.user = (uint16_t)user.count;
	record.cut = cut_of(p, &kernel, &user);
	to = tl_page_add(w, s->id.ns,
			 sizeof(record) + (kernel.count + user.count) *
						  sizeof(uint64_t));
	if (!to)
		return false;
	memcpy(to, &record, sizeof(record));
	to += sizeof(record);
	if (kernel.count)
		memcpy(to, kernel.at, kernel.count * sizeof(uint64_t));
	to += kernel.count * sizeof(uint64_t);
	if (user.count)
		memcpy(to, user.at, user.count * sizeof(uint64_t));
	return true;
}

static bool add_mapped(const struct perf *p, struct tl_page_writer *w,
		       const struct mapped *m)
{
	struct tl_mapped_record record = {
		.head = head_of(p->events->mapped, m->tid),
		.process = m->process,
		.major = m->major,
		.minor = m->minor,
		.start = m->start,
		.size = m->size,
		.offset = m->offset,
		.inode = m->inode,
	};
	const size_t len = strlen(m->path) + 1;
	char *to = tl_page_add(w, time_of(&m->header), sizeof(record) + len);

	if (!to)
		return false;
	memcpy(to, &record, sizeof(record));
	memcpy(to + sizeof(record), m->path, len);
	return true;
}

/* Too many in a tick: it records none until the next one. */
static void throttle(struct cpu *c, const struct perf_event_header *h)
{
	const uint64_t ns = time_of(h);

	if (h->type == PERF_RECORD_THROTTLE)
		c->throttled_since = ns;
	else if (c->throttled_since && ns > c->throttled_since)
		c->throttled_ns += ns - c->throttled_since;
	if (h->type == PERF_RECORD_UNTHROTTLE)
		c->throttled_since = 0;
}

/* Returns whether the sub-buffer has room for it. */
static bool add(struct cpu *c, struct tl_page_writer *w,
		const struct perf_event_header *h)
{
	bool fits = true;

	if (h->type == PERF_RECORD_SAMPLE)
		fits = add_sample(c->perf, w, (const struct sample *)h);
	else if (h->type == PERF_RECORD_MMAP2 && c->perf->events->mapped)
		fits = add_mapped(c->perf, w, (const struct mapped *)h);
	else if (h->type == PERF_RECORD_THROTTLE ||
		 h->type == PERF_RECORD_UNTHROTTLE)
		throttle(c, h);
	/* what is larger than a whole one goes */
	return fits || w->is_empty;
}

static void note_lost(struct cpu *c, const struct perf_event_header *h)
{
	const struct lost *l = (const struct lost *)h;

	c->lost += (int64_t)l->lost;
	c->told += l->lost;
}

/* Those behind a loss go into the next sub-buffer. */
static ssize_t take(void *ctx, const struct tl_page_layout *layout, void *buf)
{
	const struct perf_event_header *h;
	struct cpu *c = ctx;
	struct tl_page_writer w;
	size_t len;

	tl_page_write(&w, layout, buf);
	while ((h = tl_ring_look(&c->ring))) {
		if (h->type == PERF_RECORD_LOST && !w.is_empty)
			break;
		if (h->type == PERF_RECORD_LOST)
			note_lost(c, h);
		else if (!add(c, &w, h))
			break;
		tl_ring_take(&c->ring);
	}
	len = tl_page_written(&w, c->lost);
	if (len)
		c->lost = 0;
	return (ssize_t)len;
}

/* ---- the part --------------------------------------------------------- */

static int enable(struct perf *p, int on)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < p->count && !ret; i++)
		ret = tl_ring_enable(&p->cpus[i]->ring, on);
	return ret ? tl_fail(-ret, "perf_event_open: %s", strerror(-ret)) : 0;
}

static int start(struct tl_session *s, void *part)
{
	return enable(part, 1);
}

static void stop(struct tl_session *s, void *part)
{
	enable(part, 0);
}

/* The kernel's own number has those, too, that no record came behind. */
static uint64_t lost_of(const struct perf *p, const struct cpu *c)
{
	struct {
		uint64_t value, lost;
	} now;

	if (p->counts_lost &&
	    read(c->ring.fd, &now, sizeof(now)) == (ssize_t)sizeof(now))
		return now.lost;
	return c->told;
}

static void count(struct tl_session *s, void *part, struct tl_losses *l)
{
	const struct perf *p = part;
	unsigned int i;

	for (i = 0; i < p->count; i++)
		l->overrun += lost_of(p, p->cpus[i]);
}

static uint64_t report(struct tl_session *s, void *part)
{
	const uint64_t end = tl_run_end_ns(s);
	const struct perf *p = part;
	const struct cpu *c;
	uint64_t ns = 0;
	unsigned int i;

	for (i = 0; i < p->count; i++) {
		c = p->cpus[i];
		ns += c->throttled_ns;
		if (c->throttled_since && end > c->throttled_since)
			ns += end - c->throttled_since;
	}
	if (ns)
		tl_warn("%.3f seconds of processors were not looked at: that "
			"is "
			"too often for the kernel "
			"(kernel.perf_event_max_sample_rate; use a lower -F)",
			(double)ns / 1e9);
	return ns / tl_samples_period(p->sampling);
}

static void free_perf(void *part)
{
	struct perf *p = part;
	unsigned int i;

	for (i = 0; i < p->count; i++) {
		tl_ring_close(&p->cpus[i]->ring);
		free(p->cpus[i]);
	}
	free(p->cpus);
	free(p);
}

static const char *uncaptured(void *part)
{
	const struct perf *p = part;

	return !p->count ? NULL
			 : "samples of perf_event_open() are not in a capture: "
			   "-f or --json keeps what was seen";
}

static const struct tl_part_ops perf_ops = { .start = start,
					     .stop = stop,
					     .count = count,
					     .report = report,
					     .uncaptured = uncaptured,
					     .free = free_perf };

unsigned int tl_perf_cpus(const struct tl_session *s)
{
	const struct perf *p = tl_part_find(s, &perf_ops);

	return p ? p->count : 0;
}

/* ---- set-up ----------------------------------------------------------- */

/* As many as the kernel allows, and one sub-buffer holds. */
static size_t depth_of_stacks(void)
{
	unsigned long most;
	char text[32];

	tl_proc_read("/proc/sys/kernel/perf_event_max_stack", text,
		     sizeof(text));
	most = strtoul(text, NULL, 10);
	return most > 0 && most < DEEPEST ? most : DEEPEST;
}

/* One event on each processor, of the same kind. */
static struct perf_event_attr attr_of(const struct perf *p)
{
	const unsigned int kinds = p->sampling->kinds;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = tl_samples_period(p->sampling),
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.read_format = p->counts_lost ? PERF_FORMAT_LOST : 0,
		.disabled = 1,
		.exclude_idle = !p->sampling->idle,
		.exclude_callchain_kernel = !(kinds & TL_STACK_KERNEL),
		.exclude_callchain_user = !(kinds & TL_STACK_USER),
		.mmap = p->events->mapped != NULL,
		.mmap2 = p->events->mapped != NULL,
		.sample_id_all = 1,
		.watermark = 1,
		.wakeup_watermark = RING / 2,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.sample_max_stack = (uint16_t)p->depth,
	};

	if (kinds)
		attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	return attr;
}

static int open_ring(struct perf *p, struct tl_ring *ring, unsigned int cpu,
		     size_t size)
{
	struct perf_event_attr attr = attr_of(p);

	return tl_ring_open(ring, &attr, cpu, size);
}

/* What older kernels do not know is left out. */
static int open_any_ring(struct perf *p, struct tl_ring *ring, unsigned int cpu,
			 size_t size)
{
	int ret = open_ring(p, ring, cpu, size);

	if (ret != -EINVAL || !p->counts_lost)
		return ret;
	p->counts_lost = false;
	return open_ring(p, ring, cpu, size);
}

static int add_cpu(struct tl_session *s, struct perf *p, struct cpu *c)
{
	const struct tl_stream stream = {
		.ctx = c, .cpu = c->number, .fd = c->ring.fd, .take = take
	};
	struct cpu **more =
		reallocarray(p->cpus, p->count + 1, sizeof(*p->cpus));

	if (!more)
		return -ENOMEM;
	p->cpus = more;
	p->cpus[p->count++] = c;
	return tl_run_add_stream(s, &stream);
}

static size_t ring_size(const struct tl_session *s)
{
	return s->set.buffer ? (size_t)s->set.buffer : RING;
}

static int open_cpu(struct tl_session *s, struct perf *p, unsigned int number)
{
	struct cpu *c = calloc(1, sizeof(*c));
	int ret;

	if (!c)
		return -ENOMEM;
	c->perf = p;
	c->number = number;
	ret = open_any_ring(p, &c->ring, number, ring_size(s));
	if (!ret)
		return add_cpu(s, p, c);
	free(c);
	return ret == -ENODEV ? 0 : ret; /* it is off line */
}

static bool is_refused(int ret)
{
	return ret == -EPERM || ret == -EACCES || ret == -ENOSYS;
}

static int failed(int ret)
{
	return is_refused(ret) || !ret
		       ? ret
		       : tl_fail(-ret, "perf_event_open: %s", strerror(-ret));
}

static void fill_in(struct perf *p, const struct tl_sampling *sampling,
		    const struct tl_perf_events *events)
{
	p->sampling = sampling;
	p->events = events;
	p->counts_lost = true;
	p->depth = depth_of_stacks();
}

int tl_perf_open(struct tl_session *s, const struct tl_sampling *sampling,
		 const struct tl_perf_events *events)
{
	struct perf *p = tl_part_new(s, &perf_ops, sizeof(*p));
	unsigned int i, count = tl_cpu_count(s);
	int ret = 0;

	if (!p)
		return -ENOMEM;
	fill_in(p, sampling, events);
	for (i = 0; i < count && !ret; i++)
		if (tl_cpu_matches(s, i))
			ret = open_cpu(s, p, i);
	if (!ret && !p->count)
		ret = tl_fail(ENODEV, "--cpu: %s: no such processor is on line",
			      s->set.cpu.text);
	return failed(ret);
}

/* On the processor that this process runs on: one is as good as another. */
int tl_perf_check(struct tl_session *s, const struct tl_sampling *sampling)
{
	static const struct tl_perf_events none;
	const int cpu = sched_getcpu();
	struct tl_ring ring;
	struct perf p = { 0 };
	int ret;

	fill_in(&p, sampling, &none);
	ret = open_any_ring(&p, &ring, cpu < 0 ? 0 : (unsigned int)cpu, RING);
	if (!ret)
		tl_ring_close(&ring);
	return failed(ret);
}
