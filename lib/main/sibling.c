// SPDX-License-Identifier: GPL-2.0-or-later
/* sibling.c - other tools of this collection, as children */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/session.h"
#include "tracelet/message.h"
#include "tracelet/sibling.h"
#include "tracelet/tool.h"

extern char **environ;

/* "/usr/sbin/tracelets-tl": others are in /usr/sbin, and end in "-tl" too. */
static int find(const char *self, const char *name, char **path)
{
	const char *suffix = "";
	char own[PATH_MAX], *slash;
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);

	own[n > 0 ? n : 0] = '\0';
	slash = strrchr(own, '/');
	if (!slash)
		return tl_fail(ENOENT, "/proc is needed to find the tools");
	*slash++ = '\0';
	if (!strncmp(slash, self, strlen(self)))
		suffix = slash + strlen(self);
	if (asprintf(path, "%s/%s%s", own, name, suffix) >= 0)
		return 0;
	*path = NULL;
	tl_warn("out of memory");
	return -ENOMEM;
}

/* Signals as any program expects them; those of a terminal are for this one. */
static int set_signals(posix_spawnattr_t *attributes)
{
	sigset_t none, broken;

	sigemptyset(&none);
	sigemptyset(&broken);
	sigaddset(&broken, SIGPIPE);
	return posix_spawnattr_setsigmask(attributes, &none)
		       ?: posix_spawnattr_setsigdefault(attributes, &broken)
		       ?: posix_spawnattr_setflags(attributes,
						   POSIX_SPAWN_SETSIGMASK |
							   POSIX_SPAWN_SETSIGDEF |
							   POSIX_SPAWN_SETPGROUP);
}

static int spawn(struct tl_sibling *t, char *argv[], int output)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int ret = posix_spawn_file_actions_init(&actions);

	if (ret)
		return ret;
	ret = posix_spawnattr_init(&attributes);
	if (!ret) {
		ret = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO,
						       "/dev/null", O_RDONLY, 0)
			      ?: posix_spawn_file_actions_adddup2(
					 &actions, output, STDOUT_FILENO)
			      ?: set_signals(&attributes)
			      ?: posix_spawn(&t->pid, t->path, &actions,
					     &attributes, argv, environ);
		posix_spawnattr_destroy(&attributes);
	}
	posix_spawn_file_actions_destroy(&actions);
	return ret;
}

int tl_sibling_start(const struct tl_session *s, struct tl_sibling *t,
		     const char *name, char *argv[])
{
	int ends[2], ret;

	*t = (struct tl_sibling){ 0 };
	ret = find(s->tool->name, name, &t->path);
	if (ret)
		return ret;
	argv[0] = t->path;
	if (pipe2(ends, O_CLOEXEC)) {
		t->err = errno;
		return 0;
	}
	t->err = spawn(t, argv, ends[1]);
	close(ends[1]);
	t->output = t->err ? NULL : fdopen(ends[0], "r");
	if (!t->output) {
		t->err = t->err ?: errno;
		close(ends[0]);
	}
	return 0;
}

static bool has_ended(const struct tl_sibling *t)
{
	int status = tl_child_wait(t->pid);

	return WIFEXITED(status) && WEXITSTATUS(status) != TL_EXIT_USAGE &&
	       WEXITSTATUS(status) <= TL_EXIT_UNSUPPORTED;
}

bool tl_sibling_end(struct tl_sibling *t, bool answered)
{
	bool good;

	if (t->output)
		fclose(t->output);
	good = t->pid > 0 && has_ended(t) && answered && !t->err;
	if (!good)
		tl_warn("%s: %s", t->path,
			t->err ? strerror(t->err) : "has given no answer");
	free(t->path);
	return good;
}

/* Its messages are this tool's until it has become the other one. */
static int become(char *argv[])
{
	execve(argv[0], argv, environ);
	tl_warn("%s: %s", argv[0], strerror(errno));
	return TL_EXIT_FAILED;
}

int tl_sibling_become(const char *self, const char *name, char *argv[])
{
	return find(self, name, &argv[0]) ? TL_EXIT_FAILED : become(argv);
}

int tl_sibling_run(const struct tl_session *s, const char *name, char *argv[])
{
	int status = 0, ret = TL_EXIT_FAILED;
	pid_t pid;

	if (find(s->tool->name, name, &argv[0]))
		return TL_EXIT_FAILED;
	pid = tl_child_fork();
	if (!pid)
		_exit(become(argv));
	if (pid > 0)
		status = tl_child_wait(pid);
	if (pid < 0)
		tl_warn("%s: %s", argv[0], strerror(errno));
	else if (!WIFEXITED(status))
		tl_warn("%s: signal %d has ended it", argv[0],
			WTERMSIG(status));
	else
		ret = WEXITSTATUS(status);
	free(argv[0]);
	return ret;
}
