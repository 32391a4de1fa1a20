# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cachestat in a guest: accesses whose hits, misses and dirtied pages are known.
# The workload, pages, says what they must be: by arithmetic, by mincore(), and
# for mappings by the number of its faults.

# shellcheck disable=SC1091
. "$here/work/devices.bash"

f=/mnt/dev/f
pages=2048		# that it has

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
	pages $f write $((pages * 4096)) 65536 >/dev/null
}

drop() {
	sync
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

# go_on: it goes, to its end; $want is what it says
go_on() {
	echo >&"$go"
	wait "$worker"
	read -r want <&"$said"
}

# sum COLUMN: over all rows with -D; read, faulted, missed, added are the last
sum() {
	sed -e 1,2d -e 's/[()]//g' "$out" | awk -v "c=$1" '{ n += $c } END { print n + 0 }'
}

# counted [OPTION...] -- FILE ACT...: traces exactly that; checks it all, and
# leaves $hits, $misses and $dirties
counted() {
	local options=() accessed
	while [ "$1" != -- ]; do options+=("$1"); shift; done
	shift
	begin "$@"
	start cachestat -D -p $worker "${options[@]}" 100
	go_on
	stop
	expect_status 0
	expect_empty "$err"
	hits=$(sum 1) misses=$(sum 2) dirties=$(sum 3) accessed=$(($(sum 7) + $(sum 8)))
	[ "$accessed $misses $dirties" = "$want" ] ||
		fail "counted $accessed $misses $dirties, not $want, for $*: $(tail -n 1 "$out")"
	[ "$misses" = "$(sum 9)" ] || fail "$misses misses, but raw $(sum 9)"
	[ "$hits" = $((accessed > misses ? accessed - misses : 0)) ] ||
		fail "$hits hits of $accessed accesses with $misses misses"
}

# is VALUE LOW HIGH
is() {
	if [ "$1" -lt "$2" ] || [ "$1" -gt "$3" ]; then fail "$1 is not in $2..$3"; fi
}

# The scenario of the original's example: 80 MB, as a user would read them.
test_file_read_twice() {
	local pages=20480 name size before=0 row
	with_file
	drop
	while read -r name size _; do [ "$name" != Cached: ] || before=$size; done </proc/meminfo
	start cachestat 100
	cksum $f >sum1
	stop
	read -ra row < <(tail -n 1 "$out")
	is "${row[1]}" $((pages * 95 / 100)) $((pages * 105 / 100))
	is "${row[5]}" $((before / 1024 + 79)) $((before / 1024 + 90))
	start cachestat 100
	cksum $f >sum2
	stop
	read -ra row < <(tail -n 1 "$out")
	is "${row[0]}" $pages $((pages * 105 / 100))
	is "${row[1]}" 0 20
	case ${row[3]} in 99.9% | 100.0%) ;; *) fail "ratio ${row[3]}" ;; esac
}

test_read() {
	with_file
	drop
	counted -- $f read 65536
	[ "$misses $hits" = "$pages 0" ] || fail "$misses misses, $hits hits"
	counted -- $f read 65536
	[ "$misses $hits" = "0 $pages" ] || fail "$misses misses, $hits hits"
	counted -- $f read 1024
	[ "$misses $hits" = "0 $((4 * pages))" ] || fail "$misses misses, $hits hits"
}

# Bytes 100 to 5099 are in two pages, 4095 and 4096 too; at the end there is
# but one, and nothing behind it (5.10 adds a page there all the same).
test_parts_of_pages() {
	with_file
	counted -- $f part 100 5000 part 4095 2 part $((pages * 4096 - 1)) 9999 part $((pages * 4096)) 10
	[ "$hits" = 5 ] || fail "$hits hits, not 5"
}

test_random_pages() {
	with_file
	drop
	counted -- $f random 50
	[ "$misses $hits" = "50 0" ] || fail "$misses misses, $hits hits"
	counted -- $f random 120
	[ "$misses $hits" = "70 50" ] || fail "$misses misses, $hits hits"
	read -ra row < <(tail -n 1 "$out")
	[ "${row[3]}" = 41.7% ] || fail "ratio ${row[3]} of 50 in 120"
}

# Written pages had been missed all the same.
test_read_and_written() {
	with_file
	drop
	counted -- $f modify 100
	[ "$misses $hits $dirties" = "100 0 100" ] || fail "$misses misses, $hits hits, $dirties dirty"
	sync
	counted -- $f modify 100
	[ "$misses $hits $dirties" = "0 100 100" ] || fail "$misses misses, $hits hits, $dirties dirty"
}

test_new_file() {
	disk
	counted -- $f write 1000000 1000
	[ "$misses $hits $dirties" = "0 0 245" ] || fail "$misses misses, $hits hits, $dirties dirty"
	expect_match <(tail -n 1 "$out") <<-'END'
	       0        0      245        -            *[0-9]  (0 0 0 *)
	END
}

# Pages that a write adds are no misses, even of a file that was just read.
test_read_then_extended() {
	with_file
	drop
	counted -- $f random 30 write 4096000 4096
	[ "$misses $dirties" = "30 1000" ] || fail "$misses misses, $dirties dirty"
	is "$(sum 10)" 1030 1100
	drop
	counted -- $f random 30 file /mnt/dev/other write 4096000 65536
	[ "$misses $dirties" = "30 1000" ] || fail "$misses misses, $dirties dirty"
}

test_mapping() {
	with_file
	drop
	counted -- $f map
	[ "$misses $hits" = "$pages 0" ] || fail "$misses misses, $hits hits"
	counted -- $f map
	[ "$misses" = 0 ] || fail "$misses misses"
	is "$hits" 10 $pages
}

test_writes_to_a_mapping() {
	with_file
	drop
	counted -- $f mapwrite
	[ "$misses $dirties" = "$pages $pages" ] || fail "$misses misses, $dirties dirty"
	sync
	counted -- $f mapwrite
	[ "$misses $dirties" = "0 $pages" ] || fail "$misses misses, $dirties dirty"
}

# A read that has faults on what it reads into: of both files.
test_read_into_a_mapping() {
	with_file
	pages /mnt/dev/g write $((pages * 4096)) 65536 >/dev/null
	drop
	counted -- $f into /mnt/dev/g
	[ "$misses $hits $dirties" = "$((2 * pages)) 0 $pages" ] || fail "$misses misses, $hits hits, $dirties dirty"
	sync
	counted -- $f into /mnt/dev/g
	[ "$misses $dirties" = "0 $pages" ] || fail "$misses misses, $dirties dirty"
	# one fault can map a folio of several pages
	is "$hits" $((pages + 10)) $((2 * pages))
}

test_sendfile() {
	with_file
	drop
	counted -- $f send
	[ "$misses $hits" = "$pages 0" ] || fail "$misses misses, $hits hits"
	counted -- $f send
	[ "$misses $hits" = "0 $pages" ] || fail "$misses misses, $hits hits"
}

test_prefetched() {
	with_file
	drop
	counted -- $f prefetch read 65536
	[ "$misses $hits" = "0 $pages" ] || fail "$misses misses, $hits hits"
	is "$(sum 10)" $pages $((pages + 50))
}

test_device() {
	fresh
	null nullb0 memory_backed=1 irqmode=0
	counted -- /dev/nullb0 read 65536
	[ "$misses $hits" = "16384 0" ] || fail "$misses misses, $hits hits"
	begin /dev/nullb0 read 65536
	start cachestat -D -p $worker 100
	go_on
	stop
	# a device that nobody has open has no cached pages
	[ "$(($(sum 7)))" = 16384 ] || fail "$(sum 7) accesses"
}

test_tmpfs_is_not_counted() {
	pages /dev/shm/x write 409600 4096 >/dev/null
	begin /dev/shm/x read 4096 map
	start cachestat -D -p $worker 100
	go_on
	stop
	rm /dev/shm/x
	expect_match <(tail -n 1 "$out") <<-'END'
	       0        0        0        -            *[0-9]  (0 0 0 0)
	END
}

# Folios of several pages: on XFS before ext4.
test_large_folios() {
	with_file xfs
	drop
	counted -- $f read 65536
	[ "$misses $hits" = "$pages 0" ] || fail "$misses misses, $hits hits"
	counted -- /mnt/dev/new write 10240000 1000000
	[ "$dirties" = 2500 ] || fail "$dirties dirty"
}

nr_dirtied() {
	local name value
	echo 1 >/proc/sys/vm/stat_refresh
	while read -r name value; do [ "$name" != nr_dirtied ] || echo "$value"; done </proc/vmstat
}

# All that is dirtied, metadata and other processes included.
test_dirties_are_those_of_vmstat() {
	local before after
	with_file
	sync
	start cachestat -D 100
	before=$(nr_dirtied)
	pages $f modify 500 write 10000000 65536 mapwrite file /mnt/dev/g write 5000 100 >/dev/null
	mkdir /mnt/dev/d1 /mnt/dev/d1/d2
	sync
	after=$(nr_dirtied)
	stop
	[ $((after - before)) -gt 4096 ] || fail "only $((after - before)) in vmstat"
	is "$(sum 3)" $((after - before)) $((after - before + 5))
}

# Rows add up, whatever they divide.
test_intervals() {
	with_file
	drop
	begin $f read 16 map file /mnt/dev/new write 1000000 65536
	start cachestat -D -p $worker 0.1
	go_on
	stop
	[ "$(wc -l <"$out")" -gt 5 ] || fail "$(wc -l <"$out") lines"
	[ "$(($(sum 7) + $(sum 8))) $(sum 2) $(sum 3)" = "$want" ] ||
		fail "$(sum 7) and $(sum 8) accesses, $(sum 2) misses, $(sum 3) dirty, not $want"
	! sed 1,2d "$out" | grep -e - | grep -v '^       0        0 .* - ' || fail "odd rows"
}

test_by_name() {
	with_file
	drop
	start cachestat -D -n '^pages$' 100
	cat $f >copy
	stop
	[ "$(sum 7) $(sum 2)" = "0 0" ] || fail "$(sum 7) accesses, $(sum 2) misses"
	expect_match <(head -n 1 "$out") <<-END
	Counting cache functions issued by process name "?pages\$"... Output every 100 seconds.
	END
}

test_idle_and_layout() {
	sleep 100 &
	idle=$!
	start cachestat -p $idle 0.3 2
	finish
	kill $idle
	expect_status 0
	sed -i '3,$s/-  *[0-9]*  *[0-9]*$/- B C/' "$out"
	expect_rows "$out" <<-END
	Counting cache functions issued by PID $idle... Output every 0.3 seconds.
	    HITS   MISSES  DIRTIES    RATIO   BUFFERS_MB   CACHE_MB
	       0        0        0        - B C
	       0        0        0        - B C
	END
}

test_memory() {
	local row
	start cachestat 0.3 1
	finish
	read -ra row < <(tail -n 1 "$out")
	[[ $(tail -n 1 "$out") =~ ^.{36}\ {9,12}[0-9]+\ +[0-9]+$ ]] || fail "layout"
	awk -v b="${row[4]}" -v c="${row[5]}" '
		/^Buffers:/ { d = $2 / 1024 - b } /^Cached:/ { e = $2 / 1024 - c }
		END { exit !(d < 3 && d > -3 && e < 3 && e > -3) }' /proc/meminfo || fail "$(grep -E 'Buff|Cach' /proc/meminfo)"
}

test_time_and_debug() {
	sleep 100 &
	idle=$!
	start cachestat -tD -p $idle 0.3 1
	finish
	kill $idle
	sed -i 's/-  *[0-9]* *[0-9]*  (/- B C  (/; s/^[0-2][0-9]:[0-5][0-9]:[0-6][0-9]/HH:MM:SS/' "$out"
	expect_rows <(tail -n 2 "$out") <<-'END'
	TIME         HITS   MISSES  DIRTIES    RATIO   BUFFERS_MB   CACHE_MB  DEBUG
	HH:MM:SS        0        0        0        - B C  (0 0 0 0)
	END
}

test_json() {
	local keys
	with_file
	drop
	begin $f random 120 random 40
	start cachestat --json -p $worker 100
	go_on
	stop
	keys=$(jq -r 'keys_unsorted | join(" ")' "$out")
	[ "$keys" = "time hits misses dirties ratio buffers cached read faulted added" ] || fail "$keys"
	jq -e '.hits == 40 and .misses == 120 and .dirties == 0 and .ratio == 0.25 and .read == 160 and
		.faulted == 0 and .added >= 120 and .cached > 1000000 and .buffers % 1024 == 0' "$out" >/dev/null ||
		fail "$(cat "$out")"
}

test_csv_of_nothing() {
	sleep 100 &
	idle=$!
	start cachestat --csv -p $idle 0.3 1
	finish
	kill $idle
	sed -i 's/^[0-9.]*,/T,/; s/,,[0-9]*,[0-9]*,/,,B,C,/' "$out"
	expect_rows "$out" <<-END
	time,hits,misses,dirties,ratio,buffers,cached,read,faulted,added
	T,0,0,0,,B,C,0,0,0
	END
}

# Two processors read single bytes as fast as they can.  The buffers hold nearly
# all of it: how much a reader keeps up with is not a matter of this test.
test_flood() {
	with_file
	counted -- $f random 1
	start cachestat -D -n '^pages$' --buffer=8M 100
	pages $f spin 100000 >/dev/null &
	pages $f spin 100000 >/dev/null
	wait $!
	stop
	expect_empty "$err"
	[ "$(sum 7)" = 200000 ] || fail "$(sum 7) accesses"
}

test_losses_are_told() {
	with_file
	start cachestat --buffer=64K --strict 100
	kill -STOP "$pid"
	pages $f spin 20000 >/dev/null
	kill -CONT "$pid"
	stop
	expect_status 1
	grep -q '^\[LOST' "$out" || fail "no mark"
	grep -q 'events were lost: the buffer was full' "$err" || fail "no word of it"
}

test_check_and_usage() {
	expect_exit 0 cachestat --check
	expect_error 2 'cachestat: unexpected argument "3" (try cachestat -h)' cachestat 1 2 3
	expect_error 2 'cachestat: interval: "0" is not a number of seconds above 0 (try cachestat -h)' cachestat 0
	expect_error 2 'cachestat: interval: "0.0001" is below a millisecond (try cachestat -h)' cachestat 0.0001
	expect_error 2 'cachestat: count: "x" is not a number above 0 (try cachestat -h)' cachestat 1 x
}

test_without_btf() {
	mount --bind /mnt /sys/kernel/btf
	expect_exit 3 cachestat 1 1
	umount /sys/kernel/btf
	grep -q '^cachestat: this kernel has no BTF' "$err" || fail "$(<"$err")"
}
