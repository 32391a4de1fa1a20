/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_pagequeue.c - sub-buffers that wait, by stream and by time */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capture/pagequeue.h"

static void add(struct tl_pagequeue *p, unsigned int stream, uint64_t ns,
		size_t len)
{
	char data[64] = { 0 };

	memcpy(data, &ns, sizeof(ns));
	assert_int_equal(tl_pagequeue_add(p, stream, data, len), 0);
}

static void by_time(void **state)
{
	static const struct {
		unsigned int stream;
		uint64_t ns;
	} want[] = { { 2, 5 }, { 0, 10 }, { 0, 20 }, { 2, 30 }, { 0, 40 } };
	struct tl_kept_page *page;
	struct tl_pagequeue p;
	unsigned int i;

	(void)state;
	assert_int_equal(tl_pagequeue_open(&p, 3), 0);
	assert_int_equal(tl_pagequeue_oldest(&p), 3);
	assert_null(tl_pagequeue_take(&p, 1));
	add(&p, 0, 10, 8);
	add(&p, 0, 20, 64);
	add(&p, 2, 5, 16);
	add(&p, 2, 30, 16);
	add(&p, 0, 40, 16);
	assert_int_equal(p.size, 120);
	for (i = 0; i < 5; i++) {
		assert_int_equal(tl_pagequeue_oldest(&p), want[i].stream);
		page = tl_pagequeue_take(&p, want[i].stream);
		assert_non_null(page);
		assert_int_equal(page->ns, want[i].ns);
		free(page);
	}
	assert_int_equal(p.size, 0);
	assert_int_equal(tl_pagequeue_oldest(&p), 3);
	tl_pagequeue_close(&p);
}

/* With what waits; and one that was never opened. */
static void closed(void **state)
{
	struct tl_pagequeue p, none = { 0 };

	(void)state;
	assert_int_equal(tl_pagequeue_open(&p, 1), 0);
	add(&p, 0, 1, 8);
	tl_pagequeue_close(&p);
	tl_pagequeue_close(&none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_time),
		cmocka_unit_test(closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
