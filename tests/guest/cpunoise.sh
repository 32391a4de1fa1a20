# shellcheck shell=bash disable=SC2016,SC2154 # what is quoted is jq's
# SPDX-License-Identifier: GPL-2.0-or-later
# cpunoise in a guest: interrupts, threads and a host that take known times

# shellcheck disable=SC1091
. "$here/work/irqs.bash"
# shellcheck disable=SC1091
. "$here/work/waits.bash"

first_check() {
	expect_exit 0 cpunoise --check
}

# All of the time of all processors is known from the first moment on, whatever they do.
first_row() {
	run cpunoise --json 0.5 2
	expect_status 0
	expect_rows <(jq -c '[.cpu, (.runtime - 0.5 | fabs) < 0.000002, .noise <= .runtime, (.who | add) <= .noise + 0.000002]' "$out" | sort -s) < <(
		for ((i = 0; i < $(nproc); i++)); do printf '[%d,true,true,true]\n' $i $i; done
	)
}

# Each of a thread's ticks was made to take 3 ms: that is so on its processor, and for it.
test_interrupts() {
	timer
	spinner hard 3000 20 "$at_timer" 0
	beside cpu cpunoise --json --cpu=0
	beside thread cpunoise --json -L "$spins"
	beside write cpunoise -w c.dat -L "$spins"
	spun
	stop_all
	run cpunoise -r c.dat --json
	expect_status 0
	expect_rows <(
		for f in "$work/cpu.out" "$work/thread.out" "$out"; do
			jq -c "[.cpu // .comm, .irq >= $count, .irq_time >= 0.003 * $count, .max_single >= 0.003, .who[\"$timer\"] >= 0.003 * $count,
				.noise <= .runtime]" "$f"
		done
		jq -c ".who[\"$timer\"] <= .irq_time + 0.000002" "$work/cpu.out"
		# of the thread's row nothing but that
		jq '.irq < 200' "$work/thread.out"
	) <<-'END'
	[0,true,true,true,true,true]
	["spin",true,true,true,true,true]
	["spin",true,true,true,true,true]
	true
	true
	END
}

# A softirq takes 10 ms, 20 times.
test_softirqs() {
	spinner soft 10000 20 0
	beside cpu cpunoise --json --cpu=0
	spun
	stop_all
	expect_rows <(jq -c '[.softirq >= 20, .softirq_time >= 0.2, .who.NET_RX >= 0.19, .max_single >= 0.01, .max_noise >= 0.01]' "$work/cpu.out") <<-'END'
	[true,true,true,true,true]
	END
}

# Two on one processor take it from each other: as long as a burn of 300 ms took longer.
test_threads() {
	local name
	declare -A t=()
	begin one 0
	begin two 0
	start cpunoise --json -L "${tid[one]},${tid[two]}"
	for name in one two; do order $name burn 300; done
	for name in one two; do done_with $name 1; t+=([$name]=$took); done
	stop
	expect_status 0
	expect_empty "$err"
	for name in one two; do
		jq -c "select(.tid == ${tid[$name]})" "$out" >"$name.rows"
		near "$(jq '.runtime * 1e9 | round' $name.rows)" "${t[$name]}" 5 "runtime of $name"
		between "$(jq '.thread_time * 1e9 | round' $name.rows)" $(((${t[$name]} - 300000000) * 9 / 10)) $((${t[$name]} - 300000000 + 20000000)) "what is taken from $name"
	done
	expect_rows <(
		jq -c "[.thread >= 2, .who[\"$(<"/proc/${tid[two]}/comm")-${tid[two]}\"] > 0.8 * .thread_time]" one.rows
		jq -c "[.thread >= 2, .who[\"$(<"/proc/${tid[one]}/comm")-${tid[one]}\"] > 0.8 * .thread_time]" two.rows
	) <<-'END'
	[true,true]
	[true,true]
	END
}

# Sysrq has all other processors show where they are, by an interrupt that cannot be masked.
test_nmi() {
	[ -e "$tracefs/events/nmi/nmi_handler" ] || skip "this kernel has no NMIs"
	[ "$(nproc)" -gt 1 ] || skip "one processor"
	start cpunoise --json
	for _ in 1 2 3; do echo l >/proc/sysrq-trigger; done
	stop
	expect_status 0
	expect_rows <(jq -s -c '[(map(.nmi) | add) >= 3 * (length - 1), (map(.nmi_time) | add) > 0, (map(.nmi_time > .noise) | any)]' "$out") <<-'END'
	[true,true,false]
	END
}

# The emulator runs one processor at a time: while all of them spin, each stands still for
# as long as the others run.  No record of the kernel has that.
test_host() {
	local cpus
	cpus=$(nproc)
	[ "$cpus" -gt 1 ] || skip "one processor"
	start cpunoise --spin --json 1
	wait_lines "$out" $((3 * cpus))
	stop
	expect_status 0
	# of the second interval, all of which has processes that spin, which are no threads of others
	expect_rows <(jq -s -c "sort_by(.time)[$cpus:$((2 * cpus))] |
		[(map(.hw > 0) | all), (map(.runtime - .noise) | add) < 1.2, (map(.who.HW > 0.5 * .hw_time) | all),
		 (map(.hw_time) | add) > 0.3,
		([.[].who | keys[] | select(startswith(\"cpunoise-\") and . != \"cpunoise-$pid\")] == [])]" "$out") <<-'END'
	[true,true,true,true,true]
	END
	run pgrep -x cpunoise
	expect_empty "$out"
}

test_capture() {
	start cpunoise --spin -w c.dat
	burn 300
	stop
	expect_status 0
	run cpunoise --spin -r c.dat --json
	expect_status 0
	expect_rows <(jq -c '[.cpu, .hw > 0, (.who | has("HW"))]' "$out") < <(
		for ((i = 0; i < $(nproc); i++)); do printf '[%d,true,true]\n' $i; done
	)
	run cpunoise -r c.dat --who=0 --json
	expect_rows <(jq -c .who "$out" | uniq) <<<'{}'
}

# Time of which records were lost is not known of, and is in no column.
test_lost_records() {
	start cpunoise --json --buffer=8K
	loses burn 5000
	stop
	expect_status 0
	grep -q 'events were lost' "$err" || fail "nothing lost: $(<"$err")"
	expect_rows <(jq -s 'map(select(has("lost") | not) | .runtime) | length > 0 and min < 4 and min > 0' "$out") <<<true
}

switch_on() { echo 1 >/sys/devices/system/cpu/cpu1/online; }

# Of processors that are not on line there is no row.
test_offline() {
	local file=/sys/devices/system/cpu/cpu1/online
	[ -w $file ] || skip "no processor can be switched off"
	at_end switch_on
	echo 0 >$file || skip "it cannot be switched off"
	run cpunoise --json 0.1 1
	expect_status 0
	expect_rows <(jq -sc 'map(.cpu) | [index(0) != null, index(1) != null]' "$out") <<<'[true,false]'
}

test_killed() {
	start cpunoise --spin
	stop KILL
	until_true 60 is_clean || fail "$state"
	until_true 60 none_spins || fail "$(pgrep -lx cpunoise)"
}
# Below a thread with a real-time priority they would not come to their end by themselves.
test_busy_processor() {
	chrt -f 1 taskset -c 0 bash -c 'while :; do :; done' &
	busy=$!
	at_end end_busy
	start cpunoise --spin 100
	stop
	expect_status 0
	is_clean || fail "$state"
	start cpunoise --spin --json 0.1
	stop KILL
	until_true 60 is_clean || fail "$state"
	until_true 60 none_spins || fail "$(pgrep -lx cpunoise)"
}
end_busy() { kill -KILL "$busy"; until_true 60 gone "$busy"; }

# Who closes the pipe ends the run, and what it had begun.
test_closed_pipe() {
	cpunoise --spin --json 0.2 2>said | head -n 1 >first || :
	has_lines first 1 || fail "$(<said)"
	until_true 60 is_clean || fail "$state"
	until_true 60 none_spins || fail "$(pgrep -lx cpunoise)"
}

none_spins() { ! pgrep -x cpunoise >/dev/null; }

host_bad_options() {
	expect_error 2 "cpunoise: --spin is of processors: not with -p, -L, -n or --cgroup (try cpunoise -h)" cpunoise --spin -p 1
	expect_exit 2 cpunoise --who=17
	expect_exit 2 cpunoise 1 2 3
}
