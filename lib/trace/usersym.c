// SPDX-License-Identifier: GPL-2.0-or-later
/* usersym.c - functions of processes by address */
#include "trace/usersym.h"

#include "base/recording.h"
#include "trace/userkept.h"
#include "trace/userlive.h"

static bool is_capture(const struct tl_session *s)
{
	return tl_recording_replays(s->recording);
}

int tl_user_symbols_open(struct tl_session *s)
{
	int ret = is_capture(s) ? 0 : tl_user_live_open(s);

	if (!ret && (is_capture(s) || s->set.write))
		ret = tl_user_kept_open(s);
	return ret;
}

int tl_user_symbol(struct tl_session *s, const struct tl_user_place *at,
		   const struct tl_user_address *a, struct tl_user_symbol *sym)
{
	if (!is_capture(s))
		return tl_user_live_symbol(s, at, a, sym);
	tl_user_kept_symbol(s, a, sym);
	return 0;
}

bool tl_user_is_walked(struct tl_session *s, pid_t process, uint64_t ns)
{
	return is_capture(s) ? tl_user_kept_is_walked(s, process, ns)
			     : tl_user_live_is_walked(s, process, ns);
}
