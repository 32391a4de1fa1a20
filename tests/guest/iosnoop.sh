# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# iosnoop in a guest: each I/O of known workloads on devices of known latency.
# A guest is slow and shares its processors: only lower bounds are exact.
#
# Where one workload is to be seen by iosnoop in several ways, several run side
# by side: each has tracing of its own.

# shellcheck disable=SC1091
. "$here/work/devices.bash"

# side_by_side OPTIONS...: an iosnoop with each of these words
side_by_side() {
	local options
	pids=() outs=()
	for options; do
		# shellcheck disable=SC2086 # words
		start iosnoop $options
		pids+=("$pid") outs+=("$out")
	done
}

first_check() {
	expect_exit 0 iosnoop --check
}

first_row() {
	null nullb0
	at_end remove_devices
	start iosnoop
	io read /dev/nullb0 4096 4096
	stop
	expect_status 0
	expect_rows <(known | grep " $nullb0 ") <<<"io R $nullb0 8 4096"
}

test_reads_and_writes() {
	local first before first_out
	fresh
	null nullb0 ms=5
	start iosnoop
	first=$pid first_out=$out
	start iosnoop -s -t 3
	read -r before _ </proc/uptime
	io read /dev/nullb0 0 4096 3 &
	wait $!
	io write /dev/nullb0 1048576 512 2
	kill -INT "$first"
	finish "$first"
	expect_status 0
	expect_empty "${first_out%.out}.err"
	expect_match "$first_out" <<-END
	Tracing block I/O. Ctrl-C to end.
	COMM         PID    TYPE DEV      BLOCK        BYTES     LATms
	io           $!*R*   $nullb0 * 0            4096   *
	io           $!*R*   $nullb0 * 8            4096   *
	io           $!*R*   $nullb0 * 16           4096   *
	* WS   $nullb0 * 2048         512    *
	* WS   $nullb0 * 2049         512    *

	Ending tracing...
	END
	out=$first_out rows >rows
	expect_latency 5 1000
	finish
	expect_status 0
	expect_match "$out" <<-END
	Tracing block I/O for 3 seconds (buffered)...
	STARTs          ENDs            COMM         PID    TYPE DEV      BLOCK        BYTES     LATms
	[0-9]* io * R* $nullb0 * 0 * 4096 *
	[0-9]* io * R* $nullb0 * 8 * 4096 *
	[0-9]* io * R* $nullb0 * 16 * 4096 *
	[0-9]* WS * $nullb0 * 2048 * 512 *
	[0-9]* WS * $nullb0 * 2049 * 512 *

	Ending tracing...
	END
	rows | awk -v before="$before" -v last=0 '
		NF != 9 || $1 < before || $1 < last { print "bad:", $0 }
		{ last = $2; off = ($2 - $1) * 1000 - $9 }
		off > 0.006 || off < -0.006 { print "off:", $0 }' >odd
	expect_empty odd
}

# The driver sees a flush as a request of its own (FF), which a worker of the
# kernel issues; what was queued is an empty write that asks for one (FWS). A write
# with unit access forced (WFS) has the flag itself, and then the call flushes.
test_flushes_and_discards() {
	local flush
	fresh
	null nullb0 memory_backed=1 cache_size=1 discard=1 ms=5
	null nullb1 memory_backed=1 zoned=1 zone_size=4 scheduler=
	side_by_side '' -Q --bio
	io read /dev/nullb0 0 4096 2
	io -t 8 -s 0 read /dev/nullb0 8192 4096
	io fsync /dev/nullb0 0 0 3
	io dsync /dev/nullb0 4096 4096 2
	io discard /dev/nullb0 1048576 2097152 2
	io reset /dev/nullb1 4194304 4194304 2
	stop_all
	flush=FF
	for out in "${outs[@]}"; do
		issued | awk '$2 == "WFS" { later = 1 } !later || $2 !~ /^F/' | uniq -c | awk '{ $1 = $1; print }' >seen
		expect_match seen <<-END
		1 io R $nullb0 0 4096
		1 io R $nullb0 8 4096
		8 io R $nullb0 16 4096
		3 io $flush $nullb0 - 0
		1 io WFS $nullb0 8 4096
		1 io WFS $nullb0 16 4096
		1 io DS $nullb0 2048 2097152
		1 io DS $nullb0 6144 2097152
		1 io [NZ]*S $nullb1 8192 0
		1 io [NZ]*S $nullb1 16384 0
		END
		rows | awk -v dev="$nullb0" '$4 == dev && $3 ~ /^R/' >rows
		expect_latency 4 1000
		flush=FWS
	done
}

# What a journal is committed with: flush, write, with unit access forced.
test_journal() {
	local type name
	need mkfs.ext4
	fresh
	load ext4
	null nullb0 memory_backed=1 cache_size=4
	mkfs.ext4 -q -b 4096 -E lazy_itable_init=0 /dev/nullb0
	mkdir -p /mnt/dev
	mount -o lazytime /dev/nullb0 /mnt/dev
	sync
	side_by_side '' -Q
	for name in a b c; do
		truncate -s 4096 /mnt/dev/$name
		sync /mnt/dev/$name
	done
	stop_all
	umount /mnt/dev
	type=WFS	# and M from some kernel on
	for out in "${outs[@]}"; do
		expect_rows <(known | cut -d ' ' -f 2,3,5 | sed 's/M / /' | grep "^$type ") <<-END
		$type $nullb0 4096
		$type $nullb0 4096
		$type $nullb0 4096
		END
		type=FWFS
	done
}

# One disk, which is slow to come, for all that a SCSI disk does: commands that
# are not block I/O; sectors that can't be read, 0x1234 (4660) and nine behind
# it; each third command put back once by the host; and its end while it is busy.
test_scsi() {
	local of_sda reader block i inquiries
	fresh
	scsi delay=1
	null nullb0 ms=5
	side_by_side --json '--json -Q'
	io inquiry /dev/sda 0 96
	io inquiry /dev/sda 0 4096 2
	io inquiry /dev/sda 0 96
	scsi_set opts=2
	io read /dev/sda 2383872 4096 3 >told &
	reader=$!
	wait $reader
	scsi_set opts=0x8000 every_nth=3
	io read /dev/sda 0 4096 20
	scsi_set opts=0 every_nth=0 delay=50
	io -t 4 -s 0 read /dev/sda 4194304 4096 3 >/dev/null &
	of_sda=$!
	until_true 60 grep -q '[1-9]' /sys/block/sda/inflight
	echo 1 >/sys/block/sda/device/delete
	io read /dev/nullb0 65536 4096 3
	wait $of_sda
	stop_all
	expect_rows told <<-END
	ENODATA
	ENODATA
	END
	# such commands are not queued on every kernel: -Q need not see them
	inquiries=("$(printf 'inquiry io 0 %s true\n' 96 4096 4096 96)"$'\n')
	for i in 0 1; do
		jq -sr --arg sda "$sda" --argjson queued $i --argjson reader $reader '
			def inquiry: .type == "N" and .bytes > 0;
			def its_end: .type == "N" and .bytes == 0;	# its cache is synchronized
			def slow: .block >= 8192;
			def bad: .block >= 4656 and (slow | not);
			(.[] | select(.disk == "nullb0") | "nullb0 \(.type[:1]) \(.block) \(.bytes) \(.comm)"),
			(map(select(.dev == $sda and (slow or its_end | not))) |
				(.[] | select(inquiry and $queued == 0) | "inquiry \(.comm) \(.block) \(.bytes) \(.latency < 1)"),
				(.[] | select(bad) | (.end - .start - .latency | fabs < 0.000002) as $same |
					"\(.comm | sub("^kworker.*"; "io")) \($queued == 0 or .pid == $reader) \(.tid != .pid) \(.start > 1) " +
					"\(.type[:1]) \(.disk) \(.block) \(.bytes) \(.latency < 1) \($same) \(.error) \(.requeues)"),
				(map(select(inquiry or bad | not)) | (.[] |
					"\(if $queued == 0 then "io" else .comm end) \(.type[:1]) \(.block) \(.bytes) \(.latency < 1) \(.error)"),
					"requeues > 3: \(map(.requeues) | add > 3)"))' "${outs[i]}" >seen
		expect_rows seen <<-END
		nullb0 R 128 4096 io
		nullb0 R 136 4096 io
		nullb0 R 144 4096 io
		${inquiries[i]-}io true true true R sda 4656 4096 true true ENODATA 0
		io true true true R sda 4664 4096 true true ENODATA 0
		io true true true R sda 4672 4096 true true null 0
		$(for ((block = 0; block < 160; block += 8)); do echo "io R $block 4096 true null"; done)
		requeues > 3: true
		END
	done
}

# What is in flight when tracing begins must not be taken for what comes later
# at the same place.
test_begin_amid_reads() {
	local reader
	fresh
	null nullb0 ms=1
	io -s 0 read /dev/nullb0 0 4096 10000000 &
	reader=$!
	until_true 60 grep -q '[1-9]' /sys/block/nullb0/inflight
	for _ in 1 2 3; do
		start iosnoop
		wait_lines "$out" 12
		stop
		rows >rows
		expect_latency 1 1000
		has_lines rows 10 || fail "less than 10 rows"
	done
	kill $reader
	wait $reader 2>/dev/null || :
}

# The same sectors of both at the same time; then the slow one goes while busy.
test_two_devices() {
	fresh
	null nullb0 ms=5
	null nullb1 ms=1000
	start iosnoop
	io read /dev/nullb1 0 4096 3 &
	io read /dev/nullb0 0 4096 4
	wait $!
	io -t 4 -s 0 read /dev/nullb1 1048576 4096 3 >/dev/null &
	until_true 60 grep -q '[1-9]' /sys/block/nullb1/inflight
	io read /dev/nullb0 1048576 4096 2
	echo 0 >/sys/kernel/config/nullb/nullb1/power
	wait $!
	io read /dev/nullb0 65536 4096 3
	stop
	expect_status 0
	expect_empty "$err"
	rows >all
	known >seen
	expect_rows <(awk -v of0="$nullb0" '$3 == of0 || $4 < 2048' seen | sort -k 3,3 -s) <<-END
	io R $nullb0 0 4096
	io R $nullb0 8 4096
	io R $nullb0 16 4096
	io R $nullb0 24 4096
	io R $nullb0 2048 4096
	io R $nullb0 2056 4096
	io R $nullb0 128 4096
	io R $nullb0 136 4096
	io R $nullb0 144 4096
	io R $nullb1 0 4096
	io R $nullb1 8 4096
	io R $nullb1 16 4096
	END
	awk -v dev="$nullb0" '$4 == dev' all >rows
	expect_latency 5 1000
	awk -v dev="$nullb1" '$4 == dev' all >rows
	expect_latency 1000 9000
}

# covered: what the rows in a file of this name cover together, as DEV, BLOCK and BYTES,
# but for reads of nullb1, for the rest of pages above 4 KiB that are written in part
covered() {
	local written=''
	[ "$page_kb" = 4 ] || written=$nullb1
	sort -b -k 4,4 -k 5,5n rows | awk -v written="$written" '
		$4 == written && $3 ~ /R/ { next }
		function tell() { if (dev) print dev, begin, (end - begin) * 512 }
		$4 == dev && $5 < end { print "twice:", $0 }
		$4 != dev || $5 > end { tell(); begin = $5 }
		{ dev = $4; end = $5 + $6 / 512 }
		END { tell() }'
}

# Many at one sector; what is merged in the scheduler; what is merged before it,
# in a plug; and more at once than a device takes, and a bio holds.
test_merges_and_splits() {
	local i
	fresh
	null nullb0 ms=20
	null nullb1 ms=5 scheduler=mq-deadline memory_backed=1
	null nullb2 ms=5
	null nullb3 ms=5
	side_by_side '' -Q --bio
	io -t 16 -s 0 read /dev/nullb0 4096 4096 4
	io -a write /dev/nullb1 0 4096 8
	io -d write /dev/nullb1 32768 4096 1024
	sync /dev/nullb1
	io -a write /dev/nullb2 0 4096 8
	io -a -s -4096 write /dev/nullb2 1048576 4096 8
	io read /dev/nullb3 0 4194304
	stop_all
	for i in 0 1 2; do
		out=${outs[i]}
		rows >all
		awk -v dev="$nullb0" '$4 == dev' all >rows
		expect_rows <(brief rows | sort | uniq -c | awk '{ $1 = $1; print }') <<-END
		64 io R $nullb0 8 4096
		END
		expect_latency 20 2000
		awk -v dev="$nullb0" '$4 != dev' all >rows
		expect_latency 5 10000
		covered >seen
		expect_rows seen <<-END
		$nullb1 0 4227072
		$nullb2 0 32768
		$nullb2 1992 32768
		$nullb3 0 4194304
		END
		[ $i = 2 ] || expect_rows <(awk -v dev="$nullb2" '$4 == dev { n++ } END { print n }' rows) <<<2
	done
}

# The device does four at once, and a fifth is to be the next; while that is so,
# three come that become one, the last of them in front of both others or between
# them. In what order requests are issued then is the scheduler's affair.
test_merges_behind_busy() {
	local offset workers
	fresh
	null nullb0 ms=3000 hw_queue_depth=4 scheduler=mq-deadline
	side_by_side '' -Q
	io -a -s 8388608 read /dev/nullb0 8388608 4096 5 &
	workers=($!)
	until_true 60 grep -q ' 4 ' /sys/block/nullb0/inflight
	for offset in 0 8192 4096 1056768 1052672 1048576; do
		io read /dev/nullb0 "$offset" 4096 &
		workers+=($!)
		read -rt 0.1 -u "$never" || :
	done
	wait "${workers[@]}"
	stop_all
	for out in "${outs[@]}"; do
		rows >rows
		expect_latency 3000 12000
		expect_rows <(issued | sort -n -k 4) <<-END
		io R $nullb0 0 12288
		io R $nullb0 2048 12288
		io R $nullb0 16384 4096
		io R $nullb0 32768 4096
		io R $nullb0 49152 4096
		io R $nullb0 65536 4096
		io R $nullb0 81920 4096
		END
	done
}

# Two are in the device, the next wait: with a scheduler, in it.
test_queued_time() {
	fresh
	null nullb0 ms=600 hw_queue_depth=2
	null nullb1 ms=600 hw_queue_depth=2 scheduler=mq-deadline
	start iosnoop -Q --json
	io -a -s 65536 read /dev/nullb0 0 4096 4
	io -a -s 65536 read /dev/nullb1 0 4096 4
	stop
	expect_rows <(jq -sc 'sort_by([.disk, .block])[] | [.disk, .comm, .type[:1], .block, .bytes, .latency >= 0.6 and .latency < 6] +
		if .disk == "nullb1" then [.queued < 0.5, .latency - .queued > 0.599] else [] end' "$out") <<-END
	["nullb0","io","R",0,4096,true]
	["nullb0","io","R",128,4096,true]
	["nullb0","io","R",256,4096,true]
	["nullb0","io","R",384,4096,true]
	["nullb1","io","R",0,4096,true,true,true]
	["nullb1","io","R",128,4096,true,true,true]
	["nullb1","io","R",256,4096,true,false,true]
	["nullb1","io","R",384,4096,true,false,true]
	END
}

test_bad_blocks() {
	fresh
	null nullb0 badblocks=+8-15 ms=5
	start iosnoop --error
	{
		io read /dev/nullb0 0 4096 3
		io write /dev/nullb0 4096 4096
	} >told
	stop
	expect_rows told <<-END
	EIO
	EIO
	END
	expect_rows <(fields 3,5,6,8 | sed 's/^RS/R/') <<-END
	R 0 4096 -
	R 8 4096 EIO
	R 16 4096 -
	WS 8 4096 EIO
	END
}

# The kernel's own filter never finds the end of a type, and finds its middle in what
# an earlier record has left behind the text: of a "W", mostly.
test_type_patterns() {
	local i
	fresh
	null nullb0
	side_by_side '-i *WS' '-Q -i *WS' '-i *W*' '-Q -i *W*' '-i W?' '--bio -i *WS'
	for i in 1 2 3 4; do
		io write /dev/nullb0 0 8192
		io read /dev/nullb0 0 512 2
	done
	stop_all
	for out in "${outs[@]}"; do
		expect_rows <(known | cut -d ' ' -f 2- | sort | uniq -c | xargs) <<<"4 WS $nullb0 0 8192"
	done
}

test_one_device_and_type() {
	fresh
	null nullb0 ms=1
	null nullb1 ms=1
	side_by_side '-d nullb1' '-i *R*' '-i X*'
	io write /dev/nullb0 0 4096 2
	io read /dev/nullb0 0 4096
	io read /dev/nullb1 0 4096
	stop_all
	out=${outs[0]}
	expect_rows <(known) <<<"io R $nullb1 0 4096"
	out=${outs[1]}
	expect_rows <(known) <<-END
	io R $nullb0 0 4096
	io R $nullb1 0 4096
	END
	out=${outs[2]}
	expect_empty <(rows)
}

# What is named or slow, each in another way, is the second device.
once_names_of_a_device_and_minimum() {
	fresh
	null nullb0 ms=1
	null nullb1 ms=200
	side_by_side "-d $nullb1" "-d ${nullb1/,/:}" '-d /dev/nullb1' --min=199.5
	io read /dev/nullb0 0 4096 2
	io read /dev/nullb1 0 4096
	stop_all
	for out in "${outs[@]}"; do
		expect_rows <(known) <<<"io R $nullb1 0 4096"
	done
}

# A partition of sectors 2048 to 4095: what is beside it is not shown.
test_partition() {
	fresh
	null nullb0 ms=1
	addpart /dev/nullb0 1 2048 2048
	side_by_side '-d nullb0p1' '-Q -d nullb0p1' '--bio -d nullb0p1'
	io read /dev/nullb0 0 4096
	io read /dev/nullb0p1 0 4096
	io read /dev/nullb0 1048576 512
	io read /dev/nullb0 2097152 4096
	io read /dev/nullb0 2096640 512
	stop_all
	delpart /dev/nullb0 1
	for out in "${outs[@]}"; do
		expect_rows <(issued | cut -d ' ' -f 1,2,4,5) <<-END
		io R 2048 4096
		io R 2048 512
		io R 4095 512
		END
	done
}

# Where files are written at once, each row that it writes would cause others.
# And a device can be named by any file on it.
test_own_output_and_device_of_a_file() {
	local own
	fresh
	null nullb0 memory_backed=1 ms=1
	null nullb1
	mkfs.ext4 -q -O ^has_journal /dev/nullb0
	mkdir -p /mnt/dev
	load ext4
	mount -o sync,noatime /dev/nullb0 /mnt/dev
	to=/mnt/dev/out start iosnoop -d /mnt/dev/lost+found
	io read /dev/nullb1 0 4096
	io read /dev/nullb0 0 4096 3
	dd if=/dev/zero of=/mnt/dev/x bs=65536 count=1 oflag=direct 2>/dev/null
	io read /mnt/dev/x 0 16384
	stop
	own=$work/own
	cp "$out" "$own"
	out=$own
	known >seen
	expect_rows <(grep -e '^io R ' -e ^iosnoop seen | head -n 3) <<-END
	io R $nullb0 0 4096
	io R $nullb0 8 4096
	io R $nullb0 16 4096
	END
	expect_rows <(awk '/^iosnoop/ || /^io R/ { n[$1] += $5 } /^dd W/ && $5 >= 4096 { n[$1] += $5 } { n[$3] = "all" }
		END { for (i in n) print i, n[i] }' seen | sort) <<-END
	$nullb0 all
	dd 65536
	io 28672
	END
}

once_no_such_device() {
	local name
	fresh
	null nullb0
	for name in sdx 7,99 /dev/null; do
		expect_exit 1 iosnoop -d $name
		# those of loop and md stay once their modules are loaded
		expect_match "$err" <<<"iosnoop: \"$name\" is no block device; there are:* nullb0"
	done
}

# A process that has no threads yet, another of its name, and one of another.
test_one_process_and_one_name() {
	local go process i
	fresh
	null nullb0 ms=5
	mkfifo go
	exec {go}<>go
	io -w -t 3 -s 0 read /dev/nullb0 4096 4096 2 <go &
	process=$!
	side_by_side "-p $process" "-Q -p $process" "--bio -p $process" '-n ^oth'
	io read /dev/nullb0 0 4096
	cp "$TL_WORK/io" other
	./other read /dev/nullb0 8192 4096
	echo >&"$go"
	wait "$process"
	stop_all
	for i in 0 1 2; do
		expect_match "${outs[i]}" <<-END
		Tracing block I/O issued by PID $process. Ctrl-C to end.
		COMM *
		io *$process *R* $nullb0 * 8 * 4096*
		io *$process *R* $nullb0 * 8 * 4096*
		io *$process *R* $nullb0 * 8 * 4096*
		io *$process *R* $nullb0 * 8 * 4096*
		io *$process *R* $nullb0 * 8 * 4096*
		io *$process *R* $nullb0 * 8 * 4096*

		Ending tracing...
		END
	done
	out=${outs[3]}
	expect_rows <(known) <<<"other R $nullb0 16 4096"
}

# Completed by a timer while another process runs.
test_end_in_another_process() {
	local busy=()
	fresh
	null nullb0 ms=30
	start iosnoop -n '^io$'
	while :; do :; done &
	busy+=($!)
	while :; do :; done &
	busy+=($!)
	io read /dev/nullb0 0 4096 5
	kill "${busy[@]}"
	stop
	rows >rows
	expect_rows <(known) <<-END
	io R $nullb0 0 4096
	io R $nullb0 8 4096
	io R $nullb0 16 4096
	io R $nullb0 24 4096
	io R $nullb0 32 4096
	END
	expect_latency 30 1000
}

# ---- bios ---------------------------------------------------------------

# What is stacked: dm on a disk, on a partition, with a delay, and striped; a loop
# device; and a RAID. Each is in the row of its own device, and in those below.
test_bio_of_stacked_devices() {
	local md=/sys/block/md_tl/md copies='' below
	fresh
	null nullb0 ms=5
	null nullb1 ms=5
	null nullb2 ms=5
	null nullb3 ms=5
	addpart /dev/nullb0 1 2048 65536
	dm "0 8192 linear /dev/nullb0p1 512"
	dm "0 16384 linear /dev/nullb1 2048"
	dm "0 16384 delay /dev/nullb1 20480 200"
	dm "0 65536 striped 2 8 /dev/nullb1 40960 /dev/nullb0p1 8192"
	load loop
	truncate -s 8M /dev/shm/disk
	losetup /dev/loop0 /dev/shm/disk
	number_of loop0
	load md-mod
	load raid0
	echo md_tl >/sys/module/md_mod/parameters/new_array
	echo none >$md/metadata_version
	echo raid0 >$md/level
	echo 65536 >$md/chunk_size
	echo 2 >$md/raid_disks
	echo "${nullb2/,/:}" >$md/new_dev
	echo "${nullb3/,/:}" >$md/new_dev
	echo 0 >$md/dev-nullb2/slot
	echo 1 >$md/dev-nullb3/slot
	echo 65536 >$md/dev-nullb2/size
	echo 65536 >$md/dev-nullb3/size
	echo active >$md/array_state
	number_of md_tl
	io read /dev/md_tl 0 512	# the first to open it looks for partitions
	start iosnoop --bio
	io read /dev/dm-0 4096 4096
	io read /dev/nullb0p1 0 4096
	io read /dev/dm-1 4096 4096 2
	io read /dev/dm-2 4096 4096 2
	io read /dev/dm-3 0 16384
	io read /dev/loop0 4096 4096 3
	io read /dev/md_tl 0 131072
	stop
	losetup -d /dev/loop0
	rm /dev/shm/disk
	DM_DISABLE_UDEV=1 dmsetup remove_all
	delpart /dev/nullb0 1
	rows >all
	brief all >seen
	# the delay's lower half is done by a worker of the kernel
	expect_rows <(awk -v dm0="$dm_0" -v dm1="$dm_1" -v dm2="$dm_2" -v at0="$nullb0" -v at1="$nullb1" -v loop="$loop0" '
		$3 == at1 && $4 >= 20480 && $4 < 40960 { $1 = "any" }
		$3 == dm0 || $3 == dm1 || $3 == dm2 || $3 == loop || $3 == at0 && $4 < 10240 || $3 == at1 && $4 < 40960' seen) <<-END
	io R $nullb0 2568 4096
	io R $dm_0 8 4096
	io R $nullb0 2048 4096
	io R $nullb1 2056 4096
	io R $dm_1 8 4096
	io R $nullb1 2064 4096
	io R $dm_1 16 4096
	any R $nullb1 20488 4096
	io R $dm_2 8 4096
	any R $nullb1 20496 4096
	io R $dm_2 16 4096
	io R $loop0 8 4096
	io R $loop0 16 4096
	io R $loop0 24 4096
	END
	# of four chunks of 4 KiB, on two disks in turn, each bio has its own row
	expect_rows <(awk -v dm3="$dm_3" -v at0="$nullb0" -v at1="$nullb1" \
		'$3 == dm3 || $3 == at0 && $4 >= 10240 || $3 == at1 && $4 >= 40960' seen | sort) <<-END
	$(sort <<-ROWS
	io R $dm_3 0 16384
	io R $nullb0 10240 4096
	io R $nullb0 10248 4096
	io R $nullb1 40960 4096
	io R $nullb1 40968 4096
	ROWS
	)
	END
	# 5.10 passes on RAID's bio itself; later kernels make copies, which are
	# bios of their own
	below=$(awk -v at2="$nullb2" -v at3="$nullb3" '$3 == at2 || $3 == at3' seen | sort)
	[ -z "$below" ] || copies="io R $nullb2 0 65536"$'\n'"io R $nullb3 0 65536"
	[ "$below" = "$copies" ] || fail "below RAID: $below"
	expect_rows <(grep " $md_tl " seen) <<<"io R $md_tl 0 131072"
	awk -v loop="$loop0" '$4 != loop' all >rows
	expect_latency 5 1000
	# dm-delay counts jiffies, the first of which may be nearly over: 4 ms less.
	awk -v dm2="$dm_2" '$4 == dm2' all >rows
	expect_latency 196 1000
}

# ---- what goes wrong ----------------------------------------------------

# Each of 3,000 sectors is read once while the tool is stopped, for more than two
# seconds: whatever is shown of them must be true.
test_losses() {
	local shown
	fresh
	null nullb0 irqmode=0
	null nullb1 ms=2500
	start iosnoop --buffer=8K --strict
	io read /dev/nullb1 0 4096 &
	until_true 60 grep -q '[1-9]' /sys/block/nullb1/inflight
	kill -STOP "$pid"
	io read /dev/nullb0 0 512 3000
	wait $!
	kill -CONT "$pid"
	until_true 60 grep -q '^\[LOST' "$out"
	io read /dev/nullb1 8192 4096
	stop
	expect_status 1
	grep -q '^iosnoop: [0-9]* events were lost' "$err" || fail "not told: $(<"$err")"
	rows | grep -v '^\[LOST' >all
	awk '$4 == "'"$nullb1"'"' all >rows
	awk '{ print $5, $6 }' rows | grep -v '^0 4096$' >later || :
	expect_rows later <<-END
	16 4096
	END
	expect_latency 2500 60000
	awk '$4 == "'"$nullb0"'"' all >rows
	# its name can be among what was lost
	awk '$1 !~ /^(io|<\.\.\.>)$/ || $3 !~ /^RS?$/ || $6 != 512 || $5 >= 3000 || seen[$5]++' rows >odd
	expect_empty odd
	expect_latency 0 1000
	shown=$(wc -l <rows)
	[ "$shown" -gt 10 ] || fail "only $shown rows"
}

# ---- without a guest ----------------------------------------------------

host_bad_options() {
	expect_error 2 'iosnoop: use at most one of -Q, --bio (try iosnoop -h)' iosnoop -Q --bio
	expect_error 2 'iosnoop: duration: "0" is not a number of seconds above 0 (try iosnoop -h)' iosnoop 0
	expect_error 2 'iosnoop: unexpected argument "2" (try iosnoop -h)' iosnoop 1 2
	expect_error 2 'iosnoop: --min: "x" is not a number of milliseconds above 0 (try iosnoop -h)' iosnoop --min=x
	expect_error 2 'iosnoop: -i: "x: a filter takes no quotes, and no more than 250 characters (try iosnoop -h)' iosnoop -i '"x'
}

# Nothing is shown, though there was I/O: whose it was is said.
host_only_others() {
	capture iosnoop
	expect_error 0 'iosnoop: 5 I/O were seen, all issued by others: -Q selects by who queued them' iosnoop -r "$capture" -n nosuch
	expect_error 0 'iosnoop: 5 I/O were seen, all issued by others: -Q selects by who queued them' iosnoop -r "$capture" -p 1
	run iosnoop -r "$capture" --min=100000
	expect_empty "$err"
	run iosnoop -r "$capture"
	expect_empty "$err"
	capture iosnoop_queued
	expect_error 0 'iosnoop: 3 I/O were seen, all queued by others: data that is written back later is queued by the kernel' \
		iosnoop -r "$capture" -n nosuch
}

once_only_others() {
	null_disk
	start iosnoop -d nullb0 -p $$
	dd if=/dev/nullb0 of=/dev/null bs=4k count=3 iflag=direct
	stop
	expect_rows "$err" <<<'iosnoop: 3 I/O were seen, all issued by others: -Q selects by who queued them'
	start iosnoop -d nullb0 -p $$
	stop
	expect_empty "$err"
	rmmod null_blk
}

host_time_formats() {
	local format time
	capture iosnoop
	for format in clock=84.788717 relative=0.050871 wall=01:16:44.731819 iso=2026-11-22T01:16:44.731819+00:00; do
		time=${format#*=}
		expect_exit 0 iosnoop -r "$capture" --time="${format%%=*}"
		expect_match "$out" <<-END
		Tracing block I/O. Ctrl-C to end.
		STARTs *ENDs *COMM         PID    TYPE DEV      BLOCK        BYTES     LATms
		* $time* io           603    RS   254,0    0            4096       6.75
		* io           603    RS   254,0    8            4096       5.33
		* io           603    RS   254,0    16           4096       6.08
		* io           605    WS   254,0    2048         512        5.17
		* io           605    WS   254,0    2049         512        5.25

		Ending tracing...
		END
	done
}

# Names of columns stand over them, however long times are.
host_times_below_their_heading() {
	local format header row
	capture iosnoop
	for format in clock relative wall iso; do
		run iosnoop -r "$capture" -t --time=$format
		header=$(sed -n 2p "$out") row=$(sed -n 3p "$out")
		header=${header%COMM *} row=${row%io *}
		[ ${#header} = ${#row} ] || fail "$format: $(sed -n 2,3p "$out")"
	done
}

host_names_of_disks_and_errors() {
	capture iosnoop_queued
	expect_exit 0 iosnoop -r "$capture" --disk --error
	expect_match "$out" <<-'END'
	Tracing block I/O. Ctrl-C to end.
	COMM         PID    TYPE DISK     BLOCK        BYTES     LATms ERR
	io           +([0-9]) * FWS  nullb0   -            0      * -
	io           +([0-9]) * FWS  nullb0   -            0      * -
	io           +([0-9]) * FWS  nullb0   -            0      * -

	Ending tracing...
	END
}

host_csv() {
	capture iosnoop
	expect_exit 0 iosnoop -r "$capture" --csv
	expect_rows "$out" <<-'END'
	start,end,comm,pid,tid,type,dev,disk,block,bytes,latency,queued,error,requeues
	84.781964,84.788717,io,603,604,RS,"254,0",nullb0,0,4096,0.006753,,,0
	84.790882,84.796210,io,603,604,RS,"254,0",nullb0,8,4096,0.005329,,,0
	84.796549,84.802631,io,603,604,RS,"254,0",nullb0,16,4096,0.006083,,,0
	84.821318,84.826493,io,605,606,WS,"254,0",nullb0,2048,512,0.005174,,,0
	84.826989,84.832235,io,605,606,WS,"254,0",nullb0,2049,512,0.005246,,,0
	END
}
