/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfrecord.h - what the kernel writes for a perf event, as records of the run
 *
 * They are as perf_event_open(2) has them, with PERF_SAMPLE_TID and PERF_SAMPLE_TIME, and
 * sample_id_all.
 */
#ifndef TL_SAMPLE_PERFRECORD_H
#define TL_SAMPLE_PERFRECORD_H

#include <linux/perf_event.h>

#include "record/page.h"
#include "sample/perf.h"

/** tl_perf_time_of - when @h was written, which is no sample */
uint64_t tl_perf_time_of(const struct perf_event_header *h);

/**
 * tl_perf_add_sample - write PERF_RECORD_SAMPLE @h into a sub-buffer; false: that is full
 * @depth: frames that a stack can have
 */
bool tl_perf_add_sample(struct tl_page_writer *w,
			const struct tl_perf_events *events,
			const struct perf_event_header *h, size_t depth);
/** tl_perf_add_mapped - the same with PERF_RECORD_MMAP2 */
bool tl_perf_add_mapped(struct tl_page_writer *w,
			const struct tl_perf_events *events,
			const struct perf_event_header *h);

#endif
