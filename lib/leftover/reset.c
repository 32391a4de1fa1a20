// SPDX-License-Identifier: GPL-2.0-or-later
/* reset.c - how what is not as at boot is put back */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "leftover/find.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracefs/sweep.h"
#include "tracelet/leftover.h"
#include "tracelet/message.h"

#define END_MS 3000

/* ---- putting it back -------------------------------------------------- */

/*
 * What a histogram does now, as in " [active]", is not part of its definition.
 */
static void cut_state(char *line)
{
	char *state = strrchr(line, '[');

	if (state > line && state[-1] == ' ' && !strncmp(line, "hist:", 5))
		state[-1] = '\0';
}

/*
 * A count, given or not, makes another function trigger; "unlimited" is none.
 */
static void cut_unlimited(char *line)
{
	char *count = strrchr(line, ':');

	if (count && !strcmp(count, ":unlimited"))
		*count = '\0';
}

/*
 * Takes back each line, those with a colon only if so asked; 0 or the first
 * -errno.
 */
static int take_back(struct tl_fs_dir root, const char *file, bool with_colon)
{
	char *text = tl_fs_read(root, file, NULL), *next = text, *line;
	char *command = NULL;
	int ret = text ? 0 : -errno, one;

	while ((line = tl_text_line(&next))) {
		if (!tl_text_is_said(line) ||
		    (with_colon && !strchr(line, ':')))
			continue;
		cut_state(line);
		cut_unlimited(line);
		tl_text_set(&command, "!%s", line);
		one = command ? tl_fs_write(root, file, command, O_APPEND)
			      : -ENOMEM;
		if (one && !ret)
			ret = one;
	}
	free(command);
	free(text);
	return ret;
}

static int remove_probe(struct tl_fs_dir root, const char *name)
{
	char *command = NULL;
	int ret;

	tl_text_set(&command, "-:%s", name);
	ret = command ? tl_fs_write(root, "dynamic_events", command, O_APPEND)
		      : -ENOMEM;
	free(command);
	return ret;
}

static int remove_of_group(struct tl_fs_dir root, int instances,
			   const struct tl_leftover *l)
{
	char group[256];

	snprintf(group, sizeof(group), "%.*s", (int)strcspn(l->name, "/"),
		 l->name);
	if (l->whose == TL_WHOSE_DEAD && tl_sweep_is_alive(instances, group))
		return -EBUSY;
	return remove_probe(root, l->name);
}

static int remove_it(struct tl_session *s, const struct tl_leftover *l)
{
	int instances = tl_sweep_open(s->instance->root.fd), ret;

	if (instances < 0)
		return instances;
	if (l->act == TL_ACT_PROBE)
		ret = remove_of_group(s->instance->root, instances, l);
	else if (l->whose == TL_WHOSE_DEAD)
		ret = tl_sweep_rmdir_dead(instances, l->name);
	else
		ret = tl_sweep_rmdir(instances, l->name);
	tl_sweep_close(instances);
	/* it may have gone by itself, with its tool */
	return ret == -ENOENT ? 0 : ret;
}

/*
 * A tracer stays while somebody has trace_pipe open.  Without its filters it
 * would trace all functions of the kernel, which can bring a machine down.
 */
static bool is_nop(struct tl_session *s)
{
	char *tracer = tl_fs_read(s->instance->root, "current_tracer", NULL);
	bool nop = tracer && !strcmp(tracer, "nop\n");

	free(tracer);
	return nop;
}

static int reset(struct tl_session *s, const struct tl_leftover *l)
{
	int ret;

	switch ((enum tl_leftover_act)l->act) {
	case TL_ACT_WRITE:
		return tl_fs_write(s->instance->root, l->file, l->text,
				   O_TRUNC);
	case TL_ACT_WIDEN:
		if (!is_nop(s))
			return -EINPROGRESS;
		return tl_fs_write(s->instance->root, l->file, l->text,
				   O_TRUNC);
	case TL_ACT_FUNCTIONS:
		if (!is_nop(s))
			return -EINPROGRESS;
		ret = tl_fs_write(s->instance->root, l->file, "", O_TRUNC);
		return ret ?: take_back(s->instance->root, l->file, true);
	case TL_ACT_TRIGGERS:
		return take_back(s->instance->root, l->file, false);
	case TL_ACT_PROBE:
	case TL_ACT_INSTANCE:
		return remove_it(s, l);
	case TL_ACT_UNLINK:
		return tl_lock_remove();
	case TL_ACT_NONE:
		break;
	}
	return 0;
}

/* Things that one file shows. */
static size_t count_of_file(const struct tl_leftover *l, size_t count)
{
	size_t n = 1;

	while (n < count && !strcmp(l[n].file, l->file))
		n++;
	return n;
}

static bool is_to_do(const struct tl_leftover *l)
{
	return l->result != TL_LEFTOVER_DONE && l->result != TL_LEFTOVER_ALONE;
}

/* Returns whether anything could be done. */
static bool reset_file(struct tl_session *s, struct tl_leftover *l,
		       size_t count)
{
	bool progress = false;

	for (; count; count--, l++) {
		if (!is_to_do(l))
			continue;
		l->result = reset(s, l);
		progress |= !l->result;
	}
	return progress;
}

static bool any_to_do(const struct tl_leftover *l, size_t count)
{
	while (count && !is_to_do(l)) {
		count--;
		l++;
	}
	return count;
}

/*
 * What one thing keeps in use is removed in a later turn: a trigger that uses
 * another's variable, a probe on an event of another probe.
 */
void tl_leftover_reset(struct tl_session *s, struct tl_leftover *list,
		       size_t count, bool show_all,
		       void (*show)(struct tl_session *s,
				    const struct tl_leftover *left,
				    bool before))
{
	bool progress;
	size_t i, n;

	do {
		progress = false;
		for (i = 0; i < count; i += n) {
			n = count_of_file(&list[i], count - i);
			if (!show_all && !any_to_do(&list[i], n))
				continue;
			if (show)
				show(s, &list[i], true);
			progress |= reset_file(s, &list[i], n);
			if (show)
				show(s, &list[i], false);
		}
		show_all = false;
	} while (progress);
}

static const char *explain(int err)
{
	return err == EINPROGRESS ? "the tracer runs, and would trace more"
				  : tl_fs_explain(err);
}

/* Of a setting nothing tells whose it is, but a file that is open keeps it. */
static const char *owner_of(const struct tl_leftover *l,
			    const struct tl_leftover *list, size_t count)
{
	size_t i;

	for (i = 0; !l->owner && l->result == -EBUSY && i < count; i++)
		if (!strcmp(l->kind, "setting") &&
		    !strcmp(list[i].kind, "open file"))
			return list[i].owner;
	return l->owner;
}

bool tl_leftover_failed(const struct tl_leftover *list, size_t count)
{
	const struct tl_leftover *l = list;
	bool failed = false;
	const char *owner;

	for (; l < list + count; l++) {
		if (l->result >= 0)
			continue;
		owner = owner_of(l, list, count);
		tl_fail(-l->result, "%s %s: %s%s%s", l->kind, l->name,
			explain(-l->result), owner ? ": " : "", owner ?: "");
		failed = true;
	}
	return failed;
}

/* ---- ending those that run -------------------------------------------- */

/* Another process may have its number by now. */
static bool is_still_of(struct tl_session *s, int instances,
			const struct tl_leftover *l)
{
	struct tl_holders h = { 0 };
	bool is;

	tl_holders_add(&h, l->pid, s->instance->root.fd,
		       s->instance->root_path);
	is = tl_holders_session(&h, l->name, l->pid) &&
	     tl_sweep_is_alive(instances, l->name);
	tl_holders_free(&h);
	return is;
}

/* Returns what becomes readable when it ends, or -1. */
static int ask_to_end(struct tl_session *s, int instances,
		      const struct tl_leftover *l)
{
	int fd;

	if (l->act != TL_ACT_INSTANCE || l->whose != TL_WHOSE_ALIVE || !l->pid)
		return -1;
	fd = (int)syscall(SYS_pidfd_open, l->pid, 0);
	if (fd < 0)
		return -1;
	if (is_still_of(s, instances, l) &&
	    !syscall(SYS_pidfd_send_signal, fd, SIGTERM, NULL, 0))
		return fd;
	close(fd);
	return -1;
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void wait_for_ends(struct pollfd *ends, nfds_t count)
{
	int64_t until = now_ms() + END_MS, left = END_MS;
	nfds_t i, running = count;

	while (running && left > 0 && poll(ends, count, (int)left) > 0) {
		for (i = 0; i < count; i++) {
			if (ends[i].fd < 0 || !ends[i].revents)
				continue;
			close(ends[i].fd);
			ends[i].fd = -1;
			running--;
		}
		left = until - now_ms();
	}
	for (i = 0; i < count; i++)
		if (ends[i].fd >= 0)
			close(ends[i].fd);
}

int tl_leftover_end(struct tl_session *s, const struct tl_leftover *list,
		    size_t count)
{
	struct pollfd *ends = calloc(count + 1, sizeof(*ends));
	int instances, fd;
	nfds_t asked = 0;
	size_t i;

	if (!ends)
		return -ENOMEM;
	instances = tl_sweep_open(s->instance->root.fd);
	for (i = 0; instances >= 0 && i < count; i++) {
		fd = ask_to_end(s, instances, &list[i]);
		if (fd >= 0)
			ends[asked++] =
				(struct pollfd){ .fd = fd, .events = POLLIN };
	}
	if (instances >= 0)
		tl_sweep_close(instances);
	wait_for_ends(ends, asked);
	free(ends);
	return instances < 0 ? instances : (int)asked;
}

/* ---- what it looks like ----------------------------------------------- */

static char *names_of_instances(struct tl_session *s)
{
	struct tl_buf b = { 0 };
	struct dirent **names = NULL;
	int count, i;

	count = tl_dirs_list(s->instance->root.fd, "instances", &names);
	for (i = 0; i < count; i++)
		tl_buf_printf(&b, "%s\n", names[i]->d_name);
	tl_dirs_free(names, count);
	tl_buf_char(&b, '\0');
	if (b.failed)
		tl_buf_free(&b);
	return b.data;
}

char *tl_leftover_text(struct tl_session *s, const struct tl_leftover *l)
{
	if (l->act == TL_ACT_INSTANCE)
		return names_of_instances(s);
	if (l->act == TL_ACT_UNLINK)
		return tl_lock_text(l);
	/* a file that somebody has open: reading takes his events from him */
	if (l->act == TL_ACT_NONE && l->changed)
		return NULL;
	/* reading records could stop the trace, and there may be millions */
	if (!strcmp(l->file, "trace") || !strcmp(l->file, "snapshot"))
		return NULL;
	return tl_fs_read(s->instance->root, l->file, NULL);
}
