/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers as a fleet of machines with tracelets-export(8) would:
 *	fleet-targets PORT TEMPLATE [SPEED]
 * GET /metrics/N, on 127.0.0.1, is what machine N says. The series are those of
 * TEMPLATE, which is an answer of a real machine that had counted for some
 * seconds. Counters grow at the template's rate times 1 to 7, by machine and
 * series, and not evenly; each bucket of a histogram grows on its own. Values
 * follow from machine, series and time alone, so nothing is kept for a machine.
 * With SPEED, time goes that much faster; with ?at=SECONDS behind N, the
 * answer is that of so long after the first.
 */
#include <math.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TEMPLATE_SECONDS 16 /* for which the template's machine had counted */
#define TICK             5  /* seconds at whose ends counters grow */
#define DAY              86400
#define MAX_LINES        4096

enum kind { FIXED, INTEGER, FRACTION, BUCKET, COUNT };

struct line {
	char *text; /* with the value if that is fixed */
	size_t len;
	enum kind kind;
	unsigned series; /* the buckets of a histogram are of one series */
	double rate;
};

static struct line lines[MAX_LINES];
static unsigned nr_lines;
static size_t room;
static double speed = 1;
static struct timespec begun;

static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/* A number from 0 up to 1 that is always the same for the same arguments. */
static double noise(uint64_t machine, uint64_t line, uint64_t tick)
{
	return ldexp(mix(mix(machine << 16 | line) ^ tick) >> 11, -53);
}

/* What a line's counter is after so many ticks; it never gets less. */
static double grown(const struct line *line, unsigned machine, uint64_t ticks)
{
	unsigned factor = 1 + mix((uint64_t)machine << 16 | line->series) % 7;

	return line->rate * factor * TICK *
	       (ticks + noise(machine, line - lines, ticks));
}

static size_t render(unsigned machine, const char *at, char *out)
{
	uint64_t cumulative = 0;
	uint64_t ticks;
	struct timespec now;
	char *p = out;
	double age;

	clock_gettime(CLOCK_MONOTONIC, &now);
	age = now.tv_sec - begun.tv_sec + (now.tv_nsec - begun.tv_nsec) / 1e9;
	age = at ? atof(at) : age * speed;
	age += 10 * DAY + mix(machine) % (30 * DAY);
	ticks = age / TICK;
	for (unsigned i = 0; i < nr_lines; i++) {
		const struct line *line = &lines[i];

		if (line->kind == BUCKET && lines[i - 1].kind != BUCKET)
			cumulative = 0;
		memcpy(p, line->text, line->len);
		p += line->len;
		if (line->kind == FRACTION) {
			p += sprintf(p, "%.9f\n", grown(line, machine, ticks));
		} else if (line->kind != FIXED) {
			uint64_t value = grown(line, machine, ticks);

			if (line->kind != INTEGER)
				value = cumulative += value;
			p += sprintf(p, "%llu\n", (unsigned long long)value);
		}
	}
	return p - out;
}

static enum MHD_Result answer(void *data, struct MHD_Connection *connection,
			      const char *url, const char *method,
			      const char *version, const char *upload,
			      size_t *upload_size, void **state)
{
	struct MHD_Response *response;
	enum MHD_Result result;
	unsigned machine;
	const char *at;
	char *text;

	(void)data, (void)method, (void)version, (void)upload;
	(void)upload_size, (void)state;
	if (sscanf(url, "/metrics/%u", &machine) != 1)
		return MHD_NO;
	text = malloc(room);
	if (!text)
		return MHD_NO;
	at = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND,
					 "at");
	response = MHD_create_response_from_buffer(render(machine, at, text),
						   text, MHD_RESPMEM_MUST_FREE);
	MHD_add_response_header(response, "Content-Type",
				"text/plain; version=0.0.4; charset=utf-8");
	MHD_add_response_header(response, "Connection", "close");
	result = MHD_queue_response(connection, MHD_HTTP_OK, response);
	MHD_destroy_response(response);
	return result;
}

/* Takes a template's line with its newline, in a family of the type. */
static void add(char *text, const char *type)
{
	struct line *line = &lines[nr_lines];
	struct line *last = nr_lines ? line - 1 : line;
	char *value = strrchr(text, ' ');
	static double below;

	line->series = nr_lines++;
	line->text = text;
	line->len = strlen(text);
	room += line->len + 32;
	if (text[0] == '#' || !value || !strcmp(type, "gauge") ||
	    strstr(text, "_runs_total"))
		return;
	line->len = ++value - text;
	line->rate = atof(value) / TEMPLATE_SECONDS;
	line->kind = strchr(value, '.') ? FRACTION : INTEGER;
	if (strstr(text, "le=\"")) {
		double all = line->rate;

		line->kind = BUCKET;
		if (last->kind == BUCKET) {
			line->series = last->series;
			line->rate -= below;
		}
		below = all;
	} else if (!strcmp(type, "histogram")) {
		/* the sum, and the count after it */
		line->series = last->series;
		line->kind = strstr(text, "_sum") ? FRACTION : COUNT;
		if (line->kind == COUNT)
			line->rate = 0;
	}
}

int main(int argc, char **argv)
{
	char *text = NULL;
	char type[16] = "";
	size_t size = 0;
	sigset_t ends;
	FILE *file;
	int sig;

	file = argc > 2 ? fopen(argv[2], "r") : NULL;
	if (!file) {
		fputs("usage: fleet-targets PORT TEMPLATE [SPEED]\n", stderr);
		return 2;
	}
	if (argc > 3)
		speed = atof(argv[3]);
	while (nr_lines < MAX_LINES && getline(&text, &size, file) > 0) {
		sscanf(text, "# TYPE %*s %15s", type);
		add(strdup(text), type);
	}
	fclose(file);
	clock_gettime(CLOCK_MONOTONIC, &begun);
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(atoi(argv[1])),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	if (!MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL,
			      answer, NULL, MHD_OPTION_SOCK_ADDR, &address,
			      MHD_OPTION_CONNECTION_LIMIT, 4000u,
			      MHD_OPTION_CONNECTION_TIMEOUT, 20u,
			      MHD_OPTION_END)) {
		perror("fleet-targets");
		return 1;
	}
	sigwait(&ends, &sig);
	return 0;
}
