// SPDX-License-Identifier: GPL-2.0-or-later
/* userlive.c - functions of processes by address, from what processes have mapped now */
#include "trace/userlive.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/part.h"
#include "base/proc.h"
#include "elf/maps.h"
#include "elf/object.h"
#include "elf/perfmap.h"
#include "elf/vdso.h"
#include "record/event.h"
#include "tracelet/pairs.h"
#include "tracelet/run.h"
#include "tracelet/task.h"

#define MAX_PROCESSES 1024
/* that are told of; a program with more is read when it is asked for */
#define MAX_MAPPINGS 10000
/* processes that were forked one from another, and have ended */
#define MAX_FORKS 8
/* code that a compiler makes at run time has no file: not read for each */
#define READ_AGAIN_NS 10000000

/* with their symbols, and descriptors */
#define MAX_OBJECTS 256
/* what could not be opened may be there a second later */
#define OPEN_AGAIN_NS 1000000000

/* a file with code, whatever process has mapped it */
struct file {
	struct file *next;
	uint64_t dev, inode;
	struct stat st;           /* nothing: not known */
	unsigned int mappings;    /* that have it */
	struct tl_object *object; /* NULL: not open */
	int refused;              /* errno of what is wrong with it */
	uint64_t tried_ns, used;
	char *name; /* without directory */
	char path[];
};

/* code in a process */
struct mapping {
	uint64_t start, end, offset;
	struct file *file; /* NULL: it has none */
};

struct process {
	pid_t pid;
	struct mapping *list;
	size_t count;
	uint64_t tried_ns;       /* to read them; 0: not yet */
	uint64_t read_ns;        /* 0: that failed */
	struct tl_perfmap *made; /* by itself; NULL: nobody has asked */
	bool is_new; /* it began in this run, and has executed nothing since */
	bool is_other; /* then it had another program than at the record looked at */
};

struct tl_user_symbols {
	struct tl_part part;
	struct tl_pairs *processes; /* by process id */
	struct file *files;
	unsigned int objects; /* that are open */
	size_t made;          /* bytes, of all processes' */
	uint64_t uses;
	struct tl_object *vdso; /* of 64-bit programs; NULL: there is none */
	uint64_t vdso_size;
	bool asked_vdso; /* else it is not known yet */
	bool unsettled;  /* what is asked for may be known later */
	/* of each mapping since the start: tl_user_mapped() */
	bool told;
	char *nice; /* the name that was asked for last, as it is written */
};

static void drop_mappings(struct process *p)
{
	size_t i;

	for (i = 0; i < p->count; i++)
		if (p->list[i].file)
			p->list[i].file->mappings--;
	p->count = 0;
}

static void drop_process(void *data)
{
	struct process *p = data;

	drop_mappings(p);
	free(p->list);
	tl_perfmap_free(p->made);
}

static void free_user_symbols(void *part)
{
	struct tl_user_symbols *u = part;
	struct file *f;

	tl_pairs_free(u->processes);
	while ((f = u->files)) {
		u->files = f->next;
		tl_object_close(f->object);
		free(f);
	}
	tl_object_close(u->vdso);
	free(u->nice);
	free(u);
}

static struct process *get_process(struct tl_user_symbols *u, pid_t pid)
{
	struct process *p = tl_pairs_get(u->processes, pid)
				    ?: tl_pairs_put(u->processes, pid);

	if (p)
		p->pid = pid;
	return p;
}

/* The mappings of a process may have changed. */
static void on_task(struct tl_session *s, void *part, pid_t tid,
		    enum tl_task_change change, uint64_t ns)
{
	struct tl_user_symbols *u = part;
	struct process *p;

	/* other threads of a process may go on when its first one ends */
	if (change == TL_TASK_ENDED)
		return;
	tl_pairs_drop(u->processes, tid);
	if (change != TL_TASK_NEW || !u->told || tl_task_process(s, tid) != tid)
		return;
	p = get_process(u, tid);
	if (p)
		p->is_new = true;
}

static void on_lost(struct tl_session *s, void *part, unsigned int cpu)
{
	struct tl_user_symbols *u = part;

	u->told = false;
}

static const struct tl_part_ops user_symbols_ops = {
	.lost = on_lost, .task = on_task, .free = free_user_symbols
};

static struct tl_user_symbols *user_symbols(const struct tl_session *s)
{
	return tl_part_find(s, &user_symbols_ops);
}

int tl_user_live_open(struct tl_session *s)
{
	struct tl_user_symbols *u = calloc(1, sizeof(*u));

	if (!u)
		return -ENOMEM;
	/* to read what other users' processes have mapped, and those files,
	 * also deleted ones (/proc/PID/map_files, 5.9 on) */
	tl_keep_capability(s, CAP_SYS_PTRACE);
	tl_keep_capability(s, CAP_DAC_READ_SEARCH);
	tl_keep_capability(s, CAP_CHECKPOINT_RESTORE);
	u->processes = tl_pairs_new(sizeof(struct process), MAX_PROCESSES,
				    drop_process);
	if (!u->processes) {
		free(u);
		return -ENOMEM;
	}
	tl_part_add(s, &user_symbols_ops, u);
	return 0;
}

/* ---- what a process has mapped ---------------------------------------- */

/*
 * Whether @path is the file that was mapped.  Its device says so, too, unless it has one of its
 * own in stat(2), as on overlayfs and btrfs: these have 0 as major number.
 */
static bool is_mapped_file(const char *path, uint64_t dev, uint64_t inode)
{
	struct stat st;

	return !stat(path, &st) && st.st_ino == inode &&
	       (!major(st.st_dev) ||
		dev == ((uint64_t)major(st.st_dev) << 32 | minor(st.st_dev)));
}

/*
 * By its mapping, which no other file can replace, else by its name there, which another
 * one may have by now; NULL: it is not to be had.
 */
static char *link_to(pid_t pid, uint64_t start, uint64_t end, const char *path,
		     uint64_t dev, uint64_t inode)
{
	char *link;

	if (asprintf(&link, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid,
		     start, end) < 0)
		return NULL;
	if (!access(link, R_OK))
		return link;
	free(link);
	if (asprintf(&link, "/proc/%d/root%s", pid, path) < 0)
		return NULL;
	if (is_mapped_file(link, dev, inode))
		return link;
	free(link);
	/* the process has ended: most programs have the same files */
	return *path == '/' && is_mapped_file(path, dev, inode) ? strdup(path)
								: NULL;
}

static void close_oldest(struct tl_user_symbols *u)
{
	struct file *f, *oldest = NULL;

	for (f = u->files; f; f = f->next)
		if (f->object && (!oldest || f->used < oldest->used))
			oldest = f;
	if (!oldest)
		return;
	tl_object_close(oldest->object);
	oldest->object = NULL;
	oldest->tried_ns = 0;
	u->objects--;
}

static void open_object(struct tl_user_symbols *u, struct file *f,
			const char *link)
{
	f->tried_ns = tl_now();
	if (!f->inode || !link || access(link, R_OK))
		return;
	f->object = tl_object_open_mapped(link);
	if (!f->object && errno != ENOENT && errno != ESRCH)
		f->refused = errno;
	f->used = ++u->uses;
	if (f->object && u->objects++ == MAX_OBJECTS)
		close_oldest(u);
}

static bool is_due(const struct file *f)
{
	return !f->object && !f->refused && f->inode &&
	       (!f->tried_ns || tl_now() - f->tried_ns > OPEN_AGAIN_NS);
}

static bool is_vdso(const struct mapping *m)
{
	return !m->file->inode && !strcmp(m->file->path, TL_VDSO_NAME);
}

/* That of a 32-bit program is another one, and lies in the first 4 GB as all of it does. */
static struct tl_object *get_vdso(struct tl_user_symbols *u,
				  const struct mapping *m)
{
	if (!u->asked_vdso)
		u->vdso = tl_vdso_open(&u->vdso_size);
	u->asked_vdso = true;
	return m->end - m->start == u->vdso_size && m->start >> 32 ? u->vdso
								   : NULL;
}

/* @m is a mapping of it: for what was closed meanwhile, or not there. */
static struct tl_object *get_object(struct tl_user_symbols *u, pid_t pid,
				    const struct mapping *m)
{
	struct file *f = m->file;
	char *link;

	if (is_vdso(m))
		return get_vdso(u, m);
	f->used = ++u->uses;
	if (is_due(f)) {
		link = link_to(pid, m->start, m->end, f->path, f->dev,
			       f->inode);
		open_object(u, f, link);
		free(link);
	}
	u->unsettled |= !f->object && !f->refused && f->inode;
	return f->object;
}

/* A file that was written in place has other functions now. */
static bool is_file(const struct file *f, const struct tl_map *m,
		    const struct stat *st)
{
	return f->dev == m->dev && f->inode == m->inode &&
	       !strcmp(f->path, m->path) &&
	       (!st->st_ino || !f->st.st_ino ||
		(f->st.st_size == st->st_size &&
		 f->st.st_mtim.tv_sec == st->st_mtim.tv_sec &&
		 f->st.st_mtim.tv_nsec == st->st_mtim.tv_nsec));
}

static struct file *add_file(struct tl_user_symbols *u, const struct tl_map *m)
{
	struct file *f = calloc(1, sizeof(*f) + strlen(m->path) + 1);
	char *slash;

	if (!f)
		return NULL;
	strcpy(f->path, m->path);
	slash = strrchr(f->path, '/');
	f->name = slash ? slash + 1 : f->path;
	f->dev = m->dev;
	f->inode = m->inode;
	f->next = u->files;
	u->files = f;
	return f;
}

static struct file *find_file(struct tl_user_symbols *u, pid_t pid,
			      const struct tl_map *m)
{
	char *link = link_to(pid, m->start, m->end, m->path, m->dev, m->inode);
	struct stat st = { 0 };
	struct file *f;

	if (!m->inode || !link || stat(link, &st))
		st.st_ino = 0;
	for (f = u->files; f && !is_file(f, m, &st); f = f->next)
		;
	if (!f)
		f = add_file(u, m);
	if (f && !f->st.st_ino)
		f->st = st;
	if (f && is_due(f))
		open_object(u, f, link);
	free(link);
	return f;
}

static void drop_unused(struct tl_user_symbols *u)
{
	struct file **at = &u->files, *f;

	while ((f = *at)) {
		if (f->mappings || f->object) {
			at = &f->next;
			continue;
		}
		*at = f->next;
		free(f);
	}
}

struct reading {
	struct tl_user_symbols *u;
	pid_t pid;
	struct process *p;
};

static void add_mapping(void *ctx, const struct tl_map *map)
{
	struct reading *r = ctx;
	struct process *p = r->p;
	struct mapping m = { map->start, map->end, map->offset, NULL }, *more;

	more = realloc(p->list, (p->count + 1) * sizeof(m));
	if (!more)
		return;
	p->list = more;
	if (*map->path) {
		m.file = find_file(r->u, r->pid, map);
		if (!m.file)
			return;
		m.file->mappings++;
	}
	p->list[p->count++] = m;
}

/*
 * A process may have executed another program since the record that is being handled: by its
 * name, which is that of the program, if nothing else has changed it.  Where the records that
 * tell of that are not followed, no name is known to be the one of that time.
 */
static bool has_other_name(struct tl_session *s, pid_t pid)
{
	struct tl_str then;
	char now[64];
	ssize_t n;

	if (!tl_task_matches(s, pid))
		return false;
	then = tl_task_comm(s, pid);
	n = tl_proc_comm(pid, now, sizeof(now));
	return n > 0 &&
	       ((size_t)n != then.len || memcmp(now, then.text, then.len));
}

static void replace(struct process *p, const struct process *now)
{
	drop_mappings(p);
	free(p->list);
	p->list = now->list;
	p->count = now->count;
	p->read_ns = p->tried_ns;
}

static void read_mappings(struct tl_session *s, pid_t pid, struct process *p)
{
	struct process now = { 0 };
	struct reading r = { user_symbols(s), pid, &now };

	p->tried_ns = tl_now();
	if (tl_tasks_foreign(s) || tl_maps_read(pid, add_mapping, &r))
		return; /* it has ended: what is known stays */
	p->is_other = has_other_name(s, pid);
	/* without any it has ended, and was not waited for yet */
	if (p->is_other || !now.count)
		drop_process(&now); /* the same */
	else
		replace(p, &now);
	drop_unused(user_symbols(s));
}

static const struct mapping *find_mapping(const struct process *p,
					  uint64_t addr)
{
	size_t low = 0, high = p->count, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (p->list[mid].end <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low < p->count && p->list[low].start <= addr ? &p->list[low]
							    : NULL;
}

static struct process *read_process(struct tl_session *s, pid_t pid)
{
	struct process *p = get_process(user_symbols(s), pid);

	if (p && !p->tried_ns)
		read_mappings(s, pid, p);
	return p;
}

static void remove_mapping(struct process *p, size_t i)
{
	if (p->list[i].file)
		p->list[i].file->mappings--;
	p->count--;
	memmove(&p->list[i], &p->list[i + 1],
		(p->count - i) * sizeof(*p->list));
}

/* What was mapped there before is not any more; of a larger one its begin stays. */
static void make_room(struct process *p, const struct mapping *m)
{
	size_t i = 0;

	while (i < p->count && p->list[i].end <= m->start)
		i++;
	if (i < p->count && p->list[i].start < m->start)
		p->list[i++].end = m->start;
	while (i < p->count && p->list[i].start < m->end)
		remove_mapping(p, i);
}

static void insert_mapping(struct process *p, const struct mapping *m)
{
	struct mapping *more =
		reallocarray(p->list, p->count + 1, sizeof(*more));
	size_t i = 0;

	if (!more)
		return;
	p->list = more;
	make_room(p, m);
	while (i < p->count && p->list[i].start < m->start)
		i++;
	memmove(&more[i + 1], &more[i], (p->count - i) * sizeof(*more));
	more[i] = *m;
	p->count++;
	if (m->file)
		m->file->mappings++;
}

/* A process that has just begun may be there still, unlike the last one that had it. */
static struct file *find_again(struct tl_user_symbols *u, pid_t process,
			       const struct tl_map *map)
{
	struct file *f;

	for (f = u->files; f; f = f->next)
		if (f->inode == map->inode && !strcmp(f->path, map->path))
			f->tried_ns = 0;
	return find_file(u, process, map);
}

void tl_user_mapped(struct tl_session *s, pid_t process,
		    const struct tl_map *map, uint64_t ns)
{
	struct tl_user_symbols *u = user_symbols(s);
	struct process *p = get_process(u, process);
	struct mapping m = { map->start, map->end, map->offset, NULL };

	/* what was read later has it, if it is there still */
	if (!p || ns <= p->read_ns)
		return;
	if (*map->path)
		m.file = find_again(u, process, map);
	if ((m.file || !*map->path) && p->count < MAX_MAPPINGS)
		insert_mapping(p, &m);
	drop_unused(u);
}

void tl_user_all_mapped(struct tl_session *s, bool told)
{
	struct tl_user_symbols *u = user_symbols(s);

	if (u)
		u->told = told;
}

/* A deleted file has " (deleted)" behind its name. */
static bool is_named(const struct file *f, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(f->name, name, len) &&
	       (!f->name[len] || f->name[len] == ' ');
}

/*
 * What is mapped now need not be what was: the process may have executed
 * another program since.  Where the probe is shows that.
 */
static bool fits(const struct process *p, const struct tl_user_place *at)
{
	const struct mapping *m = find_mapping(p, at->addr);

	if (!at->object)
		return true; /* nothing to tell by */
	return m && m->file && is_named(m->file, at->name) &&
	       at->addr - m->start + m->offset == at->offset;
}

/* What has been mapped since it was read was told. */
static bool is_whole(const struct tl_user_symbols *u, const struct process *p)
{
	return u->told && p->read_ns && !p->is_other && p->count < MAX_MAPPINGS;
}

/* A frame that is none is in no mapping: where there are no frame pointers, most are that. */
static bool is_lacking(const struct tl_user_symbols *u, const struct process *p,
		       const struct tl_user_place *at,
		       const struct tl_user_address *a)
{
	return !fits(p, at) || (!find_mapping(p, a->addr) && !is_whole(u, p));
}

static bool has_same_name(struct tl_session *s, pid_t a, pid_t b)
{
	const struct tl_str one = tl_task_comm(s, a);
	char name[64];
	struct tl_str other;

	if (one.len >= sizeof(name))
		return false;
	memcpy(name, one.text, one.len);
	other = tl_task_comm(s, b);
	return other.len == one.len && !memcmp(other.text, name, one.len);
}

/*
 * One that began in this run, has executed nothing, and has ended has what its parent has, or
 * whoever that was forked from.  Their names tell, too; and nothing was lost that would have.
 */
static struct process *parent_of(struct tl_session *s, const struct process *p)
{
	struct tl_user_symbols *u = user_symbols(s);
	struct process *parent = NULL;
	pid_t pid = p->pid, its;
	unsigned int i;

	for (i = 0; i < MAX_FORKS && u->told && p && p->is_new; i++) {
		its = tl_task_parent(s, pid);
		if (its <= 0 || !has_same_name(s, pid, its))
			return NULL;
		parent = read_process(s, its);
		if (!parent || parent->count)
			return parent;
		pid = its;
		p = parent;
	}
	return NULL;
}

/* What was read after the record was made has all that there is, if of the same program. */
static struct process *mappings(struct tl_session *s,
				const struct tl_user_place *at,
				const struct tl_user_address *a)
{
	struct tl_user_symbols *u = user_symbols(s);
	struct process *p = get_process(u, a->process), *parent;

	if (!p)
		return NULL;
	if (is_lacking(u, p, at, a) && a->ns > p->tried_ns &&
	    (!p->tried_ns || tl_now() - p->tried_ns > READ_AGAIN_NS))
		read_mappings(s, a->process, p);
	if (is_lacking(u, p, at, a) && (a->ns > p->tried_ns || p->is_other))
		u->unsettled = true;
	parent = p->count ? NULL : parent_of(s, p);
	if (parent)
		p = parent;
	return fits(p, at) ? p : NULL;
}

/* There it has 32 bits: in others the kernel maps code of its own above all that it can map. */
static bool is_compat(const struct process *p)
{
	return p->count && p->list[p->count - 1].end <= 1ULL << 32;
}

/* The kernel of x86 takes their frames for those of 64 bits (arch_stack_walk_user()). */
#ifdef __x86_64__
#define WALKS_COMPAT false
#else
#define WALKS_COMPAT true
#endif

/* While a program is being executed, what the kernel maps of its own is not there yet. */
bool tl_user_live_is_walked(struct tl_session *s, pid_t process, uint64_t ns)
{
	struct process *p = WALKS_COMPAT ? NULL : read_process(s, process);

	if (p && is_compat(p) && ns > p->read_ns)
		read_mappings(s, process, p);
	return !p || !is_compat(p);
}

/* ---- functions -------------------------------------------------------- */

static bool find_function(struct tl_user_symbols *u, struct tl_object *o,
			  uint64_t offset, bool is_return,
			  struct tl_user_symbol *sym)
{
	const char *name;
	uint64_t into;

	/* behind a call that never returns there may be another function */
	name = o ? tl_object_function(o, offset - is_return, &into) : NULL;
	if (!name)
		return false;
	free(u->nice);
	u->nice = tl_demangle(name);
	sym->function = u->nice ?: name;
	sym->offset = into + is_return;
	return true;
}

/* Of a process that is gone: what the probe's own file has. */
static void find_by_place(struct tl_user_symbols *u,
			  const struct tl_user_place *at,
			  const struct tl_user_address *a,
			  struct tl_user_symbol *sym)
{
	if (at->object &&
	    find_function(u, at->object, a->addr - at->addr + at->offset,
			  a->is_return, sym))
		sym->file = at->name;
}

/* Whether it is that of the probe, by where the process had this. */
static bool is_of_place(const struct process *p, const struct file *f,
			const struct tl_user_place *at)
{
	const struct mapping *m = at->object ? find_mapping(p, at->addr) : NULL;

	return m && m->file == f;
}

static void find_mapped(struct tl_user_symbols *u, const struct process *p,
			const struct tl_user_place *at,
			const struct tl_user_address *a,
			const struct mapping *m, struct tl_user_symbol *sym)
{
	struct tl_object *o = get_object(u, p->pid, m);

	if (!o && is_of_place(p, m->file, at))
		o = at->object; /* it ended before its file was opened */
	sym->file = m->file->name;
	sym->offset = a->addr - m->start + m->offset;
	find_function(u, o, sym->offset, a->is_return, sym);
}

/* Code that the program itself has made: no file has its functions. */
static bool is_made(const struct mapping *m)
{
	const struct file *f = m->file;

	if (!f)
		return true;
	/* others in brackets are the kernel's, as "[vdso]" */
	if (*f->path == '[')
		return !strncmp(f->path, "[anon", 5) ||
		       !strcmp(f->path, "[heap]") ||
		       !strcmp(f->path, "[stack]");
	return !f->inode || f->refused == ENOEXEC || f->refused == EINVAL;
}

/* @m: its mapping; NULL: it is not there, or not any more */
static void find_made(struct tl_session *s, struct process *p,
		      const struct tl_user_address *a, const struct mapping *m,
		      struct tl_user_symbol *sym)
{
	struct tl_user_symbols *u = user_symbols(s);
	uint64_t into;
	bool lives;

	if (tl_tasks_foreign(s) || p->is_other)
		return;
	p->made = p->made ?: tl_perfmap_new(p->pid, &u->made);
	if (!p->made)
		return;
	lives = tl_perfmap_update(p->made);
	sym->function =
		tl_perfmap_function(p->made, a->addr - a->is_return, &into);
	if (sym->function) {
		sym->file = tl_perfmap_name(p->made);
		sym->offset = into + a->is_return;
	}
	/* it is told of later, and makes room for other code */
	u->unsettled |= lives && (m || sym->function);
}

int tl_user_live_symbol(struct tl_session *s, const struct tl_user_place *at,
			const struct tl_user_address *a,
			struct tl_user_symbol *sym)
{
	struct tl_user_symbols *u = user_symbols(s);
	const struct mapping *m;
	struct process *p;

	u->unsettled = false;
	*sym = (struct tl_user_symbol){ .offset = a->addr };
	p = mappings(s, at, a);
	m = p ? find_mapping(p, a->addr) : NULL;
	if (m && m->file)
		find_mapped(u, p, at, a, m, sym);
	else if (!p)
		find_by_place(u, at, a, sym);
	if (p && !sym->function && (m ? is_made(m) : !is_whole(u, p)))
		find_made(s, p, a, m, sym);
	return u->unsettled ? -EAGAIN : 0;
}
