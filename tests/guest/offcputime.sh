# shellcheck shell=bash disable=SC2016,SC2154 # what is quoted is jq's
# SPDX-License-Identifier: GPL-2.0-or-later
# offcputime in a guest: times off a processor that are known, and their stacks

# shellcheck disable=SC1091
. "$here/work/naps.bash"

first_check() {
	check_of offcputime
}

first_row() {
	begin one
	start offcputime -K --json -L "${tid[one]}"
	order one sleep 3 10
	done_with one 1
	stop
	expect_status 0
	[ "$(count_of "$in_nanosleep" "$out")" -ge 3 ] || fail "$(<"$out")"
}

# What the program measures has all of it in it.
test_functions_of_a_program() {
	local long short name
	need_programs
	begin_naps
	start offcputime --json --state=S -L "${tid[naps]}"
	order naps naps
	done_with naps 1
	stop
	expect_status 0
	expect_empty "$err"
	read -r long short <<<"$took"
	for name in long short; do
		rows ".user // [] | index(\"nap_$name\")" "$out" >$name
		expect_rows <(rows true $name '[.comm, .tid, (.kernel | any(test("nanosleep"))), .user[1:4]]') <<-END
		["naps",${tid[naps]},true,["nap_$name","do_line","main"]]
		END
	done
	expect_rows <(count_of true long; count_of true short) <<<$'5\n3'
	at_least "$(total_of true long)" 500 nap_long
	at_least "$(total_of true short)" 150 nap_short
	[ "$(total_of true long)" -le $((long + 10000)) ] || fail "nap_long: more than $long: $(<long)"
	[ "$(total_of true short)" -le $((short + 10000)) ] || fail "nap_short: more than $short: $(<short)"
}

# Asleep at the start, a thread has come back as often as it has gone since.
test_times_as_the_kernel_counts() {
	local v i
	begin one 0
	begin two 0
	counts one; v=$voluntary i=$involuntary
	beside all offcputime -K --json -L "${tid[one]}"
	beside left offcputime -K --json --state=SD -L "${tid[one]}"
	beside preempted offcputime -K --json --state=R -L "${tid[one]}"
	turns
	stop_all
	counts one
	v=$((voluntary - v)) i=$((involuntary - i))
	[ $i -gt 0 ] || fail "it was never preempted"
	expect_rows <(for name in all left preempted; do count_of true "$work/$name.out"; done) <<-END
	$((v + i))
	$v
	$i
	END
	# sleeps are not among those that were preempted
	expect_empty <(rows "$in_nanosleep" "$work/preempted.out")
	between "$(count_of "$in_nanosleep" "$work/left.out")" 1 20 sleeps	# one may end as it begins
	expect_empty <(rows "$since_before" "$work/preempted.out")
	expect_rows <(count_of "$since_before" "$work/left.out") <<<1
}

# What has no record at all is known from /proc.
test_asleep_all_the_time() {
	local before from to after
	begin one
	before=$(microseconds)
	start offcputime -K --json -L "${tid[one]}"
	from=$(microseconds)
	nap
	to=$(microseconds)
	stop
	after=$(microseconds)
	expect_status 0
	expect_rows <(rows true "$out" '[.comm, .tid, .count, .kernel[0], (.kernel | any(test("pipe_read|pipe_wait")))]') <<-END
	["waits",${tid[one]},0,"[since before]",true]
	END
	between "$(total_of true "$out")" $(((to - from) * 1000)) $(((after - before) * 1000)) "asleep all the time"
}

test_asleep_and_all_threads() {
	begin one
	begin two
	beside some offcputime -K --json
	beside all offcputime -K --json --asleep
	order two sleep 2 1
	done_with two 1
	stop_all
	expect_rows <(for name in some all; do
		rows ".tid == ${tid[one]}" "$work/$name.out" '[.count, .kernel[0]]'
		count_of ".tid == ${tid[two]} and $in_nanosleep" "$work/$name.out"
	done) <<-END
	2
	[0,"[since before]"]
	2
	END
}

# What is gone does not sleep, whatever /proc said of it at the start.
test_ended_meanwhile() {
	local from to
	begin one
	from=$(microseconds)
	start offcputime -K --json -p "${tid[one]}" 0.2
	kill -KILL "${tid[one]}"
	until_true 60 gone "${tid[one]}"
	to=$(microseconds)
	wait_lines "$out" 1
	read -rt 1 -u "$never" || :
	stop
	expect_status 0
	[ "$(total_of true "$out")" -le $(((to - from) * 1000)) ] || fail "$(<"$out")"
	expect_rows <(rows true "$out" .tid | sort -u) <<<"${tid[one]}"
}

# It sleeps for longer than all before when the run ends.
test_asleep_at_the_end() {
	local from to
	begin one
	start offcputime -K --json -L "${tid[one]}"
	order one sleep 1 100000
	until_true 60 in_sleep "${tid[one]}" || fail "it does not sleep"
	from=$(microseconds)
	read -rt 0.3 -u "$never" || :
	to=$(microseconds)
	stop
	expect_status 0
	expect_rows <(rows "$in_nanosleep" "$out" .count) <<<0
	[ "$(total_of "$in_nanosleep" "$out")" -ge $(((to - from) * 1000)) ] || fail "$(<"$out")"
}
in_sleep() { grep -q nanosleep "/proc/$1/stack"; }

# Nothing but sleeps of 700 ms is that long, and nothing makes others as long.
test_long_and_short_ones() {
	local name times=()
	begin one
	beside all offcputime -K --json -L "${tid[one]}"
	beside long offcputime -K --json -m 690000 -L "${tid[one]}"
	beside short offcputime -K --json -M 689999 -L "${tid[one]}"
	order one sleep 3 700
	done_with one 1
	order one sleep 20 1
	done_with one 2
	stop_all
	for name in all long short; do times+=("$(count_of "$in_nanosleep" "$work/$name.out")"); done
	expect_rows <(echo $((times[0] - times[2])) "${times[1]}") <<<"3 3"
	between "${times[2]}" 1 20 "short sleeps"	# one may end as it begins
}

# A sleep is told in parts, which add up to the whole.
test_intervals() {
	local whole
	begin one
	beside whole offcputime -K --json -L "${tid[one]}"
	beside parts offcputime -K --json -L "${tid[one]}" 0.25
	order one sleep 3 700
	done_with one 1
	stop_all
	whole=$(total_of "$in_nanosleep" "$work/whole.out")
	at_least "$whole" 2100 "the whole"
	near "$(total_of "$in_nanosleep" "$work/parts.out")" "$whole" 1 "all intervals"
	expect_rows <(count_of "$in_nanosleep" "$work/parts.out") <<<3
	expect_rows <(jq -s "map(select($in_nanosleep)) | length >= 8 and (map(.total <= 0.250001) | all)" "$work/parts.out") <<<true
}

# With a limit a sleep counts as a whole, where it ends, however long the intervals are.
test_limits_and_intervals() {
	begin one
	beside long offcputime -K --json -m 690000 -L "${tid[one]}" 0.25
	beside short offcputime -K --json -M 689999 -L "${tid[one]}" 0.25
	order one sleep 3 700
	done_with one 1
	stop_all
	expect_rows <(rows "$in_nanosleep and .count > 0" "$work/long.out" '[.count, .total >= 0.69]') <<-'END'
	[1,true]
	[1,true]
	[1,true]
	END
	expect_empty <(rows "$in_nanosleep" "$work/short.out")
}

# The list of who was asleep at the start is not of the last seconds.
test_last_seconds() {
	begin one
	start offcputime -K -w last.dat --last=5 -L "${tid[one]}"
	order one sleep 1 4000
	done_with one 1
	order one sleep 4 500
	done_with one 2
	stop
	expect_status 0
	run offcputime -r last.dat -K --json
	expect_status 0
	expect_rows <(rows "$since_before" "$out" .kernel) <<<'["[since before]"]'
	[ "$(total_of true "$out")" -le 5100000000 ] || fail "$(<"$out")"
	expect_rows <(count_of "$in_nanosleep and .count > 1" "$out") <<<4
}

# Nor is a file of several as long as the run.
test_rotated_files() {
	local from
	begin one 0
	start offcputime -K -w rotated.dat --max-size=100K --rotate=3 -L "${tid[one]}"
	order one sleep 1 1000
	done_with one 1
	from=$(microseconds)
	order one pass 3000
	done_with one 2
	stop
	[ -e rotated.dat.1 ] || fail "$(ls)"
	expect_status 0
	run offcputime -r rotated.dat -K --json
	expect_status 0
	[ "$(total_of true "$out")" -gt 0 ] || fail "nothing in the last file"
	[ "$(total_of true "$out")" -le $((($(microseconds) - from) * 1000)) ] || fail "$(<"$out")"
	expect_empty <(rows "$since_before" "$out" .kernel | grep pipe)
}

# A capture has the stacks of what it was written for.
test_other_states_of_a_capture() {
	begin one
	start offcputime -K --state=D -w c.dat -L "${tid[one]}"
	order one sleep 3 10
	done_with one 1
	stop
	expect_status 0
	run offcputime -r c.dat -K --state=S --json
	expect_status 0
	expect_rows <(rows "$since_before | not" "$out" .kernel | sort -u) <<<'["[not recorded]"]'
}

test_cgroup() {
	begin one
	in_cgroup one
	start offcputime -K --json --cgroup "$inner"
	order one sleep 3 10
	done_with one 1
	stop
	expect_status 0
	expect_rows <(jq .tid "$out" | sort -u) <<<"${tid[one]}"
	[ "$(count_of "$in_nanosleep" "$out")" -ge 2 ] || fail "$(<"$out")"
	expect_rows <(rows "$since_before" "$out" .count) <<<1
	end_all
	rmdir "$inner"
}

# What is lost is neither time, nor in another one's stack.
test_lost_records() {
	local from to
	begin one 0
	start offcputime -K --json --buffer=64K -L "${tid[one]}"
	from=$(microseconds)
	kill -STOP "$pid"
	order one pass 20000
	done_with one 1
	kill -CONT "$pid"
	order one sleep 3 10
	done_with one 2
	stop
	to=$(microseconds)
	expect_status 0
	grep -q 'events were lost' "$err" || fail "nothing lost: $(<"$err")"
	[ "$(total_of 'has("lost") | not' "$out")" -le $(((to - from) * 1000)) ] || fail "$(<"$out")"
	between "$(count_of "$in_nanosleep" "$out")" 2 3 sleeps	# one may end as it begins
	[ "$(rows '.kernel == ["[lost]"]' "$out" | wc -l)" -le 1 ] || fail "$(<"$out")"
}

# The same capture as rows, lines and sums by name or process.
test_captures() {
	begin_naps
	kinds_of_stacks
	beside live offcputime "${kinds[@]}" --json -p "${tid[naps]}"
	beside write offcputime "${kinds[@]}" -w c.dat -p "${tid[naps]}"
	order naps chain 3
	done_with naps 1
	order naps naps
	done_with naps 2
	stop_all
	end_all
	run offcputime -r c.dat "${kinds[@]}" --json
	expect_status 0
	cp "$out" threads
	# where they sleep on purpose: to read a page of a file can fall into one of both runs
	same_rows 'select(.kernel | any(test("nanosleep|futex"))) | [.tid, .comm, .count, .kernel, .user]' threads "$work/live.out"
	[ ${#kinds[@]} -gt 0 ] || grep -q '"nap_long"' threads || fail "$(<threads)"
	expect_rows <(rows "$since_before" threads .comm | sort) <<-'END'
	"nap-a"
	"nap-b"
	"nap-c"
	"naps"
	END
	run offcputime -r c.dat "${kinds[@]}" --json --by=name
	cp "$out" names
	same_rows '[.comm, .count, .total, .kernel]' names threads
	run offcputime -r c.dat "${kinds[@]}" --json --by=process
	expect_rows <(jq -c '[.pid, .comm]' "$out" | sort -u) <<<"[${tid[naps]},\"naps\"]"
	expect_rows <(count_of true "$out") <<<"$(count_of true threads)"
	near_sum "$(total_of true "$out")" "$(total_of true threads)" "by process"
	run offcputime -r c.dat "${kinds[@]}" -f
	expect_status 0
	same_lines names "$out"
}
# near_sum HAVE WANT WHAT: as rounded in each row
near_sum() { between "$1" $(($2 - 100000)) $(($2 + 100000)) "$3"; }
# same_lines ROWS LINES: folded ones, but for what is lost by rounding, of names
same_lines() {
	jq -r '([.comm] + (.user // [] | reverse) + (.kernel | reverse) | join(";")) + " " + (.total * 1e6 | round | tostring)' "$1" | sort >want
	grep '^nap' "$2" | sort >have
	[ -s have ] || fail "no lines: $(<"$2")"
	expect_rows <(sed 's/ [0-9]*$//' have) < <(sed 's/ [0-9]*$//' want)
	paste -d ' ' <(sed 's/.* //' have) <(sed 's/.* //' want) >both
	awk '{ d = $1 - $2; if (d > 1 || d < -1) bad = 1 } END { exit bad }' both || fail "$(<both)"
}

test_flame_graph_and_lines() {
	need_programs
	begin_naps
	beside picture offcputime --flamegraph=naps.svg -p "${tid[naps]}"
	beside lines offcputime -f -p "${tid[naps]}"
	order naps naps
	done_with naps 1
	stop_all
	grep -q '>nap_long\>' naps.svg || fail "no nap_long in $(<naps.svg)"
	grep -qE '^naps;.*main;do_line;nap_long;.*nanosleep.* [0-9]{6}$' "$work/lines.out" || fail "$(<"$work/lines.out")"
	grep -qE '^nap-a;.*;\[since before\] [0-9]+$' "$work/lines.out" || fail "$(<"$work/lines.out")"
}

# The first wait of a process is before it has run; what ends does not go on.
test_short_process() {
	local from to child all
	start offcputime -K --json
	from=$(microseconds)
	bash -c 'while read -r name value _; do [[ $name != *_switches: ]] || echo $value; done </proc/self/status' >switches &
	child=$!
	wait $child
	to=$(microseconds)
	read -rt 0.2 -u "$never" || :
	stop
	expect_status 0
	rows ".tid == $child" "$out" >of_child
	expect_rows <(count_of '.kernel == ["[new]"]' of_child) <<<1
	all=$(awk '{ all += $1 } END { print all }' switches)
	[ "$(count_of true of_child)" -gt "$all" ] || fail "more than $all: $(<of_child)"
	[ "$(total_of true of_child)" -le $(((to - from) * 1000)) ] || fail "$(<of_child)"
}

# Where stacks of programs are all that is asked for, a word stands for them, once.
test_words_without_the_kernel() {
	need_programs
	begin one
	beside rows offcputime -U --json -L "${tid[one]}"
	beside text offcputime -U -L "${tid[one]}"
	beside lines offcputime -U -f -L "${tid[one]}"
	nap
	stop_all
	expect_rows <(rows true "$work/rows.out" '[.comm, .kernel, .user]') <<<'["waits",null,["[since before]"]]'
	expect_rows <(grep '^    ' "$work/text.out" | head -n 2) <<-END
	    [since before]
	    -                waits (${tid[one]})
	END
	expect_rows <(sed 's/ [0-9]*$//' "$work/lines.out") <<<'waits;[since before]'
}

# Threads of the kernel have its stacks alone, from their begin to where they wait.
test_threads_of_the_kernel() {
	kinds_of_stacks
	start offcputime "${kinds[@]}" --json --asleep
	mkdir "$tracefs/instances/one"	# which waits for some of them
	rmdir "$tracefs/instances/one"
	stop
	expect_status 0
	rows '.kernel | index("kthread")' "$out" >threads
	[ -s threads ] || fail "$(<"$out")"
	expect_rows <(rows true threads '[.user, (.kernel[-1] | startswith("ret_from_fork"))]' | sort -u) <<<'[null,true]'
	expect_rows <(rows '.tid == 2' "$out" '[.comm, .kernel[0]]' | grep before) <<<'["kthreadd","[since before]"]'
	[ -n "$(rows "$since_before | not" threads)" ] || fail "none has run"
}

# What is asked for by name and process is the same as of all threads.
test_sums_beside_each_other() {
	begin_naps
	beside threads offcputime -K --json -p "${tid[naps]}"
	beside names offcputime -K --json --by=name -p "${tid[naps]}"
	beside processes offcputime -K --json --by=process -p "${tid[naps]}"
	order naps chain 3
	done_with naps 1
	stop_all
	same_rows '[.comm, .count, .kernel]' "$work/names.out" "$work/threads.out"
	expect_rows <(count_of true "$work/processes.out") <<<"$(count_of true "$work/threads.out")"
	# nap-b is woken once in each round, and sleeps from then on
	[ "$(count_of '.comm == "nap-b"' "$work/names.out")" -ge 3 ] || fail "$(<"$work/names.out")"
}

# Each of many threads sleeps once to open the file.
once_many_threads() {
	mkfifo fifo
	start offcputime -K --json --by=name
	(ulimit -s 128 -n 20000; sleepers 10000 fifo)
	stop
	expect_status 0
	expect_empty "$err"
	expect_rows <(count_of '.comm == "sleepers" and (.kernel | any(test("fifo_open")) and any(test("mutex")) == false)' "$out") <<<10000
}

once_text() {
	begin one
	start offcputime -K -L "${tid[one]}"
	order one sleep 2 10
	done_with one 1
	stop
	expect_status 0
	expect_rows <(head -n 1 "$out") <<<"Tracing off-CPU time for TID ${tid[one]} by stack. Ctrl-C to end."
	grep -qE '^    [a-z_]*nanosleep$' "$out" || fail "$(<"$out")"
	grep -qE "^    -                waits \(${tid[one]}\)$" "$out" || fail "$(<"$out")"
	grep -qE '^        [0-9]{5,}$' "$out" || fail "$(<"$out")"
}

test_killed() {
	begin one
	start offcputime -K
	order one sleep 2 1
	done_with one 1
	stop KILL
	until_true 60 is_clean || fail "$state"
}

host_bad_options() {
	expect_exit 2 offcputime -K -U
	expect_error 2 "offcputime: -f is for text: not with --json (try offcputime -h)" offcputime -f --json
	expect_error 2 "offcputime: -f is for text: not with --csv (try offcputime -h)" offcputime -f --csv
	expect_error 2 "offcputime: --flamegraph is not for -w, which shows nothing: draw it with -r (try offcputime -h)" offcputime -K -w x --flamegraph=x.svg
	expect_exit 2 offcputime --by=cpu
	expect_exit 2 offcputime -m 1x
	expect_exit 2 offcputime 0
}
