// SPDX-License-Identifier: GPL-2.0-or-later
/* cxx.cc - C++ names: namespaces, overloads, a template */
#include <cstdlib>

namespace shop
{
class Cart
{
      public:
	int add(int number);
	int add(const char *item);
	int total() const;

      private:
	int sum = 0;
};

int Cart::add(int number)
{
	return sum += number;
}

int Cart::add(const char *item)
{
	return sum += item[0];
}

int Cart::total() const
{
	return sum;
}

template <typename T> T twice(T value)
{
	return value + value;
}

template int twice(int);
template long twice(long);
} // namespace shop

int main(int argc, char **argv)
{
	int count = argc > 1 ? std::atoi(argv[1]) : 1;
	shop::Cart cart;

	for (int i = 0; i < count; i++) {
		cart.add(i);
		cart.add("tea");
		cart.total();
		shop::twice(i);
		shop::twice(static_cast<long>(i) + 10);
	}
	return 0;
}
