# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# biotop in a guest: I/O of known programs, sizes and numbers

# shellcheck disable=SC1091
. "$here/work/devices.bash"

# tables: rows of all tables, as "COMM D MAJ,MIN DISK I/O KBYTES", one table each
# paragraph; whether a direct read has other letters behind R is not shown
tables() {
	awk '/^PID / { if (shown) print ""; shown = 0; rows = 1; next } /^$/ { rows = 0 }
		rows { print $2, $3, $4 "," $5, $6, $7, $8; shown = 1 }' "$out"
}

first_check() {
	expect_exit 0 biotop --check
}

first_row() {
	null nullb0
	at_end remove_devices
	start biotop 3600
	io read /dev/nullb0 0 4096 3
	stop
	expect_status 0
	expect_rows <(tables | grep " $nullb0 ") <<<"io R $nullb0 nullb0 3 12"
}

# side_by_side OPTIONS...: a biotop with each of these words, for an hour
side_by_side() {
	local options
	pids=() outs=()
	for options; do
		# shellcheck disable=SC2086 # words
		start biotop $options 3600
		pids+=("$pid") outs+=("$out")
	done
}

# Largest first; of as many bytes, the one with more I/O. Sums are of a process, a
# kind and a disk. Half a Kbyte counts as one.
test_sums() {
	fresh
	null nullb0
	null nullb1
	cp "$TL_WORK/io" other
	side_by_side '' '-t 2' '-i *W*' '-d nullb0' '-n ^other$' '--json'
	io read /dev/nullb0 0 4096 4 &
	wait $!
	reader=$!
	./other write /dev/nullb1 0 8192 3
	./other read /dev/nullb1 0 512 5
	./other read /dev/nullb0 0 8192 2
	stop_all
	expect_status 0
	out=${outs[0]}
	expect_rows <(tables) <<-END
	other W $nullb1 nullb1 3 24
	io R $nullb0 nullb0 4 16
	other R $nullb0 nullb0 2 16
	other R $nullb1 nullb1 5 3
	END
	expect_match "$out" <<-END
	Tracing block I/O. Output every 3600 seconds. Ctrl-C to end.

	[0-9][0-9]:[0-9][0-9]:[0-9][0-9] loadavg: [0-9]*.[0-9]* */* [0-9]*
	PID     COMM             D MAJ MIN DISK         I/O    Kbytes    AVGms
	[0-9]* other *
	$reader *io               R *
	[0-9]* other *
	[0-9]* other *

	Ending tracing...
	END
	out=${outs[1]}
	expect_rows <(tables) <<-END
	other W $nullb1 nullb1 3 24
	io R $nullb0 nullb0 4 16
	END
	out=${outs[2]}
	expect_rows <(tables) <<<"other W $nullb1 nullb1 3 24"
	out=${outs[3]}
	expect_rows <(tables) <<-END
	io R $nullb0 nullb0 4 16
	other R $nullb0 nullb0 2 16
	END
	out=${outs[4]}
	expect_rows <(tables) <<-END
	other W $nullb1 nullb1 3 24
	other R $nullb0 nullb0 2 16
	other R $nullb1 nullb1 5 3
	END
	expect_rows <(jq -c "[.comm, .type, .major, .minor, .disk, .count, .bytes, (.time | type), (.latency_average | type)]" \
		"${outs[5]}") <<-END
	["other","W",${nullb1/,/,},"nullb1",3,24576,"number","number"]
	["io","R",${nullb0/,/,},"nullb0",4,16384,"number","number"]
	["other","R",${nullb0/,/,},"nullb0",2,16384,"number","number"]
	["other","R",${nullb1/,/,},"nullb1",5,2560,"number","number"]
	END
	expect_rows <(jq "select(.comm == \"io\").pid" "${outs[5]}") <<<"$reader"
}

# The time in the queue counts: of four at once the last two wait for the others.
test_average() {
	fresh
	null nullb0 ms=200 hw_queue_depth=2 scheduler=mq-deadline
	start biotop --json 3600
	io -a -s 65536 read /dev/nullb0 0 4096 4
	stop
	expect_status 0
	expect_rows <(jq -c '[.count, .latency_average >= 0.3, .latency_average < 100]' "$out") <<<'[4,true,true]'
}

# Each interval begins with nothing, and all I/O is in one of them.
test_intervals() {
	local i
	fresh
	null nullb0
	start biotop --json 0.2
	for i in 1 2 3; do
		io read /dev/nullb0 0 4096 2
		wait_lines "$out" $i
	done
	stop
	expect_status 0
	expect_rows <(jq -s -c 'map(.count) | add' "$out") <<<6
	expect_rows <(jq -s -c 'map(.pid) | unique | length' "$out") <<<3
}

once_count() {
	fresh
	null nullb0
	start biotop 0.1 3
	finish
	expect_status 0
	expect_rows <(grep -c '^PID ' "$out") <<<3
	expect_rows <(head -n 1 "$out") <<<'Tracing block I/O. Output every 0.1 seconds.'
}

test_complete_under_load() {
	fresh
	null nullb0 irqmode=0
	start biotop --json 0.2
	io -t 4 -s 0 read /dev/nullb0 0 4096 1250
	stop
	expect_empty "$err"
	expect_rows <(jq -s 'map(.count) | add' "$out") <<<5000
}

# screens VARIABLE=VALUE...: how often a terminal is cleared
screens() {
	script -qec "env $* biotop ${options-} 0.1 2" /dev/null </dev/null >screen
	grep -c $'\e\[H\e\[2J' screen || :
}

once_screen() {
	fresh
	null nullb0
	[ "$(screens TERM=xterm)" = 2 ] || fail "the screen is not cleared for each table"
	[ "$(options=-C screens TERM=xterm)" = 0 ] || fail "it is cleared with -C"
	[ "$(options='-o file' screens TERM=xterm)" = 0 ] || fail "it is cleared with -o"
	[ "$(options=--csv screens TERM=xterm)" = 0 ] || fail "it is cleared with --csv"
	[ "$(screens TERM=dumb)" = 0 ] || fail "a dumb terminal is cleared"
	start biotop 0.1 2
	finish
	! grep $'\e' "$out" || fail "what is no terminal is cleared"
}

# The tables of a capture, without the load and a cleared screen.
test_capture() {
	fresh
	null nullb0
	start biotop -w capture 3600
	io read /dev/nullb0 0 4096 3
	stop
	expect_status 0
	run biotop -r capture
	expect_status 0
	expect_rows <(tables) <<<"io R $nullb0 nullb0 3 12"
	! grep loadavg "$out" || fail "the load of this machine is shown"
	script -qec 'env TERM=xterm biotop -r capture' /dev/null </dev/null >screen
	! grep $'\e' screen || fail "the screen is cleared"
	expect_exit 0 biotop -r capture --json -i '*W*'
	expect_empty "$out"
}

host_bad_options() {
	expect_error 2 'biotop: interval: "0" is not a number of seconds above 0 (try biotop -h)' biotop 0
	expect_error 2 'biotop: interval: "0.0001" is below a millisecond (try biotop -h)' biotop 0.0001
	expect_error 2 'biotop: count: "x" is not a number above 0 (try biotop -h)' biotop 1 x
	expect_error 2 'biotop: unexpected argument "3" (try biotop -h)' biotop 1 2 3
	expect_error 2 'biotop: -t: "0" is not a number above 0 (try biotop -h)' biotop -t 0
	expect_error 2 'biotop: -i: "x: a filter takes no quotes, and no more than 250 characters (try biotop -h)' biotop -i '"x'
}
