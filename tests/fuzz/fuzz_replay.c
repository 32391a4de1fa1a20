/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_replay.c - any file as a capture: the tool that it is of, with -r
 *
 * The tools are a library of their own here.  What they keep in variables is
 * for one run, so before each run its memory becomes what it was at the start.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "silent.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __lsan_is_turned_off(void);

/* What the tools' variables lead to is lost with them. */
int __lsan_is_turned_off(void)
{
	return 1;
}

typedef int tool_main(int argc, char **argv);

/* A main() each, named replay_TOOL. */
#define TOOL(id, name) tool_main replay_##id;
#include "tools.inc"
#undef TOOL

static const struct {
	const char *name;
	tool_main *main;
} tools[] = {
#define TOOL(id, name) { name, replay_##id },
#include "tools.inc"
};

/* ---- the tools' variables --------------------------------------------- */

static struct {
	char *at, *saved;
	size_t len;
} memory;

static int find_memory(struct dl_phdr_info *info, size_t size, void *name)
{
	const ElfW(Phdr) *p = info->dlpi_phdr;
	int i;

	(void)size;
	if (strcmp(info->dlpi_name, name) != 0)
		return 0;
	for (i = 0; i < info->dlpi_phnum; i++, p++)
		if (p->p_type == PT_LOAD && p->p_flags & PF_W) {
			memory.at = (char *)info->dlpi_addr + p->p_vaddr;
			memory.len = p->p_memsz;
		} else if (p->p_type == PT_GNU_RELRO) {
			/* the first part, which is read-only now */
			memory.saved = (char *)info->dlpi_addr + p->p_vaddr +
				       p->p_memsz;
		}
	return 1;
}

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* Redzones around variables are poison to who copies them by memcpy(). */
__attribute__((no_sanitize("address"))) static void copy(char *to,
							 const char *from)
{
	volatile char *out = to;
	size_t i;

	for (i = 0; i < memory.len; i++)
		out[i] = from[i];
}

static void restore(void)
{
	Dl_info info;
	char *from;

	if (memory.len) {
		copy(memory.at, memory.saved);
		return;
	}
	must(dladdr((void *)tools[0].main, &info));
	must(dl_iterate_phdr(find_memory, (void *)info.dli_fname));
	from = (char *)(((uintptr_t)memory.saved + 4095) & ~4095UL);
	if (memory.saved && from > memory.at) {
		memory.len -= (size_t)(from - memory.at);
		memory.at = from;
	}
	memory.saved = malloc(memory.len);
	must(memory.saved);
	copy(memory.saved, memory.at);
}

/* ---- files ------------------------------------------------------------ */

/* Behind those that libFuzzer has: what is opened from now on is ours. */
static int first_fd(void)
{
	static int first;
	int fd, last = 2;

	if (first)
		return first;
	for (fd = 3; fd < 1024; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			last = fd;
	do {
		first = open("/dev/null", O_RDWR | O_CLOEXEC);
	} while (first >= 0 && first <= last);
	must(first > last);
	close(first);
	return first;
}

/* What a capture makes a tool print can have no end, as its run could. */
#define OUTPUT_MAX (1 << 20)

static void open_output(void)
{
	const struct rlimit limit = { OUTPUT_MAX, OUTPUT_MAX };
	int fd = memfd_create("output", MFD_CLOEXEC);

	must(fd >= 0 && dup2(fd, STDOUT_FILENO) == STDOUT_FILENO);
	must(!setrlimit(RLIMIT_FSIZE, &limit));
	signal(SIGXFSZ, SIG_IGN);
	close(fd);
}

static void empty_output(void)
{
	static bool is_open;

	if (!is_open)
		open_output();
	is_open = true;
	must(!ftruncate(STDOUT_FILENO, 0));
	must(!lseek(STDOUT_FILENO, 0, SEEK_SET));
	clearerr(stdout);
}

/* ---- a run ------------------------------------------------------------ */

/* "tool" is the key of its name. */
static tool_main *find_tool(const uint8_t *data, size_t size)
{
	char key[64];
	size_t i;

	for (i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
		snprintf(key, sizeof(key), "tool%s", tools[i].name);
		if (memmem(data, size, key, strlen(key)))
			return tools[i].main;
	}
	return tools[0].main;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int first = first_fd(), fd;
	char option[64];
	char *argv[] = { (char *)"fuzz", option, NULL };

	empty_output();
	fd = memfd_create("fuzz", MFD_CLOEXEC);
	must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(option, sizeof(option), "--read=/proc/self/fd/%d", fd);
	restore();
	find_tool(data, size)(2, argv);
	/* a tool's end is that of its process */
	close_range((unsigned int)first, ~0U, 0);
	return 0;
}
