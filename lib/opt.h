/* SPDX-License-Identifier: GPL-2.0-or-later */
/* opt.h - option tables: parsing, and the help derived from them */
#ifndef TL_OPT_H
#define TL_OPT_H

#include "tracelet.h"

/**
 * tl_opt_parse - parse argv by two tables
 * @own:    the tool's table, may be NULL
 * @common: the common table; where both have a letter or a name, @own has it
 *
 * Options end at the first argument that is none, or at "--".  Long names are
 * taken in full only; an option that is given twice has the later value.
 * Returns the index of the first argument behind them, or -EINVAL after
 * tl_usage() has said which option and which value.
 */
int tl_opt_parse(const struct tl_opt *own, const struct tl_opt *common,
		 int argc, char **argv);

/**
 * tl_opt_help - the text of -h on stdout, from the same tables
 *
 * Returns -EPIPE or another negative errno when stdout cannot be written.
 */
int tl_opt_help(const struct tl_tool *tool, const struct tl_opt *common);

#endif
