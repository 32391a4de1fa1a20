// SPDX-License-Identifier: GPL-2.0-or-later
/* ufetch.c - what probes in programs fetch, from what a user writes */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "elf/object.h"
#include "elf/usdt.h"
#include "probe/fetch.h"
#include "probe/probe.h"
#include "probe/udef.h"
#include "tracelet/message.h"
#include "tracelet/text.h"

/* Where the calling convention has integer and pointer arguments. */
#if defined(__x86_64__)
static const char *const registers[] = { "%di", "%si", "%dx",
					 "%cx", "%r8", "%r9" };
#define FIRST_ON_STACK 1 /* above the return address */
#elif defined(__aarch64__)
static const char *const registers[] = { "%x0", "%x1", "%x2", "%x3",
					 "%x4", "%x5", "%x6", "%x7" };
#define FIRST_ON_STACK 0
#elif defined(__riscv) && __riscv_xlen == 64
static const char *const registers[] = { "%a0", "%a1", "%a2", "%a3",
					 "%a4", "%a5", "%a6", "%a7" };
#define FIRST_ON_STACK 0
#else
static const char *const registers[] = { NULL };
#define FIRST_ON_STACK -1
#endif

/* An argument "[NAME=]EXPR[:TYPE]". */
struct fetch {
	struct tl_str name, expr, type; /* a name or type not given: no text */
};

static struct fetch split(struct tl_str word)
{
	struct fetch f = { .expr = word };
	const char *p = memchr(word.text, '=', word.len);

	if (p && !memchr(word.text, '(', p - word.text)) {
		f.name = (struct tl_str){ word.text, p - word.text };
		f.expr.len -= p + 1 - word.text;
		f.expr.text = p + 1;
	}
	p = memrchr(f.expr.text, ':', f.expr.len);
	if (p) {
		f.type.text = p + 1;
		f.type.len = f.expr.text + f.expr.len - f.type.text;
		f.expr.len = p - f.expr.text;
	}
	return f;
}

/* 12 for "$arg12" at the beginning of @text; *len is how long that is. */
static unsigned int arg_number(struct tl_str text, size_t *len)
{
	unsigned int n = 0;
	size_t i = strlen("$arg");

	if (text.len <= i || memcmp(text.text, "$arg", i))
		return 0;
	for (; i < text.len && isdigit(text.text[i]) && n < 1000; i++)
		n = n * 10 + (text.text[i] - '0');
	*len = i;
	return n;
}

static bool is_arg(struct tl_str text)
{
	size_t len;

	return arg_number(text, &len) && len == text.len;
}

/* What arguments are fetched from. */
struct source {
	const struct tl_object *object; /* NULL: one of this machine's */
	const struct tl_usdt *usdt;     /* NULL: a function */
	bool is_return;                 /* of it */
	bool inside;                    /* not where it begins */
};

static int usdt_place(const struct tl_usdt *u, unsigned int n,
		      struct tl_usdt_arg *arg)
{
	int ret = tl_usdt_arg(u, n, arg);

	if (ret == -ENOENT)
		return tl_fail(EINVAL, "$arg%u: probe %s:%s has not so many", n,
			       u->provider, u->name);
	if (ret)
		return tl_fail(EINVAL,
			       "$arg%u of probe %s:%s is in a place that the "
			       "kernel cannot fetch (%s)",
			       n, u->provider, u->name, u->args);
	return 0;
}

static int function_place(const struct source *from, unsigned int n,
			  struct tl_usdt_arg *arg)
{
	const unsigned int count = sizeof(registers) / sizeof(*registers);

	*arg->type = '\0';
	if (from->is_return)
		return tl_fail(EINVAL,
			       "$arg%u: when a function returns its arguments "
			       "are gone; there is $retval",
			       n);
	if (from->inside)
		return tl_fail(
			EINVAL,
			"$arg%u: known only where a function begins: "
			"name the register (%%REGISTER), or the place in "
			"memory (+OFFSET(%%REGISTER):u32)",
			n);
	/* a word on a 32-bit program's stack is not one of the kernel's */
	if (FIRST_ON_STACK < 0 ||
	    (from->object && !tl_object_is_native(from->object)))
		return tl_fail(EINVAL,
			       "$arg%u: not known for such a program: name the "
			       "register (%%REGISTER), or the place on the "
			       "stack (+OFFSET(%%sp):u32)",
			       n);
	if (n <= count)
		strcpy(arg->place, registers[n - 1]);
	else
		snprintf(arg->place, sizeof(arg->place), "$stack%u",
			 n - 1 - count + FIRST_ON_STACK);
	return 0;
}

/* Adds @text with each $argN replaced; *type becomes the last one's. */
static int add_expr(struct tl_buf *b, struct tl_str text,
		    const struct source *from, struct tl_usdt_arg *arg)
{
	unsigned int n;
	size_t i, len;
	int ret;

	for (i = 0; i < text.len; i += len) {
		n = arg_number((struct tl_str){ text.text + i, text.len - i },
			       &len);
		if (!n) {
			len = 1;
			tl_buf_char(b, text.text[i]);
			continue;
		}
		ret = from->usdt ? usdt_place(from->usdt, n, arg)
				 : function_place(from, n, arg);
		if (ret)
			return ret;
		tl_buf_str(b, arg->place);
	}
	return 0;
}

static bool is_type(const struct fetch *f, const char *type)
{
	return f->type.len == strlen(type) &&
	       !memcmp(f->type.text, type, f->type.len);
}

/* The kernel takes text only from memory: what a pointer points to. */
static bool points_to_text(const struct fetch *f)
{
	return (is_type(f, "string") || is_type(f, "ustring")) &&
	       (*f->expr.text == '%' ||
		(*f->expr.text == '$' &&
		 strncmp(f->expr.text, "$comm", strlen("$comm"))));
}

/*
 * @named: give $argN its own name, 1; those that repeat one have other numbers
 */
static int add_fetch(struct tl_buf *b, const struct fetch *f,
		     const struct source *from, unsigned int named)
{
	struct tl_usdt_arg arg = { "", "" };
	bool text = points_to_text(f);
	int ret;

	/* what some kernels say about BTF is of no use */
	if (!f->expr.len || !strchr("%$+-@\\", *f->expr.text))
		return tl_fail(EINVAL,
			       "\"%.*s\": not an argument: $arg1, $retval, "
			       "%%REGISTER, +OFFSET(...), @ADDRESS or the like",
			       (int)f->expr.len, f->expr.text);
	if (b->len)
		tl_buf_char(b, ' ');
	if (f->name.text)
		tl_buf_add(b, f->name.text, f->name.len);
	else if (named)
		tl_buf_add(b, f->expr.text + 1, f->expr.len - 1);
	if (!f->name.text && named > 1)
		tl_buf_printf(b, "_%u", named);
	if (f->name.text || named)
		tl_buf_char(b, '=');
	tl_buf_str(b, text ? "+0(" : "");
	ret = add_expr(b, f->expr, from, &arg);
	tl_buf_str(b, text ? ")" : "");
	if (f->type.text || (is_arg(f->expr) && *arg.type))
		tl_buf_char(b, ':');
	if (f->type.text)
		tl_buf_add(b, f->type.text, f->type.len);
	else if (is_arg(f->expr))
		tl_buf_str(b, arg.type);
	return ret;
}

static const char *next_word(const char *p, struct tl_str *word)
{
	p += strspn(p, " \t");
	word->text = p;
	word->len = strcspn(p, " \t");
	return p + word->len;
}

/*
 * The kernel calls what has no name arg1, arg2, ... by its place; $arg2 alone
 * should not become arg1, but its name could be another one's then.
 */
static bool all_args_named(const char *args)
{
	struct tl_str word;
	struct fetch f;

	while (args = next_word(args, &word), word.len) {
		f = split(word);
		if (!f.name.text && !is_arg(f.expr))
			return false;
	}
	return true;
}

static bool same(struct tl_str a, struct tl_str b)
{
	return a.len == b.len && !memcmp(a.text, b.text, a.len);
}

/* Which of those in @args that would be called arg1 this "$arg1" is: 1, 2... */
static unsigned int count_same(const char *args, const struct fetch *f)
{
	struct tl_str word, name = { f->expr.text + 1, f->expr.len - 1 };
	unsigned int count = 1;
	struct fetch other;
	bool before = true;

	while (args = next_word(args, &word), word.len) {
		other = split(word);
		before &= other.expr.text != f->expr.text;
		if (other.name.text ? same(other.name, name)
				    : before && same(other.expr, f->expr))
			count++;
	}
	return count;
}

static int check_name(struct tl_str word, const struct fetch *f)
{
	char name[TL_FETCH_NAME], text[128];

	if (f->name.len >= sizeof(name))
		return 0; /* longer than any, and than the kernel takes */
	snprintf(name, sizeof(name), "%.*s", (int)f->name.len,
		 f->name.text ?: "");
	snprintf(text, sizeof(text), "%.*s", (int)word.len, word.text);
	return tl_fetch_check_name(text, name);
}

static int add_all(struct tl_buf *b, const char *args,
		   const struct source *from)
{
	const char *const all = args;
	bool named = all_args_named(args);
	struct tl_str word;
	struct fetch f;
	int count = 0, ret = 0;

	while (!ret && (args = next_word(args, &word), word.len)) {
		f = split(word);
		ret = check_name(word, &f)
			      ?: add_fetch(b, &f, from,
					   named && !f.name.text &&
							   is_arg(f.expr)
						   ? count_same(all, &f)
						   : 0);
		if (!ret && ++count > TL_PROBE_ARGS)
			ret = tl_fail(E2BIG,
				      "a probe takes at most %d arguments",
				      TL_PROBE_ARGS);
	}
	return ret;
}

/* All that a static probe has. */
static char *fetch_usdt(const struct tl_usdt *u)
{
	char text[4096];
	int missing = tl_usdt_fetch(u, text, sizeof(text));

	if (missing < 0) {
		tl_fail(-missing, "static probe %s:%s has too many arguments",
			u->provider, u->name);
		errno = -missing;
		return NULL;
	}
	if (missing)
		tl_warn("static probe %s:%s: the kernel cannot fetch %d of its "
			"arguments (%s)",
			u->provider, u->name, missing, u->args);
	return strdup(text);
}

char *tl_udef_fetch(const struct tl_udef *d, const struct tl_object *o,
		    const struct tl_usdt *u)
{
	const struct source from = { o, u, d->type == 'r',
				     !u && d->symbol && d->offset };
	struct tl_buf b = { 0 };
	int ret;

	if (u && !*d->args)
		return fetch_usdt(u);
	ret = add_all(&b, d->args, &from);
	tl_buf_char(&b, '\0');
	if (!ret && !b.failed)
		return b.data;
	tl_buf_free(&b);
	errno = ret ? -ret : ENOMEM;
	return NULL;
}
