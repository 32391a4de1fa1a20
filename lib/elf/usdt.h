/* SPDX-License-Identifier: GPL-2.0-or-later */
/* usdt.h - static probes of programs */
#ifndef TL_ELF_USDT_H
#define TL_ELF_USDT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tl_object;

/** A static probe (USDT), at one of its places. */
struct tl_usdt {
	const char *provider, *name;
	uint64_t offset;
	uint64_t semaphore;   /* where its counter is; 0: it has none */
	bool unreachable;     /* it has one, but not in the file */
	const char *args;     /* as in the file: "-4@%edi 8@-8(%rbp)" */
	unsigned int machine; /* ELF's number */
};

/**
 * tl_object_usdts - call @fn for each place of each, sorted, until it returns
 * other than 0, which is returned
 */
int tl_object_usdts(struct tl_object *o,
		    int (*fn)(void *ctx, const struct tl_usdt *u), void *ctx);

/** An argument of a static probe, for a probe's definition. */
struct tl_usdt_arg {
	char place[48]; /* fetches the value: "%di", "-8(%bp)", "\5" */
	char type[8];   /* "s32" */
};

/**
 * tl_usdt_arg - argument @n, from 1 on, of @u
 *
 * Returns 0, -ENOENT when it has not so many, or -ENOTSUP when a probe cannot
 * fetch it; without a message.
 */
int tl_usdt_arg(const struct tl_usdt *u, unsigned int n,
		struct tl_usdt_arg *arg);
/**
 * tl_usdt_fetch - all that can be fetched, "arg1=%di:s32 arg3=\5:u8"; returns
 * how many cannot, or -ENAMETOOLONG
 */
int tl_usdt_fetch(const struct tl_usdt *u, char *text, size_t size);

#endif
