# shellcheck shell=bash disable=SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# What tests have of connections that conns makes: its lines are in file made.

# made ARG...: conns; the last of them in namespace "left": in=left made ...
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

# accepted N: as many wait at port 8000 to be accepted
queued() {
	local line words
	while read -r -a words; do
		[[ ${words[1]-} == *:1F40 && ${words[3]} == 0A ]] || continue
		[ $((16#${words[4]#*:})) = "$1" ] && return
	done </proc/net/tcp
	return 1
}
queued_4() { queued 4; }

# expect_times FROM TO: a time in file times, of lines ADDRESS PORT TIME LENGTH of the
# client's ends, is between fields FROM and TO of its line in made, and LENGTH, where it
# is known, is not longer than from the client's begin till then.  The program's clock
# has whole microseconds, as JSON has.
expect_times() {
	awk -v from="$1" -v to="$2" 'NR == FNR { if ($from != "-") { begin[$2 " " $3] = $from / 1e6; end[$2 " " $3] = $to / 1e6
				connect[$2 " " $3] = $11 / 1e6 } ; next }
		!(($1 " " $2) in begin) { print "no such connection:", $0; next }
		{ key = $1 " " $2 }
		$3 < begin[key] - 2e-6 || $3 > end[key] + 2e-6 || $4 <= 0 || $4 > $3 - connect[key] + 2e-6 {
			print begin[key], end[key], connect[key], $0 }' OFMT=%.6f made times >odd
	expect_empty odd
	[ -s times ] || fail "no times"
}
