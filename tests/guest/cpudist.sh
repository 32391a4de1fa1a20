# shellcheck shell=bash disable=SC2016,SC2154 # what is quoted is jq's
# SPDX-License-Identifier: GPL-2.0-or-later
# cpudist in a guest: as many runs as a thread had, and times that are known

# shellcheck disable=SC1091
. "$here/work/waits.bash"

times_in() { jq -s 'map(.count // 0) | add' "$1"; }

first_check() {
	expect_exit 0 cpudist --check
	expect_exit 0 cpudist --check -O
}

first_row() {
	begin one
	start cpudist -O --json -L "${tid[one]}"
	order one sleep 3 10
	done_with one 1
	stop
	expect_status 0
	[ "$(times_in "$out")" -ge 3 ] || fail "$(<"$out")"
}

# Each switch away ends a run; it is away once less, as the time before the start is
# not known whole.
test_runs_as_the_kernel_counts() {
	local before all
	begin one 0
	begin two 0
	counts one; before=$((voluntary + involuntary))
	beside on cpudist --json -L "${tid[one]}"
	beside off cpudist -O --json -L "${tid[one]}"
	beside percentiles cpudist --percentiles --by=thread --json -L "${tid[one]}"
	beside write cpudist -w c.dat -L "${tid[one]}"
	turns
	stop_all
	counts one
	all=$((voluntary + involuntary - before))
	run cpudist -r c.dat --json
	expect_status 0
	expect_rows <(times_in "$work/on.out"; times_in "$work/off.out"; times_in "$work/percentiles.out"; times_in "$out") <<-END
	$all
	$((all - 1))
	$all
	$all
	END
}

# Sleeps of 700 ms are away for that at least, and nothing else is that long.
test_known_sleeps() {
	begin one
	start cpudist -Om --json -L "${tid[one]}"
	order one sleep 5 700
	done_with one 1
	stop
	expect_status 0
	expect_rows <(jq -s 'map(select(.from >= 0.5) | .count) | add' "$out") <<<5
}

# Alone on a processor it runs for long; so do idle processors, with -I.
test_long_runs() {
	begin one 0
	start cpudist --percentiles --json -I --by=name
	order one burn 300
	done_with one 1
	stop
	expect_status 0
	expect_rows <(jq -r 'select(.comm == "waits" or .comm == "<idle>") | [.comm, .count > 0, .max > 0.01] | @tsv' "$out") <<-END
	<idle>	true	true
	waits	true	true
	END
}

test_killed() {
	begin one
	start cpudist
	order one sleep 2 1
	done_with one 1
	stop KILL
	until_true 60 is_clean || fail "$state"
}

host_bad_options() {
	expect_error 2 "cpudist: -I is for time that a processor spends: not with -O (try cpudist -h)" cpudist -IO
	expect_error 2 "cpudist: -I is for all that a processor does: not with -p, -L, -n or --cgroup (try cpudist -h)" cpudist -I -p 1
	expect_exit 2 cpudist -P --by=cpu
	expect_exit 2 cpudist 0
}
