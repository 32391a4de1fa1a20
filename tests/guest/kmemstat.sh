# shellcheck shell=bash disable=SC2016,SC2034,SC2154 # what is quoted is jq's; suite and tests share variables
# SPDX-License-Identifier: GPL-2.0-or-later
# kmemstat in a guest: messages whose number and sizes are known, each of which is an
# allocation of the message and 48 bytes in front of it; of what does not fit into a page
# the rest is one more, with 8 bytes in front.

head_bytes=48 piece_bytes=8

# The place of both kinds of allocation; compilers put one function into the other.
place='"^(alloc|load)_msg[.a-z0-9]*[+]0x[0-9a-f]+$"'

# sender COUNT SIZE...: has messages begin, up to where it waits for a word; its process
# is $sender
sender() { waiter messages "$@"; }

# waiter PROGRAM ARG...: the same of another program
senders=()
waiter() {
	local fifo=$work/go.${#senders[@]}
	mkfifo "$fifo"
	"$@" <"$fifo" >"$fifo.pid" 2>"$fifo.err" &
	senders+=($!)
	exec {word}>"$fifo"
	words+=("$word")
	wait_lines "$fifo.pid" 1
	read -r sender <"$fifo.pid"
}
words=()

# sent: gives all of them the word, and waits for their ends
sent() {
	local word one
	for word in "${words[@]}"; do
		echo >&"$word"
		exec {word}>&-
	done
	for one in "${senders[@]}"; do
		until_true 120 gone "$one" || fail "it does not end"
		wait "$one" || fail "$(cat "$work"/go.*.err)"
	done
}

# given BYTES: sets $given to what the kernel's allocator has for so many: its list of
# sizes is that of the kernel itself
given() {
	given=$(awk -v n="$1" '$1 ~ /^kmalloc-[0-9]+k?$/ && $4 >= n && (!best || $4 < best) { best = $4 } END { print best + 0 }' \
		/proc/slabinfo)
	[ "$given" -ge "$1" ] || fail "no size for $1 bytes in /proc/slabinfo"
}

# sizes SIZE...: sets $asked and $got to the sums of a message of each size
sizes() {
	local size
	asked=0 got=0
	for size; do
		given $((size + head_bytes))
		((asked += size + head_bytes, got += given))
	done
}

# sums FILE...: of all rows
sums() { jq -sc 'map(select(has("count"))) | [map(.count), map(.asked), map(.got), map(.waste)] | map(add)' "$@"; }

first_check() {
	expect_exit 0 kmemstat --check
	expect_exit 0 kmemstat --check -k kmalloc
}

first_row() {
	sender 100 100
	start kmemstat --json -p "$sender"
	sent
	stop
	expect_status 0
	expect_empty "$err"
	expect_rows <(jq -c "select(.site | test($place)) | [.count, .asked]" "$out") <<<'[100,14800]'
}

# All of these are allocated at one place.
test_known_messages() {
	sizes 1 10 30 100 1000 4000
	sender 512 1 10 30 100 1000 4000
	beside all kmemstat --json -p "$sender"
	beside text kmemstat -p "$sender" --top=0
	sent
	stop_all
	expect_rows <(jq -c "select(.site | test($place)) | [.count, .asked, .got, .waste, .waste_share]" "$work/all.out") < <(
		jq -nc "[3072, $((512 * asked)), $((512 * got)), $((512 * (got - asked))), ($((got - asked)) / $got * 1e6 | round / 1e6)]")
	expect_rows <(awk '$NF ~ /^(alloc|load)_msg.*\+0x/ { print $1, $2, $3, $4, $5 }' "$work/text.out") < <(
		awk -v a=$asked -v g=$got 'BEGIN {
			printf "3072 %.2f %.2f %.2f %.1f%%\n", a * 512 / 1024, g * 512 / 1024, (g - a) * 512 / 1024, (g - a) / g * 100
		}')
}

# What does not fit into a page is allocated at another place of the same function.
test_pieces() {
	local rest=$((5000 - 4096 + head_bytes + piece_bytes))
	sender 200 5000
	start kmemstat --json -p "$sender"
	sent
	stop
	expect_status 0
	given $rest
	expect_rows <(jq -c "select(.site | test($place)) | [.count, .asked, .got]" "$out") <<-END
	[200,$((200 * 4096)),$((200 * 4096))]
	[200,$((200 * rest)),$((200 * given))]
	END
	[ "$(jq -r "select(.site | test($place)) | .site" "$out" | sort -u | wc -l)" = 2 ] || fail "one place"
}

# What is larger than two pages is recorded twice by kernels from 6.10 on, and counts once.
# A pipe of 256 pages has as many structs of 40 bytes, one of 16 pages has 16.
test_large_ones_count_once() {
	local both
	waiter pipes 50
	beside site kmemstat --json -p "$sender"
	beside size kmemstat --json -p "$sender" --by=size
	beside name kmemstat --json -p "$sender" --by=name -k kmalloc
	beside write kmemstat -w c.dat -p "$sender" -k kmalloc
	sent
	stop_all
	given 640
	both=$((50 * (16384 + given)))
	expect_rows <(
		jq -c 'select(.site | test("^pipe_resize_ring[+]")) | [.count, .asked, .got]' "$work/site.out"
		jq -c 'select(.site | test("^__kv?malloc")) | [.site, .asked]' "$work/site.out" | grep 10240 || :
		jq -c 'select(.size == 16384) | [.count, .asked]' "$work/size.out"
		jq -s 'map(.got)[0] | . >= '$both' and . < '$((both + 50 * 16384)) "$work/name.out"
		kmemstat -r c.dat --json --by=name | jq -c .got
	) <<-END
	[100,$((50 * (10240 + 640))),$both]
	[50,512000]
	true
	$(jq -c .got "$work/name.out")
	END
}

# One capture, in all ways: the same sums in other rows, those of what nobody else does
# exactly, and of a size what each of its allocations was given.
test_ways_to_count() {
	local by key first second
	sender 700 900
	first=$sender
	sender 300 900
	second=$sender
	beside live kmemstat --json -p "$first,$second"
	beside first kmemstat --json -p "$first"
	beside second kmemstat --json -p "$second"
	beside write kmemstat -w c.dat -p "$first,$second"
	sent
	stop_all
	kmemstat -r c.dat --json >site
	diff <(jq -c 'del(.time)' "$work/live.out") <(jq -c 'del(.time)' site) || fail "read is another than live"
	sums site >sums
	for by in size name process thread cpu; do
		kmemstat -r c.dat --json --by=$by >$by
		sums $by | expect_rows sums
	done
	given $((900 + head_bytes))
	expect_rows <(
		jq -s "map(select(.got != .count * .size)) | length" size
		jq "select(.size == $given) | .count >= 1000 and .asked >= 948000" size
		jq -s 'map(.size) | length == (unique | length) and length > 3' size
		jq -s 'map(select(.comm == "messages") | .count) | add >= 1000' name
		for key in pid tid; do
			by=process
			[ $key = pid ] || by=thread
			diff <(jq -c "select(.$key == $first)" $by | sums) <(sums "$work/first.out")
			diff <(jq -c "select(.$key == $second)" $by | sums) <(sums "$work/second.out")
			jq -c "select(.$key == $first) | .comm" $by
		done
	) <<-'END'
	0
	true
	true
	true
	"messages"
	"messages"
	END
}

# What has most comes first, whatever that is, and text has so many rows.
test_order_and_top() {
	local key
	sender 20 10 1000 7000
	start kmemstat -w c.dat
	for _ in {1..5}; do /bin/true; done
	sent
	stop
	expect_status 0
	for key in got asked waste count; do
		kmemstat -r c.dat --json --sort=$key >$key
		jq -s -e "map(.$key) | length > 20 and . == (sort | reverse) and .[0] > .[-1]" $key >/dev/null || fail "$key: $(<$key)"
	done
	kmemstat -r c.dat --json >default
	expect_rows default <got
	! diff -q got count >/dev/null || fail "the order is always the same"
	for top in 0 3 20; do
		kmemstat -r c.dat --sort=count --top=$top | grep -c '+0x' >rows
		[ $top != 0 ] || jq -s length count | expect_rows rows
		[ $top = 0 ] || expect_rows rows <<<$top
	done
	kmemstat -r c.dat --sort=count >text
	kmemstat -r c.dat --sort=count --top=20 | expect_rows text
	expect_rows <(kmemstat -r c.dat --sort=count --top=3 | awk '/[+]0x/ { print $1, $6 }') < <(
		jq -r '"\(.count) \(.site | split(" ")[0])"' count | head -n 3)
}

# Together the two kinds are all, and messages are one of them.
test_kinds() {
	sender 300 100
	beside all kmemstat --json -p "$sender"
	beside kmalloc kmemstat --json -p "$sender" -k kmalloc
	beside cache kmemstat --json -p "$sender" --kind=cache
	sent
	stop_all
	expect_rows <(sums "$work/kmalloc.out" "$work/cache.out") < <(sums "$work/all.out")
	expect_rows <(
		jq -c "select(.site | test($place)) | .count" "$work/kmalloc.out"
		jq -c "select(.site | test($place)) | .count" "$work/cache.out"
		jq -s 'length > 0' "$work/cache.out"
	) <<-'END'
	300
	true
	END
}

# A place in a module, which has its name.
test_module() {
	start kmemstat --top=0
	null_disk
	stop
	expect_status 0
	rmmod null_blk
	grep -qE '[a-z_]+\+0x[0-9a-f]+ \[null_blk\]$' "$out" || fail "$(<"$out")"
}

# A table for each interval, and no more: the messages are in the one in which they came.
test_intervals() {
	sender 100 100
	start kmemstat --json 0.5
	sent
	until_true 60 grep -q '_msg' "$out" || fail "no row"
	wait_lines "$out" $(($(wc -l <"$out") + 1))
	stop
	expect_status 0
	expect_rows <(jq -s "map(select(.site | test($place)) | .count) | add" "$out") <<<100
	jq -se 'map(.time) | unique | length > 1' "$out" >/dev/null || fail "one interval"
	start kmemstat -T 0.2 3
	finish
	expect_status 0
	expect_match <(grep -A 2 '^$' "$out" | grep -v -e '^--' -e ' [a-z_.0-9]*+0x') <<-'END'

	*[0-9]:[0-9][0-9]:[0-9][0-9]*20[0-9][0-9]*
	     COUNT     ASKED_KB       GOT_KB     WASTE_KB  WASTE% SITE

	*[0-9]:[0-9][0-9]:[0-9][0-9]*20[0-9][0-9]*
	     COUNT     ASKED_KB       GOT_KB     WASTE_KB  WASTE% SITE

	*[0-9]:[0-9][0-9]:[0-9][0-9]*20[0-9][0-9]*
	     COUNT     ASKED_KB       GOT_KB     WASTE_KB  WASTE% SITE

	Ending tracing...
	END
}

test_keys_and_metrics() {
	local site
	sender 100 100
	start kmemstat -w c.dat -p "$sender"
	sent
	stop
	expect_status 0
	kmemstat -r c.dat --json >json
	kmemstat -r c.dat --csv >csv
	kmemstat -r c.dat --metrics=- >metrics
	site=$(jq -r "select(.site | test($place)) | .site" json)
	given $((100 + head_bytes))
	expect_rows <(
		jq -c keys_unsorted json | sort -u
		head -n 1 csv
		grep -F "{site=\"$site\"}" metrics
	) <<-END
	["time","count","asked","got","waste","waste_share","site"]
	time,count,asked,got,waste,waste_share,site
	tracelets_kmemstat_allocations_total{site="$site"} 100
	tracelets_kmemstat_asked_bytes_total{site="$site"} 14800
	tracelets_kmemstat_got_bytes_total{site="$site"} $((given * 100))
	END
}

# They are not counted, which is told.
test_lost_records() {
	sender 20000 100
	start kmemstat --json --buffer=8K -p "$sender"
	kill -STOP "$pid"
	sent
	kill -CONT "$pid"
	stop
	expect_status 0
	grep -q 'events were lost' "$err" || fail "nothing lost: $(<"$err")"
	expect_rows <(jq -s "map(select(has(\"lost\") | not) | select(.site | test($place)) | .count) | add | . > 0 and . < 20000" "$out") <<<true
}

test_killed() {
	start kmemstat
	stop KILL
	until_true 60 is_clean || fail "$state"
}

once_hidden_addresses() {
	until_end /proc/sys/kernel/kptr_restrict 2
	expect_error 1 "kmemstat: the kernel hides the addresses of its functions: sysctl kernel.kptr_restrict=1" kmemstat
}

host_bad_options() {
	expect_error 2 'kmemstat: --by: "place" is not one of site|size|name|process|thread|cpu|cgroup (try kmemstat -h)' kmemstat --by=place
	expect_exit 2 kmemstat --sort=size
	expect_exit 2 kmemstat -k slab
	expect_exit 2 kmemstat --top=-1
	expect_exit 2 kmemstat 1 0
	expect_exit 2 kmemstat 0
}
