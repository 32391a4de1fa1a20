/* SPDX-License-Identifier: GPL-2.0-or-later */
/* feature.h - what this kernel can do */
#ifndef TRACELET_FEATURE_H
#define TRACELET_FEATURE_H

#include <stdbool.h>

#pragma GCC visibility push(default)

struct tl_session;

/**
 * What a kernel may be able to do; each is looked for, not inferred from a
 * version.
 */
enum tl_feature {
	TL_FEATURE_RETURN_ARGS, /* $argN in a return probe: its README line */
	TL_FEATURE_BTF_ARGS, /* arguments by name, NAME->FIELD: its README line */
	TL_FEATURE_EPROBE,   /* "e:", on a tracepoint: its README line */
	TL_FEATURE_FPROBE,   /* "f:": its README line */
	TL_FEATURE_TPROBE,   /* "t:": its README line */
	TL_FEATURE_SYMBOL_TYPE, /* type "symbol" of a value: its README line */
};
bool tl_feature(struct tl_session *s, enum tl_feature feature);

#pragma GCC visibility pop

#endif
