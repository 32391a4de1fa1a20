# shellcheck shell=bash disable=SC2016 # $retval is the kernel's
# SPDX-License-Identifier: GPL-2.0-or-later
# funcslower in a guest. A sleep is never shorter than it was asked to be, but
# may be longer by as much as the machine is busy: so nothing is said of how
# long a call takes at most.

# trace ACT... -- ARG...: rows of what the workload does, as JSON
trace() {
	local acts=()
	while [ "$1" != -- ]; do acts+=("$1"); shift; done
	shift
	start funcslower --json -n '^probed$' "$@"
	probed "${acts[@]}"
	stop
	expect_status 0
}

# only KEY...: these members of each object, in file rows
only() {
	local key script=''
	for key; do script+="match(\$0, /\"$key\":(\"[^\"]*\"|\\{[^}]*\\}|[^,}]*)/) { l = l \" \" substr(\$0, RSTART + length(\"$key\") + 3, RLENGTH - length(\"$key\") - 3) } "; done
	awk "{ l = \"\" } $script { print substr(l, 2) }" "$out" >rows
}

# is_asleep PID: it is probed, which waits for nothing but in nanosleep(2)
is_asleep() {
	local stat=
	read -r stat <"/proc/$1/stat" || :
	[[ $stat == *'(probed) S '* ]]
}

first_check() { expect_exit 0 funcslower --check; }

first_row() {
	trace sleep 1 -- do_nanosleep 0
	only comm function
	expect_rows rows <<<'"probed" "do_nanosleep"'
}

# expect_tracer: the tool's graph tracer measures calls, and there are no probes
expect_tracer() {
	has_tracer || fail "the graph tracer is not used"
	[ "$(<"$tracefs/tracing_thresh")" != 0 ] || fail "there is no threshold"
	[ ! -s "$tracefs/kprobe_events" ] || fail "there are probes: $(<"$tracefs/kprobe_events")"
}

has_tracer() {
	grep -qx function_graph "$tracefs/current_tracer" "$tracefs/instances/tl_funcslower_$pid/current_tracer"
}

# expect_probes NAME: there are some on this function
expect_probes() {
	grep -q " $1\b" "$tracefs/kprobe_events" || fail "there are no probes on $1"
}

first_slow_row() {
	start funcslower --json -n '^probed$' do_nanosleep 50000
	expect_tracer
	probed sleep 1 sleep 60 sleep 1
	stop
	expect_status 0
	only duration comm function
	awk '$1 < 0.05 { bad = 1 } $1 >= 0.06 { long++ } END { exit bad || !long }' rows || fail "$(<rows)"
	sed 's/^[^ ]* //' rows | sort -u >short
	expect_rows short <<<'"probed" "do_nanosleep"'
	expect_empty "$err"
}

# ---- lines --------------------------------------------------------------------

# The kernel's own tracer shows the same call first.
test_lines_are_those_of_the_kernel() {
	local letters option short
	cp "$(command -v probed)" longer-than-7
	echo do_nanosleep >"$tracefs/set_ftrace_filter"
	echo 100000 >"$tracefs/tracing_thresh"
	echo function_graph >"$tracefs/current_tracer"
	./longer-than-7 sleep 150
	for letters in '' Pt; do
		for option in abstime proc; do
			[ ! "$letters" ] || echo 1 >"$tracefs/options/funcgraph-$option"
		done
		sed '1d; /^ *---/d; / => /d; /^$/d' "$tracefs/trace" >"kernel$letters"
	done
	for option in abstime proc; do
		echo 0 >"$tracefs/options/funcgraph-$option"
	done
	echo nop >"$tracefs/current_tracer"
	echo 0 >"$tracefs/tracing_thresh"
	echo >"$tracefs/set_ftrace_filter"
	echo >"$tracefs/trace"
	start funcslower -H -n longer do_nanosleep 100000
	short=("$pid" "$out")
	start funcslower -HPt -n longer do_nanosleep 100000
	./longer-than-7 sleep 150
	stop
	sed '1,2d; /^$/d; /^Ending/d' "$out" >oursPt
	stop INT "${short[0]}"
	sed '1,2d; /^$/d; /^Ending/d' "${short[1]}" >ours
	for letters in '' Pt; do
		grep -q do_nanosleep "kernel$letters" || fail "the kernel has shown nothing"
		diff <(as_long "kernel$letters") <(as_long "ours$letters") || fail "other lines with '$letters'"
	done
}
# the kernel may need more digits for one of both, or a mark more
as_long() { sed 's/[0-9]/N/g; s/[@$] N[N.]* us */D us /; s/^[ N]\{5\}\.NNNNNN/T/' "$1"; }

host_columns() {
	local row cpu time
	capture funcslower
	run funcslower -r "$capture" -H
	expect_rows <(sed -n '/^#/p' "$out") <<-'END'
	# tracer: funcslower
	#
	# CPU  DURATION                  FUNCTION CALLS
	# |     |   |                     |   |   |   |
	END
	row='\* [1-9]*.[0-9][0-9] us |    } /\* do_nanosleep \*/'
	cpu=' [01]) ' time='  *[0-9].[0-9][0-9][0-9][0-9][0-9][0-9] | '
	run funcslower -r "$capture" -t
	expect_match <(sed -n 2p "$out") <<<"$time $cpu$row"
	run funcslower -r "$capture" -P
	expect_match <(sed -n 2p "$out") <<<"$cpu  probed-[1-9]*  | $row"
	run funcslower -r "$capture" -a
	expect_match <(sed '7,$d' "$out") <<-END
	Tracing "do_nanosleep hrtimer_nanosleep" issued by process name "probed" slower than 20000 us... Ctrl-C to end.
	# tracer: funcslower
	#
	#     TIME        CPU  TASK/PID         DURATION                  FUNCTION CALLS
	#      |          |     |    |           |   |                     |   |   |   |
	$time $cpu  probed-[1-9]*  | $row
	END
	expect_empty "$err"
}

# Ordered by the time of the return: the inner call comes first.
test_calls_in_calls() {
	trace sleep 20 sleep 1 -- do_nanosleep hrtimer_nanosleep 0
	only duration function
	awk '{ print $2 }
		NR % 2 { inner = $1 }
		NR % 2 == 0 && $1 < inner { print "shorter than what is in it" }
		NR <= 2 && $1 < 0.02 { print "too short" }' rows >functions
	expect_rows functions <<-END
	"do_nanosleep"
	"hrtimer_nanosleep"
	"do_nanosleep"
	"hrtimer_nanosleep"
	END
}

# The guest's root is an overlay, whose files are files of another file system.
test_a_function_in_itself() {
	echo >known
	start funcslower --ret -n '^probed$' vfs_unlink 0
	probed open known
	stop
	sed -n 's/.* us *|\( *} .*\)/\1/p' "$out" >rows
	expect_rows rows <<<$'    } /* vfs_unlink = 0 */\n  } /* vfs_unlink = 0 */'
	expect_empty "$err"
}

# ---- which calls --------------------------------------------------------------------

# Three at once: of those that are slower, of those that are without their sleep,
# and of those that nothing is as slow as.
test_threshold() {
	local pids outs
	start funcslower --json -C -n '^probed$' do_nanosleep 1000000
	pids=("$pid") outs=("$out")
	start funcslower --json -n '^probed$' do_nanosleep 3600000000.5
	pids+=("$pid") outs+=("$out")
	trace sleep 1 sleep 120 sleep 1 sleep 2000 sleep 1 -- do_nanosleep 100000
	only duration
	# that a short one took that long is not excluded, but that a long one did not is
	awk '$1 < 0.1 { bad = 1 } $1 >= 0.12 { long++ } END { exit bad || long < 2 || NR > 5 }' rows || fail "$(<rows)"
	stop INT "${pids[0]}"
	expect_status 0
	stop INT "${pids[1]}"
	expect_status 0
	expect_empty "${outs[@]}"
}

# What began before the run has no beginning here.
test_began_before() {
	local sleeper
	probed sleep 3000 &
	sleeper=$!
	until_true 60 is_asleep $sleeper || fail "does not sleep"
	start funcslower --json do_nanosleep 1000000
	if ! is_asleep $sleeper; then	# it took too long
		stop
		probed sleep 30000 &
		sleeper=$!
		until_true 60 is_asleep $sleeper || fail "does not sleep"
		start funcslower --json do_nanosleep 1000000
		is_asleep $sleeper || fail "does not sleep any more"
	fi
	wait $sleeper
	stop
	! grep "\"tid\":$sleeper," "$out" || fail "$(<"$out")"
}

# ---- by the graph tracer ------------------------------------------------------

# So many records as a quick call would make do not fit into the buffer.
test_quick_calls_are_not_recorded() {
	start funcslower --json --strict --buffer=16K -n '^probed$' vfs_read do_nanosleep 1000000
	kill -STOP "$pid"
	probed reads 20000 sleep 1050
	kill -CONT "$pid"
	stop
	expect_status 0
	expect_empty "$err"
	only duration function
	grep -q '^1\.[0-9]* "do_nanosleep"$' rows || fail "$(<rows)"
}

# What is inside comes first, and is indented.
test_traced_calls_in_calls() {
	start funcslower -n '^probed$' 'hrtimer_nanoslee[p]' do_nanosleep 300000
	expect_tracer
	probed sleep 1 sleep 350 sleep 1
	stop
	sed -n 's/.* us *|\( *} .*\)/\1/p' "$out" >rows
	expect_rows rows <<<$'    } /* do_nanosleep */\n  } /* hrtimer_nanosleep */'
}

test_traced_module() {
	null_disk
	grep -q '^null_queue_rq.* \[null_blk\]' "$tracefs/available_filter_functions" || { rmmod null_blk; skip "no null_queue_rq"; }
	start funcslower --json --histogram null_blk:null_queue_rq vfs_read 1
	expect_tracer
	burst io 10 /dev/nullb0 >/dev/null
	stop
	rmmod null_blk
	expect_status 0
	grep -q '"function":"null_queue_rq"' "$out" || fail "$(<"$out")"
}

# One of two processes that do the same, and its children.
test_traced_process_and_children() {
	local asked other go
	mkfifo go
	exec {go}<>go
	# shellcheck disable=SC2016 # the shell in the guest expands it
	sleeps=(bash -c 'read -r _ <go; sleep 0.3; exit 0')
	"${sleeps[@]}" & asked=$!
	"${sleeps[@]}" & other=$!
	start funcslower --json --follow -p $asked do_nanosleep 200000
	expect_tracer
	printf '\n\n' >&"$go"
	wait $asked $other
	stop
	only comm function
	expect_rows rows <<<'"sleep" "do_nanosleep"'
}

# Where each call has to be recorded, somebody asks for that, or others use the tracer
# or its threshold, there are probes.
test_when_there_are_probes() {
	local first second option tracer dir=$tracefs/instances/other
	start funcslower do_nanosleep 0.5
	expect_probes do_nanosleep
	stop
	for option in -C --ret --probes; do
		start funcslower $option do_nanosleep 1000
		expect_probes do_nanosleep
		stop
	done
	start funcslower vfs_read do_nanosleep 1000000
	expect_tracer
	first=$pid
	start funcslower --json -n '^probed$' do_nanosleep 100000
	expect_probes do_nanosleep
	second=("$pid" "$out")
	probed sleep 110
	stop INT "$first"
	# it was in use, and is free again, as the second one has not got it
	start funcslower vfs_read 1000000
	has_tracer || fail "the graph tracer is locked"
	stop
	stop INT "${second[0]}"
	out=${second[1]}
	only function
	expect_rows rows <<<'"do_nanosleep"'
	echo 100 >"$tracefs/tracing_thresh"
	start funcslower do_nanosleep 1000
	expect_probes do_nanosleep
	stop
	echo 0 >"$tracefs/tracing_thresh"
	mkdir "$dir"
	for tracer in wakeup irqsoff osnoise; do
		! echo $tracer >"$dir/current_tracer" || break
	done 2>/dev/null
	if [ "$(<"$dir/current_tracer")" != nop ]; then
		start funcslower do_nanosleep 1000
		expect_probes do_nanosleep
		stop
		echo nop >"$dir/current_tracer"
	fi
	rmdir "$dir"
}

is_in_a_read() { grep -q vfs_read "/proc/$1/stack"; }

# A call that goes on may be the one that users look for.
test_threads_in_calls_at_the_end() {
	local reader fd
	mkfifo nothing
	exec {fd}<>nothing
	cp "$(command -v cat)" hangs	# a name that no other has
	start funcslower -n '^hangs$' vfs_read 3600000000
	expect_tracer
	./hangs <&"$fd" &
	reader=$!
	until_true 60 is_in_a_read $reader || fail "does not read"
	stop
	expect_status 0
	expect_rows "$err" <<<"funcslower: 1 thread is still in such a call, since when is not known: hangs ($reader)"
	kill $reader
}

test_capture_of_slow_calls() {
	start funcslower -w slow.dat -n '^probed$' do_nanosleep hrtimer_nanosleep 200000
	expect_tracer
	probed sleep 1 sleep 210
	stop
	expect_status 0
	run funcslower -r slow.dat
	sed -n 's/.* us *|\( *} .*\)/\1/p' "$out" >rows
	expect_rows rows <<<$'    } /* do_nanosleep */\n  } /* hrtimer_nanosleep */'
	run funcslower -r slow.dat 3600000000
	expect_rows <(sed -n 's/.* us *|\( *} .*\)/\1/p' "$out") </dev/null
	expect_error 1 'funcslower: this capture has calls of 200000 us and longer only (--probes records all)' funcslower -r slow.dat 100
	expect_error 1 'funcslower: this capture has no arguments, results or times asleep of calls' funcslower --ret -r slow.dat
	run funcslower --probes -r slow.dat
	grep -q do_nanosleep "$out" || fail "$(<"$err")"
}

# It is the same for all tracers of the kernel.
test_somebody_changes_the_threshold() {
	start funcslower --strict -n '^probed$' do_nanosleep 1000
	expect_tracer
	echo 2000 >"$tracefs/tracing_thresh"
	stop
	expect_status 1
	expect_rows "$err" <<<'funcslower: somebody else has changed tracing_thresh: slow calls may be missing since then'
}

test_traced_sigkill() {
	start funcslower vfs_read 1000
	expect_tracer
	stop KILL
	settle
}

# ---- calls that go on -----------------------------------------------------------

test_unfinished() {
	local sleeper
	start funcslower --json do_nanosleep do_exit 0.001
	probed sleep 1
	probed sleep 100000 &
	sleeper=$!
	until_true 60 is_asleep $sleeper || fail "does not sleep"
	nap
	stop
	kill $sleeper
	grep -q 'of the calls that have not returned yet .* slower than 0.001 us$' "$err" || fail "$(<"$err")"
}

# What an ending thread calls has a return, as its files have. The one that never
# returns is not one that has not returned yet.
test_calls_of_an_ending_thread() {
	start funcslower --json -n '^probed$' do_sys_openat2 exit_files filp_close do_exit 0.001
	probed reads 1
	probed reads 1
	stop
	expect_status 0
	only function
	sed -n 's/"filp_close"/&/; t; p' rows >others
	expect_rows others <<<$'"do_sys_openat2"\n"exit_files"\n"do_sys_openat2"\n"exit_files"'
	grep -qx '"filp_close"' rows || fail "$(<rows)"
	expect_empty "$err"
}

# has_stopped FILE: this tracing_on is 0, or its instance has gone
has_stopped() {
	local on=0
	{ read -r on <"$1" || :; } 2>/dev/null
	[ "$on" != 1 ]
}

# What the end of the run takes is no part of a call's time: here it waits for
# the reader of a full pipe, at most a second.
once_unfinished_while_it_ends() {
	local sleeper full began over
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		mkfifo pipe
		exec {full}<>pipe
		dd if=/dev/zero bs=65536 count=1 status=none >&"$full"
		to=pipe start funcslower --probes --json -n '^probed$' do_nanosleep 400000
		kill -STOP "$pid"
		probed sleep 500
		began=${EPOCHREALTIME/[.,]/}
		probed sleep 100000 &
		sleeper=$!
		until_true 60 is_asleep $sleeper || fail "does not sleep"
		kill -INT "$pid"
		kill -CONT "$pid"
		until_true 60 has_stopped "$tracefs"/instances/*/tracing_on || fail "it records still"
		over=${EPOCHREALTIME/[.,]/}
		read -rt 0.7 -u "$never" || :
		! gone "$pid" || over=$((began + 400000))
		timeout 60 cat pipe >/dev/null &
		finish
		kill $! $sleeper 2>/dev/null || :
		exec {full}>&-
		rm pipe
		# else it may have been that long before the end, or nobody has waited
		[ $((over - began)) -ge 400000 ] || break
	done
	[ $((over - began)) -lt 400000 ] || skip "this machine is too slow"
	! grep 'have not returned yet' "$err" || fail "that has just begun"
}

# ---- arguments and results --------------------------------------------------------------

test_arguments_and_result() {
	start funcslower --args --ret -n '^probed$' do_sys_openat2 vfs_read 0
	probed open "$work/known"
	probed open /nowhere/known 2>/dev/null || :
	stop
	expect_status 0
	sed -n "s#$work/#W/#; s/.*} //p" "$out" >rows
	expect_match rows <<-'END'
	/\* do_sys_openat2(dfd=-100, filename="W/known", how=0x*) = 3 \*/
	/\* vfs_read(file=0x*, buf=0x*, count=7, pos=0x*) = 7 \*/
	/\* vfs_read(file=0x*, buf=0x*, count=100, pos=0x*) = 8 \*/
	/\* do_sys_openat2(dfd=-100, filename="/nowhere/known", how=0x*) = -2 \*/
	END
	expect_empty "$err"
}

# Nothing is lost for a text that goes on, and what is to be read is none.
test_bytes_without_an_end() {
	start funcslower --strict --args -n '^probed$' vfs_write vfs_read 0
	probed bytes 3 bytes 8192
	stop
	expect_status 0
	expect_empty "$err"
	sed -n 's/.*vfs_write(.*\(buf=".*\), pos=.*/\1/p' "$out" >rows
	text_shown 8192
	expect_rows rows <<-END
	buf="aaa", count=3
	buf="$text"$cut, count=8192
	END
}

host_csv() {
	capture funcslower_args
	run funcslower -r "$capture" --csv
	sed '2,$s/[0-9]\.[0-9]*/T/g; s/^[0-9]*T/T/; s/,probed,\([0-9]*\),\1,[01],/,probed,P,P,C,/' "$out" >rows
	expect_match rows <<-END
	time,comm,pid,tid,cpu,function,duration,args,ret
	T,probed,P,P,C,do_sys_openat2,T,dfd=-100 filename=/*/known how=0x*,3
	END
}

# ---- several functions ---------------------------------------------------------------------

# Some overlap: no call is shown twice.
test_several_patterns() {
	trace open known sleep 1 -- 'vfs_rea[d]' 'vfs_r[e]ad' 'do_nanoslee?' vfs_write vfs_read 0
	only function
	expect_rows rows <<<$'"vfs_write"\n"vfs_read"\n"vfs_read"\n"do_nanosleep"'
}

# So many that one probe serves them all, where there are such probes.
test_glob() {
	trace open known -- 'vfs_[r-z]*' 0
	only function
	grep -E '"vfs_(read|write)"' rows >short || :
	expect_rows short <<<$'"vfs_write"\n"vfs_read"\n"vfs_read"'
	expect_empty "$err"
}

# One probe for all needs their addresses.
once_glob_without_addresses() {
	until_end /proc/sys/kernel/kptr_restrict 2
	test_glob
}

test_glob_with_arguments() {
	trace open known fork -- --args --ret 'vfs_rea[d]' 'vfs_writ[e]' 'wake_up_new_tas[k]' 0 >/dev/null
	only function ret args
	# after the child it prints its number
	sed 's/{.*"count":\([0-9]*\).*/\1/; s/{"p":"0x[0-9a-f]*"}/p/; 4q' rows >short
	expect_rows short <<<$'"vfs_write" 11 11\n"vfs_read" 7 7\n"vfs_read" 8 100\n"wake_up_new_task" null p'
	expect_error 1 'funcslower: $retval: wake_up_new_task returns nothing (void)' funcslower --ret wake_up_new_task 0
}

test_too_many() {
	expect_exit 1 funcslower 'do_*' 1000
	expect_match "$err" <<<'funcslower: [1-9][0-9][0-9] functions match, which is more than 100 (-F traces them all the same)'
	has_fprobes || skip "it takes long here"
	trace sleep 20 -- -F 'do_*' 20000
	grep -q '"function":"do_nanosleep"' "$out" || fail "$(<"$out")"
}

# By name, and by a pattern with arguments: that there are none is said.
test_module() {
	local first name typed=''
	null_disk
	grep -q '^null_queue_rq.* \[null_blk\]' "$tracefs/available_filter_functions" || { rmmod null_blk; skip "no null_queue_rq"; }
	start funcslower --json null_blk:null_queue_rq 0
	first=("$pid" "$out")
	start funcslower --json --args 'null_blk:null_queue_r[q]' 0
	burst io 10 /dev/nullb0 >/dev/null
	stop
	expect_status 0
	stop INT "${first[0]}"
	expect_status 0
	[ ! -e /sys/kernel/btf/null_blk ] || typed=1
	rmmod null_blk
	for name in "${first[1]}" "$out"; do
		grep -c '"function":"null_queue_rq"' "$name" >count || :
		[ "$(<count)" -ge 10 ] || fail "$(<count) rows"
	done
	[ "$typed" ] || expect_rows "$err" <<-END
	funcslower: 1 of 1 functions are shown without arguments: the kernel's BTF does not know them, or a probe cannot fetch them
	END
}

# ---- which threads ----------------------------------------------------------------------------

# Both at once, of the same family of processes.
test_process_and_children() {
	local child job go first
	mkdir -p /mnt/w
	mkfifo go
	: >family-pid
	family <go >family-pid &
	job=$!
	exec {go}>go
	wait_lines family-pid 1
	read -r child <family-pid
	start funcslower --json --args -p "$child" do_sys_openat2 0
	first=("$pid" "$out")
	start funcslower --json --args -p "$child" --follow do_sys_openat2 0
	echo >&"$go"
	wait "$job"
	stop
	opened
	expect_rows rows <<<$'child\nchild-thread\ngrandchild\nmain\nnew-thread\nold-thread'
	stop INT "${first[0]}"
	out=${first[1]}
	opened
	expect_rows rows <<<$'main\nnew-thread\nold-thread'
	only pid
	[ "$(sort -u rows)" = "$child" ] || fail "$(sort rows | uniq -c)"
}
opened() { sed -n 's#.*"filename":"/mnt/w/\([^"]*\)".*#\1#p' "$out" | sort >rows; }

# ---- time asleep -----------------------------------------------------------------------------------

# 32 MiB take a millisecond on no machine.
test_busy_call_is_not_asleep() {
	start funcslower -C --json --ret -n '^dd$' vfs_read 1000
	dd if=/dev/zero of=/dev/null bs=32M count=1 2>/dev/null
	stop
	only ret
	grep -qx 33554432 rows || fail "$(<"$out")"
}

# ---- histogram ---------------------------------------------------------------------------------------

test_histogram() {
	start funcslower --histogram -n '^probed$' vfs_read do_nanosleep
	probed reads 1000 sleep 5 sleep 5
	stop
	grep '^function' "$out" >rows
	expect_rows rows <<<$'function: do_nanosleep\nfunction: vfs_read'
	awk '/->/ { n += $5 } /^function: vfs/ { first = n } END { exit first != 2 || n != 1002 }' "$out" || fail "$(<"$out")"
	# none of less than 4 ms
	awk '/^function: vfs/ { exit } /->/ && $5 { exit !($1 >= 4096) }' "$out" || fail "$(<"$out")"
	grep -qx '  >=(us) .. <(us)   : calls    |Distribution                          |' "$out" || fail "$(<"$out")"
}

once_histogram_as_json() {
	start funcslower --json --histogram --interval=0.2 -n '^probed$' vfs_read do_nanosleep 4000
	probed reads 1000 sleep 5 sleep 500 sleep 5
	stop
	only function count from
	awk '$1 == "\"do_nanosleep\"" { n += $2; if ($2 && $3 < 0.002048) exit 1 } END { exit n != 3 }' rows || fail "$(<rows)"
}

# ---- losses -------------------------------------------------------------------------------------------

# No entry meets the return of another call: each read has its own length.
test_losses_void_pairs() {
	local reader
	start funcslower --json --strict --args --ret --buffer=64K -n '^probed$' vfs_read 0
	kill -STOP "$pid"
	probed lengths 5000 sleep 100000 &	# stays: what began it is lost as well
	reader=$!
	until_true 60 is_asleep $reader || fail "does not sleep"
	kill -CONT "$pid"
	probed lengths 100
	stop
	expect_status 1
	kill $reader
	grep -q 'events were lost: the buffer was full' "$err" || fail "$(<"$err")"
	grep -v '"lost"' "$out" >kept
	out=kept
	only ret args
	sed 's/{.*"count":\([0-9]*\).*/\1/' rows >short
	[ "$(wc -l <short)" -gt 200 ] || fail "$(wc -l <short) rows"
	awk '$1 != $2 { bad = 1 } END { exit bad }' short || fail "$(awk '$1 != $2' short | head)"
}

# ---- with others, and the end ----------------------------------------------------------------------------

test_two_at_once() {
	local first
	start funcslower --json -n '^probed$' vfs_read 0
	first=("$pid" "$out")
	trace reads 500 sleep 1 -- vfs_read do_nanosleep 0
	only comm function
	uniq -c rows >counts
	stop INT "${first[0]}"
	out=${first[1]}
	only comm function
	uniq -c rows >>counts
	expect_rows <(sed 's/^ *//' counts) <<-END
	500 "probed" "vfs_read"
	1 "probed" "do_nanosleep"
	500 "probed" "vfs_read"
	END
}

test_sigkill_under_load() {
	local load
	start funcslower --json 'vfs_rea[d]' vfs_write 0
	burst call 100000 /dev/zero >/dev/null &
	load=$!
	until_true 60 [ -s "$out" ] || fail "no row"
	stop KILL
	settle
	kill $load 2>/dev/null || :
}

host_usage() {
	expect_error 2 'funcslower: which function? (try funcslower -h)' funcslower
	expect_error 2 'funcslower: which function? (try funcslower -h)' funcslower 1000
	expect_error 2 'funcslower: slower than how many microseconds? (try funcslower -h)' funcslower vfs_read
	expect_error 2 'funcslower: latency_us: the unit of "10x" is not us, ms, s, m or h (try funcslower -h)' funcslower vfs_read 10x
	expect_error 2 'funcslower: "vfs_read count" is no function: NAME, MODULE:NAME or a glob (try funcslower -h)' funcslower 'vfs_read count' 10
	expect_error 2 'funcslower: "vfs_read+4" is no function: NAME, MODULE:NAME or a glob (try funcslower -h)' funcslower vfs_read+4 10
	expect_error 2 'funcslower: --interval: "0.0001" is below a millisecond (try funcslower -h)' \
		funcslower --histogram --interval=0.0001 vfs_read
	expect_error 2 'funcslower: --interval is for --histogram (try funcslower -h)' funcslower --interval=1 vfs_read 10
	expect_error 2 'funcslower: --args and --ret are for calls, not for --histogram (try funcslower -h)' funcslower --histogram --ret vfs_read
}

# Probes would be taken all the same, and never be hit.
test_switched_off() {
	local off='funcslower: tracing of functions is switched off here: sysctl kernel.ftrace_enabled=1'
	until_end /proc/sys/kernel/ftrace_enabled 0
	expect_error 1 "$off" funcslower -d 0.1 vfs_read 0
	expect_error 1 "$off" funcslower --check
}

# A glob is not the same as a name, but the same function.
test_glob_and_name_of_one_with_a_suffix() {
	local name
	suffixed
	start funcslower --probes "$name*" "$name" 1000000000
	grep -c "^r.* $name\." "$tracefs/kprobe_events" >count || :
	stop
	expect_rows count <<<1
	start funcslower "$name" 1000000000
	expect_tracer
	cat "$tracefs"/{,instances/*/}set_ftrace_filter | grep -c "^$name\." >count || :
	stop
	expect_rows count <<<1
	expect_rows "$err" <<<"funcslower: the kernel has $name as $name.*"
}

once_banner_of_a_process() {
	expect_exit 0 funcslower -d 0.1 -p $$ -n '^x$' vfs_read 3600000000
	expect_rows "$out" <<-END
	Tracing "vfs_read" for PID $$ issued by process name "^x\$" slower than 3600000000 us for 0.1 seconds (buffered)...

	Ending tracing...
	END
}

once_globs_that_match_nothing() {
	expect_error 1 'funcslower: no function matches nosuch_*' funcslower 'nosuch_*' 10
	expect_error 1 'funcslower: no function matches nosuch_*' funcslower vfs_read 'nosuch_*' 10
	expect_error 1 'funcslower: no function matches nosuch_*' funcslower --args 'vfs_rea[d]' 'nosuch_*' 10
}

test_unknown_functions() {
	# no latency, but a module
	expect_exit 1 funcslower --histogram 9p:v9fs_nosuch
	expect_rows <(head -n 1 "$err") <<<'funcslower: the kernel has no function v9fs_nosuch'
	expect_exit 1 funcslower vfs_raed 10
	expect_rows "$err" <<-END
	funcslower: the kernel has no function vfs_raed
	funcslower: did you mean vfs_read?
	END
}

# The header stands as far from the processor's number as without so long a time.
host_header_over_long_times() {
	local format header row far
	capture funcslower
	for format in clock wall iso; do
		run funcslower -r "$capture" -at --time=$format
		header=$(sed -n 4p "$out") row=$(sed -n 6p "$out")
		header=${header%%CPU*} row=${row%%)*}
		: "${far:=$((${#header} - ${#row}))}"
		[ $((${#header} - ${#row})) = "$far" ] || fail "$format: $(sed -n 4,6p "$out")"
	done
}
