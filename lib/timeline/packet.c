// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * packet.c - packets of a trace as Perfetto reads it
 *
 * Numbers are those of its messages Trace, TracePacket, ClockSnapshot, SystemInfo,
 * ProcessTree, TrackDescriptor, TrackEvent, FtraceEventBundle and FtraceEvent.
 */
#include "timeline/packet.h"

#include <string.h>

#include "timeline/proto.h"

/* the one field of a trace */
#define PACKET 1

/* of a packet */
enum {
	FTRACE_EVENTS = 1,
	PROCESS_TREE = 2,
	CLOCK_SNAPSHOT = 6,
	TIMESTAMP = 8,
	SEQUENCE = 10,
	TRACK_EVENT = 11,
	SYSTEM_INFO = 45,
	TRACK_DESCRIPTOR = 60,
};

enum { CLOCKS = 1, CLOCK_ID = 1, CLOCK_TIMESTAMP = 2 };
enum { REALTIME = 1, MONOTONIC = 3, BOOTTIME = 6 };

enum { UTSNAME = 1, SYSNAME = 1, VERSION = 2, RELEASE = 3, MACHINE = 4 };

enum { PROCESSES = 1, THREADS = 2 };
enum { PROCESS_PID = 1, PROCESS_PPID = 2, PROCESS_CMDLINE = 3 };
enum { THREAD_TID = 1, THREAD_NAME = 2, THREAD_TGID = 3 };

enum {
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
};
enum { TRACK_THREAD_PID = 1, TRACK_THREAD_TID = 2 };
enum { COUNTER_UNIT = 3 };

enum {
	EVENT_KIND = 9,
	EVENT_TRACK = 11,
	EVENT_CATEGORY = 22,
	EVENT_NAME = 23,
	EVENT_DOUBLE = 44,
};

enum { BUNDLE_CPU = 1, BUNDLE_EVENT = 2, BUNDLE_LOST = 3 };
enum { FTRACE_TIMESTAMP = 1, FTRACE_PID = 2 };

static size_t begin(struct tl_packets *p)
{
	size_t at = tl_proto_begin(&p->buf, PACKET);

	tl_proto_uint(&p->buf, SEQUENCE, p->sequence);
	return at;
}

static struct tl_packet begin_with(struct tl_packets *p, unsigned int field)
{
	struct tl_packet at = { .packet = begin(p) };

	at.data = tl_proto_begin(&p->buf, field);
	return at;
}

static struct tl_packet begin_at(struct tl_packets *p, uint64_t ns,
				 unsigned int field)
{
	struct tl_packet at = { .packet = begin(p) };

	tl_proto_uint(&p->buf, TIMESTAMP, ns);
	at.data = tl_proto_begin(&p->buf, field);
	return at;
}

static void end(struct tl_packets *p, const struct tl_packet *at)
{
	tl_proto_end(&p->buf, at->data);
	tl_proto_end(&p->buf, at->packet);
}

/* ---- the machine ------------------------------------------------------ */

static void put_clock(struct tl_buf *b, unsigned int id, uint64_t ns)
{
	size_t at = tl_proto_begin(b, CLOCKS);

	tl_proto_uint(b, CLOCK_ID, id);
	tl_proto_uint(b, CLOCK_TIMESTAMP, ns);
	tl_proto_end(b, at);
}

void tl_packet_clocks(struct tl_packets *p, uint64_t ns, int64_t wall)
{
	struct tl_packet at = begin_with(p, CLOCK_SNAPSHOT);

	put_clock(&p->buf, BOOTTIME, ns);
	put_clock(&p->buf, MONOTONIC, ns);
	if (wall)
		put_clock(&p->buf, REALTIME, ns + (uint64_t)wall);
	end(p, &at);
}

void tl_packet_system(struct tl_packets *p, const char *release,
		      const char *version, const char *machine)
{
	struct tl_packet at = begin_with(p, SYSTEM_INFO);
	size_t name = tl_proto_begin(&p->buf, UTSNAME);

	tl_proto_text(&p->buf, SYSNAME, "Linux");
	if (*version)
		tl_proto_text(&p->buf, VERSION, version);
	tl_proto_text(&p->buf, RELEASE, release);
	tl_proto_text(&p->buf, MACHINE, machine);
	tl_proto_end(&p->buf, name);
	end(p, &at);
}

/*
 * A name takes the place of the command line.  Where this is one word, a reader takes what
 * is before the first space for the name: "tmux:" of "tmux: server".
 */
static void put_process(struct tl_buf *b, pid_t pid, pid_t parent,
			struct tl_str comm)
{
	size_t at = tl_proto_begin(b, PROCESSES);

	tl_proto_int(b, PROCESS_PID, pid);
	if (parent)
		tl_proto_int(b, PROCESS_PPID, parent);
	tl_proto_str(b, PROCESS_CMDLINE, comm);
	if (memchr(comm.text, ' ', comm.len))
		tl_proto_text(b, PROCESS_CMDLINE, "");
	tl_proto_end(b, at);
}

void tl_packet_thread(struct tl_packets *p, uint64_t ns, pid_t tid, pid_t pid,
		      pid_t parent, struct tl_str comm)
{
	struct tl_packet at = begin_at(p, ns, PROCESS_TREE);
	size_t thread;

	if (tid == pid)
		put_process(&p->buf, pid, parent, comm);
	thread = tl_proto_begin(&p->buf, THREADS);
	tl_proto_int(&p->buf, THREAD_TID, tid);
	tl_proto_str(&p->buf, THREAD_NAME, comm);
	if (pid)
		tl_proto_int(&p->buf, THREAD_TGID, pid);
	tl_proto_end(&p->buf, thread);
	end(p, &at);
}

/* ---- tracks ----------------------------------------------------------- */

static struct tl_packet begin_track(struct tl_packets *p, uint64_t uuid,
				    struct tl_str name)
{
	struct tl_packet at = begin_with(p, TRACK_DESCRIPTOR);

	tl_proto_uint(&p->buf, TRACK_UUID, uuid);
	if (name.len)
		tl_proto_str(&p->buf, TRACK_NAME, name);
	return at;
}

void tl_packet_track(struct tl_packets *p, uint64_t uuid, uint64_t parent,
		     struct tl_str name)
{
	struct tl_packet at = begin_track(p, uuid, name);

	if (parent)
		tl_proto_uint(&p->buf, TRACK_PARENT, parent);
	end(p, &at);
}

void tl_packet_thread_track(struct tl_packets *p, uint64_t uuid, pid_t pid,
			    pid_t tid)
{
	struct tl_packet at = begin_track(p, uuid, (struct tl_str){ "", 0 });
	size_t thread = tl_proto_begin(&p->buf, TRACK_THREAD);

	tl_proto_int(&p->buf, TRACK_THREAD_PID, pid);
	tl_proto_int(&p->buf, TRACK_THREAD_TID, tid);
	tl_proto_end(&p->buf, thread);
	end(p, &at);
}

void tl_packet_counter_track(struct tl_packets *p, uint64_t uuid,
			     struct tl_str name, enum tl_packet_unit unit)
{
	struct tl_packet at = begin_track(p, uuid, name);
	size_t counter = tl_proto_begin(&p->buf, TRACK_COUNTER);

	if (unit)
		tl_proto_uint(&p->buf, COUNTER_UNIT, unit);
	tl_proto_end(&p->buf, counter);
	end(p, &at);
}

struct tl_packet tl_packet_event(struct tl_packets *p, uint64_t ns,
				 uint64_t uuid, enum tl_packet_kind kind,
				 const char *category, struct tl_str name)
{
	struct tl_packet at = begin_at(p, ns, TRACK_EVENT);

	tl_proto_uint(&p->buf, EVENT_KIND, kind);
	tl_proto_uint(&p->buf, EVENT_TRACK, uuid);
	if (category)
		tl_proto_text(&p->buf, EVENT_CATEGORY, category);
	if (name.len)
		tl_proto_str(&p->buf, EVENT_NAME, name);
	return at;
}

void tl_packet_event_end(struct tl_packets *p, const struct tl_packet *at)
{
	end(p, at);
}

void tl_packet_count(struct tl_packets *p, uint64_t ns, uint64_t uuid,
		     double num)
{
	struct tl_packet at = begin_at(p, ns, TRACK_EVENT);

	tl_proto_uint(&p->buf, EVENT_KIND, TL_PACKET_COUNTER);
	tl_proto_uint(&p->buf, EVENT_TRACK, uuid);
	tl_proto_double(&p->buf, EVENT_DOUBLE, num);
	end(p, &at);
}

/* ---- events of the kernel --------------------------------------------- */

struct tl_packet tl_packet_ftrace(struct tl_packets *p, uint64_t ns,
				  unsigned int cpu, pid_t pid,
				  unsigned int event, bool lost)
{
	struct tl_packet at = begin_with(p, FTRACE_EVENTS);

	tl_proto_uint(&p->buf, BUNDLE_CPU, cpu);
	if (lost)
		tl_proto_uint(&p->buf, BUNDLE_LOST, 1);
	at.event = tl_proto_begin(&p->buf, BUNDLE_EVENT);
	tl_proto_uint(&p->buf, FTRACE_TIMESTAMP, ns);
	tl_proto_uint(&p->buf, FTRACE_PID, (uint32_t)pid);
	at.kind = tl_proto_begin(&p->buf, event);
	return at;
}

void tl_packet_ftrace_end(struct tl_packets *p, const struct tl_packet *at)
{
	tl_proto_end(&p->buf, at->kind);
	tl_proto_end(&p->buf, at->event);
	end(p, at);
}
