/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shared PORT COUNT: sends COUNT datagrams to PORT of 127.0.0.1, where it receives them
 * all, beside a packet socket that is full and refuses its share of each.  Then it closes
 * Unix sockets that have as many messages unread.  Prints how many it received.
 */
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static int fail(const char *what)
{
	perror(what);
	return 1;
}

static int open_watcher(void)
{
	int fd = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_IP)), size = 1;

	if (fd >= 0 &&
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size)))
		return -1;
	return fd;
}

/* What it has got is read, not purged. */
static void close_watcher(int fd)
{
	char byte;

	while (recv(fd, &byte, 1, MSG_DONTWAIT) >= 0)
		;
	close(fd);
}

static int open_port(uint16_t port)
{
	const struct sockaddr_in at = { .sin_family = AF_INET,
					.sin_port = htons(port),
					.sin_addr.s_addr =
						htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd < 0 || bind(fd, (const struct sockaddr *)&at, sizeof(at)) ||
	    connect(fd, (const struct sockaddr *)&at, sizeof(at)))
		return -1;
	return fd;
}

static int leave_unread(long count)
{
	int fds[2];

	while (count--) {
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) ||
		    write(fds[0], "x", 1) != 1)
			return -1;
		close(fds[0]);
		close(fds[1]);
	}
	return 0;
}

int main(int argc, char **argv)
{
	int watcher, fd;
	long count, i, received = 0;
	char byte;

	if (argc < 3)
		return 2;
	count = strtol(argv[2], NULL, 10);
	watcher = open_watcher();
	fd = open_port((uint16_t)strtol(argv[1], NULL, 10));
	if (watcher < 0 || fd < 0)
		return fail("sockets");
	for (i = 0; i < count; i++)
		received +=
			send(fd, "x", 1, 0) == 1 && recv(fd, &byte, 1, 0) == 1;
	if (leave_unread(count))
		return fail("Unix sockets");
	close_watcher(watcher);
	printf("%ld\n", received);
	return 0;
}
