// SPDX-License-Identifier: GPL-2.0-or-later
/* spec.c - events, functions of the kernel and of programs, as a user names any of them */
#include "tracelet/spec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/message.h"
#include "base/recording.h"
#include "base/session.h"
#include "kernel/functions.h"
#include "record/event.h"
#include "tracelet/event.h"
#include "tracelet/instead.h"
#include "tracelet/kprobe.h"
#include "tracelet/message.h"
#include "tracelet/named.h"
#include "tracelet/text.h"
#include "tracelet/uprobe.h"

/* ---- what it means ---------------------------------------------------- */

/* What is in front of a name: "p:", "r:", or both, as "r:p:". */
struct prefix {
	char kind; /* of t, p and u; 0: none */
	bool is_return;
	unsigned int len;
};

static struct prefix prefix_of(const char *text, bool returns)
{
	struct prefix p = { .is_return = returns && tl_has_prefix(text, "r:") };
	const char *kinds = p.is_return ? "pu" : "tpu";

	if (p.is_return)
		p.len = 2;
	text += p.len;
	if (!*text || !strchr(kinds, *text) || text[1] != ':')
		return p;
	p.kind = *text;
	p.len += 2;
	return p;
}

/* What kprobe would take as more than a function. */
int tl_spec_check(const char *text, bool returns)
{
	const struct prefix prefix = prefix_of(text, returns);
	const char *name = text + prefix.len;

	if (!*name)
		return tl_usage("\"%s\": which event or function?", text);
	if (strchr(text, '/') || (strchr(name, ':') && prefix.kind != 'p') ||
	    prefix.kind == 't' || prefix.kind == 'u')
		return 0;
	if (strpbrk(name, " \t%+"))
		return tl_usage(
			"\"%s\": a function is its name alone: where it "
			"begins is counted",
			text);
	return 0;
}

/* A name that a system of tracepoints lacks is misspelt, and no program's. */
static int found(void *ctx, const char *system, const char *name)
{
	const char *text = ctx;
	const size_t len = strlen(system);

	return tl_event_matches(text, system, name) ||
	       (tl_has_prefix(text, system) && text[len] == ':');
}

static int is_it(void *ctx, const char *system, const char *name)
{
	return tl_event_matches(ctx, system, name);
}

static bool has_function_of(struct tl_session *s, const char *module,
			    const char *name)
{
	struct tl_symbol_search f = { .module = module, .name = name };
	char path[128];

	snprintf(path, sizeof(path), "/sys/module/%s/initstate", module);
	return !access(path, F_OK) &&
	       (strpbrk(name, "*?[") ||
		(!tl_symbol_search(s, &f) && (f.count || f.suffixed)));
}

/* "ext4:ext4_sync_file": whether it is a function of a module, or was for a capture. */
static bool is_of_module(struct tl_session *s, const char *name)
{
	const char *colon = strchr(name, ':');
	char key[256], *module;
	bool is;

	snprintf(key, sizeof(key), "function %s", name);
	if (tl_recording_replays(s->recording))
		return tl_recording_text(s->recording, key, NULL);
	module = strndup(name, (size_t)(colon - name));
	is = module && has_function_of(s, module, colon + 1);
	free(module);
	if (is && tl_recording_is_on(s->recording))
		tl_recording_notef(s->recording, key, "of a module");
	return is;
}

/* That it is a tracepoint, which has none, is for a message. */
static enum tl_spec_kind kind_of_return(struct tl_session *s, char *name)
{
	if (tl_event_list(s, is_it, name) > 0)
		return TL_SPEC_TRACEPOINT;
	return is_of_module(s, name) ? TL_SPEC_FUNCTION : TL_SPEC_PROGRAM;
}

/* What is in front says it, else what there is does. */
static enum tl_spec_kind kind_of(struct tl_session *s,
				 const struct prefix *prefix, char *name)
{
	if (prefix->kind == 't')
		return TL_SPEC_TRACEPOINT;
	if (prefix->kind == 'u' || strchr(name, '/'))
		return TL_SPEC_PROGRAM;
	if (prefix->kind == 'p' || !strchr(name, ':'))
		return TL_SPEC_FUNCTION;
	if (prefix->is_return)
		return kind_of_return(s, name);
	return tl_event_list(s, found, name) > 0 ? TL_SPEC_TRACEPOINT
						 : TL_SPEC_PROGRAM;
}

void tl_spec_find(struct tl_session *s, struct tl_spec *spec, char *text,
		  bool returns)
{
	const struct prefix prefix = prefix_of(text, returns);

	spec->name = text + prefix.len;
	spec->kind = kind_of(s, &prefix, spec->name);
	spec->is_return = prefix.is_return;
}

/* ---- tracepoints ------------------------------------------------------ */

struct adding {
	struct tl_session *s;
	const struct tl_kprobe_config *config;
	bool is_glob;
	unsigned int found, left_out;
	struct tl_buf why; /* the first one was */
	int err;
};

static void leave_out(struct tl_event *ev)
{
	ev->handler = NULL;
	ev->on_demand = !ev->watcher;
}

/* One of several may lack what is asked for. */
static int add_of_glob(struct adding *a, struct tl_event *ev, const char *name)
{
	struct tl_buf said = { 0 }, *before = tl_message_keep(&said);
	int ret = a->config->added(a->s, ev, name);

	tl_message_keep(before);
	if (ret != -ENOENT && ret != -EINVAL) {
		tl_message_print(&said);
	} else {
		leave_out(ev);
		if (!a->left_out++) {
			tl_buf_add(&a->why, said.data, said.len);
			a->err = ret;
		}
		ret = 0;
	}
	tl_buf_free(&said);
	return ret;
}

static int add_tracepoint(void *ctx, const char *system, const char *name)
{
	struct adding *a = ctx;
	struct tl_event *ev =
		tl_event_add(a->s, system, name, a->config->handler);

	if (!ev)
		return tl_fail(errno, "format of %s:%s: %s", system, name,
			       strerror(errno));
	a->found++;
	return a->is_glob ? add_of_glob(a, ev, name)
			  : a->config->added(a->s, ev, name);
}

static int say_left_out(const struct adding *a)
{
	if (!a->left_out)
		return 0;
	if (a->left_out == a->found) {
		tl_message_print(&a->why);
		return a->err;
	}
	tl_warn("%u of %u tracepoints are left out: without these fields",
		a->left_out, a->found);
	return 0;
}

static int add_tracepoints(struct tl_session *s, const struct tl_spec *spec,
			   const struct tl_kprobe_config *config)
{
	const struct tl_event_patterns asked = { .list = &spec->name,
						 .count = 1 };
	struct adding a = { .s = s, .config = config };
	int ret;

	a.is_glob = !strchr(spec->name, ':') || strpbrk(spec->name, "*?[");
	if (config->expect)
		tl_instead_expect(s, spec->name);
	ret = tl_event_each(s, &asked, add_tracepoint, &a) ?: say_left_out(&a);
	tl_buf_free(&a.why);
	return ret;
}

/* ---- functions -------------------------------------------------------- */

/* "p:vfs_read count", as kprobe and uprobe take it */
static int define(struct tl_session *s, const struct tl_spec *spec,
		  const char *args, const struct tl_kprobe_config *config)
{
	char *text;
	int ret;

	if (asprintf(&text, "%c:%s%s%s", spec->is_return ? 'r' : 'p',
		     spec->name, *args ? " " : "", args) < 0)
		return -ENOMEM;
	ret = spec->kind == TL_SPEC_FUNCTION
		      ? tl_kprobes_add(s, 1, &text, config)
		      : tl_udefs_add(s, 1, &text, config);
	free(text);
	return ret;
}

/* FILE ends at the first colon, as for uprobe: names of C++ have more. */
static int add_calls(struct tl_session *s, const struct tl_spec *spec,
		     const struct tl_kprobe_config *config)
{
	const char *colon = strchr(spec->name, ':');
	char *program = strndup(spec->name, (size_t)(colon - spec->name)),
	     *name = strdup(colon + 1);
	const struct tl_user_functions asked = { .program = program,
						 .patterns = &name,
						 .count = 1,
						 .force = config->force };
	int ret = -ENOMEM;

	if (program && name)
		ret = tl_uprobe_functions(s, &asked, config->handler);
	free(program);
	free(name);
	return ret < 0 ? ret : 0;
}

static bool has_function(const char *place)
{
	const char *colon = strchr(place, ':');

	return colon && colon > place && colon[1];
}

static int add_in_program(struct tl_session *s, const struct tl_spec *spec,
			  const char *args,
			  const struct tl_kprobe_config *config)
{
	if (!has_function(spec->name))
		return tl_fail(EINVAL, "\"%s\" is not FILE:FUNCTION",
			       spec->name);
	if (!*args && !spec->is_return)
		return add_calls(s, spec, config);
	if (strpbrk(strchr(spec->name, ':'), "*?["))
		return tl_fail(EINVAL,
			       "%s: name each function of a program: a glob "
			       "takes no values",
			       spec->name);
	return define(s, spec, args, config);
}

int tl_spec_add(struct tl_session *s, const struct tl_spec *spec,
		const char *args, const struct tl_kprobe_config *config)
{
	switch (spec->kind) {
	case TL_SPEC_TRACEPOINT:
		if (spec->is_return)
			return tl_fail(EINVAL,
				       "%s is a tracepoint: it has no return",
				       spec->name);
		return add_tracepoints(s, spec, config);
	case TL_SPEC_FUNCTION:
		return define(s, spec, args, config);
	case TL_SPEC_PROGRAM:
		break;
	}
	return add_in_program(s, spec, args, config);
}
