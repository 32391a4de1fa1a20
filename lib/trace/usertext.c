// SPDX-License-Identifier: GPL-2.0-or-later
/* usertext.c - functions of processes, as rows and stacks show them */
#include <inttypes.h>

#include "base/buf.h"
#include "trace/usersym.h"

void tl_user_symbol_text(struct tl_buf *b, const struct tl_user_symbol *sym)
{
	if (sym->function)
		tl_buf_printf(b, "%s+0x%" PRIx64 " (%s)", sym->function,
			      sym->offset, sym->file);
	else if (sym->file)
		tl_buf_printf(b, "%s+0x%" PRIx64, sym->file, sym->offset);
	else
		tl_buf_printf(b, "0x%" PRIx64, sym->offset);
}

void tl_user_symbol_name(struct tl_buf *b, const struct tl_user_symbol *sym)
{
	if (sym->function)
		tl_buf_str(b, sym->function);
	else if (sym->file && *sym->file == '[')
		tl_buf_str(b, sym->file);
	else if (sym->file)
		tl_buf_printf(b, "[%s]", sym->file);
	else
		tl_buf_str(b, "[unknown]");
}
