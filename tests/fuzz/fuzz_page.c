/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_page.c - sub-buffers of any content; what is given must lie inside */
#include <stdlib.h>
#include <string.h>

#include "record/page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tl_page_layout layout = { 4096, 8, 8, 16 };
	struct tl_page page;
	struct tl_record e;
	char *copy;

	if (size > 4096)
		return 0;
	/* of its exact size, so that ASan sees a byte too many */
	copy = malloc(size + TL_PAGE_SLACK);
	memcpy(copy, data, size);
	tl_page_init(&page);
	if (!tl_page_load(&page, &layout, copy, size))
		while (tl_page_next(&page, &e) > 0)
			if (e.data < copy || e.data + e.size > copy + size)
				abort();
	free(copy);
	return 0;
}
