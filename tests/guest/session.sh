# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What every tool promises: nothing is left behind, nobody is disturbed, errors
# say what to do.  The suite compares tracefs before and after each test.

tools=(opensnoop execsnoop 'tpoint sched:sched_switch')

each_tool_ends_by() {
	local tool_args
	for tool_args in "${tools[@]}"; do
		# shellcheck disable=SC2086 # words
		start $tool_args
		stop "$1"
		[ "$1" = KILL ] || expect_status 0
	done
}

test_sigint() { each_tool_ends_by INT; }
test_sigterm() { each_tool_ends_by TERM; }
test_sighup() { each_tool_ends_by HUP; }

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
	touch /mnt/f
	start opensnoop
	burst open 20000 /mnt/f >/dev/null &
	sleep 0.3
	stop KILL
	settle
	wait $! 2>/dev/null || true
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
	cat /mnt/f
	stop
	grep -q ' /mnt/f$' "$out" || fail "$(cat "$out")"
}

test_duration() {
	expect_exit 0 opensnoop -d 0.2 nothing-like-this
	expect_rows "$out" <<-END
	Tracing open()s for filenames containing "nothing-like-this" for 0.2 seconds (buffered)...
	COMM             PID      FD FILE

	Ending tracing...
	END
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
	burst open 5000 /mnt/f >/dev/null
	stop TERM
	expect_status 1
	grep -q 'does not read' "$err" || fail "$(<"$err")"
	kill $reader
}

test_full_disk() {
	touch /mnt/f
	to=/dev/full run opensnoop -d 1
	expect_status 1
	expect_rows "$err" <<-END
	opensnoop: writing the output: No space left on device
	END
}

twenty_have_started() { [ "$(cat open.* exec.* | grep -c '^Tracing')" = 20 ]; }

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
	burst open 1000 /mnt/f >/dev/null
	burst exec 50 "$nothing" >/dev/null
	kill "${pids[@]}"
	wait
	for ((i = 0; i < 10; i++)); do
		n=$(grep -c ' /mnt/f$' "open.$i")
		[ "$n" = 1000 ] || fail "opensnoop $i has $n of 1000"
		n=$(grep -c 'nothing one two$' "exec.$i")
		[ "$n" = 50 ] || fail "execsnoop $i has $n of 50"
	done
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
	n=$(grep -c 'filename=.*/nothing' "$dir/trace")
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
	grep -q 'mounted read-only: mount -o remount,rw' "$err" || fail "$(cat "$err")"
}

test_not_root() {
	for_all
	as_user_expect_exit 1 "$stage/sbin/opensnoop" -d 0.1
	grep -q 'permission denied.*sudo' "$err" || fail "$(cat "$err")"
	as_user_expect_exit 0 "$stage/sbin/opensnoop" -h
}
as_user_expect_exit() {
	expect_exit "$1" setpriv --reuid 65534 --regid 65534 --clear-groups "${@:2}"
}

# Tracefs asks for file permissions only: this capability is enough.
test_not_root_with_a_capability() {
	touch /mnt/f
	start setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps +dac_override \
		--ambient-caps +dac_override opensnoop /mnt/f
	cat /mnt/f
	stop
	expect_status 0
	grep -q ' /mnt/f$' "$out" || fail "$(cat "$out" "$err")"
}

test_privileges_are_dropped() {
	start opensnoop
	grep -q '^CapEff:.*0000000000000000$' "/proc/$pid/status" || fail "$(grep Cap "/proc/$pid/status")"
	grep -q '^NoNewPrivs:.*1$' "/proc/$pid/status" || fail "no_new_privs is off"
	stop
}

test_usage() {
	expect_error 2 'opensnoop: --nosuch: no such option (try opensnoop -h)' opensnoop --nosuch
	expect_error 2 'opensnoop: -L: "x" is not a thread id (try opensnoop -h)' opensnoop -L x
	expect_error 2 'opensnoop: --follow needs -p or -L (try opensnoop -h)' opensnoop --follow
	expect_error 2 'execsnoop: unexpected argument "b" (try execsnoop -h)' execsnoop a b
	expect_exit 2 opensnoop '('
	expect_exit 0 opensnoop -V
}

test_check() {
	expect_exit 0 opensnoop --check
	expect_exit 0 execsnoop --check
	expect_exit 0 tpoint --check sched:sched_switch
}
