// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracecmd.c - what trace-cmd recorded as a trace that Perfetto shows
 *
 * libtracecmd knows all versions of the file, compressed ones too, and gives records in
 * the order of time.  Events that Perfetto does not understand are shown by it as they
 * are, with their fields.
 */
#include <errno.h>
#include <event-parse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cap.h"
#include "base/child.h"
#include "base/dynload.h"
#include "base/session.h"
#include "out/out.h"
#include "out/put.h"
#include "record/event.h"
#include "timeline/kernel.h"
#include "timeline/packet.h"
#include "timeline/proto.h"
#include "tracelet/message.h"
#include "tracelet/timeline.h"

/* An event of a kind that is not known, and its messages' fields. */
#define GENERIC 327
enum { GENERIC_NAME = 1, GENERIC_FIELD = 2 };
enum { FIELD_NAME = 1, FIELD_STR = 3, FIELD_INT = 4, FIELD_UINT = 5 };

/* ---- the library ------------------------------------------------------ */

/* Its header is not needed for these few. */
struct tracecmd_input;

typedef int each_record(struct tracecmd_input *handle,
			struct tep_record *record, int cpu, void *data);

#define NO_PLUGINS 3 /* those of the user, and the system's */

static struct {
	struct tracecmd_input *(*open_head)(const char *path, int flags);
	int (*init_data)(struct tracecmd_input *handle);
	void (*close)(struct tracecmd_input *handle);
	struct tep_handle *(*get_tep)(struct tracecmd_input *handle);
	int (*buffer_instances)(struct tracecmd_input *handle);
	struct tracecmd_input *(*buffer_instance_handle)(
		struct tracecmd_input *handle, int i);
	int (*iterate_events_multi)(struct tracecmd_input **handles, int count,
				    each_record *each, void *data);
	void (*set_loglevel)(enum tep_loglevel level);
} lib;

/* Not in its header, so it may not be there. */
static struct {
	const char *(*get_uname)(struct tracecmd_input *handle);
} extra;

static int load_library(void)
{
	static const char *const libraries[] = { "libtracecmd.so.1", NULL };
	static const char *const names[] = { "tracecmd_open_head",
					     "tracecmd_init_data",
					     "tracecmd_close",
					     "tracecmd_get_tep",
					     "tracecmd_buffer_instances",
					     "tracecmd_buffer_instance_handle",
					     "tracecmd_iterate_events_multi",
					     "tracecmd_set_loglevel",
					     NULL };
	static const char *const more[] = { "tracecmd_get_uname", NULL };

	if (tl_load(libraries, names, (void **)&lib))
		return tl_fail(ELIBACC, "captures of trace-cmd need "
					"libtracecmd: install libtracecmd1");
	tl_load(libraries, more, (void **)&extra);
	return 0;
}

/* ---- events ----------------------------------------------------------- */

struct cached {
	struct tep_event *tep; /* NULL: none has this number */
	struct tl_kernel_event known;
	bool looked_up, is_known;
};

struct export
{
	struct tl_session *s;
	struct tracecmd_input *file;
	struct tl_packets packets;
	struct tl_kernel kernel;
	struct cached *events; /* by number */
	int count;
	uint64_t *last; /* by processor: when its last record was */
	unsigned int cpus;
};

static struct cached *find_event(struct export *x, struct tep_handle *tep,
				 int id)
{
	struct cached *more, *c;

	if (id < 0 || id > UINT16_MAX)
		return NULL;
	if (id >= x->count) {
		more = reallocarray(x->events, (size_t)id + 64, sizeof(*more));
		if (!more)
			return NULL;
		memset(more + x->count, 0,
		       ((size_t)id + 64 - (size_t)x->count) * sizeof(*more));
		x->events = more;
		x->count = id + 64;
	}
	c = &x->events[id];
	if (!c->looked_up) {
		c->looked_up = true;
		c->tep = tep_find_event(tep, id);
		c->is_known = c->tep && tl_kernel_find(c->tep, &c->known);
	}
	return c->tep ? c : NULL;
}

/* ---- events as they are ----------------------------------------------- */

static bool is_code(const char *field)
{
	return !strcmp(field, "ip") || !strcmp(field, "parent_ip") ||
	       !strcmp(field, "func") || !strcmp(field, "caller");
}

static void put_number(struct tl_buf *b, const struct tep_event *tep,
		       const struct tep_format_field *f, int64_t num)
{
	const char *name = is_code(f->name)
				   ? tep_find_function(tep->tep, (uint64_t)num)
				   : NULL;

	if (name)
		tl_proto_text(b, FIELD_STR, name);
	else if (f->flags & TEP_FIELD_IS_SIGNED)
		tl_proto_int(b, FIELD_INT, num);
	else
		tl_proto_uint(b, FIELD_UINT, (uint64_t)num);
}

/* Arrays but of characters have no place in it. */
static void put_field(struct tl_buf *b, const struct tep_event *tep,
		      const struct tep_format_field *f,
		      const struct tl_record *r)
{
	const struct tl_field field = tl_field_of(f);
	const bool is_text = f->flags & TEP_FIELD_IS_STRING;
	size_t at;

	if (!is_text && f->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC))
		return;
	at = tl_proto_begin(b, GENERIC_FIELD);
	tl_proto_text(b, FIELD_NAME, f->name);
	if (is_text)
		tl_proto_str(b, FIELD_STR, tl_kernel_text(r, &field));
	else
		put_number(b, tep, f, tl_field_num(r, &field));
	tl_proto_end(b, at);
}

static void put_generic(struct export *x, const struct tep_event *tep,
			const struct tl_record *r)
{
	struct tl_buf *b = &x->packets.buf;
	const struct tep_format_field *f;
	struct tl_packet at = tl_packet_ftrace(&x->packets, r->ns, r->cpu,
					       r->pid, GENERIC, false);

	tl_proto_text(b, GENERIC_NAME, tep->name);
	for (f = tep->format.fields; f; f = f->next)
		put_field(b, tep, f, r);
	tl_packet_ftrace_end(&x->packets, &at);
}

/* ---- records ---------------------------------------------------------- */

static bool has_cpu(struct export *x, int cpu)
{
	uint64_t *more;

	if (cpu < 0 || cpu > UINT16_MAX)
		return false;
	if ((unsigned int)cpu < x->cpus)
		return true;
	more = reallocarray(x->last, (size_t)cpu + 1, sizeof(*more));
	if (!more)
		return false;
	memset(more + x->cpus, 0, ((size_t)cpu + 1 - x->cpus) * sizeof(*more));
	x->last = more;
	x->cpus = (unsigned int)cpu + 1;
	return true;
}

static void put_loss(struct export *x, const struct tl_record *r,
		     long long missed)
{
	tl_kernel_gap(&x->kernel, r->cpu, x->last[r->cpu]);
	tl_kernel_lost(&x->kernel, r->cpu, r->ns, missed);
}

/* Has the output write it. */
static void take(struct export *x)
{
	struct tl_buf *b = &x->packets.buf;

	tl_out_add(x->s->out, b->data, b->len, b->failed);
	b->len = 0;
}

static int on_record(struct tracecmd_input *handle, struct tep_record *record,
		     int cpu, void *data)
{
	struct export *x = data;
	struct tep_handle *tep = lib.get_tep(handle);
	struct cached *c = find_event(x, tep, tep_data_type(tep, record));
	struct tl_record r = {
		.ns = record->ts,
		.data = record->data,
		.size = (uint32_t)record->size,
		.pid = tep_data_pid(tep, record),
		.cpu = (unsigned int)record->cpu,
	};

	if (!has_cpu(x, record->cpu))
		return 0;
	if (record->missed_events)
		put_loss(x, &r, record->missed_events);
	x->last[r.cpu] = r.ns;
	if (c && c->is_known)
		tl_kernel_put(&x->kernel, &c->known, &r);
	else if (c)
		put_generic(x, c->tep, &r);
	take(x);
	return tl_out_error(x->s->out);
}

/* ---- the file --------------------------------------------------------- */

/* "Linux NAME RELEASE VERSION MACHINE", where the version is several words. */
static void put_system(struct export *x)
{
	const char *text = extra.get_uname ? extra.get_uname(x->file) : NULL;
	const char *machine = text ? strrchr(text, ' ') : NULL;
	char release[65] = "";

	if (machine && sscanf(text, "%*s %*s %64s", release) == 1)
		tl_packet_system(&x->packets, release, "", machine + 1);
}

/* The top level's buffer, and those of instances. */
static int put_all(struct export *x)
{
	int count = lib.buffer_instances(x->file), i, ret;
	struct tracecmd_input **all;

	if (count < 0)
		count = 0;
	all = calloc((size_t)count + 1, sizeof(struct tracecmd_input *));
	if (!all)
		return -ENOMEM;
	all[0] = x->file;
	for (i = 0; i < count; i++) {
		all[i + 1] = lib.buffer_instance_handle(x->file, i);
		if (!all[i + 1])
			break;
	}
	ret = lib.iterate_events_multi(all, i + 1, on_record, x);
	while (i)
		lib.close(all[i--]);
	free(all);
	return ret;
}

static void free_export(struct export *x)
{
	if (x->file)
		lib.close(x->file);
	tl_kernel_free(&x->kernel);
	tl_buf_free(&x->packets.buf);
	free(x->events);
	free(x->last);
}

static int fail_on(const char *path)
{
	return tl_fail(EBADMSG,
		       "%s: damaged, or neither a capture of a tool nor of "
		       "trace-cmd",
		       path);
}

/* Opened as the caller; records are read without privileges. */
static int export_file(struct export *x, const char *path)
{
	int ret;

	/* in two steps: tracecmd_open() crashes where the second one fails */
	x->file = lib.open_head(path, NO_PLUGINS);
	if (!x->file)
		return fail_on(path);
	ret = tl_cap_drop(0);
	if (ret)
		return ret;
	if (lib.init_data(x->file) < 0) {
		/* to close it crashes, too: it ends with this child */
		x->file = NULL;
		return fail_on(path);
	}
	put_system(x);
	ret = put_all(x);
	tl_kernel_end(&x->kernel);
	take(x);
	return ret;
}

static int export_here(struct tl_session *s, const char *path)
{
	struct export x = { .s = s, .packets = { .sequence = 1 } };
	int ret;

	x.kernel.packets = &x.packets;
	x.kernel.tool = "trace-cmd";
	lib.set_loglevel(TEP_LOG_NONE);
	ret = export_file(&x, path);
	free_export(&x);
	if (!ret)
		ret = tl_flush(s);
	/* the reader has what it wanted */
	return ret == -EPIPE ? 0 : ret;
}

static int wait_for(pid_t pid, const char *path)
{
	int status = tl_child_wait(pid);

	if (WIFSIGNALED(status))
		return tl_fail(EBADMSG,
			       "%s: damaged: libtracecmd was ended by signal "
			       "%d",
			       path, WTERMSIG(status));
	return WEXITSTATUS(status) ? -EIO : 0;
}

/* In a child, as some damaged files have the library crash. */
int tl_timeline_export(struct tl_session *s, const char *path)
{
	int ret;
	pid_t pid;

	/* it does not say why it could not open one */
	if (access(path, R_OK))
		return tl_fail(errno, "%s: %s", path, strerror(errno));
	ret = load_library() ?: tl_flush(s);
	if (ret)
		return ret;
	pid = tl_child_fork();
	if (pid < 0)
		return tl_fail(errno, "fork: %s", strerror(errno));
	if (!pid)
		_exit(export_here(s, path) != 0);
	return wait_for(pid, path);
}
