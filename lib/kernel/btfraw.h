/* SPDX-License-Identifier: GPL-2.0-or-later */
/* btfraw.h - types as they stand in BTF: what is behind a struct btf_type */
#ifndef TL_KERNEL_BTFRAW_H
#define TL_KERNEL_BTFRAW_H

#include <linux/btf.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Kinds that are newer than some headers: Documentation/bpf/btf.rst of the kernel.
 * A kind has 7 bits and a number 24 from 7.1 on; before, the upper ones were 0.
 */
#define TL_KIND_FLOAT    16
#define TL_KIND_DECL_TAG 17
#define TL_KIND_TYPE_TAG 18
#define TL_KIND_ENUM64   19

static inline unsigned int btf_kind(const struct btf_type *t)
{
	return t->info >> 24 & 0x7f;
}

static inline unsigned int btf_vlen(const struct btf_type *t)
{
	return t->info & 0xffffff;
}

static inline bool btf_kflag(const struct btf_type *t)
{
	return t->info >> 31;
}

static inline const struct btf_array *btf_array(const struct btf_type *t)
{
	return (const struct btf_array *)(t + 1);
}

static inline const struct btf_enum *btf_enum(const struct btf_type *t)
{
	return (const struct btf_enum *)(t + 1);
}

static inline const struct btf_member *btf_members(const struct btf_type *t)
{
	return (const struct btf_member *)(t + 1);
}

/* In bits from the structure's start, as its member number @i has it. */
static inline uint32_t btf_member_bit_offset(const struct btf_type *t,
					     unsigned int i)
{
	const uint32_t offset = btf_members(t)[i].offset;

	return btf_kflag(t) ? offset & 0xffffff : offset;
}

/* Of a bit field, else 0. */
static inline uint32_t btf_member_bitfield_size(const struct btf_type *t,
						unsigned int i)
{
	return btf_kflag(t) ? btf_members(t)[i].offset >> 24 : 0;
}

static inline const struct btf_param *btf_params(const struct btf_type *t)
{
	return (const struct btf_param *)(t + 1);
}

static inline unsigned int btf_int_encoding(const struct btf_type *t)
{
	return *(const uint32_t *)(t + 1) >> 24 & 0x0f;
}

#endif
