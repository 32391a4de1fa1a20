/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kprobe.h - probes on all functions that were asked for */
#ifndef TL_PROBE_KPROBE_H
#define TL_PROBE_KPROBE_H

#include "tracelet/function.h"
#include "tracelet/kprobe.h"

/**
 * tl_kprobe_add - as tl_kprobes_add(), of one definition
 */
int tl_kprobe_add(struct tl_session *s, const char *definition,
		  const struct tl_kprobe_config *config);

/**
 * tl_kprobe_entries - probe the entries of what tl_functions_filter() was given
 * @except: as that was given
 * @args:   fetch all arguments where they are known
 *
 * The field that TL_CALLER names comes first, if this machine has it.  Returns
 * how many are probed, or -errno after a message.
 */
int tl_kprobe_entries(struct tl_session *s, const struct tl_functions *except,
		      bool args, const struct tl_kprobe_config *config);

/**
 * tl_kprobe_is_its_own - whether @err of tl_kprobe_add() is of this function:
 * others may have what it has not
 */
bool tl_kprobe_is_its_own(int err);
/**
 * tl_kprobe_say_bare - say that @count of @all functions are without arguments
 */
void tl_kprobe_say_bare(size_t count, size_t all);

#endif
