// SPDX-License-Identifier: GPL-2.0-or-later
/* list.c - lists that grow by one element at a time */
#include "base/list.h"

#include <stdlib.h>

void *tl_list_room(void *list, size_t count, size_t *room, size_t size)
{
	size_t more = *room ? *room * 2 : 64;
	void *larger;

	if (count < *room)
		return list;
	larger = reallocarray(list, more, size);
	if (larger)
		*room = more;
	return larger;
}
