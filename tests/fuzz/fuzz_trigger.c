/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_trigger.c - any text of a hist file; entries lie within it */
#include <stdlib.h>
#include <string.h>

#include "trace/trigger.h"

struct bounds {
	const char *from, *to;
	unsigned int keys;
};

static int on_entry(void *ctx, const struct tl_trigger_entry *e)
{
	const struct bounds *b = ctx;
	unsigned int i;

	if (e->count != b->keys || e->values > TL_TRIGGER_VALUES)
		abort();
	for (i = 0; i < e->count; i++)
		if (e->keys[i].text < b->from || e->keys[i].text > b->to ||
		    e->keys[i].len > (size_t)(b->to - e->keys[i].text))
			abort();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tl_trigger_totals totals = { 0 };
	struct bounds b;
	char *text;

	if (!size)
		return 0;
	text = malloc(size);
	if (!text)
		return 0;
	b.keys = 1 + data[0] % TL_TRIGGER_KEYS;
	b.from = text;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	b.to = text + strlen(text);
	tl_trigger_parse(text, b.keys, on_entry, &b, &totals);
	free(text);
	return 0;
}
