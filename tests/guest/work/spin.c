/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spin soft US COUNT [CPU]: COUNT softirqs NET_RX that take US microseconds at least: the
 * filter of a socket on the loopback device looks at the clock until they are over, at
 * each datagram.
 * spin hard US COUNT SYSTEM:EVENT [CPU]: the same of interrupts of this thread, which
 * computes: a program at this event, the begin of a handler, looks at the clock.
 * Both print the thread's id first, go on after a line of input, and print how many
 * there were.
 */
#include <arpa/inet.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_TURNS 2000        /* of a loop: the verifier follows each of them */
#define COPIED    (128 << 10) /* bytes in each, which takes long enough */

/* Of linux/bpf.h, whose BPF_K, BPF_ADD, BPF_LD, BPF_IMM and BPF_W are 0. */
enum {
	CALL = BPF_JMP | BPF_CALL,
	EXIT = BPF_JMP | BPF_EXIT,
	MOV_X = BPF_ALU64 | BPF_MOV | BPF_X,
	MOV_K = BPF_ALU64 | BPF_MOV,
	ADD_K = BPF_ALU64,
	LSH_K = BPF_ALU64 | BPF_LSH,
	RSH_K = BPF_ALU64 | BPF_RSH,
	JGE_X = BPF_JMP | BPF_JGE | BPF_X,
	JLT_K = BPF_JMP | BPF_JLT,
	JNE_K = BPF_JMP | BPF_JNE,
	JEQ_K = BPF_JMP | BPF_JEQ,
	STORE_W = BPF_ST | BPF_MEM,
	LOAD_MAP = BPF_DW,
	ADD_TO = BPF_STX | BPF_XADD | BPF_DW,
};

static struct bpf_insn program[64];
static unsigned int length;
static char log_text[1 << 16];

static int fail(const char *what)
{
	perror(what);
	if (*log_text)
		fputs(log_text, stderr);
	exit(1);
}

static void add(uint8_t code, unsigned int dst, unsigned int src, int16_t off,
		int32_t imm)
{
	program[length++] =
		(struct bpf_insn){ code, dst & 15, src & 15, off, imm };
}

static void call(int function)
{
	add(CALL, 0, 0, 0, function);
}

static long bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static int new_map(unsigned int size)
{
	/* before Linux 5.11 maps count as locked memory */
	const struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	union bpf_attr attr = { .map_type = BPF_MAP_TYPE_ARRAY,
				.key_size = 4,
				.value_size = size,
				.max_entries = 2 };
	int map;

	setrlimit(RLIMIT_MEMLOCK, &all);
	map = (int)bpf(BPF_MAP_CREATE, &attr);
	return map < 0 ? fail("BPF_MAP_CREATE") : map;
}

/* r1 and r2: @map, and @key. */
static void add_key(int map, int key)
{
	add(STORE_W, 10, 0, -4, key);
	add(LOAD_MAP, 1, BPF_PSEUDO_MAP_FD, 0, map);
	add(0, 0, 0, 0, 0);
	add(MOV_X, 2, 10, 0, 0);
	add(ADD_K, 2, 0, 0, -4);
}

/* First value of @map into @reg; without one, the end. */
static void add_lookup(int map, unsigned int reg)
{
	add_key(map, 0);
	call(BPF_FUNC_map_lookup_elem);
	add(JNE_K, 0, 0, 1, 0);
	add(EXIT, 0, 0, 0, 0);
	add(MOV_X, reg, 0, 0, 0);
}

/* Copies a value to another one until the clock is @us on, which is r7; r8 counts. */
static void add_spin(int us)
{
	const int map = new_map(COPIED);
	unsigned int turn;

	call(BPF_FUNC_ktime_get_ns);
	add(MOV_X, 7, 0, 0, 0);
	add(ADD_K, 7, 0, 0, us * 1000);
	add(MOV_K, 8, 0, 0, 0);
	add_lookup(map, 6);
	turn = length;
	add_key(map, 1);
	add(MOV_X, 3, 6, 0, 0);
	add(MOV_K, 4, 0, 0, BPF_ANY);
	call(BPF_FUNC_map_update_elem);
	call(BPF_FUNC_ktime_get_ns);
	add(JGE_X, 0, 7, 2, 0);
	add(ADD_K, 8, 0, 0, 1);
	add(JLT_K, 8, 0, (int16_t)(turn - length - 1), MAX_TURNS);
}

static void add_end(int32_t result)
{
	add(MOV_K, 0, 0, 0, result);
	add(EXIT, 0, 0, 0, 0);
}

static int load(enum bpf_prog_type type)
{
	union bpf_attr attr = { .prog_type = type,
				.insn_cnt = length,
				.insns = (uintptr_t)program,
				.license = (uintptr_t) "GPL",
				.log_buf = (uintptr_t)log_text,
				.log_size = sizeof(log_text),
				.log_level = 1 };
	int fd = (int)bpf(BPF_PROG_LOAD, &attr);

	/* of a program that is good, too much may have been said */
	if (fd < 0) {
		attr.log_level = attr.log_size = 0;
		attr.log_buf = 0;
		fd = (int)bpf(BPF_PROG_LOAD, &attr);
	}
	return fd < 0 ? fail("BPF_PROG_LOAD") : fd;
}

static void begin(const char *cpu)
{
	cpu_set_t set;
	char line[8];

	CPU_ZERO(&set);
	CPU_SET(cpu ? atoi(cpu) : 0, &set);
	if (cpu && sched_setaffinity(0, sizeof(set), &set))
		fail("sched_setaffinity");
	printf("%ld\n", syscall(SYS_gettid));
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		exit(1);
}

static void soft(int us, int count, const char *cpu)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(at);
	int fd = socket(AF_INET, SOCK_DGRAM, 0), filter, i;
	char byte = 0;

	add_spin(us);
	add_end(-1);
	filter = load(BPF_PROG_TYPE_SOCKET_FILTER);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, size) ||
	    getsockname(fd, (struct sockaddr *)&at, &size) ||
	    connect(fd, (struct sockaddr *)&at, size) ||
	    setsockopt(fd, SOL_SOCKET, SO_ATTACH_BPF, &filter, sizeof(filter)))
		fail("socket");
	begin(cpu);
	for (i = 0; i < count; i++)
		if (send(fd, &byte, 1, 0) != 1 || recv(fd, &byte, 1, 0) != 1)
			fail("send");
	printf("%d\n", count);
}

/* Not of other threads; of this one, each is counted in @map. */
static void add_count(int map)
{
	call(BPF_FUNC_get_current_pid_tgid);
	add(LSH_K, 0, 0, 0, 32);
	add(RSH_K, 0, 0, 0, 32);
	add(JEQ_K, 0, 0, 2, (int32_t)syscall(SYS_gettid));
	add_end(0);
	add_lookup(map, 6);
	add(MOV_K, 1, 0, 0, 1);
	add(ADD_TO, 6, 1, 0, 0);
}

static int attach(const char *event, int filter)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT,
					.size = sizeof(attr),
					.sample_period = 1 };
	const char *name = strchr(event, ':');
	char path[256];
	unsigned int id;
	FILE *f;
	int fd;

	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%.*s/%s/id",
		 (int)(name - event), event, name + 1);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%u", &id) != 1)
		fail(path);
	fclose(f);
	attr.config = id;
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
	if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_BPF, filter) ||
	    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		fail("perf_event_open");
	return fd;
}

static uint64_t count_of(int map)
{
	uint32_t key = 0;
	uint64_t value = 0;
	union bpf_attr attr = { .map_fd = (uint32_t)map,
				.key = (uintptr_t)&key,
				.value = (uintptr_t)&value };

	if (bpf(BPF_MAP_LOOKUP_ELEM, &attr))
		fail("BPF_MAP_LOOKUP_ELEM");
	return value;
}

static void hard(int us, int count, const char *event, const char *cpu)
{
	int map = new_map(sizeof(uint64_t)), filter, fd;

	add_count(map);
	add_spin(us);
	add_end(0);
	filter = load(BPF_PROG_TYPE_TRACEPOINT);
	begin(cpu);
	fd = attach(event, filter);
	while (count_of(map) < (uint64_t)count)
		;
	close(fd);
	printf("%llu\n", (unsigned long long)count_of(map));
}

int main(int argc, char **argv)
{
	const int is_hard = argc > 4 && !strcmp(argv[1], "hard");

	if (argc < 4) {
		fprintf(stderr,
			"usage: spin soft|hard US COUNT [EVENT] [CPU]\n");
		return 2;
	}
	if (is_hard)
		hard(atoi(argv[2]), atoi(argv[3]), argv[4], argv[5]);
	else
		soft(atoi(argv[2]), atoi(argv[3]), argv[4]);
	return 0;
}
