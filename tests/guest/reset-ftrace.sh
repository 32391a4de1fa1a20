# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# reset-ftrace in a guest: what it lists, what it removes, what it leaves alone.

T=$tracefs

# is_named PID NAME: what was started as PID has executed that
is_named() { [ "$(<"/proc/$1/comm")" = "$2" ]; }

# leftover TOOL ARG...: a tool that was killed together with its guard; $dead is
# its instance
leftover() {
	start "$@"
	dead=tl_${1}_$pid
	pkill -9 -x tl-guard -P "$pid"
	stop KILL
	[ -d "$T/instances/$dead" ] || fail "nothing was left over"
}

# rows KIND: those in $out
rows() { awk -v kind="$1" '$1 == kind' "$out"; }

# nothing_left: it lists nothing
nothing_left() {
	expect_exit 0 reset-ftrace
	expect_rows "$out" <<<"Nothing is left over, nothing is in use."
	expect_empty "$err"
}

first_check() { expect_exit 0 reset-ftrace --check; }

# Of a buffer that nobody has used, too: nothing is listed, and -f changes nothing.
first_row() {
	nothing_left
	echo 42 >"$T/tracing_thresh"
	expect_exit 0 reset-ftrace --csv
	expect_rows "$out" <<-END
	kind,name,state,owner,pid,whose,action
	setting,tracing_thresh,42,,,others,none
	END
	expect_exit 0 reset-ftrace -fq
	expect_empty "$err"
}

test_nothing_left() { nothing_left; }

# Instance and probe of the dead go, those of the living stay, and so does all
# that is somebody else's.
test_leftovers_go_and_others_stay() {
	local living
	touch /mnt/f
	start opensnoop /mnt/f
	living=$pid
	leftover opensnoop
	mkdir "$T/instances/other"
	echo 'p:other/one do_sys_openat2' >>"$T/dynamic_events"
	run reset-ftrace --dry-run
	expect_status 0
	[ -d "$T/instances/$dead" ] || fail "--dry-run has removed the instance"
	grep -q "^instance *$dead *left over *opensnoop, PID ${dead##*_}, has ended *would be removed$" "$out" || fail "$(<"$out")"
	run reset-ftrace
	expect_status 0
	grep -q "^instance *$dead *left over .* removed$" "$out" || fail "$(<"$out")"
	grep -q "^kprobe *$dead/[^ ]* *left over .* removed$" "$out" || fail "$(<"$out")"
	grep -q "^instance *tl_opensnoop_$living *running *opensnoop, PID $living *none$" "$out" || fail "$(<"$out")"
	grep -q "^kprobe *other/one *do_sys_openat2 *- *none$" "$out" || fail "$(<"$out")"
	grep -q '^instance *other *idle *- *none$' "$out" || fail "$(<"$out")"
	[ ! -d "$T/instances/$dead" ] || fail "the instance is still there"
	! grep -q "$dead" "$T/dynamic_events" || fail "the probe is still there"
	cat /mnt/f
	out=$work/1.out
	stop INT "$living"
	expect_status 0
	grep -q ' /mnt/f$' "$out" || fail "the living one has lost an event"
	grep -q other/one "$T/dynamic_events" || fail "somebody else's probe has gone"
	rmdir "$T/instances/other"
	echo -:other/one >>"$T/dynamic_events"
}

# shellcheck disable=SC2016,SC2129 # the kernel's own $, one write(2) each
# set_up: a bit of everything that this kernel has, of somebody else's
set_up() {
	local option
	echo vfs_read >"$T/set_ftrace_filter"
	echo 'vfs_write:traceoff:5' >>"$T/set_ftrace_filter"
	echo 'vfs_open:enable_event:sched:sched_switch' >>"$T/set_ftrace_filter"
	echo 'vfs_fsync:traceoff' >>"$T/set_ftrace_filter"
	echo 'vfs_statx:enable_event:sched:sched_waking:3' >>"$T/set_ftrace_filter"
	echo vfs_llseek >"$T/set_ftrace_notrace"
	echo vfs_read >"$T/set_graph_function"
	echo vfs_open >"$T/set_graph_notrace"
	echo 1 >"$T/set_ftrace_pid"
	echo 2 >"$T/set_ftrace_notrace_pid"
	echo 1 >"$T/set_event_pid"
	echo 2 >"$T/set_event_notrace_pid"
	echo function >"$T/current_tracer"
	echo 7 >"$T/tracing_thresh"
	echo 3 >"$T/max_graph_depth"
	echo 'sched:*' >"$T/set_event"
	echo 'prev_pid == 1' >"$T/events/sched/sched_switch/filter"
	echo 'call_site != 0' >"$T/events/kmem/filter"
	echo 'traceoff:3 if prev_pid == 1' >"$T/events/sched/sched_switch/trigger"
	echo 'enable_event:kmem:kfree:1' >>"$T/events/sched/sched_waking/trigger"
	mkdir "$T/instances/busy" "$T/instances/idle"
	echo 'p:mine/one do_sys_openat2' >>"$T/dynamic_events"
	echo 'r:mine/two do_sys_openat2 $retval' >>"$T/dynamic_events"
	echo 'p:mine/up /bin/bash:0x30000' >>"$T/dynamic_events"
	echo 1 >"$T/events/mine/one/enable"
	echo 1 >"$T/instances/busy/events/mine/two/enable"
	if [ -e "$T/synthetic_events" ]; then
		echo 'lat u64 lat; pid_t pid' >>"$T/synthetic_events"
		# the first is used by the second, so it cannot go before it
		echo 'hist:keys=pid:ts0=common_timestamp.usecs' >>"$T/events/sched/sched_waking/trigger"
		echo 'hist:keys=next_pid:wait=common_timestamp.usecs-$ts0:onmatch(sched.sched_waking).lat($wait,next_pid)' \
			>>"$T/events/sched/sched_switch/trigger"
		echo 'e:mine/ep sched/sched_switch pid=$next_pid' >>"$T/dynamic_events"
		echo 1 >"$T/events/mine/ep/enable"
	fi
	if grep -q 't\[:' "$T/README"; then
		echo 'f:mine/f vfs_read' >>"$T/dynamic_events"
		echo 't:mine/t sched_switch' >>"$T/dynamic_events"
	fi
	echo mono >"$T/trace_clock"
	echo 1 >"$T/tracing_cpumask"
	echo 20 >"$T/buffer_percent"
	for option in stacktrace sym-offset event-fork function-fork funcgraph-tail record-tgid raw; do
		echo 1 >"$T/options/$option"
	done
	for option in overwrite context-info sleep-time markers record-cmd; do
		echo 0 >"$T/options/$option"
	done
	echo vfs_read >"$T/stack_trace_filter"
	[ ! -e "$T/snapshot" ] || echo 1 >"$T/snapshot"
	[ ! -e "$T/buffer_subbuf_size_kb" ] || echo 16 >"$T/buffer_subbuf_size_kb"
	echo 4096 >"$T/buffer_size_kb"
	echo 0 >"$T/tracing_on"
}

# whole_state DIR...: sets $state to more than the suite compares; who has a filter or
# a trigger is looked for in these of all events
whole_state() {
	local file
	tracefs_state
	state+=$(cd "$T" && for file in options/* stack_trace_filter buffer_percent buffer_subbuf_size_kb snapshot; do
		[ ! -e "$file" ] || { IFS= read -rN 300 text <"$file" || :; echo "$file: $text"; }
	done
	cd events && grep -rLx none "$@" --include=filter | xargs -r grep -L '^### global'
	grep -rl '^[^#]' "$@" --include=trigger || :)
}

# What is changed by hand is listed, left alone, and by -f put back, all of it.
test_whole_reset() {
	local before changed
	whole_state sched
	before=$state
	set_up
	whole_state sched kmem mine
	changed=$state
	run reset-ftrace --json
	expect_status 0
	cp "$out" listed
	run reset-ftrace -f --dry-run --json
	expect_status 0
	sed 's/"action":"none"/"action":"x"/' listed | sort >one
	sed 's/"action":"would be [a-z]*"/"action":"x"/' "$out" | sort >two
	diff one two || fail "-f would reset other things than are listed"
	whole_state sched kmem mine
	[ "$state" = "$changed" ] || { diff <(echo "$changed") <(echo "$state"); fail "listing has changed something"; }
	expect_exit 0 reset-ftrace -f
	expect_empty "$err"
	whole_state .	# of no event
	[ "$state" = "$before" ] || { diff <(echo "$before") <(echo "$state"); fail "not all is as before"; }
	jq -r .name listed | grep -v / >names
	for name in current_tracer set_ftrace_filter set_ftrace_notrace set_graph_function set_graph_notrace \
		set_ftrace_pid set_ftrace_notrace_pid set_event_pid set_event_notrace_pid tracing_thresh \
		max_graph_depth busy idle trace_clock tracing_cpumask buffer_percent buffer_size_kb \
		stack_trace_filter tracing_on; do
		grep -qx "$name" names || fail "$name was not listed"
	done
	nothing_left
}

# The original's eight are always shown, in its order, others only when changed.
test_output_of_the_whole_reset() {
	echo 42 >"$T/tracing_thresh"
	echo 1 >"$T/options/sym-offset"
	expect_exit 0 reset-ftrace -f
	expect_rows "$out" <<-END
	Resetting ftrace state...
	current_tracer, before:
	     1  nop
	current_tracer, after:
	     1  nop

	set_ftrace_filter, before:
	     1  #### all functions enabled ####
	set_ftrace_filter, after:
	     1  #### all functions enabled ####

	set_graph_function, before:
	     1  #### all functions enabled ####
	set_graph_function, after:
	     1  #### all functions enabled ####

	set_ftrace_pid, before:
	     1  no pid
	set_ftrace_pid, after:
	     1  no pid

	events/enable, before:
	     1  0
	events/enable, after:
	     1  0

	tracing_thresh, before:
	     1  42
	tracing_thresh, after:
	     1  0

	kprobe_events, before:
	kprobe_events, after:

	tracing_on, before:
	     1  1
	tracing_on, after:
	     1  1

	options/sym-offset, before:
	     1  1
	options/sym-offset, after:
	     1  0

	Done.
	END
}

test_quiet() {
	echo 42 >"$T/tracing_thresh"
	expect_exit 0 reset-ftrace -q
	expect_empty "$out" "$err"
	expect_exit 0 reset-ftrace -fq
	expect_empty "$out" "$err"
	[ "$(<"$T/tracing_thresh")" = 0 ] || fail "-q does not reset"
}

# Who reads the trace is named, and keeps -f from changing the tracer; then the
# functions it traces are not changed either: they would be all.
test_reader_is_named() {
	local reader
	echo vfs_read >"$T/set_ftrace_filter"
	echo function >"$T/current_tracer"
	# shellcheck disable=SC2217 # it only has it open
	sleep 100 <"$T/trace_pipe" &
	until_true 60 is_named $! sleep
	reader=$!
	run reset-ftrace
	grep -q "^setting *current_tracer *function *sleep, PID $reader *none$" "$out" || fail "$(<"$out")"
	grep -q "^open file *trace_pipe *open *sleep, PID $reader *none$" "$out" || fail "$(<"$out")"
	expect_exit 1 reset-ftrace -fq
	expect_rows "$err" <<-END
	reset-ftrace: setting current_tracer: in use by somebody else: sleep, PID $reader
	reset-ftrace: setting set_ftrace_filter: the tracer runs, and would trace more
	END
	kill $reader
	wait $reader 2>/dev/null || :
	expect_exit 0 reset-ftrace -fq
}

# What others have open is not read: that would wait, and take their events.
test_open_files_are_not_read() {
	local readers=()
	# shellcheck disable=SC2217 # it only has it open
	sleep 100 <"$T/trace_pipe" &
	until_true 60 is_named $! sleep
	readers+=($!)
	# shellcheck disable=SC2217
	sleep 100 <"$T/per_cpu/cpu0/trace_pipe_raw" &
	until_true 60 is_named $! sleep
	readers+=($!)
	expect_exit 0 reset-ftrace -f
	! grep -q trace_pipe "$out" || fail "$(<"$out")"
	expect_exit 0 reset-ftrace
	[ "$(rows open | wc -l)" = 2 ] || fail "$(<"$out")"
	kill "${readers[@]}"
	wait "${readers[@]}" 2>/dev/null || :
}

# The reset itself triggers it: tracing was on when all was looked at.
test_trigger_that_fires_meanwhile() {
	echo 1 >"$T/tracing_on"
	echo vfs_write:traceoff >"$T/set_ftrace_filter"
	expect_exit 0 reset-ftrace -fq
	expect_empty "$err"
	[ "$(<"$T/tracing_on")" = 1 ] || fail "tracing is off"
}

# A buffer that is read keeps its size.
test_holder_of_a_setting_is_named() {
	local reader why
	echo 4096 >"$T/buffer_size_kb"
	# shellcheck disable=SC2217
	sleep 100 <"$T/trace" &
	until_true 60 is_named $! sleep
	reader=$!
	run reset-ftrace -fq
	# 5.10 makes ENOMEM of EBUSY
	why="in use by somebody else: sleep, PID $reader"
	! grep -q 'Cannot allocate memory' "$err" || why='Cannot allocate memory'
	expect_rows "$err" <<<"reset-ftrace: setting buffer_size_kb: $why"
	expect_status 1
	kill $reader
	wait $reader 2>/dev/null || :
	expect_exit 0 reset-ftrace -fq
}

# shellcheck disable=SC2217
test_holder_of_a_probe_is_named() {
	local reader
	echo 'p:other/one do_sys_openat2' >>"$T/dynamic_events"
	sleep 100 <"$T/events/other/one/enable" &
	until_true 60 is_named $! sleep
	reader=$!
	run reset-ftrace
	grep -q "^kprobe *other/one *do_sys_openat2 *sleep, PID $reader *none$" "$out" || fail "$(<"$out")"
	kill $reader
	wait $reader 2>/dev/null || :
	echo -:other/one >>"$T/dynamic_events"
}

# Not the dead one is in the way.
# shellcheck disable=SC2217
test_instance_of_a_dead_one_is_held() {
	local reader
	leftover opensnoop
	sleep 100 <"$T/instances/$dead/trace_pipe" &
	until_true 60 is_named $! sleep
	reader=$!
	expect_exit 1 reset-ftrace -q
	expect_rows "$err" <<<"reset-ftrace: instance $dead: in use by somebody else: opensnoop, PID ${dead##*_}, has ended, open in sleep, PID $reader"
	kill $reader
	wait $reader 2>/dev/null || :
	expect_exit 0 reset-ftrace -q
	[ ! -d "$T/instances/$dead" ] || fail "the instance is still there"
}

# An instance that is read cannot be removed; its events are off all the same.
test_instance_is_held() {
	local reader
	mkdir "$T/instances/held"
	echo 1 >"$T/instances/held/events/sched/sched_switch/enable"
	# shellcheck disable=SC2217 # it only has it open
	sleep 100 <"$T/instances/held/trace_pipe" &
	until_true 60 is_named $! sleep
	reader=$!
	run reset-ftrace
	grep -q "^instance *held *events *sleep, PID $reader *none$" "$out" || fail "$(<"$out")"
	expect_error 1 "reset-ftrace: instance held: in use by somebody else: sleep, PID $reader" reset-ftrace -fq
	[ "$(<"$T/instances/held/events/enable")" = 0 ] || fail "its events are still on"
	kill $reader
	wait $reader 2>/dev/null || :
	expect_exit 0 reset-ftrace -fq
}

# A tool of ours that runs ends by itself, cleanly; a stopped one is named.
test_running_tool() {
	local tool
	start opensnoop nothing-like-this
	expect_exit 0 reset-ftrace -fq
	finish
	expect_status 0
	start opensnoop nothing-like-this
	tool=$pid
	kill -STOP "$tool"
	expect_exit 1 reset-ftrace -fq
	grep -q "^reset-ftrace: instance tl_opensnoop_$tool: in use by somebody else: opensnoop, PID $tool$" "$err" || fail "$(<"$err")"
	kill -CONT "$tool"
	finish "$tool"
	expect_status 0
}

# Its file may have another name.
test_running_tool_by_another_name() {
	ln -s "$(command -v opensnoop)" os
	start ./os nothing-like-this
	run reset-ftrace --json
	jq -es --argjson pid "$pid" 'any(.kind == "instance" and .pid == $pid)' "$out" >/dev/null || fail "$(<"$out")"
	expect_exit 0 reset-ftrace -fq
	finish
	expect_status 0
}

# All are asked first, then waited for together.
once_several_that_do_not_end() {
	local tools=() tool before
	for tool in {1..8}; do
		start opensnoop nothing-like-this
		tools+=("$pid")
	done
	kill -STOP "${tools[@]}"
	before=$SECONDS
	expect_exit 1 reset-ftrace -fq
	# three seconds for all of them, not for each
	((SECONDS - before < 20)) || fail "took $((SECONDS - before)) s"
	kill -CONT "${tools[@]}"
	for tool in "${tools[@]}"; do
		finish "$tool"
		expect_status 0
	done
}

instances_are_locked() { ! flock -n "$T/instances" true; }

# What takes long can be ended: here it waits for tools that start.
once_signal_ends_it() {
	local holder
	need flock
	flock "$T/instances" sleep 100 &
	holder=$!
	until_true 60 instances_are_locked || fail "no lock"
	reset-ftrace >/dev/null 2>&1 &
	pid=$!
	read -rt 3 -u "$never" || :
	kill -0 "$pid" || fail "it did not wait"
	kill "$pid"
	finish
	expect_status 143
	pkill -P $holder sleep
	wait $holder || :
}

# The lock of perf-tools: listed, and removed by -f only.
once_lock() {
	local dead
	sleep 0 &
	dead=$!
	wait $dead
	echo $dead >/var/tmp/.ftrace-lock
	run reset-ftrace
	expect_status 0
	grep -q "^lock *.var.tmp..ftrace-lock *stale *PID $dead, has ended *none$" "$out" || fail "$(<"$out")"
	[ -e /var/tmp/.ftrace-lock ] || fail "the lock was removed"
	echo $$ >/var/tmp/.ftrace-lock
	run reset-ftrace --json
	jq -e --argjson pid $$ 'select(.kind == "lock") | .state == "held" and .pid == $pid' "$out" >/dev/null || fail "$(<"$out")"
	# that number has another process by now
	touch -d '1 day ago' /var/tmp/.ftrace-lock
	run reset-ftrace --json
	jq -e 'select(.kind == "lock") | .state == "stale" and .pid == null' "$out" >/dev/null || fail "$(<"$out")"
	expect_exit 0 reset-ftrace -f
	grep -A3 '^/var/tmp/.ftrace-lock, before:' "$out" >shown
	expect_rows shown <<-END
	/var/tmp/.ftrace-lock, before:
	     1  $$
	/var/tmp/.ftrace-lock, after:

	END
	[ ! -e /var/tmp/.ftrace-lock ] || fail "the lock is still there"
}

# What is no lock is not read, waited for, or followed.
once_lock_that_is_none() {
	mkfifo /var/tmp/.ftrace-lock
	expect_exit 0 reset-ftrace
	grep -q '^lock .* has no PID *- *none$' "$out" || fail "$(<"$out")"
	rm /var/tmp/.ftrace-lock
	ln -s /etc/passwd /var/tmp/.ftrace-lock
	expect_exit 0 reset-ftrace -fq
	[ -s /etc/passwd ] || fail "the link was followed"
	[ ! -h /var/tmp/.ftrace-lock ] || fail "the link is still there"
	# no driver has it: it cannot be opened, as a socket cannot
	mknod /var/tmp/.ftrace-lock c 511 77
	expect_exit 0 reset-ftrace
	grep -q '^lock .* has no PID *- *none$' "$out" || fail "$(<"$out")"
	rm /var/tmp/.ftrace-lock
}

once_lock_that_is_a_directory() {
	mkdir /var/tmp/.ftrace-lock
	expect_exit 0 reset-ftrace -fq
	[ ! -e /var/tmp/.ftrace-lock ] || fail "the directory is still there"
	mkdir -p /var/tmp/.ftrace-lock/mine
	expect_error 0 'reset-ftrace: lock /var/tmp/.ftrace-lock: is no lock, left alone' reset-ftrace -fq
	[ -d /var/tmp/.ftrace-lock/mine ] || fail "a directory in it has gone"
	rm -r /var/tmp/.ftrace-lock
}

once_json_and_csv() {
	echo 1 >"$T/options/sym-offset"
	run reset-ftrace --json
	grep sym-offset "$out" >row
	expect_rows row <<-'END'
	{"kind":"setting","name":"options/sym-offset","state":"1","owner":null,"pid":null,"whose":"others","action":"none"}
	END
	run reset-ftrace --csv
	grep -e kind -e sym-offset "$out" >row
	expect_rows row <<-END
	kind,name,state,owner,pid,whose,action
	setting,options/sym-offset,1,,,others,none
	END
	run reset-ftrace -f --json
	grep sym-offset "$out" >row
	expect_rows row <<-'END'
	{"kind":"setting","name":"options/sym-offset","state":"1","owner":null,"pid":null,"whose":"others","action":"reset"}
	END
	jq -e . "$out" >/dev/null || fail "not JSON"
}

host_usage() {
	expect_error 2 'reset-ftrace: unexpected argument "x" (try reset-ftrace -h)' reset-ftrace x
	expect_error 2 'reset-ftrace: -p: no such option (try reset-ftrace -h)' reset-ftrace -p 1
}

test_not_root() {
	for_all
	run as_user "$stage/sbin/reset-ftrace" -f
	expect_status 1
	grep -q 'permission denied.*sudo' "$err" || fail "$(<"$err")"
}
