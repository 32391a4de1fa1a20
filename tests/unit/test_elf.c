/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_elf.c - files linked in several ways, and what is where in them */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf/object.h"
#include "elf/usdt.h"
#include "elf/vdso.h"
#include "scratch.h"

/* ---- making files ----------------------------------------------------- */

/* Link the fixture as @name. */
static bool build(const char *name, const char *flags)
{
	return run("for part in FIRST SECOND; do cc -O1 -fPIC -D$part %s -c "
		   "-o $part.o " TL_FIXTURES "/places.c 2>log || exit; done; "
		   "cc -nostdlib -Wl,-e,plain %s -o %s FIRST.o SECOND.o "
		   "2>>log",
		   flags, flags, name);
}

static char *in_dir(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static struct tl_object *open_in_dir(const char *name)
{
	struct tl_object *o = tl_object_open(in_dir(name));

	assert_non_null(o);
	return o;
}

static char *slurp(const char *path, size_t *len)
{
	FILE *f = fopen(path, "r");
	struct stat st;
	char *data;

	assert_non_null(f);
	assert_int_equal(fstat(fileno(f), &st), 0);
	data = malloc((size_t)st.st_size);
	*len = fread(data, 1, (size_t)st.st_size, f);
	assert_int_equal(*len, st.st_size);
	fclose(f);
	return data;
}

/* Where the file has "<TEXT>", which must be in one place. */
static uint64_t text_place(const char *path, const char *text)
{
	char mark[64], *data, *at;
	uint64_t place;
	size_t len;

	snprintf(mark, sizeof(mark), "<%s>", text);
	data = slurp(path, &len);
	at = memmem(data, len, mark, strlen(mark));
	assert_non_null(at);
	place = (uint64_t)(at - data);
	assert_null(memmem(at + 1, len - place - 1, mark, strlen(mark)));
	free(data);
	return place;
}

/* ---- what they must say ----------------------------------------------- */

static void expect(struct tl_object *o, const char *name, const char *text)
{
	uint64_t offset = 0, into = 0, place = text_place(o->path, text);

	assert_int_equal(tl_object_symbol(o, name, &offset), 0);
	assert_int_equal(offset, place);
	assert_int_equal(tl_object_check_offset(o, place), 0);
	assert_non_null(tl_object_function(o, place + 1, &into));
	assert_int_equal(into, 1);
}

static void expect_none(struct tl_object *o, const char *name)
{
	uint64_t offset = 1;

	assert_int_equal(tl_object_symbol(o, name, &offset), -ENOENT);
	assert_int_equal(offset, 1);
}

static void expect_function(struct tl_object *o, const char *text, uint64_t at,
			    const char *name)
{
	uint64_t into = 99;
	const char *found =
		tl_object_function(o, text_place(o->path, text) + at, &into);

	if (!name) {
		assert_null(found);
		return;
	}
	assert_non_null(found);
	assert_string_equal(found, name);
	assert_int_equal(into, at);
}

static void check_exported(struct tl_object *o)
{
	expect(o, "plain", "plain");
	expect(o, "alias", "plain");
	expect(o, "shadowed", "shadowed");
	expect(o, "worker", "worker.isra.0");
	expect(o, "_ZN2ns4onlyEv", "_ZN2ns4onlyEv");
	expect(o, "ns::only", "_ZN2ns4onlyEv");
	expect(o, "ns::only()", "_ZN2ns4onlyEv");
	expect(o, "ns::over(int)", "_ZN2ns4overEi");
	expect(o, "ns::over(double,char const *)", "_ZN2ns4overEdPKc");
	expect(o, "ns::tmpl<int>(int)", "_ZN2ns4tmplIiEEvT_");
	expect(o, "ns::tmpl<int>", "_ZN2ns4tmplIiEEvT_");
	expect(o, "ns::tmpl", "_ZN2ns4tmplIiEEvT_");
	expect(o, "void ns::tmpl<int>(int)", "_ZN2ns4tmplIiEEvT_");
	expect(o, "ns::A::operator bool", "_ZNK2ns1AcvbEv");
	expect(o, "ns::A::operator bool() const", "_ZNK2ns1AcvbEv");
	expect(o, "ns::A::operator()", "_ZN2ns1AclEi");
	expect(o, "ns::A::operator()(int)", "_ZN2ns1AclEi");
	expect_none(o, "ns::over"); /* which? */
	expect_none(o, "only");
	expect_none(o, "bool");
	expect_none(o, "datum");
	expect_none(o, "label");
	expect_none(o, "");
	expect_none(o, "plai");
	expect_none(o, "plain@V_1");
	expect_function(o, "plain", 3, "alias"); /* the first by letters */
	expect_function(o, "datum", 0, NULL);
	assert_int_equal(
		tl_object_check_offset(o, text_place(o->path, "datum")),
		-EINVAL);
	assert_int_equal(tl_object_check_offset(o, UINT64_MAX), -EINVAL);
}

static void check_all(struct tl_object *o)
{
	check_exported(o);
	expect(o, "secret", "secret");
	expect(o, "bare", "bare");
	expect(o, "worker.cold", "worker.cold");
	expect_none(o, "twice");
	expect_function(o, "twice-a", 0, "twice");
	expect_function(o, "twice-b", 5, "twice");
	expect_function(o, "shadowed-local", 0, "shadowed");
	expect_function(o, "bare", 5, "bare");
	assert_false(o->stripped);
}

struct usdts {
	struct tl_object *o;
	unsigned int count;
};

static int check_usdt(void *ctx, const struct tl_usdt *u)
{
	static const struct {
		const char *provider, *name, *args, *text;
		bool counted;
	} want[] = {
		{ "first", "begin", "-4@%edi 8@-8(%rbp)", "begin-a", true },
		{ "first", "begin", "-4@$5 8@%rax", "begin-b", true },
		{ "second", "other", "", "other", false },
	};
	struct usdts *seen = ctx;
	unsigned int i = seen->count++;
	const char *path = seen->o->path;

	assert_in_range(i, 0, 2);
	assert_string_equal(u->provider, want[i].provider);
	assert_string_equal(u->name, want[i].name);
	assert_string_equal(u->args, want[i].args);
	assert_int_equal(u->offset, text_place(path, want[i].text));
	assert_int_equal(u->semaphore,
			 want[i].counted ? text_place(path, "counter") : 0);
	return 0;
}

static void check_usdts(struct tl_object *o)
{
	struct usdts seen = { .o = o };

	assert_int_equal(tl_object_usdts(o, check_usdt, &seen), 0);
	assert_int_equal(seen.count, 3);
}

static void check_built(const char *name, const char *flags)
{
	struct tl_object *o;

	if (!build(name, flags))
		skip();
	o = open_in_dir(name);
	check_all(o);
	check_usdts(o);
	tl_object_close(o);
}

/* ---- ways to link ----------------------------------------------------- */

static void pie(void **state)
{
	(void)state;
	assert_true(build("pie", "-pie"));
	check_built("pie", "-pie");
}

static void no_pie(void **state)
{
	(void)state;
	check_built("no_pie", "-no-pie -static");
}

static void far_address(void **state)
{
	(void)state;
	check_built("far", "-no-pie -static -Wl,-Ttext-segment=0x12340000");
}

static void library(void **state)
{
	(void)state;
	check_built("lib.so", "-shared");
}

static void one_segment(void **state)
{
	(void)state;
	check_built("one", "-pie -Wl,-z,noseparate-code");
}

static void lld(void **state)
{
	(void)state;
	check_built("lld", "-pie -fuse-ld=lld");
}

static void lld_library(void **state)
{
	(void)state;
	check_built("lld.so", "-shared -fuse-ld=lld -Wl,-z,separate-code");
}

static void word32(void **state)
{
	(void)state;
	check_built("word32", "-m32 -shared -DNO_INDIRECT");
}

/* ---- versions, indirect functions, lists ------------------------------ */

static void versions(void **state)
{
	struct tl_object *o;

	(void)state;
	assert_true(run("echo 'V_1 { global: *; }; V_2 { } V_1;' >map"));
	assert_true(build("versions.so",
			  "-shared -DVERSIONS -Wl,--version-script=map"));
	o = open_in_dir("versions.so");
	expect(o, "versioned", "new_impl");
	expect(o, "versioned@V_1", "old_impl");
	expect(o, "versioned@V_2", "new_impl");
	expect(o, "versioned@@V_2", "new_impl");
	expect(o, "gone@V_1", "gone_impl");
	expect(o, "gone", "gone_impl");
	expect_none(o, "versioned@V_3");
	tl_object_close(o);
	/* the same from .dynsym alone */
	assert_true(run("strip versions.so"));
	o = open_in_dir("versions.so");
	expect(o, "versioned", "new_impl");
	expect(o, "versioned@V_1", "old_impl");
	expect(o, "versioned@V_2", "new_impl");
	expect(o, "gone", "gone_impl");
	expect_none(o, "versioned@V_3");
	assert_true(o->stripped);
	tl_object_close(o);
}

static void indirect(void **state)
{
	struct tl_object *o;

	(void)state;
	assert_true(build("indirect", "-pie"));
	o = open_in_dir("indirect");
	expect_none(o, "chosen");
	expect(o, "__chosen_fast", "__chosen_fast");
	expect_function(o, "chosen", 1, "chosen");
	tl_object_close(o);
}

struct listed {
	char names[4096];
	char last[256];
};

static int list_one(void *ctx, const char *name, uint64_t offset)
{
	struct listed *l = ctx;

	assert_true(strcmp(l->last, name) <= 0);
	snprintf(l->last, sizeof(l->last), "%s", name);
	assert_true(offset > 0);
	strcat(strcat(l->names, name), " ");
	return strcmp(name, "worker.isra.0") ? 0 : 7;
}

static void functions(void **state)
{
	struct listed l = { .names = "" };
	struct tl_object *o;

	(void)state;
	assert_true(build("list", "-pie"));
	o = open_in_dir("list");
	assert_int_equal(tl_object_functions(o, list_one, &l), 7);
	assert_string_equal(l.names,
			    "_ZN2ns1AclEi _ZN2ns4onlyEv _ZN2ns4overEdPKc "
			    "_ZN2ns4overEi _ZN2ns4tmplIiEEvT_ _ZNK2ns1AcvbEv "
			    "__chosen_fast alias bare places_are_not_empty "
			    "places_second plain secret shadowed shadowed "
			    "twice twice worker.cold worker.isra.0 ");
	tl_object_close(o);
}

/* ---- symbols elsewhere ------------------------------------------------ */

static void stripped(void **state)
{
	struct tl_object *o;

	(void)state;
	assert_true(build("stripped.so", "-shared -Wl,--build-id=none"));
	assert_true(run("strip stripped.so"));
	o = open_in_dir("stripped.so");
	check_exported(o);
	expect_none(o, "secret");
	expect_function(o, "secret", 0, NULL);
	assert_true(o->stripped);
	tl_object_close(o);
	assert_true(build("none", "-static -no-pie") && run("strip none"));
	o = open_in_dir("none");
	expect_none(o, "plain");
	assert_int_equal(o->count, 0);
	tl_object_close(o);
}

static void check_link(const char *flags, const char *subdir)
{
	struct tl_object *o;

	assert_true(build("linked", flags));
	assert_true(run("rm -rf .debug && mkdir -p ./%s && "
			"objcopy --only-keep-debug linked %s/linked.debug && "
			"strip linked && "
			"objcopy --add-gnu-debuglink=%s/linked.debug linked",
			subdir, subdir, subdir));
	o = open_in_dir("linked");
	check_all(o);
	check_usdts(o);
	tl_object_close(o);
	/* the checksum differs now, and counts where there is no build id */
	assert_true(run("printf x >>%s/linked.debug", subdir));
	o = open_in_dir("linked");
	expect(o, "plain", "plain");
	if (strstr(flags, "none"))
		expect_none(o, "secret");
	else
		expect(o, "secret", "secret");
	tl_object_close(o);
	assert_true(run("rm %s/linked.debug", subdir));
}

static void debug_link(void **state)
{
	(void)state;
	check_link("-shared -Wl,--build-id=none", ".");
	check_link("-shared -Wl,--build-id=none", ".debug");
	check_link("-shared -Wl,--build-id=sha1", ".debug");
}

static void wrong_build(void **state)
{
	struct tl_object *o;

	(void)state;
	assert_true(build("other", "-shared -Wl,--build-id=0x12345678"));
	assert_true(run("objcopy --only-keep-debug other wrong.debug"));
	assert_true(build("wrong", "-shared -Wl,--build-id=0x12345679"));
	assert_true(run("strip wrong && "
			"objcopy --add-gnu-debuglink=wrong.debug wrong"));
	o = open_in_dir("wrong");
	expect_none(o, "secret");
	tl_object_close(o);
}

static void mini_debug(void **state)
{
	struct tl_object *o;

	(void)state;
	assert_true(build("mini", "-shared -Wl,--build-id=none"));
	if (!run("cp mini whole && objcopy --only-keep-debug whole mini.syms "
		 "&& xz mini.syms && strip mini && "
		 "objcopy --add-section .gnu_debugdata=mini.syms.xz mini"))
		skip();
	o = open_in_dir("mini");
	if (o->stripped)
		skip();
	check_all(o);
	tl_object_close(o);
	/* cut short */
	assert_true(run("head -c 100 mini.syms.xz >cut && objcopy "
			"--update-section .gnu_debugdata=cut mini"));
	o = open_in_dir("mini");
	check_exported(o);
	expect_none(o, "secret");
	tl_object_close(o);
}

static void crc(void **state)
{
	static const unsigned char digits[] = "123456789";

	(void)state;
	/* the check value of CRC-32 */
	assert_int_equal(tl_debug_crc(0, digits, 9), 0xcbf43926);
	assert_int_equal(
		tl_debug_crc(tl_debug_crc(0, digits, 4), digits + 4, 5),
		0xcbf43926);
}

/* ---- what is no program ----------------------------------------------- */

static void refuse(const char *path, int err)
{
	errno = 0;
	assert_null(tl_object_open(path));
	assert_int_equal(errno, err);
}

static void refuse_mapped(const char *path, int err)
{
	errno = 0;
	assert_null(tl_object_open_mapped(path));
	assert_int_equal(errno, err);
}

/* Nobody is told that a process has ended, or has mapped something else. */
static void quiet(void **state)
{
	char text[64] = "";
	int told = dup(STDERR_FILENO), fd = memfd_create("told", 0);

	(void)state;
	assert_true(run("echo no program >other"));
	fflush(stderr);
	dup2(fd, STDERR_FILENO);
	refuse_mapped("/proc/0/map_files/1000-2000", ENOENT);
	refuse_mapped("/dev/zero", EINVAL);
	refuse_mapped(in_dir("other"), ENOEXEC);
	fflush(stderr);
	dup2(told, STDERR_FILENO);
	assert_int_equal(pread(fd, text, sizeof(text), 0), 0);
	close(told);
	close(fd);
}

/* What the kernel has mapped here is what it shows of itself. */
static void vdso(void **state)
{
	struct tl_object *o;
	uint64_t size = 0, offset, into = 99;
	const char *name;

	(void)state;
	if (!getauxval(AT_SYSINFO_EHDR))
		skip(); /* as below valgrind */
	o = tl_vdso_open(&size);
	assert_non_null(o);
	assert_int_equal(size % 4096, 0);
	offset = 0;
#ifdef __aarch64__
	assert_int_equal(tl_object_symbol(o, "__kernel_clock_gettime", &offset),
			 0);
#else
	assert_int_equal(tl_object_symbol(o, "__vdso_clock_gettime", &offset),
			 0);
#endif
	assert_in_range(offset, 1, size);
	name = tl_object_function(o, offset + 4, &into);
	assert_non_null(name);
	assert_non_null(strstr(name, "clock_gettime"));
	assert_int_equal(into, 4);
	tl_object_close(o);
}

static void refused(void **state)
{
	(void)state;
	refuse("/nonexistent/file", ENOENT);
	refuse("/tmp", EISDIR);
	refuse("/dev/null", EINVAL);
	assert_true(run(": >empty && echo '#!/bin/sh' >script && "
			"mkfifo fifo && printf '\\177ELF' >short"));
	refuse(in_dir("empty"), ENOEXEC);
	refuse(in_dir("script"), ENOEXEC);
	refuse(in_dir("short"), ENOEXEC);
	refuse(in_dir("fifo"), EINVAL);
	assert_true(build("good", "-pie"));
	refuse(in_dir("FIRST.o"), ENOEXEC);
	assert_true(run("ar rc ar.a FIRST.o && "
			"objcopy --only-keep-debug good good.debug && "
			"head -c 4200 good >cut && cp good foreign && "
			"printf '\\377' | dd of=foreign bs=1 seek=18 "
			"conv=notrunc 2>/dev/null"));
	refuse(in_dir("ar.a"), ENOEXEC);
	refuse(in_dir("good.debug"), ENOEXEC);
	refuse(in_dir("cut"), ENOEXEC);
	refuse(in_dir("foreign"), ENOEXEC);
}

/* Constants in the segment of the code: without sections nobody can tell. */
static void without_sections(void **state)
{
	uint64_t code, datum;
	struct tl_object *o;
	size_t len;
	char *data;
	FILE *f;

	(void)state;
	if (!build("whole", "-static -Wl,-z,noseparate-code"))
		skip();
	code = text_place(in_dir("whole"), "plain");
	datum = 0x10; /* of the head, which is in that segment too */
	o = open_in_dir("whole");
	assert_true(tl_object_is_code(o, code));
	assert_false(tl_object_is_code(o, datum));
	tl_object_close(o);
	data = slurp(in_dir("whole"), &len);
	((ElfW(Ehdr) *)data)->e_shoff = 0;
	((ElfW(Ehdr) *)data)->e_shnum = 0;
	((ElfW(Ehdr) *)data)->e_shstrndx = 0;
	f = fopen(in_dir("segments"), "w");
	assert_int_equal(fwrite(data, 1, len, f), len);
	fclose(f);
	free(data);
	o = open_in_dir("segments");
	assert_true(tl_object_is_code(o, code));
	assert_true(tl_object_is_code(o, datum));
	tl_object_close(o);
}

/* Every cut of a file, and every byte of its heads changed. */
static void damaged(void **state)
{
	size_t len, i;
	char *data, *copy, was;
	uint64_t into;
	FILE *f;

	(void)state;
	assert_true(build("whole", "-pie"));
	data = slurp(in_dir("whole"), &len);
	copy = in_dir("damaged");
	for (i = 0; i < len; i += i < 1024 ? 1 : 97) {
		struct tl_object *o;

		was = data[i];
		data[i] = (char)~was;
		f = fopen(copy, "w");
		assert_int_equal(fwrite(data, 1, len, f), len);
		fclose(f);
		data[i] = was;
		o = tl_object_open(copy);
		if (!o)
			continue;
		tl_object_function(o, 0x1000, &into);
		tl_object_close(o);
	}
	free(data);
}

/* A sparse file that says it has ten million, of each kind, in each class. */
static void too_many_parts(void **state)
{
	const struct {
		unsigned char class;
		uint16_t machine;
	} kinds[] = { { ELFCLASS64, EM_X86_64 }, { ELFCLASS32, EM_386 } };
	struct tl_elf e;
	unsigned int i;

	(void)state;
	for (i = 0; i < 4; i++) {
		Elf64_Ehdr h = { .e_type = ET_DYN };
		Elf32_Ehdr n = { .e_type = ET_DYN };
		Elf64_Shdr s = { 0 };
		Elf32_Shdr t = { 0 };
		FILE *f = fopen(in_dir("sparse"), "w");

		assert_non_null(f);
		memcpy(h.e_ident, ELFMAG, SELFMAG);
		h.e_ident[EI_CLASS] = kinds[i / 2].class;
		h.e_ident[EI_DATA] = ELFDATA2LSB;
		h.e_ident[EI_VERSION] = EV_CURRENT;
		memcpy(n.e_ident, h.e_ident, sizeof(h.e_ident));
		h.e_machine = n.e_machine = kinds[i / 2].machine;
		h.e_version = n.e_version = EV_CURRENT;
		h.e_shoff = n.e_shoff = 4096;
		h.e_phoff = n.e_phoff = 8192;
		h.e_shentsize = sizeof(s);
		n.e_shentsize = sizeof(t);
		h.e_phentsize = sizeof(Elf64_Phdr);
		n.e_phentsize = sizeof(Elf32_Phdr);
		if (i % 2) {
			h.e_phnum = n.e_phnum = PN_XNUM;
			h.e_shnum = n.e_shnum = 1;
			s.sh_info = t.sh_info = 10000000;
		} else {
			s.sh_size = t.sh_size = 10000000;
		}
		fwrite(i < 2 ? (void *)&h : &n, i < 2 ? sizeof(h) : sizeof(n),
		       1, f);
		fseek(f, 4096, SEEK_SET);
		fwrite(i < 2 ? (void *)&s : &t, i < 2 ? sizeof(s) : sizeof(t),
		       1, f);
		assert_int_equal(ftruncate(fileno(f), 1L << 30), 0);
		fclose(f);
		assert_int_equal(tl_elf_open(&e, in_dir("sparse")), -E2BIG);
		assert_null(tl_object_open(in_dir("sparse")));
	}
}

static int find_unreachable(void *ctx, const struct tl_usdt *u)
{
	if (!strcmp(u->name, "begin")) {
		assert_true(u->unreachable);
		++*(int *)ctx;
	} else {
		assert_false(u->unreachable);
	}
	return 0;
}

/* A counter in memory only. */
static void unreachable_semaphore(void **state)
{
	struct tl_object *o;
	int found = 0;

	(void)state;
	assert_true(build("bss", "-pie -DCOUNTER_NOWHERE"));
	o = open_in_dir("bss");
	assert_int_equal(tl_object_usdts(o, find_unreachable, &found), 0);
	assert_int_equal(found, 2);
	tl_object_close(o);
}

/* ---- this very program ------------------------------------------------ */

/* Where the kernel has mapped @address from. */
static uint64_t mapped_from(uintptr_t address)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long start, end, offset, found = 0;
	char line[4096];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) ==
			    3 &&
		    address >= start && address < end)
			found = address - start + offset;
	fclose(f);
	return found;
}

__attribute__((noinline, used)) static int only_here(int n)
{
	return n + 1;
}

static void itself(void **state)
{
	struct tl_object *o = tl_object_open("/proc/self/exe");
	uint64_t offset = 0, into = 9;

	(void)state;
	assert_non_null(o);
	assert_int_equal(tl_object_symbol(o, "only_here", &offset), 0);
	assert_int_equal(offset, mapped_from((uintptr_t)only_here));
	assert_string_equal(tl_object_function(o, offset, &into), "only_here");
	assert_int_equal(into, 0);
	tl_object_close(o);
}

/* As objdump(1) shows them: the linker was told where. */
static void addresses(void **state)
{
	struct tl_object *o;
	uint64_t offset = 0, place;

	(void)state;
	assert_true(build("at", "-no-pie -static -Wl,--section-start=.text="
				"0x23450000"));
	o = open_in_dir("at");
	place = text_place(o->path, "plain");
	/* plain is the first with code in its section, aligned to 16 */
	assert_true(tl_object_offset(o, 0x23450000, &offset));
	assert_int_equal(offset & ~0xfffULL, place & ~0xfffULL);
	assert_true(
		tl_object_offset(o, 0x23450000 + (place - offset), &offset));
	assert_int_equal(offset, place);
	assert_false(tl_object_offset(o, 0x1000, &offset));
	assert_false(tl_object_offset(o, UINT64_MAX, &offset));
	tl_object_close(o);
}

static void c_library(void **state)
{
	void *handle = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
	char *path = tl_locate("libc.so.6", getpid());
	struct tl_object *o;
	uint64_t offset = 0;

	(void)state;
	if (!handle)
		skip();
	assert_non_null(path);
	o = tl_object_open(path);
	assert_non_null(o);
	assert_int_equal(tl_object_symbol(o, "qsort", &offset), 0);
	/* not the one of a sanitizer */
	assert_int_equal(offset,
			 mapped_from((uintptr_t)dlsym(handle, "qsort")));
	dlclose(handle);
	tl_object_close(o);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pie),
		cmocka_unit_test(no_pie),
		cmocka_unit_test(far_address),
		cmocka_unit_test(library),
		cmocka_unit_test(without_sections),
		cmocka_unit_test(one_segment),
		cmocka_unit_test(lld),
		cmocka_unit_test(lld_library),
		cmocka_unit_test(word32),
		cmocka_unit_test(versions),
		cmocka_unit_test(indirect),
		cmocka_unit_test(functions),
		cmocka_unit_test(stripped),
		cmocka_unit_test(debug_link),
		cmocka_unit_test(wrong_build),
		cmocka_unit_test(mini_debug),
		cmocka_unit_test(crc),
		cmocka_unit_test(quiet),
		cmocka_unit_test(vdso),
		cmocka_unit_test(refused),
		cmocka_unit_test(damaged),
		cmocka_unit_test(itself),
		cmocka_unit_test(addresses),
		cmocka_unit_test(c_library),
		cmocka_unit_test(too_many_parts),
		cmocka_unit_test(unreachable_semaphore),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
