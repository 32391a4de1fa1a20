# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tpoint in a guest: the rows must be those of the kernel's own trace file

# rows [FILE]: those of a tool
rows() { sed -e 1d -e '/^$/,$d' "${1-$out}"; }

# compare WHAT... : run a workload under tpoint and a hand-made instance at
# once, and compare; times and names differ, as the kernel prints the name that
# the task has when the file is read.
compare() {
	local pattern event dir=$tracefs/instances/byhand who
	mkdir "$dir"
	echo mono >"$dir/trace_clock"
	start tpoint "$@"
	for pattern; do
		# shellcheck disable=SC2086 # a glob
		for event in $dir/events/${pattern/://}/enable; do echo 1 >"$event"; done
	done
	mkdir -p /mnt/w
	opens >/dev/null &
	who=$!
	wait $who
	echo 0 >"$dir/tracing_on"
	stop
	sed -n "s/^ *[^ ]*-\($who  *\[[0-9]*\] [^ ]*\) *[0-9.]*: /\1 /p" "$dir/trace" >expected
	rows | sed -n "s/^ *[^ ]*-\($who  *\[[0-9]*\] [^ ]*\) *[0-9.]*: /\1 /p" >rows
	rmdir "$dir"
	[ -s expected ] || fail "the kernel saw nothing"
	expect_rows rows <expected
}

test_sched_task_signals_and_syscalls_as_the_kernel() {
	compare 'sched:sched_process_*' 'task:*' sched:sched_wakeup_new 'signal:*' \
		'syscalls:sys_*_close' 'syscalls:sys_*_read' 'syscalls:sys_*_mmap'
}

test_list_and_format() {
	expect_exit 0 tpoint -l 'sched:sched_process_e*'
	expect_rows "$out" <<-END
	sched:sched_process_exec
	sched:sched_process_exit
	END
	expect_exit 0 tpoint -l sched_process_fo
	expect_rows "$out" <<-END
	sched:sched_process_fork
	END
	expect_exit 0 tpoint -l
	(cd "$tracefs/events" && printf '%s\n' */*/enable) |
		sed -n 's#^\([^/]*\)/\(.*\)/enable$#\1:\2#p' | sort >expected
	sort "$out" >rows
	expect_rows rows <expected
	expect_exit 0 tpoint -v sched:sched_switch
	expect_rows "$out" <"$tracefs/events/sched/sched_switch/format"
}

# Beside them a filter of ours with that of a name, as JSON.
test_stacks_and_filter() {
	beside stacks tpoint -s sched:sched_process_exec
	beside filter tpoint --json -n '^nothing$' sched:sched_process_exec 'old_pid > 0 && filename ~ "*noth*"'
	nothing
	cat /dev/null
	stop_all
	rows stacks.out | sed -n '/exec: .*\/nothing/,$p' >rows
	sed -n 2p rows | grep -q '<stack trace>$' || fail "no stack: $(cat rows)"
	# what the tracepoint is in is the first, not what records it
	expect_rows <(sed -n 3p rows) <<<' => bprm_execve'
	! grep -E ' => (trace_event_raw_event|__traceiter)_' rows || fail "the tracer: $(<rows)"
	grep -q '^ => .*execve' rows || fail "no execve: $(cat rows)"
	expect_rows <(sed 's/"time":[0-9.]*/"time":1/; s/"cpu":[0-9]/"cpu":0/; s/\(pid\|tid\)":[0-9]*/\1":N/g' filter.out) <<-END
	{"time":1,"comm":"nothing","tid":N,"cpu":0,"event":"sched:sched_process_exec","fields":{"filename":"$(command -v nothing)","pid":N,"old_pid":N},"stack":null}
	END
}

# The events of system calls are recorded by functions of their own.
test_stacks_of_system_calls() {
	beside enter tpoint --json -s -n '^nothing$' syscalls:sys_enter_execve syscalls:sys_enter_exit_group
	beside exit tpoint --json -s -n '^nothing$' syscalls:sys_exit_execve
	nothing
	stop_all
	jq -r '.stack // empty | .[0]' enter.out exit.out >first
	[ -s first ] || fail "no stack: $(cat enter.out exit.out)"
	! grep -E '^(ftrace_syscall|trace_event_raw_event|__traceiter)_' first || fail "the tracer is in front"
}

# What an event prints as an address is one in JSON, also where its type is a
# number's: jq does not keep all digits of those.
test_addresses_in_numbers() {
	beside rows tpoint --json kmem:kmalloc
	nothing
	cat /dev/null
	stop_all
	jq -c '.fields | [(.call_site, .ptr | tostring | test("^0x[0-9a-f]{16}$")), (.bytes_req, .bytes_alloc | type)]' rows.out | sort -u >rows
	expect_rows rows <<<'[true,true,"number","number"]'
}

# Arguments of system calls have the sign of their types.
test_signs_of_arguments() {
	beside rows tpoint --json -n '^values$' syscalls:sys_enter_lseek syscalls:sys_enter_openat
	values seeks
	stop_all
	sed -n 's/.*"offset":\(-*[0-9]*\),.*/\1/p; s/.*\("dfd":-*[0-9]*\),.*/\1/p' rows.out | uniq >rows
	expect_rows rows < <(printf '%s\n' '"dfd":-100' 0 1 127 128 255 256 32767 32768 65535 65536 2147483647 2147483648 \
		4294967295 4294967296 9223372036854775807 -9223372036854775808 -128 -1)
}

# is_described: /proc adds to the name of a worker in $out what it works at
is_described() {
	local tid full
	while read -r tid; do
		read -r full 2>/dev/null <"/proc/$tid/comm" || continue
		[[ $full != kworker/*:*[-+]* ]] || return 0
	done < <(jq -r .tid "$out" 2>/dev/null)
	return 1
}

# A worker's own name, without what /proc adds to it. One on each processor counts
# what it has of memory when that is asked for.
test_names_of_workers() {
	start tpoint --json workqueue:workqueue_execute_start
	cat /proc/sys/vm/stat_refresh
	until_true 60 is_described || fail "no worker is described: $(<"$out")"
	stop
	expect_status 0
	jq -r .comm "$out" | grep -v -E '^kworker/(u?[0-9]+:[0-9]+H?|R-.*)$' >others || :
	expect_empty others
}

host_headers() {
	capture tpoint_stack
	run tpoint --read="$capture"
	! grep -q '^#' "$out" || fail "a header that was not asked for: $(<"$out")"
	run tpoint --read="$capture" -H
	expect_status 0
	grep -q '^#           TASK-PID     CPU#' "$out" || fail "$(<"$out")"
}

test_wrong_filter_shows_the_kernels_words() {
	local dir=$tracefs/instances/byhand
	mkdir "$dir"
	echo 'nosuch > 1' 2>&- >"$dir/events/sched/sched_switch/filter" || :
	sed -e '1s/.*error: /tpoint: filter of sched:sched_switch: /' -e '2,$s/^/tpoint: /' \
		"$dir/error_log" >expected
	rmdir "$dir"
	expect_exit 1 tpoint sched:sched_switch 'nosuch > 1'
	expect_rows "$err" <expected
	grep -q '^tpoint:  *^' "$err" || fail "no caret"
}

test_unknown_tracepoint() {
	expect_error 1 'tpoint: tracepoint no:such not found (try tpoint -l)' tpoint no:such
}

host_no_tracepoint() {
	expect_error 2 'tpoint: which tracepoint? (try tpoint -h)' tpoint
}

host_format_of_a_capture() {
	capture tpoint
	run tpoint --read="$capture" -v
	expect_status 0
	grep -q '^name: ' "$out" || fail "$(<"$out")"
	grep -q $'^\tfield:unsigned short common_type;' "$out" || fail "$(<"$out")"
}

first_check() { expect_exit 0 tpoint --check; }

first_row() {
	start tpoint -n '^nothing$' sched:sched_process_exec
	nothing
	stop
	expect_status 0
	expect_empty "$err"
	expect_match "$out" <<-END
	Tracing sched:sched_process_exec issued by process name "^nothing\\$". Ctrl-C to end.
	*nothing-* sched_process_exec: filename=$(command -v nothing) pid=*

	Ending tracing...
	END
}
