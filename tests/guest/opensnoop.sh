# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# opensnoop in a guest: what it must show for workloads whose opens are known

prepare() {
	mkdir -p /mnt/w
	rm -rf /mnt/w/*
}

# A record holds 4 KiB.  With two events a longer name is shown as unknown; with
# one there is no row, but the end says how many there were.
one_event() {
	[ "${readme-}" ] || IFS= read -rd '' readme <"$tracefs/README" || :
	[[ $readme == *'kernel return probes support'* ]]
}

# rows [FILE]: those of a tool
rows() { sed -e 1,2d -e '/^$/,$d' "${1-$out}"; }

# beside NAME TOOL ARG...: starts it as one of several that see the same work; its
# output goes to NAME.out, and the name of the file with its messages to err_of
declare -A pid_of=() err_of=()
beside() {
	to=$work/$1.out start "${@:2}"
	pid_of[$1]=$pid err_of[$1]=$err
}
# stop_all: ends them
stop_all() {
	local pid
	kill -INT "${pid_of[@]}"
	for pid in "${pid_of[@]}"; do
		finish "$pid"
		expect_status 0
	done
}

# All, and beside them the failed ones only.
test_every_kind_of_open_and_name() {
	prepare
	beside all opensnoop --errno -n '^opens$'
	beside failed opensnoop -x -n '^opens$'
	if long_texts_fit; then opens 4096 >expected; else opens >expected; fi
	stop_all
	rows all.out >rows
	rows failed.out >rows.failed
	awk '$4 != "-"' expected >expected.failed
	if one_event && ! long_texts_fit; then
		sed -i /ENAMETOOLONG/d expected.failed
		grep -v -e ENAMETOOLONG -e '0x3 -            -$' expected | expect_rows rows
		expect_rows "${err_of[all]}" <<-END
		opensnoop: 2 events were lost: their text, of more than 4,000 bytes, did not fit into a record
		END
	else
		expect_rows rows <expected
		expect_empty "${err_of[all]}"
	fi
	expect_rows rows.failed <expected.failed
}

# What others open while the tool ends is not taken for what was lost, or the
# other way round.
test_counts_what_did_not_fit_beside_others() {
	local i k
	one_event || skip "two events: nothing is too large"
	! long_texts_fit || skip "pages that all names fit into"
	prepare
	for ((i = 0; i < 6; i++)); do
		start opensnoop -n '^opens$'
		opens >/dev/null
		kill -INT "$pid"
		# fewer than it looks for a moment without any
		for ((k = 0; k < 5; k++)); do
			read -rt 0.001 -u "$never" || :
			read -r _ </proc/self/stat
		done
		finish
		expect_rows "$err" <<-END
		opensnoop: 2 events were lost: their text, of more than 4,000 bytes, did not fit into a record
		END
	done
}

host_header_and_banner() {
	capture opensnoop
	run opensnoop -r "$capture" -t -x -n nobody
	expect_status 0
	expect_empty "$err"
	expect_rows "$out" <<-END
	Tracing open()s issued by process name "nobody". Ctrl-C to end.
	TIMEs            COMM             PID      FD ERR          FILE

	Ending tracing...
	END
}

# A plain word is matched in the kernel, an expression here: the same rows. The
# last name has a byte that is not UTF-8; a path is completed while its process
# lives; and the time is that of the clock on the wall.
test_filters_and_formats() {
	local before after time
	prepare
	mkdir /mnt/w/dir
	touch /mnt/w/a.conf /mnt/w/b.txt /mnt/w/dir/rel
	beside expression opensnoop 'conf$'
	beside word opensnoop -n cat a.conf
	beside json opensnoop --json -n '^cat$' /mnt/w/
	beside full opensnoop --full-path '^/mnt/w/dir/'
	beside iso opensnoop -t --time=iso /mnt/w/a.conf
	printf -v before '%(%FT%T)T' -1
	cat /mnt/w/a.conf /mnt/w/b.txt $'/mnt/w/\x1b\xff"\\' 2>/dev/null || :
	cd /mnt/w/dir || exit
	: <rel
	wait_lines "$work/full.out" 3
	cd "$work" || exit
	stop_all
	printf -v after '%(%FT%T)T' -1
	awk 'FNR > 2 && NF > 3 { print FILENAME, $1, $(NF - 1), $NF }' expression.out word.out full.out >rows
	expect_rows rows <<-END
	expression.out cat 0x3 /mnt/w/a.conf
	word.out cat 0x3 /mnt/w/a.conf
	full.out bash 0x3 /mnt/w/dir/rel
	END
	expect_rows <(sed 's/"time":[0-9.]*,/"time":1,/; s/"pid":[0-9]*,"tid":[0-9]*/"pid":2/' json.out) <<-'END'
	{"time":1,"comm":"cat","pid":2,"fd":3,"error":null,"file":"/mnt/w/a.conf"}
	{"time":1,"comm":"cat","pid":2,"fd":3,"error":null,"file":"/mnt/w/b.txt"}
	{"time":1,"comm":"cat","pid":2,"fd":-1,"error":"ENOENT","file":"/mnt/w/\u001b\udcff\"\\"}
	END
	read -r time _ < <(rows iso.out)
	[[ $time == 20??-??-??T??:??:??.??????[+-]??:?? ]] || fail "no time: $(<iso.out)"
	if [[ ${time%.*} < $before || ${time%.*} > $after ]]; then fail "$time is not from $before to $after"; fi
}

host_csv() {
	capture opensnoop
	run opensnoop -r "$capture" --csv '(openat|space|quoted|missing)'
	expect_rows <(sed 's/^[0-9.]*,tries,[0-9]*,[0-9]*/T,tries,P/' "$out" | awk 'length < 200') <<-'END'
	time,comm,pid,tid,fd,error,file
	T,tries,P,3,,/mnt/w/openat
	T,tries,P,3,,/mnt/w/openat2
	T,tries,P,-1,ENOENT,/mnt/w/missing
	T,tries,P,-1,ENOTDIR,/mnt/w/openat/x
	T,tries,P,3,,/mnt/w/a space
	T,tries,P,3,,"/mnt/w/""quoted"" 'twice'"
	END
}

host_decimal_fd() {
	capture opensnoop_last
	run opensnoop -r "$capture" --decimal-fd
	expect_rows <(rows | awk '{ print $1, $3, $4 }') <<-END
	cat 3 /etc/passwd
	cat 3 /etc/passwd
	END
}

# A process that runs already, its old and new threads, its children and theirs;
# and this shell, which is in another group.
test_whose_opens() {
	local group=/sys/fs/cgroup/tl go leader
	prepare
	touch /mnt/w/other
	mkdir $group
	at_end rmdir $group
	mkfifo go who
	exec {go}<>go
	family <go >who &
	leader=$!
	read -r _ <who
	echo $leader >$group/cgroup.procs
	beside process opensnoop -p $leader /mnt/w/
	beside thread opensnoop -L $leader /mnt/w/
	beside followed opensnoop -p $leader --follow /mnt/w/
	beside group opensnoop --cgroup $group /mnt/w/
	: </mnt/w/other
	echo >&"$go"
	wait $leader
	stop_all
	awk 'FNR > 2 && NF == 4 { print FILENAME, $4 }' {process,thread,followed,group}.out | sort >rows
	expect_rows rows <<-END
	followed.out /mnt/w/child
	followed.out /mnt/w/child-thread
	followed.out /mnt/w/grandchild
	followed.out /mnt/w/main
	followed.out /mnt/w/new-thread
	followed.out /mnt/w/old-thread
	group.out /mnt/w/child
	group.out /mnt/w/child-thread
	group.out /mnt/w/grandchild
	group.out /mnt/w/main
	group.out /mnt/w/new-thread
	group.out /mnt/w/old-thread
	process.out /mnt/w/main
	process.out /mnt/w/new-thread
	process.out /mnt/w/old-thread
	thread.out /mnt/w/main
	END
}

host_time_formats() {
	local format pattern wall=''
	capture opensnoop_last
	for format in clock relative iso wall; do
		case $format in
		clock | relative) pattern='^[0-9]+\.[0-9]{6}$' ;;
		wall) pattern='^[0-2][0-9]:[0-5][0-9]:[0-6][0-9]\.[0-9]{6}$' ;;
		iso) pattern='^20[0-9-]{8}T([0-9:]{8}\.[0-9]{6})\+00:00$' ;;
		esac
		run opensnoop -r "$capture" -t --time=$format
		rows | awk '{ print $1 }' >times
		mapfile -t times <times
		[ ${#times[@]} = 2 ] || fail "$format: $(<times)"
		[[ ${times[0]} =~ $pattern && ${times[1]} =~ $pattern ]] || fail "$format: $(<times)"
		case $format in
		iso) wall=${BASH_REMATCH[1]} ;;
		wall) [ "${times[1]}" = "$wall" ] || fail "$wall is ${times[1]}" ;;
		esac
	done
}

# More opens than a probe's default number of instances sleep at once.
test_opens_that_sleep() {
	local i
	prepare
	mkfifo /mnt/w/fifo
	start opensnoop -n '^sleepers$' /mnt/w/fifo
	sleepers 300 /mnt/w/fifo
	stop
	i=$(rows | wc -l)
	[ "$i" = 301 ] || fail "$i rows, not 301"
	expect_empty "$err"
}

test_order_and_completeness_under_load() {
	local bursts quiet=0
	prepare
	touch /mnt/w/a /mnt/w/b /mnt/w/quiet
	start opensnoop -t /mnt/w/
	burst open 5000 /mnt/w/a >/dev/null &
	bursts=($!)
	burst open 5000 /mnt/w/b >/dev/null &
	bursts+=($!)
	until gone "${bursts[0]}" && gone "${bursts[1]}"; do
		read -r _ </mnt/w/quiet || true
		quiet=$((quiet + 1))
		nap
	done
	stop
	expect_empty "$err"
	rows >rows
	# a guest's processor may be stopped while it writes a record: that one comes late
	awk '{ n[$5]++ } $1 < last { late[++count] = "inversion: " last " " $0 } { last = $1 }
	END { for (i = 1; i <= count && count > 3; i++) print late[i] }
	END { print n["/mnt/w/a"], n["/mnt/w/b"], n["/mnt/w/quiet"] }' rows >result
	expect_rows result <<<"5000 5000 $quiet"
}

# A tool that is stopped can't read: what the kernel drops is counted exactly.
test_losses_are_reported() {
	local lost kept all=5000
	prepare
	touch /mnt/w/a
	start opensnoop --buffer=64K --strict /mnt/w/a
	kill -STOP "$pid"
	burst open 5000 /mnt/w/a >/dev/null
	kill -CONT "$pid"
	stop
	expect_status 1
	grep -q '^\[LOST' "$out" || fail "no mark in the stream"
	lost=$(sed -n 's/^opensnoop: \([0-9]*\) events were lost: .*/\1/p' "$err")
	kept=$(rows | grep -c /mnt/w/a)
	# two events each where the kernel needs two, and those of a pair that the
	# gap divided; a handful of others (new tasks, exits) may be among the lost
	one_event || { kept=$((2 * kept)) all=$((2 * all)); }
	if [ $((lost + kept)) -lt $((all - 5)) ] || [ $((lost + kept)) -gt $((all + 50)) ]; then
		fail "$kept events in rows and $lost lost of $all"
	fi
}

lost_mark() { grep -q '^\[LOST' "$1"; }

# Of processes whose beginning was lost /proc is asked, once each: of one that has
# ended, an answer for each of its records would cost two opens, which are
# records themselves. The first opens fill the page that is being read, which is
# never overwritten.
test_ended_process_is_asked_for_once() {
	local traced traced_out
	prepare
	touch /mnt/w/a
	start opensnoop --buffer=128K /mnt/w/a
	traced=$pid traced_out=$out
	start opensnoop --buffer=8M -p "$traced" /proc/
	kill -STOP "$traced"
	taskset -c 0 sh -c 'burst open 1000 /mnt/w/a; burst open 5000 /mnt/w/a; :' >/dev/null
	kill -CONT "$traced"
	until_true 60 lost_mark "$traced_out" || fail "no mark in the stream"
	stop INT "$traced"
	stop
	[ "$(grep -c '^<\.\.\.> *- ' "$traced_out")" -gt 1000 ] || fail "the name is known"
	expect_empty "$err"
	[ "$(rows | wc -l)" -lt 500 ] || fail "$(rows | wc -l) opens in /proc"
}

test_processor_goes_and_comes() {
	local online=/sys/devices/system/cpu/cpu1/online
	[ -w $online ] || skip "processor 1 cannot be taken offline"
	prepare
	touch /mnt/w/x
	start opensnoop /mnt/w/x
	: </mnt/w/x
	echo 0 >$online
	: </mnt/w/x
	echo 1 >$online
	taskset 2 cat /mnt/w/x
	stop
	expect_rows <(rows | awk '{ print $1, $4 }') <<-END
	bash /mnt/w/x
	bash /mnt/w/x
	cat /mnt/w/x
	END
}

once_odd_task_name() {
	prepare
	touch /mnt/w/x
	cp "$(command -v burst)" $'/mnt/w/a\x1b[1m b-1'
	start opensnoop /mnt/w/x
	$'/mnt/w/a\x1b[1m b-1' open 1 /mnt/w/x >/dev/null
	stop
	expect_rows <(rows | sed 's/ [0-9]* *0x3/ P 0x3/') <<-'END'
	a\x1b[1m b-1     P 0x3 /mnt/w/x
	END
}

# A backslash in a message is one, others' control characters are escaped.
host_bad_regex() {
	local said='"a\.b(" is not a regular expression: Unmatched ( or \('
	expect_error 2 "opensnoop: -n: $said (try opensnoop -h)" opensnoop -n 'a\.b('
	expect_error 2 "opensnoop: -n: \"\\x1b(\" is not${said##*is not} (try opensnoop -h)" opensnoop -n $'\x1b('
}

host_bad_options() {
	expect_error 2 'opensnoop: -p: "12abc" is not a process id (try opensnoop -h)' opensnoop -p 12abc
	expect_error 2 'opensnoop: -d: "0" is not a number of seconds above 0 (try opensnoop -h)' opensnoop -d 0
	expect_error 2 'opensnoop: -d: "99999999999" is above the maximum of 9223372035 seconds (try opensnoop -h)' opensnoop -d 99999999999
	expect_error 2 'opensnoop: use at most one of -p, -L, --cgroup (try opensnoop -h)' opensnoop -p 1 -L 1
}

test_unknown_process() {
	expect_error 1 'opensnoop: there is no process 999999' opensnoop -p 999999
}

first_check() { expect_exit 0 opensnoop --check; }

first_row() {
	start opensnoop '^/etc/hostname$'
	: </etc/hostname
	stop
	expect_status 0
	expect_empty "$err"
	expect_match "$out" <<-END
	Tracing open()s for filenames containing "^/etc/hostname\\$". Ctrl-C to end.
	COMM             PID      FD FILE
	bash * 0x3 /etc/hostname

	Ending tracing...
	END
}
