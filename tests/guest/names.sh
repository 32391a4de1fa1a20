# shellcheck shell=bash disable=SC2016,SC2154 # what is quoted is jq's
# SPDX-License-Identifier: GPL-2.0-or-later
# Names of functions in stacks of programs, in a guest: of code that is made at run time,
# of what the kernel maps, and of files that were replaced

# shellcheck disable=SC1091
. "$here/work/naps.bash"

# begin_made [memfd]: the program made, asleep
begin_made() { begin_it made "$work/made.to" "$@"; }

# begin_it COMMAND...: that program by a command, which is its process
begin_it() {
	rm -f "$work/made.to"
	mkfifo -m 666 "$work/made.to"	# for users too
	at_end end_made
	"$@" >"$work/made.said" &
	tid[made]=$!
	wait_lines "$work/made.said" 1
	read -r inside outer outer_size nap nap_size <"$work/made.said"
	map=/tmp/perf-$inside.map
}
end_made() {
	end_all
	rm -f /tmp/perf-*.map /var/tmp/made
}

# describe NAME: adds that of made_nap() to the map; made_outer() is "outer"
describe() { printf '%s %s %s\n' "$nap" "$nap_size" "$1" "$outer" "$outer_size" outer >>"$map"; }

# expect_nap [NAME OUTER]: a tool that starts now has these names of a nap
expect_nap() {
	start offcputime --json --state=S -p "${tid[made]}"
	nap_once
	stop
	expect_status 0
	expect_empty "$err"
	expect_rows <(stacks_of_naps) <<<"[\"${1-[unknown]}\",\"${2-[unknown]}\",\"do_line\",\"main\"]"
}
nap_once() {
	naps=$((naps + 1))
	order made nap 1
	wait_lines "$work/made.said" $((naps + 1))
}
stacks_of_naps() { rows '.count > 0 and (.user // [] | index("do_line"))' "${1-$out}" '.user[:4]' | LC_ALL=C sort -u; }
naps=0

# It is told of while the tool runs, and made anew, in the same place.
test_made_at_run_time() {
	local name
	need_programs
	begin_made
	start offcputime --json --state=S -p "${tid[made]}" 0.1
	see_name '[unknown]'
	for name in 'LazyCompile:*nap /x.js:3' 'int A<B>::nap(int)+c (x)'; do
		describe "$name"
		see_name "$name"
	done
	stop
	expect_status 0
	expect_empty "$err"
	expect_rows <(stacks_of_naps) <<-END
	["LazyCompile:*nap /x.js:3","outer","do_line","main"]
	["[unknown]","[unknown]","do_line","main"]
	["int A<B>::nap(int)+c (x)","outer","do_line","main"]
	END
	expect_nap 'int A<B>::nap(int)+c (x)' outer
}
# A map is not read again at once: a nap may still have the name of before.
see_name() { until_true 60 is_napped "$1" || fail "no $1 in $(<"$out")"; }
is_napped() {
	nap_once
	grep -qF "\"$1\"" "$out"
}

test_made_in_memory_with_a_file() {
	need_programs
	begin_made memfd
	expect_nap '[memfd:made (deleted)]' '[memfd:made (deleted)]'
	describe in_memory
	expect_nap in_memory outer
}

# Its number and its /tmp are those that it sees itself.
test_made_in_namespaces() {
	need_programs
	need unshare
	# this checkout may be below /tmp, which is another one there
	cp "$(command -v made)" /var/tmp/made
	begin_it unshare --fork --pid --mount --kill-child bash -c \
		'exec 9<>"$0"; mount -t proc none /proc; mount -t tmpfs none /tmp; exec /var/tmp/made /dev/fd/9' "$work/made.to"
	tid[outside]=${tid[made]}
	tid[made]=$(pgrep -P "${tid[outside]}")
	expect_rows <(echo "$inside") <<<1
	describe here_outside
	cp "$map" "/tmp/perf-${tid[made]}.map"
	map=/proc/${tid[made]}/root$map
	expect_nap
	describe inside
	expect_nap inside outer
}

# A map counts if it is root's or the user's own; nothing waits for a FIFO.
test_maps_that_are_not_trusted() {
	need_programs
	begin_made
	mkfifo "$map"
	expect_nap
	rm "$map"
	describe foreign
	chown 65534 "$map"
	expect_nap
	mv "$map" other
	chown 0 other
	ln -s "$work/other" "$map"
	expect_nap
	rm "$map"
	mv other "$map"
	expect_nap foreign outer
}

test_maps_of_users() {
	local owner
	need_programs
	for_all
	cp "$(type -P made)" /mnt/made
	begin_it bash -c 'exec 9<>"$0"; exec setpriv --reuid=65534 --regid=65534 --clear-groups /mnt/made /dev/fd/9' "$work/made.to"
	describe users
	for owner in 65534 0; do
		chown $owner "$map"
		expect_nap users outer
	done
	chown 65533 "$map"
	expect_nap
}

# In full, where one made function is called from, and what it calls.
test_whole_names() {
	need_programs
	begin_made
	describe nap
	start uprobe -s "p:$(type -P made):reached"
	order made reach
	wait_lines "$work/made.said" 2
	stop
	expect_status 0
	expect_rows <(sed -nE 's/^ => (.*)\+0x[0-9a-f]+ /\1 /p' "$out" | head -n 4) <<-END
	reached (made)
	outer (${map##*/})
	do_line (made)
	main (made)
	END
}

# Two threads of the same processor, one of which reads the clock all the time.
test_vdso() {
	need_programs
	begin_it taskset -c 0 made "$work/made.to"
	begin other 0
	start offcputime --json --state=R -p "${tid[made]}"
	order other burn 300
	order made clock 600
	wait_lines "$work/made.said" 2
	stop
	expect_status 0
	expect_empty "$err"
	[ "$(count_of '.user // [] | .[0] // "" | test("clock_gettime")' "$out")" -gt 0 ] || fail "$(<"$out")"
}

# Its functions are those of the file that it runs, not of the ones that have its name now.
test_replaced_files() {
	need_programs
	cp "$(type -P made)" prog
	begin_it ./prog "$work/made.to"
	beside probed uprobe -s "p:$work/prog:reached"
	cp "$(type -P waits)" new
	mv new prog
	cp prog 'prog (deleted)'
	beside named offcputime --json --state=S -p "${tid[made]}"
	beside unnamed setpriv --bounding-set=-sys_admin,-checkpoint_restore offcputime --json --state=S -p "${tid[made]}"
	order made reach
	wait_lines "$work/made.said" 2
	order made nap 1
	wait_lines "$work/made.said" 3
	stop_all
	expect_rows <(sed -nE '/^ => 0x/d; s/^ => (.*)\+0x[0-9a-f]+ /\1 /p' "$work/probed.out" | head -n 3) <<-END
	reached (prog (deleted))
	do_line (prog (deleted))
	main (prog (deleted))
	END
	for out in "$work/named.out" "$work/unnamed.out"; do
		rows '.count > 0 and .user != null and .user[0] == "[unknown]"' "$out" '.user[2:4]'
	done >stacks
	expect_rows stacks <<-'END'
	["do_line","main"]
	["[prog (deleted)]","[prog (deleted)]"]
	END
}

# ---- in captures -----------------------------------------------------------------------

# end_it: the program, which leaves nothing behind
end_it() {
	end_all
	rm -f prog /tmp/perf-*.map
	gone "${tid[made]}" || fail "it is still there"
}

# A capture has what a run beside it has shown, of a program that is nowhere any more.
test_captured_rows() {
	need_programs
	cp "$(type -P made)" prog
	begin_it ./prog "$work/made.to"
	describe nap
	beside live uprobe -s "p:$work/prog:reached" "r:$work/prog:reached"
	beside write uprobe -w c.dat -s "p:$work/prog:reached" "r:$work/prog:reached"
	order made reach
	wait_lines "$work/made.said" 2
	stop_all
	end_it
	run uprobe -r c.dat
	expect_status 0
	expect_empty "$err"
	grep -qF " => outer+" "$out" || fail "$(<"$out")"
	expect_rows <(grep '^ =>' "$out") < <(grep '^ =>' "$work/live.out")
}

test_captured_stacks() {
	local file
	need_programs
	cp "$(type -P made)" prog
	begin_it ./prog "$work/made.to"
	describe nap
	beside live offcputime --json --state=S -p "${tid[made]}"
	beside write offcputime -w c.dat --state=S -p "${tid[made]}"
	beside rotate offcputime -w rotated --max-size=1M --rotate=2 --state=S -p "${tid[made]}"
	beside last offcputime -w last --last=600 --state=S -p "${tid[made]}"
	order made nap 5
	wait_lines "$work/made.said" 2
	stop_all
	end_it
	expect_rows <(stacks_of_naps "$work/live.out") <<<'["nap","outer","do_line","main"]'
	for file in c.dat rotated last; do
		run offcputime -r $file --json
		expect_status 0
		expect_empty "$err"
		same_rows "$in_naps" "$out" "$work/live.out"
	done
	chmod a+r c.dat
	chmod a+rx .
	run as_user offcputime -r c.dat --json
	same_rows "$in_naps" "$out" "$work/live.out"
}
in_naps='select(.user // [] | index("do_line")) | [.tid, .comm, .count, .kernel, .user]'

# Of one process, and each has its own functions at its addresses.
test_captured_programs() {
	need_programs
	cp "$(type -P bash)" one
	cp "$(type -P bash)" two
	mkfifo never
	beside write stackcount -U -w c.dat -n '^(one|two)$' syscalls:sys_enter_kill
	loop='until [ -e "end of $0" ]; do kill -0 $$; read -rt 0.01 _ <>never || :; done'
	loop=$loop ./one -c 'eval "$loop"; exec ./two -c "$loop" two' one &
	tid[one]=$!
	at_end end_all
	sees_more
	: >'end of one'
	until_true 60 executes two
	sees_more
	: >'end of two'
	wait "${tid[one]}"
	stop_all
	rm one two
	run stackcount -r c.dat --json
	expect_status 0
	expect_empty "$err"
	expect_rows <(jq -r '"\(.comm) \(.user[0])"' "$out" | sort -u) <<-END
	one kill
	two kill
	END
}
executes() { [ "$(<"/proc/${tid[one]}/comm")" = "$1" ]; }
# sees_more: waits until records went into the file thrice, those of now among them
sees_more() {
	local size
	for _ in 1 2 3; do
		size=$(stat -c %s c.dat)
		until_true 60 grown || fail "the capture does not grow"
	done
}
grown() { [ "$(stat -c %s c.dat)" -gt "$size" ]; }

# While exec goes on its thread is renamed, and no program is mapped whole.
test_captured_short_programs() {
	need_programs
	beside live uprobe -s "p:$(command -v remap):reached"
	beside write uprobe -w c.dat -s "p:$(command -v remap):reached"
	for _ in {1..200}; do remap 20; done
	stop_all
	run uprobe -r c.dat
	expect_status 0
	expect_empty "$err"
	expect_rows <(frames_of reached "$out") <<<4000
	expect_rows <(frames_of caller "$out") <<<4000
	expect_rows <(frames_of main "$out") <<<4000
	expect_rows <(grep -c '^ =>' "$out") <<<"$(grep -c '^ =>' "$work/live.out")"
}
frames_of() { grep -c "^ => $1+0x[0-9a-f]* (remap)\$" "$2"; }

# A file begins with what another processor has recorded before the last one's end.
test_captured_names_in_each_file() {
	local one file
	need_programs
	beside write uprobe -w rot.dat --rotate=100 --max-size=100K -s "p:$(command -v remap):reached"
	# what has ended is named by the probes' file
	kill -STOP "${pids[0]}"
	for one in 1 2; do
		for _ in {1..200}; do remap 10; done &
		tid[loop$one]=$!
	done
	wait "${tid[loop1]}" "${tid[loop2]}"
	kill -CONT "${pids[0]}"
	stop_all
	[ -e rot.dat.2 ] || fail "$(ls)"
	for file in rot.dat*; do
		run uprobe -r "$file"
		expect_status 0
		cat "$out"
	done >all
	# a probe's record may be the last one of a file, and its stack the first of the next
	[ "$(frames_of main all)" -gt 3000 ] || fail "few stacks: $(frames_of main all)"
	! grep '^ => 0x' all || fail "frames have no names: $(grep -c '^ => 0x' all)"
}

# Code of one file, then of another at the same address: the probes' places tell.
test_captured_files_at_one_place() {
	local at
	need_programs
	cp "$(command -v remap)" one
	cp one two
	rm -f in
	mkfifo in
	exec 8<>in
	at_end end_remap
	remap 3 one two one <in >said &
	tid[remap]=$!
	wait_lines said 1
	beside write uprobe -w c.dat -s "p:a $PWD/one:reached" "p:b $PWD/two:reached"
	for at in 2 3 4; do
		echo >&8
		wait_lines said $at
		# what is there is looked at, and a while later may be looked at again
		sees_more
	done
	stop_all
	echo >&8
	wait "${tid[remap]}"
	run uprobe -r c.dat
	expect_status 0
	expect_empty "$err"
	expect_rows <(grep -o '^ => reached+0x0 (.*' "$out" | uniq -c | awk '{ print $1, $4 }') <<-'END'
	3 (one)
	3 (two)
	3 (one)
	END
	expect_rows <(frames_of main "$out") <<<9
}
end_remap() { end_all; exec 8>&-; }

# Killed, it had no time to add names.
test_capture_without_names() {
	need_programs
	begin_made
	start offcputime -w c.dat --state=S -p "${tid[made]}"
	size=$(stat -c %s c.dat)
	until_true 60 is_recorded || fail "it does not grow"
	stop KILL
	settle
	run offcputime -r c.dat --json
	expect_status 0
	expect_rows "$err" <<-'END'
	offcputime: c.dat: the capture is incomplete: only what was written is shown
	offcputime: c.dat: the capture has no names of functions in programs
	END
	expect_rows <(rows '.user != null' "$out" '.user[]' | sort -u) <<<'"[unknown]"'
}
is_recorded() {
	nap_once
	[ "$(stat -c %s c.dat)" -gt "$size" ]
}
