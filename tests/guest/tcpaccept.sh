# shellcheck shell=bash disable=SC2016,SC2034 # what is quoted is awk's; variables are of work/conns.bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tcpaccept in a guest: connections whose ends, processes and times conns prints, and
# overflows as the kernel's own counters have them.

# shellcheck source=/dev/null
. "$here/work/net.bash"
# shellcheck source=/dev/null
. "$here/work/conns.bash"

# known: PID IP RADDR RPORT LADDR LPORT of what conns made, as the server has it
known() { awk '$4 != "-" { print $4, ($5 ~ /:/ ? 6 : 4), $2, $3, $5, $6 }' made; }

# shown [FILE]: the same of rows
shown() {
	jq -r 'select(.type == "accept") | "\(.pid) \(.ip) \(.raddr) \(.rport) \(.laddr) \(.lport)"' "${1-$out}"
}

# client: its end in rows, for expect_within
client='\(.raddr) \(.rport) \(.lport)'

first_check() { expect_exit 0 tcpaccept --check; }

first_row() {
	start tcpaccept --json
	made close-client 8000 10 10
	stop
	expect_status 0
	expect_empty "$err"
	expect_made
	expect_within '.type == "accept"' wait 13 14
}

test_rows() {
	start tcpaccept --json
	made close-client 8000 10 10 3
	made close-server 8000 0 0
	made -a ::1 reset-client 8000 10 10 2
	made -a ::ffff:127.0.0.1 reset-server 8000 1 1
	made handed 8000 10 10 2
	made -a ::1 forked 8000 10 10
	made connect 8001
	stop
	expect_status 0
	expect_empty "$err"
	expect_made
	expect_within '.type == "accept"' wait 13 14
	jq -se 'all(.comm == "conns-server" and .queue >= 1 and .queue_max == 1024 and .drops == 0)' "$out" >answer ||
		fail "$(<"$out")"
}

test_text() {
	beside rows tcpaccept
	beside all tcpaccept -tT --overflows
	made close-client 8000 10 10
	made -a ::1 close-client 8001 10 10
	stop_all
	expect_match rows.out <<-'END'
	Tracing TCP accepts. Ctrl-C to end.
	PID     COMM         IP RADDR           RPORT LADDR           LPORT  WAIT(ms)  QLEN  QMAX  DROPS
	[1-9]*  conns-server 4  127.0.0.1       [1-9]* 127.0.0.1       8000  *.??     1  1024      0
	[1-9]*  conns-server 6  ::1             [1-9]* ::1             8001  *.??     1  1024      0

	Ending tracing...
	END
	expect_match all.out <<-'END'
	Tracing TCP accepts. Ctrl-C to end.
	TIMEs            TIME     TYPE     PID     COMM         IP RADDR           RPORT LADDR           LPORT  WAIT(ms)  QLEN  QMAX  DROPS
	*.* ??:??:?? accept   [1-9]*  conns-server 4  127.0.0.1       [1-9]* 127.0.0.1       8000  *.??     1  1024      0
	*.* ??:??:?? accept   [1-9]*  conns-server 6  ::1             [1-9]* ::1             8001  *.??     1  1024      0

	Ending tracing...
	END
}

# They wait until the test has seen all of them in the queue.
test_queue() {
	start tcpaccept --json
	made_when queued_4 queued 8000 1 1 4
	stop
	expect_status 0
	expect_empty "$err"
	expect_made
	expect_within '.type == "accept"' wait 13 14
	jq -c '[.queue, .queue_max, .drops]' "$out" | sort >queues
	expect_rows queues <<-'END'
	[1,1024,0]
	[2,1024,0]
	[3,1024,0]
	[4,1024,0]
	END
	# uptime has hundredths, rounded down
	jq -se --argjson noticed "$noticed" 'all(.wait >= .time - $noticed - 0.01)' "$out" >answer ||
		fail "since $noticed: $(<"$out")"
}

test_filters() {
	beside none tcpaccept --json -n nobody
	beside name tcpaccept --json -n conns-server
	beside ipv4 tcpaccept --json -4
	beside ipv6 tcpaccept --json -6
	beside rport tcpaccept --json --rport=8000
	beside lport tcpaccept --json --lport=8000
	beside laddr tcpaccept --json --laddr=::/0
	beside min tcpaccept --json --min=300000
	beside process tcpaccept --json -p $$
	made close-client 8000 10 10 3
	made close-client 8001 10 10
	made -a ::1 close-client 8000 10 10
	stop_all
	expect_made name.out
	expect_empty none.out min.out process.out rport.out
	expect_chosen ipv4 '$2 == 4'
	expect_chosen ipv6 '$2 == 6'
	expect_chosen lport '$6 == 8000'
	expect_chosen laddr '$2 == 6'
}

# expect_chosen NAME CONDITION: rows of NAME.out are those of what was made that awk's
# condition finds
expect_chosen() {
	shown "$1.out" | sort >rows
	expect_rows rows < <(known | awk "$2" | sort)
	[ -s rows ] || fail "$1: nothing"
}

# overflows FILE: its rows of them
overflows() { grep -c '"type":"overflow"' "$1" || :; }

# A queue that is full refuses SYN, of clients that send it again, and what completes a
# handshake that began before it was full.
test_overflows() {
	local before acks here there listener client
	network
	counter right TcpExtListenOverflows
	before=$counter
	start tcpaccept --json --overflows
	in=left made_when true -a 10.9.0.2 -n right overflow 8000 1 4
	in=left made_when true -a fd09::2 -n right overflow 8000 0 3
	counter right TcpExtListenOverflows
	[ $((counter - before)) -ge 4 ] || fail "only $counter overflows"
	acks=$counter

	# one more fits, and five come
	tc -n left qdisc change dev eth0 root netem delay 50ms limit 100000
	rm -f last
	mkfifo here there
	exec {here}<>here {there}<>there
	ip netns exec left conns -a 10.9.0.2 -n right overflow 8001 1 1 <here >last &
	listener=$!
	wait_lines last 1
	ip netns exec left conns -a 10.9.0.2 abandoned 8001 5 <there >>others &
	client=$!
	wait_counter right TcpExtListenOverflows $((acks + 4))
	echo >&"$there"
	wait $client || fail "no abandoned connections"
	echo >&"$here"
	wait $listener || fail "no connection beside them"
	sed 1d last >>made
	stop
	expect_status 0
	expect_empty "$err"
	counter right TcpExtListenOverflows
	[ "$(overflows "$out")" = $((counter - before)) ] || fail "$((counter - before)) overflows, and rows: $(<"$out")"
	jq -se 'map(select(.type == "overflow")) | all(.queue == .queue_max + 1 and .pid == null and .raddr == null and
		.netns > 0)' "$out" >answer || fail "$(<"$out")"
	jq -sc 'map(select(.type == "overflow") | [.laddr, .lport, .queue]) | unique | .[]' "$out" >kinds
	expect_rows kinds <<-'END'
	["10.9.0.2",8000,2]
	["10.9.0.2",8001,2]
	["fd09::2",8000,1]
	END
}

# Of a flood of SYN nothing is accepted, but who connects meanwhile is, by a cookie.
test_flood() {
	local before n missed
	flood_network
	counter right TcpExtListenOverflows
	before=$counter
	start tcpaccept --json --overflows
	in=left made -n right -a 10.9.0.2 -b 8 -x "$flood_here" close-client 8000 30 40 5
	counter right TcpExtSyncookiesRecv
	[ "$counter" -ge 5 ] || fail "only $counter connections with cookies"
	counter right TcpExtListenOverflows
	stop_told tcpaccept
	n=$((counter - before - $(overflows "$out")))
	((n >= 0 && n <= $(allowed))) || fail "$n overflows are not shown, $missed were missed"
	known >ends
	shown >rows
	but_missed
}

# Packets that wait for a timer come in the interrupts of who happens to run.
test_other_interrupted() {
	local burners=() name in=left
	network
	burn_beside_cable
	beside states tpoint sock:inet_sock_set_state
	beside left tcpaccept --json --netns=left
	beside right tcpaccept --json --netns=right
	beside rows tcpaccept --json
	for name in 1 2 3 4 5; do
		made -a 10.9.0.2 -n right close-client 8000 10 10 2
	done
	kill "${burners[@]}"
	stop_all
	out=rows.out
	expect_made
	expect_within '.type == "accept"' wait 13 14
	expect_empty left.out
	expect_made right.out
	grep -q "burn-.*oldstate=TCP_SYN_RECV newstate=TCP_ESTABLISHED" states.out || fail "no interrupt of burn carried any"
}

# Many threads that wait in accept() at the same time do not use anything up.
test_waiting() {
	local i missed processes=()
	start tcpaccept --json
	for ((i = 0; i < 60; i++)); do
		conns close-client $((8100 + i)) 1 1 >made.$i &
		processes+=($!)
	done
	wait "${processes[@]}"
	made -a ::1 close-client 8000 1 1 1000
	stop_told tcpaccept
	cat made.* >>made
	known >ends
	shown >rows
	but_missed
	jq -se "[.[] | select(.wait == null)] | length <= $(allowed)" "$out" >answer || fail "$(<"$out")"
	expect_within '.type == "accept" and .wait' wait 13 14
}

test_fastopen() {
	until_end /proc/sys/net/ipv4/tcp_fastopen 1543
	start tcpaccept --json
	made fastopen 8000 10 10 2
	made -a ::1 fastopen 8000 10 10
	stop
	expect_status 0
	expect_empty "$err"
	expect_made
	expect_within '.type == "accept"' wait 13 14
}

# In the queue from before the run: how long is not known.
test_before() {
	local process to
	mkfifo go
	exec {to}<>go
	conns queued 8000 1 1 2 <go >last &
	process=$!
	wait_lines last 1
	beside all tcpaccept --json
	beside min tcpaccept --json --min=1
	echo >&"$to"
	wait $process
	stop_all
	sed 1d last >made
	expect_made all.out
	expect_empty min.out
	jq -c '[.wait, .queue, .queue_max, .drops]' all.out | sort -u >queues
	expect_rows queues <<<'[null,null,null,null]'
}

host_wrong_use() {
	local try='(try tcpaccept -h)'
	expect_error 2 "tcpaccept: unexpected argument \"80\" $try" tcpaccept 80
	expect_error 2 "tcpaccept: use at most one of -4, -6 $try" tcpaccept -4 -6
}
