// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * btf.c - types, structure members, prototypes and enumerators, from the
 * kernel's BTF, which is opened when a tool asks: most never do
 */
#include "kernel/btf.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/recording.h"
#include "base/session.h"
#include "kernel/btffile.h"
#include "kernel/btfraw.h"
#include "tracelet/btf.h"
#include "tracelet/message.h"

/* as in the kernel */
#define ERROR_MAX 4095

struct module {
	struct module *next;
	struct tl_btf_file *btf;
	char name[64];
};

static struct {
	struct tl_btf_file *vmlinux;
	struct module *modules; /* those that were asked for, the last first */
	int missing; /* -errno: there is no vmlinux, nor will there be */
} lib;

int tl_btf_use(const char *path)
{
	struct module *m;
	int ret = -ENODEV;

	while ((m = lib.modules)) {
		lib.modules = m->next;
		tl_btf_file_close(m->btf);
		free(m);
	}
	tl_btf_file_close(lib.vmlinux);
	lib.vmlinux = NULL;
	if (path)
		ret = tl_btf_file_open(path, NULL, &lib.vmlinux);
	if (ret == -ENOENT)
		ret = -ENODEV;
	/* but for what may be better next time */
	lib.missing = ret == -ENODEV || ret == -EBADMSG ? ret : 0;
	return ret;
}

static int load_btf(void)
{
	if (lib.vmlinux)
		return 0;
	return lib.missing ?: tl_btf_use("/sys/kernel/btf/vmlinux");
}

static int load_module(const char *name, struct tl_btf_file **btf)
{
	struct module *m;
	char path[128];
	int ret = load_btf();

	if (ret)
		return ret;
	for (m = lib.modules; m; m = m->next) {
		*btf = m->btf;
		if (!strcmp(m->name, name))
			return 0;
	}
	m = calloc(1, sizeof(*m));
	if (!m)
		return -ENOMEM;
	snprintf(m->name, sizeof(m->name), "%s", name);
	snprintf(path, sizeof(path), "/sys/kernel/btf/%s", name);
	ret = tl_btf_file_open(path, lib.vmlinux, &m->btf);
	if (ret) {
		free(m);
		return ret == -ENOENT ? -ENODATA : ret;
	}
	m->next = lib.modules;
	lib.modules = m;
	*btf = m->btf;
	return 0;
}

const struct btf_type *tl_btf_raw(struct tl_btf_type type)
{
	return type.btf ? tl_btf_file_type(type.btf, type.id) : NULL;
}

const char *tl_btf_string(struct tl_btf_type type, uint32_t offset)
{
	return tl_btf_file_string(type.btf, offset);
}

/* ---- finding ---------------------------------------------------------- */

static bool is_modifier(unsigned int kind)
{
	return kind == BTF_KIND_CONST || kind == BTF_KIND_VOLATILE ||
	       kind == BTF_KIND_RESTRICT || kind == BTF_KIND_TYPEDEF ||
	       kind == TL_KIND_TYPE_TAG;
}

/*
 * Next type of one of @kinds, a mask, that is called @name, from @type.id on.
 */
static bool find_next(struct tl_btf_type *type, const char *name,
		      uint32_t kinds)
{
	uint32_t id = type->id;

	while ((id = tl_btf_file_find(type->btf, name, id))) {
		type->id = id++;
		if (kinds & 1u << btf_kind(tl_btf_raw(*type)))
			return true;
	}
	return false;
}

#define STRUCTS (1u << BTF_KIND_STRUCT | 1u << BTF_KIND_UNION)
#define ENUMS   (1u << BTF_KIND_ENUM | 1u << TL_KIND_ENUM64)

static int find_kind(const char *name, uint32_t kinds, struct tl_btf_type *type)
{
	int ret = load_btf();

	if (ret)
		return ret;
	type->btf = lib.vmlinux;
	type->id = 1;
	return find_next(type, name, kinds) ? 0 : -ENOENT;
}

int tl_btf_find(const char *name, struct tl_btf_type *type)
{
	static const struct {
		const char *word;
		uint32_t kinds;
	} kinds[] = {
		{ "struct ", 1u << BTF_KIND_STRUCT },
		{ "union ", 1u << BTF_KIND_UNION },
		{ "enum ", ENUMS },
		{ "", STRUCTS },
		{ "", ENUMS | 1u << BTF_KIND_TYPEDEF | 1u << BTF_KIND_INT },
	};
	const struct module *m;
	unsigned int i;
	size_t len;
	int ret;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		len = strlen(kinds[i].word);
		if (strncmp(name, kinds[i].word, len) || !name[len])
			continue;
		ret = find_kind(name + len, kinds[i].kinds, type);
		if (ret != -ENOENT)
			return ret;
		for (m = lib.modules; m; m = m->next) {
			*type = (struct tl_btf_type){
				m->btf, tl_btf_file_end(lib.vmlinux)
			};
			if (find_next(type, name + len, kinds[i].kinds))
				return 0;
		}
	}
	return -ENOENT;
}

int tl_btf_find_function(const char *module, const char *name,
			 struct tl_btf_type *proto)
{
	struct tl_btf_type f = { .id = 1 }, other;
	int ret = module ? load_module(module, &f.btf) : load_btf();

	if (ret)
		return ret;
	if (module)
		f.id = tl_btf_file_end(lib.vmlinux);
	else
		f.btf = lib.vmlinux;
	if (!find_next(&f, name, 1u << BTF_KIND_FUNC))
		return -ENOENT;
	*proto = (struct tl_btf_type){ f.btf, tl_btf_raw(f)->type };
	other = f;
	while (other.id++, find_next(&other, name, 1u << BTF_KIND_FUNC))
		if (tl_btf_raw(other)->type != proto->id)
			return -ENOTUNIQ;
	return 0;
}

/* ---- what a type is --------------------------------------------------- */

/* A type that is only declared here may be defined elsewhere. */
static const struct btf_type *definition(struct tl_btf_type *type,
					 const struct btf_type *t)
{
	struct tl_btf_type found = { type->btf, 1 };

	if (!find_next(&found, tl_btf_string(*type, t->name_off),
		       btf_kflag(t) ? 1u << BTF_KIND_UNION
				    : 1u << BTF_KIND_STRUCT))
		return t;
	*type = found;
	return tl_btf_raw(found);
}

static const struct btf_type *strip(struct tl_btf_type *type,
				    struct tl_btf_info *info)
{
	const struct btf_type *t = tl_btf_raw(*type);

	while (t && is_modifier(btf_kind(t))) {
		info->is_const |= btf_kind(t) == BTF_KIND_CONST;
		if (btf_kind(t) == TL_KIND_TYPE_TAG)
			info->is_user |= !strcmp(
				tl_btf_string(*type, t->name_off), "user");
		type->id = t->type;
		t = tl_btf_raw(*type);
	}
	if (t && btf_kind(t) == BTF_KIND_FWD)
		t = definition(type, t);
	return t;
}

/*
 * Letters are char, and where nobody writes unsigned char too, as in names of
 * files; u8, and other names for it, are numbers.
 */
static void info_of_letter(struct tl_btf_type type, struct tl_btf_info *info)
{
	const struct btf_type *t = tl_btf_raw(type);
	bool is_const = false, is_byte;
	const char *name;

	while (t && (btf_kind(t) == BTF_KIND_CONST ||
		     btf_kind(t) == BTF_KIND_VOLATILE ||
		     btf_kind(t) == TL_KIND_TYPE_TAG)) {
		is_const |= btf_kind(t) == BTF_KIND_CONST;
		type.id = t->type;
		t = tl_btf_raw(type);
	}
	if (!t || btf_kind(t) != BTF_KIND_INT || t->size != 1)
		return;
	name = tl_btf_string(type, t->name_off);
	is_byte = !strcmp(name, "unsigned char");
	info->is_char = !strcmp(name, "char") || (is_const && is_byte);
	info->is_byte = is_byte && !is_const;
}

static void info_of_int(const struct btf_type *t, struct tl_btf_info *info)
{
	info->kind = TL_BTF_INT;
	info->size = t->size;
	info->is_signed = btf_int_encoding(t) & BTF_INT_SIGNED;
	info->is_bool = btf_int_encoding(t) & BTF_INT_BOOL;
}

/* The flag of an enum is set when it has negative values: from 6.1 on. */
static bool has_negative(const struct btf_type *t)
{
	unsigned int i;

	if (btf_kind(t) == TL_KIND_ENUM64 || tl_btf_file_has_signs(lib.vmlinux))
		return btf_kflag(t);
	for (i = 0; i < btf_vlen(t); i++)
		if (btf_enum(t)[i].val < 0)
			return true;
	return false;
}

static void info_of_array(const struct btf_type *t, struct tl_btf_info *info)
{
	const struct btf_array *a = btf_array(t);

	info->kind = TL_BTF_ARRAY;
	info->count = a->nelems;
	info->inner.btf = info->bare.btf;
	info->inner.id = a->type;
	info->size = a->nelems * tl_btf_info(info->inner).size;
}

struct tl_btf_info tl_btf_info(struct tl_btf_type type)
{
	struct tl_btf_info info = { .bare = type };
	const struct btf_type *t = strip(&info.bare, &info);

	if (!t)
		return info;
	info_of_letter(type, &info);
	switch (btf_kind(t)) {
	case BTF_KIND_UNKN:
		info.kind = TL_BTF_VOID;
		break;
	case BTF_KIND_INT:
		info_of_int(t, &info);
		break;
	case BTF_KIND_ENUM:
	case TL_KIND_ENUM64:
		info.kind = TL_BTF_ENUM;
		info.size = t->size;
		info.is_signed = has_negative(t);
		break;
	case BTF_KIND_PTR:
		info.kind = TL_BTF_POINTER;
		info.size = sizeof(long);
		info.inner = (struct tl_btf_type){ info.bare.btf, t->type };
		info.is_user = tl_btf_info(info.inner).is_user;
		break;
	case BTF_KIND_ARRAY:
		info_of_array(t, &info);
		break;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		info.kind = TL_BTF_STRUCT;
		info.size = t->size;
		break;
	case BTF_KIND_FUNC_PROTO:
		info.kind = TL_BTF_FUNCTION;
		break;
	}
	return info;
}

/* ---- members ---------------------------------------------------------- */

void tl_btf_member(struct tl_btf_type type, unsigned int i,
		   struct tl_btf_member *m)
{
	const struct btf_type *t = tl_btf_raw(type);
	const struct btf_member *raw = btf_members(t) + i;

	m->name = tl_btf_string(type, raw->name_off);
	m->type = (struct tl_btf_type){ type.btf, raw->type };
	m->bit = btf_member_bit_offset(t, i);
	m->bits = btf_member_bitfield_size(t, i);
}

int tl_btf_find_member(struct tl_btf_type type, const char *name,
		       struct tl_btf_member *m)
{
	struct tl_btf_info info = tl_btf_info(type);
	const struct btf_type *t = tl_btf_raw(info.bare);
	struct tl_btf_member outer;
	unsigned int i;

	if (info.kind != TL_BTF_STRUCT)
		return -ENOENT;
	for (i = 0; i < btf_vlen(t); i++) {
		tl_btf_member(info.bare, i, m);
		if (!strcmp(m->name, name) && *name)
			return 0;
		if (*m->name)
			continue;
		outer = *m;
		if (tl_btf_find_member(outer.type, name, m))
			continue;
		m->bit += outer.bit;
		return 0;
	}
	return -ENOENT;
}

int tl_btf_each_member(struct tl_btf_type type,
		       int (*fn)(void *ctx, const char *name), void *ctx)
{
	struct tl_btf_info info = tl_btf_info(type);
	const struct btf_type *t = tl_btf_raw(info.bare);
	struct tl_btf_member m;
	unsigned int i;
	int ret = 0;

	if (info.kind != TL_BTF_STRUCT)
		return 0;
	for (i = 0; i < btf_vlen(t) && !ret; i++) {
		tl_btf_member(info.bare, i, &m);
		ret = *m.name ? fn(ctx, m.name)
			      : tl_btf_each_member(m.type, fn, ctx);
	}
	return ret;
}

void tl_btf_each_type(void (*fn)(void *ctx, const char *name), void *ctx)
{
	struct tl_btf_type type = { .id = 1 };
	const struct btf_type *t;

	if (load_btf())
		return;
	for (type.btf = lib.vmlinux; (t = tl_btf_raw(type)); type.id++)
		if ((STRUCTS | ENUMS) & 1u << btf_kind(t))
			fn(ctx, tl_btf_string(type, t->name_off));
}

/* ---- functions -------------------------------------------------------- */

unsigned int tl_btf_parameters(struct tl_btf_type proto)
{
	const struct btf_type *t = tl_btf_raw(proto);
	unsigned int n = t ? btf_vlen(t) : 0;

	/* "..." is one without a type */
	return n && !btf_params(t)[n - 1].type ? n - 1 : n;
}

void tl_btf_parameter(struct tl_btf_type proto, unsigned int i,
		      struct tl_btf_member *m)
{
	const struct btf_param *p = btf_params(tl_btf_raw(proto)) + i;

	*m = (struct tl_btf_member){
		.name = tl_btf_string(proto, p->name_off),
		.type = { proto.btf, p->type },
	};
}

struct tl_btf_type tl_btf_returned(struct tl_btf_type proto)
{
	const struct btf_type *t = tl_btf_raw(proto);

	return (struct tl_btf_type){ t ? proto.btf : NULL, t ? t->type : 0 };
}

/* ---- enumerators ------------------------------------------------------ */

bool tl_btf_value(struct tl_btf_type type, unsigned int i,
		  struct tl_btf_value *v)
{
	const struct btf_type *t = tl_btf_raw(type);
	/* name, low and high half: struct btf_enum64 */
	const uint32_t *wide = (const uint32_t *)(t + 1) + 3 * (size_t)i;

	if (i >= btf_vlen(t))
		return false;
	if (btf_kind(t) == TL_KIND_ENUM64) {
		v->name = tl_btf_string(type, wide[0]);
		v->value = (int64_t)((uint64_t)wide[2] << 32 | wide[1]);
	} else {
		v->name = tl_btf_string(type, btf_enum(t)[i].name_off);
		v->value = btf_enum(t)[i].val;
	}
	return true;
}

const char *tl_btf_value_name(struct tl_btf_type type, int64_t value)
{
	struct tl_btf_info info = tl_btf_info(type);
	struct tl_btf_value v;
	unsigned int i;

	if (info.kind != TL_BTF_ENUM)
		return NULL;
	/* 0xffffffff of an enum that has no negative values */
	if (info.size == sizeof(int32_t))
		value = (int32_t)value;
	for (i = 0; tl_btf_value(info.bare, i, &v); i++)
		if (v.value == value)
			return v.name;
	return NULL;
}

static int find_enumerator(const char *type, const char *name)
{
	struct tl_btf_type found;
	struct tl_btf_value v;
	unsigned int i;
	int ret = find_kind(type, ENUMS, &found);

	if (ret)
		return ret;
	for (i = 0; tl_btf_value(found, i, &v); i++)
		if (!strcmp(v.name, name))
			return (int)v.value;
	return -ENOENT;
}

/* Bytes to @member of @type, also to "OUTER.INNER" of a structure within it. */
static int find_offset(const char *type, const char *member)
{
	struct tl_btf_member m = { 0 };
	int ret = find_kind(type, 1u << BTF_KIND_STRUCT, &m.type);
	char name[128];
	int at = 0;

	for (; !ret && *member; member += *member == '.') {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(member, "."),
			 member);
		member += strcspn(member, ".");
		ret = tl_btf_find_member(m.type, name, &m);
		at += (int)m.bit / 8;
	}
	return ret ?: at;
}

/* What shows values by name needs the type until the end. */
static struct kept {
	struct kept *next;
	struct tl_btf_type type;
} * kept;

const struct tl_btf_type *tl_btf_keep(struct tl_btf_type type)
{
	struct kept *k = malloc(sizeof(*k));

	if (!k)
		return NULL;
	*k = (struct kept){ kept, type };
	kept = k;
	return &k->type;
}

const char *tl_btf_explain(int err)
{
	if (err == -EBADMSG)
		return "this kernel's BTF (/sys/kernel/btf) is not understood";
	return "this kernel has no BTF (/sys/kernel/btf, "
	       "CONFIG_DEBUG_INFO_BTF)";
}

/*
 * The types of this machine's kernel are not those of a capture's.  Offsets are 0
 * with one that does not have them: its formats say what its probes fetched.
 */
static int answer(struct tl_session *s,
		  int (*find)(const char *type, const char *name),
		  const char *type, const char *name)
{
	int here = tl_recording_replays(s->recording) ? 0 : find(type, name);
	long n =
		tl_recording_answer(s->recording, here, "%s of %s", name, type);

	return n < -ERROR_MAX || n > INT_MAX ? -EBADMSG : (int)n;
}

int tl_btf_offset(struct tl_session *s, const char *type, const char *member)
{
	return answer(s, find_offset, type, member);
}

int tl_btf_enumerator(struct tl_session *s, const char *type, const char *name)
{
	return answer(s, find_enumerator, type, name);
}

bool tl_btf_is_theirs(struct tl_session *s)
{
	char here[sizeof(struct utsname)];
	const char *there;
	struct utsname u;

	if (uname(&u))
		return !tl_recording_replays(s->recording);
	snprintf(here, sizeof(here), "%s %s %s", u.release, u.version,
		 u.machine);
	if (tl_recording_is_on(s->recording))
		tl_recording_notef(s->recording, "types of", "%s", here);
	if (!tl_recording_replays(s->recording))
		return true;
	there = tl_recording_text(s->recording, "types of", NULL);
	return there && !strcmp(there, here);
}

int tl_btf_check(struct tl_session *s)
{
	int at = find_offset("task_struct", "pid");

	return at < 0 ? tl_fail(ENOTSUP, "%s", tl_btf_explain(at)) : 0;
}

static int check_length(int length, size_t size, const char *place)
{
	if (length >= 0 && (size_t)length < size)
		return 0;
	return tl_fail(ENAMETOOLONG, "the way to %s is too long for a probe",
		       place);
}

/* Of "new|old" the first member that @type has. */
static int find_member(struct tl_session *s, const char *type,
		       const char *names)
{
	char name[128];
	size_t len;
	int at;

	do {
		len = strcspn(names, "|");
		snprintf(name, sizeof(name), "%.*s", (int)len, names);
		at = tl_btf_offset(s, type, name);
		names += len + (names[len] == '|');
	} while (at == -ENOENT && *names);
	return at;
}

/* @text becomes what is @at bytes from where it points. */
static int fetch_behind(int at, const char *place, char *text, size_t size)
{
	char *inner = strdup(text);
	int ret;

	if (!inner)
		return -ENOMEM;
	ret = snprintf(text, size, "%+d(%s)", at, inner);
	free(inner);
	return check_length(ret, size, place);
}

/*
 * Fetches one member: @text becomes that of @place, "STRUCT.MEMBER", behind
 * it, or "-72", bytes from it.
 */
static int fetch_member(struct tl_session *s, char *place, char *text,
			size_t size)
{
	char *dot = strchr(place, '.');
	int at;

	if (*place == '-' && !dot)
		return fetch_behind(atoi(place), place, text, size);
	if (!dot)
		return tl_fail(EINVAL, "\"%s\" is no member of a structure",
			       place);
	*dot = '\0';
	at = find_member(s, place, dot + 1);
	*dot = '.';
	if (at == -EBADMSG || at == -ENODEV)
		return tl_fail(ENOTSUP, "%s", tl_btf_explain(at));
	if (at < 0)
		return tl_fail(ENOTSUP, "this kernel's BTF has no %s (%s)",
			       place, strerror(-at));
	return fetch_behind(at, place, text, size);
}

int tl_btf_fetch(struct tl_session *s, const char *from, const char *path,
		 char *text, size_t size)
{
	char *copy = strdup(path), *place, *save;
	int ret;

	if (!copy)
		return -ENOMEM;
	ret = check_length(snprintf(text, size, "%s", from), size, from);
	for (place = strtok_r(copy, " ", &save); place && !ret;
	     place = strtok_r(NULL, " ", &save))
		ret = fetch_member(s, place, text, size);
	free(copy);
	return ret;
}
