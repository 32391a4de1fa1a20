// SPDX-License-Identifier: GPL-2.0-or-later
/* operands.c - arguments behind the options, by a table */
#include "option/operands.h"

#include "base/recording.h"
#include "base/session.h"
#include "option/options.h"
#include "tracelet/message.h"

static int take(struct tl_session *s, const struct tl_operand *operand,
		const char *value)
{
	struct tl_opt o = { .kind = operand->kind, .target = operand->target };

	if (o.kind == TL_OPT_DURATION)
		o.target = &s->set.duration;
	return tl_opt_set(&o, operand->name, value,
			  tl_recording_replays(s->recording));
}

int tl_operands_take(struct tl_session *s, const struct tl_operand *table,
		     int argc, char **argv)
{
	int i, ret = 0;

	for (i = 0; i < argc && !ret; i++, table++) {
		if (!table->name)
			return tl_usage("unexpected argument \"%s\"", argv[i]);
		ret = take(s, table, argv[i]);
	}
	return ret;
}

void tl_operands_text(const struct tl_operand *table, struct tl_buf *text)
{
	unsigned int count;

	for (count = 0; table[count].name; count++)
		tl_buf_printf(text, "%s[%s", count ? " " : "",
			      table[count].name);
	while (count--)
		tl_buf_char(text, ']');
}
