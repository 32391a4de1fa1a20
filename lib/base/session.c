// SPDX-License-Identifier: GPL-2.0-or-later
/* session.c - what any folder may ask of a run */
#include "base/session.h"

const struct tl_settings *tl_settings(const struct tl_session *s)
{
	return &s->set;
}

const char *tl_data_format(const struct tl_session *s)
{
	const struct tl_settings *set = &s->set;

	return set->perfetto  ? "--perfetto"
	       : set->metrics ? "--metrics"
	       : set->json    ? "--json"
	       : set->csv     ? "--csv"
			      : NULL;
}

bool tl_settings_ids(const struct tl_settings *set)
{
	return set->pid.count || set->tid.count || set->cgroup;
}

bool tl_settings_who(const struct tl_settings *set)
{
	return tl_settings_ids(set) || set->name.text;
}

const char *tl_command_text(const struct tl_session *s)
{
	return s->command;
}
