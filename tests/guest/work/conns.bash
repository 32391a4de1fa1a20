# shellcheck shell=bash disable=SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# What tests have of connections that conns makes: its lines are in file made.

# made ARG...: conns, in network namespace $in if that is set
made() {
	if [ "${in-}" ]; then
		ip netns exec "$in" conns "$@" >>made || fail "conns $*"
	else
		conns "$@" >>made || fail "conns $*"
	fi
}

# made_when COMMAND ARG...: conns that waits for a line of input, which it gets when
# COMMAND is true; $noticed is a time after that, in seconds of the monotonic clock
made_when() {
	local condition=$1 process to
	shift
	rm -f answers last
	mkfifo answers
	exec {to}<>answers
	${in:+ip netns exec "$in"} conns "$@" <answers >last &
	process=$!
	wait_lines last 1
	until_true 60 "$condition" || fail "conns $*: not $condition"
	read -r noticed _ </proc/uptime
	echo >&"$to"
	wait $process || fail "conns $*"
	exec {to}>&-
	sed 1d last >>made
}

# queued N: as many wait at port 8000 to be accepted
queued() {
	local line words
	while read -r -a words; do
		[[ ${words[1]-} == *:1F40 && ${words[3]} == 0A ]] || continue
		[ $((16#${words[4]#*:})) = "$1" ] && return
	done </proc/net/tcp
	return 1
}
queued_4() { queued 4; }

# expect_times FROM TO: a time in file times, of lines ADDRESS PORT RPORT TIME LENGTH as
# the client has them, is between fields FROM and TO of the line in made, and LENGTH is
# not longer than from the client's begin till then.  The program's clock has whole
# microseconds, as JSON has.
expect_times() {
	awk -v from="$1" -v to="$2" '{ key = NR == FNR ? $2 " " $3 " " $6 : $1 " " $2 " " $3 }
		NR == FNR { if ($from != "-") { begin[key] = $from / 1e6; end[key] = $to / 1e6; connect[key] = $11 / 1e6 }; next }
		!(key in begin) { print "no such connection:", $0; next }
		$4 < begin[key] - 2e-6 || $4 > end[key] + 2e-6 || $5 <= 0 || $5 > $4 - connect[key] + 2e-6 {
			print begin[key], end[key], connect[key], $0 }' OFMT=%.6f made times >odd
	expect_empty odd
	[ -s times ] || fail "no times"
}

# expect_within FILTER LENGTH FROM TO: the same of the rows of $out that jq selects, whose
# client's end "client" of the test file has, and whose length is LENGTH
expect_within() {
	jq -r "select($1) | \"$client \\(.time) \\(.$2)\"" "$out" >times
	expect_times "$3" "$4"
}

# expect_made [FILE]: rows in FILE are what was made, each once; a test file has
# "shown [FILE]", what rows have, and "known", the same of what was made
expect_made() {
	shown "${1-$out}" | sort >rows
	expect_rows rows < <(known | sort)
}

# burn_beside_cable: packets of the network wait for a timer, whose interrupts stop
# programs that never sleep, one on each processor: $burners
burn_beside_cable() {
	local cpu name
	for name in left right; do
		tc -n $name qdisc change dev eth0 root netem delay 20ms limit 100000
	done
	for cpu in 0 1; do
		taskset -c $cpu burn 1000000 >/dev/null &
		burners+=($!)
	done
}

# allowed: how many rows may be missing after stop_told.  The kernel counts without a lock:
# of 19 that were missed on 5.10 it told 18.
allowed() { echo $((missed ? missed + 2 : 0)); }

# but_missed: file rows has the lines of file ends, but for as many or fewer
but_missed() {
	local lost
	lost=$(comm -23 <(sort ends) <(sort rows) | tee lost | wc -l)
	[ "$lost" -le "$(allowed)" ] || fail "$lost rows are missing, $missed were missed: $(sed -n 1,5p lost)"
	[ "$(wc -l <rows)" -le "$(wc -l <ends)" ] || fail "more rows than ends"
}
