/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * track.h - numbers of tracks
 *
 * That of a thread is the same in each trace: traces of several captures are put one
 * behind the other.  All others are of one capture, as what is on them would overlap.
 */
#ifndef TL_TIMELINE_TRACK_H
#define TL_TIMELINE_TRACK_H

#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "tracelet/text.h"

enum tl_track_kind {
	TL_TRACK_THREAD = 1,
	TL_TRACK_ROWS,    /* a tool's, of one thread */
	TL_TRACK_LANE,    /* a tool's, of no thread */
	TL_TRACK_COUNTER, /* a tool's */
	TL_TRACK_LOST,
};

/** tl_track_hash - of a text; from 0 on, or of several from what was returned on */
static inline uint64_t tl_track_hash(uint64_t hash, struct tl_str str)
{
	size_t i;

	hash ^= 14695981039346656037U; /* FNV-1a */
	for (i = 0; i < str.len; i++)
		hash = (hash ^ (unsigned char)str.text[i]) * 1099511628211U;
	return hash;
}

/* @capture: which one of the tool's, in one output; it has tracks of its own */
static inline uint16_t tl_track_tool(const char *name, uint32_t capture)
{
	return (uint16_t)(tl_track_hash(0,
					(struct tl_str){ name, strlen(name) }) +
			  capture);
}

/* Four bits of kind, 16 of a tool, 44 of what the kind says. */
static inline uint64_t tl_track(enum tl_track_kind kind, uint16_t tool,
				uint64_t of)
{
	return (uint64_t)kind << 60 | (uint64_t)tool << 44 |
	       (of & ((1ULL << 44) - 1));
}

/* Ids of threads have 22 bits. */
static inline uint64_t tl_track_of_thread(enum tl_track_kind kind,
					  uint16_t tool, pid_t pid, pid_t tid)
{
	return tl_track(kind, tool,
			((uint64_t)pid & 0x3fffff) << 22 |
				((uint64_t)tid & 0x3fffff));
}

static inline uint64_t tl_track_of_lost(const char *tool, uint32_t capture,
					unsigned int cpu)
{
	return tl_track(TL_TRACK_LOST, tl_track_tool(tool, capture), cpu);
}

#endif
