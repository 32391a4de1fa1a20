# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --cpu in a guest of two processors: what is done on each of them is known, as the
# workloads are bound to one.

# shellcheck disable=SC1091
. "$here/work/devices.bash"

# both NAME TOOL ARG...: beside each other, with --cpu=0 and --cpu=1, to NAME0.out and
# NAME1.out
both() {
	beside "${1}0" "$2" --cpu=0 "${@:3}"
	beside "${1}1" "$2" --cpu=1 "${@:3}"
}

# is_in FUNCTION PID: the thread waits there
is_in() { grep -q "$1" "/proc/$2/stack"; }

# opens FILE: the names that opensnoop showed
opens() { sed -nE 's/^cat .* (\/mnt\/.*)/\1/p' "$1"; }

# count FILE NAME: of a counting tool's rows
count() { awk -v name="$2" 'NF > 1 && $(NF - 1) ~ name { n += $NF } END { print n + 0 }' "$1"; }

test_rows() {
	touch /mnt/a /mnt/b
	both open opensnoop '^/mnt/[ab]$'
	both exec execsnoop -r '^cat'
	both kill killsnoop --signal=WINCH
	taskset -c 0 cat /mnt/a
	taskset -c 1 cat /mnt/b
	taskset -c 1 bash -c 'kill -WINCH $$'
	stop_all
	expect_rows <(opens open0.out) <<<'/mnt/a'
	expect_rows <(opens open1.out) <<<'/mnt/b'
	expect_rows <(head -n 1 open1.out) \
		<<<'Tracing open()s on CPU 1 for filenames containing "^/mnt/[ab]$". Ctrl-C to end.'
	expect_rows <(grep -o 'cat /mnt.*' exec0.out) <<<'cat /mnt/a'
	expect_rows <(grep -o 'cat /mnt.*' exec1.out) <<<'cat /mnt/b'
	! grep '^bash ' kill0.out || fail "another processor's"
	expect_rows <(grep -c '^bash ' kill1.out) <<<1
}

# It begins on processor 0, waits for a writer, and goes on on processor 1: the row
# is of its end, and has what is known from its begin.
test_what_moves_in_between() {
	local reader
	mkfifo /mnt/fifo
	both open opensnoop '^/mnt/fifo$'
	both slow funcslower --probes -n '^cat$' fifo_open 0
	both call syscount -n '^cat$' -c -e openat
	taskset -c 0 cat /mnt/fifo &
	reader=$!
	until_true 60 is_in fifo_open $reader
	taskset -pc 1 $reader >/dev/null
	taskset -c 0 bash -c 'exec >/mnt/fifo'
	wait $reader
	rm /mnt/fifo
	stop_all
	expect_rows <(opens open0.out) </dev/null
	expect_rows <(opens open1.out) <<<'/mnt/fifo'
	! grep '/\* fifo_open' slow0.out || fail "where it began"
	expect_rows <(grep -c '/\* fifo_open' slow1.out) <<<1
	[ "$(count call0.out openat)" -ge 2 ] || fail "libraries were opened there"
	expect_rows <(count call1.out openat) <<<1
}

# What it is called is known, wherever it was renamed: the kernel records the
# tool's event on one processor, and names on all.
test_names() {
	start tpoint --cpu=1 signal:signal_generate 'sig == 12'
	# shellcheck disable=SC2016 # for the other shell
	taskset -c 0 bash -c 'trap "" USR2
		printf renamed >/proc/self/comm
		kill -USR2 $$
		taskset -pc 1 $$ >pinned
		kill -USR2 $$'
	stop
	expect_status 0
	expect_match <(grep sig=12 "$out") <<-'END'
	 *renamed-* \[001] *: signal_generate: sig=12 *
	END
}

# brief_of FILE: what brief makes of its rows
brief_of() { out=$1 brief; }

test_io() {
	fresh
	null nullb0 irqmode=0 scheduler=none
	both io iosnoop
	taskset -c 0 io read /dev/nullb0 4096 4096
	taskset -c 1 io read /dev/nullb0 8192 4096 2
	stop_all
	expect_rows <(brief_of io0.out) <<<"io R $nullb0 8 4096"
	expect_rows <(brief_of io1.out) <<-END
	io R $nullb0 16 4096
	io R $nullb0 24 4096
	END
}

# calls_on_both: known ones, once on processor 0 and twice on 1
calls_on_both() {
	taskset -c 0 calls known >/dev/null
	taskset -c 1 calls known >/dev/null
	taskset -c 1 calls known >/dev/null
}

# expect_calls NAME CALL N: N of them in NAME0.out, and twice as many in NAME1.out
expect_calls() {
	expect_rows <(count "${1}0.out" "$2") <<<"$3"
	expect_rows <(count "${1}1.out" "$2") <<<$((2 * $3))
}

# expect_hist NAME N: the same of all values in a histogram
expect_hist() {
	expect_rows <(awk -F: '/->/ { n += $2 } END { print n }' "${1}0.out") <<<"$2"
	expect_rows <(awk -F: '/->/ { n += $2 } END { print n }' "${1}1.out") <<<$((2 * $2))
}

# What the kernel calls that system call.
yield=$(grep -oE -m1 '^__[a-z0-9]+_sys_sched_yield' "$tracefs/available_filter_functions" 2>/dev/null) || :

test_counts() {
	both call syscount -c -e sched_yield,getppid
	both by syscount -e getppid
	both function funccount "$yield"
	both hist perf-stat-hist syscalls:sys_enter_getppid __syscall_nr
	both event funccount -e syscalls:sys_enter_getppid
	calls_on_both
	stop_all
	expect_calls call sched_yield 7
	expect_calls call getppid 23
	expect_calls by calls 23
	expect_calls function sched_yield 7
	expect_hist hist 23
	expect_calls event sys_enter_getppid 23
}

test_counts_in_kernel() {
	[ -e "$tracefs/events/sched/sched_process_exit/hist" ] || skip "no hist triggers"
	both call syscount -c --in-kernel
	both hist perf-stat-hist --in-kernel syscalls:sys_enter_getppid __syscall_nr
	! has_fprobes || both function funccount --in-kernel "$yield"
	calls_on_both
	kill -INT "${pids[@]}"
	for pid in "${pids[@]}"; do finish "$pid"; expect_status 0; done
	expect_calls call getppid 23
	expect_hist hist 23
	! has_fprobes || expect_calls function sched_yield 7
}

test_functions() {
	both list functrace -n '^probed$' do_nanosleep
	both slow funcslower -n '^probed$' do_nanosleep 500
	taskset -c 0 probed sleep 1
	taskset -c 1 probed sleep 1 sleep 1
	stop_all
	for i in 0 1; do
		expect_rows <(grep -oE '\[00.\] .* do_nanosleep' list$i.out | cut -c 4 | sort | uniq -c) \
			<<<"      $((i + 1)) $i"
		expect_rows <(grep -c '/\* do_nanosleep' slow$i.out) <<<$((i + 1))
	done
}

# One after the other: on some kernels one tool at a time has the graph tracer.
test_graphs() {
	for i in 0 1; do
		start funcgraph -m 1 --cpu=$i -n '^probed$' do_nanosleep
		taskset -c 0 probed sleep 1
		taskset -c 1 probed sleep 1 sleep 1
		stop
		expect_status 0
		expect_rows <(grep -c "^ *$i) .* do_nanosleep();" "$out") <<<$((i + 1))
		expect_rows <(grep -c 'do_nanosleep' "$out") <<<$((i + 2))
	done
}

# A capture has what happened on all processors, unless the kernel left some out.
test_captures() {
	touch /mnt/a /mnt/b
	start opensnoop -w opens.dat '^/mnt/[ab]$'
	taskset -c 0 cat /mnt/a
	taskset -c 1 cat /mnt/b
	stop
	expect_status 0
	run opensnoop -r opens.dat --cpu=1
	expect_rows <(opens "$out") <<<'/mnt/b'
	run opensnoop -r opens.dat
	expect_rows <(opens "$out") <<<$'/mnt/a\n/mnt/b'
	expect_error 2 'opensnoop: --cpu: 2: the capture is of a machine with processors 0-1 (try opensnoop -h)' \
		opensnoop -r opens.dat --cpu=2

	start tpoint -w one.dat --cpu=1 signal:signal_generate 'sig == 12'
	# shellcheck disable=SC2016 # for the other shell
	taskset -c 0 bash -c 'trap "" USR2; kill -USR2 $$; taskset -pc 1 $$ >pinned; kill -USR2 $$'
	stop
	expect_status 0
	for options in '' --cpu=1; do
		# shellcheck disable=SC2086 # none, or one
		run tpoint -r one.dat $options
		expect_status 0
		expect_match <(grep sig= "$out") <<<' *bash-* \[001] *: signal_generate: sig=12 *'
	done
	expect_error 1 'tpoint: --cpu: 0-1: the capture was written with --cpu=1, and has no other processors' \
		tpoint -r one.dat --cpu=0-1
}

host_lists() {
	local try='(try opensnoop -h)'
	for list in x '1,' 3-1 0--1 -1 ''; do
		expect_error 2 "opensnoop: --cpu: \"$list\" is not a list of processors like 0,2-5 $try" opensnoop "--cpu=$list"
	done
	expect_exit 2 opensnoop --cpu=0,65000
	expect_match "$err" <<<'opensnoop: --cpu: 65000: this machine has processor*0* (try opensnoop -h)'
	expect_error 2 'reset-ftrace: --cpu: no such option (try reset-ftrace -h)' reset-ftrace --cpu=0
}

# rows TOOL OPTION...: of its capture, without what rows have in common
rows() { "$1" "--read=$capture" --csv "${@:2}" 2>/dev/null | sed 1d; }

# Each row of a capture is of one of its processors.
host_each_row_once() {
	for tool in opensnoop execsnoop killsnoop iosnoop tpoint kprobe functrace funcslower funcgraph tcpretrans tcpconnect tcpaccept uprobe; do
		capture $tool
		rows $tool | sort >all
		[ -s all ] || fail "$tool: no rows"
		expect_rows <({ rows $tool --cpu=0; rows $tool --cpu=1; } | sort) <all
		expect_rows <(rows $tool --cpu=0-1 | sort) <all
	done
}
