# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# execsnoop in a guest: what it must show for programs that are run in odd ways

# rows [FILE]: those of a tool
rows() { sed -e 1,2d -e '/^$/,$d' "${1-$out}"; }

# All; and beside them, without -r, a process once, but a new one with its PID again.
test_every_kind_of_exec_and_argument() {
	local nothing
	nothing=$(command -v nothing)
	beside once execsnoop '^(nothing|execs)$'
	beside all execsnoop -r --failed 'execs|nothing|by-descr|program|passwd|^$'
	"$(command -v execs)" "$nothing" >expected
	stop_all
	rows all.out | grep -v "/execs $nothing\$" >rows
	expect_rows rows <expected
	rows once.out | awk '$4 ~ /second|again|third|replaced|first|reused/ { print $4 }' >rows
	expect_rows rows <<-END
	again
	replaced
	first
	reused
	END
}

host_header_and_columns() {
	capture execsnoop
	run execsnoop --read="$capture" -tu -n nobody
	expect_status 0
	expect_empty "$err"
	expect_rows "$out" <<-'END'
	Tracing exec()s issued by process name "execs$|nothing|by-descr|program|passwd|^$". Ctrl-C to end.
	TIMEs               UID    PID   PPID ERR          ARGS

	Ending tracing...
	END
}

# -r is of the original, where another reads a capture by it in other tools.
host_capture_behind_r() {
	capture opensnoop
	cp "$capture" file
	expect_error 2 'execsnoop: file is a capture, which --read=file shows: -r is another option here (try execsnoop -h)' execsnoop -r file
	expect_exit 2 execsnoop -tr file
	expect_exit 1 execsnoop --read=/dev/null -r file
	capture execsnoop
	expect_exit 0 execsnoop --read="$capture" -r "$capture"
	echo text >file
	expect_exit 1 execsnoop -r file
	! grep capture "$err"
}

# This shell was there before, and one child is another user's.
test_limit_uid_parent_and_script() {
	local nothing children=()
	nothing=$(command -v nothing)
	printf '#!/bin/sh\n:\n' >/mnt/script
	chmod +x /mnt/script
	beside limited execsnoop -a 2 '^nothing$'
	beside users execsnoop -ru '^nothing$'
	beside script execsnoop --json script
	nothing one two three &
	wait $!
	children+=($!)
	nothing one &
	wait $!
	children+=($!)
	setpriv --reuid 65534 --clear-groups "$nothing" other &
	wait $!
	children+=($!)
	/mnt/script 'an argument'
	stop_all
	expect_rows <(rows limited.out | awk '{ $1 = $2 = ""; print }') <<-END
	  nothing one [...]
	  nothing one
	END
	expect_rows <(rows users.out | awk '{ print $1, $2, $3, $NF }') <<-END
	0 ${children[0]} $BASHPID three
	0 ${children[1]} $BASHPID one
	65534 ${children[2]} $BASHPID other
	END
	expect_rows <(sed 's/"time":[0-9.]*/"time":1/; s/"pid":[0-9]*,"ppid":[0-9]*/"pid":2/' script.out) <<-'END'
	{"time":1,"uid":0,"pid":2,"error":null,"file":"/mnt/script","args":["/bin/sh","/mnt/script","an argument"]}
	END
}

# many N LEN: N arguments of LEN bytes, each another, in $many
many() {
	local i
	many=()
	for ((i = 0; i < $1; i++)); do printf -v "many[$i]" "%0$2d" "$i"; done
}

# All of it from the new stack: the programs are gone at once, and the next one in
# the same process has one argument less.
test_all_arguments_of_a_short_process() {
	local count x args many expected=()
	start execsnoop -r '^(env|nothing)$'
	for count in 0 1 7 109 299 1999 4094; do
		many "$count" 7
		env nothing "${many[@]}" &
		wait $!
		args="nothing${many[*]:+ ${many[*]}}"
		expected+=("$! env $args" "$! $args")
	done
	for count in 5000 32761; do
		printf -v x "%0${count}d" 5
		(exec -a first nothing "$x") &
		wait $!
		expected+=("$! first $x")
	done
	stop
	expect_empty "$err"
	expect_rows <(rows | sed -E 's/^ *([0-9]+) +[0-9]+/\1/') < <(printf '%s\n' "${expected[@]}")
}

# Pointers of four bytes; what comes next in the same process is another program.
test_arguments_of_32_bit_programs() {
	local many x5000
	command -v calls32 >/dev/null || skip "no 32-bit program can be built here"
	calls32 </dev/null || skip "this kernel runs no 32-bit programs"
	printf -v x5000 '%05000d' 5
	many 299 7
	start execsnoop -r '^(calls32|nothing)$'
	calls32 </dev/null
	calls32 one '' "two words" </dev/null
	calls32 "${many[@]}" </dev/null
	calls32 "$x5000" </dev/null
	bash -c 'exec -a nothing32 calls32 first' </dev/null
	stop
	expect_empty "$err"
	expect_rows <(rows | awk '{ $1 = $2 = ""; print }') <<-END
	  calls32
	  calls32 one '' 'two words'
	  calls32 ${many[*]}
	  calls32 $x5000
	  nothing32 first
	END
}

# filled SIZE ARG...: arguments of so many bytes in all, NULs included, in $filled,
# the program's name "nothing" among them, but not there
filled() {
	local left=$(($1 - 8)) part arg
	shift
	filled=("$@")
	for arg; do left=$((left - ${#arg} - 1)); done
	while [ $left -gt 0 ]; do
		part=$((left > 101000 ? 100000 : left))
		printf -v arg "%0$((part - 1))d" ${#filled[@]}
		filled+=("$arg")
		left=$((left - part))
	done
}

# More than is kept of the stack: read while the program is the same.  Some sizes are
# multiples of what the filters count by.
test_large_arguments_of_a_living_process() {
	local size filled processes=() expected=()
	start execsnoop '^nothing$'
	for size in 41000 64536 65536 66000 131000 131072 131073 262144 1048576; do
		filled $size -w
		nothing "${filled[@]}" &
		processes+=($!)
		expected+=("$! nothing ${filled[*]}")
	done
	wait_lines "$out" $((${#processes[@]} + 2))
	kill "${processes[@]}"
	stop
	expect_empty "$err"
	expect_rows <(rows | sed -E 's/^ *([0-9]+) +[0-9]+/\1/' | sort -n) < <(printf '%s\n' "${expected[@]}")
}

# The tool sees them when they are gone.
test_large_arguments_of_a_short_process() {
	local size filled text expected=()
	start execsnoop '^nothing$'
	kill -STOP "$pid"
	for size in 32768 32769 64536 65536 66000 96000 131000 131072 131073 262144 1048576; do
		filled $size
		nothing "${filled[@]}" &
		wait $!
		text="$! nothing ${filled[*]}"
		if [ $size -gt 32768 ]; then text="${text::32768 + ${#!} + 1} [...]"; fi
		expected+=("$text")
	done
	kill -CONT "$pid"
	stop
	expect_empty "$err"
	expect_rows <(rows | sed -E 's/^ *([0-9]+) +[0-9]+/\1/') < <(printf '%s\n' "${expected[@]}")
}

# What another processor puts to sleep at the wrong moment does not come: of a
# living process it is read.
test_arguments_without_a_part() {
	local filled filter
	start execsnoop '^nothing$'
	filter=$(echo "$tracefs"/instances/*execsnoop*/events/*execsnoop*/*args4608*/filter)
	echo 'argc < 0' >"$filter"
	filled 9000 -w
	nothing "${filled[@]}" &
	wait_lines "$out" 3
	kill $!
	wait $! || :
	kill -STOP "$pid"
	nothing "${filled[@]:1}"
	kill -CONT "$pid"
	stop
	expect_empty "$err"
	expect_rows <(rows | awk '{ $1 = $2 = ""; print }') <<-END
	  nothing ${filled[*]}
	  nothing ${filled[1]::4600} [...]
	END
}

test_burst_is_complete() {
	local nothing n
	nothing=$(command -v nothing)
	start execsnoop '^nothing$'
	burst exec 100 "$nothing" >/dev/null &
	burst exec 100 "$nothing" >/dev/null
	wait $!
	stop
	n=$(rows | grep -c "$nothing one two\$")
	[ "$n" = 200 ] || fail "$n rows of 200"
	expect_empty "$err"
}

test_kernel_without_btf() {
	if grep -q '<argname>\[->field' "$tracefs/README"; then
		skip "this kernel's probes know names themselves"
	fi
	mount --bind /mnt /sys/kernel/btf
	expect_exit 3 execsnoop -d 1
	umount /sys/kernel/btf
	grep -q BTF "$err" || fail "$(cat "$err")"
}

# Where it can't do it, as said above, that is what it says.
first_check() {
	run execsnoop --check
	[ "$status" = 0 ] || { expect_status 3; grep -q BTF "$out" "$err" || fail "not for want of BTF"; }
}

first_row() {
	start execsnoop '^nothing$'
	nothing one
	stop
	expect_status 0
	expect_empty "$err"
	expect_match "$out" <<-END
	Tracing exec()s issued by process name "^nothing\\$". Ctrl-C to end.
	   PID   PPID ARGS
	* $BASHPID nothing one

	Ending tracing...
	END
}
