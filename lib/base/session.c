// SPDX-License-Identifier: GPL-2.0-or-later
/* session.c - what any folder may ask of a run, or tell it */
#include "base/session.h"

const struct tl_settings *tl_settings(const struct tl_session *s)
{
	return &s->set;
}

void tl_keep_capability(struct tl_session *s, int cap)
{
	s->keep_caps |= 1ULL << cap;
}
