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

test_every_call_and_target() {
	start killsnoop --json -n '^signals$'
	signals calls >expected
	stop
	expect_status 0
	json >rows
	expect_rows rows <expected
	expect_empty "$err"
}

# The kernel's own are not among the rows of calls, and no call has a second.
test_all_has_no_row_twice() {
	start killsnoop --json --all -n '^signals$'
	signals calls >expected
	stop
	json >rows
	grep -v '"call":null' rows >calls
	expect_rows calls <expected
	grep '"call":null' rows >others
	grep -q '"code":"CLD_EXITED"' others || fail "no end of a child"
	! grep -vE '"code":"(CLD_.*|SI_KERNEL)"' others || fail "a call's signal twice"
}

test_kernel_signals() {
	local self
	start killsnoop --json --all --signal=ALRM,PIPE,USR1,CHLD,RTMIN
	signals kernel >expected
	stop
	self=$(sed -n '1s/.*"tpid":\([0-9]*\).*/\1/p' expected)
	json | grep "\"tpid\":$self," >rows
	expect_rows rows <expected
}

test_fault() {
	start killsnoop -s --all --signal=SEGV
	signals kernel >/dev/null
	stop
	expect_rows <(rows | awk '{ print $1, $2 == $3, $4, $5, $6, $7 }') <<-END
	signals 1 SIGSEGV - SEGV_MAPERR delivered
	END
}

# A timer's interrupt hits any process, which has not sent anything.
test_interrupted_process_is_no_sender() {
	start killsnoop --all --signal=ALRM,USR1 -n '^signals$'
	signals kernel >/dev/null
	stop
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

test_text_of_all_options() {
	local by
	hold
	start killsnoop -st --errno --call -n '^sender$'
	by=$(sender "kill -WINCH $target; kill -0 $target; kill -TERM 999999999 2>/dev/null")
	stop
	release
	{
		echo 'Tracing kill()s issued by process name "^sender$". Ctrl-C to end.'
		echo 'TIMEs            COMM             PID    TPID     TTID     SIGNAL     RETURN ERR      CALL'
		printf 'T sender           %-6d %-8d -        SIGWINCH   0      -        kill\n' "$by" "$target"
		printf 'T sender           %-6d %-8d -        0          0      -        kill\n' "$by" "$target"
		printf 'T sender           %-6d 999999999 -        SIGTERM    -1     ESRCH    kill\n' "$by"
		echo
		echo 'Ending tracing...'
	} >expected
	sed -E 's/^[0-9]+\.[0-9]{6} +/T /' "$out" >rows
	expect_rows rows <expected
}

# The process: by its id or a thread's, and in its group.  Nothing else.
test_target() {
	local group=-1
	hold
	start killsnoop -p "$target"
	group=-$target
	sender "kill -WINCH $target; kill -WINCH $thread; kill -WINCH -- $group; kill -65 $target 2>/dev/null
		kill -WINCH $$; kill -0 999999999 2>/dev/null; kill -0 -- $group" >/dev/null
	stop
	release
	expect_rows <(sed -n 1p "$out") <<<"Tracing kill()s issued to PID $target. Ctrl-C to end."
	expect_rows <(rows | awk '{ print $1, $3, $4, $5 }') <<-END
	sender $target 28 0
	sender $target 28 0
	sender $group 28 0
	END
}

test_target_of_kernel_signals() {
	hold
	start killsnoop --all -p $BASHPID
	sender "kill -WINCH $target; kill -WINCH $BASHPID" >/dev/null
	stop
	release
	expect_rows <(rows | awk '{ print $3, $4, $5, $6 }' | sort -u) <<-END
	$BASHPID 17 - CLD_EXITED
	$BASHPID 28 0 SI_USER
	END
}

# Against the rows of all, which the first test has proved.
filtered() {
	local pattern=$1
	shift
	start killsnoop --json -n '^signals$' "$@"
	signals calls >expected
	stop
	json >rows
	expect_empty "$err"
	grep "${pattern%% *}" -e "${pattern#* }" expected >wanted
	expect_rows rows <wanted
}

test_signal_list() {
	filtered '-E "signal":(15|1|0|35|12),' --signal=TERM,SIGHUP,0,rtmin+1,12
}

test_signal_out_of_range() {
	filtered '-E "signal":65,|"signal":-1,' '--signal=!'"$(seq -s, 0 64)"
}

test_other_signals() {
	filtered '-vE "signal":(15|1|0|35|12),' --signal='!TERM,SIGHUP,0,rtmin+1,12'
}

test_failed_only() {
	filtered '-E "return":-1,' --failed
}

test_failed_text() {
	start killsnoop --failed -n '^sender$'
	sender 'kill -0 $$; kill -9 999999999 2>/dev/null' >/dev/null
	stop
	expect_rows <(sed -n '2,$s/ [0-9]* *999999999/ P/p' "$out") <<-END
	sender           P 9          -1     ESRCH
	END
}

# senders OPTION...: what they show of a shell SENDER and its child
senders() {
	local go sender
	hold
	mkfifo go
	exec {go}<>go
	bash -c "read -r _; kill -WINCH $target; env kill -0 $target; :" <go &
	sender=$!
	start killsnoop "${@//SENDER/$sender}"
	sender "kill -WINCH $target" >/dev/null
	echo >&"$go"
	wait $sender
	stop
	release
	rows | awk '{ print $1, $4, $5 }' >rows
	sed -i "1s/ PID $sender\./ PID SENDER./" "$out"
}

test_sender() {
	senders --sender=SENDER
	expect_rows rows <<<"bash 28 0"
	expect_rows <(sed -n 1p "$out") <<<"Tracing kill()s issued by PID SENDER. Ctrl-C to end."
}

test_sender_and_children() {
	senders --sender=SENDER --follow
	expect_rows rows <<-END
	bash 28 0
	kill 0 0
	END
}

test_banner_of_all_filters() {
	start killsnoop --all --signal='!sigchld,0' -p 1 -n x
	stop
	expect_rows <(sed -n 1p "$out") <<-'END'
	Tracing signals (!sigchld,0) issued to PID 1 issued by process name "x". Ctrl-C to end.
	END
}

test_sender_thread() {
	senders -L SENDER
	expect_rows rows <<<"bash 28 0"
}

test_sender_name() {
	senders -n '^kill$'
	expect_rows rows <<<"kill 0 0"
}

test_sender_and_target() {
	local none=999999
	senders --sender=SENDER -p $none
	expect_empty rows
	expect_rows <(sed -n 1p "$out") <<<"Tracing kill()s issued to PID $none issued by PID SENDER. Ctrl-C to end."
}

test_sender_cgroup() {
	local group=/sys/fs/cgroup/tl go member
	hold
	mkdir $group
	mkfifo go
	exec {go}<>go
	bash -c "read -r _; kill -WINCH $target" <go &
	member=$!
	echo $member >$group/cgroup.procs
	start killsnoop --cgroup $group
	sender "kill -0 $target" >/dev/null
	echo >&"$go"
	wait $member
	stop
	release
	rmdir $group
	expect_rows <(rows | awk '{ print $1, $4, $5 }') <<<"bash 28 0"
}

test_csv() {
	local by
	hold
	start killsnoop --csv -n '^sender$'
	by=$(sender "kill -WINCH $target; kill -TERM 999999999 2>/dev/null")
	stop
	release
	expect_rows <(sed 's/^[0-9.]*,sender/T,sender/' "$out") <<-END
	time,comm,pid,tid,tpid,ttid,tcomm,signal,signal_name,return,error,call,code,result
	T,sender,$by,$by,$target,,signals,28,SIGWINCH,0,,kill,SI_USER,ignored
	T,sender,$by,$by,999999999,,,15,SIGTERM,-1,ESRCH,kill,,
	END
}

test_duration() {
	start killsnoop -d 3 -n '^sender$'
	sender 'kill -0 $$' >/dev/null
	finish
	expect_status 0
	expect_rows <(sed -n 1p "$out") <<<"Tracing kill()s issued by process name \"^sender$\" for 3 seconds (buffered)..."
	expect_rows <(rows | awk '{ print $1, $4, $5 }') <<<"sender 0 0"
}

# A process may send itself any si_code, which only --all lets through.
test_own_code() {
	local by option
	for option in --errno --all; do
		start killsnoop --json $option --signal=USR1
		by=$(signals queue 5)
		stop
		json >rows.$option
	done
	expect_match rows.--errno <<-'END'
	{"comm":"signals","pid":*,"tid":*,"tpid":*,"ttid":null,"tcomm":null,"signal":10,*"rt_sigqueueinfo","code":null,"result":null}
	END
	expect_rows rows.--all <<-END
	{"comm":"signals","pid":$by,"tid":$by,"tpid":$by,"ttid":null,"tcomm":"signals","signal":10,"signal_name":"SIGUSR1","return":0,"error":null,"call":"rt_sigqueueinfo","code":"5","result":"ignored"}
	END
}

# Calls of 32-bit programs have no events, their signals have one.
test_compat_call() {
	local by
	hold
	start killsnoop --signal=WINCH
	status=0
	signals compat "$target" >/dev/null || status=$?
	stop
	[ $status != 77 ] || { release; skip "no 32-bit calls"; }
	expect_rows <(rows) </dev/null
	start killsnoop --all --signal=WINCH
	by=$(signals compat "$target")
	stop
	release
	expect_rows <(rows | sed 's/  */ /g') <<<"signals $by $target 28 - SI_USER ignored"
}

test_odd_names() {
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
	rows | grep ^signals | sed "s/ $target / TARGET /" | awk '{ n[$3 " " $4 " " $5]++ }
		END { for (row in n) print n[row], row }' | sort
}

test_flood() {
	hold
	start killsnoop --buffer=8M -n '^signals$'
	signals flood 50000 "$target" &
	signals flood 50000 "$target"
	wait $!
	stop
	release
	expect_empty "$err"
	flood_rows >counts
	expect_rows counts <<-END
	25000 999999999 0 -1
	25000 TARGET 0 0
	25000 TARGET 28 0
	25000 TARGET 65 -1
	END
}

# No result of one call beside the target of another.
test_losses_void_pairs() {
	hold
	start killsnoop --buffer=16K --strict -n '^signals$'
	for _ in 1 2 3; do
		kill -STOP "$pid"
		signals flood 2000 "$target"
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

test_wrong_use() {
	expect_error 2 'killsnoop: --signal: "FOO" is not a signal (try killsnoop -h)' killsnoop --signal=TERM,FOO
	expect_error 2 'killsnoop: -p: "0" is not a process id (try killsnoop -h)' killsnoop -p 0
	expect_error 2 'killsnoop: unexpected argument "x" (try killsnoop -h)' killsnoop x
	expect_error 2 'killsnoop: --pid: no such option (try killsnoop -h)' killsnoop --pid=1
	expect_error 2 'killsnoop: --follow needs --sender or -L (try killsnoop -h)' killsnoop -p 1 --follow
	expect_error 2 'killsnoop: use at most one of --failed, --all (try killsnoop -h)' killsnoop --all --failed
	expect_error 2 'killsnoop: use at most one of --sender, -L, --cgroup (try killsnoop -h)' killsnoop --sender=1 -L 1
	expect_error 1 'killsnoop: there is no process 999999' killsnoop --sender=999999
}

test_check() {
	expect_exit 0 killsnoop --check
	expect_rows "$out" <<<"killsnoop: this kernel has all that is needed"
}
