# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What every tool promises: nothing is left behind, nobody is disturbed, errors
# say what to do.  The suite compares tracefs before and after each test.

tools=(opensnoop execsnoop 'tpoint sched:sched_switch')

# ends_by SIGNAL TOOL [ARG...]
ends_by() {
	start "${@:2}"
	stop "$1"
	expect_status 0
}

# Each tool, and each signal; SIGINT is what all tests of tools end with.
test_signals() {
	ends_by TERM opensnoop
	ends_by HUP execsnoop
	ends_by TERM tpoint sched:sched_switch
	ends_by INT tpoint sched:sched_switch
}

once_signals_of_others() {
	ends_by HUP opensnoop
	ends_by INT execsnoop
	ends_by TERM execsnoop
	ends_by HUP tpoint sched:sched_switch
}

signal_and_gone() {
	kill -s "$1" "$pid" 2>/dev/null || :
	gone "$pid"
}

# ends_at_once_by SIGNAL STATUS: while the guard is held up. Two signals that come
# together are one, and of hangups there can be many.
ends_at_once_by() {
	local guard
	start opensnoop nothing-like-this
	guard=$(pgrep -P "$pid" -x tl-guard)
	kill -STOP "$guard" "$pid"
	kill -INT "$pid"
	kill -TERM "$pid"
	kill -CONT "$pid"
	until_true 60 grep -qx 'Ending tracing...' "$out" || fail "$(<"$err")"
	kill -HUP "$pid"
	! gone "$pid" || fail "it has not waited for the guard"
	until_true 60 signal_and_gone "$1" || fail "still runs"
	finish
	expect_status "$2"
	expect_match "$err" <<-'END'
	opensnoop: ended at once: *process tl-guard still undoes what was changed, then it ends
	END
	[ -e "$tracefs/instances/tl_opensnoop_$pid" ] || fail "nothing was left to undo"
	kill -CONT "$guard"
	settle
}

once_second_signal() {
	ends_at_once_by INT 130
	ends_at_once_by TERM 143
}

# Its reader takes a little now and then, so that there is no end to what is written.
once_second_signal_and_a_slow_reader() {
	local reader
	touch /mnt/f
	mkfifo pipe slower
	exec {slow}<>slower
	# shellcheck disable=SC2016 # for the other shell
	bash -c 'while read -rN 4096 _; do read -rt 0.3 -u '"$slow"' _; done' <pipe &
	reader=$!
	to=pipe start opensnoop
	burst open $((5000 * page_kb)) /mnt/f >/dev/null
	until_true 60 signal_and_gone INT || fail "still runs"
	finish
	expect_status 130
	expect_rows "$err" <<-END
	opensnoop: ended at once: not all is written, and process tl-guard still undoes what was changed, then it ends
	END
	kill $reader
	settle
}

# Nobody reads there, not even the message.
once_second_signal_and_no_reader() {
	touch /mnt/f
	mkfifo pipe
	exec {stuck}<>pipe
	# shellcheck disable=SC2016 # for the other shell
	to=pipe start bash -c 'exec "$0" 2>&1' opensnoop
	burst open $((2000 * page_kb)) /mnt/f >/dev/null
	until_true 60 signal_and_gone INT || fail "still runs"
	finish
	expect_status 130
	exec {stuck}<&-
	settle
}

# A start that fails when its own buffer has its size leaves the top level's as large
# as the kernel makes it for the next one.
first_start_that_fails() {
	expect_exit 1 tpoint --buffer=64K task:task_rename 'nosuch == 1'
	expect_room
}

first_tracer_that_ends() {
	start functrace vfs_fsync
	stop
	expect_status 0
	expect_room
}

# What cannot be named without addresses is no row of numbers.
once_addresses_kept() {
	local command in_kernel='' why='the kernel hides the addresses of its functions: sysctl kernel.kptr_restrict=1'
	! has_fprobes || in_kernel='funccount --in-kernel vfs_fsync'
	until_end /proc/sys/kernel/kptr_restrict 2
	for command in 'kprobe -s p:vfs_fsync' 'tpoint -s task:task_rename' 'tcpretrans -s' 'functrace -s vfs_fsync' \
		'functrace --args vfs_fsync' 'funcgraph vfs_fsync' 'funccount vfs_fsync' \
		${in_kernel:+"$in_kernel"}; do
		# shellcheck disable=SC2086 # words
		expect_error 1 "${command%% *}: $why" $command
		[[ $command != *' -s'* ]] || expect_error 1 "${command%% *}: $why" "${command%% *}" --check -s
	done
	for command in kprobe tpoint tcpretrans; do
		expect_exit 0 "$command" --check
		grep -qx "limited: -s: $why" "$out" || fail "$command: no such limit"
		expect_empty "$err"
	done
	! walks_programs || expect_exit 0 uprobe --check -s
}

# The guard cleans up; it may take as long as the kernel needs.
test_sigkill() {
	local tool_args
	for tool_args in "${tools[@]}"; do
		# shellcheck disable=SC2086
		start $tool_args
		stop KILL
		settle
	done
}

test_sigkill_under_load() {
	local load
	touch /mnt/f
	start opensnoop
	burst open 20000 /mnt/f >/dev/null &
	load=$!
	wait_lines "$out" 100
	stop KILL
	! gone $load || fail "there was no load"
	settle
	kill $load 2>/dev/null || :
	wait $load 2>/dev/null || :
}

# Tool and guard killed at once: the next tool of any kind sweeps up.
test_leftovers_are_swept() {
	start opensnoop
	pkill -9 -x tl-guard
	stop KILL
	grep -q tl_opensnoop "$tracefs/dynamic_events" || fail "nothing was left to sweep"
	expect_exit 0 tpoint -d 0.1 sched:sched_process_exec
	settle
}

# The guard is killed, then the tool ends: it cleans up itself.
test_guard_killed() {
	start opensnoop
	pkill -9 -x tl-guard
	stop INT
	expect_status 0
	settle
}

# A living tool's instance is not a leftover.
test_sweeping_spares_the_living() {
	touch /mnt/f
	start opensnoop /mnt/f
	tpoint -d 0.1 sched:sched_process_exec >/dev/null
	read -r </mnt/f || :
	stop
	[[ $(<"$out") == *' /mnt/f'$'\n'* ]] || fail "$(<"$out")"
}

once_duration() {
	expect_exit 0 opensnoop -d 0.2 nothing-like-this
	expect_rows "$out" <<-END
	Tracing open()s for filenames containing "nothing-like-this" for 0.2 seconds (buffered)...
	COMM             PID      FD FILE

	Ending tracing...
	END
}

# Of duration and number of intervals what ends first ends a capture too.
once_duration_of_a_capture() {
	expect_exit 0 iolatency -w c --duration=0.2 1 1000
	expect_exit 0 iolatency -w c --duration=1000 0.1 2
}

# What is no number names no descriptor, not the first one either.
once_ready_for_nobody() {
	local fd
	for fd in abc '' 0x -1 4294967296; do
		echo kept >in
		TRACELETS_READY_FD=$fd opensnoop -d 0.1 nothing-like-this 0<>in >rows 2>said || fail "exit status $?"
		[ "$(<in)" = kept ] || fail "$fd: $(<in)"
		[ -z "$fd" ] || grep -qF "TRACELETS_READY_FD: \"$fd\" is no descriptor" said || fail "$fd: $(<said)"
	done
}

# On an idle system, too: no further record comes to notice it by.
test_reader_goes() {
	local tool_args
	for tool_args in "${tools[@]}"; do
		# shellcheck disable=SC2086
		timeout 60 $tool_args 2>errors | head -n 1 >first
		expect_empty errors
	done
}

# The reader is there but does not read: a signal ends the tool all the same.
test_reader_sleeps() {
	local reader
	touch /mnt/f
	mkfifo pipe
	# shellcheck disable=SC2217 # it is not to read
	sleep 100 <pipe &
	reader=$!
	to=pipe start opensnoop
	burst open $((1250 * page_kb)) /mnt/f >/dev/null	# a pipe has 16 pages
	stop TERM
	expect_status 1
	grep -q 'does not read' "$err" || fail "$(<"$err")"
	kill $reader
}

once_full_disk() {
	to=/dev/full run opensnoop -d 0.2
	expect_status 1
	expect_rows "$err" <<-END
	opensnoop: writing the output: No space left on device
	END
}

# What nobody can be shown has failed, also where there is little to show.
once_nowhere_to_write() {
	local tool
	for tool in "$TL_STAGE"/sbin/*; do
		tool=${tool##*/}
		unwritten "$tool" "$tool" --check
		unwritten "$tool" "$tool" -h
	done
	unwritten tpoint tpoint -l
	unwritten tpoint tpoint -v sched:sched_switch
	unwritten kprobe kprobe -l 'vfs_*'
	unwritten uprobe uprobe -l /bin/bash
	unwritten tracelets tracelets list
	unwritten opensnoop opensnoop -d 0.2
	tpoint -l | head -n 1 >first
	[ "${PIPESTATUS[*]}" = '0 0' ] || fail "not its reader's end: ${PIPESTATUS[*]}"
}

host_nowhere_to_write() {
	local tool
	for tool in opensnoop tracelets tpoint; do
		unwritten $tool $tool -h
		unwritten $tool $tool -V
		unwritten $tool $tool --option-table
	done
	unwritten tracelets tracelets list
}

# unwritten NAME COMMAND...: on a full disk, and without a standard output
unwritten() {
	# shellcheck disable=SC2034 # where run() has it written
	local to=/dev/full
	run "${@:2}"
	expect_status 1
	expect_rows "$err" <<<"$1: writing the output: No space left on device"
	"${@:2}" 2>"$err" >&- && fail "$*: status 0 without standard output"
	expect_rows "$err" <<<"$1: writing the output: Bad file descriptor"
}

twenty_have_started() {
	local file line
	for file in {open,exec}.{0..9}; do
		read -r line 2>/dev/null <"$file" && [[ $line == Tracing* ]] || return 1
	done
}

test_twenty_at_once() {
	local i n nothing errors=errors pids=()
	touch /mnt/f
	nothing=$(command -v nothing)
	for ((i = 0; i < 10; i++)); do
		opensnoop /mnt/f >"open.$i" 2>>$errors &
		pids+=($!)
		execsnoop '^nothing$' >"exec.$i" 2>>$errors &
		pids+=($!)
	done
	until_true 150 twenty_have_started || fail "not all have started"
	burst open 200 /mnt/f >/dev/null
	burst exec 20 "$nothing" >/dev/null
	kill "${pids[@]}"
	wait
	n=$(grep -c ' /mnt/f$' open.*) || :
	expect_rows <(echo "$n") < <(printf 'open.%d:200\n' {0..9})
	n=$(grep -c 'nothing one two$' exec.*) || :
	expect_rows <(echo "$n") < <(printf 'exec.%d:20\n' {0..9})
	expect_empty $errors
}

# Somebody else's tracing goes on, and is not seen either.
test_next_to_another_tracer() {
	local dir=$tracefs/instances/other n
	mkdir "$dir"
	echo 1 >"$dir/events/sched/sched_process_exec/enable"
	start execsnoop '^nothing$'
	nothing
	stop
	nothing
	n=$(grep -c 'filename=.*/nothing' "$dir/trace") || :
	echo 0 >"$dir/events/enable"
	rmdir "$dir"
	[ "$n" = 2 ] || fail "the other tracer saw $n of 2"
}

test_not_mounted() {
	umount /sys/kernel/tracing
	expect_exit 0 opensnoop -d 0.1
	expect_exit 0 tpoint -l sched_process_exec
	grep -q tracefs /proc/mounts && fail "a mount was left behind"
	mount -t tracefs tracefs /sys/kernel/tracing
}

test_only_in_debugfs() {
	umount /sys/kernel/tracing
	mount -t debugfs debugfs /sys/kernel/debug
	expect_exit 0 opensnoop -d 0.1
	umount /sys/kernel/debug/tracing 2>/dev/null || true
	umount /sys/kernel/debug
	mount -t tracefs tracefs /sys/kernel/tracing
}

test_read_only() {
	mount -o remount,ro /sys/kernel/tracing
	expect_exit 1 opensnoop -d 0.1
	mount -o remount,rw /sys/kernel/tracing
	[[ $(<"$err") == *'mounted read-only: mount -o remount,rw'* ]] || fail "$(<"$err")"
}

test_not_root() {
	for_all
	run as_user "$stage/sbin/opensnoop" -d 0.1
	expect_status 1
	[[ $(<"$err") == *'permission denied'*sudo* ]] || fail "$(<"$err")"
}

# Tracefs asks for file permissions only: this capability is enough.
test_not_root_with_a_capability() {
	touch /mnt/f
	start setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps +dac_override \
		--ambient-caps +dac_override opensnoop /mnt/f
	read -r </mnt/f || :
	stop
	expect_status 0
	[[ $(<"$out") == *' /mnt/f'$'\n'* ]] || fail "$(cat "$out" "$err")"
}

test_privileges_are_dropped() {
	start opensnoop
	grep -q '^CapEff:.*0000000000000000$' "/proc/$pid/status" || fail "$(grep Cap "/proc/$pid/status")"
	grep -q '^NoNewPrivs:.*1$' "/proc/$pid/status" || fail "no_new_privs is off"
	stop
}

host_usage() {
	expect_error 2 'opensnoop: --nosuch: no such option (try opensnoop -h)' opensnoop --nosuch
	expect_error 2 'opensnoop: -L: "x" is not a thread id (try opensnoop -h)' opensnoop -L x
	expect_error 2 'opensnoop: --follow needs -p or -L (try opensnoop -h)' opensnoop --follow
	expect_error 2 'execsnoop: unexpected argument "b" (try execsnoop -h)' execsnoop a b
	expect_exit 2 opensnoop '('
	expect_exit 0 opensnoop -V
	expect_exit 0 opensnoop -h
}

# What is no rows, and ends: no JSON.
host_text_alone() {
	local try='(try kprobe -h)'
	expect_error 2 "kprobe: use at most one of -l, -v, -V, --fields, --json, --csv, --perfetto $try" kprobe -l --json
	expect_error 2 "kprobe: use at most one of -l, -v, -V, --fields, --json, --csv, --perfetto $try" kprobe --csv --fields file
	expect_error 2 'tpoint: use at most one of -l, -v, --json, --csv, --perfetto (try tpoint -h)' tpoint --json -v sched:sched_switch
	expect_error 2 'uprobe: use at most one of -l, -v, --json, --csv, --perfetto (try uprobe -h)' uprobe -l libc --csv
}

# Of all tools, but not those of a command.
host_options_behind_arguments() {
	local tool
	for tool in $(tracelets list --json | sed 's/.*"tool":"\([^"]*\).*/\1/'); do
		[ "$tool" != syscount ] || continue
		expect_exit 0 "$tool" x --version
		expect_match "$out" <<<"$tool (tracelets) *"
		expect_error 2 "$tool: --nosuch: no such option (try $tool -h)" "$tool" x --nosuch
	done
	expect_error 2 'opensnoop: -d: needs an argument, SECS (try opensnoop -h)' opensnoop x -d
	expect_error 2 'execsnoop: unexpected argument "-V" (try execsnoop -h)' execsnoop x -- -V
	expect_exit 2 env POSIXLY_CORRECT=1 execsnoop x -V
	capture opensnoop_failed
	expect_error 2 'opensnoop: unexpected argument "-b" (try opensnoop -h)' opensnoop nosuch/a --csv -r "$capture" -- -b
	expect_exit 0 opensnoop nosuch/a --csv -r "$capture"
	cp "$out" behind
	expect_exit 0 opensnoop --csv -r "$capture" nosuch/a
	grep -q nosuch/a behind
	expect_rows behind <"$out"
}

# asked_for OPTION: with it opensnoop shows two of three processes that open a file
asked_for() {
	local workers=() i go
	rm -f pipe
	mkfifo pipe
	exec {go}<>pipe
	for i in 1 2 3; do
		bash -c 'read -r -u 3; : </etc/hostname' 3<pipe &
		workers+=($!)
	done
	start opensnoop --csv "$1" "${workers[0]},${workers[2]}" '^/etc/hostname$'
	printf '\n\n\n' >&"$go"
	wait "${workers[@]}"
	stop
	expect_rows <(sed 1d "$out" | cut -d, -f3 | sort -n) <<<"${workers[0]}"$'\n'"${workers[2]}"
}

test_lists_of_processes() {
	asked_for -p
	asked_for -L
	asked_for --pid
	expect_error 1 'opensnoop: there is no process 999999' opensnoop -p "$$,999999"
}

# By the tool, not the kernel, and of functions.
test_lists_of_processes_elsewhere() {
	local first second third
	sleep 1000 & first=$!
	sleep 1000 & second=$!
	sleep 1000 & third=$!
	start killsnoop -p "$first,$third" --csv
	kill -CONT $first $second $third
	stop
	expect_rows <(sed 1d "$out" | cut -d, -f5) <<<"$first"$'\n'"$third"
	start funccount -i 1000 -p "$first,$third" do_exit
	kill $first $second $third
	wait $first $second $third || :
	stop
	grep -q '^do_exit  *2$' "$out" || fail "$(<"$out")"
}

host_lists_of_processes() {
	capture killsnoop
	run killsnoop -r "$capture" --csv -p 289,294
	expect_rows <(sed 1d "$out" | cut -d, -f5,8) <<<$'289,27\n-294,10\n0,28\n294,9\n289,15'
	run killsnoop -r "$capture" --csv -L 292,293
	expect_rows <(sed 1d "$out" | cut -d, -f4,8) <<<$'292,2\n293,15'
	run killsnoop -r "$capture" --csv --sender=1,293
	expect_rows <(sed 1d "$out" | cut -d, -f4,8) <<<293,15
	run killsnoop -r "$capture" -p 1,2
	expect_match "$out" <<-'END'
	Tracing kill()s issued to PID 1,2 issued by process name "signals". Ctrl-C to end.
	*

	Ending tracing...
	END
	expect_error 2 'opensnoop: -p: "1,x" is not a process id, or a list of these (try opensnoop -h)' opensnoop -p 1,x
	expect_error 2 'killsnoop: -L: "1,0" is not a thread id, or a list of these (try killsnoop -h)' killsnoop -L 1,0
}

# same_rows ARGS ARGS...: a tool shows the same with each of them, and something
same_rows() {
	local args
	for args; do
		# shellcheck disable=SC2086 # words
		run ${args%% *} -r "$capture" --csv ${args#* }
		expect_status 0
		[ "$args" != "$1" ] || cp "$out" first
		expect_rows "$out" <first
	done
	[ "$(wc -l <first)" -gt 1 ] || fail "no rows"
}

host_units_of_least_times() {
	capture funcgraph
	same_rows 'funcgraph --min=10' 'funcgraph --min=10us' 'funcgraph --min 0.01ms'
	capture iosnoop
	same_rows 'iosnoop --min=6' 'iosnoop --min=6ms' 'iosnoop --min 6000us'
	capture funcslower
	same_rows 'funcslower do_nanosleep hrtimer_nanosleep 30700' 'funcslower do_nanosleep hrtimer_nanosleep 30.7ms'
	expect_error 2 'funcgraph: --min: the unit of "10ns" is not us, ms, s, m or h (try funcgraph -h)' funcgraph --min=10ns vfs_read
	expect_error 2 'funcgraph: --min: "x" is not a number of microseconds (try funcgraph -h)' funcgraph --min=x vfs_read
	expect_error 2 'iosnoop: --min: the unit of "1sec" is not us, ms, s, m or h (try iosnoop -h)' iosnoop --min 1sec
}

host_units_of_time() {
	capture opensnoop
	run opensnoop -r "$capture" --csv -d 0.06
	cp "$out" part
	[ "$(wc -l <part)" = 7 ] || fail "$(<part)"
	run opensnoop -r "$capture" --csv -d 60ms
	expect_rows "$out" <part
	run opensnoop -r "$capture" --csv -d 60000us
	expect_rows "$out" <part
	run opensnoop -r "$capture" --csv
	cp "$out" all
	run opensnoop -r "$capture" --csv -d 1h
	expect_rows "$out" <all
	expect_error 2 'opensnoop: -d: the unit of "1x" is not us, ms, s, m or h (try opensnoop -h)' opensnoop -d 1x
	expect_error 2 'funcslower: latency_us: the unit of "1ns" is not us, ms, s, m or h (try funcslower -h)' funcslower vfs_read 1ns
}

# names_instead TEXT TOOL ARG...: said at its end, when nobody has called it
names_instead() {
	start "${@:2}"
	: </etc/hostname
	stat -L / >stat
	(:)
	ls / >listed
	stop
	grep -Fx "$2: $1" "$err" || fail "$(<"$err")"
}

# names_no_other TOOL ARG...: nothing of the kind is said
names_no_other() {
	start "$@"
	: </etc/hostname
	stop
	! grep ' mostly call' "$err" || fail "$*: $(<"$err")"
}

# Who calls the old ones here, in no time: nobody, unless the C library is an old one.
test_what_is_called_instead() {
	local pair old new unseen='no call was seen, programs mostly call'
	[ -e "$tracefs/events/syscalls/sys_enter_open" ] || skip "no open()"
	for pair in open:openat newstat:newfstatat fork:clone getdents:getdents64; do
		old=syscalls:sys_enter_${pair%:*} new=syscalls:sys_enter_${pair#*:}
		names_instead "$old: $unseen $new" tpoint "$old"
		names_instead "$old: $unseen $new" funccount -e "$old"
	done
	for pair in newstat:newfstatat getdents:getdents64; do
		old=__x64_sys_${pair%:*} new=__x64_sys_${pair#*:}
		names_instead "$old: $unseen $new" funccount "$old"
		names_instead "$old: $unseen $new" kprobe "p:$old"
	done
}

test_which_function_is_called_instead() {
	local said='do_sys_open: no call was seen, the kernel mostly calls do_sys_openat2' tool
	for tool in funccount functrace funcgraph; do
		names_instead "$said" $tool do_sys_open
	done
	names_instead "$said" kprobe p:do_sys_open
	names_instead "$said" kprobe 'p:mine do_sys_open'
	names_instead "$said" kprobe 'p:do_sys_ope[n]'
	names_instead "$said" kprobe 'r:mine do_sys_open' 'p:other do_sys_openat2'
	grep -q other: "$out" || fail "no row"
}

# Each name for itself, whatever others have; not what a glob or a filter is for, nor of a capture.
once_what_is_called_instead_of_one() {
	local said='syscalls:sys_enter_open: no call was seen, programs mostly call syscalls:sys_enter_openat' tool
	[ -e "$tracefs/events/syscalls/sys_enter_open" ] || skip "no open()"
	names_instead "$said" tpoint syscalls:sys_enter_open syscalls:sys_enter_openat
	grep -q openat "$out" || fail "no row"
	names_instead "$said" funccount -i 0.1 -e syscalls:sys_enter_open syscalls:sys_enter_openat
	said='do_sys_open: no call was seen, the kernel mostly calls do_sys_openat2'
	for tool in funccount functrace 'functrace -s' 'funcgraph -m 1' 'funccount --in-kernel'; do
		# shellcheck disable=SC2086 # words
		names_instead "$said" $tool do_sys_open do_sys_openat2
		grep -q do_sys_openat2 "$out" || fail "no row"
	done
	names_instead "$said" kprobe p:do_sys_open p:do_sys_openat2
	names_no_other tpoint syscalls:sys_enter_openat
	names_no_other tpoint 'syscalls:sys_enter_open*'
	names_no_other tpoint syscalls:sys_enter_open 'flags == 1'
	names_no_other kprobe 'p:do_sys_open*'
	names_no_other funccount 'do_sys_open*'
	names_no_other funcgraph --only=do_sys_open do_sys_openat2
	names_no_other funcgraph --min=1s do_sys_open
	for tool in functrace funccount; do
		rm -f capture
		names_no_other $tool -w capture do_sys_open
		expect_exit 0 $tool -r capture
		! grep ' mostly call' "$err" || fail "$tool: $(<"$err")"
	done
}
