/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweep.h - whose an instance or a probe is, and the removal of dead ones */
#ifndef TL_TRACEFS_SWEEP_H
#define TL_TRACEFS_SWEEP_H

#include <stdbool.h>

/* An instance of ours is tl_TOOL_PID, and so is the group of its probes. */
#define TL_PREFIX "tl_"

/**
 * tl_sweep_is_ours - whether an instance, or a group of probes, is named as
 * ours are
 */
bool tl_sweep_is_ours(const char *name);

/**
 * tl_sweep_open - the instances of tracefs @root, locked until tl_sweep_close()
 *
 * Tools that start at the same time take turns here, so that none takes a new
 * instance that is not locked yet for a dead one.  Returns a descriptor or
 * -errno, without a message.
 */
int tl_sweep_open(int root);
void tl_sweep_close(int instances);

/**
 * tl_sweep_lock - take the lock of instance @name
 *
 * A session holds it for as long as it, or its guard, lives.  Unlike a process
 * id in the name, a lock also tells the living from the dead in another PID
 * namespace.  Returns a descriptor or -errno.
 */
int tl_sweep_lock(int instances, const char *name);

/**
 * tl_sweep_is_alive - whether the session of instance @name, and of the probes
 * in a group of this name, lives
 */
bool tl_sweep_is_alive(int instances, const char *name);

/**
 * tl_sweep_rmdir - end what instance @name records, and remove it; 0 or -errno
 */
int tl_sweep_rmdir(int instances, const char *name);
/** tl_sweep_rmdir_dead - the same, and -EBUSY when its session lives */
int tl_sweep_rmdir_dead(int instances, const char *name);

/** A line of dynamic_events: TYPE:GROUP/EVENT PLACE ARGS. */
struct tl_dynamic {
	char type;
	const char *name;  /* GROUP/EVENT */
	const char *place; /* and arguments; "" when there are none */
	char group[64];    /* "" when it has none */
};

/**
 * tl_dynamic_parse - take @line apart, and keep parts of it; false: it is none
 */
bool tl_dynamic_parse(struct tl_dynamic *d, char *line);

/** tl_sweep - remove all that dead sessions have left; @instances are locked */
void tl_sweep(int root, int instances);

#endif
