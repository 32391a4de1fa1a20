# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# Names of hosts for guest tests: here.test is in /etc/hosts, and the DNS server of
# work/hosts.c has the others.  A test that uses them begins with resolver, which
# undoes all when it ends.

# resolver MS: slow.* are answered after so long
resolver() {
	local file
	ip link set lo up
	at_end no_resolver
	for file in hosts resolv.conf nsswitch.conf; do
		[ ! -e /etc/$file ] || cp -L /etc/$file was.$file
		rm -f /etc/$file
	done
	echo "10.9.8.7 here.test" >/etc/hosts
	printf '%s\n' "nameserver 127.0.0.1" "options timeout:1 attempts:1" >/etc/resolv.conf
	echo "hosts: files dns" >/etc/nsswitch.conf
	rm -f served
	hosts serve "$1" >served &
	server=$!
	wait_lines served 1
}

no_resolver() {
	local file
	kill "$server"
	for file in hosts resolv.conf nsswitch.conf; do
		rm -f /etc/$file
		[ ! -e was.$file ] || cp was.$file /etc/$file
	done
}
