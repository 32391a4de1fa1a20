# shellcheck shell=bash disable=SC2119,SC2120
# SPDX-License-Identifier: GPL-2.0-or-later
# tcptop in a guest: bytes of connections that conns makes, and of its processes.

# shellcheck source=/dev/null
. "$here/work/net.bash"
# shellcheck source=/dev/null
. "$here/work/conns.bash"

# both_ends [FILE]: PID LADDR LPORT RADDR RPORT TX RX of both ends of what conns made
both_ends() {
	awk '$9 == "ok" && $7 + $8 { print $1, $2, $3, $5, $6, $7, $8; print $10, $5, $6, $2, $3, $8, $7 }' "${1-made}" | sort
}

# shown [FILE]: the same of rows
shown() { jq -r '"\(.pid) \(.laddr) \(.lport) \(.raddr) \(.rport) \(.tx) \(.rx)"' "${1-$out}" | sort; }

# expect_made [FILE]: its rows are what conns made, each once
expect_made() {
	shown "${1-$out}" >rows
	expect_rows rows < <(both_ends)
}

first_check() { expect_exit 0 tcptop --check; }

first_row() {
	rm -f made
	start tcptop --json 3600
	made close-client 8000 300000 7
	stop
	expect_status 0
	expect_empty "$err"
	expect_made
}

# Each way to send and to receive, of both families.
test_ways() {
	local address how
	rm -f made
	echo 3 >/proc/sys/net/ipv4/tcp_fastopen
	start tcptop --json -t 1000 3600
	for address in 127.0.0.1 ::1 ::ffff:127.0.0.1; do
		for how in close-client waitall peeked spliced dropped sendfile partial zerocopy handed; do
			made -a $address $how 8000 3000000 200001
		done
	done
	made fastopen 8000 1000 2000
	made fastopen 8000 1000 2000
	stop
	expect_status 0
	expect_empty "$err"
	expect_made
}

# Sums of each process, name and cgroup, and the order of rows.
test_by() {
	mountpoint -q /sys/fs/cgroup || mount -t cgroup2 none /sys/fs/cgroup || skip "no cgroup2"
	beside process tcptop --json --by=process 3600
	beside name tcptop --json --by=name 3600
	beside cgroup tcptop --json --by=cgroup 3600
	beside text tcptop -C --by=name 3600
	beside top tcptop -t 1 --json 3600
	rm -f made
	made close-client 8000 300000 1536 3
	made close-client 8001 1000 5000
	stop_all
	expect_empty cgroup.err
	expect_rows <(jq -r '"\(.pid) \(.comm) \(.tx) \(.rx)"' process.out | sort) < <(
		awk '{ up[$1] += $7; down[$1] += $8; server[$1] = $10 }
			END { for (p in up) { print p, "conns-client", up[p], down[p]; print server[p], "conns-server", down[p], up[p] } }' made | sort)
	expect_rows <(jq -r '"\(.comm) \(.tx) \(.rx) \(.pid) \(.laddr)"' name.out | sort) <<-END
	conns-client 901000 9608 null null
	conns-server 9608 901000 null null
	END
	# that of a process which is gone before it is looked for is not known
	expect_rows <(jq -rs '"\(map(.tx) | add) \(map(.rx) | add)"' cgroup.out) <<<"910608 910608"
	expect_rows <(grep -c . top.out) <<<1
	expect_match text.out <<-'END'
	Tracing bytes of TCP. Output every 3600 seconds. Ctrl-C to end.

	[0-9][0-9]:[0-9][0-9]:[0-9][0-9] loadavg: [0-9]*.[0-9]* */* [0-9]*
	COMM                  RX_KB      TX_KB
	conns-* *.[0-9][0-9] *.[0-9][0-9]
	conns-* *.[0-9][0-9] *.[0-9][0-9]

	Ending tracing...
	END
}

# Only some: by process, name, family, port, address, namespace.
test_filters() {
	network
	beside pid tcptop --json -p $$ 3600
	beside client tcptop --json -n '^conns-client$' 3600
	beside ipv6 tcptop --json -6 3600
	beside port tcptop --json --lport=8000 3600
	beside netns tcptop --json --netns=left 3600
	rm -f made
	made close-client 8000 10 20
	made -a ::1 close-client 8000 30 40
	cp made here
	in=left made -n right -a 10.9.0.2 close-client 8000 50 60
	stop_all
	both_ends >all
	shown pid.out >rows; expect_empty rows
	shown client.out >rows; expect_rows rows < <(awk '$5 == 8000' all)
	shown ipv6.out >rows; expect_rows rows < <(grep ::1 all)
	shown port.out >rows; expect_rows rows < <(awk '$3 == 8000' all)
	shown netns.out >rows; expect_rows rows < <(grep ' 10.9.0.1 [0-9]* 10.9.0.2 ' all)
}

# All bytes are in one of the intervals.
test_intervals() {
	local i
	rm -f made
	start tcptop --json -t 1000 0.2
	for i in 1 2 3; do
		made close-client 8000 100000 5 10
		wait_lines "$out" $((i * 20))
	done
	stop
	expect_status 0
	jq -s -c 'group_by([.pid, .lport, .rport])[] | .[0] + { tx: map(.tx) | add, rx: map(.rx) | add }' "$out" >sums
	expect_made sums
}

once_count() {
	start tcptop 0.1 3
	finish
	expect_status 0
	expect_rows <(grep -c '^PID ' "$out") <<<3
	expect_rows <(head -n 1 "$out") <<<'Tracing bytes of TCP. Output every 0.1 seconds.'
}

# A capture has what the live run showed.
test_capture() {
	beside live tcptop --json 3600
	beside capture tcptop -w top.dat 3600
	rm -f made
	made close-client 8000 300000 7 5
	stop_all
	expect_made live.out
	expect_exit 0 tcptop -r top.dat --json
	expect_made
	expect_exit 0 tcptop -r top.dat --json --by=name
	expect_rows <(jq -r '"\(.comm) \(.tx) \(.rx)"' "$out" | sort) <<-END
	conns-client 1500000 35
	conns-server 35 1500000
	END
}

host_bad_options() {
	expect_error 2 'tcptop: interval: "0" is not a number of seconds above 0 (try tcptop -h)' tcptop 0
	expect_error 2 'tcptop: -t: "0" is not a number above 0 (try tcptop -h)' tcptop -t 0
}
