// SPDX-License-Identifier: GPL-2.0-or-later
/* ways.cc - see make: in C++, with templates, a lambda and a virtual function */
#include <cstdlib>
#include <iostream>
#include <unistd.h>

namespace ways {

struct Way {
	virtual ~Way() = default;
	virtual void go(int times) = 0;
};

template <typename Number> __attribute__((noinline)) Number ask(Number sum)
{
	return sum + static_cast<Number>(getppid());
}

volatile int parents;

struct Left final : Way {
	__attribute__((noinline)) void go(int times) override
	{
		for (int i = 0; i < times; i++)
			parents = ask<int>(i);
	}
};

struct Right final : Way {
	__attribute__((noinline)) void go(int times) override
	{
		const auto each = [](int i) __attribute__((noinline)) { parents = ask<int>(i); };

		for (int i = 0; i < times; i++)
			each(i);
	}
};

__attribute__((noinline)) void spin(int parts)
{
	for (volatile int i = 0; i < parts; i = i + 1)
		;
}

__attribute__((noinline)) void hot() { spin(3000009); parents = 1; }
__attribute__((noinline)) void cold() { spin(1000003); parents = 2; }

__attribute__((noinline)) void burn(long rounds)
{
	for (long i = 0; i < rounds; i++) {
		hot();
		cold();
	}
}

__attribute__((noinline)) void walk(Way *&&way, int times)
{
	way->go(times);
	parents = 3;
}

}

int main(int argc, char **argv)
{
	std::cout << "ready" << std::endl;
	std::cin.get();
	if (argc > 1) {
		ways::burn(atol(argv[1]));
	} else {
		ways::walk(new ways::Left, 300);
		ways::walk(new ways::Right, 100);
	}
	std::cout << "done" << std::endl;
	std::cin.get();
}
