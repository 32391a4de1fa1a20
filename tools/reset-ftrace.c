// SPDX-License-Identifier: GPL-2.0-or-later
/* reset-ftrace - list what is left over in tracefs, and remove it */
#include <errno.h>
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
} env;

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

/* ---- what there is, and what becomes of it ---------------------------- */

static int search(void)
{
	int ret = tl_leftover_find(env.s, env.force, &env.list, &env.count);

	if (ret < 0)
		return TL_EXIT_FAILED;
	env.incomplete |= ret;
	return TL_EXIT_OK;
}

static void forget(void)
{
	tl_leftover_free(env.list, env.count);
	env.list = NULL;
	env.count = 0;
}

static bool removes(const struct tl_leftover *l)
{
	return strcmp(l->kind, "setting") != 0;
}

static const char *action(const struct tl_leftover *l)
{
	if (l->result == TL_LEFTOVER_TO_DO)
		return removes(l) ? "would be removed" : "would be reset";
	if (l->result == TL_LEFTOVER_ALONE)
		return "none";
	if (l->result)
		return "failed";
	return removes(l) ? "removed" : "reset";
}

static void print_row(const struct tl_leftover *l)
{
	tl_put_text(env.s, KIND, l->kind);
	tl_put_text(env.s, NAME, l->name);
	tl_put_text(env.s, STATE, l->state);
	tl_put_text(env.s, OWNER, l->owner);
	if (l->pid)
		tl_put_int(env.s, PID, l->pid);
	tl_put_text(env.s, WHOSE, whose[l->whose]);
	tl_put_text(env.s, ACTION, action(l));
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
		print_row(&env.list[i]);
	}
	if (!any && !env.quiet)
		tl_print(env.s, "Nothing is left over, nothing is in use.");
}

static int say_failures(void)
{
	return tl_leftover_failed(env.list, env.count) ? TL_EXIT_FAILED
						       : TL_EXIT_OK;
}

/* ---- resetting -------------------------------------------------------- */

static bool is_shown(const struct tl_leftover *l)
{
	const struct tl_settings *set = tl_settings(env.s);

	return env.force && !env.quiet && !set->json && !set->csv &&
	       (l->original || (l->changed && l->act));
}

static void show(struct tl_session *s, const struct tl_leftover *l, bool before)
{
	char *text = is_shown(l) ? tl_leftover_text(s, l) : NULL, *line, *end;
	unsigned int number = 0;

	if (!is_shown(l))
		return;
	tl_print(s, "%s, %s:", l->file, before ? "before" : "after");
	for (line = text; line && *line; line = end + (*end == '\n')) {
		end = strchrnul(line, '\n');
		tl_print(s, "%6u  %.*s", ++number, (int)(end - line), line);
	}
	if (!before)
		tl_print(s, "%s", "");
	free(text);
}

/* Tracelets clean up themselves; one that does not is treated as any other. */
static int end_tracelets(void)
{
	if (tl_leftover_end(env.s, env.list, env.count) <= 0)
		return TL_EXIT_OK;
	forget();
	return search();
}

static bool is_back(const struct tl_leftover *l)
{
	return l->result == TL_LEFTOVER_TO_DO && l->whose != TL_WHOSE_ALIVE;
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

		if (!is_back(l))
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
		if (is_back(&env.list[i]))
			any = true;
		else
			env.list[i].result = TL_LEFTOVER_ALONE;
	}
	if (!any)
		return TL_EXIT_OK;
	tl_leftover_reset(env.s, env.list, env.count, false, show);
	for (i = 0; i < env.count && (set->json || set->csv); i++)
		if (env.list[i].result != TL_LEFTOVER_ALONE)
			print_row(&env.list[i]);
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
	tl_leftover_reset(env.s, env.list, env.count, true, show);
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

/* ---- the run ---------------------------------------------------------- */

static int query(struct tl_session *s)
{
	int status;

	env.s = s;
	status = search();
	if (!status && env.force && !env.dry_run) {
		status = force();
	} else if (!status) {
		if (!env.dry_run)
			tl_leftover_reset(s, env.list, env.count, false, NULL);
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
	.flags = TL_NO_EVENTS,
	.quiet = true,
	.query = query,
	.check = check,
};

TL_MAIN(reset_ftrace)
