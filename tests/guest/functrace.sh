# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# functrace in a guest: each call of a known workload, by the function tracer
# and by probes, once and with the right caller

# calls: the functions and what is behind them in $out, in file rows; what a
# pread(2) is called by has several names
calls() {
	sed -n 's/^ *[^ ]*-[0-9]*  *\[[0-9]*\] [^ ]*  *[0-9.]*: //p' "$out" |
		sed 's/<-.*sys_pread64$/<-pread/' >rows
}

# trace ARG... -- ACT...: calls of what probed does
trace() {
	local options=()
	while [ "$1" != -- ]; do options+=("$1"); shift; done
	shift
	start functrace -n '^probed$' "${options[@]}"
	probed "$@" >printed
	stop
	expect_status 0
	calls
}

by_name() { [ -e /sys/kernel/btf/vmlinux ]; }

test_rows() {
	trace do_nanosleep -- sleep 1 sleep 2 sleep 3
	expect_match "$out" <<-END
	Tracing "do_nanosleep" issued by process name "^probed\$"... Ctrl-C to end.
	          probed-* \[00[01]\] *.... *.[0-9][0-9][0-9][0-9][0-9][0-9]: do_nanosleep <-hrtimer_nanosleep
	          probed-* \[00[01]\] *.... *.[0-9][0-9][0-9][0-9][0-9][0-9]: do_nanosleep <-hrtimer_nanosleep
	          probed-* \[00[01]\] *.... *.[0-9][0-9][0-9][0-9][0-9][0-9]: do_nanosleep <-hrtimer_nanosleep

	Ending tracing...
	END
	expect_empty "$err"
}

# Somebody's own tracer of the same functions has the same lines, but for the
# name, which is the one that the thread has when the file is read, times, and
# whether it is to be scheduled, which the other sees a moment before or after.
test_as_the_kernel() {
	local dir=$tracefs/instances/byhand who
	mkdir "$dir"
	printf '%s\n' 'vfs_*' v9fs_file_open do_nanosleep >"$dir/set_ftrace_filter"
	start functrace 'vfs_*' 9p:v9fs_file_open do_nanosleep
	echo function >"$dir/current_tracer"
	probed open "$work/known" sleep 1 reads 10 fork &
	who=$!
	wait $who
	echo 0 >"$dir/tracing_on"
	stop
	local line="s/^ *[^ ]*-\($who  *\[[0-9]*\] [^ ]\)[^ ]\([^ ]*\) *[0-9.]*: /\1\2 /p"
	sed -n "$line" "$dir/trace" >expected
	sed -n "$line" "$out" >rows
	echo nop >"$dir/current_tracer"
	rmdir "$dir"
	grep -q 'v9fs_file_open <-' expected || fail "the kernel saw no v9fs_file_open"
	[ "$(grep -c 'vfs_read <-ksys_read$' expected)" -ge 10 ] || fail "the kernel saw too few reads"
	expect_rows rows <expected
}

test_headers() {
	start functrace -H do_nanosleep
	stop
	sed -n '/^#/p' "$out" >rows
	[ "$(tail -n 1 rows)" = '#              | |         |   |||||     |         |' ] ||
		grep -q '^#           TASK-PID     CPU#' rows || fail "$(<"$out")"
}

test_several_patterns() {
	trace 'do_nano*' 'vfs_rea? vfs_fsync' 'vfs_wri[t]e,vfs_unlink' -- open "$work/known" sleep 1 reads 2
	expect_rows rows <<-END
	vfs_write <-ksys_write
	vfs_read <-pread
	vfs_read <-pread
	do_nanosleep <-hrtimer_nanosleep
	vfs_read <-ksys_read
	vfs_read <-ksys_read
	END
}

test_excluded() {
	trace -x 'vfs_r*,vfs_w* vfs_[s]*' 'vfs_[rsw]*' do_nanosleep -- open "$work/known" sleep 1
	expect_rows rows <<<'do_nanosleep <-hrtimer_nanosleep'
	trace -x 'do_* vfs_readlink' do_nanosleep 'vfs_rea[d-l]*' -- sleep 1 reads 2
	expect_rows rows <<<$'vfs_read <-ksys_read\nvfs_read <-ksys_read'
	expect_error 1 'functrace: -x vfs_* leaves no function' functrace -x 'vfs_*' vfs_read
}

test_excluded_with_a_suffix() {
	local name option
	suffixed
	for option in -H -s; do
		expect_exit 1 functrace $option -x "$name" "$name*"
		expect_rows "$err" <<-END
		functrace: the kernel has $name as $name.*
		functrace: -x $name leaves no function
		END
	done
}

test_modules() {
	start functrace --json 9p:v9fs_file_open
	cat /etc/hostname >/dev/null
	stop
	sed 's/.*"comm":"\([^"]*\)".*\("function":.*\),"caller".*/\1 \2/' "$out" | grep ^cat | sort -u >rows
	expect_rows rows <<<'cat "function":"v9fs_file_open","module":"9p"'
	start functrace --json :mod:9p
	cat /etc/hostname >/dev/null
	stop
	grep -q '"function":"v9fs_file_open","module":"9p"' "$out" || fail "no row: $(head -n 3 "$out")"
	! grep -v '"module":"9p"' "$out" || fail "a row of another module"
	start functrace -n '^probed$' 'v9fs_file_*:mod:9p'
	stop
	expect_match "$err" <<<'functrace: * functions were traced: no call issued by process name "^probed$"'
	expect_error 1 'functrace: the kernel has no function vfs_read:mod:9p that can be traced' functrace 9p:vfs_read
}

test_json_and_csv() {
	local want='"function":"do_nanosleep","module":null,"caller":"hrtimer_nanosleep","args":null,"stack":null}'
	start functrace --json do_nanosleep
	probed sleep 1 &
	wait $!
	stop
	grep "\"tid\":$!," "$out" >rows
	expect_match rows <<<"{\"time\":*.*,\"comm\":\"probed\",\"tid\":$!,\"cpu\":[01],${want//[/\\[}"
	start functrace --csv --time=relative do_nanosleep
	probed sleep 1 &
	wait $!
	stop
	grep -e ^time -e ",$!," "$out" >rows
	expect_match rows <<-END
	time,comm,tid,cpu,function,module,caller,args,stack
	*.*,probed,$!,[01],do_nanosleep,,hrtimer_nanosleep,,
	END
}

# ---- arguments ---------------------------------------------------------------

test_arguments() {
	by_name || skip "no BTF"
	trace --args vfs_read vfs_write do_sys_openat2 do_nanosleep -- open "$work/known" reads 1 sleep 1
	sed -e 's/0x[0-9a-f]*/0x/g' -e "s#\"$work/#\"W/#" rows >short
	expect_match short <<-END
	do_sys_openat2(dfd=-100, filename="W/known", how=0x) <-*sys_open*
	vfs_write(file=0x, buf="hello world*", count=11, pos=0x) <-ksys_write
	vfs_read(file=0x, buf=0x, count=7, pos=0x) <-pread
	vfs_read(file=0x, buf=0x, count=100, pos=0x) <-pread
	do_sys_openat2(dfd=-100, filename="/dev/zero", how=0x) <-*sys_open*
	vfs_read(file=0x, buf=0x, count=1, pos=0x) <-ksys_read
	do_nanosleep(t=0x, mode=HRTIMER_MODE_REL) <-hrtimer_nanosleep
	END
	expect_empty "$err"
}

test_arguments_in_json() {
	by_name || skip "no BTF"
	start functrace --json --args -n '^probed$' vfs_read
	probed reads 3
	stop
	sed -e 's/.*\("function":\)/\1/' -e 's/:[0-9]\{5,\}/:N/g' "$out" >rows
	expect_match rows <<-END
	"function":"vfs_read","module":null,"caller":"ksys_read","args":{"file":N,"buf":N,"count":1,"pos":N},"stack":null}
	"function":"vfs_read","module":null,"caller":"ksys_read","args":{"file":N,"buf":N,"count":1,"pos":N},"stack":null}
	"function":"vfs_read","module":null,"caller":"ksys_read","args":{"file":N,"buf":N,"count":1,"pos":N},"stack":null}
	END
}

# Some have no arguments, and those of others are not known.
test_functions_without_arguments() {
	by_name || skip "no BTF"
	trace --args yield schedule -- sleep 100	# or it is over before it sleeps
	grep -qx 'schedule() <-do_nanosleep' rows || fail "$(<rows)"
	start functrace --args -n '^cat$' 9p:v9fs_file_open
	cat /etc/hostname >/dev/null
	stop
	calls
	if [ -e /sys/kernel/btf/9p ]; then
		grep -q '^v9fs_file_open(inode=0x.*, file=0x.*) <-' rows || fail "$(<rows)"
		expect_empty "$err"
	else
		grep -q '^v9fs_file_open <-' rows || fail "$(<rows)"
		expect_rows "$err" <<-END
		functrace: 1 of 1 functions are shown without arguments: the kernel's BTF does not know them, or a probe cannot fetch them
		END
	fi
}

# ---- stacks ------------------------------------------------------------------

test_stacks() {
	start functrace -s -n '^probed$' do_nanosleep
	probed sleep 1 sleep 1
	stop
	# between these is the system call, whose functions have other names elsewhere
	sed -e '/^ => .*_nanosleep$/!{/^ => .*nanosleep\|syscall_64\|entry_/d}' -e '/^ => common_nsleep$/d' "$out" >rows
	expect_match rows <<-END
	Tracing "do_nanosleep" issued by process name "^probed\$"... Ctrl-C to end.
	          probed-*: do_nanosleep <-hrtimer_nanosleep
	          probed-*: <stack trace>
	 => do_nanosleep
	 => hrtimer_nanosleep
	 => *sys_*nanosleep
	          probed-*: do_nanosleep <-hrtimer_nanosleep
	          probed-*: <stack trace>
	 => do_nanosleep
	 => hrtimer_nanosleep
	 => *sys_*nanosleep

	Ending tracing...
	END
}

# As many as there are calls, each with its own way.
test_stacks_of_several() {
	start functrace -s --args --json -n '^probed$' vfs_read do_nanosleep
	probed reads 200 sleep 1
	stop
	grep -c '"function":"vfs_read","module":null,"caller":"ksys_read",.*"stack":\["vfs_read","ksys_read",' "$out" >rows || :
	grep -c '"function":"do_nanosleep",.*"caller":"hrtimer_nanosleep",.*"stack":\["do_nanosleep","hrtimer_nanosleep",' "$out" >>rows || :
	wc -l <"$out" >>rows
	expect_rows rows <<<$'200\n1\n201'
}

# ---- whose calls --------------------------------------------------------------

# family_calls OPTION...: calls of the members of the family, in file rows
family_calls() {
	local leader go
	mkdir -p /mnt/w
	mkfifo go who
	exec {go}<>go
	family <go >who &
	leader=$!
	read -r _ <who
	start functrace "${@//PID/$leader}" do_sys_openat2
	echo >&"$go"
	wait "$leader"
	stop
	expect_status 0
	calls
	rm go who
}

test_pid_and_tid() {
	local what n
	# the thread's own, without the one that was there before
	for what in '-p PID=3' '-L PID=1' '-p PID --follow=6' '-L PID --follow=5'; do
		# shellcheck disable=SC2086 # words
		family_calls ${what%=*}
		n=$(wc -l <rows)
		[ "$n" = "${what##*=}" ] || fail "$n calls with ${what%=*}: $(<"$out")"
	done
}

test_pid_by_probes() {
	by_name || skip "no BTF"
	family_calls --args -p PID
	sed 's/.*filename="\([^"]*\)".*/\1/' rows | sort >names
	expect_rows names <<<$'/mnt/w/main\n/mnt/w/new-thread\n/mnt/w/old-thread'
}

test_banner_of_a_process() {
	start functrace -p $$ -x vfs_write vfs_read vfs_write
	stop
	expect_match "$out" <<-END
	Tracing "vfs_read vfs_write" for PID $$... Ctrl-C to end.

	Ending tracing...
	END
	expect_rows "$err" <<<"functrace: 1 function was traced: no call issued by PID $$"
	expect_exit 0 functrace -L $$ -d 0.1 vfs_unlink
	expect_match "$out" <<-END
	Tracing "vfs_unlink" for TID $$ for 0.1 seconds (buffered)...

	Ending tracing...
	END
}

test_cgroup() {
	local group=/sys/fs/cgroup/tl go member
	mkdir $group
	mkfifo go
	exec {go}<>go
	bash -c 'read -r _; probed sleep 1; exec probed sleep 1' <go &
	member=$!
	echo $member >$group/cgroup.procs
	start functrace --cgroup $group do_nanosleep
	probed sleep 1
	echo >&"$go"
	wait $member
	stop
	rmdir $group
	calls
	expect_rows rows <<<$'do_nanosleep <-hrtimer_nanosleep\ndo_nanosleep <-hrtimer_nanosleep'
}

# Rows of the tool itself would come for ever.
test_not_itself() {
	start functrace --json 'vfs_*'
	probed reads 10
	stop
	! grep '"comm":"functrace"' "$out" || fail "it traces itself"
	grep -q '"comm":"probed"' "$out" || fail "no row"
}

# Nor are there records of it, which would wake it to write more.
test_not_itself_by_probes() {
	local dir=$tracefs/instances
	start functrace --json -s vfs_read
	probed reads 10
	wait_lines "$out" 10
	read -r <"$(echo "$dir"/*/set_event_notrace_pid)" || :
	[ "$REPLY" = "$pid" ] || fail "left out is \"$REPLY\", not $pid"
	stop
	expect_empty "$err"
	[ "$(grep -c '"comm":"probed".*"function":"vfs_read".*"stack":\["vfs_read",' "$out")" -ge 10 ] || fail "$(<"$out")"
}

# ---- many, and others ---------------------------------------------------------

test_flood() {
	start functrace --strict --buffer 8M vfs_read
	burst call 20000 /dev/zero >/dev/null &
	wait $!
	stop
	expect_status 0
	grep -c -- "-$! .*: vfs_read <-ksys_read\$" "$out" >rows || :
	expect_rows rows <<<20000
}

test_losses_are_told() {
	start functrace --strict --buffer 64K vfs_read
	kill -STOP "$pid"
	burst call 20000 /dev/zero >/dev/null
	kill -CONT "$pid"
	stop
	expect_status 1
	grep -q '^\[LOST .*EVENTS on CPU [01]\]$' "$out" || fail "not in the output"
	grep -q '^functrace: [0-9]* events were lost: the buffer was full' "$err" || fail "$(<"$err")"
}

test_limits() {
	expect_exit 1 functrace '*'
	expect_match "$err" <<<'functrace: [1-9]*[0-9][0-9][0-9][0-9] functions match, which is more than 1000 (-F traces them all the same)'
	expect_exit 1 functrace --args 'tcp_*'
	expect_match "$err" <<<'functrace: [1-9][0-9][0-9] functions match, which is more than 100 with -s or --args (-F traces them all the same)'
	expect_exit 1 functrace -s 'tcp_*'
	expect_exit 0 functrace -d 0.1 'tcp_*'
}

test_force() {
	# the x* among others, which nobody calls here
	start functrace --buffer=64M -F -n '^probed$' 't*' 'x*' do_nanosleep
	probed sleep 1
	stop
	expect_status 0
	calls
	grep -qx 'do_nanosleep <-hrtimer_nanosleep' rows || fail "$(head -n 20 rows)"
}

test_two_at_once() {
	local pid1 out1
	start functrace -n '^probed$' do_nanosleep vfs_read
	pid1=$pid out1=$out
	start functrace -s --json -n '^probed$' do_nanosleep
	probed sleep 1 reads 2
	stop
	expect_match "$out" <<<'{*"function":"do_nanosleep",*"stack":\["do_nanosleep",*'
	stop INT "$pid1"
	out=$out1
	calls
	expect_rows rows <<<$'do_nanosleep <-hrtimer_nanosleep\nvfs_read <-ksys_read\nvfs_read <-ksys_read'
}

# Somebody's tracer at the top level goes on, with its own filter, and sees no
# stacks, which are of all instances on some kernels.
test_next_to_another_tracer() {
	local who
	echo hrtimer_nanosleep >"$tracefs/set_ftrace_filter"
	echo function >"$tracefs/current_tracer"
	start functrace -s -n '^probed$' do_nanosleep
	probed sleep 1
	stop
	start functrace -n '^probed$' do_nanosleep
	probed sleep 1 &
	who=$!
	wait $who
	stop
	calls
	probed sleep 1
	echo 0 >"$tracefs/tracing_on"
	grep 'probed-\|<stack' "$tracefs/trace" | sed 's/.*: //' >seen
	cat "$tracefs/set_ftrace_filter" "$tracefs/current_tracer" >settings
	echo nop >"$tracefs/current_tracer"
	echo >"$tracefs/set_ftrace_filter"
	echo >"$tracefs/trace"
	echo 1 >"$tracefs/tracing_on"
	expect_rows rows <<<'do_nanosleep <-hrtimer_nanosleep'
	grep -q '^hrtimer_nanosleep <-' seen || fail "the other tracer saw nothing"
	! grep -v '^hrtimer_nanosleep <-' seen || fail "the other tracer saw that"
	expect_rows settings <<<$'hrtimer_nanosleep\nfunction'
}

test_sigkill() {
	start functrace -F 'vfs_*' 't*'
	burst call 20000 /dev/zero >/dev/null &
	wait_lines "$out" 100
	stop KILL
	settle
	wait $! || :
	start functrace -s 'vfs_r*'
	burst call 20000 /dev/zero >/dev/null &
	wait_lines "$out" 100
	stop KILL
	settle
	wait $! || :
}

test_reader_goes() {
	timeout 60 functrace do_nanosleep 2>errors | head -n 1 >first
	expect_rows errors <<<'functrace: 1 function was traced: no call'
	expect_rows first <<<'Tracing "do_nanosleep"... Ctrl-C to end.'
}

# ---- what is wrong -------------------------------------------------------------

test_no_such_function() {
	expect_error 1 $'functrace: the kernel has no function vfs_raed\nfunctrace: did you mean vfs_read?' functrace do_nanosleep vfs_raed
	expect_error 1 'functrace: the kernel has no function nosuch* that can be traced' functrace 'nosuch*'
	expect_error 1 'functrace: the kernel has no function :mod:nosuch that can be traced' functrace :mod:nosuch
	expect_error 1 'functrace: the kernel has no function :mod:nosuch that can be traced' functrace vfs_unlink :mod:nosuch
	expect_error 1 'functrace: the kernel has no function nosuch* that can be traced' functrace --args 'nosuch*'
	expect_empty "$out"
}

test_wrong_use() {
	expect_error 2 'functrace: which function? (try functrace -h)' functrace
	expect_error 2 'functrace: function: it is empty (try functrace -h)' functrace ' '
	expect_error 2 'functrace: function !vfs_read: no function begins with "!" (try functrace -h)' functrace '!vfs_read'
	expect_error 2 'functrace: function 5: no function begins with "5" (try functrace -h)' functrace 5
	expect_error 2 'functrace: function 9p: no function begins with "9" (try functrace -h)' functrace 9p:9p
	expect_exit 2 functrace vfs_read:traceoff:5
	expect_exit 2 functrace -p 1 -L 1 vfs_read
	expect_exit 2 functrace vfs_read -s
}

test_nothing_called() {
	expect_exit 0 functrace -d 0.1 vfs_unlink vfs_rmdir
	expect_rows "$err" <<<'functrace: 2 functions were traced: no call'
	expect_rows "$out" <<-END
	Tracing "vfs_unlink vfs_rmdir" for 0.1 seconds (buffered)...

	Ending tracing...
	END
}

# Probes would be taken all the same, and never be hit.
test_switched_off() {
	local option
	until_end /proc/sys/kernel/ftrace_enabled 0
	for option in -H -s --check; do
		expect_error 1 'functrace: tracing of functions is switched off here: sysctl kernel.ftrace_enabled=1' functrace $option -d 0.1 vfs_read
	done
}

# Only those that have a probe are counted.
test_no_probe() {
	local name
	name=$(sed -En 's/^([a-z_]+)$/\1/p' "$tracefs/available_filter_functions" | sort | uniq -c | awk '$1 == 2 { n = $2 } END { print n }')
	[ "$name" ] || skip "no two functions have the same name"
	expect_exit 0 functrace -s -d 0.1 -n '^nobody$' vfs_rmdir "$name"
	expect_rows "$err" <<-END
	functrace: 2 of 3 functions are left out: of the same name as another, or not to be probed
	functrace: 1 function was traced: no call issued by process name "^nobody\$"
	END
}

test_check() {
	expect_exit 0 functrace --check
	expect_rows "$out" <<<'functrace: this kernel has all that is needed'
	expect_exit 0 functrace --check --args
}
