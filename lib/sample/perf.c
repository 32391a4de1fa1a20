// SPDX-License-Identifier: GPL-2.0-or-later
/* perf.c - samples and mappings from perf_event_open(), as records of the run */
#include "sample/perf.h"

#include <errno.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/part.h"
#include "base/proc.h"
#include "base/recording.h"
#include "record/cpus.h"
#include "record/page.h"
#include "run/loss.h"
#include "run/run.h"
#include "sample/perfrecord.h"
#include "sample/ring.h"
#include "trace/usersym.h"
#include "tracelet/message.h"
#include "tracelet/run.h"

/* Of each processor: at 99 a second enough for two seconds of the deepest stacks. */
#define RING (256 << 10)
/* Frames that always go into one sub-buffer, of 4 KiB at least. */
#define DEEPEST 480
/* PERF_MAX_STACK_DEPTH */
#define USUAL_DEPTH 127

#ifndef PERF_FORMAT_LOST /* 6.0 on */
#define PERF_FORMAT_LOST (1U << 4)
#endif

/* What read() gives of an event. */
struct counts {
	uint64_t ns; /* that it was counting */
	uint64_t lost;
};

/* A processor. */
struct cpu {
	struct tl_ring ring;
	struct perf *perf;
	unsigned int number;
	int64_t lost;  /* records that the next ones come behind */
	uint64_t told; /* of these in all, by records that tell of them */
	uint64_t throttled_ns, throttled_since;
	int64_t state; /* how much of it is there, when it comes or goes */
	uint64_t
		changed_ns; /* it may be on line again since; 0: it is looked at */
	uint64_t late_ns;     /* that it was on line, and not looked at */
	int refused;          /* errno of why it still is not */
	struct counts before; /* of events that ended as it went off line */
};

struct perf {
	struct tl_part part;
	const struct tl_sampling *sampling;
	const struct tl_perf_events *events;
	size_t depth;     /* frames that a stack can have */
	bool counts_lost; /* the kernel does: PERF_FORMAT_LOST */
	bool runs;
	struct tl_field hotplugged, state; /* of cpuhp:cpuhp_exit */
	struct cpu **cpus;
	unsigned int count;
};

static const struct tl_part_ops perf_ops;

/* ---- records ---------------------------------------------------------- */

/* PERF_RECORD_LOST */
struct lost {
	struct perf_event_header header;
	uint64_t id, lost;
};

/* Too many in a tick: it records none until the next one. */
static void throttle(struct cpu *c, const struct perf_event_header *h)
{
	const uint64_t ns = tl_perf_time_of(h);

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
		fits = tl_perf_add_sample(w, c->perf->events, h,
					  c->perf->depth);
	else if (h->type == PERF_RECORD_MMAP2 && c->perf->events->mapped)
		fits = tl_perf_add_mapped(w, c->perf->events, h);
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

/* ---- events ------------------------------------------------------------ */

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
		.watermark = 1, /* of half the ring: there is no number */
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.sample_max_stack = (uint16_t)p->depth,
	};

	if (kinds && p->depth)
		attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	return attr;
}

static int open_ring(struct perf *p, struct tl_ring *ring, unsigned int cpu,
		     size_t size)
{
	struct perf_event_attr attr = attr_of(p);

	return tl_ring_open(ring, &attr, cpu, size);
}

static size_t ring_size(const struct tl_session *s)
{
	return s->set.buffer ? (size_t)s->set.buffer : RING;
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

/* ---- the part --------------------------------------------------------- */

static bool is_open(const struct cpu *c)
{
	return c->ring.fd >= 0;
}

static int enable(struct perf *p, int on)
{
	unsigned int i;
	int ret = 0, err;

	p->runs = on;
	for (i = 0; i < p->count; i++) {
		err = is_open(p->cpus[i])
			      ? tl_ring_enable(&p->cpus[i]->ring, on)
			      : 0;
		ret = ret ?: err;
	}
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

/* The kernel's own number of losses has those, too, that no record came behind. */
static struct counts counts_of(const struct perf *p, const struct cpu *c)
{
	struct counts now = { 0 };
	const bool is_whole =
		read(c->ring.event, &now, sizeof(now)) == (ssize_t)sizeof(now);

	now.ns += c->before.ns;
	now.lost += c->before.lost;
	if (!is_whole || !p->counts_lost)
		now.lost = c->told;
	return now;
}

static void count(struct tl_session *s, void *part, struct tl_losses *l)
{
	const struct perf *p = part;
	unsigned int i;

	for (i = 0; i < p->count; i++)
		l->overrun += counts_of(p, p->cpus[i]).lost;
}

static uint64_t throttled(const struct cpu *c, uint64_t end)
{
	const bool goes_on = c->throttled_since && end > c->throttled_since;

	return c->throttled_ns + (goes_on ? end - c->throttled_since : 0);
}

uint64_t tl_perf_looks(const struct tl_session *s)
{
	const struct perf *p = tl_part_find(s, &perf_ops);
	const uint64_t period = tl_samples_period(p->sampling),
		       end = tl_run_end_ns(s);
	struct counts counts;
	uint64_t looks = 0, unseen;
	unsigned int i;

	for (i = 0; i < p->count; i++) {
		counts = counts_of(p, p->cpus[i]);
		unseen = counts.lost + throttled(p->cpus[i], end) / period;
		if (counts.ns / period > unseen)
			looks += counts.ns / period - unseen;
	}
	return looks;
}

static uint64_t late(const struct cpu *c, uint64_t end)
{
	const bool goes_on = c->changed_ns && end > c->changed_ns;

	return c->late_ns + (goes_on ? end - c->changed_ns : 0);
}

static uint64_t report_late(const struct cpu *c, uint64_t end)
{
	const uint64_t ns = late(c, end);

	if (ns)
		tl_warn("processor %u was not sampled for %.3f seconds after "
			"it came on line%s%s",
			c->number, (double)ns / 1e9, c->refused ? ": " : "",
			c->refused ? strerror(c->refused) : "");
	return ns;
}

static uint64_t report(struct tl_session *s, void *part)
{
	const uint64_t end = tl_run_end_ns(s);
	const struct perf *p = part;
	uint64_t ns = 0, unseen = 0;
	unsigned int i;

	for (i = 0; i < p->count; i++) {
		ns += throttled(p->cpus[i], end);
		unseen += report_late(p->cpus[i], end);
	}
	if (ns)
		tl_warn("for %.3f seconds the kernel took no samples: -F is "
			"too high for it (kernel.perf_event_max_sample_rate)",
			(double)ns / 1e9);
	return (ns + unseen) / tl_samples_period(p->sampling);
}

/* ---- processors that come and go --------------------------------------- */

static struct cpu *find_cpu(const struct perf *p, unsigned int number)
{
	unsigned int i;

	for (i = 0; i < p->count; i++)
		if (p->cpus[i]->number == number)
			return p->cpus[i];
	return NULL;
}

/* A processor comes by states that go up, and goes by the same ones down. */
static void on_hotplug(struct tl_session *s, const struct tl_record *r)
{
	const struct perf *p = tl_part_find(s, &perf_ops);
	const int64_t state = tl_field_num(r, &p->state);
	struct cpu *c =
		find_cpu(p, (unsigned int)tl_field_num(r, &p->hotplugged));

	if (!c)
		return;
	if (state > c->state) {
		c->changed_ns = r->ns;
		tl_user_all_mapped(s, false);
	}
	c->state = state;
}

/* An event ends for good when its processor goes off line. */
static int renew(struct tl_session *s, struct perf *p, struct cpu *c)
{
	struct perf_event_attr attr = attr_of(p);
	const struct counts before = counts_of(p, c);
	int ret;

	if (!is_open(c))
		return open_any_ring(p, &c->ring, c->number, ring_size(s));
	ret = tl_ring_renew(&c->ring, &attr, c->number);
	if (!ret)
		c->before = before;
	return ret;
}

static void look_again(struct tl_session *s, struct perf *p, struct cpu *c)
{
	int ret = renew(s, p, c);

	if (!ret)
		ret = tl_ring_enable(&c->ring, 1);
	if (!ret)
		c->late_ns = late(c, tl_now());
	c->refused = ret == -ENODEV ? 0 : -ret; /* it has gone again */
	if (!c->refused)
		c->changed_ns = 0;
}

static void pass(struct tl_session *s, void *part, uint64_t ns)
{
	struct perf *p = part;
	unsigned int i;

	for (i = 0; i < p->count && p->runs; i++)
		if (p->cpus[i]->changed_ns)
			look_again(s, p, p->cpus[i]);
}

/* Kernels that cannot have processors come and go have no such event. */
static int follow_hotplug(struct tl_session *s, struct perf *p)
{
	struct tl_event *ev;

	if (!tl_event_exists(s, "cpuhp", "cpuhp_exit"))
		return 0;
	/* for new events, where that is enough for them: see profile(8) */
	tl_keep_capability(s, CAP_PERFMON);
	ev = tl_event_watch(s, "cpuhp", "cpuhp_exit", on_hotplug);
	if (!ev)
		return -errno;
	return tl_event_field(s, ev, "cpu", &p->hotplugged)
		       ?: tl_event_field(s, ev, "idx", &p->state);
}

static void close_all(struct perf *p)
{
	while (p->count) {
		tl_ring_close(&p->cpus[--p->count]->ring);
		free(p->cpus[p->count]);
	}
}

static void free_perf(void *part)
{
	struct perf *p = part;

	close_all(p);
	free(p->cpus);
	free(p);
}

static const struct tl_part_ops perf_ops = { .start = start,
					     .stop = stop,
					     .pass = pass,
					     .count = count,
					     .report = report,
					     .free = free_perf };

static unsigned int count_open(const struct perf *p)
{
	unsigned int i, count = 0;

	for (i = 0; i < p->count; i++)
		count += is_open(p->cpus[i]);
	return count;
}

unsigned int tl_perf_cpus(const struct tl_session *s)
{
	const struct perf *p = tl_part_find(s, &perf_ops);

	return p ? count_open(p) : 0;
}

/* ---- set-up ----------------------------------------------------------- */

/* As many as the kernel allows, and one sub-buffer holds; 0: it records no stacks. */
static size_t depth_of_stacks(void)
{
	unsigned long most;
	char text[32];

	if (tl_proc_read("/proc/sys/kernel/perf_event_max_stack", text,
			 sizeof(text)) <= 0)
		return USUAL_DEPTH;
	most = strtoul(text, NULL, 10);
	return most < DEEPEST ? most : DEEPEST;
}

static int add_cpu(struct perf *p, struct cpu *c)
{
	struct cpu **more =
		reallocarray(p->cpus, p->count + 1, sizeof(*p->cpus));

	if (!more)
		return -ENOMEM;
	p->cpus = more;
	p->cpus[p->count++] = c;
	return 0;
}

/* Once all are open: what is refused for one of them is for none. */
static int add_streams(struct tl_session *s, const struct perf *p)
{
	struct tl_stream stream = { .take = take };
	unsigned int i;
	int ret = 0;

	for (i = 0; i < p->count && !ret; i++) {
		stream.ctx = p->cpus[i];
		stream.cpu = p->cpus[i]->number;
		stream.fd = p->cpus[i]->ring.fd;
		ret = tl_run_add_stream(s, &stream);
	}
	return ret;
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
	c->state = ret ? -1 : INT64_MAX;
	if (ret == -ENODEV) /* it is off line, and may come */
		ret = 0;
	if (!ret)
		ret = add_cpu(p, c);
	if (!ret)
		return 0;
	tl_ring_close(&c->ring);
	free(c);
	return ret;
}

bool tl_perf_is_refused(int ret)
{
	return ret == -EPERM || ret == -EACCES || ret == -ENOSYS ||
	       ret == -EXDEV || ret == -EOPNOTSUPP;
}

const char *tl_perf_why_refused(int ret)
{
	return ret == -EXDEV ? "process ids here are those of a container"
	       : ret == -EOPNOTSUPP ? "its samples are not in a capture"
				    : strerror(-ret);
}

/* Whatever the kernel would say. */
static int refused_here(const struct tl_session *s)
{
	if (tl_recording_replays(s->recording) || s->set.write)
		return -EOPNOTSUPP;
	/* records of tracefs have other ids than samples */
	return tl_tasks_in_namespace() ? -EXDEV : 0;
}

static int failed(int ret)
{
	return tl_perf_is_refused(ret) || !ret
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

static int open_all(struct tl_session *s, struct perf *p)
{
	const unsigned int count = tl_cpu_count(s);
	unsigned int i;
	int ret = 0;

	for (i = 0; i < count && !ret; i++)
		if (tl_cpu_matches(s, i))
			ret = open_cpu(s, p, i);
	if (!ret && !count_open(p))
		ret = tl_fail(ENODEV, "--cpu: %s: no such processor is on line",
			      s->set.cpu.text);
	return ret ?: add_streams(s, p) ?: follow_hotplug(s, p);
}

int tl_perf_open(struct tl_session *s, const struct tl_sampling *sampling,
		 const struct tl_perf_events *events)
{
	int ret = refused_here(s);
	struct perf *p;

	if (ret)
		return ret;
	p = tl_part_new(s, &perf_ops, sizeof(*p));
	if (!p)
		return -ENOMEM;
	fill_in(p, sampling, events);
	ret = open_all(s, p);
	if (ret)
		close_all(p);
	return failed(ret);
}

/* On the processor that this process runs on: one is as good as another. */
int tl_perf_check(struct tl_session *s, const struct tl_sampling *sampling)
{
	static const struct tl_perf_events none;
	const int cpu = sched_getcpu();
	struct tl_ring ring;
	struct perf p = { 0 };
	int ret = refused_here(s);

	if (ret)
		return ret;
	fill_in(&p, sampling, &none);
	ret = open_any_ring(&p, &ring, cpu < 0 ? 0 : (unsigned int)cpu, RING);
	if (!ret)
		tl_ring_close(&ring);
	return failed(ret);
}
