/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes a known number of events as fast as it can and says what one cost:
 *	burst open N PATH	opens and closes PATH N times
 *	burst exec N PROGRAM	runs PROGRAM N times, one after the other
 *	burst io N DEVICE	reads 4 KiB of DEVICE N times, not from the cache
 *	burst call N PATH	reads one byte of PATH N times
 *	burst cache N FILE	the same of FILE's 16 pages, which are in the page cache
 *	burst thread N FILE	reads the first byte of FILE in N threads, one after the other
 *	burst user N nothing	calls its own do_nothing("nothing") N times
 *	burst name N HOST	looks up HOST N times
 *	burst kill N self	sends signal 0 to itself N times
 *	burst tcp N ADDRESS	sends a message through a connection of its own to
 *				ADDRESS, and gets one back, N times
 *	burst send N ADDRESS	sends 1,000 bytes through a connection of its own to
 *				ADDRESS, and receives them, N times
 *	burst connect N ADDRESS	makes a connection to itself, sends 1,000 bytes through it,
 *				and closes it, N times
 *	burst drop N ADDRESS	sends N packets to a port of ADDRESS that nobody has
 *	burst message N queue	sends itself N System V messages of 100 bytes, one after the
 *				other, for each of which the kernel allocates once
 *	burst switch N pipe	passes a byte through pipes to a child and back, N / 2
 *				times: the processor goes from one to the other N times
 * With PER_MS behind these, it makes that many at the start of each millisecond.
 * Under -icount one nanosecond is one instruction of the guest.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static long long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static int do_open(const char *path)
{
	int fd = open(path, O_RDONLY);

	return fd < 0 ? -1 : close(fd);
}

static int do_exec(const char *path)
{
	char *argv[] = { (char *)path, "one", "two", NULL };
	int status;
	pid_t pid;

	if (posix_spawn(&pid, path, NULL, NULL, argv, environ))
		return -1;
	return waitpid(pid, &status, 0) == pid && status == 0 ? 0 : -1;
}

static int do_read(const char *path)
{
	static char buf[4096] __attribute__((aligned(4096)));
	static int fd = -1;
	static off_t at;

	if (fd < 0)
		fd = open(path, O_RDONLY | O_DIRECT);
	at += sizeof(buf);
	if (fd < 0 || pread(fd, buf, sizeof(buf), at) != sizeof(buf))
		return -1;
	return 0;
}

static int do_call(const char *path)
{
	static int fd = -1;
	char byte;

	if (fd < 0)
		fd = open(path, O_RDONLY);
	return read(fd, &byte, 1) == 1 ? 0 : -1;
}

/* Another page than the last, which the kernel would not mark as accessed. */
static int do_cache(const char *path)
{
	static int fd = -1;
	static unsigned int page;
	char byte;

	if (fd < 0)
		fd = open(path, O_RDONLY);
	return pread(fd, &byte, 1, page++ % 16 * 4096L) == 1 ? 0 : -1;
}

static void *read_first(void *fd)
{
	char byte;

	return pread(*(int *)fd, &byte, 1, 0) == 1 ? fd : NULL;
}

static int do_thread(const char *path)
{
	static int fd = -1;
	pthread_t thread;
	void *done;

	if (fd < 0)
		fd = open(path, O_RDONLY);
	if (pthread_create(&thread, NULL, read_first, &fd))
		return -1;
	return pthread_join(thread, &done) || !done ? -1 : 0;
}

/* For a probe there. */
__attribute__((noinline, noclone)) static int do_nothing(const char *path)
{
	__asm__ volatile("" : : "r"(path) : "memory");
	return 0;
}

static int do_name(const char *path)
{
	struct addrinfo *found;

	if (getaddrinfo(path, NULL, NULL, &found))
		return -1;
	freeaddrinfo(found);
	return 0;
}

static int do_kill(const char *path)
{
	static pid_t self;

	(void)path;
	if (!self)
		self = getpid();
	return kill(self, 0);
}

static int listen_at(const char *address, struct sockaddr_in *addr)
{
	struct sockaddr *any = (struct sockaddr *)addr;
	socklen_t size = sizeof(*addr);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	*addr = (struct sockaddr_in){ .sin_family = AF_INET };
	if (inet_pton(AF_INET, address, &addr->sin_addr) != 1 || fd < 0 ||
	    bind(fd, any, size) || listen(fd, 1) || getsockname(fd, any, &size))
		return -1;
	return fd;
}

static int connect_to(int listener, const struct sockaddr_in *addr, int ends[2])
{
	ends[0] = socket(AF_INET, SOCK_STREAM, 0);
	if (ends[0] < 0 ||
	    connect(ends[0], (const struct sockaddr *)addr, sizeof(*addr)))
		return -1;
	ends[1] = accept(listener, NULL, NULL);
	return ends[1] < 0 ? -1 : 0;
}

/* A connection to this process: one end in ends[0], the other in ends[1]. */
static int connect_self(const char *address, int ends[2])
{
	struct sockaddr_in addr;
	int from = listen_at(address, &addr), on = 1, i;

	if (from < 0 || connect_to(from, &addr, ends))
		return -1;
	close(from);
	for (i = 0; i < 2; i++) {
		if (setsockopt(ends[i], IPPROTO_TCP, TCP_NODELAY, &on,
			       sizeof(on)))
			return -1;
	}
	return 0;
}

static int pass(int from, int to)
{
	char message[64] = "";

	return send(from, message, sizeof(message), 0) == sizeof(message) &&
			       recv(to, message, sizeof(message),
				    MSG_WAITALL) == sizeof(message)
		       ? 0
		       : -1;
}

static int do_tcp(const char *address)
{
	static int ends[2] = { -1, -1 };

	if (ends[1] < 0 && connect_self(address, ends))
		return -1;
	return pass(ends[0], ends[1]) || pass(ends[1], ends[0]) ? -1 : 0;
}

static int do_send(const char *address)
{
	static int ends[2] = { -1, -1 };
	char bytes[1000] = "";

	if (ends[1] < 0 && connect_self(address, ends))
		return -1;
	return send(ends[0], bytes, sizeof(bytes), 0) == sizeof(bytes) &&
			       recv(ends[1], bytes, sizeof(bytes), 0) ==
				       sizeof(bytes)
		       ? 0
		       : -1;
}

static int do_connect(const char *address)
{
	static struct sockaddr_in addr;
	static int from = -1;
	char bytes[1000] = "";
	int ends[2];

	if (from < 0)
		from = listen_at(address, &addr);
	if (from < 0 || connect_to(from, &addr, ends) ||
	    send(ends[0], bytes, sizeof(bytes), 0) != sizeof(bytes) ||
	    recv(ends[1], bytes, sizeof(bytes), MSG_WAITALL) != sizeof(bytes) ||
	    close(ends[0]) || recv(ends[1], bytes, 1, 0))
		return -1;
	return close(ends[1]);
}

/* It is not connected, so it is not told of errors. */
static int do_drop(const char *address)
{
	static struct sockaddr_in to = { .sin_family = AF_INET };
	static int fd = -1;

	if (fd < 0) {
		fd = socket(AF_INET, SOCK_DGRAM, 0);
		to.sin_port = htons(9);
		to.sin_addr.s_addr = inet_addr(address);
	}
	return sendto(fd, "x", 1, 0, (struct sockaddr *)&to, sizeof(to)) == 1
		       ? 0
		       : -1;
}

static int do_message(const char *path)
{
	static struct {
		long type;
		char text[100];
	} message = { .type = 1 };
	static int queue = -1;

	(void)path;
	if (queue < 0)
		queue = msgget(IPC_PRIVATE, 0600);
	return msgsnd(queue, &message, sizeof(message.text), 0) ||
			       msgrcv(queue, &message, sizeof(message.text), 0,
				      0) != sizeof(message.text)
		       ? -1
		       : 0;
}

static void answer(int from, int to)
{
	char byte;

	while (read(from, &byte, 1) == 1 && write(to, &byte, 1) == 1)
		;
	_exit(0);
}

/* There and back: two switches. */
static int do_switch(const char *path)
{
	static int there[2], back[2];
	char byte = 0;

	(void)path;
	if (!there[1]) {
		if (pipe(there) || pipe(back))
			return -1;
		if (!fork()) {
			close(there[1]);
			answer(there[0], back[1]);
		}
	}
	return write(there[1], &byte, 1) == 1 && read(back[0], &byte, 1) == 1
		       ? 0
		       : -1;
}

static void sleep_until(long long ns)
{
	struct timespec ts = { ns / 1000000000, ns % 1000000000 };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

int main(int argc, char **argv)
{
	int (*act)(const char *path);
	long count, per_ms, i, step;
	long long start;

	if (argc != 4 && argc != 5)
		return 2;
	act = !strcmp(argv[1], "exec")      ? do_exec
	      : !strcmp(argv[1], "io")      ? do_read
	      : !strcmp(argv[1], "call")    ? do_call
	      : !strcmp(argv[1], "cache")   ? do_cache
	      : !strcmp(argv[1], "thread")  ? do_thread
	      : !strcmp(argv[1], "user")    ? do_nothing
	      : !strcmp(argv[1], "name")    ? do_name
	      : !strcmp(argv[1], "kill")    ? do_kill
	      : !strcmp(argv[1], "tcp")     ? do_tcp
	      : !strcmp(argv[1], "send")    ? do_send
	      : !strcmp(argv[1], "drop")    ? do_drop
	      : !strcmp(argv[1], "message") ? do_message
	      : !strcmp(argv[1], "switch")  ? do_switch
	      : !strcmp(argv[1], "connect") ? do_connect
					    : do_open;
	step = act == do_switch ? 2 : 1;
	count = atol(argv[2]);
	per_ms = argc == 5 ? atol(argv[4]) : 0;
	start = now();
	for (i = 0; i < count; i += step) {
		if (per_ms && i % per_ms == 0)
			sleep_until(start + i / per_ms * 1000000);
		if (act(argv[3])) {
			perror(argv[3]);
			return 1;
		}
	}
	printf("%lld\n", (now() - start) / count);
	return 0;
}
