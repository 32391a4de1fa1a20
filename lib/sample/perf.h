/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf.h - samples and mappings from perf_event_open(), as records of the run */
#ifndef TL_SAMPLE_PERF_H
#define TL_SAMPLE_PERF_H

#include "base/session.h"
#include "record/event.h"
#include "tracelet/sample.h"

/** Of event "sample". */
struct tl_sample_record {
	struct tl_made_record head;
	int32_t process;
	uint16_t kernel, user; /* how many frames of each */
	uint32_t cut;          /* enum tl_stack_kind: there are more of these */
	uint32_t reserved;
	char frames[]; /* 64 bits each: the kernel's, then the program's */
};

/** Of event "mapped": a process has mapped a file to execute. */
struct tl_mapped_record {
	struct tl_made_record head;
	int32_t process;
	uint32_t major, minor; /* of the device */
	uint64_t start, size, offset, inode;
	char path[];
};

/** The events of these records; the second is NULL where nobody needs it. */
struct tl_perf_events {
	struct tl_event *sample, *mapped;
};

/**
 * tl_perf_open - in setup: begin to sample on each processor
 *
 * @sampling and @events live as long as the run.  Returns 0; what tl_perf_is_refused() is
 * true of, without a message; another -errno after one.
 */
int tl_perf_open(struct tl_session *s, const struct tl_sampling *sampling,
		 const struct tl_perf_events *events);
/** tl_perf_check - whether that would work; the same */
int tl_perf_check(struct tl_session *s, const struct tl_sampling *sampling);
/**
 * tl_perf_is_refused - whether @ret says that samples cannot be had so: the kernel does not
 * allow it, this is a container that has ids of its own (-EXDEV), or a capture (-EOPNOTSUPP)
 */
bool tl_perf_is_refused(int ret);
const char *tl_perf_why_refused(int ret);
/** tl_perf_looks - how often it was looked at processors, whatever these did, until now */
uint64_t tl_perf_looks(const struct tl_session *s);
/** tl_perf_cpus - on how many processors; 0: there are no such samples */
unsigned int tl_perf_cpus(const struct tl_session *s);

#endif
