/* SPDX-License-Identifier: GPL-2.0-or-later */
/* usertable.h - names of addresses in processes, as a capture has them */
#ifndef TL_TRACE_USERTABLE_H
#define TL_TRACE_USERTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "trace/usersym.h"

/* Until a name that was missing is looked up again. */
#define TL_USER_AGAIN_NS 20000000

/**
 * struct tl_user_table - what is at the addresses that stacks had
 *
 * A process has another program after each tl_user_table_end().  What an address is called
 * may change, too: each name counts from the record on for which it was added.
 */
struct tl_user_table;

/**
 * tl_user_table_new - an empty one; NULL without memory
 * @last: ns; where it is full, programs that were not seen for so long go; 0: all stay
 */
struct tl_user_table *tl_user_table_new(uint64_t last);
/** tl_user_table_free - @t may be NULL */
void tl_user_table_free(struct tl_user_table *t);

/**
 * tl_user_table_has - whether @a need not be looked up: it is known, was not known a moment
 * ago, or there is no room for it
 *
 * The process counts as seen at that time.
 */
bool tl_user_table_has(struct tl_user_table *t,
		       const struct tl_user_address *a);
/**
 * tl_user_table_add - @sym is at @a; a worse name than it has is left out
 * @again: there may be a better name later
 */
void tl_user_table_add(struct tl_user_table *t, const struct tl_user_address *a,
		       const struct tl_user_symbol *sym, bool again);
/** tl_user_table_end - @process has another program from @ns on */
void tl_user_table_end(struct tl_user_table *t, pid_t process, uint64_t ns);
/**
 * tl_user_table_walked - whether all frames of @process at @ns are its, as of
 * tl_user_is_walked(); once it was said, they are for this program
 */
void tl_user_table_walked(struct tl_user_table *t, pid_t process, uint64_t ns,
			  bool walked);
/** tl_user_table_forgotten - how often programs were, which tl_user_table_has() had */
uint64_t tl_user_table_forgotten(const struct tl_user_table *t);
/**
 * tl_user_table_save - forget programs that were last seen before @since, and add the rest to @b
 *
 * Returns how many frames since the last time have no name, as there was no room.
 */
uint64_t tl_user_table_save(struct tl_user_table *t, uint64_t since,
			    struct tl_buf *b);

/** struct tl_user_names - a table as it was saved */
struct tl_user_names;

/**
 * tl_user_names_load - NULL and errno: EBADMSG, if the data cannot be that, or ENOMEM
 */
struct tl_user_names *tl_user_names_load(const char *data, size_t len);
/** tl_user_names_free - @n may be NULL */
void tl_user_names_free(struct tl_user_names *n);
/**
 * tl_user_names_find - what is at @a; false: not known, and @sym stays
 *
 * Its texts are valid as long as @n.
 */
bool tl_user_names_find(const struct tl_user_names *n,
			const struct tl_user_address *a,
			struct tl_user_symbol *sym);
/** tl_user_names_is_walked - what was said; true, if nothing was */
bool tl_user_names_is_walked(const struct tl_user_names *n, pid_t process,
			     uint64_t ns);

#endif
