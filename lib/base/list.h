/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list.h - lists that grow by one element at a time */
#ifndef TL_BASE_LIST_H
#define TL_BASE_LIST_H

#include <stddef.h>

/**
 * tl_list_room - room for one more element
 * @list:  @count elements of @size bytes each; NULL: none yet
 * @room:  for so many there is memory
 *
 * Returns the list, which may have moved; NULL without memory, and then it is
 * as it was.
 */
void *tl_list_room(void *list, size_t count, size_t *room, size_t size);

#endif
