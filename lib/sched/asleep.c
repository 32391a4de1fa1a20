// SPDX-License-Identifier: GPL-2.0-or-later
/* asleep.c - threads that sleep since before the start, from /proc */
#include "sched/asleep.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/proc.h"
#include "base/recording.h"
#include "record/task.h"
#include "tracelet/task.h"

#define KEY "asleep" /* in a capture: a line for each thread */
/* The kernel shows 64 functions at most. */
#define STACK_SIZE 8192
#define MAX_CPUS   8192 /* CONFIG_NR_CPUS is that at most */

struct tl_asleep_list {
	struct tl_session *s;
	bool stacks;
	struct tl_buf text;     /* a line "TID LETTER CPU NS STACK" for each */
	struct tl_asleep *list; /* by thread */
	size_t count;
};

/* ---- what there is ---------------------------------------------------- */

/* Of lines "[<0>] do_nanosleep+0x10/0x20 [module]" the names. */
static void add_stack(struct tl_buf *b, int dir, pid_t tid)
{
	char path[32], text[STACK_SIZE], *line, *rest = NULL, *name;
	const char *between = "";

	snprintf(path, sizeof(path), "%d/stack", tid);
	if (tl_proc_read_at(dir, path, text, sizeof(text)) <= 0)
		return;
	for (line = strtok_r(text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		name = strchr(line, ' ');
		if (!name)
			continue;
		name[strcspn(name, "+")] = '\0';
		tl_buf_printf(b, "%s%s", between, name + 1);
		between = ";";
	}
}

/* One that can run, or has ended, does not sleep. */
static void look_at(void *ctx, int dir, pid_t tid)
{
	struct tl_asleep_list *l = ctx;
	const uint64_t ns = tl_now();
	unsigned int cpu;
	char letter;

	if (!tl_task_matches(l->s, tid))
		return;
	letter = tl_proc_state(dir, tid, &cpu);
	if (!letter || strchr("RXZ", letter))
		return;
	tl_buf_printf(&l->text, "%d %c %u %" PRIu64 " ", tid, letter, cpu, ns);
	if (l->stacks)
		add_stack(&l->text, dir, tid);
	tl_buf_char(&l->text, '\n');
}

/* ---- the list --------------------------------------------------------- */

static int by_thread(const void *a, const void *b)
{
	const struct tl_asleep *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

static size_t count_lines(const char *text)
{
	size_t count = 0;

	while ((text = strchr(text, '\n'))) {
		text++;
		count++;
	}
	return count;
}

/* A line without its stack: "TID LETTER CPU NS STACK"; false if it is none. */
static bool parse(const char *line, const char *end, struct tl_asleep *one)
{
	unsigned long cpu;
	char *p;

	one->tid = (pid_t)strtol(line, &p, 10);
	if (p == line || *p != ' ' || p + 2 >= end)
		return false;
	one->letter = p[1];
	line = p + 2;
	cpu = strtoul(line, &p, 10);
	if (*line != ' ' || p == line || *p != ' ' || cpu >= MAX_CPUS)
		return false;
	one->cpu = (unsigned int)cpu;
	line = p;
	one->ns = strtoull(line, &p, 10);
	if (p == line || p >= end || *p != ' ')
		return false;
	one->stack = p + 1;
	one->len = (size_t)(end - one->stack);
	return true;
}

/* ns: what came before may not be in this capture. */
static uint64_t complete_since(const struct tl_recording *r)
{
	return tl_recording_number(r, TL_RECORDING_WHOLE)
		       ? UINT64_MAX
		       : tl_recording_number(r, TL_RECORDING_SINCE);
}

/*
 * A capture can say anything: what is no such line is left out, as are threads of which it does
 * not have all that they did since then.
 */
static int take(struct tl_asleep_list *l, const char *text)
{
	const uint64_t since = complete_since(l->s->recording);
	const char *end;

	l->list = calloc(count_lines(text) + 1, sizeof(*l->list));
	if (!l->list)
		return -1;
	for (; (end = strchr(text, '\n')); text = end + 1)
		l->count += parse(text, end, &l->list[l->count]) &&
			    l->list[l->count].ns >= since;
	qsort(l->list, l->count, sizeof(*l->list), by_thread);
	return 0;
}

static const char *look(struct tl_session *s, struct tl_asleep_list *l)
{
	if (tl_recording_replays(s->recording))
		return tl_recording_text(s->recording, KEY, NULL) ?: "";
	/* in a PID namespace /proc does not have the ids of records */
	if (!tl_tasks_foreign(s))
		tl_proc_each_thread(look_at, l);
	tl_buf_char(&l->text, '\0');
	if (l->text.failed)
		return NULL;
	if (tl_recording_is_on(s->recording))
		tl_recording_note(s->recording, KEY, l->text.data,
				  l->text.len - 1, 0);
	return l->text.data;
}

struct tl_asleep_list *tl_asleep_read(struct tl_session *s, bool stacks)
{
	struct tl_asleep_list *l = calloc(1, sizeof(*l));
	const char *text;

	if (!l)
		return NULL;
	l->s = s;
	l->stacks = stacks;
	text = look(s, l);
	if (text && !take(l, text))
		return l;
	tl_asleep_free(l);
	return NULL;
}

const struct tl_asleep *tl_asleep_take(struct tl_asleep_list *l, pid_t tid)
{
	const struct tl_asleep wanted = { .tid = tid };
	struct tl_asleep *one = l ? bsearch(&wanted, l->list, l->count,
					    sizeof(*l->list), by_thread)
				  : NULL;

	if (!one || one->taken)
		return NULL;
	one->taken = true;
	return one;
}

void tl_asleep_each(const struct tl_asleep_list *l,
		    void (*fn)(void *ctx, const struct tl_asleep *one),
		    void *ctx)
{
	size_t i;

	for (i = 0; l && i < l->count; i++)
		if (!l->list[i].taken)
			fn(ctx, &l->list[i]);
}

void tl_asleep_free(struct tl_asleep_list *l)
{
	if (!l)
		return;
	tl_buf_free(&l->text);
	free(l->list);
	free(l);
}
