/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_format.c - the text of events/header_page, and fields of records */
#include <stdlib.h>
#include <string.h>

#include "record/page.h"
#include "tracelet/event.h"
#include "tracelet/text.h"

static void use_layout(const char *text)
{
	struct tl_page_layout layout;

	if (tl_page_layout(text, &layout))
		return;
	if (layout.commit + layout.commit_size > layout.data ||
	    layout.data > layout.size)
		abort();
}

static void use_field(const uint8_t *data, size_t size)
{
	struct tl_record r = { .data = (const char *)data + 8,
			       .size = size - 8 };
	struct tl_field f;
	struct tl_str str;

	memcpy(&f.offset, data, 2);
	memcpy(&f.size, data + 2, 2);
	f.is_signed = data[4] & 1;
	f.where = data[5] % 3;
	if (f.where)
		f.size = 4;
	tl_field_num(&r, &f);
	str = tl_field_str(&r, &f);
	if (str.len &&
	    (str.text < r.data || str.text + str.len > r.data + r.size))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	memcpy(text, data, size);
	text[size] = '\0';
	use_layout(text);
	free(text);
	if (size >= 8)
		use_field(data, size);
	return 0;
}
