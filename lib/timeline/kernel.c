// SPDX-License-Identifier: GPL-2.0-or-later
/* kernel.c - events of the kernel that Perfetto itself understands */
#include "timeline/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/event.h"
#include "timeline/proto.h"
#include "timeline/track.h"

#define COMM_LEN 16

/* A field of an event: its name in the kernel, and its number in a trace. */
struct known_field {
	const char *name;
	unsigned int number;
	bool text;
	bool line; /* text without the newline at its end */
};

struct tl_kernel_known {
	const char *system, *name;
	unsigned int number;
	struct known_field fields[TL_KERNEL_FIELDS];
};

/* sched_switch, by place in its table */
enum { PREV_COMM, PREV_PID, PREV_PRIO, PREV_STATE, NEXT_COMM, NEXT_PID };

static const struct tl_kernel_known switched = {
	"sched",
	"sched_switch",
	4,
	{ [PREV_COMM] = { "prev_comm", 1, true },
	  [PREV_PID] = { "prev_pid", 2 },
	  [PREV_PRIO] = { "prev_prio", 3 },
	  [PREV_STATE] = { "prev_state", 4 },
	  [NEXT_COMM] = { "next_comm", 5, true },
	  [NEXT_PID] = { "next_pid", 6 },
	  { "next_prio", 7 } }
};

#define WOKEN                                                     \
	{                                                         \
		{ "comm", 1, true }, { "pid", 2 }, { "prio", 3 }, \
			{ "success", 4 },                         \
		{                                                 \
			"target_cpu", 5                           \
		}                                                 \
	}

static const struct tl_kernel_known others[] = {
	{ "sched", "sched_waking", 20, WOKEN },
	{ "sched", "sched_wakeup", 17, WOKEN },
	{ "sched", "sched_wakeup_new", 114, WOKEN },
	/* markers that programs write, of which slices and counters are made */
	{ "ftrace", "print", 3, { { "ip", 1 }, { "buf", 2, true, true } } },
	{ "power", "cpu_frequency", 11, { { "state", 1 }, { "cpu_id", 2 } } },
	{ "power", "cpu_idle", 13, { { "state", 1 }, { "cpu_id", 2 } } },
};

#define OTHERS (sizeof(others) / sizeof(others[0]))

/*
 * Of trace-cmd only: which threads there are, where nobody else tells; and what slices are
 * made of, by begins and ends, which a tool does not record both of, or not of all.
 */
static const struct tl_kernel_known unnamed[] = {
	{ "sched",
	  "sched_process_exit",
	  238,
	  { { "comm", 1, true }, { "pid", 2 }, { "prio", 4 } } },
	{ "sched",
	  "sched_process_free",
	  240,
	  { { "comm", 1, true }, { "pid", 2 }, { "prio", 3 } } },
	{ "task",
	  "task_newtask",
	  235,
	  { { "pid", 1 },
	    { "comm", 2, true },
	    { "clone_flags", 3 },
	    { "oom_score_adj", 4 } } },
	{ "task",
	  "task_rename",
	  236,
	  { { "pid", 1 },
	    { "oldcomm", 2, true },
	    { "newcomm", 3, true },
	    { "oom_score_adj", 4 } } },
	{ "irq",
	  "irq_handler_entry",
	  36,
	  { { "irq", 1 }, { "name", 2, true } } },
	{ "irq", "irq_handler_exit", 37, { { "irq", 1 }, { "ret", 2 } } },
	{ "irq", "softirq_entry", 24, { { "vec", 1 } } },
	{ "irq", "softirq_exit", 25, { { "vec", 1 } } },
	{ "irq", "softirq_raise", 26, { { "vec", 1 } } },
	{ "raw_syscalls", "sys_enter", 329, { { "id", 1 } } },
	{ "raw_syscalls", "sys_exit", 330, { { "id", 1 }, { "ret", 2 } } },
	{ "workqueue",
	  "workqueue_execute_start",
	  58,
	  { { "work", 1 }, { "function", 2 } } },
	{ "workqueue",
	  "workqueue_execute_end",
	  57,
	  { { "work", 1 }, { "function", 2 } } },
};

#define UNNAMED (sizeof(unnamed) / sizeof(unnamed[0]))

/*
 * States of a thread that leaves.  There is none for "not known": a reader counts what it
 * does not know as an error of the trace.  One that sleeps can be woken, and is not taken
 * for one that waits for a processor, which would be a latency that nobody has seen.
 */
#define ASLEEP 0x1
#define DEAD   0x10

struct tl_kernel_cpu {
	bool known; /* who runs */
	uint64_t since;
	pid_t tid;
	char comm[COMM_LEN];
	bool hole;   /* "[records lost]" runs */
	bool behind; /* a packet is to say that records before it are missing */
	uint64_t from; /* the last record before a loss; 0: none */
	uint64_t to;   /* the first one behind it; 0: there is none yet */
};

static const struct tl_kernel_known *known(unsigned int i)
{
	if (!i)
		return &switched;
	if (--i < OTHERS)
		return &others[i];
	i -= OTHERS;
	return i < UNNAMED ? &unnamed[i] : NULL;
}

bool tl_kernel_name(unsigned int i, const char **system, const char **name)
{
	const struct tl_kernel_known *k = i <= OTHERS ? known(i) : NULL;

	if (!k)
		return false;
	*system = k->system;
	*name = k->name;
	return true;
}

static void find_field(const struct tep_event *tep, struct tl_kernel_event *e,
		       unsigned int i)
{
	const struct known_field *f = &e->known->fields[i];
	struct tep_format_field *found =
		f->name ? tep_find_field((struct tep_event *)tep, f->name)
			: NULL;

	if (found)
		e->fields[i] = tl_field_of(found);
}

bool tl_kernel_find(const struct tep_event *tep, struct tl_kernel_event *e)
{
	unsigned int i;

	*e = (struct tl_kernel_event){ 0 };
	for (i = 0; (e->known = known(i)); i++)
		if (!strcmp(e->known->name, tep->name) &&
		    !strcmp(e->known->system, tep->system))
			break;
	for (i = 0; e->known && i < TL_KERNEL_FIELDS; i++)
		find_field(tep, e, i);
	return e->known;
}

/* NULL without memory. */
static struct tl_kernel_cpu *get_cpu(struct tl_kernel *k, unsigned int cpu)
{
	struct tl_kernel_cpu *more;

	if (cpu < k->count)
		return &k->cpus[cpu];
	more = reallocarray(k->cpus, cpu + 1, sizeof(*more));
	if (!more) {
		k->packets->buf.failed = true;
		return NULL;
	}
	memset(more + k->count, 0, (cpu + 1 - k->count) * sizeof(*more));
	k->cpus = more;
	k->count = cpu + 1;
	return &k->cpus[cpu];
}

/* ---- records ---------------------------------------------------------- */

/* One without a size has the rest of the record. */
struct tl_str tl_kernel_text(const struct tl_record *r,
			     const struct tl_field *f)
{
	const char *text = r->data + f->offset;

	if (f->size)
		return tl_field_str(r, f);
	if (f->offset >= r->size)
		return (struct tl_str){ "", 0 };
	return (struct tl_str){ text, strnlen(text, r->size - f->offset) };
}

/* A newline would be escaped, and be part of the last word then: of a number. */
static struct tl_str text_of(const struct tl_record *r,
			     const struct tl_field *f, bool line)
{
	struct tl_str text = tl_kernel_text(r, f);

	while (line && text.len && text.text[text.len - 1] == '\n')
		text.len--;
	return text;
}

static void put_fields(struct tl_buf *b, const struct tl_kernel_event *e,
		       const struct tl_record *r)
{
	const struct known_field *f = e->known->fields;
	unsigned int i;

	for (i = 0; i < TL_KERNEL_FIELDS; i++)
		if (!e->fields[i].offset)
			continue;
		else if (f[i].text)
			tl_proto_str(b, f[i].number,
				     text_of(r, &e->fields[i], f[i].line));
		else
			tl_proto_int(b, f[i].number,
				     tl_field_num(r, &e->fields[i]));
}

/* One that no record tells of, at a loss. */
static void put_switch(struct tl_kernel *k, unsigned int cpu, uint64_t ns,
		       pid_t prev, struct tl_str prev_comm, unsigned int state,
		       pid_t next, struct tl_str next_comm)
{
	const struct known_field *f = switched.fields;
	struct tl_buf *b = &k->packets->buf;
	struct tl_packet at = tl_packet_ftrace(k->packets, ns, cpu, prev,
					       switched.number, false);

	tl_proto_str(b, f[PREV_COMM].number, prev_comm);
	tl_proto_int(b, f[PREV_PID].number, prev);
	tl_proto_uint(b, f[PREV_STATE].number, state);
	tl_proto_str(b, f[NEXT_COMM].number, next_comm);
	tl_proto_int(b, f[NEXT_PID].number, next);
	tl_packet_ftrace_end(k->packets, &at);
}

static const struct tl_str lost_comm = { "[records lost]", 14 };
static const struct tl_str others_comm = { "[not recorded]", 14 };

/*
 * Where records were lost, who leaves the processor first has had it since the first
 * record behind them.
 */
static void end_hole(struct tl_kernel *k, struct tl_kernel_cpu *c,
		     const struct tl_kernel_event *e, const struct tl_record *r)
{
	c->hole = false;
	put_switch(k, r->cpu, c->to, TL_KERNEL_LOST + (pid_t)r->cpu, lost_comm,
		   DEAD, (pid_t)tl_field_num(r, &e->fields[PREV_PID]),
		   tl_field_str(r, &e->fields[PREV_COMM]));
}

/* From now on somebody of whom there are no records has the processor. */
static void put_others(struct tl_kernel *k, struct tl_kernel_cpu *c,
		       unsigned int cpu)
{
	const pid_t tid = TL_KERNEL_OTHERS + (pid_t)cpu;

	put_switch(k, cpu, c->since, c->tid,
		   (struct tl_str){ c->comm, strlen(c->comm) }, ASLEEP, tid,
		   others_comm);
	c->tid = tid;
	snprintf(c->comm, sizeof(c->comm), "%s", others_comm.text);
}

/* When who got the processor last left it, was not recorded. */
static void fill_in(struct tl_kernel *k, struct tl_kernel_cpu *c,
		    const struct tl_kernel_event *e, const struct tl_record *r)
{
	const pid_t tid = TL_KERNEL_OTHERS + (pid_t)r->cpu;

	if (c->tid != tid) {
		k->partial = true;
		put_others(k, c, r->cpu);
	}
	put_switch(k, r->cpu, r->ns, tid, others_comm, DEAD,
		   (pid_t)tl_field_num(r, &e->fields[PREV_PID]),
		   tl_field_str(r, &e->fields[PREV_COMM]));
}

/* What is to be told before @r is. */
static void prepare(struct tl_kernel *k, struct tl_kernel_cpu *c,
		    const struct tl_kernel_event *e, const struct tl_record *r)
{
	if (c->hole && c->to)
		end_hole(k, c, e, r);
	else if (c->known && c->tid != tl_field_num(r, &e->fields[PREV_PID]))
		fill_in(k, c, e, r);
}

static void note_running(struct tl_kernel_cpu *c,
			 const struct tl_kernel_event *e,
			 const struct tl_record *r)
{
	struct tl_str comm = tl_field_str(r, &e->fields[NEXT_COMM]);

	c->known = true;
	c->since = r->ns;
	c->tid = (pid_t)tl_field_num(r, &e->fields[NEXT_PID]);
	snprintf(c->comm, sizeof(c->comm), "%.*s", (int)comm.len, comm.text);
}

void tl_kernel_put(struct tl_kernel *k, const struct tl_kernel_event *e,
		   const struct tl_record *r)
{
	const bool is_switch = e->known == &switched;
	struct tl_kernel_cpu *c = get_cpu(k, r->cpu);
	struct tl_packet at;

	if (!c)
		return;
	if (is_switch)
		prepare(k, c, e, r);
	at = tl_packet_ftrace(k->packets, r->ns, r->cpu, r->pid,
			      e->known->number, c->behind);
	put_fields(&k->packets->buf, e, r);
	tl_packet_ftrace_end(k->packets, &at);
	c->behind = false;
	if (!is_switch)
		return;
	note_running(c, e, r);
	/* it may leave, and come back, without a record */
	if (k->has_records && !k->has_records(k->ctx, c->tid))
		put_others(k, c, r->cpu);
}

/* ---- losses ----------------------------------------------------------- */

void tl_kernel_gap(struct tl_kernel *k, unsigned int cpu, uint64_t ns)
{
	struct tl_kernel_cpu *c = get_cpu(k, cpu);

	if (!c)
		return;
	c->from = ns;
	c->to = 0;
	if (!c->known)
		return;
	put_switch(k, cpu, ns, c->tid,
		   (struct tl_str){ c->comm, strlen(c->comm) }, ASLEEP,
		   TL_KERNEL_LOST + (pid_t)cpu, lost_comm);
	c->known = false;
	c->hole = true;
}

static void put_loss(struct tl_kernel *k, const struct tl_kernel_cpu *c,
		     unsigned int cpu, const char *text)
{
	const struct tl_str name = { text, strlen(text) };
	const uint64_t uuid =
		tl_track_of_lost(k->tool, k->packets->sequence, cpu);
	struct tl_packet at;

	at = tl_packet_event(k->packets, c->from ?: c->to, uuid,
			     c->from ? TL_PACKET_BEGIN : TL_PACKET_INSTANT,
			     "lost", name);
	tl_packet_event_end(k->packets, &at);
	if (!c->from)
		return;
	at = tl_packet_event(k->packets, c->to, uuid, TL_PACKET_END, NULL,
			     (struct tl_str){ "", 0 });
	tl_packet_event_end(k->packets, &at);
}

static void put_loss_track(struct tl_kernel *k, unsigned int cpu)
{
	char name[80];

	snprintf(name, sizeof(name), "CPU %u: records that %s lost", cpu,
		 k->tool);
	tl_packet_track(k->packets,
			tl_track_of_lost(k->tool, k->packets->sequence, cpu), 0,
			(struct tl_str){ name, strlen(name) });
}

void tl_kernel_lost(struct tl_kernel *k, unsigned int cpu, uint64_t ns,
		    int64_t count)
{
	struct tl_kernel_cpu *c = get_cpu(k, cpu);
	char text[64] = "lost records, not counted";

	if (!c)
		return;
	c->to = ns;
	c->behind = true;
	if (count >= 0)
		snprintf(text, sizeof(text), "lost %lld record%s",
			 (long long)count, count == 1 ? "" : "s");
	put_loss_track(k, cpu);
	put_loss(k, c, cpu, text);
}

/* Where some switches are missing, the last ones may be, too. */
void tl_kernel_end(struct tl_kernel *k)
{
	unsigned int i;

	for (i = 0; k->partial && i < k->count; i++)
		if (k->cpus[i].known &&
		    k->cpus[i].tid != TL_KERNEL_OTHERS + (pid_t)i)
			put_others(k, &k->cpus[i], i);
}

void tl_kernel_free(struct tl_kernel *k)
{
	free(k->cpus);
	k->cpus = NULL;
	k->count = 0;
}
