# shellcheck shell=bash disable=SC2016,SC2154 # what is quoted is jq's
# SPDX-License-Identifier: GPL-2.0-or-later
# irqslower in a guest: rows of times that are known, and what ran meanwhile

# shellcheck disable=SC1091
. "$here/work/irqs.bash"

first_check() {
	expect_exit 0 irqslower --check
}

first_row() {
	ip link set lo up
	start irqslower --json -i NET_RX 0
	udp 127.0.0.1 9 5
	stop
	expect_status 0
	[ "$(jq -r 'select(.kind == "soft" and .name == "NET_RX").cpu' "$out" | wc -l)" -ge 1 ] || fail "$(<"$out")"
}

# Of a kernel with threaded handlers, as one for real time: each byte of the serial line
# wakes the thread of its interrupt.
first_thread_of_an_interrupt() {
	local thread
	thread=$(ps -eo tid=,comm= | awk '$2 ~ /^irq\/[0-9]+-(tty|uart)/ { print $1; exit }')
	[ "$thread" ] || skip "no thread of the serial line's interrupt"
	start irqslower --json -k thread-wait -L "$thread" 0
	for _ in {1..20}; do echo "test of irqslower"; done >"$serial"
	wait_lines "$out" 1
	stop
	expect_status 0
	expect_rows <(jq -c "[.kind, .tid, .latency < 5, .ran != null]" "$out" | uniq) <<-END
	["thread-wait",$thread,true,true]
	END
}

# A row for each tick that was made slow, and none for others.
test_slow_handlers() {
	timer
	spinner hard 4000 20 "$at_timer" 0
	beside slow irqslower --json -k hard -L "$spins" 3000
	beside none irqslower --json -L "$spins" 60000000
	spun
	stop_all
	expect_empty "$work/none.out"
	expect_rows <(
		# the processor may stand still in one more
		jq -s "map(select(.latency >= 0.004)) | length >= $count and length <= $count + 2" "$work/slow.out"
		jq -c '[.kind, .cpu, .tid, .comm, .latency >= 0.003]' "$work/slow.out" | uniq
	) <<-END
	true
	["hard",0,$spins,"spin",true]
	END
}

# While a softirq takes 10 ms, ticks raise others, which have to wait for it.
test_what_waits_for_a_softirq() {
	ip link set lo up
	spinner soft 10000 20 0
	beside soft irqslower --json -k soft -i NET_RX 9000
	beside wait irqslower --json -k soft-wait 2000
	spun
	stop_all
	expect_rows <(
		jq -s length "$work/soft.out"
		jq -c '[.kind, .name, .irq, .latency >= 0.01]' "$work/soft.out" | uniq
		jq -s 'map(select(.ran.NET_RX >= 0.001)) | length > 0' "$work/wait.out"
		# what ran adds up to the time, but for what is below a microsecond
		jq -s 'map((.ran | length) >= 8 or ((.ran | add) - .latency | fabs) < 0.00001) | all' "$work/soft.out" "$work/wait.out"
		# and the softirq's own part is its own time
		jq -s 'map((.ran.NET_RX - .own | fabs) < 0.00001) | all' "$work/soft.out"
	) <<-'END'
	20
	["soft","NET_RX",3,true]
	true
	true
	true
	END
}

test_capture() {
	ip link set lo up
	beside live irqslower --json -k soft -i NET_RX 0
	beside write irqslower -w c.dat 0
	udp 127.0.0.1 9 5 || :
	stop_all
	run irqslower -r c.dat --json 0
	expect_status 0
	[ "$(wc -l <"$out")" -ge 10 ] || fail "$(<"$out")"
	run irqslower -r c.dat --json -k soft -i NET_RX 0
	expect_rows <(jq -c '[.kind, .name, .comm]' "$out") < <(jq -c '[.kind, .name, .comm]' "$work/live.out")
}

test_lost_records() {
	ip link set lo up
	start irqslower --json --buffer=8K 0
	loses udp 127.0.0.1 9 3000
	expect_short latency
}

test_killed() {
	start irqslower
	stop KILL
	until_true 60 is_clean || fail "$state"
}

host_bad_options() {
	expect_exit 2 irqslower -k nothing
	expect_exit 2 irqslower x
	expect_exit 2 irqslower 1 2
}
