# shellcheck shell=bash disable=SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# A network for guest tests: network namespaces "left" (10.9.0.1, fd09::1) and
# "right" (10.9.0.2, fd09::2) with a cable between them, and "alone", which has
# lo only. A test that uses them begins with network; they go when it ends.

load() { modprobe -d "$TL_MODULES" "$@" || skip "this kernel has no module $1"; }

network() {
	need ip tc
	[ -e /sys/module/veth ] || load veth
	[ -e /sys/module/sch_netem ] || load sch_netem
	remove_network
	at_end remove_network
	ip -batch - <<-END
	netns add left
	netns add right
	netns add alone
	link add eth0 address 02:00:00:00:00:01 netns left type veth peer name eth0 address 02:00:00:00:00:02 netns right
	END
	furnish left eth0 10.9.0.1 fd09::1 10.9.0.2 fd09::2 02:00:00:00:00:02
	furnish right eth0 10.9.0.2 fd09::2 10.9.0.1 fd09::1 02:00:00:00:00:01
	ip -n alone link set lo gso_max_segs 1 up
	tc -n alone qdisc add dev lo root netem limit 100000
	hold_namespaces
}

# hold_namespaces: a process that is in each, for its files in /proc/PID/net:
# to read these is cheaper than programs in the namespace
declare -A holder
hold_namespaces() {
	local name
	[ -p hold ] || mkfifo hold
	for name in left right alone; do
		ip netns exec $name bash -c 'echo; exec sleep 1000' >hold &
		holder[$name]=$!
		read -rt 60 _ <hold || fail "no namespace $name"
	done
}

# furnish NAMESPACE DEVICE IPV4 IPV6 PEER4 PEER6 MAC: no neighbour is ever asked
# for, as that would be lost too, and a retransmit is of one segment, as the
# counters' are.
furnish() {
	ip -n "$1" -batch - <<-END
	link set $2 gso_max_segs 1 up
	addr add $3/24 dev $2
	addr add $4/64 dev $2 nodad
	neigh replace $5 lladdr $7 dev $2 nud permanent
	neigh replace $6 lladdr $7 dev $2 nud permanent
	END
	tc -n "$1" qdisc add dev "$2" root netem limit 100000
}

remove_network() {
	local name process
	for process in "${servers[@]}" "${holder[@]}"; do
		kill "$process"
		wait "$process" || :
	done
	servers=() holder=()
	for name in left right alone; do
		[ ! -e /run/netns/$name ] || ip netns del $name
	done
}

# loss NAMESPACE PERCENT: of what it sends. A change in place, as a queue that is
# replaced refuses packets for a moment, which TCP takes for a failure.
loss() {
	local device=eth0
	[ "$1" != alone ] || device=lo
	tc -n "$1" qdisc change dev $device root netem loss "$2%" limit 100000
}

# counter NAMESPACE NAME: sets $counter, of the kernel's Tcp or TcpExt.  The file
# is taken at once, as "read" goes back to the ends of lines, which move.
counter() {
	local kind=Tcp file=snmp lines names values i
	[[ $2 != TcpExt* ]] || kind=TcpExt file=netstat
	mapfile -t lines <"/proc/${holder[$1]}/net/$file"
	for ((i = 0; i < ${#lines[@]}; i += 2)); do
		[[ ${lines[i]} != "$kind: "* ]] || break
	done
	read -ra names <<<"${lines[i]}"
	read -ra values <<<"${lines[i + 1]}"
	for i in "${!names[@]}"; do
		[ "${names[i]}" != "${2#"$kind"}" ] || { counter=${values[i]}; return; }
	done
	fail "no counter $2"
}

# sockets NAMESPACE: sets $sockets to the lines of each of TCP there: LOCAL REMOTE
# STATE SENDQ:RECVQ, all in hexadecimal
sockets() {
	local file line lines words
	sockets=()
	for file in tcp tcp6; do
		mapfile -ts 1 lines <"/proc/${holder[$1]}/net/$file"
		for line in "${lines[@]}"; do
			read -ra words <<<"$line"
			sockets+=("${words[*]:1:4}")
		done
	done
}

# has_counted NAMESPACE NAME N
has_counted() {
	counter "$1" "$2"
	[ "$counter" -ge "$3" ]
}

# wait_counter NAMESPACE NAME N: until it is at least that (60 s)
wait_counter() {
	until_true 60 has_counted "$@" || fail "$1: $2 is only $counter after 60 s"
}

# expect_counter NAMESPACE NAME N
expect_counter() {
	counter "$1" "$2"
	[ "$counter" = "$3" ] || fail "$1: $2 is $counter, and not $3"
}

# serve NAMESPACE PORT
servers=()
serve() {
	local pipe
	mkfifo "server.$1.$2"
	exec {pipe}<>"server.$1.$2"
	ip netns exec "$1" tcp serve "$2" >&"$pipe" &
	servers+=($!)
	read -rt 20 -u "$pipe" _ || fail "no server on port $2"
}

# call NAMESPACE LADDR LPORT RADDR RPORT: a connection in the background
declare -A caller input output
call() {
	local pipe
	mkfifo "to.$3" "from.$3"
	exec {pipe}<>"to.$3"
	input[$3]=$pipe
	exec {pipe}<>"from.$3"
	output[$3]=$pipe
	ip netns exec "$1" tcp call "${@:2}" <"to.$3" >"from.$3" &
	caller[$3]=$!
}

# answered LPORT...: until they are connected
answered() { hear "no connection" "$@"; }

# arrived LPORT...: until all that was sent has been acknowledged
arrived() {
	local port
	for port; do say "$port" wait; done
	hear "data on its way" "$@"
}

# hear WHAT LPORT...: the next line from each
hear() {
	local port
	for port in "${@:2}"; do
		read -rt 60 -u "${output[$port]}" _ || fail "port $port: $1 after 60 s"
	done
}

# say LPORT COMMAND: a number of bytes to send, "wait" or "end"
say() { echo "$2" >&"${input[$1]}"; }

# hang_up LPORT...: when this returns all has arrived, both ways
hang_up() {
	local port
	for port; do say "$port" end; done
	for port; do
		wait "${caller[$port]}" || fail "the connection from port $port failed"
	done
}

# rows: what tcpretrans showed of connections
rows() { sed -e 1d -e '/^$/,$d' "$out"; }

# ends: the same without TIME and PID
ends() { rows | cut -c 17- | sed 's/  */ /g'; }

# flood_network: a network that loses no packet of flood, or of what $flood_here says, a
# command in "left", to port 8000
flood_here='syns 10.9.0.9 10.9.0.2 8000 10000'
flood_network() {
	local backlog
	network
	backlog=$(</proc/sys/net/core/netdev_max_backlog)
	at_end end_flood "$backlog"
	echo 100000 >/proc/sys/net/core/netdev_max_backlog
	ip -n right neigh replace 10.9.0.9 lladdr 02:00:00:00:00:01 dev eth0 nud permanent
}
end_flood() {
	remove_network
	echo "$1" >/proc/sys/net/core/netdev_max_backlog
}

# flood PORT COUNT: SYNs from an address where nobody answers, which the other end
# receives
flood() {
	counter right TcpInSegs
	ip netns exec left syns 10.9.0.9 10.9.0.2 "$1" "$2"
	wait_counter right TcpInSegs $((counter + $2))
}

# expect_empty FILE...: but for a few events that a probe may have missed. Interrupts carry
# packets, and on a loaded host come at any time; rows show what is missing.
expect_empty() {
	local file
	for file; do
		! grep -sqvEx '[a-z]+: up to [0-9]{1,2} events were lost: a probe was busy' "$file" ||
			fail "${file##*/} is not empty: $(<"$file")"
	done
}

# stop_told TOOL: ends it; it says that its probes have missed $missed, which is no more
# than the kernel counts, and nothing else
stop_told() {
	local counted
	counted=$(awk -v name="_tl_$1_" 'index($0, name) { n += $3 } END { print n + 0 }' "$tracefs/kprobe_profile")
	stop
	expect_status 0
	missed=0
	[ -s "$err" ] || return 0
	[[ $(<"$err") =~ ^"$1: up to "([0-9]+)" events were lost: a probe was busy"$ ]] || fail "$(<"$err")"
	missed=${BASH_REMATCH[1]}
	[ "$missed" -le "$counted" ] || fail "$missed are said to be missed, $counted were"
}
