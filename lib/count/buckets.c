// SPDX-License-Identifier: GPL-2.0-or-later
/* buckets.c - which buckets a histogram of numbers has, as a user asks for them */
#include "tracelet/buckets.h"

#include <inttypes.h>
#include <stdio.h>

#include "tracelet/hist.h"
#include "tracelet/message.h"

int tl_buckets_args(struct tl_buckets *b, unsigned int power, uint64_t max)
{
	if (b->list && b->max)
		return tl_usage("-m is for powers, not for -b");
	if (b->list)
		return tl_hist_points("-b", b->list, &b->points, &b->count);
	b->power = b->power ?: power;
	return tl_hist_powers(b->power, b->max ?: max, &b->points, &b->count);
}

void tl_buckets_text(const struct tl_buckets *b, char text[80])
{
	if (b->list)
		snprintf(text, 80, "specified buckets");
	else
		snprintf(text, 80, "power-of-%u, max %" PRId64, b->power,
			 b->points[b->count - 1]);
}

struct tl_hists_config tl_buckets_config(const struct tl_buckets *b)
{
	return (struct tl_hists_config){
		.points = b->points,
		.count = b->count,
		.unit = 1,
		.unit_name = "Range",
		.counted = "Count",
		.inclusive = true,
		.always = true,
	};
}
