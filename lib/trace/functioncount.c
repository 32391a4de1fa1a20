// SPDX-License-Identifier: GPL-2.0-or-later
/* functioncount.c - how often functions of the kernel are called */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/part.h"
#include "kernel/functions.h"
#include "probe/counter.h"
#include "tracelet/counter.h"
#include "tracelet/event.h"
#include "tracelet/feature.h"
#include "tracelet/function.h"
#include "tracelet/functioncount.h"
#include "tracelet/message.h"
#include "tracelet/probe.h"
#include "tracelet/symbol.h"
#include "tracelet/tally.h"
#include "tracelet/tracer.h"
#include "tracelet/trigger.h"

/* from so many functions on, reading them makes many calls itself */
#define MANY 1000
/* of a hist trigger */
#define MAX_ENTRIES 131072

struct counts {
	struct tl_part part;
	const struct tl_function_counts_config *config;
	struct tl_trigger **triggers; /* one for each pattern */
	struct tl_tally *seen;        /* what they had counted before */
};

static void free_counts(void *part)
{
	struct counts *c = part;

	free(c->triggers);
	tl_tally_free(c->seen);
	free(c);
}

static const struct tl_part_ops counts_ops = { .free = free_counts };

/* ---- records ---------------------------------------------------------- */

static int trace(struct tl_session *s,
		 const struct tl_function_counts_config *config, int count)
{
	struct tl_event *ev;
	int ret = tl_tracer_leave_out_clock(s, config->functions,
					    config->except, false);

	/* what reads the records of many functions makes many itself */
	if (!ret && count >= MANY)
		ret = tl_tracer_leave_out_self(s);
	/* between intervals that takes so long that a buffer can overflow */
	if (!ret && config->often)
		ret = tl_symbols_load(s);
	if (ret)
		return ret;
	ev = tl_event_add(s, "ftrace", "function", config->handler);
	if (!ev)
		return tl_fail(errno, "format of ftrace:function: %s",
			       strerror(errno));
	if (config->handler)
		ret = tl_event_long_field(s, ev, "ip", config->ip);
	else
		ret = tl_event_tally(s, ev, "ip", config->tally);
	return ret ?: tl_tracer_set(s, "function");
}

/* ---- without records -------------------------------------------------- */

static int add_counter(void *ctx, const char *name, const char *module)
{
	char place[256];

	snprintf(place, sizeof(place), "%s%s%s", module, *module ? ":" : "",
		 name);
	return tl_counters_add(ctx, name, module, place);
}

/* Whether they are counted so; if not, records will do as well. */
static bool count_few(struct tl_session *s,
		      const struct tl_function_counts_config *config)
{
	return !tl_functions_each(s, config->except, add_counter, s) &&
	       !tl_counters_attach(s);
}

/* ---- in the kernel ---------------------------------------------------- */

/* A probe knows no exclusions. */
static bool is_excepted(struct tl_session *s, const struct tl_functions *except,
			uint64_t addr)
{
	uint64_t offset;
	const char *name;

	if (!except->count)
		return false;
	name = tl_symbol(s, addr, &offset);
	return name &&
	       tl_functions_match(except, name, tl_symbol_module(s, addr));
}

static void on_count(void *ctx, uint64_t addr, uint64_t hits)
{
	struct tl_session *s = ctx;
	struct counts *c = tl_part_find(s, &counts_ops);

	if (!is_excepted(s, c->config->except, addr))
		tl_tally_add(c->config->tally, addr, hits);
}

/* A function that several patterns mean has the same number in each table. */
int tl_function_counts_read(struct tl_session *s)
{
	struct counts *c = tl_part_find(s, &counts_ops);
	unsigned int i;
	int ret = 0;

	for (i = 0; c && i < c->config->functions->count && !ret; i++)
		ret = tl_trigger_since(c->triggers[i], c->seen, on_count, s);
	return ret;
}

static struct tl_trigger *add_trigger(struct tl_session *s, const char *place,
				      unsigned int size)
{
	static const char advice[] = "please report this bug";
	struct tl_event *ev = tl_probe_add(s, "f", "calls", place, "", NULL);

	if (ev)
		return tl_trigger_hist(s, ev, "keys=__probe_ip", size, "",
				       advice);
	if (errno == ENOENT)
		errno = -tl_fail(ENOENT, "%s cannot be probed", place);
	return NULL;
}

/* With those that it cannot leave out, and twice as many: it is a hash table. */
static unsigned int table_size(struct tl_session *s)
{
	int count = tl_functions_number(s, NULL);
	unsigned int size = 2048;

	while (count > 0 && size < 2 * (unsigned int)count &&
	       size < MAX_ENTRIES)
		size *= 2;
	return size;
}

static int count_in_kernel(struct tl_session *s,
			   const struct tl_function_counts_config *config)
{
	const struct tl_functions *f = config->functions;
	struct counts *c = tl_part_new(s, &counts_ops, sizeof(*c));
	unsigned int size = table_size(s), i;
	int ret = tl_symbols_open(s);

	if (!c)
		return -ENOMEM;
	c->config = config;
	c->triggers = calloc(f->count, sizeof(struct tl_trigger *));
	c->seen = tl_tally_new();
	if (!c->triggers || !c->seen)
		return -ENOMEM;
	for (i = 0; i < f->count && !ret; i++) {
		c->triggers[i] = add_trigger(s, f->list[i], size);
		ret = c->triggers[i] ? 0 : -errno;
	}
	return ret;
}

/* ---- either ----------------------------------------------------------- */

int tl_function_counts_check(struct tl_session *s)
{
	if (tl_feature(s, TL_FEATURE_FPROBE))
		return tl_trigger_check(s);
	return tl_fail(ENOTSUP, "this kernel has no probes of many functions "
				"(6.5 on, CONFIG_FPROBE_EVENTS): count without "
				"--in-kernel");
}

/* The filter of the tracer, which is not used in the kernel, says what there is. */
int tl_function_counts_open(struct tl_session *s,
			    const struct tl_function_counts_config *config)
{
	int ret = config->in_kernel ? tl_function_counts_check(s)
				    : tl_tracer_check(s, "function");
	int count;

	if (!ret)
		ret = tl_functions_filter(s, config->functions, config->except);
	count = ret ?: tl_functions_number(s, config->except);
	if (count <= 0)
		return count;
	if (config->in_kernel)
		ret = count_in_kernel(s, config);
	else if (config->handler || !tl_counters_may(s, (size_t)count) ||
		 !count_few(s, config))
		ret = trace(s, config, count);
	return ret ?: count;
}
