// SPDX-License-Identifier: GPL-2.0-or-later
/* http.c - answers by HTTP, by libmicrohttpd, whatever clients do */
#include "export/http.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/dynload.h"
#include "tracelet/message.h"

#ifdef HAVE_MICROHTTPD
#include <microhttpd.h>

#define CONNECTIONS 64 /* that may be open at once */
#define CROWDED     48 /* beyond so many the oldest is ended for each new one */
#define SECONDS     10 /* that one may take, whatever it does */
#define REQUEST_MAX 16384 /* bytes */
#define WAIT_MS     1000  /* for the time of connections */
#define TYPE        "text/plain; version=0.0.4; charset=utf-8"
#define WAYS        MHD_HTTP_METHOD_GET ", " MHD_HTTP_METHOD_HEAD

/* Of the library, in the order of names[] in tl_http_load(). */
static struct {
	__typeof__(MHD_start_daemon) *start;
	__typeof__(MHD_get_daemon_info) *info;
	__typeof__(MHD_run) *run;
	__typeof__(MHD_get_timeout) *timeout;
	__typeof__(MHD_get_connection_info) *connection;
	__typeof__(MHD_create_response_from_buffer) *response;
	__typeof__(MHD_add_response_header) *header;
	__typeof__(MHD_queue_response) *queue;
	__typeof__(MHD_destroy_response) *destroy;
} mhd;

int tl_http_load(void)
{
	static const char *const libraries[] = { "libmicrohttpd.so.12", NULL };
	static const char *const names[] = { "MHD_start_daemon",
					     "MHD_get_daemon_info",
					     "MHD_run",
					     "MHD_get_timeout",
					     "MHD_get_connection_info",
					     "MHD_create_response_from_buffer",
					     "MHD_add_response_header",
					     "MHD_queue_response",
					     "MHD_destroy_response",
					     NULL };

	if (mhd.start || !tl_load(libraries, names, (void **)&mhd))
		return 0;
	return tl_fail(ELIBACC, "HTTP needs libmicrohttpd.so.12, which cannot "
				"be loaded: install libmicrohttpd12, or "
				"libmicrohttpd12t64");
}

/* One that is open. */
struct connection {
	struct MHD_Connection *http; /* NULL: there is none */
	uint64_t since;              /* ns */
};

struct tl_http {
	struct MHD_Daemon *daemon;
	struct MHD_Response *text; /* of /metrics, however many are given it */
	struct connection open[CONNECTIONS];
};

/* ---- answers ---------------------------------------------------------- */

/* Each connection is for one answer: then its age tells whether it is any good. */
static struct MHD_Response *response(struct tl_str text,
				     enum MHD_ResponseMemoryMode mode)
{
	struct MHD_Response *r =
		mhd.response(text.len, (char *)text.text, mode);

	if (!r)
		return NULL;
	mhd.header(r, MHD_HTTP_HEADER_CONTENT_TYPE, TYPE);
	mhd.header(r, MHD_HTTP_HEADER_CONNECTION, "close");
	return r;
}

int tl_http_set(struct tl_http *h, struct tl_str text)
{
	struct MHD_Response *r = response(text, MHD_RESPMEM_MUST_COPY);

	if (!r)
		return -ENOMEM;
	if (h->text)
		mhd.destroy(h->text); /* once the last one has it */
	h->text = r;
	return 0;
}

static enum MHD_Result say(struct MHD_Connection *c, unsigned int status,
			   const char *text)
{
	struct MHD_Response *r = response((struct tl_str){ text, strlen(text) },
					  MHD_RESPMEM_PERSISTENT);
	enum MHD_Result ret;

	if (!r)
		return MHD_NO;
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		mhd.header(r, MHD_HTTP_HEADER_ALLOW, WAYS);
	ret = mhd.queue(c, status, r);
	mhd.destroy(r);
	return ret;
}

static enum MHD_Result answer(void *ctx, struct MHD_Connection *c,
			      const char *url, const char *method,
			      const char *version, const char *upload,
			      size_t *upload_size, void **state)
{
	const struct tl_http *h = ctx;

	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 &&
	    strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return say(c, MHD_HTTP_METHOD_NOT_ALLOWED, "only " WAYS "\n");
	if (!strcmp(url, "/healthz"))
		return say(c, MHD_HTTP_OK, "ok\n");
	if (strcmp(url, "/metrics") != 0)
		return say(c, MHD_HTTP_NOT_FOUND,
			   "there are /metrics and /healthz\n");
	if (!h->text)
		return say(c, MHD_HTTP_SERVICE_UNAVAILABLE,
			   "the tools have just begun\n");
	return mhd.queue(c, MHD_HTTP_OK, h->text);
}

/* ---- connections ------------------------------------------------------ */

static void on_connection(void *ctx, struct MHD_Connection *c, void **state,
			  enum MHD_ConnectionNotificationCode code)
{
	const bool begins = code == MHD_CONNECTION_NOTIFY_STARTED;
	const struct MHD_Connection *wanted = begins ? NULL : c;
	struct tl_http *h = ctx;
	size_t i = 0;

	while (i < CONNECTIONS && h->open[i].http != wanted)
		i++;
	if (i < CONNECTIONS)
		h->open[i] = (struct connection){ begins ? c : NULL, tl_now() };
}

/* The library sees its end then, and forgets it. */
static void end(struct tl_http *h, const struct connection *c)
{
	const union MHD_ConnectionInfo *info =
		mhd.connection(c->http, MHD_CONNECTION_INFO_CONNECTION_FD);

	if (info)
		shutdown(info->connect_fd, SHUT_RDWR);
}

/*
 * A client that sends its request byte by byte would stay for ever, as the library ends
 * what is idle only; and many that send nothing would leave no room for one that does.
 */
static unsigned int end_old(struct tl_http *h)
{
	const struct connection *c, *old = NULL;
	const uint64_t now = tl_now();
	unsigned int count = 0;

	for (c = h->open; c < h->open + CONNECTIONS; c++) {
		if (!c->http)
			continue;
		count++;
		if (!old || c->since < old->since)
			old = c;
		if (now - c->since > SECONDS * 1000000000ULL)
			end(h, c);
	}
	if (count > CROWDED)
		end(h, old);
	return count;
}

/* ---- begin, step and end ---------------------------------------------- */

struct tl_http *tl_http_new(int fd)
{
	struct tl_http *h = tl_http_load() ? NULL : calloc(1, sizeof(*h));

	if (!h) {
		close(fd);
		return NULL;
	}
	h->daemon = mhd.start(
		MHD_USE_EPOLL, 0, NULL, NULL, answer, h,
		MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
		CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, SECONDS,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_MAX,
		MHD_OPTION_NOTIFY_CONNECTION, on_connection, h, MHD_OPTION_END);
	if (h->daemon)
		return h;
	tl_warn("HTTP does not begin: %s", strerror(errno));
	close(fd);
	free(h);
	return NULL;
}

int tl_http_fd(const struct tl_http *h)
{
	return mhd.info(h->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

int tl_http_step(struct tl_http *h)
{
	MHD_UNSIGNED_LONG_LONG ms;
	unsigned int count;

	mhd.run(h->daemon);
	count = end_old(h);
	if (mhd.timeout(h->daemon, &ms) == MHD_YES && ms < WAIT_MS)
		return (int)ms;
	return count ? WAIT_MS : -1;
}
#else
int tl_http_load(void)
{
	return tl_fail(ELIBACC, "this build has no HTTP: it was made without "
				"the header of libmicrohttpd");
}

struct tl_http *tl_http_new(int fd)
{
	tl_http_load();
	close(fd);
	return NULL;
}

int tl_http_fd(const struct tl_http *h)
{
	return -1;
}

int tl_http_set(struct tl_http *h, struct tl_str text)
{
	return 0;
}

int tl_http_step(struct tl_http *h)
{
	return -1;
}
#endif
