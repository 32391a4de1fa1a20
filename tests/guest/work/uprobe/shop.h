/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shop.h - functions whose calls, arguments and results a test knows */
#ifndef SHOP_H
#define SHOP_H

int shop_order(int number, const char *item);
int shop_price(int number, const char *item);
int shop_tax(int number, const char *item);
const char *shop_item(int number);
long shop_sum(long a, long b, long c, long d, long e, long f, long g, long h);
int shop_visit(int number);

#endif
