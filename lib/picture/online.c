// SPDX-License-Identifier: GPL-2.0-or-later
/* online.c - which processors are on line */
#include "picture/online.h"

#include <stdlib.h>
#include <string.h>

#include "option/parse.h"
#include "tracefs/file.h"
#include "tracelet/event.h"
#include "tracelet/session.h"

#define ONLINE "/sys/devices/system/cpu/online"

/* What is read is kept in the capture. */
void tl_online_keep(struct tl_session *s)
{
	free(tl_fs_read(tl_fs_machine(s), ONLINE, NULL));
}

static int each_of(struct tl_session *s, const struct tl_cpus *cpus,
		   int (*fn)(void *ctx, unsigned int cpu), void *ctx)
{
	unsigned int i, cpu;
	int ret = 0;

	for (i = 0; i < cpus->count; i++)
		for (cpu = cpus->list[i].first;
		     !ret && cpu <= cpus->list[i].last; cpu++)
			if (tl_cpu_matches(s, cpu))
				ret = fn(ctx, cpu);
	return ret;
}

int tl_online_each(struct tl_session *s, int (*fn)(void *ctx, unsigned int cpu),
		   void *ctx)
{
	char *text = tl_fs_read(tl_fs_machine(s), ONLINE, NULL);
	struct tl_cpus cpus = { 0 };
	int ret = 0;

	if (text) {
		text[strcspn(text, "\n")] = '\0';
		if (!tl_parse_cpus(text, &cpus))
			ret = each_of(s, &cpus, fn, ctx);
	}
	free(text);
	return ret;
}
