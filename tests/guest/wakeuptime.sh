# shellcheck shell=bash disable=SC2016,SC2154 # what is quoted is jq's
# SPDX-License-Identifier: GPL-2.0-or-later
# wakeuptime in a guest: sleeps that are known, and who ends these

# shellcheck disable=SC1091
. "$here/work/naps.bash"

by_interrupt='.waker == "<interrupt>"'

first_check() {
	check_of wakeuptime
}

first_row() {
	begin one
	start wakeuptime -K --json -L "${tid[one]}"
	order one sleep 3 100
	done_with one 1
	stop
	expect_status 0
	[ "$(count_of "$by_timer" "$out")" -ge 3 ] || fail "$(<"$out")"
}

# A timer ends what it sleeps, in no thread; all else this test itself does.
test_sleeps_and_orders() {
	local first
	begin one
	kinds_of_stacks
	start wakeuptime "${kinds[@]}" --json -L "${tid[one]}"
	order one sleep 5 100
	done_with one 1
	first=$took
	order one sleep 2 100
	done_with one 2
	stop
	expect_status 0
	expect_rows <(rows true "$out" '[.tid, .comm]' | sort -u) <<<"[${tid[one]},\"waits\"]"
	rows "$by_interrupt" "$out" >sleeps
	expect_rows <(count_of true sleeps) <<<7
	expect_rows <(rows true sleeps '[.waker_id, .waker_user // []]' | sort -u) <<<'[null,[]]'
	expect_rows <(rows true sleeps '.waker_kernel | any(test("hrtimer"))' | sort -u) <<<true
	expect_rows <(rows true sleeps '.waker_kernel | any(test("idle|schedule"))' | sort -u) <<<false	# what it interrupted
	at_least "$(total_of true sleeps)" 700 sleeps
	[ "$(total_of true sleeps)" -le $((first + took + 100000)) ] || fail "longer than all: $(<sleeps)"
	rows "$by_interrupt | not" "$out" >orders
	expect_rows <(rows true orders '[.waker, .waker_id, (.waker_kernel | any(test("pipe_write")))]' | sort -u) <<<"[\"bash\",$BASHPID,true]"
	expect_rows <(count_of true orders) <<<2
}

# Each of the two wakes the other one, if that has left the processor by then.
test_pipes() {
	begin one 0
	start wakeuptime -K --json -n '^waits$' --cpu=0
	order one pass 200
	done_with one 1
	stop
	expect_status 0
	expect_rows <(rows '.waker == "waits" and .tid == '"${tid[one]}" "$out" '[.waker_id == .tid, (.waker_kernel | any(test("pipe_write|do_exit|do_notify_parent")))]' | sort -u) <<<'[false,true]'
	between "$(count_of ".tid == ${tid[one]} and .waker == \"waits\"" "$out")" 20 202 "wakeups by the child"
}

test_long_and_short_ones() {
	begin one
	beside long wakeuptime -K --json -m 690000 -L "${tid[one]}"
	beside short wakeuptime -K --json -M 689999 -L "${tid[one]}"
	order one sleep 3 700
	done_with one 1
	order one sleep 20 1
	done_with one 2
	stop_all
	expect_rows <(count_of "$by_interrupt" "$work/long.out") <<<3
	between "$(count_of "$by_interrupt" "$work/short.out")" 1 20 "short sleeps"	# one may end as it begins
}

test_captures() {
	begin one
	beside live wakeuptime -K --json -L "${tid[one]}"
	beside write wakeuptime -K -w c.dat -L "${tid[one]}"
	order one sleep 3 10
	done_with one 1
	stop_all
	run wakeuptime -r c.dat -K --json
	expect_status 0
	same_rows '[.tid, .comm, .count, .waker, .waker_id, .waker_kernel]' "$out" "$work/live.out"
	run wakeuptime -r c.dat -K -f
	expect_status 0
	grep -qE '^<interrupt>;.*hrtimer.*;try_to_wake_up;waits [0-9]+$' "$out" || fail "$(<"$out")"
}

once_text() {
	begin one
	start wakeuptime -K -L "${tid[one]}"
	order one sleep 2 10
	done_with one 1
	stop
	expect_status 0
	expect_rows <(head -n 1 "$out") <<<"Tracing time of sleeps for TID ${tid[one]} by waker. Ctrl-C to end."
	expect_rows <(grep -E '^    (target|waker):' "$out" | sort -u) <<-END
	    target:          waits (${tid[one]})
	    waker:           <interrupt>
	    waker:           bash ($BASHPID)
	END
}

test_killed() {
	begin one
	kinds_of_stacks
	start wakeuptime "${kinds[@]}"
	order one sleep 2 1
	done_with one 1
	stop KILL
	until_true 60 is_clean || fail "$state"
}

host_bad_options() {
	expect_exit 2 wakeuptime -K -U
	expect_exit 2 wakeuptime --state=S
	expect_exit 2 wakeuptime -M 1x
	expect_exit 2 wakeuptime 0
}
