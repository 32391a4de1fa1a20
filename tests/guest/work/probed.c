/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Has functions of the kernel called with known values, by names of acts:
 *	open FILE	creates it anew, with O_RDWR | O_EXCL and mode 0640, writes
 *			"hello world", and reads 7 bytes at 3, then 100 at 3
 *	reads N		N times a byte from /dev/zero
 *	lengths N	N times from there: one byte, two bytes ..., as many at most
 *			as a page has
 *	bytes N		writes N bytes "a" to /dev/null, 65536 at most; in memory
 *			thousands more of them follow
 *	listen		a socket on a free port of 127.0.0.1, with SO_REUSEADDR
 *			and a backlog of 13; prints "PORT"
 *	signal		a child of a child has SIGWINCH when that one ends
 *	fork		a child that ends; prints "PARENT CHILD"
 *	capable		sets the host's name to what it is, as root and as nobody
 *	mount N		asks to change a mount whose device has a name of N bytes,
 *			4000 to 4095, in vain
 *	sleep MS
 */
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int act_open(const char *path)
{
	char text[100];
	int fd;

	unlink(path);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0640);
	if (fd < 0 || write(fd, "hello world", 11) != 11)
		return -1;
	if (pread(fd, text, 7, 3) != 7 || pread(fd, text, 100, 3) != 8)
		return -1;
	return close(fd);
}

static int act_reads(const char *count)
{
	int fd = open("/dev/zero", O_RDONLY), n = atoi(count);
	char c;

	while (n-- > 0)
		if (read(fd, &c, 1) != 1)
			return -1;
	return close(fd);
}

static int act_lengths(const char *count)
{
	int fd = open("/dev/zero", O_RDONLY), n = atoi(count), i;
	static char text[4096];

	for (i = 0; i < n; i++)
		if (read(fd, text, i % 4096 + 1) != i % 4096 + 1)
			return -1;
	return close(fd);
}

static int act_bytes(const char *count)
{
	int fd = open("/dev/null", O_WRONLY), n = atoi(count);
	static char text[2 * 65536];

	memset(text, 'a', sizeof(text));
	if (n > 65536 || write(fd, text, n) != n)
		return -1;
	return close(fd);
}

static int act_listen(void)
{
	struct sockaddr_in addr = { .sin_family = AF_INET,
				    .sin_addr.s_addr = htonl(0x7f000001) };
	socklen_t len = sizeof(addr);
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&addr, len) || listen(fd, 13) ||
	    getsockname(fd, (struct sockaddr *)&addr, &len))
		return -1;
	printf("%d\n", ntohs(addr.sin_port));
	return close(fd);
}

static int act_fork(void)
{
	pid_t child = fork();

	if (!child)
		_exit(0);
	printf("%d %d\n", getpid(), child);
	return waitpid(child, NULL, 0) == child ? 0 : -1;
}

/*
 * The kernel sends the signal from another file than that of its function, so that no
 * compiler has put that into what calls it.
 */
static int act_signal(void)
{
	sigset_t window;
	pid_t child;
	int ready[2], number;
	char byte;

	sigemptyset(&window);
	sigaddset(&window, SIGWINCH);
	if (pipe(ready) || sigprocmask(SIG_BLOCK, &window, NULL))
		return -1;
	child = fork();
	if (child) {
		close(ready[0]);
		close(ready[1]);
		return waitpid(child, NULL, 0) == child ? 0 : -1;
	}
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGWINCH);
		close(ready[1]); /* its parent goes on */
		sigwait(&window, &number);
		_exit(0);
	}
	close(ready[1]);
	_exit(read(ready[0], &byte, 1) != 0);
}

static int act_capable(void)
{
	char name[64] = "";
	pid_t child;

	gethostname(name, sizeof(name) - 1);
	if (sethostname(name, strlen(name)))
		return -1;
	child = fork();
	if (!child)
		_exit(setuid(65534) || !sethostname(name, strlen(name)));
	waitpid(child, NULL, 0);
	return 0;
}

static int act_mount(const char *count)
{
	char name[4096] = "";
	int n = atoi(count);

	if (n < 4000 || n > 4095)
		return -1;
	memset(name, 'n', (size_t)n);
	return mount(name, "/no-such", NULL, MS_REMOUNT, NULL) ? 0 : -1;
}

static int act_sleep(const char *ms)
{
	const struct timespec ts = { atol(ms) / 1000,
				     atol(ms) % 1000 * 1000000 };

	return nanosleep(&ts, NULL);
}

static int act(const char *name, char ***next)
{
	if (!strcmp(name, "listen"))
		return act_listen();
	if (!strcmp(name, "signal"))
		return act_signal();
	if (!strcmp(name, "fork"))
		return act_fork();
	if (!strcmp(name, "capable"))
		return act_capable();
	if (!**next)
		return -1;
	if (!strcmp(name, "open"))
		return act_open(*(*next)++);
	if (!strcmp(name, "reads"))
		return act_reads(*(*next)++);
	if (!strcmp(name, "bytes"))
		return act_bytes(*(*next)++);
	if (!strcmp(name, "lengths"))
		return act_lengths(*(*next)++);
	if (!strcmp(name, "mount"))
		return act_mount(*(*next)++);
	if (!strcmp(name, "sleep"))
		return act_sleep(*(*next)++);
	return -1;
}

int main(int argc, char **argv)
{
	char **next = argv + 1, *name;

	(void)argc;
	while ((name = *next++))
		if (act(name, &next)) {
			perror(name);
			return 1;
		}
	return 0;
}
