/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_message.c - messages, exactly */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/message.h"
#include "tracelet/message.h"

/*
 * stderr is a socket that keeps what each write(2) has sent apart, so that one
 * recv() gives one message if, and only if, it was written at once.
 */
struct ends {
	int saved, reader;
};

static int begin(void **state)
{
	static struct ends ends;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -1;
	ends.reader = pair[0];
	ends.saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	dup2(pair[1], STDERR_FILENO);
	close(pair[1]);
	tl_message_tool("opensnoop");
	*state = &ends;
	return 0;
}

static int end(void **state)
{
	const struct ends *ends = *state;

	dup2(ends->saved, STDERR_FILENO);
	close(ends->saved);
	close(ends->reader);
	return 0;
}

static void expect(void **state, const char *message)
{
	const struct ends *ends = *state;
	char got[8192];
	ssize_t n = recv(ends->reader, got, sizeof(got), MSG_DONTWAIT);

	assert_int_equal(n, strlen(message));
	assert_memory_equal(got, message, (size_t)n);
}

static void failing(void **state)
{
	assert_int_equal(tl_fail(ENOENT, "%s: no such file", "x"), -ENOENT);
	expect(state, "opensnoop: x: no such file\n");
}

static void warning(void **state)
{
	tl_warn("lost %d events", 12);
	expect(state, "opensnoop: lost 12 events\n");
}

static void usage(void **state)
{
	assert_int_equal(tl_usage("-p: \"%s\" is wrong", "1x"), -EINVAL);
	expect(state, "opensnoop: -p: \"1x\" is wrong (try opensnoop -h)\n");
}

static void escaped(void **state)
{
	tl_warn("%s", "a\33[2J\nb\\\xff");
	expect(state, "opensnoop: a\\x1b[2J\\nb\\\\xff\n");
}

static void long_message(void **state)
{
	char text[5001] = { 0 }, expected[5100];

	memset(text, 'x', 5000);
	tl_warn("%s", text);
	strcpy(stpcpy(stpcpy(expected, "opensnoop: "), text), "\n");
	expect(state, expected);
}

static void name_of_the_program(void **state)
{
	char expected[300] = "";

	tl_message_tool(NULL);
	tl_warn("x");
	strcpy(stpcpy(expected, program_invocation_short_name), ": x\n");
	expect(state, expected);
}

static void errno_is_kept(void **state)
{
	errno = EXDEV;
	tl_warn("x");
	assert_int_equal(errno, EXDEV);
	expect(state, "opensnoop: x\n");
}

/* Nobody left to tell is no reason to end. */
static void no_stderr(void **state)
{
	(void)state;
	close(STDERR_FILENO);
	assert_int_equal(tl_fail(EIO, "x"), -EIO);
}

static void errno_names(void **state)
{
	(void)state;
	assert_string_equal(tl_errno_name(ENOENT), "ENOENT");
	assert_string_equal(tl_errno_name(EPERM), "EPERM");
	assert_string_equal(tl_errno_name(EACCES), "EACCES");
	assert_string_equal(tl_errno_name(EAGAIN), "EAGAIN");
	assert_string_equal(tl_errno_name(ENAMETOOLONG), "ENAMETOOLONG");
	assert_string_equal(tl_errno_name(ELOOP), "ELOOP");
	assert_null(tl_errno_name(0));
	assert_null(tl_errno_name(-2));
	assert_null(tl_errno_name(512));
	assert_null(tl_errno_name(INT32_MAX));
	assert_null(tl_errno_name(INT32_MIN));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(failing),       TEST(warning),
		TEST(usage),         TEST(escaped),
		TEST(long_message),  TEST(name_of_the_program),
		TEST(errno_is_kept), TEST(no_stderr),
		TEST(errno_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
