// SPDX-License-Identifier: GPL-2.0-or-later
/* uprobe.c - probes in programs and libraries */
#include "probe/uprobe.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/recording.h"
#include "elf/object.h"
#include "probe/caller.h"
#include "probe/counter.h"
#include "probe/probe.h"
#include "probe/recorded.h"
#include "record/event.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracelet/kprobe.h"
#include "tracelet/message.h"
#include "tracelet/probe.h"
#include "tracelet/uprobe.h"

/* An event that is a probe in a program. */
struct uprobe {
	struct tl_event_part part;
	struct tl_object *object;
	uint64_t offset;
	struct tl_field addr; /* where that is in the process */
	char name[];          /* of the file, without directory */
};

static const struct tl_event_part_ops uprobe_ops = { .free = free };

static bool has_room(const char *args)
{
	unsigned int count = 0;

	while (*(args += strspn(args, " \t"))) {
		count++;
		args += strcspn(args, " \t");
	}
	return count < TL_PROBE_ARGS;
}

/*
 * A function's first instruction comes before its frame, so its caller is not
 * in the stack that the kernel finds.
 */
static const char *caller_arg(const struct tl_probes *p, const char *type,
			      struct tl_object *o, uint64_t offset,
			      const char *args)
{
	uint64_t into;

	if (*TL_CALLER_FETCH && p->callers && *type == 'p' && has_room(args) &&
	    tl_object_is_native(o) && tl_object_function(o, offset, &into) &&
	    !into)
		return " " TL_CALLER_FETCH;
	return "";
}

/* The file's real name, as /proc/PID/maps has it: behind symbolic links. */
static struct uprobe *remember(struct tl_event *ev, struct tl_object *o,
			       uint64_t offset, int fd)
{
	char link[64], path[PATH_MAX];
	struct uprobe *u;
	const char *slash;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	slash = strrchr(path, '/');
	u = calloc(1, sizeof(*u) + strlen(path) + 1);
	if (!u)
		return NULL;
	tl_event_part_add(ev, &uprobe_ops, u);
	u->object = o;
	u->offset = offset;
	strcpy(u->name, slash ? slash + 1 : path);
	return u;
}

int tl_uprobe_callers(struct tl_session *s)
{
	struct tl_probes *p = tl_probes_get(s);

	if (!p)
		return -ENOMEM;
	p->callers = true;
	return 0;
}

static int find_fields(struct tl_session *s, struct tl_event *ev,
		       struct uprobe *u)
{
	return tl_event_field(s, ev,
			      tl_probe_of(ev)->is_return ? "__probe_func"
							 : "__probe_ip",
			      &u->addr);
}

/*
 * The kernel ends a path at a blank, of Latin-1 too (a byte of UTF-8's "à"),
 * and a line at a "#"; our descriptor, which it looks up at once, has neither.
 */
static void write_place(char *text, size_t size, const char *path, int fd,
			uint64_t offset, uint64_t semaphore)
{
	char link[64];
	int n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = snprintf(text, size, "%s:0x%" PRIx64,
		     path[strcspn(path, " \t\n\v\f\r\xa0#")] ? link : path,
		     offset);
	if (semaphore)
		snprintf(text + n, size - n, "(0x%" PRIx64 ")", semaphore);
}

struct tl_event *tl_uprobe_add(struct tl_session *s, const char *type,
			       const char *name, struct tl_object *o,
			       uint64_t offset, uint64_t semaphore,
			       const char *args, tl_handler *handler)
{
	struct tl_probes *p = tl_probes_get(s);
	const char *path = tl_object_path(o);
	int fd = o->file.fd;
	char place[PATH_MAX + 64], *all;
	struct uprobe *u;
	struct tl_event *ev;

	if (!p)
		return NULL;
	p->user = true;
	write_place(place, sizeof(place), path, fd, offset, semaphore);
	if (asprintf(&all, "%s%s", args, caller_arg(p, type, o, offset, args)) <
	    0)
		return NULL;
	ev = tl_probe_add(s, type, name, place, all, handler);
	if (ev)
		tl_recorded_probe_keep(s,
				       &(struct tl_recorded_probe){ type, name,
								    place, all,
								    false, "" },
				       &(struct tl_fetches){ 0 });
	free(all);
	if (!ev && errno == ENOENT)
		tl_fail(ENOENT, "%s: the kernel finds no such file", path);
	if (!ev)
		return NULL;
	u = remember(ev, o, offset, fd);
	return u && !find_fields(s, ev, u) ? ev : NULL;
}

int tl_uprobe_count(struct tl_session *s, const char *name, struct tl_object *o,
		    uint64_t offset)
{
	char place[PATH_MAX + 64];

	write_place(place, sizeof(place), tl_object_path(o), o->file.fd, offset,
		    0);
	return tl_counters_add(s, name, NULL, place);
}

static int add_recorded(struct tl_session *s,
			const struct tl_kprobe_config *config)
{
	size_t count;
	int ret = tl_recorded_probe_all(s, config, &count);

	return ret || count ? ret
			    : tl_fail(EBADMSG, "the capture has no probes");
}

int tl_uprobes_define(struct tl_session *s,
		      const struct tl_kprobe_config *again,
		      int (*add)(struct tl_session *s, void *ctx), void *ctx)
{
	if (tl_recording_replays(s->recording))
		return add_recorded(s, again);
	return tl_uprobe_check(s) ?: add(s, ctx);
}

int tl_uprobe_check(struct tl_session *s)
{
	if (tl_fs_exists(s->instance->root, "uprobe_events") &&
	    tl_fs_exists(s->instance->root, "dynamic_events"))
		return tl_object_check(s);
	return tl_fail(ENOTSUP, "this kernel has no probes in programs "
				"(CONFIG_UPROBE_EVENTS)");
}

struct tl_user_place tl_uprobe_place(const struct tl_record *r)
{
	const struct uprobe *u = tl_event_part_find(r->event, &uprobe_ops);
	struct tl_user_place place = { 0 };

	if (!u)
		return place;
	place.object = u->object;
	place.name = u->name;
	place.offset = u->offset;
	place.addr = tl_field_num(r, &u->addr);
	return place;
}
