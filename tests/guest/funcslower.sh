# shellcheck shell=bash disable=SC2016 # $retval is the kernel's
# SPDX-License-Identifier: GPL-2.0-or-later
# funcslower in a guest. A sleep is never shorter than it was asked to be, but
# may be longer by as much as the machine is busy: so nothing is said of how
# long a call takes at most.

fprobes() { grep -q '<func-name>\[%return\]' "$tracefs/README"; }

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

# ---- lines --------------------------------------------------------------------

# The kernel's own tracer shows the same call first.
test_lines_are_those_of_the_kernel() {
	local letters option
	for letters in '' t P Pt; do
		cp "$(command -v probed)" longer-than-7
		echo do_nanosleep >"$tracefs/set_ftrace_filter"
		echo 100000 >"$tracefs/tracing_thresh"
		echo function_graph >"$tracefs/current_tracer"
		[[ $letters != *t* ]] || echo 1 >"$tracefs/options/funcgraph-abstime"
		[[ $letters != *P* ]] || echo 1 >"$tracefs/options/funcgraph-proc"
		./longer-than-7 sleep 150
		sed '1d; /^ *---/d; / => /d; /^$/d' "$tracefs/trace" >kernel
		for option in abstime proc; do
			[ ! -e "$tracefs/options/funcgraph-$option" ] || echo 0 >"$tracefs/options/funcgraph-$option"
		done
		echo nop >"$tracefs/current_tracer"
		echo 0 >"$tracefs/tracing_thresh"
		echo >"$tracefs/set_ftrace_filter"
		echo >"$tracefs/trace"
		start funcslower -H${letters:+ -$letters} -n longer do_nanosleep 100000
		./longer-than-7 sleep 150
		stop
		sed '1,2d; /^$/d; /^Ending/d' "$out" >ours
		grep -q do_nanosleep kernel || fail "the kernel has shown nothing"
		diff <(as_long kernel) <(as_long ours) || fail "other lines with '$letters'"
	done
}
# the kernel may need more digits for one of both, or a mark more
as_long() { sed 's/[0-9]/N/g; s/[@$] N[N.]* us */D us /; s/^[ N]\{5\}\.NNNNNN/T/' "$1"; }

test_all_columns() {
	start funcslower -a -n '^probed$' do_nanosleep 20000
	probed sleep 20
	stop
	expect_match "$out" <<-'END'
	Tracing "do_nanosleep" issued by process name "^probed$" slower than 20000 us... Ctrl-C to end.
	# tracer: funcslower
	#
	#     TIME        CPU  TASK/PID         DURATION                  FUNCTION CALLS
	#      |          |     |    |           |   |                     |   |   |   |
	 *[0-9].[0-9][0-9][0-9][0-9][0-9][0-9] |   [01]) * probed-[1-9]*  | [*@$] [1-9]* us *|  } /\* do_nanosleep \*/

	Ending tracing...
	END
	expect_empty "$err"
}

test_duration_option() {
	expect_exit 0 funcslower -d 0.2 do_nanosleep 3600000000
	expect_rows "$out" <<-END
	Tracing "do_nanosleep" slower than 3600000000 us for 0.2 seconds (buffered)...

	Ending tracing...
	END
}

# Ordered by the time of the return: the inner call comes first.
test_calls_in_calls() {
	start funcslower -n '^probed$' do_nanosleep hrtimer_nanosleep 0
	probed sleep 2 sleep 1
	stop
	sed -n 's/.* us *|\( *} .*\)/\1/p' "$out" >rows
	expect_rows rows <<-END
	    } /* do_nanosleep */
	  } /* hrtimer_nanosleep */
	    } /* do_nanosleep */
	  } /* hrtimer_nanosleep */
	END
	trace sleep 20 -- hrtimer_nanosleep do_nanosleep 20000
	only duration
	awk 'NR == 1 { inner = $1 } END { exit !(NR == 2 && inner >= 0.02 && $1 >= inner) }' rows || fail "$(<rows)"
}

# The guest's root is an overlay, whose files are files of another file system.
test_a_function_in_itself() {
	echo >known
	trace open known -- --ret vfs_unlink 0
	only function ret
	expect_rows rows <<<$'"vfs_unlink" 0\n"vfs_unlink" 0'
	echo >known
	start funcslower -n '^probed$' vfs_unlink 0
	probed open known
	stop
	sed -n 's/.* us *|\( *} .*\)/\1/p' "$out" >rows
	expect_rows rows <<<$'    } /* vfs_unlink */\n  } /* vfs_unlink */'
}

# ---- which calls --------------------------------------------------------------------

test_threshold() {
	trace sleep 1 sleep 120 sleep 1 sleep 120 sleep 1 -- do_nanosleep 100000
	only duration
	# that a short one took that long is not excluded, but that a long one did not is
	awk '$1 < 0.1 { bad = 1 } $1 >= 0.12 { long++ } END { exit bad || long < 2 || NR > 5 }' rows || fail "$(<rows)"
	trace sleep 1 sleep 120 -- do_nanosleep 3600000000.5
	expect_empty "$out"
}

test_every_call_with_0() {
	trace reads 1000 -- vfs_read 0
	only comm function
	[ "$(sort -u rows)" = '"probed" "vfs_read"' ] || fail "$(sort rows | uniq -c)"
	[ "$(wc -l <rows)" = 1000 ] || fail "$(wc -l <rows) rows"
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

# Nor do others that have ended, or calls that never return, count as such.
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
	start funcslower --json -n '^probed$' do_sys_openat2 do_exit 0.001
	probed reads 1
	probed reads 1
	stop
	expect_empty "$err"
	only function
	expect_rows rows <<<$'"do_sys_openat2"\n"do_sys_openat2"'
}

# What an ending thread calls has a return, as its files have.
test_calls_of_an_ending_thread() {
	trace sleep 1 -- exit_files filp_close do_exit 0
	only function
	grep -qx '"filp_close"' rows || fail "$(<rows)"
	[ "$(tail -n 1 rows)" = '"exit_files"' ] || fail "$(<rows)"
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
test_unfinished_while_it_ends() {
	local sleeper full began over
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		mkfifo pipe
		exec {full}<>pipe
		dd if=/dev/zero bs=65536 count=1 status=none >&"$full"
		to=pipe start funcslower --json -n '^probed$' do_nanosleep 400000
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
	start funcslower --args --ret -n '^probed$' vfs_read 0
	probed open known
	stop
	sed -n 's/.*} //p' "$out" >rows
	expect_match rows <<-'END'
	/\* vfs_read(file=0x*, buf=*, count=7, pos=0x*) = 7 \*/
	/\* vfs_read(file=0x*, buf="lo worl", count=100, pos=0x*) = 8 \*/
	END
	start funcslower --ret -n '^probed$' vfs_read 0
	probed open known
	stop
	sed -n 's/.*} //p' "$out" >rows
	expect_rows rows <<<$'/* vfs_read = 7 */\n/* vfs_read = 8 */'
	expect_empty "$err"
}

test_arguments_as_json() {
	trace open "$work/known" -- --args --ret do_sys_openat2 0
	only function ret args
	sed 's/"how":[0-9]*/"how":N/' rows >short
	expect_rows short <<<"\"do_sys_openat2\" 3 {\"dfd\":-100,\"filename\":\"$work/known\",\"how\":N}"
}

test_failed_call() {
	start funcslower --json --ret -n '^probed$' do_sys_openat2 0
	probed open /nowhere/known 2>/dev/null || :
	stop
	only ret args
	expect_rows rows <<<'-2 null'
}

test_nothing_to_return() {
	expect_error 1 'funcslower: $retval: wake_up_new_task returns nothing (void)' funcslower --ret wake_up_new_task 0
	trace fork -- --ret 'wake_up_new_tas[k]' 0 >/dev/null
	only function ret
	expect_rows rows <<<'"wake_up_new_task" null'
}

test_csv() {
	start funcslower --csv --ret -n '^probed$' vfs_read 0
	probed open known
	stop
	sed '2,$s/[0-9]\.[0-9]*/T/g; s/^[0-9]*T/T/; s/,probed,\([0-9]*\),\1,[01],/,probed,P,P,C,/' "$out" >rows
	expect_rows rows <<-END
	time,comm,pid,tid,cpu,function,duration,args,ret
	T,probed,P,P,C,vfs_read,T,,7
	T,probed,P,P,C,vfs_read,T,,8
	END
}

# ---- several functions ---------------------------------------------------------------------

test_several_patterns() {
	trace open known sleep 1 -- 'vfs_rea[d]' 'do_nanoslee?' vfs_write vfs_read 0
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

# They overlap: no call is shown twice.
test_overlapping_globs() {
	trace open known -- 'vfs_rea[d]*' 'vfs_r[e]ad' 0
	only function
	grep -c '^"vfs_read"$' rows >count || :
	expect_rows count <<<2
}

test_glob_with_arguments() {
	trace open known -- --args --ret 'vfs_rea[d]' 'vfs_writ[e]' 0
	only function ret args
	sed 's/{.*"count":\([0-9]*\).*/\1/' rows >short
	expect_rows short <<<$'"vfs_write" 11 11\n"vfs_read" 7 7\n"vfs_read" 8 100'
}

test_too_many() {
	local n
	n=$(grep -cE '^do_[^ ]*( |$)' "$tracefs/available_filter_functions")
	[ "$n" -gt 100 ] || skip "only $n functions"
	expect_exit 1 funcslower 'do_*' 1000
	expect_match "$err" <<<'funcslower: [1-9][0-9][0-9] functions match, which is more than 100 (-F traces them all the same)'
	fprobes || return 0	# it takes long without
	trace sleep 20 -- -F 'do_*' 20000
	grep -q '"function":"do_nanosleep"' "$out" || fail "$(<"$out")"
}

test_module() {
	null_disk
	grep -q '^null_queue_rq.* \[null_blk\]' "$tracefs/available_filter_functions" || { rmmod null_blk; skip "no null_queue_rq"; }
	start funcslower --json null_blk:null_queue_rq 0
	burst io 10 /dev/nullb0 >/dev/null
	stop
	rmmod null_blk
	grep -c '"function":"null_queue_rq"' "$out" >count || :
	[ "$(<count)" -ge 10 ] || fail "$(<count) rows"
}

# ---- which threads ----------------------------------------------------------------------------

# openers ARG...: who of a family of processes is seen to open its file
openers() {
	local child
	mkdir -p /mnt/w
	mkfifo -m 600 go
	: >family-pid
	family <go >family-pid &
	exec {go}>go
	wait_lines family-pid 1
	read -r child <family-pid
	start funcslower --json --args -p "$child" "$@" do_sys_openat2 0
	echo >&"$go"
	wait "$(jobs -p %family)"
	exec {go}>&-
	stop
	rm go
	sed -n 's#.*"filename":"/mnt/w/\([^"]*\)".*#\1#p' "$out" | sort >rows
}

test_process() {
	openers
	expect_rows rows <<<$'main\nnew-thread\nold-thread'
	only pid
	[ "$(sort -u rows)" = "$(<family-pid)" ] || fail "$(sort rows | uniq -c)"
}

test_process_and_children() {
	openers --follow
	expect_rows rows <<<$'child\nchild-thread\ngrandchild\nmain\nnew-thread\nold-thread'
}

# ---- time asleep -----------------------------------------------------------------------------------

test_without_sleep() {
	trace sleep 2000 -- -C do_nanosleep 1000000
	expect_empty "$out"
	trace sleep 2000 -- do_nanosleep 1000000
	[ "$(wc -l <"$out")" = 1 ] || fail "$(<"$out")"
}

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

test_histogram_as_json() {
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
	start funcslower --json --args --ret --buffer=64K -n '^probed$' vfs_read 0
	kill -STOP "$pid"
	probed lengths 20000 sleep 100000 &	# stays: what began it is lost as well
	reader=$!
	until_true 60 is_asleep $reader || fail "does not sleep"
	kill -CONT "$pid"
	probed lengths 100
	stop
	kill $reader
	grep -q 'events were lost: the buffer was full' "$err" || fail "$(<"$err")"
	grep -v '"lost"' "$out" >kept
	out=kept
	only ret args
	sed 's/{.*"count":\([0-9]*\).*/\1/' rows >short
	[ "$(wc -l <short)" -gt 200 ] || fail "$(wc -l <short) rows"
	awk '$1 != $2 { bad = 1 } END { exit bad }' short || fail "$(awk '$1 != $2' short | head)"
}

test_strict() {
	start funcslower --json --strict --buffer=64K vfs_read 0
	kill -STOP "$pid"
	probed reads 20000
	kill -CONT "$pid"
	stop
	expect_status 1
}

# ---- with others, and the end ----------------------------------------------------------------------------

test_two_at_once() {
	local first first_out
	start funcslower --json -n '^probed$' vfs_read 0
	first=$pid first_out=$out
	trace reads 500 sleep 1 -- vfs_read do_nanosleep 0
	stop INT "$first"
	[ "$(wc -l <"$first_out")" = 500 ] || fail "$(wc -l <"$first_out") of 500"
	[ "$(wc -l <"$out")" = 501 ] || fail "$(wc -l <"$out") of 501"
}

test_sigkill_under_load() {
	local load
	start funcslower --json 'vfs_rea[d]' vfs_write 0
	burst call 100000 /dev/zero >/dev/null &
	load=$!
	wait_lines "$out" 100
	stop KILL
	settle
	kill $load 2>/dev/null || :
}

test_usage() {
	expect_error 2 'funcslower: which function? (try funcslower -h)' funcslower
	expect_error 2 'funcslower: which function? (try funcslower -h)' funcslower 1000
	expect_error 2 'funcslower: slower than how many microseconds? (try funcslower -h)' funcslower vfs_read
	expect_error 2 'funcslower: latency_us: "10x" is not a number of microseconds (try funcslower -h)' funcslower vfs_read 10x
	expect_error 2 'funcslower: "vfs_read count" is no function: NAME, MODULE:NAME or a glob (try funcslower -h)' funcslower 'vfs_read count' 10
	expect_error 2 'funcslower: "vfs_read+4" is no function: NAME, MODULE:NAME or a glob (try funcslower -h)' funcslower vfs_read+4 10
	expect_error 2 'funcslower: --interval is for --histogram (try funcslower -h)' funcslower --interval=1 vfs_read 10
	expect_error 2 'funcslower: --args and --ret are for calls, not for --histogram (try funcslower -h)' funcslower --histogram --ret vfs_read
	# no latency, but a module
	expect_exit 1 funcslower --histogram 9p:v9fs_nosuch
	expect_exit 0 funcslower --check
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
	start funcslower "$name*" "$name" 1000000000
	grep -c "^r.* $name\." "$tracefs/kprobe_events" >count || :
	stop
	expect_rows count <<<1
}

# That there are none is said.
test_glob_without_arguments() {
	null_disk
	if [ -e /sys/kernel/btf/null_blk ] || ! grep -q '^null_queue_rq.* \[null_blk\]' "$tracefs/available_filter_functions"; then
		rmmod null_blk
		skip "its functions' types are known"
	fi
	start funcslower --args 'null_blk:null_queue_r[q]' 0
	stop
	rmmod null_blk
	expect_rows "$err" <<<"funcslower: 1 of 1 functions are shown without arguments: the kernel's BTF does not know them, or a probe cannot fetch them"
}

test_banner_of_a_process() {
	expect_exit 0 funcslower -d 0.1 -p $$ -n '^x$' vfs_read 1000
	expect_rows "$out" <<-END
	Tracing "vfs_read" for PID $$ issued by process name "^x\$" slower than 1000 us for 0.1 seconds (buffered)...

	Ending tracing...
	END
}

test_unknown_functions() {
	expect_error 1 'funcslower: no function matches nosuch_*' funcslower 'nosuch_*' 10
	expect_error 1 'funcslower: no function matches nosuch_*' funcslower vfs_read 'nosuch_*' 10
	expect_error 1 'funcslower: no function matches nosuch_*' funcslower --args 'vfs_rea[d]' 'nosuch_*' 10
	expect_exit 1 funcslower vfs_raed 10
	expect_rows "$err" <<-END
	funcslower: the kernel has no function vfs_raed
	funcslower: did you mean vfs_read?
	END
}
