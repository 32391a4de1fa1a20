/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_folded.c - whatever bytes are read as folded stacks, frames are within their
 * line, and all of it is drawn, alone and compared with its own second half
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/message.h"
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

static void check_line(struct tl_folded_line *l, char *text, size_t len)
{
	const char *why = NULL;
	int ret = tl_folded_count(l, text, len, &why);

	must(ret == 1 || ret == 0 || (ret == -EINVAL && why));
	if (ret != 1)
		return;
	must(!tl_folded_split(l));
	check_frames(l, text, len);
}

/* A copy of each line, in memory of its length. */
static void check_lines(const char *data, size_t size)
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
		check_line(&l, text, len);
		free(text);
		data += len;
		size -= len;
	}
	free(l.frames);
}

/* As the tool does, with sums, fractions and messages. */
static void read_all(struct tl_flame *f, const uint8_t *data, size_t size)
{
	struct tl_buf said = { 0 }, *before = tl_message_keep(&said);
	struct tl_folded found = { 0 };
	FILE *file = size ? fmemopen((void *)data, size, "r") : NULL;

	must(!size || file);
	if (file) {
		must(!tl_folded_from(f, file, "in", size % 4 > 1, &found));
		fclose(file);
	}
	tl_message_keep(before);
	must(!found.bad || said.len);
	must(found.any == (f->root->total > 0));
	must(f->root->total <= INT64_MAX);
	tl_buf_free(&said);
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
	check_lines((const char *)data, size);
	read_all(f, data, size);
	read_all(old, data + size / 2, size - size / 2);
	tl_flame_look(f, &look);
	draw(f);
	tl_flame_compare(f, old, size % 2, &gone);
	must(gone.share >= 0 && gone.share <= 1);
	draw(f);
	tl_flame_free(f);
	tl_flame_free(old);
	return 0;
}
