# shellcheck shell=bash disable=SC2016,SC2154 # what is quoted is jq's
# SPDX-License-Identifier: GPL-2.0-or-later
# offwaketime in a guest: times off a processor whose wakers are known, and theirs

# shellcheck disable=SC1091
. "$here/work/naps.bash"

first_check() {
	check_of offwaketime
}

first_row() {
	begin one
	start offwaketime -K --json -L "${tid[one]}"
	order one sleep 3 10
	done_with one 1
	stop
	expect_status 0
	[ "$(count_of "$in_nanosleep and $by_timer" "$out")" -ge 3 ] || fail "$(<"$out")"
}

# The timer wakes nap-c, that wakes nap-b, and that nap-a; each slept for all of it.
test_chain() {
	local of_a='.comm == "nap-a" and .count > 0' of_c
	begin_naps
	beside chain offwaketime -K --chain=4 --json -p "${tid[naps]}"
	beside one offwaketime -K --json -p "${tid[naps]}"
	order naps chain 5
	done_with naps 1
	stop_all
	expect_rows <(rows "$of_a" "$work/chain.out" '[.tid, .waker, .waker_id, .waker2, .waker2_id, .waker3, .waker3_id, .waker4]' | sort -u) <<-END
	[${tid[nap-a]},"nap-b",${tid[nap-b]},"nap-c",${tid[nap-c]},"<interrupt>",null,null]
	END
	expect_rows <(count_of "$of_a" "$work/chain.out"; count_of "$of_a" "$work/one.out") <<<$'5\n5'
	expect_rows <(rows "$of_a" "$work/one.out" '[.tid, .waker, .waker_id, (.kernel, .waker_kernel | any(test("futex")))]' | sort -u) <<-END
	[${tid[nap-a]},"nap-b",${tid[nap-b]},true,true]
	END
	at_least "$(total_of "$of_a" "$work/chain.out")" 500 nap-a
	of_c=$(count_of '.comm == "nap-c" and .waker == "<interrupt>"' "$work/chain.out")
	[ "$of_c" = 5 ] || fail "$of_c sleeps of nap-c: $(rows '.comm == "nap-c"' "$work/chain.out")"
}

test_functions_of_a_program() {
	need_programs
	begin_naps
	start offwaketime --chain=2 --json -p "${tid[naps]}"
	order naps chain 3
	done_with naps 1
	stop
	expect_status 0
	expect_rows <(rows '.comm == "nap-a" and .waker == "nap-b" and (.user | length > 0)' "$out" \
		'[(.user | index("nap_wait") != null), (.waker_user | index("nap_wake") != null), (.waker_user | index("on_b") != null), (.waker2_user | index("on_c") != null)]' | sort -u) <<<'[true,true,true,true]'
}

# Who was awake all the time that another one slept was not woken for that.
test_awake_waker_ends_the_chain() {
	begin_naps
	start offwaketime -K --chain=3 --json -L "${tid[nap-a]}"
	order naps poke 6
	done_with naps 1
	stop
	expect_status 0
	expect_rows <(rows '.waker == "nap-c" and .waker2 == null' "$out" .count | awk '{ n += $1 } END { print (n >= 5) }') <<<1
	expect_rows <(count_of '.waker == "nap-c"' "$out") <<<6
}

# Nobody woke what another one took the processor from.
test_preempted() {
	begin one 0
	begin two 0
	beside all offwaketime -K --json -L "${tid[one]}"
	beside with offwaketime -K --json --state=R -L "${tid[one]}"
	turns
	stop_all
	expect_rows <(rows '.kernel == ["[preempted]"]' "$work/all.out" '[.waker, .count > 0]' | sort -u) <<<'[null,true]'
	expect_rows <(rows true "$work/with.out" '[.waker, .kernel[0] == "[preempted]"]' | sort -u) <<<'[null,false]'
}

test_captures() {
	begin_naps
	kinds_of_stacks
	beside live offwaketime "${kinds[@]}" --chain=3 --json -p "${tid[naps]}"
	beside write offwaketime "${kinds[@]}" --chain=3 -w c.dat -p "${tid[naps]}"
	order naps chain 3
	done_with naps 1
	stop_all
	end_all
	run offwaketime -r c.dat "${kinds[@]}" --json
	expect_status 0
	same_rows '[.tid, .comm, .count, .kernel, .user, .waker, .waker_kernel, .waker_user, .waker2, .waker3]' "$out" "$work/live.out"
	[ ${#kinds[@]} -gt 0 ] || grep -q '"waker_user":\[.*"do_line"' "$out" || fail "$(<"$out")"
	run offwaketime -r c.dat "${kinds[@]}" -f
	expect_status 0
	grep -qE '^nap-a;.*;futex_wait;.*;--;.*futex_wake.*;nap-b;--;.*;nap-c;--;try_to_wake_up;(wake_up_process;)?hrtimer_wakeup;.*;<interrupt> [0-9]+$' "$out" || fail "$(<"$out")"
}

once_text() {
	begin_naps
	start offwaketime -K --chain=3 -L "${tid[nap-a]}"
	order naps chain 1
	done_with naps 1
	stop
	expect_status 0
	grep -E '^    (target|waker):' "$out" | tr -s ' \n' ' ' >who
	[[ $(<who) == *" waker: <interrupt> waker: nap-c (${tid[nap-c]}) waker: nap-b (${tid[nap-b]}) target: nap-a (${tid[nap-a]}) "* ]] ||
		fail "$(<who)"
}

test_flame_graph() {
	begin_naps
	start offwaketime -K --flamegraph=naps.svg -p "${tid[naps]}"
	order naps chain 2
	done_with naps 1
	stop
	expect_status 0
	grep -q '<title>-- (' naps.svg || fail "$(<naps.svg)"
}

test_killed() {
	begin one
	kinds_of_stacks
	start offwaketime "${kinds[@]}"
	order one sleep 2 1
	done_with one 1
	stop KILL
	until_true 60 is_clean || fail "$state"
}

host_bad_options() {
	expect_exit 2 offwaketime -K -U
	expect_exit 2 offwaketime --chain=5
	expect_exit 2 offwaketime --chain=0
	expect_error 2 "offwaketime: --state: 'x' is not the letter of a state: R, S, D, T, t, X, Z, P, I (try offwaketime -h)" offwaketime --state=Sx
}
