# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# iosnoop in a guest: each I/O of known workloads on devices of known latency.
# A guest is slow and shares its processors: only lower bounds are exact.

# shellcheck disable=SC1091
. "$here/work/devices.bash"

test_reads_and_writes() {
	fresh
	null nullb0 ms=5
	start iosnoop
	io read /dev/nullb0 0 4096 3 &
	wait $!
	io write /dev/nullb0 1048576 512 2
	stop
	expect_status 0
	expect_empty "$err"
	rows >rows
	expect_match "$out" <<-END
	Tracing block I/O. Ctrl-C to end.
	COMM         PID    TYPE DEV      BLOCK        BYTES     LATms
	io           $!*R*   $nullb0 * 0            4096   *
	io           $!*R*   $nullb0 * 8            4096   *
	io           $!*R*   $nullb0 * 16           4096   *
	* WS   $nullb0 * 2048         512    *
	* WS   $nullb0 * 2049         512    *

	Ending tracing...
	END
	expect_latency 5 1000
}

test_flush() {
	fresh
	null nullb0 memory_backed=1 cache_size=1 ms=5
	start iosnoop
	io fsync /dev/nullb0 0 0 3
	stop
	rows >rows
	expect_rows <(issued) <<-END
	io FF $nullb0 - 0
	io FF $nullb0 - 0
	io FF $nullb0 - 0
	END
}

test_flush_queued() {
	fresh
	null nullb0 memory_backed=1 cache_size=1 ms=5
	start iosnoop -Q
	io fsync /dev/nullb0 0 0 3
	stop
	expect_rows <(known) <<-END
	io FWS $nullb0 - 0
	io FWS $nullb0 - 0
	io FWS $nullb0 - 0
	END
}

# The write itself has the flag, and then the call flushes.
test_forced_unit_access() {
	local option
	for option in '' -Q; do
		fresh
		null nullb0 memory_backed=1 cache_size=1
		start iosnoop $option -i '*W*'
		io dsync /dev/nullb0 4096 4096 2
		stop
		rows >rows
		expect_rows <(issued | grep -v '^[^ ]* F[FW]') <<-END
		io WFS $nullb0 8 4096
		io WFS $nullb0 16 4096
		END
	done
}

# What a journal is committed with: flush, write, with unit access forced.
test_journal() {
	local option type name
	need mkfs.ext4
	load ext4
	for option in '' -Q; do
		fresh
		null nullb0 memory_backed=1 cache_size=4
		mkfs.ext4 -q -b 4096 -E lazy_itable_init=0 /dev/nullb0
		mkdir -p /mnt/dev
		mount -o lazytime /dev/nullb0 /mnt/dev
		sync
		start iosnoop $option
		for name in a b c; do
			truncate -s 4096 /mnt/dev/$name
			sync /mnt/dev/$name
		done
		stop
		type=${option:+F}WFS	# and M from some kernel on
		expect_rows <(known | cut -d ' ' -f 2,3,5 | sed 's/M / /' | grep "^$type ") <<-END
		$type $nullb0 4096
		$type $nullb0 4096
		$type $nullb0 4096
		END
		umount /mnt/dev
	done
}

test_discard() {
	fresh
	null nullb0 memory_backed=1 discard=1
	start iosnoop
	io discard /dev/nullb0 1048576 2097152 2
	stop
	expect_rows <(issued) <<-END
	io DS $nullb0 2048 2097152
	io DS $nullb0 6144 2097152
	END
}

test_zone_reset() {
	fresh
	null nullb0 memory_backed=1 zoned=1 zone_size=4 scheduler=
	start iosnoop
	io reset /dev/nullb0 4194304 4194304 2
	stop
	issued >rows
	expect_match rows <<-END
	io [NZ]*S $nullb0 8192 0
	io [NZ]*S $nullb0 16384 0
	END
}

test_passthrough() {
	fresh
	scsi delay=1
	start iosnoop
	io inquiry /dev/sda 0 96
	io inquiry /dev/sda 0 4096 2
	io inquiry /dev/sda 0 96
	stop
	expect_rows <(issued) <<-END
	io N $sda 0 96
	io N $sda 0 4096
	io N $sda 0 4096
	io N $sda 0 96
	END
	rows >rows
	expect_latency 0 1000	# each its own, not that of the first
}

# What is in flight when tracing begins must not be taken for what comes later
# at the same place.
test_begin_amid_reads() {
	local reader
	fresh
	null nullb0 ms=1
	while :; do io read /dev/nullb0 0 4096 50; done &
	reader=$!
	for _ in 1 2 3; do
		start iosnoop
		nap; nap; nap; nap
		stop
		rows >rows
		expect_latency 1 1000
		[ "$(wc -l <rows)" -gt 5 ] || fail "only $(wc -l <rows) rows"
	done
	kill $reader
	wait $reader 2>/dev/null || :
}

test_same_sectors_of_two_devices() {
	fresh
	null nullb0 ms=5
	null nullb1 ms=400
	start iosnoop
	io read /dev/nullb1 0 4096 4 &
	io read /dev/nullb0 0 4096 4
	wait $!
	stop
	rows >all
	expect_rows <(awk '{ print $4, $5 }' all | sort) <<-END
	$nullb0 0
	$nullb0 16
	$nullb0 24
	$nullb0 8
	$nullb1 0
	$nullb1 16
	$nullb1 24
	$nullb1 8
	END
	awk -v dev="$nullb0" '$4 == dev' all >rows
	expect_latency 5 400
	awk -v dev="$nullb1" '$4 == dev' all >rows
	expect_latency 400 2000
}

test_many_at_one_sector() {
	local option
	for option in '' -Q; do
		fresh
		null nullb0 ms=20
		start iosnoop $option
		io -t 16 -s 0 read /dev/nullb0 4096 4096 10
		stop
		rows >rows
		expect_rows <(known | sort | uniq -c | awk '{ $1 = $1; print }') <<-END
		160 io R $nullb0 8 4096
		END
		expect_latency 20 2000
	done
}

# covered: what the rows cover together, as BLOCK and BYTES
covered() {
	fields 5,6 | sort -n | awk '
		NR > 1 && $1 < end { print "twice:", $0 }
		NR > 1 && $1 > end { print begin, (end - begin) * 512 }
		NR == 1 || $1 > end { begin = $1 }
		{ end = $1 + $2 / 512 }
		END { print begin, (end - begin) * 512 }'
}

test_merges_of_buffered_writes() {
	local option
	for option in '' -Q; do
		fresh
		null nullb0 ms=5 scheduler=mq-deadline memory_backed=1
		start iosnoop -t $option
		# by -t, BLOCK and BYTES are behind
		io -d write /dev/nullb0 0 4096 2048
		sync /dev/nullb0
		stop
		sed -i -e 's/^[0-9.]* *//' "$out"
		rows >rows
		expect_rows <(covered) <<-END
		0 8388608
		END
		expect_latency 5 10000
	done
}

# The device does four at once, and a fifth is to be the next; while that is
# so, those at these offsets come.
merge_behind_busy() {
	local offset pids
	fresh
	null nullb0 ms=1500 hw_queue_depth=4 scheduler=mq-deadline
	start iosnoop "${option[@]}"
	io -a -s 8388608 read /dev/nullb0 8388608 4096 5 &
	pids=($!)
	until_true 60 grep -q ' 4 ' /sys/block/nullb0/inflight
	for offset; do
		io read /dev/nullb0 "$offset" 4096 &
		pids+=($!)
		read -rt 0.3 -u "$never" || :
	done
	wait "${pids[@]}"
	stop
	rows >rows
	expect_latency 1500 5000
	issued >all
}
expect_merged() {	# in what order the five were issued is the scheduler's affair
	expect_rows <(sort -n -k 4 all) <<-END
	io R $nullb0 0 12288
	io R $nullb0 16384 4096
	io R $nullb0 32768 4096
	io R $nullb0 49152 4096
	io R $nullb0 65536 4096
	io R $nullb0 81920 4096
	END
}

test_merges_of_requests() {
	local option
	for option in '' -Q; do
		option=(${option:+"$option"})
		merge_behind_busy 0 8192 4096
		expect_merged
	done
}

test_merges_in_front() {
	local option
	for option in '' -Q; do
		option=(${option:+"$option"})
		merge_behind_busy 8192 4096 0
		expect_merged
	done
}

test_merges_in_a_plug() {
	local option
	for option in '' -Q; do
		fresh
		null nullb0 ms=5
		start iosnoop $option
		io -a write /dev/nullb0 0 4096 8
		io -a -s -4096 write /dev/nullb0 1048576 4096 8
		stop
		expect_rows <(covered) <<-END
		0 32768
		1992 32768
		END
		expect_rows <(known | grep -c .) <<-END
		2
		END
	done
}

# More at once than a device takes, and a bio holds.
test_splits() {
	local option
	for option in '' -Q --bio; do
		fresh
		null nullb0 ms=5
		start iosnoop $option
		io read /dev/nullb0 0 4194304
		stop
		rows >rows
		expect_rows <(covered) <<-END
		0 4194304
		END
		expect_latency 5 1000
	done
}

# Two are in the device, the next wait in the scheduler.
test_queued_time() {
	local scheduler
	for scheduler in none mq-deadline; do
		fresh
		null nullb0 ms=100 hw_queue_depth=2 scheduler=$scheduler
		start iosnoop -Q
		io -a -s 65536 read /dev/nullb0 0 4096 4
		stop
		rows >rows
		expect_rows <(known | sort) <<-END
		io R $nullb0 0 4096
		io R $nullb0 128 4096
		io R $nullb0 256 4096
		io R $nullb0 384 4096
		END
		expect_latency 100 1000
		[ $scheduler = none ] || {
			sed -i 1,2d rows
			expect_latency 200 1000
		}
	done
}

test_queued_json() {
	fresh
	null nullb0 ms=100 hw_queue_depth=2 scheduler=mq-deadline
	start iosnoop -Q --json
	io -a -s 65536 read /dev/nullb0 0 4096 4
	stop
	expect_rows <(jq -c '[.block, .queued < 0.09, .latency - .queued > 0.099]' "$out") <<-END
	[0,true,true]
	[128,true,true]
	[256,false,true]
	[384,false,true]
	END
}

# Each third command is put back once by the host.
test_requeues() {
	local option
	for option in '' -Q; do
		fresh
		scsi delay=1 opts=0x8000 every_nth=3
		start iosnoop --json $option
		io read /dev/sda 0 4096 20
		stop
		jq -r '"\(.comm) \(.type[:1]) \(.block) \(.bytes) \(.latency < 1)"' "$out" >seen
		[ "$option" ] || sed -i 's/^kworker[^ ]*/io/' seen
		expect_rows seen <<-END
		$(for ((i = 0; i < 20; i++)); do echo "io R $((i * 8)) 4096 true"; done)
		END
		expect_rows <(jq -s 'map(.requeues) | add > 3' "$out") <<-END
		true
		END
	done
}

# Sector 0x1234 (4660) and nine behind it can't be read: of a read from 4656 on
# the first half succeeds.
test_medium_error() {
	fresh
	scsi delay=1 opts=2
	start iosnoop --error
	{
		io read /dev/sda 2383872 4096
		io read /dev/sda 2387968 4096
		io read /dev/sda 0 4096
	} >told
	stop
	expect_rows told <<-END
	ENODATA
	ENODATA
	END
	expect_rows <(fields 3,5,6,8 | sed 's/^RS/R/') <<-END
	R 4656 4096 ENODATA
	R 4664 4096 ENODATA
	R 0 4096 -
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

test_one_device() {
	local name
	fresh
	null nullb0 ms=1
	null nullb1 ms=1
	for name in "$nullb1" "${nullb1/,/:}" nullb1 /dev/nullb1; do
		start iosnoop -d "$name"
		io read /dev/nullb0 0 4096
		io read /dev/nullb1 0 4096
		stop
		expect_rows <(known) <<-END
		io R $nullb1 0 4096
		END
	done
}

# A partition of sectors 2048 to 4095: what is beside it is not shown.
test_partition() {
	local option
	fresh
	null nullb0 ms=1
	addpart /dev/nullb0 1 2048 2048
	for option in '' -Q --bio; do
		start iosnoop $option -d nullb0p1
		io read /dev/nullb0 0 4096
		io read /dev/nullb0p1 0 4096
		io read /dev/nullb0 1048576 512
		io read /dev/nullb0 2097152 4096
		io read /dev/nullb0 2096640 512
		stop
		expect_rows <(issued | cut -d ' ' -f 1,2,4,5) <<-END
		io R 2048 4096
		io R 2048 512
		io R 4095 512
		END
	done
	delpart /dev/nullb0 1
}

test_device_of_a_file() {
	fresh
	null nullb0 memory_backed=1
	null nullb1
	mkfs.ext4 -q /dev/nullb0
	mkdir -p /mnt/dev
	load ext4
	mount /dev/nullb0 /mnt/dev
	start iosnoop -d /mnt/dev/lost+found
	io read /dev/nullb1 0 4096
	dd if=/dev/zero of=/mnt/dev/x bs=4096 count=16 oflag=direct 2>/dev/null
	stop
	expect_rows <(fields 4 | sort -u) <<-END
	$nullb0
	END
	expect_rows <(fields 1,3,6 | grep ^dd | awk '/W/ { n += $3 } END { print n }') <<-END
	65536
	END
}

test_no_such_device() {
	local name
	fresh
	null nullb0
	for name in sdx 7,99 /dev/null; do
		expect_exit 1 iosnoop -d $name
		# those of loop and md stay once their modules are loaded
		expect_match "$err" <<<"iosnoop: \"$name\" is no block device; there are:* nullb0"
	done
}

test_type() {
	fresh
	null nullb0 ms=1
	start iosnoop -i '*R*'
	io write /dev/nullb0 0 4096 2
	io read /dev/nullb0 0 4096
	stop
	expect_rows <(known) <<-END
	io R $nullb0 0 4096
	END
	start iosnoop -i 'X*'
	io read /dev/nullb0 0 4096
	stop
	expect_empty <(rows)
}

# A process that has no threads yet, another of its name, and one of another.
who() {
	local go
	fresh
	null nullb0 ms=5
	mkfifo go
	exec {go}<>go
	io -w -t 3 -s 0 read /dev/nullb0 4096 4096 2 <go &
	process=$!
	start iosnoop "${@//PID/$process}"
	io read /dev/nullb0 0 4096
	cp "$TL_WORK/io" other
	./other read /dev/nullb0 8192 4096
	echo >&"$go"
	wait "$process"
	stop
	rows >rows
}

test_one_process() {
	local process option
	for option in '' -Q --bio; do
		who -p PID ${option:+"$option"}
		expect_match "$out" <<-END
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
		rm -f go other
	done
}

test_one_name() {
	local process
	who -n '^oth'
	expect_rows <(known) <<-END
	other R $nullb0 16 4096
	END
}

# Completed by a timer while another process runs.
test_end_in_another_process() {
	local busy=()
	fresh
	null nullb0 ms=100
	while :; do :; done &
	busy+=($!)
	while :; do :; done &
	busy+=($!)
	start iosnoop -n '^io$'
	io read /dev/nullb0 0 4096 5
	stop
	kill "${busy[@]}"
	rows >rows
	expect_rows <(known) <<-END
	io R $nullb0 0 4096
	io R $nullb0 8 4096
	io R $nullb0 16 4096
	io R $nullb0 24 4096
	io R $nullb0 32 4096
	END
	expect_latency 100 1000
}

test_names_of_disks() {
	fresh
	null nullb0 ms=1
	start iosnoop --disk
	io read /dev/nullb0 0 4096
	stop
	expect_match <(sed -n 2,3p "$out") <<-END
	COMM         PID    TYPE DISK     BLOCK        BYTES     LATms
	io           * R*   nullb0   0            4096   *
	END
}

test_times() {
	fresh
	null nullb0 ms=50
	start iosnoop -s -t
	read -r before _ </proc/uptime
	io read /dev/nullb0 0 4096 3
	stop
	expect_match <(sed -n 2p "$out") <<-END
	STARTs          ENDs            COMM         PID    TYPE DEV      BLOCK        BYTES     LATms
	END
	rows | awk -v before="$before" -v last=0 '
		NF != 9 || $1 < before || $1 < last { print "bad:", $0 }
		{ last = $2; off = ($2 - $1) * 1000 - $9 }
		off > 0.006 || off < -0.006 { print "off:", $0 }' >odd
	expect_empty odd
}

test_time_formats() {
	local format pattern
	fresh
	null nullb0 ms=1
	for format in clock relative wall iso; do
		case $format in
		clock | relative) pattern='^[0-9]+\.[0-9]{6}$' ;;
		wall) pattern='^[0-2][0-9]:[0-5][0-9]:[0-6][0-9]\.[0-9]{6}$' ;;
		iso) pattern='^20[0-9-]{8}T[0-9:]{8}\.[0-9]{6}[+-][0-9]{2}:[0-9]{2}$' ;;
		esac
		start iosnoop -t --time=$format
		io read /dev/nullb0 0 4096
		stop
		fields 1 >times
		grep -Eq "$pattern" times || fail "$format: $(<times)"
	done
}

test_minimum() {
	fresh
	null nullb0 ms=1
	null nullb1 ms=200
	start iosnoop --min=199.5
	io read /dev/nullb0 0 4096 5
	io read /dev/nullb1 0 4096
	stop
	expect_rows <(known) <<-END
	io R $nullb1 0 4096
	END
}

test_duration() {
	fresh
	null nullb0 ms=5
	start iosnoop 1.5
	io read /dev/nullb0 0 4096 2
	finish
	expect_status 0
	expect_match "$out" <<-END
	Tracing block I/O for 1.5 seconds (buffered)...
	COMM *
	io *R* $nullb0* 0 * 4096*
	io *R* $nullb0* 8 * 4096*

	Ending tracing...
	END
}

test_json() {
	local process
	fresh
	null nullb0 ms=5 badblocks=+8-15
	start iosnoop --json
	io read /dev/nullb0 0 4096 2 >/dev/null &
	process=$!
	wait "$process"
	stop
	expect_rows <(jq -c '.latency as $l | .tid as $t | .pid as $p |
		(.end - .start - $l) as $off |
		.start |= (. > 1) | .end |= (. > 1) | .latency |= (. >= 0.005 and . < 0.1) |
		.tid |= (. != $p) | .type |= .[:1] | .off = ($off < 0.000002 and $off > -0.000002)' "$out") <<-END
	{"start":true,"end":true,"comm":"io","pid":$process,"tid":true,"type":"R","dev":"$nullb0","disk":"nullb0","block":0,"bytes":4096,"latency":true,"queued":null,"error":null,"requeues":0,"off":true}
	{"start":true,"end":true,"comm":"io","pid":$process,"tid":true,"type":"R","dev":"$nullb0","disk":"nullb0","block":8,"bytes":4096,"latency":true,"queued":null,"error":"EIO","requeues":0,"off":true}
	END
}

test_csv() {
	fresh
	null nullb0 ms=5
	start iosnoop --csv
	io read /dev/nullb0 0 4096
	stop
	expect_match "$out" <<-END
	start,end,comm,pid,tid,type,dev,disk,block,bytes,latency,queued,error,requeues
	[0-9]*.*,[0-9]*.*,io,*,*,R*,"$nullb0",nullb0,0,4096,0.0*,,,0
	END
}

# ---- bios ---------------------------------------------------------------

test_bio_of_requests() {
	fresh
	null nullb0 ms=5 memory_backed=1 cache_size=1 discard=1
	start iosnoop --bio
	io read /dev/nullb0 0 4096 2
	io -t 8 -s 0 read /dev/nullb0 8192 4096
	io discard /dev/nullb0 1048576 1048576
	io fsync /dev/nullb0
	stop
	rows >rows
	expect_rows <(known | uniq -c | awk '{ $1 = $1; print }') <<-END
	1 io R $nullb0 0 4096
	1 io R $nullb0 8 4096
	8 io R $nullb0 16 4096
	1 io DS $nullb0 2048 1048576
	1 io FWS $nullb0 - 0
	END
	expect_latency 4 1000
}

test_bio_merged() {
	fresh
	null nullb0 ms=5 scheduler=mq-deadline memory_backed=1
	start iosnoop --bio
	io -a write /dev/nullb0 0 4096 8
	io -d write /dev/nullb0 32768 4096 1024
	sync /dev/nullb0
	stop
	expect_rows <(covered) <<-END
	0 4227072
	END
}

test_bio_loop() {
	fresh
	load loop
	truncate -s 8M /dev/shm/disk
	losetup /dev/loop0 /dev/shm/disk
	number_of loop0
	start iosnoop --bio
	io read /dev/loop0 4096 4096 3
	stop
	losetup -d /dev/loop0
	rm /dev/shm/disk
	expect_rows <(known) <<-END
	io R $loop0 8 4096
	io R $loop0 16 4096
	io R $loop0 24 4096
	END
}

test_bio_linear() {
	fresh
	null nullb0 ms=5
	dm "0 65536 linear /dev/nullb0 2048"
	start iosnoop --bio
	io read /dev/dm-0 4096 4096 2
	stop
	rows >rows
	expect_rows <(known) <<-END
	io R $nullb0 2056 4096
	io R $dm_0 8 4096
	io R $nullb0 2064 4096
	io R $dm_0 16 4096
	END
	expect_latency 5 1000
}

# As of a volume on a partition, which is the usual case.
test_bio_linear_on_partition() {
	fresh
	null nullb0 ms=5
	addpart /dev/nullb0 1 2048 65536
	dm "0 8192 linear /dev/nullb0p1 512"
	start iosnoop --bio
	io read /dev/dm-0 4096 4096
	io read /dev/nullb0p1 0 4096
	stop
	rows >rows
	expect_rows <(known) <<-END
	io R $nullb0 2568 4096
	io R $dm_0 8 4096
	io R $nullb0 2048 4096
	END
	expect_latency 5 1000
	dmsetup remove_all
	delpart /dev/nullb0 1
}

test_bio_delay() {
	fresh
	null nullb0 ms=5
	dm "0 65536 delay /dev/nullb0 2048 200"
	start iosnoop --bio
	io read /dev/dm-0 4096 4096 2
	stop
	rows >all
	awk '$4 == "'"$dm_0"'"' all >rows
	expect_rows <(brief <rows) <<-END
	io R $dm_0 8 4096
	io R $dm_0 16 4096
	END
	# dm-delay counts jiffies, the first of which may be nearly over: 4 ms less.
	expect_latency 200 1000
	awk '$4 == "'"$nullb0"'"' all >rows
	expect_rows <(brief <rows | cut -d ' ' -f 2,4,5) <<-END
	R 2056 4096
	R 2064 4096
	END
	expect_latency 5 1000
}

# Four chunks of 4 KiB, on the two disks in turn: each bio has its own row.
test_bio_stripes() {
	fresh
	null nullb0 ms=5
	null nullb1 ms=5
	dm "0 65536 striped 2 8 /dev/nullb0 0 /dev/nullb1 0"
	start iosnoop --bio
	io read /dev/dm-0 0 16384
	stop
	rows >rows
	expect_rows <(known | sort) <<-END
	io R $dm_0 0 16384
	io R $nullb0 0 4096
	io R $nullb0 8 4096
	io R $nullb1 0 4096
	io R $nullb1 8 4096
	END
	expect_latency 5 1000
}

test_bio_raid0() {
	local md=/sys/block/md_tl/md
	fresh
	load md-mod
	load raid0
	null nullb0 ms=5
	null nullb1 ms=5
	echo md_tl >/sys/module/md_mod/parameters/new_array
	echo none >$md/metadata_version
	echo raid0 >$md/level
	echo 65536 >$md/chunk_size
	echo 2 >$md/raid_disks
	echo "${nullb0/,/:}" >$md/new_dev
	echo "${nullb1/,/:}" >$md/new_dev
	echo 0 >$md/dev-nullb0/slot
	echo 1 >$md/dev-nullb1/slot
	echo 65536 >$md/dev-nullb0/size
	echo 65536 >$md/dev-nullb1/size
	echo active >$md/array_state
	number_of md_tl
	io read /dev/md_tl 0 512	# the first to open it looks for partitions
	start iosnoop --bio
	io read /dev/md_tl 0 131072
	stop
	rows >rows
	# 5.10 passes on the bio itself; later kernels make copies, which are
	# bios of their own
	local copies=''
	[ "$(wc -l <rows)" = 1 ] || copies="io R $nullb0 0 65536
io R $nullb1 0 65536
"
	expect_rows <(known | sort) <<<"${copies}io R $md_tl 0 131072"
	expect_latency 5 1000
}

# ---- what goes wrong ----------------------------------------------------

test_device_goes_while_busy() {
	fresh
	null nullb0 ms=5
	null nullb1 ms=500
	start iosnoop
	io -t 4 -s 0 read /dev/nullb1 0 4096 3 >/dev/null &
	io read /dev/nullb0 0 4096 3
	echo 0 >/sys/kernel/config/nullb/nullb1/power
	wait $!
	io read /dev/nullb0 65536 4096 3
	stop
	expect_status 0
	expect_empty "$err"
	rows >rows
	expect_rows <(known | grep " $nullb0 ") <<-END
	io R $nullb0 0 4096
	io R $nullb0 8 4096
	io R $nullb0 16 4096
	io R $nullb0 128 4096
	io R $nullb0 136 4096
	io R $nullb0 144 4096
	END
	awk '$4 == "'"$nullb0"'"' rows >of0
	grep " $nullb1 " rows >of1 || :
	mv of1 rows
	expect_latency 500 3000
	mv of0 rows
	expect_latency 5 1000
}

test_scsi_device_goes_while_busy() {
	local of_sda
	fresh
	scsi delay=50
	null nullb0 ms=5
	start iosnoop --disk
	io -t 4 -s 0 read /dev/sda 0 4096 3 >/dev/null &
	of_sda=$!
	nap
	nap
	echo 1 >/sys/block/sda/device/delete
	io read /dev/nullb0 65536 4096 3
	wait $of_sda
	stop
	expect_status 0
	expect_rows <(known | grep nullb0) <<-END
	io R nullb0 128 4096
	io R nullb0 136 4096
	io R nullb0 144 4096
	END
}

# Each of 20,000 sectors is read once while the tool is stopped, for more than
# two seconds: whatever is shown of them must be true.
test_losses() {
	local shown
	fresh
	null nullb0 irqmode=0
	null nullb1 ms=3000
	start iosnoop --buffer=8K --strict
	io read /dev/nullb1 0 4096 &
	until_true 60 grep -q '[1-9]' /sys/block/nullb1/inflight
	kill -STOP "$pid"
	io read /dev/nullb0 0 512 20000
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
	expect_latency 3000 60000
	awk '$4 == "'"$nullb0"'"' all >rows
	# its name can be among what was lost
	awk '$1 !~ /^(io|<\.\.\.>)$/ || $3 !~ /^RS?$/ || $6 != 512 || $5 >= 20000 || seen[$5]++' rows >odd
	expect_empty odd
	expect_latency 0 1000
	shown=$(wc -l <rows)
	[ "$shown" -gt 10 ] || fail "only $shown rows"
}

# Where files are written at once, each row that it writes would cause others.
test_own_output() {
	fresh
	null nullb0 memory_backed=1 ms=1
	mkfs.ext4 -q -O ^has_journal /dev/nullb0
	mkdir -p /mnt/dev
	load ext4
	mount -o sync /dev/nullb0 /mnt/dev
	to=/mnt/dev/out start iosnoop
	io read /dev/nullb0 0 4096 3
	stop
	cp "$out" own
	out=own
	expect_rows <(known | grep -e ' R ' -e ^iosnoop) <<-END
	io R $nullb0 0 4096
	io R $nullb0 8 4096
	io R $nullb0 16 4096
	END
}

test_bad_options() {
	expect_error 2 'iosnoop: use at most one of -Q, --bio (try iosnoop -h)' iosnoop -Q --bio
	expect_error 2 'iosnoop: duration: "0" is not a number of seconds above 0 (try iosnoop -h)' iosnoop 0
	expect_error 2 'iosnoop: unexpected argument "2" (try iosnoop -h)' iosnoop 1 2
	expect_error 2 'iosnoop: --min: "x" is not a number of milliseconds above 0 (try iosnoop -h)' iosnoop --min=x
	expect_error 2 'iosnoop: -i: "x: a filter takes no quotes, and no more than 250 characters (try iosnoop -h)' iosnoop -i '"x'
}
