/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture.h - a run's records in a file, to be read later (-w, -r)
 *
 * While it is written, a capture is a sequence of sections, and whatever ends
 * it, all whole ones count.  At the end it becomes a trace.dat of version 6
 * (trace-cmd.dat.v6(5)), which has the records by processor, and behind them
 * the sections without records, which only we read.
 */
#ifndef TL_CAPTURE_CAPTURE_H
#define TL_CAPTURE_CAPTURE_H

#include <sys/stat.h>

#include "base/session.h"
#include "record/page.h"
#include "tracelet/session.h"

struct tl_capture;

/**
 * tl_capture_is - whether @st is what @set reads, or writes, or renames that to
 */
bool tl_capture_is(const struct tl_settings *set, const struct stat *st);
/**
 * tl_capture_create - a capture as @set asks; kept, not copied; NULL without
 * memory
 */
struct tl_capture *tl_capture_create(const struct tl_settings *set);
/**
 * tl_capture_add - in set-up, as its end: have the records of @s go there; it is
 * freed with the run
 *
 * Returns 0, or -errno after a message.
 */
int tl_capture_add(struct tl_session *s, struct tl_capture *c);
/** tl_capture - what was added, or NULL */
struct tl_capture *tl_capture(const struct tl_session *s);
/**
 * tl_capture_watch - for --trigger: rows are made and compared, and none is
 * shown; 0, or -EINVAL after a message
 */
int tl_capture_watch(struct tl_capture *c, struct tl_session *s);
/**
 * tl_capture_begin - write what is kept of the recording
 * @layout: of all sub-buffers
 * @cpus:   the processor of each stream; kept, not copied
 */
int tl_capture_begin(struct tl_capture *c, struct tl_session *s,
		     const struct tl_page_layout *layout,
		     const unsigned int *cpus, unsigned int streams);
/**
 * tl_capture_page - take a sub-buffer of @stream, and if there is much by now,
 * as tl_capture_pass()
 */
int tl_capture_page(struct tl_capture *c, unsigned int stream, const char *page,
		    size_t len);
/**
 * tl_capture_pass - there are no more for now: write what is to be written;
 * -EFBIG: the file would be too large; another -errno after a message
 */
int tl_capture_pass(struct tl_capture *c);
/**
 * tl_capture_end - write what is kept of the recording by now, and make each file a
 * trace.dat
 *
 * Where that cannot be done, for want of space, it stays as it is, which -r can
 * read.  Returns 0 or -errno after a message.
 */
int tl_capture_end(struct tl_capture *c);
/** tl_capture_report - in the output, what was written last; in a directory each once */
void tl_capture_report(struct tl_capture *c);
void tl_capture_free(struct tl_capture *c);

/* ---- replay.c: reading ------------------------------------------------ */

struct tl_replay;

/**
 * tl_is_capture - whether the file @path was written by -w, of any tool; false
 * with -r, since a capture must not name files to open
 */
bool tl_is_capture(const struct tl_session *s, const char *path);
/**
 * tl_replay_open - open a capture, and have the recording be that of its machine
 * @recording: becomes that; it has to live as long as what is returned
 *
 * Returns NULL after a message.  The descriptor is opened as the caller; what
 * is in it is read without privileges.
 */
struct tl_replay *tl_replay_open(const char *path,
				 struct tl_recording *recording);
/**
 * tl_replay_add - have the records of @s come from there; it is freed with the
 * run
 */
void tl_replay_add(struct tl_session *s, struct tl_replay *r);
/** tl_replay - what was added, or NULL: the run is live */
struct tl_replay *tl_replay(const struct tl_session *s);
/**
 * tl_replay_run - give all records to the handlers, and end intervals; as
 * tl_loop_run()
 */
int tl_replay_run(struct tl_session *s);
void tl_replay_free(struct tl_replay *r);

#endif
