# shellcheck shell=bash disable=SC2016,SC2154 # what is quoted is jq's
# SPDX-License-Identifier: GPL-2.0-or-later
# lockstat in a guest: waits for locks that are held for a known time

tells() { [ -e "$tracefs/events/lock/contention_begin" ]; }
needs() { tells || skip "this kernel does not tell of waits"; }

# holder ARG...: has locks begin, up to where it waits for a word; $waits is its thread
# that will wait
holder() {
	mkfifo "$work/go"
	at_end end_holder
	locks "$@" <"$work/go" >"$work/locks" 2>"$work/locks.err" &
	holding=$!
	exec {go}>"$work/go"
	until_true 60 says 1 || fail "locks cannot: $(<"$work/locks.err")"
	read -r _ waits <"$work/locks"
}
says() { has_lines "$work/locks" "$1"; }
end_holder() { kill -KILL "$holding" 2>/dev/null || :; until_true 60 gone "$holding"; }

# held: gives it the word, and waits for its end; sets $least and $most, how long its waits
# were at least, and at most, ns
held() {
	echo >&"$go"
	until_true 120 gone "$holding" || fail "locks does not end"
	wait "$holding" || fail "$(<"$work/locks.err")"
	read -r least most < <(tail -n 1 "$work/locks")
	exec {go}>&-
	rm "$work/go"
}

first_check() {
	if tells; then
		expect_exit 0 lockstat --check
	else
		expect_error 3 "lockstat: the kernel does not tell of waits for locks (Linux 5.19, lock:contention_begin)" lockstat
		expect_exit 3 lockstat --check
	fi
}

first_row() {
	needs
	holder mutex 1 1
	start lockstat --json -L "$waits"
	held
	stop
	expect_status 0
	# one for real time has them of another kind
	expect_rows <(jq -c '[.waits >= 1, (.kind | endswith("mutex"))]' "$out" | head -n 1) <<<'[true,true]'
}

# five KIND LOCK'S-KIND LOCK CALL: five waits of 20 ms, which several runs look at; CALL is a
# pattern for what takes the lock, which the caller is, or a function that it has for that
five() {
	local waits holding go
	holder "$1" 5 20
	# when it ends, a thread may have to wait for other locks
	beside "$1.table" lockstat --json -L "$waits" -k "${2%-*}" -m 10000
	beside "$1.stacks" lockstat -s --json -L "$waits" -k "${2%-*}" -m 10000
	held
	stop_all
	expect_rows <(
		jq -c "[.waits, .total * 1e9 >= $least, .total * 1e9 <= $most, .max >= 0.02, .kind, .lock]" "$work/$1.table.out"
		jq -c "[.tid == $waits, .count, .total * 1e9 >= $least, .total * 1e9 <= $most]" "$work/$1.stacks.out"
	) <<-END
		[5,true,true,true,"$2",$3]
		[true,5,true,true]
	END
	# shellcheck disable=SC2053 # a pattern
	[[ $(jq -r .caller "$work/$1.table.out") == @($4|rtnl_lock) && $(jq -r '.kernel | join(" ")' "$work/$1.stacks.out") == *$4* ]] ||
		fail "not $4: $(cat "$work/$1.table.out" "$work/$1.stacks.out")"
}

test_mutex() {
	needs
	five mutex mutex null '*fdget_pos'
}

test_rwsem() {
	needs
	five rwsem rwsem-write null '*_write*'
}

# A lock that the kernel has a name for.
test_name() {
	needs
	five rtnl mutex '"rtnl_mutex"' '*ifconf'
}

# What is not asked for is not shown: other kinds, and shorter waits.
test_some() {
	needs
	holder mutex 2 20
	beside kind lockstat --json -L "$waits" -k mutex
	beside other lockstat --json -L "$waits" -k rwsem -m 10000
	beside long lockstat --json -L "$waits" -m 10000 -k mutex
	beside longer lockstat --json -L "$waits" -m 600000000
	beside process lockstat --json -p "$holding" --by=process -k mutex -m 10000
	beside name lockstat --json -n '^locks$' --by=name -k mutex -m 10000
	beside folded lockstat -f -L "$waits"
	beside flame lockstat --flamegraph=locks.svg -L "$waits"
	beside write lockstat -w c.dat -L "$waits"
	held
	stop_all
	run lockstat -r c.dat --json -k mutex
	expect_status 0
	expect_empty "$work/other.out"
	expect_empty "$work/longer.out"
	expect_rows <(
		jq .waits "$work/kind.out" "$work/long.out" "$out"
		jq -c "[.pid == $holding, .comm, .waits]" "$work/process.out"
		jq -c '[.pid, .comm, .waits]' "$work/name.out"
		grep -c '^locks;.*lseek.* [0-9]*$' "$work/folded.out"
		grep -q lseek locks.svg && echo lseek
		diff <(jq -c '[.kind, .caller]' "$work/kind.out") <(jq -c '[.kind, .caller]' "$out")
	) <<-'END'
	2
	2
	2
	[true,"locks",2]
	[null,"locks",2]
	1
	lseek
	END
}

# A wait belongs to the processor on which it ends, wherever it has begun.
test_processors() {
	needs
	holder mutex 10 5
	beside all lockstat --json -L "$waits" -k mutex -m 4000
	beside first lockstat --json -L "$waits" --cpu=0 -k mutex -m 4000
	[ "$(nproc)" = 1 ] || beside rest lockstat --json -L "$waits" -k mutex -m 4000 --cpu="1-$(($(nproc) - 1))"
	held
	stop_all
	expect_rows <(
		cat "$work"/first.out "$work"/rest.out 2>/dev/null | jq -s 'map(.waits) | add'
		jq -c "[.total * 1e9 >= $least, .total * 1e9 <= $most]" "$work/all.out"
		cat "$work"/first.out "$work"/rest.out 2>/dev/null | jq -s --slurpfile all "$work/all.out" '(map(.total) | add) - $all[0].total | fabs < 0.002'
	) <<-'END'
	10
	[true,true]
	true
	END
}

# The names of locks are in a capture, as a kernel that has booted anew has other addresses.
test_capture() {
	needs
	holder rtnl 2 1
	start lockstat -w c.dat -L "$waits"
	held
	stop
	run lockstat -r c.dat --json -k mutex
	expect_status 0
	expect_rows <(jq -c '[.waits, .lock]' "$out") <<<'[2,"rtnl_mutex"]'
}

# A wait that goes on where records are lost may be another one behind that.
test_lost_records() {
	local long
	needs
	holder mutex 1 0
	start lockstat --json --buffer=8K --by=thread
	echo >&"$go"
	until_true 60 is_waiting || fail "nobody waits"
	long=$waits
	kill -STOP "$pid"
	locks mutex 300 1 </dev/null >/dev/null
	kill -CONT "$pid"
	until_true 60 lost_some || fail "nothing lost: $(<"$err")"
	held
	stop
	expect_status 0
	expect_rows <(jq -s "map(select(.tid == $long)) | length" "$out") <<<0
}
is_waiting() { grep -q '^State:.D' "/proc/$waits/status"; }
lost_some() { grep -q '"lost"' "$out"; }

test_killed() {
	needs
	start lockstat
	stop KILL
	until_true 60 is_clean || fail "$state"
}

host_bad_options() {
	expect_error 2 "lockstat: -K and -U are for stacks: with -s, -f or --flamegraph (try lockstat -h)" lockstat -K
	expect_exit 2 lockstat -k nothing
	expect_exit 2 lockstat 1 2 3
}
