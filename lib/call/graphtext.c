// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * graphtext.c - a graph of calls as the kernel's trace file has it, and as
 * values
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "call/graph.h"
#include "kernel/btf.h"
#include "out/out.h"
#include "out/row.h"
#include "tracelet/graph.h"
#include "tracelet/message.h"
#include "tracelet/output.h"
#include "tracelet/pairs.h"
#include "tracelet/run.h"
#include "tracelet/symbol.h"
#include "tracelet/task.h"
#include "tracelet/text.h"

/* ---- arguments -------------------------------------------------------- */

#define WORDS_MAX 16

/* A function's parameters, as far as each is in a word of its own. */
struct prototype {
	unsigned int count;
	bool more; /* there are others */
	struct {
		const char *name; /* BTF's, which stays */
		enum { POINTER, SIGNED, UNSIGNED } kind;
		uint32_t size;
	} p[WORDS_MAX];
};

static void add_parameter(struct prototype *to, const struct tl_btf_member *m)
{
	struct tl_btf_info info = tl_btf_info(m->type);
	bool number = info.kind == TL_BTF_INT || info.kind == TL_BTF_ENUM;

	if (to->more || to->count == WORDS_MAX ||
	    (!number && info.kind != TL_BTF_POINTER) || info.size > 8) {
		to->more = true;
		return;
	}
	to->p[to->count].name = m->name;
	to->p[to->count].size = number ? info.size : 8;
	to->p[to->count].kind = !number          ? POINTER
				: info.is_signed ? SIGNED
						 : UNSIGNED;
	to->count++;
}

/*
 * The tracer gives where a function begins, or how far behind that it is
 * hooked.  Of a module that came later the symbols are not known, and what is
 * before it is another function.
 */
#define HOOK_MAX 32

const char *tl_graph_function(struct tl_session *s, uint64_t function)
{
	uint64_t offset;
	const char *name = tl_symbol(s, function, &offset);

	return name && offset < HOOK_MAX ? name : NULL;
}

static const struct prototype *prototype(struct tl_session *s,
					 uint64_t function)
{
	struct tl_graphs *g = tl_graphs(s);
	struct tl_btf_member m;
	struct tl_btf_type type;
	struct prototype *to;
	const char *name;
	unsigned int i;

	if (!g->prototypes)
		g->prototypes = tl_pairs_new(sizeof(*to), 4096, NULL);
	if (!g->prototypes)
		return NULL;
	to = tl_pairs_get(g->prototypes, (int64_t)function);
	if (to)
		return to;
	to = tl_pairs_put(g->prototypes, (int64_t)function);
	if (!to)
		return NULL;
	to->more = true; /* unless it is known */
	name = tl_graph_function(s, function);
	if (!tl_graphs(s)->has_types || !name ||
	    tl_btf_find_function(NULL, name, &type))
		return to;
	to->more = false;
	for (i = 0; i < tl_btf_parameters(type); i++) {
		tl_btf_parameter(type, i, &m);
		add_parameter(to, &m);
	}
	return to;
}

static int64_t argument(const struct prototype *p, unsigned int i,
			uint64_t word)
{
	unsigned int unused = 64 - 8 * (p->p[i].size ?: 8);

	if (p->p[i].kind == SIGNED)
		return (int64_t)(word << unused) >> unused;
	return (int64_t)(word << unused >> unused);
}

static unsigned int known_args(const struct prototype *p,
			       const struct tl_call *c)
{
	unsigned int count = p ? p->count : 0;

	return count < c->args ? count : c->args;
}

static void add_number(struct tl_buf *b, int kind, int64_t n)
{
	if (kind == POINTER)
		tl_num_hex_unsigned(b, (uint64_t)n);
	else if (kind == SIGNED)
		tl_num_int(b, n);
	else
		tl_num_uint(b, (uint64_t)n);
}

static void add_args(struct tl_session *s, const struct tl_graph *g,
		     const struct tl_call *c, struct tl_buf *b)
{
	const struct prototype *p = prototype(s, c->function);
	unsigned int i, count = known_args(p, c);

	for (i = 0; i < count; i++) {
		if (i)
			tl_buf_str(b, ", ");
		tl_buf_str(b, *p->p[i].name ? p->p[i].name : "?");
		tl_buf_char(b, '=');
		add_number(b, (int)p->p[i].kind,
			   argument(p, i, g->args[c->arg + i]));
	}
	if (!p || p->more || count < p->count)
		tl_buf_str(b, count ? ", ..." : "...");
}

/* ---- lines ------------------------------------------------------------ */

const char *tl_graph_name(struct tl_session *s, const struct tl_call *c)
{
	struct tl_graphs *g = tl_graphs(s);
	const char *name = tl_graph_function(s, c->function);

	if (name)
		return name;
	snprintf(g->unnamed, sizeof(g->unnamed), "0x%llx",
		 (unsigned long long)c->function);
	return g->unnamed;
}

static void spaces(struct tl_buf *b, size_t count)
{
	char *to = tl_buf_room(b, count);

	if (!to)
		return;
	memset(to, ' ', count);
	b->len += count;
}

static void add_time(struct tl_session *s, struct tl_buf *b, uint64_t ns)
{
	struct tl_buf *time = &tl_graphs(s)->other;

	time->len = 0;
	tl_num_time(s->out, time, (int64_t)ns);
	if (time->len < 12)
		spaces(b, 12 - time->len);
	tl_buf_add(b, time->data, time->len);
	tl_buf_str(b, " |  ");
}

static void add_cpu(struct tl_session *s, struct tl_buf *b, unsigned int cpu)
{
	tl_buf_char(b, ' ');
	tl_num_filled(b, cpu, (unsigned int)tl_graphs(s)->cpu_width, ' ');
	tl_buf_str(b, ") ");
}

/* "bash-1234" in the middle of 14; the kernel has no more of a name than 7. */
static void add_task(struct tl_session *s, struct tl_buf *b, pid_t pid)
{
	struct tl_str comm = tl_task_comm(s, pid);
	char number[16];
	size_t len, fill;

	len = (size_t)snprintf(number, sizeof(number), "-%d", pid);
	comm.len = comm.len < 7 ? comm.len : 7;
	len += comm.len;
	fill = len < 14 ? 14 - len : 0;
	spaces(b, fill / 2);
	if (s->set.raw)
		tl_buf_add(b, comm.text, comm.len);
	else
		tl_esc_text(b, comm);
	tl_buf_str(b, number);
	spaces(b, fill - fill / 2);
	tl_buf_str(b, " | ");
}

char tl_graph_mark(uint64_t ns)
{
	static const struct {
		uint64_t above;
		char mark;
	} marks[] = { { 1000000000, '$' }, { 100000000, '@' },
		      { 10000000, '*' },   { 1000000, '#' },
		      { 100000, '!' },     { 10000, '+' } };
	unsigned int i;

	for (i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (ns > marks[i].above)
			return marks[i].mark;
	return ' ';
}

/* us in seven digits, as many of them decimals as there is room for. */
static void add_duration(struct tl_buf *b, uint64_t ns)
{
	static const unsigned int per[] = { 1000, 100, 10, 1 };
	size_t start, len;

	tl_buf_char(b, tl_graph_mark(ns));
	tl_buf_char(b, ' ');
	start = b->len;
	tl_num_uint(b, ns / 1000);
	len = b->len - start;
	if (len < 7) {
		unsigned int digits = len < 4 ? 3 : 7 - (unsigned int)len;

		tl_buf_char(b, '.');
		tl_num_filled(b, ns % 1000 / per[digits], digits, '0');
		len += digits + 1;
	}
	tl_buf_str(b, " us ");
	spaces(b, len < 8 ? 8 - len : 0);
	tl_buf_str(b, "|  ");
}

/*
 * A line up to the function: at its beginning, with its duration, or its end.
 */
enum at { AT_BEGINNING, AT_LEAF, AT_END };

static void begin_line(struct tl_session *s, const struct tl_graph *g,
		       const struct tl_call *c,
		       const struct tl_graph_text *show, enum at at)
{
	struct tl_buf *b = &tl_graphs(s)->text;

	if (show->time)
		add_time(s, b, at == AT_END ? c->end : c->start);
	add_cpu(s, b, at == AT_END ? c->end_cpu : c->cpu);
	if (show->task)
		add_task(s, b, g->pid);
	if (!show->no_duration) {
		if (at == AT_BEGINNING)
			tl_buf_str(b, "              |  ");
		else
			add_duration(b, c->duration);
	}
	spaces(b, (size_t)c->depth * 2);
}

static void add_call(struct tl_session *s, const struct tl_graph *g,
		     const struct tl_call *c)
{
	struct tl_buf *b = &tl_graphs(s)->text;

	tl_buf_str(b, tl_graph_name(s, c));
	tl_buf_char(b, '(');
	if (tl_graphs(s)->config->args)
		add_args(s, g, c, b);
	tl_buf_char(b, ')');
}

static void add_remark(struct tl_session *s, const struct tl_call *c, bool name)
{
	struct tl_buf *b = &tl_graphs(s)->text;

	if (!name && !c->has_ret)
		return;
	tl_buf_str(b, " /*");
	if (name) {
		tl_buf_char(b, ' ');
		tl_buf_str(b, tl_graph_name(s, c));
	}
	if (c->has_ret) {
		tl_buf_str(b, " = ");
		tl_num_hex_unsigned(b, c->ret);
	}
	tl_buf_str(b, " */");
}

static void add_leaf(struct tl_session *s, const struct tl_graph *g,
		     const struct tl_call *c, const struct tl_graph_text *show)
{
	begin_line(s, g, c, show, AT_LEAF);
	add_call(s, g, c);
	tl_buf_char(&tl_graphs(s)->text, ';');
	add_remark(s, c, false);
	tl_buf_char(&tl_graphs(s)->text, '\n');
}

static void add_beginning(struct tl_session *s, const struct tl_graph *g,
			  const struct tl_call *c,
			  const struct tl_graph_text *show)
{
	begin_line(s, g, c, show, AT_BEGINNING);
	add_call(s, g, c);
	tl_buf_str(&tl_graphs(s)->text, " {\n");
}

static void add_end(struct tl_session *s, const struct tl_graph *g,
		    const struct tl_call *c, const struct tl_graph_text *show)
{
	if (!c->end)
		return; /* that is not known */
	begin_line(s, g, c, show, AT_END);
	tl_buf_char(&tl_graphs(s)->text, '}');
	add_remark(s, c, show->tail);
	tl_buf_char(&tl_graphs(s)->text, '\n');
}

/* Of call @i, the one that has made it; it is not the first. */
static size_t caller(const struct tl_graph *g, size_t i)
{
	unsigned int depth = g->calls[i].depth;

	while (i && g->calls[i].depth >= depth)
		i--;
	return i;
}

static bool has_calls(const struct tl_graph *g, size_t i)
{
	return i + 1 < g->count && g->calls[i + 1].depth > g->calls[i].depth;
}

/* Behind call @i, which calls nothing more, end all that the next is not in. */
static void add_ends(struct tl_session *s, const struct tl_graph *g, size_t i,
		     const struct tl_graph_text *show)
{
	unsigned int next = i + 1 < g->count ? g->calls[i + 1].depth : 0;

	while (g->calls[i].depth > next) {
		i = caller(g, i);
		add_end(s, g, &g->calls[i], show);
	}
}

void tl_graph_print(struct tl_session *s, const struct tl_graph *g,
		    const struct tl_graph_text *show)
{
	struct tl_buf *b = &tl_graphs(s)->text;
	size_t i;

	b->len = 0;
	for (i = 0; i < g->count; i++) {
		const struct tl_call *c = &g->calls[i];

		if (c->end && !has_calls(g, i))
			add_leaf(s, g, c, show);
		else
			add_beginning(s, g, c, show);
		add_ends(s, g, i, show);
	}
	if (g->missing)
		tl_buf_printf(b,
			      "[%llu MORE CALLS, FOR WHICH THERE IS NO "
			      "ROOM]\n",
			      (unsigned long long)g->missing);
	if (b->failed) {
		tl_warn("out of memory: a graph of %zu calls is not shown",
			g->count);
		tl_buf_free(b);
	}
	if (b->len)
		tl_out_line_as_is(s->out,
				  (struct tl_str){ b->data, b->len - 1 });
}

void tl_graph_header(struct tl_session *s, const struct tl_graph_text *show)
{
	const bool time = show->time, task = show->task;
	const bool duration = !show->no_duration;
	struct tl_graphs *g = tl_graphs(s);

	if (asprintf(&g->header,
		     "# tracer: function_graph\n#\n#%s CPU%s%s"
		     "               FUNCTION CALLS\n#%s |  %s%s"
		     "               |   |   |   |\n",
		     time ? "     TIME       " : "",
		     task ? "  TASK/PID       " : "",
		     duration ? "  DURATION   " : "",
		     time ? "      |         " : "",
		     task ? "   |    |        " : "",
		     duration ? "   |   |      " : "") < 0)
		g->header = NULL;
	tl_head(s, g->header);
}

/* ---- values ----------------------------------------------------------- */

struct tl_chunk {
	struct tl_chunk *next;
	struct tl_named list[];
};

void tl_graph_rows_done(struct tl_graphs *g)
{
	struct tl_chunk *next;

	for (; g->chunks; g->chunks = next) {
		next = g->chunks->next;
		free(g->chunks);
	}
}

/*
 * As many values, and @text bytes behind them; zeroes; until
 * tl_graph_rows_done().
 */
static struct tl_named *values(struct tl_graphs *g, size_t count, size_t text)
{
	struct tl_chunk *c =
		calloc(1, sizeof(*c) + count * sizeof(c->list[0]) + text);

	if (!c)
		return NULL;
	c->next = g->chunks;
	g->chunks = c;
	return c->list;
}

#define HEX_SIZE 20

/* The arguments of a row's call; there can be very many of them. */
struct tl_graph_args {
	struct tl_named list[WORDS_MAX];
	char text[WORDS_MAX * HEX_SIZE];
};

static void set_text(struct tl_named *to, const char *name, const char *text)
{
	to->name = name;
	to->value.type = TL_STR;
	to->value.known = true;
	to->value.str = (struct tl_str){ text, strlen(text) };
}

static void set_number(struct tl_named *to, const char *name, enum tl_type type,
		       int64_t n, bool known)
{
	to->name = name;
	to->value.type = type;
	to->value.known = known;
	to->value.num = n;
}

/* A pointer is no number that JSON readers would keep all digits of. */
static void set_hex(struct tl_named *to, const char *name, char text[HEX_SIZE],
		    uint64_t n)
{
	snprintf(text, HEX_SIZE, "0x%llx", (unsigned long long)n);
	set_text(to, name, text);
}

/* @list and @text have room for all that are known. */
static void fill_args(struct tl_session *s, const struct tl_graph *g,
		      const struct tl_call *c, struct tl_value *to,
		      struct tl_named *list, char *text)
{
	const struct prototype *p = prototype(s, c->function);
	unsigned int i, count = known_args(p, c);
	int64_t n;

	for (i = 0; i < count; i++, text += HEX_SIZE) {
		n = argument(p, i, g->args[c->arg + i]);
		if (p->p[i].kind == POINTER)
			set_hex(&list[i], p->p[i].name, text, (uint64_t)n);
		else
			set_number(&list[i], p->p[i].name,
				   p->p[i].kind == SIGNED ? TL_INT : TL_UINT, n,
				   true);
	}
	to->type = TL_FIELDS;
	to->known = true;
	to->more = !p || p->more || count < p->count;
	to->list = list;
	to->count = count;
}

static void set_args(struct tl_session *s, const struct tl_graph *g,
		     const struct tl_call *c, struct tl_value *to)
{
	unsigned int count = known_args(prototype(s, c->function), c);
	struct tl_named *list =
		values(tl_graphs(s), count, (size_t)count * HEX_SIZE);

	if (list)
		fill_args(s, g, c, to, list, (char *)(list + count));
}

static void set_calls(struct tl_session *s, const struct tl_graph *g, size_t i,
		      struct tl_value *to);

enum { FUNCTION, DURATION, SELF, ARGS, RET, CHILDREN, MEMBERS };

static void set_call(struct tl_session *s, const struct tl_graph *g, size_t i,
		     struct tl_value *to)
{
	const struct tl_call *c = &g->calls[i];
	const char *name = tl_graph_function(s, c->function);
	struct tl_named *list =
		values(tl_graphs(s), MEMBERS, (size_t)2 * HEX_SIZE);
	struct tl_named *last;
	char *text;

	to->type = TL_FIELDS;
	if (!list)
		return;
	text = (char *)(list + MEMBERS);
	if (name)
		set_text(&list[FUNCTION], "function", name);
	else
		set_hex(&list[FUNCTION], "function", text, c->function);
	set_number(&list[DURATION], "duration", TL_NSECS, (int64_t)c->duration,
		   c->end);
	set_number(&list[SELF], "self", TL_NSECS, (int64_t)c->self, c->end);
	last = &list[SELF] + 1;
	if (tl_graphs(s)->config->args) {
		last->name = "args";
		set_args(s, g, c, &last++->value);
	}
	if (c->has_ret)
		set_hex(last++, "ret", text + HEX_SIZE, c->ret);
	last->name = "children";
	set_calls(s, g, i, &last++->value);
	to->known = true;
	to->list = list;
	to->count = (size_t)(last - list);
}

/* What call @i calls. */
static void set_calls(struct tl_session *s, const struct tl_graph *g, size_t i,
		      struct tl_value *to)
{
	unsigned int depth = g->calls[i].depth;
	size_t count = 0, n = 0, end;
	struct tl_named *list;

	for (end = i + 1; end < g->count && g->calls[end].depth > depth; end++)
		count += g->calls[end].depth == depth + 1;
	to->type = TL_ARGV;
	list = values(tl_graphs(s), count, 0);
	if (!list)
		return;
	for (i++; i < end; i++)
		if (g->calls[i].depth == depth + 1)
			set_call(s, g, i, &list[n++].value);
	to->known = true;
	to->list = list;
	to->count = count;
}

void tl_put_graph_calls(struct tl_session *s, unsigned int col,
			const struct tl_graph *g)
{
	struct tl_value v = { 0 };

	set_calls(s, g, 0, &v);
	if (v.known)
		tl_put_list(s, col, v.list, v.count, g->missing);
}

void tl_put_graph_args(struct tl_session *s, unsigned int col,
		       const struct tl_graph *g, const struct tl_call *c)
{
	struct tl_graphs *graphs = tl_graphs(s);
	struct tl_graph_args *a = graphs->args_row;
	struct tl_value v = { 0 };

	if (!a)
		a = graphs->args_row = calloc(1, sizeof(*a));
	if (!a)
		return;
	memset(a->list, 0, sizeof(a->list));
	fill_args(s, g, c, &v, a->list, a->text);
	tl_put_list(s, col, v.list, v.count, v.more);
}

void tl_graph_text_free(struct tl_graphs *g)
{
	tl_graph_rows_done(g);
	free(g->args_row);
	tl_buf_free(&g->text);
	tl_buf_free(&g->other);
	free(g->header);
	if (g->prototypes)
		tl_pairs_free(g->prototypes);
}
