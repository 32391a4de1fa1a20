# shellcheck shell=bash disable=SC1091
# SPDX-License-Identifier: GPL-2.0-or-later
# -w and -r in a guest: what is written shows the same as what is not.

T=$tracefs
. "$here/work/devices.bash"

# watch NAME TOOL ARG...: starts it twice, shown into NAME.shown and written to
# capture NAME, beside others that see the same work
declare -A tool_of=()
pids=()
watch() {
	to=$work/$1.shown start "${@:2}"
	pids+=("$pid")
	write "$@"
}
# write NAME TOOL ARG...: starts it once, written to capture NAME
write() {
	start "$2" --write="$1" "${@:3}"
	pids+=("$pid")
	tool_of[$1]=$2
}

# Two instances have a record each, at their own time, in their own state.
without_times() { sed -E "s/[0-9]+\.[0-9]{6}/TIME/; s/(\[[0-9]+\]) [^ ]{4,5}/\1 STATE/; s/0x[0-9a-f]{9,}/ADDRESS/g; ${also-}" "$1"; }

# expect_same NAME LINES: capture NAME, of more lines than that, has what was shown
expect_same() {
	has_lines "$1.shown" $(($2 + 1)) || fail "no more than $2 lines: $(<"$1.shown")"
	run "${tool_of[$1]}" --read="$1"
	expect_status 0
	expect_empty "$err"
	without_times "$1.shown" >shown
	without_times "$out" | expect_rows shown
}

# What goes into a file is not said to be shown.
once_says_where_to() {
	local line
	while read -r line; do
		# shellcheck disable=SC2086 # words of a command
		run ${line%%: *}
		expect_status 0
		head -n 1 "$out" >said
		expect_rows said <<<"${line#*: }"
	done <<-END
	opensnoop -w c -d 0.1: Tracing open()s into c for 0.1 seconds...
	cachestat -w c -p $$ 0.1 1: Counting cache functions issued by PID $$ into c. Ctrl-C to end.
	bitesize -w c -d 0.1: Tracing block I/O size into c for 0.1 seconds...
	perf-stat-hist -w c -d 0.1 sched:sched_switch prev_prio: Tracing sched:sched_switch into c for 0.1 seconds...
	syscount -w c -c -t 3 true: Tracing while running: "true" into c.
	funccount -w c -d 0.1 do_nanosleep: Tracing "do_nanosleep" into c for 0.1 seconds...
	END
}

programs() {
	cat /etc/hostname /etc/nosuch >/dev/null 2>&1 || :
	bash -c 'trap : USR1; kill -USR1 $$; cat /etc/passwd' >/dev/null
}

# Those execs that bash does: not the tools.  The suite sends signal 0 now and then.
test_opens_execs_and_signals() {
	watch opens opensnoop -n '^cat$'
	write failed opensnoop -x -n '^cat$'
	watch execs execsnoop -t -n '^(cat|bash)$' -p $BASHPID --follow
	watch signals killsnoop --signal=USR1
	programs
	stop_all
	expect_same execs 4
	expect_same signals 3
	expect_same opens 8
	run opensnoop -r opens -x
	has_lines "$out" 5 || fail "$(<"$out")"
	cp "$out" failed.shown
	expect_same failed 4

	# reading takes no rights, no tracefs, and changes nothing
	mkdir /mnt/nobody
	cp "$(command -v opensnoop)" "$TL_STAGE"/lib/{,*/}tracelets/libtracelet.so opens /mnt/nobody 2>/dev/null || :
	chmod -R a+rX /mnt/nobody
	# shellcheck disable=SC2016 # for the other shell
	run unshare -m bash -c 'umount -R "$0" && LD_LIBRARY_PATH=/mnt/nobody exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"' \
		"$T" /mnt/nobody/opensnoop -r /mnt/nobody/opens
	expect_status 0
	expect_empty "$err"
	expect_rows "$out" <opens.shown
}

# What is read has its own options.
host_opens_with_other_options() {
	capture opensnoop_failed
	run opensnoop -r "$capture" nosuch/a
	expect_match "$out" <<-'END'
	Tracing open()s issued by process name "cat" for filenames containing "nosuch/a". Ctrl-C to end.
	TIMEs            COMM             PID      FD ERR          FILE
	* cat * -1 ENOENT       /nosuch/a

	Ending tracing...
	END
	run opensnoop -r "$capture" -x --json nosuch/a
	expect_match "$out" <<-'END'
	{"time":*,"comm":"cat","pid":*,"tid":*,"fd":-1,"error":"ENOENT","file":"/nosuch/a"}
	END
	run opensnoop -r "$capture" --csv -n nobody
	expect_rows "$out" <<<'time,comm,pid,tid,fd,error,file'
	capture opensnoop_last
	run opensnoop -r "$capture" -x
	expect_match "$out" <<-'END'
	Tracing open()s issued by process name "cat" for filenames containing "passwd". Ctrl-C to end.
	COMM             PID      FD ERR          FILE

	Ending tracing...
	END
}

# Others can read it, too.
test_tracepoints() {
	need trace-cmd
	watch events tpoint -s -n '^cat$' 'sched:sched_process_ex*' syscalls:sys_enter_openat 'common_pid > 0'
	programs
	stop_all
	expect_same events 30
	trace-cmd report -i events >report 2>errors
	expect_empty errors
	grep -c 'sched_process_exec: *filename=.*cat pid=' report >count
	grep -c '^ *cat-[0-9].*sched_process_exec:' report >>count
	expect_rows count <<<$'2\n2'
}

test_probes_by_name() {
	[ -e /sys/kernel/btf/vmlinux ] || skip "this kernel has no BTF"
	watch probes kprobe -n '^cat$' 'p:open do_sys_openat2 dfd filename:ustring how->flags' 'p:vfs_rea[a-d]*'
	programs
	stop_all
	grep -q ' open: (do_sys_openat2+.* filename="/etc/hostname"' probes.shown || fail "no open"
	grep -q '(vfs_read+' probes.shown || fail "no read"
	expect_same probes 16
}

test_functions() {
	watch functions functrace -n '^cat$' 'vfs_re*'
	watch stacks functrace -s -n '^cat$' vfs_read
	watch odd kprobe -s -n '^cat$' "p:vfs_read \$arg3:u8"
	programs
	stop_all
	expect_same functions 8
	expect_same stacks 16
	expect_same odd 16
}

test_io() {
	local also='s/ +[0-9.]+$//'
	null_disk
	watch requests iosnoop -d nullb0
	dd if=/dev/nullb0 of=/dev/null bs=4k count=20 iflag=direct 2>/dev/null
	stop_all
	rmmod null_blk		# its name is in the capture
	expect_same requests 20
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

# total: of the counts in JSON
total() { awk -F '"count":' '{ n += $2 } END { print n }' "$out"; }

test_slow_calls() {
	start funcslower --write=capture -n '^probed$' --histogram do_nanosleep 1
	probed sleep 100 sleep 100
	stop
	run funcslower --read=capture --json
	expect_status 0
	expect_rows <(total) <<<2
}

# A line per interval, the numbers add up to the known one.
test_intervals() {
	start syscount --write=capture -c -i 0.2 -e read -n burst
	burst call 500 /dev/zero >/dev/null
	read -rt 0.3 -u "$never" || :
	burst call 500 /dev/zero >/dev/null
	stop
	expect_status 0
	run syscount --read=capture --json
	expect_status 0
	has_lines "$out" 2 || fail "$(<"$out")"
	expect_rows <(total) <<<1000
}

# As it was found there: the program is not there any more.
test_probes_in_programs() {
	local shop=$TL_WORK/uprobe
	cp "$shop/pie" shop
	# shellcheck disable=SC2016 # the tool's
	watch calls uprobe "p:$PWD/shop:shop_tax number=\$arg1:s32 item=\$arg2:string" "r:left $PWD/shop:shop_tax tax=\$retval:s32" 'common_pid > 0'
	watch counts funccount -u "$PWD/shop" 'shop_t*'
	! walks_programs || watch stacks uprobe -s "p:$PWD/shop:shop_tax"
	./shop 3
	stop_all
	mv shop gone
	expect_same calls 6
	sed -n 's/.* shop_tax: (.*) //p' "$out" >values
	expect_rows values <<-'END'
	number=0 item="coffee"
	number=1 item="tea"
	number=2 item="coffee"
	END
	expect_same counts 2
	grep -q '^shop_tax *3$' "$out" || fail "$(<"$out")"
	! walks_programs || also='/^ => (ADDRESS|.*libc)/d' expect_same stacks 9
}

# ---- the file ------------------------------------------------------------------

test_killed() {
	start opensnoop -w capture -n '^cat$'
	programs
	until_true 60 grep -qs /etc/hostname capture || fail "it is not written"
	stop KILL
	settle
	run opensnoop -r capture
	expect_status 0
	expect_rows "$err" <<<'opensnoop: capture: the capture is incomplete: only what was written is shown'
	grep -c '/etc/hostname$' "$out" >count
	expect_rows count <<<1
}

once_disk_full() {
	mkdir small
	mount -t tmpfs -o size=200k tmpfs small
	start opensnoop -w small/capture
	burst open 8000 /mnt >/dev/null
	finish
	expect_status 1
	expect_rows "$err" <<<'opensnoop: small/capture: No space left on device: the capture ends here, and -r shows what is in it'
	run opensnoop -r small/capture
	umount small
	expect_status 0
	expect_rows "$err" <<<'opensnoop: small/capture: the capture is incomplete: only what was written is shown'
	[ "$(wc -l <"$out")" -gt 1000 ] || fail "only $(wc -l <"$out") lines"
}

# is_in_order FILE: a capture of burst's opens, none of them twice, and all names. An
# open that is two events may have its first one in the file before, which has the
# file's name.
is_in_order() {
	run opensnoop -r "$1" --json
	expect_status 0
	expect_empty "$err"
	sed -E 's/.*"time":([0-9.]+),.*/\1/' "$out" >>times
	sort -uc -n times || fail "times are not in order"
	! grep -vE '"comm":"burst",.*"file":("/mnt"|null)' "$out" || fail "names are missing in $1"
	[ "$(grep -c '"file":null' "$out")" -le 1 ] || fail "names of files are missing in $1"
}

# Three runs with limits of size see the same opens. One ends at its limit, one has
# the last files, and one the last opens.
test_limits_of_size() {
	local largest rotated file
	start opensnoop -w largest --max-size=200K -n burst
	largest=$pid
	start opensnoop -w rotated --max-size=100K --rotate=3 -n burst
	rotated=$pid
	start opensnoop -w last --last=600 --max-size=100K -n burst
	# parts follow one another in time on one processor only
	taskset -c 0 burst open 6000 /mnt >/dev/null
	stop
	expect_status 0
	expect_match "$err" <<<'opensnoop: of the last 600 seconds only [0-9]* fit into memory (--max-size=SIZE allows more)'
	finish "$largest"
	expect_status 0
	[ "$(stat -c %s largest)" -lt 400000 ] || fail "$(ls -l)"
	stop INT "$rotated"
	expect_status 0
	expect_rows <(ls rotated*) <<<$'rotated\nrotated.1\nrotated.2'
	for file in rotated.2 rotated.1 rotated; do is_in_order $file; done
	[ "$(wc -l <times)" -lt 6000 ] || fail "nothing was left out"
	rm times
	is_in_order largest
	[ "$(wc -l <times)" -gt 1000 ] || fail "only $(wc -l <times) rows"
	rm times
	is_in_order last
	[ "$(wc -l <times)" -gt $((2000 / page_kb)) ] || fail "only $(wc -l <times) rows"	# of whole pages
	[ "$(wc -l <times)" -lt 4500 ] || fail "$(wc -l <times) rows"
	expect_match <(tail -n 1 "$out") <<<'{*"comm":"burst",*"file":"/mnt"}'
}

# A part of a run is not held against the hits of all of it; who writes it knows
# that one name did not fit.
test_what_did_not_fit_and_limits_of_size() {
	local long one rotated part
	[ -e /sys/kernel/btf/vmlinux ] || skip "no BTF"
	! long_texts_fit || skip "pages that all texts fit into"
	printf -v long '%5000s' ''
	start kprobe -w one --max-size=60K 'p:do_sys_openat2 filename'
	one=$pid
	start kprobe --strict -w rotated --max-size=60K --rotate=2 'p:do_sys_openat2 filename'
	rotated=$pid
	burst open 1500 /mnt >/dev/null
	! { : <"${long// /a}"; } 2>/dev/null || fail "that is no name"
	stop INT "$rotated"
	expect_status 1
	expect_rows "$err" <<-END
	kprobe: 1 events were lost: their text, of more than 4,000 bytes, did not fit into a record
	END
	finish "$one"
	expect_status 0
	# the last part may just have begun
	for part in one rotated.1 rotated; do
		run kprobe -r $part --strict
		expect_status 0
		! grep 'were lost' "$err" || fail "$part claims losses"
		[ $part = rotated ] || [ "$(wc -l <"$out")" -gt 3 ] || fail "$part has few rows"
	done
}

# Of the last seconds all is there, and nothing from before: names are those of
# that time, of threads that had begun, and changed their names, before.
test_last_seconds() {
	mkfifo go
	start opensnoop -n '^(bash|cat)$' --json
	local live=$pid live_out=$out child
	start opensnoop -w capture --last=3 -n '^(bash|cat)$'
	# shellcheck disable=SC2016 # for the other shell
	bash -c 'read -r <go; : </etc/hostname; read -r -t 4 <>/dev/full || :; : </etc/hosts; exec cat /etc/shells' >/dev/null &
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

once_written_when_asked() {
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

once_trigger() {
	start opensnoop -w capture --last=60 --trigger='FILE ~ "/etc/nosuch*" && FD < 0' -n '^cat$'
	programs
	until_true 60 grep -q 'KB in capture' "$out" || fail "nothing was written"
	cat /etc/nosuch /etc/nosuch2 /etc/shells >/dev/null 2>&1 || :
	stop
	expect_status 0
	expect_empty "$err"
	expect_match "$out" <<-'END'
	Tracing open()s issued by process name "^cat\$". The last 60 seconds go into capture at the end, when the condition is true, and at SIGUSR1. Ctrl-C to end.
	[0-9]* KB in capture
	[0-9]* KB in capture
	END
	run opensnoop -r capture.1 --json
	expect_empty "$err"
	sed -nE 's#.*"file":"(/etc/(hostname|nosuch|shells)[^"]*)".*#\1#p' "$out" >files
	expect_rows files <<<$'/etc/hostname\n/etc/nosuch'
	run opensnoop -r capture --json
	sed -nE 's#.*"file":"(/etc/(hostname|nosuch|shells)[^"]*)".*#\1#p' "$out" >files
	expect_rows files <<<$'/etc/hostname\n/etc/nosuch\n/etc/nosuch\n/etc/nosuch2\n/etc/shells'
}

times_written() { [ "$(grep -c 'KB in' "$out")" = "$1" ]; }

once_trigger_again() {
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
	burst open 4000 /mnt >/dev/null
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
	[ "$(grep -c '^burst .* /mnt$' "$out")" = 4000 ] || fail "$(wc -l <"$out") lines"
}

# In the unit of the column's text, or of JSON; and fields of an event.
once_triggers() {
	start tpoint -w capture --last=60 --trigger='fields.sig == 10 && fields.errno == 0 && COMM == "bash" && fields.comm ~ "bas?"' signal:signal_generate
	kill -CONT $$
	programs
	until_true 60 grep -q 'KB in capture' "$out" || fail "nothing was written"
	stop
	expect_status 0
	times_written 2 || fail "written for something else"
	rm capture*
	start funcslower -w capture --last=60 --trigger='DURATION >= 1000000.5 && duration < 500' -n '^probed$' do_nanosleep 1000
	probed sleep 2
	nap
	expect_rows <(tail -n +2 "$out") </dev/null
	probed sleep 1010
	until_true 60 grep -q 'KB in capture' "$out" || fail "nothing was written"
	stop
}

# What can be told only when it is to trace.
once_wrong_triggers() {
	expect_error 1 "opensnoop: --trigger: no column of that name can be compared
opensnoop: FILE ~ \"x\" && LATms > 3
opensnoop:               ^
opensnoop: columns: COMM PID TID FD ERR FILE" opensnoop -w capture --last=1 --trigger='FILE ~ "x" && LATms > 3'
	expect_error 1 'bitesize: --trigger: there are no rows before the end' bitesize -w capture --last=1 --trigger='IOs > 3'
	expect_error 1 'tcpretrans: --trigger: with -c there are no rows before the end' tcpretrans -c -w capture --last=1 --trigger='COUNT > 3'
	expect_error 1 'opensnoop: nosuch/capture: No such file or directory' opensnoop -w nosuch/capture
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

# ---- a directory -------------------------------------------------------------------

# host_name: as it is in the names of files
host_name() { uname -n | tr -c 'A-Za-z0-9._\n-' _; }
# make_caps: in a place that has files without names on old kernels, too
make_caps() {
	cd "$(mktemp -d /dev/shm/XXXXXX)" || exit
	mkdir caps
}
# in_caps: all that is there
in_caps() { find caps -mindepth 1 -printf '%f\n' | sort; }
# are_made N: so many files are in caps, as a collector sees them
are_made() { [ "$(find caps -name '[!.]*' -type f | wc -l)" = "$1" ]; }
# written: says where the last one is
written() { sed -nE 's/^[0-9]+ KB in (.*)/\1/p' "$out" | tail -n 1; }
# have FILE...: which of the files in /etc it has, of those that cat opened
have() {
	run opensnoop -r "$1" --json
	expect_empty "$err"
	sed -nE 's#.*"file":"/etc/(hostname|nosuch[^"]*|shells)".*#\1#p' "$out" | tr '\n' ' '
}

# Captures come into it when a condition is true, whole and one by one, and not at the end.
once_directory() {
	local host name
	host=$(host_name)
	make_caps
	start opensnoop -w caps/ --last=60 --trigger='FILE ~ "/etc/nosuch*" && FD < 0' -n '^cat$'
	cat /etc/hostname /etc/nosuch >/dev/null 2>&1 || :
	until_true 60 times_written 1 || fail "nothing was written"
	name=$(written)
	[[ $name =~ ^caps/opensnoop-"$host"-[0-9]{8}T[0-9]{6}\.[0-9]{3}Z-"$pid"\.dat$ ]] || fail "$name"
	[ "$(stat -c %a "$name")" = 600 ] || fail "$(ls -l caps)"
	expect_rows <(in_caps) <<<"${name#caps/}"
	# by the group, where the directory passes that on
	chmod g+s caps
	stop
	expect_status 0
	expect_empty "$err"
	expect_match "$out" <<-'END'
	Tracing open()s issued by process name "^cat\$". The last 60 seconds go into caps/ when the condition is true, and at SIGUSR1. Ctrl-C to end.
	[0-9]* KB in caps/opensnoop-*.dat
	END
	expect_rows <(in_caps) <<<"${name#caps/}"
	[ "$(have "$name")" = 'hostname nosuch ' ] || fail "$(<"$out")"
	start opensnoop -w caps --last=60 -n '^cat$'
	cat /etc/shells >/dev/null
	kill -USR1 "$pid"
	until_true 60 times_written 1 || fail "nothing was written"
	name=$(written)
	[ "$(stat -c %a "$name")" = 640 ] || fail "$(ls -l caps)"
	stop
	[ "$(have "$name")" = 'shells ' ] || fail "$(<"$out")"
}

# What is true just before the end is written at the end.
once_directory_at_the_end() {
	make_caps
	# a collector's own, too
	chown 1234:1234 caps
	chmod 700 caps
	start opensnoop -w caps --last=60 --trigger='FILE ~ "/etc/nosuch*" && FD < 0' -n '^cat$'
	cat /etc/nosuch /etc/hostname >/dev/null 2>&1 || :
	until_true 60 times_written 1 || fail "nothing was written"
	# not again within a minute
	cat /etc/nosuch2 2>/dev/null || :
	stop
	expect_status 0
	are_made 2 || fail "$(ls -A caps)"
	[ "$(have "$(written)")" = 'nosuch hostname nosuch2 ' ] || fail "$(<"$out")"
}

# So is what was asked for then, whether the run comes to it before or not; and what the
# rows of the last interval make true.
once_directory_asked_at_the_end() {
	make_caps
	start opensnoop -w caps --last=60 --trigger='FD == -1000'
	kill -USR1 "$pid"
	stop
	expect_status 0
	are_made 1 || fail "$(ls -A caps)"
	rm caps/*
	fresh
	null nullb0
	start biotop -w caps/ --last=60 --trigger='DISK == "nullb0"' 3600
	stop
	are_made 0 || fail "$(ls -A caps)"
	start biotop -w caps/ --last=60 --trigger='DISK == "nullb0"' 3600
	io write /dev/nullb0 0 4096 3
	stop
	expect_status 0
	are_made 1 || fail "$(ls -A caps)"
	remove_devices
}

# ask N: for one more capture, and waits until that is the Nth
ask() {
	kill -USR1 "$pid"
	until_true 60 times_written "$1" || fail "nothing was written: $(<"$err")"
}

# The oldest ones go; what is somebody else's stays, whatever it is called.
once_directory_is_bounded() {
	local name first second other file
	name=opensnoop-elsewhere-20200101T000000.000Z
	make_caps
	touch caps/notes.dat "caps/$name-1.dat.txt" "caps/$name-x.dat" "caps/.$name-1.dat" "caps/${name/T/t}-1.dat" "caps/$name-2.dat"
	ln -s /etc/passwd "caps/$name-1.dat"
	chown 1234 "caps/$name-2.dat"
	other=$(in_caps)
	# of before the clock was put back, and of before the machine was called so
	touch -d '+1 day' "caps/$name-3.dat"
	touch -d '-1 day' "caps/$name-4.dat"
	start opensnoop -w caps --last=60 --rotate=2 -n '^cat$'
	ask 1
	first=$(written)
	expect_rows <(in_caps) < <(printf '%s\n' "$other" "$name-4.dat" "${first#caps/}" | sort)
	ask 2
	second=$(written)
	expect_rows <(in_caps) < <(printf '%s\n' "$other" "${first#caps/}" "${second#caps/}" | sort)
	stop
	expect_empty "$err"
	expect_rows <(in_caps) < <(printf '%s\n' "$other" "${second#caps/}" "$(basename "$(written)")" | sort)
	# of all tools, in bytes
	for file in "$second" "$(written)"; do head -c 4M /dev/zero >>"$file"; done
	start tpoint -w caps --last=60 --max-total=6M signal:signal_generate
	stop
	expect_empty "$err"
	expect_rows <(in_caps | grep -vxF "$other" | sed 's/-.*//') < <(printf '%s\n' opensnoop tpoint)
	# too large
	start tpoint -w caps --last=60 --max-total=1K signal:signal_generate
	kill -USR1 "$pid"
	until_true 60 grep -q '^tpoint: caps: a capture of [1-9][0-9]* KB is larger than all may be (--max-total): it is not written$' "$err" ||
		fail "$(<"$err")"
	expect_rows <(in_caps | grep -vxF "$other" | sed 's/-.*//') < <(printf '%s\n' opensnoop tpoint)
	stop
	expect_status 1
	# one that cannot be removed
	file=$(find caps -name 'tpoint-*')
	mount --bind /etc/hostname "$file"
	at_end umount "$file"
	start opensnoop -w caps --last=60 --max-total=1M -n '^cat$'
	stop
	expect_status 0
	expect_match "$err" <<<"opensnoop: caps: the old capture tpoint-*.dat cannot be removed: Device or resource busy"
}

# Several that write at the same time keep to it together.
once_directory_of_several() {
	local kb i all=()
	make_caps
	for i in 1 2 3 4; do head -c 256K /dev/zero >caps/opensnoop-here-20200101T000000.000Z-$i.dat; done
	for i in 1 2 3 4; do
		beside t$i opensnoop -w caps --last=60 --max-total=1M
		all+=("$pid")
	done
	kill -USR1 "${all[@]}"
	stop_all
	kb=$(find caps -name '*.dat' -printf '%k\n' | awk '{ n += $1 } END { print n }')
	[ "$kb" -le 1024 ] || fail "$(ls -ls caps)"
	rm -f caps/opensnoop-here-*
	[ "$(find caps -name '*.dat' | wc -l)" -gt 1 ] || fail "$(ls -ls caps)"
	for i in caps/*; do trace-cmd report "$i" >/dev/null || fail "$i"; done
}

# Killed before a capture is on the disk it leaves nothing.
once_directory_killed() {
	need strace
	make_caps
	start opensnoop -w caps --last=60
	strace -qq -o /dev/null -p "$pid" -e trace=fsync -e inject=fsync:delay_enter=100000000 &
	until_true 60 is_traced || fail "$(<"/proc/$pid/status")"
	kill -USR1 "$pid"
	until_true 60 is_writing || fail "it writes nothing"
	kill -KILL "$pid" $!
	wait "$pid" $! || :
	expect_rows <(in_caps) </dev/null
	start opensnoop -w caps --last=60
	stop
	expect_empty "$err"
	are_made 1 || fail "$(ls -A caps)"
}
is_traced() { grep -q '^TracerPid:.[1-9]' "/proc/$pid/status"; }
# is_writing: what it remembers is in a file, and that is becoming another
is_writing() { [ "$(find "/proc/$pid/fd" -lname '*(deleted)' | wc -l)" = 2 ]; }

# A collector may take the directory away with all that is in it, and has nothing to fear
# from a tool that goes on.
once_directory_is_replaced() {
	make_caps
	start opensnoop -w caps --last=60 --rotate=2
	ask 1
	expect_rows <(find "/proc/$pid/fd" -lname '*(deleted)') </dev/null
	mv caps taken
	kill -USR1 "$pid"
	until_true 60 grep -qx 'opensnoop: caps: No such file or directory: the capture is not written' "$err" || fail "$(<"$err")"
	mkdir caps
	ask 2
	ask 3
	ask 4
	are_made 2 || fail "$(ls -A caps)"
	[ "$(find taken -name '*.dat' | wc -l)" = 1 ] || fail "$(ls -A taken)"
	# nor has it the directory open
	expect_rows <(find "/proc/$pid/fd" -lname '*/caps' -o -lname '*/taken') </dev/null
	stop
	expect_status 0
	# what is in the way is seen at the start
	mkdir ro
	mount -t tmpfs -o ro tmpfs ro
	at_end umount ro
	expect_error 1 'opensnoop: ro: Read-only file system' opensnoop -w ro --last=60
	expect_error 1 'opensnoop: nosuch/: No such file or directory' opensnoop -w nosuch/ --last=60
	expect_error 3 'opensnoop: /sys: this file system has no files without names (O_TMPFILE), as ext4, xfs, btrfs and tmpfs have' \
		opensnoop -w /sys --last=60
}

# A tenth of the file system is left to others: captures go for that, and if that is not
# enough there is none, but the run goes on.
once_directory_leaves_room() {
	local first
	mkdir caps
	mount -t tmpfs -o size=64m tmpfs caps
	at_end umount caps
	start opensnoop -w caps --last=60 -n '^cat$'
	ask 1
	first=$(written)
	head -c 64M /dev/zero >caps/full 2>/dev/null || :
	kill -USR1 "$pid"
	until_true 60 no_room 1 || fail "$(<"$err")"
	are_made 2 || fail "$(ls -lA caps)"
	# the first one, which is 16 MB now, has to go, even if nothing at all is free; but not
	# as long as that would be of no use, since it is somewhere else, too
	rm caps/full
	head -c 16M /dev/zero >>"$first"
	head -c 64M /dev/zero >caps/full 2>/dev/null || :
	ln "$first" caps/same
	kill -USR1 "$pid"
	until_true 60 no_room 2 || fail "$(<"$err")"
	rm caps/same
	ask 2
	[ ! -e "$first" ] || fail "$(ls -lA caps)"
	are_made 2 || fail "$(ls -lA caps)"
	rm caps/full
	stop
	expect_status 0
	are_made 2 || fail "$(ls -lA caps)"
}
no_room() {
	[ "$(grep -cE '^opensnoop: caps: no room for a capture of [1-9][0-9]* KB \(10 % of the file system are left free\): it is not written$' "$err")" = "$1" ]
}

# The unit for systemd, run by systemd with these units alone, in namespaces of its own:
# the sandbox has all that a recorder needs, and what is written is for the group.
once_directory_of_a_service() {
	local unit name
	[ -x /lib/systemd/systemd ] || skip "no systemd"
	# where the sandbox hides nothing, as it does in /home and /tmp
	mkdir -p /opt
	mount --bind "$(dirname "$(dirname "$(type -P opensnoop)")")" /opt
	mount -t tmpfs tmpfs /var/lib
	at_end umount /opt /var/lib
	unit=$(cat /opt/lib/systemd/system/tracelets-capture@.service)
	mkdir units
	unit=${unit//\/usr\/local\/sbin\/%i//opt/sbin/%i}
	unit=${unit//\/usr\/local\/etc\/tracelets/$PWD}
	printf '%s\n' "${unit/\#Group=collector/Group=adm}" >units/tracelets-capture@.service
	printf '%s\n' "OPTIONS=--last=30 --trigger='FILE ~ \"/etc/no such*\" && FD < 0' --max-total=1M" >opensnoop.capture
	for name in sysinit basic shutdown multi-user; do printf '[Unit]\n' >units/$name.target; done
	cat >units/work.service <<-END
	[Unit]
	DefaultDependencies=no
	SuccessAction=exit-force
	FailureAction=exit-force
	[Service]
	Type=oneshot
	StandardOutput=file:$PWD/seen
	StandardError=inherit
	ExecStart=/bin/bash $PWD/work.sh
	TimeoutStartSec=100
	END
	cat >work.sh <<-'END'
	systemctl start tracelets-capture@opensnoop
	until compgen -G '/var/lib/tracelets/captures/*.dat' >/dev/null; do
		cat "/etc/no such file" 2>/dev/null
		sleep 0.2
	done
	systemctl stop tracelets-capture@opensnoop
	systemctl show -P Result tracelets-capture@opensnoop
	END
	cat >start.sh <<-'END'
	container=guest SYSTEMD_UNIT_PATH=$PWD/units exec /lib/systemd/systemd --system --unit=work.service --log-target=console --show-status=0
	END
	timeout 200 unshare -fmpC --kill-child --mount-proc bash start.sh >log 2>&1 || :
	[ "$(<seen)" = success ] || fail "$(<seen)" "$(<log)"
	expect_rows <(stat -c '%a %G' /var/lib/tracelets/captures /var/lib/tracelets/captures/*.dat | uniq) <<-'END'
	2770 adm
	640 adm
	END
	# there is a second one where that happened again just before the end
	run opensnoop -r "$(find /var/lib/tracelets/captures -name '*.dat' | sort | head -n 1)" --json
	expect_empty "$err"
	grep -q '"file":"/etc/no such file"' "$out" || fail "$(<"$out")"
}

# What it would show is about the capture only.
once_nothing_can_be_shown() {
	# shellcheck disable=SC2016 # for the other shell
	start bash -c 'exec opensnoop -w capture -n "^cat$" >&-'
	programs
	stop
	expect_status 0
	expect_empty "$err"
	run opensnoop -r capture
	expect_rows <(grep -c '/etc/hostname$' "$out") <<<1
	to=/dev/full start opensnoop -w capture --last=60
	kill -USR1 "$pid"
	stop
	expect_status 0
	expect_empty "$err"
	expect_error 1 'opensnoop: writing the output: No space left on device' opensnoop -w capture -o /dev/full
}

# ---- what selects -------------------------------------------------------------------

# selects CAPTURE TOOL JQ OPTION...: of all rows, as jq's JQ selects or changes them,
# some but not all
selects() {
	local name=$1 tool=$2 filter=$3
	shift 3
	capture "$name"
	expect_exit 0 "$tool" --read="$capture" --json
	jq -c . "$out" >all
	jq -c "$filter" "$out" >selected
	expect_exit 0 "$tool" --read="$capture" --json "$@"
	jq -c . "$out" >shown
	expect_rows shown <selected
	if [ ! -s selected ] || cmp -s selected all; then
		fail "$tool $*: nothing is selected by $filter"
	fi
}

host_whom() {
	local capture
	need jq
	selects tpoint tpoint 'select(.tid == 330)' -p 330
	selects tpoint tpoint 'select(.tid == 331)' -L 331
	selects execsnoop execsnoop 'select(.pid == 216)' -p 216
	selects execsnoop execsnoop 'select(.pid == 216)' -L 216
	selects killsnoop killsnoop 'select(.pid == 306)' --sender=306
	selects killsnoop killsnoop 'select(.tid == 292)' -L 292
	selects opensnoop_last opensnoop 'select(.pid == 205)' -p 205
	selects iosnoop iosnoop 'select(.pid == 603)' -p 603
	selects iosnoop iosnoop 'select(.tid == 606)' -L 606
	selects tcpretrans tcpretrans 'select(.pid == 824)' -p 824
	selects tcpretrans tcpretrans 'select(.comm == "nstat")' -n nstat
}

# Whoever is in the capture, all of it; and nobody else.
host_one_and_no_other() {
	local capture name tool field id option
	need jq
	while read -r name tool field id; do
		capture "$name"
		expect_exit 0 "$tool" --read="$capture" --json
		cp "$out" all
		for option in -p -L; do
			run "$tool" --read="$capture" --json "$option" "$id"
			expect_status 0
			expect_rows "$out" <all
			run "$tool" --read="$capture" --json "$option" 1
			jq -e "select(.$field != 0 and .$field != null)" "$out" >rows || :
			expect_empty rows
		done
	done <<-END
	functrace functrace tid 463
	funcslower funcslower tid 529
	funcgraph funcgraph tid 576
	kprobe_return kprobe tid 419
	uprobe uprobe tid 202
	funccount_user funccount count 229
	perf_stat_hist perf-stat-hist count 736
	END
}

# All others are children of the first one.
host_children() {
	local capture
	need jq
	selects execsnoop execsnoop 'select(.pid == 210)' -p 210
	expect_exit 0 execsnoop --read="$capture" --json
	cp "$out" all
	expect_exit 0 execsnoop --read="$capture" --json -p 210 --follow
	expect_rows "$out" <all
}

# Typed alone, what selects is for what was traced; that of the run gives way.
host_filter_alone() {
	local capture
	need jq
	selects tpoint tpoint 'select(.fields.pid == 331)' 'pid == 331'
	selects funcslower funcslower 'select(.duration > 0.0307)' 30700
	selects kprobe_return kprobe 'select(.fields.ret == 7)' 'ret == 7'
}

host_what() {
	local capture
	need jq
	selects opensnoop opensnoop 'select(.error != null)' -x
	selects opensnoop opensnoop 'select(.file == "/mnt/w/missing")' missing
	selects killsnoop killsnoop 'select(.signal == 15)' --signal=TERM
	selects killsnoop killsnoop 'select(.signal != 15)' --signal='!TERM'
	selects killsnoop killsnoop 'select(.error != null)' --failed
	selects killsnoop killsnoop 'select(.tpid == 290)' -p 290
	selects execsnoop execsnoop 'select(.args | tostring | test("by-descr"))' by-descr
	selects iosnoop iosnoop 'select(.type | test("R"))' -i '*R*'
	selects iosnoop iosnoop 'select(.latency >= 0.006)' --min=6
	selects iolatency iolatency 'select(.type == "RS")' -i '*R*'
	selects syscount syscount 'select(.syscall == "getppid")' -e getppid
	selects syscount syscount 'select(.count == 10)' -t 1
	selects funccount_user funccount 'select(.function == "shop_visit")' -t 1
	selects perf_stat_hist perf-stat-hist 'if .from == 1 then . else .count = 0 end' -f 'ret == 1'
	selects tpoint tpoint 'select(.fields.pid == 331)' sched:sched_process_exec 'pid == 331'
	selects tpoint_syscalls tpoint 'select(.event | test("exit"))' syscalls:sys_exit_pread64
	# shellcheck disable=SC2016 # the kernel's
	selects kprobe_return kprobe 'select(.fields.ret == 7)' 'r:vfs_read ret=$retval' 'ret == 7'
	selects funcslower funcslower 'select(.duration > 0.0307)' do_nanosleep hrtimer_nanosleep 30700
	capture funcgraph
	run funcgraph -r "$capture" --json
	jq 'select(.duration >= 0.00001) | .duration' "$out" >selected
	run funcgraph -r "$capture" --json --min=10
	jq .duration "$out" >shown
	[ -s selected ] || fail "nothing is slow"
	expect_rows shown <selected
}

# What a capture of retransmits has is of one connection: all of it, or nothing.
host_addresses_and_ports() {
	local capture option
	capture tcpretrans
	run tcpretrans --read="$capture" --json
	cp "$out" all
	for option in port=4000 port=8000 lport=4000 rport=8000 addr=10.9.0.1 laddr=10.9.0.1 raddr=10.9.0.0/24; do
		expect_exit 0 tcpretrans -r "$capture" --json "--$option"
		expect_rows "$out" <all
	done
	for option in port=1 lport=8000 rport=4000 addr=10.9.0.3 laddr=10.9.0.2 raddr=10.9.1.0/24; do
		expect_exit 0 tcpretrans -r "$capture" --json "--$option"
		expect_empty "$out"
	done
}

# Those of the machine that reads are others.
host_devices() {
	local capture device
	capture iosnoop_queued
	run iosnoop --read="$capture" --json
	cp "$out" all
	for device in nullb0 /dev/nullb0 254,0 254:0; do
		expect_exit 0 iosnoop -r "$capture" --json -d "$device"
		expect_rows "$out" <all
	done
	expect_exit 0 iosnoop -r "$capture" --json -d 7,0
	expect_empty "$out"
	expect_error 1 'iosnoop: "sda" is no block device of the capture, which knows them by name or number; there are: nullb0' \
		iosnoop -r "$capture" -d sda
}

# What was decided when it was written is refused, not ignored.
host_what_is_recorded() {
	local capture name tool words
	capture opensnoop
	expect_error 1 'opensnoop: --cgroup: who is in /x is known only of a capture that was written with this' \
		opensnoop -r "$capture" --cgroup=/x
	while read -r name tool words; do
		capture "$name"
		# shellcheck disable=SC2086 # they are words
		expect_error 2 "$tool: -r: what to trace was decided when the capture was written: leave out \"${words%% *}\"" \
			"$tool" --read="$capture" $words
	done <<-'END'
	functrace functrace vfs_read
	funcgraph funcgraph write_null
	funcslower funcslower hrtimer_nanosleep do_nanosleep 1
	funccount_user funccount shop_i*
	kprobe_return kprobe p:vfs_read
	uprobe uprobe p:/bin/sh:main
	END
	while read -r name tool words; do
		capture "$name"
		expect_error 2 "$tool: ${words%% *}: cannot be changed with -r: it was set when the capture was written" \
			"$tool" --read="$capture" "${words%% *}" "${words#* }"
	done <<-'END'
	functrace functrace -x a
	funcgraph funcgraph --exclude write_null
	funcgraph funcgraph --only write_null
	funcgraph funcgraph -m 1
	funcgraph funcgraph --no-irq vfs_write
	funccount funccount -x a
	funccount_user funccount -u /bin/sh
	END
}

# Asking for what has no records is refused by what the capture was written with,
# and not laid on the kernel.
host_what_was_not_recorded() {
	local capture name tool option
	while read -r name tool option; do
		capture "$name"
		expect_exit 1 "$tool" --read="$capture" "$option"
		expect_match "$err" <<<"$tool: -r: the capture lacks records that this needs; it was written by: $tool --write=c.dat *"
	done <<-'END'
	iosnoop iosnoop -Q
	iosnoop iosnoop --bio
	iosnoop_queued iosnoop --bio
	iolatency iolatency -Q
	tpoint tpoint -s
	kprobe kprobe -s
	functrace functrace -s
	funcgraph funcgraph --args
	funcslower funcslower -C
	syscount syscount --time-spent
	tcpretrans tcpretrans --synack
	END
	capture tpoint
	expect_exit 1 tpoint -r "$capture" sched:sched_switch
	expect_match "$err" <<-'END'
	tpoint: tracepoint sched:sched_switch not found (try tpoint -l)
	tpoint: -r: the capture lacks records that this needs; *
	END
	capture killsnoop
	expect_error 2 'killsnoop: --all: cannot be changed with -r: it was set when the capture was written' \
		killsnoop -r "$capture" --all
	# what it was written with may be said again
	capture iosnoop_queued
	run iosnoop -r "$capture"
	cp "$out" all
	expect_exit 0 iosnoop -r "$capture" -Q
	expect_rows "$out" <all
}

# Nobody has done nothing because others were recorded.
host_who_was_not_recorded() {
	local capture who
	capture cachestat
	run cachestat -r "$capture" --csv
	cp "$out" all
	for who in -p -L; do
		expect_exit 0 cachestat -r "$capture" --csv $who 766
		expect_rows "$out" <all
	done
	for who in 1 766,1; do
		expect_error 1 'cachestat: -r: process 1 was not recorded: the capture was written for PID 766 only' \
			cachestat -r "$capture" -p $who
	done
	# it could be a thread that began later, until the end
	expect_exit 1 cachestat -r "$capture" -L 1
	expect_rows "$err" <<<'cachestat: -r: thread 1 was not recorded: the capture was written for PID 766 only'
}

# A capture has no names of cgroups.
host_cgroups() {
	local capture name tool
	while read -r name tool; do
		capture "$name"
		expect_error 1 "$tool: --cgroup: who is in /x is known only of a capture that was written with this" \
			"$tool" --read="$capture" --cgroup=/x
	done <<-'END'
	biotop biotop
	bitesize bitesize
	cachestat cachestat
	execsnoop execsnoop
	funccount funccount
	funccount_user funccount
	funcgraph funcgraph
	funcslower funcslower
	functrace functrace
	iolatency iolatency
	iosnoop iosnoop
	killsnoop killsnoop
	kprobe kprobe
	opensnoop opensnoop
	perf_stat_hist perf-stat-hist
	syscount syscount
	tcpaccept tcpaccept
	tcpconnect tcpconnect
	tcpretrans tcpretrans
	tpoint tpoint
	uprobe uprobe
	END
}

# A run of that duration would have ended before the rows behind it.
host_durations() {
	local capture name tool time secs
	need jq
	while read -r name tool time secs; do
		capture "$name"
		run "$tool" --read="$capture" --json --time=relative
		jq -c "select(.$time <= $secs)" "$out" >selected
		jq -c . "$out" >all
		expect_exit 0 "$tool" --read="$capture" --json --time=relative --duration="$secs"
		jq -c . "$out" >shown
		expect_rows shown <selected
		if [ ! -s selected ] || cmp -s selected all; then
			fail "$tool: $secs s are of none or all"
		fi
	done <<-'END'
	tpoint_syscalls tpoint time 0.0347475
	iosnoop iosnoop end 0.07
	END
	# of counts what there was by then
	while read -r name tool secs count; do
		capture "$name"
		expect_exit 0 "$tool" --read="$capture" --json --duration="$secs"
		expect_rows <(jq -s 'map(.count // .read) | add' "$out") <<<"$count"
	done <<-'END'
	iolatency iolatency 0.2 3
	iolatency iolatency 0.3 7
	perf_stat_hist perf-stat-hist 0.01 0
	perf_stat_hist perf-stat-hist 0.1 19
	cachestat cachestat 0.02 0
	cachestat cachestat 0.04 16
	END
}

# Types of a capture that has two of them, and how it was asked for
once_kinds_of_io() {
	local also='s/ +[0-9.]+$//' type
	fresh
	null nullb0
	write sizes bitesize
	watch bios iosnoop --bio -d nullb0
	watch queued iosnoop -Q -d nullb0
	io read /dev/nullb0 0 4096 12
	io write /dev/nullb0 0 4096 10
	stop_all
	expect_same bios 22
	expect_same queued 22
	while read -r type want; do
		expect_exit 0 bitesize -r sizes --json --type "$type"
		expect_rows <(jq -s 'map(.count) | add' "$out") <<<"$want"
		expect_exit 0 iosnoop -r queued --json -i "$type"
		expect_rows <(grep -c . "$out") <<<"$want"
		expect_exit 0 iosnoop -r bios --json -i "$type"
		expect_rows <(grep -c . "$out") <<<"$want"
	done <<-'END'
	*R* 12
	*W* 10
	* 22
	END
}

# Of one that is written without, and of one that is written with it.
once_names_of_threads() {
	need jq
	write events tpoint sched:sched_process_exec
	programs
	stop_all
	expect_exit 0 tpoint -r events --json
	jq -c 'select(.comm == "cat")' "$out" >want
	[ -s want ] || fail "no cat: $(<"$out")"
	expect_exit 0 tpoint -r events --json -n '^cat$'
	jq -c . "$out" >shown
	expect_rows shown <want
	expect_exit 0 tpoint -r events --json -n '^ca.$'
	jq -c . "$out" >shown
	expect_rows shown <want
}

# Those of a cgroup are known where the run was asked for them.
once_a_cgroup() {
	local group=/sys/fs/cgroup/tl child
	need jq
	mkdir -p $group
	at_end rmdir $group
	bash -c 'read -r; cat /etc/shells; exec cat /etc/passwd' >/dev/null < <(until [ -e go ]; do nap; done; echo) &
	child=$!
	echo $child >$group/cgroup.procs
	write opens opensnoop --cgroup $group
	: >go
	wait $child
	cat /etc/hostname >/dev/null
	stop_all
	expect_exit 0 opensnoop -r opens --json
	grep -q '"/etc/passwd"' "$out" || fail "$(<"$out")"
	! grep -q '"/etc/hostname"' "$out" || fail "it is of all"
	cp "$out" all
	expect_exit 0 opensnoop -r opens --json --cgroup $group
	expect_rows "$out" <all
	jq -c "select(.pid == $child)" all >want
	expect_exit 0 opensnoop -r opens --json -p $child
	jq -c . "$out" >shown
	expect_rows shown <want
	expect_error 1 "opensnoop: --cgroup: who is in /other is known only of a capture that was written with this" \
		opensnoop -r opens --cgroup=/other
	expect_exit 1 opensnoop -r opens -p 1
	expect_rows "$err" <<<"opensnoop: -r: process 1 was not recorded: the capture was written for cgroup $group only"
}

# Marks of whom the run asked for are not those of others.
once_another_thread() {
	start opensnoop -w c -p $BASHPID --follow
	cat /etc/hostname >/dev/null
	bash -c 'exec cat /etc/passwd' >/dev/null &
	local child=$!
	wait $child
	stop
	expect_status 0
	run opensnoop -r c --json
	jq -se 'map(.pid) | unique | length > 1' "$out" >/dev/null || fail "$(<"$out")"
	jq -c "select(.pid == $child)" "$out" >want
	[ -s want ] || fail "no open of $child"
	run opensnoop -r c --json -p $child
	jq -c . "$out" >have
	expect_rows have <want
	run opensnoop -r c --json -L 1
	expect_empty "$out"
}

# The children of whom the run asked for are asked for, those of others are not.
once_no_children_of_another() {
	local parent option
	start opensnoop -w c -p $BASHPID --follow
	bash -c 'cat /etc/hostname; : </etc/passwd' >/dev/null &
	parent=$!
	wait $parent
	stop
	run opensnoop -r c --json
	expect_rows <(jq "select(.file == \"/etc/hostname\") | .pid != $parent" "$out") <<<true
	jq -c "select(.pid == $parent)" "$out" >want
	for option in -p -L; do
		run opensnoop -r c --json $option $parent
		jq -c . "$out" >have
		expect_rows have <want
		run opensnoop -r c --json $option $parent --follow
		grep -q '"/etc/hostname"' "$out" || fail "no children with --follow"
	done
	run opensnoop -r c --json --cgroup=/
	expect_rows "$err" <<<'opensnoop: --cgroup: who is in / is known only of a capture that was written with this'
}

# Two disks, of one a partition, of which nothing was asked when it was written.
once_one_of_two_disks() {
	local tool device want number
	fresh
	null nullb0
	null nullb1
	addpart /dev/nullb1 1 2048 2048
	for tool in iosnoop bitesize iolatency; do
		write $tool $tool
	done
	io read /dev/nullb0 0 4096 2
	io read /dev/nullb1 0 4096 3
	io read /dev/nullb1p1 0 4096 4
	stop_all
	number=$(tr : , </sys/block/nullb1/dev)
	remove_devices
	while read -r device want; do
		expect_exit 0 iosnoop -r iosnoop --json -d "$device"
		has_lines "$out" "$want" || fail "$device: $(<"$out")"
		[ "$(grep -c . "$out")" = "$want" ] || fail "$device: $(<"$out")"
		expect_exit 0 bitesize -r bitesize --json --device "$device"
		[ "$(jq -s 'map(.count) | add' "$out")" = "$want" ] || fail "$device: $(<"$out")"
		expect_exit 0 iolatency -r iolatency --json -d "$device" 1000
		[ "$(jq -s 'map(.count) | add' "$out")" = "$want" ] || fail "$device: $(<"$out")"
	done <<-END
	nullb0 2
	nullb1 7
	/dev/nullb1 7
	$number 7
	nullb1p1 4
	END
}

# ---- where what is shown goes (-o) --------------------------------------------------

host_output_in_a_file() {
	local capture
	capture opensnoop
	umask 027
	echo 'longer than all that comes' >old
	seq 10000 >>old
	for format in '' --json --csv --raw; do
		expect_exit 0 opensnoop -r "$capture" $format
		cp "$out" all
		[ "$format" ] && rm -f old
		expect_exit 0 opensnoop -r "$capture" $format -o old
		expect_empty "$out" "$err"
		expect_rows old <all
	done
	[ "$(stat -c %a old)" = 640 ] || fail "its mode is $(stat -c %a old)"
	expect_exit 0 opensnoop -r "$capture" --raw --output=-
	expect_rows "$out" <all
	expect_exit 0 tracelets list -o list
	expect_empty "$out"
	has_lines list 5
}

host_wrong_output() {
	local capture output
	capture opensnoop
	expect_error 1 'opensnoop: --output: /nosuch/file: No such file or directory' opensnoop -r "$capture" -o /nosuch/file
	expect_error 1 'opensnoop: --output: /: Is a directory' opensnoop -r "$capture" -o /
	expect_error 1 'opensnoop: writing the output: No space left on device' opensnoop -r "$capture" -o /dev/full
	ln "$capture" other
	expect_error 1 'opensnoop: --output: other is a file of the capture' opensnoop -r "$capture" -o other
	expect_exit 0 opensnoop -r "$capture"
	# nor what is to become one, of which nothing is left
	ln -s new link
	for output in new ./new "$PWD/new" link; do
		expect_error 1 "opensnoop: --output: $output is a file of the capture" opensnoop -w new -o "$output"
		[ ! -e new ] || fail "$output is left"
	done
	expect_error 1 'opensnoop: --output: new.2 is a file of the capture' opensnoop -w new --max-size=1M --rotate=3 -o new.2
	expect_error 1 'opensnoop: --output: new.1 is a file of the capture' opensnoop -w new --last=3 -o new.1
	expect_rows <(compgen -G 'new*' || :) </dev/null
	echo text >new.1
	expect_error 1 'opensnoop: --output: new.1 is a file of the capture' opensnoop -w new --last=3 -o new.1
	expect_rows new.1 <<<text
}

# Rows are there at once, and not for the command.
once_output_and_command() {
	start opensnoop -o rows /mnt/seen
	cat /mnt/seen 2>/dev/null || :
	wait_lines rows 3
	stop
	expect_status 0
	expect_empty "$out" "$err"
	run syscount -c --json -o calls bash -c 'echo "said by it"; exit 3'
	expect_status 3
	expect_rows "$out" <<<'said by it'
	jq -se 'map(select(.syscall == "execve")) | length == 1' calls >/dev/null || fail "$(<calls)"
}

# ---- what JSON has ------------------------------------------------------------------

# In no capture is a number so large that jq would change its last digits.
host_addresses_are_text() {
	local capture
	need jq
	capture functrace_args
	run functrace -r "$capture" --json
	jq -c 'select(.args | (.file | test("^0xff[0-9a-f]{14}$")) and (.pos | test("^0xff[0-9a-f]{14}$"))
		and .buf == "0x7fffffffe870" and (.count | type) == "number") | .args.count' "$out" >counts
	expect_match counts <<<$'7\n100'
	run functrace -r "$capture"
	run functrace -r "$capture" --csv
	[[ $(<"$out") == *'file=0xff'*' buf=0x7fffffffe870 count=7 pos=0xff'* ]] || fail "$(<"$out")"
	capture tpoint_syscalls
	run tpoint -r "$capture" --json
	jq -r '.fields.buf // empty' "$out" | sort -u >bufs
	expect_rows bufs <<<0x4bb240
	jq -r '. as $row | .. | numbers | select(fabs >= 9007199254740992) | "\(input_filename): \($row)"' \
		"$root"/tests/golden/*/*.json >large
	expect_empty large
}

# ---- what is wrong -----------------------------------------------------------------

host_wrong_use() {
	local capture
	expect_error 2 'opensnoop: --trigger needs --last (try opensnoop -h)' opensnoop -w capture --trigger='FD < 0'
	expect_error 2 'opensnoop: --last needs -w (try opensnoop -h)' opensnoop --last=3
	expect_error 2 'opensnoop: -w: /tmp is a directory, which needs --last (try opensnoop -h)' opensnoop -w /tmp
	expect_error 2 'opensnoop: -w: nosuch/ is a directory, which needs --last (try opensnoop -h)' opensnoop -w nosuch/
	expect_error 2 'opensnoop: --max-total needs a directory for -w (try opensnoop -h)' opensnoop -w a --last=3 --max-total=1M
	expect_error 2 'opensnoop: use at most one of -w, -r (try opensnoop -h)' opensnoop -w a -r b
	expect_error 2 'opensnoop: --max-size needs -w (try opensnoop -h)' opensnoop --max-size=1M
	expect_error 2 'opensnoop: --rotate needs --max-size or --last (try opensnoop -h)' opensnoop -w a --rotate=2
	expect_error 1 'opensnoop: nosuch: No such file or directory' opensnoop -r nosuch
	expect_error 1 'opensnoop: /etc/passwd: damaged, or not written by -w' opensnoop -r /etc/passwd
	capture execsnoop
	expect_error 2 'opensnoop: -r: this is a capture of execsnoop (try opensnoop -h)' opensnoop -r "$capture"
}
