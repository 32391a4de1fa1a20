// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * export.c - tools that count, as one answer for Prometheus
 *
 * Two processes: one runs the tools, and keeps what is needed for that; the other one,
 * which those out there talk to, has no capability, and no more than a pipe with the
 * latest text.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/cap.h"
#include "base/child.h"
#include "base/poll.h"
#include "export/collectors.h"
#include "export/config.h"
#include "export/exposition.h"
#include "export/http.h"
#include "export/listen.h"
#include "main/ready.h"
#include "tracelet/export.h"
#include "tracelet/message.h"

#define LISTEN "127.0.0.1:9470"

struct tl_export {
	struct tl_export_config config;
	struct tl_collectors *tools;
};

/* ---- who answers ------------------------------------------------------ */

/* Until the other one has gone. */
static int answer(struct tl_http *h, int from)
{
	struct pollfd fds[] = { { from, POLLIN, 0 },
				{ tl_http_fd(h), POLLIN, 0 } };
	struct tl_exposition text = { 0 };
	int ret = 0;

	while (ret >= 0) {
		tl_poll(fds, 2, tl_http_step(h));
		ret = tl_exposition_read(&text, from, SIZE_MAX);
		if (ret > 0)
			ret = tl_http_set(h, tl_buf_text(&text.whole));
	}
	tl_exposition_free(&text);
	return ret;
}

/* All but these, of which the second is the last, and the first three. */
static void close_others(int low, int high)
{
	int fd;

	for (fd = STDERR_FILENO + 1; fd <= high; fd++)
		if (fd != low && fd != high)
			close(fd);
}

/* Who owns nothing: the kernel shows it for users that it does not know. */
#define NOBODY 65534

/* Without the rights of root's files, and without any other descriptor. */
static int drop_rights(int low, int high)
{
	if (!geteuid() &&
	    (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
	     setresuid(NOBODY, NOBODY, NOBODY)))
		return tl_fail(errno, "becoming nobody: %s", strerror(errno));
	close_others(low, high);
	return tl_cap_drop(0);
}

static _Noreturn void be_server(int listening, int from)
{
	struct tl_http *h;

	prctl(PR_SET_NAME, "tl-http");
	/* those of a terminal are for the one who runs the tools */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	if (drop_rights(listening, from))
		_exit(1);
	h = tl_http_new(listening);
	if (h)
		answer(h, from);
	_exit(1);
}

/* ---- who runs the tools ----------------------------------------------- */

/* What is on its way to the one who answers; the next text waits for its end. */
struct sender {
	int to;
	struct tl_buf text;
	size_t done; /* bytes */
	bool stale;  /* there is a newer one */
};

static bool is_sending(const struct sender *out)
{
	return out->done < out->text.len;
}

static int make_text(const struct tl_export *e, struct sender *out)
{
	int ret;

	out->text.len = out->done = 0;
	out->text.failed = false; /* it may have been last time */
	ret = tl_collectors_print(e->tools, &out->text);
	tl_buf_str(&out->text, TL_EXPOSITION_END);
	out->stale = false;
	return ret ?: out->text.failed ? -ENOMEM : 0;
}

/* 0, or -errno where it has gone. */
static int send_text(const struct tl_export *e, struct sender *out)
{
	ssize_t n;
	int ret = 0;

	if (!is_sending(out) && out->stale)
		ret = make_text(e, out);
	if (ret || !is_sending(out))
		return ret;
	n = write(out->to, out->text.data + out->done,
		  out->text.len - out->done);
	if (n > 0)
		out->done += (size_t)n;
	return n < 0 && errno != EAGAIN && errno != EINTR ? -errno : 0;
}

static int open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

/* Until a signal comes, or who answers has gone. */
static int run_tools(const struct tl_export *e, struct sender *out, int signals,
		     struct pollfd *fds)
{
	struct pollfd *signal = &fds[e->config.count], *server = signal + 1;
	int ret = 0;

	tl_collectors_start(e->tools);
	ret = make_text(e, out);
	while (!ret) {
		*signal = (struct pollfd){ signals, POLLIN, 0 };
		*server = (struct pollfd){ out->to,
					   is_sending(out) ? POLLOUT : 0, 0 };
		tl_poll(fds, e->config.count + 2,
			tl_collectors_poll(e->tools, fds));
		if (signal->revents)
			return 0;
		out->stale |= tl_collectors_step(e->tools);
		ret = server->revents & POLLERR ? -EPIPE : send_text(e, out);
	}
	return ret == -ENOMEM
		       ? tl_fail(ENOMEM, "out of memory")
		       : tl_fail(-ret, "the process that answers has gone");
}

static int run_with(const struct tl_export *e, int to, int signals)
{
	struct pollfd *fds = calloc(e->config.count + 2, sizeof(*fds));
	struct sender out = { .to = to };
	int ret = fds ? run_tools(e, &out, signals, fds) : -ENOMEM;

	tl_buf_free(&out.text);
	free(fds);
	return ret;
}

/* ---- both ------------------------------------------------------------- */

static int open_socket(const struct tl_export *e, const char *address)
{
	const int fd = tl_listen_given();

	return fd != -ENOENT ? fd : tl_listen(address ?: e->config.listen ?: LISTEN);
}

/* Both have the pipe and the socket, and keep their end of these. */
static int run_both(const struct tl_export *e, int listening, int signals,
		    const int ends[2])
{
	const pid_t pid = tl_child_fork();
	int ret;

	if (!pid) {
		close(ends[1]);
		be_server(listening, ends[0]);
	}
	close(ends[0]);
	ret = pid < 0 ? tl_fail(errno, "fork: %s", strerror(errno))
		      : run_with(e, ends[1], signals);
	close(ends[1]);
	if (pid > 0) {
		kill(pid, SIGKILL); /* it has nothing to undo */
		tl_child_wait(pid);
	}
	return ret;
}

int tl_export_run(struct tl_export *e, const char *address)
{
	const int listening = tl_http_load() ?: open_socket(e, address);
	const int signals = listening < 0 ? -1 : open_signals();
	int ends[2], ret;

	if (listening < 0)
		return listening;
	if (signals < 0 || pipe2(ends, O_CLOEXEC | O_NONBLOCK)) {
		ret = tl_fail(errno, "descriptors: %s", strerror(errno));
	} else {
		tl_ready();
		ret = run_both(e, listening, signals, ends);
	}
	close(signals);
	close(listening);
	return ret;
}

/* ---- begin and end ---------------------------------------------------- */

/* As lines of a file that are a word each. */
static int take_names(struct tl_export_config *c, char *const names[],
		      size_t count, bool (*is_tool)(const char *name))
{
	size_t i, k;

	for (i = 0; i < count; i++) {
		if (!is_tool(names[i]))
			return tl_usage("there is no tool \"%s\" that counts",
					names[i]);
		for (k = 0; k < i; k++)
			if (!strcmp(names[i], names[k]))
				return tl_usage("%s is named twice", names[i]);
		if (tl_export_config_add(c, names[i]))
			return -ENOMEM;
	}
	return 0;
}

static int fill(const struct tl_session *s, struct tl_export *e,
		const char *path, char *const names[], size_t count,
		bool (*is_tool)(const char *name))
{
	int ret = path ? tl_export_config_read(&e->config, path, is_tool) : 0;

	ret = ret ?: take_names(&e->config, names, count, is_tool);
	if (ret)
		return ret;
	e->tools = tl_collectors_new(s, &e->config);
	return e->tools ? 0 : -ENOMEM;
}

struct tl_export *tl_export_new(const struct tl_session *s, const char *path,
				char *const names[], size_t count,
				bool (*is_tool)(const char *name))
{
	struct tl_export *e = calloc(1, sizeof(*e));
	int ret = e ? fill(s, e, path, names, count, is_tool) : -ENOMEM;

	if (!ret)
		return e;
	tl_export_free(e);
	errno = -ret;
	return NULL;
}

void tl_export_free(struct tl_export *e)
{
	if (!e)
		return;
	tl_collectors_free(e->tools);
	tl_export_config_free(&e->config);
	free(e);
}

int tl_export_check(const struct tl_export *e)
{
	const int ret = tl_http_load() ? -ENOTSUP : 0;

	return e && !tl_collectors_check(e->tools) ? -ENOTSUP : ret;
}

const char *tl_export_address(const char *text)
{
	return tl_listen_parse(text);
}
