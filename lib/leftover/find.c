// SPDX-License-Identifier: GPL-2.0-or-later
/* find.c - all that is not as at boot, and whose it is */
#include "leftover/find.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/part.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracefs/sweep.h"
#include "tracelet/message.h"

char *tl_text_cpumask(unsigned int cpus)
{
	unsigned int digits = (cpus + 3) / 4, i;
	char *mask = cpus ? malloc((size_t)digits * 2) : NULL, *to = mask;

	for (i = digits; to && i; i--) {
		*to++ = i == digits && cpus % 4 ? "0137"[cpus % 4] : 'f';
		if (i % 8 == 1)
			*to++ = i > 1 ? ',' : '\0';
	}
	return mask;
}

/* ---- the search ------------------------------------------------------- */

static void clear(struct tl_leftover *l)
{
	free(l->name);
	free(l->state);
	free(l->owner);
	free(l->file);
	free(l->text);
}

struct tl_leftover *tl_search_add(struct tl_search *f, const char *kind,
				  const char *name, const char *file,
				  enum tl_leftover_act act, const char *text)
{
	struct tl_leftover *list =
		reallocarray(f->list, f->count + 1, sizeof(*list));
	struct tl_leftover *l = &f->none;

	if (list) {
		f->list = list;
		l = &list[f->count++];
	} else {
		clear(l);
	}
	*l = (struct tl_leftover){ .kind = kind, .act = act, .changed = true };
	l->name = tl_search_copy(f, name);
	l->file = tl_search_copy(f, file);
	l->text = tl_search_copy(f, text);
	f->no_memory |= !list;
	return l;
}

char *tl_search_copy(struct tl_search *f, const char *text)
{
	char *copy = strdup(text);

	f->no_memory |= !copy;
	return copy;
}

/* A run searches several times, and says once what it cannot read. */
struct unread {
	struct tl_part part;
	bool said;
};

static const struct tl_part_ops unread_ops = { .free = free };

void tl_search_failed(struct tl_search *f, const char *file, int err)
{
	struct unread *u;

	if (err == ENOENT || err == ENODEV)
		return;
	u = tl_part_get(f->s, &unread_ops, sizeof(*u));
	if (!u || !u->said)
		tl_fail(err, "%s%s%s: %s",
			*file == '/' ? "" : f->s->instance->root_path,
			*file == '/' ? "" : "/", file, tl_fs_explain(err));
	if (u)
		u->said = true;
	f->failed = true;
}

char *tl_search_read(struct tl_search *f, const char *file)
{
	char *text = tl_fs_read(f->s->instance->root, file, NULL);

	if (!text)
		tl_search_failed(f, file, errno);
	return text;
}

char *tl_search_line(struct tl_search *f, const char *file)
{
	char *text = tl_search_read(f, file);

	if (text)
		text[strcspn(text, "\n")] = '\0';
	return text;
}

static int list_dirs(struct tl_search *f, const char *path,
		     struct dirent ***names)
{
	int count = tl_dirs_list(f->s->instance->root.fd, path, names);

	if (count < 0)
		tl_search_failed(f, path, errno);
	return count;
}

/* Of "tl_opensnoop_812", "opensnoop" and 812. */
static pid_t split_name(const char *name, char *tool, size_t size)
{
	const char *pid;

	name += strlen(TL_PREFIX);
	pid = strchr(name, '_');
	snprintf(tool, size, "%.*s", (int)(pid - name), name);
	return (pid_t)strtol(pid + 1, NULL, 10);
}

static void say_holder(struct tl_leftover *l, const struct tl_holder *h)
{
	l->pid = h->pid;
	tl_text_set(&l->owner, "%s, PID %d", h->comm, h->pid);
}

/* Who keeps the instance of a dead one from being removed, if anybody. */
static void say_dead(struct tl_search *f, struct tl_leftover *l,
		     const char *name, const char *tool, pid_t pid)
{
	const struct tl_holder *h = NULL;

	do {
		h = tl_holders_of(&f->holders, name, h);
	} while (h && tl_holder_is_dir(h));
	if (h)
		tl_text_set(&l->owner,
			    "%s, PID %d, has ended, open in %s, PID %d", tool,
			    pid, h->comm, h->pid);
	else
		tl_text_set(&l->owner, "%s, PID %d, has ended", tool, pid);
}

static void say_session(struct tl_search *f, struct tl_leftover *l,
			const char *name)
{
	char tool[64];
	pid_t pid = split_name(name, tool, sizeof(tool));
	bool alive = tl_sweep_is_alive(f->instances, name);

	l->whose = alive ? TL_WHOSE_ALIVE : TL_WHOSE_DEAD;
	tl_text_set(&l->state, alive ? "running" : "left over");
	if (!alive) {
		say_dead(f, l, name, tool, pid);
		return;
	}
	l->pid = tl_holders_session(&f->holders, name, pid);
	/* it may have begun after the others were looked at */
	if (!l->pid &&
	    !tl_holders_add(&f->holders, pid, f->s->instance->root.fd,
			    f->s->instance->root_path))
		l->pid = tl_holders_session(&f->holders, name, pid);
	tl_text_set(&l->owner, "%s, PID %d", tool, l->pid ?: pid);
}

/* A file that it has open, other than those of our own sessions. */
static void find_open(struct tl_search *f)
{
	const struct tl_holder *h = f->holders.list, *last = NULL, *end;
	struct tl_leftover *l = NULL;
	unsigned int others = 0;

	for (end = h + f->holders.count; h < end; h++) {
		if (!strncmp(h->path, "instances/", strlen("instances/")) ||
		    tl_holder_is_ours(&f->holders, h))
			continue;
		if (last && last->pid == h->pid) {
			tl_text_set(&l->state, "open, and %u more", ++others);
			continue;
		}
		l = tl_search_add(f, "open file", h->path, h->path, TL_ACT_NONE,
				  "");
		tl_text_set(&l->state, "open");
		say_holder(l, h);
		others = 0;
		last = h;
	}
}

/* A file of one event, or of all events of a system. */
static void find_event_file(struct tl_search *f, const char *kind,
			    const char *file, enum tl_leftover_act act)
{
	/* behind a wrong filter is what was wrong about it */
	char *text = act == TL_ACT_WRITE ? tl_search_line(f, file)
					 : tl_search_read(f, file);
	char *list = NULL;
	struct tl_leftover *l;

	if (text)
		list = tl_text_list(text);
	if (list && strcmp(list, "none")) {
		l = tl_search_add(f, kind, file, file, act, "0");
		l->state = list;
		list = NULL;
	}
	free(list);
	free(text);
}

static int is_visible(const struct dirent *d)
{
	return *d->d_name != '.' && d->d_type == DT_DIR;
}

int tl_dirs_list(int dir, const char *path, struct dirent ***names)
{
	*names = NULL;
	return scandirat(dir, path, names, is_visible, alphasort);
}

void tl_dirs_free(struct dirent **names, int count)
{
	while (count > 0)
		free(names[--count]);
	free(names);
}

static void find_of_system(struct tl_search *f, const char *system)
{
	char dir[512], file[1024];
	struct dirent **names = NULL;
	int count, i;

	snprintf(dir, sizeof(dir), "events/%s", system);
	count = list_dirs(f, dir, &names);
	for (i = 0; i < count; i++) {
		snprintf(file, sizeof(file), "%s/%s/trigger", dir,
			 names[i]->d_name);
		find_event_file(f, "trigger", file, TL_ACT_TRIGGERS);
		snprintf(file, sizeof(file), "%s/%s/filter", dir,
			 names[i]->d_name);
		find_event_file(f, "filter", file, TL_ACT_WRITE);
	}
	tl_dirs_free(names, count);
	snprintf(file, sizeof(file), "%s/filter", dir);
	find_event_file(f, "filter", file, TL_ACT_WRITE);
}

static void find_triggers(struct tl_search *f)
{
	struct dirent **names = NULL;
	int count, i;

	count = list_dirs(f, "events", &names);
	for (i = 0; i < count; i++)
		find_of_system(f, names[i]->d_name);
	tl_dirs_free(names, count);
}

static char *read_of(struct tl_search *f, const char *instance,
		     const char *file)
{
	char path[512];

	snprintf(path, sizeof(path), "instances/%s/%s", instance, file);
	return tl_search_line(f, path);
}

/* What somebody else's records, and who has it open. */
static void say_others(struct tl_search *f, struct tl_leftover *l)
{
	const struct tl_holder *h = tl_holders_of(&f->holders, l->name, NULL);
	char *tracer = read_of(f, l->name, "current_tracer");
	char *events = read_of(f, l->name, "events/enable");
	bool has_tracer = tracer && strcmp(tracer, "nop");
	bool has_events = events && strcmp(events, "0");

	if (has_tracer)
		tl_text_set(&l->state, "tracer %s%s", tracer,
			    has_events ? ", events" : "");
	else if (tracer)
		tl_text_set(&l->state, has_events ? "events" : "idle");
	if (h)
		say_holder(l, h);
	free(tracer);
	free(events);
}

static void find_instances(struct tl_search *f)
{
	struct dirent **names = NULL;
	struct tl_leftover *l;
	int count, i;

	count = list_dirs(f, "instances", &names);
	for (i = 0; i < count; i++) {
		l = tl_search_add(f, "instance", names[i]->d_name, "instances",
				  TL_ACT_INSTANCE, "");
		if (tl_sweep_is_ours(names[i]->d_name))
			say_session(f, l, names[i]->d_name);
		else
			say_others(f, l);
	}
	tl_dirs_free(names, count);
}

/* A kind of dynamic event, the letter it has, and the file that shows it. */
static const struct kind {
	char letter;
	bool is_user; /* its place is a file */
	const char *name, *file;
} kinds[] = {
	/* those that may be attached to others come first */
	{ 'e', false, "eprobe", "dynamic_events" },
	{ 's', false, "synthetic", "synthetic_events" },
	{ 'f', false, "fprobe", "dynamic_events" },
	{ 't', false, "tprobe", "dynamic_events" },
	{ 0, false, "dynamic", "dynamic_events" },
	{ 'p', true, "uprobe", "uprobe_events" },
	{ 'p', false, "kprobe", "kprobe_events" },
};

static const struct kind *kind_of(char letter, const char *place)
{
	const struct kind *k = kinds, *end = kinds + sizeof(kinds) / sizeof(*k);
	bool is_user = *place == '/';

	letter = letter == 'r' ? 'p' : letter;
	for (; k < end; k++)
		if (k->letter == letter &&
		    (letter != 'p' || k->is_user == is_user))
			return k;
	return kind_of(0, "");
}

/* A file of the event that is open keeps it from being removed. */
static void say_event_holder(struct tl_search *f, struct tl_leftover *l,
			     const char *name)
{
	const struct tl_holder *h = f->holders.list, *end;
	char files[256];

	snprintf(files, sizeof(files), "events/%s/", name);
	for (end = h + f->holders.count; h < end; h++) {
		if (!strstr(h->path, files))
			continue;
		say_holder(l, h);
		return;
	}
}

static void find_probe(struct tl_search *f, char *line, const struct kind *kind)
{
	struct tl_dynamic d;
	struct tl_leftover *l;

	if (!tl_dynamic_parse(&d, line) || kind_of(d.type, d.place) != kind)
		return;
	l = tl_search_add(f, kind->name, d.name, kind->file, TL_ACT_PROBE, "");
	if (tl_sweep_is_ours(d.group)) {
		say_session(f, l, d.group);
		return;
	}
	if (*d.place)
		tl_text_set(&l->state, "%s", d.place);
	say_event_holder(f, l, d.name);
}

static void find_probes(struct tl_search *f)
{
	const struct kind *k = kinds, *end = kinds + sizeof(kinds) / sizeof(*k);
	char *text, *next, *line;
	size_t before = f->count;
	struct tl_leftover *l;

	for (; k < end; k++) {
		text = next = tl_search_read(f, "dynamic_events");
		before = f->count;
		while ((line = tl_text_line(&next)))
			find_probe(f, line, k);
		free(text);
	}
	/* the last kind: perf-tools show it even if there are none */
	if (f->count == before &&
	    !faccessat(f->s->instance->root.fd, "kprobe_events", F_OK,
		       AT_EACCESS)) {
		l = tl_search_add(f, "setting", "kprobe_events",
				  "kprobe_events", TL_ACT_NONE, "");
		l->changed = false;
		l->original = true;
	}
}

/* Who reads the trace keeps others from changing the tracer. */
static void say_reader(struct tl_search *f)
{
	const struct tl_holder *h = f->holders.list, *end;

	for (end = h + f->holders.count; h < end; h++) {
		if (strncmp(h->path, "trace_pipe", strlen("trace_pipe")) &&
		    strncmp(h->path, "per_cpu/", strlen("per_cpu/")))
			continue;
		if (f->count && f->list->changed)
			say_holder(f->list, h);
		return;
	}
}

/* Tools that start wait meanwhile. */
static int find_sessions(struct tl_search *f)
{
	f->instances = tl_sweep_open(f->s->instance->root.fd);
	if (f->instances < 0)
		return tl_fail(-f->instances, "%s/instances: %s",
			       f->s->instance->root_path,
			       tl_fs_explain(-f->instances));
	find_instances(f);
	find_probes(f);
	tl_sweep_close(f->instances);
	return 0;
}

static int search(struct tl_search *f)
{
	int ret;

	tl_settings_first(f);
	say_reader(f);
	find_triggers(f);
	tl_settings_pids(f);
	ret = find_sessions(f);
	if (ret)
		return ret;
	tl_settings_last(f);
	tl_lock_find(f);
	find_open(f);
	return f->no_memory ? tl_fail(ENOMEM, "out of memory") : 0;
}

static void set_to_do(struct tl_leftover *l, size_t count, bool force)
{
	for (; count; count--, l++)
		l->result = (force || l->whose == TL_WHOSE_DEAD) &&
					    l->changed && l->act
				    ? TL_LEFTOVER_TO_DO
				    : TL_LEFTOVER_ALONE;
}

int tl_leftover_find(struct tl_session *s, bool force,
		     struct tl_leftover **list, size_t *count)
{
	struct tl_search f = { .s = s };
	int ret;

	/* else nothing could be read, and would seem to be as it should */
	if (faccessat(s->instance->root.fd, "current_tracer", R_OK, AT_EACCESS))
		return tl_fail(errno, "%s/current_tracer: %s",
			       s->instance->root_path, tl_fs_explain(errno));
	ret = tl_holders_find(&f.holders, s->instance->root.fd,
			      s->instance->root_path);
	if (ret)
		return tl_fail(-ret, "/proc: %s", strerror(-ret));
	ret = search(&f);
	tl_holders_free(&f.holders);
	clear(&f.none);
	if (ret) {
		tl_leftover_free(f.list, f.count);
		return ret;
	}
	set_to_do(f.list, f.count, force);
	*list = f.list;
	*count = f.count;
	return f.failed;
}

void tl_leftover_free(struct tl_leftover *list, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		clear(&list[i]);
	free(list);
}
