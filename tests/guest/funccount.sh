# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# funccount in a guest: numbers of calls that are known beforehand

# shellcheck disable=SC1091
. "$here/work/devices.bash"

shop=${TL_WORK-}/uprobe	# none without a guest

# What the kernel calls two system calls that nothing else makes here.
getppid='' yield=''
while read -r name _; do
	case $name in
	__*_sys_getppid) getppid=${getppid:-$name} ;;
	__*_sys_sched_yield) yield=${yield:-$name} ;;
	esac
done < <(grep -E '^__[a-z0-9]+_sys_(getppid|sched_yield)( |$)' "$tracefs/available_filter_functions" 2>/dev/null)

# rows FILE: the counts of a run, "NAME COUNT" or more columns
rows() { sed -n '/^[^ ].*[A-Za-z_]  *[0-9]*$/{ s/  */ /g; p }' "$1"; }

# sum FILE: of all counts
sum() { awk '$NF ~ /^[0-9]+$/ && NF >= 2 { n += $NF } END { print n + 0 }' "$1"; }

# family: starts it; when it waits for go, $process and $old are its threads
family() {
	mkfifo go
	exec {go}<>go
	: >said
	counted wait 10 <go >said &
	job=$!
	wait_lines said 1
	read -r process old <said
}
go() {
	echo >&"$go"
	wait "$job"
}

first_check() {
	expect_exit 0 funccount --check
	expect_exit 0 funccount --check -u libc x
	expect_exit 0 funccount --check -e x
}

first_row() {
	start funccount "$getppid"
	counted 1 1000
	stop
	expect_status 0
	expect_empty "$err"
	expect_rows "$out" <<-END
	Tracing "$getppid"... Ctrl-C to end.

	FUNC                              COUNT
	$(printf '%-30s %8d' "$getppid" 1000)

	Ending tracing...
	END
}

# What cannot be lost as the buffer holds it all, from both processors.
test_exact_under_flood() {
	local jobs=()
	start funccount --buffer=16M "$getppid"
	for _ in 1 2 3 4; do
		counted 3 5000 &
		jobs+=($!)
	done
	wait "${jobs[@]}"
	stop
	expect_status 0
	expect_empty "$err"
	expect_rows <(rows "$out") <<-END
	$getppid 60000
	END
}

# Of many functions there are records. While the tool is stopped most is overwritten; the
# number of it is told. Some are of what others call here.
test_losses() {
	local lost said advice=''
	! grep -q '<func-name>\[%return\]' "$tracefs/README" ||
		advice=' (--in-kernel loses none)'
	start funccount --strict --buffer=64K "$getppid" '*_sys_get*'
	kill -STOP "$pid"
	counted 1 10000
	kill -CONT "$pid"
	stop
	expect_status 1
	mapfile -t said <"$err"
	[ "${said[0]}" = "funccount: lost events are not in the counts$advice" ] ||
		fail "$(<"$err")"
	[[ ${said[1]} == 'funccount: '*' events were lost: the buffer was full (--buffer=SIZE makes it larger)' ]] ||
		fail "$(<"$err")"
	lost=${said[1]#*: } lost=${lost%% *}
	[ "$lost" -gt 4000 ] || fail "only $lost lost"
	lost=$((lost + $(sum "$out")))
	((lost >= 10000 && lost < 10500)) || fail "$lost in all"
}

# need_counters: skips the test where the tool that runs takes records in any case
need_counters() {
	[ "$(cat "$tracefs"/instances/*funccount*/current_tracer)" = nop ] && return
	stop
	skip "probes cost more than records here"
}

# Of few functions there is none, so the same loses nothing.
test_nothing_to_lose() {
	local instance
	start funccount --strict --buffer=64K "$getppid" "$yield"
	instance=$(ls -d "$tracefs"/instances/*funccount*)
	need_counters
	kill -STOP "$pid"
	counted both 10000
	grep -v '^#' "$instance/trace" >records || :
	expect_empty records
	kill -CONT "$pid"
	stop
	expect_status 0
	expect_empty "$err"
	expect_rows <(rows "$out") <<-END
	$getppid 10000
	$yield 30000
	END
}

# What is called from within another probe cannot be counted, and is told: here for
# each of 100 values that somebody else's probe reads from memory.
test_missed_by_probes() {
	local inner=copy_from_kernel_nofault other=$tracefs/instances/other
	grep -qx $inner "$tracefs/available_filter_functions" || skip "$inner cannot be traced"
	at_end remove_other
	mkdir "$other"
	echo "p:other/one $getppid a=+0(\$stack):u64" >>"$tracefs/dynamic_events"
	echo 1 >"$other/events/other/one/enable"
	start funccount --strict $inner "$getppid"
	need_counters
	counted 1 100
	stop
	expect_status 1
	expect_match "$err" <<-\END
	funccount: 1[0-9][0-9] calls may not be counted: they came while the kernel was in another probe
	END
	expect_rows <(rows "$out" | grep "$getppid") <<<"$getppid 100"
}
remove_other() {
	echo 0 >"$tracefs/instances/other/events/enable"
	rmdir "$tracefs/instances/other"
	echo '-:other/one' >>"$tracefs/dynamic_events"
}

host_top() {
	capture funccount_user
	run funccount -r "$capture" -t 2
	expect_rows "$out" <<-END
	Tracing "shop_*". Top 2 only... Ctrl-C to end.

	FUNC                              COUNT
	shop_tax                              3
	shop_visit                            3

	Ending tracing...
	END
}

once_nothing_called() {
	run funccount -d 0.2 "$getppid"
	expect_status 0
	expect_rows "$out" <<-END
	Tracing "$getppid" for 0.2 seconds...

	FUNC                              COUNT

	Ending tracing...
	END
}

# The last interval is cut short by the end of the run.
once_intervals_end_with_the_run() {
	run funccount -i 0.4 -d 1 "$getppid"
	[ "$(grep -c '^FUNC' "$out")" = 3 ] || fail "$(<"$out")"
	run funccount -i 5 -d 0.3 "$getppid"
	[ "$(grep -c '^FUNC' "$out")" = 1 ] || fail "$(<"$out")"
}

test_intervals_add_up() {
	start funccount -i 0.1 "$getppid"
	counted 2 3000
	sleep 0.3
	counted 2 3000
	stop
	expect_empty "$err"
	[ "$(grep -c '^FUNC' "$out")" -ge 2 ] || fail "only one interval"
	[ "$(sum "$out")" = 12000 ] || fail "$(<"$out")"
}

host_date() {
	capture funccount
	local when
	run funccount -r "$capture" --csv --time=iso
	when=$(sed -n '2s/,.*//p' "$out")
	run funccount -r "$capture" -T
	expect_match "$out" <<-END
	Tracing "do_nanosleep" issued by process name "probed"... Ctrl-C to end.

	$(date -ud "$when" '+%a %b %e %T UTC %Y')
	FUNC                              COUNT
	$(printf '%-30s %8d' do_nanosleep 2)

	Ending tracing...
	END
}

host_csv() {
	capture funccount
	run funccount -r "$capture" --csv --by=name
	expect_match "$out" <<-END
	time,comm,function,module,count
	[0-9]*.[0-9]*,probed,do_nanosleep,"",2
	END
	run funccount -r "$capture" --csv
	expect_match "$out" <<-END
	time,function,module,count
	[0-9]*.[0-9]*,do_nanosleep,"",2
	END
	run funccount -r "$capture" --json -T
	expect_match "$out" <<-END
	{"time":[0-9]*.[0-9]*,"function":"do_nanosleep","module":"","count":2}
	END
}

# ---- whose calls ---------------------------------------------------------------

# All at once, of the same family of processes, of which only the first is known
# beforehand, and of another process.
test_whose_calls() {
	local what i other pids=() outs=() errs=()
	local group=/sys/fs/cgroup/suite/counted
	local -a each=("-p PID $getppid=70" "-p PID --follow $getppid=630" "-L OLD $getppid=20"
		"-L PID --follow $getppid=610" "--cgroup suite/counted $getppid=630"
		"-e -p PID syscalls:sys_enter_getppid=70" "--by=pid $getppid=5 70 240 320")
	mkdir -p $group
	family
	echo "$process" >$group/cgroup.procs
	for what in "${each[@]}"; do
		what=${what%=*} what=${what//PID/$process}
		# shellcheck disable=SC2086 # words
		start funccount ${what//OLD/$old}
		pids+=("$pid") outs+=("$out") errs+=("$err")
	done
	go
	counted 1 5 &
	other=$!
	wait $other
	kill -INT "${pids[@]}"
	for i in "${!pids[@]}"; do
		finish "${pids[i]}"
		expect_status 0
		expect_empty "${errs[i]}"
		[[ ${each[i]} != --by* ]] || break
		what=${each[i]%=*}
		expect_rows <(rows "${outs[i]}") <<<"${what##* } ${each[i]##*=}"
	done
	rmdir $group
	expect_rows <(sed 1q "${outs[0]}") <<-END
	Tracing "$getppid" issued by PID $process... Ctrl-C to end.
	END
	expect_rows <(sed '1,2d; 5q' "${outs[i]}") <<-END
	PID    COMM             FUNC                              COUNT
	$(printf '%-6s %-16s %-30s %8d' "$other" counted "$getppid" 5)
	$(printf '%-6s %-16s %-30s %8d' "$process" counted "$getppid" 70)
	END
	awk '$2 == "counted" { n = n " " $4 } END { print substr(n, 2) }' "${outs[i]}" >counts
	expect_rows counts <<<"${each[i]##*=}"
}

test_by_name() {
	local first
	cp "$TL_WORK/counted" other
	start funccount -n '^other$' "$getppid"
	first=("$pid" "$out")
	start funccount --by=name "$getppid" "$yield"
	counted 2 5
	./other 1 20
	counted 1 7
	./other both 1
	stop
	expect_status 0
	expect_empty "$err"
	expect_rows <(tail -n +3 "$out" | head -n -2) <<-END
	COMM             FUNC                              COUNT
	$(printf '%-16s %-30s %8d' other "$yield" 3)
	$(printf '%-16s %-30s %8d' counted "$getppid" 17)
	$(printf '%-16s %-30s %8d' other "$getppid" 21)
	END
	stop INT "${first[0]}"
	expect_rows <(rows "${first[1]}") <<<"$getppid 21"
}

# ---- modules ---------------------------------------------------------------------

# Each read of this device is one call, which all three see.
test_modules() {
	local i pids=() outs=()
	fresh
	null nullb0 irqmode=0
	for i in null_queue_rq:mod:null_blk 'null_blk:null_*e_rq' '--json :mod:null_blk'; do
		# shellcheck disable=SC2086 # words
		start funccount $i
		pids+=("$pid") outs+=("$out")
	done
	io read /dev/nullb0 0 4096 20
	kill -INT "${pids[@]}"
	for i in "${pids[@]}"; do
		finish "$i"
		expect_status 0
	done
	for i in 0 1; do
		expect_rows <(rows "${outs[i]}") <<<'null_blk:null_queue_rq 20'
	done
	grep -q '"function":"null_queue_rq","module":"null_blk","count":20}' "${outs[2]}" || fail "$(<"${outs[2]}")"
	! grep -v '"module":"null_blk"' "${outs[2]}" || fail "of another module"
}

# ---- others ------------------------------------------------------------------------

# One has its function named, but for another one, the other by patterns, of which
# two are of the same.
test_two_at_once() {
	local first first_out first_err
	start funccount -x '*_sched_yield' "$getppid,$yield"
	first=$pid first_out=$out first_err=$err
	start funccount "${getppid/sys_get/s*t}" "${yield%d}?" "$yield"
	counted both 1000
	stop INT "$first"
	expect_status 0
	expect_empty "$first_err"
	expect_rows <(rows "$first_out") <<-END
	$getppid 1000
	END
	counted both 1000
	stop
	expect_empty "$err"
	expect_rows <(sed 1q "$out"; rows "$out") <<-END
	Tracing "${getppid/sys_get/s*t} ${yield%d}? $yield"... Ctrl-C to end.
	$getppid 2000
	$yield 6000
	END
}

# Of so few functions, reading of them is not to be left out.
test_sigkill_under_load() {
	local job
	counted until >/dev/null &
	job=$!
	start funccount "$getppid"
	expect_match "$tracefs/enabled_functions" <<<"$getppid *"
	expect_match "$tracefs"/instances/*funccount*/set_ftrace_notrace_pid <<<'no pid*'
	stop KILL
	settle
	kill $job
	wait "$job"
}

# So many functions that reading of them is not to be traced itself.
test_many_functions() {
	start funccount --buffer=64M '*_r*' "$getppid"
	counted 1 100
	expect_rows "$tracefs"/instances/*funccount*/set_ftrace_notrace_pid <<<"$pid"
	stop
	expect_status 0
	expect_rows <(grep -E "^$getppid " "$out") <<-END
	$(printf '%-30s %8d' "$getppid" 100)
	END
}

once_unknown_functions() {
	run funccount vfs_raed
	expect_status 1
	expect_rows "$err" <<-END
	funccount: the kernel has no function vfs_raed
	funccount: did you mean vfs_read?
	END
	expect_error 1 'funccount: the kernel has no function nosuch_* that can be traced' funccount 'nosuch_*'
	expect_error 1 'funccount: the kernel has no function :mod:nosuch that can be traced' funccount :mod:nosuch
	expect_error 1 'funccount: tracepoint nosuch:* not found (try tpoint -l)' funccount -e 'nosuch:*'
	expect_error 1 'funccount: -x vfs_* excludes all of them' funccount -x 'vfs_*' vfs_read vfs_write
	expect_error 1 "funccount: -x $getppid,$yield excludes all of them" \
		funccount -x "$getppid,$yield" "$getppid" "$yield"
	expect_error 1 'funccount: -x sched excludes all of them' funccount -e -x sched 'sched:*'
	expect_error 1 'funccount: the kernel has no function nosuch_* that can be traced' funccount -x 'nosuch_*' vfs_read
}

test_switched_off() {
	until_end /proc/sys/kernel/ftrace_enabled 0
	run funccount -d 0.1 vfs_read
	expect_status 1
	grep -q 'sysctl kernel.ftrace_enabled=1' "$err" || fail "$(<"$err")"
}

host_bad_arguments() {
	expect_error 2 'funccount: which function? (try funccount -h)' funccount
	expect_error 2 'funccount: which tracepoint? (try funccount -h)' funccount -e
	expect_error 2 'funccount: use at most one of -u, -e, --in-kernel (try funccount -h)' funccount -e -u libc x
	expect_error 2 'funccount: -F is for -u (try funccount -h)' funccount -F vfs_read
	expect_error 2 'funccount: --in-kernel knows no modules: "ext4:ext4_*" (try funccount -h)' \
		funccount --in-kernel 'ext4:ext4_*'
	expect_error 2 'funccount: --in-kernel counts for all processes together: without -p, -L, -n, --cgroup and --by (try funccount -h)' \
		funccount --in-kernel -p 1 vfs_read
	expect_error 2 'funccount: -i: "0.0001" is below a millisecond (try funccount -h)' funccount -i 0.0001 vfs_read
	expect_error 2 'funccount: -t: "0" is not a number from 1 to 4294967295 (try funccount -h)' funccount -t 0 vfs_read
}

# ---- counted in the kernel -----------------------------------------------------------

test_in_kernel() {
	has_fprobes || skip "no fprobes"
	start funccount --in-kernel -i 0.2 -x "$yield" "$getppid" "${getppid%d}*" "$yield"
	counted both 3000
	sleep 0.3
	counted both 3000
	stop
	expect_status 0
	expect_empty "$err"
	[ "$(sum "$out")" = 6000 ] || fail "$(<"$out")"
	! grep "$yield " "$out" || fail "excluded"
	[ "$(grep -c '^FUNC' "$out")" -ge 2 ] || fail "only one interval"
}

test_not_in_kernel() {
	! has_fprobes || skip "has fprobes"
	expect_error 3 'funccount: this kernel has no probes of many functions (6.5 on, CONFIG_FPROBE_EVENTS): count without --in-kernel' \
		funccount --in-kernel vfs_read
}

# ---- tracepoints ----------------------------------------------------------------------

test_events() {
	start funccount -e -x '*_exit_*' 'syscalls:*getppid' 'syscalls:*sched_yield' 'sysc*lls:*enter_getpp?d'
	counted both 500
	stop
	expect_status 0
	expect_empty "$err"
	expect_rows "$out" <<-END
	Tracing "syscalls:*getppid syscalls:*sched_yield sysc*lls:*enter_getpp?d"... Ctrl-C to end.

	FUNC                              COUNT
	syscalls:sys_enter_getppid          500
	syscalls:sys_enter_sched_yield     1500

	Ending tracing...
	END
}

# A program that begins, and ends, each once.
test_event_system() {
	start funccount -e -n '^nothing$' sched
	nothing
	stop
	expect_rows <(rows "$out" | grep -E 'exec|exit') <<-END
	sched:sched_process_exec 1
	sched:sched_process_exit 1
	END
}

# Those that tell of threads too, where nobody asks for threads.
test_events_of_threads() {
	start funccount -e task:task_newtask sched:sched_process_exit
	nothing
	stop
	expect_status 0
	expect_rows <(rows "$out" | sed 's/ [1-9][0-9]*$/ N/' | sort) <<-END
	sched:sched_process_exit N
	task:task_newtask N
	END
}

# ---- functions of programs ---------------------------------------------------------------

# Three at once: of all functions, of those that patterns choose, and but for one.
test_user() {
	local i pids=() outs=()
	start funccount -u "$shop/pie" 'shop_*'
	pids=("$pid") outs=("$out")
	start funccount -u "$shop/pie" -x '*_s*' 'shop_[io]*' shop_tax 'shop_t*'
	pids+=("$pid") outs+=("$out")
	start funccount -u "$shop/pie" -x shop_tax shop_tax shop_order
	pids+=("$pid") outs+=("$out")
	"$shop/pie" 7
	"$shop/pie" 3
	kill -INT "${pids[@]}"
	for i in "${pids[@]}"; do
		finish "$i"
		expect_status 0
	done
	expect_empty ./*.err
	expect_rows <(rows "${outs[0]}") <<-END
	shop_item 10
	shop_order 10
	shop_price 10
	shop_secret 10
	shop_sum 10
	shop_tax 10
	shop_visit 10
	END
	expect_rows <(rows "${outs[1]}") <<-END
	shop_item 10
	shop_order 10
	shop_tax 10
	END
	expect_rows <(rows "${outs[2]}") <<<'shop_order 10'
}

# Of few functions and of many, on both processors.
test_user_flood() {
	local jobs=() first
	start funccount --buffer=32M -u "$shop/pie" shop_order
	first=("$pid" "$out")
	start funccount --buffer=32M -u "$shop/pie" '*'
	for _ in 1 2 3 4; do
		"$shop/pie" 3000 >/dev/null &
		jobs+=($!)
	done
	wait "${jobs[@]}"
	stop
	expect_empty "$err"
	expect_rows <(rows "$out" | grep shop_order) <<<'shop_order 12000'
	stop INT "${first[0]}"
	expect_rows <(rows "${first[1]}") <<<'shop_order 12000'
}

# Somebody else may enable the probes that count, and keep them.
test_user_probes_in_use() {
	start funccount -u "$shop/pie" shop_order shop_tax
	echo 1 >"$tracefs/events/enable"
	"$shop/pie" 5
	stop
	echo 0 >"$tracefs/events/enable"
	"$shop/pie" 5
	expect_rows <(rows "$out") <<-END
	shop_order 5
	shop_tax 5
	END
	expect_exit 0 reset-ftrace
}

# Of functions that are not called there are no rows.
once_user_choice() {
	start funccount -u "$shop/pie" -x '*_s*' 'shop_[io]*' shop_tax 'shop_t*'
	"$shop/pie" 7 nothing
	stop
	expect_rows <(rows "$out") <<-END
	shop_order 7
	shop_tax 7
	END
	expect_error 1 "funccount: -x shop_* excludes all of them" funccount -u "$shop/pie" -x 'shop_*' 'shop_t*'
	expect_error 1 "funccount: no function of $shop/pie matches nosuch*" funccount -u "$shop/pie" 'nosuch*'
}

test_user_library() {
	[ -e "$shop/shared" ] || skip "no program"
	start funccount --by=name -u "$shop/libshop.so.1" shop_sum
	"$shop/shared" 4
	stop
	expect_rows <(rows "$out") <<-END
	shared shop_sum 4
	END
}

once_user_cxx() {
	[ -e "$shop/cxx" ] || skip "no program"
	start funccount -u "$shop/cxx" '*::*'
	"$shop/cxx"
	stop
	expect_status 0
	grep -q '::.*) *[1-9]' "$out" || fail "$(<"$out")"
	! grep -q '^_Z' "$out" || fail "$(<"$out")"
}

once_user_indirect() {
	expect_exit 1 funccount -u libc strlen
	grep -q 'strlen of .* is an indirect function' "$err" || fail "$(<"$err")"
	run funccount -d 0.1 -u libc 'strle*'
	grep -q 'strlen is an indirect function' "$err" || fail "$(<"$err")"
}

once_user_too_many() {
	run funccount -u libc '*'
	expect_status 1
	expect_match "$err" <<-\END
	funccount: [0-9]* functions of *libc* match: probes in more than 200 take long to begin and to end (-F)
	END
}

# What each record calls for its time is not counted, unless asked for by name.
test_clock_of_records() {
	clock_function
	start funccount -n '^counted$' "${reads%?}*" "$getppid"
	counted 1 1000
	stop
	rows "$out" >have
	expect_clock_left_out funccount have
	grep -qx "$getppid 1000" have || fail "$(<have)"
	start funccount -n . "$reads"
	stop
	rows "$out" >have
	expect_clock_by_name funccount have
	start funccount "$reads"
	stop
	rows "$out" >have
	grep -qw "$reads" have || fail "$reads is not counted"
}
