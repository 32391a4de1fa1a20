# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# killsnoop in a guest: what it must show for signals that are known

rows() { sed -e 1,2d -e '/^$/,$d' "$out"; }

# Rows of JSON without the time.
json() { sed 's/"time":[0-9.]*,//' "$out"; }

# shellcheck disable=SC2034 # $in holds the pipe open
# hold [PROGRAM]: a process $target with a thread $thread, in a process group of its own
hold() {
	local who
	mkfifo in who
	exec {in}<>in {who}<>who
	"${1:-signals}" hold <in >who &
	read -r target thread <&"$who"
}

# release: it ends
release() {
	kill -KILL "$target"
	wait "$target" || true
}

# sender COMMAND...: a shell of this name that runs them; prints its PID
sender() {
	ln -sf "$(command -v bash)" /mnt/sender
	/mnt/sender -c "$*"$'\n''echo $$'
}

first_check() {
	expect_exit 0 killsnoop --check
	expect_rows "$out" <<<"killsnoop: this kernel has all that is needed"
}

first_row() {
	start killsnoop -p $BASHPID
	kill -WINCH $BASHPID
	stop
	expect_status 0
	rows >rows
	expect_match rows <<-END
	bash  *$BASHPID  *$BASHPID  *28         0
	END
}

# side NAME ARG...: one of several at the same time
declare -A side_pid side_out side_err
side() {
	start killsnoop "${@:2}"
	side_pid[$1]=$pid side_out[$1]=$out side_err[$1]=$err
}

# ended NAME: as after stop
ended() {
	pid=${side_pid[$1]} out=${side_out[$1]} err=${side_err[$1]}
	stop
	expect_status 0
	expect_empty "$err"
}

# expect_filtered NAME OPTION PATTERN: its rows are those of all that grep finds
expect_filtered() {
	ended "$1"
	json >rows
	grep "$2" -e "$3" expected >wanted
	expect_rows rows <wanted
}

# Every call and target.  With --all the kernel's own are not among the rows of
# calls, and no call has a second.
test_calls() {
	side calls --json -n '^signals$'
	side all --json --all -n '^signals$'
	side these --json -n '^signals$' --signal=TERM,SIGHUP,0,rtmin+1,12
	side others --json -n '^signals$' --signal='!TERM,SIGHUP,0,rtmin+1,12'
	side none --json -n '^signals$' --signal='!'"$(echo {0..64} | tr ' ' ,)"
	side failed --json -n '^signals$' --failed
	signals calls >expected
	expect_filtered calls -E '^'
	ended all
	json >rows
	grep -v '"call":null' rows >calls
	expect_rows calls <expected
	grep '"call":null' rows >others
	grep -q '"code":"CLD_EXITED"' others || fail "no end of a child"
	! grep -vE '"code":"(CLD_.*|SI_KERNEL)"' others || fail "a call's signal twice"
	expect_filtered these -E '"signal":(15|1|0|35|12),'
	expect_filtered others -vE '"signal":(15|1|0|35|12),'
	expect_filtered none -E '"signal":65,|"signal":-1,'
	expect_filtered failed -E '"return":-1,'
}

# A timer's interrupt hits any process, which has not sent anything.
test_kernel_signals() {
	local self
	side all --json --all --signal=ALRM,PIPE,USR1,CHLD,RTMIN
	side fault -s --all --signal=SEGV
	side interrupted --all --signal=ALRM,USR1 -n '^signals$'
	signals kernel >expected
	ended all
	self=$(sed -n '1s/.*"tpid":\([0-9]*\).*/\1/p' expected)
	json | grep "\"tpid\":$self," >rows
	expect_rows rows <expected
	ended fault
	expect_rows <(rows | awk '{ print $1, $2 == $3, $4, $5, $6, $7 }') <<-END
	signals 1 SIGSEGV - SEGV_MAPERR delivered
	END
	ended interrupted
	expect_rows <(rows | awk '{ print $1, $4, $5, $6 }') <<-END
	signals 10 0 SI_USER
	END
}

test_text() {
	local by
	hold
	start killsnoop
	by=$(sender "kill -WINCH $target; kill -0 $target; kill -TERM 999999999 2>/dev/null")
	stop
	release
	{
		echo "Tracing kill()s. Ctrl-C to end."
		echo "COMM             PID    TPID     SIGNAL     RETURN"
		printf 'sender           %-6d %-8d 28         0\n' "$by" "$target"
		printf 'sender           %-6d %-8d 0          0\n' "$by" "$target"
		printf 'sender           %-6d 999999999 15         -1\n' "$by"
	} >expected
	grep -v ^bash "$out" | head -n 5 >rows
	expect_rows rows <expected
}

# fixed PATTERN: the lines of $out up to the second row with that, without times
# and ids
fixed() {
	awk -v pattern="$1" '{ gsub(/[0-9]+\.[0-9][0-9][0-9][0-9][0-9][0-9]/, "T"); print } $0 ~ pattern && ++n == 2 { exit }' "$out" |
		sed -E 's/(signals +)[0-9]{3,5} +[0-9]{3,5} +/\1PID TPID /; s/(signals,)([0-9]{3,5},){3}/\1PID,TID,TPID,/'
}

host_text_of_all_options() {
	capture killsnoop
	run killsnoop -r "$capture" -st --errno --call
	expect_status 0
	expect_empty "$err"
	expect_rows <(fixed EINVAL) <<-'END'
	Tracing kill()s issued by process name "signals". Ctrl-C to end.
	TIMEs            COMM             PID    TPID     TTID     SIGNAL     RETURN ERR      CALL
	T        signals          PID TPID -        SIGTERM    0      -        kill
	T        signals          PID TPID -        SIGTERM    0      -        kill
	T        signals          PID TPID -        SIGWINCH   0      -        kill
	T        signals          PID TPID -        0          0      -        kill
	T        signals          PID TPID -        65         -1     EINVAL   kill
	T        signals          PID TPID -        -1         -1     EINVAL   kill
	END
	tail -n 2 "$out" >end
	expect_rows end <<<$'\nEnding tracing...'
}

host_failed_text() {
	capture killsnoop
	run killsnoop -r "$capture" --failed
	expect_status 0
	expect_rows <(fixed EINVAL) <<-'END'
	Tracing kill()s issued by process name "signals". Ctrl-C to end.
	COMM             PID    TPID     SIGNAL     RETURN ERR
	signals          PID TPID 65         -1     EINVAL
	signals          PID TPID -1         -1     EINVAL
	END
	! rows | grep -qv ' -1     E' || fail "one that did not fail"
}

host_csv() {
	capture killsnoop
	run killsnoop -r "$capture" --csv
	expect_status 0
	expect_rows <(fixed EINVAL) <<-'END'
	time,comm,pid,tid,tpid,ttid,tcomm,signal,signal_name,return,error,call,code,result
	T,signals,PID,TID,TPID,,target,15,SIGTERM,0,,kill,SI_USER,delivered
	T,signals,PID,TID,TPID,,target,15,SIGTERM,0,,kill,SI_USER,already_pending
	T,signals,PID,TID,TPID,,target,28,SIGWINCH,0,,kill,SI_USER,ignored
	T,signals,PID,TID,TPID,,,0,0,0,,kill,,
	T,signals,PID,TID,TPID,,,65,65,-1,EINVAL,kill,,
	T,signals,PID,TID,TPID,,,-1,-1,-1,EINVAL,kill,,
	END
}

host_banner_of_all_filters() {
	capture killsnoop
	run killsnoop -r "$capture" --signal='!sigchld,0' -p 1 -n x
	expect_status 0
	expect_rows <(sed -n 1p "$out") <<-'END'
	Tracing kill()s (!sigchld,0) issued to PID 1 issued by process name "x". Ctrl-C to end.
	END
}

# The process: by its id or a thread's, and in its group.  Nothing else.
test_target() {
	local group
	hold
	side calls -p "$target"
	side all --all -p $BASHPID
	group=-$target
	sender "kill -WINCH $target; kill -WINCH $thread; kill -WINCH -- $group; kill -65 $target 2>/dev/null
		kill -WINCH $BASHPID; kill -0 999999999 2>/dev/null; kill -0 -- $group" >/dev/null
	ended calls
	expect_rows <(sed -n 1p "$out") <<<"Tracing kill()s issued to PID $target. Ctrl-C to end."
	expect_rows <(rows | awk '{ print $1, $3, $4, $5 }') <<-END
	sender $target 28 0
	sender $target 28 0
	sender $group 28 0
	END
	ended all
	release
	expect_rows <(rows | awk '{ print $3, $4, $5, $6 }' | sort -u) <<-END
	$BASHPID 17 - CLD_EXITED
	$BASHPID 28 0 SI_USER
	END
}

# expect_senders NAME [ROW...]: COMM, SIGNAL and RETURN
expect_senders() {
	ended "$1"
	rows | awk '{ print $1, $4, $5 }' >rows
	expect_rows rows < <([ $# = 1 ] || printf '%s\n' "${@:2}")
}

# Of a shell and its child, and of another.
test_senders() {
	local go sender none=999999 group=/sys/fs/cgroup/tl
	hold
	mkdir $group
	mkfifo go
	exec {go}<>go
	bash -c "read -r _; kill -WINCH $target; env kill -0 $target; :" <&"$go" &
	sender=$!
	echo $sender >$group/cgroup.procs
	side sender --sender=$sender
	side follow --sender=$sender --follow
	side thread -L $sender
	side name -n '^kill$'
	side both --sender=$sender -p $none
	side cgroup --cgroup $group
	sender "kill -WINCH $target" >/dev/null
	echo >&"$go"
	wait $sender
	expect_senders sender "bash 28 0"
	expect_rows <(sed -n 1p "$out") <<<"Tracing kill()s issued by PID $sender. Ctrl-C to end."
	expect_senders follow "bash 28 0" "kill 0 0"
	expect_senders thread "bash 28 0"
	expect_senders name "kill 0 0"
	expect_senders both
	expect_rows <(sed -n 1p "$out") <<<"Tracing kill()s issued to PID $none issued by PID $sender. Ctrl-C to end."
	expect_senders cgroup "bash 28 0" "kill 0 0"
	release
	rmdir $group
}

once_duration() {
	start killsnoop -d 3 -n '^sender$'
	sender 'kill -0 $$' >/dev/null
	finish
	expect_status 0
	expect_rows <(sed -n 1p "$out") <<<"Tracing kill()s issued by process name \"^sender$\" for 3 seconds (buffered)..."
	expect_rows <(rows | awk '{ print $1, $4, $5 }') <<<"sender 0 0"
}

# A process may send itself any si_code, which only --all lets through.  Calls of
# 32-bit programs have no events, their signals have one.
test_own_code_and_compat_call() {
	local by compat status32=0
	hold
	side calls --json --signal=USR1,WINCH
	side all --json --all --signal=USR1,WINCH
	by=$(signals queue 5)
	compat=$(signals compat "$target") || status32=$?
	ended calls
	json >rows
	expect_match rows <<-'END'
	{"comm":"signals","pid":*,"tid":*,"tpid":*,"ttid":null,"tcomm":null,"signal":10,*"rt_sigqueueinfo","code":null,"result":null}
	END
	ended all
	release
	json | head -n 1 >rows
	expect_rows rows <<-END
	{"comm":"signals","pid":$by,"tid":$by,"tpid":$by,"ttid":null,"tcomm":"signals","signal":10,"signal_name":"SIGUSR1","return":0,"error":null,"call":"rt_sigqueueinfo","code":"5","result":"ignored"}
	END
	[ $status32 != 77 ] || return 0	# without 32-bit calls
	json | sed 1d >rows
	expect_rows rows <<-END
	{"comm":"signals","pid":$compat,"tid":$compat,"tpid":$target,"ttid":null,"tcomm":"signals","signal":28,"signal_name":"SIGWINCH","return":null,"error":null,"call":null,"code":"SI_USER","result":"ignored"}
	END
}

once_odd_names() {
	cp "$(command -v signals)" $'/mnt/a\x1b[1m b-1'
	cp "$(command -v signals)" $'/mnt/n\x1bm"'
	hold $'/mnt/n\x1bm"'
	start killsnoop --json -p "$target"
	$'/mnt/a\x1b[1m b-1' flood 3 "$target"
	stop
	release
	expect_rows <(json | sed 's/"[pt]*id":[0-9]*,//g' | head -n 3 | cut -d, -f1-5) <<-'END'
	{"comm":"a\u001b[1m b-1","ttid":null,"tcomm":null,"signal":0,"signal_name":"0"
	{"comm":"a\u001b[1m b-1","ttid":null,"tcomm":null,"signal":65,"signal_name":"65"
	{"comm":"a\u001b[1m b-1","ttid":null,"tcomm":"n\u001bm\"","signal":28,"signal_name":"SIGWINCH"
	END
}

# flood_rows: how often each kind of row of `signals flood` is there
flood_rows() {
	awk -v target="$target" '$1 == "signals" { n[($3 == target ? "TARGET" : $3) " " $4 " " $5]++ }
		END { for (row in n) print n[row], row }' "$out" | sort
}

test_flood() {
	hold
	start killsnoop --buffer=2M -n '^signals$'
	signals flood 5000 "$target" &
	signals flood 5000 "$target"
	wait $!
	stop
	release
	expect_empty "$err"
	flood_rows >counts
	expect_rows counts <<-END
	2500 999999999 0 -1
	2500 TARGET 0 0
	2500 TARGET 28 0
	2500 TARGET 65 -1
	END
}

# No result of one call beside the target of another.
test_losses_void_pairs() {
	hold
	start killsnoop --buffer=16K --strict -n '^signals$'
	for _ in 1 2 3; do
		kill -STOP "$pid"
		signals flood 1000 "$target"
		kill -CONT "$pid"
		signals flood 4 "$target"
		nap
	done
	stop
	release
	expect_status 1
	grep -q '^\[LOST' "$out" || fail "no mark in the stream"
	grep -q '^killsnoop: [0-9]* events were lost: the buffer was full' "$err" || fail "no total"
	flood_rows | sed 's/^[0-9]* //' | sort >kinds
	expect_rows kinds <<-END
	999999999 0 -1
	TARGET 0 0
	TARGET 28 0
	TARGET 65 -1
	END
}

host_wrong_use() {
	expect_error 2 'killsnoop: --signal: "FOO" is not a signal (try killsnoop -h)' killsnoop --signal=TERM,FOO
	expect_error 2 'killsnoop: -p: "0" is not a process id (try killsnoop -h)' killsnoop -p 0
	expect_error 2 'killsnoop: unexpected argument "x" (try killsnoop -h)' killsnoop x
	expect_error 2 'killsnoop: --pid: no such option (try killsnoop -h)' killsnoop --pid=1
	expect_error 2 'killsnoop: --follow needs --sender or -L (try killsnoop -h)' killsnoop -p 1 --follow
	expect_error 2 'killsnoop: use at most one of --failed, --all (try killsnoop -h)' killsnoop --all --failed
	expect_error 2 'killsnoop: use at most one of --sender, -L, --cgroup (try killsnoop -h)' killsnoop --sender=1 -L 1
}

once_no_such_sender() {
	expect_error 1 'killsnoop: there is no process 999999' killsnoop --sender=999999
}
