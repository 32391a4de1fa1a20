# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154 # variables of lib.sh and the suite
# Guest tests of syscount. What the workload "calls" makes is known; what its
# libc does around that is not, so rows are looked at by name.

# expect_counts FILE NAME=N...: the rows of these calls, in text without -v
expect_counts() {
	local file=$1 want name count rest
	shift
	declare -A have=()
	while read -r name count rest; do have[$name]=$count; done <"$file"
	for want; do
		[ "${have[${want%=*}]-none}" = "${want#*=}" ] ||
			fail "${want%=*}: ${have[${want%=*}]-none} in ${file##*/}, not ${want#*=}"
	done
}

# expect_ascending FILE: the last column of all rows but the header
expect_ascending() {
	local last=0 line
	while read -r line; do
		[[ ${line##* } != COUNT ]] || continue
		[ "${line##* }" -ge "$last" ] || fail "not ascending in ${1##*/}: $line"
		last=${line##* }
	done < <(tail -n +2 "$1")
}

first_check() {
	expect_exit 0 syscount --check
}

first_row() {
	run syscount -c -e getppid calls known
	expect_status 0
	expect_rows <(tail -n 1 "$out") <<<'getppid                 23'
}

test_calls_of_a_command() {
	run syscount -c calls known
	expect_status 0
	expect_empty "$err"
	expect_match <(head -n 2 "$out") <<-'END'
	Tracing while running: "calls known"...
	SYSCALL              COUNT
	END
	expect_match <(tail -n 1 "$out") <<-'END'
	getppid                 23
	END
	expect_counts "$out" getppid=23 sched_yield=7 close=5 kill=3 rt_sigreturn=3 getpid=3 \
		execve=1 exit_group=1 rt_sigaction=1
	expect_ascending "$out"
}

once_by_name_process_and_both_agree() {
	local sum
	run syscount --json -cv calls known
	sum=$(jq -s 'map(.count) | add' "$out")
	jq -se 'map(.comm == "calls" and .pid > 1) | all' "$out" >/dev/null || fail "other processes in $(<"$out")"
	run syscount calls known
	expect_match <(tail -n +2 "$out") <<-END
	COMM                COUNT
	calls            $(printf %8d "$sum")
	END
	run syscount -v calls known
	expect_match <(tail -n +2 "$out") <<-END
	PID    COMM                COUNT
	[0-9]* calls            $(printf %8d "$sum")
	END
	run syscount -cv calls known
	expect_match <(sed -n 2p "$out") <<-'END'
	PID    COMM             SYSCALL              COUNT
	END
	expect_match <(tail -n 1 "$out") <<-'END'
	[0-9]* calls            getppid                 23
	END
}

# A child returns from the call that made it, too, but did not make that.
# Where there are no calls fork and vfork, the libc's vfork() is a clone as well.
test_children_and_threads() {
	local forks='5 5 5 5 20' ends=22
	[ "$(uname -m)" = x86_64 ] || forks='5 null 10 null 15' ends=17
	run syscount -cv --json sh -c 'calls forks 5; calls threads 4 50'
	expect_empty "$err"
	expect_rows <(jq -src 'map(select(.comm == "calls")) | group_by(.pid) |
		map(map({(.syscall): .count}) | add) | (map(select(.clone3 == 5)) | unique[] | "\(length > 9) \(.clone3) \(.vfork) \(.clone) \(.fork) \(.wait4)"),
		"ends: \(map(.exit_group) | add)",
		"one process: \(map(select(.getppid) | [.getppid, .exit]))"' "$out") <<-END
	true $forks
	ends: $ends
	one process: [[200,4]]
	END
}

# Sets $waits to a 32-bit program that runs already, and goes on by what comes into 7.
begin_calls32() {
	command -v calls32 >/dev/null || skip "no 32-bit program can be built here"
	calls32 </dev/null || skip "this kernel runs no 32-bit programs"
	mkfifo gate
	calls32 <gate &
	waits=$!
	exec 7>gate
}

test_32_bit_programs_have_their_own_numbers() {
	local waits
	begin_calls32
	start syscount --json -cv 7>&-
	exec 7>&-
	wait "$waits"
	bash -c 'calls32; calls known; calls32' >/dev/null
	stop
	expect_empty "$err"
	jq -se --argjson pid "$waits" '[.[] | select(.pid == $pid)] | map({(.syscall): .count}) | add |
		. == {"read": 1, "fork": 1, "close": 5, "getpid": 11, "getuid32": 13, "wait4": 1,
		"exit_group": 1}' \
		"$out" >/dev/null || fail "the one that ran: $(grep "\"pid\":$waits," "$out")"
	# of two that began, and their children; and of the child of the first
	jq -se --argjson pid "$waits" '[.[] | select(.comm == "calls32" and .pid != $pid)] | group_by(.pid) |
		map(map({(.syscall): .count}) | add) | sort_by(.execve) as $have |
		{"close": 5, "exit_group": 1, "getpid": 11, "getuid32": 13, "wait4": 1} as $child |
		($child + {"execve": 1, "fork": 1, "read": 1}) as $parent |
		$have == [$child, $child, $child, $parent, $parent]' "$out" >/dev/null ||
		fail "the others: $(grep '"calls32"' "$out")"
	jq -se '[.[] | select(.comm == "calls" and .syscall == "getppid")] | length == 1 and .[0].count == 23' \
		"$out" >/dev/null || fail "the 64-bit one between them"
}

# The tool does not look until it has ended: nothing tells then what it was.
test_a_thread_of_a_32_bit_program_that_ran_already() {
	local waits
	begin_calls32
	printf 1 >&7
	until_true 60 has_threads "$waits" 2
	start syscount -c -e getuid32,fremovexattr,socketpair 7>&-
	kill -STOP "$pid"
	printf 2 >&7
	until_true 60 has_threads "$waits" 1
	kill -CONT "$pid"
	stop
	exec 7>&-
	wait "$waits"
	expect_rows <(tail -n +2 "$out") <<-'END'
	SYSCALL              COUNT
	getuid32                13
	END
}
has_threads() {
	local threads=("/proc/$1/task"/*)
	[ ${#threads[@]} = "$2" ]
}

# By descriptor, in a thread, one by another: each way that execs has runs it once.
test_32_bit_programs_executed_in_all_ways() {
	local times
	command -v calls32 >/dev/null || skip "no 32-bit program can be built here"
	calls32 </dev/null || skip "this kernel runs no 32-bit programs"
	start syscount -c -e getuid32,getppid,socketpair,fremovexattr,execveat,socket
	"$(command -v execs)" "$(command -v calls32)" </dev/null >ways
	calls known
	stop
	expect_empty "$err"
	times=$(awk '$3 == "-" && $5 !~ /^(again|replaced)$/' ways | wc -l)
	[ "$times" -gt 5 ] || fail "only $times ways"
	expect_counts "$out" getuid32=$((26 * times)) getppid=23
	! grep -qE 'socketpair|fremovexattr' "$out" || fail "calls32 is taken for a 64-bit program"
	# there exec has the number of the new program's execve
	[ "$(uname -m)" = x86_64 ] || expect_counts "$out" execveat=1
}

test_errors_and_time() {
	run syscount --json -c --errors --time-spent sh -c 'calls badly 9; calls sleep 3'
	expect_empty "$err"
	jq -se '.[] | select(.syscall == "read") | .count >= 9 and .errors == 9' "$out" >/dev/null || fail "9 errors"
	jq -se '.[] | select(.syscall == "nanosleep") | .count == 3 and .errors == 0 and .time_spent >= 0.06 and
		(.time_average - .time_spent / 3 | fabs) < 0.000001' "$out" >/dev/null ||
		fail "3 sleeps of 20 ms: $(grep nanosleep "$out")"
	jq -se '.[] | select(.syscall == "exit_group") | .time_spent == null' "$out" >/dev/null ||
		fail "exit_group takes no time that could be known"
}

once_layout_of_errors_and_time() {
	run syscount -c --errors --time-spent calls sleep 3
	expect_match <(sed -n 2p "$out") <<-'END'
	SYSCALL              COUNT   ERRORS       TIMEms      AVGus
	END
	expect_match <(grep nanosleep "$out") <<-'END'
	nanosleep                3        0 ????????[0-9].[0-9][0-9] ?????????[0-9]
	END
}

once_status_of_the_command() {
	expect_exit 7 syscount -c sh -c 'exit 7'
	expect_exit 143 syscount -c sh -c 'kill -TERM $$'
	expect_exit 127 syscount -c no/such
	expect_rows "$err" <<<"syscount: no/such: No such file or directory"
	expect_exit 126 syscount -c /tmp
	expect_rows "$err" <<<"syscount: /tmp: Permission denied"
	# its own options are not taken for ours, and its output comes first
	run syscount -c -t 1 echo -n -c
	expect_match "$out" <<-'END'
	Tracing while running: "echo -n -c". Top 1 only...
	-cSYSCALL              COUNT
	*
	END
}

once_the_command_has_nothing_of_the_tool() {
	local fds
	trap '' USR2
	# shellcheck disable=SC2016 # for the command
	fds=$(sh -c 'cd /proc/$$/fd; echo *' </dev/null 2>"$work/err")
	# shellcheck disable=SC2016
	run syscount -e getppid sh -c \
		'grep -E "^(Sig(Blk|Ign)|CapEff|NoNewPrivs)" /proc/self/status; cd /proc/$$/fd; echo *'
	expect_match "$out" <<-END
	Tracing while running: *
	SigBlk:	0000000000000000
	SigIgn:	0000000000000800
	CapEff:	*[1-9a-f]*
	NoNewPrivs:	0
	$fds
	COMM                COUNT
	*
	END
}

once_the_command_runs_as_the_caller() {
	run env -u SUDO_UID syscount -e getuid id -u
	expect_match <(sed -n 2p "$out") <<<0
	run env SUDO_UID=65534 SUDO_GID=65534 SUDO_USER=nobody syscount -e getuid id
	expect_match <(head -n 2 "$out") <<-'END'
	Tracing while running: "id" as nobody...
	uid=65534(nobody) gid=65534(nogroup) groups=65534(nogroup)
	END
	run env SUDO_UID=65534 syscount --user=root -e getuid id -u
	expect_match <(sed -n 2p "$out") <<<0
	run syscount --user=nobody -e getuid sh -c 'grep CapEff /proc/self/status'
	expect_match <(sed -n 2p "$out") <<<'CapEff:	0000000000000000'
	expect_error 2 'syscount: --user: there is no user "nosuch" (try syscount -h)' \
		syscount --user=nosuch true
}

test_a_signal_is_passed_on_to_the_command() {
	local child
	start syscount -c sleep 1000
	child=$(pgrep -x sleep -P "$pid")
	stop TERM
	expect_status 143
	gone "$child" || fail "the command still runs"
	expect_counts "$out" execve=1
}

once_a_signal_reaches_a_command_of_another_user() {
	local child
	start env SUDO_UID=65534 SUDO_GID=65534 syscount -c sleep 1000
	child=$(pgrep -x sleep -P "$pid")
	stop TERM
	expect_status 143
	expect_empty "$err"
	gone "$child" || fail "the command still runs"
}

test_what_a_signal_makes_the_command_do_is_counted() {
	# shellcheck disable=SC2016 # for the command
	start syscount -c -e getppid sh -c 'trap "calls known; exit 5" TERM; echo "$$" >ready; while :; do sleep 0.1; done'
	until_true 60 test -s ready
	stop TERM
	expect_status 5
	expect_counts "$out" getppid=24		# sh makes one
}

once_a_command_without_its_reader_is_waited_for() {
	{ syscount -c -i 0.1 sh -c 'sleep 0.4; echo ended >ended; exit 7' || echo $? >status; } | head -n 1 >/dev/null
	expect_rows ended <<<ended
	expect_rows status <<<7
}

once_status_when_ends_of_children_are_ignored() {
	run perl -e '$SIG{CHLD} = "IGNORE"; exec @ARGV' syscount -c sh -c 'exit 7'
	expect_status 7
}

once_many_names_do_not_take_all_memory() {
	local rss=0 name value rest
	start syscount
	calls names 40000
	while read -r name value rest; do
		[ "$name" != VmHWM: ] || rss=$value
	done <"/proc/$pid/status"
	stop
	[ "$rss" -lt 60000 ] || fail "$rss KB"
	[ "$(wc -l <"$out")" -ge 32768 ] || fail "only $(wc -l <"$out") rows"
	grep -q '^\[others\] ' "$out" || fail "no row of the others"
}

once_the_last_rows_only() {
	run syscount -c -t 2 calls known
	expect_match "$out" <<-'END'
	Tracing while running: "calls known". Top 2 only...
	SYSCALL              COUNT
	sched_yield              7
	getppid                 23
	END
}

test_some_calls_only() {
	run syscount -c -e getppid,kill,exit_group,rt_sigreturn calls known
	expect_match <(tail -n +2 "$out") <<-'END'
	SYSCALL              COUNT
	exit_group               1
	kill                     3
	rt_sigreturn             3
	getppid                 23
	END
	start syscount -e getppid,newuname
	calls known
	uname >/dev/null
	stop
	expect_rows <(tail -n +2 "$out") <<-'END'
	COMM                COUNT
	uname                   1
	calls                  23
	END
}

# What a program that begins now is, is known from a call that is not asked for.
test_some_calls_of_programs_that_begin() {
	start syscount -c -e munmap,getppid,fremovexattr,socketpair,getuid32
	ls >/dev/null
	calls known
	! command -v calls32 >/dev/null || calls32 </dev/null || :
	calls known
	stop
	expect_counts "$out" getppid=46
	grep -q '^munmap ' "$out" || fail "no munmap of ls"
	! grep -qE 'fremovexattr|socketpair' "$out" || fail "calls32 is taken for a 64-bit program"
	! command -v calls32 >/dev/null || ! calls32 </dev/null || expect_counts "$out" getuid32=26
	run syscount -c -e syscall_511 true
	expect_status 0
}

test_one_process_and_those_that_it_begins() {
	mkfifo gate
	bash -c 'read -r _ <gate; calls known; calls known' &
	local traced=$!
	start syscount -c -e getppid -p $traced --follow
	calls known
	echo >gate
	wait $traced
	stop
	expect_rows "$out" <<-END
	Tracing PID $traced... Ctrl-C to end.
	SYSCALL              COUNT
	getppid                 46
	END
	start syscount -c -e getppid -n 'cal+s'
	calls known
	bash -c 'echo $PPID; exec -a calls bash -c exit' >/dev/null
	stop
	expect_counts "$out" getppid=23
}

# The tool does not look until they have done it all.
test_threads_that_ran_already() {
	mkfifo gate
	calls old <gate >said &
	local traced=$!
	exec 7>gate
	wait_lines said 1
	start syscount -e getppid 7>&-
	kill -STOP "$pid"
	echo >&7
	wait_lines said 2
	kill -CONT "$pid"
	stop
	exec 7>&-
	wait $traced
	expect_empty "$err"
	expect_rows <(tail -n +2 "$out" | sort -n -k 2) <<-'END'
	COMM                COUNT
	stays                   3
	before                  5
	after                   7
	ends                   11
	END
}

test_intervals_add_up() {
	local first='' in_kernel one
	[ ! -e "$tracefs/events/sched/sched_switch/hist" ] || {
		start syscount --json -c --in-kernel -i 0.3
		first=$pid in_kernel=$out
	}
	start syscount --json -c -e getppid -i 0.3
	for _ in {1..4}; do calls known; read -rt 0.15 -u "$never" || :; done
	[ -z "$first" ] || kill -INT "$first"
	stop
	[ -z "$first" ] || finish "$first"
	for one in "$out" ${first:+"$in_kernel"}; do
		jq -se 'map(select(.syscall == "getppid")) | (map(.count) | add == 92) and length > 1 and (map(.time) | . == sort)' \
			"$one" >/dev/null || fail "not 92 in more than one interval, in order: $(grep getppid "$one")"
	done
}

once_intervals_without_calls() {
	run syscount -c -e getppid -i 0.2 -d 0.5
	expect_rows "$out" <<-'END'
	Tracing for 0.5 seconds...

	SYSCALL              COUNT

	SYSCALL              COUNT

	SYSCALL              COUNT
	END
}

test_counting_in_the_kernel_gives_the_same() {
	local want=0
	expect_exit 0 syscount --check
	! grep -q '^limited: --in-kernel: ' "$out" || want=3
	expect_exit $want syscount --check -c --in-kernel
	[ -e "$tracefs/events/sched/sched_switch/hist" ] || {
		expect_error 3 "syscount: this kernel has no hist triggers (CONFIG_HIST_TRIGGERS): count without --in-kernel" \
			syscount -c --in-kernel -d 1
		return
	}
	local same='getppid|sched_yield|clone3|exit|fork|getuid32' first in_kernel
	start syscount -c --in-kernel
	first=$pid
	in_kernel=$out
	! grep -q 'does not let calls of 32-bit programs be told apart' "$err" || same=${same%|fork*}
	start syscount -c
	calls known
	calls forks 5
	calls threads 3 100
	! command -v calls32 >/dev/null || calls32 </dev/null || :
	nap
	kill -INT "$first" "$pid"
	finish "$first"
	expect_status 0
	finish
	# what only 32-bit programs call, and their entry can be traced
	! grep -qE '^(ia32_sys_call|do_el0_svc_compat)( |$)' "$tracefs/available_filter_functions" ||
		[[ $same == *'|fork'* ]] || fail "32-bit programs are not told apart: $(<"$err")"
	grep -wE "$same" "$out" | sort >expected
	grep -wE "$same" "$in_kernel" | sort >counted
	expect_rows counted <expected
	expect_counts "$in_kernel" getppid=323 sched_yield=7 exit=3
}

# For a third of the time that the usual buffer, thrice as large, would need.
test_floods_lose_nothing() {
	local a b
	start syscount --json -cv --buffer=2700K
	calls until >a &
	a=$!
	calls until >b &
	b=$!
	read -rt 1 -u "$never" || :
	kill $a $b
	wait $a $b
	stop
	expect_empty "$err"
	jq -se --argjson a "$(<a)" --argjson b "$(<b)" --argjson pa $a --argjson pb $b \
		'[.[] | select(.syscall == "read" and (.pid == $pa or .pid == $pb))] | sort_by(.pid) | map(.count) == [$a, $b]' \
		"$out" >/dev/null || fail "$(<a) and $(<b) reads, but: $(grep '"read"' "$out" | grep calls)"
}

test_a_loss_is_told() {
	start syscount -c --buffer=8K --strict
	kill -STOP "$pid"
	calls reads 20000 >/dev/null
	kill -CONT "$pid"
	stop
	expect_status 1
	[[ $(<"$err") == "syscount: "*" events were lost: the buffer was full"* ]] || fail "no word of the loss: $(<"$err")"
}

test_its_own_calls_are_not_counted() {
	run syscount --json -v -d 0.5
	! grep -q '"comm":"syscount"' "$out" || fail "it counts itself: $(<"$out")"
}

test_ends_with_its_reader() {
	start syscount -c -i 0.1
	stop INT
	{ syscount -c -i 0.1; echo $? >status; } | head -n 1 >/dev/null
	[ "$(<status)" = 0 ] || fail "status $(<status)"
}

host_no_such_call() {
	expect_exit 2 syscount -e raed true
	expect_match "$err" <<-'END'
	syscount: -e: there is no system call "raed" (try syscount -h)
	syscount: near it: ?*
	*
	END
}

host_bad_use() {
	expect_error 2 "syscount: pick one of -p, -L, --cgroup, -d and a command (try syscount -h)" syscount -d 1 true
	expect_error 2 "syscount: --in-kernel counts all calls, by call: with -c and without other choices (try syscount -h)" \
		syscount --in-kernel
	expect_error 2 "syscount: --user is for a command, and there is none (try syscount -h)" syscount --user=root
	expect_error 2 'syscount: -i: "0.0001" is below a millisecond (try syscount -h)' syscount -i 0.0001
	expect_error 2 "syscount: -e: no system call is named (try syscount -h)" syscount -e , true
}

host_csv_and_top() {
	capture syscount
	expect_exit 0 syscount -r "$capture" --csv -t 2 -e getppid,brk,rt_sigprocmask
	expect_rows "$out" <<-'END'
	time,pid,comm,syscall,count
	93.404819,713,counted,rt_sigprocmask,5
	93.404819,713,counted,getppid,10
	END
	expect_exit 0 syscount -r "$capture" -t 2
	expect_rows "$out" <<-'END'
	Tracing issued by process name "counted". Top 2 only... Ctrl-C to end.
	PID    COMM             SYSCALL              COUNT
	713    counted          rt_sigprocmask           5
	713    counted          getppid                 10
	END
}
