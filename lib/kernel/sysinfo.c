// SPDX-License-Identifier: GPL-2.0-or-later
/* sysinfo.c - what a report on this system begins with */
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/message.h"
#include "base/permit.h"
#include "base/session.h"
#include "elf/object.h"
#include "tracefs/file.h"
#include "tracelet/btf.h"
#include "tracelet/syscall.h"
#include "tracelet/system.h"

static void kernel(char *text, size_t size)
{
	struct utsname u;

	*text = '\0';
	if (!uname(&u))
		snprintf(text, size, "%s %s %s", u.release, u.machine,
			 u.version);
}

static void user(char *text, size_t size)
{
	cap_t caps = cap_get_proc();
	char *names = caps ? cap_to_text(caps, NULL) : NULL;

	snprintf(text, size, "uid %d, capabilities %s", geteuid(),
		 names ?: "unknown");
	if (names)
		cap_free(names);
	if (caps)
		cap_free(caps);
}

/* Where it is, or why it cannot be had. */
static void tracefs(char *text, size_t size)
{
	struct tl_buf said = { 0 }, *before = tl_message_keep(&said);
	const char *why;
	char *path;
	int fd = tl_fs_root(&path);

	tl_message_keep(before);
	if (fd >= 0) {
		snprintf(text, size, "%s", path);
		free(path);
		close(fd);
	} else {
		why = said.len ? memmem(said.data, said.len, ": ", 2) : NULL;
		snprintf(text, size, "%.*s",
			 why ? (int)(said.data + said.len - why - 3) : 7,
			 why ? why + 2 : "unknown");
	}
	tl_buf_free(&said);
}

static void ftrace_enabled(char *text, size_t size)
{
	tl_first_line("/proc/sys/kernel/ftrace_enabled", text, size);
}

static void kptr_restrict(char *text, size_t size)
{
	tl_first_line("/proc/sys/kernel/kptr_restrict", text, size);
}

static void btf(char *text, size_t size)
{
	struct tl_buf said = { 0 }, *before = tl_message_keep(&said);
	int ret = tl_btf_check(NULL);
	const char *why =
		said.len ? memmem(said.data, said.len, ": ", 2) : NULL;

	tl_message_keep(before);
	snprintf(text, size, "%.*s",
		 ret && why ? (int)(said.data + said.len - why - 3) : 3,
		 ret && why ? why + 2
		 : ret      ? "no"
			    : "yes");
	tl_buf_free(&said);
}

struct list {
	char *text;
	size_t size, len;
};

/* The version in full is only in the file's real name. */
static int add_library(struct dl_phdr_info *info, size_t size, void *data)
{
	static const char *const ours[] = { "libtracelet", "libtracefs",
					    "libtraceevent", "libelf",
					    "libseccomp" };
	struct list *l = data;
	char *path = realpath(info->dlpi_name, NULL);
	const char *name = path ? strrchr(path, '/') : NULL;
	size_t i;

	for (i = 0; name && i < sizeof(ours) / sizeof(ours[0]); i++)
		if (!strncmp(name + 1, ours[i], strlen(ours[i])) &&
		    l->len < l->size)
			l->len += (size_t)snprintf(
				l->text + l->len, l->size - l->len, "%s%s",
				l->len ? ", " : "", name + 1);
	free(path);
	return 0;
}

static void libraries(char *text, size_t size)
{
	struct list l = { text, size, 0 };
	struct tl_buf said = { 0 }, *before = tl_message_keep(&said);

	/* those that are loaded when needed, too */
	tl_object_check(NULL);
	tl_syscall_names();
	tl_message_keep(before);
	tl_buf_free(&said);
	dl_iterate_phdr(add_library, &l);
}

/* What made it leaves a note, which can also be in a copy of its files. */
static void container(char *text, size_t size)
{
	const ino_t host = 0xeffffffc; /* PROC_PID_INIT_INO */
	struct stat st;
	char by[64];

	tl_first_line("/run/systemd/container", by, sizeof(by));
	if (!*by && !access("/.dockerenv", F_OK))
		snprintf(by, sizeof(by), "docker");
	if (!*by && !access("/run/.containerenv", F_OK))
		snprintf(by, sizeof(by), "podman");
	if (stat("/proc/self/ns/pid", &st))
		snprintf(text, size, "%s", by);
	else if (st.st_ino != host)
		snprintf(text, size,
			 "%s%s a PID namespace of its own: process ids "
			 "are shown as the host has them, and those of before "
			 "have no name (--pid=host)",
			 by, *by ? ", with" : "with");
	else
		snprintf(text, size, "%s%s", *by ? by : "no",
			 *by ? ", with the host's PID namespace" : "");
}

static const struct {
	const char *name;
	void (*get)(char *text, size_t size);
} facts[] = {
	{ "kernel", kernel },
	{ "user", user },
	{ "tracefs", tracefs },
	{ "lockdown", tl_lockdown },
	{ "kernel.ftrace_enabled", ftrace_enabled },
	{ "kernel.kptr_restrict", kptr_restrict },
	{ "BTF", btf },
	{ "container", container },
	{ "libraries", libraries },
};

void tl_system(struct tl_session *s,
	       void (*fn)(struct tl_session *s, const char *name,
			  const char *value))
{
	char text[1024];
	size_t i;

	fn(s, "tracelets", TL_VERSION);
	for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		facts[i].get(text, sizeof(text));
		fn(s, facts[i].name, *text ? text : NULL);
	}
}
