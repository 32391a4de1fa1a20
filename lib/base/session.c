// SPDX-License-Identifier: GPL-2.0-or-later
/* session.c - what any folder may ask of a run */
#include "base/session.h"

const struct tl_settings *tl_settings(const struct tl_session *s)
{
	return &s->set;
}

const char *tl_command_text(const struct tl_session *s)
{
	return s->command;
}
