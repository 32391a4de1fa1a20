// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usercalls.c - calls of functions of the C library, from entry to return
 *
 * A call and its return have the same stack pointer.  So a return finds its call, and a
 * call or return with a higher one tells that others were left, as by longjmp(3).  What the
 * library calls below an open call is part of that; what others call there is a call of
 * its own: the open one may have been left long ago.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/message.h"
#include "base/part.h"
#include "base/recording.h"
#include "base/session.h"
#include "elf/clibraries.h"
#include "elf/nsroot.h"
#include "elf/object.h"
#include "probe/probe.h"
#include "probe/udef.h"
#include "probe/uprobe.h"
#include "record/cgroup.h"
#include "record/event.h"
#include "tracelet/kprobe.h"
#include "tracelet/message.h"
#include "tracelet/pairs.h"
#include "tracelet/uprobe.h"
#include "tracelet/usercalls.h"

#define CALLS_MAX 65536
#define STACK     "sp=$stack:u64"
#define RETURN    "_return"
#define PAGE      4096

/* A file that was looked at. */
struct file {
	struct file *next;
	struct tl_object *object;
};

struct usercalls {
	struct tl_part part;
	const struct tl_user_calls_config *config;
	struct file *files;
	bool has_probes;
	struct tl_pairs *open; /* struct call, by thread */
};

/* An event of one function. */
struct place {
	struct tl_event_part part;
	const struct tl_user_function *function;
	struct tl_field sp, ip; /* ip: of a call */
	bool is_return;
	/* how much code of the file is before the function, and from it on; 0: not known */
	uint64_t before, after;
};

/* A call that a thread is in, as far as is known; its older ones come first. */
struct call {
	const struct tl_user_function *function;
	uint64_t sp;
	struct tl_record entry; /* a copy */
};

static const struct tl_event_part_ops place_ops = { .free = free };

static void free_call(void *data)
{
	free((char *)((struct call *)data)->entry.data);
}

static void free_calls(void *part)
{
	struct usercalls *all = part;
	struct file *f;

	while ((f = all->files)) {
		all->files = f->next;
		tl_object_close(f->object);
		free(f);
	}
	tl_pairs_free(all->open);
	free(all);
}

static void on_lost(struct tl_session *s, void *part, unsigned int cpu)
{
	tl_pairs_clear(((struct usercalls *)part)->open);
}

/* Reports the open calls of a thread below @sp in its stack as left. */
static void tell_left(struct tl_session *s, struct usercalls *all, pid_t tid,
		      uint64_t sp, uint64_t ns)
{
	struct call *call = tl_pairs_get(all->open, tid), *next;

	for (; call; call = next) {
		next = tl_pairs_next(call);
		if (call->sp >= sp)
			continue;
		all->config->done(s, &(struct tl_user_call){
					     call->function, call->entry.ns, ns,
					     &call->entry, NULL });
		tl_pairs_remove(all->open, call);
	}
}

static void on_task(struct tl_session *s, void *part, pid_t tid,
		    enum tl_task_change change, uint64_t ns)
{
	struct usercalls *all = part;

	if (change == TL_TASK_ENDED)
		tell_left(s, all, tid, UINT64_MAX, ns);
	while (change != TL_TASK_RENAMED && tl_pairs_get(all->open, tid))
		tl_pairs_drop(all->open, tid);
}

static const struct tl_part_ops calls_ops = { .lost = on_lost,
					      .task = on_task,
					      .free = free_calls };

/* ---- records ---------------------------------------------------------- */

/*
 * The address to return to is the kernel's, of the page where a probe on the return of
 * an outer call has it go on, so this is that one's tail call.
 */
static bool is_tail_called(uint64_t caller)
{
	return !(caller % PAGE);
}

/* Whether a function of the same file called, or it is not known who did. */
static bool is_of_library(const struct place *p, const struct tl_record *r)
{
	uint64_t ip = (uint64_t)tl_field_num(r, &p->ip);
	uint64_t caller = tl_probe_caller(r);

	if (is_tail_called(caller) || !p->after)
		return true;
	return caller < ip ? ip - caller <= p->before : caller - ip < p->after;
}

/*
 * Whether another function ends with a tail call of this one, so that both have the same
 * stack pointer: else the open call there was left.
 */
static bool continues_another(struct usercalls *all, const struct place *p,
			      const struct tl_record *r, uint64_t sp)
{
	struct call *call = tl_pairs_get(all->open, r->pid);

	while (call && (call->sp != sp || call->function == p->function))
		call = tl_pairs_next(call);
	return call && is_tail_called(tl_probe_caller(r));
}

static void on_entry(struct tl_session *s, struct usercalls *all,
		     const struct place *p, const struct tl_record *r)
{
	uint64_t sp = (uint64_t)tl_field_num(r, &p->sp);
	struct call *call;
	char *data;

	tell_left(s, all, r->pid, sp + !continues_another(all, p, r, sp),
		  r->ns);
	if (tl_pairs_get(all->open, r->pid) && is_of_library(p, r))
		return;
	data = malloc(r->size);
	call = data ? tl_pairs_add(all->open, r->pid) : NULL;
	if (!call) {
		free(data);
		return;
	}
	memcpy(data, r->data, r->size);
	call->function = p->function;
	call->sp = sp;
	call->entry = *r;
	call->entry.data = data;
}

/* Where a call pushes the address to return to, that is off the stack then. */
static bool is_return_of(const struct call *call, const struct place *p,
			 uint64_t sp)
{
	return p->function == call->function && sp >= call->sp &&
	       sp - call->sp <= sizeof(uint64_t);
}

static void on_return(struct tl_session *s, struct usercalls *all,
		      const struct place *p, const struct tl_record *r)
{
	uint64_t sp = (uint64_t)tl_field_num(r, &p->sp);
	struct call *call = tl_pairs_get(all->open, r->pid);

	while (call && !is_return_of(call, p, sp))
		call = tl_pairs_next(call);
	if (!call)
		return;
	tell_left(s, all, r->pid, call->sp, r->ns);
	all->config->done(s,
			  &(struct tl_user_call){ p->function, call->entry.ns,
						  r->ns, &call->entry, r });
	tl_pairs_remove(all->open, call);
}

static void on_record(struct tl_session *s, const struct tl_record *r)
{
	struct usercalls *all = tl_part_find(s, &calls_ops);
	const struct place *p = tl_event_part_find(r->event, &place_ops);

	if (!p)
		return;
	if (p->is_return)
		on_return(s, all, p, r);
	else
		on_entry(s, all, p, r);
}

/* ---- probes ----------------------------------------------------------- */

static const struct tl_user_function *find_function(const struct usercalls *all,
						    const char *title)
{
	const struct tl_user_function *f = all->config->functions;
	size_t len;

	for (; f->name; f++) {
		len = strlen(f->name);
		if (!strncmp(title, f->name, len) &&
		    (!title[len] || !strcmp(title + len, RETURN)))
			return f;
	}
	return NULL;
}

/* A text of the recording; what reads a capture has no files. */
static void key_of(char key[PATH_MAX + 96], const struct tl_event *ev)
{
	snprintf(key, PATH_MAX + 96, "code around %s", tl_probe_of(ev)->place);
}

static void recall_code(const struct tl_session *s, struct place *p,
			const struct tl_event *ev)
{
	char key[PATH_MAX + 96];
	const char *text;

	key_of(key, ev);
	text = tl_recording_text(s->recording, key, NULL);
	if (text)
		sscanf(text, "%" SCNu64 " %" SCNu64, &p->before, &p->after);
}

static void note_code(struct tl_session *s, const struct tl_object *o,
		      uint64_t offset, const struct tl_event *ev)
{
	struct place *p = tl_event_part_find(ev, &place_ops);
	const struct tl_segment *code = tl_object_code(o, offset);
	char key[PATH_MAX + 96];

	if (code) {
		p->before = offset - code->offset;
		p->after = code->size - p->before;
	}
	key_of(key, ev);
	tl_recording_notef(s->recording, key, "%" PRIu64 " %" PRIu64, p->before,
			   p->after);
}

static int added(struct tl_session *s, struct tl_event *ev, const char *name)
{
	const struct usercalls *all = tl_part_find(s, &calls_ops);
	const struct tl_user_function *f = find_function(all, ev->title);
	struct place *p;

	if (!f)
		return tl_fail(EBADMSG, "%s: no such function is traced",
			       ev->title);
	p = calloc(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	tl_event_part_add(ev, &place_ops, p);
	p->function = f;
	p->is_return = tl_probe_of(ev)->is_return;
	if (!p->is_return)
		recall_code(s, p, ev);
	return (p->is_return ? 0 : tl_event_field(s, ev, "__probe_ip", &p->ip))
		       ?: tl_event_field(s, ev, "sp", &p->sp);
}

static int add_probe(struct tl_session *s, struct tl_object *o, uint64_t offset,
		     const struct tl_user_function *f, bool is_return)
{
	struct tl_buf name = { 0 }, args = { 0 };
	struct tl_udef d = { .type = is_return ? 'r' : 'p', .symbol = f->name };
	struct tl_event *ev = NULL;
	char *fetch = NULL;
	int ret;

	tl_buf_printf(&name, "%s%s", f->name, is_return ? RETURN : "");
	tl_buf_printf(&args, STACK " %s", is_return ? f->retval : f->args);
	errno = ENOMEM;
	if (!name.failed && !args.failed) {
		d.args = args.data;
		fetch = tl_udef_fetch(&d, o, NULL);
	}
	if (fetch)
		ev = tl_uprobe_add(s, is_return ? "r" : "p", name.data, o,
				   offset, 0, fetch, on_record);
	free(fetch);
	tl_buf_free(&args);
	tl_buf_free(&name);
	ret = ev ? added(s, ev, f->name) : -errno;
	if (!ret && !is_return)
		note_code(s, o, offset, ev);
	return ret;
}

/* A file may have only some of them. */
static bool find_quietly(struct tl_object *o, const char *name,
			 uint64_t *offset)
{
	struct tl_buf said = { 0 }, *before = tl_message_keep(&said);
	bool found = !tl_object_symbol(o, name, offset);

	tl_message_keep(before);
	tl_buf_free(&said);
	return found;
}

/* How many functions of @o there are, or -errno after a message. */
static int add_functions(struct tl_session *s, const struct usercalls *all,
			 struct tl_object *o)
{
	const struct tl_user_function *f = all->config->functions;
	uint64_t offset;
	int count = 0, ret = tl_object_check_probes(o);

	for (; f->name && !ret; f++) {
		if (!find_quietly(o, f->name, &offset))
			continue;
		count++;
		ret = add_probe(s, o, offset, f, false)
			      ?: add_probe(s, o, offset, f, true);
	}
	return ret ?: count;
}

/* ---- files ------------------------------------------------------------ */

struct adding {
	struct tl_session *s;
	struct usercalls *all;
	bool of_asked; /* the user named its process, not only a cgroup */
};

static bool has_file(const struct usercalls *all, const char *path)
{
	const struct file *f = all->files;

	while (f && !tl_root_same(tl_object_path(f->object), path))
		f = f->next;
	return f;
}

/* Takes @o, which is to live as long as the session. */
static int keep(struct usercalls *all, struct tl_object *o)
{
	struct file *f = malloc(sizeof(*f));

	if (!f) {
		tl_object_close(o);
		return -ENOMEM;
	}
	*f = (struct file){ all->files, o };
	all->files = f;
	return 0;
}

/* Takes @o; -ENOENT, without a message, when it has none of the functions. */
static int add_object(const struct adding *a, struct tl_object *o)
{
	int count, ret;

	if (has_file(a->all, tl_object_path(o))) {
		tl_object_close(o);
		return 0;
	}
	ret = keep(a->all, o);
	if (ret)
		return ret;
	count = add_functions(a->s, a->all, o);
	a->all->has_probes |= count > 0;
	return count > 0 ? 0 : count ?: -ENOENT;
}

static bool has_functions(const struct usercalls *all, struct tl_object *o)
{
	uint64_t offset;

	return find_quietly(o, all->config->functions->name, &offset);
}

/* What is no library or program, not of this machine, or gone. */
static bool is_unusable(int err)
{
	return err == ENOENT || err == ESRCH || err == EACCES || err == ELOOP ||
	       err == ENOEXEC || err == EINVAL || err == EISDIR;
}

/* Without a message, and 0 in errno, where nobody asked for @path and it is unusable. */
static struct tl_object *open_found(const struct adding *a, const char *path)
{
	struct tl_buf said = { 0 }, *before;
	struct tl_object *o;
	int err;

	if (a->of_asked)
		return tl_object_open(path);
	before = tl_message_keep(&said);
	o = tl_object_open(path);
	err = errno;
	tl_message_keep(before);
	tl_buf_free(&said);
	if (!o && !is_unusable(err))
		return tl_object_open(path);
	errno = 0;
	return o;
}

/*
 * A program of a process has them only if the C library is linked in.  Where a 32-bit
 * one has its arguments is not known.
 */
static int add_found(void *ctx, const char *path)
{
	const struct adding *a = ctx;
	struct tl_object *o = open_found(a, path);
	int ret;

	if (!o)
		return -errno;
	if (tl_object_is_native(o)) {
		ret = add_object(a, o);
		return ret == -ENOENT ? 0 : ret;
	}
	if (has_functions(a->all, o))
		tl_warn("%s is of another word size than the kernel: its calls "
			"are not shown",
			path);
	tl_object_close(o);
	return 0;
}

static int add_of_process(void *ctx, pid_t pid)
{
	return tl_c_libraries_of(pid, add_found, ctx);
}

static int add_of_processes(struct adding *a)
{
	const struct tl_settings *set = &a->s->set;
	const struct tl_pids *pids = set->pid.count ? &set->pid : &set->tid;
	unsigned int i;
	int ret = 0;

	if (set->cgroup)
		return tl_cgroup_processes(set->cgroup, add_of_process, a);
	a->of_asked = true;
	for (i = 0; i < pids->count && !ret; i++)
		ret = add_of_process(a, pids->list[i]);
	a->of_asked = false;
	return ret;
}

/* Those of the system too, where other programs may be executed, or join. */
static int add_all_found(struct adding *a)
{
	const struct tl_settings *set = &a->s->set;
	bool fixed = (set->pid.count || set->tid.count) && !set->follow;
	int ret = add_of_processes(a);

	return ret || fixed ? ret : tl_c_libraries_of_system(add_found, a);
}

static int add_asked(const struct adding *a, const char *target)
{
	struct tl_object *o = tl_object_asked(a->s, target);
	int ret;

	if (!o)
		return -errno;
	if (!tl_object_is_native(o)) {
		tl_object_close(o);
		return tl_fail(ENOTSUP,
			       "%s is of another word size than the kernel: "
			       "its calls cannot be shown",
			       target);
	}
	ret = add_object(a, o);
	if (ret == -ENOENT)
		return tl_fail(ENOENT,
			       "%s has no %s or the like in its symbols",
			       target, a->all->config->functions->name);
	return ret;
}

static int add_files(struct tl_session *s, void *ctx)
{
	struct adding a = { .s = s, .all = ctx };
	const struct tl_user_calls_config *config = a.all->config;
	unsigned int i;
	int ret = 0;

	if (!config->count)
		ret = add_all_found(&a);
	for (i = 0; i < config->count && !ret; i++)
		ret = add_asked(&a, config->files[i]);
	if (!ret && !a.all->has_probes)
		return tl_fail(ENOENT, "no C library was found: give its file, "
				       "or that of a program that has it "
				       "linked in");
	return ret;
}

int tl_user_calls_open(struct tl_session *s,
		       const struct tl_user_calls_config *config)
{
	const struct tl_kprobe_config again = { .handler = on_record,
						.added = added };
	struct usercalls *all = tl_part_new(s, &calls_ops, sizeof(*all));

	if (!all)
		return -ENOMEM;
	all->config = config;
	all->open = tl_pairs_new(sizeof(struct call), CALLS_MAX, free_call);
	if (!all->open)
		return -ENOMEM;
	return tl_uprobe_callers(s)
		       ?: tl_uprobes_define(s, &again, add_files, all);
}
