# shellcheck shell=bash disable=SC2016,SC2154 # what is quoted is jq's
# SPDX-License-Identifier: GPL-2.0-or-later
# stackcount in a guest: of a program that goes 10,000 ways, each of them as often as it says

shop=${TL_WORK-}/uprobe

# Where a kernel records no stacks of programs, only -K works.
first_check() {
	local want=3
	! walks_programs || want=0
	expect_exit "$want" stackcount --check
}

# What a machine's kernel can tell: tracepoints and functions, all of them.
first_row() {
	beside point stackcount -K --json -n '^paths$' syscalls:sys_enter_write
	beside sum stackcount -K --json -n '^paths$' --bytes=count syscalls:sys_enter_write
	beside called stackcount -K --json -n '^paths$' ksys_write
	paths >paths.said </dev/null
	stop_all
	read -r calls bytes <paths.said
	# and one that says so
	expect_rows <(jq -s 'map(.count) | add' "$work/point.out") <<<$((calls + 1))
	expect_rows <(jq -s 'map(.count) | add' "$work/called.out") <<<$((calls + 1))
	expect_rows <(jq -s 'map(.bytes) | add' "$work/sum.out") <<<$((bytes + $(wc -c <paths.said)))
	expect_rows <(jq -r '.kernel[0]' "$work/point.out" | sort -u) <<<syscalls:sys_enter_write
	expect_rows <(jq -r '.kernel[0]' "$work/called.out" | sort -u) <<<ksys_write
	expect_rows <(jq '.kernel | length > 2 and .[1] != .[0]' "$work/called.out" | sort -u) <<<true
}

# ways_in FILE: a line "WAY COUNT BYTES" of each row, by the functions of the program in it;
# not by jq, which takes a minute
ways_in() {
	sed -nE 's/"count"/"bytes":0,&/; s/("bytes":[0-9]+,)"bytes":0,/\1/
		s/.*"bytes":([0-9]+),"count":([0-9]+),.*"d(.)","c(.)","b(.)","a(.)".*/\3\4\5\6 \2 \1/p' "$1" | sort
}

# what the ways of paths have to be
all_ways() {
	awk -v bytes="$1" 'BEGIN {
		for (way = 0; way < 10000; way++) {
			count = 1 + way % 3
			printf "%04d %d %d\n", way, count, bytes ? count * (1 + way % 100) : 0
		} }'
}

# expect_ways NAME [bytes]
expect_ways() {
	all_ways "${2-}" >all
	ways_in "$work/$1.out" >ways
	cmp -s all ways || fail "$1: $(wc -l <ways) ways: $(diff all ways | sed -n 1,5p)"
}

# begin_paths: to its last call; end_paths: it stays until then
begin_paths() {
	rm -f paths.said # of an earlier one
	mkfifo go
	paths <go >paths.said &
	one=$!
	exec 9>go
	wait_lines paths.said 1
}
end_paths() {
	exec 9>&-
	wait "$one"
}

# Each way is a stack, none of which is lost, or taken for another one.
test_ten_thousand_stacks() {
	walks_programs || skip "no stacks of programs"
	beside point stackcount --json -n '^paths$' syscalls:sys_enter_write
	beside sum stackcount --json -n '^paths$' --bytes=count ksys_write
	beside user stackcount --json -n '^paths$' "$(command -v paths):leaf"
	beside argument stackcount --json -n '^paths$' --bytes='$arg1' "$(command -v paths):leaf"
	beside write stackcount -w c.dat -n '^paths$' "$(command -v paths):leaf"
	begin_paths
	stop_all
	end_paths
	to=$work/read.out run stackcount -r c.dat --json
	expect_status 0
	expect_ways read
	expect_ways point
	expect_ways sum bytes
	expect_ways user
	expect_ways argument bytes
	expect_rows <(jq -r 'select(.user[0] != "leaf")' "$work/user.out") </dev/null
	expect_rows <(jq -r '.user[1]' "$work/user.out" | sort -u) <<<end
	# a function of the kernel is called by none of the program's
	expect_rows <(jq -c '.user[:3]' "$work/sum.out" | sort -u) <<<"$(jq -c '.user[:3]' "$work/point.out" | sort -u)"
}

# A function that calls itself: how deep is part of the stack.
test_recursion() {
	walks_programs || skip "no stacks of programs"
	start stackcount --json -n '^paths$' "$(command -v paths):deep"
	begin_paths
	stop
	end_paths
	expect_rows <(jq -c '[.count, (.user | map(select(. == "deep")) | length)]' "$out" | sort) <<-END
		[10,4]
		[20,3]
		[30,2]
		[40,1]
	END
}

# What is asked for twice, or by a glob as well, is counted once.
test_asked_for_twice() {
	local file
	file=$(command -v paths)
	beside kernel stackcount -K --json -n '^paths$' ksys_write 'ksys_writ*' p:ksys_write t:syscalls:sys_enter_write 'syscalls:sys_enter_writ?'
	! walks_programs || beside program stackcount --json -n '^paths$' "$file:leaf" "u:$file:lea?"
	begin_paths
	stop_all
	end_paths
	read -r calls _ <paths.said
	for name in ksys_write syscalls:sys_enter_write; do
		expect_rows <(jq -s --arg name $name 'map(select(.kernel[0] == $name) | .count) | add' "$work/kernel.out") <<<$((calls + 1))
	done
	! walks_programs || expect_rows <(jq -s 'map(.count) | add' "$work/program.out") <<<"$calls"
}

# Without stacks of the kernel each row says what was counted.
test_names_of_events() {
	walks_programs || skip "no stacks of programs"
	start stackcount -U --json --by=name -n '^paths$' ksys_write syscalls:sys_enter_write
	begin_paths
	stop
	end_paths
	read -r calls _ <paths.said
	expect_rows <(jq -r '"\(.kernel | join(" ")) \(.count)"' "$out" | awk '{ n[$1] += $2 } END { for (e in n) print e, n[e] }' | sort) <<-END
		ksys_write $((calls + 1))
		syscalls:sys_enter_write $((calls + 1))
	END
	expect_rows <(jq -s 'map(.user != null and .user[0] != .kernel[0]) | all' "$out") <<<true
}

once_names_of_cxx() {
	[ -e "$shop/cxx" ] || skip "no program"
	beside calls stackcount --json "$shop/cxx:shop::Cart::add(int)"
	beside sum stackcount --json --bytes='$arg2:s32' "$shop/cxx:shop::Cart::add(int)"
	"$shop/cxx" 4
	stop_all
	expect_rows <(jq -s 'map(.count) | add' "$work/calls.out") <<<4
	expect_rows <(jq -s 'map(.bytes) | add' "$work/sum.out") <<<6
}

# What failed counts, and adds nothing; text has the stacks that came most, and the others in one line.
test_below_zero() {
	start stackcount -K --json -n '^paths$' --bytes=ret syscalls:sys_exit_read syscalls:sys_exit_write
	paths >paths.said <&-
	stop
	read -r calls bytes <paths.said
	bytes=$((bytes + $(wc -c <paths.said)))
	expect_rows <(jq -s 'map(select(.kernel[0] == "syscalls:sys_exit_write") | .bytes) | add' "$out") <<<$bytes
	expect_rows "$err" <<<"stackcount: 1 value of ret below 0 was not added"
	start stackcount -K -n '^paths$' --top=1 --bytes=ret syscalls:sys_exit_read syscalls:sys_exit_write
	paths >paths.said </dev/null
	stop
	expect_rows <(grep -cE '^ *[0-9]+ +[0-9.]+%' "$out") <<<2
	grep -Eq '^ *[0-9]+ +[0-9.]+%  in [0-9]+ events?  of [0-9]+ other stacks?$' "$out" || fail "$(<"$out")"
}

test_wrong_values() {
	[ -e /sys/kernel/btf/vmlinux ] || skip "no BTF"
	run stackcount -K --bytes=buf ksys_write
	expect_status 1
	expect_rows "$err" <<<"stackcount: bytes=buf: buf is a pointer, and no number"
	run stackcount -K --bytes=filename t:syscalls:sys_enter_openat
	expect_status 1
	grep -q '^stackcount: filename of syscalls:sys_enter_openat is not a number but a pointer' "$err" || fail "$(<"$err")"
	run stackcount -K --bytes=nothing t:syscalls:sys_enter_openat
	expect_status 1
	grep -q '^stackcount: syscalls:sys_enter_openat has no field nothing' "$err" || fail "$(<"$err")"
}

# A function of a program is in no function of the kernel, and the others are.
test_all_kinds_at_once() {
	walks_programs || skip "no stacks of programs"
	start stackcount --json -n '^paths$' t:syscalls:sys_enter_write 'p:ksys_writ*' "u:$(command -v paths):leaf"
	begin_paths
	stop
	end_paths
	expect_status 0
	expect_empty "$err"
	read -r calls _ <paths.said
	for name in syscalls:sys_enter_write ksys_write; do
		expect_rows <(jq -s --arg name $name 'map(select((.kernel // [""])[0] == $name) | .count) | add' "$out") <<<$((calls + 1))
	done
	expect_rows <(jq -s 'map(select(.kernel == null) | .count) | add' "$out") <<<"$calls"
	expect_rows <(jq -r 'select(.kernel == null) | .user[0]' "$out" | sort -u) <<<leaf
}

# Those of two programs at once, of which one is asked for.
test_one_of_two() {
	local one
	mkfifo go
	bash -c 'read -r <go; exec paths </dev/null' >paths.said &
	one=$!
	start stackcount -K --json -p $one ksys_write vfs_write syscalls:sys_enter_write
	paths >/dev/null </dev/null &
	echo >go
	wait $one
	wait $!
	stop
	expect_status 0
	read -r calls _ <paths.said
	for name in ksys_write vfs_write syscalls:sys_enter_write; do
		expect_rows <(jq -s --arg name $name 'map(select(.kernel[0] == $name) | .count) | add' "$out") <<<$((calls + 1))
	done
	expect_rows <(jq .pid "$out" | sort -u) <<<$one
}

test_forms() {
	local all
	beside json stackcount -K --json -n '^paths$' ksys_write
	beside text stackcount -K --top=0 -n '^paths$' ksys_write
	beside bytes stackcount -K --top=0 -n '^paths$' --bytes=count ksys_write
	beside folded stackcount -K -f -n '^paths$' ksys_write
	beside sums stackcount -K -f --bytes=count -n '^paths$' ksys_write
	beside picture stackcount -K --flamegraph=paths.svg -n '^paths$' ksys_write
	paths >paths.said </dev/null
	stop_all
	read -r calls bytes <paths.said
	all=$((calls + 1)) bytes=$((bytes + $(wc -c <paths.said)))
	expect_rows <(awk '$2 ~ /%$/ { n += $1 } END { print n }' "$work/text.out") <<<$all
	expect_rows <(awk '$2 ~ /%$/ { n += $1; calls += $4 } END { print n, calls }' "$work/bytes.out") <<<"$bytes $all"
	expect_rows <(awk '{ n += $NF } END { print n }' "$work/folded.out") <<<$all
	expect_rows <(awk '{ n += $NF } END { print n }' "$work/sums.out") <<<$bytes
	expect_rows <(said_of count paths.svg) <<<$all
	grep -q "ksys_write ($all calls, 100.00%" paths.svg || fail "$(grep ksys_write paths.svg)"
	grep -q '^paths;.*ksys_write [0-9]*$' "$work/folded.out" || fail "$(<"$work/folded.out")"
}

# A stack whose event was lost belongs to no other event, and all that was lost is said.
test_lost_events() {
	walks_programs || skip "no stacks of programs"
	start stackcount --buffer=64K --json --strict -n '^paths$' --bytes=count syscalls:sys_enter_write
	kill -STOP "$pid"
	paths >paths.said </dev/null
	kill -CONT "$pid"
	begin_paths
	finish_by_ctrl_c
	end_paths
	expect_status 1
	grep -Eq '^stackcount: [0-9]+ events were lost' "$err" || fail "$(<"$err")"
	[ "$(jq -s 'map(.lost // 0) | add' "$out")" -gt 0 ] || fail "no loss: $(<"$err")"
	ways_in "$out" >ways
	[ "$(wc -l <ways)" -ge 100 ] || fail "$(wc -l <ways) ways"
	awk '$3 != $2 * (1 + $1 % 100) { print }' ways >wrong
	expect_empty wrong
}
finish_by_ctrl_c() {
	kill -INT "$pid"
	finish
}

test_capture() {
	beside live stackcount -K --json -n '^paths$' ksys_write syscalls:sys_enter_write
	beside written stackcount -K -w c.dat -n '^paths$' ksys_write syscalls:sys_enter_write
	paths >paths.said </dev/null
	stop_all
	run stackcount -r c.dat --json
	expect_status 0
	expect_rows <(jq -c 'del(.time)' "$out" | sort) <<<"$(jq -c 'del(.time)' "$work/live.out" | sort)"
}

# Events of interrupts are nobody's, and nobody's events get their stacks.
test_interrupts() {
	start stackcount -K --json --by=name timer:hrtimer_expire_entry syscalls:sys_enter_write
	paths >paths.said </dev/null
	stop
	expect_status 0
	read -r calls _ <paths.said
	expect_rows <(jq -s 'map(select(.comm == "paths" and .kernel[0] == "syscalls:sys_enter_write") | .count) | add' "$out") <<<$((calls + 1))
	expect_rows <(jq -r 'select(.kernel[0] == "timer:hrtimer_expire_entry") | .comm' "$out" | sort -u) <<<'<interrupt>'
}

test_intervals() {
	start stackcount -K --json -i 0.1 -n '^paths$' ksys_write
	paths >paths.said </dev/null
	stop
	read -r calls _ <paths.said
	expect_rows <(jq -s 'map(.count) | add' "$out") <<<$((calls + 1))
	# in two bursts: each in an interval of its own
	start stackcount -K --json -i 0.1 -n '^paths$' ksys_write
	paths >paths.said </dev/null
	wait_lines "$out" 1
	paths >>paths.said </dev/null
	stop
	expect_rows <(jq -s 'map(.count) | add' "$out") <<<$(((calls + 1) * 2))
	[ "$(jq .time "$out" | sort -u | wc -l)" -ge 2 ] || fail "one interval: $(<"$out")"
}

host_bad_options() {
	expect_exit 2 stackcount
	expect_exit 2 stackcount -K -U vfs_read
	expect_exit 2 stackcount --by=cgroup vfs_read
	expect_error 2 "stackcount: \"vfs_read count\": a function is its name alone: where it begins is counted (try stackcount -h)" stackcount 'vfs_read count'
	expect_exit 2 stackcount vfs_read%return
	expect_exit 2 stackcount p:vfs_read+0x4
	expect_exit 2 stackcount --bytes='count pos' vfs_read
	expect_exit 2 stackcount ''
	expect_exit 2 stackcount p:
	expect_error 2 "stackcount: -f is for text: not with --json (try stackcount -h)" stackcount -f --json vfs_read
}
