/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbol.h - addresses of the kernel */
#ifndef TRACELET_SYMBOL_H
#define TRACELET_SYMBOL_H

#include <stdint.h>

#pragma GCC visibility push(default)

struct tl_session;

/**
 * tl_symbols_open - in setup: for the two below; stacks and function tracers do
 * it themselves; 0, or -errno, after a message when the kernel gives no
 * addresses
 */
int tl_symbols_open(struct tl_session *s);
/**
 * tl_symbols_open_data - the same, for tl_symbol_data() too; before anything is looked up
 */
int tl_symbols_open_data(struct tl_session *s);
/**
 * tl_symbols_load - read them now: it takes so long that a buffer can overflow
 */
int tl_symbols_load(struct tl_session *s);
/**
 * tl_symbol - function at kernel address @addr, and how far into it; NULL when
 * unknown
 */
const char *tl_symbol(struct tl_session *s, uint64_t addr, uint64_t *offset);
/**
 * tl_symbol_data - variable of the kernel, or of a module, that @addr is in, and how far
 * into it; NULL for what was allocated, and when unknown
 */
const char *tl_symbol_data(struct tl_session *s, uint64_t addr,
			   uint64_t *offset);
/**
 * tl_symbol_module - the module that it is of, "" for the kernel itself; NULL
 * when unknown
 */
const char *tl_symbol_module(struct tl_session *s, uint64_t addr);

#pragma GCC visibility pop

#endif
