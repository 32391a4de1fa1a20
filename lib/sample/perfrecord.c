// SPDX-License-Identifier: GPL-2.0-or-later
/* perfrecord.c - what the kernel writes for a perf event, as records of the run */
#include "sample/perfrecord.h"

#include <limits.h>
#include <string.h>

/* A thread that has no id any more when it is sampled: none has this one. */
#define NO_THREAD INT_MAX

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

struct mapped {
	struct perf_event_header header;
	int32_t process, tid;
	uint64_t start, size, offset;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t protection, flags;
	char path[];
};

uint64_t tl_perf_time_of(const struct perf_event_header *h)
{
	const struct sample_id *id =
		(const void *)((const char *)h + h->size - sizeof(*id));

	return id->ns;
}

/* Frames of one kind, in a sample. */
struct run_of_frames {
	const uint64_t *at;
	size_t count;
};

/* A mark is in front of the frames of each kind; others are of guests. */
static void split(const struct sample *s, struct run_of_frames *kernel,
		  struct run_of_frames *user)
{
	const size_t room = (s->header.size - sizeof(*s)) / sizeof(uint64_t);
	struct run_of_frames other = { 0 }, *to = &other;
	uint64_t i;

	for (i = 0; i < s->count && i < room; i++) {
		if (s->frames[i] < PERF_CONTEXT_MAX) {
			to->count++;
			continue;
		}
		to = s->frames[i] == PERF_CONTEXT_KERNEL ? kernel
		     : s->frames[i] == PERF_CONTEXT_USER ? user
							 : &other;
		*to = (struct run_of_frames){ s->frames + i + 1, 0 };
	}
}

/* The kernel keeps no more: the last one of a chain may have a caller. */
static uint32_t cut_of(size_t depth, const struct run_of_frames *kernel,
		       const struct run_of_frames *user)
{
	const size_t all = kernel->count + user->count;

	if (all < depth)
		return 0;
	return user->count ? TL_STACK_USER : TL_STACK_KERNEL;
}

static struct tl_made_record head_of(const struct tl_event *ev, int32_t tid)
{
	return (struct tl_made_record){ .type = tl_event_type(ev),
					.pid = tid < 0 ? NO_THREAD : tid };
}

bool tl_perf_add_sample(struct tl_page_writer *w,
			const struct tl_perf_events *events,
			const struct perf_event_header *h, size_t depth)
{
	const struct sample *s = (const struct sample *)h;
	struct run_of_frames kernel = { 0 }, user = { 0 };
	struct tl_sample_record record = {
		.head = head_of(events->sample, s->id.tid),
		.process = s->id.process < 0 ? NO_THREAD : s->id.process,
	};
	char *to;

	if (s->header.size >= sizeof(*s))
		split(s, &kernel, &user);
	record.kernel = (uint16_t)kernel.count;
	record.user = (uint16_t)user.count;
	record.cut = cut_of(depth, &kernel, &user);
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

bool tl_perf_add_mapped(struct tl_page_writer *w,
			const struct tl_perf_events *events,
			const struct perf_event_header *h)
{
	const struct mapped *m = (const struct mapped *)h;
	struct tl_mapped_record record = {
		.head = head_of(events->mapped, m->tid),
		.process = m->process < 0 ? NO_THREAD : m->process,
		.major = m->major,
		.minor = m->minor,
		.start = m->start,
		.size = m->size,
		.offset = m->offset,
		.inode = m->inode,
	};
	const size_t len = strlen(m->path) + 1;
	char *to = tl_page_add(w, tl_perf_time_of(h), sizeof(record) + len);

	if (!to)
		return false;
	memcpy(to, &record, sizeof(record));
	memcpy(to + sizeof(record), m->path, len);
	return true;
}
