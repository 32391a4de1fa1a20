# shellcheck shell=bash disable=SC2154 # what lib.sh and suite set
# SPDX-License-Identifier: GPL-2.0-or-later
# Stacks of programs in other languages than C, in a guest: whose functions are known, and how
# often each of their two ways is gone, and in what parts; work/languages/make tells what they do

# shellcheck disable=SC1091
. "$here/work/shares.bash"

ways=$TL_WORK/languages

# begin_ways COMMAND...: that program, until it is ready
begin_ways() {
	rm -f said go	# of an earlier one
	mkfifo go
	at_end rm -f /tmp/perf-*.map
	"$@" <go >said &
	one=$!
	exec 9>go
	wait_lines said 1
}
work_ways() {
	echo >&9
	wait_lines said 2
}
end_ways() {
	exec 9>&-
	wait "$one"
}

# counted PATTERN: of the folded stacks that have it, the sum
counted() { LIKE=$1 awk '$0 ~ ENVIRON["LIKE"] { n += $NF } END { print n + 0 }' "$out"; }

# count_calls EVENT LEFT RIGHT: sets $left and $right to how often the program that has begun goes
# these ways, which are patterns
count_calls() {
	start stackcount -f -p "$one" "$1"
	work_ways
	stop
	end_ways
	expect_status 0
	expect_empty "$err"
	left=$(counted "$2") right=$(counted "$3")
}
expect_calls() {
	local left right
	count_calls "$@"
	[ "$left $right" = "300 100" ] || fail "$left by left, $right by right"
}

# expect_shares HOT COLD: of the samples of the program that has begun
expect_shares() {
	local hot cold
	# names of large programs take a while here
	start profile -F 997 --buffer=4M -f -p "$one"
	work_ways
	stop
	end_ways
	expect_status 0
	expect_empty "$err"
	hot=$(counted "$1") cold=$(counted "$2")
	[ $((hot + cold)) -ge 200 ] || fail "$hot and $cold samples"
	# the rest is in the language's own threads, and in calls of its own
	[ $((hot + cold)) -ge $(($(counted .) / 2)) ] || fail "$hot and $cold samples of $(counted .)"
	within hot "$hot" $((hot + cold)) 75
}

# has_ways PROGRAM LANGUAGE
has_ways() {
	walks_programs || skip "no stacks of programs"
	[ -e "$ways/$1" ] || skip "no compiler of $2 where the programs were built"
}

test_cxx() {
	local in='main;ways::walk\(ways::Way\*&&, int\);' event
	has_ways cxx C++
	for event in syscalls:sys_enter_getppid "$ways/cxx:ways::ask<int>"; do
		begin_ways "$ways/cxx"
		expect_calls "$event" "${in}ways::Left::go\(int\);" \
			"${in}ways::Right::go\(int\);ways::Right::go\(int\)::\{lambda\(int\)#1\}::operator\(\)\(int\) const;"
	done
	begin_ways "$ways/cxx" 150
	expect_shares '(^|;)main;ways::burn\(long\);ways::hot\(\);' ';ways::burn\(long\);ways::cold\(\);'
}

test_rust() {
	local program event right='<ways::path::Right as ways::path::Way>::go'
	has_ways rust Rust
	for program in rust rust-v0; do
		for event in syscalls:sys_enter_getppid "$ways/$program:ways::path::ask"; do
			begin_ways "$ways/$program"
			expect_calls "$event" ';ways::main;ways::walk;<ways::path::Left as ways::path::Way>::go;' \
				";ways::walk;$right;(.*;)?$right::\{(\{closure\}|closure#0)\};"
		done
		begin_ways "$ways/$program" 150
		expect_shares ';ways::main;ways::burn;ways::hot;' ';ways::main;ways::burn;ways::cold;'
	done
}

# The stack of a goroutine, which begins with goexit.  A function of Go that is preempted when it
# begins, or has to have more of a stack, begins anew: these calls are counted twice.
test_go() {
	local left right by_left='^go;runtime\.goexit(\.abi0)?;main\.main\.func1;main\.work;main\.\(\*left\)\.walk;'
	local by_right=';main\.work;main\.\(\*right\)\.walk;main\.repeat;main\.\(\*right\)\.walk\.func1;'
	has_ways go Go
	begin_ways "$ways/go"
	expect_calls syscalls:sys_enter_getppid "$by_left" "$by_right"
	begin_ways "$ways/go"
	count_calls "$ways/go:main.ask" "$by_left" "$by_right"
	if [ "$left" -lt 300 ] || [ "$left" -gt 400 ] || [ "$right" -lt 100 ] || [ "$right" -gt 200 ]; then
		fail "$left by left, $right by right"
	fi
	begin_ways "$ways/go" 100
	expect_shares ';main\.work;main\.hot[ ;]' ';main\.work;main\.cold[ ;]'
}

# What was compiled has the names that jcmd writes before the tool is told of it.
test_java() {
	has_ways Ways.class Java
	need java jcmd
	begin_java
	expect_calls syscalls:sys_enter_sched_yield ';void Ways\.walk\(int, int\);void Ways\.left\(\);void Ways\.ask\(\);' \
		';void Ways\.walk\(int, int\);void Ways\.right\(\);void Ways\.ask\(\);'
	begin_java 10000
	expect_shares ';void Ways\.round\(\);void Ways\.hot\(\);void Ways\.spin\(int\)' \
		';void Ways\.round\(\);void Ways\.cold\(\);void Ways\.spin\(int\)'
}
begin_java() {
	begin_ways java -XX:+PreserveFramePointer -Xbatch -XX:TieredStopAtLevel=1 -XX:-Inline -cp "$ways" Ways "$@"
	jcmd "$one" Compiler.perfmap >/dev/null
	[ -s "/tmp/perf-$one.map" ] || skip "this Java has no Compiler.perfmap"
}

test_node() {
	local f='[A-Za-z]+:[~^+*]?' at='[^;]*/ways\.js:[0-9:]+;'
	has_ways ways.js JavaScript
	need node
	begin_node
	expect_calls syscalls:sys_enter_getuid ";${f}walk $at${f}left $at${f}ask $at" ";${f}walk $at${f}right $at${f}ask $at"
	begin_node 10000
	expect_shares ";${f}round $at${f}hot $at${f}spin " ";${f}round $at${f}cold $at${f}spin "
}
# what it compiles is compiled before it is ready
begin_node() {
	begin_ways node --perf-basic-prof --interpreted-frames-native-stack --no-concurrent-recompilation \
		--allow-natives-syntax "$ways/ways.js" "$@"
}
