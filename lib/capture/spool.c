// SPDX-License-Identifier: GPL-2.0-or-later
/* spool.c - a directory of captures, which others take away (-w DIRECTORY) */
#include "capture/spool.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/list.h"
#include "tracelet/message.h"

/* of the file system, in hundredths: what is left free */
#define FREE_PERCENT 10
/* How long the directory's lock is waited for. */
#define LOCK_TRIES 100
#define LOCK_MS    10

struct tl_spool {
	const char *path, *tool;
	unsigned int keep;
	uint64_t max;
	uint64_t asked; /* for messages: bytes of the one that is written */
	bool too_large; /* that is more than max */
	int dir;        /* -1: it is not open */
	char *name;     /* of the last one */
};

struct file {
	char *name;
	bool own;      /* of this tool */
	bool shared;   /* has other names, and so its blocks stay */
	uint64_t size; /* on the disk */
	struct timespec when;
};

/* From the oldest one on. */
struct files {
	struct file *list;
	size_t count, room;
};

bool tl_spool_is(const char *path)
{
	size_t len = strlen(path);
	struct stat st;

	return (len && path[len - 1] == '/') ||
	       (!stat(path, &st) && S_ISDIR(st.st_mode));
}

/* ---- names ------------------------------------------------------------ */

/* Ends with time and process, as new_name() writes it. */
static bool is_capture(const char *name)
{
	static const char time[] = "-########T######.###Z-";
	const size_t len = sizeof(time) - 1;
	const char *pid = strrchr(name, '-'), *at;
	size_t digits, i;

	if (*name == '.' || !pid++ || (size_t)(pid - name) <= len)
		return false;
	digits = strspn(pid, "0123456789");
	if (!digits || strcmp(pid + digits, ".dat") != 0)
		return false;
	at = pid - len;
	for (i = 0; i < len; i++)
		if (time[i] == '#' ? !isdigit((unsigned char)at[i])
				   : at[i] != time[i])
			return false;
	return true;
}

/* No tool's name is another one's with "-" and more. */
static bool is_of(const char *name, const char *tool)
{
	const size_t len = strlen(tool);

	return !strncmp(name, tool, len) && name[len] == '-';
}

/* The path of what is whole now; NULL and errno. */
static char *new_name(const struct tl_spool *p)
{
	const char *slash = p->path[strlen(p->path) - 1] == '/' ? "" : "/";
	struct timespec now;
	struct utsname host;
	char when[32], *name, *c;
	struct tm tm;

	if (uname(&host))
		return NULL;
	for (c = host.nodename; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("-._", *c))
			*c = '_';
	clock_gettime(CLOCK_REALTIME, &now);
	if (!gmtime_r(&now.tv_sec, &tm) ||
	    !strftime(when, sizeof(when), "%Y%m%dT%H%M%S", &tm)) {
		errno = EOVERFLOW;
		return NULL;
	}
	if (asprintf(&name, "%s%s%s-%s-%s.%03dZ-%d.dat", p->path, slash,
		     p->tool, host.nodename, when, (int)(now.tv_nsec / 1000000),
		     getpid()) < 0) {
		errno = ENOMEM;
		return NULL;
	}
	return name;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* ---- what is there ---------------------------------------------------- */

static int compare(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec
		       ? (a->tv_sec > b->tv_sec) - (a->tv_sec < b->tv_sec)
		       : (a->tv_nsec > b->tv_nsec) - (a->tv_nsec < b->tv_nsec);
}

static int by_age(const void *a, const void *b)
{
	const struct file *x = a, *y = b;

	return compare(&x->when, &y->when) ?: strcmp(x->name, y->name);
}

/*
 * The one that was written last is the newest, whatever the clock says; what is of before the
 * clock was put back is the oldest.
 */
static struct timespec time_of(const struct tl_spool *p, const char *name,
			       const struct stat *st)
{
	static const struct timespec oldest, newest = { .tv_sec = INT64_MAX };
	struct timespec now;

	if (p->name && !strcmp(last_part(p->name), name))
		return newest;
	clock_gettime(CLOCK_REALTIME, &now);
	return compare(&st->st_mtim, &now) > 0 ? oldest : st->st_mtim;
}

static int add(struct files *f, const struct tl_spool *p, const char *name)
{
	struct file *list;
	struct stat st;
	char *copy;

	/* others may have their own there, or a link that looks like one of ours */
	if (!is_capture(name) ||
	    fstatat(p->dir, name, &st, AT_SYMLINK_NOFOLLOW) ||
	    !S_ISREG(st.st_mode) || st.st_uid != geteuid())
		return 0;
	list = tl_list_room(f->list, f->count, &f->room, sizeof(*list));
	copy = strdup(name);
	if (list)
		f->list = list;
	if (!list || !copy) {
		free(copy);
		return -ENOMEM;
	}
	list[f->count++] = (struct file){ .name = copy,
					  .own = is_of(name, p->tool),
					  .shared = st.st_nlink > 1,
					  .size = (uint64_t)st.st_blocks * 512,
					  .when = time_of(p, name, &st) };
	return 0;
}

static int add_all(struct files *f, const struct tl_spool *p, DIR *dir)
{
	struct dirent *d;
	int ret = 0;

	do {
		errno = 0;
		d = readdir(dir);
		ret = d ? add(f, p, d->d_name) : -errno;
	} while (d && !ret);
	return ret;
}

static int list_files(struct files *f, const struct tl_spool *p)
{
	int fd = openat(p->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir) {
		ret = -errno;
		if (fd >= 0)
			close(fd);
		return ret;
	}
	ret = add_all(f, p, dir);
	closedir(dir);
	if (f->count)
		qsort(f->list, f->count, sizeof(*f->list), by_age);
	return ret;
}

static void free_files(struct files *f)
{
	size_t i;

	for (i = 0; i < f->count; i++)
		free(f->list[i].name);
	free(f->list);
}

static uint64_t size_of_all(const struct files *f, bool shared)
{
	uint64_t size = 0;
	size_t i;

	for (i = 0; i < f->count; i++)
		size += f->list[i].shared && !shared ? 0 : f->list[i].size;
	return size;
}

static unsigned int count_own(const struct files *f)
{
	unsigned int count = 0;
	size_t i;

	for (i = 0; i < f->count; i++)
		count += f->list[i].own;
	return count;
}

/* Bytes that it had; somebody may have taken it away meanwhile. */
static uint64_t remove_file(const struct tl_spool *p, const struct file *file)
{
	if (!unlinkat(p->dir, file->name, 0) || errno == ENOENT)
		return file->size;
	tl_warn("%s: the old capture %s cannot be removed: %s", p->path,
		file->name, strerror(errno));
	return 0;
}

static void drop(struct files *f, size_t i)
{
	free(f->list[i].name);
	f->count--;
	memmove(&f->list[i], &f->list[i + 1],
		(f->count - i) * sizeof(*f->list));
}

/* ---- room ------------------------------------------------------------- */

/*
 * Between tools that write at the same time.  Who holds it for long keeps nobody from
 * writing; that two may count on the same bytes then is the lesser evil.
 */
static void lock(const struct tl_spool *p)
{
	int tries = LOCK_TRIES;

	while (flock(p->dir, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK &&
	       tries--)
		poll(NULL, 0, LOCK_MS);
}

static void unlock(const struct tl_spool *p)
{
	flock(p->dir, LOCK_UN);
}

/* Sets how many bytes more there are than are to be left free; no end of them: no limit. */
static int get_spare(const struct tl_spool *p, int64_t *spare)
{
	struct statvfs fs;

	if (fstatvfs(p->dir, &fs))
		return -errno;
	*spare = INT64_MAX / 2;
	if (fs.f_blocks)
		*spare = ((int64_t)fs.f_bavail -
			  (int64_t)(fs.f_blocks / 100 * FREE_PERCENT)) *
			 (int64_t)fs.f_frsize;
	return 0;
}

/* Again; some file systems give blocks back later only. */
static int64_t look_again(const struct tl_spool *p, int64_t need)
{
	int64_t spare = 0;

	if (!get_spare(p, &spare) && spare >= need)
		return spare;
	syncfs(p->dir);
	return get_spare(p, &spare) ? 0 : spare;
}

static int make_free(const struct tl_spool *p, struct files *f, int64_t need)
{
	int64_t left = 0;
	int ret = get_spare(p, &left);

	if (ret || left >= need)
		return ret;
	if (left + (int64_t)size_of_all(f, false) < need)
		return -ENOSPC;
	for (; f->count && left < need; drop(f, 0)) {
		if (!f->list[0].shared)
			left += (int64_t)remove_file(p, &f->list[0]);
		/* somebody may have it open */
		if (left >= need)
			left = look_again(p, need);
	}
	return left < need ? -ENOSPC : 0;
}

/*
 * So that another tool, which looks next, does not count on the same bytes.  Where a file
 * system cannot do it, writing tells.
 */
static int set_aside(int fd, uint64_t size)
{
	return fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)size) &&
			       errno != EOPNOTSUPP
		       ? -errno
		       : 0;
}

int tl_spool_room(struct tl_spool *p, int fd, uint64_t size, uint64_t more)
{
	struct files f = { 0 };
	int ret;

	p->asked = size;
	p->too_large = !more && size > p->max;
	if (p->too_large)
		return -EFBIG;
	lock(p);
	ret = list_files(&f, p) ?: make_free(p, &f, (int64_t)(size + more))
				   ?: set_aside(fd, size);
	unlock(p);
	free_files(&f);
	return ret;
}

/* ---- a capture -------------------------------------------------------- */

int tl_spool_begin(struct tl_spool *p)
{
	int dir = open(p->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd;
	struct stat st;

	if (dir < 0)
		return -errno;
	tl_spool_leave(p);
	p->dir = dir;
	p->too_large = false;
	if (fstat(dir, &st))
		return -errno;
	/* a directory that passes its group on wants the group to read */
	fd = openat(dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC,
		    st.st_mode & S_ISGID ? 0640 : 0600);
	return fd < 0 ? -errno : fd;
}

static int link_file(struct tl_spool *p, int fd)
{
	char from[32], *name = new_name(p);

	if (!name)
		return -errno;
	snprintf(from, sizeof(from), "/proc/self/fd/%d", fd);
	if (linkat(AT_FDCWD, from, p->dir, last_part(name),
		   AT_SYMLINK_FOLLOW)) {
		free(name);
		return -errno;
	}
	free(p->name);
	p->name = name;
	return 0;
}

/* But for the newest, which is last. */
static void remove_old(const struct tl_spool *p)
{
	struct files f = { 0 };
	unsigned int own;
	uint64_t all;
	size_t i = 0;

	if (list_files(&f, p)) {
		free_files(&f);
		return;
	}
	all = size_of_all(&f, true);
	own = count_own(&f);
	while (i + 1 < f.count && (own > p->keep || all > p->max)) {
		if (all > p->max || f.list[i].own) {
			all -= remove_file(p, &f.list[i]);
			own -= f.list[i].own;
			drop(&f, i);
		} else {
			i++;
		}
	}
	free_files(&f);
}

int tl_spool_end(struct tl_spool *p, int fd)
{
	int ret;

	/* by its name it is whole, also after power is lost */
	if (fsync(fd))
		return -errno;
	lock(p);
	ret = link_file(p, fd);
	if (!ret) {
		fsync(p->dir);
		remove_old(p);
	}
	unlock(p);
	return ret;
}

const char *tl_spool_name(const struct tl_spool *p)
{
	return p->name;
}

/* ---- the directory ---------------------------------------------------- */

int tl_spool_fail(const struct tl_spool *p, int err)
{
	const unsigned long long kb = p->asked / 1024;

	if (p->too_large)
		return tl_fail(
			err,
			"%s: a capture of %llu KB is larger than all may "
			"be (--max-total): it is not written",
			p->path, kb);
	if (err == ENOSPC)
		return tl_fail(
			err,
			"%s: no room for a capture of %llu KB (%d %% of "
			"the file system are left free): it is not written",
			p->path, kb, FREE_PERCENT);
	return tl_fail(err, "%s: %s: the capture is not written", p->path,
		       strerror(err));
}

void tl_spool_leave(struct tl_spool *p)
{
	if (p->dir >= 0)
		close(p->dir);
	p->dir = -1;
}

struct tl_spool *tl_spool_open(const char *path, const char *tool,
			       unsigned int keep, uint64_t max)
{
	struct tl_spool *p = calloc(1, sizeof(*p));
	int fd;

	if (!p)
		return NULL;
	*p = (struct tl_spool){
		.path = path, .tool = tool, .keep = keep, .max = max, .dir = -1
	};
	fd = tl_spool_begin(p);
	if (fd >= 0) {
		close(fd);
		tl_spool_leave(p);
		return p;
	}
	tl_spool_free(p);
	if (fd == -EOPNOTSUPP)
		tl_fail(-fd,
			"%s: this file system has no files without names "
			"(O_TMPFILE), as ext4, xfs, btrfs and tmpfs have",
			path);
	else
		tl_fail(-fd, "%s: %s", path, strerror(-fd));
	errno = -fd;
	return NULL;
}

void tl_spool_free(struct tl_spool *p)
{
	if (!p)
		return;
	tl_spool_leave(p);
	free(p->name);
	free(p);
}
