/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table.h - values by a key */
#ifndef TRACELET_TABLE_H
#define TRACELET_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracelet/text.h"
#include "tracelet/who.h"

#pragma GCC visibility push(default)

struct tl_session;

/**
 * struct tl_table - values of a tool's own, by a key: a name, who, a connection
 *
 * A key is any bytes: of a text, or of a struct, whose bytes between members
 * are to be zero.
 */
struct tl_table;

/** TL_KEY - struct @key, or anything else that is not a pointer, as a key */
#define TL_KEY(key) ((struct tl_str){ (const char *)&(key), sizeof(key) })

/** A key and its value; both are aligned for any type. */
struct tl_table_entry {
	struct tl_str key;
	void *value;
};

/**
 * tl_table_new - of values of @size bytes; @drop, or NULL, is called for each
 * that goes; NULL without memory
 */
struct tl_table *tl_table_new(size_t size, void (*drop)(void *value));
/** tl_table_free - @t may be NULL */
void tl_table_free(struct tl_table *t);
/**
 * tl_table_limit - there are to be at most @max; any user can make processes and
 * names, so most tables need a limit
 */
void tl_table_limit(struct tl_table *t, size_t max);
/** tl_table_limit_bytes - nor are their keys to have more than @max bytes together */
void tl_table_limit_bytes(struct tl_table *t, size_t max);
/**
 * tl_table_bounded - at most @max values, and one more, of key @others, for all
 * keys that find no place; NULL without memory
 */
struct tl_table *tl_table_bounded(size_t size, void (*drop)(void *value),
				  size_t max, struct tl_str others);
/**
 * tl_table_at - the value of @key, which is copied; zeroed when it is new
 *
 * Its address stays until it goes.  Where it finds no place, or no memory, that
 * of the others in a table of tl_table_bounded(), else NULL.
 */
void *tl_table_at(struct tl_table *t, struct tl_str key);
/**
 * tl_table_each - call @fn for all, in the order of their keys, and for the
 * others, if something found no place
 */
void tl_table_each(struct tl_table *t,
		   void (*fn)(void *ctx, struct tl_str key, void *value),
		   void *ctx);
/**
 * tl_table_by - a table by who: of values that begin with a struct tl_who
 *
 * More than @max are "[others]" together.  NULL without memory.
 */
struct tl_table *tl_table_by(enum tl_by by, size_t size, size_t max,
			     void (*drop)(void *value));
/**
 * tl_table_who - the value of who the record being handled belongs to, in a table of
 * tl_table_by(), which fills in who that is; never NULL
 * @id: as for tl_who_of()
 */
void *tl_table_who(struct tl_session *s, struct tl_table *t, pid_t id);
/** tl_table_clear - back to nothing: all values go, and it has its place again */
void tl_table_clear(struct tl_table *t);

/**
 * tl_table_by_count - the order of values that are a uint64_t, or begin with one: the
 * largest last
 */
int tl_table_by_count(const struct tl_table_entry *a,
		      const struct tl_table_entry *b);

/** How a table is shown. */
struct tl_table_view {
	/**
	 * As of qsort(): below 0 where @a comes first; NULL: by key.  What it
	 * finds equal comes by key.
	 */
	int (*order)(const struct tl_table_entry *a,
		     const struct tl_table_entry *b);
	unsigned int top; /* no more than so many; 0: all, and so in metrics */
	/* these are the last ones by @order, else the first; in metrics they come first */
	bool most_last;
	/** Writes a row; @ns as of tl_table_show() */
	void (*put)(struct tl_session *s, const struct tl_table_entry *e,
		    uint64_t ns);
	/*
	 * "retransmits" and "connections": what is counted, and by what, of a
	 * table without others: says how many found no place; both or none
	 */
	const char *counts, *keys;
};

/**
 * tl_table_show - sort @t, have its rows written, those of the others too, and
 * clear it for the next interval
 * @ns: the end of this one, for the rows
 *
 * A row of the others counts among the top ones.  Returns 0, or after
 * a message -ENOMEM, or with --strict -EOVERFLOW where something found no place;
 * @t is empty then, too.
 */
int tl_table_show(struct tl_session *s, struct tl_table *t,
		  const struct tl_table_view *view, uint64_t ns);

/**
 * tl_counts_missed - say how many values there was no memory for, and forget it
 * @missed: so many, 0 then
 *
 * Returns 0 when there were none, or -ENOMEM.
 */
int tl_counts_missed(uint64_t *missed);

#pragma GCC visibility pop

#endif
