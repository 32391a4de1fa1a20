/* SPDX-License-Identifier: GPL-2.0-or-later */
/* svg.c - what all pictures need: text in XML, and a file to be replaced */
#include "picture/svg.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/part.h"
#include "base/session.h"
#include "picture/origin.h"
#include "tracelet/message.h"

/* What XML forbids, and what tl_esc_json() escapes, becomes U+FFFD. */
static size_t xml_one(struct tl_buf *b, const char *p, size_t len)
{
	bool escaped = *p == '\\';
	char c = p[escaped];
	size_t n = escaped + 1;

	if (escaped && strchr("ntr", c)) {
		tl_buf_char(b, ' ');
	} else if (escaped && c == 'u') {
		tl_buf_str(b, "\xef\xbf\xbd");
		n = 6;
	} else if (len > 2 && (!memcmp(p, "\xef\xbf\xbe", 3) ||
			       !memcmp(p, "\xef\xbf\xbf", 3))) {
		tl_buf_str(b, "\xef\xbf\xbd");
		n = 3;
	} else if (strchr("&<>\"", c)) {
		tl_buf_printf(b, "&#%d;", c);
	} else {
		tl_buf_char(b, c);
	}
	return n;
}

void tl_svg_text(struct tl_buf *b, struct tl_str text)
{
	struct tl_buf json = { 0 };
	size_t done = 0;

	tl_esc_json(&json, text);
	while (done < json.len)
		done += xml_one(b, json.data + done, json.len - done);
	b->failed |= json.failed;
	tl_buf_free(&json);
}

void tl_svg_str(struct tl_buf *b, const char *text)
{
	if (text)
		tl_svg_text(b, (struct tl_str){ text, strlen(text) });
}

void tl_svg_amount(struct tl_buf *b, uint64_t count, const char *unit)
{
	int len = (int)strlen(unit);

	if (count == 1 && len && unit[len - 1] == 's')
		len--;
	tl_buf_printf(b, "%llu %.*s", (unsigned long long)count, len, unit);
}

/* ---- what all begin with ---------------------------------------------- */

/* A line each: what a screen reader says, and who opens the file reads. */
static void add_description(struct tl_buf *b, const struct tl_origin *o)
{
	unsigned int i;

	tl_buf_str(b, "<desc>");
	for (i = 0; i < TL_ORIGIN_LINES; i++) {
		if (i && o->line[i].len)
			tl_buf_char(b, '\n');
		tl_svg_text(b, tl_buf_text(&o->line[i]));
	}
	tl_buf_str(b, "</desc>\n");
}

void tl_svg_begin(struct tl_buf *b, const struct tl_origin *o,
		  const char *attributes, unsigned int width,
		  unsigned int height, const char *title)
{
	tl_buf_printf(b,
		      "<svg xmlns=\"http://www.w3.org/2000/svg\"%s "
		      "width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" "
		      "font-family=\"sans-serif\" font-size=\"12\" "
		      "fill=\"#222\"",
		      attributes, width, height, width, height);
	tl_buf_add(b, o->data.data, o->data.len);
	b->failed |= o->data.failed;
	tl_buf_str(b, ">\n<title>");
	tl_svg_str(b, title);
	tl_buf_str(b, "</title>\n");
	add_description(b, o);
}

/* As many bytes as surely fit: other characters than ASCII can be wider. */
static struct tl_str cut(struct tl_str text, size_t room)
{
	if (text.len <= room)
		return text;
	for (room -= 2; room && (text.text[room] & 0xc0) == 0x80;)
		room--;
	return (struct tl_str){ text.text, room };
}

void tl_svg_lines(struct tl_buf *b, const struct tl_origin *o, unsigned int x,
		  unsigned int y, unsigned int width)
{
	struct tl_str whole, shown;
	unsigned int i;

	for (i = 0; i < TL_ORIGIN_LINES; i++, y += TL_SVG_PITCH) {
		whole = tl_buf_text(&o->line[i]);
		shown = cut(whole, (size_t)(width / TL_SVG_CHAR));
		b->failed |= o->line[i].failed;
		if (!whole.len)
			continue;
		tl_buf_printf(b,
			      "<text x=\"%u\" y=\"%u\" "
			      "class=\"minor origin\" "
			      "font-family=\"monospace\" fill=\"#555\">"
			      "<title>",
			      x, y);
		tl_svg_text(b, whole);
		tl_buf_str(b, "</title>");
		tl_svg_text(b, shown);
		tl_buf_str(b,
			   shown.len < whole.len ? "..</text>\n" : "</text>\n");
	}
}

/* ---- whose a file is -------------------------------------------------- */

/* A file, by whatever name; of one that is yet to be created its directory and its name. */
struct place {
	dev_t dev;
	ino_t ino;
	const char *name; /* "": it exists */
};

struct claim {
	struct tl_part part;
	const char *option, *path;
	struct place place;
};

static void free_claim(void *part)
{
	free(part);
}

static const struct tl_part_ops claim_ops = { .free = free_claim };

static struct place place_of(const struct stat *st, const char *name)
{
	return (struct place){ st->st_dev, st->st_ino, name };
}

/* Of the directory that @path is in; whether it fits. */
static bool find_dir(const char *path, char dir[PATH_MAX])
{
	const char *slash = strrchr(path, '/');

	return snprintf(dir, PATH_MAX, "%.*s",
			slash ? (int)(slash - path) + 1 : 1,
			slash ? path : ".") < PATH_MAX;
}

static bool find_place(const char *path, struct place *place)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX];
	struct stat st;

	if (!stat(path, &st)) {
		*place = place_of(&st, "");
		return true;
	}
	if (!find_dir(path, dir) || stat(dir, &st))
		return false;
	*place = place_of(&st, slash ? slash + 1 : path);
	return true;
}

static bool is_same(const struct place *a, const struct place *b)
{
	return a->dev == b->dev && a->ino == b->ino &&
	       !strcmp(a->name, b->name);
}

static bool is_at(const struct place *place, const char *path)
{
	struct place other;

	return path && find_place(path, &other) && is_same(place, &other);
}

/* By -o, which is not yet open, or by who has started the tool. */
static bool is_output(const struct tl_session *s, const struct place *place)
{
	struct place other;
	struct stat st;

	if (s->set.output && strcmp(s->set.output, "-") != 0)
		return is_at(place, s->set.output);
	if (fstat(STDOUT_FILENO, &st) || !S_ISREG(st.st_mode))
		return false;
	other = place_of(&st, "");
	return is_same(place, &other);
}

static const char *other_picture(const struct tl_session *s,
				 const struct place *place)
{
	const struct tl_part *p;
	const struct claim *claim;

	for (p = s->parts; p; p = p->next) {
		claim = (const struct claim *)p;
		if (p->ops == &claim_ops && is_same(place, &claim->place))
			return claim->option;
	}
	return NULL;
}

/* A directory that there is not: it cannot be opened either, which is said then. */
static struct place nowhere(const char *path)
{
	return (struct place){ .name = path };
}

int tl_svg_claim(struct tl_session *s, const char *option, const char *path)
{
	struct claim *claim;
	struct place place;
	const char *other;

	if (!find_place(path, &place))
		place = nowhere(path);
	if (is_at(&place, s->set.read))
		return tl_usage("%s: %s is the capture that is read", option,
				path);
	if (is_output(s, &place))
		return tl_usage("%s: %s is where the output goes", option,
				path);
	other = other_picture(s, &place);
	if (other)
		return tl_usage("%s and %s are two pictures: name two files",
				other, option);
	claim = tl_part_new(s, &claim_ops, sizeof(*claim));
	if (!claim)
		return tl_fail(ENOMEM, "out of memory");
	claim->option = option;
	claim->path = path;
	claim->place = place;
	return 0;
}

/* As tl_svg_open() would say it. */
static int check_path(const char *path)
{
	char dir[PATH_MAX];
	struct stat st;

	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return tl_fail(EINVAL, "%s: not a regular file", path);
	if (!faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) ||
	    (errno == ENOENT && find_dir(path, dir) &&
	     !faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS)))
		return 0;
	return tl_fail(errno, "%s: %s", path, strerror(errno));
}

int tl_svg_check(const struct tl_session *s)
{
	const struct tl_part *p;
	int ret = 0;

	for (p = s->parts; p && !ret; p = p->next)
		if (p->ops == &claim_ops)
			ret = check_path(((const struct claim *)p)->path);
	return ret;
}

/* ---- files ------------------------------------------------------------ */

int tl_svg_open(const char *path)
{
	struct stat st;
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);

	if (fd < 0)
		return tl_fail(errno, "%s: %s", path, strerror(errno));
	if (!fstat(fd, &st) && !S_ISREG(st.st_mode)) {
		close(fd);
		return tl_fail(EINVAL, "%s: not a regular file", path);
	}
	return fd;
}

int tl_svg_write(int fd, const struct tl_buf *b)
{
	size_t done = 0;
	ssize_t n;
	int err = 0;

	while (!err && done < b->len) {
		n = pwrite(fd, b->data + done, b->len - done, (off_t)done);
		if (n > 0)
			done += (size_t)n;
		else if (n == 0 || errno != EINTR)
			err = n ? -errno : -EIO;
	}
	if (ftruncate(fd, err ? 0 : (off_t)done) && !err)
		err = -errno;
	return err;
}
