// SPDX-License-Identifier: GPL-2.0-or-later
/* ring.c - the ring buffer of a perf event, mapped by this process */
#include "sample/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The largest record: its size has 16 bits. */
#define LARGEST 65536

static int open_event(struct perf_event_attr *attr, unsigned int cpu)
{
	long fd = syscall(SYS_perf_event_open, attr, -1, (int)cpu, -1,
			  PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

/* EPERM: more than perf_event_mlock_kb and RLIMIT_MEMLOCK. */
static int map(struct tl_ring *ring, size_t size)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *at = MAP_FAILED;

	for (ring->size = page; ring->size * 2 <= size;)
		ring->size *= 2;
	for (; ring->size >= page && at == MAP_FAILED; ring->size /= 2) {
		ring->mapped = page + ring->size;
		at = mmap(NULL, ring->mapped, PROT_READ | PROT_WRITE,
			  MAP_SHARED, ring->fd, 0);
		if (at == MAP_FAILED && errno != EPERM && errno != ENOMEM)
			break;
	}
	if (at == MAP_FAILED)
		return -errno;
	ring->size = ring->mapped - page;
	ring->page = at;
	return 0;
}

int tl_ring_open(struct tl_ring *ring, struct perf_event_attr *attr,
		 unsigned int cpu, size_t size)
{
	int ret;

	*ring = (struct tl_ring){ .fd = -1, .event = -1 };
	ring->copy = malloc(LARGEST);
	ret = ring->copy ? open_event(attr, cpu) : -ENOMEM;
	if (ret >= 0) {
		ring->fd = ring->event = ret;
		ret = map(ring, size);
	}
	if (ret)
		tl_ring_close(ring);
	return ret;
}

static void close_event(struct tl_ring *ring)
{
	if (ring->event != ring->fd)
		close(ring->event);
}

int tl_ring_enable(const struct tl_ring *ring, int on)
{
	return ioctl(ring->event,
		     on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0)
		       ? -errno
		       : 0;
}

/* The ring stays that of the first event, which has mapped it. */
int tl_ring_renew(struct tl_ring *ring, struct perf_event_attr *attr,
		  unsigned int cpu)
{
	int fd = open_event(attr, cpu), ret;

	if (fd < 0)
		return fd;
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd)) {
		ret = -errno;
		close(fd);
		return ret;
	}
	tl_ring_enable(ring, 0);
	close_event(ring);
	ring->event = fd;
	return 0;
}

void tl_ring_close(struct tl_ring *ring)
{
	close_event(ring);
	if (ring->page)
		munmap(ring->page, ring->mapped);
	if (ring->fd >= 0)
		close(ring->fd);
	free(ring->copy);
	*ring = (struct tl_ring){ .fd = -1, .event = -1 };
}

/* A record that goes over the end of the data is put together. */
static const void *whole(struct tl_ring *ring, uint64_t from, size_t size)
{
	const char *data = (const char *)ring->page + ring->mapped - ring->size;
	const size_t start = from & (ring->size - 1);
	const size_t first = ring->size - start;

	if (size <= first)
		return data + start;
	memcpy(ring->copy, data + start, first);
	memcpy(ring->copy + first, data, size - first);
	return ring->copy;
}

const struct perf_event_header *tl_ring_look(struct tl_ring *ring)
{
	const struct perf_event_header *h;
	uint64_t head;

	if (!ring->page)
		return NULL;
	/* what comes before it in memory was written before */
	head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	/* records are of whole words of 64 bits, so this is never cut */
	if (head == ring->tail)
		return NULL;
	h = whole(ring, ring->tail, sizeof(*h));
	ring->next = ring->tail + h->size;
	return whole(ring, ring->tail, h->size);
}

void tl_ring_take(struct tl_ring *ring)
{
	ring->tail = ring->next;
	__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
}
