# shellcheck shell=bash disable=SC2016,SC2154 # what is quoted is jq's
# SPDX-License-Identifier: GPL-2.0-or-later
# hardirqs in a guest: as many interrupts as the kernel counts, and times that are known

# shellcheck disable=SC1091
. "$here/work/irqs.bash"

first_check() {
	expect_exit 0 hardirqs --check
}

# Any processor that computes has ticks.
first_row() {
	timer
	start hardirqs --json -i "$timer"
	burn 500
	stop
	expect_status 0
	[ "$(sum_of count ".name == \"$timer\"" "$out")" -ge 3 ] || fail "$(<"$out")"
}

# numbers FILE: "ROW COUNT" of what the kernel has counted, as hardirqs calls it
numbers() {
	awk '$1 ~ /^[A-Za-z0-9]+:$/ {
		n = 0
		for (i = 2; $i ~ /^[0-9]+$/ && i < 2 + cpus; i++) n += $i
		row = substr($1, 1, length($1) - 1)
		if (row ~ /^IPI/) for (row = $i; ++i <= NF;) row = row " " $i
		print row "\t" n
	}
	NR == 1 { cpus = NF }' "$1"
}

# rows FILE: the same of what hardirqs has counted, of /proc/interrupts' names on x86
rows() {
	jq -r '[.irq // ({ local_timer: "LOC", reschedule: "RES", call_function: "CAL", call_function_single: "CAL",
		irq_work: "IWI", thermal_apic: "TRM", threshold_apic: "THR", deferred_error_apic: "DFR" }[.name] // .name),
		.count] | @tsv' "$1" | awk -F '\t' '{ n[$1] += $2 } END { for (i in n) print i "\t" n[i] }'
}

# What came between two looks at /proc/interrupts before and behind the start, and two at
# the end: no row has more than the wide pair, nor less than the narrow one.
test_as_many_as_the_kernel_counts() {
	cat /proc/interrupts >wide.0
	start hardirqs --json
	cat /proc/interrupts >narrow.0
	burn 1000
	echo "test of hardirqs" >"$serial"
	cat /proc/interrupts >narrow.1
	stop
	cat /proc/interrupts >wide.1
	expect_status 0
	expect_empty "$err"
	rows "$out" >rows
	for at in wide.0 wide.1 narrow.0 narrow.1; do numbers $at >$at.n; done
	# rows of the kernel that have no tracepoint are none of hardirqs, and stand still
	expect_rows <(awk -F '\t' '
		FILENAME == "rows" { have[$1] = $2; next }
		{ n[FILENAME, $1] = $2; names[$1] }
		END {
			for (i in names) {
				least = n["narrow.1.n", i] - n["narrow.0.n", i]
				most = n["wide.1.n", i] - n["wide.0.n", i]
				if (i ~ /^(NMI|PMI|TLB|RTR|MCE|MCP|ERR|Err|MIS|PIN|NPI|PIW|HYP|SPU|PMN)$/) continue
				if (have[i] < least || have[i] > most)
					print i, have[i] + 0, "not in", least, most
				seen += have[i] > 0
				delete have[i]
			}
			for (i in have) print i, "is none of the kernel"
			print (seen > 1)
		}' rows narrow.0.n narrow.1.n wide.0.n wide.1.n) <<<1
}

# Each of a thread's ticks was made to take 3 ms: so many there are, and so long.
test_known_times() {
	timer
	spinner hard 3000 20 "$at_timer" 0
	beside table hardirqs --json -L "$spins"
	beside dist hardirqs -d --json -L "$spins"
	beside spread hardirqs --percentiles --json -L "$spins" -i "$timer"
	beside per hardirqs -P --json -L "$spins" -i "$timer"
	beside text hardirqs -dN -L "$spins"
	beside heat hardirqs --heatmap=heat.svg -L "$spins"
	beside write hardirqs -w c.dat -L "$spins"
	spun
	stop_all
	run hardirqs -r c.dat --json
	expect_status 0
	[ "$count" -ge 20 ] || fail "$count"
	# from 2.048 ms on no others are: the processor may have stood still for a while
	expect_rows <(
		jq -s "map(.total) | add >= 0.003 * $count" "$work/table.out"
		jq -s "map(select(.from >= 0.002)) | map(.count) | add >= $count" "$work/dist.out"
		jq ".name == \"$timer\" and .max >= 0.003" "$work/spread.out"
		jq -c "select(.name == \"$timer\") | [.cpu, .max >= 0.003 and .average <= .max]" "$work/per.out"
		awk -v n="$count" '$1 >= 1048576 && $2 == "->" { s += $5 } END { print s >= n ? "true" : s }' "$work/text.out"
		jq -s "map(.total) | add >= 0.003 * $count" "$out"
		head -c 100 heat.svg | grep -o '<svg'
	) <<-'END'
	true
	true
	true
	[0,true]
	true
	true
	<svg
	END
}

written() {
	echo "test of hardirqs" >"$serial"
	[ "$(counted /proc/interrupts "$line")" -ge $((before + 3)) ]
}

# By number and by name it is the same; of others nothing is shown.
test_only_some() {
	local line name before
	start hardirqs --json
	for _ in {1..20}; do echo "test of hardirqs" >"$serial"; done
	stop
	read -r line name < <(jq -r 'select(.name | test("serial|tty|pl011")) | "\(.irq) \(.name)"' "$out") || skip "no interrupt of it"
	beside number hardirqs --json -i "nothing,$line"
	beside name hardirqs --json -i "${name:0:4}*"
	before=$(counted /proc/interrupts "$line")
	until_true 60 written || fail "no interrupt of it"
	stop_all
	expect_rows <(jq -r .name "$work/number.out" "$work/name.out") <<-END
	$name
	$name
	END
}

test_lost_records() {
	start hardirqs --json --buffer=8K
	loses burn 5000
	expect_short max
}

# Of one processor, and of one thread's time, there are only some.
test_some_processors_and_threads() {
	timer
	spinner hard 3000 20 "$at_timer" 0
	beside one hardirqs -P --json --cpu=0 -i "$timer"
	beside other hardirqs --json --cpu=1 -i "$timer" -L "$spins"
	beside process hardirqs --json -p "$spins"
	beside name hardirqs --json -n '^spin$'
	spun
	stop_all
	expect_empty "$work/other.out"
	expect_rows <(
		jq .cpu "$work/one.out"
		jq -s "(map(.count) | add >= $count) and (map(.total) | add >= 0.003 * $count)" "$work/process.out"
		diff <(jq -c '[.name, .count]' "$work/process.out" | sort) <(jq -c '[.name, .count]' "$work/name.out" | sort)
	) <<-'END'
	0
	true
	END
}

test_killed() {
	start hardirqs
	stop KILL
	until_true 60 is_clean || fail "$state"
}

host_bad_options() {
	expect_error 2 "hardirqs: -d has a form of its own: not with --percentiles or --heatmap (try hardirqs -h)" hardirqs -d --percentiles
	expect_error 2 "hardirqs: -N is for histograms: only with -d (try hardirqs -h)" hardirqs -N
	expect_error 2 "hardirqs: -P is for the table: not with -d, --percentiles or --heatmap (try hardirqs -h)" hardirqs -P -d
	expect_exit 2 hardirqs 1 0
	expect_exit 2 hardirqs -i ''
}
