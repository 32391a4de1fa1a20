# shellcheck shell=bash disable=SC2016,SC2154 # what is quoted is jq's
# SPDX-License-Identifier: GPL-2.0-or-later
# softirqs in a guest: as many as the kernel counts, and times that are known

# shellcheck disable=SC1091
. "$here/work/irqs.bash"

first_check() {
	expect_exit 0 softirqs --check
	expect_exit 0 softirqs --check -D
}

# Each datagram on the loopback device is handled in a softirq.
first_row() {
	ip link set lo up
	start softirqs --json -i NET_RX
	udp 127.0.0.1 9 5
	stop
	expect_status 0
	[ "$(sum_of count true "$out")" -ge 1 ] || fail "$(<"$out")"
}

# Nothing else in a guest receives, so all NET_RX are of these 20, one at a time; each is
# to take 4 ms.
test_known_times() {
	local before
	ip link set lo up
	spinner soft 4000 20
	before=$(counted /proc/softirqs NET_RX)
	beside table softirqs --json -i NET_RX
	beside dist softirqs -d --json -i 'NET_*'
	beside spread softirqs --percentiles --json -i 3
	beside delay softirqs -D --json -i NET_RX
	beside write softirqs -w c.dat
	spun
	stop_all
	[ "$count" = 20 ] || fail "$count"
	run softirqs -r c.dat --json -i NET_RX
	expect_status 0
	expect_rows <(
		echo $(($(counted /proc/softirqs NET_RX) - before))
		jq -c '[.vec, .name, .count, .max >= .average]' "$work/table.out"
		sum_of count '.name == "NET_RX"' "$work/dist.out"
		jq -c '[.name, .count]' "$work/spread.out"
		jq .count "$work/delay.out"
		jq -c '[.name, .count]' "$out"
	) <<-'END'
	20
	[3,"NET_RX",20,true]
	20
	["NET_RX",20]
	20
	["NET_RX",20]
	END
}

# What interrupts a softirq is not its time: here ticks do.
test_without_interrupts_in_it() {
	ip link set lo up
	spinner soft 8000 20 0
	beside soft softirqs --json -i NET_RX
	beside slow irqslower --json -k soft -i NET_RX 0
	spun
	stop_all
	expect_rows <(
		jq .count "$work/soft.out"
		jq -s 'map(.latency >= .own and .latency >= 0.008) | all' "$work/slow.out"
		# ticks came in some of them, and are all that is not its own
		jq -s 'map(.latency > .own) | any' "$work/slow.out"
		jq -s 'map((.ran | del(.NET_RX) | add // 0) - (.latency - .own) | fabs < 0.00001) | all' "$work/slow.out"
	) <<-'END'
	20
	true
	true
	true
	END
}

# Between looks at /proc/softirqs before and behind the start, and two at the end.
test_as_many_as_the_kernel_counts() {
	local at
	cat /proc/softirqs >wide.0
	beside run softirqs --json
	beside delay softirqs -D --json
	cat /proc/softirqs >narrow.0
	burn 1000
	udp 127.0.0.1 9 50 || :
	cat /proc/softirqs >narrow.1
	stop_all
	cat /proc/softirqs >wide.1
	for at in run delay; do
		expect_rows <(
			while read -r name _; do
				n=$(sum_of count ".name == \"${name%:}\"" "$work/$at.out")
				least=$(($(counted narrow.1 "${name%:}") - $(counted narrow.0 "${name%:}")))
				most=$(($(counted wide.1 "${name%:}") - $(counted wide.0 "${name%:}")))
				# on each processor one may have been raised before the start
				[ $at = run ] || least=$((least - $(nproc)))
				{ [ "$n" -ge $least ] && [ "$n" -le $most ]; } || echo "$name $n not in $least $most"
			done < <(tail -n +2 wide.0)
		) </dev/null
	done
	[ "$(sum_of count true "$work/run.out")" -gt 100 ] || fail "$(<"$work/run.out")"
}

test_lost_records() {
	ip link set lo up
	start softirqs -D --json --buffer=8K
	loses udp 127.0.0.1 9 3000
	expect_short max
}

test_killed() {
	start softirqs -D
	stop KILL
	until_true 60 is_clean || fail "$state"
}

test_no_such_softirq() {
	expect_error 1 "softirqs: no softirq is called NETRX: the first column of /proc/softirqs has all" softirqs -i 'NET_*,NETRX'
	expect_exit 0 irqslower -d 0.1 -i NETRX
}

# In metrics they are the same 20, once added up and once as a histogram.
test_metrics() {
	ip link set lo up
	spinner soft 2000 20
	beside sums softirqs --metrics=- -i NET_RX
	beside dist softirqs -d --metrics=- -i NET_RX
	spun
	stop_all
	expect_rows <(
		awk '/^tracelets_softirqs_softirqs_total\{.*name="NET_RX"/ { print $NF }' "$work/sums.out"
		awk '/^tracelets_softirqs_softirq_seconds_total\{.*name="NET_RX"/ { print $NF >= 0.03 }' "$work/sums.out"
		awk '/^tracelets_softirqs_time_seconds_count\{.*name="NET_RX"/ { print $NF }' "$work/dist.out"
	) <<-'END'
	20
	1
	20
	END
}

host_bad_options() {
	expect_error 2 "softirqs: -i: NET_RX, is no list of names and numbers, with commas between (try softirqs -h)" softirqs -i NET_RX,
	expect_error 2 "softirqs: -D is of processors, whatever runs there: not with -p, -L, -n or --cgroup (try softirqs -h)" softirqs -D -p 1
	expect_error 2 "softirqs: -P is for the table: not with -d, --percentiles or --heatmap (try softirqs -h)" softirqs -P --percentiles
}
