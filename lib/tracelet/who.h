/* SPDX-License-Identifier: GPL-2.0-or-later */
/* who.h - values by process, thread or name */
#ifndef TRACELET_WHO_H
#define TRACELET_WHO_H

#include <stddef.h>
#include <sys/types.h>

#pragma GCC visibility push(default)

struct tl_session;

/** What is counted separately; the words of an option in this order. */
enum tl_by {
	TL_BY_NAME,
	TL_BY_PID, /* process, with the name it has now */
	TL_BY_TID, /* thread, the same way */
	TL_BY_NOTHING,
	TL_BY_BOTH, /* process and name of the thread */
};

/** Who something belongs to: as a key, or the start of a value. */
struct tl_who {
	pid_t pid; /* process, or thread by that; 0: by name, or not known */
	/* "[others]" for what found no place; "" for TL_BY_NOTHING */
	char comm[16];
};

/** tl_who_compare - as of qsort(): by process, then by name */
int tl_who_compare(const struct tl_who *a, const struct tl_who *b);
/** tl_put_who - fill columns @pid, unless it is 0, and @comm */
void tl_put_who(struct tl_session *s, const struct tl_who *who,
		unsigned int pid, unsigned int comm);
/**
 * tl_show_who - show those of the two columns that tell who apart; by thread
 * @pid is that of its id
 */
void tl_show_who(struct tl_session *s, enum tl_by by, unsigned int pid,
		 unsigned int comm);

#pragma GCC visibility pop

#endif
