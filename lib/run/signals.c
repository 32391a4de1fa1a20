// SPDX-License-Identifier: GPL-2.0-or-later
/* signals.c - the signals that end a run, and what the second one does */
#include "run/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/message.h"

/*
 * What comes as soon after the first was not sent because that one did not help:
 * timeout(1) signals its child and then its group, a terminal the group and
 * sudo(8) its child.
 */
#define TOGETHER_NS 200000000

/* A handler has no session. */
static int first_fd = -1;              /* where it is written */
static volatile sig_atomic_t has_come; /* the first has been written */
static volatile sig_atomic_t ending;
static volatile uint64_t since; /* when that began */
static const char *volatile left = "";

/* Of the signal, so that a shell's loop ends, too. */
static _Noreturn void die_of(int number)
{
	const struct sigaction usual = { .sa_handler = SIG_DFL };
	const struct rlimit none = { 0, 0 };
	sigset_t set;

	tl_message_in_handler(left);
	/* SIGQUIT would leave what is known of others in a file */
	setrlimit(RLIMIT_CORE, &none);
	sigemptyset(&set);
	sigaddset(&set, number);
	sigaction(number, &usual, NULL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(number);
	/* process 1 of a container does not die of it */
	_exit(128 + number);
}

/* A terminal that is closed says so more than once, and the duration ends once. */
static bool is_urgent(int number)
{
	return number != SIGHUP && number != SIGALRM;
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	const int saved = errno;

	(void)context;
	if (ending && is_urgent(number) && tl_now() - since >= TOGETHER_NS)
		die_of(number);
	tl_signals_ending();
	/* the pipe is empty, so there is room */
	if (!has_come)
		has_come = write(first_fd, info, sizeof(*info)) > 0;
	errno = saved;
}

static void list(sigset_t *set)
{
	struct sigaction hangup;

	sigemptyset(set);
	sigaddset(set, SIGALRM);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGQUIT);
	/* nohup */
	if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN)
		sigaddset(set, SIGHUP);
}

int tl_signals_open(sigset_t *before)
{
	sigset_t set;
	int ends[2];

	list(&set);
	sigprocmask(SIG_BLOCK, &set, before);
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return -1;
	first_fd = ends[1];
	return ends[0];
}

void tl_signals_catch(void)
{
	struct sigaction action = { .sa_sigaction = on_signal,
				    .sa_flags = SA_SIGINFO | SA_RESTART };
	int number;

	list(&action.sa_mask);
	for (number = 1; number < SIGRTMIN; number++)
		if (sigismember(&action.sa_mask, number))
			sigaction(number, &action, NULL);
	sigprocmask(SIG_UNBLOCK, &action.sa_mask, NULL);
}

void tl_signals_ending(void)
{
	if (!ending)
		since = tl_now();
	ending = 1;
}

void tl_signals_left(const char *text)
{
	left = text;
}

void tl_signals_again(void)
{
	ending = has_come = 0;
}
