/* SPDX-License-Identifier: GPL-2.0-or-later */
/* block.h - block I/O */
#ifndef TRACELET_BLOCK_H
#define TRACELET_BLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "tracelet/option.h"
#include "tracelet/text.h"

#pragma GCC visibility push(default)

struct tl_session;
struct tl_tally;

/** A block I/O. */
struct tl_io {
	uint64_t start;  /* ns: when it was queued where that was asked for,
			  * else issued to its driver, the last time */
	uint64_t issued; /* ns; 0: never (an empty flush that was queued) */
	uint64_t end;    /* ns */
	uint64_t sector; /* of 512 bytes, on the disk */
	uint32_t bytes;
	uint32_t
		dev; /* of the disk, as the kernel has it: major << 20 | minor */
	int error;   /* errno, 0: none */
	unsigned int requeues; /* times that it was issued again */
	pid_t pid;             /* thread that began it */
	pid_t process;         /* and its process, if comm was asked for; 0 */
	char comm[16];         /* its name then, if it was asked for */
	char type[12];         /* "R", "WS", "FF", ... as blktrace has them */
};

/** What to tell about block I/O, and by which events. */
struct tl_io_config {
	const char *device; /* "8,0", "sda", "sda1", a path; NULL: all */
	const char *type;   /* a glob for the type; NULL: all */
	bool queued;        /* measure from queueing */
	bool bio;           /* bios, from submission on, instead of requests */
	bool comm;
	/**
	 * Called at the issue of each, once: all but the end is known; or NULL.
	 */
	void (*issued)(struct tl_session *s, const struct tl_io *io);
	/** Called at the end of each; or NULL. */
	void (*done)(struct tl_session *s, const struct tl_io *io);
	/**
	 * In place of both, where that will do: get how often I/O was issued
	 * with each size, in bytes, and how often a driver gave it back, to be
	 * issued again; or NULL.
	 */
	struct tl_tally *sizes, *again;
};

/**
 * TL_IO_OPTIONS - which I/O of config @io, in a tool's table of options; with these
 * letters, or 0
 */
#define TL_IO_OPTIONS(io, device_letter, type_letter)                         \
	TL_OPTION(device_letter, "device", "DEVICE",                          \
		  "only this one: maj,min, a name or a path; partitions too", \
		  TL_OPT_STRING, &(io).device),                               \
		TL_OPTION(type_letter, "type", "GLOB",                        \
			  "only types that match, as in '*R*'", TL_OPT_GLOB,  \
			  &(io).type)
/** TL_IO_QUEUED - the option for what its latency begins with */
#define TL_IO_QUEUED(io)                                                    \
	TL_OPTION('Q', NULL, NULL, "measure from queueing, not from issue", \
		  TL_OPT_FLAG, &(io).queued, "from")

/**
 * tl_io_open - trace block I/O as @config says, which is to live as long
 *
 * Applies -p, -L, --cgroup and -n to the thread that begins an I/O: the tool
 * says TL_FILTERS_TASKS.  Applies --cpu to what is called back for: the tool
 * says TL_FILTERS_CPUS.  In setup; one of issued() and done() is
 * set.  Without a disk @config->device: -ENODEV after a message.
 */
int tl_io_open(struct tl_session *s, const struct tl_io_config *config);
/**
 * tl_io_others - the number of I/O of other processes than those that are asked for,
 * if these had none; else 0
 */
uint64_t tl_io_others(const struct tl_session *s);

/** What I/O is counted by; the words of an option in this order. */
enum tl_io_by { TL_IO_BY_DISK, TL_IO_BY_TYPE, TL_IO_BY_NAME, TL_IO_BY_NOTHING };
/** tl_io_by_word - "disk"; NULL for TL_IO_BY_NOTHING */
const char *tl_io_by_word(enum tl_io_by by);
/**
 * tl_io_by_key - "sda", "WS" or, where the config has comm, a name; empty for
 * TL_IO_BY_NOTHING; valid as long as @io
 */
struct tl_str tl_io_by_key(struct tl_session *s, const struct tl_io *io,
			   enum tl_io_by by);

/**
 * tl_io_check - whether this kernel has the events for that; 0, or -ENOTSUP
 * after a message; of @config only queued and bio matter
 */
int tl_io_check(struct tl_session *s, const struct tl_io_config *config);

#pragma GCC visibility pop

#endif
