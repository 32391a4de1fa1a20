/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rust.h - names of Rust functions, as they are written */
#ifndef TL_ELF_RUST_H
#define TL_ELF_RUST_H

/**
 * tl_rust_name - "krate::f" for "_RNvCs1234_5krate1f" (v0) or "_ZN5krate1f17h...E"
 * (legacy), without the hash; free() it; NULL when it is neither, or the tools were built
 * without libiberty
 */
char *tl_rust_name(const char *name);

#endif
