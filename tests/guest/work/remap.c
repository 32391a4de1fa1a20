/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remap N [FILE...]: calls reached() N times; then maps the code of each file, which is a copy
 * of this program, at the same address, where the one before was, and calls its reached() N
 * times.  With files it begins at the first line on its input, and ends with that.
 */
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PLACE ((char *)0x200000000000)

/* code that lies in the file as it does in memory */
struct code {
	size_t offset, size;
};

typedef void reached_fn(void);

void reached(void);
__attribute__((noinline)) void reached(void)
{
	__asm__ volatile("");
}

void caller(reached_fn *fn, int count);
__attribute__((noinline)) void caller(reached_fn *fn, int count)
{
	while (count-- > 0)
		fn();
	__asm__ volatile("");
}

static int find_code(struct dl_phdr_info *info, size_t size, void *data)
{
	struct code *code = data;
	const ElfW(Phdr) * p;
	uintptr_t at;
	int i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
		p = &info->dlpi_phdr[i];
		at = (uintptr_t)(info->dlpi_addr + p->p_vaddr);
		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) ||
		    (uintptr_t)reached - at >= p->p_memsz)
			continue;
		*code = (struct code){
			.offset = p->p_offset + ((uintptr_t)reached - at),
			.size = p->p_offset + p->p_filesz,
		};
		return 1;
	}
	return 0;
}

static int call_in(const char *path, const struct code *code, int count)
{
	const int fd = open(path, O_RDONLY);
	char *map;

	if (fd < 0)
		return -1;
	map = mmap(PLACE, code->size, PROT_READ | PROT_EXEC,
		   MAP_PRIVATE | MAP_FIXED, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		return -1;
	caller((reached_fn *)(uintptr_t)(map + code->offset), count);
	return 0;
}

int main(int argc, char *argv[])
{
	const int count = argc > 1 ? atoi(argv[1]) : 1;
	struct code code;
	int i;

	if (argc > 2) {
		printf("here\n");
		fflush(stdout);
		getchar();
	}
	caller(reached, count);
	if (!dl_iterate_phdr(find_code, &code))
		return 1;
	for (i = 2; i < argc; i++) {
		if (call_in(argv[i], &code, count)) {
			perror(argv[i]);
			return 1;
		}
		printf("called\n");
		fflush(stdout);
		getchar();
	}
	return 0;
}
