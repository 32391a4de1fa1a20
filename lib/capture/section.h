/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * section.h - the parts of a capture's file; in the byte order of its machine
 */
#ifndef TL_CAPTURE_SECTION_H
#define TL_CAPTURE_SECTION_H

#include <stdint.h>

/* At the start of a capture that is being written. */
struct tl_capture_start {
	char magic[12]; /* TL_CAPTURE_MAGIC */
	uint32_t
		version; /* TL_CAPTURE_VERSION, which also shows the byte order */
};
#define TL_CAPTURE_MAGIC   "tracelets\0\0"
#define TL_CAPTURE_VERSION 1
#define TL_CAPTURE_START \
	((struct tl_capture_start){ TL_CAPTURE_MAGIC, TL_CAPTURE_VERSION })

/* Before each section; the data follow. */
struct tl_section {
	uint32_t kind; /* enum tl_section_kind */
	uint32_t stream;
	uint64_t len;
};
enum tl_section_kind {
	TL_SECTION_RECORDING = 1, /* as tl_recording_save() writes it */
	TL_SECTION_PAGE = 2, /* a sub-buffer, without what is empty of it */
};

/* At the end of a trace.dat that was a capture. */
struct tl_capture_end {
	uint64_t offset; /* of a struct tl_capture_start, and sections */
	char magic[12];  /* TL_CAPTURE_MAGIC */
	uint32_t version;
};

/*
 * What the recording has of it: a line "CPU OFFSET SIZE" for each stream, of which
 * only the processor counts while it is written.
 */
#define TL_CAPTURE_STREAMS "capture streams"

#endif
