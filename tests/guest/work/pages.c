/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accesses pages of a FILE by names of acts, one after the other, and then
 * prints "ACCESSED MISSED DIRTIED", what a count of its page cache must say.
 * Missed are those that mincore() did not find just before.
 *	wait		prints "ready", and waits for a line
 *	file FILE	goes on with another one, made if it is not there
 *	read CHUNK	all of it, CHUNK bytes at a time
 *	part FROM LEN	LEN bytes from FROM on, by one call
 *	random N	a byte of each of N pages, without reading ahead
 *	modify N	the same, and each is written after it was read
 *	map		a byte of each page by mmap(): an access per fault
 *	mapwrite	the same, but writes
 *	into FILE	all of it at once, into a mapping of another file of that size
 *	send		all of it to nowhere, by sendfile()
 *	write N CHUNK	N bytes to the end, CHUNK at a time; none is dirty yet
 *	prefetch	all of it, by readahead()
 *	spin N		N times the first byte, by pread()
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <unistd.h>

static char buffer[1 << 20], text[4096];
static unsigned char resident[1 << 18];
static long page, accessed, missed, dirtied;
static int fd;

static long size_of(void)
{
	return lseek(fd, 0, SEEK_END); /* a device has one, too */
}

static long page_count(void)
{
	return (size_of() + page - 1) / page;
}

static char *map(int prot)
{
	char *p = mmap(NULL, size_of(), prot, MAP_SHARED, fd, 0);

	if (p != MAP_FAILED)
		return p;
	perror("mmap");
	exit(1);
}

/* Fills in which pages are there, and counts those that are not. */
static long absent(void)
{
	long i, count = page_count(), n = 0;
	char *p;

	if (!count)
		return 0;
	p = map(PROT_READ);
	if (count > (long)sizeof(resident) || mincore(p, size_of(), resident)) {
		fprintf(stderr, "mincore: %s\n", strerror(errno));
		exit(1);
	}
	munmap(p, size_of());
	for (i = 0; i < count; i++)
		n += !(resident[i] & 1);
	return n;
}

/* Pages of LEN bytes from FROM on, as far as the file goes. */
static long pages_of(long from, long len)
{
	long i, n = 0;

	for (i = from; i < from + len && i < size_of(); n++)
		i = (i / page + 1) * page;
	return n;
}

static void wait_for_line(void)
{
	puts("ready");
	fflush(stdout);
	while (read(0, buffer, 1) == 1 && *buffer != '\n')
		;
}

static void get(long len, long from)
{
	if (pread(fd, buffer, len, from) >= 0)
		return;
	perror("read");
	exit(1);
}

static void read_all(long chunk)
{
	long from, size = size_of();

	missed += absent();
	for (from = 0; from < size; from += chunk) {
		accessed += pages_of(from, chunk);
		get(chunk, from);
	}
}

static void read_part(long from, long len)
{
	long i;

	absent();
	accessed += pages_of(from, len);
	for (i = from / page; i * page < from + len && i < page_count(); i++)
		missed += !(resident[i] & 1);
	get(len, from);
}

static void random_pages(long count, int modify)
{
	long i, total = page_count(), at;

	absent();
	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	for (i = 0; i < count; i++) {
		/* each once, up and down */
		at = (i % 2 ? total - 1 - i / 2 * 3 : i / 2 * 3) % total;
		missed += !(resident[at] & 1);
		accessed++;
		get(1, at * page);
		if (modify)
			dirtied += pwrite(fd, buffer, 1, at * page);
	}
	posix_fadvise(fd, 0, 0, POSIX_FADV_NORMAL);
}

static long faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt + usage.ru_majflt;
}

static void map_all(int writing)
{
	long i, before, count = page_count();
	volatile char *p;

	missed += absent();
	p = map(writing ? PROT_READ | PROT_WRITE : PROT_READ);
	before = faults();
	for (i = 0; i < count; i++) {
		if (writing)
			p[i * page] = 1;
		else
			(void)p[i * page];
	}
	accessed += faults() - before;
	dirtied += writing ? count : 0;
	munmap((char *)p, size_of());
}

/* Each page of the mapping has its fault while the read is under way. */
static void read_into(const char *name)
{
	int from = fd, into = open(name, O_RDWR);
	long before, size = size_of();
	char *p;

	missed += absent();
	accessed += page_count();
	fd = into;
	if (fd < 0 || size_of() != size) {
		fprintf(stderr, "%s is not as large\n", name);
		exit(1);
	}
	missed += absent();
	dirtied += page_count();
	p = map(PROT_READ | PROT_WRITE);
	fd = from;
	before = faults();
	if (pread(from, p, size, 0) != size) {
		perror("read");
		exit(1);
	}
	accessed += faults() - before;
	munmap(p, size);
	close(into);
}

static void send_all(void)
{
	int null = open("/dev/null", O_WRONLY);
	off_t from = 0;

	missed += absent();
	accessed += page_count();
	while (from < size_of() && sendfile(null, fd, &from, size_of()) > 0)
		;
	close(null);
}

/* One call takes no more than the device reads ahead. */
static void prefetch(void)
{
	long from;

	for (from = 0; from < size_of(); from += 65536)
		readahead(fd, from, 65536);
}

static void append(long bytes, long chunk)
{
	long from = size_of(), end = from + bytes, len;

	dirtied += (end + page - 1) / page - from / page;
	for (; from < end; from += len) {
		len = end - from < chunk ? end - from : chunk;
		if (pwrite(fd, buffer, len, from) != len) {
			perror("write");
			exit(1);
		}
	}
}

static void spin(long count)
{
	accessed += count;
	missed += absent() > 0;
	while (count-- > 0)
		get(1, 0);
}

static void open_file(const char *name)
{
	if (fd > 0)
		close(fd);
	fd = open(name, O_RDWR | O_CREAT, 0644);
	if (fd >= 0)
		return;
	perror(name);
	exit(1);
}

/* Returns the number of its arguments, -1 for none of these acts. */
static int act(const char *name, const char *arg, long b)
{
	long a = arg ? atol(arg) : 0;

	if (!strcmp(name, "file")) {
		open_file(arg);
	} else if (!strcmp(name, "into")) {
		read_into(arg);
	} else if (!strcmp(name, "read")) {
		read_all(a);
	} else if (!strcmp(name, "random") || !strcmp(name, "modify")) {
		random_pages(a, *name == 'm');
	} else if (!strcmp(name, "spin")) {
		spin(a);
	} else if (!strcmp(name, "part")) {
		read_part(a, b);
		return 2;
	} else if (!strcmp(name, "write")) {
		append(a, b);
		return 2;
	} else {
		if (!strcmp(name, "wait"))
			wait_for_line();
		else if (!strcmp(name, "map") || !strcmp(name, "mapwrite"))
			map_all(name[3]);
		else if (!strcmp(name, "send"))
			send_all();
		else if (!strcmp(name, "prefetch"))
			prefetch();
		else
			return -1;
		return 0;
	}
	return 1;
}

int main(int argc, char **argv)
{
	int i, used;

	page = sysconf(_SC_PAGESIZE);
	/* none of its own pages is to be faulted in later */
	setvbuf(stdout, text, _IOFBF, sizeof(text));
	mlockall(MCL_CURRENT);
	if (argc < 3)
		return 2;
	open_file(argv[1]);
	for (i = 2; i < argc; i += 1 + used) {
		used = act(argv[i], i + 1 < argc ? argv[i + 1] : NULL,
			   i + 2 < argc ? atol(argv[i + 2]) : 0);
		if (used < 0 || i + used >= argc)
			return 2;
	}
	printf("%ld %ld %ld\n", accessed, missed, dirtied);
	return 0;
}
