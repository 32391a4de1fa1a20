/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dynload.h - libraries that are loaded only when a tool asks for what they
 * know
 */
#ifndef TL_BASE_DYNLOAD_H
#define TL_BASE_DYNLOAD_H

/**
 * tl_load - find functions in a library
 * @libraries: its names, the first one that there is counts; ends with NULL
 * @names:     of the functions; ends with NULL
 * @functions: become pointers to them, in this order; all NULL if any is missing
 *
 * It stays loaded.  Returns 0, or -ELIBACC, without a message.
 */
int tl_load(const char *const *libraries, const char *const *names,
	    void **functions);

#endif
