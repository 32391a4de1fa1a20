/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * feature.h - what this kernel can do, or is kept from; what tools call is in
 * tracelet/feature.h
 */
#ifndef TL_KERNEL_FEATURE_H
#define TL_KERNEL_FEATURE_H

#include <stdbool.h>

struct tl_session;

/**
 * tl_tracer_enabled - whether functions are traced at all: 0, or -EPERM after a
 * message
 */
int tl_tracer_enabled(struct tl_session *s);
/** tl_tracer_is_enabled - the same without a message */
bool tl_tracer_is_enabled(struct tl_session *s);
/**
 * tl_kprobes_enabled - whether probes at a function's begin are hit: 0, or
 * -EPERM after a message
 */
int tl_kprobes_enabled(struct tl_session *s);
/**
 * tl_walks_programs - whether the kernel finds stacks of programs; also true
 * where it does not tell
 */
bool tl_walks_programs(struct tl_session *s);

#endif
