// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * execargs.c - the arguments of exec(), from the stack of the new program
 *
 * At finalize_exec() its stack is complete, and the kernel has just read each
 * argument there, so that all are resident: one behind the other, from
 * mm->arg_start to mm->arg_end, whatever the size of the program's pointers.
 */
#include "trace/execargs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/recording.h"
#include "base/session.h"
#include "tracelet/btf.h"
#include "tracelet/event.h"
#include "tracelet/feature.h"
#include "tracelet/function.h"
#include "tracelet/message.h"
#include "tracelet/probe.h"
#include "tracelet/text.h"

#define FUNCTION "finalize_exec"

/*
 * The kernel fetches arrays of up to 64 numbers, but not by "+u": the address
 * itself says that it is a program's.  An event takes 3 KiB.
 */
#define WORDS   64
#define FETCH   (WORDS * sizeof(uint64_t))
#define FETCHES 5

/*
 * Part 0 has what most programs have: each word costs some 500 instructions.  It
 * comes first, and wakes those of the others that the same program needs; what
 * comes last puts all to sleep again.  They sleep on all processors at once, so
 * that one may miss what another has put to sleep.  Awake they would cost each
 * program far more than that is worth: most of what they fetch is not there, and
 * faults.  On 6.12 all parts take 5.6 million instructions, an exec itself 680,000.
 */
#define PARTS 15
static const unsigned int part_low[PARTS + 1] = {
	0,     256,   512,   2048,  4608,  7168,  9728,  12288,
	14848, 17408, 19968, 22528, 25088, 27648, 30208, TL_EXEC_ARGS_MAX
};

struct tl_exec_probe {
	struct {
		struct tl_event *ev;
		struct tl_field start, fetch[FETCHES];
	} part[PARTS];
	struct tl_field argc, end;
	char argc_text[64], start_text[96], end_text[96];
};

/* ---- which parts a program needs -------------------------------------- */

/*
 * A filter compares with constants only, so it cannot tell how far start and
 * end are apart.  It can of five bits of each, as "units" of 2^shift bytes which
 * are counted modulo UNITS, and of single bits.
 */
#define UNITS 32
#define LARGE 11 /* in 2 KiB, which tells sizes of less than 64 KiB apart */
#define SMALL 8  /* in 256 bytes: of less than 8 KiB */
#define TOP   21 /* sizes of less than 2 MiB, the most where a stack has 8 */

/*
 * Adds the condition that the end is @count units or more behind the start,
 * modulo UNITS.
 */
static void say_apart(struct tl_buf *b, int shift, unsigned int count)
{
	unsigned int at, from;

	for (at = 0; at < UNITS; at++) {
		from = (at + count) % UNITS;
		tl_buf_printf(b, "%s(at%d==%u&&(to%d>=%u%sto%d<%u))",
			      at ? "||" : "", shift, at, shift, from,
			      from > at ? "||" : "&&", shift, at);
	}
}

/* And that start and end have the same bits from @bit to before @to. */
static void say_same(struct tl_buf *b, int bit, int to)
{
	for (; bit < to; bit++)
		tl_buf_printf(b, "&&(start&%u&&end&%u||!(start&%u)&&!(end&%u))",
			      1U << bit, 1U << bit, 1U << bit, 1U << bit);
}

/* And that the end has a bit more than the start: what adding 1 does to it. */
static void say_up(struct tl_buf *b, int bit)
{
	tl_buf_printf(b, "&&end&%u&&!(start&%u)", 1U << bit, 1U << bit);
}

static void say_down(struct tl_buf *b, int bit)
{
	tl_buf_printf(b, "&&start&%u&&!(end&%u)", 1U << bit, 1U << bit);
}

/*
 * That the end is in the same block of 2^bit bytes as the start, or in the next
 * one; few of those in the next one are missed.
 */
static void say_near(struct tl_buf *b, int bit)
{
	int to = bit + 4, carry, i;

	tl_buf_str(b, "(argc>0");
	say_same(b, to, TOP);
	tl_buf_str(b, "&&(argc>0");
	say_same(b, bit, to);
	for (carry = bit; carry < to; carry++) {
		tl_buf_str(b, "||argc>0");
		for (i = bit; i < carry; i++)
			say_down(b, i);
		say_up(b, carry);
		say_same(b, carry + 1, to);
	}
	tl_buf_str(b, "))");
}

/*
 * That there are more bytes than what comes before @part.  Units that begin anew
 * do not matter: start and end are half as many apart then, so not near.
 */
static void say_needed(struct tl_buf *b, unsigned int part)
{
	unsigned int low = part_low[part];
	int shift = low >> LARGE > 1 ? LARGE : SMALL, bit = SMALL;

	while (2U << bit <= low)
		bit++;
	/* what is told sooner: most programs do not need it */
	tl_buf_str(b, "!(argc>0");
	say_same(b, bit, TOP);
	tl_buf_str(b, ")&&(");
	say_apart(b, shift, low >> shift);
	tl_buf_str(b, "||!");
	say_near(b, shift + 4);
	tl_buf_add(b, ")", sizeof(")"));
}

/* ---- probes ----------------------------------------------------------- */

static int find_names(struct tl_session *s, struct tl_exec_probe *p)
{
	static const char start[] = "linux_binprm.vma vm_area_struct.vm_mm "
				    "mm_struct.arg_start";
	static const char end[] = "linux_binprm.vma vm_area_struct.vm_mm "
				  "mm_struct.arg_end";

	if (tl_feature(s, TL_FEATURE_BTF_ARGS)) {
		strcpy(p->argc_text, "bprm->argc");
		strcpy(p->start_text, "bprm->vma->vm_mm->arg_start");
		strcpy(p->end_text, "bprm->vma->vm_mm->arg_end");
		return 0;
	}
	return tl_btf_fetch(s, "$arg1", "linux_binprm.argc", p->argc_text,
			    sizeof(p->argc_text))
		       ?: tl_btf_fetch(s, "$arg1", start, p->start_text,
				       sizeof(p->start_text))
		       ?: tl_btf_fetch(s, "$arg1", end, p->end_text,
				       sizeof(p->end_text));
}

static struct tl_event *add_probe(struct tl_session *s, const char *name,
				  const char *args, tl_handler *handler)
{
	struct tl_event *ev =
		tl_probe_add(s, "p", name, FUNCTION, args, handler);

	if (!ev && errno == ENOENT)
		errno = -(tl_exec_args_check(s)
				  ?: tl_fail(ENOTSUP, "this kernel lets nobody "
						      "probe " FUNCTION));
	return ev;
}

/* How many of its bytes are fetched at once from @at on. */
static unsigned int fetched(unsigned int at, unsigned int high)
{
	return high - at < FETCH ? high - at : FETCH;
}

static struct tl_event *add(struct tl_session *s, const struct tl_exec_probe *p,
			    const char *name, unsigned int low,
			    unsigned int high, tl_handler *handler)
{
	char text[4096];
	unsigned int i;
	int len;

	len = snprintf(text, sizeof(text),
		       "argc=%s:s32 start=%s:u64 end=%s:u64 at%d=%s:b5@%d/64 "
		       "to%d=%s:b5@%d/64 at%d=%s:b5@%d/64 to%d=%s:b5@%d/64",
		       p->argc_text, p->start_text, p->end_text, LARGE,
		       p->start_text, LARGE, LARGE, p->end_text, LARGE, SMALL,
		       p->start_text, SMALL, SMALL, p->end_text, SMALL);
	for (i = 0; low < high; i++, low += FETCH)
		len += snprintf(text + len, sizeof(text) - len,
				" b%u=+%u(%s):x64[%zu]", i, low, p->start_text,
				fetched(low, high) / sizeof(uint64_t));
	return add_probe(s, name, text, handler);
}

static int add_part(struct tl_session *s, struct tl_exec_probe *p,
		    unsigned int part, tl_handler *handler)
{
	unsigned int low = part_low[part], high = part_low[part + 1], i;
	struct tl_event *ev;
	char name[16];
	int ret;

	snprintf(name, sizeof(name), "args%u", low);
	ev = add(s, p, name, low, high, handler);
	if (!ev)
		return -errno;
	p->part[part].ev = ev;
	ret = tl_event_field(s, ev, "start", &p->part[part].start);
	for (i = 0; !ret && low < high; i++, low += FETCH) {
		snprintf(name, sizeof(name), "b%u", i);
		ret = tl_event_field(s, ev, name, &p->part[part].fetch[i]);
	}
	return ret;
}

/*
 * The probe that comes last is for its triggers only, which do not ask its filter.
 * They do not ask either whether the program is one that woke a part: that costs
 * more than to put to sleep what sleeps.
 */
static struct tl_event *add_last(struct tl_session *s,
				 const struct tl_exec_probe *p,
				 tl_handler *handler)
{
	char args[sizeof(p->argc_text) + 16];

	snprintf(args, sizeof(args), "argc=%s:s32", p->argc_text);
	return add_probe(s, "args_end", args, handler);
}

/* Recorded of programs that need it; asleep until part 0 is of one. */
static int put_to_sleep(struct tl_session *s, const struct tl_exec_probe *p,
			unsigned int part, const struct tl_event *last)
{
	struct tl_event *ev = p->part[part].ev;
	struct tl_buf needed = { 0 };
	int ret;

	say_needed(&needed, part);
	ret = needed.failed ? -ENOMEM : tl_event_filter(s, ev, needed.data);
	if (!ret)
		ret = tl_event_on_demand(s, ev, p->part[0].ev, needed.data)
			      ?: tl_event_until(s, ev, last);
	tl_buf_free(&needed);
	return ret;
}

/* Of the probes at a place the one that is defined last comes first. */
static int add_all(struct tl_session *s, struct tl_exec_probe *p,
		   tl_handler *handler)
{
	struct tl_event *last = add_last(s, p, handler);
	unsigned int part;
	int ret = last ? tl_event_filter(s, last, "argc < 0") : -errno;

	for (part = PARTS; part-- && !ret;)
		ret = add_part(s, p, part, handler);
	for (part = 1; part < PARTS && !ret; part++)
		ret = put_to_sleep(s, p, part, last);
	return ret ?: tl_event_filter(s, p->part[0].ev, "argc > 0") ?:
	       tl_event_field(s, p->part[0].ev, "argc", &p->argc) ?:
	       tl_event_field(s, p->part[0].ev, "end", &p->end);
}

struct tl_exec_probe *tl_exec_args_add(struct tl_session *s,
				       tl_handler *handler)
{
	struct tl_exec_probe *p = calloc(1, sizeof(*p));
	int ret = p ? find_names(s, p) : -ENOMEM;

	if (!ret)
		ret = add_all(s, p, handler);
	if (!ret)
		return p;
	free(p);
	errno = -ret;
	return NULL;
}

int tl_exec_args_check(struct tl_session *s)
{
	struct tl_exec_probe p;

	if (!tl_function_exists(s, FUNCTION))
		return tl_fail(ENOTSUP,
			       "this kernel has no function " FUNCTION);
	return find_names(s, &p);
}

/* ---- what they say ---------------------------------------------------- */

static size_t room(const struct tl_exec_args *a)
{
	return a->size < TL_EXEC_ARGS_MAX ? a->size : TL_EXEC_ARGS_MAX;
}

static void begin(const struct tl_exec_probe *p, struct tl_exec_args *a,
		  const struct tl_record *r)
{
	uint64_t end = tl_field_num(r, &p->end);

	tl_exec_args_free(a);
	a->argc = tl_field_num(r, &p->argc);
	a->start = tl_field_num(r, &p->part[0].start);
	a->size = end > a->start ? end - a->start : 0;
	a->text = calloc(1, room(a) + 1);
}

void tl_exec_args_take(const struct tl_exec_probe *p, struct tl_exec_args *a,
		       const struct tl_record *r)
{
	unsigned int part = 0, at, high, i;
	size_t len;

	while (part < PARTS && p->part[part].ev != r->event)
		part++;
	if (part == PARTS)
		return;
	if (!part)
		begin(p, a, r);
	if (!a->text ||
	    a->start != (uint64_t)tl_field_num(r, &p->part[part].start))
		return;
	at = part_low[part];
	high = part_low[part + 1] < room(a) ? part_low[part + 1] : room(a);
	for (i = 0; at < high; i++, at += FETCH) {
		len = fetched(at, high);
		tl_field_bytes(r, &p->part[part].fetch[i], a->text + at, len);
	}
	a->parts |= 1U << part;
}

/* How many bytes there are from the start on, without a gap. */
static size_t known(const struct tl_exec_args *a)
{
	unsigned int part = 0;

	if (a->whole)
		return a->size;
	while (part < PARTS && a->parts & 1U << part)
		part++;
	return part_low[part] < room(a) ? part_low[part] : room(a);
}

static int count(const char *text, size_t len)
{
	int n = 0;
	size_t i;

	for (i = 0; i < len; i++)
		n += !text[i];
	return n;
}

struct tl_str tl_exec_args_text(const struct tl_exec_args *a)
{
	size_t len = a->text ? known(a) : 0;
	int n = count(a->text, len);

	if (!len ||
	    (len == a->size ? n != a->argc || a->text[len - 1] : n > a->argc))
		return (struct tl_str){ NULL, 0 };
	return (struct tl_str){ a->text, len };
}

bool tl_exec_args_read(const struct tl_session *s, struct tl_exec_args *a,
		       pid_t pid)
{
	struct tl_str first = tl_exec_args_text(a);
	size_t len = 0;
	ssize_t n = 1;
	char path[64], *text;
	int fd;

	/* the processes of a capture are none of this machine's */
	if (!first.len || first.len == a->size || a->size > INT32_MAX ||
	    tl_recording_replays(s->recording))
		return false;
	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	text = fd < 0 ? NULL : calloc(1, a->size + 1);
	while (text && n > 0 && len <= a->size) {
		n = read(fd, text + len, a->size + 1 - len);
		len += n > 0 ? n : 0;
	}
	if (fd >= 0)
		close(fd);
	if (!text || len != a->size || memcmp(text, first.text, first.len) ||
	    count(text, len) != a->argc || text[len - 1]) {
		free(text);
		return false;
	}
	free(a->text);
	a->text = text;
	a->whole = true;
	return true;
}

void tl_exec_args_free(struct tl_exec_args *a)
{
	free(a->text);
	*a = (struct tl_exec_args){ 0 };
}
