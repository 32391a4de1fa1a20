# shellcheck shell=bash disable=SC2016,SC2034,SC2119,SC2120
# SPDX-License-Identifier: GPL-2.0-or-later
# dropsnoop in a guest: packets that the kernel must drop, of which it is known how many
# there are, from where and to where, and counters of the kernel's own beside them.

# shellcheck source=/dev/null
. "$here/work/net.bash"

has_reasons() { grep -q 'field:enum skb_drop_reason reason' "$tracefs/events/skb/kfree_skb/format"; }

# said: a warning on kernels that have no reasons, and nothing else
said() {
	local text='dropsnoop: this kernel does not say why it drops a packet: only the place tells'
	if has_reasons; then expect_empty "${1:-$err}"; else expect_rows "${1:-$err}" <<<"$text"; fi
}

# loopback: up, if it is not yet
loopback() { ip link set lo up; }

# rows_of FILTER [FILE]: objects that jq selects
rows_of() { jq -c "select($1)" "${2:-$out}"; }
count_of() { rows_of "$@" | wc -l; }

# equal WHAT A B
equal() { [ "$2" = "$3" ] || fail "$1: $2 and $3"; }

# wait_of FILTER N: until so many objects are there (60 s)
wait_of() { until_true 60 has_of "$@" || fail "only $(count_of "$1") of $2: $1"; }
has_of() { [ "$(count_of "$1")" -ge "$2" ]; }

first_check() {
	loopback
	expect_exit 0 dropsnoop --check -s
	if has_reasons; then
		expect_exit 0 dropsnoop --check --reason=NO_SOCKET
	else
		expect_exit 3 dropsnoop --check --reason=NO_SOCKET
		expect_error 3 'dropsnoop: this kernel does not say why it drops a packet: skb:kfree_skb has no field reason' \
			dropsnoop --reason=NO_SOCKET
	fi
}

first_row() {
	local reason=NO_SOCKET
	has_reasons || reason=-
	loopback
	start dropsnoop --wide --dport=9999
	udp 127.0.0.1 9999 1 4000
	udp ::1 9999 1 4001
	wait_lines "$out" 4
	stop
	expect_status 0
	said
	expect_match "$out" <<-END
	Tracing dropped packets. Ctrl-C to end.
	TIME     REASON             IFACE    PROTO  SADDR:SPORT           DADDR:DPORT           FLAGS LENGTH NETNS      PLACE
	??:??:?? $reason* lo       UDP    127.0.0.1:4000        127.0.0.1:9999        -         29 4026531[89]?? *udp*_rcv+0x*
	??:??:?? $reason* lo       UDP    \[::1\]:4001            \[::1\]:9999            -         49 4026531[89]?? *udp*_rcv+0x*

	Ending tracing...
	END
}

# Between namespaces: who sends what, and where it is dropped.  The number of each
# namespace is that of its file.
test_ends_and_namespaces() {
	local left right reason place='"[a-z0-9_]*udp[a-z0-9_]*rcv\+0x[0-9a-f]*"'
	network
	left=$(stat -Lc %i /run/netns/left) right=$(stat -Lc %i /run/netns/right)
	to=only start dropsnoop --json --port=7000-7003 --netns=left
	stop_later
	start dropsnoop --json --port=7000-7003
	ip netns exec left udp 10.9.0.2 7000 1 4000
	ip netns exec right udp fd09::1 7001 1 4001
	ip netns exec left bash -c 'exec 3<>/dev/tcp/10.9.0.2/7002' 2>/dev/null || :
	ip netns exec left bash -c 'exec 3<>/dev/tcp/fd09::2/7003' 2>/dev/null || :
	wait_of .dport 4
	stop
	expect_status 0
	said
	cp "$out" both
	stop_later_all
	out=both
	equal "rows of left" "$(jq -c .dport only)" 7001
	sed -E "s/$place/\"udp_rcv\"/; s/\"(tcp_v[46]_rcv)\+0x[0-9a-f]*\"/\"\1\"/" "$out" |
		jq -c 'del(.time, .reason_number) | if .protocol == "TCP" then del(.sport, .length) else . end' >rows
	reason=null
	! has_reasons || reason='"NO_SOCKET"'
	expect_rows rows <<-END
	{"reason":$reason,"interface":"eth0","protocol":"UDP","saddr":"10.9.0.1","sport":4000,"daddr":"10.9.0.2","dport":7000,"flags":null,"length":29,"netns":$right,"place":"udp_rcv","stack":null}
	{"reason":$reason,"interface":"eth0","protocol":"UDP","saddr":"fd09::2","sport":4001,"daddr":"fd09::1","dport":7001,"flags":null,"length":49,"netns":$left,"place":"udp_rcv","stack":null}
	{"reason":$reason,"interface":"eth0","protocol":"TCP","saddr":"10.9.0.1","daddr":"10.9.0.2","dport":7002,"flags":"S","netns":$right,"place":"tcp_v4_rcv","stack":null}
	{"reason":$reason,"interface":"eth0","protocol":"TCP","saddr":"fd09::1","daddr":"fd09::2","dport":7003,"flags":"S","netns":$right,"place":"tcp_v6_rcv","stack":null}
	END
}

# rcvbuf_errors: sets $dropped to what the kernel has counted of UDP so far
rcvbuf_errors() {
	local names values i
	read -ra names < <(grep '^Udp: In' /proc/net/snmp)
	read -ra values < <(grep '^Udp: [0-9]' /proc/net/snmp)
	for i in "${!names[@]}"; do [ "${names[i]}" != RcvbufErrors ] || dropped=${values[i]}; done
}

# Reasons that say what is wrong, each as often as the kernel's own counters have it.
test_reasons() {
	local before dropped
	has_reasons || skip "this kernel has no reasons"
	network
	loopback
	rcvbuf_errors
	before=$dropped
	start dropsnoop --json --port=7000-7009
	udp 127.0.0.1 7000 50 4000 deaf >received
	ip netns exec left udp 10.9.0.2 7001 3 4001
	loss left 100
	ip netns exec left udp 10.9.0.2 7002 5 4002
	loss left 0
	ip netns exec right bash -c 'echo 1 >/proc/sys/net/ipv4/ip_forward; ip route add blackhole 10.8.0.0/24'
	ip -n left route add 10.8.0.0/24 via 10.9.0.2
	ip netns exec left udp 10.8.0.1 7003 2 4003
	wait_of '.dport == 7003' 2
	stop
	expect_status 0
	expect_empty "$err"
	rcvbuf_errors
	equal "rows of a full socket, and those not received" "$(count_of '.reason == "SOCKET_RCVBUFF" and .dport == 7000')" \
		$((50 - $(<received)))
	equal "rows of a full socket, and RcvbufErrors" "$(count_of '.reason == "SOCKET_RCVBUFF"')" $((dropped - before))
	equal "rows without a socket" "$(count_of '.reason == "NO_SOCKET" and .dport == 7001')" 3
	equal "rows of the queue" "$(count_of '.reason == "QDISC_DROP" and .dport == 7002 and .interface == "eth0"')" 5
	equal "rows without a route" "$(count_of '.dport == 7003 and (.place | startswith("ip_error+"))')" 2
}

# What the administrator's rules drop, as often as they count.
test_netfilter() {
	local reason='"NETFILTER_DROP"'
	need nft
	has_reasons || reason=null
	network
	[ -e /sys/module/nf_tables ] || load nf_tables
	modprobe -d "$TL_MODULES" -q nft_counter || :	# not a module of its own any more
	ip netns exec right nft -f - <<-'END'
	table inet rules {
		chain in {
			type filter hook input priority 0
			udp dport 7000 counter drop
		}
	}
	END
	start dropsnoop --json --port=7000
	ip netns exec left udp 10.9.0.2 7000 3 4000
	ip netns exec left udp fd09::2 7000 2 4000
	wait_of .dport 5
	stop
	expect_status 0
	said
	grep -q 'counter packets 5 ' <(ip netns exec right nft list ruleset) || fail "$(ip netns exec right nft list ruleset)"
	# the rules' own code drops since 6.12
	jq -c '[.reason, (.place | test("^(nf_hook_slow|nft_do_chain)[+]")), .saddr]' "$out" | sort | uniq -c | sed 's/^ *//' >rows
	expect_rows rows <<-END
	3 [$reason,true,"10.9.0.1"]
	2 [$reason,true,"fd09::1"]
	END
}

# What is sent must not be what decides: another process, another port, another family.
test_filters() {
	loopback
	to=port start dropsnoop --json --port=7001
	stop_later
	to=source start dropsnoop --json --sport=4002 --dport=1-65535
	stop_later
	to=version start dropsnoop --json -6 --dport=7000-7002
	stop_later
	to=addr start dropsnoop --json --daddr=127.0.0.2 --port=7000-7002
	stop_later
	to=net start dropsnoop --json -4 --addr=127.0.0.0/30 --port=7000-7002
	stop_later
	to=all start dropsnoop --json --port=7000-7002
	stop_later
	udp 127.0.0.1 7001 1 4001
	udp 127.0.0.2 7002 1 4002
	udp ::1 7000 1 4000
	wait_lines all 3
	stop_later_all
	for file in port source version addr net all; do jq -c '[.daddr, .dport]' $file | paste -sd ' ' >ends.$file; done
	grep . ends.* >rows
	expect_rows rows <<-'END'
	ends.addr:["127.0.0.2",7002]
	ends.all:["127.0.0.1",7001] ["127.0.0.2",7002] ["::1",7000]
	ends.net:["127.0.0.1",7001] ["127.0.0.2",7002]
	ends.port:["127.0.0.1",7001]
	ends.source:["127.0.0.2",7002]
	ends.version:["::1",7000]
	END
}

# stop_later: the program that was started last, by stop_later_all
later=()
stop_later() { later+=("$pid $err"); }
stop_later_all() {
	local one
	for one in "${later[@]}"; do
		read -r pid err <<<"$one"
		stop
		expect_status 0
		said
	done
}

test_reason_filter() {
	has_reasons || skip "this kernel has no reasons"
	loopback
	to=only start dropsnoop --json --reason=SOCKET_RCVBUFF,NO_SOCKET --port=7000-7001
	stop_later
	to=one start dropsnoop --json --reason=SOCKET_RCVBUFF --port=7000-7001
	stop_later
	to=others start dropsnoop --json --reason='!SOCKET_RCVBUFF,TCP_CSUM' --port=7000-7001
	stop_later
	udp 127.0.0.1 7000 30 4000 deaf >received
	udp 127.0.0.1 7001 1 4001
	wait_lines only $((30 - $(<received) + 1))
	stop_later_all
	equal "rows of both" "$(wc -l <only)" $((30 - $(<received) + 1))
	equal "rows of one" "$(wc -l <one)" $((30 - $(<received)))
	jq -c '[.reason, .dport]' others >rows
	expect_rows rows <<<'["NO_SOCKET",7001]'
	expect_error 1 'dropsnoop: --reason: this kernel has no reason "NONE"; events/skb/kfree_skb/format in tracefs has all' \
		dropsnoop --reason=NO_SOCKET,NONE
}

# Each kind is counted once, whatever it is counted by.
test_counts() {
	local by
	loopback
	for by in protocol port source,destination interface netns place protocol,port,interface; do
		to=$by start dropsnoop --json --by=$by --port=7000-7001
		stop_later
	done
	to=text start dropsnoop --by=protocol,port --port=7000-7001
	stop_later
	udp 127.0.0.1 7000 20 4000
	udp ::1 7001 5 4001
	stop_later_all
	jq -c 'del(.time)' protocol port source,destination interface protocol,port,interface >rows
	expect_rows rows <<-'END'
	{"protocol":"UDP","count":25}
	{"dport":7001,"count":5}
	{"dport":7000,"count":20}
	{"saddr":"::1","daddr":"::1","count":5}
	{"saddr":"127.0.0.1","daddr":"127.0.0.1","count":20}
	{"interface":"lo","count":25}
	{"interface":"lo","protocol":"UDP","dport":7001,"count":5}
	{"interface":"lo","protocol":"UDP","dport":7000,"count":20}
	END
	jq -c 'del(.time)' netns >rows
	expect_rows rows <<<"{\"netns\":$(stat -Lc %i /proc/self/ns/net),\"count\":25}"
	jq -c .count place >rows
	expect_rows rows <<<$'5\n20'
	expect_rows text <<-'END'
	Counting dropped packets. Ctrl-C to end.
	PROTO  DPORT      DROPS
	UDP    7001           5
	UDP    7000          20

	Ending tracing...
	END
}

# In each interval what was dropped in it, and the sum of all is what was sent.
test_intervals() {
	loopback
	start dropsnoop --json --port=7000 0.2
	udp 127.0.0.1 7000 30 4000
	wait_of .count 1
	udp 127.0.0.1 7000 12 4000
	until_true 60 counted_all 42 || fail "$(<"$out")"
	stop
	expect_status 0
	said
	[ "$(jq -s 'map(.time) | unique | length' "$out")" -ge 2 ] || fail "$(<"$out")"
	equal "the sum" "$(jq -s 'map(.count) | add' "$out")" 42
}
counted_all() { [ "$(jq -s 'map(.count) | add' "$out")" = "$1" ]; }

# What one of several owners lets go is not lost: on 5.10 each of these calls begins as
# one that drops, and later other packets are at the same addresses.  On some kernels the
# packet socket is the last owner, and drops it.
test_shared() {
	loopback
	start dropsnoop --json --port=7776-7777
	shared 7777 200 >received
	udp 127.0.0.1 7776 1 4000
	wait_of '.dport == 7776' 1
	stop
	expect_status 0
	expect_rows received <<<200
	jq -c 'select(.place | startswith("packet_rcv+") | not) | [.sport, .dport, .daddr]' "$out" >rows
	expect_rows rows <<<'[4000,7776,"127.0.0.1"]'
}

# Packets that end before their headers do: what is behind them is not read.
test_cut() {
	local ethernet='00 00 00 00 00 00 00 00 00 00 00 00 08 00'
	loopback
	start dropsnoop --json -4 --wide
	# version and length; headers of IP, of which one is of TCP and one of UDP
	frame lo "$ethernet 45 00 00 14" \
		"$ethernet 45 00 00 14 00 01 00 00 40 06 7c e1 7f 00 00 01 7f 00 00 01" \
		"$ethernet 45 00 00 14 00 01 00 00 40 11 7c d6 7f 00 00 01 7f 00 00 01"
	udp 127.0.0.1 7000 1 4000
	wait_of '.dport == 7000' 1
	stop
	expect_status 0
	said
	jq -c '[.protocol, .saddr, .sport, .daddr, .dport, .flags, .length]' "$out" >rows
	expect_rows rows <<-'END'
	["IPv4",null,null,null,null,null,4]
	["TCP","127.0.0.1",null,"127.0.0.1",null,null,20]
	["UDP","127.0.0.1",null,"127.0.0.1",null,null,20]
	["UDP","127.0.0.1",4000,"127.0.0.1",7000,null,29]
	END
}

# A fragment but the first has no ports: whether it is asked for nobody knows, and that
# is said, unless its addresses tell.
test_unknown() {
	local fragment='45 00 00 1c 00 01 00 64 40 11 66 5a 0a 09 00 01 0a 08 00 01 00 00 00 00 00 00 00 00'
	network
	ip netns exec right bash -c 'echo 1 >/proc/sys/net/ipv4/ip_forward; ip route add blackhole 10.8.0.0/24'
	to=port start dropsnoop --json --port=7003
	stop_later
	to=other start dropsnoop --json --port=7003 --daddr=10.8.0.2
	stop_later
	to=address start dropsnoop --json --daddr=10.8.0.1
	ip netns exec left frame eth0 "02 00 00 00 00 02 02 00 00 00 00 01 08 00 $fragment"
	wait_lines address 1
	stop
	expect_status 0
	said
	jq -c '[.protocol, .saddr, .sport, .daddr, .dport]' address >rows
	expect_rows rows <<<'["UDP","10.9.0.1",null,"10.8.0.1",null]'
	read -r pid err <<<"${later[0]}"
	stop
	expect_status 0
	grep -v ': only the place tells' "$err" >said || :
	expect_rows said <<-'END'
	dropsnoop: 1 drops are not shown: whether they are wanted is not known, as their addresses, ports or namespace are not
	END
	later=("${later[1]}")
	stop_later_all
	expect_empty port
	expect_empty other
}

# The stack is that of what drops, without the tracer's own functions, and the row is
# that of its packet: on 5.10 too, where that is in another record.
test_stacks() {
	loopback
	start dropsnoop -s --json --port=7000-7002
	udp 127.0.0.1 7000 1 4000
	udp ::1 7001 1 4001
	udp 127.0.0.1 7002 1 4002
	wait_of .stack 3
	stop
	expect_status 0
	said
	jq -c '[.saddr, .sport, .dport]' "$out" >rows
	expect_rows rows <<-'END'
	["127.0.0.1",4000,7000]
	["::1",4001,7001]
	["127.0.0.1",4002,7002]
	END
	jq -er '.stack[0] | test("^(sk_skb_reason_drop|kfree_skb|kfree_skb_reason)$")' "$out" >first || fail "$(<"$out")"
	jq -c '. as $row | .stack | any(. as $f | $row.place | startswith($f + "+"))' "$out" >rows
	expect_rows rows <<<$'true\ntrue\ntrue'
}

test_capture() {
	loopback
	start dropsnoop -w capture -s --port=7000-7001
	udp 127.0.0.1 7000 3 4000
	udp ::1 7001 2 4001
	stop
	expect_status 0
	run dropsnoop -r capture --json
	expect_status 0
	jq -c '[.protocol, .saddr, .sport, .daddr, .dport, .length]' "$out" >rows
	expect_rows rows <<-'END'
	["UDP","127.0.0.1",4000,"127.0.0.1",7000,29]
	["UDP","127.0.0.1",4000,"127.0.0.1",7000,29]
	["UDP","127.0.0.1",4000,"127.0.0.1",7000,29]
	["UDP","::1",4001,"::1",7001,49]
	["UDP","::1",4001,"::1",7001,49]
	END
	jq -e '.place | test("udp[a-z0-9_]*_rcv\\+0x")' "$out" >rows || fail "$(<"$out")"
	run dropsnoop -r capture --json --by=port
	jq -c '[.dport, .count]' "$out" >rows
	expect_rows rows <<<$'[7001,2]\n[7000,3]'
}

# Somebody else's event on the same tracepoint, and one at the top level, have all records
# before, while and after this runs.
test_beside_others() {
	local file=$tracefs/instances/other
	has_eprobes || skip "this kernel has no event probes"
	loopback
	mkdir "$file"
	at_end end_other
	echo 'e:other/drop skb.kfree_skb where=$location:x64' >>"$tracefs/dynamic_events"
	echo 1 >"$file/events/other/drop/enable"
	echo 1 >"$file/events/skb/kfree_skb/enable"
	udp 127.0.0.1 7000 2 4000
	start dropsnoop --json --port=7000
	udp 127.0.0.1 7000 3 4000
	wait_of .dport 3
	stop
	expect_status 0
	said
	equal rows "$(count_of .dport)" 3
	udp 127.0.0.1 7000 4 4000
	echo 0 >"$file/tracing_on"
	[ "$(grep -c ' drop: ' "$file/trace")" -ge 9 ] || fail "$(<"$file/trace")"
	equal "its own, and its probe's" "$(grep -c ' drop: ' "$file/trace")" "$(grep -c ' kfree_skb: ' "$file/trace")"
	[ "$(<"$file/events/other/drop/enable")" = 1 ] || fail "it was disabled"
}
has_eprobes() { grep -q 'e\[:\[<group>/\]' "$tracefs/README"; }
end_other() {
	echo 0 >"$tracefs/instances/other/events/enable"
	echo '-:other/drop' >>"$tracefs/dynamic_events"
	rmdir "$tracefs/instances/other"
}

# In a flood each packet is a row, is counted, or is said to be lost.
test_flood() {
	local records=1 lost
	test_limit=900
	loopback
	has_eprobes || records=2
	flooded 100000 $records --buffer=256
	flooded 20000 $((2 * records)) --buffer=64 -s
	[ "$lost" -gt 0 ] || fail "stacks of 20,000 packets fit into a buffer of 64 KB"
}

# flooded COUNT RECORDS ARG...: by so many packets, of each of which so many records can
# be lost, while the tool is stopped; $lost are
flooded() {
	local rows
	start dropsnoop --json --port=7000 "${@:3}"
	kill -STOP "$pid"
	udp 127.0.0.1 7000 "$1" 4000
	kill -CONT "$pid"
	stop
	expect_status 0
	rows=$(grep -c '"dport":7000' "$out") || :
	lost=$(sed -nE 's/^dropsnoop: ([0-9]+) events were lost: .*/\1/p' "$err" | awk '{ n += $1 } END { print n + 0 }')
	# there is more than packets: fork, exec and exit of all that runs
	((rows <= $1 && lost >= $1 - rows && lost <= $2 * ($1 - rows) + 50)) || fail "$rows rows: $(<"$err")"
}

# After SIGKILL the guard removes the probe, too.
test_killed() {
	loopback
	start dropsnoop --json
	grep -q tl_dropsnoop_ "$tracefs/dynamic_events" || fail "no probe"
	kill -KILL "$pid"
	wait "$pid" || :
	until_true 60 no_probe || fail "$(<"$tracefs/dynamic_events")"
}
no_probe() { ! grep -q tl_dropsnoop_ "$tracefs/dynamic_events"; }

host_wrong_use() {
	local try='(try dropsnoop -h)'
	expect_error 2 "dropsnoop: --by=colour: reason, place, interface, protocol, source, destination, port or netns $try" \
		dropsnoop --by=reason,colour
	expect_error 2 "dropsnoop: --by: \",\" names nothing $try" dropsnoop --by=,
	expect_error 2 "dropsnoop: --reason: \"!\" names nothing $try" dropsnoop '--reason=!'
	expect_error 2 "dropsnoop: --reason: \"!,\" names nothing $try" dropsnoop '--reason=!,'
	expect_error 2 "dropsnoop: -s: what is counted has no stacks $try" dropsnoop -s -c
	expect_error 2 "dropsnoop: use at most one of -4, -6 $try" dropsnoop -46
	expect_error 2 "dropsnoop: a packet is dropped by whatever ran then: -p, -L, -n and --cgroup do not say whose it is $try" \
		dropsnoop -p 1
	expect_error 2 "dropsnoop: --daddr: \"localhost\" is not an IP address, with /BITS behind it for a network $try" \
		dropsnoop --daddr=localhost
}
