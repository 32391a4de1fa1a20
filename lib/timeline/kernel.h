/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel.h - events of the kernel that Perfetto itself understands
 *
 * It makes slices of who runs on a processor, states of threads, and counters of them.
 * It pairs one record with the next, so what is behind a loss must not meet what was
 * before: a slice that is open then ends with the last record before the loss.  Until
 * the first one behind it a thread "[records lost]" has the processor, whose id no
 * thread can have.
 *
 * Of a run that recorded some threads only, switches between others are missing: one
 * of these that gets the processor has no length then, and a thread "[not recorded]"
 * follows.  Where nobody tells which threads have records, this is so once somebody
 * leaves who has not come.
 */
#ifndef TL_TIMELINE_KERNEL_H
#define TL_TIMELINE_KERNEL_H

#include <event-parse.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "timeline/packet.h"
#include "tracelet/event.h"

#define TL_KERNEL_FIELDS 7
/* the first threads "[records lost]" and "[not recorded]": ids of others end at 1 << 22 */
#define TL_KERNEL_LOST   (1 << 30)
#define TL_KERNEL_OTHERS (1 << 29)

struct tl_kernel_known;

/** An event that is known, and where this kernel has its fields. */
struct tl_kernel_event {
	const struct tl_kernel_known *known;
	struct tl_field fields[TL_KERNEL_FIELDS]; /* offset 0: it has not */
};

struct tl_kernel_cpu;

/** What was told of the processors. */
struct tl_kernel {
	struct tl_packets *packets;
	const char *tool; /* whose records they are */
	struct tl_kernel_cpu *cpus;
	unsigned int count;
	bool partial; /* not all switches were recorded */
	void *ctx;
	/** Whether all switches of a thread were recorded; NULL: not known. */
	bool (*has_records)(void *ctx, pid_t tid);
};

/**
 * tl_kernel_name - names of the @i-th event that is known; false: there are no more
 *
 * Without those that several tools record for themselves: of threads, and such that have
 * begins and ends.
 */
bool tl_kernel_name(unsigned int i, const char **system, const char **name);
/** tl_kernel_find - fill in @e from the event's format; false: it is not known */
bool tl_kernel_find(const struct tep_event *tep, struct tl_kernel_event *e);
/** tl_kernel_put - add its record @r */
void tl_kernel_put(struct tl_kernel *k, const struct tl_kernel_event *e,
		   const struct tl_record *r);
/** tl_kernel_text - text of @r, also of a field that has no size */
struct tl_str tl_kernel_text(const struct tl_record *r,
			     const struct tl_field *f);
/** tl_kernel_gap - records of @cpu behind the one at @ns are missing; 0: it has none */
void tl_kernel_gap(struct tl_kernel *k, unsigned int cpu, uint64_t ns);
/**
 * tl_kernel_lost - the first record of @cpu behind them is that of @ns
 * @count: how many are missing; negative: unknown
 */
void tl_kernel_lost(struct tl_kernel *k, unsigned int cpu, uint64_t ns,
		    int64_t count);
/** tl_kernel_end - no more records come */
void tl_kernel_end(struct tl_kernel *k);
void tl_kernel_free(struct tl_kernel *k);

#endif
