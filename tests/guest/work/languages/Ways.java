// SPDX-License-Identifier: GPL-2.0-or-later

/** Ways.java - see make: in Java, where what is called often is compiled, the rest interpreted */
public class Ways {
	static int parts;
	static boolean asks;

	static void ask() {
		if (asks)
			Thread.yield();
		parts++;
	}

	static void left() {
		ask();
		parts++;
	}

	static void right() {
		ask();
		parts++;
	}

	static void walk(int lefts, int rights) {
		for (int i = 0; i < lefts; i++)
			left();
		for (int i = 0; i < rights; i++)
			right();
	}

	static void spin(int n) {
		for (int i = 0; i < n; i++)
			parts += i & n;
	}

	static void hot() {
		spin(30009);
		parts++;
	}

	static void cold() {
		spin(10003);
		parts++;
	}

	static void round() {
		hot();
		cold();
	}

	static void burn(int rounds) {
		for (int i = 0; i < rounds; i++)
			round();
	}

	static void waitAt(String what) throws Exception {
		System.out.println(what);
		System.in.read();
	}

	public static void main(String[] args) throws Exception {
		for (int i = 0; i < 1000; i++) {
			walk(30, 10);
			round();
		}
		waitAt("ready");
		asks = true;
		if (args.length > 0)
			burn(Integer.parseInt(args[0]));
		else
			walk(300, 100);
		waitAt("done");
	}
}
