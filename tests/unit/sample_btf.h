/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sample_btf.h - types of a kernel that does not exist, for tests */
#ifndef SAMPLE_BTF_H
#define SAMPLE_BTF_H

#include <dlfcn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel/btf.h"

/* A file of these bytes becomes the kernel's BTF; 0 or -errno. */
static inline int use_bytes(const void *bytes, size_t size)
{
	int fd = memfd_create("btf", 0), ret = -1;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, bytes, size) == (ssize_t)size)
		ret = tl_btf_use(path);
	close(fd);
	return ret;
}

#ifdef __has_include
#if __has_include(<bpf/btf.h>)
#define HAVE_SAMPLE
#include <bpf/btf.h>
#endif
#endif

#ifdef HAVE_SAMPLE
#define FN(name) __typeof__(name) *name = dlsym(handle, #name)

static inline void *open_libbpf(void)
{
	return dlopen("libbpf.so.1", RTLD_NOW)
		       ?: dlopen("libbpf.so.0", RTLD_NOW);
}

/* What @b has becomes the kernel's; 0 or -errno. */
static inline int use_btf(struct btf *b)
{
	const void *(*data)(const struct btf *b, uint32_t *size);
	void *handle = open_libbpf();
	FN(btf__free);
	const void *raw;
	uint32_t size;
	int ret;

	/* its name changed in 1.0 */
	*(void **)&data = dlsym(handle, "btf__raw_data")
				  ?: dlsym(handle, "btf__get_raw_data");
	raw = data(b, &size);
	ret = use_bytes(raw, size);
	btf__free(b);
	return ret;
}

/*
 * enum color { RED, GREEN = 1, BLUE = -1 };
 * enum flag { LOW = 1, HIGH = 0x80000000 };
 * struct inner { union { s32 number; u64 wide; }; char name[16]; };
 * struct thing { const char *title; struct inner in; struct thing *next;
 *	u8 bytes[6]; u32 low : 3, middle : 10, high : 19; enum color color;
 *	bool on; u32 many[100]; int (*call)(struct thing *); };
 * struct pair { u64 a, b; };
 * struct packet { unsigned char address[6], name[40], data[513]; };
 * long use_thing(struct thing *thing, char *text, u16 small, enum color color)
 * void by_value(int first, struct pair pair, int last)
 * void many(int a, ..., int h)
 * void put_bytes(const char *text, u64 count, const char *name, u32 flags)
 * void get_bytes(char *buf, u64 count)
 * void put_names(const char *name, u64 size, const char *key, loff_t length,
 *	const char *pathname, u64 path_len)
 */
static inline struct btf *sample_btf(void)
{
	void *handle = open_libbpf();
	FN(btf__new_empty);
	FN(btf__add_int);
	FN(btf__add_ptr);
	FN(btf__add_const);
	FN(btf__add_array);
	FN(btf__add_struct);
	FN(btf__add_union);
	FN(btf__add_field);
	FN(btf__add_enum);
	FN(btf__add_enum_value);
	FN(btf__add_func);
	FN(btf__add_typedef);
	FN(btf__add_func_proto);
	FN(btf__add_func_param);
	int s32, s64, u8, u16, u32, u64, letter, truth, text, ctext, color,
		united, inner, thing, thing_p, name, bytes, many, call, pair,
		proto, i;
	struct btf *b = handle ? btf__new_empty() : NULL;

	if (!b)
		return NULL;
	s32 = btf__add_int(b, "int", 4, BTF_INT_SIGNED);
	s64 = btf__add_int(b, "long int", 8, BTF_INT_SIGNED);
	u8 = btf__add_int(b, "u8", 1, 0);
	u16 = btf__add_int(b, "u16", 2, 0);
	u32 = btf__add_int(b, "u32", 4, 0);
	u64 = btf__add_int(b, "u64", 8, 0);
	letter = btf__add_int(b, "char", 1, BTF_INT_SIGNED);
	truth = btf__add_int(b, "_Bool", 1, BTF_INT_BOOL);
	text = btf__add_ptr(b, letter);
	ctext = btf__add_ptr(b, btf__add_const(b, letter));
	color = btf__add_enum(b, "color", 4);
	btf__add_enum_value(b, "RED", 0);
	btf__add_enum_value(b, "GREEN", 1);
	btf__add_enum_value(b, "BLUE", -1);
	btf__add_enum(b, "flag", 4);
	btf__add_enum_value(b, "LOW", 1);
	btf__add_enum_value(b, "HIGH", 0x80000000);
	name = btf__add_array(b, s32, letter, 16);
	bytes = btf__add_array(b, s32, u8, 6);
	many = btf__add_array(b, s32, u32, 100);
	united = btf__add_union(b, NULL, 8);
	btf__add_field(b, "number", s32, 0, 0);
	btf__add_field(b, "wide", u64, 0, 0);
	inner = btf__add_struct(b, "inner", 24);
	btf__add_field(b, NULL, united, 0, 0);
	btf__add_field(b, "name", name, 64, 0);
	/* pointers to what follows: ids rise by one */
	thing_p = btf__add_ptr(b, inner + 4);
	call = btf__add_func_proto(b, s32);
	btf__add_func_param(b, "", thing_p);
	call = btf__add_ptr(b, call);
	thing = btf__add_struct(b, "thing", 472);
	btf__add_field(b, "title", ctext, 0, 0);
	btf__add_field(b, "in", inner, 64, 0);
	btf__add_field(b, "next", thing_p, 256, 0);
	btf__add_field(b, "bytes", bytes, 320, 0);
	btf__add_field(b, "low", u32, 384, 3);
	btf__add_field(b, "middle", u32, 387, 10);
	btf__add_field(b, "high", u32, 397, 19);
	btf__add_field(b, "color", color, 416, 0);
	btf__add_field(b, "on", truth, 448, 0);
	btf__add_field(b, "many", many, 480, 0);
	btf__add_field(b, "call", call, 3712, 0);
	pair = btf__add_struct(b, "pair", 16);
	btf__add_field(b, "a", u64, 0, 0);
	btf__add_field(b, "b", u64, 64, 0);
	letter = btf__add_int(b, "unsigned char", 1, 0);
	bytes = btf__add_array(b, s32, letter, 6);
	name = btf__add_array(b, s32, letter, 40);
	many = btf__add_array(b, s32, letter, 513);
	btf__add_struct(b, "packet", 559);
	btf__add_field(b, "address", bytes, 0, 0);
	btf__add_field(b, "name", name, 48, 0);
	btf__add_field(b, "data", many, 368, 0);
	if (thing != inner + 4)
		return NULL;
	proto = btf__add_func_proto(b, s64);
	btf__add_func_param(b, "thing", thing_p);
	btf__add_func_param(b, "text", text);
	btf__add_func_param(b, "small", u16);
	btf__add_func_param(b, "color", color);
	btf__add_func(b, "use_thing", BTF_FUNC_STATIC, proto);
	proto = btf__add_func_proto(b, 0);
	btf__add_func_param(b, "first", s32);
	btf__add_func_param(b, "pair", pair);
	btf__add_func_param(b, "last", s32);
	btf__add_func(b, "by_value", BTF_FUNC_STATIC, proto);
	proto = btf__add_func_proto(b, 0);
	for (i = 0; i < 8; i++)
		btf__add_func_param(b, (const char[]){ 'a' + i, 0 }, s32);
	btf__add_func(b, "many", BTF_FUNC_STATIC, proto);
	proto = btf__add_func_proto(b, 0);
	btf__add_func_param(b, "text", ctext);
	btf__add_func_param(b, "count", u64);
	btf__add_func_param(b, "name", ctext);
	btf__add_func_param(b, "flags", u32);
	btf__add_func(b, "put_bytes", BTF_FUNC_STATIC, proto);
	proto = btf__add_func_proto(b, 0);
	btf__add_func_param(b, "buf", text);
	btf__add_func_param(b, "count", u64);
	btf__add_func(b, "get_bytes", BTF_FUNC_STATIC, proto);
	s64 = btf__add_typedef(b, "loff_t", s64);
	proto = btf__add_func_proto(b, 0);
	btf__add_func_param(b, "name", ctext);
	btf__add_func_param(b, "size", u64);
	btf__add_func_param(b, "key", ctext);
	btf__add_func_param(b, "length", s64);
	btf__add_func_param(b, "pathname", ctext);
	btf__add_func_param(b, "path_len", u64);
	btf__add_func(b, "put_names", BTF_FUNC_STATIC, proto);
	return b;
}
#else
struct btf;

static inline struct btf *sample_btf(void)
{
	return NULL;
}

static inline int use_btf(struct btf *b)
{
	return tl_btf_use(NULL);
}
#endif
#endif
