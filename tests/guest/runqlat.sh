# shellcheck shell=bash disable=SC2016,SC2154 # what is quoted is jq's
# SPDX-License-Identifier: GPL-2.0-or-later
# runqlat in a guest: as many waits as a thread has got a processor

# shellcheck disable=SC1091
. "$here/work/waits.bash"

waits_in() { jq -s 'map(.count // 0) | add' "$1"; }

first_check() {
	expect_exit 0 runqlat --check
}

first_row() {
	begin one
	start runqlat --json -L "${tid[one]}"
	order one sleep 3 10
	done_with one 1
	stop
	expect_status 0
	[ "$(waits_in "$out")" -ge 3 ] || fail "$(<"$out")"
}

# Each switch away is followed by a wait, but for the last one, and the one before the
# start. So it is in all that is shown, and in what a capture shows.
test_waits_as_the_kernel_counts() {
	local before tids
	begin one 0
	begin two 0
	tids=${tid[one]}
	counts one; before=$((voluntary + involuntary))
	beside json runqlat --json -L "$tids"
	beside text runqlat -m -L "$tids"
	beside percentiles runqlat --percentiles --json -L "$tids" 0.3
	beside thread runqlat --by=thread --percentiles --json
	beside cpu runqlat --by=cpu --json -L "$tids"
	beside heat runqlat --heatmap=heat.svg -L "$tids"
	beside write runqlat -w c.dat -L "$tids"
	turns
	stop_all
	counts one
	run runqlat -r c.dat --json
	expect_status 0
	expect_rows <(
		waits_in "$work/json.out"
		awk '$2 == "->" { n += $5 } END { print n }' "$work/text.out"
		waits_in "$work/percentiles.out"
		waits_in <(jq -c "select(.tid == $tids)" "$work/thread.out")
		waits_in "$work/cpu.out"
		jq -s 'map(.cpu) | unique | .[]' "$work/cpu.out"
		waits_in "$out") <<-END
	$((voluntary + involuntary - before))
	$((voluntary + involuntary - before))
	$((voluntary + involuntary - before))
	$((voluntary + involuntary - before))
	$((voluntary + involuntary - before))
	0
	$((voluntary + involuntary - before))
	END
	head -c 100 heat.svg | grep -q '<svg' || fail "no picture"
}

# Of two on one processor each waits for the other one most.
test_who_others_wait_for() {
	begin one 0
	begin two 0
	start runqlat --instead -L "${tid[one]}"
	order one burn 200
	order two burn 200
	done_with one 1
	done_with two 1
	stop
	expect_status 0
	expect_rows <(sed -n '/^Others waited for:/,$p' "$out" | sed -n '3s/  *[0-9.]*$//p') <<-END
	waits            ${tid[two]}
	END
}

test_by_cgroup_and_name() {
	begin one
	in_cgroup one
	beside cgroup runqlat --by=cgroup --percentiles --json
	beside name runqlat --by=name -p "${tid[one]}"
	order one sleep 4 10
	done_with one 1
	stop_all
	expect_rows <(jq -r 'select(.cgroup == "/suite/inner") | .count >= 4' "$work/cgroup.out") <<<true
	expect_rows <(grep '^name: ' "$work/name.out") <<<'name: waits'
	end_all
	rmdir "$inner"
}

# With the records of a flood lost, no wait is longer than all of it.
test_lost_records() {
	begin one 0
	start runqlat --percentiles --json --buffer=64K -L "${tid[one]}"
	kill -STOP "$pid"
	order one pass 20000
	done_with one 1
	kill -CONT "$pid"
	stop
	expect_status 0
	grep -q 'events were lost' "$err" || fail "nothing lost: $(<"$err")"
	expect_rows <(jq "select(has(\"lost\") | not) | .max == null or .max * 1e9 < $took" "$out") <<<true
}

test_killed() {
	begin one
	start runqlat
	order one sleep 2 1
	done_with one 1
	stop KILL
	until_true 60 is_clean || fail "$state"
}

host_bad_options() {
	expect_error 2 "runqlat: --instead is with the histogram: not with --percentiles or --heatmap (try runqlat -h)" runqlat --instead --percentiles
	expect_error 2 "runqlat: --heatmap is one picture of all: not with --by (try runqlat -h)" runqlat --heatmap=x --by=cpu
	expect_exit 2 runqlat -P --by=cpu
	expect_exit 2 runqlat --by=uid
	expect_exit 2 runqlat --by=cgroup -w x
	expect_exit 2 runqlat 1 0
}
