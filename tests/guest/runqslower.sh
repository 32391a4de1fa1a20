# shellcheck shell=bash disable=SC2016,SC2154 # what is quoted is jq's
# SPDX-License-Identifier: GPL-2.0-or-later
# runqslower in a guest: rows of waits that are known, and what ran meanwhile

# shellcheck disable=SC1091
. "$here/work/waits.bash"

first_check() {
	expect_exit 0 runqslower --check
}

first_row() {
	begin one
	start runqslower --json -L "${tid[one]}" 0
	order one sleep 3 10
	done_with one 1
	stop
	expect_status 0
	[ "$(jq -r .comm "$out" | grep -c '^waits$')" -ge 3 ] || fail "$(<"$out")"
}

# hogs: two take turns on a processor
hogs() {
	order one burn 300
	order two burn 300
	done_with one 1
	done_with two 1
}

# Each waits while the other one runs: that is all that runs, mostly.
test_what_ran_meanwhile() {
	begin one 0
	begin two 0
	start runqslower --json -L "${tid[one]}" 1500
	hogs
	stop
	expect_status 0
	expect_empty "$err"
	[ -s "$out" ] || fail "no rows"
	# all rows are of it, and long enough; what ran adds up to the wait, but for
	# what is below a microsecond
	expect_rows <(jq -s "map(.tid == ${tid[one]} and .latency >= 0.0015 and .ended == 1) | all" "$out") <<<true
	expect_rows <(jq -s 'map((.ran | length) >= 8 or ((.ran | add) - .latency | fabs) < 0.00001) | all' "$out") <<<true
	expect_rows <(jq -r ".ran | to_entries | max_by(.value).key" "$out" | sort | uniq -c | sort -n | awk 'END { print $2 }') <<<"waits-${tid[two]}"
	expect_rows <(jq -s 'map(.cause == "preempted" or .cause == "woken") | all' "$out") <<<true
}

# Who waits at the end has a row, too.
test_still_waits_at_the_end() {
	local n
	begin one 0
	begin two 0
	start runqslower -P --json -L "${tid[one]},${tid[two]}" 0
	order one burn 100000
	order two burn 100000
	wait_lines "$out" 20
	stop
	expect_status 0
	# both, where another thread has the processor just then
	n=$(jq -s 'map(select(.ended == 0)) | length' "$out")
	[[ $n = [12] ]] || fail "$n rows of waits that go on: $(tail -n 3 "$out")"
	expect_rows <(tail -n "$n" "$out" | jq -c '[.ended, .ran, .prev_tid]' | sort -u) <<<'[0,null,null]'
	[ "$n" = 1 ] || n="2 threads"
	expect_rows "$err" <<<"runqslower: ${n/#1/1 thread} still waited at the end: rows with the time so far come last"
}

longer() { jq -s 'map(select(.latency >= 0.002)) | length' "$1"; }

once_text() {
	begin one 0
	begin two 0
	start runqslower -P -L "${tid[one]}" 1500
	hogs
	stop
	expect_match <(head -n 2 "$out") <<-END
	Tracing run queue latency of 1500 us and more for TID ${tid[one]}. Ctrl-C to end.
	TIME     COMM             TID            LAT(us) PREV COMM        PREV TID RAN
	END
	grep -qE "^..:..:.. waits            ${tid[one]} +[0-9]{4,} waits            ${tid[two]} +.*waits-${tid[two]}=[0-9]+" "$out" || fail "$(<"$out")"
}

# A capture shows the same, and one is written when a wait is long.
test_captures() {
	begin one 0
	begin two 0
	beside json runqslower --json -L "${tid[one]}" 1500
	beside write runqslower -w c.dat 0
	beside trigger runqslower -w t.dat --last=20 --trigger 'latency >= 0.0015' -L "${tid[one]}" 1000
	hogs
	stop_all
	run runqslower -r c.dat --json -L "${tid[one]}" 1500
	expect_status 0
	# instances have times of their own: a wait may be just as long in one only
	[ "$(longer "$out")" -le "$(wc -l <"$work/json.out")" ] || fail "$(<"$out")"
	[ "$(longer "$work/json.out")" -le "$(wc -l <"$out")" ] || fail "$(<"$out")"
	[ -s "$out" ] || fail "no rows"
	[ -n "$(find . -name 't*.dat*')" ] || fail "no capture: $(ls)"
}

test_killed() {
	begin one
	start runqslower
	order one sleep 2 1
	done_with one 1
	stop KILL
	until_true 60 is_clean || fail "$state"
}

host_bad_options() {
	expect_exit 2 runqslower -1
	expect_exit 2 runqslower 10 20
}
