// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * locks - wait for a lock of the kernel that is held for a known time
 *
 * locks mutex|rwsem|rtnl N MS: N times a thread takes a lock in the kernel and there copies
 * to, or from, a page of which nobody says yet what is in it (userfaultfd).  Once another
 * thread sleeps that wants the same lock, it is held for MS ms more, with 0 until a byte comes
 * from standard input; then the page is given.
 *
 * Says "PID TID", of the second thread, reads a byte from standard input, and at the end says
 * for how long the lock was held behind the begin of the waits, and how long the calls of the
 * second thread took, both in ns: each wait is as long as the first, and not longer than the
 * second.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/userfaultfd.h>
#include <net/if.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const char *kind;
static int fd, other_fd;
static char *page;
static size_t size;
static _Atomic pid_t second_tid;
static uint64_t took;
static pthread_barrier_t together;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* Takes the lock, and touches @buffer with it. */
static void call(char *buffer, int on)
{
	struct ifconf ifc = { .ifc_len = (int)size, .ifc_buf = buffer };

	if (!strcmp(kind, "mutex")) { /* of the file's position */
		if (pread(on, NULL, 0, 0) || lseek(on, 0, SEEK_SET) ||
		    (buffer != NULL && read(on, buffer, 16) != 16))
			die("read");
	} else if (!strcmp(kind, "rwsem")) { /* of the inode */
		if (pwrite(on, buffer, 16, 0) != 16)
			die("pwrite");
	} else if (ioctl(on, SIOCGIFCONF, &ifc)) {
		die("SIOCGIFCONF");
	}
}

static void *first(void *unused)
{
	(void)unused;
	call(page, fd);
	return NULL;
}

static void *second(void *rounds)
{
	static char buffer[4096];
	unsigned int n = *(unsigned int *)rounds;
	uint64_t since;

	second_tid = (pid_t)syscall(SYS_gettid);
	while (n--) {
		pthread_barrier_wait(&together);
		since = now();
		call(strcmp(kind, "mutex") ? buffer : NULL, other_fd);
		took += now() - since;
		pthread_barrier_wait(&together);
	}
	return NULL;
}

static int open_uffd(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	int uffd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	if (uffd < 0 || ioctl(uffd, UFFDIO_API, &api))
		die("userfaultfd");
	reg.range.start = (uintptr_t)page;
	reg.range.len = size;
	if (ioctl(uffd, UFFDIO_REGISTER, &reg))
		die("UFFDIO_REGISTER");
	return uffd;
}

/* Not in the memory of this process: that has a lock, too. */
static char state_of(pid_t tid)
{
	char path[64], text[512], *end;
	ssize_t len;
	int stat;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)tid);
	stat = open(path, O_RDONLY);
	len = stat < 0 ? -1 : read(stat, text, sizeof(text) - 1);
	close(stat);
	if (len <= 0)
		die(path);
	text[len] = '\0';
	end = strrchr(text, ')');
	return end ? end[2] : '?';
}

static uint64_t hold(int uffd, unsigned int ms)
{
	struct timespec pause = { ms / 1000, ms % 1000 * 1000000L },
			least = { 0, 1000000 };
	static char zeroes[65536];
	struct uffdio_copy copy = { .src = (uintptr_t)zeroes,
				    .dst = (uintptr_t)page,
				    .len = size };
	struct uffd_msg msg;
	pthread_t thread;
	uint64_t since;

	if (madvise(page, size, MADV_DONTNEED) ||
	    pthread_create(&thread, NULL, first, NULL))
		die("begin");
	/* it has the lock, and cannot go on */
	if (read(uffd, &msg, sizeof(msg)) != sizeof(msg))
		die("read");
	pthread_barrier_wait(&together);
	while (state_of(second_tid) != 'D')
		nanosleep(&least, NULL);
	since = now();
	if (ms)
		nanosleep(&pause, NULL);
	else
		getchar();
	since = now() - since;
	if (ioctl(uffd, UFFDIO_COPY, &copy))
		die("UFFDIO_COPY");
	pthread_barrier_wait(&together);
	pthread_join(thread, NULL);
	return since;
}

static void open_files(void)
{
	static const char path[] = "/tmp/locks.file";
	char zeroes[16] = { 0 };

	if (!strcmp(kind, "rtnl")) {
		fd = other_fd = socket(AF_INET, SOCK_DGRAM, 0);
		return;
	}
	fd = open(path, O_RDWR | O_CREAT, 0600);
	if (fd < 0 || pwrite(fd, zeroes, 16, 0) != 16)
		die(path);
	other_fd = strcmp(kind, "mutex") ? open(path, O_RDWR) : fd;
	unlink(path);
}

int main(int argc, char **argv)
{
	unsigned int rounds = argc > 2 ? (unsigned int)atoi(argv[2]) : 1, i;
	unsigned int ms = argc > 3 ? (unsigned int)atoi(argv[3]) : 1;
	uint64_t held = 0;
	pthread_t thread;
	int uffd;

	kind = argc > 1 ? argv[1] : "mutex";
	size = (size_t)sysconf(_SC_PAGESIZE);
	page = mmap(NULL, size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		die("mmap");
	open_files();
	uffd = open_uffd();
	pthread_barrier_init(&together, NULL, 2);
	if (pthread_create(&thread, NULL, second, &rounds))
		die("pthread_create");
	while (!second_tid)
		;
	printf("%d %d\n", (int)getpid(), (int)second_tid);
	fflush(stdout);
	getchar();
	for (i = 0; i < rounds; i++)
		held += hold(uffd, ms);
	pthread_join(thread, NULL);
	printf("%" PRIu64 " %" PRIu64 "\n", held, took);
	return 0;
}
