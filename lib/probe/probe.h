/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe.h - dynamic events of this session's own group */
#ifndef TL_PROBE_PROBE_H
#define TL_PROBE_PROBE_H

#include "base/part.h"
#include "record/event.h"

#define TL_PROBE_ARGS 128 /* that the kernel takes */

/** The probes of a run. */
struct tl_probes {
	struct tl_part part;
	unsigned int count;
	unsigned int definitions, defined; /* so far, and by the last one */
	/* some are in programs: of others in the same run no hits are read */
	bool user;
	bool callers; /* and record who called the functions there */
	/*
	 * An address that is not there counts as a miss of all probes of that place: up to
	 * 5.13.  Event probes, of 5.15, are what shows a later kernel.
	 */
	bool count_faults;
	bool opened; /* @profile was, before recording began */
	int profile; /* the kernel's counts of hits */
};

/** What is known of an event that is a probe. */
struct tl_probe {
	struct tl_event_part part;
	bool is_return;
	bool is_user;      /* in a program */
	bool by_tracer;    /* of type f: the function tracer calls it */
	bool on_event;     /* of type e: a tracepoint's record makes it */
	bool may_be_large; /* a record may not fit */
	bool may_fault;    /* it reads what may not be there */
	bool has_bytes; /* a text that this process may pass without an end */
	bool with_args; /* the arguments of the function can be had */
	/* the caller is taken from a register: the kernel's stack lacks it */
	bool caller_in_register;
	struct tl_field caller; /* TL_CALLER; size 0: not recorded */
	uint64_t hits, missed;  /* in the time that counts: struct tl_events */
	uint64_t hits_before, missed_before; /* that time began */
	char place[];                        /* as the kernel was given it */
};

/** tl_probe_of - @ev as a probe; NULL: it is none */
struct tl_probe *tl_probe_of(const struct tl_event *ev);

/**
 * tl_probe_caller - who called the function that begins where @r was made; 0:
 * not known, or none does
 */
uint64_t tl_probe_caller(const struct tl_record *r);

/**
 * tl_probes_get - those of @s, made for the first that asks; NULL without
 * memory
 */
struct tl_probes *tl_probes_get(struct tl_session *s);

/**
 * tl_probe_profile - open the kernel's counts of hits, of probes in programs or
 * else in itself; the descriptor, or -1 and errno
 */
int tl_probe_profile(struct tl_session *s, bool user);
/**
 * tl_probe_profile_line - take apart a line of it; false if it is none
 * @missed: 0 of probes in programs
 */
bool tl_probe_profile_line(bool user, const char *line, char name[128],
			   uint64_t *hits, uint64_t *missed);

/**
 * tl_probes_compare - whether hits of probes are held against records: some may
 * be too large, and all others have one
 */
bool tl_probes_compare(const struct tl_session *s);

#endif
