/* SPDX-License-Identifier: GPL-2.0-or-later */
/* userframes.h - what usertable.c keeps, and usernames.c writes into a capture */
#ifndef TL_TRACE_USERFRAMES_H
#define TL_TRACE_USERFRAMES_H

#include <stdlib.h>

#include "trace/usertable.h"

/* of frames, 50 bytes in memory for each, and of programs and symbols */
#define TL_USER_MAX_FRAMES  500000
#define TL_USER_STILL_THERE UINT64_MAX

/** Numbers of items by a hash of what is to be found. */
struct tl_user_index {
	struct tl_user_slot *slots;
	size_t size, count; /* a power of two */
};

/** What is at an address, by numbers of texts, 1 ...; 0: there is none. */
struct tl_user_numbers {
	uint32_t function, file;
	uint64_t offset;
};

/** A program that a process runs. */
struct tl_user_program {
	pid_t process;
	uint32_t before; /* the one that it ran before */
	uint64_t until;  /* ns; TL_USER_STILL_THERE */
	uint64_t seen;   /* ns, last */
	bool is_asked, is_walked;
};

struct tl_user_frame {
	uint64_t addr;
	uint64_t since; /* ns: before, it had another name */
	uint64_t again; /* ns: then it may have a better one; 0: never */
	uint32_t program, symbol;
	uint8_t names; /* that came before */
	bool is_return;
};

struct tl_user_table {
	struct tl_buf text;
	size_t *texts; /* where each of them begins */
	struct tl_user_numbers *symbols;
	struct tl_user_program *programs;
	struct tl_user_frame *frames;
	size_t text_count, symbol_count, program_count, frame_count;
	struct tl_user_index by_text, by_symbol, by_process, by_address;
	uint64_t last;      /* see tl_user_table_new() */
	uint64_t next;      /* ns: then some may be forgotten */
	uint64_t missing;   /* frames that had no place */
	uint64_t forgotten; /* how often programs were */
};

/** tl_user_table_forget - forget programs that were last seen before @since, and all unnamed */
void tl_user_table_forget(struct tl_user_table *t, uint64_t since);

/**
 * tl_user_is_named - what has neither needs no place: the address is all that is known
 */
static inline bool tl_user_is_named(const struct tl_user_table *t,
				    const struct tl_user_frame *f)
{
	const struct tl_user_numbers *s = &t->symbols[f->symbol];

	return s->function || s->file;
}

/**
 * tl_user_room - @list with room for one more, of @size bytes each; NULL without memory, and it
 * stays
 */
static inline void *tl_user_room(void *list, size_t count, size_t size)
{
	/* it grows from 16, where that is full, and then any power of two */
	if (count && (count < 16 || count & (count - 1)))
		return list;
	return reallocarray(list, count < 16 ? 16 : count * 2, size);
}

#endif
