/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * io [-adw] [-s STEP] [-t THREADS] OPERATION DEVICE [OFFSET [SIZE [COUNT]]]
 *
 * COUNT operations of SIZE bytes, the next STEP bytes (SIZE) behind the last,
 * each when the one before it has ended, past the page cache.
 *   -a  all of a thread at once
 *   -d  do not bypass the page cache
 *   -t  so many threads do so at the same time, to the same places
 *   -w  wait for a line of input once the device is open
 * Prints what an operation failed with, one name per line.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/blkzoned.h>
#include <linux/fs.h>
#include <pthread.h>
#include <scsi/sg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static struct {
	const char *op;
	int fd, threads, at_once, cached, wait;
	long long offset, size, count, step;
	pthread_barrier_t all;
} env = { .threads = 1, .size = 4096, .count = 1 };

/* SCSI's INQUIRY; of 512 bytes and more, its end has sectors. */
static int inquire(void *data)
{
	unsigned char command[6] = { 0x12, 0, 0, env.size >> 8 & 0xff,
				     env.size & 0xff };
	struct sg_io_hdr io = { .interface_id = 'S', .timeout = 10000 };

	io.dxfer_direction = SG_DXFER_FROM_DEV;
	io.cmd_len = sizeof(command);
	io.cmdp = command;
	io.dxfer_len = env.size;
	io.dxferp = data;
	return ioctl(env.fd, SG_IO, &io);
}

static bool is(const char *op)
{
	return !strcmp(env.op, op);
}

static long operate(char *data, long long offset)
{
	struct iovec part = { data, (size_t)env.size };
	struct blk_zone_range zone = { offset / 512, env.size / 512 };
	uint64_t range[] = { offset, env.size };

	if (is("read"))
		return pread(env.fd, data, env.size, offset);
	if (is("write"))
		return pwrite(env.fd, data, env.size, offset);
	if (is("dsync"))
		return pwritev2(env.fd, &part, 1, offset, RWF_DSYNC);
	if (is("fsync"))
		return fsync(env.fd);
	if (is("discard"))
		return ioctl(env.fd, BLKDISCARD, range);
	if (is("reset"))
		return ioctl(env.fd, BLKRESETZONE, &zone);
	return is("inquiry") ? inquire(data) : -ENOSYS;
}

static void tell(long ret)
{
	if (ret < 0)
		printf("%s\n", strerrorname_np(ret == -1 ? errno : (int)-ret));
}

static void submit(char *data)
{
	struct iocb each[256] = { 0 }, *list[256];
	struct io_event event;
	aio_context_t ctx = 0;
	long i;

	for (i = 0; i < env.count; i++) {
		list[i] = &each[i];
		each[i].aio_fildes = env.fd;
		each[i].aio_lio_opcode =
			is("read") ? IOCB_CMD_PREAD : IOCB_CMD_PWRITE;
		each[i].aio_buf = (uintptr_t)data;
		each[i].aio_nbytes = env.size;
		each[i].aio_offset = env.offset + i * env.step;
	}
	if (syscall(SYS_io_setup, env.count, &ctx) ||
	    syscall(SYS_io_submit, ctx, env.count, list) != env.count)
		tell(-1);
	while (i-- && syscall(SYS_io_getevents, ctx, 1, 1, &event, NULL) == 1)
		tell(event.res);
}

static void *work(void *arg)
{
	char *data = aligned_alloc(4096, (env.size + 4095) / 4096 * 4096);
	long i;

	memset(data, 'x', env.size);
	pthread_barrier_wait(&env.all);
	if (env.at_once)
		submit(data);
	for (i = 0; i < env.count && !env.at_once; i++)
		tell(operate(data, env.offset + i * env.step));
	return arg;
}

int main(int argc, char **argv)
{
	long long *numbers[] = { &env.offset, &env.size, &env.count };
	const char *step = NULL;
	pthread_t thread[256];
	int opt, i;

	while ((opt = getopt(argc, argv, "+adws:t:")) > 0) {
		env.at_once |= opt == 'a';
		env.cached |= opt == 'd';
		env.wait |= opt == 'w';
		if (opt == 's')
			step = optarg;
		if (opt == 't')
			env.threads = atoi(optarg);
	}
	argv += optind;
	env.op = argv[0];
	for (i = 2; env.op && argv[1] && argv[i] && i < 5; i++)
		*numbers[i - 2] = atoll(argv[i]);
	env.step = step ? atoll(step) : env.size;
	if (i < 2 || env.threads > 256 || (env.at_once && env.count > 256))
		return 2;
	env.fd = open(argv[1], (is("read") ? O_RDONLY : O_RDWR) |
				       (env.cached ? 0 : O_DIRECT));
	if (env.fd < 0) {
		tell(-1);
		return 1;
	}
	if (env.wait)
		getchar();
	pthread_barrier_init(&env.all, NULL, env.threads);
	/* a thread of its own even if it is one: its id is not the process' */
	for (i = 0; i < env.threads; i++)
		pthread_create(&thread[i], NULL, work, NULL);
	for (i = 0; i < env.threads; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
