/* SPDX-License-Identifier: GPL-2.0-or-later */
/* find.h - the search for what is not as at boot */
#ifndef TL_LEFTOVER_FIND_H
#define TL_LEFTOVER_FIND_H

#include <dirent.h>

#include "base/lines.h"
#include "base/session.h"
#include "leftover/holder.h"
#include "tracelet/leftover.h"

/** How something is put back. */
enum tl_leftover_act {
	TL_ACT_NONE,
	TL_ACT_WRITE,     /* the text, to the file */
	TL_ACT_WIDEN,     /* the same, once no tracer runs */
	TL_ACT_FUNCTIONS, /* the same, and function triggers one by one */
	TL_ACT_TRIGGERS,  /* each line with an exclamation mark in front */
	TL_ACT_PROBE,
	TL_ACT_INSTANCE,
	TL_ACT_UNLINK,
};

struct tl_search {
	struct tl_session *s;
	struct tl_leftover *list;
	size_t count;
	struct tl_leftover none; /* what is filled where there is no memory */
	bool no_memory;
	bool failed; /* something could not be read, which was said */
	int instances;
	struct tl_holders holders;
};

/**
 * tl_search_add - another one found, @act later done to @file
 *
 * Its state and owner are for the caller to fill in.  Never NULL.
 */
struct tl_leftover *tl_search_add(struct tl_search *f, const char *kind,
				  const char *name, const char *file,
				  enum tl_leftover_act act, const char *text);

/**
 * tl_search_failed - say that @file could not be read, the first time; ENOENT
 * and ENODEV: this kernel has none
 */
void tl_search_failed(struct tl_search *f, const char *file, int err);
/**
 * tl_search_read - the text of @file in tracefs; free() it; NULL where there is
 * none, or after tl_search_failed()
 */
char *tl_search_read(struct tl_search *f, const char *file);
/** tl_search_line - the first line of it, without the newline */
char *tl_search_line(struct tl_search *f, const char *file);
/** tl_search_copy - strdup() */
char *tl_search_copy(struct tl_search *f, const char *text);

/**
 * tl_text_cpumask - all of @cpus processors as the kernel writes it: "7",
 * "ff,ffffffff"; free() it; NULL for none
 */
char *tl_text_cpumask(unsigned int cpus);

/**
 * tl_dirs_list - directories in @dir/@path, in the order of their names; how
 * many, or -1; then tl_dirs_free()
 */
int tl_dirs_list(int dir, const char *path, struct dirent ***names);
void tl_dirs_free(struct dirent **names, int count);

/* ---- perftools.c ------------------------------------------------------ */

void tl_lock_find(struct tl_search *f);
/** tl_lock_remove - 0 or -errno */
int tl_lock_remove(void);
/** tl_lock_text - its PID, as long as it is there; free() it */
char *tl_lock_text(const struct tl_leftover *l);

/* ---- setting.c -------------------------------------------------------- */

/**
 * tl_settings_first - what may keep instances and probes in use: tracers,
 * filters, events
 */
void tl_settings_first(struct tl_search *f);
/** tl_settings_pids - for which threads, and from which latency on */
void tl_settings_pids(struct tl_search *f);
/** tl_settings_last - all others */
void tl_settings_last(struct tl_search *f);

#endif
