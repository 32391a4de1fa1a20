# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# bitesize in a guest: I/O of known sizes, at the edges of buckets

# shellcheck disable=SC1091
. "$here/work/devices.bash"

# sizes: one I/O of 512 bytes, two of 1 KiB, and so on. A SCSI disk, as the
# null device of 5.10 can't do more than 127.5 KiB at once.
sizes() {
	local size count=1
	for size in 512 1024 7680 8192 65024 65536 130560 131072; do
		io read /dev/sda 0 $size $count
		count=$((count + 1))
	done
}

# counts: of each row
counts() { sed -n 's/.*-> .*: \([0-9]*\) .*/\1/p' "$out" | xargs; }

# groups: "NAME COUNT..." of each group
groups() {
	awk '/^(disk|name|type): / { printf "%s%s", nl, $2; nl = "\n" }
		/->/ { sub(/.*: /, ""); printf " %s", $1 } END { print "" }' "$out"
}

# side_by_side OPTIONS...: a bitesize with each of these options, separated by "|",
# as buckets have blanks
side_by_side() {
	local options words
	pids=() outs=()
	for options; do
		IFS='|' read -ra words <<<"$options"
		start bitesize "${words[@]}"
		pids+=("$pid") outs+=("$out")
	done
}

first_check() {
	expect_exit 0 bitesize --check
}

first_row() {
	null nullb0
	at_end remove_devices
	start bitesize -b 4 --device=nullb0
	io read /dev/nullb0 0 4096 3
	stop
	expect_status 0
	expect_rows <(counts) <<<'0 3'
}

# One SCSI disk, which is slow to come, for all that needs it. Commands that the
# host puts back count once; those that it refuses, being busy, were not issued
# yet, but are requeued all the same. What waits there and is adjacent would be
# merged, so nothing is.
test_buckets_and_requeues() {
	fresh
	scsi delay=1 max_queue=2
	side_by_side '' '-b|8' '-b|1 2,4 8' --log2
	sizes
	stop_all
	out=${outs[0]}
	expect_empty "${out%.out}.err"
	expect_rows "$out" <<-END
	Tracing block I/O size (Kbytes), until Ctrl-C...

	            Kbytes         : I/O      Distribution
	              -> 0.9       : 1        |##                                    |
	          1.0 -> 7.9       : 5        |##############                        |
	          8.0 -> 63.9      : 9        |##########################            |
	         64.0 -> 127.9     : 13       |######################################|
	        128.0 ->           : 8        |#######################               |
	END
	out=${outs[1]}
	expect_rows <(counts) <<<'6 30'
	out=${outs[2]}
	expect_rows <(counts) <<<'1 2 0 3 30'
	out=${outs[3]}
	expect_rows <(counts) <<<'1 2 0 3 4 0 5 13 8'
	scsi_set opts=0x8000 every_nth=3
	start bitesize
	io read /dev/sda 0 4096 20
	stop
	expect_rows <(counts) <<<'0 20 0 0 0'
	scsi_set every_nth=2
	start bitesize
	io -t 8 -s 8192 read /dev/sda 0 4096 20
	stop
	expect_rows <(counts) <<<'0 160 0 0 0'
}

# Sizes alone come without the ends of I/O, but for older kernels, and 6.12 while
# somebody else has its only probe there.
once_without_ends() {
	local i ends=()
	has_fprobes || skip "no probes of tracepoints"
	fresh
	null nullb0
	at_end remove_other
	for i in 0 1; do
		start bitesize -b 4
		ends+=("$(<"$(echo "$tracefs"/instances/*bitesize*)/events/block/block_rq_complete/enable")")
		io read /dev/nullb0 0 4096 3
		stop
		expect_status 0
		expect_empty "$err"
		expect_rows <(counts) <<<'0 3'
		[ $i = 1 ] || echo 't:other/one block_rq_requeue' >>"$tracefs/dynamic_events"
		mkdir -p "$tracefs/instances/other"
		echo 1 >"$tracefs/instances/other/events/other/one/enable"
	done
	[ "${ends[*]}" = '0 1' ] || fail "ends of I/O: ${ends[*]}"
}
remove_other() {
	echo 0 >"$tracefs/instances/other/events/enable"
	rmdir "$tracefs/instances/other"
	echo '-:other/one' >>"$tracefs/dynamic_events"
	remove_devices
}

# A capture has all that it takes to show it in another way.
once_capture() {
	fresh
	null nullb0
	start bitesize -b 4 -w sizes.dat
	io read /dev/nullb0 0 4096 3
	stop
	expect_status 0
	run bitesize -b 4 --by=disk --type='R*' -r sizes.dat
	expect_status 0
	expect_rows <(groups) <<<'nullb0 0 3'
	run bitesize -b 4 -r sizes.dat
	expect_rows <(counts) <<<'0 3'
}

# Of writes a worker of the kernel can be who issues them.
test_groups_and_filters() {
	fresh
	null nullb0
	null nullb1
	cp "$TL_WORK/io" other
	side_by_side '--by=disk|-b|4' '--by=name|-b|4|--type|R*' '--by=type|-b|4' '--device|nullb1|--type|R*' '--device|nullb1' '--type|R*'
	io read /dev/nullb0 0 512 2
	./other write /dev/nullb1 0 4096 4
	./other read /dev/nullb1 0 4096 3
	stop_all
	out=${outs[0]}
	expect_rows <(groups) <<-END
	nullb0 2 0
	nullb1 0 7
	END
	out=${outs[1]}
	expect_rows <(groups) <<-END
	io 2 0
	other 0 3
	END
	out=${outs[2]}
	expect_rows <(groups | sed 's/^RS /R /') <<-END
	R 2 3
	WS 0 4
	END
	out=${outs[3]}
	expect_rows <(counts) <<<'0 3 0 0 0'
	out=${outs[4]}
	expect_rows <(counts) <<<'0 7 0 0 0'
	out=${outs[5]}
	expect_rows <(counts) <<<'2 3 0 0 0'
}

once_seconds_and_nothing() {
	fresh
	null nullb0
	null nullb1
	start bitesize --device nullb1 1
	finish
	expect_rows <(counts) <<<'0 0 0 0 0'
	start bitesize 1.5
	io read /dev/nullb0 0 4096 7
	finish
	expect_status 0
	expect_rows <(head -n 1 "$out"; counts) <<-END
	Tracing block I/O size (Kbytes), for 1.5 seconds...
	0 7 0 0 0
	END
}

test_complete_under_load() {
	fresh
	null nullb0 irqmode=0
	start bitesize
	io -t 4 -s 0 read /dev/nullb0 0 4096 1250
	stop
	expect_empty "$err"
	expect_rows <(counts) <<-END
	0 5000 0 0 0
	END
}

# ---- without a guest ----------------------------------------------------

host_bad_arguments() {
	expect_error 2 'bitesize: -b: "8 1": the numbers must increase (try bitesize -h)' bitesize -b '8 1'
	expect_error 2 'bitesize: -b: "8 8": the numbers must increase (try bitesize -h)' bitesize -b '8 8'
	expect_error 2 'bitesize: -b: "1 x" is not a list of numbers like "1 8 64" (try bitesize -h)' bitesize -b '1 x'
	expect_error 2 'bitesize: -b: " " is not a list of numbers like "1 8 64" (try bitesize -h)' bitesize -b ' '
	expect_error 2 'bitesize: use at most one of -b, --log2 (try bitesize -h)' bitesize -b 1 --log2
	expect_error 2 'bitesize: seconds: "0" is not a number of seconds above 0 (try bitesize -h)' bitesize 0
}

# The capture is of three reads of 512 bytes and four of 8 KiB.
host_json() {
	capture bitesize
	expect_exit 0 bitesize -r "$capture" --json -b '1 8'
	expect_rows "$out" <<-END
	{"disk":"nullb0","comm":null,"type":null,"from":null,"to":1024,"count":3}
	{"disk":"nullb0","comm":null,"type":null,"from":1024,"to":8192,"count":0}
	{"disk":"nullb0","comm":null,"type":null,"from":8192,"to":null,"count":4}
	END
}

# No request is smaller than 0: there is no bucket for that.
host_from_0_on() {
	capture bitesize
	expect_exit 0 bitesize -r "$capture" -b '0 4'
	expect_rows <(tail -n 3 "$out") <<-END
	            Kbytes         : I/O      Distribution
	          0.0 -> 3.9       : 3        |############################          |
	          4.0 ->           : 4        |######################################|
	END
	expect_exit 0 bitesize -r "$capture" --json -b 0,4
	expect_rows "$out" <<-END
	{"disk":"nullb0","comm":null,"type":null,"from":0,"to":4096,"count":3}
	{"disk":"nullb0","comm":null,"type":null,"from":4096,"to":null,"count":4}
	END
}

host_long_duration() {
	capture bitesize
	run bitesize -r "$capture" -d 1000000
	expect_rows <(head -n 1 "$out") <<<'Tracing block I/O size (Kbytes), for 1000000 seconds...'
}
