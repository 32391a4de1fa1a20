/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_signal.c - names of signals, and lists of them */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/message.h"
#include "tracelet/event.h"
#include "tracelet/filter.h"
#include "tracelet/signal.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- names ------------------------------------------------------------ */

static void names(void **state)
{
	(void)state;
	assert_string_equal(tl_signal_name(SIGTERM), "SIGTERM");
	assert_string_equal(tl_signal_name(1), "SIGHUP");
	assert_string_equal(tl_signal_name(SIGIO), "SIGIO");
	assert_string_equal(tl_signal_name(SIGRTMIN), "SIGRTMIN");
	assert_string_equal(tl_signal_name(SIGRTMIN + 1), "SIGRTMIN+1");
	assert_string_equal(tl_signal_name(0), "0");
	assert_string_equal(tl_signal_name(-1), "-1");
	assert_int_equal(atoi(tl_signal_name(SIGRTMAX + 1)), SIGRTMAX + 1);
	assert_string_equal(tl_signal_name(INT32_MAX), "2147483647");
	assert_string_equal(tl_signal_name(INT32_MIN), "-2147483648");
	assert_string_equal(tl_signal_result(0), "delivered");
	assert_string_equal(tl_signal_result(4), "lose_info");
	assert_null(tl_signal_result(5));
	assert_null(tl_signal_result(-1));
}

/* Each has one of its own, by which it is found again. */
static void there_and_back(void **state)
{
	struct tl_signals set = { 0 };
	char name[32];
	int sig, other;

	(void)state;
	for (sig = 1; sig <= SIGRTMAX; sig++) {
		assert_non_null(tl_signal_name(sig));
		snprintf(name, sizeof(name), "%s", tl_signal_name(sig));
		assert_int_equal(tl_signals_parse(&set, "-s", name), 0);
		for (other = -1; other <= SIGRTMAX + 1; other++)
			assert_int_equal(tl_signals_match(&set, other),
					 other == sig);
	}
}

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 32)
/* As libc has them, but for the one of two names that the kernel prefers. */
static void as_libc(void **state)
{
	const char *abbrev;
	int sig;

	(void)state;
	for (sig = 1; sig <= SIGRTMAX; sig++) {
		abbrev = sigabbrev_np(sig);
		if (abbrev && sig != SIGIO)
			assert_string_equal(tl_signal_name(sig) + 3, abbrev);
	}
}
#else
static void as_libc(void **state)
{
	(void)state;
	skip();
}
#endif

static void codes(void **state)
{
	(void)state;
	assert_string_equal(tl_signal_code(SIGTERM, 0), "SI_USER");
	assert_string_equal(tl_signal_code(SIGSEGV, 128), "SI_KERNEL");
	assert_string_equal(tl_signal_code(SIGSEGV, 1), "SEGV_MAPERR");
	assert_string_equal(tl_signal_code(SIGCHLD, 1), "CLD_EXITED");
	assert_string_equal(tl_signal_code(SIGCHLD, -6), "SI_TKILL");
	assert_string_equal(tl_signal_code(SIGFPE, FPE_INTDIV), "FPE_INTDIV");
	/* whether libc has them or not */
	assert_string_equal(tl_signal_code(SIGSYS, 1), "SYS_SECCOMP");
	assert_string_equal(tl_signal_code(SIGSYS, 2), "SYS_USER_DISPATCH");
	assert_string_equal(tl_signal_code(SIGSEGV, 3), "SEGV_BNDERR");
	assert_string_equal(tl_signal_code(SIGSEGV, 4), "SEGV_PKUERR");
	assert_string_equal(tl_signal_code(SIGSEGV, 9), "SEGV_MTESERR");
	assert_string_equal(tl_signal_code(SIGSEGV, 10), "SEGV_CPERR");
	assert_string_equal(tl_signal_code(SIGBUS, 4), "BUS_MCEERR_AR");
	assert_string_equal(tl_signal_code(SIGBUS, 5), "BUS_MCEERR_AO");
	assert_string_equal(tl_signal_code(SIGILL, 9), "ILL_BADIADDR");
	assert_string_equal(tl_signal_code(SIGFPE, 14), "FPE_FLTUNK");
	assert_string_equal(tl_signal_code(SIGTRAP, 4), "TRAP_HWBKPT");
	assert_string_equal(tl_signal_code(SIGTRAP, 6), "TRAP_PERF");
	assert_string_equal(tl_signal_code(SIGUSR1, -7), "SI_DETHREAD");
	assert_string_equal(tl_signal_code(SIGIO, -60), "SI_ASYNCNL");
	assert_string_equal(tl_signal_code(SIGSYS, 3), "3");
	assert_string_equal(tl_signal_code(SIGTERM, 1), "1");
	assert_string_equal(tl_signal_code(SIGSEGV, 127), "127");
	assert_string_equal(tl_signal_code(SIGSEGV, -12345), "-12345");
}

/* ---- lists ------------------------------------------------------------ */

/* The signals of 0 to SIGRTMAX in the list, as numbers, each behind a space. */
static void expect(const char *list, const char *numbers)
{
	struct tl_signals set = { 0 };
	char text[1024] = "";
	int sig;

	assert_int_equal(tl_signals_parse(&set, "--signal", list), 0);
	assert_string_equal(set.text, list);
	for (sig = 0; sig <= SIGRTMAX; sig++)
		if (tl_signals_match(&set, sig))
			sprintf(text + strlen(text), " %d", sig);
	assert_string_equal(text, numbers);
}

static void lists(void **state)
{
	struct tl_signals set = { 0 };
	char numbers[64];

	(void)state;
	expect("TERM", " 15");
	expect("SIGTERM", " 15");
	expect("sigTerm,hup", " 1 15");
	expect("TERM,9,9,15", " 9 15");
	expect("0", " 0");
	expect("iot,POLL", " 6 29");
	expect("SIG32,33", " 32 33");
	sprintf(numbers, " %d %d %d", SIGRTMIN, SIGRTMIN + 2, SIGRTMAX);
	expect("RTMIN,sigrtmin+2,RTMAX-0", numbers);
	sprintf(numbers, " %d %d", SIGRTMIN, SIGRTMAX - 1);
	expect("rtmax-1,RTMIN+0", numbers);

	/* nothing given: all, of whatever number */
	assert_true(tl_signals_match(&set, 0));
	assert_true(tl_signals_match(&set, -7));
	assert_true(tl_signals_match(&set, INT32_MAX));
}

static void all_others(void **state)
{
	struct tl_signals set = { 0 };

	(void)state;
	assert_int_equal(tl_signals_parse(&set, "--signal", "!CHLD,0"), 0);
	assert_false(tl_signals_match(&set, SIGCHLD));
	assert_false(tl_signals_match(&set, 0));
	assert_true(tl_signals_match(&set, SIGTERM));
	assert_true(tl_signals_match(&set, SIGRTMAX));
	assert_true(tl_signals_match(&set, SIGRTMAX + 1));
	assert_true(tl_signals_match(&set, 1000));
	assert_true(tl_signals_match(&set, -1));
}

static void what_is_said(const char *list, char *text, size_t size)
{
	int file = memfd_create("stderr", MFD_CLOEXEC);
	int saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	struct tl_signals set = { .text = "as before" };
	ssize_t n;
	int ret;

	assert_true(file >= 0 && saved >= 0);
	dup2(file, STDERR_FILENO);
	ret = tl_signals_parse(&set, "--signal", list);
	dup2(saved, STDERR_FILENO);
	n = pread(file, text, size - 1, 0);
	close(file);
	close(saved);
	assert_int_equal(ret, -EINVAL);
	assert_string_equal(set.text, "as before");
	assert_true(n >= 0);
	text[n] = '\0';
}

static void errors(void **state)
{
	static const char *const table[][2] = {
		{ "", "" },
		{ "!", "" },
		{ "TERM,", "" },
		{ ",TERM", "" },
		{ "TERM,,HUP", "" },
		{ "TERM HUP", "TERM HUP" },
		{ "TERM,FOO,BAR", "FOO" },
		{ "SIG", "SIG" },
		{ "SIGSIGTERM", "SIGSIGTERM" },
		{ "TERMX", "TERMX" },
		{ "TER", "TER" },
		{ "-1", "-1" },
		{ "+1", "+1" },
		{ "65", "65" },
		{ "SIG0", "SIG0" },
		{ "SIG65", "SIG65" },
		{ "128", "128" },
		{ "129", "129" },
		{ "99999999999999999999", "99999999999999999999" },
		{ "9x", "9x" },
		{ "RTMIN+", "RTMIN+" },
		{ "RTMIN+31", "RTMIN+31" },
		{ "RTMIN-1", "RTMIN-1" },
		{ "RTMAX+1", "RTMAX+1" },
		{ "RTMAX-31", "RTMAX-31" },
		{ "RTMINX", "RTMINX" },
		{ "TERM,!HUP", "!HUP" },
		{ "TERMTERMTERMTERMTERMTERMTERMTERMTERM",
		  "TERMTERMTERMTERMTERMTERMTERMTERMTERM" },
	};
	char text[256], message[256];
	size_t i;

	(void)state;
	tl_message_tool("killsnoop");
	for (i = 0; i < COUNT(table); i++) {
		what_is_said(table[i][0], text, sizeof(text));
		snprintf(message, sizeof(message),
			 "killsnoop: --signal: \"%s\" is not a signal "
			 "(try killsnoop -h)\n",
			 table[i][1]);
		assert_string_equal(text, message);
	}
}

/* ---- filters ---------------------------------------------------------- */

static void filters(void **state)
{
	static const struct {
		const char *list, *as_int, *as_register;
	} table[] = {
		{ "TERM", "x && (s == 15)",
		  "x && (s == 15 || s > 0xffffffff)" },
		{ "9,0", "x && (s == 0 || s == 9)",
		  "x && (s == 0 || s == 9 || s > 0xffffffff)" },
		{ "!9,0", "x && s != 0 && s != 9", "x && s != 0 && s != 9" },
	};
	const struct tl_field of_int = { .size = 4 }, of_long = { .size = 8 };
	struct tl_signals set = { 0 };
	struct tl_filter f = { "x" };
	size_t i;

	(void)state;
	tl_filter_signals(&f, "s", &of_int, &set);
	assert_string_equal(f.text, "x");
	for (i = 0; i < COUNT(table); i++) {
		assert_int_equal(tl_signals_parse(&set, "-s", table[i].list),
				 0);
		f = (struct tl_filter){ "x" };
		tl_filter_signals(&f, "s", &of_int, &set);
		assert_string_equal(f.text, table[i].as_int);
		f = (struct tl_filter){ "x" };
		tl_filter_signals(&f, "s", &of_long, &set);
		assert_string_equal(f.text, table[i].as_register);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),   cmocka_unit_test(there_and_back),
		cmocka_unit_test(as_libc), cmocka_unit_test(codes),
		cmocka_unit_test(lists),   cmocka_unit_test(all_others),
		cmocka_unit_test(errors),  cmocka_unit_test(filters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
