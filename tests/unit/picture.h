/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * picture.h - what is in a text that was written to a file, behind <cmocka.h>
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *slurp(int fd)
{
	struct stat st;
	char *text;

	assert_int_equal(fstat(fd, &st), 0);
	text = calloc(1, (size_t)st.st_size + 1);
	assert_non_null(text);
	assert_int_equal(pread(fd, text, (size_t)st.st_size, 0), st.st_size);
	return text;
}

/* strstr(); under ASan that takes the length of all of the text, each time. */
static const char *find(const char *text, const char *what)
{
	for (; (text = strchr(text, *what)); text++)
		if (!strncmp(text, what, strlen(what)))
			return text;
	return NULL;
}

static unsigned int occurs(const char *text, const char *what)
{
	unsigned int n = 0;

	for (; (text = find(text, what)); text += strlen(what))
		n++;
	return n;
}
