/* SPDX-License-Identifier: GPL-2.0-or-later */
/* args.h - arguments of a probe, shown as the kernel shows them */
#ifndef TL_PROBE_ARGS_H
#define TL_PROBE_ARGS_H

#include "base/buf.h"
#include "record/event.h"
#include "tracelet/event.h"
#include "tracelet/output.h"

struct tl_arg;
struct tl_pointer;

/** The arguments in a probe's record. */
struct tl_args {
	struct tl_event_part part;
	struct tl_field ip;           /* size 0: not there */
	struct tl_field func, ret_ip; /* of a return */
	struct tl_arg *list;
	unsigned int count, all_elements;
	struct tl_pointer *pointers; /* that arguments are read through */
	unsigned int pointer_count;
	char *format; /* its text, which names point into */
	/* values of the record that was asked for last, and of its arrays */
	struct tl_named *values, *elements;
	struct tl_buf text;
};

/**
 * tl_args_find - find the arguments of @ev, which is a probe's, for those
 * below, if that is not done yet; 0 or -errno after a message
 */
int tl_args_find(struct tl_session *s, struct tl_event *ev);
/**
 * tl_args_parse - the same from the text of a format, which it takes over;
 * 0, or -errno without a message
 */
int tl_args_parse(struct tl_event *ev, char *format);

/** tl_args_of - those of @ev that were found; NULL: none were looked for */
struct tl_args *tl_args_of(const struct tl_event *ev);

/** tl_args_line - append "(func+0x0/0x90) a=1 b=\"x\"" */
void tl_args_line(struct tl_session *s, const struct tl_record *r,
		  struct tl_buf *b);

/** tl_args_list - append "(a=1, b=\"x\")" */
void tl_args_list(struct tl_session *s, const struct tl_record *r,
		  struct tl_buf *b);
/** tl_args_first - append the value of the first one, which is there */
void tl_args_first(struct tl_session *s, const struct tl_record *r,
		   struct tl_buf *b);
/** tl_args_number - what it is as a number; false if it is none */
bool tl_args_number(const struct tl_record *r, int64_t *num);

/**
 * tl_args_values - the values, as many as args->count; valid until the next
 * call; without memory for a text that value is not known
 */
const struct tl_named *tl_args_values(struct tl_session *s,
				      const struct tl_record *r);

/**
 * tl_args_is_read - whether argument @i, a number, is known; without .faults of struct
 * tl_kprobe_config it always is
 */
bool tl_args_is_read(const struct tl_record *r, unsigned int i);
/** tl_args_name - of argument @i */
const char *tl_args_name(const struct tl_event *ev, unsigned int i);

/** tl_args_place - append where the probe was hit: "func" or "func+0x10" */
void tl_args_place(struct tl_session *s, const struct tl_record *r,
		   struct tl_buf *b);

#endif
