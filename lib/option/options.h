/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.h - option tables: parsing, and the help derived from them */
#ifndef TL_OPTION_OPTIONS_H
#define TL_OPTION_OPTIONS_H

#include "tracelet/option.h"
#include "tracelet/tool.h"

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
 * tl_opt_parse_over - the same, where the first @defaults arguments are those
 * of an earlier run: options of their groups are replaced
 */
int tl_opt_parse_over(const struct tl_opt *own, const struct tl_opt *common,
		      int argc, char **argv, int defaults);

/**
 * tl_opt_find - set the one option with this @target, if it is given
 *
 * As tl_opt_parse(), which is to follow, since values are not looked at.
 */
int tl_opt_find(const struct tl_opt *own, const struct tl_opt *common, int argc,
		char **argv, const void *target);

/**
 * tl_opt_sort - move options that are behind arguments in front of them
 *
 * As getopt_long() does: in @argv, with their values, and "--" behind the last.
 * Nothing is set, and values are not looked at.  Returns as tl_opt_parse().
 */
int tl_opt_sort(const struct tl_opt *own, const struct tl_opt *common, int argc,
		char **argv);

/**
 * tl_opt_set - set the target of @o
 * @what:       "-i", for messages
 * @of_capture: it is what records of a capture are matched by
 *
 * Returns 0 or -EINVAL after tl_usage().
 */
int tl_opt_set(const struct tl_opt *o, const char *what, const char *value,
	       bool of_capture);

/**
 * tl_opt_help - the text of -h on stdout, from the same tables
 *
 * Returns 0 or -ENOMEM; whether it could be written stdio knows, by ferror().
 */
int tl_opt_help(const struct tl_tool *tool, const struct tl_opt *common);

/**
 * tl_opt_list - what -h says, for programs: a line each on stdout
 *
 * Its fields are parted by tabs, and can be empty:
 *	tool	NAME SUMMARY SYNOPSIS
 *	option	LETTER NAME ARGUMENT KIND GROUP HELP
 * KIND is that of enum tl_opt_kind, in lower case.  Returns as tl_opt_help().
 */
int tl_opt_list(const struct tl_tool *tool, const struct tl_opt *common);

#endif
