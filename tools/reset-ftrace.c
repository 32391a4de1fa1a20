// SPDX-License-Identifier: GPL-2.0-or-later
/* reset-ftrace - list what is left over in tracefs, and remove it */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracelet.h"
#include "tracelet/leftover.h"

static struct {
	bool force, quiet, dry_run;
	bool incomplete; /* something could not be read */
	struct tl_session *s;
	struct tl_leftover *list;
	size_t count;
	int *errors; /* of each: TO_DO, UNTOUCHED, 0 or -errno */
} env;

enum { TO_DO = 1, UNTOUCHED };

static const struct tl_opt options[] = {
	{ 'f', "force", NULL,
	  "reset everything, and end the tracing of everybody", TL_OPT_FLAG,
	  &env.force },
	{ 'q', "quiet", NULL, "say only what fails", TL_OPT_FLAG, &env.quiet },
	{ 0, "dry-run", NULL, "change nothing, show what would be done",
	  TL_OPT_FLAG, &env.dry_run },
	{ 0 }
};

enum { KIND, NAME, STATE, OWNER, PID, WHOSE, ACTION };

static const struct tl_column columns[] = {
	[KIND] = { "KIND", "kind", -9, TL_STR, TL_SHOW_ALL },
	[NAME] = { "NAME", "name", -38, TL_STR, TL_SHOW_ALL },
	[STATE] = { "STATE", "state", -22, TL_STR, TL_SHOW_ALL },
	[OWNER] = { "OWNER", "owner", -31, TL_STR, TL_SHOW_ALL },
	[PID] = { "PID", "pid", 0, TL_INT, TL_SHOW_DATA },
	[WHOSE] = { "WHOSE", "whose", 0, TL_STR, TL_SHOW_DATA },
	[ACTION] = { "ACTION", "action", 0, TL_STR, TL_SHOW_ALL },
	{ 0 }
};

/* In the order of enum tl_whose. */
static const char *const whose[] = { "others", "alive", "dead" };

/* ---- what there is, and what becomes of it ------------------------------- */

static int search(void)
{
	int ret = tl_leftover_find(env.s, &env.list, &env.count);
	size_t i;

	if (ret < 0)
		return TL_EXIT_FAILED;
	env.incomplete |= ret;
	env.errors = calloc(env.count + 1, sizeof(*env.errors));
	if (!env.errors) {
		tl_warn("out of memory");
		return TL_EXIT_FAILED;
	}
	for (i = 0; i < env.count; i++) {
		const struct tl_leftover *l = &env.list[i];
		bool wanted = env.force || l->whose == TL_WHOSE_DEAD;

		env.errors[i] =
			wanted && l->changed && l->act ? TO_DO : UNTOUCHED;
	}
	return TL_EXIT_OK;
}

static void forget(void)
{
	tl_leftover_free(env.list, env.count);
	free(env.errors);
	env.list = NULL;
	env.errors = NULL;
	env.count = 0;
}

static bool removes(const struct tl_leftover *l)
{
	return strcmp(l->kind, "setting") != 0;
}

static const char *action(size_t i)
{
	const bool gone = removes(&env.list[i]);

	if (env.errors[i] == TO_DO)
		return gone ? "would be removed" : "would be reset";
	if (env.errors[i] == UNTOUCHED)
		return "none";
	if (env.errors[i])
		return "failed";
	return gone ? "removed" : "reset";
}

static void put(unsigned int col, const char *text)
{
	if (text)
		tl_put_text(env.s, col, text);
}

static void print_row(size_t i)
{
	const struct tl_leftover *l = &env.list[i];

	put(KIND, l->kind);
	put(NAME, l->name);
	put(STATE, l->state);
	put(OWNER, l->owner);
	if (l->pid)
		tl_put_int(env.s, PID, l->pid);
	put(WHOSE, whose[l->whose]);
	put(ACTION, action(i));
	tl_row(env.s);
}

static void print_table(void)
{
	bool any = false;
	size_t i;

	for (i = 0; i < env.count && !env.quiet; i++) {
		if (!env.list[i].changed)
			continue;
		if (!any)
			tl_header(env.s);
		any = true;
		print_row(i);
	}
	if (!any && !env.quiet)
		tl_print(env.s, "Nothing is left over, nothing is in use.");
}

/* Of a setting nothing tells whose it is, but a file that is open keeps it. */
static const char *owner_of(const struct tl_leftover *l, int err)
{
	size_t i;

	for (i = 0; !l->owner && err == EBUSY && i < env.count; i++)
		if (!strcmp(l->kind, "setting") &&
		    !strcmp(env.list[i].kind, "open file"))
			return env.list[i].owner;
	return l->owner;
}

static int say_failures(void)
{
	int status = TL_EXIT_OK;
	size_t i;

	for (i = 0; i < env.count; i++) {
		const struct tl_leftover *l = &env.list[i];
		int err = env.errors[i];
		const char *owner = owner_of(l, -err);

		if (err >= 0)
			continue;
		status = TL_EXIT_FAILED;
		tl_fail(-err, "%s %s: %s%s%s", l->kind, l->name,
			tl_leftover_explain(-err), owner ? ": " : "",
			owner ?: "");
	}
	return status;
}

/*
 * ---- resetting ------------------------------------------------------------
 */

static bool is_shown(const struct tl_leftover *l)
{
	const struct tl_settings *set = tl_settings(env.s);

	return env.force && !env.quiet && !set->json && !set->csv &&
	       (l->original || (l->changed && l->act));
}

static void show_text(const struct tl_leftover *l, const char *when)
{
	char *text = tl_leftover_text(env.s, l), *line, *end;
	unsigned int number = 0;

	tl_print(env.s, "%s, %s:", l->file, when);
	for (line = text; line && *line; line = end + (*end == '\n')) {
		end = strchrnul(line, '\n');
		tl_print(env.s, "%6u  %.*s", ++number, (int)(end - line), line);
	}
	free(text);
}

/* Things that one file shows, from @i up to what is returned. */
static size_t end_of_group(size_t i)
{
	const char *file = env.list[i].file;

	while (++i < env.count && !strcmp(env.list[i].file, file))
		;
	return i;
}

static bool is_done(size_t i)
{
	return env.errors[i] == UNTOUCHED || !env.errors[i];
}

/* Returns whether anything could be done that had not been. */
static bool reset_group(size_t i, size_t end, bool again)
{
	const struct tl_leftover *l = &env.list[i];
	bool progress = false;
	size_t j = i;

	while (again && j < end && is_done(j))
		j++;
	if (j == end)
		return false;
	if (is_shown(l))
		show_text(l, "before");
	for (j = i; j < end; j++) {
		if (is_done(j))
			continue;
		env.errors[j] = tl_leftover_reset(env.s, &env.list[j]);
		progress |= !env.errors[j];
	}
	if (is_shown(l)) {
		show_text(l, "after");
		tl_print(env.s, "%s", "");
	}
	return progress;
}

/*
 * What one thing keeps in use is removed in a later turn: a trigger that uses
 * another's variable, a probe on an event of another probe.
 */
static void reset_all(bool again)
{
	bool progress;
	size_t i, end;

	do {
		progress = false;
		for (i = 0; i < env.count; i = end) {
			end = end_of_group(i);
			progress |= reset_group(i, end, again);
		}
		again = true;
	} while (progress);
}

/* Tracelets clean up themselves; one that does not is treated as any other. */
static int end_tracelets(void)
{
	if (tl_leftover_end(env.s, env.list, env.count) <= 0)
		return TL_EXIT_OK;
	forget();
	return search();
}

static bool is_back(size_t i)
{
	return env.errors[i] == TO_DO && env.list[i].whose != TL_WHOSE_ALIVE;
}

/* A write that is taken and has no effect is a failure too. */
static int look_again(void)
{
	int status = TL_EXIT_OK;
	size_t i;

	forget();
	if (search())
		return TL_EXIT_FAILED;
	for (i = 0; i < env.count; i++) {
		const struct tl_leftover *l = &env.list[i];

		if (!is_back(i))
			continue;
		tl_warn("%s %s: is there again, or still: %s", l->kind, l->name,
			l->state ?: "-");
		status = TL_EXIT_FAILED;
	}
	return status;
}

/* A trigger, before it went, may have changed what was as it should be. */
static int reset_rest(void)
{
	const struct tl_settings *set = tl_settings(env.s);
	bool any = false;
	size_t i;

	forget();
	if (search())
		return TL_EXIT_FAILED;
	for (i = 0; i < env.count; i++) {
		if (is_back(i))
			any = true;
		else
			env.errors[i] = UNTOUCHED;
	}
	if (!any)
		return TL_EXIT_OK;
	reset_all(true);
	for (i = 0; i < env.count && (set->json || set->csv); i++)
		if (env.errors[i] != UNTOUCHED)
			print_row(i);
	return say_failures() ?: look_again();
}

static void say_left_alone(void)
{
	size_t i;

	for (i = 0; i < env.count; i++)
		if (!strcmp(env.list[i].kind, "lock") && !env.list[i].act)
			tl_warn("lock %s: %s, left alone", env.list[i].name,
				env.list[i].state ?: "-");
}

static int force(void)
{
	const struct tl_settings *set = tl_settings(env.s);
	int status = end_tracelets();

	if (status)
		return status;
	if (!env.quiet)
		tl_print(env.s, "Resetting ftrace state...");
	reset_all(false);
	status = say_failures();
	say_left_alone();
	if (set->json || set->csv)
		print_table();
	if (!status)
		status = reset_rest();
	if (!env.quiet)
		tl_print(env.s, "Done.");
	return status;
}

/*
 * ---- the run ---------------------------------------------------------------
 */

static int query(struct tl_session *s)
{
	int status;

	env.s = s;
	status = search();
	if (!status && env.force && !env.dry_run) {
		status = force();
	} else if (!status) {
		if (!env.dry_run)
			reset_all(false);
		print_table();
		status = say_failures();
	}
	forget();
	return status ?: env.incomplete ? TL_EXIT_FAILED : TL_EXIT_OK;
}

static int check(struct tl_session *s)
{
	env.s = s;
	if (search())
		return -EACCES;
	forget();
	return 0;
}

static const struct tl_tool reset_ftrace = {
	.name = "reset-ftrace",
	.summary = "list what is left over in tracefs, and remove it",
	.examples = {
		{ "reset-ftrace --dry-run", "what is there, and who uses it" },
		{ "reset-ftrace", "remove what dead tools have left" },
		{ "reset-ftrace -f --dry-run",
		  "what it would take to have all as at boot" },
	},
	.options = options,
	.columns = columns,
	.without = TL_NO_EVENTS,
	.quiet = true,
	.query = query,
	.check = check,
};

TL_MAIN(reset_ftrace)
