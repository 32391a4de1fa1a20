// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_replay.c - captures: what was written is read, and each part of one does
 * no harm
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/message.h"
#include "base/recording.h"
#include "capture/capture.h"
#include "capture/section.h"
#include "run/state.h"
#include "scratch.h"
#include "tracelet/machine.h"
#include "tracelet/main.h"
#include "tracelet/option.h"
#include "tracelet/output.h"

#define PAGES   3
#define RECORDS 2 /* in each */
#define PAGE    256

static const char header_page[] =
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield: char data;\toffset:16;\tsize:240;\tsigned:0;\n";

#define COMMON                                                              \
	"format:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;"  \
	"\tsigned:0;\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:" \
	"1;\n\n"
#define NUMBER(name) "\tfield:int " name ";\toffset:8;\tsize:4;\tsigned:1;\n"

static const struct {
	const char *path, *text;
} formats[] = {
	{ "task/task_newtask",
	  "name: task_newtask\nID: 2\n" COMMON NUMBER("pid") NUMBER("comm")
		  NUMBER("clone_flags") "\nprint fmt: \"\"\n" },
	{ "task/task_rename",
	  "name: task_rename\nID: 3\n" COMMON NUMBER("pid") NUMBER("oldcomm")
		  NUMBER("newcomm") "\nprint fmt: \"\"\n" },
	{ "sched/sched_process_exit",
	  "name: sched_process_exit\nID: 4\n" COMMON NUMBER("pid")
		  NUMBER("comm") "\nprint fmt: \"\"\n" },
	{ "test/sample",
	  "name: sample\nID: 9\n" COMMON NUMBER("n") "\nprint fmt: \"\"\n" },
};

/* ---- a tool ----------------------------------------------------------- */

static struct tl_field number;
static unsigned int rows, wrong;
static uint64_t page_size;
static int cpu_width;
static bool flag;
static const char *file, *mark;
static char marked[16], filed[16]; /* the same, which the session had */

static void on_sample(struct tl_session *s, const struct tl_record *r)
{
	(void)s;
	/* they come in their order, by number and time */
	wrong += (unsigned int)tl_field_num(r, &number) != rows;
	wrong += r->ns != 1000 + 100 * (rows / RECORDS) + rows % RECORDS;
	rows++;
}

static int setup(struct tl_session *s)
{
	struct tl_event *ev = tl_event_add(s, "test", "sample", on_sample);

	page_size = tl_page_size(s);
	cpu_width = tl_cpu_width(s);
	snprintf(marked, sizeof(marked), "%s", mark ?: "");
	snprintf(filed, sizeof(filed), "%s", file ?: "");
	return ev ? tl_event_field(s, ev, "n", &number) : -errno;
}

static const struct tl_column columns[] = {
	{ "N", "n", 0, TL_INT, TL_SHOW_ALL }, { 0 }
};

static const struct tl_opt options[] = {
	{ 'o', "output", "FILE", "", TL_OPT_STRING | TL_OPT_HERE, &file, NULL,
	  0, 0 },
	{ 'm', NULL, "MARK", "", TL_OPT_STRING, &mark, NULL, 0, 0 },
	{ 'f', NULL, NULL, "", TL_OPT_FLAG | TL_OPT_HERE, &flag, NULL, 0, 0 },
	{ 0 }
};

static const struct tl_tool tool = {
	.name = "sample",
	.options = options,
	.columns = columns,
	.quiet = true,
	.setup = setup,
};

/* ---- its capture ------------------------------------------------------ */

static struct tl_recording recording; /* of what is written */

static void note(const char *key, const char *text, size_t len)
{
	tl_recording_note(&recording, key, text, len, 0);
}

static const char *since; /* noted, if any */

static void note_all(const char *words, size_t len)
{
	char path[128];
	unsigned int i;

	note("@instance/events/header_page", header_page,
	     sizeof(header_page) - 1);
	note("session", "tl_sample_1", 11);
	note("tool", "sample", 6);
	note("options", words, len);
	note("epoch", "1000 0", 6);
	if (since)
		note("since", since, strlen(since));
	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		snprintf(path, sizeof(path), "@instance/events/%s/format",
			 formats[i].path);
		note(path, formats[i].text, strlen(formats[i].text));
	}
}

/* Records of 12 bytes, a nanosecond apart. */
static size_t make_page(char *page, unsigned int n)
{
	uint64_t head[2] = { 1000 + 100 * n, RECORDS * 16 };
	unsigned int i;

	memcpy(page, head, sizeof(head));
	for (i = 0; i < RECORDS; i++) {
		uint32_t record[] = { 3 | (i ? 1U << 5 : 0), 9, 77,
				      n * RECORDS + i };

		memcpy(page + 16 + i * sizeof(record), record, sizeof(record));
	}
	return 16 + RECORDS * 16;
}

/* Two streams, in turns. */
static struct tl_capture *begin(const char *path, const char *words, size_t len)
{
	static const unsigned int cpus[] = { 0, 11 };
	static struct tl_settings set;
	static struct tl_run run;
	static struct tl_session s = { .run = &run, .recording = &recording };
	struct tl_page_layout layout;
	struct tl_capture *c;
	char page[PAGE];
	unsigned int i;

	assert_int_equal(tl_page_layout(header_page, &layout), 0);
	note_all(words, len);
	set.write = path;
	c = tl_capture_create(&set);
	assert_non_null(c);
	assert_int_equal(tl_capture_begin(c, &s, &layout, cpus, 2), 0);
	for (i = 0; i < PAGES; i++)
		assert_int_equal(
			tl_capture_page(c, i % 2, page, make_page(page, i)), 0);
	assert_int_equal(tl_capture_pass(c), 0);
	return c;
}

static void end(struct tl_capture *c, bool finish)
{
	if (finish)
		assert_int_equal(tl_capture_end(c), 0);
	tl_capture_free(c);
	tl_recording_free(&recording);
}

static const char *name(const char *file_name)
{
	static char path[2][128];
	static unsigned int turn;

	turn ^= 1;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", dir, file_name);
	return path[turn];
}

/* Its exit status; what it says in @said. */
static int replay(const char *path, const char *option, struct tl_buf *said)
{
	char *argv[] = { (char *)"sample", (char *)"-r", (char *)path,
			 (char *)option, NULL };
	int status;

	rows = wrong = 0;
	flag = false;
	file = mark = NULL;
	*marked = *filed = '\0';
	said->len = 0;
	tl_message_keep(said);
	status = tl_main(&tool, option ? 4 : 3, argv);
	tl_message_keep(NULL);
	tl_buf_char(said, '\0');
	return status;
}

static char *slurp(const char *path, size_t *len)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	char *data;

	assert_true(fd >= 0 && !fstat(fd, &st));
	*len = (size_t)st.st_size;
	data = malloc(*len);
	assert_non_null(data);
	assert_int_equal(read(fd, data, *len), *len);
	close(fd);
	return data;
}

static void put(const char *path, const char *data, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), len);
	close(fd);
}

/* ---- tests ------------------------------------------------------------ */

static void whole(void **state)
{
	struct tl_buf said = { 0 };
	struct stat st;

	(void)state;
	end(begin(name("ended"), "", 0), true);
	assert_int_equal(replay(name("ended"), NULL, &said), TL_EXIT_OK);
	assert_string_equal(said.data, "");
	assert_int_equal(rows, PAGES * RECORDS);
	assert_int_equal(wrong, 0);
	/* nothing else is left, and it is for its owner */
	assert_int_equal(stat(name("ended.part"), &st), -1);
	assert_int_equal(stat(name("ended"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	tl_buf_free(&said);
}

/* The machine of a capture, not the one that reads it. */
static void machine(void **state)
{
	struct tl_buf said = { 0 };

	(void)state;
	end(begin(name("machine"), "", 0), true);
	assert_int_equal(replay(name("machine"), NULL, &said), TL_EXIT_OK);
	assert_int_equal(page_size, sysconf(_SC_PAGESIZE)); /* not kept */
	assert_int_equal(cpu_width, 2);
	tl_recording_keep(&recording, true);
	tl_recording_answer(&recording, 1 << 16, "page size");
	end(begin(name("machine"), "", 0), true);
	assert_int_equal(replay(name("machine"), NULL, &said), TL_EXIT_OK);
	assert_int_equal(page_size, 1 << 16);
	assert_int_equal(cpu_width, 2);
	tl_buf_free(&said);
}

static unsigned int records_between(unsigned int after, unsigned int until)
{
	unsigned int page, i, ns, count = 0;

	for (page = 0; page < PAGES; page++)
		for (i = 0; i < RECORDS; i++) {
			ns = 1000 + 100 * page + i;
			count += ns > after && ns <= until;
		}
	return count;
}

/* Of the last seconds: what is older is not shown, and -d counts from there. */
static void last_part(void **state)
{
	struct tl_buf said = { 0 };

	(void)state;
	since = "1105";
	end(begin(name("last"), "", 0), true);
	assert_int_equal(replay(name("last"), NULL, &said), TL_EXIT_OK);
	assert_string_equal(said.data, "");
	assert_int_equal(rows, records_between(1105, UINT_MAX));
	assert_int_equal(replay(name("last"), "-d0.0000001", &said),
			 TL_EXIT_OK);
	assert_int_equal(rows, records_between(1105, 1205));
	assert_true(rows > 0);
	since = "18446744073709551615";
	end(begin(name("last"), "", 0), true);
	since = NULL;
	assert_int_equal(replay(name("last"), NULL, &said), TL_EXIT_FAILED);
	assert_non_null(strstr(said.data, "damaged"));
	tl_buf_free(&said);
}

/* All whole sections of one that was not ended count, and no others. */
static void cut(void **state)
{
	size_t len, size, end_of[PAGES + 1],
		at = sizeof(struct tl_capture_start);
	struct tl_buf said = { 0 };
	struct tl_section head;
	unsigned int i = 0, want;
	char *data;

	(void)state;
	end(begin(name("open"), "", 0), false);
	data = slurp(name("open"), &len);
	for (; i <= PAGES; i++) {
		memcpy(&head, data + at, sizeof(head));
		at += sizeof(head) + head.len;
		end_of[i] = at;
	}
	assert_int_equal(at, len);
	for (size = 0; size <= len; size++) {
		put(name("part"), data, size);
		if (size < end_of[0]) {
			assert_int_equal(replay(name("part"), NULL, &said),
					 TL_EXIT_FAILED);
			assert_int_equal(rows, 0);
			continue;
		}
		for (want = 0; want < PAGES && size >= end_of[want + 1];)
			want++;
		assert_int_equal(replay(name("part"), NULL, &said), TL_EXIT_OK);
		assert_non_null(strstr(said.data, "is incomplete"));
		assert_int_equal(rows, want * RECORDS);
		assert_int_equal(wrong, 0);
	}
	tl_buf_free(&said);
	free(data);
}

/* Without its end a trace.dat may be anybody's. */
static void cut_after_its_end(void **state)
{
	struct tl_buf said = { 0 };
	size_t len, size;
	char *data;

	(void)state;
	end(begin(name("ended"), "", 0), true);
	data = slurp(name("ended"), &len);
	for (size = 0; size < len; size++) {
		put(name("part"), data, size);
		assert_int_equal(replay(name("part"), NULL, &said),
				 TL_EXIT_FAILED);
		assert_non_null(strstr(said.data, "damaged"));
		assert_int_equal(rows, 0);
	}
	tl_buf_free(&said);
	free(data);
}

/* Any byte that is another one: whatever comes of it, it comes to an end. */
static void changed(void **state)
{
	struct tl_buf said = { 0 };
	size_t len, at;
	char *data;
	int status;

	(void)state;
	end(begin(name("open"), "", 0), false);
	data = slurp(name("open"), &len);
	for (at = 0; at < len; at++) {
		data[at] = (char)~data[at];
		put(name("part"), data, len);
		status = replay(name("part"), NULL, &said);
		assert_in_range(status, TL_EXIT_OK, TL_EXIT_UNSUPPORTED);
		assert_true(rows <= PAGES * RECORDS);
		data[at] = (char)~data[at];
	}
	tl_buf_free(&said);
	free(data);
}

/*
 * A capture names no files to write, and what lets escapes through is not its.
 */
static void options_of_its_run(void **state)
{
	static const char words[] = "-m\0mark\0-o\0written\0-f\0--raw\0"
				    "-w\0other\0--read=third\0--help";
	struct tl_buf said = { 0 };

	(void)state;
	end(begin(name("ended"), words, sizeof(words)), true);
	assert_int_equal(replay(name("ended"), NULL, &said), TL_EXIT_OK);
	assert_int_equal(rows, PAGES * RECORDS);
	assert_string_equal(marked, "mark");
	assert_string_equal(filed, "");
	assert_false(flag);
	assert_int_equal(access("written", F_OK), -1);
	/* typed here they count */
	assert_int_equal(replay(name("ended"), "-of", &said), TL_EXIT_OK);
	assert_string_equal(filed, "f");
	tl_buf_free(&said);
}

/* What is typed is not for a capture to take. */
static void options_without_end(void **state)
{
	static const char *const words[] = { "-m", "-o", "word", "-fm" };
	struct tl_buf said = { 0 };
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		end(begin(name("ended"), words[i], strlen(words[i]) + 1), true);
		assert_int_equal(replay(name("ended"), NULL, &said),
				 TL_EXIT_USAGE);
		assert_int_equal(rows, 0);
		assert_true(said.len > 1);
	}
	tl_buf_free(&said);
}

static void not_a_file(void **state)
{
	struct tl_buf said = { 0 };

	(void)state;
	assert_true(run("mkfifo fifo && ln -s loop loop"));
	assert_int_equal(replay(name("none"), NULL, &said), TL_EXIT_FAILED);
	assert_int_equal(replay(name("fifo"), NULL, &said), TL_EXIT_FAILED);
	assert_int_equal(replay(name("loop"), NULL, &said), TL_EXIT_FAILED);
	assert_int_equal(replay(dir, NULL, &said), TL_EXIT_FAILED);
	assert_int_equal(replay("/dev/zero", NULL, &said), TL_EXIT_FAILED);
	tl_buf_free(&said);
}

static bool can_begin(const char *path)
{
	static const unsigned int cpu;
	const struct tl_settings set = { .write = path };
	struct tl_capture *c = tl_capture_create(&set);
	struct tl_page_layout layout;
	struct tl_session s = { 0 };
	bool can;

	assert_non_null(c);
	assert_int_equal(tl_page_layout(header_page, &layout), 0);
	can = !tl_capture_begin(c, &s, &layout, &cpu, 1);
	tl_capture_free(c);
	return can;
}

/* What is not a file is not written to, and nothing is put in its place. */
static void places_to_write(void **state)
{
	static const char *const bad[] = { "/dev/null", "/dev/zero",
					   "/dev/full" };
	struct tl_buf said = { 0 };
	struct stat st;
	unsigned int i;

	(void)state;
	tl_message_keep(&said);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(can_begin(bad[i]));
	assert_false(can_begin(dir));
	assert_true(run("mkfifo pipe && ln -s round round && ln -s far near "
			"&& ln -s far far.part && echo old >far"));
	assert_false(can_begin(name("pipe")));
	assert_false(can_begin(name("round")));
	assert_false(can_begin(name("no/where")));
	tl_message_keep(NULL);
	/* through a link; what is left in the way of the other file goes */
	end(begin(name("near"), "", 0), true);
	assert_int_equal(lstat(name("near"), &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(lstat(name("far.part"), &st), -1);
	assert_int_equal(replay(name("far"), NULL, &said), TL_EXIT_OK);
	assert_int_equal(rows, PAGES * RECORDS);
	tl_buf_free(&said);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole),
		cmocka_unit_test(machine),
		cmocka_unit_test(last_part),
		cmocka_unit_test(cut),
		cmocka_unit_test(cut_after_its_end),
		cmocka_unit_test(changed),
		cmocka_unit_test(options_of_its_run),
		cmocka_unit_test(options_without_end),
		cmocka_unit_test(not_a_file),
		cmocka_unit_test(places_to_write),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
