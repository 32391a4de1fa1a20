// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * functionset.c - which functions: as users ask for them, and in the kernel's
 * lists
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/recording.h"
#include "kernel/functions.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracelet/function.h"
#include "tracelet/message.h"
#include "tracelet/text.h"

#define MODULE ":mod:"

/* ---- as a user asks for them ------------------------------------------ */

void tl_functions_free(struct tl_functions *f)
{
	unsigned int i;

	for (i = 0; i < f->count; i++)
		free(f->list[i]);
	free(f->list);
	*f = (struct tl_functions){ 0 };
}

/* "FUNCTION", "MODULE:FUNCTION", "FUNCTION:mod:MODULE", ":mod:MODULE" */
static bool split(struct tl_str word, struct tl_str *name,
		  struct tl_str *module)
{
	const char *colon = memchr(word.text, ':', word.len);
	size_t before = colon ? (size_t)(colon - word.text) : word.len;
	struct tl_str rest = { word.text + before, word.len - before };
	size_t skip = 1;

	*name = (struct tl_str){ word.text, before };
	*module = (struct tl_str){ "", 0 };
	if (!colon)
		return true;
	if (!strncmp(colon, MODULE, strlen(MODULE)))
		skip = strlen(MODULE);
	*module = (struct tl_str){ rest.text + skip, rest.len - skip };
	if (skip == 1) {
		*name = *module;
		*module = (struct tl_str){ word.text, before };
	}
	return module->len && (name->len || skip > 1) &&
	       !memchr(rest.text + skip, ':', rest.len - skip);
}

/*
 * To the kernel "!NAME" removes a name, a number is the place of one in its
 * list, and "NAME:traceoff" and the like are commands.
 */
static int kernel_word(const char *what, const char *word, size_t len,
		       char **text)
{
	struct tl_str name, module;

	if (!split((struct tl_str){ word, len }, &name, &module))
		return tl_usage(
			"%s %.*s: neither FUNCTION, MODULE:FUNCTION nor " MODULE
			"MODULE",
			what, (int)len, word);
	if (name.len &&
	    (*name.text == '!' || isdigit((unsigned char)*name.text)))
		return tl_usage("%s %.*s: no function begins with \"%c\"", what,
				(int)name.len, name.text, *name.text);
	if (asprintf(text, "%.*s%s%.*s", (int)name.len, name.text,
		     module.len ? MODULE : "", (int)module.len,
		     module.text) < 0)
		return tl_fail(ENOMEM, "%s", strerror(ENOMEM));
	return 0;
}

int tl_functions_add(struct tl_functions *f, const char *what, const char *text)
{
	static const char separators[] = " \t\n,";
	const char *word;
	char **more;
	size_t len;
	int ret;

	if (!text)
		return 0;
	word = text + strspn(text, separators);
	if (!*word)
		return tl_usage("%s: it is empty", what);
	for (; *word; word += len + strspn(word + len, separators)) {
		len = strcspn(word, separators);
		more = realloc(f->list, (f->count + 1) * sizeof(*more));
		if (!more)
			return -ENOMEM;
		f->list = more;
		ret = kernel_word(what, word, len, &more[f->count]);
		if (ret)
			return ret;
		f->count++;
	}
	return 0;
}

int tl_functions_args(struct tl_functions *f, int argc, char **argv)
{
	int ret = 0, i;

	for (i = 0; i < argc && !ret; i++)
		ret = tl_functions_add(f, "function", argv[i]);
	return ret;
}

static bool matches(const char *pattern, const char *name, const char *module)
{
	const char *mod = strstr(pattern, MODULE);
	char glob[256];

	if (!mod)
		return !fnmatch(pattern, name, 0);
	snprintf(glob, sizeof(glob), "%.*s", (int)(mod - pattern), pattern);
	return !fnmatch(mod + strlen(MODULE), module, 0) &&
	       (!*glob || !fnmatch(glob, name, 0));
}

bool tl_functions_match(const struct tl_functions *f, const char *name,
			const char *module)
{
	unsigned int i;

	for (i = 0; i < f->count; i++)
		if (matches(f->list[i], name, module))
			return true;
	return false;
}

bool tl_functions_of_modules(const struct tl_functions *f)
{
	unsigned int i;

	for (i = 0; i < f->count; i++)
		if (strstr(f->list[i], MODULE))
			return true;
	return false;
}

/* ---- in the kernel ---------------------------------------------------- */

static bool is_glob(const char *word)
{
	return strpbrk(word, "*?[") || strstr(word, MODULE);
}

static int unknown(struct tl_session *s, const char *word)
{
	if (!is_glob(word))
		return tl_function_unknown(s, word);
	return tl_fail(ENOENT,
		       "the kernel has no function %s that can be traced",
		       word);
}

/* To a list that is open; -1: that of a capture. */
static int put(int fd, const char *word)
{
	return fd < 0 ? 0 : tl_fs_put(fd, word);
}

/* A compiler's copy of a function has a suffix: @word becomes the glob. */
static int put_suffixed(struct tl_recording *r, int fd, char **word)
{
	char *glob;
	int ret;

	if (asprintf(&glob, "%s.*", *word) < 0)
		return -ENOMEM;
	ret = tl_recording_result(r, put(fd, glob), "word %s", glob);
	if (ret) {
		free(glob);
		return ret;
	}
	tl_warn("the kernel has %s as %s", *word, glob);
	free(*word);
	*word = glob;
	return 0;
}

/* Of the module "9p" too the kernel takes the number, unless it is a glob. */
static int put_word(int fd, const char *word)
{
	const char *module = strstr(word, MODULE);
	size_t before = module ? module + strlen(MODULE) - word : 0;
	char *glob;
	int ret;

	if (!module || !isdigit((unsigned char)word[before]))
		return put(fd, word);
	if (asprintf(&glob, "%.*s[%c]%s", (int)before, word, word[before],
		     word + before + 1) < 0)
		return -ENOMEM;
	ret = put(fd, glob);
	free(glob);
	return ret;
}

/* To a run that is to end what else would be traced is of no use. */
static bool is_ending(void)
{
	sigset_t set;

	return !sigpending(&set) &&
	       (sigismember(&set, SIGINT) || sigismember(&set, SIGTERM) ||
		sigismember(&set, SIGQUIT) || sigismember(&set, SIGHUP));
}

int tl_functions_put(struct tl_session *s, struct tl_fs_dir dir,
		     const char *file, const struct tl_functions *f)
{
	int fd, ret = tl_fs_open(dir, file, O_WRONLY | O_TRUNC, &fd);
	unsigned int i;

	if (ret)
		return tl_fail(-ret, "%s: %s", file, tl_fs_explain(-ret));
	/* not none at all, which would be all functions */
	for (i = 0; i < f->count && !ret && !(i && is_ending()); i++) {
		ret = put_word(fd, f->list[i]);
		ret = tl_recording_wrote(dir.recording, dir.name, file,
					 f->list[i], ret);
		if (ret == -EINVAL && !is_glob(f->list[i]))
			ret = put_suffixed(dir.recording, fd, &f->list[i]);
		if (ret == -EINVAL)
			ret = unknown(s, f->list[i]);
		else if (ret)
			tl_fail(-ret, "%s: %s: %s", file, f->list[i],
				tl_fs_explain(-ret));
	}
	/* only here do they become those that are traced */
	if (fd >= 0 && close(fd) && !ret)
		ret = tl_fail(errno, "%s: %s", file, tl_fs_explain(errno));
	return ret;
}

static int is_one(void *ctx, const char *name, const char *module)
{
	return matches(ctx, name, module);
}

/*
 * The kernel takes it for a module that may come, and until then an empty
 * filter is one that lets all through.
 */
static int check_module(struct tl_session *s, char *word)
{
	int ret = tl_functions_each(s, NULL, is_one, word);

	return ret < 0 ? ret : ret ? 0 : unknown(s, word);
}

int tl_functions_filter(struct tl_session *s, const struct tl_functions *trace,
			const struct tl_functions *except)
{
	int ret = tl_functions_put(s, s->instance->dir, "set_ftrace_filter",
				   trace);
	unsigned int i;

	for (i = 0; i < trace->count && !ret; i++)
		if (strstr(trace->list[i], MODULE))
			ret = check_module(s, trace->list[i]);
	if (!ret && except && except->count)
		ret = tl_functions_put(s, s->instance->dir,
				       "set_ftrace_notrace", except);
	return ret;
}

int tl_functions_read(struct tl_fs_dir dir, const char *file,
		      const struct tl_functions *except,
		      int (*fn)(void *ctx, const char *name,
				const char *module),
		      void *ctx)
{
	char *text = tl_fs_read(dir, file, NULL);
	char *next = text, *line;
	const char *module;
	int ret = 0;

	if (!text)
		return tl_fail(errno, "%s: %s", file, tl_fs_explain(errno));
	while (!ret && (line = strsep(&next, "\n")))
		if (tl_function_line(line, &module) &&
		    !(except && tl_functions_match(except, line, module)))
			ret = fn(ctx, line, module);
	free(text);
	return ret;
}

int tl_functions_each(struct tl_session *s, const struct tl_functions *except,
		      int (*fn)(void *ctx, const char *name,
				const char *module),
		      void *ctx)
{
	return tl_functions_read(s->instance->dir, "set_ftrace_filter", except,
				 fn, ctx);
}

static int count_one(void *ctx, const char *name, const char *module)
{
	++*(int *)ctx;
	return 0;
}

int tl_functions_number(struct tl_session *s, const struct tl_functions *except)
{
	int count = 0;

	return tl_functions_each(s, except, count_one, &count) ?: count;
}
