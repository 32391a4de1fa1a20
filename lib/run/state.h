/* SPDX-License-Identifier: GPL-2.0-or-later */
/* state.h - how a run goes; for what drives one: run.h is for all others */
#ifndef TL_RUN_STATE_H
#define TL_RUN_STATE_H

#include <signal.h>

#include "base/session.h"

/** Where sub-buffers go, in place of handlers or beside them: a capture. */
struct tl_sink {
	void *ctx;
	bool beside; /* handlers get records too, and rows are compared */
	/**
	 * Takes a sub-buffer of @stream; 0, -EFBIG, or another -errno after a
	 * message.
	 */
	int (*page)(void *ctx, unsigned int stream, const char *page,
		    size_t len);
	/** There are no more for now; as page(). */
	int (*pass)(void *ctx);
	/**
	 * What there is goes into a file, and the run goes on; 0 or -errno
	 * after a message.
	 */
	int (*write)(void *ctx);
	/** Says in the output what was written last. */
	void (*say)(void *ctx);
	/**
	 * Whether what did not fit into records is counted: no one file can
	 * tell.
	 */
	bool (*counts)(const void *ctx);
};

struct tl_run {
	char *typed;  /* the command line, as for a shell */
	char **words; /* of the command line and a capture; NULL: none */
	char *banner;
	bool no_banner;     /* nor that of a capture */
	char *who, *what;   /* parts of it that were asked for last */
	const char *head;   /* lines to show in front of rows, or NULL */
	uint64_t keep_caps; /* a bit for each capability */

	/* reading */
	struct tl_loop *live;
	struct tl_stream *streams;  /* beside those of the instance */
	unsigned int others;        /* so many */
	const struct tl_sink *sink; /* NULL: records go to handlers alone */
	bool unread;                /* nobody needs to read standard output */
	bool looks;                 /* tl_run_look() */
	bool no_wakeups;            /* look for records every 100 ms instead */
	bool triggered; /* a capture is to be written (--trigger, SIGUSR1), and is not yet */
	int signal;        /* that ended the run, or 0 */
	unsigned int gaps; /* processors whose next record is behind a loss */
	uint64_t start_ns;
	uint64_t stop_ns; /* of recording; 0: it goes on */
	uint64_t read_ns; /* until when all records were given; 0: none yet */
	uint64_t paused;  /* ns: sum of the pauses that have ended */
	uint64_t
		paused_at; /* --max-cpu: since then there are no records; 0: there are */
	bool cut_short; /* of a capture not all is read */

	/* the command whose end ends the run */
	int child_fd; /* becomes readable then; -1: none */
	/**
	 * Passes on a signal; returns until when to wait for what comes of it.
	 */
	uint64_t (*child_signal)(struct tl_session *s, const siginfo_t *info);

	/* intervals */
	uint64_t interval;      /* ns; 0: there are none */
	unsigned int intervals; /* still to come; 0: no end */
	int (*on_interval)(struct tl_session *s, uint64_t ns);
	bool failed; /* one of them has */
};

#endif
