// SPDX-License-Identifier: GPL-2.0-or-later
/* tracelets-export - answer Prometheus with what tools count */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "tracelet.h"
#include "tracelet/export.h"

#define CONFIG TL_SYSCONFDIR "/tracelets/export.conf"

/* All others; those that do not count say so themselves. */
static const struct {
	const char *name;
} tools[] = { TL_TOOLS };

static struct {
	const char *listen;
	struct tl_export *export;
} env;

static const struct tl_opt options[] = { { 0, "listen", "ADDRESS:PORT",
					   "where to answer (127.0.0.1:9470)",
					   TL_OPT_STRING, &env.listen },
					 { 0 } };

static bool is_tool(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		if (!strcmp(tools[i].name, name))
			return true;
	return false;
}

static bool is_file(const char *word)
{
	return strchr(word, '/') || strchr(word, '.');
}

static int args(struct tl_session *s, int argc, char **argv)
{
	const char *path = !argc ? CONFIG : is_file(argv[0]) ? argv[0] : NULL;
	const int skip = path && argc;
	const char *wrong = env.listen ? tl_export_address(env.listen) : NULL;

	if (wrong)
		return tl_usage("--listen: \"%s\": %s", env.listen, wrong);
	if (skip && argc > 1)
		return tl_usage("behind a file there is no \"%s\"", argv[1]);
	env.export = tl_export_new(s, path, argv + skip, (size_t)(argc - skip),
				   is_tool);
	return env.export ? 0 : -errno;
}

/* Where nobody named a file, and none is installed: what all files need. */
static int check(struct tl_session *s)
{
	const bool has_file = !access(CONFIG, F_OK) || errno != ENOENT;
	const int ret = env.export || !has_file ? 0 : args(s, 0, NULL);

	return ret ?: tl_export_check(env.export);
}

static int query(struct tl_session *s)
{
	int ret = tl_export_run(env.export, env.listen);

	tl_export_free(env.export);
	return ret ? TL_EXIT_FAILED : TL_EXIT_OK;
}

static const struct tl_tool tracelets_export = {
	.name = "tracelets-export",
	.summary = "answer Prometheus with what tools count",
	.synopsis = "[file|tool...]",
	.examples = {
		{ "tracelets-export iosnoop runqlat",
		  "disks and processors, at http://127.0.0.1:9470/metrics" },
		{ "tracelets-export --check ./export.conf",
		  "whether a file is right, and works here" },
		{ "tracelets-export --listen=:9470",
		  "what " CONFIG " says, for all machines" },
	},
	.options = options,
	.flags = TL_NO_EVENTS | TL_NO_TRACEFS,
	.quiet = true,
	.args = args,
	.check = check,
	.query = query,
};

TL_MAIN(tracelets_export)
