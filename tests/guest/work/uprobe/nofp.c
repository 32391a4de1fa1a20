// SPDX-License-Identifier: GPL-2.0-or-later
/* nofp.c - a function whose caller is in no frame: there is not one */

void nofp_leaf(void);
void nofp_caller(void);

__attribute__((noipa)) void nofp_leaf(void)
{
	__asm__ volatile("");
}

__attribute__((noipa)) void nofp_caller(void)
{
#ifdef __x86_64__
	__asm__ volatile("xor %%ebp, %%ebp" : : : "rbp");
#endif
	nofp_leaf();
	__asm__ volatile("");
}

int main(void)
{
	nofp_caller();
	return 0;
}
