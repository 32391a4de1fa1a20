/* SPDX-License-Identifier: GPL-2.0-or-later */
/* signal.h - signals: their names, sets of them */
#ifndef TRACELET_SIGNAL_H
#define TRACELET_SIGNAL_H

#include <stdbool.h>

#pragma GCC visibility push(default)

struct tl_field;
struct tl_filter;

#define TL_SIGNAL_MAX 128 /* some architectures have so many */

/** A set of signals; all while @text is NULL. */
struct tl_signals {
	const char *text;
	bool others; /* all but those */
	bool has[TL_SIGNAL_MAX + 1];
};

/**
 * tl_signals_parse - parse a list, for an option or an argument
 * @what: its name, for the message
 *
 * Names are as in kill(1), with or without SIG in front and in any case; 0 is
 * one too.  @text must live as long as @set.  Returns 0 or -EINVAL after
 * tl_usage().
 */
int tl_signals_parse(struct tl_signals *set, const char *what,
		     const char *text);

/** tl_signals_match - whether @sig, any number, is in @set */
bool tl_signals_match(const struct tl_signals *set, int sig);

/**
 * tl_filter_signals - add that @field, which is called @name, is in @set
 *
 * A register may have anything above its int; then the kernel lets the record
 * pass, and the tool has to look again.
 */
void tl_filter_signals(struct tl_filter *f, const char *name,
		       const struct tl_field *field,
		       const struct tl_signals *set);

/**
 * tl_signal_name - "SIGTERM", "SIGRTMIN+2", and "SIG32" for those that libc
 * keeps for itself; the number when there is no such signal; valid until the
 * next call
 */
const char *tl_signal_name(int sig);
/**
 * tl_signal_code - the si_code that came with @sig: "SI_USER", "SEGV_MAPERR";
 * the number when it has no name; valid until the next call
 */
const char *tl_signal_code(int sig, int code);
/**
 * tl_signal_result - what became of a signal, as signal:signal_generate tells it:
 * "delivered", "ignored"; NULL when it has no name
 */
const char *tl_signal_result(int result);

#pragma GCC visibility pop

#endif
