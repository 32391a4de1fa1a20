/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looks up names of hosts, by words, one after the other; prints for each lookup the
 * function, what it was asked for, what came of it, and the ns that it took:
 *	look NAME	getaddrinfo()
 *	by NAME		gethostbyname(); by2 gethostbyname2(), by_r and by2_r theirs with _r
 *	small NAME	gethostbyname_r() with a buffer that is too small
 *	service PORT	getaddrinfo() without a name
 *	cold FILE	the name in this file, whose page is not in memory yet
 *	times N NAME	N times; prints the ns of the longest only
 *	threads N NAME	one in each of N threads
 *	crowd N NAME	NAME0, NAME1 ... to N in each of 8 threads; prints the thread ids only
 *	deep NAME	getaddrinfo() 64 KiB deeper in the stack
 *	beside NAME	one in a thread, which is waited for at the end
 *	jump NAME	leaves a lookup by siglongjmp() after 0.3 s
 *	cancel NAME	has a thread cancelled in a lookup
 *	wait		until a line comes
 *	serve MS	a DNS server on 127.0.0.1, until the end: has slow.* after MS ms, no
 *			none.*, fails for fail.*, and is silent for mute.*
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* ---- lookups ---------------------------------------------------------- */

static const char *eai(int error)
{
	switch (error) {
	case 0:
		return "ok";
	case EAI_NONAME:
		return "EAI_NONAME";
	case EAI_AGAIN:
		return "EAI_AGAIN";
	case EAI_FAIL:
		return "EAI_FAIL";
	case -5: /* EAI_NODATA */
		return "EAI_NODATA";
	case EAI_SERVICE:
		return "EAI_SERVICE";
	case EAI_SYSTEM:
		return "EAI_SYSTEM";
	default:
		return "?";
	}
}

static void say(const char *call, const char *name, const char *result,
		long long since)
{
	printf("%s %s %s %lld\n", call, name, result, now() - since);
	fflush(stdout);
}

static void look(const char *name, const char *service)
{
	struct addrinfo hints = { .ai_family = AF_INET,
				  .ai_socktype = SOCK_STREAM },
			*found = NULL;
	long long since = now();
	int error = getaddrinfo(name, service, &hints, &found);

	say("getaddrinfo", name ?: "-", eai(error), since);
	if (!error)
		freeaddrinfo(found);
}

static void by(const char *name)
{
	long long since = now();

	say("gethostbyname", name, gethostbyname(name) ? "ok" : "failed",
	    since);
}

static void by2(const char *name)
{
	long long since = now();

	say("gethostbyname2", name,
	    gethostbyname2(name, AF_INET) ? "ok" : "failed", since);
}

static const char *number(int error)
{
	switch (error) {
	case 0:
		return "-";
	case ERANGE:
		return "ERANGE";
	case ENOENT:
		return "ENOENT";
	default:
		return "EAGAIN";
	}
}

static void by_r(const char *name, size_t size)
{
	struct hostent entry, *found;
	long long since = now();
	char buffer[4096];
	int error, h;

	error = gethostbyname_r(name, &entry, buffer, size, &found, &h);
	say("gethostbyname_r", name, number(error), since);
}

static void by2_r(const char *name)
{
	struct hostent entry, *found;
	long long since = now();
	char buffer[4096];
	int error, h;

	error = gethostbyname2_r(name, AF_INET, &entry, buffer, sizeof(buffer),
				 &found, &h);
	say("gethostbyname2_r", name, number(error), since);
}

static void cold(const char *path)
{
	int fd = open(path, O_RDONLY);
	char *name = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);

	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	look(name, NULL);
}

static void times(int count, const char *name)
{
	struct addrinfo *found;
	long long since, took, most = 0;

	while (count-- > 0) {
		since = now();
		if (!getaddrinfo(name, NULL, NULL, &found))
			freeaddrinfo(found);
		took = now() - since;
		if (took > most)
			most = took;
	}
	printf("most %lld\n", most);
}

static void *in_thread(void *name)
{
	look(name, NULL);
	return NULL;
}

static void threads(int count, char *name)
{
	pthread_t all[100];
	int i;

	for (i = 0; i < count; i++)
		pthread_create(&all[i], NULL, in_thread, name);
	for (i = 0; i < count; i++)
		pthread_join(all[i], NULL);
}

static int crowd_count;

static void *in_crowd(void *prefix)
{
	struct addrinfo *found;
	char name[64];
	int i;

	for (i = 0; i < crowd_count; i++) {
		snprintf(name, sizeof(name), "%s%d", (char *)prefix, i);
		if (getaddrinfo(name, NULL, NULL, &found))
			exit(1);
		freeaddrinfo(found);
	}
	printf("%d\n", (int)syscall(SYS_gettid));
	return NULL;
}

static void crowd(int count, char *prefix)
{
	pthread_t all[8];
	int i;

	crowd_count = count;
	for (i = 0; i < 8; i++)
		pthread_create(&all[i], NULL, in_crowd, prefix);
	for (i = 0; i < 8; i++)
		pthread_join(all[i], NULL);
}

__attribute__((noinline)) static void deep(const char *name)
{
	volatile char room[65536];

	room[0] = 0;
	look(name, NULL);
	room[sizeof(room) - 1] = room[0];
}

static pthread_t besides[100];
static int beside_count;

/* Without the signal of jump(), whose way out is in the first thread. */
static void beside(char *name)
{
	sigset_t alarm, before;

	if (beside_count == 100)
		exit(2);
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm, &before);
	pthread_create(&besides[beside_count++], NULL, in_thread, name);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static long looking; /* a thread, from before its lookup on */

static void *announced(void *name)
{
	__atomic_store_n(&looking, syscall(SYS_gettid), __ATOMIC_RELEASE);
	return in_thread(name);
}

/* In a lookup it does so only when it waits for an answer. */
static bool sleeps(long tid)
{
	char path[64], state = 0;
	bool known;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%ld/stat", tid);
	f = fopen(path, "r");
	if (!f)
		return false;
	known = fscanf(f, "%*d (%*[^)]) %c", &state) == 1;
	fclose(f);
	return known && state == 'S';
}

static void cancel(char *name)
{
	long long since = now();
	pthread_t thread;
	void *result;

	pthread_create(&thread, NULL, announced, name);
	while (!sleeps(__atomic_load_n(&looking, __ATOMIC_ACQUIRE)))
		usleep(1000);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	say("getaddrinfo", name, result == PTHREAD_CANCELED ? "left" : "?",
	    since);
}

static sigjmp_buf out;

static void leave(int signal)
{
	siglongjmp(out, 1);
}

static void jump(const char *name)
{
	static const struct itimerval soon = { .it_value.tv_usec = 300000 };

	long long since = now();

	signal(SIGALRM, leave);
	if (sigsetjmp(out, 1)) {
		say("getaddrinfo", name, "left", since);
		return;
	}
	setitimer(ITIMER_REAL, &soon, NULL);
	look(name, NULL);
}

/* ---- server ----------------------------------------------------------- */

static const char address[] = "\xc0\x0c\0\1\0\1\0\0\0\0\0\4\12\11\10\7";

/* Each question has one name, and no name in it is compressed. */
static size_t answer(unsigned char *packet, size_t len)
{
	const unsigned char *type = packet + 12;

	while (*type)
		type += *type + 1;
	len = (size_t)(type + 5 - packet);
	packet[2] |= 0x84;
	packet[3] = 0x80;
	memset(packet + 6, 0, 6);
	if (!memcmp(packet + 13, "none", 4))
		packet[3] |= 3;
	else if (!memcmp(packet + 13, "fail", 4))
		packet[3] |= 2;
	else if (type[2] == 1) {
		packet[7] = 1;
		memcpy(packet + len, address, sizeof(address) - 1);
		len += sizeof(address) - 1;
	}
	return len;
}

static void nap(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&ts, NULL);
}

static void serve(long ms)
{
	struct sockaddr_in here = { .sin_family = AF_INET,
				    .sin_port = htons(53),
				    .sin_addr.s_addr = htonl(0x7f000001) },
			   from;
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	unsigned char packet[1024];
	socklen_t size;
	ssize_t len;

	if (bind(fd, (struct sockaddr *)&here, sizeof(here)))
		exit(1);
	signal(SIGCHLD, SIG_IGN);
	puts("serves");
	fflush(stdout);
	for (;;) {
		size = sizeof(from);
		len = recvfrom(fd, packet, 512, 0, (struct sockaddr *)&from,
			       &size);
		if (len < 17 || !memcmp(packet + 13, "mute", 4) || fork())
			continue;
		if (!memcmp(packet + 13, "slow", 4))
			nap(ms);
		len = (ssize_t)answer(packet, (size_t)len);
		sendto(fd, packet, (size_t)len, 0, (struct sockaddr *)&from,
		       size);
		_exit(0);
	}
}

/* ---- */

static void wait_line(void)
{
	char line[8];

	puts("waits");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		exit(1);
}

/* Without an argument, or with one, or two; returns how many. */
static int act(char **argv)
{
	const char *what = argv[0];
	char *name = argv[1];

	if (!strcmp(what, "wait")) {
		wait_line();
		return 1;
	}
	if (!name)
		exit(2);
	if (!strcmp(what, "times") || !strcmp(what, "threads") ||
	    !strcmp(what, "crowd")) {
		if (!argv[2])
			exit(2);
		if (*what == 'c')
			crowd(atoi(name), argv[2]);
		else if (what[1] == 'i')
			times(atoi(name), argv[2]);
		else
			threads(atoi(name), argv[2]);
		return 3;
	}
	if (!strcmp(what, "look"))
		look(name, NULL);
	else if (!strcmp(what, "by"))
		by(name);
	else if (!strcmp(what, "by2"))
		by2(name);
	else if (!strcmp(what, "by_r"))
		by_r(name, 4096);
	else if (!strcmp(what, "small"))
		by_r(name, 1);
	else if (!strcmp(what, "by2_r"))
		by2_r(name);
	else if (!strcmp(what, "service"))
		look(NULL, name);
	else if (!strcmp(what, "cold"))
		cold(name);
	else if (!strcmp(what, "deep"))
		deep(name);
	else if (!strcmp(what, "beside"))
		beside(name);
	else if (!strcmp(what, "cancel"))
		cancel(name);
	else if (!strcmp(what, "jump"))
		jump(name);
	else if (!strcmp(what, "serve"))
		serve(atol(name));
	else
		exit(2);
	return 2;
}

int main(int argc, char **argv)
{
	for (argv++; *argv;)
		argv += act(argv);
	while (beside_count)
		pthread_join(besides[--beside_count], NULL);
	return 0;
}
