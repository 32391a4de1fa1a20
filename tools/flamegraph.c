// SPDX-License-Identifier: GPL-2.0-or-later
/* flamegraph - draw folded stacks, as profilers write them, as a flame graph */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tracelet.h"
#include "tracelet/flame.h"
#include "tracelet/folded.h"

#define UNLOST "whether events were lost is not known"

static struct {
	const char *title, *unit, *old, *output, *min_width;
	unsigned int palette; /* UINT_MAX: not given */
	bool absolute, reverse, inverted;
	char **files;
	int count;
	double least; /* as tl_flame_look has it */
} env = { .unit = "samples", .palette = UINT_MAX };

/* In the order of the words of --palette. */
static const enum tl_flame_palette palettes[] = {
	TL_FLAME_NAMES, TL_FLAME_KINDS, TL_FLAME_JAVA,   TL_FLAME_HOT,
	TL_FLAME_MEM,   TL_FLAME_IO,    TL_FLAME_SLEEPS, TL_FLAME_WAKERS,
};

static const struct tl_opt options[] = {
	{ 'o', "output", "FILE",
	  "write the picture into FILE, not to standard output", TL_OPT_STRING,
	  &env.output },
	{ 0, "title", "TEXT", "what stands above it", TL_OPT_STRING,
	  &env.title },
	{ 0, "unit", "NAME",
	  "what is counted: samples (default), bytes, us, ...", TL_OPT_STRING,
	  &env.unit },
	{ 0, "palette", "names|kinds|java|hot|mem|io|sleeps|wakers",
	  "how frames are coloured", TL_OPT_WORD, &env.palette, "colours" },
	{ 0, "diff", "FILE", "colour by what differs from older folded stacks",
	  TL_OPT_STRING, &env.old, "colours" },
	{ 0, "absolute", NULL,
	  "with --diff: compare amounts, not shares of all", TL_OPT_FLAG,
	  &env.absolute },
	{ 0, "reverse", NULL, "stacks from the innermost frame on", TL_OPT_FLAG,
	  &env.reverse },
	{ 0, "inverted", NULL, "the root on top, as an icicle graph",
	  TL_OPT_FLAG, &env.inverted },
	{ 0, "min-width", "PIXELS",
	  "leave out frames that are narrower (default 0.1; 0: none)",
	  TL_OPT_STRING, &env.min_width },
	{ 0 }
};

static const struct tl_column columns[] = { { 0 } };

/* ---- arguments -------------------------------------------------------- */

static int take_width(void)
{
	char *end = NULL;

	if (!env.min_width)
		return 0;
	env.least = strtod(env.min_width, &end);
	if (*end || end == env.min_width || !isfinite(env.least) ||
	    env.least < 0)
		return tl_usage("--min-width: \"%s\" is no number of pixels",
				env.min_width);
	if (env.least == 0)
		env.least = -1;
	return 0;
}

static bool reads_input(void)
{
	int i;

	for (i = 0; i < env.count; i++)
		if (!strcmp(env.files[i], "-"))
			return true;
	return !env.count;
}

/* By another name, too. */
static bool is_same(const char *path, const struct stat *st)
{
	struct stat other;

	return path && !stat(path, &other) && other.st_dev == st->st_dev &&
	       other.st_ino == st->st_ino;
}

/* What is read is not written over. */
static int check_output(void)
{
	struct stat st;
	bool is_read;
	int i;

	if (!env.output || stat(env.output, &st))
		return 0;
	is_read = is_same(env.old, &st);
	for (i = 0; i < env.count; i++)
		is_read |= is_same(env.files[i], &st);
	return is_read ? tl_usage("-o: %s is a file that is read", env.output)
		       : 0;
}

static int args(struct tl_session *s, int argc, char **argv)
{
	const struct tl_settings *set = tl_settings(s);

	env.files = argv;
	env.count = argc;
	if (set->json || set->csv || set->raw)
		return tl_usage("a picture has no rows: --json and --csv are "
				"for --check, --raw for nothing");
	if (env.absolute && !env.old)
		return tl_usage("--absolute needs --diff");
	if (env.old && !strcmp(env.old, "-") && reads_input())
		return tl_usage("--diff=-: standard input is read already");
	return take_width() ?: check_output();
}

/* ---- what is drawn ---------------------------------------------------- */

/* What was read, and how much of it; then there is something to draw. */
static int check_found(const struct tl_folded *found, const char *where)
{
	if (found->bad > 1)
		tl_warn("%llu lines were no folded stacks",
			(unsigned long long)found->bad);
	if (!found->stacks)
		return tl_fail(ENODATA, "there are no folded stacks in %s",
			       where);
	return 0;
}

/* "a.folded, b.folded" */
static char *file_names(void)
{
	char *names = NULL, *more;
	int i;

	if (!env.count)
		return strdup("standard input");
	for (i = 0; i < env.count; i++) {
		const char *name = strcmp(env.files[i], "-") != 0
					   ? env.files[i]
					   : "standard input";

		if (asprintf(&more, "%s%s%s", names ?: "", i ? ", " : "",
			     name) < 0)
			more = NULL;
		free(names);
		names = more;
		if (!names)
			return NULL;
	}
	return names;
}

static int read_files(struct tl_flame *f, struct tl_folded *found,
		      const char *names)
{
	int i, ret = env.count ? 0 : tl_folded_read(f, "-", found);

	for (i = 0; i < env.count && !ret; i++)
		ret = tl_folded_read(f, env.files[i], found);
	return ret ?: check_found(found, names);
}

static const char *colours_of(enum tl_flame_palette palette)
{
	switch (palette) {
	case TL_FLAME_KINDS:
		return "orange: kernel, blue: user, green: compiled at run "
		       "time, aqua: inlined, yellow: waker";
	case TL_FLAME_JAVA:
		return "orange: kernel, green: Java, aqua: inlined Java, "
		       "yellow: C++, blue: others";
	case TL_FLAME_SLEEPS:
		return "blue: what sleeps, green and yellow: who ended it";
	default:
		return NULL;
	}
}

static struct tl_flame_look look_of(const struct tl_folded *found)
{
	const enum tl_flame_palette usual =
		found->annotated ? TL_FLAME_KINDS : TL_FLAME_NAMES;

	return (struct tl_flame_look){
		.palette =
			env.palette < UINT_MAX ? palettes[env.palette] : usual,
		.unit = env.unit,
		.least = env.least,
		.inverted = env.inverted,
		.annotated = found->annotated,
	};
}

/* ---- the picture ------------------------------------------------------ */

static int draw(struct tl_session *s, struct tl_flame *f,
		const struct tl_folded *found, const char *names,
		const char *note)
{
	struct tl_flame_text text = {
		.title = env.title ?: "Flame graph",
		.unit = env.unit,
		.note = note,
	};
	char *made_of, bad[64] = "";
	int ret = -ENOMEM;

	if (found->bad)
		snprintf(bad, sizeof(bad), ", %llu line%s no folded stack%s",
			 (unsigned long long)found->bad,
			 found->bad == 1 ? " was" : "s were",
			 found->bad == 1 ? "" : "s");
	if (asprintf(&made_of, "%llu line%s of %s%s, " UNLOST,
		     (unsigned long long)found->stacks,
		     found->stacks == 1 ? "" : "s", names, bad) < 0)
		return tl_fail(ENOMEM, "out of memory");
	text.made_of = made_of;
	ret = tl_flame_draw(s, f, &text);
	free(made_of);
	return ret;
}

/* Reads what it is compared with; the caller frees it behind the picture. */
static int draw_compared(struct tl_session *s, struct tl_flame *f,
			 struct tl_flame *old, struct tl_folded *found,
			 const char *names)
{
	struct tl_folded before = { .is_reversed = env.reverse };
	struct tl_flame_look look;
	struct tl_flame_gone gone;
	char *note;
	int ret = tl_folded_read(old, env.old, &before)
			  ?: check_found(&before, env.old);

	if (ret)
		return ret;
	found->annotated |= before.annotated;
	look = look_of(found);
	tl_flame_look(f, &look);
	tl_flame_compare(f, old, env.absolute, &gone);
	if (asprintf(&note,
		     "red: %s of its own than in %s, blue: %s; %llu frame%s "
		     "with %.2f%% of that %s only there",
		     env.absolute ? "more" : "a larger share", env.old,
		     env.absolute ? "less" : "a smaller one",
		     (unsigned long long)gone.frames,
		     gone.frames == 1 ? "" : "s", 100 * gone.share,
		     gone.frames == 1 ? "is" : "are") < 0)
		return tl_fail(ENOMEM, "out of memory");
	ret = draw(s, f, found, names, note);
	free(note);
	return ret;
}

static int draw_alone(struct tl_session *s, struct tl_flame *f,
		      const struct tl_folded *found, const char *names)
{
	const struct tl_flame_look look = look_of(found);

	tl_flame_look(f, &look);
	return draw(s, f, found, names, colours_of(look.palette));
}

static int query(struct tl_session *s)
{
	const bool is_shown = !env.output || !strcmp(env.output, "-");
	struct tl_folded found = { .is_reversed = env.reverse };
	struct tl_flame *f = tl_flame_open(s, is_shown ? NULL : env.output);
	struct tl_flame *old = env.old ? tl_flame_open(s, NULL) : NULL;
	char *names = file_names();
	int ret = f && names && (old || !env.old) ? 0 : -ENOMEM;

	if (!ret)
		ret = read_files(f, &found, names);
	if (!ret && old)
		ret = draw_compared(s, f, old, &found, names);
	else if (!ret)
		ret = draw_alone(s, f, &found, names);
	tl_flame_free(f);
	tl_flame_free(old);
	free(names);
	return ret ? TL_EXIT_FAILED : TL_EXIT_OK;
}

static const struct tl_tool flamegraph = {
	.name = "flamegraph",
	.summary = "draw folded stacks as a flame graph",
	.synopsis = "[file...]",
	.examples = {
		{ "flamegraph -o out.svg out.folded",
		  "a picture for a browser" },
		{ "flamegraph --unit=us --palette=sleeps off.folded >off.svg",
		  "of offcputime -f" },
		{ "flamegraph --diff=old.folded new.folded >diff.svg",
		  "red: what has become more" },
	},
	.options = options,
	.columns = columns,
	.flags = TL_NO_EVENTS | TL_NO_TRACEFS,
	.quiet = true,
	.args = args,
	.query = query,
};

TL_MAIN(flamegraph)
