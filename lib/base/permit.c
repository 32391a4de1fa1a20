// SPDX-License-Identifier: GPL-2.0-or-later
/* permit.c - what this kernel, and who runs the tool, permit */
#include "base/permit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCKDOWN "/sys/kernel/security/lockdown"
/* the kernel's USER_NS_INIT_INO, the same since 3.8 */
#define SYSTEM_USER_NAMESPACE 0xEFFFFFFDU

void tl_first_line(const char *path, char *text, size_t size)
{
	FILE *f = fopen(path, "re");

	if (!f || !fgets(text, (int)size, f))
		*text = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (f)
		fclose(f);
}

/* "none [integrity] confidentiality" */
void tl_lockdown(char *text, size_t size)
{
	char line[128], *open, *end;

	tl_first_line(LOCKDOWN, line, sizeof(line));
	open = strchr(line, '[');
	end = open ? strchr(open, ']') : NULL;
	snprintf(text, size, "%.*s", end ? (int)(end - open - 1) : 0,
		 end ? open + 1 : "");
}

bool tl_in_user_namespace(void)
{
	struct stat st;

	return !stat("/proc/self/ns/user", &st) &&
	       st.st_ino != SYSTEM_USER_NAMESPACE;
}

bool tl_lacks(int cap)
{
	cap_flag_value_t has = CAP_SET;
	cap_t caps = cap_get_proc();

	if (caps) {
		cap_get_flag(caps, cap, CAP_EFFECTIVE, &has);
		cap_free(caps);
	}
	return has == CAP_CLEAR;
}

const char *tl_needs_syslog(void)
{
	return geteuid() ? "CAP_SYSLOG is needed (sudo)"
			 : "CAP_SYSLOG is needed (in a container: docker run "
			   "--cap-add=SYSLOG)";
}

#define BY_LOCKDOWN                                              \
	": the kernel is in lockdown mode confidentiality, see " \
	"kernel_lockdown(7)"
#define UNKNOWN " (by lockdown? " LOCKDOWN " cannot be read)"

/* The lower mode, integrity, lets tracing be. */
static const char *which(const char *locked, const char *unknown,
			 const char *other)
{
	char mode[32];

	tl_lockdown(mode, sizeof(mode));
	if (!*mode)
		return unknown;
	return strcmp(mode, "confidentiality") ? other : locked;
}

const char *tl_refused_all(void)
{
	return which("is empty" BY_LOCKDOWN, "is empty" UNKNOWN, "is empty");
}

/*
 * No owner, mode or capability has EPERM: that is lockdown, or another module.
 */
static const char *not_permitted(void)
{
	return which("not permitted" BY_LOCKDOWN, "not permitted" UNKNOWN,
		     "not permitted");
}

const char *tl_refused(int err)
{
	if (err == EPERM)
		return not_permitted();
	if (tl_in_user_namespace())
		return "permission denied: tracefs is for root outside of "
		       "this user namespace";
	if (geteuid() && tl_lacks(CAP_DAC_OVERRIDE))
		return "permission denied: tracefs is for root (sudo), or for "
		       "whom CAP_DAC_OVERRIDE or its group lets in";
	return "permission denied";
}

const char *tl_refused_mount(int err)
{
	if (err == EPERM && tl_in_user_namespace())
		return "not permitted in a user namespace";
	/* --cap-add=SYS_ADMIN is not enough: other rules forbid to mount, too */
	if (err == EPERM && tl_lacks(CAP_SYS_ADMIN))
		return geteuid() ? "CAP_SYS_ADMIN is needed (sudo)"
				 : "CAP_SYS_ADMIN is needed (in a container: "
				   "docker run --privileged)";
	return err == EPERM ? "not permitted" : "permission denied";
}
