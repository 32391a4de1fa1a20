# shellcheck shell=bash disable=SC2016,SC2154 # what is quoted is jq's
# SPDX-License-Identifier: GPL-2.0-or-later
# Heat maps of all tools, in a guest: what the tooltips say of events that are known

# shellcheck disable=SC1091
. "$here/work/waits.bash"

# cells PICTURE: a line for each, FROM TO LOW HIGH COUNT CPUS: the clock, and the range without units
# (of latencies in ms), "-" for none
cells() {
	sed -nE 's#.*<title>([^,]*), ([^:<]*): ([0-9]+) ([^<]*)</title></rect>#\1 \2 : \3 \4#p' "$1" | awk '
		function ms(n, unit) { return unit == "us" ? n / 1000 : unit == "s" ? n * 1000 : n }
		{ for (i = 1; $i != ":"; i++); n = $(i + 1); cpus = match($0, /\(CPU [^)]*/) ? substr($0, RSTART + 5, RLENGTH - 5) : "-"
		  print $1, $3, ms($4, $5), ($6 == "-" ? ms($7, $8) : "-"), n, cpus }'
}

# counted PICTURE [AWK-CONDITION]: the sum of cells
counted() { cells "$1" | awk "${2-1} { n += \$5 } END { print n + 0 }"; }

# whole PICTURE: it is an SVG that stands alone
whole() {
	[[ $(<"$1") == '<svg xmlns='*'</svg>' ]] || fail "no SVG: $(head -c 200 "$1")"
	! grep -qE '<script|href' "$1" || fail "$1 is not self-contained"
	! command -v xmllint >/dev/null || xmllint --noout "$1"
}

# Five sleeps of a thread: tools that time calls, sleeps and system calls have each of them.
test_sleeps_of_known_length() {
	local name least
	begin one
	beside syscount syscount --time-spent -e clock_nanosleep,nanosleep -L "${tid[one]}" \
		--heatmap=syscount.svg --subsecond=syscount.second.svg
	beside funcslower funcslower --probes -L "${tid[one]}" --heatmap=funcslower.svg --subsecond=funcslower.second.svg \
		do_nanosleep 1000
	beside histogram funcslower --probes --histogram -L "${tid[one]}" --heatmap=histogram.svg do_nanosleep
	beside funcgraph funcgraph -L "${tid[one]}" --heatmap=funcgraph.svg do_nanosleep
	beside offcputime offcputime -K --state=S -L "${tid[one]}" --heatmap=offcputime.svg
	beside offwaketime offwaketime -K --state=S -L "${tid[one]}" --heatmap=offwaketime.svg
	beside wakeuptime wakeuptime -K -L "${tid[one]}" --heatmap=wakeuptime.svg
	order one sleep 5 40
	done_with one 1
	stop_all
	for name in syscount funcslower histogram funcgraph offcputime offwaketime wakeuptime; do
		whole $name.svg
		[ "$(counted $name.svg)" = 5 ] || fail "$name: $(cells $name.svg)"
		# calls take all of it, in the bin from 31.6 ms on; the timer may start long before the thread leaves
		case $name in *time) least=10 ;; *) least=31 ;; esac
		[ "$(counted $name.svg "\$3 >= $least")" = 5 ] || fail "$name: $(cells $name.svg)"
		expect_rows <(said_of count $name.svg; said_of lost $name.svg) <<<$'5\n0'
	done
	for name in syscount funcslower; do
		whole $name.second.svg
		[ "$(counted $name.second.svg)" = 5 ] || fail "$name: $(cells $name.second.svg)"
	done
}

# Of waits those that have ended, as rows say.
test_waits() {
	begin one 0
	begin two 0
	start runqslower 0 --json -L "${tid[one]},${tid[two]}" --heatmap=waits.svg
	turns
	stop
	expect_status 0
	expect_rows <(counted waits.svg) < <(jq -s 'map(select(.ended == 1)) | length' "$out")
	[ "$(counted waits.svg)" -ge 20 ] || fail "$(<"$out")"
}

# Opens at moments that the one who opens has seen: before and after each.
test_moments() {
	local before after i
	touch /mnt/moment
	start opensnoop --subsecond=moments.svg '^/mnt/moment$'
	for ((i = 0; i < 60; i++)); do
		before=${EPOCHREALTIME/[.,]/}
		: </mnt/moment
		after=${EPOCHREALTIME/[.,]/}
		# shellcheck disable=SC2017 # to whole steps
		echo $((before % 1000000 / 20000 * 20)) $((after / 20000 - before / 20000))
		nap
	done >seen
	stop
	expect_status 0
	whole moments.svg
	expect_rows <(counted moments.svg) <<<60
	# where both are in one part of 20 ms, so is the open
	cells moments.svg | awk '
		FILENAME == "seen" { if ($2) loose++; else n[$1]++; next }
		{ have[$3] += $5 }
		END { for (at in n) if (have[at] < n[at] || have[at] > n[at] + loose) {
			print at " ms: " have[at] + 0 ", not " n[at]; bad = 1 }
			exit bad || loose > 30 }' seen - >wrong || fail "$(<wrong)"
	# columns are seconds of the wall clock
	[ -z "$(cells moments.svg | awk '$1 !~ /\.000$/ || $2 !~ /\.000$/')" ] || fail "$(cells moments.svg)"
}

# As many as were counted.
test_samples() {
	start profile -K -F 997 --json -n '^burn$' --subsecond=samples.svg
	burn 1000
	stop
	expect_status 0
	whole samples.svg
	[ "$(counted samples.svg)" -ge 20 ] || fail "$(cells samples.svg)"
	expect_rows <(counted samples.svg) < <(jq -s 'map(.count) | add' "$out")
	expect_rows <(said_of unit samples.svg) <<<samples
}

# within_rows PICTURE ROWS: what processors ran, in all, is what their shares say at least and at most;
# the first and the last column may have less than a whole one
within_rows() {
	local width run
	width=$(sed -nE 's|.*, columns of ([0-9.]+) s<.*|\1|p' "$1")
	run=$(jq -s 'map(.run) | add' "$2")
	cells "$1" | awk -v w="$width" -v run="$run" '
		{ least += $3 / 100 * w * $5; most += $4 / 100 * w * $5 }
		END { least -= 4 * w; print least, run, most; exit !(least <= run && run <= most) }' >sums ||
		fail "at least, rows, at most: $(<sums)"
}

# A processor that burns is at the top as long as it does, and each is somewhere all the time.
test_utilization() {
	local columns
	begin one 0
	start schedtop --by=cpu -C --json --utilization=cpus.svg 50
	order one burn 400
	done_with one 1
	stop
	expect_status 0
	whole cpus.svg
	expect_rows <(said_of count cpus.svg; said_of unit cpus.svg; said_of lost cpus.svg) <<<$'2\nprocessors\n0'
	! grep -q 'not known' cpus.svg || fail "$(said_below_title cpus.svg)"
	columns=$(cells cpus.svg | awk '{ print $1 }' | sort -u | wc -l)
	[ "$(counted cpus.svg)" = $((2 * columns)) ] || fail "$columns columns: $(cells cpus.svg)"
	within_rows cpus.svg "$out"
	# it is busy, whoever else runs there: with all of these columns but the first and the last
	[ "$(cells cpus.svg | awk '$3 >= 95 && $6 ~ /^0/' | wc -l)" -ge 6 ] || fail "$(cells cpus.svg)"
}

once_utilization_of_a_capture() {
	begin one 1
	start schedtop --by=cpu -w c 50
	order one burn 300
	done_with one 1
	stop
	run schedtop -r c -C --json --utilization=read.svg
	expect_status 0
	within_rows read.svg "$out"
	[ "$(cells read.svg | awk '$3 >= 95 && $6 ~ /1$/' | wc -l)" -ge 4 ] || fail "$(cells read.svg)"
	run schedtop -r c -C --cpu=1 --utilization=read.svg
	expect_rows <(said_of count read.svg; cells read.svg | awk '{ print $6 }' | sort -u) <<<$'1\n1'
	! grep -q 'not known' read.svg || fail "$(said_below_title read.svg)"
}

# Of a part of the intervals it has those columns that the picture of all begins with.
once_utilization_of_some_intervals() {
	begin one 1
	start schedtop --by=cpu -w c 0.3
	order one burn 900
	done_with one 1
	stop
	run schedtop -r c -C --utilization=all.svg
	run schedtop -r c -C --utilization=some.svg 0.3 1
	expect_status 0
	cells all.svg >all
	cells some.svg | head -n 10 >some
	if ! { [ "$(wc -l <some)" = 10 ] && [ "$(cells some.svg | wc -l)" -lt "$(wc -l <all)" ]; }; then fail "$(cells some.svg)"; fi
	expect_rows some < <(head -n 10 all)
}

# Who reads the rows may go: the picture has what was read until then, of each processor.
once_utilization_nobody_reads() {
	local columns
	timeout 50 schedtop --by=cpu --json --utilization=gone.svg 0.5 | head -n 4 >/dev/null
	whole gone.svg
	! grep -q 'not known' gone.svg || fail "$(said_below_title gone.svg)"
	columns=$(cells gone.svg | awk '{ print $1 }' | sort -u | wc -l)
	if ! { [ "$columns" -ge 4 ] && [ "$(counted gone.svg)" = $((2 * columns)) ]; }; then fail "$columns columns: $(cells gone.svg)"; fi
}

# What was lost is not idle: it is in no cell, and said.
once_utilization_with_losses() {
	local columns
	begin one 0
	start schedtop --by=cpu -C --buffer=16K --utilization=lost.svg 50
	kill -STOP "$pid"
	order one pass 20000
	done_with one 1
	kill -CONT "$pid"
	stop
	expect_status 0
	[ "$(said_of lost lost.svg)" -gt 0 ] || fail "nothing was lost"
	grep -q '[0-9] shares of processors are not known' lost.svg || fail "$(said_below_title lost.svg)"
	columns=$(cells lost.svg | awk '{ print $1 }' | sort -u | wc -l)
	[ "$(counted lost.svg)" -lt $((2 * columns)) ] || fail "$(cells lost.svg)"
}

once_nothing() {
	run opensnoop -d 0.1 --subsecond=none.svg '^/nothing-is-called-so$'
	expect_status 0
	whole none.svg
	grep -q '>no opens<' none.svg || fail "it does not say that there was none"
	expect_rows <(counted none.svg; said_of count none.svg) <<<$'0\n0'
	run syscount -d 0.1 --time-spent -e reboot --heatmap=none.svg
	grep -q '>no calls<' none.svg || fail "it does not say that there was none"
}

once_bad() {
	expect_error 2 'iosnoop: --heatmap=-: only tools with an interval draw lines of text: name a file (try iosnoop -h)' \
		iosnoop --heatmap=-
	expect_error 2 'iosnoop: --heatmap and --subsecond are two pictures: name two files (try iosnoop -h)' \
		iosnoop --heatmap=x.svg --subsecond=x.svg
	expect_error 2 'opensnoop: --subsecond is not for -w, which shows nothing: make it of the capture, with -r (try opensnoop -h)' \
		opensnoop -w c --subsecond=x.svg
	[ ! -e x.svg ] || fail "a file was left behind"
	expect_error 2 'opensnoop: --heatmap: no such option (try opensnoop -h)' opensnoop --heatmap=x.svg
	expect_error 2 'syscount: --heatmap and --subsecond are of single calls, which only --time-spent has (try syscount -h)' \
		syscount --heatmap=x.svg
	expect_error 2 'syscount: --in-kernel keeps no times of single calls: not with --heatmap or --subsecond (try syscount -h)' \
		syscount -c --in-kernel --subsecond=x.svg
	expect_error 2 'schedtop: --utilization is of all that processors do: with --by=cpu, and not with -p, -L, -n or --cgroup (try schedtop -h)' \
		schedtop --utilization=x.svg
	expect_error 2 'profile: --subsecond and --flamegraph are two pictures: name two files (try profile -h)' \
		profile --flamegraph=y.svg --subsecond=./y.svg
	expect_error 2 'opensnoop: --subsecond: ./y.svg is where the output goes (try opensnoop -h)' \
		opensnoop -o y.svg --subsecond=./y.svg
	expect_error 1 'opensnoop: /dev/null: not a regular file' opensnoop --subsecond=/dev/null
	expect_error 1 'iosnoop: nowhere/x: No such file or directory' iosnoop --heatmap=nowhere/x
	expect_exit 0 iosnoop --check --heatmap=x.svg
	expect_exit 1 iosnoop --check --heatmap=nowhere/x
	grep -q 'nowhere/x: No such file or directory' "$err" || fail "$(<"$err")"
	expect_exit 1 iosnoop --check --heatmap=/dev/null
	[ ! -e x.svg ] || fail "--check left a file behind"
}

# Whatever it is called: what a picture would be written over stays.
host_other_files() {
	local capture
	capture tcpretrans
	cp "$capture" c
	ln c picture.svg
	ln -s c link.svg
	expect_error 2 'tcpretrans: --subsecond: picture.svg is the capture that is read (try tcpretrans -h)' \
		tcpretrans -r c --subsecond=picture.svg
	expect_error 2 'tcpretrans: --subsecond: link.svg is the capture that is read (try tcpretrans -h)' \
		tcpretrans -r c --subsecond=link.svg
	cmp c "$capture"
	echo old >rows
	ln rows rows.svg
	expect_error 2 'tcpretrans: --subsecond: rows.svg is where the output goes (try tcpretrans -h)' \
		tcpretrans -r c -o rows --subsecond=rows.svg
	expect_rows rows <<<old
	capture iosnoop
	touch a
	ln a b
	expect_error 2 'iosnoop: --heatmap and --subsecond are two pictures: name two files (try iosnoop -h)' \
		iosnoop -r "$capture" --heatmap=a --subsecond=b
	expect_error 2 'iosnoop: --heatmap and --subsecond are two pictures: name two files (try iosnoop -h)' \
		iosnoop -r "$capture" --heatmap=new.svg --subsecond="$PWD/new.svg"
	[ ! -e new.svg ] || fail "a file was left behind"
}

# Of captures: an event for each row, in text too.
host_as_rows() {
	local name capture rows
	for name in iosnoop funcslower runqslower opensnoop killsnoop tcpretrans functrace tpoint tpoint_stack kprobe uprobe gethostlatency; do
		capture $name
		rows=$("${name%%_*}" --read="$capture" --json | jq -s 'map(select(has("lost") | not)) | length')
		run "${name%%_*}" --read="$capture" --subsecond=second.svg
		expect_status 0
		if ! { [ "$rows" -gt 0 ] && [ "$(counted second.svg)" = "$rows" ]; }; then fail "$name: $rows rows, $(cells second.svg)"; fi
	done
}

# Where rows are sums, it is of what they are made of.
host_of_sums() {
	local capture
	capture tcpretrans
	run tcpretrans -r "$capture" -c --json --subsecond=second.svg
	expect_status 0
	[ "$(counted second.svg)" = "$(jq -s 'map(.count) | add' "$out")" ] || fail "$(cells second.svg)"
}

# Where fewer intervals are asked for, the run ends with the last of them, and so does the picture.
host_intervals_end_the_run() {
	local capture all some
	capture iolatency
	run iolatency -r "$capture" --heatmap=all.svg 3600
	run iolatency -r "$capture" --heatmap=some.svg 0.01 1
	expect_status 0
	all=$(date -d "$(said_of end all.svg)" +%s%N)
	some=$(date -d "$(said_of end some.svg)" +%s%N)
	[ "$some" -lt "$all" ] || fail "both end at $(said_of end some.svg)"
	near $((some - $(date -d "$(said_of start some.svg)" +%s%N))) 10000000 1 "the run"
}

# Where the reader of rows has gone, the run ends, and so does the picture.
host_nobody_reads() {
	local capture all some
	capture iolatency
	run iolatency -r "$capture" --json --heatmap=all.svg 0.01
	exec 7> >(:)
	wait $! || :	# until it has gone: bash lost its status once, and said 255
	iolatency -r "$capture" --json --heatmap=some.svg 0.01 >&7
	exec 7>&-
	whole some.svg
	all=$(date -d "$(said_of end all.svg)" +%s%N)
	some=$(date -d "$(said_of end some.svg)" +%s%N)
	[ "$some" -lt "$all" ] || fail "both end at $(said_of end some.svg)"
	[ "$some" -gt "$(date -d "$(said_of start some.svg)" +%s%N)" ] || fail "it ends at its start"
}

# The heading says what was asked for: which function, from which time on.
host_what_was_chosen() {
	local capture
	capture funcslower
	run funcslower -r "$capture" --heatmap=map.svg --subsecond=second.svg
	expect_status 0
	for map in map.svg second.svg; do
		said_below_title $map | grep -q 'do_nanosleep hrtimer_nanosleep.* issued by .* slower than 20000 us, ' ||
			fail "$(said_below_title $map)"
	done
}

# Each I/O is in a cell of its time and its latency.
host_latencies() {
	local capture
	capture iosnoop
	TZ=UTC0 run iosnoop -r "$capture" --json --time=wall --heatmap=map.svg
	expect_rows <(counted map.svg) < <(wc -l <"$out")
	cells map.svg >cells
	jq -r '[.end, .latency * 1000] | @tsv' "$out" | awk '
		FILENAME == "cells" { from[++n] = $1; to[n] = $2; low[n] = $3 * .99; high[n] = $4 * 1.01; next }
		{ for (i = 1; i <= n; i++) if ($1 >= from[i] && $1 < to[i] && $2 >= low[i] && $2 < high[i]) next
		  print; bad = 1 }
		END { exit bad || !n }' cells - >wrong || fail "in no cell: $(<wrong)"
}
