/* SPDX-License-Identifier: GPL-2.0-or-later */
/* message.c - messages on stderr, each in one write */
#include "base/message.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/buf.h"
#include "tracelet/message.h"
#include "tracelet/text.h"

/* The only things that are not in a session: who speaks before there is one. */
static const char *tool;
static struct tl_buf *kept;

void tl_message_tool(const char *name)
{
	tool = name;
}

static const char *speaker(void)
{
	return tool ? tool : program_invocation_short_name;
}

struct tl_buf *tl_message_keep(struct tl_buf *b)
{
	struct tl_buf *before = kept;

	kept = b;
	return before;
}

void tl_message_print(const struct tl_buf *b)
{
	if (kept) {
		tl_buf_add(kept, b->data, b->len);
		return;
	}
	/* when stderr can't be written there is nobody left to tell */
	if (b->len && write(STDERR_FILENO, b->data, b->len) < 0)
		return;
}

static void print(const struct tl_buf *line)
{
	static const char lost[] = "no memory for an error message\n";
	const char *text = line->failed ? lost : line->data;
	size_t len = line->failed ? sizeof(lost) - 1 : line->len;

	/* when stderr can't be written there is nobody left to tell */
	if (write(STDERR_FILENO, text, len) < 0)
		return;
}

/* Keeps errno, which the caller may still want to return. */
static void say(bool hint, const char *fmt, va_list ap)
{
	struct tl_buf plain = { 0 }, line = { 0 };
	int saved = errno;

	tl_buf_printf(&plain, "%s: ", speaker());
	tl_buf_vprintf(&plain, fmt, ap);
	if (hint)
		tl_buf_printf(&plain, " (try %s -h)", speaker());
	/* a backslash stays one: who reads it is to find what was typed */
	tl_esc_text_but(&line, (struct tl_str){ plain.data, plain.len }, '\\',
			"\\");
	tl_buf_char(&line, '\n');
	line.failed |= plain.failed;
	if (kept)
		tl_buf_add(kept, line.data, line.len);
	else
		print(&line);
	tl_buf_free(&plain);
	tl_buf_free(&line);
	errno = saved;
}

void tl_message_in_handler(const char *text)
{
	const char *name = speaker();
	const struct iovec iov[] = { { (void *)name, strlen(name) },
				     { (void *)": ", 2 },
				     { (void *)text, strlen(text) },
				     { (void *)"\n", 1 } };
	struct pollfd out = { .fd = STDERR_FILENO, .events = POLLOUT };

	/* a reader that is stuck is what a handler must not wait for */
	if (poll(&out, 1, 0) <= 0 || writev(STDERR_FILENO, iov, 4) < 0)
		return;
}

int tl_fail(int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(false, fmt, ap);
	va_end(ap);
	return -err;
}

void tl_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(false, fmt, ap);
	va_end(ap);
}

int tl_usage(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(true, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

/* TL_ERRNO_TABLE is for testing the table where it is not needed. */
#if defined(__GLIBC__) && !defined(TL_ERRNO_TABLE)
#if __GLIBC_PREREQ(2, 32)
#define HAVE_STRERRORNAME
#endif
#endif

#ifdef HAVE_STRERRORNAME
static const char *name_of(int err)
{
	return strerrorname_np(err);
}
#else
#define NAME(err) [err] = #err
/* What opening, executing and signalling fail with. */
static const char *const names[] = {
	NAME(EPERM),      NAME(ENOENT), NAME(ESRCH),        NAME(EINTR),
	NAME(EIO),        NAME(ENXIO),  NAME(E2BIG),        NAME(ENOEXEC),
	NAME(EBADF),      NAME(ECHILD), NAME(EAGAIN),       NAME(ENOMEM),
	NAME(EACCES),     NAME(EFAULT), NAME(EBUSY),        NAME(EEXIST),
	NAME(EXDEV),      NAME(ENODEV), NAME(ENOTDIR),      NAME(EISDIR),
	NAME(EINVAL),     NAME(ENFILE), NAME(EMFILE),       NAME(ETXTBSY),
	NAME(EFBIG),      NAME(ENOSPC), NAME(EROFS),        NAME(EPIPE),
	NAME(ENOSYS),     NAME(ELOOP),  NAME(ENAMETOOLONG), NAME(ELIBBAD),
	NAME(EOPNOTSUPP), NAME(EDQUOT), NAME(EOVERFLOW),    NAME(ETIMEDOUT),
	NAME(ESTALE),     NAME(ENOKEY), NAME(ENOTCONN),     NAME(ENOLINK),
};

static const char *name_of(int err)
{
	size_t count = sizeof(names) / sizeof(names[0]);

	return (size_t)err < count ? names[err] : NULL;
}
#endif

const char *tl_errno_name(int err)
{
	return err > 0 ? name_of(err) : NULL;
}
