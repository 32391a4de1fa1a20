// SPDX-License-Identifier: GPL-2.0-or-later
/* sample.c - what processors do, looked at so many times a second */
#include "tracelet/sample.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limit.h"
#include "base/part.h"
#include "base/recording.h"
#include "kernel/functions.h"
#include "kernel/kallsyms.h"
#include "record/cpus.h"
#include "record/event.h"
#include "run/run.h"
#include "sample/perf.h"
#include "sample/ticks.h"
#include "trace/chain.h"
#include "trace/usersym.h"
#include "tracelet/message.h"
#include "tracelet/output.h"
#include "tracelet/symbol.h"
#include "tracelet/task.h"

struct samples {
	struct tl_part part;
	struct tl_sampling *sampling;
	struct tl_perf_events events;
	uint64_t seen, idle; /* of all threads */
};

/* What is said then; a %lu for how many. */
#define INSTEAD                                                          \
	"sampling at the kernel's ticks instead: %" PRIu64 " a second, " \
	"which do not see well what timers start"

static const struct tl_part_ops samples_ops = { .free = free };

static struct samples *samples(const struct tl_session *s)
{
	return tl_part_find(s, &samples_ops);
}

uint64_t tl_samples_period(const struct tl_sampling *sampling)
{
	return 1000000000 / sampling->frequency;
}

/* Of ticks: those that are asked for and on line; of a capture, when it was written. */
static unsigned int count_cpus(struct tl_session *s)
{
	const uint64_t kept = tl_recording_number(s->recording, "tick cpus");
	const long online = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned int i, count = 0, all = tl_cpu_count(s);

	for (i = 0; i < all; i++)
		count += tl_cpu_matches(s, i);
	if (kept || online <= 0)
		return kept && kept < count ? (unsigned int)kept : count;
	return (unsigned int)online < count ? (unsigned int)online : count;
}

/* What was not sampled of the time was idle: nothing is recorded then. */
void tl_samples_print(struct tl_session *s, uint64_t ns)
{
	const struct samples *all = samples(s);
	const double secs = (double)(ns - tl_run_start_ns(s)) / 1e9;
	const unsigned int sampled = tl_perf_cpus(s),
			   cpus = sampled ?: count_cpus(s);
	const double whole = sampled ? (double)tl_perf_looks(s)
				     : secs * (double)all->sampling->frequency *
					       (double)cpus;
	double busy = whole > 0 ? (double)(all->seen - all->idle) / whole : 0;

	if (busy > 1)
		busy = 1;
	tl_print(s,
		 "%llu samples at %llu Hz in %.1f seconds on %u processor%s, "
		 "%.1f%% busy",
		 (unsigned long long)all->seen,
		 (unsigned long long)all->sampling->frequency, secs, cpus,
		 cpus == 1 ? "" : "s", 100 * busy);
}

static void give(struct tl_session *s, const struct tl_sample *sample)
{
	struct samples *all = samples(s);

	all->seen++;
	all->idle += !sample->tid;
	if (tl_task_matches(s, sample->tid))
		all->sampling->sample(s, sample);
}

/* The frames are behind the record, those of the kernel first. */
static void on_sample(struct tl_session *s, const struct tl_record *r)
{
	const struct tl_sample_record *record = (const void *)r->data;
	const struct tl_frames kernel = {
		.at = record->frames,
		.count = record->kernel,
		.cut = record->cut & TL_STACK_KERNEL,
	};
	const struct tl_frames user = {
		.at = record->frames + record->kernel * sizeof(uint64_t),
		.count = record->user,
		.cut = record->cut & TL_STACK_USER,
	};
	struct tl_sample sample = {
		.ns = r->ns,
		.tid = r->pid,
		.process = record->process,
		.cpu = r->cpu,
	};

	if (tl_task_matches(s, r->pid)) {
		sample.stack.kernel = tl_chain_kernel(s, &kernel);
		sample.stack.user =
			tl_chain_user(s, record->process, &user, r->ns);
	}
	give(s, &sample);
}

/* Its members are not aligned: records are to 32 bits only. */
static void on_mapped(struct tl_session *s, const struct tl_record *r)
{
	struct tl_mapped_record record;
	char path[PATH_MAX];
	struct tl_map map = { .path = path };

	memcpy(&record, r->data, sizeof(record));
	snprintf(path, sizeof(path), "%s", r->data + sizeof(record));
	/* as /proc/PID/maps has it, of what has no file */
	if (!strcmp(path, "//anon"))
		*path = '\0';
	map.start = record.start;
	map.end = record.start + record.size;
	map.offset = record.offset;
	map.dev = (uint64_t)record.major << 32 | record.minor;
	map.inode = record.inode;
	tl_user_mapped(s, record.process, &map, r->ns);
}

/* ---- set-up ----------------------------------------------------------- */

static int check_perf(struct tl_session *s, void *data)
{
	int ret = tl_perf_check(s, data);

	return tl_perf_is_refused(ret)
		       ? tl_fail(-ret, "perf_event_open: %s: " INSTEAD,
				 tl_perf_why_refused(ret), tl_ticks_frequency())
		       : ret;
}

int tl_samples_check(struct tl_session *s, struct tl_sampling *sampling)
{
	int ret = sampling->kinds & TL_STACK_KERNEL ? tl_symbols_check(s) : 0;

	if (ret)
		return ret;
	ret = tl_perf_check(s, sampling);
	if (!tl_perf_is_refused(ret))
		return ret;
	return tl_ticks_check(s, sampling)
		       ?: tl_limit_of(s, "-F", false, check_perf, sampling);
}

/* Those of stacks of programs: of all threads, whoever is asked for. */
static int make_events(struct tl_session *s, struct samples *all)
{
	all->events.sample = tl_event_make(
		s, "sample", sizeof(struct tl_sample_record), on_sample);
	if (!all->events.sample)
		return -errno;
	if (!(all->sampling->kinds & TL_STACK_USER))
		return 0;
	all->events.mapped = tl_event_make(
		s, "mapped", sizeof(struct tl_mapped_record), NULL);
	if (!all->events.mapped)
		return -errno;
	all->events.mapped->watcher = on_mapped;
	return 0;
}

static int open_perf(struct tl_session *s, struct samples *all)
{
	int ret;

	ret = make_events(s, all)
		      ?: tl_perf_open(s, all->sampling, &all->events)
		      ?: tl_chains_use(s, all->sampling->kinds);
	/* others have no ring that tells */
	if (!ret && all->events.mapped && !s->set.cpu.count)
		tl_user_all_mapped(s, true);
	if (!ret)
		tl_run_no_wakeups(s);
	return ret;
}

/* Of a capture: those of its machine, which notes how many processors it has. */
static uint64_t ticks_frequency(struct tl_session *s)
{
	const uint64_t kept = tl_recording_number(s->recording, "ticks"),
		       hz = kept ?: tl_ticks_frequency();

	if (tl_recording_is_on(s->recording)) {
		tl_recording_notef(s->recording, "tick cpus", "%u",
				   count_cpus(s));
		tl_recording_notef(s->recording, "ticks", "%" PRIu64, hz);
	}
	return hz;
}

int tl_samples_open(struct tl_session *s, struct tl_sampling *sampling)
{
	struct samples *all = tl_part_new(s, &samples_ops, sizeof(*all));
	int ret;

	if (!all)
		return -ENOMEM;
	all->sampling = sampling;
	ret = open_perf(s, all);
	if (!tl_perf_is_refused(ret))
		return ret;
	sampling->frequency = ticks_frequency(s);
	if (!tl_recording_replays(s->recording))
		tl_warn("perf_event_open: %s: " INSTEAD,
			tl_perf_why_refused(ret), sampling->frequency);
	return tl_ticks_open(s, sampling, give);
}
