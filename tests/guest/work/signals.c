/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sends signals, and prints the rows that killsnoop must show:
 *	signals calls		by every call, to targets of every kind: the rows
 *				of --json, without time
 *	signals kernel		has the kernel send some to this process: those
 *				of --all --json -p PID, without time
 *	signals hold		is a process group of its own, has a thread and
 *				ignores SIGWINCH: prints PID and TID, and waits
 *				for the end of its input
 *	signals queue CODE	to itself, with this si_code; prints its PID
 *	signals compat PID	SIGWINCH by the call of 32-bit programs; prints
 *				its own PID; exit status 77 where there is none
 *	signals flood N PID	N calls in turn: signals 0, 65 and SIGWINCH to
 *				PID, and 0 to nobody
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NONE INT64_MIN /* unknown: null */

/* What a row has beside its sender; texts may be NULL. */
struct row {
	long long tpid, ttid;
	const char *tcomm;
	int sig;
	const char *name; /* NULL: that of the signal */
	const char *call, *code, *result;
};

static void print_number(const char *key, long long n)
{
	if (n == NONE)
		printf(",\"%s\":null", key);
	else
		printf(",\"%s\":%lld", key, n);
}

static void print_text(const char *key, const char *text)
{
	if (text)
		printf(",\"%s\":\"%s\"", key, text);
	else
		printf(",\"%s\":null", key);
}

static const char *name_of(int sig)
{
	static char text[32];

	if (sig == 32 || sig == 33)
		snprintf(text, sizeof(text), "SIG%d", sig);
	else if (sig == SIGRTMIN)
		return "SIGRTMIN";
	else if (sig > SIGRTMIN && sig <= SIGRTMAX)
		snprintf(text, sizeof(text), "SIGRTMIN+%d", sig - SIGRTMIN);
	else if (sig == SIGIO)
		return "SIGIO";
	else if (sig > 0 && sig < 32)
		snprintf(text, sizeof(text), "SIG%s", sigabbrev_np(sig));
	else
		snprintf(text, sizeof(text), "%d", sig);
	return text;
}

static void print_row(const char *comm, long long pid, long long tid,
		      const struct row *r, long long ret, const char *error)
{
	if (comm)
		printf("{\"comm\":\"%s\"", comm);
	else
		printf("{\"comm\":null");
	print_number("pid", pid);
	print_number("tid", tid);
	print_number("tpid", r->tpid);
	print_number("ttid", r->ttid);
	print_text("tcomm", r->tcomm);
	print_number("signal", r->sig);
	print_text("signal_name", r->name ? r->name : name_of(r->sig));
	print_number("return", ret);
	print_text("error", error);
	print_text("call", r->call);
	print_text("code", r->code);
	print_text("result", r->result);
	printf("}\n");
	fflush(stdout);
}

/* The row of the call just made by this thread, with what it returned. */
static void sent(long ret, struct row r)
{
	int error = ret < 0 ? errno : 0;

	print_row("signals", getpid(), gettid(), &r, ret,
		  error ? strerrorname_np(error) : NULL);
}

#define SENT(call, ...) sent(call, (struct row){ __VA_ARGS__ })

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* ---- targets ---------------------------------------------------------- */

struct target {
	pid_t pid, thread;
};

static pthread_barrier_t started;

static void block_all(void)
{
	/* libc's sigprocmask() leaves out its own two */
	unsigned long mask[2] = { ~0ul, ~0ul };

	syscall(SYS_rt_sigprocmask, SIG_SETMASK, mask, NULL, 8);
}

static void unblock(int sig)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void *wait_in_thread(void *arg)
{
	block_all(); /* libc has unblocked its own two */
	unblock(SIGWINCH);
	prctl(PR_SET_NAME, "thread");
	*(pid_t *)arg = gettid();
	pthread_barrier_wait(&started);
	while (pause())
		;
	return NULL;
}

/* Returns its id.  Behind this, all that either does to itself is done. */
static pid_t start_thread(void)
{
	static pid_t tid;
	pthread_t thread;

	pthread_barrier_init(&started, NULL, 2);
	if (pthread_create(&thread, NULL, wait_in_thread, &tid))
		die("pthread_create");
	pthread_barrier_wait(&started);
	return tid;
}

/*
 * A process "target" with a thread "thread", all signals blocked but SIGWINCH,
 * which it ignores; in process group @group (0: of its own).
 */
static struct target start_target(pid_t group)
{
	struct rlimit none = { 0, 0 };
	struct target t;
	int ready[2];

	if (pipe(ready))
		die("pipe");
	t.pid = fork();
	if (!t.pid) {
		setpgid(0, group < 0 ? 0 : group);
		prctl(PR_SET_NAME, "target");
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		block_all();
		unblock(SIGWINCH);
		if (group < 0)
			setrlimit(RLIMIT_SIGPENDING, &none);
		t.thread = start_thread();
		if (write(ready[1], &t.thread, sizeof(t.thread)) < 0)
			die("write");
		for (;;)
			pause();
	}
	if (read(ready[0], &t.thread, sizeof(t.thread)) != sizeof(t.thread))
		die("target");
	close(ready[0]);
	close(ready[1]);
	return t;
}

/* Not by a signal that a row would be expected for. */
static void end_target(struct target t)
{
	SENT(kill(t.pid, SIGKILL), t.pid, NONE, "target", SIGKILL, NULL, "kill",
	     "SI_USER", "delivered");
	waitpid(t.pid, NULL, 0);
}

/* ---- calls ------------------------------------------------------------ */

static void by_kill(struct target t)
{
	SENT(kill(t.pid, SIGTERM), t.pid, NONE, "target", SIGTERM, NULL, "kill",
	     "SI_USER", "delivered");
	SENT(kill(t.pid, SIGTERM), t.pid, NONE, "target", SIGTERM, NULL, "kill",
	     "SI_USER", "already_pending");
	SENT(kill(t.pid, SIGWINCH), t.pid, NONE, "target", SIGWINCH, NULL,
	     "kill", "SI_USER", "ignored");
	SENT(kill(t.pid, 0), t.pid, NONE, NULL, 0, "0", "kill", NULL, NULL);
	SENT(kill(t.pid, 65), t.pid, NONE, NULL, 65, "65", "kill", NULL, NULL);
	SENT(kill(t.pid, -1), t.pid, NONE, NULL, -1, "-1", "kill", NULL, NULL);
	/* by the id of a thread: to its process all the same */
	SENT(kill(t.thread, SIGUSR1), t.pid, NONE, "thread", SIGUSR1, NULL,
	     "kill", "SI_USER", "delivered");
}

/* Bits above the int, which the kernel does not look at. */
static void by_dirty_registers(struct target t)
{
	unsigned long high = sizeof(long) > 4 ? ~0ul << 16 << 16 : 0;

	SENT(syscall(SYS_kill, high | (unsigned int)t.pid, high | SIGHUP),
	     t.pid, NONE, "target", SIGHUP, NULL, "kill", "SI_USER",
	     "delivered");
}

static void to_groups(void)
{
	struct target first = start_target(0);
	struct target second = start_target(first.pid);

	SENT(kill(-first.pid, SIGUSR1), -first.pid, NONE, NULL, SIGUSR1, NULL,
	     "kill", "SI_USER", NULL);
	SENT(kill(0, SIGWINCH), 0, NONE, NULL, SIGWINCH, NULL, "kill",
	     "SI_USER", NULL);
	SENT(kill(-1, 0), -1, NONE, NULL, 0, "0", "kill", NULL, NULL);
	end_target(first);
	end_target(second);
	SENT(kill(-first.pid, SIGUSR1), -first.pid, NONE, NULL, SIGUSR1, NULL,
	     "kill", NULL, NULL);
}

static void to_nobody(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	SENT(kill(pid, SIGTERM), pid, NONE, NULL, SIGTERM, NULL, "kill", NULL,
	     NULL);
	SENT(syscall(SYS_tkill, pid, SIGTERM), NONE, pid, NULL, SIGTERM, NULL,
	     "tkill", NULL, NULL);
	SENT(syscall(SYS_tgkill, getpid(), pid, SIGTERM), getpid(), pid, NULL,
	     SIGTERM, NULL, "tgkill", NULL, NULL);
}

static void to_threads(struct target t)
{
	SENT(syscall(SYS_tkill, t.thread, SIGALRM), t.pid, t.thread, "thread",
	     SIGALRM, NULL, "tkill", "SI_TKILL", "delivered");
	SENT(syscall(SYS_tkill, t.thread, 0), NONE, t.thread, NULL, 0, "0",
	     "tkill", NULL, NULL);
	SENT(syscall(SYS_tgkill, t.pid, t.thread, SIGPROF), t.pid, t.thread,
	     "thread", SIGPROF, NULL, "tgkill", "SI_TKILL", "delivered");
	SENT(syscall(SYS_tgkill, getpid(), t.thread, SIGPROF), getpid(),
	     t.thread, NULL, SIGPROF, NULL, "tgkill", NULL, NULL);
	SENT(syscall(SYS_tgkill, -1, t.thread, SIGPROF), -1, t.thread, NULL,
	     SIGPROF, NULL, "tgkill", NULL, NULL);
}

static void by_queueing(struct target t)
{
	siginfo_t info = { .si_code = SI_QUEUE };
	int sig = SIGRTMIN + 1;

	SENT(syscall(SYS_rt_sigqueueinfo, t.pid, sig, &info), t.pid, NONE,
	     "target", sig, NULL, "rt_sigqueueinfo", "SI_QUEUE", "delivered");
	SENT(syscall(SYS_rt_sigqueueinfo, t.pid, sig, NULL), t.pid, NONE, NULL,
	     sig, NULL, "rt_sigqueueinfo", NULL, NULL);
	SENT(syscall(SYS_rt_tgsigqueueinfo, t.pid, t.thread, sig, &info), t.pid,
	     t.thread, "thread", sig, NULL, "rt_tgsigqueueinfo", "SI_QUEUE",
	     "delivered");
	info.si_code = -77; /* anybody may use any below 0 */
	SENT(syscall(SYS_rt_sigqueueinfo, t.pid, sig, &info), t.pid, NONE,
	     "target", sig, NULL, "rt_sigqueueinfo", "-77", "delivered");
	info.si_code = 1; /* what only the kernel may say */
	SENT(syscall(SYS_rt_sigqueueinfo, t.pid, sig, &info), t.pid, NONE, NULL,
	     sig, NULL, "rt_sigqueueinfo", NULL, NULL);
}

static void to_full_queue(void)
{
	struct target t = start_target(-1);
	siginfo_t info = { .si_code = SI_QUEUE };

	SENT(syscall(SYS_rt_sigqueueinfo, t.pid, SIGRTMIN, &info), t.pid, NONE,
	     "target", SIGRTMIN, NULL, "rt_sigqueueinfo", "SI_QUEUE",
	     "overflow_fail");
	SENT(kill(t.pid, SIGRTMIN), t.pid, NONE, "target", SIGRTMIN, NULL,
	     "kill", "SI_USER", "lose_info");
	end_target(t);
}

static void by_pidfd(struct target t)
{
	int fd = (int)syscall(SYS_pidfd_open, t.pid, 0);

	if (fd < 0)
		die("pidfd_open");
	SENT(syscall(SYS_pidfd_send_signal, fd, SIGQUIT, NULL, 0), t.pid, NONE,
	     "target", SIGQUIT, NULL, "pidfd_send_signal", "SI_USER",
	     "delivered");
	SENT(syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0), NONE, NONE, NULL,
	     0, "0", "pidfd_send_signal", NULL, NULL);
	SENT(syscall(SYS_pidfd_send_signal, 999, SIGQUIT, NULL, 0), NONE, NONE,
	     NULL, SIGQUIT, NULL, "pidfd_send_signal", NULL, NULL);
	SENT(syscall(SYS_pidfd_send_signal, fd, SIGQUIT, NULL, 1u << 31), NONE,
	     NONE, NULL, SIGQUIT, NULL, "pidfd_send_signal", NULL, NULL);
	close(fd);
}

/* PIDFD_SIGNAL_PROCESS_GROUP: its members, where the kernel knows it (6.9). */
static void by_pidfd_to_group(void)
{
	struct target t = start_target(0);
	int fd = (int)syscall(SYS_pidfd_open, t.pid, 0);
	long ret = syscall(SYS_pidfd_send_signal, fd, SIGQUIT, NULL, 4);

	SENT(ret, NONE, NONE, NULL, SIGQUIT, NULL, "pidfd_send_signal",
	     ret ? NULL : "SI_USER", NULL);
	close(fd);
	end_target(t);
}

static void *in_thread(void *arg)
{
	struct target *t = arg;

	SENT(kill(t->pid, SIGINT), t->pid, NONE, "target", SIGINT, NULL, "kill",
	     "SI_USER", "delivered");
	return NULL;
}

static void from_thread(struct target t)
{
	pthread_t thread;

	pthread_create(&thread, NULL, in_thread, &t);
	pthread_join(thread, NULL);
}

static void from_another_user(struct target t)
{
	pid_t pid = fork();

	if (!pid) {
		if (setuid(65534))
			die("setuid");
		SENT(kill(t.pid, SIGTERM), t.pid, NONE, NULL, SIGTERM, NULL,
		     "kill", NULL, NULL);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

/* The call returns before the signal is acted upon. */
static void to_itself(void)
{
	struct row r = { 0,    NONE,   "signals", SIGKILL,
			 NULL, "kill", "SI_USER", "delivered" };

	r.tpid = fork();
	if (!r.tpid)
		kill(getpid(), SIGKILL);
	waitpid((pid_t)r.tpid, NULL, 0);
	print_row("signals", r.tpid, r.tpid, &r, 0, NULL);
}

/* To a target that blocks them all. */
static void every_signal(void)
{
	struct target t = start_target(0);
	int sig;

	for (sig = 1; sig <= SIGRTMAX; sig++)
		if (sig != SIGKILL && sig != SIGSTOP && sig != SIGWINCH)
			SENT(kill(t.pid, sig), t.pid, NONE, "target", sig, NULL,
			     "kill", "SI_USER", "delivered");
	SENT(kill(t.pid, SIGSTOP), t.pid, NONE, "target", SIGSTOP, NULL, "kill",
	     "SI_USER", "delivered");
	end_target(t);
}

/* The first child of @pid, as processes are numbered here. */
static pid_t child_of(pid_t pid)
{
	char path[64];
	int child = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%d", &child) != 1)
		die(path);
	fclose(f);
	return child;
}

/* Reads a byte, or writes one: the two sides take turns. */
static void turn(int fd, bool mine)
{
	char c = 0;

	if ((mine ? write(fd, &c, 1) : read(fd, &c, 1)) != 1)
		die("turn");
}

/* The process with id 1 in the namespace; its child has 2. */
static void be_init(int go, int done)
{
	if (!fork()) {
		prctl(PR_SET_NAME, "target");
		block_all();
		turn(done, true);
		for (;;)
			pause();
	}
	turn(go, false);
	kill(2, SIGHUP);
	kill(-1, SIGUSR1);
	kill(1234567, SIGHUP);
	_exit(0);
}

/* With ids of its own: what a target got shows its id out here. */
static void in_pid_namespace(void)
{
	struct row got = { 0,    NONE,   "target",  SIGHUP,
			   NULL, "kill", "SI_USER", "delivered" };
	struct row all = { -1,   NONE,   NULL,      SIGUSR1,
			   NULL, "kill", "SI_USER", NULL };
	struct row none = { 1234567, NONE,   NULL, SIGHUP,
			    NULL,    "kill", NULL, NULL };
	int go[2], done[2];
	pid_t pid;

	if (pipe(go) || pipe(done) || unshare(CLONE_NEWPID))
		die("namespace");
	pid = fork();
	if (!pid)
		be_init(go[0], done[1]);
	turn(done[0], false);
	got.tpid = child_of(pid);
	turn(go[1], true);
	waitpid(pid, NULL, 0);
	print_row("signals", pid, pid, &got, 0, NULL);
	print_row("signals", pid, pid, &all, 0, NULL);
	print_row("signals", pid, pid, &none, -1, "ESRCH");
}

static void do_calls(void)
{
	struct target t;

	setpgid(0, 0); /* for kill(0) */
	t = start_target(0);
	by_kill(t);
	by_dirty_registers(t);
	to_threads(t);
	by_queueing(t);
	by_pidfd(t);
	from_thread(t);
	from_another_user(t);
	end_target(t);
	to_groups();
	to_nobody();
	to_full_queue();
	by_pidfd_to_group();
	to_itself();
	every_signal();
	in_pid_namespace();
}

/* ---- the kernel's ----------------------------------------------------- */

static volatile sig_atomic_t got;

static void on_signal(int sig)
{
	got = sig;
}

static void wait_for(int sig)
{
	while (got != sig)
		usleep(1000);
}

static void own(const char *comm, int sig, bool group, const char *code)
{
	struct row r = { getpid(),  group ? NONE : gettid(),
			 "signals", sig,
			 NULL,      NULL,
			 code,      "delivered" };

	/* timers are not from a process */
	print_row(comm, comm ? getpid() : NONE, comm ? gettid() : NONE, &r,
		  NONE, NULL);
}

/* At address 8: nothing is there. */
static void *fault(void)
{
	return *(void *volatile *)8;
}

static void fault_in_child(void)
{
	struct row r = { .tpid = getpid(),
			 .ttid = NONE,
			 .tcomm = "signals",
			 .sig = SIGCHLD,
			 .code = "CLD_KILLED",
			 .result = "ignored" };
	struct rlimit none = { 0, 0 };
	pid_t pid = fork();

	if (!pid) {
		setrlimit(RLIMIT_CORE, &none);
		fault();
		_exit(1);
	}
	waitpid(pid, NULL, 0);
	print_row("signals", pid, pid, &r, NONE, NULL);
}

static void exit_in_child(void)
{
	struct row r = { .tpid = getpid(),
			 .ttid = NONE,
			 .tcomm = "signals",
			 .sig = SIGCHLD,
			 .code = "CLD_EXITED",
			 .result = "ignored" };
	pid_t pid = fork();

	if (!pid)
		_exit(3);
	waitpid(pid, NULL, 0);
	print_row("signals", pid, pid, &r, NONE, NULL);
}

static void have_timer_expire(void)
{
	struct itimerspec soon = { .it_value = { .tv_nsec = 1000000 } };
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL,
			       .sigev_signo = SIGRTMIN };
	timer_t timer;

	if (timer_create(CLOCK_MONOTONIC, &ev, &timer) ||
	    timer_settime(timer, 0, &soon, NULL))
		die("timer");
	wait_for(SIGRTMIN);
	own(NULL, SIGRTMIN, true, "SI_TIMER");
}

static void do_kernel(void)
{
	struct itimerval soon = { .it_value = { .tv_usec = 1000 } };
	struct row call = { getpid(), NONE,   "signals", SIGUSR1,
			    NULL,     "kill", "SI_USER", "delivered" };
	int ends[2];

	signal(SIGALRM, on_signal);
	signal(SIGPIPE, on_signal);
	signal(SIGUSR1, on_signal);
	signal(SIGRTMIN, on_signal);
	setitimer(ITIMER_REAL, &soon, NULL);
	wait_for(SIGALRM);
	own(NULL, SIGALRM, true, "SI_KERNEL");
	have_timer_expire();
	if (pipe(ends) || close(ends[0]) || write(ends[1], "x", 1) == 1)
		die("pipe");
	/* without siginfo, which looks like this */
	own("signals", SIGPIPE, false, "SI_USER");
	sent(kill(getpid(), SIGUSR1), call);
	exit_in_child();
	fault_in_child();
}

/* ---- others ----------------------------------------------------------- */

static void do_hold(void)
{
	char c;

	setpgid(0, 0);
	signal(SIGWINCH, SIG_IGN);
	printf("%d %d\n", getpid(), start_thread());
	fflush(stdout);
	while (read(STDIN_FILENO, &c, 1) > 0)
		;
}

static void do_queue(int code)
{
	siginfo_t info = { .si_code = code };

	signal(SIGUSR1, SIG_IGN);
	if (syscall(SYS_rt_sigqueueinfo, getpid(), SIGUSR1, &info))
		die("rt_sigqueueinfo");
	printf("%d\n", getpid());
}

#ifdef __x86_64__
static int do_compat(pid_t pid)
{
	const long number = 37; /* kill, in 32-bit programs */
	long ret;

	__asm__ volatile("int $0x80"
			 : "=a"(ret)
			 : "a"(number), "b"((long)pid), "c"((long)SIGWINCH)
			 : "memory", "r8", "r9", "r10", "r11");
	printf("%d\n", getpid());
	return ret == -ENOSYS ? 77 : ret != 0;
}
#else
static int do_compat(pid_t pid)
{
	(void)pid;
	return 77;
}
#endif

static void do_flood(long count, pid_t pid)
{
	long i;

	for (i = 0; i < count; i++) {
		if (i % 4 == 0)
			kill(pid, 0);
		else if (i % 4 == 1)
			kill(pid, 65);
		else if (i % 4 == 2)
			kill(pid, SIGWINCH);
		else
			kill(999999999, 0);
	}
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "calls"))
		do_calls();
	else if (argc == 2 && !strcmp(argv[1], "kernel"))
		do_kernel();
	else if (argc == 2 && !strcmp(argv[1], "hold"))
		do_hold();
	else if (argc == 3 && !strcmp(argv[1], "queue"))
		do_queue(atoi(argv[2]));
	else if (argc == 3 && !strcmp(argv[1], "compat"))
		return do_compat(atoi(argv[2]));
	else if (argc == 4 && !strcmp(argv[1], "flood"))
		do_flood(atol(argv[2]), atoi(argv[3]));
	else
		return 2;
	return 0;
}
