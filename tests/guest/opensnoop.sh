# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# opensnoop in a guest: what it must show for workloads whose opens are known

prepare() {
	mkdir -p /mnt/w
	rm -rf /mnt/w/*
}

# A record holds 4 KiB.  With two events a longer name is shown as unknown; with
# one there is no row, but the end says how many there were.
one_event() { grep -q 'kernel return probes support' "$tracefs/README"; }

rows() { sed -e 1,2d -e '/^$/,$d' "$out"; }

test_every_kind_of_open_and_name() {
	prepare
	start opensnoop --errno -n '^opens$'
	opens >expected
	stop
	expect_status 0
	rows >rows
	if one_event; then
		grep -v -e ENAMETOOLONG -e '0x3 -            -$' expected | expect_rows rows
		expect_rows "$err" <<-END
		opensnoop: 2 events were lost: their text, of more than 4,000 bytes, did not fit into a record
		END
	else
		expect_rows rows <expected
		expect_empty "$err"
	fi
}

# What others open while the tool ends is not taken for what was lost, or the
# other way round.
test_counts_what_did_not_fit_beside_others() {
	local i k
	one_event || skip "two events: nothing is too large"
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

test_header_and_banner() {
	start opensnoop -t -x -n nobody
	stop
	expect_rows "$out" <<-END
	Tracing open()s issued by process name "nobody". Ctrl-C to end.
	TIMEs            COMM             PID      FD ERR          FILE

	Ending tracing...
	END
}

test_failed_only() {
	prepare
	start opensnoop -x -n '^opens$'
	opens | awk '$4 != "-"' >expected
	stop
	rows >rows
	if one_event; then sed -i /ENAMETOOLONG/d expected; fi
	expect_rows rows <expected
}

test_file_filter() {
	prepare
	touch /mnt/w/a.conf /mnt/w/b.txt
	start opensnoop 'conf$'
	cat /mnt/w/a.conf /mnt/w/b.txt
	stop
	expect_rows <(rows | awk '{ print $1, $3, $4 }') <<-END
	cat 0x3 /mnt/w/a.conf
	END
}

# A plain word is matched in the kernel, an expression here: the same rows.
test_plain_word_filter() {
	prepare
	touch /mnt/w/a.conf /mnt/w/b.txt
	start opensnoop -n cat a.conf
	cat /mnt/w/a.conf /mnt/w/b.txt
	stop
	expect_rows <(rows | awk '{ print $1, $3, $4 }') <<-END
	cat 0x3 /mnt/w/a.conf
	END
}

test_json() {
	prepare
	touch /mnt/w/x
	start opensnoop --json -n '^cat$' /mnt/w/
	cat /mnt/w/x 2>/dev/null
	cat $'/mnt/w/\x1b\xff"\\' 2>/dev/null || true
	stop
	# the last name has a byte that is not UTF-8
	expect_rows <(sed 's/"time":[0-9.]*,/"time":1,/; s/"pid":[0-9]*,"tid":[0-9]*/"pid":2/' "$out") <<-'END'
	{"time":1,"comm":"cat","pid":2,"fd":3,"error":null,"file":"/mnt/w/x"}
	{"time":1,"comm":"cat","pid":2,"fd":-1,"error":"ENOENT","file":"/mnt/w/\u001b\udcff\"\\"}
	END
}

test_csv() {
	prepare
	touch /mnt/w/'a,b'
	start opensnoop --csv /mnt/w/
	cat /mnt/w/'a,b'
	stop
	expect_rows <(sed 's/^[0-9.]*,cat,[0-9]*,[0-9]*/T,cat,P/' "$out") <<-'END'
	time,comm,pid,tid,fd,error,file
	T,cat,P,3,,"/mnt/w/a,b"
	END
}

test_decimal_fd() {
	prepare
	touch /mnt/w/x
	start opensnoop --decimal-fd /mnt/w/x
	bash -c 'exec 20</dev/null 12</mnt/w/x; true'
	cat /mnt/w/x
	stop
	expect_rows <(rows | awk '{ print $1, $3, $4 }') <<-END
	bash 3 /mnt/w/x
	cat 3 /mnt/w/x
	END
}

test_full_path() {
	prepare
	mkdir /mnt/w/dir
	touch /mnt/w/dir/rel
	start opensnoop --full-path '^/mnt/w/dir/'
	(cd /mnt/w/dir && exec tail -f rel) &
	sleep 0.5
	kill $!
	stop
	expect_rows <(rows | awk '{ print $1, $4 }') <<-END
	tail /mnt/w/dir/rel
	END
}

# family_rows OPTION...: which members of the family are shown with them
family_rows() {
	local leader go
	prepare
	mkfifo go who
	exec {go}<>go
	family <go >who &
	leader=$!
	read -r _ <who
	start opensnoop "${@//PID/$leader}" /mnt/w/
	echo >&"$go"
	wait "$leader"
	stop
	rows | awk '{ print $4 }' | sort
}

test_pid_is_the_process() {
	family_rows -p PID >rows
	expect_rows rows <<-END
	/mnt/w/main
	/mnt/w/new-thread
	/mnt/w/old-thread
	END
}

test_tid_is_one_thread() {
	family_rows -L PID >rows
	expect_rows rows <<-END
	/mnt/w/main
	END
}

test_follow_takes_children() {
	family_rows -p PID --follow >rows
	expect_rows rows <<-END
	/mnt/w/child
	/mnt/w/child-thread
	/mnt/w/grandchild
	/mnt/w/main
	/mnt/w/new-thread
	/mnt/w/old-thread
	END
}

test_cgroup() {
	local group=/sys/fs/cgroup/tl go member
	prepare
	mkdir $group
	touch /mnt/w/in /mnt/w/out
	mkfifo go
	exec {go}<>go
	bash -c 'read -r _; cat /mnt/w/in' <go &
	member=$!
	echo $member >$group/cgroup.procs
	start opensnoop --cgroup $group /mnt/w/
	cat /mnt/w/out
	echo >&"$go"
	wait $member
	stop
	rmdir $group
	expect_rows <(rows | awk '{ print $1, $4 }') <<-END
	cat /mnt/w/in
	END
}

test_time_formats() {
	local format pattern
	prepare
	touch /mnt/w/x
	for format in clock relative wall iso; do
		case $format in
		clock | relative) pattern='^[0-9]+\.[0-9]{6}$' ;;
		wall) pattern='^[0-2][0-9]:[0-5][0-9]:[0-6][0-9]\.[0-9]{6}$' ;;
		iso) pattern='^20[0-9-]{8}T[0-9:]{8}\.[0-9]{6}[+-][0-9]{2}:[0-9]{2}$' ;;
		esac
		start opensnoop -t --time=$format /mnt/w/x
		cat /mnt/w/x
		stop
		rows | awk '{ print $1 }' >times
		grep -Eq "$pattern" times || fail "$format: $(cat times)"
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
	prepare
	touch /mnt/w/a /mnt/w/b /mnt/w/quiet
	start opensnoop -t /mnt/w/
	burst open 20000 /mnt/w/a >/dev/null &
	burst open 20000 /mnt/w/b >/dev/null &
	while jobs -r | grep -q burst; do
		read -r _ </mnt/w/quiet || true
		echo >>quiet.count
		nap
	done
	stop
	expect_empty "$err"
	rows >rows
	awk '{ n[$5]++ } $1 < last { print "inversion:", last, $0 } { last = $1 }
	END { print n["/mnt/w/a"], n["/mnt/w/b"], n["/mnt/w/quiet"] }' rows >result
	echo "20000 20000 $(wc -l <quiet.count)" | expect_rows result
}

# A tool that is stopped can't read: what the kernel drops is counted exactly.
test_losses_are_reported() {
	local lost kept all=20000
	prepare
	touch /mnt/w/a
	start opensnoop --buffer=256K --strict /mnt/w/a
	kill -STOP "$pid"
	burst open 20000 /mnt/w/a >/dev/null
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
	start opensnoop --buffer=256K /mnt/w/a
	traced=$pid traced_out=$out
	start opensnoop --buffer=8M -p "$traced" /proc/
	kill -STOP "$traced"
	taskset -c 0 sh -c 'burst open 2000 /mnt/w/a; burst open 20000 /mnt/w/a; :' >/dev/null
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
	cat /mnt/w/x
	echo 0 >$online
	cat /mnt/w/x
	echo 1 >$online
	taskset 2 cat /mnt/w/x
	stop
	expect_rows <(rows | awk '{ print $1, $4 }') <<-END
	cat /mnt/w/x
	cat /mnt/w/x
	cat /mnt/w/x
	END
}

test_odd_task_name() {
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

test_bad_options() {
	expect_error 2 'opensnoop: -p: "12abc" is not a process id (try opensnoop -h)' opensnoop -p 12abc
	expect_error 2 'opensnoop: -d: "0" is not a number of seconds above 0 (try opensnoop -h)' opensnoop -d 0
	expect_error 2 'opensnoop: use at most one of -p, -L, --cgroup (try opensnoop -h)' opensnoop -p 1 -L 1
	expect_error 1 'opensnoop: there is no process 999999' opensnoop -p 999999
}
