/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proc.h - what /proc says of a process; what tools call is in tracelet/proc.h
 */
#ifndef TL_BASE_PROC_H
#define TL_BASE_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>

/*
 * The processes of a capture are none of this machine's: a run that reads one does
 * not ask for them here.
 */

/**
 * tl_proc_read - a small file as it is now, without the newline at its end; its
 * length, or -1
 * @buf: terminated, empty where there is none
 */
ssize_t tl_proc_read(const char *path, char *buf, size_t size);
/** tl_proc_read_at - the same, from directory @dir */
ssize_t tl_proc_read_at(int dir, const char *path, char *buf, size_t size);

/**
 * tl_proc_comm - the name of a process; its length or -1, which leaves it empty
 */
ssize_t tl_proc_comm(pid_t pid, char *comm, size_t size);

/** tl_proc_is_kernels - whether thread @pid is one of the kernel's own */
bool tl_proc_is_kernels(pid_t pid);

/**
 * tl_proc_state - the letter of what thread @tid does, and the processor that it ran on
 * last; 0 if it is gone
 * @dir: as for tl_proc_each_thread()
 */
char tl_proc_state(int dir, pid_t tid, unsigned int *cpu);
/**
 * tl_proc_each_thread - call @fn for each thread that there is
 * @dir: a descriptor of the directory /proc/PID/task of its process
 */
void tl_proc_each_thread(void (*fn)(void *ctx, int dir, pid_t tid), void *ctx);

/** tl_proc_age - seconds since process @pid began, or -1 */
time_t tl_proc_age(pid_t pid);

#endif
