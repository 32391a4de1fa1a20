// SPDX-License-Identifier: GPL-2.0-or-later
/* listen.c - the socket at which an exporter answers */
#include "export/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "option/parse.h"
#include "tracelet/message.h"

#define FIRST 3 /* descriptor of systemd, see sd_listen_fds(3) */

struct address {
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	};
	socklen_t len;
};

static bool parse_v4(struct address *a, const char *host, in_port_t port)
{
	a->len = sizeof(a->v4);
	a->v4 = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = port };
	return inet_pton(AF_INET, host, &a->v4.sin_addr) == 1;
}

static bool parse_v6(struct address *a, const char *host, in_port_t port)
{
	a->len = sizeof(a->v6);
	a->v6 = (struct sockaddr_in6){ .sin6_family = AF_INET6,
				       .sin6_port = port };
	return inet_pton(AF_INET6, host, &a->v6.sin6_addr) == 1;
}

/* NULL, or what is wrong; "" is "::". */
static const char *parse(const char *text, struct address *a)
{
	const char *colon = strrchr(text, ':');
	size_t len = colon ? (size_t)(colon - text) : 0;
	const bool quoted = len > 1 && text[0] == '[' && text[len - 1] == ']';
	char host[INET6_ADDRSTRLEN];
	uint64_t port;

	if (!colon)
		return "not ADDRESS:PORT, as 127.0.0.1:9470 or [::1]:9470";
	if (tl_parse_uint(colon + 1, 1, 65535, &port))
		return "the port is no number from 1 to 65535";
	len -= quoted ? 2 : 0;
	if (len >= sizeof(host))
		return "the address is no number, as 127.0.0.1 or [::1] are";
	snprintf(host, sizeof(host), "%.*s", (int)len, text + quoted);
	if (!len && !quoted)
		return parse_v6(a, "::", htons((in_port_t)port)) ? NULL : "";
	if (!(quoted ? parse_v6 : parse_v4)(a, host, htons((in_port_t)port)))
		return "the address is no number, as 127.0.0.1 or [::1] are";
	return NULL;
}

const char *tl_listen_parse(const char *text)
{
	struct address a;

	return parse(text, &a);
}

static int open_one(const struct address *a)
{
	const int one = 1, zero = 0;
	int fd = socket(a->any.sa_family,
			SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int ret;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (a->any.sa_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof(zero));
	if (!bind(fd, &a->any, a->len) && !listen(fd, SOMAXCONN))
		return fd;
	ret = -errno;
	close(fd);
	return ret;
}

int tl_listen(const char *text)
{
	struct address a;
	const char *wrong = parse(text, &a);
	int fd;

	if (wrong)
		return tl_fail(EINVAL, "\"%s\": %s", text, wrong);
	fd = open_one(&a);
	/* a kernel without IPv6 */
	if (fd == -EAFNOSUPPORT && *text == ':' &&
	    parse_v4(&a, "0.0.0.0", a.v6.sin6_port))
		fd = open_one(&a);
	return fd >= 0 ? fd : tl_fail(-fd, "%s: %s", text, strerror(-fd));
}

static bool is_listening(int fd)
{
	int type = 0, listens = 0;
	socklen_t len = sizeof(type), size = sizeof(listens);

	return !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) &&
	       type == SOCK_STREAM &&
	       !getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) &&
	       listens;
}

/* So that the tools do not think that it is for them. */
static void forget_given(void)
{
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
}

int tl_listen_given(void)
{
	const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");
	uint64_t for_whom, count;

	if (!pid || !fds || tl_parse_uint(pid, 1, INT32_MAX, &for_whom) ||
	    tl_parse_uint(fds, 1, INT32_MAX, &count) ||
	    for_whom != (uint64_t)getpid())
		return -ENOENT;
	forget_given();
	if (count != 1 || !is_listening(FIRST))
		return tl_fail(EINVAL, "systemd's socket has to be one, with "
				       "ListenStream= and without Accept=");
	fcntl(FIRST, F_SETFD, FD_CLOEXEC);
	fcntl(FIRST, F_SETFL, O_NONBLOCK);
	return FIRST;
}
