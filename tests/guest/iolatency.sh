# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# iolatency in a guest: I/O of known number and latency, in the right buckets.
# A guest may be late, never early: latencies are near the low end of a wide one.

# shellcheck disable=SC1091
. "$here/work/devices.bash"

# totals: "FROM COUNT" of each bucket of all histograms with a count
totals() {
	awk '$2 == "->" && $5 { n[$1] += $5 } END { for (i in n) print i, n[i] }' "$out" | sort -n
}

histograms() { grep -c '^ *>=' "$out"; }

# groups: the same as totals for each "disk: NAME"
groups() {
	awk '/^(disk|type): / { g = $2 } $2 == "->" && $5 { n[g " " $1] += $5 }
		END { for (i in n) print i, n[i] }' "$out" | sort
}

first_check() {
	expect_exit 0 iolatency --check
}

first_row() {
	null nullb0
	at_end remove_devices
	start iolatency --json -d "$nullb0" 50
	io read /dev/nullb0 0 4096 3
	stop
	expect_status 0
	expect_rows <(sed 's/.*"count":\([0-9]*\).*/\1/' "$out" | awk '{ n += $1 } END { print n }') <<<3
}

# Several side by side see the same: ten at a time, twice, and four longer than the
# interval; and of four on a device that does two at a time, the last ones wait as
# long as they take, which only -Q sees.
test_known_latencies() {
	local i pids=() outs=()
	fresh
	null nullb0 ms=530
	null nullb1 ms=1030
	null nullb2 ms=530 hw_queue_depth=2 scheduler=mq-deadline
	start iolatency
	pids+=("$pid") outs+=("$out")
	start iolatency --json --by=disk 0.5
	pids+=("$pid") outs+=("$out")
	start iolatency -Q --by=disk 50
	pids+=("$pid") outs+=("$out")
	start iolatency -d nullb1 -i '*W*' --by=type 50
	pids+=("$pid") outs+=("$out")
	start iolatency -d nullb0 50
	pids+=("$pid") outs+=("$out")
	io -t 4 -s 0 write /dev/nullb1 0 4096 1 &
	i=$!
	io read /dev/nullb1 0 4096 1 &
	io -a -s 65536 read /dev/nullb2 0 4096 4 &
	io -t 10 -s 0 read /dev/nullb0 0 4096 2
	wait $i $!
	until_true 60 grep -q '^ *0 *0$' /sys/block/nullb1/inflight
	kill -INT "${pids[@]}"
	for i in "${!pids[@]}"; do
		finish "${pids[i]}"
		expect_status 0
		out=${outs[i]}
		expect_empty "${out%.out}.err"
	done
	out=${outs[0]}
	expect_rows <(totals) <<-END
	512 24
	1024 5
	END
	[ "$(histograms)" -ge 2 ] || fail "only $(histograms) histograms"
	expect_rows <(jq -sc '(map([.time, .disk]) | unique | length > 4),
		(map(select(.count > 0)) | group_by([.disk, .from])[] | [.[0].disk, .[0].from, .[0].to, (map(.count) | add)])' \
		"${outs[1]}") <<-END
	true
	["nullb0",0.512,1.024,20]
	["nullb1",1.024,2.048,5]
	["nullb2",0.512,1.024,4]
	END
	out=${outs[2]}
	expect_rows <(groups) <<-END
	nullb0 512 20
	nullb1 1024 5
	nullb2 1024 2
	nullb2 512 2
	END
	out=${outs[3]}
	expect_rows <(groups) <<-END
	WS 1024 4
	END
	expect_rows "${outs[4]}" <<-END
	Tracing block I/O. Output every 50 seconds. Ctrl-C to end.

	  >=(ms) .. <(ms)   : I/O      |Distribution                          |
	       0 -> 1       : 0        |                                      |
	       1 -> 2       : 0        |                                      |
	       2 -> 4       : 0        |                                      |
	       4 -> 8       : 0        |                                      |
	       8 -> 16      : 0        |                                      |
	      16 -> 32      : 0        |                                      |
	      32 -> 64      : 0        |                                      |
	      64 -> 128     : 0        |                                      |
	     128 -> 256     : 0        |                                      |
	     256 -> 512     : 0        |                                      |
	     512 -> 1024    : 20       |######################################|

	Ending tracing...
	END
}

once_interval_and_count() {
	fresh
	null nullb0 ms=5
	start iolatency 0.4 3
	io read /dev/nullb0 0 4096 2
	finish
	expect_status 0
	[ "$(histograms)" = 3 ] || fail "$(histograms) histograms, not 3"
	expect_rows <(totals | awk '{ n += $2 } END { print n }') <<<2
	expect_match <(head -n 1 "$out") <<-END
	Tracing block I/O. Output every 0.4 seconds.
	END
}

once_interval_and_duration() {
	start iolatency --duration=1.2 0.5
	finish
	[ "$(histograms)" = 3 ] || fail "$(histograms) histograms, not 3"
}

once_idle() {
	start iolatency 0.2 1
	finish
	expect_match "$out" <<-END
	Tracing block I/O. *

	  >=(ms) .. <(ms)   : I/O      |Distribution                          |
	       0 -> 1       : 0        |                                      |
	*
	*
	END
}

once_time() {
	start iolatency -T 0.2 2
	finish
	[ "$(grep -c '^[0-2][0-9]:[0-5][0-9]:[0-6][0-9]:$' "$out")" = 2 ] || fail "not two times"
}

once_percentiles() {
	fresh
	null nullb0 ms=20
	null nullb1 ms=500
	start iolatency --percentiles 50
	io -t 9 -s 0 read /dev/nullb0 0 4096 11
	io read /dev/nullb1 0 4096
	stop
	# 99 of 20 ms, one of 500
	awk 'NR == 2 { print } NR == 3 { print($1, $2 >= 20 && $2 < 60, $3 >= $2 && $3 < 200,
		$4 >= $3 && $4 < 490, $5 >= 500, $6 >= $5 && $6 < 900) }' "$out" >seen
	expect_rows seen <<-END
	     I/O    p50(ms)    p90(ms)    p99(ms)  p99.9(ms)    max(ms)
	100 1 1 1 1 1
	END
}

test_requeued_once() {
	fresh
	scsi delay=1 opts=0x8000 every_nth=3
	start iolatency --json 50
	io read /dev/sda 0 4096 20
	stop
	expect_rows <(jq -s 'map(.count) | add' "$out") <<-END
	20
	END
}

# Whatever the load, each is counted in one interval.
test_complete_under_load() {
	fresh
	null nullb0 irqmode=0
	start iolatency 0.2
	io -t 4 -s 0 read /dev/nullb0 0 4096 1250
	stop
	expect_empty "$err"
	expect_rows <(totals | awk '{ n += $2 } END { print n }') <<-END
	5000
	END
}

# in_titles: sum of the I/O in the cells of a map, "TIME - TIME, LATENCY: N I/O"
in_titles() { sed -nE 's|.*<title>.*: ([0-9]+) I/O</title>.*|\1|p' "$1" | awk '{ n += $1 } END { print n + 0 }'; }

once_heatmap_file() {
	fresh
	null nullb0 ms=5
	echo "what was there before, and is longer than nothing" >map.svg
	start iolatency --heatmap=map.svg 10
	io read /dev/nullb0 0 4096 40
	expect_rows map.svg <<<"what was there before, and is longer than nothing"
	stop
	expect_status 0
	[ "$(histograms)" = 1 ] || fail "the histogram is missing"
	[[ $(<map.svg) == '<svg xmlns='*'</svg>' ]] || fail "no SVG: $(head -c 200 map.svg)"
	expect_rows <(in_titles map.svg) <<<40
	! grep -qE '<script|href' map.svg || fail "it is not self-contained"
	# of 5 ms and more, each of them
	sed -nE 's|.*<title>.*, ([0-9.]+) ms - .*I/O</title>.*|\1|p' map.svg | awk '$1 < 4 { print }' >low
	expect_empty low
}

# A picture says of which run it is; that of a capture, of the capture's.
once_heatmap_says_of_which_run() {
	local began after kernel
	kernel="$(uname -s) $(uname -r) $(uname -m)"
	fresh
	null nullb0 ms=5
	until_end /proc/sys/kernel/hostname 'disks&tapes'
	began=$(date +%s)
	start iolatency -w c
	io read /dev/nullb0 0 4096 2
	stop
	start iolatency --heatmap=live.svg -i '<*[!W]*' --type '*R*' 10
	io read /dev/nullb0 0 4096 3
	stop
	after=$(date +%s)
	expect_rows <(said_of host live.svg) <<<'disks&#38;tapes'
	expect_rows <(said_of kernel live.svg) <<<"$kernel"
	expect_rows <(said_of command live.svg) <<<"iolatency --heatmap=live.svg -i '&#60;*[!W]*' --type '*R*' 10"
	expect_rows <(said_of count live.svg; said_of unit live.svg; said_of lost live.svg) <<<$'3\nI/O\n0'
	expect_time live.svg start "$began" "$after"
	expect_time live.svg end "$began" "$after"
	expect_match <(said_below_title live.svg) <<-END
	3 I/O, type \*R\*, disks&#38;tapes, $kernel, 20??-??-?? ??:??:?? [+-]??:??, * s, 0 events were lost
	iolatency --heatmap=live.svg -i '&#60;\*\[!W]\*' --type '\*R\*' 10
	END

	echo reader >/proc/sys/kernel/hostname
	run iolatency -r c --heatmap=$'\xff.svg'
	mv $'\xff.svg' read.svg
	expect_rows <(said_of host read.svg) <<<'disks&#38;tapes'
	expect_rows <(said_of kernel read.svg) <<<"$kernel"
	expect_rows <(said_of command read.svg) <<<'iolatency -w c'
	expect_rows <(said_of reader read.svg) <<<"iolatency -r c \$'--heatmap=\\xff.svg'"
	expect_rows <(said_of count read.svg; said_of lost read.svg) <<<$'2\n0'
	expect_time read.svg start "$began" "$after"
	[[ $(said_of end read.svg) < $(said_of start live.svg) ]] || fail "it ends at $(said_of end read.svg)"
	! grep -q '>reader' read.svg || fail "it is of the machine that reads"
}

once_heatmap_of_nothing() {
	fresh
	run iolatency --heatmap=map.svg -d nosuch 0.2 1
	expect_status 1
	[ ! -e map.svg ] || fail "a file was left behind"
	null nullb0 ms=5
	run iolatency --heatmap=map.svg -d nullb0 0.2 1
	expect_status 0
	expect_rows <(in_titles map.svg) <<<0
	[[ $(<map.svg) == *'no I/O'*'</svg>' ]] || fail "it does not say that there was none"
}

# Of a capture of before there were hosts in them: the same whoever reads it when.
host_heatmap_of_a_capture() {
	local capture
	capture iolatency
	TZ=UTC0 run iolatency -r "$capture" --heatmap=map.svg
	expect_status 0
	expect_rows <(said_of host map.svg) </dev/null
	expect_rows <(in_titles map.svg) <<<7
	expect_match <(said_below_title map.svg) <<-'END'
	7 I/O, Linux 6.12.*, 2026-11-22 01:16:48 +00:00, 0.5022 s, 0 events were lost
	recorded by: iolatency --write=c.dat --by=type 1000
	read by: iolatency -r * --heatmap=map.svg
	END
	# half a second wide
	expect_rows <(grep -c 'text-anchor="middle">01:16:4[89]' map.svg) <<<10
	! command -v xmllint >/dev/null || xmllint --noout map.svg
}

# A command that is too long is cut, as shown; the picture stays as wide.
host_heatmap_of_a_long_command() {
	local capture long
	capture iolatency
	long=$(printf '%0200d' 0)'<&'
	run iolatency -r "$capture" --heatmap=map.svg -i "{$long,*}"
	expect_status 0
	said_below_title map.svg | tail -n 1 >shown
	[[ $(<shown) == 'read by: '*0.. ]] || fail "$(<shown)"
	[ "$(wc -L <shown)" -le 155 ] || fail "it is too long: $(<shown)"
	[[ $(said_of reader map.svg) == *"$(printf '%0200d' 0)&#60;&#38;,*}'" ]] || fail "$(said_of reader map.svg)"
	! command -v xmllint >/dev/null || xmllint --noout map.svg
}

once_heatmap_when_the_reader_goes() {
	fresh
	null nullb0 ms=5
	io -t 2 read /dev/nullb0 0 4096 200 &
	iolatency --heatmap=map.svg 0.3 | head -n 3 >/dev/null
	wait $!
	[ "$(in_titles map.svg)" -gt 5 ] || fail "$(in_titles map.svg) I/O in the map"
}

once_heatmap_lines() {
	fresh
	null nullb0 ms=5
	start iolatency --heatmap=- 0.3 4
	io read /dev/nullb0 0 4096 10
	finish
	expect_status 0
	expect_match "$out" <<-'END'
	Tracing block I/O. Output every 0.3 seconds.
	TIME     1us     10us    100us   1ms     10ms    100ms   1s      10s
	[0-2][0-9]:[0-5][0-9]:[0-6][0-9] |*
	[0-2][0-9]:[0-5][0-9]:[0-6][0-9] |*
	[0-2][0-9]:[0-5][0-9]:[0-6][0-9] |*
	[0-2][0-9]:[0-5][0-9]:[0-6][0-9] |*

	Ending tracing...
	END
	# 5 ms are in column 29 of 64; nothing is left of it
	sed -n 3,6p "$out" | cut -c 10-38 | tr -d ' |\n' >low
	expect_empty low
	[[ $(sed -n 3,6p "$out" | cut -c 39-50) == *[.:=+*#%@-]* ]] || fail "nothing from 5 to 100 ms"
	! grep -q $'\e' "$out" || fail "colours in a file"
}

once_heatmap_bad() {
	expect_error 2 'iolatency: --heatmap=- is text of its own: not with --json (try iolatency -h)' \
		iolatency --heatmap=- --json
	expect_error 1 'iolatency: /dev/null: not a regular file' iolatency --heatmap=/dev/null
	expect_error 1 'iolatency: nowhere/x: No such file or directory' iolatency --heatmap=nowhere/x
}

once_tiny_interval() {
	start iolatency 0.001
	nap
	stop
	expect_status 0
}

# ---- without a guest ----------------------------------------------------

host_heatmap_lines_by_type() {
	capture iolatency
	expect_exit 0 iolatency -r "$capture" --heatmap=-
	expect_match "$out" <<-'END'
	Tracing block I/O. Output every 1000 seconds. Ctrl-C to end.
	TIME     TYPE     1us     10us    100us   1ms     10ms    100ms   1s      10s
	[0-2][0-9]:[0-5][0-9]:[0-6][0-9] RS       |*
	[0-2][0-9]:[0-5][0-9]:[0-6][0-9] WS       |*

	Ending tracing...
	END
}

# on_terminal VARIABLE=VALUE...: whether the heat map has colours on one
on_terminal() {
	script -qec "env $* iolatency -r $capture --heatmap=-" /dev/null >screen
	grep -q 'TIME  ' screen || fail "$(<screen)"
	grep -q $'\e' screen
}

host_heatmap_colours() {
	need script
	capture iolatency
	on_terminal TERM=xterm || fail "no colours on a terminal"
	on_terminal TERM=xterm NO_COLOR= || fail "no colours with an empty NO_COLOR"
	! on_terminal TERM=xterm NO_COLOR=1 || fail "colours with NO_COLOR"
	! on_terminal TERM=dumb || fail "colours on a dumb terminal"
	! on_terminal -u TERM || fail "colours on a terminal without a name"
}

host_bad_arguments() {
	expect_error 2 'iolatency: interval: "0" is not a number of seconds above 0 (try iolatency -h)' iolatency 0
	expect_error 2 'iolatency: count: "x" is not a number above 0 (try iolatency -h)' iolatency 1 x
	expect_error 2 'iolatency: unexpected argument "3" (try iolatency -h)' iolatency 1 2 3
	expect_error 2 'iolatency: --by: "x" is not one of disk|type (try iolatency -h)' iolatency --by=x
	expect_error 2 'iolatency: interval: "0.0001" is below a millisecond (try iolatency -h)' iolatency 0.0001
	expect_error 2 'iolatency: --heatmap is not for -w, which shows nothing: make it of the capture, with -r (try iolatency -h)' \
		iolatency -w capture --heatmap=map.svg
}

# The capture is of six reads of 80.5 ms and a write of as much.
host_units_and_groups() {
	capture iolatency
	expect_exit 0 iolatency -r "$capture" -u --by=disk
	expect_rows "$out" <<-'END'
	Tracing block I/O. Output every 1000 seconds. Ctrl-C to end.

	disk: nullb0
	  >=(us) .. <(us)   : I/O      |Distribution                          |
	       0 -> 1       : 0        |                                      |
	       1 -> 2       : 0        |                                      |
	       2 -> 4       : 0        |                                      |
	       4 -> 8       : 0        |                                      |
	       8 -> 16      : 0        |                                      |
	      16 -> 32      : 0        |                                      |
	      32 -> 64      : 0        |                                      |
	      64 -> 128     : 0        |                                      |
	     128 -> 256     : 0        |                                      |
	     256 -> 512     : 0        |                                      |
	     512 -> 1024    : 0        |                                      |
	    1024 -> 2048    : 0        |                                      |
	    2048 -> 4096    : 0        |                                      |
	    4096 -> 8192    : 0        |                                      |
	    8192 -> 16384   : 0        |                                      |
	   16384 -> 32768   : 0        |                                      |
	   32768 -> 65536   : 0        |                                      |
	   65536 -> 131072  : 7        |######################################|

	Ending tracing...
	END
	expect_exit 0 iolatency -r "$capture" -u --percentiles
	expect_rows "$out" <<-'END'
	Tracing block I/O. Output every 1000 seconds. Ctrl-C to end.
	TYPE      I/O    p50(us)    p90(us)    p99(us)  p99.9(us)    max(us)
	RS          6      80512      80512      80512      80512      80512
	WS          1      80352      80352      80352      80352      80352

	Ending tracing...
	END
}
