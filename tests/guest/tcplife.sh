# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tcplife in a guest: connections whose ends, processes and bytes conns prints.

# shellcheck source=/dev/null
. "$here/work/net.bash"
# shellcheck source=/dev/null
. "$here/work/conns.bash"

# both_ends CLIENT SERVER [FILE]: PID LADDR LPORT RADDR RPORT TX RX CLOSED of both
# ends of what conns made, where these two say who closed
both_ends() {
	awk -v client="$1" -v server="$2" '$9 == "ok" {
		print $1, $2, $3, $5, $6, $7, $8, client
		print $10, $5, $6, $2, $3, $8, $7, server }' "${3-made}"
}

# shown [FILE]: the same of rows
shown() { jq -r '"\(.pid) \(.laddr) \(.lport) \(.raddr) \(.rport) \(.tx) \(.rx) \(.closed)"' "${1-$out}"; }

# lived HOW CLIENT SERVER [ARG...]: connections that end in this way
lived() {
	rm -f made
	made ${address:+-a $address} "$1" 8000 "${@:4}"
	both_ends "$2" "$3" >>ends
}

# expect_ends [FILE]: its rows are those of file ends, each once
expect_ends() {
	shown "${1-$out}" | sort >rows
	expect_rows rows < <(sort ends)
}

# ends_by_error: the same as both_ends of connections that errors ended, which conns
# prints of each end: without one this end has closed it, or the other one first
ends_by_error() {
	awk 'function closed(own, others, without) {
			if (own == "ETIMEDOUT") return "timeout"
			if (own == "ECONNABORTED") return "aborted"
			if (own == "ECONNRESET") return "remote RST"
			return others == "ECONNRESET" ? "local RST" : without
		}
		{ print $1, $2, $3, $5, $6, $7, $8, closed($15, $16, "local")
		print $10, $5, $6, $2, $3, $8, $7, closed($16, $15, "remote") }' made
}

# expect_begins: each connection began while its client connected, or, at the other
# end, until it was accepted
expect_begins() {
	jq -r '"\(.laddr) \(.lport) \(.raddr) \(.rport) \(.time - .duration)"' "$out" >begins
	awk 'NR == FNR { client = $2 " " $3 " " $5 " " $6; server = $5 " " $6 " " $2 " " $3
			begin[client] = begin[server] = $11; end[client] = $12; end[server] = $14; next }
		{ ends = $1 " " $2 " " $3 " " $4; us = $5 * 1e6; n++ }
		us < begin[ends] - 2 || us > end[ends] + 2 { print begin[ends], end[ends], $0 }
		END { if (!n) print "no rows" }' OFMT=%.0f made begins >odd
	expect_empty odd
}

first_check() { expect_exit 0 tcplife --check; }

first_row() {
	start tcplife --json
	lived close-client local remote 300000 7
	stop
	expect_status 0
	expect_empty "$err"
	expect_ends
	expect_begins
}

# Each way to end, of both families.
test_ends() {
	local address
	start tcplife --json
	for address in 127.0.0.1 ::1 ::ffff:127.0.0.1; do
		lived close-client local remote 1000 0 2
		lived close-server remote local 0 1
		lived reset-client 'local RST' 'remote RST' 1 1
		lived reset-server 'remote RST' 'local RST' 10 20
		lived half-closed local remote 100000 300000
	done
	stop
	expect_status 0
	expect_empty "$err"
	expect_ends
	jq -se 'all(.comm == "conns-client" or .comm == "conns-server")' "$out" >/dev/null || fail "other names"
	jq -se --argjson n "$(stat -Lc %i /proc/self/ns/net)" 'all(.duration > 0 and .rtt > 0 and .netns == $n)' "$out" >/dev/null || fail "not all is known"
}

# Whose it is at its end: a child, and a process that got it in a message.
test_owners() {
	start tcplife --json
	lived forked local remote 100 200
	lived handed local remote 100 200
	stop
	expect_status 0
	expect_empty "$err"
	expect_ends
	# and who has connected is always told
	jq -e 'select(.rport == 8000 and .opener_pid != .pid)' "$out" >odd && fail "another opener: $(<odd)"
	true
}

# What nobody accepts has no owner, and gives none to who gets its socket next.
test_never_accepted() {
	local process to
	mkfifo answers
	exec {to}<>answers
	start tcplife --json
	conns queued 8000 0 0 4 <answers >last &
	process=$!
	until_true 60 queued_4 || fail "not queued"
	kill -KILL $process
	wait $process || :
	exec {to}>&-
	until_true 60 all_closed_here || fail "not closed"
	rm -f made
	made close-client 8000 10 20 8
	stop
	expect_status 0
	jq -se 'map(select(.lport == 8000 and .rx == 0) | .pid) == [null, null, null, null]' "$out" >odd || fail "not accepted: $(<"$out")"
	jq -se 'map(select(.lport == 8000 and .rx == 10) | .comm) == [range(8) | "conns-server"]' "$out" >odd || fail "accepted: $(<"$out")"
}
all_closed_here() { ! grep -q ':1F40 [^ ]* 0[1A] ' /proc/net/tcp; }

# A queue of this machine that refuses data has it sent anew, which is no retransmit.
test_refused_by_queue() {
	network
	load sch_tbf
	tc -n left qdisc replace dev eth0 root tbf rate 40mbit burst 20kb limit 30kb
	start tcplife --json
	rm -f made
	in=left made -n right -a 10.9.0.2 close-client 8000 1000000 7
	both_ends local remote >ends
	stop
	expect_status 0
	expect_ends
}

# What another process's interrupts carry is not that process's.
test_interrupts() {
	local burner
	taskset 1 burn 100000 &
	burner=$!
	start tcplife --json
	rm -f made
	taskset 1 conns close-client 8000 1000 1000 50 >made || fail "conns"
	both_ends local remote >ends
	stop
	kill $burner; wait $burner || :
	expect_status 0
	expect_ends
}

test_many() {
	start tcplife --json
	lived close-client local remote 1000 3000 300
	stop
	expect_status 0
	expect_empty "$err"
	expect_ends
	expect_begins
}

# What began before has no begin, and its bytes are exact.
test_older() {
	rm -f made
	made_when begins queued 8000 5000 70 2
	stop
	expect_status 0
	both_ends local remote >ends
	expect_ends
	jq -se 'all(.duration == null)' "$out" >/dev/null || fail "has a length: $(<"$out")"
}

begins() { start tcplife --json; }

test_text() {
	beside rows tcplife
	beside wide tcplife -tTW --rport=8000
	rm -f made
	made close-client 8000 300000 1536
	stop_all
	expect_match rows.out <<-'END'
	Tracing TCP connections. Ctrl-C to end.
	PID     COMM             LADDR           LPORT RADDR           RPORT     TX_KB     RX_KB         MS
	[1-9]*  conns-client     127.0.0.1       * 127.0.0.1       8000     292.97      1.50 *.[0-9][0-9]
	[1-9]*  conns-server     127.0.0.1       8000  127.0.0.1       *      1.50    292.97 *.[0-9][0-9]

	Ending tracing...
	END
	expect_match wide.out <<-'END'
	Tracing TCP connections. Ctrl-C to end.
	TIMEs            TIME     PID     COMM             LADDR           LPORT RADDR           RPORT     TX_KB     RX_KB         MS RETRANS  RTT(us) CLOSED
	*.* ??:??:?? [1-9]*  conns-client     127.0.0.1       * 127.0.0.1       8000     292.97      1.50 *.[0-9][0-9]       *   * local

	Ending tracing...
	END
}

# Only some: by process, family, port, address, namespace.
test_filters() {
	local left
	network
	left=$(stat -Lc %i /run/netns/left)
	beside pid tcplife --json -p $$
	beside ipv4 tcplife --json -4
	beside ipv6 tcplife --json -6
	beside port tcplife --json --lport=8000
	beside netns tcplife --json --netns=left
	beside number tcplife --json --netns="$left"
	beside file tcplife --json --netns=/run/netns/left
	beside mine tcplife --json --netns=$$
	rm -f made
	made close-client 8000 10 20
	made -a ::1 close-client 8000 30 40
	both_ends local remote >here
	rm -f made
	in=left made -n right -a 10.9.0.2 close-client 8000 50 60
	both_ends local remote >there
	stop_all
	sort here there >all
	shown pid.out >rows; expect_empty rows
	shown ipv4.out | sort >rows; expect_rows rows < <(grep -v ::1 all)
	shown ipv6.out | sort >rows; expect_rows rows < <(grep ::1 all)
	shown port.out | sort >rows; expect_rows rows < <(awk '$3 == 8000' all)
	shown mine.out | sort >rows; expect_rows rows < <(sort here)
	for file in netns number file; do
		shown $file.out >rows; expect_rows rows < <(awk '$2 == "10.9.0.1"' there)
	done
	expect_error 1 'tcplife: --netns nowhere: /run/netns/nowhere: No such file or directory' tcplife --netns=nowhere
	expect_error 1 'tcplife: --netns 4194304: no such process' tcplife --netns=4194304
	expect_error 1 'tcplife: --netns /etc/passwd: /etc/passwd is no network namespace' tcplife --netns=/etc/passwd
	expect_error 1 'tcplife: --netns /proc/1/ns/mnt: /proc/1/ns/mnt is no network namespace' tcplife --netns=/proc/1/ns/mnt
}

# Losses of a bad cable are counted; without an answer at all it is a timeout.
test_loss() {
	local before
	network
	sysctl -qw net.ipv4.tcp_user_timeout=0 2>/dev/null || :
	start tcplife --json
	counter left TcpRetransSegs
	before=$counter
	loss left 20
	in=left made -n right -a 10.9.0.2 close-client 8000 200000 10
	loss left 0
	until_true 60 all_closed_left
	stop
	counter left TcpRetransSegs
	[ "$(jq -s 'map(select(.rport == 8000).retransmits) | add' "$out")" = $((counter - before)) ] ||
		fail "retransmits: $((counter - before)), $(<"$out")"
	jq -se 'map(select(.rport == 8000) | [.tx, .rx]) == [[200000, 10]]' "$out" >/dev/null || fail "bytes: $(<"$out")"
}
all_closed_left() {
	local sockets one
	sockets left
	for one in "${sockets[@]}"; do [[ $one == *' 06 '* || $one == *' 0A '* ]] || return 1; done
}

# flooded_beside: a flood at the port that waits, and a connection at another one
flooded_beside() {
	flood 8000 10000
	in=left made -n right -a 10.9.0.2 close-client 8001 50 60
}

resident() { awk '/^VmRSS:/ { print $2 }' "/proc/$pid/status"; }

# What never became a connection has no row and no place in memory.
test_flood() {
	local before full
	flood_network
	start tcplife --json
	rm -f made
	in=left made -n right -a 10.9.0.2 close-client 8001 10 20
	before=$(resident)

	# without cookies the queue is full, and the rest is dropped
	ip netns exec right bash -c 'echo 0 >/proc/sys/net/ipv4/tcp_syncookies'
	counter right TcpExtTCPReqQFullDrop
	full=$counter
	in=left made_when flooded_beside -n right -a 10.9.0.2 overflow 8000 8 1
	counter right TcpExtTCPReqQFullDrop
	[ "$counter" -gt "$full" ] || fail "the queue was never full"

	# with them the connection beside has got one
	ip netns exec right bash -c 'echo 1 >/proc/sys/net/ipv4/tcp_syncookies'
	in=left made -n right -a 10.9.0.2 -b 8 -x "$flood_here" close-client 8000 30 40 5
	counter right TcpExtSyncookiesRecv
	[ "$counter" -ge 5 ] || fail "only $counter connections with cookies"
	both_ends local remote >ends
	[ $(($(resident) - before)) -le 1000 ] || fail "from $before KB to $(resident) KB"
	stop_told tcplife
	shown >rows
	but_missed
}

# One socket that connect() ends, and connects anew: a row for each connection.
test_connected_again() {
	start tcplife --json
	rm -f made
	made again 8000 100 200 3
	made -a ::1 again 8000 3000 0 2
	stop
	expect_status 0
	expect_empty "$err"
	ends_by_error >ends
	[ "$(grep -c ' local RST$' ends)" = 3 ] || fail "$(<ends)"
	expect_ends
	expect_begins
}

# An administrator ends one end, and the other one is reset.
test_aborted() {
	need ss
	network
	[ -e /sys/module/tcp_diag ] || load tcp_diag
	start tcplife --json
	rm -f made
	in=left made_when kill_sockets -n right -a 10.9.0.2 killed 8000 10 20 3
	stop
	expect_status 0
	expect_empty "$err"
	ends_by_error >ends
	[ "$(grep -c ' aborted$' ends)" = 3 ] || fail "$(<ends)"
	expect_ends
}
# as long as there is one: a kernel that cannot has none that go
kill_sockets() {
	ss -N left -K dport = :8000 >killed 2>&1
	[ "$(grep -c ':8000' killed)" = 3 ] || skip "ss -K: $(<killed)"
}

# No answer comes any more, at either end.
test_timeout() {
	network
	start tcplife --json
	rm -f made
	in=left made_when cut_cable -n right -a 10.9.0.2 -u 2000 cut 8000 1000 700 2
	stop
	expect_status 0
	expect_empty "$err"
	ends_by_error >ends
	[ "$(grep -c ' timeout$' ends)" = 4 ] || fail "$(<ends)"
	sed -E 's/ [0-9]+ timeout$/ 0 timeout/' ends >arrived
	mv arrived ends
	expect_ends
}
cut_cable() { loss left 100; loss right 100; }

# Multipath TCP is the connections that it is made of, whose bytes are its own; nobody
# is seen to accept or to close them.
test_multipath() {
	[ -e /proc/sys/net/mptcp/enabled ] || skip "this kernel has no MPTCP"
	start tcplife --json
	rm -f made
	until_end /proc/sys/net/mptcp/enabled 1
	made -m close-client 8000 100000 300 3
	made -m -a ::1 close-client 8000 10 20
	stop
	expect_status 0
	expect_empty "$err"
	awk '{ print $2, $3, $5, $6, $7, $8; print $5, $6, $2, $3, $8, $7 }' made >ends
	jq -r '"\(.laddr) \(.lport) \(.raddr) \(.rport) \(.tx) \(.rx)"' "$out" | sort >rows
	expect_rows rows < <(sort ends)
	jq -se 'map(select(.rport == 8000)) | all(.opener_comm == "conns-client")' "$out" >odd || fail "$(<"$out")"
}

# Tens of thousands at once: each has its row, but for those that the tool says were missed,
# as their packets came in an interrupt of another probe.
test_burst() {
	local n
	until_end /proc/sys/net/ipv4/tcp_max_tw_buckets 40000	# else some are reset
	start tcplife --csv
	rm -f made
	for ((n = 0; n < 10; n++)); do made close-client 8000 1 2 1000; done
	stop_told tcplife
	both_ends local remote >ends
	[ "$(wc -l <ends)" = 20000 ] || fail "not made"
	awk -F, 'NR > 1 { print $2, $5, $6, $7, $8, $9, $10, $14 }' "$out" >rows
	but_missed
}

# A capture has what the live run showed.
test_capture() {
	beside live tcplife --json
	beside text tcplife -W
	beside capture tcplife -w life.dat
	lived close-client local remote 100 200 5
	lived reset-client 'local RST' 'remote RST' 1 1
	stop_all
	expect_ends live.out
	expect_exit 0 tcplife -r life.dat --json
	expect_ends "$out"
	expect_exit 0 tcplife -r life.dat -W
	expect_rows <(grep -c . "$out") < <(grep -c . text.out)
}
