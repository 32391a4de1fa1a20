// SPDX-License-Identifier: GPL-2.0-or-later
/* command.c - a command to trace, run as who called the tool */
#include "main/command.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/part.h"
#include "base/poll.h"
#include "option/parse.h"
#include "run/state.h"
#include "tracelet/main.h"
#include "tracelet/message.h"
#include "tracelet/run.h"
#include "tracelet/session.h"

/* exit status of env(1), timeout(1) and others when it cannot be run */
#define CANNOT_RUN 126
#define NOT_FOUND  127
#define BY_SIGNAL  128
/* how long it may take to end after a signal was passed on */
#define PATIENCE_MS 1000

struct command {
	struct tl_part part;
	char **argv;
	char *text;
	bool other;    /* another user than the tool's */
	char user[64]; /* its name, which it may not have */
	uid_t uid;
	gid_t gid;
	struct tl_inherited before;
	pid_t pid;
	int pidfd;
	int go; /* closing it without a byte: do not run */
	bool ended;
	int status; /* as from waitpid() */
};

/* ---- who it runs as --------------------------------------------------- */

static void take_user(struct command *c, uid_t uid, gid_t gid,
		      const struct passwd *pw)
{
	c->other = true;
	c->uid = uid;
	c->gid = gid;
	if (pw)
		snprintf(c->user, sizeof(c->user), "%s", pw->pw_name);
}

static int named_user(struct command *c, const char *name)
{
	const struct passwd *pw = getpwnam(name);

	if (c->uid)
		return tl_usage("--user: only root can run a command as "
				"another user");
	if (!pw)
		return tl_usage("--user: there is no user \"%s\"", name);
	take_user(c, pw->pw_uid, pw->pw_gid, pw);
	return 0;
}

/* -1 unless all of the variable is a number. */
static long id_in(const char *variable)
{
	const char *text = getenv(variable);
	char *end;
	long id;

	if (!text || *text < '0' || *text > '9')
		return -1;
	id = strtol(text, &end, 10);
	return *end || id > INT32_MAX ? -1 : id;
}

/*
 * A tool needs root, what it looks at does not: behind sudo it is run as who
 * called sudo, else as the real user.
 */
static int choose_user(struct command *c, const char *name)
{
	long uid = id_in("SUDO_UID"), gid = id_in("SUDO_GID");

	c->uid = getuid();
	c->gid = getgid();
	if (name)
		return named_user(c, name);
	if (c->uid || !getenv("SUDO_UID"))
		return 0;
	if (uid < 0 || gid < 0)
		return tl_usage("SUDO_UID or SUDO_GID is no number: say with "
				"--user who is to run the command");
	if (uid)
		take_user(c, uid, gid, getpwuid(uid));
	return 0;
}

/* The real ids, for good: a tool may be set-user-id, or have capabilities. */
static int become(const struct command *c)
{
	int ret = 0;

	if (c->other)
		ret = *c->user ? initgroups(c->user, c->gid)
			       : setgroups(1, &c->gid);
	if (ret || setresgid(c->gid, c->gid, c->gid) ||
	    setresuid(c->uid, c->uid, c->uid))
		return -errno;
	return 0;
}

static char *join(char **argv)
{
	size_t len = 1, i;
	char *text, *p;

	for (i = 0; argv[i]; i++)
		len += strlen(argv[i]) + 1;
	p = text = calloc(1, len);
	for (i = 0; text && argv[i]; i++)
		p += sprintf(p, "%s%s", i ? " " : "", argv[i]);
	return text;
}

static void free_command(void *part)
{
	struct command *c = part;

	if (c->go >= 0)
		close(c->go);
	if (c->pidfd >= 0)
		close(c->pidfd);
	free(c->text);
	free(c);
}

static const struct tl_part_ops command_ops = { .free = free_command };

static struct command *command(const struct tl_session *s)
{
	return tl_part_find(s, &command_ops);
}

int tl_command(struct tl_session *s, char **argv, const char *user)
{
	const struct tl_settings *set = &s->set;
	struct command *c;

	if (tl_settings_ids(set) || set->duration)
		return tl_usage("pick one of -p, -L, --cgroup, -d and a "
				"command");
	c = tl_part_new(s, &command_ops, sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->argv = argv;
	c->pidfd = c->go = -1;
	c->text = join(argv);
	s->command = c->text;
	return c->text ? choose_user(c, user) : -ENOMEM;
}

const char *tl_command_user(const struct tl_session *s)
{
	const struct command *c = command(s);

	if (!c || !c->other)
		return NULL;
	return *c->user ? c->user : "a user without a name";
}

/* ---- its start -------------------------------------------------------- */

static void restore_signals(const struct tl_inherited *before)
{
	sigaction(SIGPIPE, &before->pipe, NULL);
	sigaction(SIGCHLD, &before->child, NULL);
	sigprocmask(SIG_SETMASK, &before->mask, NULL);
}

static _Noreturn void child(struct command *c, int go)
{
	char byte;
	int ret;

	restore_signals(&c->before);
	if (c->before.output >= 0)
		dup2(c->before.output, STDOUT_FILENO);
	ret = become(c);
	if (ret) {
		tl_fail(-ret, "running as another user: %s", strerror(-ret));
		_exit(CANNOT_RUN);
	}
	if (read(go, &byte, 1) != 1)
		_exit(0);
	execvp(c->argv[0], c->argv);
	ret = errno;
	tl_fail(ret, "%s: %s", c->argv[0], strerror(ret));
	_exit(ret == ENOENT ? NOT_FOUND : CANNOT_RUN);
}

static uint64_t pass_on(struct tl_session *s, const siginfo_t *info);

int tl_command_fork(struct tl_session *s, const struct tl_inherited *before)
{
	struct command *c = command(s);
	char id[16];
	int go[2], ret = 0;

	if (!c)
		return 0;
	c->before = *before;
	if (pipe2(go, O_CLOEXEC))
		return tl_fail(errno, "pipe: %s", strerror(errno));
	c->pid = fork();
	if (!c->pid) {
		close(go[1]);
		child(c, go[0]);
	}
	c->go = go[1];
	if (c->pid < 0)
		ret = tl_fail(errno, "fork: %s", strerror(errno));
	close(go[0]);
	if (ret)
		return ret;
	c->pidfd = (int)syscall(SYS_pidfd_open, c->pid, 0);
	if (c->pidfd < 0)
		return tl_fail(errno, "pidfd_open: %s", strerror(errno));
	s->run->child_fd = c->pidfd;
	s->run->child_signal = pass_on;
	snprintf(id, sizeof(id), "%d", c->pid);
	tl_parse_pids(id, &s->set.pid);
	s->set.follow = true;
	/* a signal for another user's process */
	if (c->other)
		tl_keep_capability(s, CAP_KILL);
	return 0;
}

pid_t tl_command_pid(const struct tl_session *s)
{
	const struct command *c = command(s);

	return c ? c->pid : 0;
}

void tl_command_go(struct tl_session *s)
{
	struct command *c = command(s);

	if (c && write(c->go, "", 1) != 1)
		tl_warn("the command has ended before it began");
}

/* ---- its end ---------------------------------------------------------- */

static bool has_ended(struct command *c)
{
	if (!c->ended)
		c->ended = waitpid(c->pid, &c->status, WNOHANG) == c->pid;
	return c->ended;
}

/* Ctrl-C signals the whole foreground group: the command has had it already. */
static uint64_t pass_on(struct tl_session *s, const siginfo_t *info)
{
	const struct command *c = command(s);

	if (info->si_code != SI_KERNEL && kill(c->pid, info->si_signo) &&
	    errno != ESRCH)
		tl_warn("the command does not get signal %d: %s",
			info->si_signo, strerror(errno));
	return tl_now() + PATIENCE_MS * 1000000ULL;
}

/* Until it ends, or a signal is passed on and it does not end of that. */
static void wait_for_it(struct tl_session *s, int signals)
{
	struct pollfd fds[] = { { .fd = s->run->child_fd, .events = POLLIN },
				{ .fd = signals, .events = POLLIN } };
	siginfo_t info;

	tl_poll(fds, 2, -1);
	if (fds[0].revents || read(signals, &info, sizeof(info)) <= 0)
		return;
	s->run->signal = info.si_signo;
	pass_on(s, &info);
	tl_poll(fds, 1, PATIENCE_MS);
}

int tl_command_status(struct tl_session *s, int signals)
{
	struct command *c = command(s);

	if (!has_ended(c) && !s->run->signal)
		wait_for_it(s, signals);
	if (!has_ended(c))
		return BY_SIGNAL + s->run->signal;
	return WIFSIGNALED(c->status) ? BY_SIGNAL + WTERMSIG(c->status)
				      : WEXITSTATUS(c->status);
}
