/* SPDX-License-Identifier: GPL-2.0-or-later */
/* frame DEVICE HEX...: sends frames through the device, each the bytes "08 00", as they are. */
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static int fail(const char *what)
{
	perror(what);
	return 1;
}

static size_t bytes_of(const char *hex, uint8_t *bytes, size_t max)
{
	size_t n = 0;
	char *end;

	for (; *hex && n < max; hex = end + strspn(end, " "))
		bytes[n++] = (uint8_t)strtoul(hex, &end, 16);
	return n;
}

int main(int argc, char **argv)
{
	struct sockaddr_ll at = { .sll_family = AF_PACKET };
	int fd = socket(AF_PACKET, SOCK_RAW, 0);
	uint8_t bytes[1500];
	size_t size;

	if (argc < 3)
		return 2;
	at.sll_ifindex = (int)if_nametoindex(argv[1]);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)))
		return fail(argv[1]);
	for (argv += 2; *argv; argv++) {
		size = bytes_of(*argv, bytes, sizeof(bytes));
		if (send(fd, bytes, size, 0) != (ssize_t)size)
			return fail("send");
	}
	return 0;
}
