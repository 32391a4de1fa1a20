// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perfmap.c - functions of code that is made while its program runs
 *
 * They are a tree of ranges that do not overlap: tsearch(3) takes what overlaps for equal.
 */
#include "elf/perfmap.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/proc.h"
#include "elf/nsroot.h"
#include "tracelet/text.h"

#define PART    65536 /* bytes that are read at once: no line is longer */
#define LONGEST 4096  /* name; a longer one is nobody's */
#define TAIL    64 /* bytes in front of what is read next, to know the file by */
#define NODE \
	64 /* bytes of a range beside its own, as malloc(3) and the tree have them */
#define AGAIN_NS 20000000 /* until the file is looked at again */
#define AGAIN_TIMES \
	20 /* and so many times what reading it took: others write it */

/* What is left of a function: others may lie over parts of it. */
struct range {
	uint64_t start, end;
	uint64_t begin; /* of all of it */
	char name[];
};

struct tl_perfmap {
	void *root;       /* of the tree */
	size_t own, *all; /* bytes */
	pid_t pid;
	bool ended;
	uint64_t due_ns; /* it is looked at again then */
	struct stat st;  /* of the file when it was read; nothing: it was not */
	uint64_t at;     /* up to here */
	bool skips;      /* the rest of a line comes first */
	char tail[TAIL];
	size_t tail_len;
	char file[32];
};

/* ---- ranges ----------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->end <= y->start)
		return -1;
	return x->start >= y->end;
}

static size_t size_of(size_t name_len)
{
	return sizeof(struct range) + name_len + 1;
}

static void count(struct tl_perfmap *m, size_t bytes)
{
	m->own += bytes;
	*m->all += bytes;
}

/* Where there is none. */
static void insert(struct tl_perfmap *m, const struct range *like,
		   struct tl_str name)
{
	const size_t size = size_of(name.len);
	struct range *r;

	if (*m->all + size + NODE > TL_PERFMAP_BYTES)
		return;
	r = malloc(size);
	if (!r)
		return;
	*r = *like;
	memcpy(r->name, name.text, name.len);
	r->name[name.len] = '\0';
	if (tsearch(r, &m->root, compare))
		count(m, size + NODE);
	else
		free(r);
}

/* What @old has in front of @over, and behind it. */
static void keep_rest(struct tl_perfmap *m, const struct range *old,
		      const struct range *over)
{
	const struct tl_str name = { old->name, strlen(old->name) };
	struct range rest = *old;

	rest.end = over->start;
	if (rest.start < rest.end)
		insert(m, &rest, name);
	rest.start = over->end;
	rest.end = old->end;
	if (rest.start < rest.end)
		insert(m, &rest, name);
}

static void cut_out(struct tl_perfmap *m, const struct range *over)
{
	struct range **found, *old;

	while ((found = tfind(over, &m->root, compare))) {
		old = *found;
		tdelete(old, &m->root, compare);
		count(m, -(size_of(strlen(old->name)) + NODE));
		keep_rest(m, old, over);
		free(old);
	}
}

static void clear(struct tl_perfmap *m)
{
	tdestroy(m->root, free);
	m->root = NULL;
	count(m, -m->own);
}

/* ---- lines ------------------------------------------------------------ */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A number, which blanks follow, off the front of @line. */
static bool take_number(struct tl_str *line, uint64_t *number)
{
	const char *p = line->text, *end = p + line->len, *first;

	if (end - p > 2 && *p == '0' && (p[1] | 0x20) == 'x')
		p += 2;
	first = p;
	for (*number = 0; p < end && digit(*p) >= 0; p++) {
		if (*number >> 60)
			return false;
		*number = *number << 4 | (uint64_t)digit(*p);
	}
	if (p == first || p == end || !is_blank(*p))
		return false;
	while (p < end && is_blank(*p))
		p++;
	*line = (struct tl_str){ p, (size_t)(end - p) };
	return true;
}

static void add_line(struct tl_perfmap *m, struct tl_str line)
{
	struct range r;
	uint64_t size;

	if (!take_number(&line, &r.start) || !take_number(&line, &size) ||
	    !size || size > UINT64_MAX - r.start)
		return;
	while (line.len && (is_blank(line.text[line.len - 1]) ||
			    line.text[line.len - 1] == '\r'))
		line.len--;
	if (!line.len || line.len > LONGEST || memchr(line.text, 0, line.len))
		return;
	r.begin = r.start;
	r.end = r.start + size;
	cut_out(m, &r);
	insert(m, &r, line);
}

size_t tl_perfmap_add(struct tl_perfmap *m, const char *text, size_t len)
{
	const char *p = text, *end;

	while ((end = memchr(p, '\n', len - (size_t)(p - text)))) {
		add_line(m, (struct tl_str){ p, (size_t)(end - p) });
		p = end + 1;
	}
	return (size_t)(p - text);
}

/* ---- the file --------------------------------------------------------- */

static bool same_time(const struct stat *a, const struct stat *b)
{
	return a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Whether more was written behind what was read, and that is still there. */
static bool has_grown(const struct tl_perfmap *m, int fd, const struct stat *st)
{
	char tail[TAIL];

	return same_file(st, &m->st) && st->st_size > m->st.st_size &&
	       pread(fd, tail, m->tail_len, (off_t)(m->at - m->tail_len)) ==
		       (ssize_t)m->tail_len &&
	       !memcmp(tail, m->tail, m->tail_len);
}

/* Returns how much of @text is done with: 0 of the begin of a line. */
static size_t take(struct tl_perfmap *m, const char *text, size_t len)
{
	const char *end = m->skips ? memchr(text, '\n', len) : NULL;
	size_t rest = end ? (size_t)(end - text) + 1 : 0, done;

	if (m->skips && !end)
		return len;
	m->skips = false;
	done = rest + tl_perfmap_add(m, text + rest, len - rest);
	m->skips = !done && len == PART;
	return m->skips ? len : done;
}

static void read_lines(struct tl_perfmap *m, int fd)
{
	static char part[PART];
	const uint64_t size = (uint64_t)m->st.st_size;
	size_t done;
	ssize_t n;

	if (size - m->at > TL_PERFMAP_FILE) {
		m->at = size - TL_PERFMAP_FILE;
		m->skips = true;
	}
	while (m->at < size &&
	       (n = pread(fd, part, sizeof(part), (off_t)m->at)) > 0) {
		done = take(m, part, (size_t)n);
		if (!done)
			break; /* it is being written */
		m->tail_len = done < TAIL ? done : TAIL;
		memcpy(m->tail, part + done - m->tail_len, m->tail_len);
		m->at += done;
	}
}

void tl_perfmap_read(struct tl_perfmap *m, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return;
	if (same_file(&st, &m->st) && st.st_size == m->st.st_size &&
	    same_time(&st, &m->st))
		return;
	if (!has_grown(m, fd, &st)) {
		clear(m);
		m->at = m->tail_len = 0;
		m->skips = false;
	}
	m->st = st;
	read_lines(m, fd);
}

/* ---- whose file ------------------------------------------------------- */

/* Number @i behind "KEY:" in the text of /proc/PID/status, or the last one of less. */
static long status_number(const char *status, const char *key, unsigned int i,
			  long otherwise)
{
	const char *p = strstr(status, key);
	char *end;
	long n;

	for (p = p ? p + strlen(key) : "";; p = end) {
		n = strtol(p, &end, 10);
		/* strtol() would go on to the next line */
		if (end == p || memchr(p, '\n', (size_t)(end - p)))
			return otherwise;
		otherwise = n;
		if (!i--)
			return n;
	}
}

/*
 * A descriptor that says only what it is: to open a FIFO would let go on who waits to write
 * into it, and links lead elsewhere.  One of before @since is of a process that had the same id.
 */
static int open_trusted(int fd, uid_t user, time_t since)
{
	char link[32];
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if (st.st_uid && st.st_uid != user)
		return -EPERM;
	if (st.st_mtime < since)
		return -ESTALE;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	fd = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

int tl_perfmap_open(pid_t pid, char *name, size_t size)
{
	char path[64], root[32], status[4096];
	const time_t age = tl_proc_age(pid);
	uid_t user;
	int fd, file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (tl_proc_read(path, status, sizeof(status)) <= 0)
		return -ESRCH;
	user = (uid_t)status_number(status, "\nUid:", 1, 0);
	snprintf(name, size, "perf-%ld.map",
		 status_number(status, "\nNSpid:", UINT_MAX, pid));
	snprintf(root, sizeof(root), "/proc/%d/root", pid);
	snprintf(path, sizeof(path), "/tmp/%s", name);
	fd = tl_root_open(root, path, O_NOFOLLOW);
	/* ages are in whole seconds */
	file = open_trusted(fd, user, age < 0 ? 0 : time(NULL) - age - 2);
	if (fd >= 0)
		close(fd);
	return file;
}

/* ---- */

struct tl_perfmap *tl_perfmap_new(pid_t pid, size_t *bytes)
{
	struct tl_perfmap *m = calloc(1, sizeof(*m));

	if (m) {
		m->pid = pid;
		m->all = bytes;
	}
	return m;
}

void tl_perfmap_free(struct tl_perfmap *m)
{
	if (m)
		clear(m);
	free(m);
}

bool tl_perfmap_update(struct tl_perfmap *m)
{
	const uint64_t now = tl_now();
	int fd;

	if (m->ended || now < m->due_ns)
		return !m->ended;
	fd = tl_perfmap_open(m->pid, m->file, sizeof(m->file));
	m->ended = fd == -ESRCH;
	if (fd >= 0) {
		tl_perfmap_read(m, fd);
		close(fd);
	}
	m->due_ns = tl_now() + (tl_now() - now) * AGAIN_TIMES + AGAIN_NS;
	return !m->ended;
}

const char *tl_perfmap_function(const struct tl_perfmap *m, uint64_t addr,
				uint64_t *into)
{
	const struct range here = { .start = addr, .end = addr + 1 };
	struct range **found = tfind(&here, &m->root, compare);

	if (!found)
		return NULL;
	*into = addr - (*found)->begin;
	return (*found)->name;
}

const char *tl_perfmap_name(const struct tl_perfmap *m)
{
	return m->file;
}
