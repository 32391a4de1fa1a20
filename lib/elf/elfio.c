// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * elfio.c - ELF files by libelf
 *
 * Files are what any user has made.  libelf reads them with pread(2): a file
 * mapped into memory and then cut short would end us with SIGBUS.
 */
#include "elf/elfio.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dynload.h"

#define FUNCTIONS(X)         \
	X(elf_version)       \
	X(elf_begin)         \
	X(elf_memory)        \
	X(elf_kind)          \
	X(elf_end)           \
	X(elf_getphdrnum)    \
	X(elf_getshdrnum)    \
	X(elf_getshdrstrndx) \
	X(elf_getscn)        \
	X(elf_getdata)       \
	X(elf_strptr)        \
	X(gelf_getehdr)      \
	X(gelf_getphdr)      \
	X(gelf_getshdr)      \
	X(gelf_fsize)        \
	X(gelf_getsym)       \
	X(gelf_getversym)    \
	X(gelf_getverdef)    \
	X(gelf_getverdaux)   \
	X(gelf_getnote)

#define POINTER(name) __typeof__ (&(name))(name);
#define NAME(name)    #name,

static struct {
	FUNCTIONS(POINTER)
} lib;

static int load_libelf(void)
{
	static const char *const libraries[] = { "libelf.so.1", NULL };
	static const char *const names[] = { FUNCTIONS(NAME) NULL };

	if (lib.elf_version)
		return 0;
	if (tl_load(libraries, names, (void **)&lib))
		return -ELIBACC;
	if (lib.elf_version(EV_CURRENT) != EV_NONE)
		return 0;
	lib.elf_version = NULL;
	return -ELIBACC;
}

/* ---- the head --------------------------------------------------------- */

static bool read_at(const struct tl_elf *e, void *to, size_t size,
		    uint64_t offset)
{
	if (!e->image)
		return pread(e->fd, to, size, (off_t)offset) == (ssize_t)size;
	if (offset > e->size || size > e->size - offset)
		return false;
	memcpy(to, e->image + offset, size);
	return true;
}

static uint64_t number(const unsigned char *p, size_t size, bool big)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < size; i++)
		n |= (uint64_t)p[big ? size - 1 - i : i] << 8 * i;
	return n;
}

#define MEMBER(type, member) \
	offsetof(type, member), sizeof(((type *)NULL)->member)
#define GET(wide, from, type, member, big)                     \
	((wide) ? get(from, MEMBER(Elf64_##type, member), big) \
		: get(from, MEMBER(Elf32_##type, member), big))

static uint64_t get(const unsigned char *from, size_t offset, size_t size,
		    bool big)
{
	return number(from + offset, size, big);
}

/*
 * Above 65,279 sections and 65,534 segments their numbers are in section 0; for
 * each, libelf takes memory at once, also where a sparse file has nothing.
 */
static bool is_too_much(const struct tl_elf *e)
{
	unsigned char head[sizeof(Elf64_Ehdr)] = "", first[sizeof(Elf64_Shdr)];
	bool wide, big;
	uint64_t at;

	if (!read_at(e, head, sizeof(Elf32_Ehdr), 0))
		return false;
	wide = head[EI_CLASS] == ELFCLASS64;
	big = head[EI_DATA] == ELFDATA2MSB;
	if (wide && !read_at(e, head, sizeof(Elf64_Ehdr), 0))
		return false;
	at = GET(wide, head, Ehdr, e_shoff, big);
	if (!at || at > INT64_MAX ||
	    !read_at(e, first, wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr),
		     at))
		return false;
	return (!GET(wide, head, Ehdr, e_shnum, big) &&
		GET(wide, first, Shdr, sh_size, big) > TL_ELF_PARTS) ||
	       (GET(wide, head, Ehdr, e_phnum, big) == PN_XNUM &&
		GET(wide, first, Shdr, sh_info, big) > TL_ELF_PARTS);
}

static int begin(struct tl_elf *e)
{
	if (!e->elf || lib.elf_kind(e->elf) != ELF_K_ELF ||
	    !lib.gelf_getehdr(e->elf, &e->head))
		return -ENOEXEC;
	/* with neither it still may have the other */
	if (lib.elf_getphdrnum(e->elf, &e->segments))
		e->segments = 0;
	if (lib.elf_getshdrnum(e->elf, &e->sections) ||
	    lib.elf_getshdrstrndx(e->elf, &e->names))
		e->sections = 0;
	return 0;
}

/* Opens without waiting for a FIFO, and without taking a terminal. */
static int open_file(struct tl_elf *e, const char *path)
{
	struct stat st;

	e->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (e->fd < 0 || fstat(e->fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	e->size = (uint64_t)st.st_size;
	return 0;
}

bool tl_elf_can(void)
{
	return !load_libelf();
}

int tl_elf_open(struct tl_elf *e, const char *path)
{
	int ret;

	*e = (struct tl_elf){ .fd = -1 };
	ret = load_libelf();
	if (!ret)
		ret = open_file(e, path);
	if (!ret && is_too_much(e))
		ret = -E2BIG;
	if (!ret) {
		e->elf = lib.elf_begin(e->fd, ELF_C_READ, NULL);
		ret = begin(e);
	}
	if (ret)
		tl_elf_close(e);
	return ret;
}

int tl_elf_image(struct tl_elf *e, char *image, size_t size)
{
	int ret;

	*e = (struct tl_elf){ .fd = -1, .image = image, .size = size };
	ret = load_libelf();
	if (!ret && is_too_much(e))
		ret = -E2BIG;
	if (!ret) {
		e->elf = lib.elf_memory(image, size);
		ret = begin(e);
	}
	if (ret)
		tl_elf_close(e);
	return ret;
}

void tl_elf_close(struct tl_elf *e)
{
	if (e->elf)
		lib.elf_end(e->elf);
	if (e->fd >= 0)
		close(e->fd);
	free(e->image);
	*e = (struct tl_elf){ .fd = -1 };
}

/* The ELF header of this library itself: the linker defines it. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

bool tl_elf_native(const GElf_Ehdr *head)
{
	unsigned int own = __ehdr_start.e_machine;

	if (head->e_ident[EI_DATA] != __ehdr_start.e_ident[EI_DATA])
		return false;
	return head->e_machine == own ||
	       (own == EM_X86_64 && head->e_machine == EM_386) ||
	       (own == EM_AARCH64 && head->e_machine == EM_ARM);
}

bool tl_elf_is_probed(const GElf_Ehdr *head)
{
	return __ehdr_start.e_machine != EM_AARCH64 ||
	       head->e_machine != EM_ARM;
}

bool tl_elf_segment(const struct tl_elf *e, size_t i, GElf_Phdr *p)
{
	return i < e->segments && lib.gelf_getphdr(e->elf, (int)i, p);
}

/* ---- sections --------------------------------------------------------- */

bool tl_elf_section_head(const struct tl_elf *e, size_t i,
			 struct tl_section *sec)
{
	Elf_Scn *scn = lib.elf_getscn(e->elf, i);

	*sec = (struct tl_section){ .name = "" };
	if (!scn || !lib.gelf_getshdr(scn, &sec->head))
		return false;
	sec->name = tl_elf_string(e, e->names, sec->head.sh_name) ?: "";
	return true;
}

static Elf_Data *get_data(const struct tl_elf *e, size_t i,
			  const GElf_Shdr *head)
{
	Elf_Data *data;

	if (head->sh_type == SHT_NOBITS || head->sh_size > TL_ELF_MAX)
		return NULL;
	data = lib.elf_getdata(lib.elf_getscn(e->elf, i), NULL);
	return data && data->d_buf ? data : NULL;
}

bool tl_elf_section(const struct tl_elf *e, unsigned int type, const char *name,
		    struct tl_section *sec)
{
	size_t i;

	for (i = 1; i < e->sections; i++) {
		if (!tl_elf_section_head(e, i, sec) ||
		    (type && sec->head.sh_type != type) ||
		    (name && strcmp(sec->name, name) != 0))
			continue;
		sec->data = get_data(e, i, &sec->head);
		return sec->data;
	}
	return false;
}

bool tl_elf_is_code(const struct tl_elf *e, size_t i)
{
	GElf_Shdr head;
	Elf_Scn *scn = i ? lib.elf_getscn(e->elf, i) : NULL;

	return scn && lib.gelf_getshdr(scn, &head) &&
	       head.sh_flags & SHF_EXECINSTR;
}

bool tl_elf_is_debug(const struct tl_elf *e)
{
	struct tl_section sec;
	bool elsewhere = false;
	size_t i;

	for (i = 1; i < e->sections; i++) {
		if (!tl_elf_section_head(e, i, &sec) ||
		    !(sec.head.sh_flags & SHF_EXECINSTR))
			continue;
		if (sec.head.sh_type != SHT_NOBITS)
			return false;
		elsewhere = true;
	}
	return elsewhere;
}

const char *tl_elf_string(const struct tl_elf *e, size_t i, size_t offset)
{
	Elf_Scn *scn = lib.elf_getscn(e->elf, i);
	GElf_Shdr head;

	if (!scn || !lib.gelf_getshdr(scn, &head) || head.sh_size > TL_ELF_MAX)
		return NULL;
	return lib.elf_strptr(e->elf, i, offset);
}

/* ---- symbols ---------------------------------------------------------- */

size_t tl_elf_symbols(const struct tl_elf *e, const struct tl_section *sec)
{
	size_t each = lib.gelf_fsize(e->elf, ELF_T_SYM, 1, EV_CURRENT);

	if (!each || sec->data->d_type != ELF_T_SYM)
		return 0;
	return sec->data->d_size / each;
}

bool tl_elf_symbol(const struct tl_section *sec, size_t i, GElf_Sym *sym)
{
	return lib.gelf_getsym(sec->data, (int)i, sym);
}

unsigned int tl_elf_version(const struct tl_section *versym, size_t i)
{
	GElf_Versym version;

	return lib.gelf_getversym(versym->data, (int)i, &version) ? version : 1;
}

unsigned int tl_elf_definition(const struct tl_elf *e,
			       const struct tl_section *verdef, size_t *offset,
			       const char **name)
{
	GElf_Verdef def;
	GElf_Verdaux aux;
	size_t at = *offset;

	if (at > INT32_MAX ||
	    !lib.gelf_getverdef(verdef->data, (int)at, &def) ||
	    def.vd_aux > INT32_MAX - at ||
	    !lib.gelf_getverdaux(verdef->data, (int)(at + def.vd_aux), &aux))
		return 0;
	*name = tl_elf_string(e, verdef->head.sh_link, aux.vda_name);
	/* the last one says 0: then there is none behind */
	*offset = def.vd_next ? at + def.vd_next : SIZE_MAX;
	return *name ? def.vd_ndx : 0;
}

/* ---- notes ------------------------------------------------------------ */

bool tl_elf_note(const struct tl_section *sec, size_t *offset,
		 struct tl_note *note)
{
	size_t owner, text;
	GElf_Nhdr head;

	*offset = lib.gelf_getnote(sec->data, *offset, &head, &owner, &text);
	if (!*offset)
		return false;
	note->owner = (const char *)sec->data->d_buf + owner;
	note->owner_len = head.n_namesz;
	note->text = (const char *)sec->data->d_buf + text;
	note->len = head.n_descsz;
	note->type = head.n_type;
	return true;
}

size_t tl_elf_build_id(const struct tl_elf *e, const char **id)
{
	struct tl_section sec;
	struct tl_note note;
	size_t offset = 0;

	if (!tl_elf_section(e, SHT_NOTE, ".note.gnu.build-id", &sec))
		return 0;
	while (tl_elf_note(&sec, &offset, &note)) {
		if (note.type != NT_GNU_BUILD_ID || note.owner_len != 4 ||
		    memcmp(note.owner, "GNU", 4) != 0)
			continue;
		*id = note.text;
		return note.len;
	}
	return 0;
}
