// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usdt.c - static probes of programs and libraries
 *
 * As <sys/sdt.h> makes them: notes in .note.stapsdt say where a probe is and
 * where its arguments are, as the assembler wrote them.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "elf/object.h"
#include "elf/usdt.h"
#include "tracelet/message.h"
#include "tracelet/text.h"

#define NOTE_TYPE 3

struct list {
	struct tl_usdt *list;
	size_t count, room;
};

/** Addresses in a note. */
struct addresses {
	uint64_t place, base, semaphore;
};

static uint64_t get_address(const char *p, size_t size)
{
	uint64_t wide;
	uint32_t narrow;

	if (size == sizeof(wide)) {
		memcpy(&wide, p, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, p, sizeof(narrow));
	return narrow;
}

/* The text at *@p, which goes behind its NUL; NULL: it has no end. */
static const char *get_text(const char **p, const char *end)
{
	const char *text = *p, *nul = memchr(text, '\0', (size_t)(end - text));

	if (nul)
		*p = nul + 1;
	return nul ? text : NULL;
}

static bool parse_note(const struct tl_note *note, size_t size,
		       struct addresses *at, struct tl_usdt *u)
{
	const char *p = note->text, *end = p + note->len;

	if (note->type != NOTE_TYPE || note->owner_len != 8 ||
	    memcmp(note->owner, "stapsdt", 8) != 0 || note->len < 3 * size)
		return false;
	at->place = get_address(p, size);
	at->base = get_address(p + size, size);
	at->semaphore = get_address(p + 2 * size, size);
	p += 3 * size;
	u->provider = get_text(&p, end);
	u->name = u->provider ? get_text(&p, end) : NULL;
	u->args = u->name ? get_text(&p, end) : NULL;
	return u->args && *u->provider && *u->name;
}

/* Something may have moved the file's parts since: the base moved as well. */
static bool place(struct tl_object *o, const struct addresses *at,
		  uint64_t base, struct tl_usdt *u)
{
	uint64_t moved = base && at->base ? base - at->base : 0;

	if (!tl_object_offset(o, at->place + moved, &u->offset) ||
	    !tl_object_is_code(o, u->offset))
		return false;
	u->unreachable =
		at->semaphore &&
		!tl_object_offset(o, at->semaphore + moved, &u->semaphore);
	return true;
}

static int add(struct list *l, const struct tl_usdt *u)
{
	struct tl_usdt *list =
		tl_list_room(l->list, l->count, &l->room, sizeof(*list));

	if (!list)
		return -ENOMEM;
	l->list = list;
	l->list[l->count++] = *u;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct tl_usdt *x = a, *y = b;

	return strcmp(x->provider, y->provider) ?: strcmp(x->name, y->name)
		?: (x->offset > y->offset) - (x->offset < y->offset);
}

static int collect(struct tl_object *o, struct list *l)
{
	size_t size = o->file.head.e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
	struct tl_section sec, base;
	struct addresses at;
	struct tl_note note;
	size_t offset = 0;
	int ret = 0;

	if (!tl_elf_section(&o->file, SHT_NOTE, ".note.stapsdt", &sec))
		return 0;
	if (!tl_elf_section(&o->file, 0, ".stapsdt.base", &base))
		base.head.sh_addr = 0;
	while (!ret && tl_elf_note(&sec, &offset, &note)) {
		struct tl_usdt u = { .machine = o->file.head.e_machine };

		if (parse_note(&note, size, &at, &u) &&
		    place(o, &at, base.head.sh_addr, &u))
			ret = add(l, &u);
	}
	return ret;
}

int tl_object_usdts(struct tl_object *o,
		    int (*fn)(void *ctx, const struct tl_usdt *u), void *ctx)
{
	struct list l = { .count = 0 };
	size_t i;
	int ret = collect(o, &l);

	if (ret)
		tl_warn("%s: no memory for its static probes", o->path);
	if (l.count)
		qsort(l.list, l.count, sizeof(*l.list), by_name);
	for (i = 0; i < l.count && !ret; i++)
		ret = fn(ctx, &l.list[i]);
	free(l.list);
	return ret;
}

/* ---- arguments -------------------------------------------------------- */

/** An argument as the note has it: "-4@8(%rbp)". */
struct operand {
	int size; /* negative: signed */
	bool is_float;
	struct tl_str text;
};

/* Arguments are apart by spaces, but an operand has some in brackets too. */
static bool next_operand(const char **p, struct operand *op)
{
	unsigned int depth = 0;
	char *end;

	*p += strspn(*p, " ");
	if (!**p)
		return false;
	op->size = (int)strtol(*p, &end, 10);
	op->is_float = *end == 'f';
	end += op->is_float;
	if (*end != '@' || end == *p)
		return false;
	op->text.text = ++end;
	for (; *end && (*end != ' ' || depth); end++) {
		depth += *end == '[' || *end == '(';
		depth -= depth && (*end == ']' || *end == ')');
	}
	op->text.len = (size_t)(end - op->text.text);
	*p = end;
	return true;
}

/* "-8", and what compilers write for members: "-8+4" */
static long get_number(char **p)
{
	long sum = 0;

	while (isdigit((unsigned char)**p) ||
	       ((**p == '-' || **p == '+') && isdigit((unsigned char)(*p)[1])))
		sum = (long)((unsigned long)sum +
			     (unsigned long)strtol(*p, p, 0));
	return sum;
}

/* Of a register and its parts the kernel knows the name that comes first. */
static const char *x86_register(char *name)
{
	static const char *const names[][4] = {
		{ "ax", "al", "eax", "rax" },  { "bx", "bl", "ebx", "rbx" },
		{ "cx", "cl", "ecx", "rcx" },  { "dx", "dl", "edx", "rdx" },
		{ "si", "sil", "esi", "rsi" }, { "di", "dil", "edi", "rdi" },
		{ "bp", "bpl", "ebp", "rbp" }, { "sp", "spl", "esp", "rsp" },
	};
	unsigned long number;
	char *end;
	size_t i;

	for (i = 0; i < 4 * sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i / 4][i % 4]))
			return names[i / 4][0];
	if (*name != 'r' || !isdigit((unsigned char)name[1]))
		return NULL;
	/* "r8d", "r8w", "r8b" */
	number = strtoul(name + 1, &end, 10);
	if (number < 8 || number > 15 ||
	    (*end && (!strchr("dwb", *end) || end[1])))
		return NULL;
	*end = '\0';
	return name;
}

/* "(%reg)" behind the offset */
static bool x86_operand(char *text, char *place, size_t size)
{
	char *p = text + (*text == '$'), *digits = p;
	long number = get_number(&p);
	bool memory = *p == '(';
	const char *name;
	size_t len;

	if (*text == '$') {
		snprintf(place, size, "\\%ld", number);
		return p > digits && !*p;
	}
	if (p > digits && !memory)
		return false;
	p += memory;
	len = strlen(p);
	if (*p != '%' || (memory && p[len - 1] != ')'))
		return false;
	p[len - memory] = '\0';
	name = x86_register(p + 1);
	if (!name)
		return false;
	if (memory)
		snprintf(place, size, "%+ld(%%%s)", number, name);
	else
		snprintf(place, size, "%%%s", name);
	return true;
}

/* "w0" is the half of what the kernel calls "x0". */
static bool arm64_register(char *name)
{
	unsigned long number;
	char *end;

	if (!strcmp(name, "sp"))
		return true;
	if ((*name != 'x' && *name != 'w') || !isdigit((unsigned char)name[1]))
		return false;
	number = strtoul(name + 1, &end, 10);
	*name = 'x';
	return !*end && number <= 30;
}

/* "x0", "[sp, 16]", or a number */
static bool arm64_operand(char *text, char *place, size_t size)
{
	char *p = text, *end, *comma;
	long number = get_number(&p);

	if (p > text) {
		snprintf(place, size, "\\%ld", number);
		return !*p;
	}
	if (*p != '[') {
		snprintf(place, size, "%%%s", p);
		return arm64_register(place + 1);
	}
	p++;
	end = p + strlen(p);
	if (end == p || *--end != ']')
		return false;
	*end = '\0';
	comma = strchr(p, ',');
	if (comma) {
		*comma++ = '\0';
		comma += strspn(comma, " ");
		comma += *comma == '#';
		number = get_number(&comma);
	}
	if ((comma && *comma) || !arm64_register(p))
		return false;
	snprintf(place, size, "%+ld(%%%s)", number, p);
	return true;
}

static bool fetch_operand(unsigned int machine, char *text, char *place,
			  size_t size)
{
	switch (machine) {
	case EM_X86_64:
	case EM_386:
		return x86_operand(text, place, size);
	case EM_AARCH64:
		return arm64_operand(text, place, size);
	default:
		return false;
	}
}

int tl_usdt_arg(const struct tl_usdt *u, unsigned int n,
		struct tl_usdt_arg *arg)
{
	struct operand op = { 0 };
	const char *p = u->args;
	char text[sizeof(arg->place) - 8]; /* "%x0" needs more */
	unsigned int i;
	int bytes;

	for (i = 0; i < n; i++)
		if (!next_operand(&p, &op))
			return -ENOENT;
	bytes = abs(op.size);
	/* the kernel fetches no numbers with a fraction */
	if (op.is_float || !op.text.len || op.text.len >= sizeof(text) ||
	    (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8))
		return -ENOTSUP;
	memcpy(text, op.text.text, op.text.len);
	text[op.text.len] = '\0';
	if (!fetch_operand(u->machine, text, arg->place, sizeof(arg->place)))
		return -ENOTSUP;
	snprintf(arg->type, sizeof(arg->type), "%c%d", op.size < 0 ? 's' : 'u',
		 8 * bytes % 100);
	return 0;
}

int tl_usdt_fetch(const struct tl_usdt *u, char *text, size_t size)
{
	struct tl_usdt_arg arg;
	unsigned int n = 1;
	size_t len = 0;
	int ret, missing = 0;

	*text = '\0';
	for (; (ret = tl_usdt_arg(u, n, &arg)) != -ENOENT; n++) {
		if (ret) {
			missing++;
			continue;
		}
		len += (size_t)snprintf(text + len, size - len, "%sarg%u=%s:%s",
					len ? " " : "", n, arg.place, arg.type);
		if (len >= size)
			return -ENAMETOOLONG;
	}
	return missing;
}
