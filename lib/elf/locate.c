// SPDX-License-Identifier: GPL-2.0-or-later
/* locate.c - files of programs and libraries, as users name them */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/message.h"
#include "base/recording.h"
#include "base/session.h"
#include "elf/elfio.h"
#include "elf/ldcache.h"
#include "elf/maps.h"
#include "elf/nsroot.h"
#include "elf/object.h"
#include "tracelet/message.h"
#include "tracelet/session.h"
#include "tracelet/text.h"

#define FOUND_MAX 8
#define CACHE_MAX (64UL << 20)

/** A search, and what it has found. */
struct search {
	const char *target;
	pid_t pid;
	struct tl_root root;
	char *program; /* of @pid, while its mappings are searched */
	char *found[FOUND_MAX];
	size_t count; /* may be more */
};

/* ---- what is found ---------------------------------------------------- */

/* Takes @path. */
static void add(struct search *s, char *path)
{
	size_t i;

	if (!path)
		return;
	for (i = 0; i < s->count && i < FOUND_MAX; i++) {
		if (tl_root_same(path, s->found[i])) {
			free(path);
			return;
		}
	}
	if (i < FOUND_MAX)
		s->found[i] = path;
	else
		free(path);
	s->count++;
}

/* A 32-bit library is no answer where there is a native one. */
static bool is_native(const char *path)
{
	struct tl_elf e;
	bool native;
	int ret = tl_elf_open(&e, path);

	if (ret == -ELIBACC)
		return true;
	native = !ret && tl_elf_native(&e.head) &&
		 e.head.e_ident[EI_CLASS] ==
			 (sizeof(long) == 8 ? ELFCLASS64 : ELFCLASS32);
	if (!ret)
		tl_elf_close(&e);
	return native;
}

static void add_library(void *ctx, const char *name, const char *path)
{
	struct search *s = ctx;
	char *real;

	if (!tl_library_matches(name, s->target))
		return;
	real = tl_root_resolve(s->root.path, path);
	if (real && is_native(real))
		add(s, real);
	else
		free(real);
}

/* ---- a process's mappings --------------------------------------------- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/*
 * As the process has it mapped: a link in /proc leads to it also when its path
 * does not, or not any more.
 */
static char *mapped_path(const struct search *s, const struct tl_map *m,
			 bool deleted)
{
	char *found = NULL;

	if (!deleted)
		found = tl_root_resolve(s->root.mounts, m->path);
	if (!found &&
	    asprintf(&found, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, s->pid,
		     m->start, m->end) < 0)
		found = NULL;
	return found;
}

static void add_mapping(void *ctx, const struct tl_map *m)
{
	struct search *s = ctx;
	char *path = m->path, *mark;
	bool own, deleted;

	if (*path != '/')
		return;
	own = s->program && !strcmp(path, s->program);
	mark = strrchr(path, ' ');
	deleted = mark && !strcmp(mark, " (deleted)");
	if (deleted)
		*mark = '\0';
	if (tl_library_matches(base_name(path), s->target) ||
	    (own && !strcmp(base_name(path), s->target)))
		add(s, mapped_path(s, m, deleted));
}

static char *link_text(const char *path)
{
	char text[PATH_MAX];
	ssize_t n = readlink(path, text, sizeof(text) - 1);

	if (n < 0)
		return NULL;
	text[n] = '\0';
	return strdup(text);
}

static void search_mappings(struct search *s)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/exe", s->pid);
	s->program = link_text(path);
	tl_maps_read(s->pid, add_mapping, s);
	free(s->program);
}

static char *own_program(struct search *s)
{
	char link[32], *program, *found = NULL;

	snprintf(link, sizeof(link), "/proc/%d/exe", s->pid);
	program = link_text(link);
	if (program)
		found = tl_root_resolve(s->root.mounts, program);
	free(program);
	/* what is there now may be a newer one */
	if (found && tl_root_same(found, link))
		return found;
	free(found);
	return tl_root_same(link, link) ? strdup(link) : NULL;
}

/* ---- a system's directories ------------------------------------------- */

static void search_programs(struct search *s)
{
	const char *all = getenv("PATH") ?: "/usr/bin:/bin";
	char *copy = strdup(all), *dir, *save, *path, *real;
	struct stat st;

	for (dir = copy ? strtok_r(copy, ":", &save) : NULL; dir && !s->count;
	     dir = strtok_r(NULL, ":", &save)) {
		if (asprintf(&path, "%s/%s", dir, s->target) < 0)
			break;
		real = tl_root_resolve(s->root.path, path);
		free(path);
		if (real && !stat(real, &st) && S_ISREG(st.st_mode) &&
		    st.st_mode & 0111)
			add(s, real);
		else
			free(real);
	}
	free(copy);
}

static char *read_all(const char *path, size_t *len)
{
	struct stat st;
	char *data = NULL;
	ssize_t n = -1;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	    (uint64_t)st.st_size <= CACHE_MAX)
		data = malloc((size_t)st.st_size + 1);
	if (data)
		n = read(fd, data, (size_t)st.st_size);
	if (fd >= 0)
		close(fd);
	if (n < 0) {
		free(data);
		return NULL;
	}
	data[n] = '\0';
	*len = (size_t)n;
	return data;
}

/*
 * The cache is glibc's. Debian's package musl has its loader in /lib, so in the
 * cache, too, but no program of glibc has that as its libc.
 */
static void add_cached(void *ctx, const char *name, const char *path)
{
	if (!tl_has_prefix(name, "ld-musl-"))
		add_library(ctx, name, path);
}

static void search_cache(struct search *s)
{
	char *path = tl_root_resolve(s->root.path, "/etc/ld.so.cache"),
	     *data = NULL;
	size_t len;

	if (path)
		data = read_all(path, &len);
	if (data)
		tl_ldcache_parse(data, len, add_cached, s);
	free(data);
	free(path);
}

static void search_directory(struct search *s, const char *dir)
{
	char *real = tl_root_resolve(s->root.path, dir), *path;
	struct dirent *entry;
	DIR *d = real ? opendir(real) : NULL;

	while (d && (entry = readdir(d))) {
		if (!tl_library_matches(entry->d_name, s->target) ||
		    asprintf(&path, "%s/%s", dir, entry->d_name) < 0)
			continue;
		add_library(s, entry->d_name, path);
		free(path);
	}
	if (d)
		closedir(d);
	free(real);
}

/* Where musl's loader looks: /etc/ld-musl-MACHINE.path has its directories. */
static void search_musl(struct search *s)
{
	char *etc = tl_root_resolve(s->root.path, "/etc"), *path, *real, *text,
	     *dir, *save;
	DIR *d = etc ? opendir(etc) : NULL;
	struct dirent *entry;
	size_t len;

	while (d && (entry = readdir(d))) {
		len = strlen(entry->d_name);
		if (strncmp(entry->d_name, "ld-musl-", 8) != 0 || len < 5 ||
		    strcmp(entry->d_name + len - 5, ".path") != 0 ||
		    asprintf(&path, "/etc/%s", entry->d_name) < 0)
			continue;
		real = tl_root_resolve(s->root.path, path);
		text = real ? read_all(real, &len) : NULL;
		for (dir = text ? strtok_r(text, ":\n", &save) : NULL; dir;
		     dir = strtok_r(NULL, ":\n", &save))
			search_directory(s, dir);
		free(text);
		free(real);
		free(path);
	}
	if (d)
		closedir(d);
	free(etc);
}

static void search_libraries(struct search *s)
{
	/* the defaults of both C libraries, without a cache or beside it */
	static const char *const dirs[] = { "/lib", "/usr/lib", "/lib64",
					    "/usr/lib64", "/usr/local/lib" };
	size_t before = s->count, i;

	search_cache(s);
	if (s->count == before)
		search_musl(s);
	for (i = 0; s->count == before && i < sizeof(dirs) / sizeof(dirs[0]);
	     i++)
		search_directory(s, dirs[i]);
}

/* ---- */

static int say_none(const struct search *s)
{
	if (s->pid)
		return tl_fail(
			ENOENT,
			"process %d has mapped no program or library %s, "
			"and there is none where it would look",
			s->pid, s->target);
	return tl_fail(ENOENT, "no program or library %s (a path?)", s->target);
}

static int say_ambiguous(const struct search *s)
{
	size_t i;

	tl_warn("%s may be one of these: give a full path:", s->target);
	for (i = 0; i < s->count && i < FOUND_MAX; i++)
		tl_warn("    %s", s->found[i]);
	return -EINVAL;
}

/* Takes what the search has found. */
static char *result(struct search *s)
{
	char *path = NULL;
	size_t i;
	int ret = 0;

	if (!s->count)
		ret = say_none(s);
	else if (s->count > 1)
		ret = say_ambiguous(s);
	else
		path = s->found[0];
	for (i = 0; !path && i < s->count && i < FOUND_MAX; i++)
		free(s->found[i]);
	if (ret)
		errno = -ret;
	return path;
}

/* A path without a leading "/" is from where the user is. */
static char *locate_path(const struct search *s)
{
	const char *root = *s->target == '/' ? s->root.path : "";
	char *path = tl_root_resolve(root, s->target);

	if (!path)
		tl_warn("%s%s: %s", root, s->target, strerror(errno));
	return path;
}

static char *locate_program(struct search *s)
{
	char *path = own_program(s);

	if (!path)
		errno = -tl_fail(errno, "program of process %d: %s", s->pid,
				 errno == ENOENT ? "it has none (a thread of "
						   "the kernel?)"
						 : strerror(errno));
	return path;
}

char *tl_locate(const char *target, pid_t pid)
{
	struct search s = { .target = target, .pid = pid };
	char dir[32];

	snprintf(dir, sizeof(dir), "/proc/%d", pid);
	if (pid && access(dir, F_OK)) {
		errno = -tl_fail(ESRCH, "no process %d", pid);
		return NULL;
	}
	if (pid)
		tl_root_find(&s.root, pid);
	if (!target)
		return locate_program(&s);
	if (strchr(target, '/'))
		return locate_path(&s);
	if (pid)
		search_mappings(&s);
	if (!s.count) {
		search_programs(&s);
		search_libraries(&s);
	}
	return result(&s);
}

char *tl_locate_quietly(const char *target, pid_t pid)
{
	struct tl_buf said = { 0 }, *before = tl_message_keep(&said);
	char *path = tl_locate(target, pid);

	tl_message_keep(before);
	tl_buf_free(&said);
	return path;
}

/* Whether @pid has the file @path as @target too, or none; else says so. */
static bool has_same(const char *target, pid_t pid, const char *path)
{
	/* a target that it does not have is no error: it may be mapped later */
	char *other = tl_locate_quietly(target, pid);
	bool same = !other || tl_root_same(path, other);

	if (!same)
		tl_warn("process %d uses %s, but only %s is traced", pid, other,
			path);
	free(other);
	return same;
}

/* The path can be opened from here; free() it. */
static char *locate_asked(const struct tl_session *s, const char *target)
{
	const struct tl_settings *set = &s->set;
	const struct tl_pids *pids = set->pid.count ? &set->pid : &set->tid;
	unsigned int i;
	char *path;

	/* the names in a capture are those of another machine's files */
	if (tl_recording_replays(s->recording)) {
		errno = -tl_fail(ENOTSUP, "-r: a capture has no programs");
		return NULL;
	}
	path = tl_locate(target, pids->list[0]);
	for (i = 1; path && i < pids->count; i++)
		if (!has_same(target, pids->list[i], path))
			break;
	return path;
}

struct tl_object *tl_object_asked(const struct tl_session *s,
				  const char *target)
{
	char *path = locate_asked(s, target && *target ? target : NULL);
	struct tl_object *o = path ? tl_object_open(path) : NULL;

	free(path);
	return o;
}
