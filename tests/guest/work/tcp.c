// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tcp - connections for guest tests
 *
 * "tcp serve PORT" takes connections of IPv4 and IPv6.  It reads each to its
 * end, sends as many bytes back as there were, and closes it.
 *
 * "tcp call LADDR LPORT RADDR RPORT" makes one.  A line of its input is a number
 * of bytes to send; at the line "wait" it says when all has arrived, at "end"
 * it ends its half and reads what comes.
 */
#include <arpa/inet.h>
#include <err.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static char bytes[65536];

static void send_bytes(int fd, size_t count)
{
	while (count) {
		ssize_t n =
			write(fd, bytes,
			      count < sizeof(bytes) ? count : sizeof(bytes));

		if (n < 0)
			err(1, "write");
		count -= (size_t)n;
	}
}

static size_t read_to_end(int fd)
{
	size_t count = 0;
	ssize_t n;

	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		count += (size_t)n;
	if (n < 0)
		err(1, "read");
	return count;
}

static void serve(const char *port)
{
	const struct sockaddr_in6 any = { .sin6_family = AF_INET6,
					  .sin6_port = htons(atoi(port)) };
	int listener = socket(AF_INET6, SOCK_STREAM, 0), fd;

	if (bind(listener, (const struct sockaddr *)&any, sizeof(any)) ||
	    listen(listener, 100))
		err(1, "port %s", port);
	puts("listens");
	signal(SIGCHLD, SIG_IGN);
	while ((fd = accept(listener, NULL, NULL)) >= 0) {
		if (!fork()) {
			send_bytes(fd, read_to_end(fd));
			exit(0);
		}
		close(fd);
	}
	err(1, "accept");
}

static socklen_t address(const char *host, const char *port,
			 struct sockaddr_storage *to)
{
	struct sockaddr_in *ipv4 = (struct sockaddr_in *)to;
	struct sockaddr_in6 *ipv6 = (struct sockaddr_in6 *)to;

	memset(to, 0, sizeof(*to));
	if (inet_pton(AF_INET, host, &ipv4->sin_addr) == 1) {
		to->ss_family = AF_INET;
		ipv4->sin_port = htons(atoi(port));
		return sizeof(*ipv4);
	}
	if (inet_pton(AF_INET6, host, &ipv6->sin6_addr) != 1)
		errx(1, "%s is no address", host);
	to->ss_family = AF_INET6;
	ipv6->sin6_port = htons(atoi(port));
	return sizeof(*ipv6);
}

static void wait_arrived(int fd)
{
	int left;

	while (!ioctl(fd, SIOCOUTQ, &left) && left)
		usleep(1000);
	puts("arrived");
}

static void call(char **argv)
{
	struct sockaddr_storage local, remote;
	socklen_t llen = address(argv[0], argv[1], &local);
	socklen_t rlen = address(argv[2], argv[3], &remote);
	int fd = socket(local.ss_family, SOCK_STREAM, 0);
	size_t sent = 0, got;
	char line[32];

	if (bind(fd, (struct sockaddr *)&local, llen))
		err(1, "bind %s", argv[0]);
	if (connect(fd, (struct sockaddr *)&remote, rlen))
		err(1, "connect %s", argv[2]);
	puts("connected");
	while (fgets(line, sizeof(line), stdin) && *line != 'e') {
		if (*line == 'w') {
			wait_arrived(fd);
			continue;
		}
		send_bytes(fd, strtoul(line, NULL, 10));
		sent += strtoul(line, NULL, 10);
	}
	shutdown(fd, SHUT_WR);
	got = read_to_end(fd);
	if (got != sent)
		errx(1, "%zu bytes came back of %zu", got, sent);
}

int main(int argc, char **argv)
{
	setlinebuf(stdout);
	if (argc == 3 && !strcmp(argv[1], "serve"))
		serve(argv[2]);
	else if (argc == 6 && !strcmp(argv[1], "call"))
		call(argv + 2);
	else
		errx(2, "usage: tcp serve PORT | tcp call LADDR LPORT RADDR "
			"RPORT");
	return 0;
}
