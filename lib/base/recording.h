/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording.h - the system's files and answers as this run sees them
 *
 * To show a record takes more than the record: formats, features, names.  A run
 * that writes a capture keeps what it reads while it is set up, and one that
 * reads the capture gets the same answers, on any machine: so there is one
 * set-up, not two.  Nothing is changed there: writes give what they gave then.
 */
#ifndef TL_BASE_RECORDING_H
#define TL_BASE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct tl_buf;

/**
 * What a run keeps, or a capture has.  NULL, where functions take one: nothing is
 * kept, and nothing comes from a capture.
 */
struct tl_recording {
	bool keeps, replays;
	void *entries; /* a tree by key */
};

/**
 * tl_recording_keep - keep, or no longer keep, what is read and answered from
 * now on
 */
void tl_recording_keep(struct tl_recording *r, bool keep);
/** tl_recording_is_on - whether that is so */
bool tl_recording_is_on(const struct tl_recording *r);
/**
 * tl_recording_replays - whether all comes from a capture, and nothing from
 * this machine
 */
bool tl_recording_replays(const struct tl_recording *r);

/**
 * tl_recording_load - have all come from what tl_recording_save() wrote, with what was
 * loaded before; 0, -EBADMSG, -ENOMEM
 */
int tl_recording_load(struct tl_recording *r, const char *data, size_t len);
/** tl_recording_save - append all that is kept */
void tl_recording_save(const struct tl_recording *r, struct tl_buf *b);
/** tl_recording_save_text - append one text, as if it were kept */
void tl_recording_save_text(struct tl_buf *b, const char *key, const char *text,
			    size_t len);
void tl_recording_free(struct tl_recording *r);

/**
 * tl_recording_note - keep a text; NULL: there was error @err instead; the last
 * one counts
 */
void tl_recording_note(struct tl_recording *r, const char *key,
		       const char *text, size_t len, int err);
/* Texts that say of which part of its run a capture is; both in ns. */
/** TL_RECORDING_SINCE - with --last: what is older is not in it, or not to be shown */
#define TL_RECORDING_SINCE "since"
/** TL_RECORDING_WHOLE - in all files of --rotate but the first: some older records are in
 * the file before */
#define TL_RECORDING_WHOLE "whole"

/** tl_recording_notef - keep a text that is printed */
void tl_recording_notef(struct tl_recording *r, const char *key,
			const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/**
 * tl_recording_text - what is kept, NULL and errno (ENOENT: nothing);
 * terminated, not to be freed
 */
const char *tl_recording_text(const struct tl_recording *r, const char *key,
			      size_t *len);
/** tl_recording_number - what is kept as a decimal number, as ns are; 0: nothing is */
uint64_t tl_recording_number(const struct tl_recording *r, const char *key);
/**
 * tl_recording_each - call @fn for all that is kept and begins with @prefix, by
 * name, until it returns other than 0
 */
int tl_recording_each(const struct tl_recording *r, const char *prefix,
		      int (*fn)(void *ctx, const char *key, const char *text,
				size_t len),
		      void *ctx);

/**
 * tl_recording_answer - the number that something gave here, or there
 * @number: as it is here
 *
 * Without one in the capture it is 0, which is what a write gives that works.
 */
long tl_recording_answer(struct tl_recording *r, long number, const char *fmt,
			 ...) __attribute__((format(printf, 3, 4)));

/** tl_recording_result - the same of what gave 0 or -errno */
int tl_recording_result(struct tl_recording *r, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * ---- for tracefs/file.c -----------------------------------------------------
 *
 * The file @path in the directory that is called @dir here; "": @path begins with
 * "/".
 */

/** tl_recording_note_file - keep what reading it gave; @text NULL: @err */
void tl_recording_note_file(struct tl_recording *r, const char *dir,
			    const char *path, const char *text, size_t len,
			    int err);
/** tl_recording_file - what it gave there: NULL, errno */
const char *tl_recording_file(const struct tl_recording *r, const char *dir,
			      const char *path, size_t *len);
/** tl_recording_has_file - whether it was there, as far as was asked */
bool tl_recording_has_file(const struct tl_recording *r, const char *dir,
			   const char *path);
/**
 * tl_recording_wrote - what writing @text to it gave, here (@err) or there: 0
 * or -errno
 */
int tl_recording_wrote(struct tl_recording *r, const char *dir,
		       const char *path, const char *text, int err);

#endif
