/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_folded.c - whatever bytes are read as folded stacks, frames are within their
 * line, and all of it is drawn, alone and compared with its own second half
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "picture/flame.h"
#include "picture/folded.h"
#include "picture/origin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* One behind the other, and no longer than the line together. */
static void check_frames(const struct tl_folded_line *l, const char *text,
			 size_t len)
{
	const char *at = text;
	unsigned int i;

	must(l->depth > 0 && l->parts < TL_FOLDED_PARTS);
	for (i = 0; i < l->depth; i++) {
		must(l->frames[i].text >= at);
		at = l->frames[i].text + l->frames[i].len;
		must(at <= text + len);
	}
}

static void add_line(struct tl_flame *f, struct tl_folded_line *l, char *text,
		     size_t len)
{
	const char *why = NULL;
	int ret = tl_folded_take(l, text, len, &why);

	must(ret == 1 || ret == 0 || (ret == -EINVAL && why));
	if (ret != 1)
		return;
	check_frames(l, text, len);
	must(!tl_flame_add(f, l->frames, l->depth, l->whole));
}

/* A copy of each line, in memory of its length. */
static void add_lines(struct tl_flame *f, const char *data, size_t size)
{
	struct tl_folded_line l = { 0 };
	const char *end;
	char *text;
	size_t len;

	while (size) {
		end = memchr(data, '\n', size);
		len = end ? (size_t)(end - data) + 1 : size;
		text = malloc(len);
		must(text);
		memcpy(text, data, len);
		add_line(f, &l, text, len);
		free(text);
		data += len;
		size -= len;
	}
	free(l.frames);
}

static void draw(struct tl_flame *f)
{
	static const struct tl_origin origin;
	struct tl_buf b = { 0 };

	must(!tl_flame_drawn(f, "", &origin, &b));
	tl_buf_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct tl_flame_look look = { .palette = TL_FLAME_JAVA,
					    .unit = "samples",
					    .least = -1,
					    .annotated = true };
	struct tl_flame *f = tl_flame_open(NULL, NULL);
	struct tl_flame *old = tl_flame_open(NULL, NULL);
	struct tl_flame_gone gone;

	must(f && old);
	add_lines(f, (const char *)data, size);
	add_lines(old, (const char *)data + size / 2, size - size / 2);
	tl_flame_look(f, &look);
	draw(f);
	tl_flame_compare(f, old, size % 2, &gone);
	must(gone.share >= 0 && gone.share <= 1);
	draw(f);
	tl_flame_free(f);
	tl_flame_free(old);
	return 0;
}
