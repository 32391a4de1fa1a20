// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * args.c - arguments of a probe, shown as the kernel shows them
 *
 * How, the print fmt of its format says:
 *   "(%lx) fd=%d name=\"%s\" b={0x%x,0x%x}", REC->__probe_ip, REC->fd, ...
 * libtraceevent would parse that again for each record, and prints addresses
 * where the kernel prints symbols.
 */
#include "probe/args.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "kernel/kallsyms.h"
#include "probe/caller.h"
#include "probe/fetch.h"
#include "probe/probe.h"
#include "record/event.h"
#include "tracelet/message.h"
#include "tracelet/probe.h"
#include "tracelet/text.h"

struct tl_arg {
	const char *name;
	struct tl_field field; /* of the first element, if it is an array */
	unsigned int count;    /* elements; 0: it is none */
	enum { DECIMAL, HEX, CHARACTER, SYMBOL, TEXT } how;
	struct tl_field length; /* bytes of a text; size 0: up to its NUL */
	struct tl_field next;   /* text after this one; size 0: none */
	bool is_cut;            /* there are no more bytes of it than these */
	bool is_bytes;          /* all of them, and they may be no text */
	unsigned int first_pointer, pointers; /* that it is read through */
	tl_value_namer *namer;
	const void *ctx;
};

struct tl_pointer {
	struct tl_field field;
	bool is_user; /* into the memory of a program */
};

/* ---- what there is ---------------------------------------------------- */

static int how_of(const char *conversion)
{
	if (!strncmp(conversion, "0x%", 3))
		return HEX;
	if (!strncmp(conversion, "'%c", 3))
		return CHARACTER;
	if (!strncmp(conversion, "%pS", 3))
		return SYMBOL;
	if (conversion[strspn(conversion, "\\\"")] == '%' && *conversion != '%')
		return TEXT;
	return DECIMAL;
}

/*
 * The format is read here, since libtraceevent (1.7) gives up at an array of
 * texts: "field:__data_loc char[][2] argv;".
 */
static bool next_field(char **text, char **name, struct tl_field *f)
{
	unsigned int offset, size, is_signed;
	char *line, *end;

	line = strstr(*text, "\tfield:");
	if (!line)
		return false;
	end = strchr(line, ';');
	if (!end ||
	    sscanf(end, "; offset:%u; size:%u; signed:%u", &offset, &size,
		   &is_signed) != 3 ||
	    offset > UINT16_MAX || size > UINT16_MAX)
		return false;
	*end = '\0';
	*name = strrchr(line, ' ');
	if (!*name)
		return false;
	++*name;
	*text = end + 1;
	*f = (struct tl_field){ .offset = offset,
				.size = size,
				.is_signed = is_signed,
				.where = !strncmp(
					line, "\tfield:__data_loc ",
					strlen("\tfield:__data_loc ")) };
	return true;
}

/* Arguments stand in the order of the fields: each is found behind the last. */
static const char *find(const char *fmt, const char *name)
{
	size_t len = strlen(name);
	const char *at = fmt;

	while ((at = strstr(at, name)) &&
	       (at == fmt || at[-1] != ' ' || at[len] != '='))
		at++;
	return at ? at + len + 1 : NULL;
}

/* As many as the print fmt has: 6.12 says "field:u8 arr[];". */
static unsigned int count_elements(const char *fmt)
{
	unsigned int n = 1;

	while (*fmt && *fmt != '}')
		n += *fmt++ == ',';
	return n;
}

/* Behind @prefix, if the name begins with it. */
static bool skip_prefix(const char **name, const char *prefix)
{
	if (!tl_has_prefix(*name, prefix))
		return false;
	*name += strlen(prefix);
	return true;
}

/* Tells the text before that @f is the next one. */
static void link_text(struct tl_args *args, const struct tl_field *f)
{
	unsigned int i = args->count;

	if (!f->where || f->size != sizeof(uint32_t))
		return;
	while (i-- && !args->list[i].field.where)
		;
	if (i < args->count)
		args->list[i].next = *f;
}

static int add(struct tl_args *args, char *name, const struct tl_field *f,
	       const char **fmt)
{
	struct tl_arg *a = &args->list[args->count];

	name[strcspn(name, "[")] = '\0';
	*fmt = *name ? find(*fmt, name) : NULL;
	if (!*fmt)
		return -EPROTO;
	*a = (struct tl_arg){ .name = name,
			      .field = *f,
			      .first_pointer = args->pointer_count };
	a->how = how_of(*fmt + (**fmt == '{'));
	a->is_cut = skip_prefix(&a->name, TL_FETCH_CUT);
	a->is_bytes = skip_prefix(&a->name, TL_FETCH_BYTES);
	if (a->is_cut || a->is_bytes) {
		a->how = TEXT;
	} else if (**fmt == '{') {
		a->count = count_elements(*fmt);
		a->field.size = f->size / a->count;
	}
	link_text(args, &a->field);
	args->count++;
	args->all_elements += a->count;
	return 0;
}

/* False: the field is none. */
static bool add_pointer(struct tl_args *args, const char *name,
			const struct tl_field *f)
{
	struct tl_pointer p = { .field = *f };
	unsigned int i, span = tl_fetch_pointer_span(name, &p.is_user);

	if (!span || span > args->count)
		return false;
	args->pointers[args->pointer_count++] = p;
	for (i = args->count - span; i < args->count; i++)
		args->list[i].pointers++;
	return true;
}

static int fill(struct tl_args *args, char *text)
{
	const char *fmt = strstr(text, "print fmt:");
	struct tl_field f;
	char *name;
	int ret = fmt ? 0 : -EPROTO;

	while (!ret && next_field(&text, &name, &f)) {
		if (!strcmp(name, "__probe_ip"))
			args->ip = f;
		else if (!strcmp(name, "__probe_func"))
			args->func = f;
		else if (!strcmp(name, "__probe_ret_ip"))
			args->ret_ip = f;
		else if (args->count && tl_has_prefix(name, TL_FETCH_LENGTH))
			args->list[args->count - 1].length = f;
		else if (!add_pointer(args, name, &f) &&
			 strncmp(name, "common_", strlen("common_")) &&
			 strcmp(name, TL_CALLER) != 0)
			ret = add(args, name, &f, &fmt);
	}
	return ret;
}

static size_t count_fields(const char *text)
{
	size_t n = 0;

	while ((text = strstr(text, "\tfield:"))) {
		text++;
		n++;
	}
	return n;
}

static int parse(struct tl_args *args, char *format)
{
	size_t n = count_fields(format) + 1;
	int ret;

	args->format = format;
	args->list = calloc(n, sizeof(*args->list));
	args->values = calloc(n, sizeof(*args->values));
	args->pointers = calloc(n, sizeof(*args->pointers));
	ret = args->list && args->values && args->pointers ? fill(args, format)
							   : -ENOMEM;
	if (!ret)
		args->elements =
			calloc(args->all_elements + 1, sizeof(*args->elements));
	return ret || args->elements ? ret : -ENOMEM;
}

static void free_args(void *part)
{
	struct tl_args *args = part;

	tl_buf_free(&args->text);
	free(args->elements);
	free(args->values);
	free(args->pointers);
	free(args->list);
	free(args->format);
	free(args);
}

static const struct tl_event_part_ops args_ops = { .free = free_args };

struct tl_args *tl_args_of(const struct tl_event *ev)
{
	return tl_event_part_find(ev, &args_ops);
}

int tl_args_parse(struct tl_event *ev, char *format)
{
	struct tl_args *args = calloc(1, sizeof(*args));
	int ret;

	if (!args) {
		free(format);
		return -ENOMEM;
	}
	ret = parse(args, format);
	if (ret)
		free_args(args);
	else
		tl_event_part_add(ev, &args_ops, args);
	return ret;
}

int tl_args_find(struct tl_session *s, struct tl_event *ev)
{
	char *format;
	int ret;

	if (tl_args_of(ev))
		return 0;
	format = tl_event_format(s, ev->system, ev->name);
	ret = format ? tl_args_parse(ev, format) : -errno;
	return ret ? tl_fail(-ret, "format of %s: %s", ev->title,
			     strerror(-ret))
		   : 0;
}

int tl_event_name_values(struct tl_session *s, struct tl_event *ev,
			 const char *field, tl_value_namer *namer,
			 const void *ctx)
{
	int ret = tl_args_find(s, ev);
	struct tl_arg *a;

	if (ret)
		return ret;
	for (a = tl_args_of(ev)->list; a->name; a++) {
		if (strcmp(a->name, field))
			continue;
		a->namer = namer;
		a->ctx = ctx;
		return 0;
	}
	return -ENOENT;
}

/* ---- values ----------------------------------------------------------- */

static struct tl_field element(const struct tl_arg *a, unsigned int i)
{
	struct tl_field f = a->field;

	f.offset += i * f.size;
	return f;
}

static bool fits(const struct tl_record *r, const struct tl_field *f)
{
	return (uint32_t)f->offset + f->size <= r->size;
}

/* A text's place, as the kernel has it: the length above where it begins. */
static uint32_t place_of(const struct tl_record *r, const struct tl_field *f)
{
	uint32_t place;

	memcpy(&place, r->data + f->offset, sizeof(place));
	return place;
}

static uint32_t begin_of(const struct tl_record *r, const struct tl_field *f)
{
	return place_of(r, f) & UINT16_MAX;
}

static bool begins_before(const struct tl_record *r, const struct tl_field *f,
			  const struct tl_field *next)
{
	return !fits(r, next) || begin_of(r, f) < begin_of(r, next);
}

/* Without a way to the next element the kernel leaves what was in the buffer before. */
static bool is_set(const struct tl_record *r, const struct tl_arg *a,
		   unsigned int i)
{
	struct tl_field before, f = element(a, 0);
	uint32_t place;

	while (i--) {
		before = f;
		f.offset += f.size;
		place = place_of(r, &before);
		if (begin_of(r, &f) != (place & UINT16_MAX) &&
		    begin_of(r, &f) != (place & UINT16_MAX) + (place >> 16))
			return false;
	}
	return true;
}

/*
 * A text that could not be read has no bytes, an empty one has its NUL.  Where a pointer
 * before the last leads nowhere, newer kernels leave it all the room that there is, in
 * which the next text begins at the same place.
 */
static bool is_text_there(const struct tl_record *r, const struct tl_arg *a,
			  const struct tl_field *f)
{
	unsigned int i = (f->offset - a->field.offset) / a->field.size;
	struct tl_field behind = element(a, i + 1);

	if (!(place_of(r, f) >> 16) || !is_set(r, a, i))
		return false;
	return (i + 1 >= a->count || begins_before(r, f, &behind)) &&
	       (!a->next.size || begins_before(r, f, &a->next));
}

static bool is_there(const struct tl_record *r, const struct tl_arg *a,
		     const struct tl_field *f)
{
	return fits(r, f) && (!f->where || (f->size == sizeof(uint32_t) &&
					    is_text_there(r, a, f)));
}

static uint64_t unsigned_value(const struct tl_record *r,
			       const struct tl_field *f)
{
	struct tl_field bare = *f;

	bare.is_signed = false;
	return tl_field_num(r, &bare);
}

/*
 * NULL, or an error in place of a pointer, and members near to it; of the kernel's, what
 * no processor takes as an address, but a tag there can be.
 */
static bool leads_nowhere(const struct tl_record *r, const struct tl_pointer *p)
{
	const uint64_t edge = 4096, at = unsigned_value(r, &p->field);
	const uint64_t end =
		p->field.size == sizeof(uint64_t) ? UINT64_MAX : UINT32_MAX;

	if (at < edge || at > end - edge)
		return true;
	return !p->is_user && at >> 60 && at >> 60 != 0xf;
}

static bool is_read(const struct tl_record *r, const struct tl_arg *a)
{
	const struct tl_pointer *p =
		tl_args_of(r->event)->pointers + a->first_pointer;
	unsigned int i;

	for (i = 0; i < a->pointers; i++)
		if (leads_nowhere(r, &p[i]))
			return false;
	return true;
}

bool tl_args_is_read(const struct tl_record *r, unsigned int i)
{
	return is_read(r, &tl_args_of(r->event)->list[i]);
}

const char *tl_args_name(const struct tl_event *ev, unsigned int i)
{
	return tl_args_of(ev)->list[i].name;
}

static const char *value_name(const struct tl_arg *a, int64_t value)
{
	return a->namer ? a->namer(a->ctx, value) : NULL;
}

static bool are_zeroes(struct tl_str str)
{
	while (str.len && !str.text[str.len - 1])
		str.len--;
	return !str.len;
}

/*
 * Up to its NUL when that is a text, whatever is behind it; else all bytes.
 * Zeroes alone are an empty text.
 */
static struct tl_str text_or_bytes(const struct tl_record *r,
				   const struct tl_field *f)
{
	struct tl_str text = tl_field_str(r, f);
	struct tl_str all = { r->data + f->offset, f->size };

	if (!text.len && !are_zeroes(all))
		return all;
	return tl_esc_is_printable(text) ? text : all;
}

#define TEXT_MAX 4096 /* of which the kernel fetches no more, with its NUL */

/* True: it goes on, but is cut here. */
static bool text_of(const struct tl_record *r, const struct tl_arg *a,
		    const struct tl_field *f, struct tl_str *str)
{
	uint64_t len = UINT64_MAX;

	*str = a->is_bytes && is_there(r, a, f) ? text_or_bytes(r, f)
						: tl_field_str(r, f);
	if (a->length.size)
		len = unsigned_value(r, &a->length);
	if (str->len > len)
		str->len = len;
	return len > str->len &&
	       (str->len >= TEXT_MAX || (a->is_cut && str->len == f->size));
}

static void add_text(const struct tl_record *r, const struct tl_arg *a,
		     const struct tl_field *f, struct tl_buf *b)
{
	struct tl_str str;
	bool is_cut = text_of(r, a, f, &str);

	tl_buf_char(b, '"');
	tl_buf_add(b, str.text, str.len);
	tl_buf_str(b, is_cut ? "\"..." : "\"");
}

static void add_value(struct tl_session *s, const struct tl_record *r,
		      const struct tl_arg *a, struct tl_field f,
		      struct tl_buf *b)
{
	int64_t n = a->how == TEXT ? 0 : tl_field_num(r, &f);
	const char *name = value_name(a, n);

	if (name) {
		tl_buf_str(b, name);
	} else if (a->how == TEXT && !is_there(r, a, &f)) {
		tl_buf_str(b, "(fault)");
	} else if (a->how == TEXT) {
		add_text(r, a, &f, b);
	} else if (a->how == SYMBOL) {
		tl_symbol_text(s, n, TL_SYMBOL_SIZE, b);
	} else if (a->how == CHARACTER) {
		tl_buf_printf(b, "'%c'", (char)n);
	} else if (a->how == HEX) {
		tl_num_hex_unsigned(b, unsigned_value(r, &f));
	} else if (f.is_signed) {
		tl_num_int(b, n);
	} else {
		tl_num_uint(b, unsigned_value(r, &f));
	}
}

static void add_arg(struct tl_session *s, const struct tl_record *r,
		    const struct tl_arg *a, struct tl_buf *b)
{
	unsigned int i;

	tl_buf_str(b, a->name);
	tl_buf_char(b, '=');
	if (!a->count) {
		add_value(s, r, a, a->field, b);
		return;
	}
	for (i = 0; i < a->count; i++) {
		tl_buf_char(b, i ? ',' : '{');
		add_value(s, r, a, element(a, i), b);
	}
	tl_buf_char(b, '}');
}

/* The kernel names no functions of programs. */
static void add_address(struct tl_session *s, const struct tl_record *r,
			const struct tl_field *f, enum tl_symbol_parts parts,
			struct tl_buf *b)
{
	const struct tl_probe *p = tl_probe_of(r->event);
	uint64_t addr = tl_field_num(r, f);

	if (p && p->is_user)
		tl_num_hex_unsigned(b, addr);
	else
		tl_symbol_text(s, addr, parts, b);
}

void tl_args_line(struct tl_session *s, const struct tl_record *r,
		  struct tl_buf *b)
{
	const struct tl_args *args = tl_args_of(r->event);
	unsigned int i;

	tl_buf_char(b, '(');
	if (args->ret_ip.size) {
		add_address(s, r, &args->ret_ip, TL_SYMBOL_SIZE, b);
		tl_buf_str(b, " <- ");
		add_address(s, r, &args->func, TL_SYMBOL_NAME, b);
	} else {
		add_address(s, r, &args->ip, TL_SYMBOL_SIZE, b);
	}
	tl_buf_char(b, ')');
	for (i = 0; i < args->count; i++) {
		tl_buf_char(b, ' ');
		add_arg(s, r, &args->list[i], b);
	}
}

void tl_args_list(struct tl_session *s, const struct tl_record *r,
		  struct tl_buf *b)
{
	const struct tl_args *args = tl_args_of(r->event);
	unsigned int i;

	tl_buf_char(b, '(');
	for (i = 0; i < args->count; i++) {
		if (i)
			tl_buf_add(b, ", ", 2);
		add_arg(s, r, &args->list[i], b);
	}
	tl_buf_char(b, ')');
}

void tl_args_first(struct tl_session *s, const struct tl_record *r,
		   struct tl_buf *b)
{
	const struct tl_arg *a = tl_args_of(r->event)->list;

	add_value(s, r, a, a->field, b);
}

bool tl_args_number(const struct tl_record *r, int64_t *num)
{
	const struct tl_arg *a = tl_args_of(r->event)->list;

	if (a->how == TEXT)
		return false;
	*num = tl_field_num(r, &a->field);
	return true;
}

/* A function by its name: where in it the probe is goes without saying. */
static bool is_entry(const char *place)
{
	const char *colon = strchr(place, ':');

	return !isdigit((unsigned char)*(colon ? colon + 1 : place)) &&
	       !strchr(place, '+');
}

void tl_args_place(struct tl_session *s, const struct tl_record *r,
		   struct tl_buf *b)
{
	const struct tl_args *args = tl_args_of(r->event);
	const struct tl_probe *p = tl_probe_of(r->event);

	/* with -fcf-protection a function begins 4 bytes before its probes */
	if (args->ret_ip.size)
		add_address(s, r, &args->func, TL_SYMBOL_NAME, b);
	else
		add_address(s, r, &args->ip,
			    p && !is_entry(p->place) ? TL_SYMBOL_OFFSET
						     : TL_SYMBOL_NAME,
			    b);
}

static struct tl_value value_of(struct tl_session *s, const struct tl_record *r,
				const struct tl_arg *a, struct tl_field f)
{
	struct tl_buf *text = &tl_args_of(r->event)->text;
	struct tl_value v = { .known = true, .type = TL_STR };

	if (a->how == TEXT) {
		v.known = is_there(r, a, &f);
		if (!text_of(r, a, &f, &v.str))
			return v;
		v.num = text->len;
		tl_buf_add(text, v.str.text, v.str.len);
		tl_buf_str(text, "...");
		v.str = (struct tl_str){ .len = text->len - v.num };
		return v;
	}
	v.num = tl_field_num(r, &f);
	if (value_name(a, v.num) || a->how == SYMBOL) {
		/* @text may move: its place is set at the end */
		v.num = text->len;
		add_value(s, r, a, f, text);
		v.str.len = text->len - v.num;
	} else if (a->how == CHARACTER && is_there(r, a, &f)) {
		v.str = (struct tl_str){ r->data + f.offset, 1 };
	} else if (f.is_signed && a->how == DECIMAL) {
		v.type = TL_INT;
	} else {
		v.type = a->how != HEX                ? TL_UINT
			 : f.size == sizeof(uint64_t) ? TL_ADDRESS
						      : TL_HEX;
		v.num = unsigned_value(r, &f);
	}
	return v;
}

/* Without memory a text is not known. */
static void set_texts(const struct tl_buf *text, struct tl_named *list,
		      size_t count)
{
	struct tl_value *v;
	size_t i;

	for (i = 0; i < count; i++) {
		v = &list[i].value;
		if (v->type != TL_STR || !v->known || v->str.text)
			continue;
		v->known = !text->failed;
		v->str.text = v->known ? text->data + v->num : "";
	}
}

const struct tl_named *tl_args_values(struct tl_session *s,
				      const struct tl_record *r)
{
	struct tl_args *args = tl_args_of(r->event);
	struct tl_named *element_at = args->elements, *value = args->values;
	const struct tl_arg *a;
	unsigned int i;

	args->text.len = 0;
	args->text.failed = false;
	for (a = args->list; a < args->list + args->count; a++, value++) {
		value->name = a->name;
		if (a->pointers && !is_read(r, a)) {
			value->value = (struct tl_value){ .type = TL_STR };
			continue;
		}
		if (!a->count) {
			value->value = value_of(s, r, a, a->field);
			continue;
		}
		value->value = (struct tl_value){ .known = true,
						  .type = TL_ARGV,
						  .list = element_at,
						  .count = a->count };
		for (i = 0; i < a->count; i++)
			element_at++->value = value_of(s, r, a, element(a, i));
	}
	set_texts(&args->text, args->values, args->count);
	set_texts(&args->text, args->elements, element_at - args->elements);
	return args->values;
}
