// SPDX-License-Identifier: GPL-2.0-or-later
/* signal.c - names of signals, and lists of them as users write them */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "option/parse.h"
#include "tracelet/event.h"
#include "tracelet/filter.h"
#include "tracelet/message.h"
#include "tracelet/signal.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Numbers differ between architectures: libc's constants have them right. */
static const char *const names[] = {
	[SIGHUP] = "SIGHUP",       [SIGINT] = "SIGINT",
	[SIGQUIT] = "SIGQUIT",     [SIGILL] = "SIGILL",
	[SIGTRAP] = "SIGTRAP",     [SIGABRT] = "SIGABRT",
	[SIGBUS] = "SIGBUS",       [SIGFPE] = "SIGFPE",
	[SIGKILL] = "SIGKILL",     [SIGUSR1] = "SIGUSR1",
	[SIGSEGV] = "SIGSEGV",     [SIGUSR2] = "SIGUSR2",
	[SIGPIPE] = "SIGPIPE",     [SIGALRM] = "SIGALRM",
	[SIGTERM] = "SIGTERM",     [SIGCHLD] = "SIGCHLD",
	[SIGCONT] = "SIGCONT",     [SIGSTOP] = "SIGSTOP",
	[SIGTSTP] = "SIGTSTP",     [SIGTTIN] = "SIGTTIN",
	[SIGTTOU] = "SIGTTOU",     [SIGURG] = "SIGURG",
	[SIGXCPU] = "SIGXCPU",     [SIGXFSZ] = "SIGXFSZ",
	[SIGVTALRM] = "SIGVTALRM", [SIGPROF] = "SIGPROF",
	[SIGWINCH] = "SIGWINCH",   [SIGIO] = "SIGIO",
	[SIGPWR] = "SIGPWR",       [SIGSYS] = "SIGSYS",
#ifdef SIGSTKFLT
	[SIGSTKFLT] = "SIGSTKFLT",
#endif
#ifdef SIGEMT
	[SIGEMT] = "SIGEMT",
#endif
};

static const struct {
	const char *name;
	int sig;
} aliases[] = {
	{ "SIGCLD", SIGCHLD },
	{ "SIGIOT", SIGIOT },
	{ "SIGPOLL", SIGPOLL },
};

const char *tl_signal_name(int sig)
{
	static char text[32];

	if (sig > 0 && (size_t)sig < COUNT(names) && names[sig])
		return names[sig];
	/* the kernel's real-time signals begin before libc's: it keeps some */
	if (sig < 1 || sig > SIGRTMAX)
		snprintf(text, sizeof(text), "%d", sig);
	else if (sig < SIGRTMIN)
		snprintf(text, sizeof(text), "SIG%d", sig);
	else if (sig == SIGRTMIN)
		return "SIGRTMIN";
	else
		snprintf(text, sizeof(text), "SIGRTMIN+%d", sig - SIGRTMIN);
	return text;
}

/* ---- codes ------------------------------------------------------------ */

#define CODE(sig, name)          \
	{                        \
		sig, name, #name \
	}

/*
 * Negative ones, and SI_USER and SI_KERNEL, mean the same with all signals.
 * What not every libc's headers have is here by the kernel's number, which is
 * the same on all architectures.
 */
static const struct {
	int sig, code;
	const char *name;
} codes[] = {
	CODE(0, SI_USER),
	CODE(0, SI_KERNEL),
	CODE(0, SI_QUEUE),
	CODE(0, SI_TIMER),
	CODE(0, SI_MESGQ),
	CODE(0, SI_ASYNCIO),
	CODE(0, SI_SIGIO),
	CODE(0, SI_TKILL),
	{ 0, -7, "SI_DETHREAD" },
	{ 0, -60, "SI_ASYNCNL" },
	CODE(SIGCHLD, CLD_EXITED),
	CODE(SIGCHLD, CLD_KILLED),
	CODE(SIGCHLD, CLD_DUMPED),
	CODE(SIGCHLD, CLD_TRAPPED),
	CODE(SIGCHLD, CLD_STOPPED),
	CODE(SIGCHLD, CLD_CONTINUED),
	CODE(SIGSEGV, SEGV_MAPERR),
	CODE(SIGSEGV, SEGV_ACCERR),
	{ SIGSEGV, 3, "SEGV_BNDERR" },
	{ SIGSEGV, 4, "SEGV_PKUERR" },
	{ SIGSEGV, 5, "SEGV_ACCADI" },
	{ SIGSEGV, 6, "SEGV_ADIDERR" },
	{ SIGSEGV, 7, "SEGV_ADIPERR" },
	{ SIGSEGV, 8, "SEGV_MTEAERR" },
	{ SIGSEGV, 9, "SEGV_MTESERR" },
	{ SIGSEGV, 10, "SEGV_CPERR" },
	CODE(SIGBUS, BUS_ADRALN),
	CODE(SIGBUS, BUS_ADRERR),
	CODE(SIGBUS, BUS_OBJERR),
	{ SIGBUS, 4, "BUS_MCEERR_AR" },
	{ SIGBUS, 5, "BUS_MCEERR_AO" },
	CODE(SIGILL, ILL_ILLOPC),
	CODE(SIGILL, ILL_ILLOPN),
	CODE(SIGILL, ILL_ILLADR),
	CODE(SIGILL, ILL_ILLTRP),
	CODE(SIGILL, ILL_PRVOPC),
	CODE(SIGILL, ILL_PRVREG),
	CODE(SIGILL, ILL_COPROC),
	CODE(SIGILL, ILL_BADSTK),
	{ SIGILL, 9, "ILL_BADIADDR" },
	CODE(SIGFPE, FPE_INTDIV),
	CODE(SIGFPE, FPE_INTOVF),
	CODE(SIGFPE, FPE_FLTDIV),
	CODE(SIGFPE, FPE_FLTOVF),
	CODE(SIGFPE, FPE_FLTUND),
	CODE(SIGFPE, FPE_FLTRES),
	CODE(SIGFPE, FPE_FLTINV),
	CODE(SIGFPE, FPE_FLTSUB),
	{ SIGFPE, 14, "FPE_FLTUNK" },
	{ SIGFPE, 15, "FPE_CONDTRAP" },
	CODE(SIGTRAP, TRAP_BRKPT),
	CODE(SIGTRAP, TRAP_TRACE),
	{ SIGTRAP, 3, "TRAP_BRANCH" },
	{ SIGTRAP, 4, "TRAP_HWBKPT" },
	{ SIGTRAP, 5, "TRAP_UNK" },
	{ SIGTRAP, 6, "TRAP_PERF" },
	CODE(SIGIO, POLL_IN),
	CODE(SIGIO, POLL_OUT),
	CODE(SIGIO, POLL_MSG),
	CODE(SIGIO, POLL_ERR),
	CODE(SIGIO, POLL_PRI),
	CODE(SIGIO, POLL_HUP),
	{ SIGSYS, 1, "SYS_SECCOMP" },
	{ SIGSYS, 2, "SYS_USER_DISPATCH" },
};

const char *tl_signal_code(int sig, int code)
{
	static char text[16];
	size_t i;

	for (i = 0; i < COUNT(codes); i++)
		if (codes[i].code == code &&
		    (!codes[i].sig || codes[i].sig == sig))
			return codes[i].name;
	snprintf(text, sizeof(text), "%d", code);
	return text;
}

/*
 * Enum TRACE_SIGNAL_... of the kernel, which says "delivered" of what is
 * queued.
 */
const char *tl_signal_result(int result)
{
	static const char *const results[] = { "delivered", "ignored",
					       "already_pending",
					       "overflow_fail", "lose_info" };

	return result >= 0 && (size_t)result < COUNT(results) ? results[result]
							      : NULL;
}

/* ---- lists ------------------------------------------------------------ */

/* RTMIN, RTMIN+2, RTMAX-1; or -1 */
static int parse_realtime(const char *name)
{
	bool low = !strncasecmp(name, "RTMIN", 5);
	uint64_t n = 0;

	if (!low && strncasecmp(name, "RTMAX", 5) != 0)
		return -1;
	name += 5;
	if (*name && (*name != (low ? '+' : '-') ||
		      tl_parse_uint(name + 1, 0, SIGRTMAX - SIGRTMIN, &n)))
		return -1;
	return low ? SIGRTMIN + (int)n : SIGRTMAX - (int)n;
}

/* With or without SIG in front, in any case; or its number; or -1. */
static int parse_signal(const char *name)
{
	uint64_t n;
	size_t i;

	if (!tl_parse_uint(name, 0, TL_SIGNAL_MAX, &n))
		return n <= (uint64_t)SIGRTMAX ? (int)n : -1;
	if (!strncasecmp(name, "SIG", 3))
		name += 3;
	for (i = 0; i < COUNT(names); i++)
		if (names[i] && !strcasecmp(name, names[i] + 3))
			return (int)i;
	for (i = 0; i < COUNT(aliases); i++)
		if (!strcasecmp(name, aliases[i].name + 3))
			return aliases[i].sig;
	/* SIG32 */
	if (!tl_parse_uint(name, 1, TL_SIGNAL_MAX, &n) &&
	    n <= (uint64_t)SIGRTMAX)
		return (int)n;
	return parse_realtime(name);
}

int tl_signals_parse(struct tl_signals *set, const char *what, const char *text)
{
	struct tl_signals parsed = { .text = text };
	const char *name = text;
	char word[32];
	size_t len;
	int sig;

	parsed.others = *name == '!';
	name += parsed.others;
	for (;; name += len + 1) {
		len = strcspn(name, ",");
		snprintf(word, sizeof(word), "%.*s", (int)len, name);
		sig = len < sizeof(word) ? parse_signal(word) : -1;
		if (sig < 0)
			return tl_usage("%s: \"%.*s\" is not a signal", what,
					(int)len, name);
		parsed.has[sig] = true;
		if (!name[len])
			break;
	}
	*set = parsed;
	return 0;
}

bool tl_signals_match(const struct tl_signals *set, int sig)
{
	if (!set->text)
		return true;
	return set->others !=
	       (sig >= 0 && sig <= TL_SIGNAL_MAX && set->has[sig]);
}

void tl_filter_signals(struct tl_filter *f, const char *name,
		       const struct tl_field *field,
		       const struct tl_signals *set)
{
	char any[TL_SIGNAL_MAX * 32] = "";
	size_t len = 0;
	int sig;

	for (sig = 0; set->text && sig <= TL_SIGNAL_MAX; sig++) {
		if (!set->has[sig])
			continue;
		if (set->others)
			tl_filter_and(f, "%s != %d", name, sig);
		else if (len < sizeof(any))
			len += (size_t)snprintf(any + len, sizeof(any) - len,
						"%s%s == %d", len ? " || " : "",
						name, sig);
	}
	if (len && field->size > sizeof(int))
		tl_filter_and(f, "(%s || %s > 0xffffffff)", any, name);
	else if (len)
		tl_filter_and(f, "(%s)", any);
}
