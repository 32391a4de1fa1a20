// SPDX-License-Identifier: GPL-2.0-or-later
/* flamegraph - draw folded stacks, as profilers write them, as a flame graph */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracelet.h"
#include "tracelet/flame.h"
#include "tracelet/folded.h"

/* For frames of a file, and of what it is compared with. */
#define MAX_BYTES (256u << 20)
/* Of the root, in a picture that no script has fitted to its window. */
#define MOST_PIXELS 1176

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

/* Digits, with at most one point behind the first of them. */
static bool is_number(const char *text)
{
	size_t len = strspn(text, "0123456789");

	if (len && text[len] == '.')
		len += 1 + strspn(text + len + 1, "0123456789");
	return len && !text[len];
}

static int take_width(void)
{
	if (!env.min_width)
		return 0;
	env.least = is_number(env.min_width) ? strtod(env.min_width, NULL) : -1;
	if (env.least < 0 || env.least > MOST_PIXELS)
		return tl_usage("--min-width: \"%s\" is no number of pixels "
				"from 0 to %d",
				env.min_width, MOST_PIXELS);
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

/* By another name, too; "-": standard input. */
static bool is_same(const char *path, const struct stat *st)
{
	struct stat other;
	const int err = strcmp(path, "-") != 0 ? stat(path, &other)
					       : fstat(STDIN_FILENO, &other);

	return !err && other.st_dev == st->st_dev && other.st_ino == st->st_ino;
}

static bool is_read(const struct stat *st)
{
	int i;

	if ((env.old && is_same(env.old, st)) ||
	    (!env.count && is_same("-", st)))
		return true;
	for (i = 0; i < env.count; i++)
		if (is_same(env.files[i], st))
			return true;
	return false;
}

static bool is_shown(void)
{
	return !env.output || !strcmp(env.output, "-");
}

/* What is read is not written over. */
static int check_output(void)
{
	struct stat st;

	if (is_shown() || stat(env.output, &st))
		return 0;
	if (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode))
		return tl_usage("-o: %s is not a regular file (use -o - for "
				"standard output)",
				env.output);
	return is_read(&st)
		       ? tl_usage("-o: %s is a file that is read", env.output)
		       : 0;
}

static int args(struct tl_session *s, int argc, char **argv)
{
	const struct tl_settings *set = tl_settings(s);

	env.files = argv;
	env.count = argc;
	if (set->json || set->csv || set->raw)
		return tl_usage("a picture has no rows: --json and --csv can "
				"be used with --check only, --raw not at all");
	if (env.absolute && !env.old)
		return tl_usage("--absolute needs --diff");
	if (env.old && !strcmp(env.old, "-") && reads_input())
		return tl_usage("--diff=-: standard input is read already");
	return take_width() ?: check_output();
}

/* ---- what is drawn ---------------------------------------------------- */

/*
 * What was read, and how much of it; then there is something to draw.  What is cut
 * is told: frames are missing, and what is compared with it differs by that.
 */
static int check_found(const struct tl_flame *f, const struct tl_folded *found,
		       const char *where)
{
	if (found->bad > 1)
		tl_warn("%llu lines were no folded stacks",
			(unsigned long long)found->bad);
	if (!found->stacks)
		return tl_fail(ENODATA, "there are no folded stacks in %s",
			       where);
	if (!found->any)
		return tl_fail(ENODATA, "all counts in %s are 0", where);
	if (tl_flame_cut(f) > 0)
		tl_warn("%s: %.2f%% is in frames [...]: these stacks are "
			"deeper "
			"than 511 frames, or there was no room for more frames",
			where, 100 * tl_flame_cut(f));
	return 0;
}

/* "a.folded, b.folded"; NULL without memory */
static char *file_names(void)
{
	char *names = NULL;
	size_t len;
	FILE *text = open_memstream(&names, &len);
	int i;

	if (!text)
		return NULL;
	if (!env.count)
		fputs("standard input", text);
	for (i = 0; i < env.count; i++)
		fprintf(text, "%s%s", i ? ", " : "",
			strcmp(env.files[i], "-") != 0 ? env.files[i]
						       : "standard input");
	if (!fclose(text))
		return names;
	free(names);
	return NULL;
}

static int read_files(struct tl_flame *f, struct tl_folded *found,
		      const char *names)
{
	int i, ret;

	tl_flame_room(f, MAX_BYTES);
	ret = env.count ? 0 : tl_folded_read(f, "-", env.reverse, found);

	for (i = 0; i < env.count && !ret; i++)
		ret = tl_folded_read(f, env.files[i], env.reverse, found);
	return ret ?: check_found(f, found, names);
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

/* Names are last: where there are many, only they are cut.  NULL without memory. */
static char *made_of(const struct tl_flame *f, const struct tl_folded *found,
		     const char *names)
{
	char *text, bad[64] = "", cut[64] = "";

	if (found->bad)
		snprintf(bad, sizeof(bad), ", %llu line%s no folded stack%s",
			 (unsigned long long)found->bad,
			 found->bad == 1 ? " was" : "s were",
			 found->bad == 1 ? "" : "s");
	if (tl_flame_cut(f) > 0)
		snprintf(cut, sizeof(cut), ", %.2f%% cut to [...]",
			 100 * tl_flame_cut(f));
	if (asprintf(&text, "%llu line%s%s%s, losses not known, from %s",
		     (unsigned long long)found->stacks,
		     found->stacks == 1 ? "" : "s", bad, cut, names) < 0)
		return NULL;
	return text;
}

static int draw(struct tl_session *s, struct tl_flame *f,
		const struct tl_folded *found, const char *names,
		const char *note)
{
	char *detail = made_of(f, found, names);
	const struct tl_flame_text text = {
		.title = env.title ?: "Flame graph",
		.unit = env.unit,
		.made_of = detail,
		.note = note,
	};
	int ret;

	if (!detail)
		return tl_fail(ENOMEM, "out of memory");
	ret = tl_flame_draw(s, f, &text);
	free(detail);
	return ret;
}

/* What colours mean, and what is not there to have one; NULL without memory. */
static char *note_of(const struct tl_flame_gone *gone)
{
	char *text, only[128] = "";

	if (gone->frames)
		snprintf(only, sizeof(only),
			 "; %llu frame%s only there, or too narrow here: "
			 "%.2f%% of its total",
			 (unsigned long long)gone->frames,
			 gone->frames == 1 ? " is" : "s are",
			 100 * gone->share);
	if (asprintf(&text, "red: %s than in %s, blue: %s, grey: the same%s",
		     env.absolute ? "more of its own" : "own share larger",
		     env.old, env.absolute ? "less" : "smaller", only) < 0)
		return NULL;
	return text;
}

/* The caller frees what it is compared with behind the picture. */
static int draw_compared(struct tl_session *s, struct tl_flame *f,
			 const struct tl_flame *old,
			 const struct tl_folded *found, const char *names)
{
	const struct tl_flame_look look = look_of(found);
	struct tl_flame_gone gone;
	char *note;
	int ret;

	tl_flame_look(f, &look);
	tl_flame_compare(f, old, env.absolute, &gone);
	note = note_of(&gone);
	if (!note)
		return tl_fail(ENOMEM, "out of memory");
	ret = draw(s, f, found, names, note);
	free(note);
	return ret;
}

static int read_old(struct tl_flame *old, struct tl_folded *found)
{
	struct tl_folded before = { 0 };
	int ret;

	tl_flame_room(old, MAX_BYTES);
	ret = tl_folded_read(old, env.old, env.reverse, &before)
		      ?: check_found(old, &before, env.old);

	found->annotated |= before.annotated;
	return ret;
}

static int draw_alone(struct tl_session *s, struct tl_flame *f,
		      const struct tl_folded *found, const char *names)
{
	const struct tl_flame_look look = look_of(found);

	tl_flame_look(f, &look);
	return draw(s, f, found, names, colours_of(look.palette));
}

static int read_and_draw(struct tl_session *s, struct tl_flame *f,
			 struct tl_flame *old)
{
	struct tl_folded found = { 0 };
	char *names = file_names();
	int ret = names ? read_files(f, &found, names)
			: tl_fail(ENOMEM, "out of memory");

	if (!ret && old)
		ret = read_old(old, &found)
			      ?: draw_compared(s, f, old, &found, names);
	else if (!ret)
		ret = draw_alone(s, f, &found, names);
	free(names);
	return ret;
}

/* The file is opened first, so that hours of reading are not for nothing. */
static int query(struct tl_session *s)
{
	const char *path = is_shown() ? NULL : env.output;
	struct stat st;
	const bool is_new = path && lstat(path, &st) && errno == ENOENT;
	struct tl_flame *f = tl_flame_open(s, path);
	struct tl_flame *old = f && env.old ? tl_flame_open(s, NULL) : NULL;
	int ret = f && (old || !env.old) ? read_and_draw(s, f, old) : -ENOMEM;

	if (ret && f && is_new)
		unlink(path);
	tl_flame_free(f);
	tl_flame_free(old);
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
