/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracedat.h - the head of a trace.dat, version 6: trace-cmd.dat.v6(5), from
 * what is kept of the recording
 */
#ifndef TL_CAPTURE_TRACEDAT_H
#define TL_CAPTURE_TRACEDAT_H

#include <stdint.h>

#include "base/buf.h"

struct tl_recording;

/**
 * tl_tracedat_head - all that is in front of the records
 * @r:       with the formats and names
 * @page:    size of a sub-buffer
 * @symbols: lines of /proc/kallsyms
 *
 * Returns where in @b the table of places is, for tl_tracedat_place().
 */
size_t tl_tracedat_head(struct tl_buf *b, const struct tl_recording *r,
			unsigned int page, unsigned int cpus,
			const struct tl_buf *symbols);

/**
 * tl_tracedat_place - set where the sub-buffers of processor @cpu are; nowhere
 * if this is not called
 */
void tl_tracedat_place(char *table, unsigned int cpu, uint64_t offset,
		       uint64_t size);

#endif
