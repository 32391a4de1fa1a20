/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_fetch.c - any definition of a probe; what is fetched is one word */
#include <stdlib.h>
#include <string.h>

#include "../unit/sample_btf.h"
#include "probe/definition.h"
#include "probe/fetch.h"
#include "silent.h"

static void check(const struct tl_fetches *all)
{
	const struct tl_fetch *f;
	unsigned int i;

	if (all->count > TL_PROBE_ARGS)
		abort();
	for (i = 0; i < all->count; i++) {
		f = &all->list[i];
		if (!*f->name || strlen(f->name) >= TL_FETCH_NAME ||
		    strpbrk(f->name, " =:") || !*f->text)
			abort();
	}
}

static void fetch(const struct tl_definition *d, char what)
{
	static struct tl_fetches all;
	static const char *const names[] = { "use_thing", "by_value", "many",
					     "none" };
	struct tl_fetch_place place = {
		.name = names[what & 3],
		.is_return = d->type == 'r',
		.return_args = what & 4,
		.symbols = what & 8,
		.first = !!(what & 16),
	};
	unsigned int i;

	if (tl_btf_find_function(NULL, place.name, &place.proto))
		place.unknown = "it is not there";
	all.count = 0;
	for (i = 0; i < d->count; i++)
		if (tl_fetch_add(&all, &place, d->words[i]))
			break;
	check(&all);
}

static void prepare(void)
{
	static bool done;
	struct btf *btf = done ? NULL : sample_btf();

	if (btf)
		use_btf(btf);
	done = true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tl_definition d;
	struct tl_place place;
	char *text;

	prepare();
	if (!size)
		return 0;
	text = malloc(size);
	if (!text)
		return 0;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	tl_place_parse(&place, text);
	if (!tl_definition_parse(&d, text))
		fetch(&d, (char)data[0]);
	tl_definition_free(&d);
	free(text);
	return 0;
}
