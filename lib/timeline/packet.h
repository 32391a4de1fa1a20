/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * packet.h - packets of a trace as Perfetto reads it
 *
 * A trace is a row of packets, in any order: the reader sorts them by time.  Traces
 * can be put one behind the other.  A packet belongs to a sequence; what is on a track
 * refers to the track's number, which is to be the only one in all traces.
 *
 * Times are those of CLOCK_MONOTONIC, but go by the name of CLOCK_BOOTTIME, the one
 * that kernel events have in such a trace.  They are the same as long as the machine
 * was not suspended.
 */
#ifndef TL_TIMELINE_PACKET_H
#define TL_TIMELINE_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "tracelet/text.h"

struct tl_packets {
	struct tl_buf buf; /* packets that were not taken yet */
	uint32_t
		sequence; /* that they belong to, one for each capture; not 0 */
};

/** What an event on a track is. */
enum tl_packet_kind {
	TL_PACKET_BEGIN = 1,
	TL_PACKET_END = 2,
	TL_PACKET_INSTANT = 3,
	TL_PACKET_COUNTER = 4,
};

/** What the values of a counter are. */
enum tl_packet_unit {
	TL_PACKET_NO_UNIT = 0,
	TL_PACKET_NS = 1,
	TL_PACKET_BYTES = 3,
};

/** The number of a field, in the messages whose fields differ. */
enum tl_packet_field {
	/* of an event on a track */
	TL_PACKET_ARGS = 4, /* a message for each */
	/* of such a message, and of those in it */
	TL_PACKET_UINT = 3,
	TL_PACKET_INT = 4,
	TL_PACKET_DOUBLE = 5,
	TL_PACKET_STRING = 6,
	TL_PACKET_POINTER = 7,
	TL_PACKET_NAME = 10,
	TL_PACKET_DICT = 11,
	TL_PACKET_ARRAY = 12,
};

/** A packet, and a message in it, that are being written. */
struct tl_packet {
	size_t packet, data, event, kind;
};

/**
 * tl_packet_clocks - what time it was
 * @ns:   CLOCK_MONOTONIC
 * @wall: CLOCK_REALTIME minus that
 */
void tl_packet_clocks(struct tl_packets *p, uint64_t ns, int64_t wall);
/** tl_packet_system - which kernel it was: how it writes states of threads; "": not
 * known */
void tl_packet_system(struct tl_packets *p, const char *release,
		      const char *version, const char *machine);
/**
 * tl_packet_thread - from @ns on thread @tid of process @pid has the name @comm, and
 * if it is its first one, the process has it too, and the parent @parent
 */
void tl_packet_thread(struct tl_packets *p, uint64_t ns, pid_t tid, pid_t pid,
		      pid_t parent, struct tl_str comm);

/** tl_packet_track - track @uuid is called @name; @parent: beside that track; 0: none */
void tl_packet_track(struct tl_packets *p, uint64_t uuid, uint64_t parent,
		     struct tl_str name);
/** tl_packet_thread_track - track @uuid is that of a thread */
void tl_packet_thread_track(struct tl_packets *p, uint64_t uuid, pid_t pid,
			    pid_t tid);
/** tl_packet_counter_track - track @uuid has values of a counter */
void tl_packet_counter_track(struct tl_packets *p, uint64_t uuid,
			     struct tl_str name, enum tl_packet_unit unit);

/**
 * tl_packet_event - begin an event on track @uuid, to which arguments are added
 * @category: NULL, and a @name without text: none, as of an end
 */
struct tl_packet tl_packet_event(struct tl_packets *p, uint64_t ns,
				 uint64_t uuid, enum tl_packet_kind kind,
				 const char *category, struct tl_str name);
void tl_packet_event_end(struct tl_packets *p, const struct tl_packet *at);
/** tl_packet_count - value @num of a counter */
void tl_packet_count(struct tl_packets *p, uint64_t ns, uint64_t uuid,
		     double num);

/**
 * tl_packet_ftrace - begin an event of the kernel, whose fields follow
 * @lost: records of this processor before it are missing
 */
struct tl_packet tl_packet_ftrace(struct tl_packets *p, uint64_t ns,
				  unsigned int cpu, pid_t pid,
				  unsigned int event, bool lost);
void tl_packet_ftrace_end(struct tl_packets *p, const struct tl_packet *at);

#endif
