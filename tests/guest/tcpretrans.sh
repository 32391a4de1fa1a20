# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tcpretrans in a guest: retransmits between network namespaces that lose all
# packets for a while, or some of them at random.  How many rows there must be
# say the kernel's own counters of each namespace.

# shellcheck source=/dev/null
. "$here/work/net.bash"

# established LADDR LPORT RADDR: a connection to port 8000 whose handshake is over
established() {
	call left "$1" "$2" "$3" 8000
	answered "$2"
	say "$2" 10
	arrived "$2"
}

# lose_some LPORT...: of each 10 bytes, which are resent until they arrive.  With
# that acknowledged nothing more is resent until connections are closed, which a
# busy machine may do so slowly that an end of it is.
lose_some() {
	local port before
	counter left TcpRetransSegs
	before=$counter
	loss left 100
	for port; do say "$port" 10; done
	wait_counter left TcpRetransSegs $((before + 2 * $# + 1))
	loss left 0
	arrived "$@"
	until_true 60 all_acknowledged || fail "not all is acknowledged"
}
all_acknowledged() { ip netns exec left ss -tnH state established | awk '$2 { exit 1 }'; }

# expect_all ROW: all rows are like that, as many as namespace "left" has
# counted, which is not 0
expect_all() {
	counter left TcpRetransSegs
	[ "$counter" -gt 0 ] || fail "nothing was resent"
	ends | sort | uniq -c | sed 's/^ *//' >ends
	expect_rows ends <<<"$counter $1"
}

# count PATTERN [FILE]: lines that match
count() { grep -c -- "$1" "${2:-$out}" || :; }

# rows_of NAMESPACE MARKS [FILE]: rows of what that has sent; a letter, or several
# as in [RS]
declare -A address=([left]='\(10.9.0.1\|.fd09::1.\)' [right]='\(10.9.0.2\|.fd09::2.\)'
	[alone]='\(127.0.0.1\|.::1.\)')
rows_of() { count "^.\{16\}${address[$1]}:[0-9]* *$2> " "${3:-$out}"; }

# quiet NAMESPACE...: nothing is lost any more, and nothing waits to be sent
quiet() {
	local name
	for name; do
		loss "$name" 0
		until_true 60 all_closed "$name" || fail "connections are left in $name"
	done
}
all_closed() { [ -z "$(ip netns exec "$1" ss -tanH exclude listening exclude time-wait)" ]; }

# equal WHAT A B
equal() { [ "$2" = "$3" ] || fail "$1: $2 and $3"; }

# equal_but_missed WHAT ROWS COUNT: or fewer rows, by those that the kernel missed
equal_but_missed() {
	(($2 <= $3 && $3 - $2 <= missed)) || fail "$1: $2 and $3, with $missed missed"
}

test_ipv4() {
	network
	serve right 8000
	established 10.9.0.1 4000 10.9.0.2
	start tcpretrans
	lose_some 4000
	stop
	expect_status 0
	expect_empty "$err"
	expect_all "10.9.0.1:4000 R> 10.9.0.2:8000 ESTABLISHED"
	expect_match <(sed -e 3,\$d "$out"; tail -n 2 "$out") <<-'END'
	TIME     PID    LADDR:LPORT          -- RADDR:RPORT          STATE
	[0-2][0-9]:[0-5][0-9]:[0-6][0-9] [0-9]*  10.9.0.1:4000        R> 10.9.0.2:8000        ESTABLISHED

	Ending tracing...
	END
	hang_up 4000
}

test_ipv6() {
	network
	serve right 8000
	established fd09::1 4000 fd09::2
	start tcpretrans
	lose_some 4000
	stop
	expect_all "[fd09::1]:4000 R> [fd09::2]:8000 ESTABLISHED"
	hang_up 4000
}

# A socket of IPv6 with addresses of IPv4, which are shown as such: here, and
# at the server's side of the connection of a socket of IPv4.
test_mapped_addresses() {
	network
	serve right 8000
	established ::ffff:10.9.0.1 4000 ::ffff:10.9.0.2
	start tcpretrans -l
	lose_some 4000
	stop
	sed -i 's/L>/R>/' "$out"
	expect_all "10.9.0.1:4000 R> 10.9.0.2:8000 ESTABLISHED"
	hang_up 4000
}

test_states() {
	network
	serve right 8000
	established 10.9.0.1 4000 10.9.0.2
	loss left 100
	start tcpretrans
	call left 10.9.0.1 4001 10.9.0.2 8000
	wait_counter left TcpRetransSegs 1
	loss left 0
	answered 4001
	counter left TcpRetransSegs
	equal "SYN_SENT rows and counter" "$(count ' 10.9.0.1:4001 *R> 10.9.0.2:8000 *SYN_SENT$')" "$counter"

	# the client's end is acknowledged, but that is lost, and the server's end too
	loss right 100
	say 4000 end
	wait_counter right TcpRetransSegs 2
	loss right 0
	hang_up 4000 4001
	stop
	counter right TcpRetransSegs
	equal "LAST_ACK rows and counter" "$(count ' 10.9.0.2:8000 *R> 10.9.0.1:4000 *LAST_ACK$')" "$counter"
	[ "$(count ' 10.9.0.1:4000 *R> 10.9.0.2:8000 *FIN_WAIT1$')" != 0 ] || fail "no FIN_WAIT1"
	counter left TcpRetransSegs
	equal "rows and counter" "$(count ' 10.9.0.1:400[01] *R>')" "$counter"
}

test_synack() {
	network
	serve right 8000
	loss right 100
	start tcpretrans --synack
	call left 10.9.0.1 4000 10.9.0.2 8000
	call left fd09::1 4001 fd09::2 8000
	wait_counter right TcpRetransSegs 4
	loss right 0
	answered 4000 4001
	stop
	counter right TcpRetransSegs
	equal "S> rows and counter" "$(count ' S> .* SYN_RECV$')" "$counter"
	counter left TcpRetransSegs
	equal "R> rows and counter" "$(count ' R> .* SYN_SENT$')" "$counter"
	ends | sort -u >ends
	expect_rows ends <<-END
	10.9.0.1:4000 R> 10.9.0.2:8000 SYN_SENT
	10.9.0.2:8000 S> 10.9.0.1:4000 SYN_RECV
	[fd09::1]:4001 R> [fd09::2]:8000 SYN_SENT
	[fd09::2]:8000 S> [fd09::1]:4001 SYN_RECV
	END
	hang_up 4000 4001
}

# aside NAME ARG...: another tcpretrans, whose output goes to file NAME; it ends
# with the test's own
declare -A aside
aside() {
	set -m		# without, it would ignore SIGINT
	tcpretrans "${@:2}" >"$1" 2>>errors &
	aside[$1]=$!
	set +m
}
asides_trace() {
	local name
	for name in "${!aside[@]}"; do
		until_true 60 has_lines "$name" 1 || fail "$name has not begun"
	done
}
stop_all() {
	local name
	# a probe that an interrupt brings within another probe's work; of one at
	# a function's begin the tool does not tell
	missed=$(awk '/_tl_tcpretrans_/ { n += $3 } END { print n + 0 }' "$tracefs/kprobe_profile")
	stop
	for name in "${!aside[@]}"; do stop INT "${aside[$name]}"; done
	[ "${1-}" = "and misses" ] || { expect_empty errors "$err"; return; }
	cat errors "$err" | grep -v 'too many at once for a probe$' >others || :
	expect_empty others
}

# Without new data to send a probe is a retransmit, and one row.
test_tail_loss_probes_that_resend() {
	local missed
	network
	serve right 8000
	established 10.9.0.1 4000 10.9.0.2
	established fd09::1 4001 fd09::2
	aside without
	start tcpretrans -l
	asides_trace
	lose_some 4000 4001
	hang_up 4000 4001
	quiet left right
	stop_all "and misses"
	counter left TcpExtTCPLossProbes
	[ "$counter" -ge 2 ] || fail "only $counter probes"
	equal_but_missed "L> and probes" "$(rows_of left L)" "$counter"
	counter left TcpRetransSegs
	equal "all and retransmits" "$(rows_of left '[RL]')" "$counter"
	equal "R> without -l and retransmits" "$(rows_of left R without)" "$counter"
	equal "L> without -l" "$(rows_of left L without)" 0
}

# More is sent than the window takes: the probe sends what waits.
test_tail_loss_probes_of_new_data() {
	local missed
	network
	serve right 8000
	established 10.9.0.1 4000 10.9.0.2
	established fd09::1 4001 fd09::2
	aside without
	start tcpretrans -l
	asides_trace
	loss left 100
	say 4000 200000
	say 4001 200000
	wait_counter left TcpExtTCPLossProbes 2
	loss left 0
	hang_up 4000 4001
	quiet left right
	stop_all "and misses"
	counter left TcpExtTCPLossProbes
	equal_but_missed "L> and probes" "$(rows_of left L)" "$counter"
	counter left TcpRetransSegs
	equal "R> without -l and retransmits" "$(rows_of left R without)" "$counter"
	[ "$missed" = 0 ] || return 0
	[ "$(count ' 10.9.0.1:4000 *L> 10.9.0.2:8000 *ESTABLISHED$')" -ge 1 ] || fail "none of IPv4"
	[ "$(count ' \[fd09::1\]:4001 *L> \[fd09::2\]:8000 *ESTABLISHED$')" -ge 1 ] || fail "none of IPv6"
	[ "$(rows_of left '[RL]')" -ge $((counter + 2)) ] || fail "no row for new data"
}

# Of what three namespaces lose at random nothing is missing.
test_flood() {
	local name missed ports=(4000 4001 4002 4003 4004) sum=0
	network
	serve right 8000
	serve alone 8000
	aside rows --synack
	aside counts -cl --synack
	start tcpretrans -l --synack
	asides_trace
	loss left 10
	loss right 10
	loss alone 10
	call left 10.9.0.1 4000 10.9.0.2 8000
	call left fd09::1 4001 fd09::2 8000
	call left ::ffff:10.9.0.1 4002 ::ffff:10.9.0.2 8000
	call alone 127.0.0.1 4003 127.0.0.1 8000
	call alone ::1 4004 ::1 8000
	for name in "${ports[@]}"; do
		answered "$name"
		say "$name" 300000
	done
	hang_up "${ports[@]}"
	quiet left right alone
	stop_all "and misses"
	for name in left right alone; do
		counter $name TcpRetransSegs
		equal "rows and retransmits of $name" "$(rows_of $name '[RS]' rows)" "$counter"
		sum=$((sum + counter))
		counter $name TcpExtTCPLossProbes
		equal_but_missed "L> and probes of $name" "$(rows_of $name L)" "$counter"
	done
	[ $sum -gt 100 ] || fail "only $sum retransmits"
	[ "$missed" = 0 ] || return 0

	# the counts are those of the rows
	ends | cut -d ' ' -f 1-3 | sort | uniq -c | awk '{ print $2, $3, $4, $1 }' | sort >expected
	sed -e 1,2d -e '/^$/,$d' counts | sed 's/  */ /g' >counted
	sort counted >sorted
	expect_rows sorted <expected
	awk '$4 < last { exit 1 } { last = $4 }' counted || fail "not ascending"
}

test_filters() {
	network
	serve right 8000
	serve right 9000
	established 10.9.0.1 4000 10.9.0.2
	call left fd09::1 4001 fd09::2 9000
	answered 4001
	aside port.4000 --port=4000
	aside port.9000 --port 1-7999,9000-10000 --rport=9000
	aside rport.8000 -l --rport=1,8000
	aside lport.8000 -l --lport=8000
	aside addr.v4 --addr=0.0.0.0/0
	aside addr.v6 -l --addr ::/0
	aside laddr.net -l --laddr=10.9.0.5/29
	aside raddr.v6 --raddr=fd09::/16
	aside raddr.none --raddr=fd09::1
	aside name.none -n nobody
	start tcpretrans -l
	asides_trace
	lose_some 4000 4001
	stop_all
	counter left TcpRetransSegs
	ends >all
	equal "rows and retransmits" "$(count . all)" "$counter"
	expect_filtered port.4000 10.9.0.1:4000
	expect_filtered port.9000 fd09::1..4001
	expect_filtered rport.8000 10.9.0.1:4000
	expect_filtered lport.8000
	expect_filtered addr.v4 10.9.0.1:4000
	expect_filtered addr.v6 fd09::1..4001
	expect_filtered laddr.net 10.9.0.1:4000
	expect_filtered raddr.v6 fd09::1..4001
	expect_filtered raddr.none
	expect_filtered name.none
	hang_up 4000 4001
	quiet left right
}

# expect_filtered FILE [LOCAL]: its rows are those of all with that local end
expect_filtered() {
	local pattern="^.\{16\}.\?${2-none} " n=0
	[ $# = 1 ] || n=$(count "^.\{16\}.\?$2 ")
	equal "$1: matching rows" "$(count "$pattern" "$1")" "$n"
	equal "$1: rows" "$(count ' [RL]> ' "$1")" "$n"
	[ $# = 1 ] || [ "$n" -gt 0 ] || fail "$1: nothing"
}

test_json_and_csv() {
	local before after
	network
	serve right 8000
	established fd09::1 4000 fd09::2
	aside csv --csv
	aside iso --time=iso --json
	start tcpretrans --json
	until_true 60 has_lines csv 1
	sleep 5		# nothing tells of the one with iso
	read -r before _ </proc/uptime
	lose_some 4000
	read -r after _ </proc/uptime
	stop_all
	counter left TcpRetransSegs
	equal "objects and retransmits" "$(count . )" "$counter"
	sed 's/"time":[0-9.]*,"comm":"[^"]*","pid":[0-9]*,"tid":[0-9]*/"time":1/' "$out" | sort -u >objects
	expect_rows objects <<-'END'
	{"time":1,"laddr":"fd09::1","lport":4000,"type":"retransmit","raddr":"fd09::2","rport":8000,"state":"ESTABLISHED","error":null,"stack":null}
	END
	sed -e 's/^[0-9.]*,[^,]*,[0-9]*,[0-9]*/T/' csv | sort -u >objects
	expect_rows objects <<-'END'
	T,fd09::1,4000,retransmit,fd09::2,8000,ESTABLISHED,,
	time,comm,pid,tid,laddr,lport,type,raddr,rport,state,error,stack
	END
	grep -q '^{"time":"20..-..-..T..:..:..\.......+..:..","comm":' iso || fail "$(<iso)"
	sed 's/{"time":\([0-9.]*\),.*/\1/' "$out" >times
	awk -v before="$before" -v after="$after" '$1 < before || $1 > after + 0.01 { bad = 1 } END { exit bad }' times ||
		fail "not from $before to $after: $(<times)"
	hang_up 4000
	quiet left right
}

# TIME is that of the event, however late the row is.
test_time_of_the_event() {
	local first last
	network
	serve right 8000
	established 10.9.0.1 4000 10.9.0.2
	start tcpretrans
	kill -STOP "$pid"
	printf -v first '%(%T)T' -1
	lose_some 4000
	printf -v last '%(%T)T' -1
	sleep 2
	kill -CONT "$pid"
	stop
	rows | awk -v first="$first" -v last="$last" '$1 < first || $1 > last { print; bad = 1 } END { exit bad || !NR }' ||
		fail "not from $first to $last"
	start tcpretrans --time=relative
	stop
	expect_rows "$out" <<-END
	TIME             PID    LADDR:LPORT          -- RADDR:RPORT          STATE

	Ending tracing...
	END
	hang_up 4000
}

test_counts() {
	network
	serve right 8000
	established 10.9.0.1 4000 10.9.0.2
	established fd09::1 4001 fd09::2
	aside json -c --json
	start tcpretrans -c
	sleep 5
	lose_some 4000
	lose_some 4000
	lose_some 4001
	stop_all
	expect_match "$out" <<-'END'
	Counting TCP retransmits. Ctrl-C to end.
	LADDR:LPORT          -- RADDR:RPORT          RETRANSMITS
	\[fd09::1]:4001       R> \[fd09::2]:8000                *
	10.9.0.1:4000        R> 10.9.0.2:8000                  *

	Ending tracing...
	END
	counter left TcpRetransSegs
	equal "sum and retransmits" "$(awk '$2 == "R>" { sum += $4 } END { print sum }' "$out")" "$counter"
	equal "sum and retransmits" "$(jq -s 'map(.count) | add' json)" "$counter"
	sed 's/:[0-9]*}/:N}/' json >objects
	expect_rows objects <<-'END'
	{"laddr":"fd09::1","lport":4001,"type":"retransmit","raddr":"fd09::2","rport":8000,"count":N}
	{"laddr":"10.9.0.1","lport":4000,"type":"retransmit","raddr":"10.9.0.2","rport":8000,"count":N}
	END
	hang_up 4000 4001
	quiet left right
}

test_stacks() {
	network
	serve right 8000
	established 10.9.0.1 4000 10.9.0.2
	established 10.9.0.1 4001 10.9.0.2
	aside json -ls --json
	start tcpretrans -ls
	sleep 5
	lose_some 4000
	loss left 100
	counter left TcpExtTCPLossProbes
	say 4001 200000
	wait_counter left TcpExtTCPLossProbes $((counter + 1))
	loss left 0
	hang_up 4000 4001
	quiet left right
	stop_all
	# Each row has a stack, and each probe has in it what sends it: a timer, or
	# where a call uses the socket its end.  On 5.10 the stack ends where the
	# return probe is.
	sed -e 1d -e '/^$/,$d' "$out" |
		sed 's/^ => \(tcp_send_loss_probe\|tcp_write_timer.*\|tcp_release_cb\|kretprobe_trampoline\)$/ => TIMER/' >rows
	awk 'function check() { if (frames < (probe ? 2 : 4) || probe && !timer) print row }
		/^[0-9]/ { if (row) check(); row = $0; probe = /L>/; frames = timer = 0; next }
		{ frames++; row = row $0 } / => TIMER$/ { timer = 1 } END { check() }' rows >odd
	expect_empty odd
	equal "rows and objects" "$(count '^[0-9]' rows)" "$(count . json)"
	jq -se 'all(.stack | length > 1) and
		any(.[].stack[]; strings | test("^tcp_(write_timer|retransmit_timer|send_loss_probe)"))' json >answer ||
		fail "$(<answer): $(tail -n 5 json)"
}

# Without a route a retransmit cannot be sent.  Where the kernel tells of it:
test_failed() {
	network
	if ! grep -q 'int err;' "$tracefs/events/tcp/tcp_retransmit_skb/format"; then
		expect_error 3 "tcpretrans: this kernel does not tell of retransmits that could not be sent: \
tcp:tcp_retransmit_skb has no field err" tcpretrans --failed
		expect_exit 3 tcpretrans --failed --check
		return
	fi
	serve right 8000
	established 10.9.0.1 4000 10.9.0.2
	aside without -l
	aside counts -c --failed
	start tcpretrans --failed
	asides_trace
	loss left 100
	say 4000 10
	wait_counter left TcpRetransSegs 1
	ip -n left route del 10.9.0.0/24
	sleep 3
	ip -n left route add 10.9.0.0/24 dev eth0
	loss left 0
	arrived 4000
	hang_up 4000
	quiet left right
	stop_all
	counter left TcpRetransSegs
	equal "R> and retransmits" "$(rows_of left R)" "$counter"
	equal "rows without --failed and retransmits" "$(rows_of left '[RL]' without)" "$counter"
	grep -q '10.9.0.1:4000        F> 10.9.0.2:8000        ESTABLISHED  EHOSTUNREACH$' "$out" || fail "$(<"$out")"
	equal "F> and their count" "$(rows_of left F)" "$(awk '$2 == "F>" { print $4 }' counts)"
	expect_match <(sed 2,\$d "$out") <<-END
	TIME     PID    LADDR:LPORT          -- RADDR:RPORT          STATE        ERR
	END
}

test_wrong_use() {
	local try='(try tcpretrans -h)'
	expect_error 2 "tcpretrans: unexpected argument \"80\" $try" tcpretrans 80
	expect_error 2 "tcpretrans: use at most one of -s, -c $try" tcpretrans -cs
	expect_error 2 "tcpretrans: --port: \"80,x\" is not a list of ports like 80,8000-8080 $try" tcpretrans --port=80,x
	expect_error 2 "tcpretrans: --lport: \"65536\" is not a list of ports like 80,8000-8080 $try" tcpretrans --lport 65536
	expect_error 2 "tcpretrans: --rport: \"1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17\" has more than 16 ports or ranges $try" \
		tcpretrans --rport 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17
	expect_error 2 "tcpretrans: --addr: \"localhost\" is not an IP address, with /BITS behind it for a network $try" \
		tcpretrans --addr=localhost
	expect_error 2 "tcpretrans: --raddr: \"10.0.0.0/33\" is not an IP address, with /BITS behind it for a network $try" \
		tcpretrans --raddr 10.0.0.0/33
}

test_check() {
	local want=0
	expect_exit 0 tcpretrans --check
	expect_exit 0 tcpretrans --check -l --synack -s
	! grep -q '^limited: --failed: ' "$out" || want=3
	expect_exit $want tcpretrans --check --failed
}
