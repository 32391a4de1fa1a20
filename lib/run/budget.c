// SPDX-License-Identifier: GPL-2.0-or-later
/* budget.c - how much of a processor this process may take (--max-cpu) */
#include "run/budget.h"

#include <time.h>

#define NS_PER_SEC 1000000000ULL
#define MILLION    1000000ULL
#define SAVED_SECS 10
#define OWED_SECS  60

/* With what the kernel does for it, of all its threads. */
static uint64_t taken(void)
{
	struct timespec ts;

	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts))
		return 0;
	return (uint64_t)ts.tv_sec * NS_PER_SEC + (uint64_t)ts.tv_nsec;
}

static uint64_t share_of(const struct tl_budget *b, uint64_t ns)
{
	return ns / MILLION * b->share + ns % MILLION * b->share / MILLION;
}

void tl_budget_open(struct tl_budget *b, unsigned int millionths, uint64_t ns)
{
	*b = (struct tl_budget){ .share = millionths, .ns = ns };
	if (b->share)
		b->cpu = taken();
	b->saved = (int64_t)share_of(b, NS_PER_SEC);
}

bool tl_budget_is_spent(struct tl_budget *b, uint64_t ns)
{
	const int64_t most = (int64_t)share_of(b, SAVED_SECS * NS_PER_SEC);
	const int64_t least = -(int64_t)share_of(b, OWED_SECS * NS_PER_SEC);
	uint64_t cpu;

	if (!b->share)
		return false;
	cpu = taken();
	b->saved += (int64_t)share_of(b, ns - b->ns);
	if (b->saved > most)
		b->saved = most;
	b->saved -= (int64_t)(cpu - b->cpu);
	if (b->saved < least)
		b->saved = least;
	b->ns = ns;
	b->cpu = cpu;
	return b->saved < 0;
}

uint64_t tl_budget_again(const struct tl_budget *b)
{
	const int64_t second = (int64_t)share_of(b, NS_PER_SEC);

	if (b->saved >= second)
		return b->ns;
	return b->ns + (uint64_t)(second - b->saved) * MILLION / b->share;
}
