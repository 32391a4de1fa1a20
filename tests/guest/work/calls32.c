/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A 32-bit program, without a libc, so that any compiler for x86-64 can make
 * it.  Waits for the end of standard input (read, 3), forks (2), and both then
 * make 11 calls of getpid (20, which is writev for 64-bit programs), 13 of
 * getuid32 (199, fremovexattr), 5 of close(-1) (6, lstat), wait for children
 * (waitpid, 7, poll), and end (252).
 */
static long call(long nr, long a, void *b, long c)
{
	long ret;

	__asm__ volatile("int $0x80"
			 : "=a"(ret)
			 : "a"(nr), "b"(a), "c"(b), "d"(c)
			 : "memory");
	return ret;
}

void _start(void);
void _start(void)
{
	char byte;
	int i;

	call(3, 0, &byte, 1);
	call(2, 0, 0, 0);
	for (i = 0; i < 11; i++)
		call(20, 0, 0, 0);
	for (i = 0; i < 13; i++)
		call(199, 0, 0, 0);
	for (i = 0; i < 5; i++)
		call(6, -1, 0, 0);
	call(7, -1, 0, 0);
	call(252, 0, 0, 0);
}
