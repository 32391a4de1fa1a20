/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring.h - the ring buffer of a perf event, mapped by this process
 *
 * How the kernel and its reader share it is in include/uapi/linux/perf_event.h: struct
 * perf_event_mmap_page.
 */
#ifndef TL_SAMPLE_RING_H
#define TL_SAMPLE_RING_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

/** A perf event of one processor, with its ring. */
struct tl_ring {
	int fd;    /* of the event that it was opened with; -1: it was not */
	int event; /* that writes to it now */
	struct perf_event_mmap_page *page; /* data is behind it */
	size_t mapped;
	size_t size; /* of data: a power of two */
	uint64_t tail,
		next; /* where the record begins that was looked at, and ends */
	char *copy;   /* of one that goes over the end */
};

/**
 * tl_ring_open - begin an event on processor @cpu, for all threads
 * @attr: what it counts; it is not enabled yet
 * @size: of data, in bytes; less where so much cannot be locked in memory
 *
 * Returns 0, or -errno without a message: -ENODEV if the processor is off line.
 */
int tl_ring_open(struct tl_ring *ring, struct perf_event_attr *attr,
		 unsigned int cpu, size_t size);
/**
 * tl_ring_renew - begin another event that writes to @ring, as the last one has ended: its
 * processor was off line; disabled, 0 or -errno: -ENODEV it still is
 */
int tl_ring_renew(struct tl_ring *ring, struct perf_event_attr *attr,
		  unsigned int cpu);
void tl_ring_close(struct tl_ring *ring);
/** tl_ring_enable - let it count, or no longer; 0 or -errno */
int tl_ring_enable(const struct tl_ring *ring, int on);

/**
 * tl_ring_look - the oldest record that was not taken; NULL: there is none now, or the
 * ring is not open
 *
 * It stays until tl_ring_take() or another look.
 */
const struct perf_event_header *tl_ring_look(struct tl_ring *ring);
/** tl_ring_take - give the place of the record that was looked at back to the kernel */
void tl_ring_take(struct tl_ring *ring);

#endif
