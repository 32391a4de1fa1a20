# shellcheck shell=bash disable=SC2016,SC2154 # what is quoted is jq's
# SPDX-License-Identifier: GPL-2.0-or-later
# profile in a guest: of a program that says where it has used a processor

# shellcheck disable=SC1091
. "$here/work/shares.bash"

first_check() {
	expect_exit 0 profile --check
}

first_row() {
	start profile --json -n '^burn$'
	burn 300
	stop
	expect_status 0
	[ "$(samples true "$out")" -ge 5 ] || fail "$(<"$out")"
}

# few SAMPLES MOST: of a machine that stops now and then there are fewer than its time says
few() {
	[ "$1" -ge 20 ] || fail "$1 samples"
	[ "$1" -le "$2" ] || fail "$1 samples, not up to $2"
}

# what these call is in them: the clock, and interrupts that came then
in_hot='(.user // [] | index("hot") as $i | $i and .[$i:$i + 3] == ["hot", "work", "main"])'
in_cold='(.user // [] | index("cold") as $i | $i and .[$i:$i + 3] == ["cold", "work", "main"])'

test_shares_of_a_program() {
	start profile -F 997 --json -n '^burn$'
	burn 3000
	stop
	expect_status 0
	expect_empty "$err"
	few "$(samples true "$out")" 3100
	shares "$out"
}

# shares FILE: those that burn has, of all but what the loader did, and the clock
shares() {
	local all
	all=$(samples "$in_hot or $in_cold" "$1")
	within hot "$(samples "$in_hot" "$1")" "$all" 75
	within cold "$(samples "$in_cold" "$1")" "$all" 25
	[ "$all" -ge $(($(samples true "$1") / 2)) ] || fail "$(<"$1")"
}

# What a kernel does that refuses it; the ticks are those of the kernel's own clock.
test_ticks_instead() {
	local hz
	walks_programs || kinds=-K
	start refused profile --json ${kinds:+"$kinds"} -n '^burn$'
	burn 3000
	stop
	expect_status 0
	expect_match "$err" <<-'END'
	profile: perf_event_open: Operation not permitted: sampling at the kernel's ticks instead: [0-9]* a second, *
	END
	hz=$(sed -nE 's/.*instead: ([0-9]+) a second.*/\1/p' "$err")
	few "$(samples true "$out")" $((hz * 31 / 10))
	[ -n "${kinds-}" ] || shares "$out"
}

# The functions that read() calls, of both ways.
test_stacks_of_the_kernel() {
	local name
	beside perf profile -F 997 --json -K -n '^burn$'
	quietly ticks refused profile --json -K -n '^burn$'
	quietly captured profile -K -w c.dat -n '^burn$'
	burn 2000 /usr/bin/bash
	stop_all
	run profile -r c.dat --json
	expect_status 0
	cp "$out" "$work/replay.out"
	for name in perf ticks replay; do
		few "$(samples true "$work/$name.out")" 2100
		[ "$(samples '(.kernel // [] | index("vfs_read") as $i | $i and (.[$i + 1:] | any(test("sys_pread64"))))' "$work/$name.out")" -ge \
			$(($(samples true "$work/$name.out") / 2)) ] || fail "$(<"$work/$name.out")"
	done
}

# quietly NAME COMMAND...: as beside, of one that has something to say
quietly() { beside "$1" bash -c 'exec "$@" 2>/dev/null' - "${@:2}"; }

# A capture in all forms has the same samples.
test_forms() {
	local all
	quietly write profile -K -w c.dat -n '^burn$'
	burn 1000 /usr/bin/bash
	stop_all
	run profile -r c.dat --json
	expect_status 0
	cp "$out" json
	all=$(samples true json)
	few "$all" 1100
	run profile -r c.dat --top=0
	cp "$out" text
	run profile -r c.dat -f --flamegraph=burn.svg
	cp "$out" folded
	expect_rows <(
		awk '$2 ~ /%$/ { n += $1 } END { print n + 0 }' text
		awk '{ n += $NF } END { print n + 0 }' folded
		said_of count burn.svg) <<-END
	$all
	$all
	$all
	END
	jq -r '.comm + ";" + (.kernel // [] | reverse | join(";")) + " \(.count)"' json | sed 's/; / /' | sort >want
	sort folded >have
	expect_rows have <want
	awk '$2 ~ /%$/ { if (last && $1 > last) exit 1; last = $1 }' text || fail "not the hottest first: $(<text)"
	tail -n 1 <(grep . text | grep -v Ending) |
		grep -Eq '^[0-9]+ samples at [0-9]+ Hz in [0-9.]+ seconds on [0-9]+ processors?, [0-9.]+% busy$' || fail "$(<text)"
}

# Of samples that are none of a capture, with functions of a program.
test_folded() {
	start profile -F 997 -f -n '^burn$'
	burn 1000
	stop
	expect_status 0
	expect_empty "$err"
	few "$(awk '{ n += $NF } END { print n + 0 }' "$out")" 1100
	grep -q '^burn;.*main;work;hot [0-9]*$' "$out" || fail "$(<"$out")"
}

# What is not shown is in one line.
test_top() {
	run profile -F 997 --top=1 0.5 -I
	expect_status 0
	expect_rows <(grep -c '%  ' "$out") <<<2
	grep -Eq '^ *[0-9]+ +[0-9.]+%  in [0-9]+ other stacks?$' "$out" || fail "$(<"$out")"
	expect_rows <(awk '$2 ~ /%$/ { n += $1 } $2 == "samples" { print n - $1 <= 0 }' "$out") <<<1
}

test_processors_and_threads() {
	local last burner
	last=$(($(nproc) - 1))
	beside cpu profile -F 997 --by=cpu --json -n '^burn$'
	beside elsewhere profile -F 997 --json --cpu=0 -n '^burn$'
	beside thread profile -F 997 --by=thread --json -n '^burn$'
	beside idle profile -I --by=name --json --cpu=$last
	taskset -c $last burn 1000 &
	burner=$!
	wait $burner
	nap
	stop_all
	expect_rows <(jq .cpu "$work/cpu.out" | sort -u) <<<$last
	[ $last = 0 ] || [ "$(samples true "$work/elsewhere.out")" -le 20 ] || fail "processor 0: $(<"$work/elsewhere.out")"
	expect_rows <(jq .tid "$work/thread.out" | sort -u) <<<$burner
	[ "$(samples '.comm == "burn"' "$work/idle.out")" -gt 0 ] || fail "$(<"$work/idle.out")"
	[ "$(samples '.comm == "<idle>"' "$work/idle.out")" -gt 0 ] || fail "$(<"$work/idle.out")"
}

# All of them are counted, where they were lost.
test_lost_samples() {
	local rows said seen
	start profile -F 1999 --buffer=16K --json --strict
	kill -STOP "$pid"
	burn 2000
	kill -CONT "$pid"
	burn 300
	finish_by_ctrl_c
	expect_status 1
	seen=$(samples 'has("lost") | not' "$out")
	rows=$(jq -s 'map(.lost // 0) | add' "$out")
	said=$(sed -nE 's/^profile: ([0-9]+) events were lost.*/\1/p' "$err")
	[ "$rows" -ge 20 ] || fail "lost $rows: $(<"$err")"
	# the last ones may have no sample behind them
	[ "$said" -ge "$rows" ] || fail "lost $rows: $(<"$err")"
	[ $((seen + rows)) -le $((2300 * 2 * $(nproc) * 11 / 10)) ] || fail "$seen + $rows samples"
}
finish_by_ctrl_c() {
	kill -INT "$pid"
	finish
}

test_cgroup() {
	local inner=/sys/fs/cgroup/suite/inner one
	mountpoint -q /sys/fs/cgroup || mount -t cgroup2 none /sys/fs/cgroup || skip "no cgroup2"
	mkdir -p "$inner"
	mkfifo go
	bash -c 'read -r <go; burn 500; exit' &
	one=$!
	echo $one >"$inner/cgroup.procs"
	start profile -F 997 --json --cgroup "$inner"
	burn 300
	echo >go
	wait $one
	stop
	expect_status 0
	expect_rows <(jq -r 'select(.comm != "bash") | .comm' "$out" | sort -u) <<<burn
	[ "$(samples '.comm == "burn"' "$out")" -ge 10 ] || fail "$(<"$out")"
	[ "$(samples true "$out")" -le 700 ] || fail "$(<"$out")"
	rmdir "$inner"
}

# last_cpu: sets cpu to one that can go off line, and online to its file
last_cpu() {
	cpu=$(($(nproc) - 1))
	online=/sys/devices/system/cpu/cpu$cpu/online
	{ [ "$cpu" -gt 0 ] && [ -w "$online" ]; } || skip "no processor can go off line"
}

# burn_as NAME: on that processor, for longer than it takes until it is looked for
burn_as() {
	cp "$(command -v burn)" "$1"
	taskset -c "$cpu" "./$1" 2000
}

said_late='processor [0-9]+ was not sampled for [0-9]+\.[0-9]+ seconds after it came on line'

# It is sampled again, by an event of its own; what was missed of it is said.
test_comes_on_line() {
	local cpu online name
	last_cpu
	until_end /proc/sys/kernel/perf_event_paranoid 2
	until_end "$online" 1
	start profile -F 997 --json --strict --by=name
	burn_as first
	put_back "$online" 0
	put_back "$online" 1
	burn_as second
	put_back "$online" 0
	put_back "$online" 1
	burn_as third
	finish_by_ctrl_c
	expect_status 1
	grep -Eqx "profile: $said_late" "$err" || fail "$(<"$err")"
	for name in first second third; do
		few "$(samples ".comm == \"$name\"" "$out")" 2200
	done
}

# One that was not there when the run began.
test_comes_later() {
	local cpu online
	last_cpu
	until_end /proc/sys/kernel/perf_event_paranoid 2
	until_end "$online" 0
	start profile -F 997 --json --by=cpu -n '^later$'
	put_back "$online" 1
	burn_as later
	finish_by_ctrl_c
	expect_status 0
	few "$(samples ".cpu == $cpu" "$out")" 2200
}

# Where a new event takes more than the tool keeps, as on Debian.
test_comes_unseen() {
	local cpu online
	last_cpu
	echo 3 >/proc/sys/kernel/perf_event_paranoid
	[ "$(</proc/sys/kernel/perf_event_paranoid)" = 3 ] || skip "this kernel has no such level"
	until_end "$online" 1
	start profile --json --strict
	put_back "$online" 0
	put_back "$online" 1
	burn 1000
	finish_by_ctrl_c
	expect_status 1
	grep -Eqx "profile: $said_late: Permission denied" "$err" || fail "$(<"$err")"
}

# When their stacks are read these have ended: programs, and children of one that executed none.
test_short_processes() {
	local all i lives='((.kernel // []) | any(.[]; test("exec|exit|mmput")) | not)'
	beside short profile -F 997 --json --by=name -n '^burn$'
	for ((i = 0; i < 30; i++)); do burn 15; done
	burn -c 30 15
	stop_all
	all=$(samples true "$work/short.out")
	few "$all" 10000
	# not while the kernel executes and ends them: where that is slow these are many
	within "with names" "$(samples "$lives and ((.user // [\"hot\"])[0] | . != \"[unknown]\" and . != \"[burn]\")" "$work/short.out")" \
		"$(samples "$lives" "$work/short.out")" 97
	[ "$(samples '(.user // []) | index("hot")' "$work/short.out")" -ge $((all / 3)) ] || fail "$(<"$work/short.out")"
}

# A shell has no frame pointers, so most of its frames are no addresses of code.
test_maps_are_read_once() {
	local busy out=rows
	while :; do :; done &
	busy=$!
	strace -o opens -e trace=openat profile -F 997 --buffer=16M --json --by=process -p $busy 1 >"$out" || fail "$(tail opens)"
	kill $busy
	# on arm64 it has them
	[ "$(uname -m)" != x86_64 ] || few "$(samples '.user and (.user | index("[unknown]"))' "$out")" 1100
	few "$(samples .user "$out")" 1100
	# what was lost could have told of other mappings
	[ "$(grep -c "/proc/$busy/maps" opens)" = 1 ] || grep '"lost"' "$out" || fail "$(grep /proc/ opens)"
	[ "$(grep -c "perf-$busy.map" opens)" = 0 ] || fail "$(grep perf- opens)"
}

host_bad_options() {
	expect_exit 2 profile -K -U
	expect_exit 2 profile -F 0
	expect_exit 2 profile -F 10001
	expect_exit 2 profile --by=cgroup
	expect_exit 2 profile 0
	expect_exit 2 profile 1 1
	expect_error 2 "profile: -f is for text: not with --json (try profile -h)" profile -f --json
	expect_error 2 "profile: --flamegraph is not for -w, which shows nothing: draw it with -r (try profile -h)" profile -K -w x --flamegraph=x.svg
}
