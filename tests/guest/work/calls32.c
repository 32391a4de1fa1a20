/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A 32-bit program for a 64-bit kernel, without a libc, so that a compiler is all
 * that it takes: x86, or ARM (EABI).  Waits for the end of standard input (read, 3),
 * forks (2), and both then make 11 calls of getpid (20, which is writev for 64-bit
 * programs of x86, epoll_create1 for those of ARM), 13 of getuid32 (199, fremovexattr
 * or socketpair), 5 of close(-1) (6, lstat or lsetxattr), wait for children (wait4,
 * 114, setregid or clock_getres), and end.
 *
 * At a byte before that, a thread waits for another one, makes 13 calls of getuid32,
 * and ends; only then it goes on.
 */
#ifdef __arm__
#define EXIT_GROUP 248
#else
#define EXIT_GROUP 252
#endif

/* CLONE_VM, _SIGHAND, _VFORK, _THREAD: on this stack, while its owner waits */
#define THREAD 0x14900

static inline __attribute__((always_inline)) long call(long nr, long a, void *b,
						       long c, long d)
{
#ifdef __arm__
	register long number __asm__("r7") = nr, result __asm__("r0") = a;
	register void *second __asm__("r1") = b;
	register long third __asm__("r2") = c, fourth __asm__("r3") = d;

	__asm__ volatile("svc 0"
			 : "+r"(result)
			 : "r"(number), "r"(second), "r"(third), "r"(fourth)
			 : "memory");
#else
	long result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(nr), "b"(a), "c"(b), "d"(c), "S"(d)
			 : "memory");
#endif
	return result;
}

void _start(void);
void _start(void)
{
	char byte;
	int i;

	while (call(3, 0, &byte, 1, 0) == 1) {
		if (call(120, THREAD, 0, 0, 0))
			continue;
		call(3, 0, &byte, 1, 0);
		for (i = 0; i < 13; i++)
			call(199, 0, 0, 0, 0);
		call(1, 0, 0, 0, 0);
	}
	call(2, 0, 0, 0, 0);
	for (i = 0; i < 11; i++)
		call(20, 0, 0, 0, 0);
	for (i = 0; i < 13; i++)
		call(199, 0, 0, 0, 0);
	for (i = 0; i < 5; i++)
		call(6, -1, 0, 0, 0);
	call(114, -1, 0, 0, 0);
	call(EXIT_GROUP, 0, 0, 0, 0);
}
