# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154 # suite and tests share variables
# What tests of tools are written with. tests/guest/TOOL.sh defines functions whose
# first word says where they run:
#   test_NAME   on each kernel: what a kernel can change
#   once_NAME   on one kernel: what needs a guest, but is the same on each
#   first_NAME  on each kernel, Debian 11's own too, in a guest of its own, as the
#               first thing after boot
#   host_NAME   without a guest, as nobody (tests/host): options, messages, and what
#               a capture of tests/golden shows
# tests/guest/suite runs each in a subshell of its own, in an empty directory
# $work, with set -e and a time limit of $test_limit seconds.
#
# Variables after start and run: $pid, $out and $err (files with the output),
# and after stop, finish and run: $status.
#
# A fork costs 7 ms in an emulated guest and a program 40 ms, hence the use of
# read instead of sleep, cat and grep.

test_limit=600		# a test file may set its own
runs=0

# where: the line of the test that is being executed
where() {
	local i
	for i in "${!FUNCNAME[@]}"; do
		[[ ! ${FUNCNAME[i]} =~ ^(test|once|first|host)_ ]] ||
			{ echo "${BASH_SOURCE[i]##*/}:${BASH_LINENO[i - 1]}"; return; }
	done
}

# fail TEXT...: ends the test
fail() {
	echo "$(where): $*" >&2	# not to where a function's output goes
	exit 1
}

# skip REASON...: ends the test as neither passed nor failed
skip() {
	reason=$*
	exit 77
}

# need COMMAND...: skips the test where one is missing
need() {
	local command
	for command; do
		command -v "$command" >/dev/null || skip "no $command"
	done
}

# at_end COMMAND...: the one that is done when the test ends, however that is
last_thing=(:)
at_end() { last_thing=("$@"); }

# until_end FILE VALUE: a setting for this test
until_end() {
	at_end put_back "$1" "$(<"$1")"
	echo "$2" >"$1"
}
put_back() { echo "$2" >"$1"; }

# nap: 20 ms
nap() {
	read -rt 0.02 -u "$never" || :
}

# until_true SECS COMMAND...: polls; fails when still false after SECS
until_true() {
	local deadline=$((SECONDS + $1 + 1))
	shift
	until "$@"; do
		[ "$SECONDS" -lt $deadline ] || return 1
		nap
	done
}

# start TOOL ARG...: in the background; returns once it traces. Its standard
# output goes to a new file $out, or to $to where set: to=/dev/full start ...
start() {
	local deadline=$((SECONDS + 181))
	while read -rt 0 -u "$ready"; do read -r -u "$ready"; done	# of one that came too late
	runs=$((runs + 1))
	out=${to:-$work/$runs.out} err=$work/$runs.err
	set -m		# without, bash has its background commands ignore SIGINT
	TRACELETS_READY_FD=$ready "$@" </dev/null >"$out" 2>"$err" &
	pid=$!
	set +m
	until read -rt 0 -u "$ready"; do	# above 0, bash may lose what it times out on
		nap
		kill -0 $pid 2>/dev/null || read -rt 0 -u "$ready" || fail "$1 ended before it was ready"
		[ "$SECONDS" -lt $deadline ] || fail "$1 is not ready after 180 s"
	done
	read -r -u "$ready"
}

# said_of NAME PICTURE: what an SVG says of its run, in attribute data-NAME
said_of() { sed -nE "1s/.* data-$1=\"([^\"]*)\".*/\1/p" "$2"; }

# said_below_title PICTURE: the lines under its title, as they are shown
said_below_title() { sed -nE 's|.* class="minor origin".*</title>(.*)</text>$|\1|p' "$1"; }

# expect_time PICTURE NAME FROM TO: data-NAME is between these, in seconds of date +%s
expect_time() {
	local at
	at=$(date -d "$(said_of "$2" "$1")" +%s)
	if [ "$at" -lt "$3" ] || [ "$at" -gt "$4" ]; then
		fail "$2: $(said_of "$2" "$1") is not in $3 - $4"
	fi
}

# stop [SIGNAL [PID]]: ends what start began (INT), within 180 s
stop() {
	kill -s "${1:-INT}" "${2:-$pid}" 2>/dev/null || :
	finish "${2:-$pid}"
}

# finish [PID]: waits for the end that comes by itself, at most 180 s
finish() {
	until_true 180 gone "${1:-$pid}" || {
		ps -o pid,stat,wchan:30,args -p "${1:-$pid}" || :
		fail "still runs after 180 s"
	}
	status=0
	wait "${1:-$pid}" || status=$?
}

# beside NAME TOOL ARG...: starts it as one of several that see the same work; its
# output goes to NAME.out
pids=()
beside() {
	to=$work/$1.out start "${@:2}"
	pids+=("$pid")
}

# stop_all: ends $pids, of which nobody has said anything
stop_all() {
	local pid
	kill -INT "${pids[@]}"
	for pid in "${pids[@]}"; do
		finish "$pid"
		expect_status 0
	done
	expect_empty "$work"/*.err
}

# gone PID: bash may notice the end of a child late, which is a zombie until then
gone() {
	local stat
	! kill -0 "$1" 2>/dev/null || ! read -r stat 2>/dev/null <"/proc/$1/stat" || [[ $stat == *') Z '* ]]
}

# run COMMAND...: to its end, whatever its status
run() {
	runs=$((runs + 1))
	out=${to:-$work/$runs.out} err=$work/$runs.err status=0
	"$@" </dev/null >"$out" 2>"$err" || status=$?
}

# as_user COMMAND...: without root's rights
as_user() {
	setpriv --reuid=65534 --regid=65534 --clear-groups -- "$@"
}

# null_disk: /dev/nullb0, whatever another test left of its module; unload it after
null_disk() {
	[ ! -e /sys/module/null_blk ] || rmmod null_blk
	modprobe -d "$TL_MODULES" null_blk nr_devices=1 irqmode=0 || skip "no null_blk"
}

# has_fprobes: probes of types f and t, 6.5 on with CONFIG_FPROBE_EVENTS
has_fprobes() { grep -q 'f\[:\[<group>/\]\[<event>\]\]' "$tracefs/README"; }

# clock_function: sets $reads to a function that is called for each time, as that
# of the TSC is too, which cannot be traced; and $records, whether what the function
# tracer calls for a record makes another one
clock_function() {
	local clocks=/sys/devices/system/clocksource/clocksource0 dir=$tracefs/instances/byhand clock
	for clock in arch_sys_counter:arch_counter_read hpet:read_hpet acpi_pm:acpi_pm_read; do
		reads=${clock#*:}
		grep -qw "${clock%:*}" $clocks/available_clocksource &&
			grep -qx "$reads" "$tracefs/available_filter_functions" && break
		reads=''
	done
	[ "$reads" ] || skip "no clock whose function can be traced"
	until_end $clocks/current_clocksource "${clock%:*}"
	mkdir "$dir"
	echo mono >"$dir/trace_clock"
	echo "$reads" >"$dir/set_ftrace_filter"
	echo function >"$dir/current_tracer"
	until_true 60 grep -q "$reads <-" "$dir/trace"
	echo 0 >"$dir/tracing_on"
	if grep -q "$reads <-ktime_get_mono_fast_ns" "$dir/trace"; then records=yes; else records=''; fi
	echo nop >"$dir/current_tracer"
	rmdir "$dir"
}

# expect_clock_left_out TOOL ROWS: of a glob that means that function and others,
# whose rows in a file are ROWS; where it makes no records of the tool's it is there
expect_clock_left_out() {
	local said=''
	[ ! "$records" ] ||
		said="$1: without $reads, which each record calls for its time (give its name to trace it)"
	expect_rows "$err" < <(printf %s "${said:+$said$'\n'}")
	if [ "$records" ]; then
		! grep -w "$reads" "$2" || fail "calls of the tool's own are shown"
	else
		grep -qw "$reads" "$2" || fail "$reads is not shown"
	fi
}

# expect_clock_by_name TOOL ROWS: asked for by its name
expect_clock_by_name() {
	local said=''
	[ ! "$records" ] ||
		said="$1: each record calls $reads for its time: these calls are among those of others"
	expect_rows "$err" < <(printf %s "${said:+$said$'\n'}")
	grep -qw "$reads" "$2" || fail "$reads is not shown"
}

# need_user_namespace: skips the test where there can be none
need_user_namespace() {
	need unshare
	unshare -Ur true || skip "no user namespaces"
}

# for_all: sets $stage to a copy of the tools, since they may be where nobody
# else can go
for_all() {
	stage=/mnt/stage
	[ -e $stage/sbin ] || cp -rT "$TL_STAGE" $stage
}

# expect_status N
expect_status() {
	[ "$status" = "$1" ] || fail "exit status is $status, not $1"
}

# expect_exit N COMMAND...: runs it, and expects this status
expect_exit() {
	local want=$1
	shift
	run timeout -k 5 100 "$@"
	expect_status "$want"
}

# expect_error N TEXT COMMAND...: the same, and TEXT as its only message
expect_error() {
	local want=$1 text=$2
	shift 2
	expect_exit "$want" "$@"
	expect_rows "$err" <<<"$text"
}

# expect_rows FILE <<END: FILE is exactly this text
expect_rows() {
	local want have
	IFS= read -rd '' want || :
	IFS= read -rd '' have <"$1" || :
	[ "$have" = "$want" ] || {
		diff -u --label expected --label "${1##*/}" - <(printf %s "$have") <<<"${want%$'\n'}" || :
		fail "other text than expected in ${1##*/}"
	}
}

# expect_match FILE <<END: as many lines as here, each matching its pattern (as
# in case: * ? [..]; a backslash makes one literal)
expect_match() {
	local want have i
	mapfile -t want
	mapfile -t have <"$1"
	for i in "${!want[@]}"; do
		# shellcheck disable=SC2053 # patterns
		[[ ${have[i]-} == ${want[i]} ]] ||
			fail "line $((i + 1)) of ${1##*/} is: ${have[i]-(missing)}"$'\n'"but expected: ${want[i]}"
	done
	[ ${#have[@]} = ${#want[@]} ] || fail "${1##*/} has ${#have[@]} lines, not ${#want[@]}"
}

# expect_empty FILE...
expect_empty() {
	local file
	for file; do
		[ ! -s "$file" ] || fail "${file##*/} is not empty: $(<"$file")"
	done
}

# wait_lines FILE N: until it has N lines (60 s)
wait_lines() {
	until_true 60 has_lines "$@" || fail "${1##*/} has not got $2 lines in 60 s"
}
has_lines() {
	local lines
	[ -e "$1" ] || return 1	# who writes it has not begun yet
	mapfile -t lines <"$1"
	[ ${#lines[@]} -ge "$2" ]
}

# tracefs_state: sets $state to the text of what a tool must leave unchanged. The
# top level's buffer is "7 (expanded: 1408)" as long as nobody has used an event,
# and with its first use the kernel itself makes that 1408, or a page more: the
# same. To leave it at 7 would be a tool's doing.
tracefs=/sys/kernel/tracing page_kb=$(($(getconf PAGE_SIZE) / 1024))
tracefs_state() {
	local file text instances=("$tracefs"/instances/*)
	state="instances: ${instances[*]}"$'\n'
	for file in dynamic_events kprobe_events uprobe_events synthetic_events enabled_functions \
		set_event set_event_pid set_event_notrace_pid current_tracer tracing_on trace \
		set_ftrace_filter set_ftrace_notrace set_ftrace_pid set_ftrace_notrace_pid \
		set_graph_function set_graph_notrace max_graph_depth tracing_thresh tracing_cpumask \
		trace_options trace_clock buffer_size_kb saved_cmdlines_size; do
		[ -e "$tracefs/$file" ] || continue
		IFS= read -rd '' text <"$tracefs/$file" || :
		[ "$file" != buffer_size_kb ] || {
			size_text=$text
			[[ ! $text =~ \(expanded:\ ([0-9]+)\) ]] || text=${BASH_REMATCH[1]}
			: "${full_kb:=${text%$'\n'}}"
			[ $((text - full_kb)) -lt 0 ] || [ $((text - full_kb)) -gt "$page_kb" ] || text=$full_kb
		}
		state+="$file: ${text%$'\n'}"$'\n'
	done
}

# is_clean: tracefs is as it was before the first test, in $clean. In lockdown nobody
# can look, and the guest serves no test any more.
is_clean() {
	! is_locked_down || { size_text=locked; return 0; }
	tracefs_state
	[ "$state" = "$clean" ]
}

lockdown=/sys/kernel/security/lockdown
is_locked_down() { [ -e "$lockdown" ] && [[ $(<"$lockdown") == *'[confidentiality]'* ]]; }

# expect_clean: it is so now
expect_clean() {
	is_clean || { show_changes; fail "tracefs has changed"; }
}
show_changes() {
	diff -U0 --label "tracefs before" --label "and now" <(echo "$clean") <(echo "$state") | grep -v '^@@' || :
}

# is_unused: nobody has used the top level's buffer, to the letter
is_unused() {
	tracefs_state
	[ "$size_text" = "$booted_size" ] || fail "buffer_size_kb is $size_text, not $booted_size"
}

# expect_room: who uses the top level's buffer next keeps all of 5,000 events, some
# 200 KB
expect_room() {
	local kept i
	echo 1 >"$tracefs/events/syscalls/sys_enter_kill/enable"
	for ((i = 0; i < 5000; i++)); do kill -0 $$; done
	echo 0 >"$tracefs/events/syscalls/sys_enter_kill/enable"
	kept=$(grep -c ' sys_kill(' "$tracefs/trace" || :)
	echo >"$tracefs/trace"
	[ "$kept" -ge 5000 ] || fail "only $kept events of 5000 are kept at the top level"
}

# long_texts_fit: into a record, the longest that the kernel fetches: those of 4 KiB
# do not fit into its pages of that size
long_texts_fit() { [ "$page_kb" -gt 4 ]; }

# text_shown BYTES: sets $text to what is shown of so many "a" without an end, and $cut to
# "..." where that is not all
text_shown() {
	local fits=128
	! long_texts_fit || fits=4096
	[ "$1" -gt $fits ] && cut=... || cut='' fits=$1
	printf -v text "%${fits}s" ''
	text=${text// /a}
}

# walks_programs: whether the kernel itself shows a stack of a program
walks_programs() {
	local dir=$tracefs/instances/walks
	mkdir "$dir" || fail "$dir is there"
	echo 1 >"$dir/options/userstacktrace" || fail "no option userstacktrace"
	echo 1 >"$dir/events/sched/sched_process_exec/enable"
	/bin/true
	echo 0 >"$dir/tracing_on"
	cat "$dir/trace" >walks
	rmdir "$dir"
	grep -q 'sched_process_exec: ' walks || fail "the kernel traces nothing"
	grep -q '<user stack trace>' walks
}

# settle: it is so soon (180 s): after SIGKILL a tool's guard cleans up
settle() {
	until_true 180 is_clean || expect_clean
}

# suffixed: sets $name to one that only a function with a compiler's suffix has,
# and no other function begins with
suffixed() {
	local all=$tracefs/available_filter_functions
	for name in $(sed -En 's/^([a-z_]+)\.(isra|constprop)\.[0-9]+$/\1/p' "$all" | sort | uniq -u | head -n 40); do
		[ "$(grep -c "^$name" "$all")" != 1 ] || grep -q " $name\$" /proc/kallsyms || return 0
	done
	skip "no function has a suffix only"
}
