/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table.h - values by a key */
#ifndef TL_COUNT_TABLE_H
#define TL_COUNT_TABLE_H

#include "tracelet/table.h"
#include "tracelet/who.h"

struct tl_table {
	size_t size;
	void (*drop)(void *value);
	void *tree;
	size_t count, max;       /* max 0: none */
	size_t bytes, max_bytes; /* of keys; the same */
	uint64_t refused;
	struct item *others; /* NULL: what finds no place is refused */
	struct item *last;   /* that was asked for */

	/* of one by who: */
	enum tl_by by;
	struct tl_who *who; /* value of thread tid; NULL: not known any more */
	pid_t tid;
};

/* any user can make names: so many are told apart, at most */
#define TL_NAMES_MAX 4096
/**
 * tl_table_named - a table of values by names: of TL_NAMES_MAX at most, and one of
 * "[others]" for all names that come later; NULL without memory
 */
struct tl_table *tl_table_named(size_t size, void (*drop)(void *value));

/**
 * tl_table_refused - how often tl_table_at() found no place, since the table was
 * cleared
 */
uint64_t tl_table_refused(const struct tl_table *t);

/** tl_put_number - fill the column whose key in JSON is @key, if there is one */
void tl_put_number(struct tl_session *s, const char *key, int64_t num);
/** tl_by_key - key of the column that tells who apart; NULL for TL_BY_NOTHING */
const char *tl_by_key(enum tl_by by);
/** tl_who_cgroup - the path of a cgroup by TL_BY_CGROUP, or that these are others */
const char *tl_who_cgroup(struct tl_session *s, const struct tl_who *who);
/**
 * tl_table_of - the value of who thread @tid belongs to, in a table of
 * tl_table_by(): never NULL, and quick for the same thread again
 */
void *tl_table_of(struct tl_session *s, struct tl_table *t, pid_t tid);
/**
 * tl_table_forget - who a thread belongs to may have changed: where a thread
 * has, and where records were lost
 */
void tl_table_forget(struct tl_table *t);
#endif
