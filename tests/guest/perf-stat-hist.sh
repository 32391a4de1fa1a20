# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# perf-stat-hist in a guest: values that are known, in both ways of counting.
# The workload uses pread64(), which nothing else here does.

ret=(syscalls:sys_exit_pread64 ret)

# in_both_modes FUNCTION ARG...: with $mode, which is to be given to the tool
in_both_modes() {
	mode=()
	"$@"
	[ -e "$tracefs/events/syscalls/sys_exit_pread64/hist" ] || return 0
	mode=(--in-kernel)
	"$@"
}

# expect_hist END...: what a workload gives
expect_hist() {
	stop
	expect_status 0
	expect_empty "$err"
	expect_rows "$out"
}

# has_counts LINE: those of the one histogram that a run with --csv gave
has_counts() {
	local count counts=''
	while IFS=, read -r _ _ _ count; do counts+=" $count"; done <"$out"
	[ "$counts" = " count $1" ] || fail "counted${counts# count}, not $1"
}

# expect_counts LINE: and all is well
expect_counts() {
	stop
	expect_status 0
	expect_empty "$err"
	has_counts "$1"
}

first_check() { expect_exit 0 perf-stat-hist --check; }

first_row() {
	start perf-stat-hist --csv -b '1 10' "${ret[@]}"
	values failing 2 reads 3 1
	expect_counts '2 3 0'
}

# side NAME ARG...: one of several at the same time. The loader of each uses
# pread64() too, which a filter has to leave out.
declare -A side_pid side_out side_err
side() {
	start perf-stat-hist "${@:2}"
	side_pid[$1]=$pid side_out[$1]=$out side_err[$1]=$err
}

# ended NAME [SIGNAL]: as after stop
ended() {
	pid=${side_pid[$1]} out=${side_out[$1]} err=${side_err[$1]}
	stop "${2-INT}"
}

# expect_side NAME LINE: it has counted that
expect_side() {
	pid=${side_pid[$1]} out=${side_out[$1]} err=${side_err[$1]}
	expect_counts "$2"
}

defaults() {
	start perf-stat-hist "${mode[@]}" "${ret[@]}"
	values failing 3 reads 5 0 reads 7 1 reads 40 100 reads 2 1048576 reads 1 1048575
	expect_hist <<-'END'
	Tracing syscalls:sys_exit_pread64, power-of-4, max 1048576, until Ctrl-C...

	            Range          : Count    Distribution
	              -> -1        : 3        |##                                    |
	            0 -> 0         : 5        |####                                  |
	            1 -> 3         : 7        |######                                |
	            4 -> 15        : 0        |                                      |
	           16 -> 63        : 0        |                                      |
	           64 -> 255       : 40       |######################################|
	          256 -> 1023      : 0        |                                      |
	         1024 -> 4095      : 0        |                                      |
	         4096 -> 16383     : 0        |                                      |
	        16384 -> 65535     : 0        |                                      |
	        65536 -> 262143    : 0        |                                      |
	       262144 -> 1048575   : 1        |#                                     |
	      1048576 ->           : 2        |#                                     |
	END
}
test_defaults() { in_both_modes defaults; }

one_point() {
	start perf-stat-hist "${mode[@]}" -b 10 "${ret[@]}"
	values reads 2 9 reads 3 10 reads 1 11
	expect_hist <<-'END'
	Tracing syscalls:sys_exit_pread64, specified buckets, until Ctrl-C...

	            Range          : Count    Distribution
	              -> 9         : 2        |###################                   |
	           10 ->           : 4        |######################################|
	END
}
once_one_point() { in_both_modes one_point; }

points() {
	start perf-stat-hist "${mode[@]}" -b '-10, -9 0,10	100' "${ret[@]}"
	values failing 4 reads 1 0 reads 1 9 reads 2 10 reads 1 99 reads 6 100 reads 1 5000
	expect_hist <<-'END'
	Tracing syscalls:sys_exit_pread64, specified buckets, until Ctrl-C...

	            Range          : Count    Distribution
	              -> -11       : 0        |                                      |
	          -10 -> -10       : 0        |                                      |
	           -9 -> -1        : 4        |#####################                 |
	            0 -> 9         : 2        |##########                            |
	           10 -> 99        : 3        |################                      |
	          100 ->           : 7        |######################################|
	END
}
once_points() { in_both_modes points; }

# Of what a system call is given the format does not say whether it has a sign.
signs() {
	start perf-stat-hist "${mode[@]}" --csv -b '-101 -100 -99' -f 'comm == "dd"' syscalls:sys_enter_openat dfd
	dd if=/dev/null of=/dev/null 2>/dev/null
	stop
	expect_status 0
	expect_empty "$err"
	grep -q ',-100,-99,[1-9]' "$out" || fail "$(<"$out")"
	expect_rows <(awk -F, 'NR > 1 && $2 != -100 { n += $4 } END { print n + 0 }' "$out") <<<0
}
test_signs() { in_both_modes signs; }

powers() {
	start perf-stat-hist "${mode[@]}" --csv -P 10 "${ret[@]}"
	values failing 1 reads 2 9 reads 3 10 reads 4 999999 reads 5 1000000
	expect_counts '1 0 2 3 0 0 0 4 5'
	start perf-stat-hist "${mode[@]}" --csv -P 2 -m 1025 "${ret[@]}"
	values reads 1 1 reads 2 2 reads 1 3 reads 4 512 reads 1 1024 reads 1 1025
	expect_counts '0 0 1 3 0 0 0 0 0 0 0 4 2'
	start perf-stat-hist "${mode[@]}" --csv -m 3 "${ret[@]}"
	values reads 2 3
	expect_counts '0 0 2'
}
test_powers() { in_both_modes powers; }

# The first line has the largest point that there is, not what -m asked for.
host_powers() {
	local max
	capture perf_stat_hist
	run perf-stat-hist -r "$capture" -P 10 -m 9999999
	expect_status 0
	expect_empty "$err"
	expect_rows "$out" <<-'END'
	Tracing syscalls:sys_exit_pread64 issued by process name "values", power-of-10, max 1000000, until Ctrl-C...

	            Range          : Count    Distribution
	              -> -1        : 3        |################                      |
	            0 -> 0         : 5        |###########################           |
	            1 -> 9         : 7        |######################################|
	           10 -> 99        : 0        |                                      |
	          100 -> 999       : 4        |#####################                 |
	         1000 -> 9999      : 0        |                                      |
	        10000 -> 99999     : 0        |                                      |
	       100000 -> 999999    : 0        |                                      |
	      1000000 ->           : 0        |                                      |
	END
	for max in 1:3 3:3 1M:13 9223372036854775807:34; do
		run perf-stat-hist -r "$capture" --csv -P 4 -m "${max%:*}"
		expect_status 0
		[ "$(wc -l <"$out")" = $((${max#*:} + 1)) ] || fail "-m ${max%:*}: $(wc -l <"$out") lines"
	done
}

filters() {
	start perf-stat-hist "${mode[@]}" -f 'ret == 100 || ret < 0' "${ret[@]}"
	values failing 1 reads 5 1 reads 2 100
	stop
	expect_empty "$err"
	expect_match "$out" <<-'END'
	Tracing syscalls:sys_exit_pread64 (Filter: ret == 100 || ret < 0), power-of-4, max 1048576, until Ctrl-C...

	 *
	              -> -1        : 1 *
	            0 -> 0         : 0 *
	            1 -> 3         : 0 *
	            4 -> 15        : 0 *
	           16 -> 63        : 0 *
	           64 -> 255       : 2 *
	 *
	 *
	 *
	 *
	 *
	 *
	 *
	END
	run timeout -k 5 100 perf-stat-hist "${mode[@]}" -f 'nosuch == 1' "${ret[@]}"
	expect_status 1
	expect_empty "$out"
	grep -q '^perf-stat-hist: filter of syscalls:sys_exit_pread64: Field not found$' "$err" ||
		fail "$(cat "$err")"
}
test_filters() { in_both_modes filters; }

# No event is in two intervals, or in none.
intervals() {
	start perf-stat-hist "${mode[@]}" --csv -i 0.2 -b '1 2' "${ret[@]}"
	values slowly 60 10 failing 3
	stop
	expect_empty "$err"
	awk -F, 'NR == 1 { next } $2 == "" { rows++; early += $1 <= last; last = $1; full += seen; seen = 0 }
		$1 != last { other++ } { sum[$2] += $4; n++ } $2 == 1 && $4 { seen = 1 }
		END { full += seen; print sum[""], sum[1], sum[2], n - 3 * rows, early + 0, other + 0; exit full < 2 || rows < 3 }' \
		"$out" >sums || fail "too few intervals: $(<"$out")"
	expect_rows sums <<<'3 60 0 0 0 0'
}
test_intervals() { in_both_modes intervals; }

interval_text() {
	start perf-stat-hist "${mode[@]}" -i 0.2 -b 1 -d 0.5 "${ret[@]}"
	finish
	expect_rows "$out" <<-'END'
	Tracing syscalls:sys_exit_pread64, specified buckets, every 0.2 seconds, for 0.5 seconds...

	            Range          : Count    Distribution
	              -> 0         : 0        |                                      |
	            1 ->           : 0        |                                      |

	            Range          : Count    Distribution
	              -> 0         : 0        |                                      |
	            1 ->           : 0        |                                      |

	            Range          : Count    Distribution
	              -> 0         : 0        |                                      |
	            1 ->           : 0        |                                      |
	END
}
test_interval_text() { in_both_modes interval_text; }

durations() {
	local began=$SECONDS
	start perf-stat-hist "${mode[@]}" -b 1 "${ret[@]}" 2
	values reads 3 1
	finish
	expect_status 0
	expect_rows "$out" <<-'END'
	Tracing syscalls:sys_exit_pread64, specified buckets, for 2 seconds...

	            Range          : Count    Distribution
	              -> 0         : 0        |                                      |
	            1 ->           : 3        |######################################|
	END
	[ $((SECONDS - began)) -ge 2 ] || fail "ended early"
	start perf-stat-hist "${mode[@]}" --csv -b 1 -d 0.3 "${ret[@]}"
	finish
	expect_status 0
	has_counts '0 0'
}
once_durations() { in_both_modes durations; }

host_data() {
	capture perf_stat_hist
	run perf-stat-hist -r "$capture" --csv -b '1 10 101'
	expect_status 0
	expect_rows <(sed '2,$s/^[0-9]*\.[0-9]*/1/' "$out") <<-'END'
	time,from,to,count
	1,,1,8
	1,1,10,7
	1,10,101,4
	1,101,,0
	END
}

edges='-1 0 1 128 256 32768 65536 2147483648 4294967296 9223372036854775807'

# All at once; $1 of the values of "seeks" is what the other words say.
widths() {
	local line
	local lines=('s64 2 1 1 2 2 2 2 2 2 1 1' 'u64 0 0 1 2 2 2 2 2 2 1 4' \
		's32 2 3 3 2 2 2 2 2 0 0 0' 'u32 0 0 3 2 2 2 2 2 5 0 0' \
		's16 2 5 5 2 2 2 0 0 0 0 0' 'u16 0 0 5 2 2 2 7 0 0 0 0' \
		's8 2 7 7 2 0 0 0 0 0 0 0' 'u8 0 0 7 2 9 0 0 0 0 0 0')
	for line in "${lines[@]}"; do
		side "${line%% *}" "${mode[@]}" --csv -f 'fd == -1' -b "$edges" byhand:seek "${line%% *}"
	done
	values seeks
	for line in "${lines[@]}"; do expect_side "${line%% *}" "${line#* }"; done
}
# fd and offset are in the registers that the entry gets the address of
by_hand() {
	local type args='' entry=__x64_sys_lseek fd=112 offset=104
	[ "$(uname -m)" != aarch64 ] || entry=__arm64_sys_lseek fd=0 offset=8
	for type in s64 u64 s32 u32 s16 u16 s8 u8; do args+=" $type=+$offset(\$arg1):$type"; done
	echo "p:byhand/seek $entry fd=+$fd(\$arg1):s32$args" >>"$tracefs/dynamic_events"
	widths
	echo '-:byhand/seek' >>"$tracefs/dynamic_events"
}
# The kernel prints what it has counted by width, where it counts.
test_widths() {
	mode=()
	[ ! -e "$tracefs/events/syscalls/sys_exit_pread64/hist" ] || mode=(--in-kernel)
	by_hand
}
test_widths_of_records() {
	mode=()
	by_hand
}

huge() {
	start perf-stat-hist "${mode[@]}" --csv -b '1 9223372036854775807' syscalls:sys_enter_pread64 count
	values huge reads 3 5
	expect_counts '0 3 2'
}
test_above_int64() { in_both_modes huge; }

# Whose values are counted: of a process that waits, then has two children, and
# threads in the end; of others.
test_whose() {
	local who go dir=/sys/fs/cgroup/psh
	mkdir $dir
	mkfifo go
	exec {go}<>go
	bash -c 'read -r _; values reads 5 3; values reads 2 7; exec values reads 5 3 threads 4' <&"$go" &
	who=$!
	echo $who >$dir/cgroup.procs
	side thread --csv -f 'ret == 3 || ret == 7' -b "$who $((who + 1))" "${ret[0]}" common_pid
	side process --csv -b '1 7' -p $who "${ret[@]}"
	side tid --csv -b '1 7' -L $who "${ret[@]}"
	side follow --csv -b '1 7' -p $who --follow "${ret[@]}"
	side cgroup --csv -b '1 7' --cgroup psh "${ret[@]}"
	side name -b 1 -n '^wan?ted$' "${ret[@]}"
	values name other reads 5 3 name wanted reads 4 3
	echo >&"$go"
	wait $who
	expect_side thread '0 5 20'
	expect_side process '0 5 4'
	expect_side tid '0 5 0'
	expect_side follow '0 10 6'
	expect_side cgroup '0 10 6'
	rmdir $dir
	ended name
	expect_rows "$out" <<-'END'
	Tracing syscalls:sys_exit_pread64 issued by process name "^wan?ted$", specified buckets, until Ctrl-C...

	            Range          : Count    Distribution
	              -> 0         : 0        |                                      |
	            1 ->           : 4        |######################################|
	END
}

# What the library itself listens to can be counted as well.
renames() {
	start perf-stat-hist "${mode[@]}" --csv -b 0 -f 'newcomm ~ "tst?"' task:task_rename oom_score_adj
	values name tsta name tstb name tstc
	expect_counts '0 3'
}
test_events_of_the_library() { in_both_modes renames; }

killed() {
	start perf-stat-hist "${mode[@]}" -f 'ret > 0' "${ret[@]}"
	stop KILL
	settle
}
test_killed() { in_both_modes killed; }

closed() {
	run timeout -k 5 100 bash -o pipefail -c "perf-stat-hist ${mode[*]} -i 0.1 ${ret[*]} | head -n 4"
	expect_status 0
	expect_empty "$err"
	[ "$(wc -l <"$out")" = 4 ] || fail "$(cat "$out")"
}
once_closed_pipe() { in_both_modes closed; }

test_more_values_than_the_table_holds() {
	[ -e "$tracefs/events/syscalls/sys_exit_pread64/hist" ] || skip "no hist triggers"
	side kernel --in-kernel --strict --csv -f 'comm == "values"' -b '0 100000' "${ret[@]}"
	side user --strict --csv -n '^values$' -b '0 100000' "${ret[@]}"
	values sweep 1 9000
	expect_side user '0 9000 0'
	ended kernel
	expect_status 1
	expect_rows "$err" <<-'END'
	perf-stat-hist: 808 events were not counted: the kernel's table, of 8192, was full (leave out --in-kernel)
	END
	has_counts '0 8192 0'
}

# Somebody removes the trigger: what it had counted since the last interval is lost.
test_counts_that_cannot_be_read() {
	local trigger
	[ -e "$tracefs/events/syscalls/sys_exit_pread64/hist" ] || skip "no hist triggers"
	start perf-stat-hist --in-kernel --csv -i 0.3 -f 'comm == "values"' -b 1 "${ret[@]}"
	values reads 3 1
	until_true 60 grep -q ',3$' "$out" || fail "not counted: $(<"$out")"
	trigger=("$tracefs"/instances/*/events/syscalls/sys_exit_pread64/trigger)
	sed -n '/^hist:/{s/ \[active\]$//; s/^/!/; p}' "${trigger[0]}" >remove
	cat remove >>"${trigger[0]}"
	wait_lines "$err" 1
	stop
	expect_status 1
	[ "$(sort -u "$err")" = "perf-stat-hist: the kernel's hist file is not understood" ] || fail "$(<"$err")"
}

# expect_all N: as many were counted as there were, or reported as lost; the
# latter has a few events of the workload's beginning and end too
expect_all() {
	local lost
	lost=$(sed -n 's/^perf-stat-hist: \([0-9]*\) events were lost: the buffer was full (--buffer=SIZE makes it larger)$/\1/p' "$err")
	[ "$lost" ] || expect_empty "$err"
	expect_status $((lost > 0))
	grep -v LOST "$out" | awk -F, -v want="$1" -v lost="${lost:-0}" 'NR > 1 { sum += $4 }
		END { print sum, lost; exit sum + lost < want || sum > want || sum + lost > want + 10 }' >rows ||
		fail "counted and lost: $(<rows)"
}

# both ARG...: one for each way of counting
both() {
	side user --strict --csv "$@" "${ret[@]}"
	[ ! -e "$tracefs/events/syscalls/sys_exit_pread64/hist" ] || side kernel --in-kernel --strict --csv "$@" "${ret[@]}"
}

# Two at once, as fast as they can, on two processors.
test_flood() {
	local one two
	both -f 'ret == 1 || ret == 2' -b 2
	values reads 10000 1 & one=$!
	values reads 10000 2 & two=$!
	wait $one $two
	ended user
	expect_all 20000
	[ ! "${side_pid[kernel]-}" ] || expect_side kernel '10000 10000'
}

# A reader that does not come to run: reported, and no loss in the kernel.
test_losses() {
	both -f 'ret == 1' --buffer=64K -b 1
	kill -STOP "${side_pid[@]}"
	values reads 6000 1
	kill -CONT "${side_pid[@]}"
	ended user
	expect_all 6000
	[ -s "$err" ] || fail "nothing was lost"
	[ ! "${side_pid[kernel]-}" ] || expect_side kernel '0 6000'
}

# Each ends by another signal.
test_many_at_once() {
	local signal
	for signal in INT TERM HUP QUIT; do
		side $signal --csv -b 1 -f 'ret == 1' "${ret[@]}"
	done
	values reads 50 1
	for signal in INT TERM HUP QUIT; do
		ended $signal $signal
		expect_status 0
		expect_empty "$err"
		has_counts '0 50'
	done
}

once_unknown_tracepoint() {
	expect_error 1 "perf-stat-hist: tracepoint syscalls:sys_exit_preed64 not found (tpoint -l lists all)
perf-stat-hist: near it: syscalls:sys_exit_pread64" perf-stat-hist syscalls:sys_exit_preed64 ret
	expect_empty "$out"
	expect_error 1 "perf-stat-hist: tracepoint sycalls:sys_exit_read not found (tpoint -l lists all)
perf-stat-hist: near it: syscalls:sys_exit_read" perf-stat-hist sycalls:sys_exit_read ret
	expect_error 1 "perf-stat-hist: tracepoint sched_switch not found (tpoint -l lists all)
perf-stat-hist: near it: sched:sched_switch" perf-stat-hist sched_switch prev_pid
	expect_error 1 "perf-stat-hist: tracepoint no:such not found (tpoint -l lists all)" perf-stat-hist no:such x
	expect_error 1 "perf-stat-hist: tracepoint : not found (tpoint -l lists all)" perf-stat-hist : x
}

test_unknown_variable() {
	expect_error 1 "perf-stat-hist: syscalls:sys_exit_pread64 has no field size, but:
perf-stat-hist:     int __syscall_nr
perf-stat-hist:     long ret
perf-stat-hist:     unsigned short common_type
perf-stat-hist:     unsigned char common_flags
perf-stat-hist:     unsigned char common_preempt_count
perf-stat-hist:     int common_pid" perf-stat-hist "${ret[0]}" size
	expect_empty "$out"
}

test_not_a_number() {
	expect_error 1 'perf-stat-hist: buf of syscalls:sys_enter_pread64 is not a number but a pointer (char *)' \
		perf-stat-hist syscalls:sys_enter_pread64 buf
	expect_error 1 'perf-stat-hist: comm of sched:sched_wakeup is not a number but text (char[16])' \
		perf-stat-hist sched:sched_wakeup comm
	expect_error 1 'perf-stat-hist: filename of sched:sched_process_exec is not a number but text (__data_loc char[])' \
		perf-stat-hist sched:sched_process_exec filename
	expect_error 1 'perf-stat-hist: args of raw_syscalls:sys_enter is not a number but an array (unsigned long[6])' \
		perf-stat-hist raw_syscalls:sys_enter args
}

host_wrong_use() {
	local see=' (try perf-stat-hist -h)'
	expect_error 2 "perf-stat-hist: which tracepoint, and which of its variables?$see" perf-stat-hist
	expect_error 2 "perf-stat-hist: which tracepoint, and which of its variables?$see" perf-stat-hist a:b
	expect_error 2 "perf-stat-hist: unexpected argument \"3\"$see" perf-stat-hist a:b c 2 3
	expect_error 2 "perf-stat-hist: -b: \"1 3 2\": the numbers must increase$see" perf-stat-hist -b '1 3 2' a:b c
	expect_error 2 "perf-stat-hist: -i: \"0.0001\" is below a millisecond$see" perf-stat-hist -i 0.0001 a:b c
	expect_error 2 "perf-stat-hist: -m is for powers, not for -b$see" perf-stat-hist -b '1 3' -m 5 a:b c
	expect_exit 2 perf-stat-hist -b '1 3' -P 5 a:b c
	expect_exit 2 perf-stat-hist -P 1 a:b c
	expect_exit 2 perf-stat-hist -m 0 a:b c
	expect_exit 2 perf-stat-hist -b -9223372036854775808 a:b c
	expect_error 2 "perf-stat-hist: seconds: \"x\" is not a number of seconds above 0$see" perf-stat-hist a:b c x
	expect_error 2 "perf-stat-hist: --in-kernel counts for all: not with -p, -L, --cgroup or -n$see" \
		perf-stat-hist --in-kernel -n x a:b c
}

test_without_hist_triggers() {
	[ ! -e "$tracefs/events/syscalls/sys_exit_pread64/hist" ] || skip "this kernel has them"
	expect_error 3 'perf-stat-hist: this kernel has no hist triggers (CONFIG_HIST_TRIGGERS): count without --in-kernel' \
		perf-stat-hist --in-kernel "${ret[@]}"
	expect_empty "$out"
}
