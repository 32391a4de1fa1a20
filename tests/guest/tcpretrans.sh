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
all_acknowledged() {
	local sockets one
	sockets left
	for one in "${sockets[@]}"; do [[ $one != *' 01 '* || $one == *' 00000000:'* ]] || return 1; done
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
all_closed() {
	local sockets one
	sockets "$1"
	for one in "${sockets[@]}"; do [[ $one == *' 06 '* || $one == *' 0A '* ]] || return 1; done
}

# equal WHAT A B
equal() { [ "$2" = "$3" ] || fail "$1: $2 and $3"; }

# equal_but_missed WHAT ROWS COUNT: or fewer rows, by those that the kernel missed
equal_but_missed() {
	(($2 <= $3 && $3 - $2 <= missed)) || fail "$1: $2 and $3, with $missed missed"
}

# aside NAME ARG...: another tcpretrans, whose output goes to file NAME
declare -A aside
aside() {
	to=$1 start tcpretrans "${@:2}"
	aside[$1]="$pid $err"
}

# stop_asides ["and misses"]: without or with messages that such were missed,
# as many as $missed: probes that an interrupt brings within another probe's work
stop_asides() {
	local name
	missed=$(awk '/_tl_tcpretrans_/ { n += $3 } END { print n + 0 }' "$tracefs/kprobe_profile")
	for name in "${!aside[@]}"; do
		read -r pid err <<<"${aside[$name]}"
		stop
		expect_status 0
		[ $# = 0 ] || { sed -i '/: a probe was busy$/d' "$err"; }
		expect_empty "$err"
	done
}

first_check() {
	local want=0
	expect_exit 0 tcpretrans --check -l --synack -s
	! grep -q '^limited: --failed: ' "$out" || want=3
	expect_exit $want tcpretrans --check --failed
}

# What is sent to this device is lost, without a namespace and a queue.
first_row() {
	local caller
	load dummy
	at_end ip link del lost
	ip -batch - <<-END
	link add lost type dummy
	addr add 10.9.0.1/24 dev lost
	link set lost up
	END
	start tcpretrans --json
	tcp call 10.9.0.1 4000 10.9.0.2 8000 &
	caller=$!
	wait_lines "$out" 1
	kill $caller
	stop
	expect_status 0
	expect_empty "$err"
	sed -i '2,$d; s/"time":[0-9.]*,"comm":"[^"]*","pid":[0-9]*,"tid":[0-9]*/"time":1/' "$out"
	expect_rows "$out" <<-'END'
	{"time":1,"laddr":"10.9.0.1","lport":4000,"type":"retransmit","raddr":"10.9.0.2","rport":8000,"state":"SYN_SENT","error":null,"netns":null,"stack":null}
	END
}

# Connections of IPv4, of IPv6, and of a socket of IPv6 with addresses of IPv4,
# which are shown as such: here, and at the server's side of the connection of a
# socket of IPv4.  TIME is that of the event, however late the row is.
test_rows_and_filters() {
	local missed first last before after
	network
	serve right 8000
	serve right 9000
	established 10.9.0.1 4000 10.9.0.2
	established ::ffff:10.9.0.1 4002 ::ffff:10.9.0.2
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
	aside json --json
	aside rows
	kill -STOP "$pid"
	start tcpretrans -l
	printf -v first '%(%T)T' -1
	read -r before _ </proc/uptime
	lose_some 4000 4001 4002
	read -r after _ </proc/uptime
	printf -v last '%(%T)T' -1
	sleep 1.1
	kill -CONT "${aside[rows]% *}"
	stop
	expect_status 0
	expect_empty "$err"
	ends | sed 's/L>/R>/' >all
	stop_asides
	counter left TcpRetransSegs
	equal "rows and retransmits" "$(count . all)" "$counter"
	sort -u all >kinds
	expect_rows kinds <<-'END'
	10.9.0.1:4000 R> 10.9.0.2:8000 ESTABLISHED
	10.9.0.1:4002 R> 10.9.0.2:8000 ESTABLISHED
	[fd09::1]:4001 R> [fd09::2]:9000 ESTABLISHED
	END
	expect_filtered port.4000 10.9.0.1:4000
	expect_filtered port.9000 '[[]fd09::1]:4001'
	expect_filtered rport.8000 10.9.0.1:400?
	expect_filtered lport.8000
	expect_filtered addr.v4 10.9.0.1:400?
	expect_filtered addr.v6 '[[]fd09::1]:4001'
	expect_filtered laddr.net 10.9.0.1:400?
	expect_filtered raddr.v6 '[[]fd09::1]:4001'
	expect_filtered raddr.none
	expect_filtered name.none

	# those of the one that was late
	out=rows
	expect_match <(sed -e 3,\$d rows; tail -n 2 rows) <<-'END'
	TIME     PID    LADDR:LPORT          -- RADDR:RPORT          STATE
	[0-2][0-9]:[0-5][0-9]:[0-6][0-9] [0-9]*  *

	Ending tracing...
	END
	rows | cut -c 17- | sort -u >kinds
	expect_rows kinds <<-'END'
	10.9.0.1:4000        R> 10.9.0.2:8000        ESTABLISHED
	10.9.0.1:4002        R> 10.9.0.2:8000        ESTABLISHED
	[fd09::1]:4001       R> [fd09::2]:9000       ESTABLISHED
	END
	ends | sort >late
	expect_rows late < <(sort all)
	rows | awk -v first="$first" -v last="$last" '$1 < first || $1 > last { print; bad = 1 } END { exit bad || !NR }' ||
		fail "not from $first to $last"

	sed 's/"time":[0-9.]*,"comm":"[^"]*","pid":[0-9]*,"tid":[0-9]*/"time":1/' json | sort -u >objects
	expect_rows objects <<-'END'
	{"time":1,"laddr":"10.9.0.1","lport":4000,"type":"retransmit","raddr":"10.9.0.2","rport":8000,"state":"ESTABLISHED","error":null,"netns":null,"stack":null}
	{"time":1,"laddr":"10.9.0.1","lport":4002,"type":"retransmit","raddr":"10.9.0.2","rport":8000,"state":"ESTABLISHED","error":null,"netns":null,"stack":null}
	{"time":1,"laddr":"fd09::1","lport":4001,"type":"retransmit","raddr":"fd09::2","rport":9000,"state":"ESTABLISHED","error":null,"netns":null,"stack":null}
	END
	equal "objects and retransmits" "$(count . json)" "$counter"
	sed 's/{"time":\([0-9.]*\),.*/\1/' json |
		awk -v before="$before" -v after="$after" '$1 < before || $1 > after + 0.01 { bad = 1 } END { exit bad }' ||
		fail "not from $before to $after: $(<json)"
	hang_up 4000 4001 4002
	quiet left right
}

# expect_filtered FILE [LOCAL]: its rows are those of all with that local end, a
# pattern as in case
expect_filtered() {
	local from type have=0 want=0
	while read -r _ _ from type _; do
		[[ $type == [RL]'>' ]] || continue
		# shellcheck disable=SC2053 # a pattern
		[[ $from == ${2-} ]] || fail "$1: a row of $from"
		have=$((have + 1))
	done <"$1"
	while read -r from _; do
		# shellcheck disable=SC2053 # a pattern
		[[ $from != ${2-} ]] || want=$((want + 1))
	done <all
	equal "$1: rows" $have $want
	[ $# = 1 ] || [ $want -gt 0 ] || fail "$1: nothing"
}

test_states() {
	local fins
	network
	serve right 8000
	established 10.9.0.1 4000 10.9.0.2
	loss left 100
	start tcpretrans --synack
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
	quiet left right
	counter right TcpRetransSegs
	fins=$counter

	# now the answers to new ones
	loss right 100
	call left 10.9.0.1 4002 10.9.0.2 8000
	call left fd09::1 4003 fd09::2 8000
	wait_counter right TcpRetransSegs $((fins + 4))
	loss right 0
	answered 4002 4003
	stop
	expect_status 0
	expect_empty "$err"
	equal "LAST_ACK rows and counter" "$(count ' 10.9.0.2:8000 *R> 10.9.0.1:4000 *LAST_ACK$')" "$fins"
	counter right TcpRetransSegs
	equal "S> rows and counter" "$(count ' S> .* SYN_RECV$')" $((counter - fins))
	counter left TcpRetransSegs
	equal "rows and counter" "$(count ' \(10.9.0.1\|.fd09::1.\):400[0-3] *R>')" "$counter"
	ends | sort -u >ends
	expect_rows ends <<-END
	10.9.0.1:4000 R> 10.9.0.2:8000 FIN_WAIT1
	10.9.0.1:4001 R> 10.9.0.2:8000 SYN_SENT
	10.9.0.1:4002 R> 10.9.0.2:8000 SYN_SENT
	10.9.0.2:8000 R> 10.9.0.1:4000 LAST_ACK
	10.9.0.2:8000 S> 10.9.0.1:4002 SYN_RECV
	[fd09::1]:4003 R> [fd09::2]:8000 SYN_SENT
	[fd09::2]:8000 S> [fd09::1]:4003 SYN_RECV
	END
	hang_up 4002 4003
	quiet left right
}

# Without new data to send a probe is a retransmit, and one row.  Then more is
# sent than the window takes: the probe sends what waits.
test_tail_loss_probes() {
	local missed resent probes
	network
	serve right 8000
	established 10.9.0.1 4000 10.9.0.2
	established fd09::1 4001 fd09::2
	established 10.9.0.1 4002 10.9.0.2
	established fd09::1 4003 fd09::2
	aside without
	aside stacks -ls
	aside json -ls --json
	aside rows -l
	lose_some 4000 4001
	hang_up 4000 4001
	counter left TcpExtTCPLossProbes
	probes=$counter
	[ "$probes" -ge 2 ] || fail "only $probes probes"
	counter left TcpRetransSegs
	resent=$counter
	loss left 100
	say 4002 200000
	say 4003 200000
	wait_counter left TcpExtTCPLossProbes $((probes + 2))
	loss left 0
	hang_up 4002 4003
	quiet left right
	stop_asides "and misses"
	out=rows
	equal_but_missed "L> and probes that resend" "$(count ":400[01] *L> ")" "$probes"
	equal "all and retransmits" "$(count '\(10.9.0.1\|.fd09::1.\):400[01] *[RL]> ')" "$resent"
	counter left TcpExtTCPLossProbes
	equal_but_missed "L> and probes" "$(rows_of left L)" "$counter"
	counter left TcpRetransSegs
	equal "R> without -l and retransmits" "$(rows_of left R without)" "$counter"
	equal "L> without -l" "$(rows_of left L without)" 0
	expect_stacks
	[ "$missed" = 0 ] || return 0
	[ "$(count ' 10.9.0.1:4002 *L> 10.9.0.2:8000 *ESTABLISHED$')" -ge 1 ] || fail "none of IPv4"
	[ "$(count ' \[fd09::1\]:4003 *L> \[fd09::2\]:8000 *ESTABLISHED$')" -ge 1 ] || fail "none of IPv6"
	[ "$(rows_of left '[RL]')" -ge $((counter + 2)) ] || fail "no row for new data"
}

# expect_stacks: each row has a stack, and each probe has in it what sends it: a
# timer, or where a call uses the socket its end.  On 5.10 the stack ends where
# the return probe is.
expect_stacks() {
	sed -e 1d -e '/^$/,$d' stacks |
		sed 's/^ => \(tcp_send_loss_probe\|tcp_write_timer.*\|tcp_release_cb\|kretprobe_trampoline\)$/ => TIMER/' >framed
	awk 'function check() { if (frames < (probe ? 2 : 4) || probe && !timer) print row }
		/^[0-9]/ { if (row) check(); row = $0; probe = /L>/; frames = timer = 0; next }
		{ frames++; row = row $0 } / => TIMER$/ { timer = 1 } END { check() }' framed >odd
	expect_empty odd
	equal "rows and objects" "$(count '^[0-9]' framed)" "$(count . json)"
	jq -se 'all(.stack | length > 1) and
		any(.[].stack[]; strings | test("^tcp_(write_timer|retransmit_timer|send_loss_probe)"))' json >answer ||
		fail "$(<answer): $(tail -n 5 json)"
}

# Only of one network namespace, which tracepoints do not tell.
test_namespace() {
	local left
	network
	left=$(stat -Lc %i /run/netns/left)
	serve right 8000
	established 10.9.0.1 4000 10.9.0.2
	beside left tcpretrans --json --netns=left
	beside right tcpretrans --json --netns=right
	lose_some 4000
	hang_up 4000
	stop_all
	jq -se --argjson n "$left" 'length > 0 and all(.laddr == "10.9.0.1" and .netns == $n)' left.out >/dev/null ||
		fail "not those of left: $(<left.out)"
	jq -se 'all(.laddr == "10.9.0.2")' right.out >/dev/null || fail "not those of right: $(<right.out)"
}

# Of what three namespaces lose at random nothing is missing.
test_flood() {
	local name missed ports=(4000 4001 4002 4003 4004) sum=0
	network
	serve right 8000
	serve alone 8000
	aside rows --synack
	aside counts -cl --synack
	aside all -l --synack
	aside json -c --synack --json
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
		say "$name" 120000
	done
	hang_up "${ports[@]}"
	quiet left right alone
	stop_asides "and misses"
	out=all
	for name in left right alone; do
		counter $name TcpRetransSegs
		equal "rows and retransmits of $name" "$(rows_of $name '[RS]' rows)" "$counter"
		sum=$((sum + counter))
		counter $name TcpExtTCPLossProbes
		equal_but_missed "L> and probes of $name" "$(rows_of $name L)" "$counter"
	done
	[ $sum -gt 40 ] || fail "only $sum retransmits"
	[ "$missed" = 0 ] || return 0

	# the counts are those of the rows
	ends >ends
	cut -d ' ' -f 1-3 ends | sort | uniq -c | awk '{ print $2, $3, $4, $1 }' | sort >expected
	sed -e 1,2d -e '/^$/,$d' counts | sed 's/  */ /g' >counted
	sort counted >sorted
	expect_rows sorted <expected
	awk '$4 < last { exit 1 } { last = $4 }' counted || fail "not ascending"
	jq -s 'map(.count) | add' json >counted
	expect_rows counted <<<"$(count ' [RS]> ' rows)"
}

host_layouts() {
	capture tcpretrans
	run tcpretrans -r "$capture" --time=iso --json
	expect_status 0
	[[ $(<"$out") =~ ^'{"time":"'20..-..-..T..:..:..\.......\+..:..'","comm":"' ]] || fail "$(<"$out")"
	run tcpretrans -r "$capture" --csv
	sed -e 's/^[0-9.]*,[^,]*,[0-9]*,[0-9]*/T/; s/,[^,]*_[^,]*;.*/,STACK/' "$out" | sort -u >rows
	expect_rows rows <<-'END'
	T,10.9.0.1,4000,retransmit,10.9.0.2,8000,ESTABLISHED,,,STACK
	time,comm,pid,tid,laddr,lport,type,raddr,rport,state,error,netns,stack
	END
	run tcpretrans -r "$capture" --time=relative
	grep -v '^ =>' "$out" | sed 's/^[0-9]*\.[0-9]\{6\}  *[0-9]*  */T PID /' | uniq >rows
	expect_rows rows <<-'END'
	TIMEs            PID    LADDR:LPORT          -- RADDR:RPORT          STATE
	T PID 10.9.0.1:4000        R> 10.9.0.2:8000        ESTABLISHED

	Ending tracing...
	END
	run tcpretrans -r "$capture" -c
	expect_match "$out" <<-'END'
	Counting TCP retransmits. Ctrl-C to end.
	LADDR:LPORT          -- RADDR:RPORT          RETRANSMITS
	10.9.0.1:4000        R> 10.9.0.2:8000                 [ 1-9][0-9]

	Ending tracing...
	END
	run tcpretrans -r "$capture" -c --json
	sed -i 's/:[0-9]*}/:N}/' "$out"
	expect_rows "$out" <<-'END'
	{"laddr":"10.9.0.1","lport":4000,"type":"retransmit","raddr":"10.9.0.2","rport":8000,"netns":null,"count":N}
	END
}

# Without a route a retransmit cannot be sent.  Where the kernel tells of it:
test_failed() {
	local missed
	if ! grep -q 'int err;' "$tracefs/events/tcp/tcp_retransmit_skb/format"; then
		expect_error 3 "tcpretrans: this kernel does not tell of retransmits that could not be sent: \
tcp:tcp_retransmit_skb has no field err" tcpretrans --failed
		expect_exit 3 tcpretrans --failed --check
		return
	fi
	network
	serve right 8000
	established 10.9.0.1 4000 10.9.0.2
	aside without -l
	aside counts -c --failed
	aside rows --failed
	loss left 100
	say 4000 10
	wait_counter left TcpRetransSegs 1
	ip -n left route del 10.9.0.0/24
	until_true 60 grep -q ' F> ' rows || fail "no failure is shown"
	ip -n left route add 10.9.0.0/24 dev eth0
	loss left 0
	arrived 4000
	hang_up 4000
	quiet left right
	stop_asides
	out=rows
	counter left TcpRetransSegs
	equal "R> and retransmits" "$(rows_of left R)" "$counter"
	equal "rows without --failed and retransmits" "$(rows_of left '[RL]' without)" "$counter"
	grep -q '10.9.0.1:4000        F> 10.9.0.2:8000        ESTABLISHED  EHOSTUNREACH$' "$out" || fail "$(<"$out")"
	equal "F> and their count" "$(rows_of left F)" "$(awk '$2 == "F>" { print $4 }' counts)"
	expect_match <(sed 2,\$d "$out") <<-END
	TIME     PID    LADDR:LPORT          -- RADDR:RPORT          STATE        ERR
	END
}

host_wrong_use() {
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
