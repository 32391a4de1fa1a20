/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config.h - which tools count for an exporter, and how */
#ifndef TL_EXPORT_CONFIG_H
#define TL_EXPORT_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

/** A line that is a command: a tool with its options, as it would be typed. */
struct tl_export_command {
	unsigned int line; /* of the file; 0: of none */
	char **words;      /* with a NULL behind them */
	unsigned int count;
	const char
		*labels; /* --metric-labels of its own, in a word; NULL: none */
};

struct tl_export_config {
	const char *path; /* NULL: there is no file */
	char *listen;     /* "127.0.0.1:9470" */
	char *labels;     /* for all metrics; NULL: none */
	unsigned int max_series;
	char *max_cpu; /* of each tool, as it is typed; NULL: any */
	struct tl_export_command *commands;
	size_t count, room; /* as of tl_list_room() */
};

/**
 * tl_export_config_read - read the file @path, and check all that needs no tool for it
 * @is_tool: whether there is a tool of that name
 *
 * Each line is empty, a comment that begins with "#", a setting (listen, labels,
 * max-series, max-cpu) with its value, or a command.  Words are separated by blanks; quotes are
 * those of a shell, and nothing is expanded.  What is wrong is said with its line, and a
 * caret below the word.  Returns 0, or -errno after messages for all wrong lines; free
 * it in any case.
 */
int tl_export_config_read(struct tl_export_config *c, const char *path,
			  bool (*is_tool)(const char *name));
/** tl_export_config_add - a command of the word @tool; 0 or -ENOMEM */
int tl_export_config_add(struct tl_export_config *c, const char *tool);
void tl_export_config_free(struct tl_export_config *c);

#endif
