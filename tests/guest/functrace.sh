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

first_check() {
	expect_exit 0 functrace --check
	expect_rows "$out" <<<'functrace: this kernel has all that is needed'
	expect_exit 0 functrace --check --args
}

first_row() {
	trace do_nanosleep -- sleep 1
	expect_rows rows <<<'do_nanosleep <-hrtimer_nanosleep'
}

# One with rows as they are, one with stacks; each sees its own functions. Beside
# them somebody's tracer at the top level goes on, with its own filter, and sees no
# stacks, which are of all instances on some kernels.
test_two_next_to_another_tracer() {
	local stacks all
	echo hrtimer_nanosleep >"$tracefs/set_ftrace_filter"
	echo function >"$tracefs/current_tracer"
	start functrace -s -n '^probed$' do_nanosleep
	stacks=("$pid" "$out")
	start functrace -H -n '^probed$' do_nanosleep vfs_read
	all=$out
	probed sleep 1 reads 2 sleep 1
	stop
	expect_status 0
	expect_empty "$err"
	stop INT "${stacks[0]}"
	expect_status 0
	probed sleep 1
	echo 0 >"$tracefs/tracing_on"
	sed -n '/probed-\|<stack/s/.*: //p' "$tracefs/trace" >seen
	echo "$(<"$tracefs/set_ftrace_filter") $(<"$tracefs/current_tracer")" >settings
	echo nop >"$tracefs/current_tracer"
	echo >"$tracefs/set_ftrace_filter"
	echo >"$tracefs/trace"
	echo 1 >"$tracefs/tracing_on"
	[ "$(grep -c '^hrtimer_nanosleep <-' seen)" = 3 ] || fail "the other tracer saw: $(<seen)"
	! grep -v '^hrtimer_nanosleep <-' seen || fail "the other tracer saw that"
	expect_rows settings <<<'hrtimer_nanosleep function'
	sed '/^#/d' "$all" >rows
	expect_match rows <<-END
	Tracing "do_nanosleep vfs_read" issued by process name "^probed\$"... Ctrl-C to end.
	          probed-* \[00[01]\] .[.NnBbpLl].[.1]* [1-9]*.[0-9][0-9][0-9][0-9][0-9][0-9]: do_nanosleep <-hrtimer_nanosleep
	          probed-* \[00[01]\] .[.NnBbpLl].[.1]* [1-9]*.[0-9][0-9][0-9][0-9][0-9][0-9]: vfs_read <-ksys_read
	          probed-* \[00[01]\] .[.NnBbpLl].[.1]* [1-9]*.[0-9][0-9][0-9][0-9][0-9][0-9]: vfs_read <-ksys_read
	          probed-* \[00[01]\] .[.NnBbpLl].[.1]* [1-9]*.[0-9][0-9][0-9][0-9][0-9][0-9]: do_nanosleep <-hrtimer_nanosleep

	Ending tracing...
	END
	sed -n '/^#/p' "$all" >rows
	[ "$(tail -n 1 rows)" = '#              | |         |   |||||     |         |' ] ||
		grep -q '^#           TASK-PID     CPU#' rows || fail "$(<"$all")"
	# what calls the system call has other names elsewhere
	awk '/^ => / && below || /^ => common_nsleep$/ { next } { below = /^ => .*sys_.*nanosleep$/; print }' "${stacks[1]}" >rows
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

# Somebody's own tracer of the same functions has the same lines, but for the
# name, which is the one that the thread has when the file is read, times, and
# whether it is to be scheduled, which the other sees a moment before or after.
# Nor has ours lines of the tool itself, which would come for ever.
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
	! grep -- "-$pid  *\[" "$out" || fail "it traces itself"
}

test_patterns() {
	# all that begins with vfs_o or do_sys_ is called, and is not shown
	trace -x 'vfs_o*,do_sys_* vfs_s[t]*' do_sys_openat2 'do_nano*' 'vfs_rea? vfs_[os]*' 'vfs_wri[t]e,vfs_open' -- open "$work/known" sleep 1 reads 2
	expect_rows rows <<-END
	vfs_write <-ksys_write
	vfs_read <-pread
	vfs_read <-pread
	do_nanosleep <-hrtimer_nanosleep
	vfs_read <-ksys_read
	vfs_read <-ksys_read
	END
}

once_excluded() {
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

# Arguments of functions of modules are not known everywhere.
test_module() {
	local who args
	by_name || skip "no BTF"
	start functrace --json --args -n '^cat$' 'v9fs_file_op*:mod:9p'
	cat /etc/hostname >/dev/null &
	who=$!
	wait $who
	stop
	expect_status 0
	if [ -e /sys/kernel/btf/9p ]; then
		args='{"inode":"0x[0-9a-f]+","file":"0x[0-9a-f]+"}'
		expect_empty "$err"
	else
		args=null
		expect_rows "$err" <<-END
		functrace: 1 of 1 functions are shown without arguments: the kernel's BTF does not know them, or a probe cannot fetch them
		END
	fi
	[ -s "$out" ] || fail "no row"
	! grep -Evx "\{\"time\":[0-9.]+,\"comm\":\"cat\",\"tid\":$who,\"cpu\":[01],\"function\":\"v9fs_file_open\",\"module\":\"9p\",\"caller\":\"[a-z_]+\",\"args\":$args,\"stack\":null\}" "$out" ||
		fail "another row"
}

once_all_of_a_module() {
	start functrace --json -n '^cat$' :mod:9p
	cat /etc/hostname >/dev/null
	stop
	grep -q '"function":"v9fs_file_open","module":"9p"' "$out" || fail "no row: $(head -n 3 "$out")"
	! grep -v '"module":"9p"' "$out" || fail "a row of another module"
}

host_csv() {
	capture functrace
	run functrace -r "$capture" --csv
	expect_rows "$out" <<-END
	time,comm,tid,cpu,function,module,caller,args,stack
	$(sed -E 's/ +probed-([0-9]+) +\[00(.)\] [^ ]+ +([0-9.]+): .*/\3,probed,\1,\2,do_nanosleep,,hrtimer_nanosleep,,/p; d' "$root/tests/golden/6.12/functrace.txt")
	END
	run functrace -r "$capture" --csv --time=relative
	expect_match "$out" <<-END
	time,comm,tid,cpu,function,module,caller,args,stack
	0.[0-9][0-9][0-9][0-9][0-9][0-9],probed,*,[01],do_nanosleep,,hrtimer_nanosleep,,
	0.[0-9][0-9][0-9][0-9][0-9][0-9],probed,*,[01],do_nanosleep,,hrtimer_nanosleep,,
	END
}

# ---- arguments ---------------------------------------------------------------

# Some functions have no arguments.
test_arguments() {
	by_name || skip "no BTF"
	trace --args vfs_read vfs_write do_sys_openat2 do_nanosleep yield schedule -- \
		open "$work/known" reads 1 sleep 100	# or it is over before it sleeps
	grep -qx 'schedule() <-do_nanosleep' rows || fail "$(<rows)"
	sed -e '/^schedule() /d' -e 's/0x[0-9a-f]*/0x/g' -e "s#\"$work/#\"W/#" rows >short
	expect_match short <<-END
	do_sys_openat2(dfd=-100, filename="W/known", how=0x) <-*sys_open*
	vfs_write(file=0x, buf="hello world", count=11, pos=0x) <-ksys_write
	vfs_read(file=0x, buf=0x, count=7, pos=0x) <-pread
	vfs_read(file=0x, buf=0x, count=100, pos=0x) <-pread
	do_sys_openat2(dfd=-100, filename="/dev/zero", how=0x) <-*sys_open*
	vfs_read(file=0x, buf=0x, count=1, pos=0x) <-ksys_read
	do_nanosleep(t=0x, mode=HRTIMER_MODE_REL) <-hrtimer_nanosleep
	END
	expect_empty "$err"
}

# As many bytes as are written, and of very many the first ones, where memory goes
# on without a NUL; nothing is lost, and nothing is said to be.
test_bytes_without_an_end() {
	local size sizes=(3 128 129 400 8192)
	by_name || skip "no BTF"
	start functrace --strict --args -n '^probed$' vfs_write
	# shellcheck disable=SC2046 # two words each
	probed open "$work/known" $(printf 'bytes %s ' "${sizes[@]}")
	stop
	expect_status 0
	expect_empty "$err"
	sed -n 's/.*vfs_write(.*\(buf=.*\), pos=.*/\1/p' "$out" >rows
	{
		echo 'buf="hello world", count=11'
		for size in "${sizes[@]}"; do
			text_shown "$size"
			echo "buf=\"$text\"$cut, count=$size"
		done
	} | expect_rows rows
}

# As many as there are calls, each with its own way.
test_arguments_and_stacks() {
	by_name || skip "no BTF"
	start functrace -s --args --json -n '^probed$' vfs_read do_nanosleep
	probed reads 200 sleep 1
	stop
	sed -E 's/"(file|buf|pos)":"0x[0-9a-f]{5,}"/"\1":N/g' "$out" | awk '
		/"function":"vfs_read","module":null,"caller":"ksys_read","args":{"file":N,"buf":N,"count":1,"pos":N},"stack":\["vfs_read","ksys_read",/ { reads++ }
		/"function":"do_nanosleep",.*"caller":"hrtimer_nanosleep",.*"stack":\["do_nanosleep","hrtimer_nanosleep",/ { sleeps++ }
		END { print reads, sleeps, NR }' >rows
	expect_rows rows <<<'200 1 201'
}

# ---- whose calls --------------------------------------------------------------

# All at the same time, and all see the same calls; also others open files.
test_whose_calls() {
	local leader go what n pids=() outs=() i
	local -a each=('-p PID=3' '-L PID=1' '-p PID --follow=6' '-L PID --follow=5' '--cgroup suite/tl=6')
	! by_name || each+=('--args -p PID=3')
	mkdir -p /mnt/w "$group/tl"
	mkfifo go who
	exec {go}<>go
	family <go >who &
	leader=$!
	read -r _ <who
	echo $leader >"$group/tl/cgroup.procs"
	for what in "${each[@]}"; do
		what=${what//PID/$leader}
		# shellcheck disable=SC2086 # words
		start functrace ${what%=*} do_sys_openat2
		pids+=("$pid") outs+=("$out")
	done
	echo >&"$go"
	wait "$leader"
	kill -INT "${pids[@]}"
	for i in "${!pids[@]}"; do
		finish "${pids[i]}"
		expect_status 0
		out=${outs[i]}
		calls
		mapfile -t n <rows
		[ ${#n[@]} = "${each[i]##*=}" ] || fail "${#n[@]} calls with ${each[i]%=*}: $(<"$out")"
	done
	rmdir "$group/tl"
	read -r what <"${outs[0]}"
	[ "$what" = "Tracing \"do_sys_openat2\" for PID $leader... Ctrl-C to end." ] || fail "$what"
	by_name || return 0
	sed 's/.*filename="\([^"]*\)".*/\1/' rows | sort >names
	expect_rows names <<<$'/mnt/w/main\n/mnt/w/new-thread\n/mnt/w/old-thread'
}

# Nor are there records of the tool, which would wake it to write more.
test_not_itself_by_probes() {
	local dir=$tracefs/instances
	start functrace --json -s vfs_read
	probed reads 10
	read -r <"$(echo "$dir"/*/set_event_notrace_pid)" || :
	[ "$REPLY" = "$pid" ] || fail "left out is \"$REPLY\", not $pid"
	stop
	expect_empty "$err"
	[ "$(grep -c '"comm":"probed".*"function":"vfs_read".*"stack":\["vfs_read",' "$out")" -ge 10 ] || fail "$(<"$out")"
}

# ---- many, and others ---------------------------------------------------------

test_flood() {
	start functrace --strict --buffer 8M vfs_read
	burst call 5000 /dev/zero >/dev/null &
	wait $!
	stop
	expect_status 0
	grep -c -- "-$! .*: vfs_read <-ksys_read\$" "$out" >rows || :
	expect_rows rows <<<5000
}

# What comes while the names of functions are read, which takes long, has room: 2.8 MB.
test_flood_at_once() {
	start functrace --strict vfs_read
	kill -STOP "$pid"
	burst call 100000 /dev/zero >/dev/null &
	wait $!
	kill -CONT "$pid"
	stop
	expect_status 0
	grep -c -- "-$! .*: vfs_read <-ksys_read\$" "$out" >rows || :
	expect_rows rows <<<100000
}

# They are read at the start: later the kernel does not know them any more.
once_module_that_goes() {
	null_disk
	start functrace --json :mod:null_blk
	kill -STOP "$pid"
	head -c 4096 /dev/nullb0 >/dev/null
	rmmod null_blk
	kill -CONT "$pid"
	stop
	grep -qx null_queue_rq <(jq -r 'select(.module == "null_blk") | .function' "$out") ||
		fail "no row: $(head -n 3 "$out")"
	jq -r 'select(.module != "null_blk" or .function == null)' "$out" >have
	expect_empty have
}

test_losses_are_told() {
	start functrace --strict --buffer 64K vfs_read
	kill -STOP "$pid"
	burst call 10000 /dev/zero >/dev/null
	kill -CONT "$pid"
	stop
	expect_status 1
	grep -q '^\[LOST .*EVENTS on CPU [01]\]$' "$out" || fail "not in the output"
	grep -q '^functrace: [0-9]* events were lost: the buffer was full' "$err" || fail "$(<"$err")"
}

once_limits() {
	expect_exit 1 functrace '*'
	expect_match "$err" <<<'functrace: [1-9]*[0-9][0-9][0-9][0-9] functions match, which is more than 1000 (-F traces them all the same)'
	expect_exit 1 functrace --args 'tcp_*'
	expect_match "$err" <<<'functrace: [1-9][0-9][0-9] functions match, which is more than 100 with -s or --args (-F traces them all the same)'
	expect_exit 1 functrace -s 'tcp_*'
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

# Of more functions than there may be probes, and of probes.
test_sigkill() {
	local load probes
	start functrace 'vfs_*' 'tcp_*' do_nanosleep
	probed sleep 1
	burst call 20000 /dev/zero >/dev/null &
	load=$!
	until_true 60 grep -q ' probed-.*: do_nanosleep <-hrtimer_nanosleep$' "$out" || fail "no row"
	stop KILL
	kill $load 2>/dev/null || :
	wait $load || :
	settle
	burst call 50000 /dev/zero >/dev/null &
	load=$!
	start functrace -s 'vfs_rea[d]'
	probes=$out
	wait_lines "$probes" 100
	stop KILL
	settle
	kill $load 2>/dev/null || :
	wait $load || :
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
	expect_error 1 'functrace: the kernel has no function vfs_read:mod:9p that can be traced' functrace 9p:vfs_read
	expect_error 1 'functrace: the kernel has no function nosuch* that can be traced' functrace --args 'nosuch*'
	expect_empty "$out"
}

host_wrong_use() {
	expect_error 2 'functrace: which function? (try functrace -h)' functrace
	expect_error 2 'functrace: function: it is empty (try functrace -h)' functrace ' '
	expect_error 2 'functrace: function !vfs_read: no function begins with "!" (try functrace -h)' functrace '!vfs_read'
	expect_error 2 'functrace: function 5: no function begins with "5" (try functrace -h)' functrace 5
	expect_error 2 'functrace: function 9p: no function begins with "9" (try functrace -h)' functrace 9p:9p
	expect_exit 2 functrace vfs_read:traceoff:5
	expect_exit 2 functrace -p 1 -L 1 vfs_read
}

once_nothing_called() {
	expect_exit 0 functrace -d 0.1 -L $$ -x vfs_write vfs_unlink vfs_write vfs_rmdir
	expect_rows "$err" <<<"functrace: 2 functions were traced: no call issued by TID $$"
	expect_rows "$out" <<-END
	Tracing "vfs_unlink vfs_write vfs_rmdir" for TID $$ for 0.1 seconds (buffered)...

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
	name=$(awk '/^[a-z_]+$/ { n[$1]++ } END { for (name in n) if (n[name] == 2) { print name; exit } }' "$tracefs/available_filter_functions")
	[ "$name" ] || skip "no two functions have the same name"
	expect_exit 0 functrace -s -d 0.1 -n '^nobody$' vfs_rmdir "$name"
	expect_rows "$err" <<-END
	functrace: 2 of 3 functions are left out: of the same name as another, or not to be probed
	functrace: 1 function was traced: no call issued by process name "^nobody\$"
	END
}

# What each record calls for its time makes no records, unless asked for by name.
test_clock_of_records() {
	clock_function
	trace "${reads%?}*" do_nanosleep -- sleep 1
	expect_clock_left_out functrace rows
	grep -v "^$reads" rows >have
	expect_rows have <<<'do_nanosleep <-hrtimer_nanosleep'
	trace "$reads" -- sleep 1
	expect_clock_by_name functrace rows
	# nor are they asked for where -x names them; but it leaves nothing else here
	trace -x "$reads" "${reads%?}*" do_nanosleep -- sleep 1
	expect_empty "$err"
	expect_rows rows <<<'do_nanosleep <-hrtimer_nanosleep'
	trace -x do_nanosleep "*${reads#?}" do_nanosleep -- sleep 1
	expect_clock_by_name functrace rows
}
