/* SPDX-License-Identifier: GPL-2.0-or-later */
/* svg.c - what all pictures need: text in XML, and a file to be replaced */
#include "svg.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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
