# shellcheck shell=bash disable=SC2016,SC2154 # what is quoted is jq's
# SPDX-License-Identifier: GPL-2.0-or-later
# schedtop in a guest: times and switches that are known

# shellcheck disable=SC1091
. "$here/work/waits.bash"

# total KEY FILE: the sum of all rows, times in ns
total() { jq -s "map(.$1 // 0) | add * 1e9 | round" "$2"; }
count_of() { jq -s "map(.$1) | add" "$2"; }

first_check() {
	expect_exit 0 schedtop --check
}

first_row() {
	begin one
	start schedtop -C --json -L "${tid[one]}" 50
	order one sleep 3 10
	done_with one 1
	stop
	expect_status 0
	[ "$(count_of voluntary "$out")" -ge 3 ] || fail "$(<"$out")"
}

# Two on one processor, which sleep and take turns: the kernel counts the same.
test_switches_as_the_kernel_counts() {
	local name
	declare -A v=() i=() r=() t=() z=()
	begin one 0
	begin two 0
	for name in one two; do
		counts $name; v+=([$name]=$voluntary) i+=([$name]=$involuntary)
		ran $name; r+=([$name]=$ran)
	done
	start schedtop -C --json -L "${tid[one]},${tid[two]}" 0.2
	for name in one two; do order $name sleep 10 5; done
	for name in one two; do done_with $name 1; z+=([$name]=$took); done
	for name in one two; do order $name burn 300; done
	for name in one two; do done_with $name 2; t+=([$name]=$took); done
	stop
	expect_status 0
	expect_empty "$err"
	for name in one two; do
		counts $name; ran $name
		jq -c "select(.tid == ${tid[$name]})" "$out" >"$name.rows"
		expect_rows <(count_of voluntary $name.rows; count_of involuntary $name.rows) <<-END
		$((voluntary - ${v[$name]}))
		$((involuntary - ${i[$name]}))
		END
		near "$(total run $name.rows)" $((ran - ${r[$name]})) 5 "run of $name"
		# as long as it burns, but for its 300 ms, and what it waited behind sleeps
		between "$(total wait $name.rows)" $(((${t[$name]} - 300000000) * 9 / 10)) \
			$((${t[$name]} - 300000000 + ${z[$name]} + 20000000)) "wait of $name"
	done
}

# What it sleeps is what it says, and what it waits besides.
test_sleeps() {
	local slept
	begin one
	start schedtop -C --json -L "${tid[one]}" 50
	order one sleep 5 100
	done_with one 1; slept=$took
	stop
	expect_status 0
	# it was asleep before and after that, too
	[ "$(total sleep "$out")" -ge $((slept * 9 / 10)) ] || fail "$(<"$out")"
	[ "$(count_of voluntary "$out")" -ge 5 ] || fail "$(<"$out")"
}

# From the second interval on each processor has run or been idle all the time.
test_processors_are_busy_or_idle() {
	begin one 0
	begin two 1
	start schedtop -C --json --by=cpu 0.2 5
	order one burn 300
	order two sleep 50 5
	finish
	expect_status 0
	expect_rows <(jq -sc '(map(.time) | unique) as $at |
		map(select(.time > $at[0])) | group_by(.time)[] |
		map(select((.run + .idle - 0.2) | fabs > 0.000002))' "$out") <<-END
	[]
	[]
	[]
	[]
	END
	expect_rows <(jq -s 'map(.cpu) | unique | length' "$out") <<<2
	# the last ones may be cut short by the duration's end only
	done_with one 1
	done_with two 1
}

# A process that begins and ends in between, and one that changes its name.
test_names() {
	local first second
	begin one
	cp "$(type -P true)" brief
	ran one; first=$ran
	start schedtop -C --json --by=name 50
	./brief
	order one burn 100
	done_with one 1
	ran one; first=$((ran - first)) second=$ran
	order one name second
	done_with one 2
	order one burn 200
	done_with one 3
	ran one; second=$((ran - second))
	stop
	expect_status 0
	expect_rows <(jq -r 'select(.comm == "brief") | .voluntary >= 1' "$out") <<<true
	near "$(jq 'select(.comm == "waits") | .run * 1e9 | round' "$out")" $first 5 "run as waits"
	near "$(jq 'select(.comm == "second") | .run * 1e9 | round' "$out")" $second 5 "run as second"
}

test_by_cgroup_and_process() {
	begin one
	in_cgroup one
	beside cgroup schedtop -C --json --by=cgroup 50
	beside process schedtop -C --json --by=process -p "${tid[one]}" 50
	order one sleep 4 10
	done_with one 1
	stop_all
	expect_rows <(jq -r 'select(.cgroup == "/suite/inner") | .voluntary >= 4' "$work/cgroup.out") <<<true
	expect_rows <(jq -r '[.pid, .comm, .voluntary >= 4] | @tsv' "$work/process.out") <<-END
	${tid[one]}	waits	true
	END
	end_all
	rmdir "$inner"
}

# The first in the order that is asked for, and no more than that.
test_order_and_top() {
	begin one 0
	begin two 0
	beside run schedtop -C --json -t 1 -L "${tid[one]},${tid[two]}" 50
	beside switches schedtop -C --json -t 1 --sort=switches -L "${tid[one]},${tid[two]}" 50
	order one burn 400
	done_with one 1
	order two sleep 300 1
	done_with two 1
	stop_all
	expect_rows <(jq .tid "$work/run.out") <<<"${tid[one]}"
	expect_rows <(jq .tid "$work/switches.out") <<<"${tid[two]}"
}

once_text() {
	begin one
	start schedtop -C -L "${tid[one]}" 50
	order one sleep 2 1
	done_with one 1
	stop
	expect_match "$out" <<-END
	Tracing what threads do for TID ${tid[one]}. Output every 50 seconds. Ctrl-C to end.

	??:??:?? loadavg: *
	TID     COMM                  RUNms     WAITms    SLEEPms     VOL   INVOL    AVGms    MAXms MAXAT
	${tid[one]} *waits *:??:??

	Ending tracing...
	END
}

# All of many threads are seen.
once_many_threads() {
	mkfifo fifo
	start schedtop -C --json --by=name 100
	(ulimit -s 128 -n 20000; sleepers 10000 fifo)
	stop
	expect_status 0
	expect_empty "$err"
	[ "$(count_of voluntary <(jq -c 'select(.comm == "sleepers")' "$out"))" -ge 20000 ] || fail "$(grep sleepers "$out")"
}

# Nothing is told of what was not seen whole.
test_lost_records() {
	local before
	begin one 0
	start schedtop -C --json --buffer=64K -L "${tid[one]}" 100
	kill -STOP "$pid"
	order one pass 20000
	done_with one 1; before=$took
	kill -CONT "$pid"
	stop
	expect_status 0
	grep -q 'events were lost' "$err" || fail "nothing lost: $(<"$err")"
	[ "$(total run "$out")" -le "$before" ] || fail "runs more than there was: $(<"$out")"
	[ "$(total wait "$out")" -le "$before" ] || fail "waits more than there was: $(<"$out")"
}

test_killed() {
	begin one
	start schedtop -C 50
	order one sleep 2 1
	done_with one 1
	stop KILL
	until_true 60 is_clean || fail "$state"
}

host_bad_options() {
	expect_error 2 "schedtop: --sort is not for --by=cpu: processors come in their order (try schedtop -h)" schedtop --by=cpu --sort=wait
	expect_exit 2 schedtop --by=uid
	expect_exit 2 schedtop 0
	expect_exit 2 schedtop --by=cgroup -w x
}
