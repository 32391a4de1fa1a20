/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parse.c - what a user gave, parsed strictly */
#include "option/parse.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/session.h"
#include "tracelet/message.h"
#include "tracelet/option.h"

#define NS_PER_SEC  1000000000ull
#define NS_PER_MSEC 1000000ull
#define NS_PER_USEC 1000ull

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Digits up to what is none; @end says where that is. */
static int parse_digits(const char *text, const char **end, uint64_t *out)
{
	uint64_t n = 0;
	int err = is_digit(*text) ? 0 : -EINVAL;

	for (; is_digit(*text); text++)
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*text - '0'), &n))
			err = -ERANGE;
	*end = text;
	*out = n;
	return err;
}

int tl_parse_uint(const char *text, uint64_t min, uint64_t max, uint64_t *out)
{
	const char *end;
	uint64_t n;
	int err = parse_digits(text, &end, &n);

	if (*end)
		return -EINVAL;
	if (!err && (n < min || n > max))
		err = -ERANGE;
	if (!err)
		*out = n;
	return err;
}

#define LIST_TEXT sizeof(((struct tl_pids *)NULL)->text)
_Static_assert(sizeof(((struct tl_cpus *)NULL)->text) == LIST_TEXT,
	       "lists have texts of one size");

/* Whole members of a list, and "..." for those that do not fit. */
static void set_list_text(char to[LIST_TEXT], const char *text)
{
	static const char more[] = ",...";
	size_t len = strlen(text);
	const bool fits = len < LIST_TEXT;

	if (!fits)
		len = LIST_TEXT - sizeof(more);
	while (!fits && len && text[len] != ',')
		len--;
	snprintf(to, LIST_TEXT, "%.*s%s", (int)len, text, fits ? "" : more);
}

int tl_parse_pids(const char *text, struct tl_pids *pids)
{
	struct tl_pids found = { 0 };
	const char *at, *end = text;
	uint64_t n;
	int err;

	for (at = text; at == text || *end == ','; at = end + 1) {
		if (found.count == TL_PIDS_MAX)
			return -E2BIG;
		err = parse_digits(at, &end, &n);
		if (err || !n || n > INT_MAX || (*end && *end != ','))
			return -EINVAL;
		found.list[found.count++] = (pid_t)n;
	}
	set_list_text(found.text, text);
	*pids = found;
	return 0;
}

/* "2" or "2-5"; no kernel has as many processors as 16 bits can count. */
static int parse_range(const char *text, const char **end,
		       struct tl_cpu_range *range)
{
	uint64_t first, last;
	int err = parse_digits(text, end, &first);

	last = first;
	if (!err && **end == '-')
		err = parse_digits(*end + 1, end, &last);
	if (err || first > last || last > UINT16_MAX || (**end && **end != ','))
		return -EINVAL;
	*range = (struct tl_cpu_range){ (unsigned int)first,
					(unsigned int)last };
	return 0;
}

static int by_first(const void *a, const void *b)
{
	const struct tl_cpu_range *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

/* Puts ranges in order, and those together that touch each other. */
static void merge_ranges(struct tl_cpus *cpus)
{
	struct tl_cpu_range *to = cpus->list, *from = to;
	const struct tl_cpu_range *end = to + cpus->count;

	qsort(cpus->list, cpus->count, sizeof(*cpus->list), by_first);
	while (++from < end) {
		if (from->first > to->last + 1)
			*++to = *from;
		else if (from->last > to->last)
			to->last = from->last;
	}
	cpus->count = (unsigned int)(to - cpus->list) + 1;
}

static void set_cpus_text(struct tl_cpus *cpus)
{
	const struct tl_cpu_range *r = cpus->list, *end = r + cpus->count;
	char text[TL_CPU_RANGES_MAX * sizeof("65535-65535")];
	int len = 0;

	for (; r < end; r++) {
		len += sprintf(text + len, "%s%u", len ? "," : "", r->first);
		if (r->last > r->first)
			len += sprintf(text + len, "-%u", r->last);
	}
	set_list_text(cpus->text, text);
}

int tl_parse_cpus(const char *text, struct tl_cpus *cpus)
{
	struct tl_cpus found = { 0 };
	const char *at, *end = text;

	for (at = text; at == text || *end == ','; at = end + 1) {
		if (found.count == TL_CPU_RANGES_MAX)
			return -E2BIG;
		if (parse_range(at, &end, &found.list[found.count++]))
			return -EINVAL;
	}
	merge_ranges(&found);
	set_cpus_text(&found);
	*cpus = found;
	return 0;
}

/* The digits behind the point, as ns. */
static const char *parse_fraction(const char *text, uint64_t unit, uint64_t *ns)
{
	for (*ns = 0, unit /= 10; is_digit(*text); text++, unit /= 10)
		*ns += (uint64_t)(*text - '0') * unit;
	return text;
}

/* A number and its fraction, in parts of @unit; @end: @text itself where there is none. */
static int parse_decimal(const char *text, uint64_t unit, const char **end,
			 uint64_t *whole, uint64_t *fraction)
{
	int err = 0;

	*end = text;
	*whole = *fraction = 0;
	if (*text != '.')
		err = parse_digits(text, end, whole);
	/* a point needs a digit on one side at least */
	if (**end == '.' && (*end > text || is_digit((*end)[1])))
		*end = parse_fraction(*end + 1, unit, fraction);
	return err;
}

/*
 * What @text ends in says what its number counts, instead of @unit; NULL: that
 * is none.
 */
static const char *find_unit(const char *text, uint64_t *unit)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} all[] = {
		{ "us", NS_PER_USEC },      { "ms", NS_PER_MSEC },
		{ "s", NS_PER_SEC },        { "m", 60 * NS_PER_SEC },
		{ "h", 3600 * NS_PER_SEC },
	};
	const char *at = text + strspn(text, "0123456789.");
	unsigned int i;

	if (!*at)
		return at;
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (strcmp(at, all[i].name) != 0)
			continue;
		*unit = all[i].ns;
		return at;
	}
	return NULL;
}

static int parse_time(const char *text, uint64_t unit, uint64_t *ns)
{
	const char *end, *name = find_unit(text, &unit);
	uint64_t whole, fraction;
	int err = parse_decimal(text, unit, &end, &whole, &fraction);

	if (end != name || end == text)
		return -EINVAL;
	if (err == -ERANGE || whole >= INT64_MAX / unit)
		return -EOVERFLOW;
	if (err)
		return err;
	*ns = whole * unit + fraction;
	return 0;
}

static int parse_above_zero(const char *text, uint64_t unit, uint64_t *ns)
{
	uint64_t n;
	int err = parse_time(text, unit, &n);

	if (err || !n)
		return err ?: -ERANGE;
	*ns = n;
	return 0;
}

int tl_parse_seconds(const char *text, uint64_t *ns)
{
	return parse_above_zero(text, NS_PER_SEC, ns);
}

int tl_parse_usecs(const char *text, uint64_t *ns)
{
	return parse_time(text, NS_PER_USEC, ns);
}

int tl_parse_msecs(const char *text, uint64_t *ns)
{
	return parse_above_zero(text, NS_PER_MSEC, ns);
}

int tl_parse_size(const char *text, uint64_t *bytes)
{
	static const char units[] = "KMG";
	const char *end, *unit;
	unsigned int shift = 0;
	uint64_t n;
	int err = parse_digits(text, &end, &n);

	unit = *end ? strchr(units, *end) : NULL;
	if (unit && end > text) {
		shift = 10 * (unsigned int)(unit - units + 1);
		end++;
	}
	if (*end)
		return -EINVAL;
	if (err)
		return err;
	if (!n || n > UINT64_MAX >> shift)
		return -ERANGE;
	*bytes = n << shift;
	return 0;
}

/* A percent has 10,000 millionths, as a second would have units of 100 us. */
int tl_parse_percent(const char *text, unsigned int *millionths)
{
	static const uint64_t percent = 10000;
	const char *end;
	uint64_t whole, fraction;
	int err = parse_decimal(text, percent, &end, &whole, &fraction);

	if (end == text || (*end && strcmp(end, "%") != 0))
		return -EINVAL;
	if (err || whole > 100 || whole * percent + fraction > 1000000 ||
	    !(whole || fraction))
		return -ERANGE;
	*millionths = (unsigned int)(whole * percent + fraction);
	return 0;
}

/* "10ns", or a micro sign. */
static bool has_other_unit(const char *text)
{
	uint64_t unit;
	size_t digits = strspn(text, "0123456789.");
	unsigned char c = (unsigned char)text[digits];

	return digits && (isalpha(c) || c > 127) && !find_unit(text, &unit);
}

/* Says why @text is no time of @unit ns each, if @err says that it is none. */
static int check_time(int err, const char *what, const char *text,
		      uint64_t unit, const char *units)
{
	if (err == -EOVERFLOW)
		return tl_usage("%s: \"%s\" is above the maximum of %" PRIu64
				" %.*s",
				what, text, INT64_MAX / unit - 1,
				(int)strcspn(units, " "), units);
	if (err && has_other_unit(text))
		return tl_usage("%s: the unit of \"%s\" is not us, ms, s, m "
				"or h",
				what, text);
	if (err)
		return tl_usage("%s: \"%s\" is not a number of %s", what, text,
				units);
	return 0;
}

int tl_arg_seconds(const char *what, const char *text, uint64_t *ns)
{
	return check_time(tl_parse_seconds(text, ns), what, text, NS_PER_SEC,
			  "seconds above 0");
}

int tl_arg_msecs(const char *what, const char *text, uint64_t *ns)
{
	return check_time(tl_parse_msecs(text, ns), what, text, NS_PER_MSEC,
			  "milliseconds above 0");
}

int tl_arg_usecs(const char *what, const char *text, uint64_t *ns)
{
	return check_time(tl_parse_usecs(text, ns), what, text, NS_PER_USEC,
			  "microseconds");
}

bool tl_arg_is_filter(const char *text)
{
	return strpbrk(text, "=<>&~");
}

const char *tl_args_filter(int *argc, char **argv,
			   bool (*is_one)(const char *text))
{
	if (*argc < 2 || is_one(argv[*argc - 1]))
		return NULL;
	return argv[--*argc];
}

int tl_arg_glob(const char *what, const char *text)
{
	if (!text)
		return 0;
	if (strchr(text, '"') || strlen(text) > 250)
		return tl_usage("%s: %s: a filter takes no quotes, and no more "
				"than 250 characters",
				what, text);
	return 0;
}

int tl_arg_uint(const char *what, const char *text, unsigned int *n)
{
	uint64_t value;

	if (tl_parse_uint(text, 1, UINT_MAX, &value))
		return tl_usage("%s: \"%s\" is not a number above 0", what,
				text);
	*n = (unsigned int)value;
	return 0;
}

/*
 * glibc makes copies of what "+" and "{}" repeat, copies of copies too, and
 * calls itself for each "(": who traces may spend memory on that, but a capture
 * must not make its reader do so.
 */
static bool is_excessive(const char *text)
{
	unsigned int repeats = 0, open = 0;
	size_t len = strlen(text);

	for (; *text; text++) {
		repeats += *text == '+';
		repeats += *text == '{' ? 8 : 0;
		open += *text == '(';
		if ((*text == '{' || *text == ',') &&
		    strspn(text + 1, "0123456789") > 3)
			return true;
		/* what was matched before: that takes for ever */
		if (*text == '\\' && isdigit((unsigned char)text[1]))
			return true;
	}
	return len > 512 || repeats > 8 || open > 32;
}

int tl_regex_check(const char *what, const char *text)
{
	return is_excessive(text)
		       ? tl_usage("%s: \"%s\" is too complex for the records "
				  "of a capture",
				  what, text)
		       : 0;
}

int tl_regex_compile(struct tl_regex *re, const char *what, const char *text)
{
	regex_t compiled;
	char why[128];
	int err;

	if (!*text)
		return tl_usage("%s: \"\" is empty", what);
	err = regcomp(&compiled, text, REG_EXTENDED | REG_NOSUB);
	if (err) {
		regerror(err, &compiled, why, sizeof(why));
		return tl_usage("%s: \"%s\" is not a regular expression: %s",
				what, text, why);
	}
	tl_regex_free(re);
	re->text = text;
	re->re = compiled;
	return 0;
}

void tl_regex_free(struct tl_regex *re)
{
	if (re->text)
		regfree(&re->re);
	re->text = NULL;
}

int tl_set_duration(struct tl_session *s, const char *what, const char *text)
{
	return tl_arg_seconds(what, text, &s->set.duration);
}

void tl_duration_text(struct tl_session *s, char text[40])
{
	if (s->set.duration)
		snprintf(text, 40, "for %.10g seconds",
			 (double)s->set.duration / 1e9);
	else
		strcpy(text, "until Ctrl-C");
}
