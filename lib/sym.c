// SPDX-License-Identifier: GPL-2.0-or-later
/* sym.c - kernel functions by address */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session.h"

struct symbol {
	uint64_t addr;
	uint32_t name; /* offset in names */
};

struct tl_symbols {
	int fd;
	bool loaded;
	struct symbol *list;
	size_t count, size;
	char *names;
	size_t names_len, names_size;
};

/* Whether real addresses are shown is decided at open(2), by capabilities. */
int tl_symbols_open(struct tl_session *s)
{
	if (s->symbols)
		return 0;
	s->symbols = calloc(1, sizeof(*s->symbols));
	if (!s->symbols)
		return -ENOMEM;
	s->symbols->fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	return 0;
}

void tl_symbols_free(struct tl_session *s)
{
	if (!s->symbols)
		return;
	if (s->symbols->fd >= 0)
		close(s->symbols->fd);
	free(s->symbols->list);
	free(s->symbols->names);
	free(s->symbols);
	s->symbols = NULL;
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
static bool add_line(struct tl_symbols *t, char *line)
{
	char *name, *end;
	uint64_t addr = strtoull(line, &end, 16);
	size_t len;

	if (end == line || end[0] != ' ' || !strchr("tTwW", end[1]) || !addr)
		return true;
	name = end + 3;
	len = strcspn(name, "\t\n") + 1;
	t->list = grow(t->list, t->count, &t->size, sizeof(*t->list));
	t->names = grow(t->names, t->names_len + len, &t->names_size, 1);
	if (!t->list || !t->names)
		return false;
	t->list[t->count].addr = addr;
	t->list[t->count++].name = t->names_len;
	memcpy(t->names + t->names_len, name, len - 1);
	t->names[t->names_len + len - 1] = '\0';
	t->names_len += len;
	return true;
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static void load(struct tl_symbols *t)
{
	FILE *f = t->fd < 0 ? NULL : fdopen(t->fd, "r");
	char *line = NULL;
	size_t size = 0;

	t->loaded = true;
	t->fd = -1;
	if (!f)
		return;
	while (getline(&line, &size, f) > 0)
		if (!add_line(t, line))
			break;
	free(line);
	fclose(f);
	if (t->list && t->names)
		qsort(t->list, t->count, sizeof(*t->list), by_address);
	else
		t->count = 0;
}

const char *tl_symbol(struct tl_session *s, uint64_t addr, uint64_t *offset)
{
	struct tl_symbols *t = s->symbols;
	size_t low = 0, high, mid;

	if (!t)
		return NULL;
	if (!t->loaded)
		load(t);
	high = t->count;
	while (low < high) {
		mid = low + (high - low) / 2;
		if (t->list[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return NULL;
	*offset = addr - t->list[low - 1].addr;
	/* a trampoline or a BPF program: no function is that long */
	if (*offset >= 1 << 20)
		return NULL;
	return t->names + t->list[low - 1].name;
}
