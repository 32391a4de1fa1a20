# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# gethostlatency in a guest: lookups of which the program that makes them says what
# came of them, and how long they took at most

# shellcheck source=/dev/null
. "$here/work/names.bash"

first_check() {
	expect_exit 0 gethostlatency --check
}

first_row() {
	start gethostlatency --json -n '^hosts-shared$'
	hosts-shared look localhost >said
	stop
	expect_status 0
	expect_lookups said
}

# lookups FILE: "CALL HOST RESULT" of what programs said, sorted
lookups() { grep -v '^waits\|^most' "$1" | cut -d' ' -f1-3 | sort; }

# rows [FILE]: the same of JSON
rows() { jq -r '"\(.call) \(.host // "-") \(.result // "-")"' "${1:-$out}" | sort; }

# expect_lookups SAID [FILE]: JSON has a row for each that programs said, and no other
# one; sorted by function, name and time, none took longer than they said, nor much
# less than the server took
expect_lookups() {
	local file=${2:-$out}
	expect_rows <(rows "$file") < <(lookups "$1")
	jq -r '"\(.call) \(.host // "-") \(.result // "-") \(.latency * 1e9 | round)"' "$file" |
		sort -k1,3 -k4n >took
	grep -v '^waits\|^most' "$1" | sort -k1,3 -k4n >at_most
	[ "$(paste -d ' ' took at_most | awk '$4 <= 0 || $4 > $8 + 1000' | wc -l)" = 0 ] || fail "$(paste took at_most)"
	[ "$(awk '$2 ~ /^slow/ && $4 < 200000000 || $2 ~ /^mute/ && $4 < 1000000000' took |
		wc -l)" = 0 ] || fail "too quick: $(<took)"
}

all_calls=(look here.test look slow.test look none.test look fail.test look mute.test
	by here.test by slow.test by none.test by2 here.test by2 none.test
	by_r here.test by_r slow.test small here.test by2_r here.test service 80 threads 20 slow.test)

# programs: sets $programs to those that could be built
programs() {
	local program
	programs=()
	for program in hosts-shared hosts hosts-musl hosts-musl-static; do
		! command -v $program >/dev/null || programs+=("$program")
	done
}

# Calls inside of calls are no rows, whichever C library has them: those of the system,
# and by their files those of static programs.
test_every_call() {
	local program files=()
	resolver 200
	programs
	for program in "${programs[@]}"; do
		[[ $program == hosts-* && $program != *static ]] || files+=("$(command -v "$program")")
	done
	beside system gethostlatency --json -n '^hosts'
	beside static gethostlatency --json -n '^hosts' "${files[@]}"
	for program in "${programs[@]}"; do "$program" "${all_calls[@]}" >"said.$program"; done
	stop_all
	for program in "${programs[@]}"; do
		jq -c --arg comm "${program::15}" 'select(.comm == $comm)' static.out system.out >"rows.$program"
		[ "$(wc -l <"said.$program")" = 35 ] || fail "$(<"said.$program")"
		expect_lookups "said.$program" "rows.$program"
	done
	expect_rows <(jq -r .comm static.out | sort -u) < <(printf '%s\n' "${files[@]##*/}" | cut -c-15 | sort)
}

# begin PROGRAM WORD...: begins it, which waits; $process is its id
begin() {
	local command=("$1")
	[ "$1" != chroot ] || command=("${@:1:3}")
	shift ${#command[@]}
	[ -p go ] || mkfifo go
	exec {go}<>go
	rm -f said
	"${command[@]}" wait "$@" <&"$go" >said &
	process=$!
	wait_lines said 1
}
go_on() {
	echo >&"$go"
	wait "$process"
}

# The library that a process has mapped, or its program, is found by itself; and others
# are not shown.
test_processes() {
	local program
	resolver 200
	programs
	for program in "${programs[@]}"; do
		begin "$program" look here.test by_r slow.test threads 2 none.test
		start gethostlatency --json -p "$process"
		"$program" look here.test >others
		go_on
		stop
		expect_status 0
		expect_empty "$err"
		expect_lookups said
		expect_rows <(jq .pid "$out" | sort -u) <<<"$process"
	done
}

# A process may have another root, and a C library of its own there, which others can
# be asked to be shown of by its path.
test_root() {
	local lib libs
	resolver 200
	need chroot ldd
	mkdir -p root/bin root/etc
	mapfile -t libs < <(ldd "$(command -v hosts-shared)" | grep -o '/[^ ]*')
	for lib in "${libs[@]}"; do
		mkdir -p "root${lib%/*}"
		cp -L "$lib" "root$lib"
	done
	cp "$(command -v hosts-shared)" root/bin
	cp /etc/hosts /etc/resolv.conf /etc/nsswitch.conf root/etc
	begin chroot root /bin/hosts-shared look here.test look slow.test
	mkdir /sys/fs/cgroup/other
	echo "$process" >/sys/fs/cgroup/other/cgroup.procs
	beside own gethostlatency --json -p "$process"
	beside group gethostlatency --json --cgroup=other
	beside path gethostlatency --json "/proc/$process/root$(printf '%s\n' "${libs[@]}" | grep '/libc\.so')"
	beside system gethostlatency --json -n '^hosts-shared$'
	hosts-shared look here.test >others
	go_on
	stop_all
	rmdir /sys/fs/cgroup/other
	expect_lookups said own.out
	expect_lookups said group.out
	expect_lookups said path.out
	expect_lookups others system.out
}

no_loaders() {
	rm -f /lib/ld-musl-{other,empty,gone}.so.1
	no_resolver
}
# Programs of another machine, empty files and links to nowhere may be where musl's
# loaders are.
test_unusable_loaders() {
	resolver 200
	at_end no_loaders
	cp "$(command -v hosts)" /lib/ld-musl-other.so.1
	printf '\2\0' | dd of=/lib/ld-musl-other.so.1 bs=1 seek=18 conv=notrunc status=none	# SPARC
	: >/lib/ld-musl-empty.so.1
	ln -s /no/file /lib/ld-musl-gone.so.1
	start gethostlatency --json -n '^hosts-shared$'
	hosts-shared look here.test >said
	stop
	expect_status 0
	expect_empty "$err"
	expect_lookups said
	expect_exit 1 gethostlatency /lib/ld-musl-other.so.1
}

# A process that has no C library to be found may execute a program that has one.
test_children() {
	resolver 200
	need busybox
	mkfifo go
	exec {go}<>go
	rm -f said
	# shellcheck disable=SC2016
	busybox sh -c 'echo waits; read -r line; exec "$@"' sh "$(command -v hosts-shared)" look here.test <&"$go" >said &
	process=$!
	wait_lines said 1
	mkdir /sys/fs/cgroup/other
	echo "$process" >/sys/fs/cgroup/other/cgroup.procs
	beside group gethostlatency --json --cgroup=other
	beside follow gethostlatency --json --follow -p "$process"
	hosts-shared look here.test >others
	go_on
	stop_all
	rmdir /sys/fs/cgroup/other
	expect_lookups said group.out
	expect_lookups said follow.out
}

# Only what failed, and only what took long; with both, what failed and took long.
test_filters() {
	resolver 200
	beside failed gethostlatency -x --json -n '^hosts-shared$'
	beside slow gethostlatency --min=200 --json -n '^hosts-shared$'
	beside both gethostlatency --failed --min=200ms --json -n '^hosts-shared$'
	beside all gethostlatency --json -n '^hosts-shared$'
	beside csv gethostlatency --csv -x -n '^hosts-shared$'
	hosts-shared "${all_calls[@]}" >said
	stop_all
	grep ' EAI_\| failed\| ERANGE' said >said.failed
	expect_lookups said all.out
	expect_lookups said.failed failed.out
	# a stop of the host can make any of them slow
	jq -c 'select(.latency >= 0.2)' all.out >all.slow
	rows slow.out >slow
	expect_rows slow < <(rows all.slow)
	[ "$(grep -c slow.test slow)" -ge 22 ] || fail "$(<slow)"
	jq -c 'select(.latency >= 0.2 and .result != "ok" and .result != null)' all.out >all.both
	rows both.out >both
	expect_rows both < <(rows all.both)
	grep -q mute.test both || fail "$(<both)"
	expect_rows <(sed 's/^[0-9.]*,[0-9]*,[0-9]*,hosts-shared,[0-9.]*,//' csv.out) <<-'END'
	time,pid,tid,comm,latency,call,result,error,host
	getaddrinfo,EAI_NONAME,-2,none.test
	getaddrinfo,EAI_AGAIN,-3,fail.test
	getaddrinfo,EAI_AGAIN,-3,mute.test
	gethostbyname,failed,,none.test
	gethostbyname2,failed,,none.test
	gethostbyname_r,ERANGE,34,here.test
	END
}

test_text() {
	resolver 200
	start gethostlatency -n '^hosts-shared$'
	hosts-shared look here.test by slow.test look none.test by_r here.test service 80 >said
	stop
	expect_status 0
	expect_match "$out" <<-'END'
	Tracing lookups of host names issued by process name "^hosts-shared$". Ctrl-C to end.
	TIME     PID     COMM                 LATms RESULT       HOST
	??:??:?? *[0-9] *hosts-shared     *.?? ok           here.test
	??:??:?? *[0-9] *hosts-shared     *2??.?? ok           slow.test
	??:??:?? *[0-9] *hosts-shared     *.?? EAI_NONAME   none.test
	??:??:?? *[0-9] *hosts-shared     *.?? -            here.test
	??:??:?? *[0-9] *hosts-shared     *.?? ok           -

	Ending tracing...
	END
}

test_counts() {
	resolver 200
	beside counts gethostlatency -c --json -n '^hosts-shared$'
	beside rows gethostlatency --json -n '^hosts-shared$'
	hosts-shared look here.test look none.test look none.test look slow.test look slow.test look slow.test >said
	stop_all
	expect_lookups said rows.out
	expect_rows <(jq -r '"\(.count) \(.failed) \(.host)"' counts.out) <<-'END'
	1 0 here.test
	2 2 none.test
	3 0 slow.test
	END
	jq -es 'all(.mean * .count <= .total + 1e-4 and .max <= .total and .mean <= .max)' counts.out >/dev/null ||
		fail "$(<counts.out)"
	jq -es '.[2].total >= 0.6 and .[2].max >= 0.2' counts.out >/dev/null || fail "$(<counts.out)"
}

# A capture has the rows that were to be seen, each time it is read, and where it is
# filtered, too.
test_capture() {
	resolver 200
	start gethostlatency -w c.dat -n '^hosts-shared$'
	hosts-shared "${all_calls[@]}" >said
	stop
	expect_status 0
	run gethostlatency -r c.dat --json
	expect_status 0
	expect_lookups said
	cp "$out" first
	run gethostlatency -r c.dat --json
	expect_rows "$out" <first
	run gethostlatency -r c.dat --json -x
	grep ' EAI_\| failed\| ERANGE' said >said.failed
	expect_lookups said.failed
}

# A name may be on a page that is not in memory yet.
test_page_not_in_memory() {
	resolver 200
	printf here.test >name
	start gethostlatency --json -n '^hosts-shared$'
	hosts-shared cold name >said
	stop
	expect_lookups said
}

# left_or_not SAID [FILE]: rows are as expect_lookups says, and those that were left have
# no time
left_or_not() {
	local file=${2:-$out}
	jq -c 'select(.result == "left")' "$file" >rows.left
	jq -c 'select(.result != "left")' "$file" >rows.not
	expect_rows <(rows rows.left) < <(grep ' left ' "$1" | lookups /dev/stdin)
	expect_rows <(jq -c .latency rows.left | sort -u) <<<null
	grep -v ' left ' "$1" >"$1.not"
	expect_lookups "$1.not" rows.not
}

# What was left by siglongjmp() is told of; the next lookups have their own time, also
# deeper in the stack, where a lookup's own calls could be, and in other threads.
test_left_without_return() {
	local program
	resolver 200
	for program in hosts-shared hosts-musl; do
		command -v "$program" >/dev/null || continue
		beside live gethostlatency --json -n "^$program\$"
		beside kept gethostlatency -w left.dat -n "^$program\$"
		beside failed gethostlatency --json -x -n "^$program\$"
		beside slow gethostlatency --json --min=1us -n "^$program\$"
		beside counted gethostlatency --json -c -n "^$program\$"
		"$program" jump mute.test jump mute.test look here.test by here.test \
			beside slow.test jump mute.test deep here.test deep none.test jump mute.test \
			beside slow.test deep slow.test by_r here.test jump mute.test deep here.test >said
		stop_all
		left_or_not said live.out
		run gethostlatency -r left.dat --json
		left_or_not said
		grep ' left \| EAI_' said >said.failed
		left_or_not said.failed failed.out
		expect_rows <(jq -r 'select(.result == "left")' slow.out) </dev/null
		expect_rows <(jq -r 'select(.host == "mute.test") | "\(.count) \(.failed) \(.total) \(.mean) \(.max)"' counted.out) <<<"5 5 null null null"
	done
}

# In a program that is linked statically its own calls look like those of the library.
test_left_in_static_programs() {
	resolver 200
	start gethostlatency --json "$(command -v hosts)"
	hosts jump mute.test jump mute.test look here.test by here.test >said
	stop
	left_or_not said
}

# A thread may end in a lookup: cancelled, or killed.
test_left_by_the_end_of_a_thread() {
	resolver 200
	start gethostlatency --json -n '^hosts-shared$'
	hosts-shared cancel mute.test look here.test >said
	mv said first
	begin hosts-shared deep mute.test
	echo >&"$go"
	until_true 60 is_in_poll || fail "it does not wait for an answer"
	kill -KILL "$process"
	wait "$process" || true
	echo "getaddrinfo mute.test left 0" >>first
	stop
	left_or_not first
}

# 5.10 tells where in wchan only while that is traced
is_in_poll() { grep -q poll "/proc/$process/wchan" "/proc/$process/stack"; }

# Each of 10,000 lookups in 8 threads, and no other one.
test_many_at_once() {
	local names
	resolver 200
	printf -v names ' many%s' {0..124}
	echo "10.9.8.6$names" >>/etc/hosts
	start gethostlatency --json --strict --buffer=16M -n '^hosts-shared$'
	for _ in {1..10}; do hosts-shared crowd 125 many; done >said
	stop
	expect_status 0
	[ "$(wc -l <said)" = 80 ] || fail "$(<said)"
	awk '{ for (i = 0; i < 125; i++) print $1, "many" i }' said | sort >looked
	jq -r 'select(.result == "ok") | "\(.tid) \(.host)"' "$out" | sort >shown
	cmp looked shown || fail "$(diff looked shown | head)"
	# those of a thread are one after the other
	jq -r '"\(.tid) \(.time - .latency) \(.time)"' "$out" | sort -k1,1n -k3,3n |
		awk '$1 == tid && $2 < end - 0.000002 { print } { tid = $1; end = $3 }' >across
	expect_empty across
}

# Where 32-bit programs have their arguments is not known.
test_32_bit_programs() {
	local told
	resolver 200
	at_end no_group
	command -v hosts32 >/dev/null || skip "no 32-bit program can be built here"
	echo | hosts32 >said || skip "this kernel runs no 32-bit programs"
	expect_rows said < <(printf '%s\n' waits ok)
	begin hosts32
	mkdir /sys/fs/cgroup/other
	echo "$process" >/sys/fs/cgroup/other/cgroup.procs
	expect_exit 1 gethostlatency -p "$process"
	expect_match "$err" <<-'END'
	gethostlatency: *lib32/libc*.so* is of another word size than the kernel: its calls are not shown
	gethostlatency: no C library was found: give its file, or that of a program that has it linked in
	END
	expect_error 3 "gethostlatency: /lib32/libc.so.6 is of another word size than the kernel: its calls cannot be shown" \
		gethostlatency /lib32/libc.so.6
	rm "$work"/*.err
	beside group gethostlatency --json --cgroup=other
	told=$err
	beside all gethostlatency --json -n '^hosts'
	go_on
	hosts-shared look here.test >others
	mv "$told" refused
	stop_all
	grep -q ok said || fail "$(<said)"
	expect_match refused <<<"gethostlatency: *lib32/libc*.so* is of another word size than the kernel: its calls are not shown"
	expect_empty group.out
	expect_lookups others all.out
}

no_group() {
	kill "${process-}" || :
	until_true 10 rmdir /sys/fs/cgroup/other || :
	no_resolver
} 2>/dev/null

# Containers of one image have one file of the library, also those that start later.
test_containers_of_an_image() {
	local lib libs name
	resolver 200
	need chroot ldd mount
	mkdir -p ov
	mount -t tmpfs none ov
	at_end no_containers
	mkdir -p ov/image/{bin,etc} ov/{a,b}/{upper,work,root}
	mapfile -t libs < <(ldd "$(command -v hosts-shared)" | grep -o '/[^ ]*')
	for lib in "${libs[@]}"; do
		mkdir -p "ov/image${lib%/*}"
		cp -L "$lib" "ov/image$lib"
	done
	cp "$(command -v hosts-shared)" ov/image/bin
	cp /etc/hosts /etc/resolv.conf /etc/nsswitch.conf ov/image/etc
	for name in a b; do
		mount -t overlay none -o "lowerdir=ov/image,upperdir=ov/$name/upper,workdir=ov/$name/work" "ov/$name/root" ||
			skip "this kernel has no overlayfs"
	done
	start gethostlatency --json "ov/a/root$(printf '%s\n' "${libs[@]}" | grep '/libc\.so')"
	chroot ov/b/root /bin/hosts-shared look here.test by slow.test >said
	stop
	expect_status 0
	expect_lookups said
}
no_containers() {
	umount ov/a/root ov/b/root ov || true
	no_resolver
}

test_other_programs() {
	resolver 200
	need getent python3
	start gethostlatency --json -n '^getent$|^python3'
	# of IPv6 addresses there are none
	getent hosts slow.test >said
	grep -q '^10.9.8.7 ' said || fail "$(<said)"
	! getent ahosts none.test >said || fail "$(<said)"
	python3 -c 'import socket; print(socket.gethostbyname("slow.test"))' >said
	stop
	expect_rows said <<<10.9.8.7
	expect_rows <(jq -r '"\(.comm | .[:6]) \(.call) \(.host) \(.result) \(if .host == "slow.test" then .latency >= 0.2 else "" end)"' "$out" | sed 's/ $//') <<-'END'
	getent gethostbyname2 slow.test failed true
	getent gethostbyname2 slow.test ok true
	getent getaddrinfo none.test EAI_NONAME
	python getaddrinfo slow.test ok true
	END
}

# Of a name that is too long for a record nothing is told but that it was there.
test_long_names() {
	local long
	resolver 200
	printf -v long '%300s' ''
	long=${long// /a}
	start gethostlatency --json -n '^hosts-shared$'
	hosts-shared look "$long" look here.test >said
	stop
	expect_lookups said
}

# A tool that is stopped cannot read.  No return is paired with the call of another
# lookup: that would have taken longer than any did.
test_losses() {
	local lost kept most
	resolver 200
	start gethostlatency --json --buffer=64K --strict
	kill -STOP "$pid"
	hosts-shared times 3000 here.test >said
	kill -CONT "$pid"
	hosts-shared times 10 here.test >>said
	stop
	expect_status 1
	lost=$(sed -n 's/^gethostlatency: \([0-9]*\) events were lost: .*/\1/p' "$err")
	jq -c 'select(.call)' "$out" >kept
	kept=$(wc -l <kept)
	if [ $((lost + 2 * kept)) -lt 6000 ] || [ $((lost + 2 * kept)) -gt 6100 ]; then
		fail "$kept rows and $lost events lost: $(<"$err")"
	fi
	[ "$kept" -gt 10 ] || fail "$kept rows"
	expect_rows <(rows kept | uniq) <<<"getaddrinfo here.test ok"
	most=$(sort -k2n said | sed -n '$s/most //p')
	jq -es --argjson most "$most" 'all(.latency * 1e9 <= $most)' kept >/dev/null || fail "more than $most"
}

test_wrong_files() {
	expect_error 1 "gethostlatency: /bin/true has no getaddrinfo or the like in its symbols" gethostlatency /bin/true
	expect_exit 1 gethostlatency /no/file
	expect_exit 1 gethostlatency -p 999999
}

host_wrong_use() {
	local try='(try gethostlatency -h)'
	expect_error 2 "gethostlatency: -i is for -c $try" gethostlatency -i 1
	expect_exit 2 gethostlatency --min=x
}

host_layouts() {
	capture gethostlatency
	run gethostlatency -r "$capture" --time=relative
	sed -i 's/^ *[0-9.]* *[0-9]* *hosts-shared *[0-9.]* /T PID hosts-shared MS /' "$out"
	expect_rows "$out" <<-'END'
	Tracing lookups of host names issued by process name "^hosts-shared$". Ctrl-C to end.
	TIMEs            PID     COMM                 LATms RESULT       HOST
	T PID hosts-shared MS ok           here.test
	T PID hosts-shared MS ok           slow.test
	T PID hosts-shared MS EAI_NONAME   none.test
	T PID hosts-shared MS ok           here.test
	T PID hosts-shared MS ERANGE       here.test
	T PID hosts-shared MS ok           -

	Ending tracing...
	END
	run gethostlatency -r "$capture" -c
	sed -i 's/ *[0-9.]* *[0-9.]* *[0-9.]* \([^ ]*\)$/ \1/; 2s/.*/HEAD/' "$out"
	expect_rows "$out" <<-'END'
	Counting lookups of host names issued by process name "^hosts-shared$". Ctrl-C to end.
	HEAD
	       1        0 -
	       1        1 none.test
	       1        0 slow.test
	       3        1 here.test

	Ending tracing...
	END
	run gethostlatency -r "$capture" --csv -x --min=0.001
	sed -i 's/^[0-9.]*,[0-9]*,[0-9]*,hosts-shared,[0-9.]*,//' "$out"
	expect_rows "$out" <<-'END'
	time,pid,tid,comm,latency,call,result,error,host
	getaddrinfo,EAI_NONAME,-2,none.test
	gethostbyname_r,ERANGE,34,here.test
	END
}

# Other files than those that it was made of cannot be asked for.
host_files_of_a_capture() {
	capture gethostlatency
	expect_exit 2 gethostlatency -r "$capture" libc
}

host_heatmap() {
	capture gethostlatency
	run gethostlatency -r "$capture" --heatmap=map.svg
	expect_status 0
	grep -q 'Time of lookups' map.svg || fail "no heat map"
}
