// SPDX-License-Identifier: GPL-2.0-or-later
/* test_stacksums.c - times by stack: what is added up, whose it is, how it is shown */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/message.h"
#include "base/part.h"
#include "base/session.h"
#include "names.h"
#include "out/out.h"
#include "picture.h"
#include "record/tasktable.h"
#include "run/state.h"
#include "scratch.h"
#include "trace/chain.h"
#include "tracelet/stacksums.h"
#include "tracelet/who.h"

#define SHOWN_AT 5000000000 /* ns */

static struct tl_session s;
static struct tl_run run_state;
static struct tl_stack_sums_config config;
static struct tl_stack_sums *sums;
static int fd;

/* ---- a run ------------------------------------------------------------ */

static struct tl_tasks *new_tasks(void)
{
	struct tl_tasks *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	t->blind = true; /* none is asked for in /proc */
	t->size = 16;
	t->buckets = calloc(t->size, sizeof(*t->buckets));
	assert_non_null(t->buckets);
	return t;
}

static void begin_as(enum tl_format format)
{
	const struct tl_out_config out = { .format = format,
					   .fd = fd = memfd_create("sums", 0),
					   .quiet = true,
					   .columns = TL_STACK_SUMS_COLUMNS };

	s = (struct tl_session){ .run = &run_state,
				 .set.json = format == TL_FORMAT_JSON,
				 .tasks = new_tasks(),
				 .out = tl_out_new(&out) };
	assert_non_null(s.out);
	assert_int_equal(tl_chains_open(&s, 0, NULL), 0);
	sums = tl_stack_sums_open(&s, &config);
	assert_non_null(sums);
}

static void begin(void)
{
	begin_as(TL_FORMAT_TEXT);
}

static void end(void)
{
	tl_parts_free(&s);
	tl_tasks_free(&s);
	tl_out_free(s.out);
	free(run_state.banner);
	free(run_state.who);
	run_state = (struct tl_run){ 0 };
	close(fd);
}

static int set_up(void **state)
{
	(void)state;
	config = (struct tl_stack_sums_config){
		.by = TL_BY_TID, .layout = TL_STACK_ONE, .what = "", .how = ""
	};
	return 0;
}

static void call(pid_t tid, const char *name)
{
	struct tl_task *task = tl_task_get(s.tasks, tid);

	assert_non_null(task);
	tl_task_set_comm(task, (struct tl_str){ name, strlen(name) });
}

/* Of "inner;outer"; NULL: none. */
static const struct tl_chain *stack(const char *text)
{
	struct tl_str names[8];

	return text ? tl_chain_of(&s, names, split(text, names)) : NULL;
}

static struct tl_stack_of in(pid_t tid, const char *kernel, const char *user)
{
	return (struct tl_stack_of){ .tid = tid,
				     .stack = { stack(kernel), stack(user) } };
}

static void add(pid_t tid, const char *kernel, uint64_t ns)
{
	const struct tl_stack_of thread = in(tid, kernel, NULL);

	tl_stack_sums_add(&s, sums, &thread, 1, ns, 1);
}

/* What is shown for all that was added. */
static char *shown(void)
{
	char *text;

	assert_int_equal(ftruncate(fd, 0), 0);
	lseek(fd, 0, SEEK_SET);
	assert_int_equal(tl_stack_sums_show(&s, sums, SHOWN_AT), 0);
	assert_int_equal(tl_out_flush(s.out), 0);
	text = slurp(fd);
	return text;
}

static void expect(const char *wanted)
{
	char *text = shown();

	assert_string_equal(text, wanted);
	free(text);
}

/* ---- what is added up ------------------------------------------------- */

/* The least first; the same functions in another order are another stack. */
static void by_stack(void **state)
{
	(void)state;
	begin();
	call(7, "sleeper");
	add(7, "wait;read", 40000);
	add(7, "read;wait", 5000);
	add(7, "wait;read", 2000);
	add(7, "wait", 6000);
	expect("    read\n    wait\n    -                sleeper (7)\n"
	       "        5\n\n"
	       "    wait\n    -                sleeper (7)\n        6\n\n"
	       "    wait\n    read\n    -                sleeper (7)\n"
	       "        42\n\n");
	/* the next interval begins anew */
	add(7, "wait", 1000);
	expect("    wait\n    -                sleeper (7)\n        1\n\n");
	expect("");
	end();
}

static void by_name_and_process(void **state)
{
	(void)state;
	config.by = TL_BY_NAME;
	begin();
	call(7, "one");
	call(8, "one");
	add(7, "wait", 1000);
	add(8, "wait", 2000);
	expect("    wait\n    -                one\n        3\n\n");
	end();
	config.by = TL_BY_PID;
	begin();
	call(7, "leader");
	call(8, "other");
	tl_task_get(s.tasks, 7)->process = 7;
	tl_task_get(s.tasks, 8)->process = 7;
	add(7, "wait", 1000);
	add(8, "wait", 2000);
	expect("    wait\n    -                leader (7)\n        3\n\n");
	end();
}

/* In lines as in lists: a half up. */
static void rounded(void **state)
{
	static const struct {
		uint64_t ns;
		const char *us;
	} samples[] = { { 1499, "1" },
			{ 1500, "2" },
			{ 999999500, "1000000" } };
	char wanted[64];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		config.folded = false;
		begin();
		add(7, "wait", samples[i].ns);
		snprintf(wanted, sizeof(wanted),
			 "    wait\n    -                <...> (7)\n"
			 "        %s\n\n",
			 samples[i].us);
		expect(wanted);
		end();
		config.folded = true;
		begin();
		add(7, "wait", samples[i].ns);
		snprintf(wanted, sizeof(wanted), "<...> (7);wait %s\n",
			 samples[i].us);
		expect(wanted);
		end();
	}
}

/* What is more than can be kept is one sum. */
static void others(void **state)
{
	const pid_t most = 100000;
	char *text;
	pid_t tid;

	(void)state;
	config.folded = true;
	begin();
	for (tid = 1; tid <= most + 7; tid++)
		add(tid, NULL, 1000);
	text = shown();
	assert_int_equal(occurs(text, "\n"), most + 1);
	assert_int_equal(occurs(text, "\n[others] 7\n"), 1);
	assert_int_equal(occurs(text, "(100000) 1\n"), 1);
	assert_int_equal(occurs(text, "(100001)"), 0);
	free(text);
	/* there is room again */
	add(most + 1, NULL, 1000);
	expect("<...> (100001) 1\n");
	end();
}

/* ---- whose it is ------------------------------------------------------ */

static void renamed(void **state)
{
	(void)state;
	config.folded = true;
	begin();
	call(7, "old");
	call(8, "same");
	add(7, "wait", 1000);
	add(8, "wait", 1000);
	call(7, "new");
	tl_parts_task(&s, 7, TL_TASK_RENAMED, 0);
	add(7, "wait", 2000);
	add(8, "wait", 4000);
	expect("new (7);wait 2\nold (7);wait 1\nsame (8);wait 5\n");
	end();
}

/* Nothing tells of a change in the gap. */
static void renamed_while_records_were_lost(void **state)
{
	(void)state;
	config.folded = true;
	begin();
	call(7, "old");
	add(7, "wait", 1000);
	call(7, "new");
	tl_parts_lost(&s, 0);
	add(7, "wait", 2000);
	expect("new (7);wait 2\nold (7);wait 1\n");
	end();
}

/* A name that was not known is asked for again. */
static void named_later(void **state)
{
	(void)state;
	config.folded = true;
	begin();
	add(7, "wait", 1000);
	call(7, "later");
	add(7, "wait", 2000);
	expect("<...> (7);wait 1\nlater (7);wait 2\n");
	end();
}

#define ENTRY "asm_sysvec_apic_timer_interrupt"

/* A soft interrupt is the thread's own, unless the kernel was entered by an interrupt. */
static void soft_interrupts(void **state)
{
	struct tl_stack_of threads[3];

	(void)state;
	config.folded = true;
	config.others = 2;
	begin();
	call(7, "target");
	call(8, "waker");
	call(9, "first");
	threads[0] = in(7, "wait", NULL);
	threads[1] = in(8, "wake;send", "main");
	threads[2] = in(9, "wake", NULL);
	threads[1].soft = true;
	tl_stack_sums_add(&s, sums, threads, 3, 1000, 1);
	/* neither its program nor who woke it has a part in that */
	threads[1] = in(8, "wake;" ENTRY, "main");
	threads[1].soft = true;
	tl_stack_sums_add(&s, sums, threads, 3, 2000, 1);
	threads[1] = in(TL_INTERRUPT, "wake;" ENTRY, NULL);
	tl_stack_sums_add(&s, sums, threads, 2, 4000, 1);
	/* not soft: so it is told */
	threads[1] = in(8, "wake;" ENTRY, "main");
	tl_stack_sums_add(&s, sums, threads, 3, 8000, 1);
	expect("target (7);wait;--;wake;" ENTRY ";<interrupt> 6\n"
	       "target (7);wait;--;wake;" ENTRY ";main;waker (8);--;wake;"
	       "first (9) 8\n"
	       "target (7);wait;--;wake;send;main;waker (8);--;wake;"
	       "first (9) 1\n");
	end();
}

/* ---- how it is shown -------------------------------------------------- */

static void add_woken(unsigned int wakers)
{
	const struct tl_stack_of threads[] = {
		in(7, "schedule;wait", "read;main"),
		in(8, "wake;write", "write;main"),
		in(TL_INTERRUPT, "irq", NULL),
	};

	call(7, "target");
	call(8, "waker");
	tl_stack_sums_add(&s, sums, threads, 1 + wakers, 3000, 1);
}

static void layouts(void **state)
{
	(void)state;
	begin();
	add_woken(0);
	expect("    schedule\n    wait\n    --\n    read\n    main\n"
	       "    -                target (7)\n        3\n\n");
	end();
	config.layout = TL_STACK_WAKER;
	config.others = 1;
	begin();
	add_woken(1);
	expect("    target:          target (7)\n    wake\n    write\n    --\n"
	       "    write\n    main\n    waker:           waker (8)\n"
	       "        3\n\n");
	end();
	config.layout = TL_STACK_CHAIN;
	config.others = 2;
	begin();
	add_woken(2);
	expect("    waker:           <interrupt>\n    irq\n"
	       "    --               --\n"
	       "    waker:           waker (8)\n    main\n    write\n    --\n"
	       "    write\n    wake\n    --               --\n"
	       "    schedule\n    wait\n    --\n    read\n    main\n"
	       "    target:          target (7)\n        3\n\n");
	end();
}

static void folded(void **state)
{
	(void)state;
	config.folded = true;
	begin();
	add_woken(0);
	expect("target (7);main;read;wait;schedule 3\n");
	end();
	config.layout = TL_STACK_WAKER;
	config.others = 1;
	begin();
	add_woken(1);
	expect("waker (8);main;write;write;wake;target (7) 3\n");
	end();
	config.layout = TL_STACK_CHAIN;
	config.others = 2;
	begin();
	add_woken(2);
	expect("target (7);main;read;wait;schedule;--;wake;write;write;main;"
	       "waker (8);--;irq;<interrupt> 3\n");
	end();
}

static void rows(void **state)
{
	struct tl_stack_of thread;

	(void)state;
	begin_as(TL_FORMAT_JSON);
	call(7, "sleeper");
	thread = in(7, "schedule;wait", "read");
	tl_stack_sums_add(&s, sums, &thread, 1, 2000, 1);
	tl_stack_sums_add(&s, sums, &thread, 1, 500, 1);
	/* it goes on */
	thread = in(7, "wait", NULL);
	tl_stack_sums_add(&s, sums, &thread, 1, 1000, 0);
	expect("{\"time\":5.000000,\"tid\":7,\"comm\":\"sleeper\","
	       "\"total\":0.000001,\"count\":0,\"kernel\":[\"wait\"],"
	       "\"user\":null}\n"
	       "{\"time\":5.000000,\"tid\":7,\"comm\":\"sleeper\","
	       "\"total\":0.000003,\"count\":2,"
	       "\"kernel\":[\"schedule\",\"wait\"],\"user\":[\"read\"]}\n");
	end();
}

/* Shares and folded lines are of what is added up. */
static void counts(void **state)
{
	(void)state;
	config.amount = TL_STACK_TIMES;
	config.layout = TL_STACK_TABLE;
	config.unit = "calls";
	begin();
	call(7, "caller");
	add(7, "inner;often", 1);
	add(7, "inner;often", 1);
	add(7, "inner;often", 1);
	add(7, "inner;once", 1);
	expect("        3  75.0%  caller (7)\n    inner\n    often\n\n"
	       "        1  25.0%  caller (7)\n    inner\n    once\n\n");
	end();
	config.folded = true;
	begin();
	call(7, "caller");
	add(7, "inner;often", 1);
	add(7, "inner;often", 1);
	expect("caller (7);often;inner 2\n");
	end();
	config.folded = false;
	begin_as(TL_FORMAT_JSON);
	call(7, "caller");
	add(7, "inner", 1);
	expect("{\"time\":5.000000,\"tid\":7,\"comm\":\"caller\","
	       "\"count\":1,\"kernel\":[\"inner\"],\"user\":null}\n");
	end();
}

static void bytes(void **state)
{
	(void)state;
	config.amount = TL_STACK_BYTES;
	config.layout = TL_STACK_TABLE;
	config.unit = "calls";
	begin();
	call(7, "reader");
	add(7, "much", 4096);
	add(7, "little", 512);
	add(7, "little", 512);
	/* what failed counts, and moved nothing */
	add(7, "much", 0);
	expect("     4096  80.0%  in 2 calls  reader (7)\n    much\n\n"
	       "     1024  20.0%  in 2 calls  reader (7)\n    little\n\n");
	end();
	config.folded = true;
	begin();
	call(7, "reader");
	add(7, "much", 4096);
	add(7, "little", 0);
	expect("reader (7);much 4096\n");
	end();
	config.folded = false;
	begin_as(TL_FORMAT_JSON);
	call(7, "reader");
	add(7, "much", 4096);
	expect("{\"time\":5.000000,\"tid\":7,\"comm\":\"reader\","
	       "\"bytes\":4096,\"count\":1,\"kernel\":[\"much\"],"
	       "\"user\":null}\n");
	end();
}

static void rows_with_wakers(void **state)
{
	(void)state;
	config.layout = TL_STACK_CHAIN;
	config.others = 2;
	config.kernel_only = true;
	begin_as(TL_FORMAT_JSON);
	add_woken(2);
	expect("{\"time\":5.000000,\"tid\":7,\"comm\":\"target\","
	       "\"total\":0.000003,\"count\":1,"
	       "\"kernel\":[\"schedule\",\"wait\"],\"waker\":\"waker\","
	       "\"waker_id\":8,\"waker_kernel\":[\"wake\",\"write\"],"
	       "\"waker2\":\"<interrupt>\",\"waker2_id\":null,"
	       "\"waker2_kernel\":[\"irq\"]}\n");
	end();
}

/* The word that says why there is no stack is there, and once, without the kernel's. */
static void word_without_the_kernel(void **state)
{
	(void)state;
	config.user_only = true;
	begin_as(TL_FORMAT_JSON);
	call(7, "new");
	add(7, "[new]", 1000);
	expect("{\"time\":5.000000,\"tid\":7,\"comm\":\"new\","
	       "\"total\":0.000001,\"count\":1,\"user\":[\"[new]\"]}\n");
	end();
	begin();
	call(7, "new");
	add(7, "[new]", 1000);
	expect("    [new]\n    -                new (7)\n        1\n\n");
	end();
	config.folded = true;
	begin();
	call(7, "new");
	add(7, "[new]", 1000);
	expect("new (7);[new] 1\n");
	end();
}

/* ---- set-up ----------------------------------------------------------- */

/* All is freed where a run ends before it has begun; no picture is made. */
static void cut_short(void **state)
{
	char path[64];
	struct stat st;

	(void)state;
	snprintf(path, sizeof(path), "%s/cut.svg", dir);
	config.flame = path;
	begin();
	add(7, "wait", 1000);
	expect("");
	end();
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 0);
}

static int args(bool folded_too, const char *flame, bool json, bool write)
{
	struct tl_buf said = { 0 };
	int ret;

	config.by = TL_STACK_SUMS_BY_DEFAULT;
	config.folded = folded_too;
	config.flame = flame;
	s = (struct tl_session){ .set.json = json,
				 .set.write = write ? "x.dat" : NULL };
	tl_message_keep(&said);
	ret = tl_stack_sums_args(&s, &config);
	tl_parts_free(&s);
	tl_message_keep(NULL);
	tl_buf_free(&said);
	return ret;
}

static void options(void **state)
{
	(void)state;
	assert_int_equal(args(false, NULL, false, false), 0);
	assert_int_equal(config.by, TL_BY_TID);
	assert_int_equal(args(true, NULL, false, false), 0);
	assert_int_equal(config.by, TL_BY_NAME);
	assert_int_equal(args(false, "x.svg", true, false), 0);
	assert_int_equal(config.by, TL_BY_NAME);
	assert_int_equal(args(true, NULL, true, false), -EINVAL);
	assert_int_equal(args(false, "x.svg", false, true), -EINVAL);
	assert_int_equal(tl_stack_sums_kinds(&config),
			 TL_STACK_KERNEL | TL_STACK_USER);
	config.kernel_only = true;
	assert_int_equal(tl_stack_sums_kinds(&config), TL_STACK_KERNEL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, set_up)
	static const struct CMUnitTest tests[] = {
		TEST(by_stack),
		TEST(by_name_and_process),
		TEST(rounded),
		TEST(others),
		TEST(renamed),
		TEST(renamed_while_records_were_lost),
		TEST(named_later),
		TEST(soft_interrupts),
		TEST(layouts),
		TEST(folded),
		TEST(rows),
		TEST(counts),
		TEST(bytes),
		TEST(rows_with_wakers),
		TEST(word_without_the_kernel),
		TEST(cut_short),
		TEST(options),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
