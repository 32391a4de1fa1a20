/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A 32-bit program with the C library: says "waits", and looks up here.test once a line
 * comes.  There need be no headers for it.
 */
struct addrinfo;
int getaddrinfo(const char *, const char *, const struct addrinfo *,
		struct addrinfo **);
int puts(const char *);
int fflush(void *);
int getchar(void);
void _exit(int);

__attribute__((force_align_arg_pointer)) void _start(void)
{
	struct addrinfo *found;

	puts("waits");
	fflush(0);
	getchar();
	puts(getaddrinfo("here.test", 0, 0, &found) ? "failed" : "ok");
	fflush(0);
	_exit(0);
}
