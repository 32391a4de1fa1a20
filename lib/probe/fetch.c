// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fetch.c - fetch arguments of probes, by the names that C has for them
 *
 * The kernel takes such names itself from 6.6 on, but in fewer forms.  They are
 * translated here on all kernels, so that the same text means the same.
 */
#include "probe/fetch.h"

#include <ctype.h>
#include <errno.h>
#include <linux/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "kernel/cdecl.h"
#include "probe/expr.h"
#include "tracelet/message.h"
#include "tracelet/text.h"

#define ARRAY_MAX 64 /* elements that the kernel fetches */

/* Length of "NAME=" in front, or 0. */
static size_t given_name(const char *arg)
{
	size_t len = tl_expr_name(arg);

	return len && arg[len] == '=' ? len + 1 : 0;
}

/* ---- types ------------------------------------------------------------ */

static int set_text(const struct tl_expr_input *p, struct tl_fetch *f,
		    const char *text, const char *type)
{
	int n = snprintf(f->text, sizeof(f->text), "%s%s%s", text,
			 *type ? ":" : "", type);

	return n < (int)sizeof(f->text) ? 0 : tl_expr_too_long(p);
}

/*
 * In an aligned container of its own size or larger, as the kernel takes only
 * those that hold all of it.
 */
static int fetch_bits(const struct tl_expr_input *p, const struct tl_expr *v,
		      struct tl_fetch *f)
{
	char text[TL_FETCH_TEXT], type[32];
	uint32_t size, from, at;

	for (size = 8; size < 64; size *= 2)
		if (v->bit / size == (v->bit + v->bits - 1) / size)
			break;
	from = v->bit / size * size;
	at = v->bit - from;
	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		at = size - at - v->bits;
	if (snprintf(text, sizeof(text), "+%s%ld(%s)", v->is_user ? "u" : "",
		     v->offset + from / 8, v->base) >= (int)sizeof(text))
		return tl_expr_too_long(p);
	snprintf(type, sizeof(type), "b%u@%u/%u", v->bits, at, size);
	return set_text(p, f, text, type);
}

/* A text that is where the value points to, or is the value. */
static int fetch_string(const struct tl_expr_input *p, const struct tl_expr *v,
			struct tl_fetch *f, const char *type)
{
	struct tl_expr text = *v;
	char way[TL_FETCH_TEXT];
	int ret;

	if (!v->in_memory || tl_btf_info(v->type).kind != TL_BTF_ARRAY) {
		ret = tl_expr_text(p, v, text.base);
		if (ret)
			return ret;
		text.offset = 0;
		text.in_memory = true;
		text.is_user = tl_btf_info(v->type).is_user;
	}
	return tl_expr_text(p, &text, way) ?: set_text(p, f, way, type);
}

static const char *number_type(const struct tl_btf_info *info, char *text,
			       size_t size)
{
	char letter = info->kind == TL_BTF_POINTER ? 'x'
		      : info->is_signed            ? 's'
						   : 'u';

	snprintf(text, size, "%c%u", letter, info->size * 8);
	return text;
}

static bool is_number(const struct tl_btf_info *info)
{
	return (info->kind == TL_BTF_INT || info->kind == TL_BTF_ENUM ||
		info->kind == TL_BTF_POINTER) &&
	       (info->size == 1 || info->size == 2 || info->size == 4 ||
		info->size == 8);
}

static int too_many(const struct tl_expr_input *p, const struct tl_expr *v,
		    unsigned int count, unsigned int max)
{
	return tl_fail(EINVAL,
		       "%s: an array of %u elements; a probe fetches up to "
		       "%u: name one, as in %s[0]",
		       p->arg, count, max, v->name);
}

/* A name for bytes has to fit, with what says that it is of such. */
static bool has_room_for_bytes(const struct tl_expr_input *p,
			       const struct tl_expr *v)
{
	size_t given = given_name(p->arg);

	return strlen(TL_FETCH_BYTES) + (given ? given - 1 : strlen(v->name)) <
	       TL_FETCH_NAME;
}

/* Fetches @count bytes, as the fewest numbers that make up just so many. */
static int fetch_bytes(const struct tl_expr_input *p, const struct tl_expr *v,
		       unsigned int count, struct tl_fetch *f)
{
	unsigned int size = sizeof(uint64_t);
	char text[TL_FETCH_TEXT], type[32];
	int ret;

	while (count % size)
		size /= 2;
	if (!count || count / size > ARRAY_MAX)
		return too_many(p, v, count, ARRAY_MAX * size);
	f->is_bytes = true;
	snprintf(type, sizeof(type), "x%u[%u]", size * 8, count / size);
	ret = tl_expr_text(p, v, text);
	return ret ?: set_text(p, f, text, type);
}

static int fetch_array(const struct tl_expr_input *p, const struct tl_expr *v,
		       const struct tl_btf_info *array, struct tl_fetch *f)
{
	struct tl_btf_info info = tl_btf_info(array->inner);
	char text[TL_FETCH_TEXT], number[16], type[32];
	int ret;

	if (info.is_char)
		return fetch_string(p, v, f, "string");
	if (info.is_byte && has_room_for_bytes(p, v))
		return fetch_bytes(p, v, array->count, f);
	if (!is_number(&info))
		return tl_fail(EINVAL,
			       "%s: an array whose elements are not "
			       "numbers: name one, as in %s[0]",
			       p->arg, v->name);
	if (!array->count || array->count > ARRAY_MAX)
		return too_many(p, v, array->count, ARRAY_MAX);
	snprintf(type, sizeof(type), "%s[%u]",
		 number_type(&info, number, sizeof(number)), array->count);
	ret = tl_expr_text(p, v, text);
	return ret ?: set_text(p, f, text, type);
}

static int say_members(const struct tl_expr_input *p, struct tl_btf_type type)
{
	unsigned int left = 40;
	char *decl = tl_decl(type, "");

	tl_warn("%s: a whole %s; say which of its members:", p->arg,
		decl && strlen(decl) < 64 ? decl : "structure");
	tl_btf_each_member(type, tl_expr_print_member, &left);
	if (!left)
		tl_warn("    ... (see --fields '%s')", decl ?: "");
	free(decl);
	return -EINVAL;
}

static bool ends_with(const char *name, const char *word)
{
	size_t len = strlen(name), end = strlen(word);

	return len >= end && !strcmp(name + len - end, word);
}

/*
 * Whether @name is that of the number of bytes that @text has.  The size behind a
 * name or a path is another thing's, as in truncate(); its own length is "len".
 */
static bool is_length_of(const char *text, const char *name)
{
	static const char *const words[] = { "cnt", "count", "bytes", "size",
					     "length" };
	unsigned int i;

	if (ends_with(name, "len"))
		return true;
	if (strstr(text, "name") || strstr(text, "path") ||
	    strstr(text, "prop"))
		return false;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (ends_with(name, words[i]))
			return true;
	return !strcmp(name, "n");
}

/* A loff_t is a place in a file, or how long that is. */
static bool counts_bytes(struct tl_btf_type type)
{
	struct tl_btf_info info = tl_btf_info(type);
	const struct btf_type *t = tl_btf_raw(type);

	return info.kind == TL_BTF_INT && info.size >= 4 &&
	       info.size <= sizeof(long) &&
	       strcmp(tl_btf_string(type, t->name_off), "loff_t") != 0;
}

/* In its register, as the function was given it. */
static bool is_argument(const struct tl_expr *v)
{
	return !v->in_memory && !strncmp(v->base, "$arg", 4);
}

/*
 * The argument of the kernel's that says how many bytes argument @v has, 0: there
 * is none; @m becomes its parameter.
 */
static unsigned int find_length(const struct tl_fetch_place *place,
				const struct tl_expr *v,
				struct tl_btf_member *m)
{
	unsigned int n = tl_btf_parameters(place->proto), i = place->first;
	struct tl_btf_member text;

	if (!is_argument(v) || v->is_cast)
		return 0;
	i += (unsigned int)strtoul(v->base + 4, NULL, 10); /* the next one */
	if (i >= n || !tl_expr_has_argument(i - place->first + 1))
		return 0;
	tl_btf_parameter(place->proto, i - 1, &text);
	tl_btf_parameter(place->proto, i, m);
	return counts_bytes(m->type) && is_length_of(text.name, m->name)
		       ? i - place->first + 1
		       : 0;
}

/*
 * What points to nothing but room for a text that is to come; at return it has
 * come, but where there is a length, the text need not be as long.
 */
static bool is_to_fill(const struct tl_expr_input *p, const struct tl_expr *v,
		       const struct tl_btf_info *inner)
{
	struct tl_btf_member m;

	if (inner->is_const || !is_argument(v) || p->place->first)
		return false;
	return !p->place->is_return || find_length(p->place, v, &m);
}

static int fetch_pointer(const struct tl_expr_input *p, const struct tl_expr *v,
			 const struct tl_btf_info *info, struct tl_fetch *f)
{
	struct tl_btf_info inner = tl_btf_info(info->inner);
	char text[TL_FETCH_TEXT], type[16];
	int ret;

	if (p->place->numbers)
		return tl_fail(EINVAL, "%s: %s is a pointer, and no number",
			       p->arg, v->name);
	if (inner.is_char && inner.kind == TL_BTF_INT &&
	    !is_to_fill(p, v, &inner))
		return fetch_string(p, v, f, "string");
	ret = tl_expr_text(p, v, text);
	if (ret)
		return ret;
	if (inner.kind == TL_BTF_FUNCTION && p->place->symbols)
		return set_text(p, f, text, "symbol");
	return set_text(p, f, text, number_type(info, type, sizeof(type)));
}

static int fetch_number(const struct tl_expr_input *p, const struct tl_expr *v,
			const struct tl_btf_info *info, struct tl_fetch *f)
{
	char text[TL_FETCH_TEXT], type[16];
	int ret;

	f->show = info->is_bool               ? TL_FETCH_BOOL
		  : info->kind == TL_BTF_ENUM ? TL_FETCH_ENUM
					      : TL_FETCH_AS_IS;
	f->type = info->bare;
	if (v->bits)
		return fetch_bits(p, v, f);
	if (!is_number(info))
		return tl_fail(ENOTSUP,
			       "%s: a probe cannot fetch a number of "
			       "%u bytes",
			       p->arg, info->size);
	ret = tl_expr_text(p, v, text);
	return ret
		       ?: set_text(p, f, text,
				   number_type(info, type, sizeof(type)));
}

static int fetch_by_type(const struct tl_expr_input *p, const struct tl_expr *v,
			 struct tl_fetch *f)
{
	struct tl_btf_info info = tl_btf_info(v->type);
	char text[TL_FETCH_TEXT];

	if (v->is_cast && tl_btf_info(v->target).is_char)
		return fetch_string(p, v, f, "string");
	if (!v->type.btf || v->is_cast)
		return tl_expr_text(p, v, text) ?: set_text(p, f, text, "");
	switch (info.kind) {
	case TL_BTF_INT:
	case TL_BTF_ENUM:
		return fetch_number(p, v, &info, f);
	case TL_BTF_POINTER:
		return fetch_pointer(p, v, &info, f);
	case TL_BTF_ARRAY:
		return fetch_array(p, v, &info, f);
	case TL_BTF_STRUCT:
		return say_members(p, info.bare);
	default:
		return tl_fail(EINVAL,
			       "%s: not of a type that a probe can "
			       "fetch",
			       p->arg);
	}
}

/* ---- types that were asked for ---------------------------------------- */

static int walk(struct tl_expr_input *p, struct tl_expr *v, const char *type,
		const char *way)
{
	struct tl_btf_type target;
	int ret = tl_btf_find(type, &target);

	if (ret)
		return tl_fail(ENOTSUP, "%s: %s", p->arg, tl_btf_explain(ret));
	/* whatever it is declared as: a void * will do */
	v->is_cast = true;
	v->target = target;
	for (; !ret && *way; way = *p->at ? p->at + 1 : p->at) {
		p->at = way;
		ret = tl_expr_member(p, v);
	}
	return ret;
}

/* Names of a dentry and of a file: the kernel has these types from 6.9 on. */
static int fetch_path(struct tl_expr_input *p, struct tl_expr *v, char what,
		      struct tl_fetch *f)
{
	char name[TL_FETCH_NAME];
	int ret;

	if (v->type.btf && !v->is_cast &&
	    tl_btf_info(v->type).kind != TL_BTF_POINTER)
		return tl_expr_no_pointer(p, v);
	memcpy(name, v->name, sizeof(name));
	ret = what == 'D' ? walk(p, v, "struct file", "f_path.dentry") : 0;
	if (!ret)
		ret = walk(p, v, "struct dentry", "d_name.name");
	memcpy(v->name, name, sizeof(name));
	return ret ?: fetch_string(p, v, f, "string");
}

static bool is_string(const char *type)
{
	return !strcmp(type, "string") || !strcmp(type, "ustring");
}

static int fetch_as(struct tl_expr_input *p, struct tl_expr *v,
		    const char *type, struct tl_fetch *f)
{
	struct tl_btf_info info = tl_btf_info(v->type);
	char text[TL_FETCH_TEXT];

	if (!strcmp(type, "%pd") || !strcmp(type, "%pD"))
		return fetch_path(p, v, type[2], f);
	if (is_string(type) && info.kind != TL_BTF_STRUCT &&
	    (v->is_cast || info.kind != TL_BTF_INT ||
	     info.size == sizeof(long)))
		return fetch_string(p, v, f, type);
	if (is_string(type))
		return tl_fail(EINVAL, "%s: neither a pointer nor a text",
			       p->arg);
	if (v->bits)
		return tl_fail(EINVAL,
			       "%s: a bit field, which has its own "
			       "type: leave out \":%s\"",
			       p->arg, type);
	return tl_expr_text(p, v, text) ?: set_text(p, f, text, type);
}

/* ---- an argument ------------------------------------------------------ */

/* An argument in the kernel's syntax: register, memory, symbol, number. */
static bool is_raw(const char *text)
{
	if (*text == '$')
		return strncmp(text, "$arg", 4) && strncmp(text, "$retval", 7);
	return !*text || strchr("%+-@\\", *text);
}

static int fetch_named(struct tl_expr_input *p, const char *text,
		       struct tl_expr *v, struct tl_fetch *f)
{
	const char *colon = strchrnul(text, ':');
	int ret;

	p->at = text;
	ret = tl_expr_parse(p, v);
	if (ret)
		return ret;
	if (p->at != colon)
		return tl_fail(EINVAL, "%s: \"%s\" is not understood", p->arg,
			       p->at);
	if (!*colon)
		return fetch_by_type(p, v, f);
	if (!colon[1])
		return tl_fail(EINVAL, "%s: a type is missing behind \":\"",
			       p->arg);
	return fetch_as(p, v, colon + 1, f);
}

/* Behind the digits that @text begins with; NULL: there are none. */
static const char *skip_digits(const char *text)
{
	size_t len = strspn(text, "0123456789");

	return len ? text + len : NULL;
}

unsigned int tl_fetch_pointer_span(const char *name, bool *is_user)
{
	const char *span = name + strlen(TL_FETCH_AT), *end;

	if (!tl_has_prefix(name, TL_FETCH_AT))
		return 0;
	*is_user = tl_has_prefix(name, TL_FETCH_AT_USER);
	if (*is_user)
		span = name + strlen(TL_FETCH_AT_USER);
	end = skip_digits(span);
	if (!end || *end != '_')
		return 0;
	end = skip_digits(end + 1);
	return end && !*end ? (unsigned int)strtoul(span, NULL, 10) : 0;
}

static bool is_own(const char *name)
{
	bool is_user;

	return tl_has_prefix(name, TL_FETCH_LENGTH) ||
	       tl_has_prefix(name, TL_FETCH_CUT) ||
	       tl_has_prefix(name, TL_FETCH_BYTES) ||
	       tl_fetch_pointer_span(name, &is_user);
}

int tl_fetch_check_name(const char *arg, const char *name)
{
	return is_own(name) ? tl_fail(EINVAL,
				      "%s: tracelets themselves use the name "
				      "%s: choose another",
				      arg, name)
			    : 0;
}

static bool is_taken(const struct tl_fetches *all, const char *name)
{
	unsigned int i;

	for (i = 0; i < all->count; i++)
		if (!strcmp(all->list[i].name, name))
			return true;
	return tl_has_prefix(name, "common_") ||
	       tl_has_prefix(name, "__probe_") || is_own(name) || !*name;
}

/* The name as it is, if it can be, else with a number behind it. */
static void set_name(const struct tl_fetches *all, struct tl_fetch *f,
		     const char *name)
{
	unsigned int n;

	snprintf(f->name, sizeof(f->name), "%s", name);
	for (n = 2; is_taken(all, f->name); n++)
		snprintf(f->name, sizeof(f->name), "%s%.24s_%u",
			 isalpha((unsigned char)*name) &&
					 strncmp(name, "common_", 7)
				 ? ""
				 : "arg_",
			 name, n);
}

static int add_all(struct tl_fetches *all, const struct tl_fetch_place *place)
{
	unsigned int i, n = tl_btf_parameters(place->proto);
	struct tl_expr_input p = { .place = place, .arg = "$arg*" };
	char text[16];
	int ret = 0;

	if (!place->proto.btf)
		return tl_expr_no_argument(&p, "$arg*");
	for (i = place->first; i < n && !ret; i++) {
		snprintf(text, sizeof(text), "$arg%u", i - place->first + 1);
		ret = tl_fetch_add(all, place, text);
	}
	return ret;
}

static int too_many_arguments(const char *arg)
{
	return tl_fail(E2BIG, "%s: more than %d arguments to fetch", arg,
		       TL_PROBE_ARGS);
}

/* Where a number of bytes comes behind the bytes, as in write(). */
static int add_length(struct tl_fetches *all,
		      const struct tl_fetch_place *place, const char *arg,
		      const struct tl_expr *v)
{
	struct tl_btf_member m;
	unsigned int n = find_length(place, v, &m);
	struct tl_fetch *f;

	if (!n)
		return 0;
	all->list[all->count - 1].may_not_end = true;
	if (all->count == TL_PROBE_ARGS)
		return too_many_arguments(arg);
	f = &all->list[all->count];
	*f = (struct tl_fetch){ .show = TL_FETCH_AS_IS };
	snprintf(f->name, sizeof(f->name), TL_FETCH_LENGTH "%u", all->count);
	snprintf(f->text, sizeof(f->text), "$arg%u:u%u", n,
		 tl_btf_info(m.type).size * 8);
	all->count++;
	return 0;
}

static bool is_text(const struct tl_fetch *f)
{
	const char *colon = strrchr(f->text, ':');

	return colon && is_string(colon + 1);
}

/* An argument that the user calls a text: it may have no NUL. */
static bool is_said_to_be(const struct tl_fetch *f, const char *arg,
			  const struct tl_expr *v)
{
	struct tl_btf_info info = tl_btf_info(v->type);

	if (!is_text(f) || !strchr(arg, ':'))
		return false;
	return !v->type.btf || v->is_cast || info.kind != TL_BTF_POINTER ||
	       !tl_btf_info(info.inner).is_char ||
	       !tl_btf_info(info.inner).is_const;
}

void tl_fetch_print(const struct tl_fetch *f, struct tl_buf *b)
{
	tl_buf_printf(b, "%s%s=%s", f->is_bytes ? TL_FETCH_BYTES : "", f->name,
		      f->text);
}

bool tl_fetch_add_cut(const struct tl_fetch *f, struct tl_buf *b)
{
	const char *colon = strrchr(f->text, ':'), *at = f->text;
	bool is_register = *at == '%';

	if (!is_text(f) || !strchr("+-%", *at) ||
	    strlen(TL_FETCH_CUT) + strlen(f->name) >= TL_FETCH_NAME)
		return false;
	tl_buf_printf(b, TL_FETCH_CUT "%s=%s", f->name,
		      is_register ? "+0(" : "");
	/* the kernel takes no array of what is said to be a program's */
	if (at[1] == 'u') {
		tl_buf_char(b, *at);
		at += 2;
	}
	tl_buf_add(b, at, (size_t)(colon - at));
	tl_buf_printf(b, "%s:" TL_FETCH_CUT_TYPE, is_register ? ")" : "");
	return true;
}

/* ---- pointers on the way ---------------------------------------------- */

/* What it is read through: "$arg1" of "+8($arg1):u64"; false: nothing. */
static bool get_pointer(struct tl_str *way)
{
	const char *open, *close;

	if (!way->len || !strchr("+-", *way->text))
		return false;
	open = memchr(way->text, '(', way->len);
	close = memrchr(way->text, ')', way->len);
	if (!open || !close || close < open)
		return false;
	*way = (struct tl_str){ open + 1, (size_t)(close - open - 1) };
	return true;
}

/* Of a text, records tell whether it could be read: args.c. */
static bool is_string_fetch(struct tl_str word)
{
	const char *colon = memrchr(word.text, ':', word.len);
	size_t len = colon ? (size_t)(word.text + word.len - colon) : 0;

	return colon && memmem(colon, len, "str", strlen("str"));
}

/* Arguments as the kernel takes them, with the pointers that they are read through. */
struct ways {
	struct tl_buf text;
	bool is_user;
	unsigned int args, pointers;
	/* of how many of the last arguments these are the same, and not added yet */
	unsigned int run;
	struct tl_str way; /* what is in the outermost parentheses */
	bool in_program;
};

static bool is_in_program(const struct ways *w, struct tl_str way)
{
	return w->is_user || (way.len > 1 && way.text[1] == 'u');
}

static void end_run(struct ways *w)
{
	bool in_program = w->in_program;
	struct tl_str way = w->way;

	while (w->run) {
		tl_buf_printf(&w->text, " %s%u_%u=%.*s",
			      in_program ? TL_FETCH_AT_USER : TL_FETCH_AT,
			      w->run, ++w->pointers, (int)way.len, way.text);
		in_program = is_in_program(w, way);
		if (!get_pointer(&way))
			w->run = 0;
	}
}

static struct tl_str expression(struct tl_str word)
{
	const char *equals = memchr(word.text, '=', word.len);
	size_t skip = equals ? (size_t)(equals + 1 - word.text) : 0;

	return (struct tl_str){ word.text + skip, word.len - skip };
}

static void add_with_pointers(struct ways *w, struct tl_str word)
{
	struct tl_str way = expression(word);
	const bool in_program = is_in_program(w, way);
	const bool is_through = !is_string_fetch(way) && get_pointer(&way);

	if (!is_through || in_program != w->in_program ||
	    way.len != w->way.len || memcmp(way.text, w->way.text, way.len))
		end_run(w);
	tl_buf_str(&w->text, w->text.len ? " " : "");
	tl_buf_add(&w->text, word.text, word.len);
	w->args++;
	if (!is_through)
		return;
	w->way = way;
	w->in_program = in_program;
	w->run++;
}

char *tl_fetch_pointers(const char *args, bool is_user)
{
	struct ways w = { .is_user = is_user, .way.text = "" };
	struct tl_str word;

	for (args += strspn(args, " "); *args; args += strspn(args, " ")) {
		word = (struct tl_str){ args, strcspn(args, " ") };
		add_with_pointers(&w, word);
		args += word.len;
	}
	end_run(&w);
	tl_buf_char(&w.text, '\0');
	if (!w.text.failed && w.args + w.pointers <= TL_PROBE_ARGS)
		return w.text.data;
	errno = w.text.failed ? ENOMEM : E2BIG;
	tl_buf_free(&w.text);
	return NULL;
}

int tl_fetch_pointers_failed(const char *place, int err)
{
	return err == E2BIG
		       ? tl_fail(E2BIG,
				 "%s: more than the %d values that a probe "
				 "fetches, with the pointers that lead to "
				 "them: those that the same pointers lead "
				 "to have to follow each other",
				 place, TL_PROBE_ARGS)
		       : -err;
}

/* ---- any argument ----------------------------------------------------- */

static int translate(struct tl_expr_input *p, struct tl_fetches *all,
		     size_t skip)
{
	struct tl_fetch *f = &all->list[all->count];
	struct tl_expr v = { .name = "" };
	char name[TL_FETCH_NAME];
	int ret;

	memset(f, 0, sizeof(*f));
	if (skip) {
		snprintf(name, sizeof(name), "%.*s", (int)skip - 1, p->arg);
		ret = tl_fetch_check_name(p->arg, name);
		if (ret)
			return ret;
		if (is_taken(all, name))
			return tl_fail(EINVAL,
				       "%s: %s is the name of another field",
				       p->arg, name);
	}
	if (is_raw(p->arg + skip))
		ret = set_text(p, f, p->arg + skip, "");
	else
		ret = fetch_named(p, p->arg + skip, &v, f);
	if (ret)
		return ret;
	/* as the kernel does where there is no other name */
	if (!skip && *v.name)
		memcpy(name, v.name, sizeof(name));
	else if (!skip)
		snprintf(name, sizeof(name), "arg%u", all->count + 1);
	set_name(all, f, name);
	f->may_not_end = is_said_to_be(f, p->arg, &v);
	all->count++;
	return is_text(f) ? add_length(all, p->place, p->arg, &v) : 0;
}

int tl_fetch_add(struct tl_fetches *all, const struct tl_fetch_place *place,
		 const char *arg)
{
	struct tl_expr_input p = { .place = place, .arg = arg };
	size_t skip = given_name(arg);

	if (!strcmp(arg, "$arg*"))
		return add_all(all, place);
	if (all->count == TL_PROBE_ARGS)
		return too_many_arguments(arg);
	if (!arg[skip])
		return tl_fail(EINVAL, "%s: nothing behind \"=\"", arg);
	if (skip > TL_FETCH_NAME)
		return tl_fail(EINVAL, "%s: a name of more than %d letters",
			       arg, TL_FETCH_NAME - 1);
	return translate(&p, all, skip);
}

bool tl_fetch_has_type(const char *arg)
{
	return !is_raw(arg + given_name(arg));
}

bool tl_fetch_root(const char *arg, char *name, size_t size)
{
	size_t len;

	arg += given_name(arg);
	if (is_raw(arg))
		return false;
	arg += strspn(arg, "*(");
	len = tl_expr_name(arg);
	if (len >= size || *arg == '$')
		return false;
	snprintf(name, size, "%.*s", (int)len, arg);
	return len;
}

bool tl_fetch_names(struct tl_btf_type proto, const char *name)
{
	struct tl_fetch_place place = { .proto = proto };

	return tl_expr_parameter(&place, name) >= 0;
}
