// SPDX-License-Identifier: GPL-2.0-or-later
/* folded.c - folded stacks that somebody has written */
#include "picture/folded.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "picture/flame.h"
#include "tracelet/message.h"

#define MAX_LINE  (1u << 20)
#define SHOWN     60 /* bytes of a line that is none */
#define TOO_LARGE "the count behind the last blank is too large"
#define NO_COUNT  "there is no count behind the last blank"

/* ---- the count -------------------------------------------------------- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool take_digits(struct tl_str *text, uint64_t *number)
{
	size_t i = 0;

	for (*number = 0; i < text->len && is_digit(text->text[i]); i++)
		if (__builtin_mul_overflow(*number, 10, number) ||
		    __builtin_add_overflow(*number, text->text[i] - '0',
					   number))
			return false;
	*text = (struct tl_str){ text->text + i, text->len - i };
	return i;
}

/* Thousandths of ".25", rounded: up to all of a whole. */
static unsigned int take_fraction(struct tl_str *text)
{
	unsigned int parts = 0, i = 1;

	for (; i < text->len && is_digit(text->text[i]); i++)
		if (i <= 3)
			parts = parts * 10 +
				(unsigned int)(text->text[i] - '0');
		else if (i == 4)
			parts += text->text[i] >= '5';
	*text = (struct tl_str){ text->text + i, text->len - i };
	for (; i < 4; i++)
		parts *= 10;
	return parts;
}

static const char *take_count(struct tl_folded_line *l, struct tl_str text)
{
	const char *start = text.text;

	l->parts = 0;
	if (!take_digits(&text, &l->whole))
		return text.len && is_digit(*start) ? TOO_LARGE : NO_COUNT;
	if (text.len && *text.text == '.')
		l->parts = take_fraction(&text);
	if (text.len)
		return NO_COUNT;
	if (__builtin_add_overflow(l->whole, l->parts / TL_FOLDED_PARTS,
				   &l->whole))
		return TOO_LARGE;
	l->parts %= TL_FOLDED_PARTS;
	return NULL;
}

/* ---- names ------------------------------------------------------------ */

static int digit_of(char c)
{
	return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The byte that two digits stand for, -1: they are none. */
static int byte_of(const char *digits)
{
	const int high = digit_of(digits[0]), low = digit_of(digits[1]);

	return high >= 0 && low >= 0 ? high * 16 + low : -1;
}

/* What can be read is never escaped, but for what would end a frame. */
static bool is_escaped(int byte)
{
	return byte == ';' || (byte >= 0 && byte < ' ') || byte >= 0x7f;
}

/* How long the escape is that @text begins with; 0: it is none of ours. */
static size_t escape_of(const char *text, size_t len)
{
	if (len >= 2 && strchr("\\ntr", text[1]) && text[1])
		return 2;
	if (len >= 4 && text[1] == 'x' && is_escaped(byte_of(text + 2)))
		return 4;
	return 0;
}

/* Backslashes of others are no escapes: "App\Http\Kernel". */
static bool is_ours(const char *text, size_t len)
{
	size_t i = 0, step;
	bool any = false;

	for (; i < len; i += step) {
		step = text[i] == '\\' ? escape_of(text + i, len - i) : 1;
		any |= text[i] == '\\';
		if (!step)
			return false;
	}
	return any;
}

static size_t undo(char *text, size_t len)
{
	size_t from = 0, to = 0;

	while (from < len) {
		if (text[from] == '\\' && text[from + 1] == 'x') {
			text[to++] = (char)byte_of(text + from + 2);
			from += 4;
		} else if (text[from] == '\\' && text[from + 1] == '\\') {
			text[to++] = '\\';
			from += 2;
		} else {
			text[to++] = text[from++];
		}
	}
	return to;
}

/* ---- lines ------------------------------------------------------------ */

static int add_frame(struct tl_folded_line *l, struct tl_str frame)
{
	const unsigned int size = l->size ? 2 * l->size : 64;
	struct tl_str *more;

	if (l->depth == l->size) {
		more = size > l->size
			       ? reallocarray(l->frames, size, sizeof(*more))
			       : NULL;
		if (!more)
			return -ENOMEM;
		l->frames = more;
		l->size = size;
	}
	l->frames[l->depth++] = frame;
	return 0;
}

int tl_folded_split(struct tl_folded_line *l)
{
	char *text = l->stack, *semicolon = text;
	size_t len = l->len;
	const bool ours = is_ours(text, len);
	char *const end = text + len;
	int ret = 0;

	l->depth = 0;
	for (; !ret && semicolon; text = semicolon + 1) {
		semicolon = memchr(text, ';', (size_t)(end - text));
		len = (size_t)((semicolon ?: end) - text);
		ret = add_frame(l, (struct tl_str){ text, ours ? undo(text, len)
							       : len });
		if (!semicolon)
			break;
	}
	return ret;
}

static size_t trim(const char *text, size_t len)
{
	while (len && is_blank(text[len - 1]))
		len--;
	return len;
}

int tl_folded_count(struct tl_folded_line *l, char *text, size_t len,
		    const char **why)
{
	size_t at;

	for (len = trim(text, len); len && is_blank(*text); len--)
		text++;
	if (!len || *text == '#')
		return 0;
	for (at = len; at && !is_blank(text[at - 1]);)
		at--;
	*why = at ? take_count(l, (struct tl_str){ text + at, len - at })
		  : "there is no blank with a stack in front of it";
	if (*why)
		return -EINVAL;
	l->stack = text;
	l->len = trim(text, at);
	return 1;
}

/* ---- files ------------------------------------------------------------ */

struct input {
	struct tl_flame *f;
	struct tl_folded *found;
	struct tl_folded_line line;
	const char *name;
	bool is_reversed;
	uint64_t number; /* of the line */
	uint64_t stacks; /* of this file alone */
	uint64_t pairs;  /* of them, those with a number before the count */
};

static void reverse(struct tl_folded_line *l)
{
	struct tl_str *first = l->frames, *last = first + l->depth - 1, swap;

	for (; first < last; first++, last--) {
		swap = *first;
		*first = *last;
		*last = swap;
	}
}

/* From the first fraction on, what was whole so far is counted in parts too. */
static void divide(struct tl_flame *f)
{
	struct tl_flame_node *n = f->root;

	for (; n; n = tl_flame_next(n)) {
		n->self *= TL_FOLDED_PARTS;
		n->total *= TL_FOLDED_PARTS;
	}
	f->cut *= TL_FOLDED_PARTS;
	f->parts = TL_FOLDED_PARTS;
}

/*
 * The count as the flame graph has it; NULL, or why that cannot be: then nothing has
 * changed.
 */
static const char *amount_of(struct input *in, uint64_t *amount)
{
	const struct tl_folded_line *l = &in->line;
	const uint64_t parts = l->parts ? TL_FOLDED_PARTS : in->f->parts;
	uint64_t total = in->f->root->total;

	if (__builtin_mul_overflow(total, parts / in->f->parts, &total) ||
	    __builtin_mul_overflow(l->whole, parts, amount) ||
	    __builtin_add_overflow(*amount, l->parts, amount) ||
	    __builtin_add_overflow(total, *amount, &total) || total > INT64_MAX)
		return "all counts add up to too much";
	if (parts != in->f->parts)
		divide(in->f);
	return NULL;
}

static void tell(struct input *in, const char *why, struct tl_str line)
{
	const size_t len = trim(line.text, line.len);
	struct tl_buf shown = { 0 };

	if (in->found->bad++)
		return;
	tl_esc_text(&shown,
		    (struct tl_str){ line.text, len > SHOWN ? SHOWN : len });
	tl_warn("%s:%llu: no folded stack, %s: \"%.*s%s\"", in->name,
		(unsigned long long)in->number, why, (int)shown.len,
		shown.data ?: "", len > SHOWN ? ".." : "");
	tl_buf_free(&shown);
}

/* What tl_flame_name() cuts off. */
static bool is_annotated(const struct tl_folded_line *l)
{
	unsigned int i;

	for (i = 0; i < l->depth; i++)
		if (tl_flame_annotation(l->frames[i]))
			return true;
	return false;
}

/* As programs that compare profiles write it: "a;b 4 6". */
static bool has_two_counts(const struct tl_folded_line *l)
{
	size_t i = l->len;

	while (i && (is_digit(l->stack[i - 1]) || l->stack[i - 1] == '.'))
		i--;
	return i && i < l->len && is_blank(l->stack[i - 1]) &&
	       is_digit(l->stack[i]);
}

static int add_stack(struct input *in, uint64_t amount)
{
	struct tl_folded_line *l = &in->line;
	int ret;

	in->stacks++;
	in->pairs += has_two_counts(l);
	ret = tl_folded_split(l);
	if (ret)
		return ret;
	in->found->stacks++;
	in->found->any |= amount > 0;
	in->found->annotated = in->found->annotated || is_annotated(l);
	if (in->is_reversed)
		reverse(l);
	return tl_flame_add(in->f, l->frames, l->depth, amount);
}

/* All of it is judged before any of it is changed: it may have to be shown. */
static int add_line(struct input *in, char *text, size_t len)
{
	const char *why = NULL;
	uint64_t amount = 0;
	int ret = 0;

	if (len > MAX_LINE)
		why = "it is longer than 1 MiB";
	else
		ret = tl_folded_count(&in->line, text, len, &why);
	if (ret > 0)
		why = amount_of(in, &amount);
	if (why)
		tell(in, why, (struct tl_str){ text, len });
	return ret > 0 && !why ? add_stack(in, amount) : 0;
}

/* Some editors put it in front of all: it is of no name. */
static size_t mark_of(const struct input *in, const struct tl_buf *line)
{
	static const char mark[] = "\xef\xbb\xbf";
	const size_t len = sizeof(mark) - 1;

	return in->number == 1 && line->len >= len &&
			       !memcmp(line->data, mark, len)
		       ? len
		       : 0;
}

/* Of a line that is too long only so much is kept as tells that. */
static void keep(struct tl_buf *line, const char *text, size_t len)
{
	const size_t room = MAX_LINE + 1 - line->len;

	tl_buf_add(line, text, len < room ? len : room);
}

static int end_line(struct input *in, struct tl_buf *line)
{
	size_t skip;
	int ret;

	if (line->failed)
		return -ENOMEM;
	in->number++;
	skip = mark_of(in, line);
	ret = line->len ? add_line(in, line->data + skip, line->len - skip) : 0;
	line->len = 0;
	return ret;
}

static int add_block(struct input *in, struct tl_buf *line, const char *text,
		     size_t len)
{
	const char *newline;
	size_t part;
	int ret = 0;

	for (; len && !ret; text += part, len -= part) {
		newline = memchr(text, '\n', len);
		part = newline ? (size_t)(newline - text) + 1 : len;
		keep(line, text, part);
		if (newline)
			ret = end_line(in, line);
	}
	return ret;
}

static int read_lines(struct input *in, FILE *file)
{
	struct tl_buf line = { 0 };
	char block[16384];
	size_t len;
	int ret = 0;

	errno = 0;
	while (!ret && (len = fread(block, 1, sizeof(block), file)))
		ret = add_block(in, &line, block, len);
	if (!ret && ferror(file))
		ret = errno ? -errno : -EIO;
	if (!ret && line.len)
		ret = end_line(in, &line);
	tl_buf_free(&line);
	free(in->line.frames);
	return ret;
}

int tl_folded_from(struct tl_flame *f, FILE *file, const char *name,
		   bool is_reversed, struct tl_folded *found)
{
	struct input in = {
		.f = f, .found = found, .name = name, .is_reversed = is_reversed
	};
	int ret = read_lines(&in, file);

	if (ret)
		return tl_fail(-ret, "%s: %s", name, strerror(-ret));
	if (in.stacks && in.pairs == in.stacks)
		tl_warn("%s: all lines have two counts, of which the first one "
			"is taken for a part of the name (give both profiles, "
			"one with --diff)",
			name);
	return 0;
}

int tl_folded_read(struct tl_flame *f, const char *path, bool is_reversed,
		   struct tl_folded *found)
{
	const bool is_input = !strcmp(path, "-");
	FILE *file = is_input ? stdin : fopen(path, "re");
	int ret;

	if (!file)
		return tl_fail(errno, "%s: %s", path, strerror(errno));
	ret = tl_folded_from(f, file, is_input ? "standard input" : path,
			     is_reversed, found);
	if (!is_input)
		fclose(file);
	return ret;
}
