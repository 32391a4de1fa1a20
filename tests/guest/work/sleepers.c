/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sleepers N FIFO: N threads sleep in open(2) of FIFO for reading; then it is
 * opened for writing once, which wakes them all.
 */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *fifo;

static void *sleeper(void *arg)
{
	close(open(fifo, O_RDONLY));
	return arg;
}

/* Whether all but the main thread are asleep. */
static int all_asleep(int count)
{
	char path[300], line[512], *p;
	struct dirent *d;
	int asleep = 0;
	FILE *f;
	DIR *dir = opendir("/proc/self/task");

	while ((d = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/self/task/%s/stat",
			 d->d_name);
		f = d->d_name[0] == '.' ? NULL : fopen(path, "r");
		if (!f)
			continue;
		p = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
		asleep += p && p[2] == 'S';
		fclose(f);
	}
	closedir(dir);
	return asleep >= count;
}

int main(int argc, char **argv)
{
	int count = argc == 3 ? atoi(argv[1]) : 0, i, fd;
	pthread_t *threads = calloc(count, sizeof(*threads));
	pthread_attr_t attr;

	if (!count || !threads)
		return 2;
	fifo = argv[2];
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	for (i = 0; i < count; i++)
		if (pthread_create(&threads[i], &attr, sleeper, NULL))
			return 1;
	while (!all_asleep(count))
		usleep(20000);
	fd = open(fifo, O_WRONLY);
	for (i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	close(fd);
	return 0;
}
