# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cachestat in a guest: accesses whose hits, misses and dirtied pages are known.
# The workload, pages, says what they must be: by arithmetic, by mincore(), and
# for mappings by the number of its faults.

# shellcheck disable=SC1091
. "$here/work/devices.bash"

f=/mnt/dev/f
pages=2048		# that it has
page=$((page_kb * 1024))

# disk [TYPE]: /mnt/dev is a file system on a device of 200 MB
disk() {
	local type=${1-ext4}
	need "mkfs.$type"
	fresh
	null nullb0 size=320 blocksize=4096 memory_backed=1 irqmode=0
	load "$type"
	mkdir -p /mnt/dev
	case $type in
	ext4) mkfs.ext4 -q -b 4096 -E lazy_itable_init=0,lazy_journal_init=0 /dev/nullb0 ;;
	*) "mkfs.$type" -q /dev/nullb0 ;;
	esac
	mount /dev/nullb0 /mnt/dev
}

# with_file [TYPE]: and there is a file of $pages pages
with_file() {
	disk "$@"
	pages $f write $((pages * page)) 65536 >/dev/null
}

# The last pages that a processor has added may wait in a list of its own, where
# 5.10 does not drop them; what is advised for a file empties these lists first.
drop() {
	sync
	[ ! -e $f ] || dd if=$f iflag=nocache count=0 status=none
	echo 3 >/proc/sys/vm/drop_caches
}

# begin FILE ACT...: pages waits, ready to go; $worker
begin() {
	[ -e go ] || mkfifo go said
	exec {go}<>go {said}<>said
	pages "$1" wait "${@:2}" <go >said &
	worker=$!
	read -r _ <&"$said"
}

# go_on: it goes, to its next "wait" or its end; $want is what it says then
go_on() {
	echo >&"$go"
	read -r want <&"$said"
}

# is VALUE LOW HIGH
is() {
	if [ "$1" -lt "$2" ] || [ "$1" -gt "$3" ]; then fail "$1 is not in $2..$3"; fi
}

# watch [OPTION...] -- FILE ACT...: traces exactly that, of which next does what
# is up to the next "wait"
watch() {
	local options=()
	while [ "$1" != -- ]; do options+=("$1"); shift; done
	shift
	begin "$@"
	start cachestat -D -p "$worker" "${options[@]}" 0.1
	seen=2 all_accessed=0 all_misses=0 all_dirties=0
}

# add_rows: adds up rows that have come, each of which must be true in itself:
# hits are what was not missed, and where nothing was accessed the ratio is "-"; $hits
# are those of all
add_rows() {
	local row rows h m d ratio r f raw a sum
	mapfile -ts "$seen" rows <"$out"
	for row in "${rows[@]}"; do
		read -r h m d ratio _ _ r f raw a <<<"${row//[()]/}"
		sum=$((h + m))
		[ "$h $m" = "$((r + f > raw ? r + f - raw : 0)) $raw" ] || fail "odd row: $row"
		if [ $sum = 0 ]; then
			[ "$ratio" = - ] || fail "odd ratio: $row"
		else
			is $(((10#${ratio//[.%]/} * sum - 1000 * h) * 2)) -$sum $sum
		fi
		seen=$((seen + 1)) misses=$((misses + m)) dirties=$((dirties + d))
		accessed=$((accessed + r + f)) added=$((added + a))
	done
	hits=$((accessed > misses ? accessed - misses : 0))
}

# has_come "MISSES HITS DIRTIES": with rows that have come since
has_come() {
	add_rows
	[ "$misses $hits $dirties" = "$1" ]
}

# next [MISSES HITS DIRTIES]: the worker goes on; $misses, $hits, $dirties and
# $added are of that alone. The first row after it may be of the time before.
next() {
	local lines
	go_on
	mapfile -t lines <"$out"
	wait_lines "$out" $((${#lines[@]} + 2))
	misses=0 dirties=0 accessed=0 added=0
	add_rows
	# on a slow host these rows can still be of the time before
	[ $# = 0 ] || until_true 60 has_come "$*" || :
	all_misses=$((all_misses + misses)) all_dirties=$((all_dirties + dirties))
	all_accessed=$((all_accessed + accessed))
}

# expect_next MISSES HITS DIRTIES: of what is next
expect_next() {
	next "$@"
	[ "$misses $hits $dirties" = "$*" ] || fail "misses, hits, dirtied: $misses $hits $dirties, not $*"
}

# end_watch: the worker has ended, all was as it says
end_watch() {
	wait "$worker"
	stop
	expect_status 0
	expect_empty "$err"
	misses=0 dirties=0 accessed=0 added=0
	add_rows
	[ "$accessed $misses $dirties" = "0 0 0" ] || fail "more after the end"
	[ "$all_accessed $all_misses $all_dirties" = "$want" ] ||
		fail "counted $all_accessed $all_misses $all_dirties, not $want"
}

first_check() { expect_exit 0 cachestat --check; }

# Debian 11's own kernel refuses the arguments of a function that it lacks, which
# only a run finds: what --check says has to be true of it.
first_row() {
	expect_exit 0 cachestat --check
	pages file write 40960 4096 >/dev/null
	begin file read 4096
	start cachestat -D -p "$worker" 100
	go_on
	stop
	expect_status 0
	expect_match <(tail -n 1 "$out") <<-'END'
	       0        0        0        -            *[0-9]  (0 0 0 0)
	END
}

nr_dirtied() {
	local name value
	echo 1 >/proc/sys/vm/stat_refresh
	while read -r name value; do [ "$name" != nr_dirtied ] || echo "$value"; done </proc/vmstat
}

# The scenario of the original's example, which has 80 MB, as a user would read
# it.  Then all that is dirtied, metadata and other processes included.
test_file_read_twice() {
	local pages=5120 name size before=0 after row
	with_file
	drop
	while read -r name size _; do [ "$name" != Cached: ] || before=$size; done </proc/meminfo
	start cachestat 100
	cksum $f >sum1
	stop
	read -ra row < <(tail -n 1 "$out")
	is "${row[1]}" $((pages * 95 / 100)) $((pages * 110 / 100))
	is "${row[5]}" $((before / 1024 + pages * page_kb / 1024 - 1)) $((before / 1024 + pages * page_kb / 1024 + 10))
	start cachestat 100
	cksum $f >sum2
	stop
	read -ra row < <(tail -n 1 "$out")
	is "${row[0]}" $pages $((pages * 110 / 100))
	is "${row[1]}" 0 20
	case ${row[3]} in 99.[6-9]% | 100.0%) ;; *) fail "ratio ${row[3]}" ;; esac

	start cachestat -D 100
	before=$(nr_dirtied)
	pages $f modify 500 write 10000000 65536 mapwrite file /mnt/dev/g write 5000 100 >/dev/null
	mkdir /mnt/dev/d1 /mnt/dev/d1/d2
	sync
	after=$(nr_dirtied)
	stop
	read -ra row < <(tail -n 1 "$out")
	[ $((after - before)) -gt 4096 ] || fail "only $((after - before)) in vmstat"
	is "${row[2]}" $((after - before)) $((after - before + 5))
}

test_read_and_written() {
	with_file
	drop
	watch -- $f read 65536 wait read 65536 wait read 1024 \
		wait part 100 $((page + 900)) part $((page - 1)) 2 part $((pages * page - 1)) 9999 part $((pages * page)) 10 \
		wait random 50 wait random 120 \
		wait modify 100 wait modify 100 \
		wait send wait send \
		wait prefetch read 65536 \
		wait file /mnt/dev/new write $((245 * page - 100)) 1000 \
		wait file $f random 30 write $((1000 * page)) $page \
		wait random 30 file /mnt/dev/other write $((1000 * page)) 65536
	expect_next $pages 0 0
	expect_next 0 $pages 0
	expect_next 0 $((page_kb * pages)) 0
	# the first two of these are in two pages each; at the end there is
	# but one, and nothing behind it (5.10 adds a page there all the same)
	expect_next 0 5 0
	drop
	expect_next 50 0 0
	expect_next 70 50 0
	# written pages had been missed all the same
	drop
	expect_next 100 0 100
	sync
	expect_next 0 100 100
	drop
	expect_next $pages 0 0
	expect_next 0 $pages 0
	drop
	expect_next 0 $pages 0
	is $added $pages $((pages + 50))
	# pages that a write adds are no misses, even of a file that was just read
	expect_next 0 0 245
	drop
	expect_next 30 0 1000
	is $added 1030 1100
	drop
	expect_next 30 0 1000
	end_watch
}

test_mappings() {
	with_file
	pages /mnt/dev/g write $((pages * page)) 65536 >/dev/null
	drop
	watch -- $f map wait map wait mapwrite wait mapwrite wait into /mnt/dev/g wait into /mnt/dev/g
	expect_next $pages 0 0
	next
	[ "$misses $dirties" = "0 0" ] || fail "$misses misses, $dirties dirty"
	is $hits 10 $pages
	drop
	next
	[ "$misses $dirties" = "$pages $pages" ] || fail "$misses misses, $dirties dirty"
	sync
	next
	[ "$misses $dirties" = "0 $pages" ] || fail "$misses misses, $dirties dirty"
	# a read that has faults on what it reads into: of both files
	drop
	expect_next $((2 * pages)) 0 $pages
	sync
	next
	[ "$misses $dirties" = "0 $pages" ] || fail "$misses misses, $dirties dirty"
	# one fault can map a folio of several pages
	is $hits $((pages + 10)) $((2 * pages))
	end_watch
}

# Folios of several pages: on XFS before ext4.
test_large_folios() {
	with_file xfs
	drop
	watch -- $f read 65536 wait file /mnt/dev/new write $((2500 * page)) 1000000
	expect_next $pages 0 0
	expect_next 0 0 2500
	end_watch
}


# of_device: a device of 2048 pages, with no file system
of_device() {
	fresh
	null nullb0 size=$((pages * page_kb / 1024)) memory_backed=1 irqmode=0
}

# Pages of tmpfs are not counted.
test_device_and_tmpfs() {
	of_device
	pages /dev/shm/x write 409600 4096 >/dev/null
	watch -- /dev/nullb0 read 65536 wait read 65536 wait file /dev/shm/x read 4096 map
	expect_next $pages 0 0
	expect_next 0 $pages 0
	expect_next 0 0 0
	rm /dev/shm/x
	[ $added = 0 ] || fail "$added added"
	stop
	expect_status 0
	expect_empty "$err"
}

test_json() {
	local keys key value buffers cached
	of_device
	begin /dev/nullb0 random 120 random 40
	start cachestat --json -p $worker 100
	go_on
	stop
	# memory is that of now, before a program is read, within 3 MB
	while read -r key value _; do
		case $key in
		Buffers:) buffers=$((value * 1024)) ;;
		Cached:) cached=$((value * 1024)) ;;
		esac
	done </proc/meminfo
	keys=$(jq -r 'keys_unsorted | join(" ")' "$out")
	[ "$keys" = "time hits misses dirties ratio buffers cached read faulted added" ] || fail "$keys"
	jq -e --argjson b "$buffers" --argjson c "$cached" '.hits == 40 and .misses == 120 and .dirties == 0 and
		.ratio == 0.25 and .read == 160 and .faulted == 0 and .added >= 120 and .buffers % 1024 == 0 and
		(.buffers - $b | fabs) < 3145728 and (.cached - $c | fabs) < 3145728' "$out" >/dev/null ||
		fail "$buffers $cached: $(<"$out")"
}

once_idle_and_layout() {
	sleep 100 &
	idle=$!
	start cachestat -tD -p $idle 0.3 2
	finish
	kill $idle
	expect_status 0
	sed -Ei 's/- {9,12}[0-9]+ +[0-9]+  \(/- B C  (/; s/^[0-2][0-9]:[0-5][0-9]:[0-6][0-9]/HH:MM:SS/' "$out"
	expect_rows "$out" <<-END
	Counting cache functions issued by PID $idle... Output every 0.3 seconds.
	TIME         HITS   MISSES  DIRTIES    RATIO   BUFFERS_MB   CACHE_MB  DEBUG
	HH:MM:SS        0        0        0        - B C  (0 0 0 0)
	HH:MM:SS        0        0        0        - B C  (0 0 0 0)
	END
}

# MB are of /proc/meminfo; once the count is reached it ends.
test_memory() {
	local row name size buffers cached
	start cachestat 0.3 1
	finish
	expect_status 0
	while read -r name size _; do
		case $name in Buffers:) buffers=$size ;; Cached:) cached=$size ;; esac
	done </proc/meminfo
	mapfile -t row <"$out"
	[[ ${#row[@]} = 3 && ${row[2]} =~ ^.{36}\ {9,12}([0-9]+)\ +([0-9]+)$ ]] || fail "layout"
	is "${BASH_REMATCH[1]}" $((buffers / 1024 - 3)) $((buffers / 1024 + 3))
	is "${BASH_REMATCH[2]}" $((cached / 1024 - 3)) $((cached / 1024 + 3))
}

host_layout() {
	capture cachestat
	run cachestat -r "$capture" -tD
	expect_status 0
	expect_match "$out" <<-'END'
	Counting cache functions issued by PID [0-9]*... Output every 100 seconds.
	TIME         HITS   MISSES  DIRTIES    RATIO   BUFFERS_MB   CACHE_MB  DEBUG
	[0-2][0-9]:[0-5][0-9]:[0-6][0-9]        4       12        0    25.0%            -          -  (16 0 12 *)
	END
	run cachestat -r "$capture" 0.02
	expect_status 0
	sed -n '2,$p' "$out" | sort | uniq >rows
	expect_rows rows <<-'END'
	       0        0        0        -            -          -
	       4       12        0    25.0%            -          -
	    HITS   MISSES  DIRTIES    RATIO   BUFFERS_MB   CACHE_MB
	END
	run cachestat -r "$capture" --csv 0.02
	expect_status 0
	sed 's/^[0-9.]*,/T,/' "$out" | sort | uniq >rows
	expect_match rows <<-'END'
	T,0,0,0,,,,0,0,0
	T,4,12,0,0.250000,,,16,0,*
	time,hits,misses,dirties,ratio,buffers,cached,read,faulted,added
	END
}

anonymous() { awk '/^RssAnon:/ { print $2 }' "/proc/$pid/status"; }

# have_read COUNT: so many threads, which have ended, and $out tells of them
have_read() {
	local lines
	burst thread "$1" $f >/dev/null
	mapfile -t lines <"$out"
	wait_lines "$out" $((${#lines[@]} + 2))
}

# Of the first ones some are remembered yet, as they may have more records.
once_threads_that_ended() {
	local before after
	with_file
	start cachestat 0.1
	have_read 2000
	before=$(anonymous)
	have_read 5000
	after=$(anonymous)
	stop
	expect_status 0
	[ $((after - before)) -le 100 ] || fail "from $before KB to $after KB"
}

once_csv_of_nothing() {
	start cachestat --csv -p $BASHPID 0.1 1
	finish
	sed -i 's/^[0-9.]*,/T,/; s/,,[0-9][0-9]*,[0-9][0-9]*,/,,B,C,/' "$out"
	expect_rows "$out" <<-END
	time,hits,misses,dirties,ratio,buffers,cached,read,faulted,added
	T,0,0,0,,B,C,0,0,0
	END
}

# Two processors read single bytes as fast as they can, and another program does
# that is not asked for.  The buffers hold nearly all of it: how much a reader
# keeps up with is not a matter of this test.
test_flood_by_name() {
	of_device
	start cachestat -D -n '^pages$' --buffer=2M 100
	pages /dev/nullb0 spin 10000 >/dev/null &
	pages /dev/nullb0 spin 10000 >/dev/null
	wait $!
	head -c 409600 /dev/nullb0 >copy
	stop
	expect_empty "$err"
	expect_match "$out" <<-'END'
	Counting cache functions issued by process name "?pages\$"... Output every 100 seconds.
	*
	* (20000 [0-9]* *)
	END
}

test_losses_are_told() {
	of_device
	start cachestat --buffer=64K --strict 100
	kill -STOP "$pid"
	pages /dev/nullb0 spin 8000 >/dev/null
	kill -CONT "$pid"
	stop
	expect_status 1
	grep -q '^\[LOST' "$out" || fail "no mark"
	grep -q 'events were lost: the buffer was full' "$err" || fail "no word of it"
}

host_wrong_use() {
	expect_error 2 'cachestat: unexpected argument "3" (try cachestat -h)' cachestat 1 2 3
	expect_error 2 'cachestat: interval: "0" is not a number of seconds above 0 (try cachestat -h)' cachestat 0
	expect_error 2 'cachestat: interval: "0.0001" is below a millisecond (try cachestat -h)' cachestat 0.0001
	expect_error 2 'cachestat: count: "x" is not a number above 0 (try cachestat -h)' cachestat 1 x
}

test_without_btf() {
	mount --bind /mnt /sys/kernel/btf
	expect_exit 3 cachestat 1 1
	cp "$err" said
	expect_exit 3 cachestat --check
	umount /sys/kernel/btf
	grep -q '^cachestat: this kernel has no BTF' said || fail "$(<said)"
	expect_rows "$err" <said
}
