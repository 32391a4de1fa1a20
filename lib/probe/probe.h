/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe.h - dynamic events of this session's own group */
#ifndef TL_PROBE_PROBE_H
#define TL_PROBE_PROBE_H

#include "base/part.h"

/** The probes of a run. */
struct tl_probes {
	struct tl_part part;
	unsigned int count;
	unsigned int definitions, defined; /* so far, and by the last one */
	bool user;    /* they are in programs; never both kinds in one run */
	bool callers; /* and record who called the functions there */
	bool opened;  /* @profile was, before recording began */
	int profile;  /* the kernel's counts of hits */
};

/**
 * tl_probes_get - those of @s, made for the first that asks; NULL without
 * memory
 */
struct tl_probes *tl_probes_get(struct tl_session *s);

/**
 * tl_probes_compare - whether hits of probes are held against records: some may
 * be too large, and all others have one
 */
bool tl_probes_compare(const struct tl_session *s);

#endif
