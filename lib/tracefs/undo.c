// SPDX-License-Identifier: GPL-2.0-or-later
/* undo.c - the journal of what must be taken back, and its guard */
#include "tracefs/undo.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cap.h"
#include "base/clock.h"
#include "base/session.h"
#include "tracelet/message.h"

enum kind {
	UNDO_WRITE,
	UNDO_FIRST,
	UNDO_LAST,
	UNDO_EMPTY,
	UNDO_RMDIR,
	UNDO_UNLINK,
	UNDO_HOLD,
	UNDO_FORGET
};

struct entry {
	enum kind kind;
	int fd;
	char text[4096];
};

/* For one descriptor. */
union control {
	char bytes[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

struct tl_undo {
	int socket;
	pid_t guard;
};

/* ---- the guard -------------------------------------------------------- */

#define GUARD_SOCKET 0 /* all other descriptors are closed */

struct node {
	struct node *older;
	enum kind kind;
	int fd;
	char text[];
};

/*
 * Receives an entry; 0 at the end, when the tool has closed its side or is
 * gone.
 */
static int receive(int socket, struct entry *e)
{
	union control control;
	struct iovec iov[2] = { { &e->kind, sizeof(e->kind) },
				{ e->text, sizeof(e->text) - 1 } };
	struct msghdr msg = { .msg_iov = iov,
			      .msg_iovlen = 2,
			      .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *c;
	ssize_t n;

	do {
		n = recvmsg(socket, &msg, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n < (ssize_t)sizeof(e->kind))
		return 0;
	e->text[n - sizeof(e->kind)] = '\0';
	c = CMSG_FIRSTHDR(&msg);
	e->fd = -1;
	if (c && c->cmsg_type == SCM_RIGHTS)
		memcpy(&e->fd, CMSG_DATA(c), sizeof(int));
	return 1;
}

static int undo_one(const struct node *n)
{
	int ret = 0;

	switch (n->kind) {
	case UNDO_WRITE:
	case UNDO_FIRST:
	case UNDO_LAST:
		ret = tl_fs_put(n->fd, n->text);
		break;
	case UNDO_EMPTY:
		ret = tl_fs_write((struct tl_fs_dir){ .fd = n->fd }, n->text,
				  "", O_TRUNC);
		break;
	case UNDO_RMDIR:
		ret = unlinkat(n->fd, n->text, AT_REMOVEDIR) ? -errno : 0;
		break;
	case UNDO_UNLINK:
		ret = unlinkat(n->fd, n->text, 0) ? -errno : 0;
		break;
	case UNDO_HOLD:
	case UNDO_FORGET:
		break;
	}
	/* entries come before the deed, which may not have been done */
	return ret == -ENOENT ? 0 : ret;
}

/*
 * EBUSY passes: after SIGKILL the tool's own descriptors close while the guard
 * is already at work.  Somebody who reads our instance may keep it for longer.
 * ENOMEM does too: with that 5.10 and 6.1 refuse to resize a buffer that is read.
 */
static int undo_patiently(const struct node *n, unsigned int *patience)
{
	int ret;

	while (((ret = undo_one(n)) == -EBUSY || ret == -ENOMEM) && *patience) {
		tl_pause(10000000);
		--*patience;
	}
	return ret;
}

/*
 * What comes later would do harm, so there is no end to the patience: until
 * nobody else uses it.  The tool is told, so that it need not wait as long.
 */
static int undo_in_any_case(const struct node *n, unsigned int *patience)
{
	int ret = undo_patiently(n, patience);

	if (ret == -EBUSY)
		send(GUARD_SOCKET, "", 1, MSG_NOSIGNAL);
	while (ret == -EBUSY) {
		tl_pause(100000000);
		ret = undo_one(n);
	}
	return ret;
}

/* Those of UNDO_LAST, or all others; @err, or else the first error. */
static int undo_these(const struct node *newest, bool last,
		      unsigned int *patience, int err)
{
	const struct node *n;
	int ret;

	for (n = newest; n; n = n->older) {
		if ((n->kind == UNDO_LAST) != last)
			continue;
		if (n->kind == UNDO_FIRST)
			ret = undo_in_any_case(n, patience);
		else
			ret = undo_patiently(n, patience);
		/* an instance cannot go while a file of it is open */
		close(n->fd);
		err = err ?: ret;
	}
	return err;
}

static int undo_all(const struct node *newest)
{
	unsigned int patience = 200; /* two seconds, for all */
	int err = undo_these(newest, false, &patience, 0);

	return undo_these(newest, true, &patience, err);
}

/* before 5.9 */
static void close_all_but_first(void)
{
	int fd;

	for (fd = 1; fd < 1024; fd++)
		close(fd);
}

/* Takes entry @e; false without memory. */
static bool add(struct node **newest, const struct entry *e)
{
	struct node *n = malloc(sizeof(*n) + strlen(e->text) + 1);

	if (!n)
		return false;
	n->older = *newest;
	n->kind = e->kind;
	n->fd = e->fd;
	strcpy(n->text, e->text);
	*newest = n;
	return true;
}

static void forget(struct node **newest)
{
	struct node *n = *newest;

	if (!n)
		return;
	*newest = n->older;
	close(n->fd);
	free(n);
}

static _Noreturn void guard(int socket, uint64_t keep_caps)
{
	struct node *newest = NULL;
	struct entry e;
	sigset_t all;

	/* Ctrl-C, a closed terminal and killall are for the tool */
	setsid();
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_NAME, TL_GUARD);
	/* who waits for the end of a pipe must not wait for us */
	dup2(socket, GUARD_SOCKET);
	socket = GUARD_SOCKET;
	if (syscall(SYS_close_range, 1, ~0U, 0))
		close_all_but_first();
	tl_cap_drop(keep_caps);
	while (receive(socket, &e)) {
		if (e.kind == UNDO_FORGET)
			forget(&newest);
		else if (!add(&newest, &e))
			break;
	}
	_exit(-undo_all(newest) & 0xff);
}

/* ---- the tool's side -------------------------------------------------- */

struct tl_undo *tl_undo_start(uint64_t keep_caps)
{
	struct tl_undo *u = malloc(sizeof(*u));
	int pair[2];

	if (!u)
		return NULL;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		free(u);
		return NULL;
	}
	u->guard = fork();
	if (!u->guard) {
		close(pair[0]);
		guard(pair[1], keep_caps);
	}
	close(pair[1]);
	u->socket = pair[0];
	if (u->guard > 0)
		return u;
	close(u->socket);
	free(u);
	return NULL;
}

static void add_descriptor(struct msghdr *msg, union control *control, int fd)
{
	struct cmsghdr *c;

	msg->msg_control = control;
	msg->msg_controllen = sizeof(*control);
	c = CMSG_FIRSTHDR(msg);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(int));
}

/* @fd: -1: none goes with it */
static int send_entry(struct tl_undo *u, enum kind kind, int fd,
		      const char *text)
{
	union control control = { 0 };
	struct iovec iov[2] = { { &kind, sizeof(kind) },
				{ (void *)text, strlen(text) } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };

	/* nothing is changed where a capture is read */
	if (!u)
		return 0;
	if (strlen(text) >= sizeof(((struct entry *)NULL)->text))
		return -E2BIG;
	if (fd >= 0)
		add_descriptor(&msg, &control, fd);
	if (sendmsg(u->socket, &msg, MSG_NOSIGNAL) >= 0)
		return 0;
	/* EPIPE would be taken for that of stdout */
	return tl_fail(errno == EPIPE ? EOWNERDEAD : errno,
		       "the guard process does not answer: %s",
		       strerror(errno));
}

int tl_undo_write(struct tl_undo *u, int fd, const char *text)
{
	return send_entry(u, UNDO_WRITE, fd, text);
}

int tl_undo_write_last(struct tl_undo *u, int fd, const char *text)
{
	return send_entry(u, UNDO_LAST, fd, text);
}

struct change {
	struct tl_fs_dir dir;
	const char *path;
	int mode;
	const char *text, *back;
};

static int change(struct tl_undo *u, enum kind kind, struct change c)
{
	int fd, ret = tl_fs_open(c.dir, c.path, O_WRONLY | c.mode, &fd);

	if (fd < 0)
		return ret;
	ret = send_entry(u, kind, fd, c.back) ?: tl_fs_put(fd, c.text);
	close(fd);
	return ret;
}

int tl_undo_change(struct tl_undo *u, struct tl_fs_dir dir, const char *path,
		   int mode, const char *text, const char *back)
{
	struct change c = { dir, path, mode, text, back };

	return change(u, UNDO_WRITE, c);
}

int tl_undo_change_first(struct tl_undo *u, struct tl_fs_dir dir,
			 const char *path, int mode, const char *text,
			 const char *back)
{
	struct change c = { dir, path, mode, text, back };

	return change(u, UNDO_FIRST, c);
}

int tl_undo_empty(struct tl_undo *u, int dir, const char *name)
{
	return send_entry(u, UNDO_EMPTY, dir, name);
}

int tl_undo_rmdir(struct tl_undo *u, int dir, const char *name)
{
	return send_entry(u, UNDO_RMDIR, dir, name);
}

int tl_undo_unlink(struct tl_undo *u, int dir, const char *name)
{
	return send_entry(u, UNDO_UNLINK, dir, name);
}

int tl_undo_forget(struct tl_undo *u)
{
	return send_entry(u, UNDO_FORGET, -1, "");
}

int tl_undo_hold(struct tl_undo *u, int fd)
{
	return send_entry(u, UNDO_HOLD, fd, "");
}

/* Until the guard ends, which closes its side; true when it has to wait. */
static bool guard_waits(struct tl_undo *u)
{
	char byte;
	ssize_t n;

	shutdown(u->socket, SHUT_WR);
	do {
		n = read(u->socket, &byte, 1);
	} while (n < 0 && errno == EINTR);
	close(u->socket);
	return n > 0;
}

int tl_undo_finish(struct tl_undo *u)
{
	int status, ret;

	if (guard_waits(u)) {
		free(u);
		return -EINPROGRESS;
	}
	do {
		ret = waitpid(u->guard, &status, 0);
	} while (ret < 0 && errno == EINTR);
	ret = ret < 0 ? -errno : 0;
	free(u);
	if (ret)
		return ret;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EOWNERDEAD;
}
