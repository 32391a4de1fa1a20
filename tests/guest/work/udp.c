/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * udp ADDRESS PORT COUNT [SOURCE [deaf]]: sends COUNT datagrams of 1 byte there, from
 * port SOURCE.  Deaf, it has the port there itself, with as small a buffer as there is,
 * and does not read; it prints how many it could have read.
 */
#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static int fail(const char *what)
{
	perror(what);
	return 1;
}

static int resolve(const char *host, const char *port, struct addrinfo **to)
{
	const struct addrinfo hints = { .ai_flags =
						AI_NUMERICHOST | AI_NUMERICSERV,
					.ai_socktype = SOCK_DGRAM };

	return getaddrinfo(host, port, &hints, to);
}

/* At the port that @source is, of the loopback device's or any other address. */
static int bind_source(int fd, int family, const char *source)
{
	const struct addrinfo hints = { .ai_family = family,
					.ai_flags = AI_PASSIVE | AI_NUMERICSERV,
					.ai_socktype = SOCK_DGRAM };
	struct addrinfo *from;
	int ret;

	if (getaddrinfo(NULL, source, &hints, &from))
		return -1;
	ret = bind(fd, from->ai_addr, from->ai_addrlen);
	freeaddrinfo(from);
	return ret;
}

static int open_deaf(const struct addrinfo *at)
{
	int fd = socket(at->ai_family, SOCK_DGRAM, 0), size = 1;

	if (fd < 0 || bind(fd, at->ai_addr, at->ai_addrlen) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size)))
		return -1;
	return fd;
}

static void print_received(int fd)
{
	unsigned int count = 0;
	char byte;

	while (recv(fd, &byte, 1, MSG_DONTWAIT) >= 0)
		count++;
	printf("%u\n", count);
}

int main(int argc, char **argv)
{
	struct addrinfo *to;
	int fd, deaf = -1;
	long count;

	if (argc < 4 || resolve(argv[1], argv[2], &to))
		return 2;
	count = strtol(argv[3], NULL, 10);
	if (argc > 5 && (deaf = open_deaf(to)) < 0)
		return fail("a socket that is not read");
	fd = socket(to->ai_family, SOCK_DGRAM, 0);
	if (fd < 0 || (argc > 4 && bind_source(fd, to->ai_family, argv[4])))
		return fail("source port");
	while (count--)
		if (sendto(fd, "x", 1, 0, to->ai_addr, to->ai_addrlen) != 1)
			return fail("sendto");
	if (deaf >= 0)
		print_received(deaf);
	freeaddrinfo(to);
	return 0;
}
