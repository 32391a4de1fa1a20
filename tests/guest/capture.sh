# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# -w and -r in a guest: what is written shows the same as what is not.

T=$tracefs

# twice WORK TOOL ARGS...: runs it twice at once, shown into $shown and written to
# capture, with WORK meanwhile, and reads the capture as nobody into $out
shown=
twice() {
	local work_=$1 tool=$2 live
	shift 2
	start "$tool" "$@"
	live=$pid shown=$out
	expect_empty "$err"
	start "$tool" --write=capture "$@"
	"$work_"
	stop
	expect_status 0
	stop INT "$live"
	expect_status 0
	chmod a+rx capture . ..
	for_all
	run as_user "$stage/sbin/$tool" --read="$PWD/capture"
	expect_status 0
	expect_empty "$err"
}

# Two instances have a record each, at their own time, in their own state.
without_times() { sed -E 's/[0-9]+\.[0-9]{6}/TIME/; s/(\[[0-9]+\]) [^ ]{4,5}/\1 STATE/; s/0x[0-9a-f]{9,}/ADDRESS/g' "$1"; }

expect_same() {
	[ "$(wc -l <"$shown")" -gt "${1:-3}" ] || fail "only $(wc -l <"$shown") lines: $(<"$shown")"
	without_times "$shown" >shown
	without_times "$out" | expect_rows shown
}

programs() {
	cat /etc/hostname /etc/nosuch >/dev/null 2>&1 || :
	bash -c 'trap : USR1; kill -USR1 $$; cat /etc/passwd' >/dev/null
}

test_opens() {
	twice programs opensnoop -n '^cat$'
	expect_same 8
	twice programs opensnoop -x -n '^cat$'
	expect_same
}

test_opens_with_other_options() {
	twice programs opensnoop -n '^cat$'
	run opensnoop -r capture -x passwd
	expect_match "$out" <<-'END'
	Tracing open()s issued by process name "^cat\$" for filenames containing "passwd". Ctrl-C to end.
	COMM             PID      FD ERR          FILE

	Ending tracing...
	END
	run opensnoop -r capture -x --json nosuch
	expect_match "$out" <<-'END'
	{"time":*,"comm":"cat","pid":*,"tid":*,"fd":-1,"error":"ENOENT","file":"/etc/nosuch"}
	END
	run opensnoop -r capture --csv -n nobody
	expect_rows "$out" <<<'time,comm,pid,tid,fd,error,file'
}

# Those that bash runs: not the tools.
test_execs() { twice programs execsnoop -t -n '^(cat|bash)$' -p $BASHPID --follow; expect_same 4; }
# The suite sends signal 0 now and then.
test_signals() {
	twice programs killsnoop --signal=USR1
	expect_same
}
test_tracepoints() {
	twice programs tpoint -n '^cat$' 'sched:sched_process_ex*'
	expect_same 4
	twice programs tpoint -s -n '^cat$' sched:sched_process_exec
	expect_same 8
	twice programs tpoint --json -n '^cat$' syscalls:sys_enter_openat 'dfd > 0'
	expect_same 8
}
test_probes_by_name() {
	[ -e /sys/kernel/btf/vmlinux ] || skip "this kernel has no BTF"
	twice programs kprobe -n '^cat$' 'p:open do_sys_openat2 dfd filename:ustring how->flags'
	expect_same 8
	twice programs kprobe -n '^cat$' 'p:vfs_rea*'
	expect_same 8
}
test_functions() {
	twice programs functrace -n '^cat$' 'vfs_re*'
	expect_same 8
	twice programs functrace -s -n '^cat$' vfs_read
	expect_same 16
}

reads() { dd if=/dev/nullb0 of=/dev/null bs=4k count=20 iflag=direct 2>/dev/null; }
test_io() {
	null_disk
	twice reads iosnoop -d nullb0
	rmmod null_blk		# its name is in the capture
	sed -E -i 's/ +[0-9.]+$//' "$shown" "$out"
	expect_same 20
}

test_graphs() {
	start funcgraph --write=capture -n '^graphed$' --only=rw_verify_area,write_null vfs_write
	graphed writes 3
	stop
	expect_status 0
	run funcgraph --read=capture
	sed -nE 's/^ [0-9]+\) .{14}\|  //p' "$out" >have
	expect_rows have <<-END
	vfs_write() {
	  rw_verify_area();
	  write_null();
	}
	vfs_write() {
	  rw_verify_area();
	  write_null();
	}
	vfs_write() {
	  rw_verify_area();
	  write_null();
	}
	END
	expect_clean
}

test_slow_calls() {
	start funcslower --write=capture -n '^sleep$' --histogram '*do_nanosleep' 1
	command sleep 0.1
	command sleep 0.1
	stop
	run funcslower --read=capture --json
	expect_status 0
	[ "$(jq -s 'map(.count) | add' "$out")" = 2 ] || fail "$(<"$out")"
}

# A line per interval, the numbers add up to the known one.
test_intervals() {
	start syscount --write=capture -c -i 0.5 -e read -n burst
	burst call 3000 /dev/zero >/dev/null
	burst call 3000 /dev/zero >/dev/null
	stop
	expect_status 0
	run syscount --read=capture --json
	expect_status 0
	[ "$(jq -s 'map(select(.syscall == "read").count) | add' "$out")" = 6000 ] || fail "$(<"$out")"
}

to_shop() { ./shop 3; }

# As it was found there: the program is not there any more.
test_probes_in_programs() {
	local shop=$TL_WORK/uprobe
	cp "$shop/pie" shop
	# shellcheck disable=SC2016 # the tool's
	twice to_shop uprobe "p:$PWD/shop:shop_tax number=\$arg1:s32 item=\$arg2:string" "r:left $PWD/shop:shop_tax tax=\$retval:s32" 'common_pid > 0'
	expect_same 6
	mv shop gone
	run as_user "$stage/sbin/uprobe" -r "$PWD/capture" --json
	expect_empty "$err"
	jq -r '"\(.event) \(.fields.number) \(.fields.item)"' "$out" | grep -v left >values
	expect_rows values <<<$'shop_tax 0 coffee\nshop_tax 1 tea\nshop_tax 2 coffee'
	mv gone shop
	twice to_shop funccount -u "$PWD/shop" 'shop_t*'
	grep -q '^shop_tax *3$' "$out" || fail "$(<"$out")"
	expect_same 2
	expect_error 1 'uprobe: -w: what shows stacks of programs is not in a capture' uprobe -w capture -s "p:$PWD/shop:shop_tax"
}

# ---- the file ------------------------------------------------------------------

test_others_can_read_it() {
	need trace-cmd
	twice programs tpoint -n '^cat$' sched:sched_process_exec
	trace-cmd report -i capture >report 2>errors
	expect_empty errors
	grep -c 'sched_process_exec: *filename=.*cat pid=' report >count
	grep -c '^ *cat-[0-9].*sched_process_exec:' report >>count
	expect_rows count <<<$'2\n2'
}

test_killed() {
	start opensnoop -w capture -n '^cat$'
	programs
	read -rt 0.5 -u "$never" || :
	stop KILL
	settle
	run opensnoop -r capture
	expect_status 0
	expect_rows "$err" <<<'opensnoop: capture: the capture was not ended: it has what was written by then'
	grep -c '/etc/hostname$' "$out" >count
	expect_rows count <<<1
}

test_disk_full() {
	mkdir small
	mount -t tmpfs -o size=400k tmpfs small
	start opensnoop -w small/capture
	burst open 30000 /mnt >/dev/null
	finish
	expect_status 1
	expect_rows "$err" <<<'opensnoop: small/capture: No space left on device: the capture ends here, and -r shows what is in it'
	run opensnoop -r small/capture
	umount small
	expect_status 0
	expect_rows "$err" <<<'opensnoop: small/capture: the capture was not ended: it has what was written by then'
	[ "$(wc -l <"$out")" -gt 1000 ] || fail "only $(wc -l <"$out") lines"
}

test_largest_size() {
	start opensnoop -w capture --max-size=500K -n burst
	burst open 20000 /mnt >/dev/null
	finish
	expect_status 0
	[ "$(stat -c %s capture)" -lt 700000 ] || fail "$(ls -l)"
	run opensnoop -r capture
	expect_empty "$err"
	[ "$(wc -l <"$out")" -gt 1000 ] || fail "only $(wc -l <"$out") lines"
}

# The last files have the last opens, none of them twice, and all names.
test_rotation() {
	start opensnoop -w capture --max-size=200K --rotate=3 -n burst
	burst open 20000 /mnt >/dev/null
	stop
	expect_status 0
	expect_rows <(ls capture*) <<<$'capture\ncapture.1\ncapture.2'
	for file in capture.2 capture.1 capture; do
		run opensnoop -r $file --json
		expect_status 0
		jq -r '.time' "$out" >>times
		jq -r '.comm' "$out" >>names
	done
	sort -uc -n times || fail "times are not in order"
	[ "$(wc -l <times)" -lt 20000 ] || fail "nothing was left out"
	expect_rows <(sort -u names) <<<burst
}

# Of the last seconds all is there, and nothing from before: names are those of
# that time, of threads that had begun, and changed their names, before.
test_last_seconds() {
	mkfifo go
	start opensnoop -n '^(bash|cat)$' --json
	local live=$pid live_out=$out child
	start opensnoop -w capture --last=3 -n '^(bash|cat)$'
	# shellcheck disable=SC2016 # for the other shell
	bash -c 'read -r <go; : </etc/hostname; read -r -t 6 <>/dev/full || :; : </etc/hosts; exec cat /etc/shells' >/dev/null &
	child=$!
	echo >go
	wait $child
	stop
	expect_status 0
	stop INT "$live"
	expect_empty "$err"
	grep -qF '. The last 3 seconds go into capture at the end, and at SIGUSR1. Ctrl-C to end.' "$out" || fail "$(<"$out")"
	run opensnoop -r capture --json
	expect_empty "$err"
	grep -c '"bash".*"/etc/hosts"' "$out" >count
	grep -c '"cat".*"/etc/shells"' "$out" >>count
	grep -c '"/etc/hostname"' "$out" >>count || :
	expect_rows count <<<$'1\n1\n0'
	# of that process, as many as the other run showed last
	grep "\"pid\":$child," "$out" | cut -d , -f 2- >rows
	grep "\"pid\":$child," "$live_out" | cut -d , -f 2- | tail -n "$(wc -l <rows)" | expect_rows rows
}

test_written_when_asked() {
	start opensnoop -w capture --last=60 -n '^cat$'
	cat /etc/hostname >/dev/null
	kill -USR1 "$pid"
	until_true 60 grep -q 'KB in capture' "$out" || fail "nothing was written"
	cat /etc/shells >/dev/null
	stop
	expect_status 0
	[ "$(grep -c 'KB in capture' "$out")" = 2 ] || fail "not written twice"
	run opensnoop -r capture.1
	expect_empty "$err"
	grep -c '/etc/hostname$' "$out" >count
	grep -c '/etc/shells$' "$out" >>count || :
	run opensnoop -r capture
	grep -c '/etc/hostname$' "$out" >>count
	grep -c '/etc/shells$' "$out" >>count
	expect_rows count <<<$'1\n0\n1\n1'
}

test_last_seconds_that_fit() {
	start opensnoop -w capture --last=600 --max-size=100K -n burst
	burst open 20000 /mnt >/dev/null
	stop
	expect_status 0
	expect_match "$err" <<<'opensnoop: of the last 600 seconds only [0-9]* fit into memory (--max-size=SIZE allows more)'
	run opensnoop -r capture --json
	expect_empty "$err"
	jq -r .time "$out" >times
	sort -uc -n times || fail "times are not in order"
	[ "$(wc -l <times)" -gt 500 ] || fail "only $(wc -l <times) rows"
	[ "$(wc -l <times)" -lt 10000 ] || fail "$(wc -l <times) rows"
	tail -n 1 "$out" | jq -r '.comm + " " + .file' >last
	expect_rows last <<<'burst /mnt'
}

test_trigger() {
	start opensnoop -w capture --last=60 --trigger='FILE ~ "/etc/nosuch*" && FD < 0' -n '^cat$'
	programs
	until_true 60 grep -q 'KB in capture' "$out" || fail "nothing was written"
	cat /etc/nosuch /etc/nosuch2 /etc/shells >/dev/null 2>&1 || :
	stop
	expect_status 0
	expect_empty "$err"
	expect_match "$out" <<-'END'
	Tracing open()s issued by process name "^cat\$". The last 60 seconds go into capture at the end, when that is true, and at SIGUSR1. Ctrl-C to end.
	[0-9]* KB in capture
	[0-9]* KB in capture
	END
	run opensnoop -r capture.1 --json
	expect_empty "$err"
	jq -r .file "$out" | grep -E '^/etc/(hostname|nosuch|shells)' >files
	expect_rows files <<<$'/etc/hostname\n/etc/nosuch'
	run opensnoop -r capture --json
	jq -r .file "$out" | grep -E '^/etc/(hostname|nosuch|shells)' >files
	expect_rows files <<<$'/etc/hostname\n/etc/nosuch\n/etc/nosuch\n/etc/nosuch2\n/etc/shells'
}

times_written() { [ "$(grep -c 'KB in' "$out")" = "$1" ]; }

test_trigger_again() {
	start opensnoop -w capture --last=3 --trigger='FILE ~ "/etc/nosuch*" && FD < 0' -n '^cat$'
	cat /etc/nosuch 2>/dev/null || :
	until_true 60 times_written 1 || fail "nothing was written"
	cat /etc/nosuch2 2>/dev/null || :
	until_true 60 times_written 2 || fail "not written again"
	stop
	run opensnoop -r capture.1
	expect_empty "$err"
	grep -q '/etc/nosuch2$' "$out" || fail "it has not what was true again"
}

# What happens later counts as well.
test_full_disk_does_not_end_it() {
	mkdir small
	mount -t tmpfs -o size=200k tmpfs small
	start opensnoop -w small/capture --last=60 -n burst
	burst open 20000 /mnt >/dev/null
	kill -USR1 "$pid"
	until_true 60 grep -q 'No space' "$err" || fail "it fits"
	mount -o remount,size=16m small
	kill -USR1 "$pid"
	until_true 60 times_written 1 || fail "nothing was written"
	stop
	expect_status 0
	times_written 2 || fail "nothing was written at the end"
	run opensnoop -r small/capture
	umount small
	expect_empty "$err"
	[ "$(grep -c '^burst .* /mnt$' "$out")" = 20000 ] || fail "$(wc -l <"$out") lines"
}

# In the unit of the column's text, or of JSON; and fields of an event.
test_triggers() {
	local condition
	for condition in 'fields.sig == 10 && fields.errno == 0' 'COMM == "bash" && fields.comm ~ "bas?"'; do
		start tpoint -w capture --last=60 --trigger="$condition" signal:signal_generate
		kill -CONT $$
		programs
		until_true 60 grep -q 'KB in capture' "$out" || fail "$condition: nothing was written"
		stop
		expect_status 0
		rm capture*
	done
	for condition in 'DURATION >= 200000.5' 'duration > 0.2'; do
		start funcslower -w capture --last=60 --trigger="$condition" __x64_sys_read 1000
		sh -c 'sleep 0.02 | read -r _' || :
		nap
		expect_rows <(tail -n +2 "$out") </dev/null
		sh -c 'sleep 0.4 | read -r _' || :
		until_true 60 grep -q 'KB in capture' "$out" || fail "$condition: nothing was written"
		stop
		rm capture*
	done
	expect_error 1 "opensnoop: --trigger: no column of that name can be compared
opensnoop: FILE ~ \"x\" && LATms > 3
opensnoop:               ^
opensnoop: columns: COMM PID TID FD ERR FILE" opensnoop -w capture --last=1 --trigger='FILE ~ "x" && LATms > 3'
	expect_error 1 'bitesize: --trigger: there are no rows before the end' bitesize -w capture --last=1 --trigger='IOs > 3'
	expect_error 1 'tcpretrans: --trigger: with -c there are no rows before the end' tcpretrans -c -w capture --last=1 --trigger='COUNT > 3'
	expect_error 2 'opensnoop: --trigger needs --last (try opensnoop -h)' opensnoop -w capture --trigger='FD < 0'
	expect_error 2 'opensnoop: --last needs -w (try opensnoop -h)' opensnoop --last=3
}

# Of who writes a file nobody needs to read the output.
test_reader_goes() {
	# shellcheck disable=SC2016 # for the other shell
	start bash -c 'opensnoop -w capture -n ^cat$ | true; exit ${PIPESTATUS[0]}'
	programs
	pkill -INT -x opensnoop
	finish
	expect_status 0
	expect_empty "$err"
	run opensnoop -r capture
	grep -c '/etc/hostname$' "$out" >count
	expect_rows count <<<1
}

# ---- what is wrong -----------------------------------------------------------------

test_wrong_use() {
	programs >capture
	expect_error 2 'opensnoop: use at most one of -w, -r (try opensnoop -h)' opensnoop -w a -r b
	expect_error 2 'opensnoop: --max-size needs -w (try opensnoop -h)' opensnoop --max-size=1M
	expect_error 2 'opensnoop: --rotate needs --max-size or --last (try opensnoop -h)' opensnoop -w a --rotate=2
	expect_exit 1 opensnoop -r nosuch
	expect_rows "$err" <<<'opensnoop: nosuch: No such file or directory'
	expect_exit 1 opensnoop -r /etc/passwd
	expect_rows "$err" <<<'opensnoop: /etc/passwd: damaged, or not written by -w'
	start execsnoop -w capture
	stop
	expect_error 2 'opensnoop: -r: this is a capture of execsnoop (try opensnoop -h)' opensnoop -r capture
	expect_exit 1 opensnoop -w nosuch/capture
	expect_rows "$err" <<<'opensnoop: nosuch/capture: No such file or directory'
}

# Reading takes no rights, no tracefs, and changes nothing.
test_without_tracefs() {
	twice programs opensnoop -n '^cat$'
	# shellcheck disable=SC2016 # for the other shell
	run unshare -m bash -c 'umount -R "$0" && exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"' \
		"$T" "$stage/sbin/opensnoop" -r "$PWD/capture"
	expect_status 0
	expect_same 8
}
