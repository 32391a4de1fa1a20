// SPDX-License-Identifier: GPL-2.0-or-later
/* cdecl.c - types of the kernel as C has them */
#include "kernel/cdecl.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "kernel/btfraw.h"
#include "option/suggest.h"
#include "tracelet/btf.h"
#include "tracelet/message.h"

#define COMMENTS 56 /* column */

static void add_body(struct tl_buf *b, struct tl_btf_type type,
		     unsigned int depth, uint32_t from);

/* A new text in place of *@text, which it is made from. */
static void __attribute__((format(printf, 2, 3)))
rewrite(char **text, const char *fmt, ...)
{
	char *old = *text;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(text, fmt, ap) < 0)
		*text = NULL;
	va_end(ap);
	free(old);
}

static void add_parameters(char **text, struct tl_btf_type proto)
{
	unsigned int i, n = btf_vlen(tl_btf_raw(proto));
	struct tl_btf_member m;
	char *one;

	rewrite(text, "%s(%s", *text ?: "", n ? "" : "void");
	for (i = 0; i < n; i++) {
		tl_btf_parameter(proto, i, &m);
		/* "..." is one without a type, and without a name */
		one = m.type.id || *m.name ? tl_decl(m.type, m.name) : NULL;
		rewrite(text, "%s%s%s", *text ?: "", i ? ", " : "",
			one ?: "...");
		free(one);
	}
	rewrite(text, "%s)", *text ?: "");
}

/* What words stand for a type that is not made of others. */
static const char *keyword(const struct btf_type *t)
{
	switch (btf_kind(t)) {
	case BTF_KIND_STRUCT:
		return "struct ";
	case BTF_KIND_UNION:
		return "union ";
	case BTF_KIND_ENUM:
	case TL_KIND_ENUM64:
		return "enum ";
	case BTF_KIND_FWD:
		return btf_kflag(t) ? "union " : "struct ";
	}
	return "";
}

static bool is_declarator(const struct btf_type *t)
{
	return t && (btf_kind(t) == BTF_KIND_ARRAY ||
		     btf_kind(t) == BTF_KIND_FUNC_PROTO);
}

/* Goes one step outwards from the name; false at the type it begins with. */
static bool step(char **text, char **before, struct tl_btf_type *type)
{
	const struct btf_type *t = tl_btf_raw(*type);
	const struct btf_type *next;
	const char *word;

	switch (t ? btf_kind(t) : BTF_KIND_UNKN) {
	case BTF_KIND_PTR:
		next = tl_btf_raw((struct tl_btf_type){ type->btf, t->type });
		rewrite(text, is_declarator(next) ? "(*%s)" : "*%s",
			*text ?: "");
		break;
	case BTF_KIND_ARRAY:
		rewrite(text, "%s[%u]", *text ?: "", btf_array(t)->nelems);
		type->id = btf_array(t)->type;
		return true;
	case BTF_KIND_FUNC_PROTO:
		add_parameters(text, *type);
		break;
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
		word = btf_kind(t) == BTF_KIND_CONST ? "const" : "volatile";
		next = tl_btf_raw((struct tl_btf_type){ type->btf, t->type });
		if (next && btf_kind(next) == BTF_KIND_PTR)
			rewrite(text, "%s %s", word, *text ?: "");
		else
			rewrite(before, "%s%s ", *before ?: "", word);
		break;
	case BTF_KIND_RESTRICT:
	case TL_KIND_TYPE_TAG:
		break;
	default:
		return false;
	}
	type->id = t->type;
	return true;
}

static char *declare(struct tl_btf_type type, const char *name,
		     unsigned int depth, uint32_t from)
{
	char *text = NULL, *before = NULL;
	struct tl_buf b = { 0 };
	const struct btf_type *t;
	const char *base;

	rewrite(&text, "%s", name);
	while (step(&text, &before, &type))
		;
	t = tl_btf_raw(type);
	base = t ? tl_btf_string(type, t->name_off) : "";
	if (!t || btf_kind(t) == BTF_KIND_UNKN)
		base = "void";
	tl_buf_printf(&b, "%s%s%s", before ?: "", t ? keyword(t) : "", base);
	if (!*base && t)
		add_body(&b, type, depth, from);
	if (text && *text)
		tl_buf_printf(&b, " %s", text);
	tl_buf_char(&b, '\0');
	free(text);
	free(before);
	if (b.failed)
		tl_buf_free(&b);
	return b.data;
}

char *tl_decl(struct tl_btf_type type, const char *name)
{
	return declare(type, name, 0, 0);
}

/* ---- members ---------------------------------------------------------- */

static void indent(struct tl_buf *b, unsigned int depth)
{
	while (depth--)
		tl_buf_str(b, "    ");
}

/* To where the comments begin; of several lines the last one counts. */
static void add_padded(struct tl_buf *b, const char *text, unsigned int depth)
{
	const char *last = strrchr(text, '\n');
	int room = last ? COMMENTS : COMMENTS - 4 * (int)depth;

	tl_buf_printf(b, "%.*s%-*s /* ", last ? (int)(last + 1 - text) : 0,
		      text, room, last ? last + 1 : text);
}

/* Offset and size, as far right as the declaration lets them be. */
static void add_member(struct tl_buf *b, struct tl_btf_type type,
		       unsigned int i, unsigned int depth, uint32_t from)
{
	struct tl_btf_member m;
	uint32_t bit;
	char *one;

	tl_btf_member(type, i, &m);
	bit = from + m.bit;
	one = declare(m.type, m.name, depth, bit);
	indent(b, depth);
	if (m.bits)
		rewrite(&one, "%s : %u", one ?: "", m.bits);
	rewrite(&one, "%s;", one ?: "");
	add_padded(b, one ?: "", depth);
	if (m.bits)
		tl_buf_printf(b, "%u:%u */\n", bit / 8, bit % 8);
	else
		tl_buf_printf(b, "%u %u */\n", bit / 8,
			      tl_btf_info(m.type).size);
	free(one);
}

static void add_enumerators(struct tl_buf *b, struct tl_btf_type type,
			    unsigned int depth)
{
	bool is_wide = btf_kind(tl_btf_raw(type)) == TL_KIND_ENUM64;
	bool is_signed = tl_btf_info(type).is_signed;
	struct tl_btf_value v;
	unsigned int i;

	for (i = 0; tl_btf_value(type, i, &v); i++) {
		indent(b, depth);
		tl_buf_printf(b, "%s = ", v.name);
		if (is_signed)
			tl_num_int(b, v.value);
		else
			tl_num_uint(b, is_wide ? (uint64_t)v.value
					       : (uint32_t)v.value);
		tl_buf_str(b, ",\n");
	}
}

static void add_body(struct tl_buf *b, struct tl_btf_type type,
		     unsigned int depth, uint32_t from)
{
	const struct btf_type *t = tl_btf_raw(type);
	unsigned int i;

	if (btf_kind(t) == BTF_KIND_ENUM || btf_kind(t) == TL_KIND_ENUM64) {
		tl_buf_str(b, "{\n");
		add_enumerators(b, type, depth + 1);
	} else if (btf_kind(t) == BTF_KIND_STRUCT ||
		   btf_kind(t) == BTF_KIND_UNION) {
		tl_buf_str(b, "{\n");
		for (i = 0; i < btf_vlen(t); i++)
			add_member(b, type, i, depth + 1, from);
	} else {
		return;
	}
	indent(b, depth);
	tl_buf_char(b, '}');
}

char *tl_decl_fields(struct tl_btf_type type)
{
	struct tl_btf_info info = tl_btf_info(type);
	const struct btf_type *t = tl_btf_raw(info.bare);
	struct tl_buf b = { 0 };

	if (!t)
		return NULL;
	tl_buf_printf(&b, "%s%s", keyword(t),
		      tl_btf_string(info.bare, t->name_off));
	if (t->name_off)
		tl_buf_char(&b, ' ');
	add_body(&b, info.bare, 0, 0);
	tl_buf_char(&b, ';');
	if (info.kind == TL_BTF_STRUCT)
		tl_buf_printf(&b, " /* size: %u */", info.size);
	tl_buf_char(&b, '\0');
	if (b.failed)
		tl_buf_free(&b);
	return b.data;
}

static void try_type(void *ctx, const char *name)
{
	tl_suggest_try(ctx, name);
}

char *tl_type_declare(const char *name)
{
	struct tl_suggestions near = { .name = name };
	const char *space = strchr(name, ' ');
	struct tl_btf_type type;
	int ret = tl_btf_find(name, &type);

	if (!ret)
		return tl_decl_fields(type);
	if (ret == -ENOENT) {
		near.name = space ? space + 1 : name;
		tl_warn("the kernel has no type %s", name);
		tl_btf_each_type(try_type, &near);
		tl_suggest_report(&near);
	} else {
		tl_warn("%s: %s", name, tl_btf_explain(ret));
	}
	errno = ret == -ENOENT ? ENOENT : ENOTSUP;
	return NULL;
}
