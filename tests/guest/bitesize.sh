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

test_default_buckets() {
	fresh
	scsi delay=0
	start bitesize
	sizes
	stop
	expect_status 0
	expect_empty "$err"
	expect_rows "$out" <<-END
	Tracing block I/O size (Kbytes), until Ctrl-C...

	            Kbytes         : I/O      Distribution
	              -> 0.9       : 1        |##                                    |
	          1.0 -> 7.9       : 5        |##############                        |
	          8.0 -> 63.9      : 9        |##########################            |
	         64.0 -> 127.9     : 13       |######################################|
	        128.0 ->           : 8        |#######################               |
	END
}

# counts: of each row
counts() { sed -n 's/.*-> .*: \([0-9]*\) .*/\1/p' "$out" | xargs; }

test_buckets() {
	fresh
	scsi delay=0
	start bitesize -b 8
	sizes
	stop
	expect_rows <(counts) <<-END
	6 30
	END
	start bitesize -b '1 2,4 8'
	sizes
	stop
	expect_rows <(counts) <<-END
	1 2 0 3 30
	END
}

test_log2() {
	fresh
	scsi delay=0
	start bitesize --log2
	sizes
	stop
	expect_rows <(counts) <<-END
	1 2 0 3 4 0 5 13 8
	END
}

test_seconds() {
	fresh
	null nullb0
	start bitesize 1.5
	io read /dev/nullb0 0 4096 7
	finish
	expect_status 0
	expect_rows <(head -n 1 "$out"; counts) <<-END
	Tracing block I/O size (Kbytes), for 1.5 seconds...
	0 7 0 0 0
	END
}

test_nothing() {
	start bitesize
	stop
	expect_rows <(counts) <<-END
	0 0 0 0 0
	END
}

# groups: "NAME COUNT..." of each group
groups() {
	awk '/^(disk|name|type): / { printf "%s%s", nl, $2; nl = "\n" }
		/->/ { sub(/.*: /, ""); printf " %s", $1 } END { print "" }' "$out"
}

test_by() {
	fresh
	null nullb0
	null nullb1
	cp "$TL_WORK/io" other
	start bitesize --by=disk -b 4
	io read /dev/nullb0 0 512 2
	io read /dev/nullb1 0 4096 3
	stop
	expect_rows <(groups) <<-END
	nullb0 2 0
	nullb1 0 3
	END
	start bitesize --by=name -b 4
	io read /dev/nullb0 0 512 2
	./other read /dev/nullb1 0 4096 3
	stop
	expect_rows <(groups) <<-END
	io 2 0
	other 0 3
	END
	start bitesize --by=type -b 4
	io read /dev/nullb0 0 512 2
	io write /dev/nullb1 0 4096 3
	stop
	expect_rows <(groups | sed 's/^RS /R /') <<-END
	R 2 0
	WS 0 3
	END
}

test_device_and_type() {
	fresh
	null nullb0
	null nullb1
	start bitesize --device nullb1 --type 'R*'
	io read /dev/nullb0 0 4096 2
	io read /dev/nullb1 0 4096 3
	io write /dev/nullb1 0 4096 4
	stop
	expect_rows <(counts) <<-END
	0 3 0 0 0
	END
}

test_json() {
	fresh
	null nullb0
	start bitesize --json -b '1 8' --by=disk
	io read /dev/nullb0 0 4096 3
	stop
	expect_rows <(sed 's/"comm":null,"type":null,//' "$out") <<-END
	{"disk":"nullb0","from":null,"to":1024,"count":0}
	{"disk":"nullb0","from":1024,"to":8192,"count":3}
	{"disk":"nullb0","from":8192,"to":null,"count":0}
	END
}

test_requeued_once() {
	fresh
	scsi delay=1 opts=0x8000 every_nth=3
	start bitesize
	io read /dev/sda 0 4096 20
	stop
	expect_rows <(counts) <<-END
	0 20 0 0 0
	END
}

# A busy host refuses what was not issued yet, which is requeued all the same.
# What waits there and is adjacent would be merged, so nothing is.
test_refused_before_issue() {
	fresh
	scsi delay=1 opts=0x8000 every_nth=2 max_queue=2
	start bitesize
	io -t 8 -s 8192 read /dev/sda 0 4096 50
	stop
	expect_rows <(counts) <<-END
	0 400 0 0 0
	END
}

test_complete_under_load() {
	fresh
	null nullb0 irqmode=0
	start bitesize
	io -t 4 -s 0 read /dev/nullb0 0 4096 5000
	stop
	expect_empty "$err"
	expect_rows <(counts) <<-END
	0 20000 0 0 0
	END
}

test_bad_arguments() {
	expect_error 2 'bitesize: -b: "8 1": the numbers must increase (try bitesize -h)' bitesize -b '8 1'
	expect_error 2 'bitesize: -b: "8 8": the numbers must increase (try bitesize -h)' bitesize -b '8 8'
	expect_error 2 'bitesize: -b: "1 x" is not a list of numbers like "1 8 64" (try bitesize -h)' bitesize -b '1 x'
	expect_error 2 'bitesize: -b: " " is not a list of numbers like "1 8 64" (try bitesize -h)' bitesize -b ' '
	expect_error 2 'bitesize: use at most one of -b, --log2 (try bitesize -h)' bitesize -b 1 --log2
	expect_error 2 'bitesize: seconds: "0" is not a number of seconds above 0 (try bitesize -h)' bitesize 0
}
