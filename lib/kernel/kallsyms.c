// SPDX-License-Identifier: GPL-2.0-or-later
/* kallsyms.c - kernel functions, and data, by address */
#include "kernel/kallsyms.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "base/part.h"
#include "base/recording.h"
#include "kernel/functions.h"
#include "tracefs/file.h"
#include "tracelet/symbol.h"

/* Types of symbols, as of nm(1): in code, and in data that has a place of its own. */
#define FUNCTIONS "tTwW"
#define DATA      "dDbBrRvV"

struct symbol {
	uint64_t addr;
	uint32_t name; /* where: chunk and offset; behind it is the module's */
	bool used;     /* and so is the next one, which says where it ends */
	bool is_data;
};

/* Names are given away, so they stay where they are while others are read. */
#define CHUNK_BITS 18
#define CHUNK      (1U << CHUNK_BITS)

#define RECENT       64
#define FUNCTION_MAX (1 << 20) /* no function is that long */

/* The symbol that an address is in; without a name there is none. */
struct found {
	uint64_t addr, offset, size;
	const char *name;
	bool is_data;
	bool is_last; /* of the kernel, or its module: where it ends is not known */
};

struct tl_symbols {
	struct tl_part part;
	FILE *file; /* NULL: there is no more of it */
	char buffer[TL_FS_STREAM];
	char *line;
	size_t line_size;
	bool modules; /* lines of modules have come, which are in no order */
	bool unsorted;
	bool with_data; /* there are not only functions */
	struct symbol *list;
	size_t count, size;
	char **chunks;
	uint32_t chunk_count, next_name;
	struct found recent[RECENT];
};

static void free_symbols(void *part)
{
	struct tl_symbols *t = part;

	if (t->file)
		fclose(t->file);
	free(t->line);
	free(t->list);
	while (t->chunk_count)
		free(t->chunks[--t->chunk_count]);
	free(t->chunks);
	free(t);
}

static const struct tl_part_ops symbols_ops = { .free = free_symbols };

static struct tl_symbols *symbols(const struct tl_session *s)
{
	return tl_part_find(s, &symbols_ops);
}

bool tl_symbols_are_open(const struct tl_session *s)
{
	return symbols(s);
}

/* Whether real addresses are shown is decided at open(2), by capabilities. */
int tl_symbols_try(struct tl_session *s)
{
	struct tl_symbols *t = symbols(s);

	if (t)
		return 0;
	t = tl_part_new(s, &symbols_ops, sizeof(*t));
	if (!t)
		return -ENOMEM;
	t->file = tl_fs_stream(tl_fs_machine(s), "/proc/kallsyms", t->buffer);
	return 0;
}

int tl_symbols_open(struct tl_session *s)
{
	return tl_symbols_check(s) ?: tl_symbols_try(s);
}

int tl_symbols_open_data(struct tl_session *s)
{
	int ret = tl_symbols_open(s);

	if (!ret)
		symbols(s)->with_data = true;
	return ret;
}

static void *grow(void *list, size_t count, size_t *size, size_t each)
{
	if (count < *size)
		return list;
	*size = *size ? *size * 2 : 65536;
	if (*size <= count)
		*size = count + 1;
	return realloc(list, *size * each);
}

/* A line is "ADDRESS TYPE NAME" and perhaps "\t[MODULE]". */
static bool parse(char *line, const char *types, struct tl_kallsym *sym)
{
	char *end = line;

	/* a hundred thousand lines: strtoull() takes four times as long */
	for (sym->addr = 0; isxdigit((unsigned char)*end); end++)
		sym->addr =
			sym->addr << 4 | ((*end & 0xf) + (*end >= 'A' ? 9 : 0));
	if (end == line || end[0] != ' ' || !end[1] || !strchr(types, end[1]) ||
	    end[2] != ' ')
		return false;
	sym->is_data = !strchr(FUNCTIONS, end[1]);
	sym->name = end + 3;
	end = (char *)sym->name + strcspn(sym->name, "\t\n");
	sym->module = *end == '\t' && end[1] == '[' ? end + 2 : "";
	*end = '\0';
	if (*sym->module)
		end[2 + strcspn(sym->module, "]\n")] = '\0';
	return true;
}

bool tl_kallsym_parse(char *line, struct tl_kallsym *sym)
{
	return parse(line, FUNCTIONS, sym);
}

static char *name_at(const struct tl_symbols *t, uint32_t name)
{
	return t->chunks[name >> CHUNK_BITS] + (name & (CHUNK - 1));
}

static const char *module_at(const struct tl_symbols *t, uint32_t name)
{
	const char *at = name_at(t, name);

	return at + strlen(at) + 1;
}

/* Room for @len bytes, at next_name. */
static bool make_room(struct tl_symbols *t, size_t len)
{
	char **chunks, *chunk;

	if (t->chunk_count && (t->next_name & (CHUNK - 1)) + len < CHUNK)
		return true;
	chunks = reallocarray(t->chunks, t->chunk_count + 1, sizeof(*chunks));
	if (!chunks)
		return false;
	t->chunks = chunks;
	chunk = malloc(CHUNK);
	if (!chunk || len >= CHUNK ||
	    t->chunk_count == UINT32_MAX >> CHUNK_BITS) {
		free(chunk);
		return false;
	}
	t->next_name = t->chunk_count << CHUNK_BITS;
	chunks[t->chunk_count++] = chunk;
	return true;
}

static bool add_line(struct tl_symbols *t, char *line)
{
	struct tl_kallsym sym;
	size_t len, module;
	char *name;

	if (!parse(line, t->with_data ? FUNCTIONS DATA : FUNCTIONS, &sym) ||
	    !sym.addr)
		return true;
	len = strlen(sym.name) + 1;
	module = strlen(sym.module) + 1;
	t->list = grow(t->list, t->count, &t->size, sizeof(*t->list));
	if (!t->list || !make_room(t, len + module))
		return false;
	t->list[t->count++] = (struct symbol){ .addr = sym.addr,
					       .name = t->next_name,
					       .is_data = sym.is_data };
	name = name_at(t, t->next_name);
	memcpy(name, sym.name, len);
	memcpy(name + len, sym.module, module);
	t->next_name += len + module;
	t->modules |= *sym.module;
	return true;
}

/* Of several names for one address the kernel takes the first. */
static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

/* The first symbol behind @addr. */
static size_t upper_bound(const struct tl_symbols *t, uint64_t addr)
{
	size_t low = 0, high = t->count, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (t->list[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Whether what is read so far tells all about @addr. */
static bool is_covered(const struct tl_symbols *t, uint64_t addr)
{
	size_t next = t->modules || t->unsorted ? 0 : upper_bound(t, addr);

	return next && next < t->count &&
	       addr - t->list[next - 1].addr < FUNCTION_MAX;
}

static void end_reading(struct tl_symbols *t)
{
	fclose(t->file);
	t->file = NULL;
	if (!t->list)
		t->count = 0;
	else if (t->unsorted)
		qsort(t->list, t->count, sizeof(*t->list), by_address);
}

static bool read_line(struct tl_symbols *t)
{
	if (getline(&t->line, &t->line_size, t->file) <= 0 ||
	    !add_line(t, t->line))
		return false;
	if (t->count > 1 &&
	    t->list[t->count - 1].addr < t->list[t->count - 2].addr)
		t->unsorted = true;
	return true;
}

/*
 * To write its 150,000 lines takes the kernel longer than all else that a run
 * costs.  The first are its own, by address.
 */
static void read_on(struct tl_symbols *t, uint64_t addr)
{
	do {
		if (!read_line(t)) {
			end_reading(t);
			return;
		}
	} while (!t->count || t->list[t->count - 1].addr <= addr ||
		 !is_covered(t, addr));
}

int tl_symbols_load(struct tl_session *s)
{
	/* at the end of a run nobody is told addresses any more */
	int ret = symbols(s) ? 0 : tl_symbols_open(s);
	struct tl_symbols *t = symbols(s);

	if (!ret && t->file) {
		while (read_line(t))
			continue;
		end_reading(t);
	}
	return ret;
}

/*
 * Of several names for one address the kernel takes the first; @next: behind it
 */
static size_t first_name(const struct tl_symbols *t, size_t next)
{
	size_t i = next - 1;

	while (i && t->list[i - 1].addr == t->list[i].addr)
		i--;
	return i;
}

/* @found: with the address */
static void search(const struct tl_symbols *t, struct found *found)
{
	size_t next = upper_bound(t, found->addr), i;

	found->name = NULL;
	if (!next)
		return;
	i = first_name(t, next);
	found->offset = found->addr - t->list[i].addr;
	/* a trampoline or a BPF program */
	if (found->offset >= FUNCTION_MAX)
		return;
	found->size = 0;
	if (next < t->count)
		found->size = t->list[next].addr - t->list[i].addr;
	found->name = name_at(t, t->list[i].name);
	found->is_data = t->list[i].is_data;
	found->is_last = next == t->count ||
			 strcmp(module_at(t, t->list[i].name),
				module_at(t, t->list[next].name)) != 0;
}

void tl_symbols_mark(struct tl_session *s, uint64_t addr)
{
	struct tl_symbols *t = symbols(s);

	if (!t->count || addr < t->list[0].addr ||
	    addr > t->list[t->count - 1].addr + FUNCTION_MAX)
		return;
	t->list[first_name(t, upper_bound(t, addr))].used = true;
}

void tl_symbols_save(const struct tl_session *s, struct tl_buf *b)
{
	const struct tl_symbols *t = symbols(s);
	const struct symbol *at;
	const char *name, *module;
	bool end = false;
	size_t i;

	for (i = 0; i < t->count; i++) {
		at = &t->list[i];
		/* of several names for one address the first one counts */
		if ((!at->used && !end) ||
		    (i && at[-1].addr == at->addr && !at->used))
			continue;
		name = name_at(t, at->name);
		module = name + strlen(name) + 1;
		tl_buf_printf(b, "%016llx %c %s%s%s%s\n",
			      (unsigned long long)at->addr,
			      at->is_data ? 'd' : 't', name,
			      *module ? "\t[" : "", module, *module ? "]" : "");
		end = at->used;
	}
}

/* Few places are asked for again and again. */
static const struct found *find_any(struct tl_session *s, uint64_t addr)
{
	struct tl_symbols *t = symbols(s);
	struct found *found;

	if (!t)
		return NULL;
	found = &t->recent[(addr ^ addr >> 6) % RECENT];
	if (found->addr != addr) {
		if (t->file && !is_covered(t, addr))
			read_on(t, addr);
		found->addr = addr;
		search(t, found);
	}
	return found->name ? found : NULL;
}

static const struct found *find(struct tl_session *s, uint64_t addr)
{
	const struct found *found = find_any(s, addr);

	return found && !found->is_data ? found : NULL;
}

const char *tl_symbol_data(struct tl_session *s, uint64_t addr,
			   uint64_t *offset)
{
	const struct found *found = find_any(s, addr);

	if (!found || !found->is_data || found->is_last)
		return NULL;
	*offset = found->offset;
	return found->name;
}

const char *tl_symbol(struct tl_session *s, uint64_t addr, uint64_t *offset)
{
	const struct found *found = find(s, addr);

	if (!found)
		return NULL;
	*offset = found->offset;
	return found->name;
}

const char *tl_symbol_module(struct tl_session *s, uint64_t addr)
{
	const struct found *found = find(s, addr);

	return found ? found->name + strlen(found->name) + 1 : NULL;
}

static void add_hex(struct tl_buf *b, char before, uint64_t n)
{
	tl_buf_char(b, before);
	tl_num_hex_unsigned(b, n);
}

void tl_symbol_text(struct tl_session *s, uint64_t addr,
		    enum tl_symbol_parts parts, struct tl_buf *b)
{
	const struct found *found = find(s, addr);

	if (!found) {
		tl_num_hex_unsigned(b, addr);
		return;
	}
	tl_buf_str(b, found->name);
	if (parts == TL_SYMBOL_SIZE || (parts && found->offset))
		add_hex(b, '+', found->offset);
	if (parts == TL_SYMBOL_SIZE)
		add_hex(b, '/', found->size);
}
