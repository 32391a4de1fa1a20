/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main.h - the start of a tool, and of a command that it traces */
#ifndef TRACELET_MAIN_H
#define TRACELET_MAIN_H

#include <sys/types.h>

#pragma GCC visibility push(default)

struct tl_session;
struct tl_tool;

/**
 * tl_command - run a command and trace only it, and its children
 * @argv: as a program has it, a NULL at its end
 * @user: to run it as; NULL: who called the tool, behind sudo too
 *
 * In args, of a tool with TL_COMMAND.  The command has nothing of the tool's:
 * neither its privileges, nor its signals, nor its descriptors.  The run ends
 * with it, and has its exit status unless the tool itself fails.  Not together
 * with -p, -L, --cgroup and -d.  Returns 0, -EINVAL after tl_usage(),
 * or -ENOMEM.
 */
int tl_command(struct tl_session *s, char **argv, const char *user);
/**
 * tl_command_pid - its process, in setup; it has not executed the command yet;
 * 0 without one
 */
pid_t tl_command_pid(const struct tl_session *s);
/** tl_command_user - the user it runs as, NULL if that is the tool's own */
const char *tl_command_user(const struct tl_session *s);

/** tl_main - run @tool; use TL_MAIN() */
int tl_main(const struct tl_tool *tool, int argc, char **argv);

#define TL_MAIN(tool)                                \
	int main(int argc, char **argv)              \
	{                                            \
		return tl_main(&(tool), argc, argv); \
	}

#pragma GCC visibility pop

#endif
