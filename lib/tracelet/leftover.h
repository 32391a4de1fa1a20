/* SPDX-License-Identifier: GPL-2.0-or-later */
/* leftover.h - what is left in tracefs */
#ifndef TRACELET_LEFTOVER_H
#define TRACELET_LEFTOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#pragma GCC visibility push(default)

struct tl_session;

enum tl_whose {
	TL_WHOSE_OTHERS, /* or nobody's: the kernel does not say */
	TL_WHOSE_ALIVE,  /* of a tracelet that runs */
	TL_WHOSE_DEAD,   /* of a tracelet that has ended */
};

/** What becomes of it, in place of an -errno where it could not be put back. */
enum tl_leftover_result {
	TL_LEFTOVER_DONE, /* it is as at boot again, or removed */
	TL_LEFTOVER_TO_DO,
	TL_LEFTOVER_ALONE, /* it is left alone */
};

/** Something in tracefs that is not as at boot. */
struct tl_leftover {
	const char *kind; /* "setting", "trigger", "instance", "kprobe" ... */
	char *name;
	char *state; /* what it is set to, in short; NULL: not known */
	char *owner; /* who has it, for people; NULL: not known */
	pid_t pid;   /* that is; 0: not known */
	enum tl_whose whose;
	char *file;    /* that shows it: in tracefs, or an absolute path */
	bool changed;  /* false: it is as at boot, but perf-tools reset it */
	bool original; /* perf-tools reset it too */
	int act;       /* how it is reset: the library's; 0: not at all */
	char *text;
	int result; /* enum tl_leftover_result, or -errno; -EBUSY: it is in use */
};

/**
 * tl_leftover_find - all that there is, in the order to reset it in
 * @force: all is to do, not only what is TL_WHOSE_DEAD
 *
 * For query() of a TL_NO_EVENTS tool: it takes no instance, and changes
 * nothing.  Free it by tl_leftover_free().  Returns 0, 1 after a message when some
 * files could not be read and the list is of the others, or -errno after a
 * message.
 */
int tl_leftover_find(struct tl_session *s, bool force,
		     struct tl_leftover **list, size_t *count);
void tl_leftover_free(struct tl_leftover *list, size_t count);

/**
 * tl_leftover_reset - put back to what it is at boot, or remove, all that is to
 * do
 * @show_all: also what is shown by files where nothing is
 * @show:     called @before and behind that, with the first of a file; NULL: not
 *
 * What one of them keeps in use comes later.  What is TL_WHOSE_DEAD is left alone
 * if it lives after all.
 */
void tl_leftover_reset(struct tl_session *s, struct tl_leftover *list,
		       size_t count, bool show_all,
		       void (*show)(struct tl_session *s,
				    const struct tl_leftover *left,
				    bool before));
/**
 * tl_leftover_failed - say which could not be reset, and why; whether there is one
 */
bool tl_leftover_failed(const struct tl_leftover *list, size_t count);
/**
 * tl_leftover_end - ask the tracelets in @list that run to end, and wait for them,
 * 3 s in all; how many were asked, or -errno without a message
 */
int tl_leftover_end(struct tl_session *s, const struct tl_leftover *list,
		    size_t count);
/**
 * tl_leftover_text - the text of its file, for people; NULL when it has none;
 * free() it
 */
char *tl_leftover_text(struct tl_session *s, const struct tl_leftover *left);

#pragma GCC visibility pop

#endif
