/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * naps FIFO: threads whose sleeps, and who ends these, are known.  It does what is
 * written to FIFO, a line each, and says "TID TID TID TID" first, of itself and its
 * threads nap-a, nap-b and nap-c, and a line after each.  All are asleep before and
 * after that.
 *	naps		5 sleeps of 100 ms in nap_long(), 3 of 50 ms in nap_short();
 *			says how long both took, in nanoseconds
 *	chain N		N times: nap-c sleeps 100 ms, and wakes nap-b, that nap-a
 *	poke N		nap-c, which does not sleep meanwhile, wakes nap-a N times
 *
 * Its functions have frames, those of libc have none: what calls one of these is not in
 * stacks.
 */
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A thread, and how often it has been woken. */
struct napper {
	const char *name;
	void (*do_it)(int what);
	unsigned int woken; /* a futex */
	int what, tid, status;
	long switches; /* how often it had gone to sleep when it was woken last */
	pthread_t thread;
};

enum { SLEEP, POKE };

static void on_a(int what);
static void on_b(int what);
static void on_c(int what);
static struct napper a = { .name = "nap-a", .do_it = on_a },
		     b = { .name = "nap-b", .do_it = on_b },
		     c = { .name = "nap-c", .do_it = on_c };
static struct napper *const all[] = { &a, &b, &c };
static int pokes;

static long long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static void sleep_ms(int ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000L };

	syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &ts, NULL);
}

static long long nap_long(void)
{
	const long long start = now();
	int i;

	for (i = 0; i < 5; i++)
		sleep_ms(100);
	return now() - start;
}

static long long nap_short(void)
{
	const long long start = now();
	int i;

	for (i = 0; i < 3; i++)
		sleep_ms(50);
	return now() - start;
}

/* ---- threads that wake each other --------------------------------------- */

static void futex_wait(unsigned int *word, unsigned int value)
{
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL);
}

static void futex_wake(unsigned int *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1);
}

static unsigned int load(const unsigned int *word)
{
	return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

/* read_status: its state, and how often it has gone to sleep */
static char read_status(const struct napper *n, long *switches)
{
	static const char state_is[] = "\nState:\t",
			  count_is[] = "\nvoluntary_ctxt_switches:\t";
	char text[4096] = "";
	const char *state, *count;

	if (pread(n->status, text, sizeof(text) - 1, 0) <= 0)
		exit(1);
	state = strstr(text, state_is);
	count = strstr(text, count_is);
	if (!state || !count)
		exit(1);
	*switches = strtol(count + strlen(count_is), NULL, 10);
	return state[strlen(state_is)];
}

/* nap_wake: of one that is asleep */
static void nap_wake(struct napper *n, int what)
{
	read_status(n, &n->switches);
	n->what = what;
	__atomic_add_fetch(&n->woken, 1, __ATOMIC_SEQ_CST);
	futex_wake(&n->woken);
}

static void nap_wait(struct napper *n, unsigned int value)
{
	while (load(&n->woken) == value)
		futex_wait(&n->woken, value);
}

/* is_asleep: not only about to sleep, when it has that state already, and its processor still */
static int is_asleep(const struct napper *n)
{
	long switches;

	return read_status(n, &switches) == 'S' && switches != n->switches;
}

static void until_asleep(const struct napper *n)
{
	while (!is_asleep(n))
		;
}

static void until_all_asleep(void)
{
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		while (!is_asleep(all[i]))
			sleep_ms(1);
}

static void on_a(int what)
{
}

static void on_b(int what)
{
	nap_wake(&a, what);
}

static void on_c(int what)
{
	int i;

	if (what == SLEEP) {
		sleep_ms(100);
		nap_wake(&b, what);
		return;
	}
	for (i = 0; i < pokes; i++) {
		until_asleep(&a);
		nap_wake(&a, what);
	}
}

static void *live(void *arg)
{
	struct napper *n = arg;
	char path[64];
	unsigned int done;

	prctl(PR_SET_NAME, n->name);
	n->tid = (int)syscall(SYS_gettid);
	snprintf(path, sizeof(path), "/proc/self/task/%d/status", n->tid);
	n->status = open(path, O_RDONLY);
	nap_wake(n, SLEEP); /* begin() waits for that */
	for (done = 1;; done++) {
		nap_wait(n, done);
		n->do_it(n->what);
	}
	return NULL;
}

static void begin(struct napper *n)
{
	if (pthread_create(&n->thread, NULL, live, n))
		exit(1);
	nap_wait(n, 0);
	if (n->status < 0)
		exit(1);
}

/* Each round ends with a sleep of nap-a that another one of nap-c comes before. */
static void do_chain(int count)
{
	unsigned int woken;

	while (count--) {
		woken = load(&a.woken);
		nap_wake(&c, SLEEP);
		while (load(&a.woken) == woken)
			sleep_ms(5);
		until_all_asleep();
	}
}

static void do_poke(int count)
{
	const unsigned int end = load(&a.woken) + (unsigned int)count;

	pokes = count;
	nap_wake(&c, POKE);
	while (load(&a.woken) != end)
		sleep_ms(5);
	until_all_asleep();
}

static int do_line(const char *line)
{
	long long in_long, in_short;
	int n;

	if (!strcmp(line, "naps\n")) {
		in_long = nap_long();
		in_short = nap_short();
		printf("%lld %lld\n", in_long, in_short);
		return 0;
	}
	if (sscanf(line, "chain %d", &n) == 1)
		do_chain(n);
	else if (sscanf(line, "poke %d", &n) == 1)
		do_poke(n);
	else
		return -1;
	printf("done\n");
	return 0;
}

int main(int argc, char **argv)
{
	char line[64];
	ssize_t len;
	size_t i;
	int fd;

	/* for writing too: there is no end of it */
	fd = argc == 2 ? open(argv[1], O_RDWR) : -1;
	if (fd < 0)
		return 2;
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		begin(all[i]);
	until_all_asleep();
	printf("%d %d %d %d\n", (int)getpid(), a.tid, b.tid, c.tid);
	fflush(stdout);
	while ((len = read(fd, line, sizeof(line) - 1)) > 0) {
		line[len] = '\0';
		if (do_line(line))
			return 2;
		fflush(stdout);
	}
	return 1;
}
