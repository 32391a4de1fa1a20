// SPDX-License-Identifier: GPL-2.0-or-later
/* cachestat - count page cache hits and misses */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tracelet.h"

#define SECOND  1000000000
#define READERS 16384

/*
 * FAULT_FLAG_WRITE, FAULT_FLAG_TRIED and FAULT_FLAG_VMA_LOCK, which 5.10 has
 * not in its BTF
 */
#define FAULT_WRITE     (1 << 0)
#define FAULT_TRIED     (1 << 5)
#define FAULT_UNDER_VMA (1 << 12)

struct file {
	uint64_t ino;
	uint64_t dev;
};

struct fault {
	bool given;
	struct file file;
	uint64_t page;
	bool mapping;   /* it came from filemap_map_pages() */
	bool under_vma; /* it was tried with its VMA's lock only */
};

/*
 * The files that a thread reads, whose pages are added for it: by its last
 * read, and by its last fault, which may be on what that reads into.
 */
struct reader {
	struct file file;
	uint64_t pages; /* that it has */
	struct fault fault;
};

static struct {
	bool clock, debug;
	bool checks; /* only whether all is there */
	uint64_t interval;
	unsigned int count;
	uint64_t page_size;
	int meminfo;
	struct tl_pairs *readers; /* by thread */
	/* pages since the last row */
	uint64_t read, faulted, missed, added, dirtied;
	bool has_order, has_dirtied;
	struct tl_event *map_pages;
	uint64_t head; /* in the flags of a folio of several pages */
	/* where the values are in the events at hand */
	struct tl_field ino, dev, pos, len, size;
	struct tl_field fault_ino, fault_dev, page, flags;
	struct tl_field add_ino, add_dev, add_index, add_order;
	struct tl_field folio_flags, folio_size;
} env = { .interval = SECOND };

static const struct tl_opt options[] = {
	{ 'D', NULL, NULL, "show the counts behind each row", TL_OPT_FLAG,
	  &env.debug },
	{ 't', NULL, NULL, "show the time", TL_OPT_FLAG, &env.clock },
	{ 0 }
};

/* Behind the options, as in vmstat(8). */
static const struct tl_operand operands[] = {
	{ "interval", TL_OPT_INTERVAL, &env.interval },
	{ "count", TL_OPT_COUNT, &env.count },
	{ 0 }
};

enum {
	CLOCK,
	TIME,
	HITS,
	MISSES,
	DIRTIES,
	RATIO,
	BUFFERS_MB,
	CACHE_MB,
	BUFFERS,
	CACHED,
	READ,
	FAULTED,
	ADDED,
	DEBUG
};

static const struct tl_column columns[] = {
	[CLOCK] = { "TIME", "clock", -8, TL_STR, TL_SHOW_NEVER, &env.clock,
		    TL_SHOW_TEXT },
	[TIME] = { "TIMEs", "time", -16, TL_TIME, TL_SHOW_DATA },
	[HITS] = { "HITS", "hits", 8, TL_INT, TL_SHOW_ALL },
	[MISSES] = { "MISSES", "misses", 8, TL_INT, TL_SHOW_ALL },
	[DIRTIES] = { "DIRTIES", "dirties", 8, TL_INT, TL_SHOW_ALL },
	[RATIO] = { "RATIO", "ratio", 8, TL_PERCENT, TL_SHOW_ALL },
	[BUFFERS_MB] = { "BUFFERS_MB", "buffers_mb", 12, TL_INT, TL_SHOW_TEXT },
	[CACHE_MB] = { "CACHE_MB", "cache_mb", 10, TL_INT, TL_SHOW_TEXT },
	[BUFFERS] = { "BUFFERS", "buffers", 12, TL_INT, TL_SHOW_DATA },
	[CACHED] = { "CACHED", "cached", 12, TL_INT, TL_SHOW_DATA },
	[READ] = { "READ", "read", 8, TL_INT, TL_SHOW_DATA },
	[FAULTED] = { "FAULTED", "faulted", 8, TL_INT, TL_SHOW_DATA },
	[ADDED] = { "ADDED", "added", 8, TL_INT, TL_SHOW_DATA },
	[DEBUG] = { " DEBUG", "debug", 0, TL_STR, TL_SHOW_NEVER, &env.debug,
		    TL_SHOW_TEXT },
	{ 0 }
};

/* ---- rows -------------------------------------------------------------- */

/* Bytes, by a line like "Cached:  1234 kB"; -1 when there is none. */
static int64_t memory(const char *text, const char *name)
{
	const char *line = strstr(text, name);
	int64_t kb;

	if (!line || sscanf(line + strlen(name), " %" SCNd64 " kB", &kb) != 1)
		return -1;
	return kb * 1024;
}

static void put_bytes(struct tl_session *s, unsigned int col,
		      unsigned int col_mb, int64_t bytes)
{
	if (bytes < 0)
		return;
	tl_put_int(s, col, bytes);
	tl_put_int(s, col_mb, (bytes + (1 << 19)) >> 20);
}

static void put_memory(struct tl_session *s)
{
	char text[8192];
	ssize_t n = pread(env.meminfo, text, sizeof(text) - 1, 0);

	text[n < 0 ? 0 : n] = '\0';
	put_bytes(s, BUFFERS, BUFFERS_MB, memory(text, "\nBuffers:"));
	put_bytes(s, CACHED, CACHE_MB, memory(text, "\nCached:"));
}

/* In parts of a billion, rounded. */
static int64_t ratio_of(uint64_t hits, uint64_t all)
{
	/* so many of both that the product is too large need no last digit */
	while (all > UINT64_MAX / SECOND / 2) {
		hits /= 2;
		all /= 2;
	}
	return (int64_t)((hits * SECOND + all / 2) / all);
}

static void put_counts(struct tl_session *s)
{
	uint64_t accessed = env.read + env.faulted, hits = 0;

	/* what was read ahead may not have been accessed yet */
	if (accessed > env.missed)
		hits = accessed - env.missed;
	tl_put_int(s, HITS, (int64_t)hits);
	tl_put_int(s, MISSES, (int64_t)env.missed);
	if (env.has_dirtied)
		tl_put_int(s, DIRTIES, (int64_t)env.dirtied);
	if (hits + env.missed)
		tl_put_int(s, RATIO, ratio_of(hits, hits + env.missed));
	tl_put_int(s, READ, (int64_t)env.read);
	tl_put_int(s, FAULTED, (int64_t)env.faulted);
	tl_put_int(s, ADDED, (int64_t)env.added);
}

static void on_interval(struct tl_session *s, uint64_t ns)
{
	char clock[9], debug[128];

	tl_clock(s, ns, clock);
	tl_put_text(s, CLOCK, clock);
	tl_put_int(s, TIME, (int64_t)ns);
	put_counts(s);
	put_memory(s);
	snprintf(debug, sizeof(debug),
		 " (%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 ")", env.read,
		 env.faulted, env.missed, env.added);
	tl_put_text(s, DEBUG, debug);
	tl_row(s);
	env.read = env.faulted = env.missed = env.added = env.dirtied = 0;
}

/* ---- counting ---------------------------------------------------------- */

static struct reader *reader_of(pid_t pid)
{
	return tl_pairs_get(env.readers, pid) ?: tl_pairs_put(env.readers, pid);
}

static uint64_t page_of(uint64_t pos)
{
	return pos / env.page_size;
}

/*
 * Pages that a read asks for: what is behind the end of the file is not read.
 */
static uint64_t pages_of(const struct tl_record *r)
{
	uint64_t pos = (uint64_t)tl_field_num(r, &env.pos);
	uint64_t len = (uint64_t)tl_field_num(r, &env.len);
	uint64_t size = (uint64_t)tl_field_num(r, &env.size);

	if (pos >= size || !len)
		return 0;
	if (len > size - pos)
		len = size - pos;
	return page_of(pos + len - 1) - page_of(pos) + 1;
}

static struct file file_of(const struct tl_record *r,
			   const struct tl_field *ino,
			   const struct tl_field *dev)
{
	return (struct file){ .ino = (uint64_t)tl_field_num(r, ino),
			      .dev = (uint64_t)tl_field_num(r, dev) };
}

static bool is_same(const struct file *a, const struct file *b)
{
	return a->ino == b->ino && a->dev == b->dev;
}

static void on_read(struct tl_session *s, const struct tl_record *r)
{
	struct reader *reader = reader_of(r->pid);

	(void)s;
	env.read += pages_of(r);
	if (!reader)
		return;
	reader->file = file_of(r, &env.ino, &env.dev);
	reader->pages = page_of((uint64_t)tl_field_num(r, &env.size) +
				env.page_size - 1);
	reader->fault.mapping = reader->fault.under_vma = false;
}

/*
 * A page that filemap_map_pages() does not find is sought once more by
 * filemap_fault(), if it is for reading, and a fault that has to wait with only
 * its VMA's lock begins anew with another one.
 */
static bool goes_on(const struct fault *old, const struct fault *now,
		    bool is_write)
{
	return old->given && is_same(&old->file, &now->file) &&
	       old->page == now->page &&
	       ((old->mapping && !now->mapping && !is_write) ||
		(old->under_vma && !now->under_vma));
}

static void on_fault(struct tl_session *s, const struct tl_record *r)
{
	struct reader *reader = reader_of(r->pid);
	uint64_t flags = (uint64_t)tl_field_num(r, &env.flags);
	struct fault now = {
		.given = true,
		.file = file_of(r, &env.fault_ino, &env.fault_dev),
		.page = (uint64_t)tl_field_num(r, &env.page),
		.mapping = r->event == env.map_pages,
		.under_vma = flags & FAULT_UNDER_VMA,
	};

	(void)s;
	if (!reader || !goes_on(&reader->fault, &now, flags & FAULT_WRITE))
		env.faulted++;
	if (reader)
		reader->fault = now;
}

/* Pages that this thread adds from now on are not for reading. */
static void on_other(struct tl_session *s, const struct tl_record *r)
{
	(void)s;
	tl_pairs_drop(env.readers, r->pid);
}

/*
 * Whether a page is added because of a thread's last read, or its last fault.
 */
static bool is_for(const struct reader *reader, const struct tl_record *r)
{
	struct file file = file_of(r, &env.add_ino, &env.add_dev);
	uint64_t page = (uint64_t)tl_field_num(r, &env.add_index);

	return (is_same(&reader->file, &file) && page < reader->pages) ||
	       (reader->fault.given && is_same(&reader->fault.file, &file));
}

/* Up to 5.11 a read that meets the end of the file adds a page behind it. */
static void on_add(struct tl_session *s, const struct tl_record *r)
{
	struct reader *reader = tl_pairs_get(env.readers, r->pid);
	uint64_t pages = 1;

	(void)s;
	if (env.has_order)
		pages <<= tl_field_num(r, &env.add_order);
	env.added += pages;
	if (!reader)
		return;
	if (is_for(reader, r))
		env.missed += pages;
	reader->fault.mapping = false;
}

static void on_dirty(struct tl_session *s, const struct tl_record *r)
{
	(void)s;
	if (env.head && (uint64_t)tl_field_num(r, &env.folio_flags) & env.head)
		env.dirtied += (uint64_t)tl_field_num(r, &env.folio_size);
	else
		env.dirtied++;
}

static void on_lost(struct tl_session *s, unsigned int cpu)
{
	(void)s;
	(void)cpu;
	tl_pairs_clear(env.readers);
}

/* ---- events ------------------------------------------------------------ */

#define ADD_EVENT "mm_filemap_add_to_page_cache"
#define LONG      (sizeof(long) == 8 ? "u64" : "u32")
#define INODE     "file.f_mapping address_space.host "
#define DEVICE    "inode.i_sb super_block.s_dev"

/* What a probe fetches, at the end of a way from an argument. */
struct fetch {
	const char *name, *from, *path, *type; /* NULL: unsigned long */
	struct tl_field *field;
};

static const struct fetch of_read[] = {
	{ "ino", "$arg1", "kiocb.ki_filp " INODE "inode.i_ino", NULL,
	  &env.ino },
	{ "pos", "$arg1", "kiocb.ki_pos", "u64", &env.pos },
	{ "len", "$arg2", "iov_iter.count", NULL, &env.len },
	{ "size", "$arg1", "kiocb.ki_filp " INODE "inode.i_size", "u64",
	  &env.size },
	{ "dev", "$arg1", "kiocb.ki_filp " INODE DEVICE, "u32", &env.dev },
	{ 0 }
};

/* Of the same types in the same order, so that all are at the same places. */
static const struct fetch of_splice[] = {
	{ "ino", "$arg1", INODE "inode.i_ino", NULL, &env.ino },
	{ "pos", "+0($arg2)", "", "u64", &env.pos },
	{ "len", "$arg4", "", NULL, &env.len },
	{ "size", "$arg1", INODE "inode.i_size", "u64", &env.size },
	{ "dev", "$arg1", INODE DEVICE, "u32", &env.dev },
	{ 0 }
};

#define FAULT_INODE "vm_fault.vma vm_area_struct.vm_file " INODE

static const struct fetch of_fault[] = {
	{ "ino", "$arg1", FAULT_INODE "inode.i_ino", NULL, &env.fault_ino },
	{ "page", "$arg1", "vm_fault.pgoff", NULL, &env.page },
	{ "flags", "$arg1", "vm_fault.flags", "u32", &env.flags },
	{ "dev", "$arg1", FAULT_INODE DEVICE, "u32", &env.fault_dev },
	{ "magic", "$arg1", FAULT_INODE "inode.i_sb super_block.s_magic", NULL,
	  NULL },
	{ 0 }
};

/* The size counts in folios of several pages, which have this flag. */
static struct fetch of_folio[] = {
	{ "flags", "$arg1", "folio.flags", NULL, &env.folio_flags },
	{ "pages", "$arg1", NULL, "u32", &env.folio_size },
	{ 0 }
};

static const struct probe {
	const char *function;
	const char *older; /* the same under another name */
	const struct fetch *fetch;
	tl_handler *handler;
	bool needed;
	struct tl_event **event;
} probes[] = {
	/* 5.12 on; all buffered reads pass here */
	{ "filemap_read", "generic_file_buffered_read", of_read, on_read, true,
	  NULL },
	/* 6.5 on; splice() and sendfile(), which used the other before */
	{ "filemap_splice_read", NULL, of_splice, on_read, false, NULL },
	{ "filemap_map_pages", NULL, of_fault, on_fault, true, &env.map_pages },
	{ "filemap_fault", NULL, of_fault, on_fault, true, NULL },
	/* writes to files begin with this, readahead() and such with that */
	{ "generic_write_checks", NULL, NULL, on_other, true, NULL },
	{ "generic_fadvise", NULL, NULL, on_other, false, NULL },
};

#define PROBES (sizeof(probes) / sizeof(probes[0]))

static int find_fields(struct tl_session *s, const struct tl_event *ev,
		       const struct fetch *f)
{
	int ret = 0;

	for (; f && f->name && !ret; f++)
		if (f->field)
			ret = tl_event_field(s, ev, f->name, f->field);
	return ret;
}

/* What the kernel calls all that is to be fetched. */
static int fetch_args(const struct fetch *f, char args[1024])
{
	char text[128];
	size_t len = 0;
	int ret;

	for (*args = '\0'; f && f->name && len < 1024; f++) {
		ret = tl_btf_fetch(f->from, f->path, text, sizeof(text));
		if (ret)
			return ret;
		len += (size_t)snprintf(args + len, 1024 - len, " %s=%s:%s",
					f->name, text, f->type ?: LONG);
	}
	return len < 1024 ? 0 : tl_fail(ENAMETOOLONG, "too much to fetch");
}

/*
 * -ENOENT, without a message, when there is no such function.  --check does all
 * but define it.
 */
static int add_probe(struct tl_session *s, const char *function,
		     const struct fetch *fetch, tl_handler *handler,
		     struct tl_event **ev)
{
	char args[1024];
	int ret;

	*ev = NULL;
	if (env.checks && !tl_function_exists(s, function))
		return -ENOENT;
	ret = fetch_args(fetch, args);
	if (ret || env.checks)
		return ret;
	*ev = tl_probe_add(s, "p", function, function, args, handler);
	return *ev ? find_fields(s, *ev, fetch) : -errno;
}

static int missing(const struct probe *p)
{
	if (!p->needed)
		return 0;
	return tl_fail(ENOTSUP, "this kernel does not let %s%s%s be traced",
		       p->function, p->older ? " or " : "", p->older ?: "");
}

/*
 * A fault that is tried again has counted.  Of tmpfs and shared memory faults
 * are all that would be seen here.
 */
static int filter_faults(struct tl_session *s, struct tl_event *ev)
{
	struct tl_filter f = { "" };

	tl_filter_and(&f, "!(flags & %d)", FAULT_TRIED);
	tl_filter_and(&f, "magic != %d", TMPFS_MAGIC);
	return tl_event_filter(s, ev, f.text);
}

static int add(struct tl_session *s, const struct probe *p)
{
	struct tl_event *ev;
	int ret = add_probe(s, p->function, p->fetch, p->handler, &ev);

	if (ret == -ENOENT && p->older)
		ret = add_probe(s, p->older, p->fetch, p->handler, &ev);
	if (ret)
		return ret == -ENOENT ? missing(p) : ret;
	if (p->event)
		*p->event = ev;
	return ev && p->fetch == of_fault ? filter_faults(s, ev) : 0;
}

static int no_tracepoint(void)
{
	return tl_fail(ENOTSUP, "this kernel has no tracepoint filemap:%s",
		       ADD_EVENT);
}

static int add_adds(struct tl_session *s)
{
	struct tl_event *ev = tl_event_add(s, "filemap", ADD_EVENT, on_add);
	int ret;

	if (!ev)
		return errno == ENOENT ? no_tracepoint() : -errno;
	/* 6.1 on: before, a folio was a page */
	env.has_order = tl_event_has(ev, "order");
	ret = tl_event_field(s, ev, "i_ino", &env.add_ino)
		      ?: tl_event_field(s, ev, "s_dev", &env.add_dev)
		      ?: tl_event_field(s, ev, "index", &env.add_index);
	if (!ret && env.has_order)
		ret = tl_event_field(s, ev, "order", &env.add_order);
	return ret;
}

/* How many pages a folio has is in one of these: 6.14 on, and before. */
static const char *folio_size(void)
{
	if (tl_btf_offset("folio", "_nr_pages") >= 0)
		return "folio._nr_pages";
	if (tl_btf_offset("folio", "_folio_nr_pages") >= 0)
		return "folio._folio_nr_pages";
	return NULL;
}

/* Up to 5.15 pages become dirty one by one.  Else DIRTIES is not known. */
static int add_dirties(struct tl_session *s)
{
	int head = tl_btf_enumerator("pageflags", "PG_head");
	struct tl_event *ev;
	int ret;

	ret = add_probe(s, "account_page_dirtied", NULL, on_dirty, &ev);
	of_folio[1].path = folio_size();
	if (ret == -ENOENT && head >= 0 && of_folio[1].path) {
		env.head = 1ULL << head;
		ret = add_probe(s, "__folio_mark_dirty", of_folio, on_dirty,
				&ev);
	}
	env.has_dirtied = !ret;
	return ret == -ENOENT ? 0 : ret;
}

static void print_banner(struct tl_session *s)
{
	char who[256];

	tl_banner_who(s, who, sizeof(who));
	tl_print(s, "Counting cache functions%s... Output every %.10g seconds.",
		 who, (double)env.interval / SECOND);
}

static int setup(struct tl_session *s)
{
	unsigned int i;
	int ret;

	print_banner(s);
	env.page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	/* a capture does not have it */
	env.meminfo = tl_settings(s)->read
			      ? -1
			      : open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
	env.readers = tl_pairs_new(sizeof(struct reader), READERS, NULL);
	if (!env.readers)
		return -ENOMEM;
	tl_interval(s, env.interval, env.count, on_interval);
	ret = add_adds(s);
	for (i = 0; i < PROBES && !ret; i++)
		ret = add(s, &probes[i]);
	return ret ?: add_dirties(s);
}

static int check_dirties(struct tl_session *s)
{
	int ret = add_dirties(s);

	if (ret || env.has_dirtied)
		return ret;
	return tl_fail(ENOTSUP, "not known: this kernel lets neither "
				"account_page_dirtied nor __folio_mark_dirty "
				"be traced");
}

static int check(struct tl_session *s)
{
	unsigned int i;
	int ret = tl_kprobe_check(s) ?: tl_btf_check(s);

	if (ret)
		return ret;
	if (!tl_event_exists(s, "filemap", ADD_EVENT))
		return no_tracepoint();
	env.checks = true;
	for (i = 0; i < PROBES && !ret; i++)
		ret = add(s, &probes[i]);
	return ret ?: tl_limit(s, "DIRTIES", false, check_dirties);
}

static const struct tl_tool cachestat = {
	.name = "cachestat",
	.summary = "count page cache hits and misses",
	.examples = {
		{ "cachestat", "a row each second" },
		{ "cachestat -t 10 6", "a minute, with the time" },
		{ "cachestat -D -n '^postgres$' 10",
		  "how well it serves one program, and the counts behind that" },
	},
	.options = options,
	.operands = operands,
	.columns = columns,
	.buffer_kb = 4096,
	.check = check,
	.setup = setup,
	.lost = on_lost,
};

TL_MAIN(cachestat)
