# shellcheck shell=bash disable=SC2016,SC2034,SC2154 # what is quoted is jq's
# SPDX-License-Identifier: GPL-2.0-or-later
# Stacks and wakers that are known: of the program naps, and of waits.bash

# shellcheck disable=SC1091
. "$here/work/waits.bash"

# begin_naps: the program, asleep with all its threads, whose ids are in ${tid[naps]},
# ${tid[nap-a]}, ${tid[nap-b]} and ${tid[nap-c]}
begin_naps() {
	mkfifo "$work/naps.to"
	at_end end_all
	naps "$work/naps.to" >"$work/naps.said" &
	wait_lines "$work/naps.said" 1
	read -r "tid[naps]" "tid[nap-a]" "tid[nap-b]" "tid[nap-c]" <"$work/naps.said"
	asleep naps
}

# kinds_of_stacks: sets $kinds to -K where the kernel has no stacks of programs
kinds_of_stacks() {
	kinds=()
	walks_programs || kinds=(-K)
}

need_programs() { walks_programs || skip "this kernel records no stacks of programs"; }

# check_of TOOL: of both kinds of stacks, and of the kernel's alone
check_of() {
	local lacks='this kernel records no stacks of programs (CONFIG_USER_STACKTRACE_SUPPORT): use -K'
	expect_exit 0 "$1" --check -K
	if walks_programs; then
		expect_exit 0 "$1" --check
	else
		expect_error 3 "$1: $lacks" "$1" --check
		expect_error 3 "$1: $lacks" "$1"
	fi
}

# rows CONDITION FILE [WHAT]: of rows that are so, a line with WHAT of each, else the whole
# row
rows() { jq -c "select($1) | ${3:-.}" "$2"; }

# count_of CONDITION FILE: the times of all rows that are so
count_of() { jq -s "map(select($1) | .count) | add // 0" "$2"; }

# total_of CONDITION FILE: the same of their time, ns
total_of() { jq -s "map(select($1) | .total) | (add // 0) * 1e9 | round" "$2"; }

# conditions of a row: in a sleep for some time; asleep since before
in_nanosleep='(.kernel // [] | any(test("nanosleep")))'
since_before='(.kernel // [] | .[0] == "[since before]")'

# by a timer: in no thread; with PREEMPT_RT it can be a thread of the kernel
by_timer='(.waker == "<interrupt>" or (.waker_kernel | any(test("hrtimer_wakeup"))))'

# at_least TOTAL MS WHAT: sleeps of that, but for what lies between the start of a timer and
# the end of the run; ns
at_least() { [ "$1" -ge $(($2 * 900000)) ] || fail "$3: $1 ns, not $2 ms"; }

# same_rows WHAT FILE FILE: both have the same rows, in any order, as far as WHAT says
same_rows() { expect_rows <(jq -c "$1" "$2" | sort) < <(jq -c "$1" "$3" | sort); }

microseconds() { echo "${EPOCHREALTIME/[.,]/}"; }
