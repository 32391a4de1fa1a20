/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file.h - a file that is always whole, and goes with the run */
#ifndef TL_METRICS_FILE_H
#define TL_METRICS_FILE_H

#include <stdbool.h>

struct tl_buf;
struct tl_undo;

struct tl_metrics_file {
	int dir; /* -1: not open */
	const char *path, *name;
	char *part;  /* what it is called until it is whole */
	bool failed; /* it could not be written last time, and is not there */
};

/**
 * tl_metrics_file_open - get ready to write @path, which lives as long, and have the
 * guard remove it later; 0, or -errno after a message
 *
 * What is there may be replaced only if it is such a file, left by another run that has
 * ended.
 */
int tl_metrics_file_open(struct tl_metrics_file *f, struct tl_undo *undo,
			 const char *path);
/**
 * tl_metrics_file_is_others - whether the directory of @path is another user's, so that
 * root needs CAP_DAC_OVERRIDE
 */
bool tl_metrics_file_is_others(const char *path);
/**
 * tl_metrics_file_write - replace it by @b, in one step, readable by all
 *
 * Where that cannot be done it is removed, so that nobody takes an old one for new; this
 * is said once, and so is that it can be written again.
 */
void tl_metrics_file_write(struct tl_metrics_file *f, const struct tl_buf *b);
/** tl_metrics_file_is_there - whether that worked last time */
bool tl_metrics_file_is_there(const struct tl_metrics_file *f);
/** tl_metrics_file_close - the file stays: the guard removes it; @f may be all zeroes */
void tl_metrics_file_close(struct tl_metrics_file *f);

#endif
