# shellcheck shell=bash disable=SC2016,SC2154 # what is quoted is jq's
# SPDX-License-Identifier: GPL-2.0-or-later
# profile in a guest: of a program that says where it has used a processor

first_check() {
	expect_exit 0 profile --check
}

first_row() {
	start profile --json -n '^burn$'
	burn 300 >burn.said
	stop
	expect_status 0
	[ "$(samples true "$out")" -ge 5 ] || fail "$(<"$out")"
}

# samples CONDITION FILE: of all rows that are so
samples() { jq -s "map(select($1) | .count) | add // 0" "$2"; }

# within WHAT SHARE OF PERCENT: SHARE is so many percent of OF, but for 3
within() {
	awk -v share="$2" -v of="$3" -v want="$4" -v what="$1" 'BEGIN {
		have = of ? 100 * share / of : -1
		if (have < want - 3 || have > want + 3) {
			printf "%s: %d of %d are %.1f %%, not %.1f\n", what, share, of, have, want
			exit 1
		} }' >wrong || fail "$(<wrong)"
}

# what these call is in them: the clock, and interrupts that came then
in_hot='(.user // [] | index("hot") as $i | $i and .[$i:$i + 3] == ["hot", "work", "main"])'
in_cold='(.user // [] | index("cold") as $i | $i and .[$i:$i + 3] == ["cold", "work", "main"])'

test_shares_of_a_program() {
	local hot cold all
	start profile -F 997 --json -n '^burn$'
	burn 3000 >burn.said
	stop
	expect_status 0
	expect_empty "$err"
	read -r hot cold <burn.said
	all=$(samples true "$out")
	[ "$all" -ge 1000 ] || fail "$all samples of 3 s"
	[ "$all" -le 3100 ] || fail "$all samples of 3 s"
	within hot "$(samples "$in_hot" "$out")" "$all" "$(awk "BEGIN { print 100 * $hot / ($hot + $cold) }")"
	within cold "$(samples "$in_cold" "$out")" "$all" "$(awk "BEGIN { print 100 * $cold / ($hot + $cold) }")"
}

# What a kernel does that refuses it; the ticks are those of the kernel's own clock.
test_ticks_instead() {
	local hot cold all hz
	walks_programs || kinds=-K
	start refused profile --json ${kinds:+"$kinds"} -n '^burn$'
	burn 3000 >burn.said
	stop
	expect_status 0
	expect_match "$err" <<-'END'
	profile: perf_event_open: Operation not permitted: sampling at the kernel's ticks instead: [0-9]* a second, *
	END
	hz=$(sed -nE 's/.*instead: ([0-9]+) a second.*/\1/p' "$err")
	all=$(samples true "$out")
	[ "$all" -ge $((hz)) ] || fail "$all samples of 3 s at $hz Hz"
	[ "$all" -le $((hz * 31 / 10)) ] || fail "$all samples of 3 s at $hz Hz"
	[ -z "${kinds-}" ] || return 0
	read -r hot cold <burn.said
	within hot "$(samples "$in_hot" "$out")" "$all" "$(awk "BEGIN { print 100 * $hot / ($hot + $cold) }")"
	within cold "$(samples "$in_cold" "$out")" "$all" "$(awk "BEGIN { print 100 * $cold / ($hot + $cold) }")"
}

# The functions that read() calls, of both ways.
test_stacks_of_the_kernel() {
	local name
	beside perf profile -F 997 --json -K -n '^burn$'
	quietly ticks refused profile --json -K -n '^burn$'
	quietly captured profile -K -w c.dat -n '^burn$'
	burn 1000 /usr/bin/bash >burn.said
	stop_all
	run profile -r c.dat --json
	expect_status 0
	cp "$out" "$work/replay.out"
	for name in perf ticks replay; do
		within "read in $name" "$(samples '(.kernel // [] | any(test("vfs_read")))' "$work/$name.out")" \
			"$(samples true "$work/$name.out")" 97
	done
}

# quietly NAME COMMAND...: as beside, of one that has something to say
quietly() { beside "$1" bash -c 'exec "$@" 2>/dev/null' - "${@:2}"; }

# The same run in all forms has the same samples.
test_forms() {
	local all
	beside json profile -F 997 --json -n '^burn$'
	beside text profile -F 997 --top=0 -n '^burn$'
	beside folded profile -F 997 -f -n '^burn$'
	beside picture profile -F 997 --flamegraph=burn.svg -n '^burn$'
	burn 1500 >burn.said
	stop_all
	all=$(samples true "$work/json.out")
	[ "$all" -ge 500 ] || fail "$all samples of 1.5 s"
	# each has its own clock
	same "$all" "$(awk '$2 ~ /%$/ { n += $1 } END { print n + 0 }' "$work/text.out")" text
	same "$all" "$(awk '{ n += $NF } END { print n + 0 }' "$work/folded.out")" folded
	same "$all" "$(said_of count burn.svg)" picture
	awk '$2 ~ /%$/ { if (last && $1 > last) exit 1; last = $1 }' "$work/text.out" || fail "not the hottest first: $(<"$work/text.out")"
	grep -q '^burn;.*;main;work;hot [0-9]*$' "$work/folded.out" || fail "$(<"$work/folded.out")"
	tail -n 1 <(grep . "$work/text.out" | grep -v Ending) |
		grep -Eq '^[0-9]+ samples at 997 Hz in [0-9.]+ seconds on [0-9]+ processors?, [0-9.]+% busy$' || fail "$(<"$work/text.out")"
}

# same SAMPLES SAMPLES WHAT: within a tenth
same() {
	[ "$2" -ge $(($1 * 9 / 10)) ] || fail "$3: $2 samples, not $1"
	[ "$2" -le $(($1 * 11 / 10)) ] || fail "$3: $2 samples, not $1"
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
	taskset -c $last burn 1000 >burn.said &
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
	burn 2000 >burn.said
	kill -CONT "$pid"
	burn 300 >burn.said
	finish_by_ctrl_c
	expect_status 1
	seen=$(samples 'has("lost") | not' "$out")
	rows=$(jq -s 'map(.lost // 0) | add' "$out")
	said=$(sed -nE 's/^profile: ([0-9]+) events were lost.*/\1/p' "$err")
	[ "$rows" -ge 100 ] || fail "lost $rows: $(<"$err")"
	expect_rows <(echo "$said") <<<"$rows"
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
	bash -c 'read -r <go; burn 500 >burn.inside; exit' &
	one=$!
	echo $one >"$inner/cgroup.procs"
	start profile -F 997 --json --cgroup "$inner"
	burn 300 >burn.said
	echo >go
	wait $one
	stop
	expect_status 0
	expect_rows <(jq -r 'select(.comm != "bash") | .comm' "$out" | sort -u) <<<burn
	[ "$(samples '.comm == "burn"' "$out")" -ge 100 ] || fail "$(<"$out")"
	[ "$(samples true "$out")" -le 700 ] || fail "$(<"$out")"
	rmdir "$inner"
}

# When their stacks are read these have ended: programs, and children of one that executed none.
test_short_processes() {
	local all i
	beside short profile -F 997 --json --by=name -n '^burn$'
	for ((i = 0; i < 30; i++)); do burn 15 >burn.said; done
	burn -c 30 15 >burn.said
	stop_all
	all=$(samples true "$work/short.out")
	[ "$all" -ge 200 ] || fail "$all samples of 0.9 s"
	# the rest is in the kernel, which executes and ends them
	within "with names" "$(samples '(.user // ["hot"])[0] | . != "[unknown]" and . != "[burn]"' "$work/short.out")" "$all" 99
	[ "$(samples '(.user // []) | index("hot")' "$work/short.out")" -ge $((all / 3)) ] || fail "$(<"$work/short.out")"
}

host_bad_options() {
	expect_exit 2 profile -K -U
	expect_exit 2 profile -F 0
	expect_exit 2 profile -F 10001
	expect_exit 2 profile --by=cgroup
	expect_exit 2 profile 0
	expect_exit 2 profile 1 1
	expect_error 2 "profile: -f is for text: not with --json or --csv (try profile -h)" profile -f --json
	expect_error 2 "profile: --flamegraph is not for -w, which shows nothing: draw it with -r (try profile -h)" profile -K -w x --flamegraph=x.svg
}
