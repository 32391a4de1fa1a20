/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * caller.h - who called a function, fetched by a probe on its first instruction
 */
#ifndef TL_PROBE_CALLER_H
#define TL_PROBE_CALLER_H

/* a field that is not shown as an argument */
#define TL_CALLER "__caller"

/*
 * Where the return address is then; empty: not known.  What is in a register is
 * not in the stack, where the kernel looks for it.
 */
#if defined(__x86_64__)
#define TL_CALLER_FETCH TL_CALLER "=$stack0"
#elif defined(__aarch64__)
#define TL_CALLER_FETCH       TL_CALLER "=%x30"
#define TL_CALLER_IN_REGISTER 1
#elif defined(__riscv)
#define TL_CALLER_FETCH       TL_CALLER "=%ra"
#define TL_CALLER_IN_REGISTER 1
#else
#define TL_CALLER_FETCH ""
#endif
#ifndef TL_CALLER_IN_REGISTER
#define TL_CALLER_IN_REGISTER 0
#endif

#endif
