# shellcheck shell=bash disable=SC2016,SC2154 # what is quoted is jq's and the kernel's
# SPDX-License-Identifier: GPL-2.0-or-later
# argdist in a guest: of a program whose calls have known values, each as often as it says

ours=(-n '^values$')
# what nothing else here calls
call=__x64_sys_pread64
[ "$(uname -m)" != aarch64 ] || call=__arm64_sys_pread64

first_check() {
	expect_exit 0 argdist --check
}

# needs_names: of arguments, which take types of the kernel
needs_names() { [ -e /sys/kernel/btf/vmlinux ] || skip "no BTF"; }

# rows_of NAME [FILTER]: the count and the values of each row
rows_of() { jq -c "[.count, (.values | ${2:-.[]})]" "$work/$1.out"; }

# expect_values NAME [FILTER]: these rows, in any order
expect_values() { expect_rows <(rows_of "$@" | sort) < <(sort); }

# A field, an argument, and what a function returns; a function of a program.
first_row() {
	local file
	file=$(command -v values)
	beside field argdist --json "${ours[@]}" syscalls:sys_exit_pread64 ret
	beside argument argdist --json "${ours[@]}" vfs_read 'count=$arg3:u64'
	beside returns argdist --json "${ours[@]}" "$call" '$retval:s64'
	beside program argdist --json "$file:take" '$arg1:s32'
	beside result argdist --json "r:$file:take" '$retval:s32'
	values reads 5 3 reads 70 100 failing 2 takes 6 -4 takes 3 41
	stop_all
	for name in field returns; do
		expect_values $name <<-END
			[70,100]
			[5,3]
			[2,-9]
		END
	done
	expect_values argument <<-END
		[70,100]
		[5,3]
	END
	expect_values program <<-END
		[6,-4]
		[3,41]
	END
	expect_values result <<-END
		[6,-3]
		[3,42]
	END
	expect_rows <(jq -c '.values | keys' "$work"/{field,argument,returns,program,result}.out | uniq) <<-'END'
		["ret"]
		["count"]
		["$retval"]
		["$arg1"]
		["$retval"]
	END
}

# Several values are one key; the most frequent come first, and what is left out is told.
test_text() {
	start argdist "${ours[@]}" --top=3 syscalls:sys_enter_pread64 count pos
	values reads 5 3 reads 70 100 sweep 200 30 reads 6 4
	stop
	expect_status 0
	expect_empty "$err"
	expect_rows "$out" <<-'END'
	Counts of count pos at syscalls:sys_enter_pread64 issued by process name "^values$". Ctrl-C to end.
	   COUNT VALUES
	      70 count=100 pos=0
	       6 count=4 pos=0
	       5 count=3 pos=0
	      30 in 30 other values

	Ending tracing...
	END
	start argdist "${ours[@]}" --top=0 -d 1 syscalls:sys_enter_pread64 count
	finish
	expect_rows <(sed -n '2,$p' "$out") <<-'END'
	   COUNT VALUES

	Ending tracing...
	END
}

test_csv() {
	start argdist --csv "${ours[@]}" syscalls:sys_enter_pread64 count
	values reads 5 3
	stop
	expect_rows <(sed -E '2,$s/^[0-9.]+,/T,/' "$out") <<-'END'
	time,count,values
	T,5,count=3
	END
}

# Whole texts, whatever is in them.
test_texts() {
	local file
	file=$(command -v values)
	beside renamed argdist --json -f 'newcomm ~ "tst*"' task:task_rename newcomm
	beside text argdist "$file:take" 'text=+0($arg2):string' 'n=$arg1:s32'
	beside name argdist -f 'newcomm ~ "tst*"' task:task_rename newcomm
	values name tsta name tstb name $'tst\t\e"' name tstb takes 3 7 takes 1 12
	stop_all
	expect_values renamed <<-'END'
		[1,"tsta"]
		[2,"tstb"]
		[1,"tst\t\u001b\""]
	END
	expect_rows <(sed -n '3,4p' "$work/text.out") <<-'END'
	       3 text=number 7 n=7
	       1 text=number 12 n=12
	END
	! grep -q $'[\t\e]' "$work/name.out" || fail "$(<"$work/name.out")"
	grep -qE '^ *1 newcomm=tst[\]' "$work/name.out" || fail "$(<"$work/name.out")"
}

# What looks the same is one row: a number with a sign and without, and no text is "-".
test_alike() {
	beside numbers argdist --json -n '^(fallocate|sync)$' 'syscalls:sys_enter_f[as][ly][ln]*' fd
	beside dash argdist -f 'newcomm == "-"' task:task_rename newcomm
	: >given
	fallocate -l 1 given || true
	sync given
	values name - name -
	stop_all
	expect_rows <(jq -c .values.fd "$work/numbers.out") <<<3
	expect_rows <(sed -n 3p "$work/dash.out") <<<'       2 newcomm="-"'
}

# Names of arguments, and what is behind them.
test_names() {
	needs_names
	mkdir dir
	echo 12345 >dir/known
	# a text of a program need not be in memory yet
	start argdist --json -n '^dd$' do_sys_openat2 filename:ustring how-\>resolve
	dd if=dir/known of=/dev/null bs=1 count=4 2>/dev/null
	stop
	expect_rows <(jq -c 'select(.values.filename == "dir/known") | [.count, .values["how->resolve"]]' "$out") <<<'[1,0]'
	start argdist --json -n '^dd$' -f 'count == 1' vfs_read file:%pD count
	dd if=dir/known of=/dev/null bs=1 count=4 2>/dev/null
	stop
	expect_empty "$err"
	expect_rows <(jq -c '[.count, .values.file, .values.count]' "$out") <<<'[4,"known",1]'
}

# What a pointer leads nowhere to is no value, in a program and in the kernel.
test_faults() {
	local file
	file=$(command -v values)
	start argdist --json "$file:take" '$arg1:s32' 'given=+8($arg3):s64' 'text=+0($arg3):string'
	values takes 5 4 takes 6 -4 takes 7 3
	stop
	expect_status 0
	expect_rows <(jq -c '[.count, .values["$arg1"], .values.given, .values.text]' "$out" | sort) <<-'END'
	[5,4,40,""]
	[6,-4,null,null]
	[7,3,30,""]
	END
	expect_rows "$err" <<<"argdist: 6 events had values that could not be read"
	start argdist -H --csv "$file:take" '+8($arg3):s64'
	values takes 5 4 takes 6 -4
	stop
	expect_rows <(awk -F, 'NR > 1 { n += $4 } END { print n }' "$out") <<<5
	expect_rows "$err" <<<"argdist: 6 events had values that could not be read: not counted"
	# of a pipe there is no position
	start argdist --json -n '^dd$' -f 'count == 1' vfs_read 'pos=+0($arg4):s64' 'count=$arg3:u64'
	printf 12345 | dd bs=1 count=5 of=/dev/null 2>/dev/null
	dd if=/proc/version bs=1 count=3 of=/dev/null 2>/dev/null
	stop
	expect_rows <(jq -c '[.count, .values.pos]' "$out" | sort) <<-'END'
	[1,0]
	[1,1]
	[1,2]
	[5,null]
	END
	expect_rows "$err" <<<"argdist: 5 events had values that could not be read"
}

# counts_of NAME: of its buckets
counts_of() { awk -F, 'NR > 1 { printf "%s%s", (NR > 2 ? " " : ""), $4 } END { print "" }' "$work/$1.out"; }

# Points are powers of 2, as far as there are values; an unsigned number is never below 0.
test_histograms() {
	local enter=syscalls:sys_enter_pread64 file
	file=$(command -v values)
	beside powers argdist -H --csv "${ours[@]}" syscalls:sys_exit_pread64 ret
	beside fours argdist -H --csv -P 4 -m 20 "${ours[@]}" $enter count
	beside points argdist -H --csv -b '1 9223372036854775807' "${ours[@]}" $enter count
	beside program argdist -H --csv -b '-10 0 40' "$file:take" '$arg1:s32'
	beside result argdist -H --csv -b '-10 0 40' "$file:take" '$retval:s32'
	beside function argdist -H --csv -b '50' "${ours[@]}" vfs_read '$arg3:u64'
	values reads 5 3 reads 7 100 reads 2 4 huge takes 6 -4 takes 3 41 takes 9 -1 takes 2 -50
	stop_all
	expect_rows <(counts_of powers) <<<'2 0 0 5 2 0 0 0 7'
	expect_rows <(counts_of fours) <<<'0 0 5 2 9'
	expect_rows <(counts_of points) <<<'0 14 2'
	expect_rows <(counts_of program) <<<'2 15 0 3'
	expect_rows <(counts_of result) <<<'2 6 9 3'
	expect_rows <(counts_of function) <<<'7 7'
	start argdist -H "${ours[@]}" syscalls:sys_exit_pread64 ret
	values reads 5 3 reads 10 1
	stop
	expect_rows "$out" <<-'END'
	Histogram of ret at syscalls:sys_exit_pread64 issued by process name "^values$". Ctrl-C to end.

	            Range          : Count    Distribution
	              -> -1        : 0        |                                      |
	            0 -> 0         : 0        |                                      |
	            1 -> 1         : 10       |######################################|
	            2 -> 3         : 5        |###################                   |

	Ending tracing...
	END
}

# An int that a system call is given has a sign, whatever its register says.
test_signs() {
	beside histogram argdist -H --csv -n '^dd$' -b '-101 -100 -99' syscalls:sys_enter_openat dfd
	beside counts argdist --json -n '^dd$' syscalls:sys_enter_openat dfd
	dd if=/dev/null of=/dev/null 2>/dev/null
	stop_all
	expect_rows <(jq -c .values.dfd "$work/counts.out") <<<-100
	expect_rows <(counts_of histogram) <<<"0 0 $(jq .count "$work/counts.out")"
}

# Filters are the kernel's: of a field, and of a value that has a name.
test_filters() {
	beside field argdist --json "${ours[@]}" -f 'ret > 3' syscalls:sys_exit_pread64 ret
	beside value argdist --json "${ours[@]}" -f 'got < 100' r:$call 'got=$retval:s64'
	values reads 5 3 reads 7 100 failing 2
	stop_all
	expect_values field <<<'[7,100]'
	expect_values value <<<$'[5,3]\n[2,-9]'
	run argdist -f 'nosuch == 1' syscalls:sys_exit_pread64 ret
	expect_status 1
	grep -q '^argdist: filter of syscalls:sys_exit_pread64: Field not found$' "$err" || fail "$(<"$err")"
	run argdist -f '$arg1 > 3' vfs_read '$arg1:u64' 'second=$arg3:u64'
	expect_status 1
	grep -q '^argdist: what its filter can have: [a-z1]* second$' "$err" || fail "$(<"$err")"
}

# No event is in two intervals, or in none.
test_intervals() {
	beside counts argdist --json "${ours[@]}" -i 0.2 syscalls:sys_exit_pread64 ret
	beside histogram argdist -H --json "${ours[@]}" -i 0.2 -b 1 syscalls:sys_exit_pread64 ret
	values slowly 60 10 failing 3
	stop_all
	expect_rows <(jq -s 'map(select(.values.ret == 1) | .count) | add' "$work/counts.out") <<<60
	expect_rows <(jq -s 'map(select(.values.ret == -9) | .count) | add' "$work/counts.out") <<<3
	expect_rows <(jq -s '(map(.time) | . == sort), (map(.time) | unique | length >= 2)' "$work/counts.out") <<<$'true\ntrue'
	expect_rows <(jq -s 'map(select(.from == 1) | .count) | add' "$work/histogram.out") <<<60
	start argdist "${ours[@]}" -i 0.2 -T -d 0.5 syscalls:sys_exit_pread64 ret
	finish
	expect_rows <(grep -c '^   COUNT VALUES$' "$out") <<<3
	[ "$(grep -c "$(date +%Y)" "$out")" -ge 3 ] || fail "$(<"$out")"
	# an empty line, the date, the header: in both modes
	expect_rows <(sed -n "2,4s/.*$(date +%Y)/DATE/p;2p;4p" "$out") <<<$'\nDATE\n   COUNT VALUES'
	start argdist -H "${ours[@]}" -i 0.2 -T -d 0.3 syscalls:sys_exit_pread64 ret
	finish
	expect_rows <(sed -n "2,4s/.*$(date +%Y)/DATE/p;2p;4p" "$out") <<-'END'

	DATE
	            Range          : Count    Distribution
	END
}

# Those of a process that waits, and of no other.
test_one_of_two() {
	local one go
	mkfifo go
	exec {go}<>go
	bash -c 'read -r _; exec values reads 5 3 takes 4 2' <&"$go" &
	one=$!
	beside field argdist --json -p $one syscalls:sys_exit_pread64 ret
	beside program argdist --json -p $one "$(command -v values):take" '$arg1:s32'
	values reads 70 100 takes 9 8
	echo >&"$go"
	wait $one
	stop_all
	expect_values field <<<'[5,3]'
	expect_values program <<<'[4,2]'
}

# What a capture has can be shown in other ways.
test_captures() {
	local name file
	file=$(command -v values)
	beside field argdist -w field.dat "${ours[@]}" syscalls:sys_exit_pread64 ret
	beside argument argdist -w argument.dat "${ours[@]}" vfs_read 'count=$arg3:u64' 'pos=+0($arg4):s64'
	beside program argdist -w program.dat "$file:take" '$arg1:s32' 'text=+0($arg2):string'
	beside signed argdist -H -w signed.dat "${ours[@]}" syscalls:sys_exit_pread64 ret
	values reads 5 3 reads 70 100 takes 6 -4 takes 3 41
	stop_all
	# not beside the other one there, which reads memory: before 5.14 what it cannot read
	# counts as missed by both
	start argdist -H -w number.dat "${ours[@]}" vfs_read '$arg3:u64'
	values reads 5 3 reads 70 100 takes 6 -4 takes 3 41
	stop
	expect_status 0
	expect_empty "$err"
	for name in field argument program; do
		to=$work/$name.out run argdist --json -r $name.dat
		expect_status 0
		expect_empty "$err"
	done
	expect_values field <<<$'[70,100]\n[5,3]'
	expect_values argument '[.count, .pos]' <<<$'[70,[100,0]]\n[5,[3,0]]'
	expect_values program '[.["$arg1"], .text]' <<<$'[6,[-4,"number -4"]]\n[3,[41,"number 41"]]'
	# the other way too: of a probe, and of a field
	to=$work/number.out run argdist -C --json -r number.dat
	expect_status 0
	expect_empty "$err"
	expect_values number <<<$'[70,100]\n[5,3]'
	to=$work/signed.out run argdist -C --json -r signed.dat
	expect_status 0
	expect_empty "$err"
	expect_values signed <<<$'[70,100]\n[5,3]'
	to=$work/number.out run argdist -H --csv -b 50 -r number.dat
	expect_rows <(counts_of number) <<<'5 70'
	to=$work/field.out run argdist -H --csv -b 50 -r field.dat
	expect_status 0
	expect_rows <(counts_of field) <<<'5 70'
}

# As many are kept as there is memory for, and how many were not is said.
once_too_many_values() {
	local file counted lost
	file=$(command -v values)
	start argdist --json "$file:take" '$arg1:s32'
	values takes1 1 70000
	stop
	lost=$(sed -nE 's/^argdist: ([0-9]+) events were lost.*/\1/p' "$err")
	counted=$(jq -s 'map(.count) | add' "$out")
	expect_rows <(grep -v 'were lost' "$err") <<<"argdist: $((70000 - ${lost:-0} - counted)) events were not counted: too many different values"
	expect_rows <(jq -s length "$out") <<<65536
}

is_between() { [ "$1" -le "$2" ] && [ "$2" -le "$3" ]; }

# A reader that does not come to run: what was lost is said, and is in no count.
test_losses() {
	local lost counted
	start argdist --strict --json --buffer=64K -f 'ret == 1 && comm == "values"' syscalls:sys_exit_pread64 ret
	kill -STOP "$pid"
	values reads 6000 1
	kill -CONT "$pid"
	stop
	expect_status 1
	lost=$(sed -nE 's/^argdist: ([0-9]+) events were lost: .*/\1/p' "$err")
	counted=$(jq -s 'map(select(.values.ret == 1) | .count) | add' "$out")
	# what the library itself records of the workload is among what is lost
	is_between 6000 $((counted + ${lost:-0})) 6010 || fail "$counted counted: $(<"$err")"
	is_between 1 "$counted" 6000 || fail "$counted counted"
	[ "$lost" ] || fail "nothing was lost"
}

test_globs() {
	# sys_enter_pread64 has no such field
	start argdist --json -w glob.dat "${ours[@]}" 'syscalls:sys_e*_pread64' ret
	values reads 5 3
	stop
	expect_status 0
	expect_rows "$err" <<<'argdist: 1 of 2 tracepoints are left out: without these fields'
	run argdist --json -r glob.dat
	expect_status 0
	expect_rows <(jq -c '[.count, .values.ret]' "$out") <<<'[5,3]'
	run argdist 'syscalls:sys_e*_pread64' nothing
	expect_status 1
	grep -q '^argdist: syscalls:sys_enter_pread64 has no field nothing, but:$' "$err" || fail "$(<"$err")"
	! grep -q 'left out' "$err" || fail "$(<"$err")"
	start argdist --json "${ours[@]}" 'syscalls:sys_exit_*read64' ret
	values reads 5 3
	stop
	expect_rows <(jq -c '[.count, .values.ret]' "$out") <<<'[5,3]'
	start argdist --json "${ours[@]}" 'vfs_rea[d]' '$arg3:u64'
	values reads 5 3
	stop
	expect_rows <(jq -c '[.count, .values["$arg3"]]' "$out") <<<'[5,3]'
}

# What a function of the kernel returns is the return in all that is said, and in captures.
test_returns() {
	beside short argdist "${ours[@]}" p:vfs_read '$retval:s64'
	beside long argdist -w long.dat "${ours[@]}" r:p:vfs_read '$retval:s64'
	beside program argdist --json "r:u:$(command -v values):take" '$retval:s32'
	values reads 5 3 takes 6 -4
	stop_all
	expect_rows <(sed -n '1p;3p' "$work/short.out") <<-'END'
	Counts of $retval:s64 at r:p:vfs_read issued by process name "^values$". Ctrl-C to end.
	       5 $retval=3
	END
	expect_values program <<<'[6,-3]'
	to=$work/again.out run argdist --json -r long.dat
	expect_status 0
	expect_values again <<<'[5,3]'
}

# The return of a module's function needs no "p:", and in a capture neither.
test_modules() {
	start argdist -w module.dat -n '^cat$' r:9p:v9fs_file_open '$retval:s32'
	cat /etc/hostname >/dev/null
	stop
	expect_status 0
	expect_empty "$err"
	run argdist --json -r module.dat
	expect_status 0
	expect_empty "$err"
	expect_rows <(jq -c '.values["$retval"]' "$out") <<<0
}

test_wrong_values() {
	run argdist syscalls:sys_exit_pread64 nothing
	expect_status 1
	grep -q '^argdist: syscalls:sys_exit_pread64 has no field nothing, but:$' "$err" || fail "$(<"$err")"
	run argdist syscalls:sys_exit_pread64 ret:u64
	expect_status 1
	expect_rows "$err" <<<'argdist: ret:u64: types are for probes: a field of syscalls:sys_exit_pread64 has its own'
	run argdist -H task:task_rename newcomm
	expect_status 1
	grep -q '^argdist: newcomm of task:task_rename is not a number but text' "$err" || fail "$(<"$err")"
	run argdist 'libc:mallo*' '$arg1'
	expect_status 1
	expect_rows "$err" <<<'argdist: libc:mallo*: name each function of a program: a glob takes no values'
	for name in r:sched:sched_switch 'sched:sched_switch $retval' 't:sched:sched_switch $retval'; do
		# shellcheck disable=SC2086 # two words
		run argdist $name
		expect_status 1
		expect_rows "$err" <<<'argdist: sched:sched_switch is a tracepoint: it has no return'
	done
	needs_names
	run argdist vfs_read cuont
	expect_status 1
	grep -q 'cuont' "$err" || fail "$(<"$err")"
	run argdist -H vfs_read buf
	expect_status 1
	expect_rows "$err" <<<"argdist: buf: buf is a pointer, and no number"
}

host_wrong_use() {
	local see=' (try argdist -h)'
	expect_error 2 "argdist: which event or function, and which values?$see" argdist
	expect_error 2 "argdist: which values of vfs_read?$see" argdist vfs_read
	expect_error 2 "argdist: -H is of one value: \"b\" is another one$see" argdist -H vfs_read a b
	expect_error 2 "argdist: two values are called \$arg1: write NAME=\$arg1:x8$see" argdist f '$arg1:x32' '$arg1:x8'
	expect_error 2 "argdist: two values are called b: write NAME=b$see" argdist a:b b a b
	expect_error 2 "argdist: two values are called a: write NAME=c$see" argdist a:b a=b a=c
	expect_error 2 "argdist: \"b c\": one value in each argument$see" argdist a:b 'b c'
	expect_error 2 "argdist: \"\": which value?$see" argdist a:b ''
	expect_error 2 "argdist: \"n=\": which value?$see" argdist a:b n=
	expect_error 2 "argdist: \$arg*: name each value$see" argdist f '$arg*'
	expect_error 2 "argdist: \"r:\": which event or function?$see" argdist r: x
	expect_error 2 "argdist: -m is for powers, not for -b$see" argdist -H -b '1 3' -m 5 a:b c
	expect_error 2 "argdist: -b is for -H$see" argdist -b '1 3' a:b c
	expect_error 2 "argdist: -P is for -H$see" argdist -C -P 4 a:b c
	expect_error 2 "argdist: -m is for -H$see" argdist -m 4 a:b c
	expect_error 2 "argdist: --top is for counts, not for -H$see" argdist -H --top=0 a:b c
	expect_exit 2 argdist -C -H a:b c
	expect_exit 2 argdist -i 0.0001 a:b c
}

# Many values behind the same pointers, which are fetched once; and too many.
test_many_values_behind_a_pointer() {
	local many
	mapfile -t many < <(printf 'v%d=+0($arg4):s64\n' {1..60})
	start argdist --json -n '^dd$' -f 'count == 1' vfs_read "${many[@]}" 'count=$arg3:u64'
	dd if=/proc/version bs=1 count=3 of=/dev/null 2>/dev/null
	stop
	expect_status 0
	expect_empty "$err"
	expect_rows <(jq -c '[.count, .values.v1, .values.v60]' "$out" | sort) <<-'END'
	[1,0,0]
	[1,1,1]
	[1,2,2]
	END
	# hexadecimal whatever its size
	start argdist "${ours[@]}" vfs_read 'a=$arg3:x8' 'b=$arg3:x32' 'c=$arg3:x64'
	values reads 5 3
	stop
	expect_rows <(sed -n 3p "$out") <<<'       5 a=0x3 b=0x3 c=0x3'
	mapfile -t many < <(printf 'v%d=+0($arg4):s64\n' {1..128})
	run argdist vfs_read "${many[@]}"
	expect_status 1
	expect_rows "$err" <<<'argdist: vfs_read: more than the 128 values that a probe fetches, with the pointers that lead to them: those that the same pointers lead to have to follow each other'
}
