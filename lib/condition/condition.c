// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * condition.c - event filters, for records that no kernel filters any more, and
 * rows
 */
#include "condition/condition.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "out/row.h"
#include "record/event.h"
#include "tracelet/message.h"
#include "tracelet/task.h"

/* what brackets may be in each other */
#define DEPTH_MAX 64
/* what ends a word that is not between quotes */
#define WORD_ENDS " \t\n()&|!<>=~\"'"

enum kind { AND, OR, NOT, COMPARE };
enum operator{
	EQUAL,
	NOT_EQUAL,
	LESS,
	LESS_EQUAL,
	MORE,
	MORE_EQUAL,
	BITS,
	GLOB
};
enum subject {
	FIELD_NUMBER,
	FIELD_TEXT,
	NAME,
	PROCESSOR,
	COLUMN,
	MEMBER /* of a column that has a list of fields */
};

struct tl_condition {
	enum kind kind;
	struct tl_condition *left, *right;
	/* a comparison */
	enum subject subject;
	enum operator operator;
	struct tl_field field;
	unsigned int column;
	enum tl_type type;
	double unit; /* of a column's values, that a number here counts in */
	char *member;
	int64_t number;
	bool is_number; /* the text is one */
	char *text;
};

/* A record, or a row, that is looked at. */
struct given {
	bool is_row;
	struct tl_session *s;
	const struct tl_record *r;
	const struct tl_value *row;
};

struct parser {
	const struct tl_event *ev; /* else: */
	const struct tl_out *out;
	const char *at;
	const char *wrong; /* what is wrong there */
	unsigned int depth;
};

void tl_condition_free(struct tl_condition *c)
{
	if (!c)
		return;
	tl_condition_free(c->left);
	tl_condition_free(c->right);
	free(c->member);
	free(c->text);
	free(c);
}

/* ---- words ------------------------------------------------------------ */

static void skip_blanks(struct parser *p)
{
	p->at += strspn(p->at, " \t\n");
}

static bool take(struct parser *p, const char *word)
{
	skip_blanks(p);
	if (strncmp(p->at, word, strlen(word)) != 0)
		return false;
	p->at += strlen(word);
	return true;
}

static bool is_operator(struct parser *p, enum operator* op)
{
	/* longer ones first */
	static const struct {
		const char *word;
		enum operator op;
	} all[] = {
		{ "==", EQUAL },      { "!=", NOT_EQUAL }, { "<=", LESS_EQUAL },
		{ ">=", MORE_EQUAL }, { "<", LESS },       { ">", MORE },
		{ "&", BITS },        { "~", GLOB },
	};
	unsigned int i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (take(p, all[i].word)) {
			*op = all[i].op;
			return true;
		}
	return false;
}

/* A name, or what is between quotes; NULL: there is none, or no memory. */
static char *take_text(struct parser *p)
{
	const char *from;
	size_t len;
	char quote;

	skip_blanks(p);
	quote = *p->at == '"' || *p->at == '\'' ? *p->at : '\0';
	from = p->at + (quote != '\0');
	if (quote)
		len = strcspn(from, quote == '"' ? "\"" : "'");
	else
		len = strcspn(from, WORD_ENDS);
	if (quote ? !from[len] : !len)
		return NULL;
	p->at = from + len + (quote != '\0');
	return strndup(from, len);
}

/* ---- grammar ---------------------------------------------------------- */

static struct tl_condition *fail(struct parser *p, const char *wrong)
{
	if (!p->wrong)
		p->wrong = wrong;
	return NULL;
}

static struct tl_condition *make(struct parser *p, enum kind kind,
				 struct tl_condition *left,
				 struct tl_condition *right)
{
	struct tl_condition *c =
		left && (right || kind == NOT) ? calloc(1, sizeof(*c)) : NULL;

	if (!c) {
		tl_condition_free(left);
		tl_condition_free(right);
		return fail(p, "out of memory");
	}
	c->kind = kind;
	c->left = left;
	c->right = right;
	return c;
}

/* As the column's text has it, or as JSON has it. */
static double unit_of(enum tl_type type, bool in_text)
{
	switch (type) {
	case TL_MSECS:
		return in_text ? 1e6 : 1e9;
	case TL_USECS:
	case TL_NSECS:
		return in_text ? 1e3 : 1e9;
	case TL_PERCENT:
		return in_text ? 1e7 : 1e9;
	case TL_KBYTES:
		return in_text ? 1024 : 1;
	default:
		return 1;
	}
}

/* "KEY.MEMBER" */
static bool set_member(struct tl_condition *c, const struct tl_column *col,
		       const char *name)
{
	size_t len = strlen(col->key);

	if (col->type != TL_FIELDS || strncmp(name, col->key, len) != 0 ||
	    name[len] != '.')
		return false;
	c->subject = MEMBER;
	c->member = strdup(name + len + 1);
	return c->member;
}

static bool can_compare(const struct tl_column *col)
{
	return col->type != TL_TIME && col->type != TL_WALL_CLOCK &&
	       col->type != TL_ARGV && col->type != TL_STACK &&
	       col->type != TL_FIELDS && col->show != TL_SHOW_TEXT &&
	       col->show != TL_SHOW_NEVER;
}

static bool set_column(struct parser *p, struct tl_condition *c,
		       const char *name)
{
	const struct tl_column *col;
	bool in_text;

	for (c->column = 0; c->column < p->out->count; c->column++) {
		col = &p->out->columns[c->column];
		in_text = !strcmp(name, col->head);
		if (set_member(c, col, name))
			return true;
		if (!can_compare(col) ||
		    (!in_text && strcmp(name, col->key) != 0))
			continue;
		c->subject = COLUMN;
		c->type = col->type;
		c->unit = unit_of(col->type, in_text);
		return true;
	}
	return false;
}

static void say_columns(const struct tl_out *out)
{
	const struct tl_column *col, *end = out->columns + out->count;
	struct tl_buf b = { 0 };

	for (col = out->columns; col < end; col++) {
		if (col->type == TL_FIELDS)
			tl_buf_printf(&b, " %s.NAME", col->key);
		else if (can_compare(col))
			tl_buf_printf(&b,
				      strpbrk(col->head, WORD_ENDS) ? " \"%s\""
								    : " %s",
				      col->head);
	}
	tl_warn("columns:%.*s", b.len ? (int)b.len : 5, b.data ?: " none");
	tl_buf_free(&b);
}

static bool set_subject(struct parser *p, struct tl_condition *c,
			const char *name)
{
	struct tep_format_field *f;

	if (p->out)
		return set_column(p, c, name);
	f = tep_find_any_field(p->ev->tep, name);

	if (f) {
		c->field = tl_field_of(f);
		c->subject =
			f->flags & (TEP_FIELD_IS_STRING | TEP_FIELD_IS_DYNAMIC)
				? FIELD_TEXT
				: FIELD_NUMBER;
		return true;
	}
	if (!strcmp(name, "comm") || !strcmp(name, "COMM"))
		c->subject = NAME;
	else if (!strcmp(name, "cpu") || !strcmp(name, "CPU"))
		c->subject = PROCESSOR;
	else
		return false;
	return true;
}

/* The kernel compares as much of it as the field has. */
static int64_t cut_to(const struct tl_field *f, int64_t number)
{
	unsigned int rest = f->size < 8 ? 64 - f->size * 8U : 0;
	uint64_t high = rest < 64 ? (uint64_t)number << rest : 0;

	if (rest == 64)
		return number;
	return f->is_signed ? (int64_t)high >> rest : (int64_t)(high >> rest);
}

/* A whole one, or with a point where the column counts in parts. */
static void read_number(struct tl_condition *c)
{
	char *end;

	errno = 0;
	/* as unsigned, for those above the largest signed one */
	c->number = *c->text == '-' ? strtoll(c->text, &end, 0)
				    : (int64_t)strtoull(c->text, &end, 0);
	if (c->subject == COLUMN && c->unit > 1) {
		double parts = strtod(c->text, &end) * c->unit;

		if (parts > -9e18 && parts < 9e18)
			c->number = (int64_t)(parts + (parts < 0 ? -.5 : .5));
		else
			errno = ERANGE;
	}
	c->is_number = !errno && *c->text && !*end;
}

static bool set_value(struct parser *p, struct tl_condition *c)
{
	c->text = take_text(p);
	if (!c->text)
		return false;
	read_number(c);
	if (c->subject == MEMBER)
		return c->operator<= NOT_EQUAL || c->operator== GLOB ||
			c->is_number;
	if (c->subject == FIELD_TEXT || c->subject == NAME ||
	    (c->subject == COLUMN && c->type == TL_STR))
		return c->operator<= NOT_EQUAL || c->operator== GLOB;
	if (c->subject == FIELD_NUMBER)
		c->number = cut_to(&c->field, c->number);
	return c->is_number && c->operator!= GLOB;
}

static struct tl_condition *comparison(struct parser *p)
{
	struct tl_condition *c = calloc(1, sizeof(*c));
	const char *wrong = NULL, *from;
	char *name;

	skip_blanks(p);
	from = p->at;
	name = take_text(p);
	if (!c || !name) {
		wrong = p->out ? "here a column is expected"
			       : "here a field is expected";
	} else if (!set_subject(p, c, name)) {
		wrong = p->out ? "no column of that name can be compared"
			       : "the event has no such field";
	} else if (!is_operator(p, &c->operator)) {
		skip_blanks(p);
		from = p->at;
		wrong = "here an operator is expected: == != < <= > >= & ~";
	} else {
		skip_blanks(p);
		from = p->at;
		if (!set_value(p, c))
			wrong = p->out ? "that value does not fit the column "
					 "or "
					 "the operator"
				       : "that value does not fit the field or "
					 "the operator";
	}
	free(name);
	if (!wrong) {
		c->kind = COMPARE;
		return c;
	}
	p->at = from;
	tl_condition_free(c);
	return fail(p, wrong);
}

static struct tl_condition *either(struct parser *p);

static struct tl_condition *factor(struct parser *p)
{
	struct tl_condition *c;

	if (++p->depth > DEPTH_MAX)
		return fail(p, "that is too deep");
	if (take(p, "!")) {
		c = factor(p);
		c = c ? make(p, NOT, c, NULL) : NULL;
	} else if (take(p, "(")) {
		c = either(p);
		if (c && !take(p, ")")) {
			tl_condition_free(c);
			c = fail(p, "here \")\" is expected");
		}
	} else {
		c = comparison(p);
	}
	p->depth--;
	return c;
}

static struct tl_condition *both(struct parser *p)
{
	struct tl_condition *c = factor(p), *right;

	while (c && take(p, "&&")) {
		right = factor(p);
		c = make(p, AND, c, right);
	}
	return c;
}

static struct tl_condition *either(struct parser *p)
{
	struct tl_condition *c = both(p), *right;

	while (c && take(p, "||")) {
		right = both(p);
		c = make(p, OR, c, right);
	}
	return c;
}

static struct tl_condition *parse(struct parser p, const char *what)
{
	const char *text = p.at;
	struct tl_condition *c = either(&p);

	if (c)
		skip_blanks(&p);
	if (c && *p.at) {
		tl_condition_free(c);
		c = fail(&p, "here \"&&\" or \"||\" is expected");
	}
	if (c)
		return c;
	tl_fail(EINVAL, "%s: %s", what, p.wrong);
	tl_warn("%s", text);
	tl_warn("%*s^", (int)(p.at - text), "");
	if (p.out)
		say_columns(p.out);
	return NULL;
}

struct tl_condition *tl_condition_parse(const struct tl_event *ev,
					const char *what, const char *text)
{
	return parse((struct parser){ .ev = ev, .at = text }, what);
}

struct tl_condition *tl_condition_of_row(const struct tl_out *out,
					 const char *what, const char *text)
{
	return parse((struct parser){ .out = out, .at = text }, what);
}

/* ---- records and rows ------------------------------------------------- */

static bool compare(const struct tl_condition *c, int64_t number,
		    bool is_signed)
{
	int order = is_signed
			    ? (number > c->number) - (number < c->number)
			    : ((uint64_t)number > (uint64_t)c->number) -
				      ((uint64_t)number < (uint64_t)c->number);

	switch (c->operator) {
	case EQUAL:
		return !order;
	case NOT_EQUAL:
		return order;
	case LESS:
		return order < 0;
	case LESS_EQUAL:
		return order <= 0;
	case MORE:
		return order > 0;
	case MORE_EQUAL:
		return order >= 0;
	case BITS:
		return number & c->number;
	case GLOB:
		break;
	}
	return false;
}

static bool matches(const struct tl_condition *c, struct tl_str str)
{
	char text[4096];
	size_t len = str.len < sizeof(text) ? str.len : sizeof(text) - 1;

	memcpy(text, str.text, len);
	text[len] = '\0';
	if (c->operator== GLOB)
		return !fnmatch(c->text, text, 0);
	return (c->operator== EQUAL) == !strcmp(c->text, text);
}

static bool has(const struct tl_condition *c, const struct tl_value *v,
		enum tl_type type)
{
	if (!v->known)
		return false;
	if (type == TL_STR)
		return matches(c, v->str);
	return c->is_number &&
	       compare(c, v->num, type != TL_UINT && type != TL_ADDRESS);
}

static bool has_member(const struct tl_condition *c,
		       const struct tl_value *list)
{
	size_t i;

	for (i = 0; list->known && i < list->count; i++)
		if (!strcmp(list->list[i].name, c->member))
			return has(c, &list->list[i].value,
				   list->list[i].value.type);
	return false;
}

static bool row_compares(const struct tl_condition *c,
			 const struct tl_value *row)
{
	return c->subject == MEMBER ? has_member(c, &row[c->column])
				    : has(c, &row[c->column], c->type);
}

static bool record_compares(struct tl_session *s, const struct tl_condition *c,
			    const struct tl_record *r)
{
	switch (c->subject) {
	case FIELD_NUMBER:
		return compare(c, tl_field_num(r, &c->field),
			       c->field.is_signed);
	case FIELD_TEXT:
		return matches(c, tl_field_str(r, &c->field));
	case NAME:
		return matches(c, tl_task_comm(s, r->pid));
	case PROCESSOR:
		return compare(c, r->cpu, true);
	case COLUMN:
	case MEMBER:
		break;
	}
	return false;
}

static bool holds(const struct tl_condition *c, const struct given *g)
{
	switch (c->kind) {
	case AND:
		return holds(c->left, g) && holds(c->right, g);
	case OR:
		return holds(c->left, g) || holds(c->right, g);
	case NOT:
		return !holds(c->left, g);
	case COMPARE:
		return g->is_row ? row_compares(c, g->row)
				 : record_compares(g->s, c, g->r);
	}
	return false;
}

bool tl_condition_holds(struct tl_session *s, const struct tl_condition *c,
			const struct tl_record *r)
{
	return holds(c, &(const struct given){ .s = s, .r = r });
}

/* Apart, so that rows that nobody compares need no room for it. */
__attribute__((noinline)) bool
tl_condition_holds_row(const struct tl_condition *c, const struct tl_value *row)
{
	return holds(c, &(const struct given){ .is_row = true, .row = row });
}
