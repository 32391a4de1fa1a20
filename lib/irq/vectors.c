// SPDX-License-Identifier: GPL-2.0-or-later
/* vectors.c - interrupts that are no lines, where the kernel has events of each */
#include "irq/vectors.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "record/event.h"
#include "tracelet/message.h"

#define SYSTEM "irq_vectors"

/* What is handed to note(). */
struct search {
	struct tl_session *s;
	struct tl_irq_vectors *found;
};

/* Events of an interrupt are X_entry and X_exit; others, as vector_setup, are of none. */
static int note(void *ctx, const char *system, const char *name)
{
	static const char suffix[] = "_entry";
	const size_t len = strlen(name), end = sizeof(suffix) - 1;
	const struct search *search = ctx;
	struct tl_irq_vectors *found = search->found;
	char exit_name[TL_IRQ_NAME + 8];
	struct tl_irq_vector *list;

	if (len <= end || len - end >= TL_IRQ_NAME ||
	    strcmp(name + len - end, suffix))
		return 0;
	snprintf(exit_name, sizeof(exit_name), "%.*s_exit", (int)(len - end),
		 name);
	if (!tl_event_exists(search->s, system, exit_name))
		return 0;
	list = tl_list_room(found->list, found->count, &found->room,
			    sizeof(*list));
	if (!list)
		return -ENOMEM;
	found->list = list;
	list[found->count++] = (struct tl_irq_vector){
		found->ctx, tl_irq_names_of(found->names, false, -1,
					    (struct tl_str){ name, len - end })
	};
	return 0;
}

static int add(struct tl_session *s, struct tl_irq_vector *v,
	       const char *suffix, tl_handler *handler)
{
	char name[TL_IRQ_NAME + 8];
	struct tl_event *ev;

	snprintf(name, sizeof(name), "%s_%s", v->irq->name, suffix);
	ev = tl_event_add(s, SYSTEM, name, handler);
	if (!ev)
		return tl_fail(errno, SYSTEM ":%s: %s", name, strerror(errno));
	ev->ctx = v;
	return 0;
}

int tl_irq_vectors_add(struct tl_session *s, struct tl_irq_vectors *v)
{
	struct search search = { s, v };
	int ret = tl_event_list_system(s, SYSTEM, note, &search);
	size_t i;

	for (i = 0; i < v->count && !ret; i++)
		ret = add(s, &v->list[i], "entry", v->begin)
			      ?: add(s, &v->list[i], "exit", v->end);
	return ret;
}

void tl_irq_vectors_free(struct tl_irq_vectors *v)
{
	free(v->list);
}
