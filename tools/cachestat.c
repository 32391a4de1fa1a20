// SPDX-License-Identifier: GPL-2.0-or-later
/* cachestat - count page cache hits and misses */
#include <errno.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>

#include "tracelet.h"
#include "tracelet/btf.h"
#include "tracelet/machine.h"
#include "tracelet/pairs.h"
#include "tracelet/proc.h"
#include "tracelet/source.h"

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
	uint64_t ino, dev;
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
	uint64_t interval;
	unsigned int count;
	uint64_t page_size;
	struct tl_pairs *readers; /* by thread */
	/* pages since the last row */
	uint64_t read, faulted, missed, added, dirtied;
	bool has_order, dirty_pages, dirty_folios; /* on this kernel */
	struct tl_event *map_pages;
	uint64_t head; /* flag of a folio of several pages; 0: unknown */
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
	[CLOCK] = { "TIME", "clock", -8, TL_WALL_CLOCK, TL_SHOW_NEVER,
		    &env.clock, TL_SHOW_TEXT },
	[TIME] = { "TIMEs", "time", -16, TL_TIME, TL_SHOW_DATA },
	[HITS] = { "HITS", "hits", 8, TL_INT, TL_SHOW_ALL },
	[MISSES] = { "MISSES", "misses", 8, TL_INT, TL_SHOW_ALL,
		     .metric = TL_COUNTER("missed_pages",
					  "Pages that had to be read first") },
	[DIRTIES] = { "DIRTIES", "dirties", 8, TL_INT, TL_SHOW_ALL,
		      .metric = TL_COUNTER("dirtied_pages",
					   "Pages that were written to") },
	[RATIO] = { "RATIO", "ratio", 8, TL_PERCENT, TL_SHOW_ALL },
	[BUFFERS_MB] = { "BUFFERS_MB", "buffers_mb", 12, TL_INT, TL_SHOW_TEXT },
	[CACHE_MB] = { "CACHE_MB", "cache_mb", 10, TL_INT, TL_SHOW_TEXT },
	[BUFFERS] = { "BUFFERS", "buffers", 12, TL_INT, TL_SHOW_DATA },
	[CACHED] = { "CACHED", "cached", 12, TL_INT, TL_SHOW_DATA },
	[READ] = { "READ", "read", 8, TL_INT, TL_SHOW_DATA,
		   .metric =
			   TL_COUNTER("read_pages",
				      "Pages of files that reads asked for") },
	[FAULTED] = { "FAULTED", "faulted", 8, TL_INT, TL_SHOW_DATA,
		      .metric = TL_COUNTER(
			      "faulted_pages",
			      "Pages of files that page faults asked for") },
	[ADDED] = { "ADDED", "added", 8, TL_INT, TL_SHOW_DATA },
	[DEBUG] = { " DEBUG", "debug", 0, TL_STR, TL_SHOW_NEVER, &env.debug,
		    TL_SHOW_TEXT },
	{ 0 }
};

/* ---- rows ------------------------------------------------------------- */

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
	static const char *const names[] = { "Buffers", "Cached" };
	int64_t bytes[2];

	tl_proc_bytes(s, "/proc/meminfo", names, bytes, 2);
	put_bytes(s, BUFFERS, BUFFERS_MB, bytes[0]);
	put_bytes(s, CACHED, CACHE_MB, bytes[1]);
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
	if (env.dirty_pages || (env.dirty_folios && (env.head || !env.dirtied)))
		tl_put_int(s, DIRTIES, (int64_t)env.dirtied);
	if (hits + env.missed)
		tl_put_int(s, RATIO, ratio_of(hits, hits + env.missed));
	tl_put_int(s, READ, (int64_t)env.read);
	tl_put_int(s, FAULTED, (int64_t)env.faulted);
	tl_put_int(s, ADDED, (int64_t)env.added);
}

static int on_interval(struct tl_session *s, uint64_t ns)
{
	char debug[128];

	tl_put_time(s, CLOCK, ns);
	put_counts(s);
	put_memory(s);
	snprintf(debug, sizeof(debug),
		 " (%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 ")", env.read,
		 env.faulted, env.missed, env.added);
	tl_put_text(s, DEBUG, debug);
	tl_row(s);
	env.read = env.faulted = env.missed = env.added = env.dirtied = 0;
	return 0;
}

/* ---- counting --------------------------------------------------------- */

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

	if (tl_cpu_matches(s, r->cpu))
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

	if (tl_cpu_matches(s, r->cpu) &&
	    (!reader || !goes_on(&reader->fault, &now, flags & FAULT_WRITE)))
		env.faulted++;
	if (reader)
		reader->fault = now;
}

/* Pages that this thread adds from now on are not for reading. */
static void on_other(struct tl_session *s, const struct tl_record *r)
{
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
	uint64_t pages = tl_cpu_matches(s, r->cpu);

	if (env.has_order)
		/* an order in a capture can be anything */
		pages <<= tl_field_num(r, &env.add_order) & 63;
	env.added += pages;
	if (!reader)
		return;
	if (is_for(reader, r))
		env.missed += pages;
	reader->fault.mapping = false;
}

static void on_dirty(struct tl_session *s, const struct tl_record *r)
{
	if (!tl_cpu_matches(s, r->cpu))
		return;
	if (env.dirty_folios &&
	    (uint64_t)tl_field_num(r, &env.folio_flags) & env.head)
		env.dirtied += (uint64_t)tl_field_num(r, &env.folio_size);
	else
		env.dirtied++;
}

/* ---- sources ---------------------------------------------------------- */

#define KIOCB  "kiocb.ki_filp "
#define FAULT  "vm_fault.vma vm_area_struct.vm_file "
#define INODE  "file.f_mapping address_space.host "
#define DEVICE "inode.i_sb super_block.s_dev"
#define MAGIC  "inode.i_sb super_block.s_magic"

static const struct tl_source_field of_add[] = {
	{ "i_ino", &env.add_ino },
	{ "s_dev", &env.add_dev },
	{ "index", &env.add_index },
	/* 6.1 on: before, a folio was a page */
	{ "order", &env.add_order, .found = &env.has_order },
	{ 0 }
};

static const struct tl_source_field of_read[] = {
	{ "ino", &env.ino, "$arg1", KIOCB INODE "inode.i_ino" },
	{ "pos", &env.pos, "$arg1", "kiocb.ki_pos", "u64" },
	{ "len", &env.len, "$arg2", "iov_iter.count" },
	{ "size", &env.size, "$arg1", KIOCB INODE "inode.i_size", "u64" },
	{ "dev", &env.dev, "$arg1", KIOCB INODE DEVICE, "u32" },
	{ 0 }
};

/* Of the same types in the same order, so that all are at the same places. */
static const struct tl_source_field of_splice[] = {
	{ "ino", &env.ino, "$arg1", INODE "inode.i_ino" },
	{ "pos", &env.pos, "+0($arg2)", .type = "u64" },
	{ "len", &env.len, "$arg4" },
	{ "size", &env.size, "$arg1", INODE "inode.i_size", "u64" },
	{ "dev", &env.dev, "$arg1", INODE DEVICE, "u32" },
	{ 0 }
};

static const struct tl_source_field of_fault[] = {
	{ "ino", &env.fault_ino, "$arg1", FAULT INODE "inode.i_ino" },
	{ "page", &env.page, "$arg1", "vm_fault.pgoff" },
	{ "flags", &env.flags, "$arg1", "vm_fault.flags", "u32" },
	{ "dev", &env.fault_dev, "$arg1", FAULT INODE DEVICE, "u32" },
	{ "magic", NULL, "$arg1", FAULT INODE MAGIC },
	{ 0 }
};

/* The size counts in folios of several pages, which have PG_head. */
static const struct tl_source_field of_folio[] = {
	{ "flags", &env.folio_flags, "$arg1", "folio.flags" },
	/* 6.14 on, and before */
	{ "pages", &env.folio_size, "$arg1", "folio._nr_pages|_folio_nr_pages",
	  "u32" },
	{ 0 }
};

/*
 * A fault that is tried again has counted.  Of tmpfs and shared memory faults
 * are all that would be seen here.
 */
static void filter_faults(struct tl_session *s, const struct tl_event *ev,
			  struct tl_filter *f)
{
	tl_filter_and(f, "!(flags & %d)", FAULT_TRIED);
	tl_filter_and(f, "magic != %d", TMPFS_MAGIC);
}

static const struct tl_source sources[] = {
	{ "filemap:mm_filemap_add_to_page_cache", on_add, of_add },
	/* 5.12 on, and before; all buffered reads pass here */
	{ "filemap_read|generic_file_buffered_read", on_read, of_read },
	/* 6.5 on; splice() and sendfile(), which used the other before */
	{ "filemap_splice_read", on_read, of_splice,
	  .flags = TL_SOURCE_OPTIONAL },
	{ "filemap_map_pages", on_fault, of_fault, .add_filter = filter_faults,
	  .added = &env.map_pages },
	{ "filemap_fault", on_fault, of_fault, .add_filter = filter_faults },
	/* writes to files begin with this, readahead() and such with that */
	{ "generic_write_checks", on_other },
	{ "generic_fadvise", on_other, .flags = TL_SOURCE_OPTIONAL },
	/* up to 5.15 pages become dirty one by one */
	{ "account_page_dirtied", on_dirty, .found = &env.dirty_pages },
	{ "__folio_mark_dirty", on_dirty, of_folio, .found = &env.dirty_folios,
	  .flags = TL_SOURCE_ELSE | TL_SOURCE_OPTIONAL, .limit = "DIRTIES",
	  .missing = "not known: this kernel lets neither account_page_dirtied "
		     "nor __folio_mark_dirty be traced" },
	{ 0 }
};

static void print_banner(struct tl_session *s)
{
	char what[256];

	snprintf(what, sizeof(what), "Counting cache functions%s",
		 tl_banner_who(s));
	tl_banner_as(s, what, "%s... Output every %.10g seconds.", what,
		     (double)env.interval / SECOND);
}

static int setup(struct tl_session *s)
{
	int head = tl_btf_enumerator(s, "pageflags", "PG_head");

	print_banner(s);
	env.page_size = tl_page_size(s);
	env.readers =
		tl_pairs_open_threads(s, sizeof(struct reader), READERS, NULL);
	if (!env.readers)
		return -ENOMEM;
	tl_interval(s, env.interval, env.count, on_interval);
	/* a capture of before this was kept does not have it */
	if (head > 0 && head < 64)
		env.head = 1ULL << head;
	return 0;
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
	.operands = TL_OPERANDS_INTERVAL(env.interval, env.count),
	.columns = columns,
	.flags = TL_FILTERS_CPUS,
	.buffer_kb = 4096,
	.sources = sources,
	.setup = setup,
};

TL_MAIN(cachestat)
