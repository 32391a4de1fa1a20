/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event.h - formats, fields and filters of events */
#ifndef TL_RECORD_EVENT_H
#define TL_RECORD_EVENT_H

#include <event-parse.h>
#include <string.h>

#include "base/session.h"
#include "record/page.h"
#include "record/task.h"
#include "tracelet/event.h"
#include "tracelet/tally.h"

/** What a subject knows of an event: its own struct begins with this. */
struct tl_event_part {
	const struct tl_event_part_ops *ops;
	struct tl_event_part *next;
};

/** Which subject a part is of, and how it ends. */
struct tl_event_part_ops {
	void (*free)(void *part);
};

struct tl_event {
	struct tl_event *next;
	char *system, *name;
	int id;
	uint32_t least;      /* bytes of a record, or handlers do not get it */
	uint32_t above;      /* this size: a handler and nothing more; 0: ask */
	tl_handler *handler; /* the tool's */
	void *ctx;           /* what that needs at each record, or NULL */
	tl_handler *watcher; /* the library's */
	struct tl_tally *tally; /* to add @by to, in place of a handler */
	struct tl_field by;
	struct tep_event *tep;
	uint64_t seen; /* records, of the time that counts: struct tl_events */
	bool filtered;
	char *filter; /* the kernel's, without that of --cpu; NULL: none */
	struct tl_condition *only; /* struct tl_event_filters; NULL: all */
	bool on_demand;            /* a trigger enables it, or counts it */
	char *title;               /* what users call it; NULL: "system:name" */
	bool by_fields;            /* its print fmt is not to be used */
	bool is_made;              /* its records are not the kernel's */
	struct tl_event_part *parts; /* the last one that was added first */
	/*
	 * A record that does not fit is not written.  Where a text may be too
	 * long, a second probe at the same place has no more than its first
	 * bytes: its record counts where that of the first one is not there.
	 */
	struct tl_event *whole; /* the first one, of the second; else NULL */
	bool has_cut;           /* there is a second one */
	pid_t *given; /* by processor: who has a record, and none of @cut yet */
	unsigned int givens;
};

/**
 * tl_event_part_add - have @ev keep @part, which begins with a struct
 * tl_event_part; @ops->free() is called at the end of the event
 */
void tl_event_part_add(struct tl_event *ev, const struct tl_event_part_ops *ops,
		       void *part);

/** tl_event_part_find - the part of @ev that was added last with @ops, or NULL */
static inline void *tl_event_part_find(const struct tl_event *ev,
				       const struct tl_event_part_ops *ops)
{
	struct tl_event_part *p = ev->parts;

	while (p && p->ops != ops)
		p = p->next;
	return p;
}

/**
 * tl_event_is_cut - @cut is to be shown as event @name, or, if @err, not at
 * all; and to be recorded once tl_event_cut() is called; 0 or -ENOMEM
 */
int tl_event_is_cut(struct tl_event *cut, const char *name, int err);
/**
 * tl_event_cut - @cut, which was added before @ev at the same place, counts
 * where @ev has no record
 */
void tl_event_cut(struct tl_event *cut, struct tl_event *ev);

/* counted_span while it goes on: less than the "time" of records of before */
#define TL_COUNTED_ON (UINT64_MAX / 2)

struct tl_events {
	struct tep_handle *tep;
	struct tl_event *first, **last;
	struct tl_event **by_id;
	int ids;
	bool unordered; /* order over processors does not matter */
	bool unasked;   /* the tool itself looks whose records it wants */
	/* on these the tool wants records; NULL: on all, or it looks itself */
	const struct tl_cpus *cpus;
	struct tl_field pid; /* common_pid */
	/* ns: records of this time are held against the hits of probes */
	uint64_t counted_from, counted_span;
	bool self_left_out; /* what this process does is not recorded */
};

/** What filters records that no kernel filters any more: those of a capture. */
struct tl_event_filters {
	/** NULL after a message that begins with @what */
	struct tl_condition *(*parse)(const struct tl_event *ev,
				      const char *what, const char *filter);
	/** Whether it lets @r pass, a record of that event. */
	bool (*holds)(struct tl_session *s, const struct tl_condition *c,
		      const struct tl_record *r);
	void (*free)(struct tl_condition *c);
};

/**
 * tl_event_own_format - as tl_event_format(), in set-up, from where an event is
 * loaded: a capture has the format of those that it has
 */
char *tl_event_own_format(struct tl_session *s, const char *system,
			  const char *name);
/**
 * tl_event_require - records without all of @field are not given to handlers
 */
void tl_event_require(struct tl_event *ev, const struct tl_field *field);

/*
 * Numbers of fields that are required, for the ways of frequent records:
 * tl_field_num() asks for size and sign each time.
 */
static inline uint32_t tl_field_u32(const struct tl_record *r,
				    const struct tl_field *f)
{
	uint32_t n;

	memcpy(&n, r->data + f->offset, sizeof(n));
	return n;
}

static inline uint64_t tl_field_u64(const struct tl_record *r,
				    const struct tl_field *f)
{
	uint64_t n;

	memcpy(&n, r->data + f->offset, sizeof(n));
	return n;
}

/**
 * tl_event_watch - as tl_event_add(), for the library's own use of an event;
 * called behind the tool's handler, and for records of all processes
 */
struct tl_event *tl_event_watch(struct tl_session *s, const char *system,
				const char *name, tl_handler *handler);
/**
 * tl_event_make - in setup: an event whose records a subject makes itself, in sub-buffers
 * of tl_run_add_stream(): as struct tl_made_record says, of at least @least bytes
 *
 * It has no fields by name, and no filter.  NULL and errno.
 */
struct tl_event *tl_event_make(struct tl_session *s, const char *name,
			       size_t least, tl_handler *handler);
/** How such a record begins: as those of the kernel do. */
struct tl_made_record {
	uint16_t type; /* tl_event_type(), once recording begins */
	uint8_t flags, preempt_count;
	int32_t pid; /* thread */
};
/** tl_event_type - the number of @ev in its records */
uint16_t tl_event_type(const struct tl_event *ev);
/**
 * tl_event_trigger - in setup: have the kernel do @action, "stacktrace", at each record of
 * @ev that meets @condition, a filter; NULL: at each.  0, or -errno after a message
 *
 * The filter of the event does not count.
 */
int tl_event_trigger(struct tl_session *s, const struct tl_event *ev,
		     const char *action, const char *condition);
/** tl_events_enable - begin to record */
int tl_events_enable(struct tl_session *s);
/**
 * tl_events_run - hand a record, and those behind it, to their events'
 * handlers; as in struct tl_reader_ops
 */
int tl_events_run(struct tl_session *s, struct tl_page *page,
		  struct tl_record *r, uint64_t until);
/**
 * tl_events_watch_run - the same for what the library itself watches, and
 * nothing else
 */
int tl_events_watch_run(struct tl_session *s, struct tl_page *page,
			struct tl_record *r, uint64_t until);
/** tl_events_count_run - only count these records */
void tl_events_count_run(struct tl_session *s, struct tl_page *page,
			 struct tl_record *r);
void tl_events_free(struct tl_session *s);

/** tl_events_lost - records were lost on @cpu */
void tl_events_lost(struct tl_session *s, unsigned int cpu);

/** tl_event_filter_key - what the filter of @ev is called in a recording */
void tl_event_filter_key(const struct tl_event *ev, char key[256]);

/** tl_event_find - an event that the session has already, or NULL */
struct tl_event *tl_event_find(struct tl_session *s, const char *system,
			       const char *name);

/** tl_field_of - the same as tl_event_field(), from libtraceevent's own */
struct tl_field tl_field_of(const struct tep_format_field *f);

#endif
