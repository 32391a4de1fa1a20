// SPDX-License-Identifier: GPL-2.0-or-later
/* check.c - --check: whether a tool works here, and what of it does not */
#include "main/check.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/limit.h"
#include "base/message.h"
#include "base/session.h"
#include "out/out.h"
#include "out/put.h"
#include "picture/svg.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracelet/event.h"
#include "tracelet/message.h"
#include "tracelet/output.h"
#include "tracelet/source.h"
#include "tracelet/text.h"
#include "tracelet/tool.h"

enum { TOOL, STATUS, OPTION, REASON };

/* For JSON and CSV; the text is sentences. */
static const struct tl_column columns[] = {
	[TOOL] = { "TOOL", "tool", 0, TL_STR, TL_SHOW_DATA },
	[STATUS] = { "STATUS", "status", 0, TL_STR, TL_SHOW_DATA },
	[OPTION] = { "OPTION", "option", 0, TL_STR, TL_SHOW_DATA },
	[REASON] = { "REASON", "reason", 0, TL_STR, TL_SHOW_DATA },
	{ 0 }
};

/* ---- what all tools need ---------------------------------------------- */

static int check_events(struct tl_session *s)
{
	static const char *const need[][2] = {
		{ "task", "task_newtask" },
		{ "task", "task_rename" },
		{ "sched", "sched_process_exit" },
	};
	size_t i;

	if (faccessat(s->instance->root.fd, "instances", W_OK | X_OK,
		      AT_EACCESS))
		return tl_fail(errno, "%s/instances: %s",
			       s->instance->root_path, tl_fs_explain(errno));
	for (i = 0; i < sizeof(need) / sizeof(need[0]); i++)
		if (!tl_event_exists(s, need[i][0], need[i][1]))
			return tl_fail(ENOTSUP,
				       "this kernel has no tracepoint %s:%s",
				       need[i][0], need[i][1]);
	return 0;
}

static int check_tracefs(struct tl_session *s)
{
	s->instance->root.fd = tl_fs_root(&s->instance->root_path);
	return s->instance->root.fd < 0 ? s->instance->root.fd : 0;
}

static int check_all(struct tl_session *s)
{
	const struct tl_tool *tool = s->tool;
	int ret;

	if (!tl_limits_new(s))
		return -ENOMEM;
	ret = tl_svg_check(s);
	if (!ret && !(tool->flags & TL_NO_TRACEFS))
		ret = check_tracefs(s);
	if (!ret && !(tool->flags & TL_NO_EVENTS))
		ret = check_events(s);
	if (!ret && tool->sources)
		ret = tl_sources_add(s, tool->sources);
	return ret || !tool->check ? ret : tool->check(s);
}

/* ---- what is said ----------------------------------------------------- */

static struct tl_str str_of(const struct tl_buf *b)
{
	return (struct tl_str){ b->data, b->len };
}

static void put(struct tl_session *s, const char *status, const char *option,
		const struct tl_buf *reason)
{
	tl_put_text(s, TOOL, s->tool->name);
	tl_put_text(s, STATUS, status);
	tl_put_text(s, OPTION, option);
	if (reason)
		tl_put_str(s, REASON, str_of(reason));
	tl_row(s);
}

static void say_limits(struct tl_session *s)
{
	const struct tl_limits *l = tl_limits(s);
	size_t i;

	tl_print(s, "%s: this kernel has %s", s->tool->name,
		 l->count ? "what is needed, with limits"
			  : "all that is needed");
	for (i = 0; i < l->count; i++) {
		tl_print(s, "limited: %s: %.*s", l->list[i].option,
			 (int)l->list[i].reason.len, l->list[i].reason.data);
		put(s, "limited", l->list[i].option, &l->list[i].reason);
	}
	if (!l->count)
		put(s, "works", NULL, NULL);
}

/* As data it is the result, else a message as that of a run would be. */
static void say_failure(struct tl_session *s, const struct tl_buf *said)
{
	struct tl_buf reason = { 0 };

	if (!s->set.json && !s->set.csv) {
		tl_message_print(said);
		return;
	}
	tl_limit_join(&reason, s->tool->name, said);
	put(s, "cannot", NULL, reason.len ? &reason : NULL);
	tl_buf_free(&reason);
}

int tl_check(struct tl_session *s)
{
	struct tl_buf said = { 0 };
	int ret = tl_columns(s, columns), status;

	tl_out_header(s->out);
	tl_message_keep(&said);
	ret = ret ?: check_all(s);
	if (ret == -ENOMEM)
		tl_warn("out of memory");
	tl_message_keep(NULL);
	if (ret) {
		say_failure(s, &said);
	} else {
		tl_message_print(&said);
		say_limits(s);
	}
	tl_buf_free(&said);
	status = !ret              ? TL_EXIT_OK
		 : ret == -ENOTSUP ? TL_EXIT_UNSUPPORTED
				   : TL_EXIT_FAILED;
	ret = tl_flush(s);
	return ret && ret != -EPIPE ? TL_EXIT_FAILED : status;
}
