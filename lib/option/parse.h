/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parse.h - what a user gave, parsed strictly */
#ifndef TL_OPTION_PARSE_H
#define TL_OPTION_PARSE_H

#include "tracelet/inet.h"
#include "tracelet/session.h"
#include "tracelet/text.h"

/**
 * tl_regex_compile - compile an expression, for an option or an argument
 * @what: its name, for the message
 *
 * @text must live as long as @re.  Returns 0 or -EINVAL after tl_usage().
 */
int tl_regex_compile(struct tl_regex *re, const char *what, const char *text);
void tl_regex_free(struct tl_regex *re);
/**
 * tl_regex_check - before tl_regex_compile(), where records of a capture are matched: 0,
 * or -EINVAL after tl_usage() for what could take more memory or time than its reader
 * has
 */
int tl_regex_check(const char *what, const char *text);

/*
 * Strict parsers: the whole text or -EINVAL, no message; -ERANGE for what is
 * out of bounds, -EOVERFLOW for a time that 63 bits of ns do not hold.  Sizes,
 * and times but for those in microseconds, are above 0; digits below 1 ns count
 * for nothing.  Behind a time can be us, ms, s, m (60 s) or h, whatever it is in
 * without.
 */
int tl_parse_uint(const char *text, uint64_t min, uint64_t max, uint64_t *out);
int tl_parse_seconds(const char *text, uint64_t *ns);
int tl_parse_msecs(const char *text, uint64_t *ns);
int tl_parse_usecs(const char *text, uint64_t *ns);
/* a list of ids; -E2BIG for more than TL_PIDS_MAX */
int tl_parse_pids(const char *text, struct tl_pids *pids);
/* a list of numbers and ranges; -E2BIG for more than TL_CPU_RANGES_MAX */
int tl_parse_cpus(const char *text, struct tl_cpus *cpus);
int tl_parse_size(const char *text, uint64_t *bytes);
/*
 * in millionths, at least one: "1%", "0.5%" or the number alone; -ERANGE above 100
 */
int tl_parse_percent(const char *text, unsigned int *millionths);

/** tl_arg_msecs - as tl_arg_seconds(), of milliseconds above 0 */
int tl_arg_msecs(const char *what, const char *text, uint64_t *ns);

/* inet.c: the same, and -E2BIG for more than TL_PORTS_MAX */
int tl_parse_network(const char *text, struct tl_network *net);
int tl_parse_ports(const char *text, struct tl_ports *ports);

#endif
