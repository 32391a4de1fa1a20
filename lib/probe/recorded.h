/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recorded.h - probes of a capture
 *
 * What a definition became took the types and symbols of its machine; in a
 * capture is what it became: a probe that the kernel took, and names of values.
 */
#ifndef TL_PROBE_RECORDED_H
#define TL_PROBE_RECORDED_H

#include "probe/fetch.h"
#include "tracelet/kprobe.h"

/** A probe as tl_probe_add() takes it. */
struct tl_recorded_probe {
	const char *type, *name, *place, *args;
	bool with_args;
	/* the event that it is named after, which comes next; "": none does */
	const char *cut_of;
};

/** tl_bool_name - a tl_value_namer: "true" or "false" */
const char *tl_bool_name(const void *ctx, int64_t value);

/**
 * tl_recorded_probe_keep - note one that the kernel took; @values: how to show
 * its arguments
 */
void tl_recorded_probe_keep(struct tl_session *s,
			    const struct tl_recorded_probe *p,
			    const struct tl_fetches *values);
/**
 * tl_recorded_probe_end - note what the definition gave in the end; the next
 * one is another's
 */
void tl_recorded_probe_end(struct tl_session *s, int ret);
/**
 * tl_recorded_probe_all - add those of the next definition; what that gave, and in
 * @count how many they are
 */
int tl_recorded_probe_all(struct tl_session *s,
			  const struct tl_kprobe_config *config, size_t *count);

#endif
