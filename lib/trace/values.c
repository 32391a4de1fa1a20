// SPDX-License-Identifier: GPL-2.0-or-later
/* values.c - values of fields and arguments, to count by */
#include "tracelet/values.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "base/part.h"
#include "kernel/kallsyms.h"
#include "probe/args.h"
#include "probe/probe.h"
#include "record/event.h"
#include "trace/line.h"
#include "trace/named.h"
#include "tracelet/message.h"
#include "tracelet/named.h"

struct values {
	struct tl_part part;
	char *const *asked;
	unsigned int count;
	bool number, is_open;
	char **names;          /* of each: what it is called */
	struct tl_named *list; /* of the key that was asked for last */
	struct tl_buf key, text;
};

/* A field of a tracepoint. */
struct one {
	struct tep_format_field *field;
	enum tl_kind kind;
};

/* Where an event has them. */
struct chosen {
	struct tl_event_part part;
	struct tl_field number;
	struct one of[]; /* of a probe there are none */
};

static const struct tl_event_part_ops chosen_ops = { .free = free };

static void free_values(void *part)
{
	struct values *v = part;
	unsigned int i;

	for (i = 0; v->names && i < v->count; i++)
		free(v->names[i]);
	free(v->names);
	free(v->list);
	tl_buf_free(&v->key);
	tl_buf_free(&v->text);
	free(v);
}

static const struct tl_part_ops values_ops = { .free = free_values };

static struct values *values(const struct tl_session *s)
{
	return tl_part_find(s, &values_ops);
}

/* ---- which ------------------------------------------------------------ */

/* Length of "NAME=" in front, or 0. */
static size_t given_name(const char *text)
{
	size_t len = 0;

	while (isalnum((unsigned char)text[len]) || text[len] == '_')
		len++;
	return len && text[len] == '=' ? len + 1 : 0;
}

/* "ret" of "ret=$retval", "file" of "file:%pD" */
static size_t name_length(const char *text)
{
	const size_t given = given_name(text);
	const char *colon = strrchr(text, ':');

	if (given)
		return given - 1;
	return colon ? (size_t)(colon - text) : strlen(text);
}

/* Blanks in parentheses are part of a value: "((struct sock *)x)->y". */
static bool is_several(const char *text)
{
	int depth = 0;

	for (; *text; text++) {
		depth += *text == '(';
		depth -= *text == ')';
		if (isspace((unsigned char)*text) && depth <= 0)
			return true;
	}
	return false;
}

static int check_value(const char *text)
{
	const char *value = text + given_name(text);

	if (!*value)
		return tl_usage("\"%s\": which value?", text);
	if (is_several(value))
		return tl_usage("\"%s\": one value in each argument", text);
	if (!strcmp(value, "$arg*"))
		return tl_usage("%s: name each value", text);
	return 0;
}

static bool are_alike(const char *a, const char *b)
{
	const size_t len = name_length(a);

	return len == name_length(b) && !memcmp(a, b, len);
}

int tl_values_check(char *const *names, unsigned int count)
{
	unsigned int i, k;

	for (i = 0; i < count; i++) {
		if (check_value(names[i]))
			return -EINVAL;
		for (k = 0; k < i; k++)
			if (are_alike(names[k], names[i]))
				return tl_usage(
					"two values are called %.*s: "
					"write NAME=%s",
					(int)name_length(names[i]), names[i],
					names[i] + given_name(names[i]));
	}
	return 0;
}

int tl_values_open(struct tl_session *s, char *const *names, unsigned int count,
		   bool number)
{
	struct values *v = tl_part_new(s, &values_ops, sizeof(*v));
	unsigned int i;

	if (!v)
		return -ENOMEM;
	v->asked = names;
	v->number = number;
	v->list = calloc(count, sizeof(*v->list));
	v->names = calloc(count, sizeof(*v->names));
	if (!v->list || !v->names)
		return -ENOMEM;
	v->count = count;
	for (i = 0; i < count; i++) {
		v->names[i] = strndup(names[i], name_length(names[i]));
		if (!v->names[i])
			return -ENOMEM;
		v->list[i].name = v->names[i];
	}
	return 0;
}

/* What shows fields other than text and numbers needs the events. */
static int open_lines(struct tl_session *s, struct values *v)
{
	if (v->is_open)
		return 0;
	v->is_open = true;
	return tl_line_open(s, false);
}

static int find_field(struct tl_session *s, struct values *v,
		      struct tl_event *ev, const char *text, struct one *one)
{
	const char *name = text + given_name(text);

	one->field = tl_event_named_field(ev, name);
	if (!one->field)
		return -ENOENT;
	one->kind = tl_event_kind(ev, one->field);
	return tl_event_is_written(one->field) ? open_lines(s, v) : 0;
}

static int find_fields(struct tl_session *s, struct values *v,
		       struct tl_event *ev, struct chosen *c)
{
	unsigned int i;
	int ret = tl_event_kinds(ev);

	for (i = 0; i < v->count && !ret; i++)
		ret = find_field(s, v, ev, v->asked[i], &c->of[i]);
	return ret;
}

static int find_args(struct tl_session *s, const struct values *v,
		     struct tl_event *ev)
{
	int ret = tl_args_find(s, ev);

	if (!ret && tl_args_of(ev)->count == v->count)
		return v->number ? 0 : tl_symbols_try(s);
	return ret
		       ?: tl_fail(EINVAL,
				  "%s: not as many arguments as were asked for",
				  ev->title);
}

static int find_number(struct tl_session *s, const struct values *v,
		       struct tl_event *ev, struct chosen *c)
{
	const char *name = *v->asked + given_name(*v->asked);

	if (tl_args_of(ev))
		name = tl_args_name(ev, 0);
	return tl_event_numeric_field(s, ev, name, &c->number);
}

/* "prev_pid:u64" */
static int refuse_type(const struct values *v, const struct tl_event *ev)
{
	const char *name;
	unsigned int i;

	for (i = 0; i < v->count; i++) {
		name = v->asked[i] + given_name(v->asked[i]);
		if (strchr(name, ':') && !tl_probe_of(ev))
			return tl_fail(EINVAL,
				       "%s: types are for probes: a field of "
				       "%s:%s has its own",
				       name, ev->system, ev->name);
	}
	return 0;
}

int tl_values_of(struct tl_session *s, struct tl_event *ev)
{
	struct values *v = values(s);
	struct chosen *c = calloc(1, sizeof(*c) + v->count * sizeof(*c->of));
	int ret = c ? refuse_type(v, ev) : -ENOMEM;

	if (!c)
		return ret;
	tl_event_part_add(ev, &chosen_ops, c);
	if (ret)
		return ret;
	if (tl_probe_of(ev))
		ret = find_args(s, v, ev);
	else if (!v->number)
		ret = find_fields(s, v, ev, c);
	if (!ret && v->number)
		ret = find_number(s, v, ev, c);
	return ret;
}

static void say_names(const struct tl_event *ev, unsigned int count)
{
	struct tl_buf b = { 0 };
	unsigned int i;

	for (i = 0; i < count; i++)
		tl_buf_printf(&b, " %s", tl_args_name(ev, i));
	tl_warn("what its filter can have:%.*s", (int)b.len, b.data ?: "");
	tl_buf_free(&b);
}

int tl_values_filter(struct tl_session *s, struct tl_event *ev,
		     const char *filter)
{
	int ret = tl_event_filter_asked(s, ev, filter);

	if (ret && ret != -ENOMEM && ret != -E2BIG && tl_args_of(ev))
		say_names(ev, values(s)->count);
	return ret;
}

/* ---- of a record ------------------------------------------------------ */

bool tl_values_number(const struct tl_session *s, const struct tl_record *r,
		      uint64_t *number, bool *is_signed)
{
	const struct chosen *c = tl_event_part_find(r->event, &chosen_ops);

	if (tl_args_of(r->event) && !tl_args_is_read(r, 0))
		return false;
	*number = (uint64_t)tl_field_num(r, &c->number);
	*is_signed = c->number.is_signed;
	return true;
}

/* A value in a key: its type, or UNKNOWN; then its number, or its length and its text. */
#define UNKNOWN '?'

static void add_text(struct tl_buf *b, struct tl_str str)
{
	const uint32_t len = (uint32_t)str.len;

	tl_buf_char(b, TL_STR);
	tl_buf_add(b, (const char *)&len, sizeof(len));
	tl_buf_add(b, str.text, len);
}

static void add_element(struct tl_buf *b, const struct tl_value *v)
{
	if (!v->known)
		tl_buf_str(b, "(fault)");
	else if (v->type == TL_STR)
		tl_buf_add(b, v->str.text, v->str.len);
	else if (v->type == TL_INT)
		tl_num_int(b, v->num);
	else if (v->type == TL_ADDRESS)
		tl_num_hex_unsigned(b, (uint64_t)v->num);
	else
		tl_num_uint(b, (uint64_t)v->num);
}

/* As the kernel shows an array: "{1,2}". */
static struct tl_str list_text(struct tl_buf *b, const struct tl_value *v)
{
	size_t i;

	b->len = 0;
	for (i = 0; i < v->count; i++) {
		tl_buf_char(b, i ? ',' : '{');
		add_element(b, &v->list[i].value);
	}
	tl_buf_char(b, '}');
	return tl_buf_text(b);
}

static bool add_value(struct values *all, const struct tl_value *v)
{
	struct tl_buf *b = &all->key;

	if (!v->known) {
		tl_buf_char(b, UNKNOWN);
	} else if (v->type == TL_STR) {
		add_text(b, v->str);
	} else if (v->type == TL_ARGV) {
		add_text(b, list_text(&all->text, v));
		b->failed |= all->text.failed;
	} else {
		/* 3 looks the same with a sign and without */
		tl_buf_char(b, v->type == TL_INT && v->num >= 0
				       ? TL_UINT
				       : (char)v->type);
		tl_buf_add(b, (const char *)&v->num, sizeof(v->num));
	}
	return v->known;
}

static bool add_args(struct tl_session *s, struct values *all,
		     const struct tl_record *r)
{
	const struct tl_named *list = tl_args_values(s, r);
	bool known = true;
	unsigned int i;

	for (i = 0; i < all->count; i++)
		known &= add_value(all, &list[i].value);
	return known;
}

static bool add_fields(struct tl_session *s, struct values *all,
		       const struct tl_record *r)
{
	const struct chosen *c = tl_event_part_find(r->event, &chosen_ops);
	struct tl_value v;
	bool known = true;
	unsigned int i;

	for (i = 0; i < all->count; i++) {
		v = tl_event_value(s, r, c->of[i].field, c->of[i].kind);
		known &= add_value(all, &v);
	}
	return known;
}

struct tl_str tl_values_key(struct tl_session *s, const struct tl_record *r,
			    bool *known)
{
	struct values *v = values(s);

	v->key.len = 0;
	v->key.failed = v->text.failed = false;
	*known = tl_args_of(r->event) ? add_args(s, v, r) : add_fields(s, v, r);
	if (v->key.failed)
		return (struct tl_str){ 0 };
	return tl_buf_text(&v->key);
}

/* ---- from a key ------------------------------------------------------- */

static const char *read_value(const char *at, struct tl_value *v)
{
	const char type = *at++;
	uint32_t len;

	*v = (struct tl_value){ .known = type != UNKNOWN, .type = TL_STR };
	if (type == UNKNOWN)
		return at;
	v->type = (enum tl_type)type;
	if (type != TL_STR) {
		memcpy(&v->num, at, sizeof(v->num));
		return at + sizeof(v->num);
	}
	memcpy(&len, at, sizeof(len));
	v->str = (struct tl_str){ at + sizeof(len), len };
	return at + sizeof(len) + len;
}

const struct tl_named *tl_values_list(struct tl_session *s, struct tl_str key)
{
	struct values *v = values(s);
	const char *at = key.text;
	unsigned int i;

	for (i = 0; i < v->count; i++)
		at = read_value(at, &v->list[i].value);
	return v->list;
}
