/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mixed - constants where the linker, and assembly, put them among the code
 *
 * Prints both, which are nowhere else in the file.
 */
#include <stdio.h>

const char apart[] = "constant apart";

extern const char among[];
__asm__(".text\n.balign 16\n.globl among\n.type among, %object\namong:\n"
	".ascii \"constant \"\nwithin: .asciz \"among code\"\n"
	".size among, . - among\n.balign 16\n");

int main(void)
{
	puts(apart);
	puts(among);
	return 0;
}
