// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * shop.c - the functions: a program's own, or of a library; not to be optimised
 */
#include "shop.h"

int shop_tax(int number, const char *item)
{
	return number + item[0];
}

int shop_price(int number, const char *item)
{
	return shop_tax(number, item) + 1;
}

int shop_order(int number, const char *item)
{
	return shop_price(number, item) + 1;
}

const char *shop_item(int number)
{
	return number % 2 ? "tea" : "coffee";
}

long shop_sum(long a, long b, long c, long d, long e, long f, long g, long h)
{
	return a + b + c + d + e + f + g + h;
}

static int shop_secret(int number)
{
	return -number;
}

int shop_visit(int number)
{
	return shop_secret(number);
}
