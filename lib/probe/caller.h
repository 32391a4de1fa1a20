/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * caller.h - who called a function, fetched by a probe on its first instruction
 */
#ifndef TL_PROBE_CALLER_H
#define TL_PROBE_CALLER_H

/* a field that is not shown as an argument */
#define TL_CALLER "__caller"

/* Where the return address is then; empty: not known. */
#if defined(__x86_64__)
#define TL_CALLER_FETCH TL_CALLER "=$stack0"
#elif defined(__aarch64__)
#define TL_CALLER_FETCH TL_CALLER "=%x30"
#elif defined(__riscv)
#define TL_CALLER_FETCH TL_CALLER "=%ra"
#else
#define TL_CALLER_FETCH ""
#endif

#endif
