// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usdt.c - static probes, with notes as SystemTap defines them (version 3)
 *
 * usage: usdt COUNT [wait]; for 0, 1, ... COUNT-1: shop:order at two places,
 * shop:constant, and shop:paid where its semaphore says that somebody listens
 */
#include <stdio.h>
#include <stdlib.h>

#define STRING_(x) #x
#define STRING(x)  STRING_(x)

#define SEMAPHORE(name)                                        \
	unsigned short shop_##name##_semaphore __attribute__(( \
		section(".probes"), used, visibility("hidden")))

/* name, its semaphore or 0, its arguments' sizes and operands, the values */
#define PROBE(name, semaphore, args, ...)                           \
	__asm__ volatile("990: nop\n"                               \
			 ".pushsection .note.stapsdt,\"\",%%note\n" \
			 ".balign 4\n"                              \
			 ".4byte 992f-991f, 994f-993f, 3\n"         \
			 "991: .asciz \"stapsdt\"\n"                \
			 "992: .balign 4\n"                         \
			 "993: .8byte 990b\n"                       \
			 ".8byte shop_stapsdt_base\n"               \
			 ".8byte " semaphore "\n"                   \
			 ".asciz \"shop\"\n"                        \
			 ".asciz \"" #name "\"\n"                   \
			 ".asciz \"" args "\"\n"                    \
			 "994: .balign 4\n"                         \
			 ".popsection\n" ::__VA_ARGS__)

/* prelink moves what the notes have; the difference to this is how far */
__asm__(".pushsection .stapsdt.base,\"a\",%progbits\n"
	"shop_stapsdt_base: .space 1\n"
	".popsection\n");

SEMAPHORE(paid);

static void wait_for_line(void)
{
	int c;

	puts("waiting");
	fflush(stdout);
	do {
		c = getchar();
	} while (c != '\n' && c != EOF);
}

static void order(int i, const char *item)
{
	struct {
		long pad;
		short amount;
	} in_memory = { 0, (short)(-i) };

	if (i % 2)
		PROBE(order, "0", "-4@%0 8@%1 -2@%2", "r"(i), "r"(item),
		      "m"(in_memory.amount));
	else
		PROBE(order, "0", "-4@%0 8@%1 -2@%2", "r"(i), "r"(item),
		      "m"(in_memory.amount));
}

static int pay(int i)
{
	/* volatile: the kernel changes it behind our back */
	if (!*(volatile unsigned short *)&shop_paid_semaphore)
		return 0;
	PROBE(paid, "shop_paid_semaphore", "-4@%0", "r"(i));
	return 1;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1, paid = 0, i;

	if (argc > 2)
		wait_for_line();
	for (i = 0; i < count; i++) {
		order(i, i % 2 ? "tea" : "coffee");
		PROBE(constant, "0", "-4@%0 8@%1", "n"(-5), "n"(7));
		paid += pay(i);
	}
	if (argc > 2)
		wait_for_line();
	printf("%d paid, semaphore %d\n", paid, shop_paid_semaphore);
	return 0;
}
