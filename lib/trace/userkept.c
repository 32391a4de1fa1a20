// SPDX-License-Identifier: GPL-2.0-or-later
/* userkept.c - functions of processes in captures */
#include "trace/userkept.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/part.h"
#include "base/recording.h"
#include "probe/probe.h"
#include "probe/uprobe.h"
#include "record/event.h"
#include "run/run.h"
#include "trace/userlive.h"
#include "trace/usertable.h"
#include "tracelet/message.h"
#include "tracelet/pairs.h"
#include "tracelet/task.h"

#define KEY "user symbols" /* in a capture */

/* threads whose stack has not come yet */
#define MAX_HITS 8192
/* events that the library records for itself */
#define MAX_OWN 8
/* the oldest go: what they run is looked up again */
#define MAX_PROGRAMS 4096
/* of probes in one program */
#define MAX_PLACES 16
/* stacks that were looked up: a power of two */
#define MAX_STACKS 16384

/* What a thread's next stack is of. */
struct hit {
	struct tl_user_place at; /* of a probe; else all 0 */
	uint64_t caller;         /* of the probed function; or 0 */
	bool is_own;             /* an event that no tool shows */
};

/* A file, and where its first byte would be. */
struct place {
	const struct tl_object *object;
	uint64_t base;
};

/* A stack whose names are there. */
struct looked_up {
	uint64_t hash, until; /* ns: then there may be better ones */
};

/* What a process runs. */
struct program {
	struct place places[MAX_PLACES]; /* of its hits */
	unsigned int place_count;
	dev_t dev;           /* of its file */
	ino_t ino;           /* 0: not known */
	unsigned int losses; /* that there had been when that was read */
	uint64_t began;      /* ns: its names count from then on */
	uint64_t again;      /* ns: until then some are not asked for again */
};

struct own_event {
	const struct tl_event *ev;
	tl_handler *watcher;
};

struct kept {
	struct tl_part part;
	struct tl_user_names *names; /* NULL: the capture has none */
	bool lacks;                  /* names, as was said */
	bool replays;
	unsigned int losses;

	/* while a capture is written */
	struct tl_user_table *table;
	struct tl_stack_fields fields;
	struct tl_pairs *hits;     /* by thread: struct hit */
	struct tl_pairs *programs; /* by process: struct program */
	struct looked_up *stacks;  /* by hash */
	struct own_event own[MAX_OWN];
	unsigned int own_count;
};

static const struct tl_part_ops kept_ops;

static struct kept *kept(const struct tl_session *s)
{
	return tl_part_find(s, &kept_ops);
}

/* ---- writing ---------------------------------------------------------- */

/* Whether it may have a better name in a moment. */
static bool look_up(struct tl_session *s, struct kept *k,
		    const struct tl_user_place *at,
		    const struct tl_user_address *a)
{
	bool again;
	struct tl_user_symbol sym;
	int ret;

	if (tl_user_table_has(k->table, a))
		return false;
	ret = tl_user_live_symbol(s, at, a, &sym);
	/* what the place does not fit may have a name once it is read again */
	again = ret == -EAGAIN || !sym.function;
	tl_user_table_add(k->table, a, &sym, again);
	return again;
}

/* One that a capture looks at for its threads once more is none of the loop's. */
static bool is_seen(const struct tl_session *s, const struct tl_record *r)
{
	return !tl_tasks_is_snapshot(s) && r->pid != tl_tasks_self(s);
}

static uint64_t frame_of(const struct tl_record *r, const struct tl_field *f,
			 size_t i)
{
	uint64_t addr = 0;

	if (i < f->size / sizeof(addr) &&
	    f->offset + (i + 1) * sizeof(addr) <= r->size)
		memcpy(&addr, r->data + f->offset + i * sizeof(addr),
		       sizeof(addr));
	return addr;
}

/* Whether there is more than the first frame, of @process's own. */
static bool goes_on(struct tl_session *s, struct kept *k, pid_t process,
		    const struct tl_record *r)
{
	const bool walked = tl_user_live_is_walked(s, process, r->ns);

	tl_user_table_walked(k->table, process, r->ns, walked);
	return walked;
}

/* The one of @p that begins where @base is; NULL: none does. */
static struct place *place_at(struct program *p, uint64_t base)
{
	unsigned int i;

	for (i = 0; i < p->place_count; i++)
		if (p->places[i].base == base)
			return &p->places[i];
	return NULL;
}

static void put_place(struct program *p, const struct place *place)
{
	struct place *at = place_at(p, place->base);

	if (!at && p->place_count == MAX_PLACES)
		p->place_count = 0;
	*(at ?: &p->places[p->place_count++]) = *place;
}

static void end_names(struct kept *k, struct program *p,
		      const struct tl_user_address *a)
{
	tl_user_table_end(k->table, a->process, a->ns);
	p->began = a->ns;
}

/*
 * Where a probe is hit tells that a process has mapped something else, as it tells
 * tl_user_live_symbol(): what was named before need not be there any more.
 */
static void check_place(struct kept *k, struct program *p,
			const struct tl_user_place *at,
			const struct tl_user_address *a)
{
	const struct place place = { at->object, at->addr - at->offset };
	const struct place *known = place_at(p, place.base);

	if (!at->object || (known && known->object == place.object))
		return;
	put_place(p, &place);
	end_names(k, p, a);
}

static void read_file(struct program *p, pid_t process)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/exe", process);
	if (stat(path, &st))
		st.st_dev = st.st_ino = 0;
	p->dev = st.st_dev;
	p->ino = st.st_ino;
}

/*
 * Among the records that were lost there can be one of fork or exec.  Of what runs the same
 * file still all names stay: to look all up again costs more records.
 */
static void check_file(struct kept *k, struct program *p,
		       const struct tl_user_address *a)
{
	const dev_t dev = p->dev;
	const ino_t ino = p->ino;

	if (p->losses == k->losses)
		return;
	p->losses = k->losses;
	read_file(p, a->process);
	if (p->ino && p->ino == ino && p->dev == dev)
		return;
	end_names(k, p, a);
	p->place_count = 0;
}

/* NULL without memory. */
static struct program *get_program(struct kept *k,
				   const struct tl_user_address *a)
{
	struct program *p = tl_pairs_get(k->programs, a->process);

	if (p) {
		check_file(k, p, a);
		return p;
	}
	/* one that had no place here any more may be there still */
	tl_user_table_end(k->table, a->process, a->ns);
	p = tl_pairs_put(k->programs, a->process);
	if (!p)
		return NULL;
	read_file(p, a->process);
	p->losses = k->losses;
	p->began = a->ns;
	return p;
}

static uint64_t mixed(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
	return hash ^ hash >> 29;
}

/* Of all that its names depend on. */
static uint64_t hash_of(const struct kept *k, const struct program *p,
			const struct hit *hit, const struct tl_record *r,
			pid_t process)
{
	uint64_t hash = mixed(p->began, (uint32_t)process), addr;
	size_t i;

	hash = mixed(hash, tl_user_table_forgotten(k->table));
	hash = mixed(hash, hit->caller);
	for (i = 0; (addr = frame_of(r, &k->fields.frames, i)); i++)
		hash = mixed(hash, addr);
	return hash;
}

/* False: some frames are not the program's. */
static bool look_up_frames(struct tl_session *s, struct kept *k,
			   const struct hit *hit, const struct tl_record *r,
			   struct tl_user_address *a, bool *again)
{
	size_t i;

	for (i = 0; (a->addr = frame_of(r, &k->fields.frames, i)); i++) {
		if (i == 1 && !goes_on(s, k, a->process, r))
			break;
		a->is_return = i > 0;
		*again |= look_up(s, k, &hit->at, a);
	}
	return !a->addr;
}

/* Who called the probed function: the stack lacks it. */
static void look_up_caller(struct tl_session *s, struct kept *k,
			   const struct hit *hit, struct tl_user_address *a,
			   bool *again)
{
	a->addr = hit->caller;
	a->is_return = true;
	if (a->addr)
		*again |= look_up(s, k, &hit->at, a);
}

static void look_up_all(struct tl_session *s, struct kept *k,
			const struct hit *hit, const struct tl_record *r)
{
	struct tl_user_address a = {
		.process = (pid_t)tl_field_num(r, &k->fields.process),
		.addr = frame_of(r, &k->fields.frames, 0),
		.ns = r->ns,
	};
	struct program *p = get_program(k, &a);
	struct looked_up *known;
	bool again = false, is_whole;
	uint64_t hash;

	if (!p)
		return;
	check_place(k, p, &hit->at, &a);
	hash = hash_of(k, p, hit, r, a.process);
	known = &k->stacks[hash & (MAX_STACKS - 1)];
	/* that the table has the first one counts its program as seen */
	if (known->hash == hash && a.ns < known->until &&
	    tl_user_table_has(k->table, &a))
		return;
	is_whole = look_up_frames(s, k, hit, r, &a, &again);
	look_up_caller(s, k, hit, &a, &again);
	if (again)
		p->again = a.ns + TL_USER_AGAIN_NS;
	if (is_whole)
		*known = (struct looked_up){ hash, a.ns < p->again
							   ? p->again
							   : UINT64_MAX };
}

/*
 * The kernel records a stack behind each event.  Those behind the library's own are not shown,
 * and exec renames its thread while its mappings are not complete.
 */
static bool is_shown(const struct tl_session *s, const struct hit *hit)
{
	return hit ? !hit->is_own : !tl_stacks_are_user(s);
}

static void on_stack(struct tl_session *s, const struct tl_record *r)
{
	static const struct hit none;
	struct kept *k = kept(s);
	const struct hit *hit;

	if (!is_seen(s, r))
		return;
	hit = tl_pairs_get(k->hits, r->pid);
	if (is_shown(s, hit))
		look_up_all(s, k, hit ?: &none, r);
	tl_pairs_drop(k->hits, r->pid);
}

/* In rows a probe's place tells which program that was. */
static void on_hit(struct tl_session *s, const struct tl_record *r)
{
	struct kept *k = kept(s);
	struct hit *hit = is_seen(s, r) ? tl_pairs_put(k->hits, r->pid) : NULL;

	if (!hit)
		return;
	if (tl_stacks_are_user(s))
		hit->at = tl_uprobe_place(r);
	hit->caller = tl_probe_caller(r);
}

static tl_handler *watcher_of(const struct kept *k, const struct tl_event *ev)
{
	unsigned int i = 0;

	while (k->own[i].ev != ev)
		i++;
	return k->own[i].watcher;
}

static void on_own(struct tl_session *s, const struct tl_record *r)
{
	struct kept *k = kept(s);
	struct hit *hit = is_seen(s, r) ? tl_pairs_put(k->hits, r->pid) : NULL;

	if (hit)
		hit->is_own = true;
	watcher_of(k, r->event)(s, r);
}

static void watch_own(struct kept *k, struct tl_event *ev)
{
	if (k->own_count == MAX_OWN)
		return;
	k->own[k->own_count++] = (struct own_event){ ev, ev->watcher };
	ev->watcher = on_own;
}

/* Probes are the tool's, and have no other watcher. */
static int watch_hits(struct tl_session *s, void *part)
{
	struct kept *k = part;
	struct tl_event *ev = s->events->first;
	const struct tl_probe *probe;

	for (; ev && !k->replays; ev = ev->next) {
		probe = tl_probe_of(ev);
		if (probe && probe->is_user && !ev->watcher)
			ev->watcher = on_hit;
		else if (ev->watcher && !ev->handler && !ev->is_made)
			watch_own(k, ev);
	}
	return 0;
}

static void on_task(struct tl_session *s, void *part, pid_t tid,
		    enum tl_task_change change, uint64_t ns)
{
	struct kept *k = part;

	if (k->replays || (change != TL_TASK_NEW && change != TL_TASK_RENAMED))
		return;
	tl_user_table_end(k->table, tid, ns);
	tl_pairs_drop(k->programs, tid);
}

static void on_lost(struct tl_session *s, void *part, unsigned int cpu)
{
	struct kept *k = part;

	k->losses++;
	if (k->hits)
		tl_pairs_clear(k->hits);
}

static void keep_file(struct tl_session *s, void *part, uint64_t since,
		      struct tl_buf *to)
{
	struct kept *k = part;
	struct tl_buf b = { 0 };
	const uint64_t missing = tl_user_table_save(k->table, since, &b);

	if (missing)
		tl_warn("%s: %llu frames in programs have no names, as there "
			"were too many",
			s->set.write, (unsigned long long)missing);
	if (!b.failed)
		tl_recording_save_text(to, KEY, b.data, b.len);
	to->failed |= b.failed;
	tl_buf_free(&b);
}

/* ---- reading ---------------------------------------------------------- */

static void open_names(struct tl_session *s, struct kept *k)
{
	size_t len;
	const char *text = tl_recording_text(s->recording, KEY, &len);

	k->names = text ? tl_user_names_load(text, len) : NULL;
	k->lacks = text && !k->names;
	if (k->lacks)
		tl_warn("%s: names of functions in programs: %s", s->set.read,
			errno == EBADMSG ? "damaged" : strerror(errno));
}

static void say_lacking(struct tl_session *s, struct kept *k)
{
	if (!k->lacks)
		tl_warn("%s: the capture has no names of functions in programs",
			s->set.read);
	k->lacks = true;
}

void tl_user_kept_symbol(struct tl_session *s, const struct tl_user_address *a,
			 struct tl_user_symbol *sym)
{
	struct kept *k = kept(s);

	*sym = (struct tl_user_symbol){ .offset = a->addr };
	if (k->names)
		tl_user_names_find(k->names, a, sym);
	else
		say_lacking(s, k);
}

bool tl_user_kept_is_walked(struct tl_session *s, pid_t process, uint64_t ns)
{
	const struct kept *k = kept(s);

	return !k->names || tl_user_names_is_walked(k->names, process, ns);
}

/* ---- the part --------------------------------------------------------- */

static void free_kept(void *part)
{
	struct kept *k = part;

	tl_user_table_free(k->table);
	tl_user_names_free(k->names);
	tl_pairs_free(k->hits);
	tl_pairs_free(k->programs);
	free(k->stacks);
	free(k);
}

static const struct tl_part_ops kept_ops = { .prepare = watch_hits,
					     .task = on_task,
					     .lost = on_lost,
					     .keep_file = keep_file,
					     .free = free_kept };

int tl_user_kept_open(struct tl_session *s)
{
	struct kept *k = tl_part_new(s, &kept_ops, sizeof(*k));

	if (!k)
		return -ENOMEM;
	k->replays = tl_recording_replays(s->recording);
	if (k->replays) {
		open_names(s, k);
		return 0;
	}
	k->table = tl_user_table_new(s->set.last);
	k->hits = tl_pairs_new(sizeof(struct hit), MAX_HITS, NULL);
	k->programs = tl_pairs_new(sizeof(struct program), MAX_PROGRAMS, NULL);
	k->stacks = calloc(MAX_STACKS, sizeof(*k->stacks));
	if (!k->table || !k->hits || !k->programs || !k->stacks)
		return -ENOMEM;
	tl_run_look(s);
	return 0;
}

void tl_user_kept_see(struct tl_session *s, struct tl_event *ev,
		      const struct tl_stack_fields *fields)
{
	struct kept *k = kept(s);

	if (!k || k->replays)
		return;
	k->fields = *fields;
	ev->watcher = on_stack;
}
