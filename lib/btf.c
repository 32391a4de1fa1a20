// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * btf.c - places of structure members, from the kernel's BTF
 *
 * libbpf is loaded when it is needed, and only kernels that cannot resolve
 * names in probes themselves (before 6.6) make a tool need it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "tracelet.h"

#ifdef HAVE_LIBBPF
#include <bpf/btf.h>

static struct {
	struct btf *vmlinux;
	struct btf *(*load)(void);
	__s32 (*find)(const struct btf *btf, const char *name, __u32 kind);
	const struct btf_type *(*type)(const struct btf *btf, __u32 id);
	const char *(*name)(const struct btf *btf, __u32 offset);
} lib;

static int load_btf(void)
{
	void *handle;

	if (lib.vmlinux)
		return 0;
	handle = dlopen("libbpf.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		handle = dlopen("libbpf.so.0", RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return -ELIBACC;
	*(void **)&lib.load = dlsym(handle, "btf__load_vmlinux_btf");
	*(void **)&lib.find = dlsym(handle, "btf__find_by_name_kind");
	*(void **)&lib.type = dlsym(handle, "btf__type_by_id");
	*(void **)&lib.name = dlsym(handle, "btf__name_by_offset");
	if (!lib.load || !lib.find || !lib.type || !lib.name)
		return -ELIBACC;
	lib.vmlinux = lib.load();
	return lib.vmlinux ? 0 : -(errno ?: ENOENT);
}

/* Members of structures without a name count as the outer one's. */
static int find_member(const struct btf_type *t, const char *member)
{
	const struct btf_member *m = btf_members(t);
	const struct btf_type *nested;
	unsigned int i, bits;
	int inner;

	for (i = 0; i < btf_vlen(t); i++) {
		bits = btf_member_bit_offset(t, i);
		if (!strcmp(lib.name(lib.vmlinux, m[i].name_off), member))
			return bits / 8;
		if (m[i].name_off)
			continue;
		nested = lib.type(lib.vmlinux, m[i].type);
		inner = btf_is_composite(nested) ? find_member(nested, member)
						 : -ENOENT;
		if (inner >= 0)
			return bits / 8 + inner;
	}
	return -ENOENT;
}

int tl_btf_offset(const char *type, const char *member)
{
	int id = load_btf();

	if (!id)
		id = lib.find(lib.vmlinux, type, BTF_KIND_STRUCT);
	if (id < 0)
		return id;
	return find_member(lib.type(lib.vmlinux, id), member);
}
#else
int tl_btf_offset(const char *type, const char *member)
{
	(void)type;
	(void)member;
	return -ELIBACC;
}
#endif
