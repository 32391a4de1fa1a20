# shellcheck shell=bash disable=SC2016,SC2034 # what is quoted is awk's; variables are of work/conns.bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tcpconnect in a guest: connections whose ends, results and times conns prints.

# shellcheck source=/dev/null
. "$here/work/net.bash"
# shellcheck source=/dev/null
. "$here/work/conns.bash"

# known: PID IP RADDR RPORT ERR of what conns made, as it printed it
known() {
	awk '{ print $1, ($5 ~ /:/ ? 6 : 4), $5, $6, ($9 == "ok" ? "-" : $9 == "EINPROGRESS" ? "closed" : $9) }' made
}

# shown [FILE]: the same of rows
shown() { jq -r '"\(.pid) \(.ip) \(.raddr) \(.rport) \(.error // "-")"' "${1-$out}"; }

# client: its end in rows, for expect_within
client='\(.laddr) \(.lport) \(.rport)'

first_check() { expect_exit 0 tcpconnect --check; }

first_row() {
	start tcpconnect --json
	conns close-client 8000 10 10 >made
	stop
	expect_status 0
	expect_empty "$err"
	expect_made
	expect_within '.error == null' latency 11 12
}

test_rows() {
	start tcpconnect --json
	made close-client 8000 10 10 3
	made close-server 8000 0 0
	made -a ::1 close-client 8000 10 10 2
	made -a ::ffff:127.0.0.1 reset-server 8000 1 1
	made connect 8001
	made -a ::1 connect 8001 2
	made -a ::ffff:127.0.0.1 connect 8001
	made -a 10.1.2.3 connect 8001
	made -a ::ffff:10.1.2.3 connect 8001
	made -a fd09::7 connect 8001
	made_when true overflow 8000 1 4
	stop
	expect_status 0
	expect_empty "$err"
	expect_made
	expect_within '.error == null' latency 11 12
	jq -e '.comm == "conns-client"' "$out" >/dev/null || fail "other names"
	# where nothing was sent there is no time, and no local end
	jq -s 'map(select(.error == "ENETUNREACH") | [.latency, .laddr, .lport]) | unique' -c "$out" >nothing
	expect_rows nothing <<<'[[null,null,null]]'
	jq -se 'map(select(.error == "ECONNREFUSED")) | length == 4 and all(.latency > 0 and .lport > 0)' "$out" >answer ||
		fail "refused: $(<"$out")"
}

# Bytes behind the address that a program gives are not shown as one.
test_short() {
	beside rows tcpconnect --json
	beside rport tcpconnect --json --rport=8000
	beside count tcpconnect --json -c
	conns short 8000 >made
	conns -a ::1 short 8000 2 >>made
	stop_all
	jq -c '[.ip, .raddr, .rport, .error]' rows.out >answers
	expect_rows answers <<-'END'
	[4,null,null,"EINVAL"]
	[6,null,null,"EINVAL"]
	[6,null,null,"EINVAL"]
	END
	expect_empty rport.out
	expect_rows count.out <<-'END'
	{"raddr":null,"rport":null,"count":1,"failed":1}
	{"raddr":null,"rport":null,"count":2,"failed":2}
	END
}

test_text() {
	beside rows tcpconnect
	beside all tcpconnect -tTl
	conns close-client 8000 10 10 >made
	conns -a ::1 connect 8001 >>made
	conns -a 10.1.2.3 connect 8001 >>made
	stop_all
	expect_match rows.out <<-'END'
	Tracing TCP connects. Ctrl-C to end.
	PID     COMM         IP LADDR           RADDR           RPORT   LAT(ms) ERR
	[1-9]*  conns-client 4  127.0.0.1       127.0.0.1       8000  *.?? -
	[1-9]*  conns-client 6  ::1             ::1             8001  *.?? ECONNREFUSED
	[1-9]*  conns-client 4  -               10.1.2.3        8001          - ENETUNREACH

	Ending tracing...
	END
	expect_match all.out <<-'END'
	Tracing TCP connects. Ctrl-C to end.
	TIMEs            TIME     PID     COMM         IP LADDR           LPORT RADDR           RPORT   LAT(ms) ERR
	*.* ??:??:?? [1-9]*  conns-client 4  127.0.0.1       [1-9]* 127.0.0.1       8000  *.?? -
	*.* ??:??:?? [1-9]*  conns-client 6  ::1             [1-9]* ::1             8001  *.?? ECONNREFUSED
	*.* ??:??:?? [1-9]*  conns-client 4  -               -     10.1.2.3        8001          - ENETUNREACH

	Ending tracing...
	END
}

test_filters() {
	beside none tcpconnect --json -n nobody
	beside name tcpconnect --json -n conns-client
	beside ipv4 tcpconnect --json -4
	beside ipv6 tcpconnect --json -6
	beside failed tcpconnect --json --failed
	beside rport tcpconnect --json --rport=8001
	beside port tcpconnect --json --port=8000
	beside addr tcpconnect --json --addr=::/0
	beside raddr tcpconnect --json --raddr=10.0.0.0/8
	beside min tcpconnect --json --min=300000
	beside count tcpconnect --json -c
	beside count_failed tcpconnect -c --failed --rport=8001
	beside process tcpconnect --json -p $$
	made close-client 8000 10 10 3
	made -a ::1 close-client 8000 10 10
	made -a ::1 connect 8001
	made connect 8001 2
	made -a 10.1.2.3 connect 8001
	stop_all
	expect_made name.out
	expect_empty none.out min.out process.out
	expect_chosen ipv4 '$2 == 4'
	expect_chosen ipv6 '$2 == 6'
	expect_chosen failed '$5 != "-"'
	expect_chosen rport '$4 == 8001'
	expect_chosen port '$4 == 8000'
	expect_chosen addr '$2 == 6'
	expect_chosen raddr '$3 == "10.1.2.3"'
	expect_rows count.out <<-'END'
	{"raddr":"::1","rport":8000,"count":1,"failed":0}
	{"raddr":"::1","rport":8001,"count":1,"failed":1}
	{"raddr":"10.1.2.3","rport":8001,"count":1,"failed":1}
	{"raddr":"127.0.0.1","rport":8001,"count":2,"failed":2}
	{"raddr":"127.0.0.1","rport":8000,"count":3,"failed":0}
	END
	expect_rows count_failed.out <<-'END'
	Counting TCP connects. Ctrl-C to end.
	RADDR           RPORT  CONNECTS    FAILED
	::1             8001          1         1
	10.1.2.3        8001          1         1
	127.0.0.1       8001          2         2

	Ending tracing...
	END
}

# expect_chosen NAME CONDITION: rows of NAME.out are those of what was made that awk's
# condition finds
expect_chosen() {
	shown "$1.out" | sort >rows
	expect_rows rows < <(known | awk "$2" | sort)
	[ -s rows ] || fail "$1: nothing"
}

# What other machines and timers end.
test_network() {
	local in=left
	network
	beside left tcpconnect --json --netns=left
	beside right tcpconnect --json --netns=right
	beside rows tcpconnect --json
	made -a 10.9.0.2 -n right close-client 8000 10 10
	made -a fd09::2 -n right close-server 8000 10 10
	made -a fd09::2 connect 8001
	ip -n left route add unreachable 10.9.5.1
	made -a 10.9.5.1 connect 8001

	# the other one says that there is no such host
	ip -n left route add 10.9.6.0/24 via 10.9.0.2
	ip -n right route add unreachable 10.9.6.0/24
	ip netns exec right bash -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'
	made -a 10.9.6.1 connect 8001

	loss left 100
	made -u 1500 -a 10.9.0.2 connect 8000
	loss left 0
	stop_all
	out=rows.out
	expect_made left.out
	expect_empty right.out
	cut -d ' ' -f 9 made >kinds
	expect_rows kinds <<-'END'
	ok
	ok
	ECONNREFUSED
	EHOSTUNREACH
	EHOSTUNREACH
	ETIMEDOUT
	END
	expect_made
	expect_within '.error == null' latency 11 12
	jq -se '.[3].latency == null and .[4].latency > 0 and .[5].latency > 1' "$out" >answer || fail "$(<"$out")"
}

# A handshake from before the run: who began it is not known.  Nor has one a row that
# is not over.
test_before_and_after() {
	local process
	network
	serve right 8000
	loss left 100
	call left 10.9.0.1 4000 10.9.0.2 8000
	wait_counter left TcpRetransSegs 1
	beside all tcpconnect -l
	beside failed tcpconnect --failed
	beside process tcpconnect -n tcp
	loss left 0
	answered 4000
	loss left 100
	ip netns exec left conns -a 10.9.0.2 abandoned 8000 <"hold" >last &
	process=$!
	wait_lines last 1
	kill -INT "${pids[@]}"
	for pid in "${pids[@]}"; do
		finish "$pid"
		expect_status 0
	done
	kill $process
	loss left 0
	hang_up 4000
	sed '1,2d; /^$/,$d' all.out >rows
	expect_rows rows <<-'END'
	-       -            4  10.9.0.1        4000  10.9.0.2        8000          - -
	END
	sed '1,2d; /^$/,$d' failed.out process.out >rows
	expect_empty rows
	cat "$work"/*.err | sort | uniq -c >said
	expect_match said <<-'END'
	*1 tcpconnect: 1 handshake is left out: it is not known whose
	*2 tcpconnect: 1 handshake was not over at the end, and has no row
	END
}

# Packets that wait for a timer come in the interrupts of who happens to run.
test_other_interrupted() {
	local burners=() name in=left
	network
	burn_beside_cable
	beside states tpoint sock:inet_sock_set_state
	beside rows tcpconnect --json
	for name in 1 2 3 4 5; do
		made -a 10.9.0.2 -n right close-client 8000 10 10 2
	done
	kill "${burners[@]}"
	stop_all
	out=rows.out
	expect_made
	expect_within '.error == null' latency 11 12
	jq -se 'all(.latency >= 0.04)' rows.out >answer || fail "$(<rows.out)"
	grep -q "burn-.*oldstate=TCP_SYN_SENT newstate=TCP_ESTABLISHED" states.out || fail "no interrupt of burn carried any"
}

# None is missing of many at the same time, but for what is told.
test_many() {
	local missed
	start tcpconnect --json
	made close-client 8000 1 1 1000
	made -a ::1 close-server 8000 1 1 300
	stop_told tcpconnect
	known >ends
	shown >rows
	but_missed
	expect_within '.error == null' latency 11 12
}

test_fastopen() {
	until_end /proc/sys/net/ipv4/tcp_fastopen 1543
	start tcpconnect --json
	made fastopen 8000 10 10 2
	made -a ::1 fastopen 8000 10 10
	stop
	expect_status 0
	expect_empty "$err"
	expect_made
}

# Here connect() sends nothing, as sysctl lets it do so without a cookie.
test_deferred() {
	until_end /proc/sys/net/ipv4/tcp_fastopen 1543
	start tcpconnect --json
	conns deferred 8000 >>unsent
	conns -a ::1 deferred 8000 >>unsent
	made connect 8001
	stop
	expect_status 0
	expect_empty "$err"
	cut -d ' ' -f 9 unsent >kinds
	expect_rows kinds <<-'END'
	ok
	ok
	END
	expect_made
}

host_wrong_use() {
	local try='(try tcpconnect -h)'
	expect_error 2 "tcpconnect: unexpected argument \"80\" $try" tcpconnect 80
	expect_error 2 "tcpconnect: use at most one of -4, -6 $try" tcpconnect -4 -6
	expect_error 2 "tcpconnect: --min: \"x\" is not a number of milliseconds above 0 $try" tcpconnect --min=x
}
