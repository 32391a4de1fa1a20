// SPDX-License-Identifier: GPL-2.0-or-later
/* functions.c - functions of the kernel, by name */
#include "kernel/functions.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>

#include "base/part.h"
#include "base/permit.h"
#include "base/recording.h"
#include "base/session.h"
#include "kernel/kallsyms.h"
#include "option/suggest.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracelet/message.h"

/* ---- those that can be traced ----------------------------------------- */

bool tl_function_line(char *line, const char **module)
{
	size_t len = strcspn(line, " \n");

	*module = "";
	if (line[len] == ' ' && line[len + 1] == '[') {
		*module = line + len + 2;
		line[len + 2 + strcspn(*module, "]\n")] = '\0';
	}
	line[len] = '\0';
	/* nor what the linker has left out */
	return len && *line != '#' && !strchr(line, ':') &&
	       strncmp(line, "__ftrace_invalid_address__", 26);
}

struct list {
	struct tl_part part;
	char *text;         /* NULL: nobody has asked for one of them */
	unsigned int place; /* so that one that is taken twice is kept once */
};

static void free_list(void *part)
{
	struct list *l = part;

	free(l->text);
	free(l);
}

static const struct tl_part_ops list_ops = { .free = free_list };

/* The session's; NULL without memory. */
static struct list *list(struct tl_session *s)
{
	return tl_part_get(s, &list_ops, sizeof(struct list));
}

#define LIST "function "

void tl_function_keep(struct tl_session *s, const char *name,
		      const char *module)
{
	const struct list *l =
		tl_recording_is_on(s->recording) ? list(s) : NULL;
	char key[32];

	if (!l)
		return;
	snprintf(key, sizeof(key), LIST "%08u", l->place);
	tl_recording_notef(s->recording, key, "%s%s%s%s", name,
			   *module ? " [" : "", module, *module ? "]" : "");
}

struct kept {
	int (*fn)(void *ctx, const char *name, const char *module);
	void *ctx;
};

static int take_kept(void *ctx, const char *key, const char *text, size_t len)
{
	const struct kept *kept = ctx;
	char *line = text ? strndup(text, len) : NULL;
	const char *module;
	int ret = -ENOMEM;

	if (line)
		ret = tl_function_line(line, &module)
			      ? kept->fn(kept->ctx, line, module)
			      : 0;
	free(line);
	return ret;
}

int tl_function_list(struct tl_session *s,
		     int (*fn)(void *ctx, const char *name, const char *module),
		     void *ctx)
{
	struct kept kept = { fn, ctx };
	struct list *l = list(s);
	FILE *f;
	char buffer[TL_FS_STREAM], *line = NULL;
	const char *module;
	size_t size = 0;
	int ret = 0;

	if (tl_recording_replays(s->recording))
		return tl_recording_each(s->recording, LIST, take_kept, &kept);
	if (!l)
		return -ENOMEM;
	f = tl_fs_stream(s->instance->root, "available_filter_functions",
			 buffer);
	if (!f)
		return tl_fail(errno, "available_filter_functions: %s",
			       tl_fs_explain(errno));
	for (l->place = 0; !ret && getline(&line, &size, f) > 0; l->place++)
		if (tl_function_line(line, &module))
			ret = fn(ctx, line, module);
	free(line);
	fclose(f);
	return ret;
}

/* The kernel takes long to make the list, so it is asked once. */
bool tl_function_exists(struct tl_session *s, const char *name)
{
	struct list *l = list(s);
	size_t len = strlen(name);
	const char *p;
	bool found = false;

	if (l && !l->text)
		l->text = tl_fs_read_long(s->instance->root,
					  "available_filter_functions");
	if (!l || !l->text) {
		tl_fail(errno, "available_filter_functions: %s",
			tl_fs_explain(errno));
		return false;
	}
	for (p = strstr(l->text, name); p && !found; p = strstr(p + len, name))
		found = (p == l->text || p[-1] == '\n') &&
			(p[len] == '\n' || p[len] == ' ');
	return tl_recording_answer(s->recording, found, "function %s", name);
}

int tl_function_try(void *ctx, const char *name, const char *module)
{
	return tl_suggest_try(ctx, name);
}

int tl_function_unknown(struct tl_session *s, const char *name)
{
	struct tl_suggestions near = { .name = name };

	tl_warn("the kernel has no function %s", name);
	if (!tl_function_list(s, tl_function_try, &near))
		tl_suggest_report(&near);
	return -ENOENT;
}

/* ---- all symbols ------------------------------------------------------ */

/* What compilers make of a function, but for parts that are never called. */
static bool has_suffix(const char *name, const char *bare, size_t len)
{
	static const char *const suffixes[] = { ".isra.", ".constprop.",
						".part.", ".llvm." };
	unsigned int i;

	if (strncmp(name, bare, len) || name[len] != '.' ||
	    strstr(name, ".cold"))
		return false;
	for (i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (!strncmp(name + len, suffixes[i], strlen(suffixes[i])))
			return true;
	return false;
}

static void take_symbol(struct tl_symbol_search *f, const struct tl_kallsym *k)
{
	if (!strcmp(k->name, "_text") ||
	    (!f->text && !strcmp(k->name, "_stext"))) {
		f->text = k->addr;
		f->section = k->name[1] == 't' ? "_text" : "_stext";
	}
	if (f->module && strcmp(k->module, f->module))
		return;
	if (!strcmp(k->name, f->name)) {
		if (f->count < TL_SYMBOLS_MAX) {
			f->found[f->count].addr = k->addr;
			snprintf(f->found[f->count].module,
				 sizeof(f->found[0].module), "%s", k->module);
		}
		f->count++;
	} else if (f->suffixed < TL_SYMBOLS_MAX &&
		   has_suffix(k->name, f->name, strlen(f->name))) {
		snprintf(f->other[f->suffixed++], sizeof(f->other[0]), "%s",
			 k->name);
	}
}

/* With 2 nobody is told them, else who has CAP_SYSLOG is. */
static int hidden(void)
{
	char level[8];
	const char *why = "sysctl kernel.kptr_restrict=1";

	tl_first_line("/proc/sys/kernel/kptr_restrict", level, sizeof(level));
	if (strcmp(level, "2") && tl_in_user_namespace())
		why = "CAP_SYSLOG is needed outside of this user namespace";
	else if (strcmp(level, "2") && tl_lacks(CAP_SYSLOG))
		why = tl_needs_syslog();
	return tl_fail(EPERM,
		       "the kernel hides the addresses of its functions: %s",
		       why);
}

/*
 * 0, -EPERM without any addresses, or another -errno; a capture has none but
 * those that its records need.
 */
static int find_address(struct tl_session *s)
{
	struct tl_kallsym sym = { 0 };
	char *line = NULL;
	size_t size = 0;
	FILE *file;

	if (tl_recording_replays(s->recording))
		return 0;
	file = tl_fs_stream(tl_fs_machine(s), "/proc/kallsyms", NULL);
	if (!file)
		return -errno;
	while (!sym.addr && getline(&line, &size, file) > 0)
		tl_kallsym_parse(line, &sym);
	free(line);
	fclose(file);
	return sym.addr ? 0 : -EPERM;
}

int tl_symbols_find(struct tl_session *s)
{
	return tl_recording_result(s->recording, find_address(s),
				   "addresses of functions");
}

int tl_symbols_check(struct tl_session *s)
{
	int ret = find_address(s);

	if (ret == -EPERM)
		return hidden();
	return ret ? tl_fail(-ret, "/proc/kallsyms: %s", strerror(-ret)) : 0;
}

int tl_symbol_search(struct tl_session *s, struct tl_symbol_search *f)
{
	char buffer[TL_FS_STREAM], *line = NULL;
	FILE *file = tl_fs_stream(tl_fs_machine(s), "/proc/kallsyms", buffer);
	struct tl_kallsym sym;
	size_t size = 0;

	if (!file)
		return tl_fail(errno, "/proc/kallsyms: %s", strerror(errno));
	while (getline(&line, &size, file) > 0)
		if (tl_kallsym_parse(line, &sym))
			take_symbol(f, &sym);
	free(line);
	fclose(file);
	return 0;
}

int tl_symbol_is_there(struct tl_session *s, const char *name)
{
	char buffer[TL_FS_STREAM], *line = NULL;
	FILE *file = tl_fs_stream(tl_fs_machine(s), "/proc/kallsyms", buffer);
	struct tl_kallsym sym;
	size_t size = 0;
	int found = 0;

	if (!file)
		return -errno;
	while (!found && getline(&line, &size, file) > 0)
		found = tl_kallsym_parse(line, &sym) && !strcmp(sym.name, name);
	free(line);
	fclose(file);
	return found;
}
