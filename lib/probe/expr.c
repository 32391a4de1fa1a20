// SPDX-License-Identifier: GPL-2.0-or-later
/* expr.c - what C expressions over a function's arguments are in a probe */
#include "probe/expr.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/cdecl.h"
#include "option/suggest.h"
#include "tracelet/message.h"

#define DEPTH_MAX 16 /* of what the kernel follows, and of parentheses */

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Length of the name that begins at @text; it does not begin with a digit. */
size_t tl_expr_name(const char *text)
{
	size_t n = 0;

	if (isdigit((unsigned char)*text))
		return 0;
	while (in_name(text[n]))
		n++;
	return n;
}

/* A longer one is cut, as the kernel would refuse it. */
static void set_value_name(struct tl_expr *v, const char *name)
{
	snprintf(v->name, sizeof(v->name), "%.*s", (int)sizeof(v->name) - 1,
		 name);
}

int tl_expr_too_long(const struct tl_expr_input *p)
{
	return tl_fail(ENAMETOOLONG,
		       "%s: more pointers on the way than the kernel follows "
		       "in a probe",
		       p->arg);
}

/* ---- steps ------------------------------------------------------------ */

int tl_expr_text(const struct tl_expr_input *p, const struct tl_expr *v,
		 char text[TL_FETCH_TEXT])
{
	int n;

	if (v->in_memory)
		n = snprintf(text, TL_FETCH_TEXT, "+%s%ld(%s)",
			     v->is_user ? "u" : "", v->offset, v->base);
	else
		n = snprintf(text, TL_FETCH_TEXT, "%s", v->base);
	return n < TL_FETCH_TEXT ? 0 : tl_expr_too_long(p);
}

/* Whether @v is a pointer, and to what. */
static bool points_to(const struct tl_expr *v, struct tl_btf_type *target)
{
	struct tl_btf_info info = tl_btf_info(v->type);

	*target = v->is_cast ? v->target : info.inner;
	return v->is_cast || info.kind == TL_BTF_POINTER;
}

/* Follows pointer @v, to the element @index behind it. */
static int follow(const struct tl_expr_input *p, struct tl_expr *v, long index)
{
	bool is_user = tl_btf_info(v->type).is_user;
	struct tl_btf_type target;
	char text[TL_FETCH_TEXT];

	if (tl_expr_text(p, v, text))
		return -ENAMETOOLONG;
	points_to(v, &target);
	snprintf(v->base, sizeof(v->base), "%s", text);
	v->type = target;
	v->offset = index * (long)(tl_btf_info(target).size ?: 1);
	v->in_memory = true;
	v->is_user = is_user;
	v->is_cast = false;
	v->bits = 0;
	return 0;
}

int tl_expr_no_pointer(const struct tl_expr_input *p, const struct tl_expr *v)
{
	char *type;

	if (!v->type.btf)
		return tl_fail(
			EINVAL,
			"%s: the type of %s is not known: cast it, as in "
			"((struct file *)$arg1)->f_flags",
			p->arg, *v->name ? v->name : v->base);
	type = tl_decl(v->type, v->name);
	tl_warn("%s: not a pointer: %s", p->arg, type ?: v->name);
	free(type);
	return -EINVAL;
}

int tl_expr_print_member(void *ctx, const char *name)
{
	unsigned int *left = ctx;

	if (!*left)
		return 1;
	tl_warn("    %s", name);
	return !--*left;
}

static int say_no_member(const struct tl_expr_input *p, struct tl_btf_type type,
			 const char *name)
{
	struct tl_suggestions near = { .name = name };
	unsigned int left = 40;
	char *decl = tl_decl(tl_btf_info(type).bare, "");

	tl_warn("%s: %s has no member %s", p->arg, decl ?: "", name);
	tl_btf_each_member(type, tl_suggest_try, &near);
	if (!tl_suggest_report(&near)) {
		tl_warn("%s has:", decl ?: "it");
		tl_btf_each_member(type, tl_expr_print_member, &left);
		if (!left)
			tl_warn("    ... (see --fields '%s')", decl ?: "");
	}
	free(decl);
	return -ENOENT;
}

/*
 * A structure of a register's size is in one; then the kernel can tell its
 * beginning only.
 */
static int take_member(const struct tl_expr_input *p, struct tl_expr *v,
		       const struct tl_btf_member *m)
{
	if (v->in_memory) {
		v->offset += m->bits ? 0 : m->bit / 8;
		v->bit = m->bit;
		v->bits = m->bits;
	} else if (m->bit || m->bits ||
		   __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__) {
		return tl_fail(ENOTSUP,
			       "%s: %s is passed in a register, of which a "
			       "probe gets the beginning only",
			       p->arg, v->name);
	}
	v->type = m->type;
	return 0;
}

int tl_expr_member(struct tl_expr_input *p, struct tl_expr *v)
{
	size_t len = tl_expr_name(p->at);
	struct tl_btf_type target;
	struct tl_btf_info info;
	struct tl_btf_member m;
	char name[128];

	if (!len || len >= sizeof(name))
		return tl_fail(EINVAL,
			       "%s: a member's name is missing before \"%s\"",
			       p->arg, p->at);
	snprintf(name, sizeof(name), "%.*s", (int)len, p->at);
	p->at += len;
	if (points_to(v, &target) && follow(p, v, 0))
		return -ENAMETOOLONG;
	info = tl_btf_info(v->type);
	if (!v->type.btf)
		return tl_expr_no_pointer(p, v);
	if (info.kind != TL_BTF_STRUCT) {
		char *decl = tl_decl(v->type, v->name);

		tl_warn("%s: not a structure: %s", p->arg, decl ?: v->name);
		free(decl);
		return -EINVAL;
	}
	if (tl_btf_find_member(info.bare, name, &m))
		return say_no_member(p, info.bare, name);
	if (take_member(p, v, &m))
		return -ENOTSUP;
	set_value_name(v, name);
	return 0;
}

static int element(struct tl_expr_input *p, struct tl_expr *v)
{
	struct tl_btf_info info = tl_btf_info(v->type);
	struct tl_btf_type target;
	char *end;
	long n = strtol(p->at, &end, 0);

	if (end == p->at || *end != ']' || n > 1 << 20 || n < -(1 << 20))
		return tl_fail(
			EINVAL,
			"%s: \"%s\" does not begin with a number and \"]\"",
			p->arg, p->at);
	p->at = end + 1;
	if (points_to(v, &target))
		return follow(p, v, n);
	if (info.kind != TL_BTF_ARRAY || !v->in_memory)
		return tl_expr_no_pointer(p, v);
	if (n < 0 || (info.count && n >= info.count))
		return tl_fail(EINVAL, "%s: %s has %u elements", p->arg,
			       v->name, info.count);
	v->offset += n * (long)tl_btf_info(info.inner).size;
	v->type = info.inner;
	return 0;
}

/* ---- what an expression begins with ----------------------------------- */

/* Arguments that this machine's kernel finds; others read as 0 or worse. */
static unsigned int arguments_max(void)
{
#if defined(__x86_64__)
	return TL_PROBE_ARGS; /* those on the stack as well */
#elif defined(__s390x__)
	return 5;
#elif defined(__arm__)
	return 4;
#else
	return 8;
#endif
}

/* Values larger than a register, and unknown ones, may take none, one, or more. */
static bool moves_others(struct tl_btf_type type)
{
	struct tl_btf_info info = tl_btf_info(type);

	return info.size > sizeof(long) ||
	       (info.kind == TL_BTF_STRUCT && !info.size) ||
	       info.kind == TL_BTF_UNKNOWN;
}

bool tl_expr_has_argument(unsigned int n)
{
	return n <= arguments_max();
}

static int check_number(const struct tl_expr_input *p, unsigned int n)
{
	if (p->place->inside)
		return tl_fail(EINVAL,
			       "%s: arguments are known at the entry of %s "
			       "only, not inside",
			       p->arg, p->place->name);
	if (p->place->is_return && !p->place->return_args)
		return tl_fail(ENOTSUP,
			       "%s: at return this kernel has $retval only and "
			       "no arguments (6.9 and later do); trace the "
			       "entry too, with p:",
			       p->arg);
	if (!tl_expr_has_argument(n))
		return tl_fail(ENOTSUP,
			       "%s: kernels of this architecture tell the "
			       "first %u arguments only",
			       p->arg, arguments_max());
	return 0;
}

static int take_argument(const struct tl_expr_input *p, unsigned int i,
			 struct tl_expr *v)
{
	const struct tl_fetch_place *place = p->place;
	struct tl_btf_member m = { .name = "" };
	unsigned int j;

	if (moves_others(tl_btf_returned(place->proto)) &&
	    tl_btf_info(tl_btf_returned(place->proto)).kind == TL_BTF_STRUCT)
		return tl_fail(ENOTSUP,
			       "%s: %s returns a structure, so where its "
			       "arguments are is not known; use registers",
			       p->arg, place->name);
	for (j = place->first; j <= i; j++) {
		tl_btf_parameter(place->proto, j, &m);
		if (moves_others(m.type))
			return tl_fail(ENOTSUP,
				       "%s: argument %s of %s is passed by "
				       "value, so where it and those behind it "
				       "are is not known; use registers",
				       p->arg, m.name, place->name);
	}
	v->type = m.type;
	snprintf(v->base, sizeof(v->base), "$arg%u", i - place->first + 1);
	set_value_name(v, *m.name ? m.name : v->base + 1);
	return check_number(p, i - place->first + 1);
}

int tl_expr_parameter(const struct tl_fetch_place *place, const char *name)
{
	unsigned int i, n = tl_btf_parameters(place->proto);
	struct tl_btf_member m;

	for (i = place->first; i < n; i++) {
		tl_btf_parameter(place->proto, i, &m);
		if (*name && !strcmp(m.name, name))
			return (int)i;
	}
	return -ENOENT;
}

int tl_expr_no_argument(const struct tl_expr_input *p, const char *name)
{
	const struct tl_fetch_place *place = p->place;
	struct tl_suggestions near = { .name = name };
	struct tl_btf_member m;
	unsigned int i, n = tl_btf_parameters(place->proto);
	char *decl;

	if (!place->proto.btf)
		return tl_fail(place->unknown ? ENOTSUP : ENOENT,
			       "%s: arguments of %s are not known by name: %s",
			       p->arg, place->name,
			       place->unknown ?: "it is not in the BTF");
	tl_warn("%s: %s has no argument %s", p->arg, place->name, name);
	for (i = place->first; i < n; i++) {
		tl_btf_parameter(place->proto, i, &m);
		tl_suggest_try(&near, m.name);
	}
	if (!tl_suggest_report(&near)) {
		decl = tl_decl(place->proto, place->name);
		tl_warn("it is %s", decl ?: "");
		free(decl);
	}
	return -ENOENT;
}

static int take_retval(const struct tl_expr_input *p, struct tl_expr *v)
{
	const struct tl_fetch_place *place = p->place;
	struct tl_btf_info info;

	if (!place->is_return)
		return tl_fail(EINVAL,
			       "%s: $retval is known at return only: r:%s",
			       p->arg, place->name);
	v->type = tl_btf_returned(place->proto);
	info = tl_btf_info(v->type);
	if (info.kind == TL_BTF_VOID && v->type.btf)
		return tl_fail(EINVAL, "%s: %s returns nothing (void)", p->arg,
			       place->name);
	if (info.kind == TL_BTF_STRUCT)
		return tl_fail(ENOTSUP,
			       "%s: %s returns a structure, which is not in "
			       "$retval",
			       p->arg, place->name);
	snprintf(v->base, sizeof(v->base), "$retval");
	return 0;
}

/* $argN and $retval; other variables have no type, and are not read here. */
static int variable(struct tl_expr_input *p, const char *name,
		    struct tl_expr *v)
{
	char *end = (char *)name;
	unsigned long n;

	if (!strcmp(name, "retval"))
		return take_retval(p, v);
	n = strncmp(name, "arg", 3) ? 0 : strtoul(name + 3, &end, 10);
	if (!n || *end || n > TL_PROBE_ARGS)
		return tl_fail(EINVAL, "%s: there is no $%s", p->arg, name);
	if (n <= tl_btf_parameters(p->place->proto) - p->place->first &&
	    p->place->proto.btf)
		return take_argument(p, p->place->first + n - 1, v);
	if (p->place->proto.btf)
		return tl_fail(EINVAL, "%s: %s has %u arguments", p->arg,
			       p->place->name,
			       tl_btf_parameters(p->place->proto) -
				       p->place->first);
	snprintf(v->base, sizeof(v->base), "$arg%lu", n);
	set_value_name(v, v->base + 1);
	return check_number(p, n);
}

static int primary(struct tl_expr_input *p, struct tl_expr *v)
{
	bool is_variable = *p->at == '$';
	size_t len = tl_expr_name(p->at + is_variable);
	char name[128];
	int i, ret;

	if (*p->at == '(') {
		p->at++;
		ret = tl_expr_parse(p, v);
		if (!ret && *p->at != ')')
			ret = tl_fail(EINVAL,
				      "%s: \")\" is missing before "
				      "\"%s\"",
				      p->arg, p->at);
		p->at += !ret;
		return ret;
	}
	if (!len || len >= sizeof(name))
		return tl_fail(EINVAL, "%s: a name is missing before \"%s\"",
			       p->arg, p->at);
	snprintf(name, sizeof(name), "%.*s", (int)len, p->at + is_variable);
	p->at += is_variable + len;
	if (is_variable)
		return variable(p, name, v);
	i = tl_expr_parameter(p->place, name);
	return i < 0 ? tl_expr_no_argument(p, name) : take_argument(p, i, v);
}

static int postfix(struct tl_expr_input *p, struct tl_expr *v)
{
	int ret = primary(p, v);

	while (!ret) {
		if (p->at[0] == '-' && p->at[1] == '>') {
			p->at += 2;
			ret = tl_expr_member(p, v);
		} else if (*p->at == '.') {
			p->at++;
			ret = tl_expr_member(p, v);
		} else if (*p->at == '[') {
			p->at++;
			ret = element(p, v);
		} else {
			break;
		}
	}
	return ret;
}

/* ---- casts ------------------------------------------------------------ */

static bool is_cast(const char *at)
{
	size_t len = *at == '(' ? tl_expr_name(at + 1) : 0;
	const char *end = len ? strchr(at, ')') : NULL;

	return end && end[-1] == '*' && strchr(" *", at[1 + len]);
}

/* (struct NAME *): all that a cast is for here. */
static int cast(struct tl_expr_input *p, struct tl_expr *v)
{
	const char *name = p->at + 1, *end = strchr(p->at, ')');
	struct tl_btf_type target;
	enum tl_btf_kind kind;
	char text[128];
	size_t len = end - name - 1;
	int ret;

	while (len && name[len - 1] == ' ')
		len--;
	if (!len || len >= sizeof(text) || memchr(name, '*', len))
		return tl_fail(EINVAL,
			       "%s: casts are to a pointer to a "
			       "structure, as (struct sock *)",
			       p->arg);
	snprintf(text, sizeof(text), "%.*s", (int)len, name);
	p->at = end + 1;
	ret = tl_expr_parse(p, v);
	if (ret)
		return ret;
	kind = tl_btf_info(v->type).kind;
	if (v->bits || kind == TL_BTF_STRUCT || kind == TL_BTF_ARRAY)
		return tl_expr_no_pointer(p, v);
	ret = tl_btf_find(text, &target);
	if (ret == -ENOENT)
		return tl_fail(ENOENT, "%s: the kernel has no type %s", p->arg,
			       text);
	if (ret)
		return tl_fail(ENOTSUP, "%s: %s", p->arg, tl_btf_explain(ret));
	v->is_cast = true;
	v->target = target;
	return 0;
}

static int star(struct tl_expr_input *p, struct tl_expr *v)
{
	struct tl_btf_type target;
	int ret;

	p->at++;
	ret = tl_expr_parse(p, v);
	if (ret)
		return ret;
	if (!points_to(v, &target))
		return tl_expr_no_pointer(p, v);
	return follow(p, v, 0);
}

int tl_expr_parse(struct tl_expr_input *p, struct tl_expr *v)
{
	int ret;

	if (p->depth++ >= DEPTH_MAX)
		return tl_expr_too_long(p);
	if (is_cast(p->at))
		ret = cast(p, v);
	else if (*p->at == '*')
		ret = star(p, v);
	else
		ret = postfix(p, v);
	p->depth--;
	return ret;
}
