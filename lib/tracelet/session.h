/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session.h - one run of a tool, and what the common options ask for */
#ifndef TRACELET_SESSION_H
#define TRACELET_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "tracelet/text.h"

#pragma GCC visibility push(default)

struct tl_session;

#define TL_PIDS_MAX 1024

/** Processes, or threads, by their ids. */
struct tl_pids {
	unsigned int count; /* 0: none was given */
	pid_t list[TL_PIDS_MAX];
	char text[40]; /* "1,2"; a long one ends in ",..." */
};

/** tl_pids_has - whether @pid is one of them */
bool tl_pids_has(const struct tl_pids *pids, pid_t pid);

#define TL_CPU_RANGES_MAX 128

/** Processors, by their numbers. */
struct tl_cpus {
	unsigned int count; /* of ranges; 0: none was given */
	/* in order, and apart from each other */
	struct tl_cpu_range {
		unsigned int first, last;
	} list[TL_CPU_RANGES_MAX];
	char text[40]; /* "0,2-5"; a long one ends in ",..." */
};

/** tl_cpus_has - whether @cpu is one of them */
bool tl_cpus_has(const struct tl_cpus *cpus, unsigned int cpu);

/**
 * tl_command_text - the words of the command that is run and traced, for a
 * banner; NULL without one
 */
const char *tl_command_text(const struct tl_session *s);

/** The common options. */
struct tl_settings {
	bool json, csv, raw, strict, follow, check;
	bool perfetto;       /* rows become a trace; csv is set as well */
	const char *metrics; /* file; rows become metrics, csv is set as well */
	const char *metric_labels; /* for all of these: "NAME=VALUE,..." */
	unsigned int max_series;   /* of each; the rest is "other" */
	unsigned int
		max_cpu; /* millionths of a processor, for the tool itself; 0: any */
	const char *heatmap, *subsecond; /* of a tool with pictures: files */
	unsigned int time;               /* enum tl_time */
	bool time_given; /* --time was, for a tool with a default of its own */
	uint64_t duration; /* ns, 0: until a signal */
	uint64_t buffer;   /* bytes per processor, 0: the default */
	struct tl_pids pid, tid;
	struct tl_cpus cpu;
	const char *cgroup;
	struct tl_regex name;
	const char *output;       /* file for what is shown; NULL: stdout */
	const char *write, *read; /* captures; NULL: none */
	bool write_dir;           /* @write is a directory for captures */
	uint64_t max_size;        /* bytes of one; 0: no maximum */
	uint64_t max_total;  /* bytes of all in a directory; 0: the usual */
	unsigned int rotate; /* so many are kept; 0: one */
	uint64_t last;       /* ns: that much is written; 0: all */
	const char *trigger; /* when that is so; NULL: at the end */
};

enum tl_time { TL_TIME_CLOCK, TL_TIME_RELATIVE, TL_TIME_WALL, TL_TIME_ISO };

const struct tl_settings *tl_settings(const struct tl_session *s);
/**
 * tl_data_format - the option that has rows become data for programs, with all that is
 * known of them: "--json", "--csv", "--perfetto" or "--metrics"; NULL: they are text
 */
const char *tl_data_format(const struct tl_session *s);

/**
 * tl_settings_who - whether -p, -L, --cgroup or -n is given, now or for the
 * capture's run; whether a run leaves threads out is said by tl_tasks_filtered()
 */
bool tl_settings_who(const struct tl_settings *set);

#pragma GCC visibility pop

#endif
