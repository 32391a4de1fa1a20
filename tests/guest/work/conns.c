// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * conns - TCP connections whose rows are known
 *
 * "conns [OPTION...] HOW PORT [UP DOWN [N]]" has a server, its child, and a client
 * make N connections at the same time, each with UP bytes to the server and DOWN
 * back.  HOW says what ends them:
 *   close-client, close-server, reset-client, reset-server   who is first, and how
 *   half-closed   the client ends its half before the server sends
 *   forked, handed   as close-client; a child of the server, or a process that gets
 *                 the socket in a message, serves and closes it
 *   queued        as close-client; the server accepts at a line of the input
 *   fastopen      as close-client; data comes with SYN, if sysctl lets it
 *   waitall, peeked, spliced, dropped   as close-client; all is received with MSG_WAITALL,
 *                 looked at first, moved to a pipe, or dropped by MSG_TRUNC
 *   sendfile, partial, zerocopy   as close-client; all is sent from a file, without
 *                 waiting, or with MSG_ZEROCOPY
 *   again         one after the other with the same socket of the client, which
 *                 connect() to AF_UNSPEC ends, the last but as close-client
 *   killed        at a line of the input both wait until an error ends it
 *   cut           the same, and nothing is sent before
 * "conns [OPTION...] overflow PORT BACKLOG N": the queue of the listener takes
 * BACKLOG + 1, the others wait in vain; at a line of the input all ends.
 * "conns [OPTION...] connect PORT [N]" only tries to connect.
 * "conns [OPTION...] short PORT": the same with an address of 4 bytes.
 * "conns [OPTION...] deferred PORT": the same with TCP_FASTOPEN_CONNECT.
 * "conns [OPTION...] abandoned PORT": at a line of the input it closes what has not
 * connected yet.
 *
 * Options: -a ADDRESS of the server (127.0.0.1), -n NETNS that it is in, by name,
 * -u MS after which both give up, -b BACKLOG of the server, -m for MPTCP, -x COMMAND
 * of a shell that is run when the server listens, before the client connects.
 *
 * Output: "ready" where a line of the input is waited for, then a line for each
 * connection: CLIENT LADDR LPORT SERVER RADDR RPORT UP DOWN RESULT CLOSER
 * CONNECT-BEGIN CONNECT-END ACCEPT-BEGIN ACCEPT-END CLIENT-ERROR SERVER-ERROR: process
 * ids, of which CLOSER is that of the server's side, times in us of CLOCK_MONOTONIC,
 * and errors that ended it.  "-": there is none.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CONNS_MAX 1024

union address {
	struct sockaddr any;
	struct sockaddr_in ipv4;
	struct sockaddr_in6 ipv6;
};

/* What the server knows of a connection; the client has it in shared memory. */
struct accepted {
	int fd;
	unsigned int port; /* of the client */
	pid_t closer;
	long begin, end;
	int failed; /* the error that ended it */
};

struct conn {
	int fd, error, failed;
	union address local;
	long begin, end;
};

static struct {
	const char *how, *netns, *command;
	union address server;
	socklen_t len;
	size_t up, down;
	int count, backlog, timeout, protocol;
	int go[2];         /* pipe: the client lets the server go on */
	int up_to_date[2]; /* pipe: the server has done so */
} env = { .count = 1, .backlog = CONNS_MAX };

static struct conn conns[CONNS_MAX];
static struct accepted *accepted;
static char bytes[65536];

static bool is(const char *how)
{
	return !strcmp(env.how, how);
}

/* There is no server. */
static bool is_alone(void)
{
	return is("connect") || is("abandoned") || is("short") ||
	       is("deferred");
}

static bool is_broken(void)
{
	return is("killed") || is("cut");
}

static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* ---- steps ------------------------------------------------------------ */

static void tell(const int pipe[2])
{
	if (write(pipe[1], "", 1) != 1)
		err(1, "pipe");
}

/* At its end too: the other process is gone. */
static void await(const int pipe[2])
{
	char c;

	if (read(pipe[0], &c, 1) != 1)
		errx(1, "the other side is gone");
}

/* Until a line of the input. */
static void await_user(void)
{
	char line[16];

	puts("ready");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		errx(1, "no line comes");
}

static ssize_t send_file(int fd, size_t count)
{
	static int file = -1;
	off_t from = 0;

	if (file < 0) {
		file = memfd_create("bytes", 0);
		if (file < 0 || ftruncate(file, sizeof(bytes)))
			err(1, "memfd_create");
	}
	return sendfile(fd, file, &from, count);
}

/* As much as there is room for, once there is some. */
static ssize_t send_part(int fd, size_t count)
{
	static char many[1 << 20];
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	ssize_t n;

	do {
		poll(&p, 1, -1);
		n = send(fd, many, count < sizeof(many) ? count : sizeof(many),
			 MSG_NOSIGNAL | MSG_DONTWAIT);
	} while (n < 0 && errno == EAGAIN);
	return n;
}

static ssize_t send_uncopied(int fd, size_t count)
{
	const int on = 1;

	if (setsockopt(fd, SOL_SOCKET, SO_ZEROCOPY, &on, sizeof(on)))
		return -1;
	return send(fd, bytes, count, MSG_NOSIGNAL | MSG_ZEROCOPY);
}

static ssize_t send_some(int fd, size_t count)
{
	if (is("partial"))
		return send_part(fd, count);
	if (count > sizeof(bytes))
		count = sizeof(bytes);
	if (is("zerocopy"))
		return send_uncopied(fd, count);
	return is("sendfile") ? send_file(fd, count)
			      : send(fd, bytes, count, MSG_NOSIGNAL);
}

static void send_bytes(int fd, size_t count)
{
	ssize_t n;

	for (; count; count -= (size_t)n) {
		n = send_some(fd, count);
		if (n < 0)
			err(1, "send");
	}
}

static ssize_t move_some(int fd, size_t count)
{
	static int pipes[2];
	ssize_t n;

	if (!pipes[1] && pipe(pipes))
		err(1, "pipe");
	n = splice(fd, NULL, pipes[1], NULL, count, 0);
	if (n > 0 && read(pipes[0], bytes, (size_t)n) != n)
		err(1, "pipe");
	return n;
}

static ssize_t receive_some(int fd, size_t count)
{
	int flags = is("waitall") ? MSG_WAITALL : is("dropped") ? MSG_TRUNC : 0;

	if (count > sizeof(bytes))
		count = sizeof(bytes);
	if (is("spliced"))
		return move_some(fd, count);
	if (is("peeked") && recv(fd, bytes, count, MSG_PEEK) <= 0)
		return -1;
	return recv(fd, bytes, count, flags);
}

static void receive(int fd, size_t count)
{
	ssize_t n;

	for (; count; count -= (size_t)n) {
		n = receive_some(fd, count);
		if (n <= 0)
			err(1, "%zu bytes are missing", count);
	}
}

static void expect_end(int fd)
{
	if (recv(fd, bytes, 1, 0) > 0)
		errx(1, "more bytes than expected");
}

/* Waits for the end, which may be an error, and says which one. */
static int expect_failure(int fd)
{
	ssize_t n = recv(fd, bytes, 1, 0);

	if (n > 0)
		errx(1, "more bytes than expected");
	return n ? errno : 0;
}

static void limit_time(int fd)
{
	if (env.timeout)
		setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &env.timeout,
			   sizeof(env.timeout));
}

static void reset(int fd)
{
	const struct linger at_once = { .l_onoff = 1 };

	if (setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)))
		err(1, "SO_LINGER");
	close(fd);
}

/* ---- the server ------------------------------------------------------- */

static void enter_netns(void)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "/run/netns/%s", env.netns);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, CLONE_NEWNET))
		err(1, "%s", path);
	close(fd);
}

static int new_listener(void)
{
	const int on = 1;
	int fd = socket(env.server.any.sa_family, SOCK_STREAM, env.protocol);

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_FASTOPEN, &env.count,
		   sizeof(env.count));
	limit_time(fd); /* and what it accepts */
	if (bind(fd, &env.server.any, env.len) || listen(fd, env.backlog))
		err(1, "listen");
	return fd;
}

static void accept_one(int listener, struct accepted *a)
{
	union address peer;
	socklen_t len = sizeof(peer);

	a->begin = now();
	a->fd = accept(listener, &peer.any, &len);
	a->end = now();
	if (a->fd < 0)
		err(1, "accept");
	a->closer = getpid();
	a->port = ntohs(peer.ipv4.sin_port); /* where it is of IPv6 too */
}

static void serve_bytes(int fd)
{
	receive(fd, env.up);
	if (is("half-closed"))
		expect_end(fd);
	send_bytes(fd, env.down);
}

/* Its end of a connection, with all bytes received at either side. */
static void serve_end(struct accepted *a)
{
	if (is("reset-server")) {
		reset(a->fd);
		return;
	}
	if (is("cut"))
		send_bytes(a->fd, env.down);
	if (is_broken() || is("again"))
		a->failed = expect_failure(a->fd);
	else if (!is("close-server"))
		expect_end(a->fd);
	close(a->fd);
}

/*
 * In the order in which their bytes come: that in which they are accepted need not be
 * that in which the client has connected, and sends.
 */
static void serve_senders(const struct accepted *a, int count)
{
	struct epoll_event e = { .events = EPOLLIN | EPOLLONESHOT };
	int all = epoll_create1(EPOLL_CLOEXEC), i;

	for (i = 0; i < count; i++) {
		e.data.fd = a[i].fd;
		if (epoll_ctl(all, EPOLL_CTL_ADD, a[i].fd, &e))
			err(1, "epoll_ctl");
	}
	for (i = 0; i < count; i++) {
		if (epoll_wait(all, &e, 1, -1) != 1)
			err(1, "epoll_wait");
		serve_bytes(e.data.fd);
	}
	close(all);
}

static void serve_all(struct accepted *a, int count)
{
	int i;

	if (env.up && !is("cut"))
		serve_senders(a, count);
	for (i = 0; i < count && !env.up && !is("cut"); i++)
		serve_bytes(a[i].fd);
	tell(env.up_to_date);
	await(env.go);
	for (i = 0; i < count; i++)
		serve_end(&a[i]);
}

static void serve_again(int listener)
{
	int i;

	for (i = 0; i < env.count; i++) {
		accept_one(listener, &accepted[i]);
		serve_bytes(accepted[i].fd);
		tell(env.up_to_date);
		serve_end(&accepted[i]);
	}
}

#define HAND_MAX 100 /* descriptors that a message takes */

static void hand(int to, const struct accepted *a, int count)
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int[HAND_MAX]))];
	} control = { 0 };
	struct iovec data = { .iov_base = bytes, .iov_len = 1 };
	struct msghdr m = { .msg_iov = &data,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen =
				    CMSG_SPACE((size_t)count * sizeof(int)) };
	int *fds = (int *)CMSG_DATA(&control.head), i;

	control.head.cmsg_level = SOL_SOCKET;
	control.head.cmsg_type = SCM_RIGHTS;
	control.head.cmsg_len = CMSG_LEN((size_t)count * sizeof(int));
	for (i = 0; i < count; i++)
		fds[i] = a[i].fd;
	if (sendmsg(to, &m, 0) != 1)
		err(1, "sendmsg");
}

static void take(int from, struct accepted *a, int count)
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int[HAND_MAX]))];
	} control;
	struct iovec data = { .iov_base = bytes, .iov_len = 1 };
	struct msghdr m = { .msg_iov = &data,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof(control) };
	int *fds = (int *)CMSG_DATA(&control.head), i;

	if (recvmsg(from, &m, 0) != 1)
		err(1, "recvmsg");
	for (i = 0; i < count; i++) {
		a[i].fd = fds[i];
		a[i].closer = getpid();
	}
}

/*
 * Another process gets what the server accepts: by fork(), or in a message.  It serves
 * when the server has closed it, so that it is the last that has it.
 */
static void delegate(int listener)
{
	static int own[CONNS_MAX]; /* the helper changes those of @accepted */
	int pair[2], closed[2], i;
	bool is_handed = is("handed");

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || pipe(closed))
		err(1, "socketpair");
	if (is_handed && !fork()) {
		prctl(PR_SET_NAME, "conns-helper");
		close(listener);
		take(pair[1], accepted, env.count);
		await(closed);
		serve_all(accepted, env.count);
		exit(0);
	}
	for (i = 0; i < env.count; i++) {
		accept_one(listener, &accepted[i]);
		own[i] = accepted[i].fd;
	}
	if (is_handed)
		hand(pair[0], accepted, env.count);
	else if (!fork()) {
		prctl(PR_SET_NAME, "conns-helper");
		for (i = 0; i < env.count; i++)
			accepted[i].closer = getpid();
		await(closed);
		serve_all(accepted, env.count);
		exit(0);
	}
	for (i = 0; i < env.count; i++)
		close(own[i]);
	tell(closed);
	wait(NULL);
}

static void serve(void)
{
	int listener, i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "conns-server");
	if (env.netns)
		enter_netns();
	listener = new_listener();
	tell(env.up_to_date);
	if (is("queued") || is("overflow"))
		await(env.go);
	if (is("forked") || is("handed")) {
		delegate(listener);
	} else if (is("again")) {
		serve_again(listener);
	} else {
		for (i = 0; i < env.count && i <= env.backlog; i++)
			accept_one(listener, &accepted[i]);
		serve_all(accepted, i);
	}
	exit(0);
}

/* ---- the client ------------------------------------------------------- */

static int new_socket(int flags)
{
	const int on = 1;
	int fd = socket(env.server.any.sa_family, SOCK_STREAM | flags,
			env.protocol);

	if (fd < 0)
		err(1, "socket");
	limit_time(fd);
	if (is("deferred"))
		setsockopt(fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &on,
			   sizeof(on));
	return fd;
}

static int connect_one(struct conn *c)
{
	c->begin = now();
	if (is("fastopen"))
		c->error = sendto(c->fd, bytes, env.up, MSG_FASTOPEN,
				  &env.server.any, env.len) == (ssize_t)env.up
				   ? 0
				   : errno;
	else
		c->error = connect(c->fd, &env.server.any,
				   is("short") ? 4 : env.len)
				   ? errno
				   : 0;
	c->end = now();
	return c->error;
}

static void remember(struct conn *c)
{
	socklen_t len = sizeof(c->local);

	getsockname(c->fd, &c->local.any, &len);
}

static void connect_all(void)
{
	int i, flags = is("abandoned") ? SOCK_NONBLOCK : 0;

	for (i = 0; i < env.count; i++) {
		if (i > env.backlog)
			flags = SOCK_NONBLOCK;
		conns[i].fd = new_socket(flags);
		if (connect_one(&conns[i]) && !flags && !is_alone())
			err(1, "connect");
		remember(&conns[i]);
	}
}

static void call_bytes(int fd)
{
	if (!is("fastopen"))
		send_bytes(fd, env.up);
	if (is("half-closed"))
		shutdown(fd, SHUT_WR);
	receive(fd, env.down);
}

static void call_end(int fd)
{
	if (is("reset-client")) {
		reset(fd);
		return;
	}
	if (is("close-server") || is("reset-server"))
		expect_end(fd);
	close(fd);
}

static void call_broken(struct conn *c)
{
	if (is("cut"))
		send_bytes(c->fd, env.up);
	c->failed = expect_failure(c->fd);
	close(c->fd);
}

static void call_all(int count)
{
	int i;

	for (i = 0; i < count && !is("cut"); i++)
		call_bytes(conns[i].fd);
	await(env.up_to_date);
	if (is_broken())
		await_user();
	tell(env.go);
	for (i = 0; i < count; i++)
		if (is_broken())
			call_broken(&conns[i]);
		else
			call_end(conns[i].fd);
}

static void call_again(void)
{
	const struct sockaddr nowhere = { .sa_family = AF_UNSPEC };
	int i, fd = new_socket(0);

	for (i = 0; i < env.count; i++) {
		conns[i].fd = fd;
		if (connect_one(&conns[i]))
			err(1, "connect");
		remember(&conns[i]);
		call_bytes(fd);
		await(env.up_to_date);
		if (i < env.count - 1 && connect(fd, &nowhere, sizeof(nowhere)))
			err(1, "connect to nowhere");
	}
	close(fd);
}

static void call(void)
{
	int served = env.count, i;

	if (is("again")) {
		call_again();
		return;
	}
	connect_all();
	if (is("abandoned") || is("queued") || is("overflow"))
		await_user();
	if (is("queued") || is("overflow"))
		tell(env.go);
	if (is("overflow") && served > env.backlog + 1)
		served = env.backlog + 1;
	/* else the queue that empties takes them */
	for (i = served; i < env.count; i++)
		close(conns[i].fd);
	if (is_alone())
		for (i = 0; i < env.count; i++)
			close(conns[i].fd);
	else
		call_all(served);
}

/* ---- what it was ------------------------------------------------------ */

static void print_end(const union address *a)
{
	char text[INET6_ADDRSTRLEN];

	if (a->any.sa_family == AF_INET)
		inet_ntop(AF_INET, &a->ipv4.sin_addr, text, sizeof(text));
	else if (IN6_IS_ADDR_V4MAPPED(&a->ipv6.sin6_addr))
		inet_ntop(AF_INET, &a->ipv6.sin6_addr.s6_addr[12], text,
			  sizeof(text));
	else
		inet_ntop(AF_INET6, &a->ipv6.sin6_addr, text, sizeof(text));
	printf(" %s %d", text, ntohs(a->ipv4.sin_port));
}

static const struct accepted *accepted_of(const struct conn *c)
{
	int i;

	for (i = 0; i < CONNS_MAX && accepted[i].port; i++)
		if (accepted[i].port == ntohs(c->local.ipv4.sin_port))
			return &accepted[i];
	return NULL;
}

static void print_error(int error)
{
	printf(" %s", error ? strerrorname_np(error) : "-");
}

static void print(const struct conn *c, pid_t server)
{
	const struct accepted *a = accepted_of(c);

	printf("%d", getpid());
	print_end(&c->local);
	if (a)
		printf(" %d", server);
	else
		printf(" -");
	print_end(&env.server);
	printf(" %zu %zu %s", a ? env.up : 0, a ? env.down : 0,
	       c->error ? strerrorname_np(c->error) : "ok");
	if (a)
		printf(" %d %ld %ld %ld %ld", a->closer, c->begin, c->end,
		       a->begin, a->end);
	else
		printf(" - %ld %ld - -", c->begin, c->end);
	print_error(c->failed);
	print_error(a ? a->failed : 0);
	putchar('\n');
}

/* ---- what it is told -------------------------------------------------- */

static void parse_address(const char *host, int port)
{
	if (inet_pton(AF_INET, host, &env.server.ipv4.sin_addr) == 1) {
		env.server.any.sa_family = AF_INET;
		env.len = sizeof(env.server.ipv4);
	} else {
		memset(&env.server, 0, sizeof(env.server));
		if (inet_pton(AF_INET6, host, &env.server.ipv6.sin6_addr) != 1)
			errx(2, "%s is no address", host);
		env.server.any.sa_family = AF_INET6;
		env.len = sizeof(env.server.ipv6);
	}
	env.server.ipv4.sin_port = htons(port);
}

static size_t number(char **argv, int argc, int i, size_t otherwise)
{
	return i < argc ? strtoul(argv[i], NULL, 10) : otherwise;
}

static void parse(int argc, char **argv)
{
	const char *host = "127.0.0.1";
	int c;

	while ((c = getopt(argc, argv, "+a:b:mn:u:x:")) != -1)
		if (c == 'a')
			host = optarg;
		else if (c == 'b')
			env.backlog = atoi(optarg);
		else if (c == 'm')
			env.protocol = IPPROTO_MPTCP;
		else if (c == 'x')
			env.command = optarg;
		else if (c == 'n')
			env.netns = optarg;
		else if (c == 'u')
			env.timeout = atoi(optarg);
		else
			exit(2);
	argv += optind;
	argc -= optind;
	if (argc < 2)
		errx(2, "usage: conns [OPTION...] HOW PORT [UP DOWN [N]]");
	env.how = argv[0];
	parse_address(host, atoi(argv[1]));
	if (is("overflow")) {
		env.backlog = (int)number(argv, argc, 2, 1);
		env.count = (int)number(argv, argc, 3, 3);
	} else if (is_alone()) {
		env.count = (int)number(argv, argc, 2, 1);
	} else {
		env.up = number(argv, argc, 2, 0);
		env.down = number(argv, argc, 3, 0);
		env.count = (int)number(argv, argc, 4, 1);
	}
	if (env.count > CONNS_MAX || (is("handed") && env.count > HAND_MAX))
		errx(2, "too many connections");
}

int main(int argc, char **argv)
{
	pid_t server = 0;
	int i, status = 0;

	parse(argc, argv);
	accepted =
		mmap(NULL, CONNS_MAX * sizeof(*accepted),
		     PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (accepted == MAP_FAILED || pipe2(env.go, O_CLOEXEC) ||
	    pipe2(env.up_to_date, O_CLOEXEC))
		err(1, "set-up");
	prctl(PR_SET_NAME, "conns-client");
	if (!is_alone()) {
		server = fork();
		if (!server)
			serve();
		await(env.up_to_date);
	}
	if (env.command && system(env.command))
		errx(1, "%s failed", env.command);
	call();
	if (server && (waitpid(server, &status, 0) != server || status))
		errx(1, "the server failed");
	for (i = 0; i < env.count; i++)
		print(&conns[i], server);
	return 0;
}
