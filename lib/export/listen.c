// SPDX-License-Identifier: GPL-2.0-or-later
/* listen.c - the socket at which an exporter answers */
#include "export/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tracelet/message.h"

#define FIRST 3 /* descriptor of systemd, see sd_listen_fds(3) */

/* NULL, or what is wrong; freeaddrinfo() @found. */
static const char *resolve(const char *text, struct addrinfo **found)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
					.ai_flags = AI_PASSIVE |
						    AI_NUMERICHOST |
						    AI_NUMERICSERV };
	const char *colon = strrchr(text, ':');
	size_t len = colon ? (size_t)(colon - text) : 0;
	const bool quoted = len > 1 && text[0] == '[' && text[len - 1] == ']';
	char host[128];
	int ret;

	if (!colon || !colon[1] || len >= sizeof(host) ||
	    (!quoted && memchr(text, ':', len)))
		return "not ADDRESS:PORT, as 127.0.0.1:9470 or [::1]:9470";
	snprintf(host, sizeof(host), "%.*s", (int)(len - (quoted ? 2 : 0)),
		 text + quoted);
	ret = getaddrinfo(*host ? host : NULL, colon + 1, &hints, found);
	if (ret == EAI_NONAME)
		return "the address is no number, as 127.0.0.1 or [::1] are";
	if (ret == EAI_SERVICE)
		return "the port is no number from 1 to 65535";
	return ret ? gai_strerror(ret) : NULL;
}

const char *tl_listen_parse(const char *text)
{
	struct addrinfo *found = NULL;
	const char *wrong = resolve(text, &found);
	const char *port = strrchr(text, ':');
	const long number = port ? strtol(port + 1, NULL, 10) : 0;

	if (found)
		freeaddrinfo(found);
	if (!wrong && (number < 1 || number > 65535))
		return "the port is no number from 1 to 65535";
	return wrong;
}

static int open_one(const struct addrinfo *a)
{
	const int one = 1;
	int fd = socket(a->ai_family,
			SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (!bind(fd, a->ai_addr, a->ai_addrlen) && !listen(fd, SOMAXCONN))
		return fd;
	close(fd);
	return -errno;
}

int tl_listen(const char *text)
{
	struct addrinfo *found = NULL;
	const char *wrong = tl_listen_parse(text) ?: resolve(text, &found);
	int fd;

	if (wrong)
		return tl_fail(EINVAL, "\"%s\": %s", text, wrong);
	fd = open_one(found);
	freeaddrinfo(found);
	return fd >= 0 ? fd : tl_fail(-fd, "%s: %s", text, strerror(-fd));
}

int tl_listen_given(void)
{
	const char *pid = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");

	if (!pid || !count || strtol(pid, NULL, 10) != getpid() ||
	    strtol(count, NULL, 10) < 1)
		return -1;
	fcntl(FIRST, F_SETFD, FD_CLOEXEC);
	fcntl(FIRST, F_SETFL, O_NONBLOCK);
	return FIRST;
}
