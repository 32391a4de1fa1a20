# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# funccount in a guest: numbers of calls that are known beforehand

# shellcheck disable=SC1091
. "$here/work/devices.bash"

shop=$TL_WORK/uprobe

# What the kernel calls two system calls that nothing else makes here.
getppid='' yield=''
while read -r name _; do
	case $name in
	__*_sys_getppid) getppid=${getppid:-$name} ;;
	__*_sys_sched_yield) yield=${yield:-$name} ;;
	esac
done < <(grep -E '^__[a-z0-9]+_sys_(getppid|sched_yield)( |$)' "$tracefs/available_filter_functions")

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

test_output() {
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
	start funccount --buffer=64M "$getppid"
	for _ in 1 2 3 4; do
		counted 3 50000 &
		jobs+=($!)
	done
	wait "${jobs[@]}"
	stop
	expect_status 0
	expect_empty "$err"
	expect_rows <(rows "$out") <<-END
	$getppid 600000
	END
}

# While the tool is stopped most is overwritten; the number of it is told. It has
# events of threads in it too, of which there are few here.
test_losses() {
	local lost said advice=''
	! grep -q '<func-name>\[%return\]' "$tracefs/README" ||
		advice=' (--in-kernel counts what no buffer holds)'
	start funccount --strict --buffer=64K "$getppid"
	kill -STOP "$pid"
	counted 1 50000
	kill -CONT "$pid"
	stop
	expect_status 1
	mapfile -t said <"$err"
	[ "${said[0]}" = "funccount: counts are too low by what was lost$advice" ] ||
		fail "$(<"$err")"
	[[ ${said[1]} == 'funccount: '*' events were lost: the buffer was full (--buffer=SIZE makes it larger)' ]] ||
		fail "$(<"$err")"
	lost=${said[1]#*: } lost=${lost%% *}
	[ "$lost" -gt 40000 ] || fail "only $lost lost"
	lost=$((lost + $(sum "$out")))
	((lost >= 50000 && lost < 50100)) || fail "$lost in all"
}

test_several_functions() {
	local many
	for many in "$yield,$getppid" "${getppid/sys_get/s*t}|${yield%d}?"; do
		IFS='|' read -ra many <<<"$many"
		start funccount "${many[@]}"
		counted both 10
		stop
		expect_rows <(sed 1q "$out"; rows "$out") <<-END
		Tracing "${many[*]}"... Ctrl-C to end.
		$getppid 10
		$yield 30
		END
	done
}

test_exclude() {
	start funccount -x '*_sched_yield' "$getppid" "$yield"
	counted both 10
	stop
	expect_rows <(rows "$out") <<-END
	$getppid 10
	END
	expect_error 1 "funccount: -x $getppid,$yield excludes all of them" \
		funccount -x "$getppid,$yield" "$getppid" "$yield"
}

test_top() {
	start funccount -t 1 "$getppid" "$yield"
	counted both 10
	stop
	expect_rows <(sed 1q "$out"; rows "$out") <<-END
	Tracing "$getppid $yield". Top 1 only... Ctrl-C to end.
	$yield 30
	END
}

test_nothing_called() {
	run funccount -d 0.2 "$getppid"
	expect_status 0
	expect_rows "$out" <<-END
	Tracing "$getppid" for 0.2 seconds...

	FUNC                              COUNT

	Ending tracing...
	END
}

# The last interval is cut short by the end of the run.
test_intervals_end_with_the_run() {
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

test_date() {
	TZ=UTC start funccount -T "$getppid"
	counted 1 3
	stop
	expect_match "$out" <<-END
	Tracing "$getppid"... Ctrl-C to end.

	[A-Z][a-z][a-z] [A-Z][a-z][a-z] [ 1-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-6][0-9] UTC 20[0-9][0-9]
	FUNC                              COUNT
	$(printf '%-30s %8d' "$getppid" 3)

	Ending tracing...
	END
}

test_json_and_csv() {
	start funccount --json -T "$getppid"
	counted 1 7
	stop
	expect_match "$out" <<-END
	{"time":[0-9]*.[0-9]*,"function":"$getppid","module":"","count":7}
	END
	start funccount --csv --by=name "$getppid"
	counted 1 7
	stop
	expect_match "$out" <<-END
	time,comm,function,module,count
	[0-9]*.[0-9]*,counted,$getppid,"",7
	END
}

# ---- whose calls ---------------------------------------------------------------

# expect_calls N: of getppid, in all
expect_calls() {
	expect_status 0
	expect_empty "$err"
	expect_rows <(rows "$out") <<-END
	$getppid $1
	END
}

test_pid() {
	family
	start funccount -p "$process" "$getppid"
	go
	counted 1 5
	stop
	expect_calls 70
	expect_rows <(sed 1q "$out") <<-END
	Tracing "$getppid" issued by PID $process... Ctrl-C to end.
	END
}

test_pid_and_children() {
	family
	start funccount -p "$process" --follow "$getppid"
	go
	counted 1 5
	stop
	expect_calls 630
}

test_tid() {
	family
	start funccount -L "$old" "$getppid"
	go
	stop
	expect_calls 20
}

test_tid_and_children() {
	family
	start funccount -L "$process" --follow "$getppid"
	go
	stop
	expect_calls 610
}

test_cgroup() {
	mkdir -p /sys/fs/cgroup/suite/counted
	family
	echo "$process" >/sys/fs/cgroup/suite/counted/cgroup.procs
	start funccount --cgroup suite/counted "$getppid"
	go
	counted 1 5
	stop
	rmdir /sys/fs/cgroup/suite/counted
	expect_calls 630
}

test_name() {
	cp "$TL_WORK/counted" other
	start funccount -n '^other$' "$getppid"
	counted 1 5
	./other 2 10
	stop
	expect_calls 20
}

test_by_name() {
	cp "$TL_WORK/counted" other
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
}

# The processes of a family, of which only the first is known beforehand.
test_by_pid() {
	family
	start funccount --by=pid "$getppid"
	go
	stop
	expect_rows <(sed 1,2d "$out" | head -n 2) <<-END
	PID    COMM             FUNC                              COUNT
	$(printf '%-6s %-16s %-30s %8d' "$process" counted "$getppid" 70)
	END
	expect_rows <(awk '$2 == "counted" { print $4 }' "$out" | xargs) <<-END
	70 240 320
	END
}

# ---- modules ---------------------------------------------------------------------

# Each read of this device is one call.
test_modules() {
	local pattern
	fresh
	null nullb0 irqmode=0
	for pattern in null_queue_rq:mod:null_blk 'null_blk:null_*e_rq'; do
		start funccount "$pattern"
		io read /dev/nullb0 0 4096 20
		stop
		expect_status 0
		expect_rows <(rows "$out") <<-END
		null_blk:null_queue_rq 20
		END
	done
	start funccount --json :mod:null_blk
	io read /dev/nullb0 0 4096 20
	stop
	grep -q '"function":"null_queue_rq","module":"null_blk","count":20}' "$out" || fail "$(<"$out")"
	! grep -v '"module":"null_blk"' "$out" || fail "of another module"
	expect_error 1 'funccount: the kernel has no function :mod:nosuch that can be traced' funccount :mod:nosuch
}

# ---- others ------------------------------------------------------------------------

test_two_at_once() {
	local first first_out first_err
	start funccount "$getppid"
	first=$pid first_out=$out first_err=$err
	start funccount "$yield" "$getppid"
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
	expect_rows <(rows "$out") <<-END
	$getppid 2000
	$yield 6000
	END
}

test_sigkill_under_load() {
	local job
	counted until >/dev/null &
	job=$!
	start funccount "$getppid"
	nap
	expect_match "$tracefs/enabled_functions" <<<"$getppid *"
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
	start funccount "$getppid"
	grep -q '^no pid' "$tracefs"/instances/*funccount*/set_ftrace_notrace_pid || fail "not needed"
	stop
}

test_unknown_functions() {
	run funccount vfs_raed
	expect_status 1
	expect_rows "$err" <<-END
	funccount: the kernel has no function vfs_raed
	funccount: did you mean vfs_read?
	END
	expect_error 1 'funccount: the kernel has no function nosuch_* that can be traced' funccount 'nosuch_*'
	expect_error 1 'funccount: -x vfs_* excludes all of them' funccount -x 'vfs_*' vfs_read vfs_write
	expect_error 1 'funccount: -x sched excludes all of them' funccount -e -x sched 'sched:*'
	expect_error 1 'funccount: the kernel has no function nosuch_* that can be traced' funccount -x 'nosuch_*' vfs_read
}

test_switched_off() {
	until_end /proc/sys/kernel/ftrace_enabled 0
	run funccount -d 0.1 vfs_read
	expect_status 1
	grep -q 'sysctl kernel.ftrace_enabled=1' "$err" || fail "$(<"$err")"
}

test_bad_arguments() {
	expect_error 2 'funccount: which function? (try funccount -h)' funccount
	expect_error 2 'funccount: which tracepoint? (try funccount -h)' funccount -e
	expect_error 2 'funccount: use at most one of -u, -e, --in-kernel (try funccount -h)' funccount -e -u libc x
	expect_error 2 'funccount: -F is for -u (try funccount -h)' funccount -F vfs_read
	expect_error 2 'funccount: --in-kernel knows no modules: "ext4:ext4_*" (try funccount -h)' \
		funccount --in-kernel 'ext4:ext4_*'
	expect_error 2 'funccount: --in-kernel counts for all processes together: without -p, -L, -n, --cgroup and --by (try funccount -h)' \
		funccount --in-kernel -p 1 vfs_read
	expect_error 2 'funccount: -t: "0" is not a number from 1 to 4294967295 (try funccount -h)' funccount -t 0 vfs_read
}

test_check() {
	expect_exit 0 funccount --check
	expect_exit 0 funccount --check -u libc x
	expect_exit 0 funccount --check -e x
}

# ---- counted in the kernel -----------------------------------------------------------

has_fprobes() { grep -q 'f\[:\[<group>/\]\[<event>\]\]' "$tracefs/README"; }

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
	local pattern
	for pattern in syscalls:sys_enter_getppid 'sysc*lls:*enter_getpp?d'; do
		start funccount -e "$pattern"
		counted 2 500
		stop
		expect_status 0
		expect_empty "$err"
		expect_rows "$out" <<-END
		Tracing "$pattern"... Ctrl-C to end.

		FUNC                              COUNT
		syscalls:sys_enter_getppid         1000

		Ending tracing...
		END
	done
	start funccount -e -x '*_exit_*' 'syscalls:*getppid' 'syscalls:*sched_yield' 'syscalls:*_getppid'
	counted both 5
	stop
	expect_rows <(rows "$out") <<-END
	syscalls:sys_enter_getppid 5
	syscalls:sys_enter_sched_yield 15
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
	expect_error 1 'funccount: tracepoint nosuch:* not found (try tpoint -l)' funccount -e 'nosuch:*'
}

test_event_pid() {
	family
	start funccount -e -p "$process" syscalls:sys_enter_getppid
	go
	counted 1 5
	stop
	expect_rows <(rows "$out") <<-END
	syscalls:sys_enter_getppid 70
	END
}

# ---- functions of programs ---------------------------------------------------------------

test_user() {
	start funccount -u "$shop/pie" 'shop_*'
	"$shop/pie" 7
	"$shop/pie" 3
	stop
	expect_status 0
	expect_empty "$err"
	expect_rows <(rows "$out") <<-END
	shop_item 10
	shop_order 10
	shop_price 10
	shop_secret 10
	shop_sum 10
	shop_tax 10
	shop_visit 10
	END
}

test_user_choice() {
	start funccount -u "$shop/pie" -x '*_s*' 'shop_[io]*' shop_tax 'shop_t*'
	"$shop/pie" 7 nothing
	stop
	expect_rows <(rows "$out") <<-END
	shop_order 7
	shop_tax 7
	END
	start funccount -u "$shop/pie" -x shop_tax shop_tax shop_order
	"$shop/pie" 7 nothing
	stop
	expect_rows <(rows "$out") <<<'shop_order 7'
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

test_user_cxx() {
	[ -e "$shop/cxx" ] || skip "no program"
	start funccount -u "$shop/cxx" '*::*'
	"$shop/cxx"
	stop
	expect_status 0
	grep -q '::.*) *[1-9]' "$out" || fail "$(<"$out")"
	! grep -q '^_Z' "$out" || fail "$(<"$out")"
}

test_user_indirect() {
	expect_exit 1 funccount -u libc strlen
	grep -q 'strlen of .* is an indirect function' "$err" || fail "$(<"$err")"
	run funccount -d 0.1 -u libc 'strle*'
	grep -q 'strlen is an indirect function' "$err" || fail "$(<"$err")"
}

test_user_too_many() {
	run funccount -u libc '*'
	expect_status 1
	expect_match "$err" <<-\END
	funccount: [0-9]* functions of *libc* match: probes in more than 200 take long to begin and to end (-F)
	END
}
