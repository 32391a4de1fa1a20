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
	const char *(*buffer_instance_name)(struct tracecmd_input *handle,
					    int i);
	int (*iterate_events_multi)(struct tracecmd_input **handles, int count,
				    each_record *each, void *data);
	void (*set_loglevel)(enum tep_loglevel level);
} lib;

/* Not in its header, so it may not be there. */
static struct {
	const char *(*get_uname)(struct tracecmd_input *handle);
	const char *(*get_trace_clock)(struct tracecmd_input *handle);
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
					     "tracecmd_buffer_instance_name",
					     "tracecmd_iterate_events_multi",
					     "tracecmd_set_loglevel",
					     NULL };
	static const char *const more[] = { "tracecmd_get_uname",
					    "tracecmd_get_trace_clock", NULL };

	if (tl_load(libraries, names, (void **)&lib))
		return tl_fail(ELIBACC, "captures of trace-cmd need "
					"libtracecmd: install libtracecmd1");
	tl_load(libraries, more, (void **)&extra);
	lib.set_loglevel(TEP_LOG_NONE);
	return 0;
}

static int fail_on(const char *path)
{
	return tl_fail(EBADMSG,
		       "%s: damaged, or neither a capture of a tool nor of "
		       "trace-cmd",
		       path);
}

/* ---- events ----------------------------------------------------------- */

/* The top level's buffer, or one of an instance. */
struct buffer {
	struct tracecmd_input *handle;
	struct tl_kernel kernel; /* what its records told */
	char *tool;              /* whose records its losses are of */
	uint64_t *last;          /* by processor: when its last record was */
	unsigned int cpus;
	uint64_t left_out; /* records of the scheduler, which another one has */
};

struct cached {
	struct tep_event *tep; /* NULL: none has this number */
	struct tl_kernel_event known;
	bool looked_up, is_known;
	const struct buffer *from; /* the one that it is shown of; NULL: all */
};

struct export
{
	struct tl_session *s;
	const char *path;
	const struct tl_timeline_capture
		*capture; /* NULL: it is only looked at */
	struct tl_packets packets;
	struct tracecmd_input *file;
	struct buffer *buffers; /* its own first */
	int buffer_count;
	struct cached *events; /* by number */
	int count;
	uint64_t
		unknown; /* records, of events that the file does not describe */
	uint64_t arrays; /* fields that were left out */
};

static struct cached *find_event(struct export *x, struct tep_handle *tep,
				 int id)
{
	struct cached *more, *c;

	if (id < 0 || id > UINT16_MAX)
		return NULL;
	if (id >= x->count) {
		more = reallocarray(x->events, (size_t)id + 64, sizeof(*more));
		if (!more) {
			x->packets.buf.failed = true;
			return NULL;
		}
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
static bool is_array(const struct tep_format_field *f)
{
	return !(f->flags & TEP_FIELD_IS_STRING) &&
	       f->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC);
}

static void put_field(struct tl_buf *b, const struct tep_event *tep,
		      const struct tep_format_field *f,
		      const struct tl_record *r)
{
	const struct tl_field field = tl_field_of(f);
	const bool is_text = f->flags & TEP_FIELD_IS_STRING;
	size_t at;

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
		if (is_array(f))
			x->arrays++;
		else
			put_field(b, tep, f, r);
	tl_packet_ftrace_end(&x->packets, &at);
}

/* ---- records ---------------------------------------------------------- */

/* The time of its last record, 0 at the first one; NULL without memory. */
static uint64_t *last_of(struct buffer *b, unsigned int cpu)
{
	uint64_t *more;

	if (cpu < b->cpus)
		return &b->last[cpu];
	more = reallocarray(b->last, (size_t)cpu + 1, sizeof(*more));
	if (!more)
		return NULL;
	memset(more + b->cpus, 0, ((size_t)cpu + 1 - b->cpus) * sizeof(*more));
	b->last = more;
	b->cpus = cpu + 1;
	return &b->last[cpu];
}

static void put_loss(struct buffer *b, const struct tl_record *r, uint64_t last,
		     long long missed)
{
	tl_kernel_gap(&b->kernel, r->cpu, last);
	tl_kernel_lost(&b->kernel, r->cpu, r->ns, missed);
}

/* Switches and wakeups, not when a process begins or ends. */
static bool is_scheduling(const struct tep_event *tep)
{
	return !strcmp(tep->system, "sched") &&
	       strncmp(tep->name, "sched_process_", 14) != 0;
}

/*
 * Each buffer has all switches, and so has another capture: those of two would be a
 * switch to oneself.
 */
static bool is_of(const struct export *x, struct cached *c, struct buffer *b)
{
	if (!is_scheduling(c->tep))
		return true;
	if (!x->capture->switches)
		return false;
	if (!c->from)
		c->from = b;
	b->left_out += c->from != b;
	return c->from == b;
}

static struct buffer *find_buffer(const struct export *x,
				  const struct tracecmd_input *handle)
{
	struct buffer *b = x->buffers;

	while (b->handle != handle)
		b++;
	return b;
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
	struct buffer *b = find_buffer(x, handle);
	struct tep_handle *tep = lib.get_tep(handle);
	struct cached *c = find_event(x, tep, tep_data_type(tep, record));
	struct tl_record r = {
		.ns = record->ts,
		.data = record->data,
		.size = (uint32_t)record->size,
		.pid = tep_data_pid(tep, record),
		.cpu = (unsigned int)record->cpu,
	};
	uint64_t *last;

	if (record->cpu < 0 || record->cpu > UINT16_MAX)
		return fail_on(x->path);
	last = last_of(b, r.cpu);
	if (!last)
		return -ENOMEM;
	if (record->missed_events)
		put_loss(b, &r, *last, record->missed_events);
	*last = r.ns;
	if (!c)
		x->unknown++;
	else if (!c->is_known)
		put_generic(x, c->tep, &r);
	else if (is_of(x, c, b))
		tl_kernel_put(&b->kernel, &c->known, &r);
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

static int read_all(struct export *x, each_record *each, void *data)
{
	struct tracecmd_input **all = calloc((size_t)x->buffer_count + 1,
					     sizeof(struct tracecmd_input *));
	int i, ret;

	if (!all)
		return -ENOMEM;
	for (i = 0; i < x->buffer_count; i++)
		all[i] = x->buffers[i].handle;
	ret = lib.iterate_events_multi(all, i, each, data);
	free(all);
	return ret;
}

static int name_buffer(struct export *x, struct buffer *b, const char *name)
{
	if (asprintf(&b->tool, "trace-cmd%s%s", name ? " buffer " : "",
		     name ?: "") < 0) {
		b->tool = NULL;
		return -ENOMEM;
	}
	b->kernel.packets = &x->packets;
	b->kernel.tool = b->tool;
	return 0;
}

/* Behind the top level's. */
static int add_buffers(struct export *x, int count)
{
	struct tracecmd_input *file = x->buffers->handle;
	struct buffer *b = x->buffers;
	const char *name;
	int i, ret = name_buffer(x, b, NULL);

	for (i = 0; i < count && !ret; i++) {
		name = lib.buffer_instance_name(file, i) ?: "?";
		(++b)->handle = lib.buffer_instance_handle(file, i);
		if (!b->handle)
			return tl_fail(EBADMSG, "%s: buffer %s cannot be read",
				       x->path, name);
		x->buffer_count++;
		ret = name_buffer(x, b, name);
	}
	return ret;
}

static int open_buffers(struct export *x, struct tracecmd_input *file)
{
	int count = lib.buffer_instances(file);

	if (count < 0)
		count = 0;
	x->buffers = calloc((size_t)count + 1, sizeof(*x->buffers));
	if (!x->buffers)
		return -ENOMEM;
	x->file = x->buffers->handle = file;
	x->buffer_count = 1;
	return add_buffers(x, count);
}

static void say_left_out(const struct export *x)
{
	unsigned long long unknown = x->unknown, arrays = x->arrays;

	if (unknown)
		tl_warn("%s: %llu record%s left out, of events that it does "
			"not describe",
			x->path, unknown, unknown == 1 ? "" : "s");
	if (arrays)
		tl_warn("%s: %llu field%s left out that are arrays: a trace "
			"has no place for them",
			x->path, arrays, arrays == 1 ? "" : "s");
}

static void end_buffer(struct export *x, struct buffer *b)
{
	unsigned long long left_out = b->left_out;

	tl_kernel_end(&b->kernel);
	take(x);
	if (left_out)
		tl_warn("%s: %s: %llu record%s of the scheduler left out: "
			"those "
			"of another buffer are shown",
			x->path, b->tool, left_out, left_out == 1 ? "" : "s");
}

static void free_export(struct export *x)
{
	struct buffer *b = x->buffers + x->buffer_count;

	while (b-- > x->buffers) {
		lib.close(b->handle);
		tl_kernel_free(&b->kernel);
		free(b->tool);
		free(b->last);
	}
	free(x->buffers);
	tl_buf_free(&x->packets.buf);
	free(x->events);
}

/* Opened as the caller; records are read without privileges. */
static int open_file(struct export *x)
{
	/* in two steps: tracecmd_open() crashes where the second one fails */
	struct tracecmd_input *file = lib.open_head(x->path, NO_PLUGINS);
	int ret;

	if (!file)
		return fail_on(x->path);
	ret = tl_cap_drop(0);
	/* to close it then crashes, too: it ends with this child */
	if (!ret && lib.init_data(file) < 0)
		return fail_on(x->path);
	return ret ?: open_buffers(x, file);
}

static bool is_one_of(const char *word, const char *const *list)
{
	while (*list && strcmp(*list, word) != 0)
		list++;
	return *list;
}

/* What is no time has no place, and other times than that of tools are beside it. */
static int check_clock(const struct export *x)
{
	static const char *const no_times[] = { "counter", "uptime", NULL };
	static const char *const cycles[] = { "x86-tsc", "ppc-tb", NULL };
	const char *clock =
		extra.get_trace_clock ? extra.get_trace_clock(x->file) : NULL;

	if (!clock || !*clock)
		clock = "local"; /* the kernel's default */
	if (is_one_of(clock, no_times))
		return tl_fail(EINVAL,
			       "%s: its trace clock is \"%s\", which has no "
			       "nanoseconds: trace-cmd record -C mono",
			       x->path, clock);
	if (is_one_of(clock, cycles))
		tl_warn("%s: its trace clock is \"%s\": times are cycles, but "
			"for trace-cmd record -C tsc2nsec",
			x->path, clock);
	else if (!x->capture->alone && strcmp(clock, "mono") != 0)
		tl_warn("%s: its trace clock is \"%s\", that of tools "
			"\"mono\": "
			"times of one beside the other can be off by "
			"milliseconds and more; trace-cmd record -C mono",
			x->path, clock);
	return 0;
}

static int export_file(struct export *x)
{
	int i, ret = open_file(x) ?: check_clock(x);

	if (ret)
		return ret;
	put_system(x);
	ret = read_all(x, on_record, x);
	for (i = 0; i < x->buffer_count; i++)
		end_buffer(x, &x->buffers[i]);
	say_left_out(x);
	return ret;
}

/* ---- its child -------------------------------------------------------- */

/* How it ends. */
enum { DONE, FAILED, HAS_NONE };

static int finish(struct export *x, int ret)
{
	if (ret == -ENOMEM)
		tl_warn("out of memory");
	free_export(x);
	return ret < 0 ? FAILED : DONE;
}

static int export_here(struct tl_session *s,
		       const struct tl_timeline_capture *c)
{
	struct export x = { .s = s,
			    .path = c->path,
			    .capture = c,
			    .packets = { .sequence = c->number } };
	int ret = export_file(&x);

	if (!ret)
		ret = tl_flush(s);
	/* the reader has what it wanted */
	return finish(&x, ret == -EPIPE ? 0 : ret);
}

static int on_switch(struct tracecmd_input *handle, struct tep_record *record,
		     int cpu, void *data)
{
	const struct tep_event *e = data;

	return tep_data_type(lib.get_tep(handle), record) == e->id;
}

static int look_here(const char *path)
{
	struct export x = { .path = path };
	struct tep_event *e = NULL;
	int ret = open_file(&x);
	bool has;

	if (!ret)
		e = tep_find_event_by_name(lib.get_tep(x.file), "sched",
					   "sched_switch");
	if (e)
		ret = read_all(&x, on_switch, e);
	has = ret > 0;
	ret = finish(&x, ret);
	return ret == DONE && !has ? HAS_NONE : ret;
}

static int wait_for(pid_t pid, const char *path)
{
	int status = tl_child_wait(pid);

	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	tl_warn("%s: damaged: libtracecmd was ended by signal %d", path,
		WTERMSIG(status));
	return FAILED;
}

/*
 * As some damaged files have the library crash.
 * @c: to be exported, to the output of @s; NULL: the file is looked at
 */
static int in_child(const char *path, struct tl_session *s,
		    const struct tl_timeline_capture *c)
{
	pid_t pid;

	/* it does not say why it could not open one */
	if (access(path, R_OK))
		tl_warn("%s: %s", path, strerror(errno));
	else if (load_library())
		return FAILED;
	else if ((pid = tl_child_fork()) > 0)
		return wait_for(pid, path);
	else if (pid < 0)
		tl_warn("fork: %s", strerror(errno));
	else
		_exit(c ? export_here(s, c) : look_here(path));
	return FAILED;
}

int tl_timeline_look(const char *path, bool *switches)
{
	int is = in_child(path, NULL, NULL);

	*switches = is == DONE;
	return is == FAILED ? -EBADMSG : 0;
}

int tl_timeline_export(struct tl_session *s,
		       const struct tl_timeline_capture *c)
{
	int ret = tl_flush(s);

	if (ret)
		return ret;
	return in_child(c->path, s, c) == DONE ? 0 : -EIO;
}
