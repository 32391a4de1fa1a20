# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# funcgraph in a guest: the graphs of calls that are known, whole and alone.
#
# A write to /dev/null calls these on all kernels; that only they are hooked
# saves the seconds that an emulated guest needs to hook them all.

T=$tracefs
only=--only=rw_verify_area,security_file_permission,write_null

in_instance() {	# whether the graph tracer runs in one here
	mkdir -p "$T/instances/can"
	local can=1
	grep -qw function_graph "$T/instances/can/available_tracers" && can=0
	rmdir "$T/instances/can"
	return $can
}

# begin ARGS...: graphed ARGS as $process, which waits for SIGUSR1
process=
begin() {
	graphed wait "$@" &
	process=$!
	until_true 60 waiting "$process" || fail "graphed does not wait"
}
waiting() {	# the signal has a handler
	local status
	IFS= read -rd '' status <"/proc/$1/status" || :
	[[ $status == *$'\nSigCgt:\t'*2??$'\n'* ]]
}
go() {
	kill -USR1 "$process"
	wait "$process"
}

# graphs: those in $out, without processors and durations
graphs() { sed -nE 's/^ [0-9]+\) .{14}\|  //p' "$out"; }

# a_write N: what that makes of N writes
a_write() {
	local i
	for ((i = 0; i < $1; i++)); do	# without a program, of which each takes 40 ms
		printf '%s\n' 'vfs_write() {' '  rw_verify_area() {' '    security_file_permission();' \
			'  }' '  write_null();' '}'
	done
}

expect_writes() {
	graphs >have
	a_write "$1" | expect_rows have
}

first_check() {
	expect_exit 0 funcgraph --check
	is_unused
	expect_room
}

first_row() {
	start funcgraph -n '^graphed$' "$only" vfs_write
	graphed writes 1
	stop
	expect_status 0
	expect_writes 1
	expect_empty "$err"
}

once_banner_and_headers() {
	start funcgraph -H -m 1 -n nobody vfs_write
	stop
	expect_rows "$out" <<-END
	Tracing "vfs_write" issued by process name "nobody"... Ctrl-C to end.
	# tracer: function_graph
	#
	# CPU  DURATION                  FUNCTION CALLS
	# |     |   |                     |   |   |   |

	Ending tracing...
	END
	expect_rows "$err" <<-END
	funcgraph: 1 function matches: no call was seen of what was asked for
	END
}

# ---- as the kernel writes it ---------------------------------------------

# kernel_begin FILTER: its own tracer, by hand, at the top level
kernel_begin() {
	echo 0 >"$T/tracing_on"
	echo vfs_write >"$T/set_graph_function"
	[ ! "$1" ] || printf '%s\n' vfs_write rw_verify_area security_file_permission write_null >"$T/set_ftrace_filter"
	echo function_graph >"$T/current_tracer"
}
kernel_end() {
	echo nop >"$T/current_tracer"
	: >"$T/set_ftrace_filter"
	: >"$T/set_graph_function"
	: >"$T/set_ftrace_pid"
	echo global >"$T/trace_clock"	# another one empties the buffer
	echo "$clock" >"$T/trace_clock"
	echo 1 >"$T/tracing_on"
}
kernel_run() {	# of what begin began
	echo "$process" >"$T/set_ftrace_pid"
	: >"$T/trace"
	echo 1 >"$T/tracing_on"
	go
	echo 0 >"$T/tracing_on"
}
read_clock() { clock=$(<"$T/trace_clock") clock=${clock#*[} clock=${clock%]*}; }

# What differs from call to call is taken away; interrupts make a line more, and
# no text is the same then: the most frequent of 20 graphs is the usual one.
usual() {
	sed -E -e '/^ -+$/d; /=>/d; /^$/d; /^#/d; /^(Tracing|Ending)/d' \
		-e 's/[0-9]+\)/N)/; s/^ *[0-9]+\.[0-9]{6} \|/TIME |/' \
		-e 's/ *[a-z<>.]+-[0-9]+ +\|/ TASK |/; s/([)|]) [$@*#!+ ] [0-9. us]{12}\|/\1 DURATION |/' "$1" |
		awk 'function add() { if (g != "" && !n[g]++) all[++k] = g; g = "" }
			/vfs_write\(\) {/ { add() }
			{ g = g $0 "\n" }
			END { add(); for (i = 1; i <= k; i++) if (n[all[i]] > n[best]) best = all[i]; printf "%s", best }'
}

test_options_as_the_kernel() {
	local options
	declare -A flags=(
		[-a]='funcgraph-abstime funcgraph-proc'
		[-DT]='nofuncgraph-duration funcgraph-tail')
	read_clock
	begin writes 20
	kernel_begin some
	kernel_run
	for options in "${!flags[@]}"; do
		for flag in ${flags[$options]}; do echo "$flag" >"$T/trace_options"; done
		cat "$T/trace" >"kernel$options"
		for flag in ${flags[$options]}; do
			case $flag in no*) flag=${flag#no} ;; *) flag=no$flag ;; esac
			echo "$flag" >"$T/trace_options"
		done
	done
	kernel_end
	for options in "${!flags[@]}"; do
		start funcgraph -H "$options" -n '^graphed$' "$only" vfs_write
		graphed writes 20
		stop
		grep '^#' "kernel$options" >want
		grep '^#' "$out" | expect_rows want
		usual "kernel$options" >want
		usual "$out" >have
		[ -s want ] || fail "no graph by the kernel"
		expect_rows have <want
	done
}

# shows_more: 1000 lines since $more was read to its end; nothing is forked for it,
# since a program takes a second while all functions are hooked
shows_more() {
	while [ "$lines" -lt 1000 ] && read -r _ <&"$more"; do : $((lines++)); done
	[ "$lines" = 1000 ]
}

# All functions, whatever these are on this kernel. Killed while they are called:
# hooks go with the tracer. Nothing else is done meanwhile, since all that this
# guest does is some ten times slower then.
test_all_functions_as_the_kernel() {
	local load more lines=0
	read_clock
	begin writes 20
	kernel_begin ''
	kernel_run
	cat "$T/trace" >kernel
	kernel_end
	usual kernel >want
	[ "$(wc -l <want)" -gt 5 ] || fail "no graph by the kernel: $(<want)"
	start funcgraph -n '^graphed$' vfs_write
	graphed writes 20
	wait_lines "$out" 100
	exec {more}<"$out"
	mapfile -t _ <&"$more"
	graphed flood &
	load=$!
	until_true 120 shows_more || fail "the load is not shown"
	stop KILL
	kill $load
	wait $load
	settle
	[ "$(wc -l <"$T/enabled_functions")" = 0 ] || fail "still hooked"
	# many calls: while all functions are hooked, most are interrupted
	head -n 1000 "$out" >shown
	usual shown >have
	expect_rows have <want
	expect_empty "$err"
}

# Somebody reads the top level for a moment when all is to be there as it was.
test_top_level_that_is_read_at_the_end() {
	local reader
	start funcgraph -n '^graphed$' "$only" vfs_write
	graphed writes 1
	exec {reader}<"$T/trace"
	kill -INT "$pid"
	until_true 60 has_no_tracer || fail "the tracer is still there"
	nap; nap; nap; nap; nap
	exec {reader}<&-
	finish
	expect_status 0
	expect_empty "$err"
	expect_writes 1
	expect_clean
}
has_no_tracer() { [ "$(<"$T/current_tracer")" = nop ]; }

once_all_functions_and_its_end() {
	expect_exit 0 funcgraph -d 0.1 -n '^nobody$' vfs_write
	[ "$(wc -l <"$T/enabled_functions")" = 0 ] || fail "still hooked"
}

# graph OPTIONS: the first one of the capture
graph() {
	run funcgraph -r "$capture" "$@"
	expect_status 0
	sed -n '/^#/p; /vfs_write() {/,/}/{ p; /}/q; }' "$out" >rows
}

host_options() {
	capture funcgraph
	graph -t
	expect_match rows <<-'END'
	 *[0-9].[0-9][0-9][0-9][0-9][0-9][0-9] |   [01])               |  vfs_write() {
	 *[0-9].[0-9][0-9][0-9][0-9][0-9][0-9] |   [01])               |    rw_verify_area() {
	 *[0-9].[0-9][0-9][0-9][0-9][0-9][0-9] |   [01]) * us    |      security_file_permission();
	 *[0-9].[0-9][0-9][0-9][0-9][0-9][0-9] |   [01]) * us * |    }
	END
	graph -T
	expect_match rows <<-'END'
	 [01])               |  vfs_write() {
	 [01])               |    rw_verify_area() {
	 [01]) * us    |      security_file_permission();
	 [01]) * us * |    } /\* rw_verify_area \*/
	END
	graph -D
	expect_match rows <<-'END'
	 [01]) vfs_write() {
	 [01])   rw_verify_area() {
	 [01])     security_file_permission();
	 [01])   }
	END
	graph -DTPH
	expect_match rows <<-'END'
	# tracer: function_graph
	#
	# CPU  TASK/PID                      FUNCTION CALLS
	# |     |    |                       |   |   |   |
	 [01])  graphed-*   | vfs_write() {
	 [01])  graphed-*   |   rw_verify_area() {
	 [01])  graphed-*   |     security_file_permission();
	 [01])  graphed-*   |   } /\* rw_verify_area \*/
	END
}

# ---- what is shown -------------------------------------------------------

test_max_depth() {
	start funcgraph --max-depth 2 -n '^graphed$' "$only" vfs_write
	graphed writes 2
	stop
	graphs >have
	expect_rows have <<-END
	vfs_write() {
	  rw_verify_area();
	  write_null();
	}
	vfs_write() {
	  rw_verify_area();
	  write_null();
	}
	END
}

test_exclude_and_several_functions() {
	start funcgraph --exclude='rw_verify*' -n '^graphed$' "$only" vfs_write '*do_nanosleep'
	graphed writes 1
	graphed sleeps 1 1
	stop
	graphs >have
	expect_rows have <<-END
	vfs_write() {
	  write_null();
	}
	do_nanosleep();
	END
	grep -q '^Tracing "vfs_write" and others' "$out"
}

# Calls of 1 ms and of 2 s: only the latter, and nothing within the former.
test_min() {
	start funcgraph --json --min=1500000 -n '^graphed$' --only=schedule,hrtimer_start_range_ns do_nanosleep
	graphed sleeps 3 1
	graphed sleeps 1 2000
	stop
	jq -c '[.function, .duration >= 2, [.children[].function]]' "$out" >have
	expect_rows have <<<'["do_nanosleep",true,["schedule"]]'
}

# A sleep of two seconds takes no processor for so long. A single level has no
# other function.
test_on_cpu() {
	start funcgraph --json -C -n '^graphed$' -m 1 do_nanosleep
	graphed sleeps 1 2000
	stop
	jq -c '[.function, .duration < 2, .children]' "$out" >have
	expect_rows have <<<'["do_nanosleep",true,[]]'
}

# What the tracer calls itself, for the time of each record, is in no graph.
test_clock_of_records() {
	clock_function
	start funcgraph -n '^graphed$' "$only,${reads%?}*" vfs_write
	graphed writes 20
	stop
	usual "$out" | sed 's/^[^|]*|  //' >have
	a_write 1 | expect_rows have
	start funcgraph -n '^graphed$' -m 1 "$reads"
	graphed sleeps 5 1
	stop
	graphs | sort -u >have
	expect_rows have <<<"$reads();"
}

# A read that takes longer than a tick: interrupts are in its graph, or not.
interrupts=--only=irq_enter_rcu,irq_exit_rcu,hrtimer_interrupt,update_process_times,rcu_core
test_no_irq() {
	start funcgraph -n '^graphed$' "$interrupts" vfs_read
	graphed read 40000000
	stop
	graphs >have
	grep -q hrtimer_interrupt have || fail "no interrupt in the graph: $(<have)"
	start funcgraph --no-irq -n '^graphed$' "$interrupts" vfs_read
	graphed read 40000000
	stop
	graphs >have
	expect_rows have <<<'vfs_read();'
}

# ---- functions of modules ------------------------------------------------

# Root's file system is that module's.
open_a_file() { cat /etc/hostname >/dev/null; }

once_function_of_a_module() {
	start funcgraph --json -n '^cat$' -m 1 9p:v9fs_file_open
	open_a_file
	stop
	expect_status 0
	jq -r .function "$out" | sort -u >have
	expect_rows have <<<v9fs_file_open
}

# shows_only_those_of_9p WORDS
shows_only_those_of_9p() {
	start funcgraph --json -n '^cat$' -m 1 "$1"
	open_a_file
	stop
	expect_empty "$err"
	jq -r .function "$out" | sort -u >have
	grep -qx v9fs_file_open have || fail "$1: $(<have)"
	sed -n 's/ \[9p\]$//p' "$T/available_filter_functions" | sort -u | comm -13 - have >others
	expect_empty others
}

# Its functions and no others, also of a glob that others match.
test_all_functions_of_a_module() { shows_only_those_of_9p :mod:9p; }

test_globs_of_a_module() {
	shows_only_those_of_9p 'v9fs_file_o*:mod:9p'
	shows_only_those_of_9p '*open:mod:9p'
}

test_module_in_only() {
	start funcgraph --json -n '^cat$' --only=9p:v9fs_file_open do_sys_openat2
	open_a_file
	stop
	jq -r '.children[].function' "$out" | sort -u >have
	expect_rows have <<<v9fs_file_open
	expect_error 1 'funcgraph: the kernel has no function vfs_open:mod:9p that can be traced' funcgraph 9p:vfs_open
	expect_error 1 'funcgraph: the kernel has no function :mod:nosuch that can be traced' \
		funcgraph vfs_open :mod:nosuch
}

once_module_in_exclude_and_only() {
	local nosuch='funcgraph: the kernel has no function foo:mod:nosuch that can be traced'
	expect_error 1 "$nosuch" funcgraph --exclude=nosuch:foo vfs_open
	expect_error 1 "$nosuch" funcgraph --only=nosuch:foo vfs_open
	expect_error 1 "$nosuch" funcgraph -m 1 --only=nosuch:foo vfs_open
	start funcgraph --json -n '^cat$' --only=9p:v9fs_file_open --exclude=9p:v9fs_file_open do_sys_openat2
	open_a_file
	stop
	[ -s "$out" ] || fail "no graph"
	jq -r '.children[].function' "$out" >have
	expect_empty have
}

# Its first function has no name that is known, and not that of another module's.
test_module_that_comes_later() {
	[ ! -e /sys/module/null_blk ] || rmmod null_blk
	[ ! -e /sys/module/brd ] || rmmod brd
	start funcgraph --json -m 2 -n '^modprobe$' do_one_initcall
	modprobe -d "$TL_MODULES" brd || { stop; skip "no brd"; }
	wait_lines "$out" 1	# for which all names are read
	null_disk
	stop
	rmmod null_blk brd
	sed 1d "$out" | jq -r '.children[].function' | sort -u >have
	# what a module begins with is freed then, and another may get the place
	! grep -qx brd_init have || skip "null_blk begins where brd has begun"
	grep -Eqx '0x[0-9a-f]+' have || fail "$(<"$out")"
	grep -v ^0x have | comm -23 - <(grep -v ' ' "$T/available_filter_functions" | sort -u) >others
	expect_empty others
}

# One word that needs names does not make names of the others.
test_words_as_given() {
	start funcgraph "$only" -n '^graphed$' '*open:mod:9p' 'vfs_w*'
	cut -d ' ' -f 1 "$T/set_graph_function" | sort -u >have
	graphed writes 1
	stop
	expect_empty "$err"
	sed -nE 's/^(vfs_w[^ ]*)( .*)?$/\1/p; s/^([^ ]*open) \[9p\]$/\1/p' "$T/available_filter_functions" |
		sort -u | expect_rows have
	expect_writes 1
}

test_name_with_a_suffix() {
	suffixed
	name_is_completed -m 1 "$name"
}

test_name_with_a_suffix_in_options() {
	suffixed
	name_is_completed -m 2 --only="$name" vfs_write
	name_is_completed -m 1 --exclude="$name" vfs_write
}

name_is_completed() {
	start funcgraph "$@"
	stop
	head -n 1 "$err" >said
	expect_rows said <<<"funcgraph: the kernel has $name as $name.*"
}

# ---- JSON, CSV, stacks ---------------------------------------------------

# Own times add up to the whole one, exactly.
test_json() {
	local pid_of
	start funcgraph --json -p $BASHPID "$only" vfs_write
	pid_of=$BASHPID
	printf five >/dev/null
	stop
	expect_status 0
	jq -e --argjson pid "$pid_of" '
		def sum: .self + ([.children[] | sum] | add // 0);
		def near($a; $b): ($a - $b) < 1e-9 and ($b - $a) < 1e-9;
		def nested: . as $c | all(.children[]; .duration <= $c.duration and nested);
		def tree: [.function, (.children[] | tree)];
		.pid == $pid and .tid == $pid and .comm != null and .time > 0 and .cpu >= 0 and
		nested and near(sum; .duration) and
		tree == ["vfs_write", ["rw_verify_area", ["security_file_permission"]], ["write_null"]]
		' "$out" >result || fail "$(<"$out")"
	expect_rows result <<<true
}

host_csv() {
	capture funcgraph
	run funcgraph -r "$capture" --csv
	sed -E 's/^[0-9]+\.[0-9]{6},graphed,([0-9]+),\1,[01],/TIME,graphed,P,P,CPU,/; s/,0\.[0-9]{9}/,NS/g; 6,$d' "$out" >have
	expect_rows have <<-END
	time,comm,pid,tid,cpu,depth,function,duration,self
	TIME,graphed,P,P,CPU,0,vfs_write,NS,NS
	TIME,graphed,P,P,CPU,1,rw_verify_area,NS,NS
	TIME,graphed,P,P,CPU,2,security_file_permission,NS,NS
	TIME,graphed,P,P,CPU,1,write_null,NS,NS
	END
	[ "$(wc -l <"$out")" = 13 ] || fail "$(<"$out")"
}

host_folded_and_flame_graph() {
	capture funcgraph
	run funcgraph -r "$capture" --folded --flamegraph=flame.svg
	expect_status 0
	sed -n 's/ [1-9][0-9]*$/ NS/p' "$out" >have
	expect_rows have <<-END
	vfs_write NS
	vfs_write;rw_verify_area NS
	vfs_write;rw_verify_area;security_file_permission NS
	vfs_write;write_null NS
	END
	# all of the time, in nanoseconds
	run funcgraph -r "$capture" --json
	[ "$(awk '/^vfs_write/ { n += $2 } END { print n }' 1.out)" = \
		"$(jq -s 'map(.duration) | add * 1e9 | round' "$out")" ] || fail "$(<1.out)"
	[ "$(tail -n 1 flame.svg)" = '</svg>' ] || fail "flame.svg is not whole"
	grep -q security_file_permission flame.svg
	expect_rows <(said_of count flame.svg; said_of unit flame.svg; said_of host flame.svg) <<<$'3\ncalls'
	expect_match <(said_below_title flame.svg) <<-'END'
	3 calls, Linux 6.12.* x86_64, 2026-11-2* ??:??:?? [+-]??:??, 0.06973 s, 0 events were lost
	recorded by: funcgraph --write=c.dat -n graphed --only=*
	read by: funcgraph -r * --folded --flamegraph=flame.svg
	END
	! command -v xmllint >/dev/null || xmllint --noout flame.svg
	expect_error 1 'funcgraph: /nosuch/f.svg: No such file or directory' \
		funcgraph -r "$capture" --flamegraph=/nosuch/f.svg
}

# ---- whose calls ---------------------------------------------------------

# Others write all the time.
test_process_with_threads() {
	graphed until &
	local other=$!
	begin threads 8 25
	start funcgraph -p "$process" "$only" vfs_write
	go
	stop
	kill $other
	expect_empty "$err"
	grep -q "^Tracing \"vfs_write\" for PID $process\.\.\. Ctrl-C to end\." "$out"
	expect_writes 200
}

test_follow_children() {
	graphed until &
	local other=$!
	begin forks 10
	start funcgraph -p "$process" --follow "$only" vfs_write
	go
	stop
	kill $other
	expect_writes 10
}

test_process_without_children() {
	begin forks 3
	start funcgraph -p "$process" "$only" vfs_write
	go
	stop
	expect_writes 0
}

test_one_thread() {
	begin threads 4 5
	start funcgraph -L "$process" "$only" vfs_write
	go
	stop
	expect_writes 0
	begin writes 5
	start funcgraph -L "$process" "$only" vfs_write
	go
	stop
	expect_writes 5
}

# All of them sleep at once, on one or two processors: whole graphs.
test_task_switches() {
	start funcgraph -P -n '^graphed$' --only=schedule do_nanosleep
	graphed sleepers 20 100
	stop
	[ "$(sed -E 's/^ [0-9]+\) +graphed-[0-9]+ +\| .{14}\|  //' "$out" | grep -c '^do_nanosleep() {$')" = 20 ] ||
		fail "$(<"$out")"
	sed -nE 's/^ [0-9]+\) +(graphed-[0-9]+) +\| .{14}\|  .*/\1/p' "$out" | uniq | sort | uniq -d | expect_empty /dev/stdin
	! grep -q -e '---' "$out"
}

# ---- calls without an end ------------------------------------------------

# 5.10 tells where in wchan only while that is traced
in_nanosleep() {
	local where=
	read -r where <"/proc/$1/wchan" || :
	[[ $where == *nanosleep* ]] || grep -q nanosleep "/proc/$1/stack"
}

test_still_running_at_the_end() {
	graphed sleeps 1 100000 &
	until_true 60 in_nanosleep $!
	start funcgraph -n '^graphed$' --only=schedule do_nanosleep
	graphed sleeps 1 60000 &
	local last=$!
	until_true 60 in_nanosleep $last
	stop
	kill %?100000 $last
	graphs >have
	expect_rows have <<-END
	do_nanosleep() {
	  schedule() {
	END
}

test_never_returns() {
	start funcgraph -n '^graphed$' --only=exit_files do_exit
	graphed writes 1
	wait_lines "$out" 3	# now, not at the end of the run
	stop
	graphs >have
	expect_rows have <<-END
	do_exit() {
	  exit_files();
	END
}

# Of a process, after which nothing more is recorded.
test_never_returns_and_nothing_follows() {
	begin writes 1
	start funcgraph -p "$process" --only=exit_files do_exit
	go
	wait_lines "$out" 3
	stop
	graphs >have
	expect_rows have <<-END
	do_exit() {
	  exit_files();
	END
}

# ---- losses --------------------------------------------------------------

# What is printed is whole.
test_losses() {
	start funcgraph --buffer=16K -n '^graphed$' "$only" vfs_write
	kill -STOP "$pid"
	graphed writes 2000
	kill -CONT "$pid"
	stop
	grep -q '^\[LOST ' "$out" || fail "nothing was lost"
	grep -q 'events were lost: the buffer was full' "$err"
	graphs >have
	expect_writes $(($(wc -l <have) / 6))
}

# The picture says the same as the message does.
test_losses_in_a_flame_graph() {
	local said
	start funcgraph --buffer=16K -n '^graphed$' "$only" --flamegraph=f.svg vfs_write
	kill -STOP "$pid"
	graphed writes 2000
	kill -CONT "$pid"
	stop
	said=$(sed -n 's/^funcgraph: \(.* lost: .*\)/\1/p' "$err")
	expect_rows <(said_of lost f.svg) <<<"${said%% *}"
	[ "${said%% *}" -gt 0 ] || fail "nothing was lost"
	expect_rows <(said_of host f.svg; said_of kernel f.svg) <<<"$(uname -n)"$'\n'"$(uname -srm)"
	expect_match <(said_below_title f.svg) <<-END
	* calls, *, ${said%% (*}
	funcgraph --buffer=16K -n * vfs_write
	END
}

# ---- use by others -------------------------------------------------------

refused() { # REASON
	tracefs_state
	local before=$state
	expect_error 1 "funcgraph: the kernel's graph tracer is in use$1" funcgraph vfs_write
	tracefs_state
	[ "$state" = "$before" ] || fail "something was changed"
}
all="(reset-ftrace --dry-run shows all)"

test_settings_in_use() {
	echo vfs_read >"$T/set_graph_function"
	refused ": set_graph_function is vfs_read $all"
	: >"$T/set_graph_function"
	echo vfs_read >"$T/set_graph_notrace"
	refused ": set_graph_notrace is vfs_read $all"
	: >"$T/set_graph_notrace"
	echo 3 >"$T/max_graph_depth"
	refused ": max_graph_depth is 3 $all"
	echo 0 >"$T/max_graph_depth"
	echo 100 >"$T/tracing_thresh"
	refused ": tracing_thresh is 100 $all"
	echo 0 >"$T/tracing_thresh"
}

test_tracer_in_another_instance() {
	in_instance || skip "no graph tracer in an instance"
	mkdir "$T/instances/other"
	echo vfs_read >"$T/instances/other/set_ftrace_filter"
	echo function_graph >"$T/instances/other/current_tracer"
	refused ": instances/other/current_tracer is function_graph $all"
	echo nop >"$T/instances/other/current_tracer"
	rmdir "$T/instances/other"
}

# Where it runs in an instance, the top level may be in use.
test_top_level_in_use() {
	echo 0 >"$T/tracing_on"	# else who reads the trace adds to it
	echo vfs_read >"$T/set_ftrace_filter"
	echo function >"$T/current_tracer"
	if in_instance; then
		start funcgraph -n '^graphed$' "$only" vfs_write
		graphed writes 2
		stop
		expect_writes 2
	else
		refused ": current_tracer is function $all"
	fi
	echo nop >"$T/current_tracer"
	: >"$T/set_ftrace_filter"
	echo 1 >"$T/tracing_on"
}

test_top_level_read_or_filtered() {
	! in_instance || skip "the graph tracer runs in an instance"
	exec 5<"$T/trace_pipe"
	refused ": trace_pipe is open (bash, PID $BASHPID)"
	exec 5<&-
	echo 1 >"$T/events/oom/mark_victim/enable"
	refused ": events/enable is oom:mark_victim $all"
	echo 0 >"$T/events/oom/mark_victim/enable"
	echo 1 >"$T/set_ftrace_pid"
	refused ": set_ftrace_pid is 1 $all"
	: >"$T/set_ftrace_pid"
	echo hello >"$T/trace_marker"
	refused ": trace is 1 events kept $all"
	: >"$T/trace"
}

test_two_at_once() {
	start funcgraph -n '^graphed$' "$only" vfs_write
	local first=$pid first_out=$out
	expect_error 1 "funcgraph: the kernel's graph tracer is in use by funcgraph, PID $first" funcgraph vfs_read
	graphed writes 2
	out=$first_out
	stop INT "$first"
	expect_writes 2
}

test_beside_others() {
	touch /mnt/beside
	start opensnoop beside
	local snoop=$pid snooped=$out graph
	start funcgraph -n '^graphed$' "$only" vfs_write
	graph=$out
	graphed writes 3
	cat /mnt/beside
	stop
	out=$graph
	expect_writes 3
	stop INT "$snoop"
	grep -q '/mnt/beside$' "$snooped"
}

# Records would be of another kind.
test_return_addresses_in_use() {
	[ -e "$T/options/funcgraph-retaddr" ] || skip "no funcgraph-retaddr"
	echo 1 >"$T/options/funcgraph-retaddr"
	run funcgraph vfs_write
	echo 0 >"$T/options/funcgraph-retaddr"
	expect_status 1
	grep -q 'in use: options/funcgraph-retaddr is ' "$err" || fail "$(<"$err")"
}

# Who has another file open is not the one.
test_innocent() {
	exec 5<"$T/trace_options"
	echo 3 >"$T/max_graph_depth"
	refused ": max_graph_depth is 3 $all"
	exec 5<&- 5<"$T/max_graph_depth"
	refused ": max_graph_depth is 3 (bash, PID $BASHPID)"
	exec 5<&-
	echo 0 >"$T/max_graph_depth"
}

test_addresses_kept() {
	until_end /proc/sys/kernel/kptr_restrict 2
	run funcgraph -d 0.1 vfs_write
	expect_status 1
	expect_rows "$err" <<-END
	funcgraph: the kernel hides the addresses of its functions: sysctl kernel.kptr_restrict=1
	END
}

# ---- the end -------------------------------------------------------------

test_guard_killed() {
	start funcgraph "$only" vfs_write
	pkill -9 -x tl-guard
	stop
	expect_status 0
	settle
}

# Somebody who reads keeps the tracer from going, and what it follows is kept
# until then: without, all functions would be traced.
test_reader_at_the_end() {
	local dir=$T
	start funcgraph "$only" vfs_write
	! in_instance || dir=$T/instances/tl_funcgraph_$pid
	exec 5<"$dir/trace_pipe"
	stop
	expect_status 1
	grep -q 'in use by somebody else: what was changed there is undone as soon as that ends' "$err" || fail "$(<"$err")"
	[ "$(<"$T/set_graph_function")" = vfs_write ] || fail "all functions are traced"
	exec 5<&-
	settle
	until_true 60 no_guard
}
no_guard() { ! pgrep -x tl-guard >/dev/null; }

test_reader_goes() {
	graphed until &
	local load=$!
	timeout 60 funcgraph "$only" vfs_write | head -n 5 >have
	[ "$(wc -l <have)" = 5 ]
	kill $load
}

# ---- wrong use -----------------------------------------------------------

host_wrong_use() {
	expect_exit 2 funcgraph
	expect_exit 2 funcgraph --folded --json vfs_write
	expect_exit 2 funcgraph --exclude=, vfs_write
	expect_error 2 'funcgraph: --flamegraph is not for -w, which shows nothing: make it of the capture, with -r (try funcgraph -h)' \
		funcgraph -w capture --flamegraph=f.svg vfs_write
}

once_unknown_functions() {
	expect_exit 1 funcgraph --flamegraph=f.svg vfs_wrote
	[ ! -e f.svg ] || fail "a file was left behind"
	grep -q 'no function vfs_wrote' "$err"
	grep -q 'vfs_write' "$err"
	expect_exit 1 funcgraph --only=nosuch_function vfs_write
	expect_exit 1 funcgraph '*'
	grep -q 'functions match, which is more than 1000 (-F traces them all the same)' "$err"
}

test_check_with_options() {
	local name want
	for name in args retval; do
		[ -e "$T/options/funcgraph-$name" ] && want=0 || want=3
		expect_exit $want funcgraph --check --${name%val}
	done
}

test_arguments() {
	if [ ! -e "$T/options/funcgraph-args" ]; then
		expect_exit 3 funcgraph --args --json vfs_write
		grep -q 'records no arguments: kprobe' "$err"
		return
	fi
	start funcgraph --args --json -n '^graphed$' "$only" vfs_write
	graphed writes 1
	stop
	jq -e '.args.count == 5 and (.args.file | startswith("0xff")) and
		.args.file == .children[0].args.file and
		.children[1].args.count == 5 and .children[0].args.read_write == 1' "$out" >/dev/null ||
		fail "$(<"$out")"
	start funcgraph --args -n '^graphed$' "$only" vfs_write
	graphed writes 1
	stop
	grep -Eq 'vfs_write\(file=0xff[0-9a-f]+, buf=0x[0-9a-f]+, count=5, pos=0x?[0-9a-f]+\) \{$' "$out" || fail "$(<"$out")"
}

test_return_values() {
	if [ ! -e "$T/options/funcgraph-retval" ]; then
		expect_exit 3 funcgraph --ret vfs_write
		grep -q 'records no return values: kprobe' "$err"
		return
	fi
	start funcgraph --ret --json -n '^graphed$' "$only" vfs_write
	graphed writes 1
	stop
	[ "$(jq -r '.ret + " " + .children[1].ret' "$out")" = '0x5 0x5' ] || fail "$(<"$out")"
}
