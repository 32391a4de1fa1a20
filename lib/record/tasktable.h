/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tasktable.h - what is known of threads, for who fills it in */
#ifndef TL_RECORD_TASKTABLE_H
#define TL_RECORD_TASKTABLE_H

#include "base/session.h"
#include "record/task.h"
#include "tracelet/event.h"
#include "tracelet/text.h"

#define TL_COMM_LEN 16
/* an exiting thread has records after its exit event: keep the last ones */
#define TL_KEEP_DEAD 1024

struct tl_task {
	struct tl_task *next;
	pid_t pid;
	pid_t process, parent; /* 0: not known */
	unsigned int cgroup;   /* its number; 0: not asked for yet */
	bool wanted, dead;
	bool recorded;      /* of a capture: its run recorded what this does */
	bool gone;          /* /proc has it no more */
	bool late;          /* its name was read behind records of it */
	bool compat;        /* of a process: it is a 32-bit program */
	bool executed;      /* and whether it still is, is not known yet */
	unsigned int epoch; /* what is known of it is from then */
	size_t comm_len;
	char comm[TL_COMM_LEN];
};

struct tl_tasks {
	const struct tl_tasks_ops *ops;
	struct tl_task **buckets;
	struct tl_task *last; /* that was asked for */
	size_t size, count;
	bool filter;
	bool some;      /* of a capture: its run had one */
	bool everyone;  /* the kernel records all, whatever the tool's flags */
	bool functions; /* it is for function tracers too */
	bool watch_compat;
	bool threads; /* all are taken in at the start */
	bool scanned; /* that has been done */
	bool ignored; /* nobody will ask for one */
	bool blind;   /* /proc counts processes of another PID namespace */
	bool past;    /* these are as they were some time ago */
	bool all;     /* also those that have ended */
	unsigned int epoch; /* losses so far */
	pid_t self;
	pid_t dead[TL_KEEP_DEAD];
	unsigned int next_dead;
	struct tl_field new_pid, new_comm, new_flags;
	struct tl_field rename_pid, rename_old, rename_comm;
	struct tl_field exit_pid, exit_comm;
};

/** Whose threads they are: this machine's, or a capture's. */
struct tl_tasks_ops {
	/** before records: what is known of threads; 0 or -ENOMEM */
	int (*open)(struct tl_session *s);
	/**
	 * whether threads can be asked for; @in_kernel: others are not
	 * recorded; 0, or -errno after a message
	 */
	int (*check)(struct tl_session *s, bool in_kernel);
	/** mark who is asked for; 0, or -errno after a message */
	int (*want)(struct tl_session *s);
	/** mark who began while records were lost; NULL: nobody can */
	void (*look_again)(struct tl_session *s);
	/** @parent has started @task; NULL: nothing more to mark */
	void (*begins)(struct tl_session *s, struct tl_task *task,
		       const struct tl_task *parent);
};

/** tl_task_get - that of @pid, made where there is none; NULL without memory */
struct tl_task *tl_task_get(struct tl_tasks *t, pid_t pid);
/**
 * tl_task_next - the one behind @task; NULL: the first, and no more
 *
 * None may be added or forgotten from one call to the next.
 */
struct tl_task *tl_task_next(const struct tl_tasks *t,
			     const struct tl_task *task);
void tl_task_set_comm(struct tl_task *task, struct tl_str comm);
/** tl_task_complete - ask /proc for what is not known, or out of date */
void tl_task_complete(struct tl_tasks *t, struct tl_task *task);

/* ---- asked.c: -p, -L, --follow, --cgroup ---------------------------------- */

/** The threads of this machine. */
extern const struct tl_tasks_ops tl_tasks_here;

/** tl_tasks_in_kernel - whether it records wanted threads only, or we drop the others */
bool tl_tasks_in_kernel(const struct tl_session *s);
/** tl_tasks_ask - do what these options say; 0, or -errno after a message */
int tl_tasks_ask(struct tl_session *s);

#endif
