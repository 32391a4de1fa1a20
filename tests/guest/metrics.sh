# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# --metrics of all tools, in a guest: what it counts of work that is known, how its file
# comes and goes, and what bad input there is. What promtool says of it is tested by
# tests/metrics.

# shellcheck disable=SC1091
. "$here/work/devices.bash"
# shellcheck disable=SC1091
. "$here/work/waits.bash"

# last FILE: the lines of a tool's own in the last exposition of --metrics=-, which is whole
last() {
	[ "$(tail -n 1 "$1")" = '# EOF' ] || fail "${1##*/} is not whole"
	awk '/^# EOF$/ { all = text; text = ""; next } { text = text $0 "\n" } END { printf "%s", all }' "$1" |
		grep -vE '^#|^tracelets_(up|start_time_seconds|cpu_seconds_total|recorded_seconds_total|lost_events_total|other_rows_total|build_info)\{'
}

# of_run NAME FILE: what the file says of the run
of_run() { sed -nE "s/^tracelets_$1\{.*\} (.*)/\1/p" "$2" | tail -n 1; }

# sum NAME FILE: of all series, in the last exposition
sum() { last "$2" | awk -v name="$1" '{ n = $1; sub(/{.*/, "", n) } n == name { s += $NF } END { printf "%d\n", s }'; }

# files: all that is in $work/m
files() { (cd "$work/m" && echo *); }
# is_alone: FILE, and nothing else of a run
has_files() { [ "$(files)" = "$1" ]; }

# says LINE FILE: it is there, at any time
says() { grep -qxF "$1" "$2" 2>/dev/null; }

# begin_shell SCRIPT [ARG...]: $shell, which does that once a line comes to $go, and says so
begin_shell() {
	mkfifo go
	exec {go}<>go
	# shellcheck disable=SC2016 # of that shell
	bash -c 'read -r; '"$1"'; echo; read -r' "${@:1}" <go >said 2>/dev/null &
	shell=$!
}
end_shell() {
	kill -KILL "$shell" 2>/dev/null || :
	until_true 60 gone "$shell"
}
go() {
	echo >&"$go"
	wait_lines said 1
}

# shellcheck disable=SC2016 # of that shell
names='for ((i = 0; i < $1; i++)); do printf %s "n$i" >/proc/self/comm; done'


first_file() {
	local file=$work/m/s.prom
	mkdir "$work/m"
	begin one
	start syscount -c -e clock_nanosleep,nanosleep -L "${tid[one]}" --metrics="$file" -i 0.2
	has_files s.prom || fail "$(files)"
	[ "$(stat -c %a:%U "$file")" = 644:root ] || fail "$(ls -l "$file")"
	order one sleep 5 1
	done_with one 1
	until_true 60 says 'tracelets_syscount_calls_total{syscall="clock_nanosleep"} 5' "$file" || fail "$(<"$file")"
	says 'tracelets_up{tool="syscount"} 1' "$file" || fail "$(<"$file")"
	says 'tracelets_lost_events_total{tool="syscount"} 0' "$file" || fail "$(<"$file")"
	order one sleep 3 1
	done_with one 2
	until_true 60 says 'tracelets_syscount_calls_total{syscall="clock_nanosleep"} 8' "$file" || fail "$(<"$file")"
	stop
	expect_status 0
	expect_empty "$err"
	expect_rows "$out" <<<"Metrics go into $file every 0.2 seconds, until the end of this run. Ctrl-C to end."
	has_files '*' || fail "left: $(files)"
}

# flags: without "S", which not all kernels have for a direct read
flags() { sed -E 's/type="([RW])S"/type="\1"/'; }

# I/O of which it is known how many there are, and how large
test_disks() {
	fresh
	null nullb0
	at_end remove_devices
	beside iosnoop iosnoop -d nullb0 --metrics=-
	beside iolatency iolatency -d nullb0 --by=type --percentiles --metrics=-
	beside bitesize bitesize --device=nullb0 --metrics=-
	beside log2 bitesize --device=nullb0 --log2 --by=disk --metrics=-
	beside biotop biotop -d nullb0 -t 1 --metrics=-
	io read /dev/nullb0 0 4096 3
	io read /dev/nullb0 0 512 1
	io write /dev/nullb0 0 16384 2
	stop_all
	expect_rows <(last iosnoop.out | grep -E 'bytes_total|_count' | flags) <<-END
	tracelets_iosnoop_bytes_total{type="R",disk="nullb0"} 12800
	tracelets_iosnoop_bytes_total{type="W",disk="nullb0"} 32768
	tracelets_iosnoop_latency_seconds_count{type="R",disk="nullb0"} 4
	tracelets_iosnoop_latency_seconds_count{type="W",disk="nullb0"} 2
	END
	expect_rows <(last iolatency.out | grep -E '_count|Inf' | flags) <<-END
	tracelets_iolatency_latency_seconds_bucket{type="R",le="+Inf"} 4
	tracelets_iolatency_latency_seconds_count{type="R"} 4
	tracelets_iolatency_latency_seconds_bucket{type="W",le="+Inf"} 2
	tracelets_iolatency_latency_seconds_count{type="W"} 2
	END
	# a bucket has its end in it
	expect_rows <(last bitesize.out) <<-END
	tracelets_bitesize_io_bytes_bucket{le="1024"} 1
	tracelets_bitesize_io_bytes_bucket{le="8192"} 4
	tracelets_bitesize_io_bytes_bucket{le="65536"} 6
	tracelets_bitesize_io_bytes_bucket{le="131072"} 6
	tracelets_bitesize_io_bytes_bucket{le="+Inf"} 6
	tracelets_bitesize_io_bytes_sum 45568
	tracelets_bitesize_io_bytes_count 6
	END
	expect_rows <(last log2.out | head -n 4) <<-END
	tracelets_bitesize_io_bytes_bucket{disk="nullb0",le="1024"} 1
	tracelets_bitesize_io_bytes_bucket{disk="nullb0",le="4096"} 4
	tracelets_bitesize_io_bytes_bucket{disk="nullb0",le="16384"} 6
	tracelets_bitesize_io_bytes_bucket{disk="nullb0",le="65536"} 6
	END
	expect_rows <(last biotop.out) <<-END
	tracelets_biotop_io_total{type="R",disk="nullb0"} 4
	tracelets_biotop_io_total{type="W",disk="nullb0"} 2
	tracelets_biotop_bytes_total{type="R",disk="nullb0"} 12800
	tracelets_biotop_bytes_total{type="W",disk="nullb0"} 32768
	END
}

# A thread that is asleep before and after: each of its runs begins with a wait, and ends
# with a switch that the kernel counts.
test_processors() {
	local before after tool
	begin one
	counts one
	before=$((voluntary + involuntary))
	beside runqlat runqlat -L "${tid[one]}" --metrics=-
	beside each runqlat -L "${tid[one]}" --by=name --metrics=- 0.1
	beside cpudist cpudist -L "${tid[one]}" --metrics=- 0.1
	beside schedtop schedtop -L "${tid[one]}" --by=name --metrics=- 0.1
	order one sleep 20 2
	done_with one 1
	stop_all
	counts one
	after=$((voluntary + involuntary - before))
	expect_rows <(sum tracelets_runqlat_wait_seconds_count runqlat.out) <<<"$after"
	expect_rows <(last each.out | grep _count) <<<"tracelets_runqlat_wait_seconds_count{comm=\"waits\"} $after"
	expect_rows <(sum tracelets_cpudist_time_seconds_count cpudist.out) <<<"$after"
	expect_rows <(last schedtop.out | awk '/_switches_total/ { n += $NF } END { print n }') <<<"$after"
	for tool in runqlat cpudist; do
		expect_rows <(last $tool.out | grep -oE 'le="[^"]*"') < <(printf 'le="%s"\n' 1e-06 4e-06 1.6e-05 6.4e-05 \
			0.000256 0.001024 0.004096 0.016384 0.065536 0.262144 1.048576 4.194304 16.777216 +Inf)
	done
}

# Single events, of which each row is one; labels are of small sets, never a file or a PID
test_events() {
	# shellcheck disable=SC2016 # of that shell
	begin_shell 'for i in 1 2 3 4; do kill -s CONT $$; : </nonexistent/$i; done; kill -s WINCH $$
		(exec true); (exec true); (exec /nonexistent)'
	at_end end_shell
	beside calls syscount -c -p $shell -e kill,tgkill,execve --errors --time-spent --metrics=-
	beside opens opensnoop -p $shell -x --metrics=- ^/nonexistent/
	beside signals killsnoop -p $shell --metrics=-
	beside execs execsnoop -p $shell --follow --failed --metrics=-
	beside functions funccount -e -p $shell --follow --metrics=- sched:sched_process_exec sched:sched_process_exit
	beside values argdist -p $shell --metrics=- syscalls:sys_enter_kill pid sig
	beside number argdist -p $shell -H -b '0 18 20' --metrics=- syscalls:sys_enter_kill sig
	go
	stop_all
	expect_rows <(last calls.out | grep -v _seconds_) <<-END
	tracelets_syscount_calls_total{syscall="kill"} 5
	tracelets_syscount_errors_total{syscall="kill"} 0
	END
	last calls.out | grep -qE '^tracelets_syscount_call_seconds_total\{syscall="kill"\} 0\.[0-9]{9}$' || fail "$(last calls.out)"
	expect_rows <(last opens.out) <<<'tracelets_opensnoop_opens_total{error="ENOENT"} 4'
	expect_rows <(last signals.out) <<-END
	tracelets_killsnoop_signals_total{signal_name="SIGCONT"} 4
	tracelets_killsnoop_signals_total{signal_name="SIGWINCH"} 1
	END
	expect_rows <(last execs.out) <<-END
	tracelets_execsnoop_execs_total 2
	tracelets_execsnoop_execs_total{error="ENOENT"} 1
	END
	expect_rows <(last functions.out) <<-END
	tracelets_funccount_calls_total{function="sched:sched_process_exec"} 2
	tracelets_funccount_calls_total{function="sched:sched_process_exit"} 3
	END
	expect_rows <(last values.out | sed -E 's/pid="[^"]*"/pid=""/; s/"0x12"/"18"/; s/"0x1c"/"28"/') <<-END
	tracelets_argdist_events_total{event="syscalls:sys_enter_kill",pid="",sig="18"} 4
	tracelets_argdist_events_total{event="syscalls:sys_enter_kill",pid="",sig="28"} 1
	END
	expect_rows <(last number.out) <<-END
	tracelets_argdist_value_bucket{event="syscalls:sys_enter_kill",le="0"} 0
	tracelets_argdist_value_bucket{event="syscalls:sys_enter_kill",le="18"} 4
	tracelets_argdist_value_bucket{event="syscalls:sys_enter_kill",le="20"} 4
	tracelets_argdist_value_bucket{event="syscalls:sys_enter_kill",le="+Inf"} 5
	tracelets_argdist_value_sum{event="syscalls:sys_enter_kill"} 100
	tracelets_argdist_value_count{event="syscalls:sys_enter_kill"} 5
	END
}

# Ten thousand names stay within --max-series, and the sum is that of all.
test_many_names() {
	local n=10000 file=$work/names.out
	begin_shell "$names" $n
	at_end end_shell
	beside names syscount -e dup2,dup3 -p $shell --max-series=50 --metrics=- -i 0.5
	beside few syscount -c -e dup2,dup3 -p $shell --metrics=-
	go
	stop_all
	[ "$(sum tracelets_syscount_calls_total few.out)" -ge $n ] || fail "$(last few.out)"
	[ "$(sum tracelets_syscount_calls_total names.out)" = "$(sum tracelets_syscount_calls_total few.out)" ] ||
		fail "$(sum tracelets_syscount_calls_total names.out) of $(sum tracelets_syscount_calls_total few.out)"
	[ "$(last names.out | wc -l)" = 51 ] || fail "$(last names.out | wc -l) series"
	grep -q '{comm="other"}' <(last names.out) || fail "$(last names.out)"
	[ "$(of_run other_rows_total "$file")" -gt 1000 ] || fail "$(of_run other_rows_total "$file")"
}

# not_growing FILE...: series of which one has less than the one before it, or none
not_growing() {
	awk 'FNR == 1 { for (at in was) if (!(at in now)) print FILENAME " has no " at; delete now }
		/^#/ || /^tracelets_(up|start|build)/ { next }
		{ at = substr($0, 1, length($0) - length($NF)); now[at]
		  if ($NF < was[at]) print FILENAME " has " $0 " after " was[at]
		  was[at] = $NF }' "$@"
}

# However often it is read, it is whole, and no counter shrinks.
test_a_hundred_reads() {
	local file=$work/m/s.prom i=100 now='' before=''
	mkdir "$work/m"
	start syscount --errors --time-spent -c --metrics="$file" -i 0.02
	while [ $i -lt 200 ]; do
		now=$(<"$file")
		[ "$now" != "$before" ] || { nap; continue; }
		echo "$now" >read.$i
		before=$now i=$((i + 1))
	done
	stop
	expect_status 0
	expect_rows <(tail -qn 1 read.* | sort | uniq -c | tr -s ' ') \
		<<<" 100 tracelets_build_info{tool=\"syscount\",version=\"$(syscount -V | sed 's/.* //')\"} 1"
	expect_empty <(not_growing read.*)
}

# However it ends, the file goes with it: also from a directory that is somebody else's, where root
# without its capabilities may write nothing.
test_killed() {
	local file=$work/m/s.prom
	mkdir "$work/m"
	chown 65534:65534 "$work/m"
	chmod 755 "$work" "$work/m"
	start runqlat --metrics="$file" 0.1
	until_true 60 says 'tracelets_up{tool="runqlat"} 1' "$file" || fail "no file"
	stop KILL
	expect_status 137
	settle
	until_true 60 has_files '*' || fail "left: $(files)"
	start runqlat --metrics="$file" 0.1
	has_files s.prom || fail "$(files)"
	stop TERM
	has_files '*' || fail "left: $(files)"
}

# Two runs do not share a file: the end of one would remove that of the other.
test_two_runs() {
	local file=$work/m/s.prom first
	mkdir "$work/m"
	start syscount -c --metrics="$file"
	first=$pid
	(cd m && expect_error 1 'syscount: --metrics: s.prom: another run writes it' syscount -c -d 1 --metrics=s.prom)
	has_files s.prom || fail "$(files)"
	stop KILL "$first"
	settle
	start syscount -c --metrics="$file"
	stop
}

# Names of values are made names of labels, each of them another one.
test_values() {
	# shellcheck disable=SC2016 # of that shell
	begin_shell 'kill -s CONT $$'
	at_end end_shell
	beside names argdist -p $shell --metrics=- --metric-labels=pid=a syscalls:sys_enter_kill pid sig __syscall_nr
	go
	stop_all
	[[ $(last names.out) == 'tracelets_argdist_events_total{event="syscalls:sys_enter_kill",pid="a",pid_1="'*'",sig="'*'",syscall_nr="'*'"} 1' ]] ||
		fail "$(last names.out)"
}

# What another run could not remove is replaced; nothing else is.
test_what_is_there() {
	local file=$work/m/s.prom
	mkdir "$work/m"
	echo '# HELP tracelets_syscount_calls_total System calls' >"$file"
	start syscount -c --metrics="$file"
	says 'tracelets_up{tool="syscount"} 1' "$file" || fail "$(<"$file")"
	stop
	has_files '*' || fail "left: $(files)"
	echo mine >"$file"
	expect_error 1 "syscount: --metrics: $file is there, and is no file of metrics that a run has left: not replaced" \
		syscount -c -d 1 --metrics="$file"
	expect_rows "$file" <<<mine
	expect_error 1 'syscount: --metrics: /dev/null is there, and is no file of metrics that a run has left: not replaced' \
		syscount -c -d 1 --metrics=/dev/null
	[ -c /dev/null ] || fail "/dev/null is no device any more"
	ln -sf /etc/passwd "$file"
	expect_error 1 "syscount: --metrics: $file is there, and is no file of metrics that a run has left: not replaced" \
		syscount -c -d 1 --metrics="$file"
	expect_error 1 'syscount: --metrics: /nonexistent/s.prom: No such file or directory' \
		syscount -c -d 1 --metrics=/nonexistent/s.prom
	expect_error 1 "syscount: --metrics: $work/m/: Is a directory" syscount -c -d 1 --metrics="$work/m/"
}

# A full disk: as long as there is room for one file it is written, else there is no old one that could
# be taken for a new one; tracing goes on.
test_full_disk() {
	local file=$work/m/s.prom all
	mkdir "$work/m"
	mount -t tmpfs -o size=128k none "$work/m"
	begin_shell "$names" 400
	at_end end_full
	start syscount -e dup2,dup3 -p $shell --max-series=10000 --metrics="$file" -i 0.1
	head -c 1M /dev/zero >"$work/m/zeroes" 2>/dev/null || :
	cp "$file" before
	until_true 60 has_changed "$file" || fail "it is not written again"
	go
	until_true 60 has_files zeroes || fail "$(files)"
	rm "$work/m/zeroes"
	until_true 60 has_files s.prom || fail "$(files)"
	all=$(grep -c '^tracelets_syscount_calls_total{comm="n' "$file")
	stop
	expect_status 0
	[ "$all" -ge 400 ] || fail "$all names"
	# already while zeroes are written there can be no room for a moment
	expect_rows <(paste -sd '|\n' "$err" | sort -u | tr '|' '\n') <<-END
	syscount: --metrics: $file: No space left on device: there is none until it can be written again
	syscount: --metrics: $file is written again
	END
	has_files '*' || fail "left: $(files)"
}
end_full() {
	end_shell
	umount "$work/m"
}
has_changed() { [ -e "$1" ] && ! cmp -s before "$1"; }

# keep_busy DEVICE COUNT: so many reads each time, until $work/busy is gone
keep_busy() {
	while [ -e "$work/busy" ]; do io read "/dev/$1" 0 4096 "$2"; done
}

# below LE FILE: values of histograms up to that, of all in the last exposition
below() { last "$2" | awk -v le="le=\"$1\"" 'index($1, le) { s += $NF } END { printf "%d\n", s }'; }

# Above --max-cpu there are records for a part of the time only, which is a metric; what had
# begun before a pause has no end behind it.
test_max_cpu() {
	fresh
	null nullb0 irqmode=0
	null nullb1 ms=50
	start iolatency --by=disk --max-cpu=2% --metrics=- 1
	true >"$work/busy"
	keep_busy nullb0 5000 &
	keep_busy nullb1 50 &
	until_true 120 is_paused_for_half || fail "$(tail -n 40 "$out")"
	rm "$work/busy"
	stop
	expect_status 0
	[[ $(<"$err") =~ ^'iolatency: recording was paused for '[0-9.]+' of '[0-9.]+' seconds, as --max-cpu asks'$ ]] ||
		fail "$(<"$err")"
	# a pause is longer than that
	expect_rows <(below 1.048576 "$out") < <(sum tracelets_iolatency_latency_seconds_count "$out")
	[ "$(of_run lost_events_total "$out")" = 0 ] || fail "$(tail -n 40 "$out")"
	wait
}
# of 4 seconds at least, as each exposition but the first has one
is_paused_for_half() {
	awk '/^tracelets_recorded_seconds_total\{/ { secs = n++; recorded = $NF }
		/_count\{disk="nullb0"\}/ { one = 1 }
		/_count\{disk="nullb1"\}/ { other = 1 }
		END { exit !(secs >= 4 && recorded < secs / 2 && one && other) }' "$out"
}

# Where there is nothing to do there is no pause, and none where the kernel counts: this is
# read less often, and nothing of it is lost.
test_max_cpu_without_pauses() {
	# on arm64 funccount has records of it, and pauses
	local call=''
	[ "$(uname -m)" != x86_64 ] || call=__x64_sys_umask
	# shellcheck disable=SC2016 # of that shell
	begin_shell 'for i in 1 2 3 4 5 6 7; do kill -s CONT $$; umask 22; done'
	at_end end_shell
	beside idle killsnoop -p $shell --max-cpu=100% --metrics=-
	[ -z "$call" ] || beside counts funccount --max-cpu=0.0001% --metrics=- -i 0.1 $call
	go
	# of which 100 intervals would have been
	until_true 60 is_past 10 idle.out || fail "$(<idle.out)"
	stop_all
	expect_rows <(last idle.out) <<<'tracelets_killsnoop_signals_total{signal_name="SIGCONT"} 7'
	says 'tracelets_recorded_seconds_total{tool="killsnoop"} 10.000000000' idle.out || fail "$(<idle.out)"
	[ -n "$call" ] || return 0
	expect_rows <(last counts.out) <<<"tracelets_funccount_calls_total{function=\"$call\",module=\"\"} 7"
	[ "$(grep -c '^# EOF' counts.out)" -lt 10 ] || fail "$(<counts.out)"
}
is_past() { [ "$(of_run recorded_seconds_total "$2" | cut -d . -f 1)" -ge "$1" ]; }

# Labels of the user's are in each line; what is no name, or is taken, is refused.
test_labels() {
	local bad try='(try syscount -h)'
	mkdir "$work/m"
	start syscount -c --metrics="$work/m/s.prom" --metric-labels='site=a "b"\,rack_1=x'
	until_true 60 grep -q '^tracelets_syscount_calls_total{site="a \\"b\\"\\\\\\\\",rack_1="x",syscall="' "$work/m/s.prom" ||
		fail "$(<"$work/m/s.prom")"
	says 'tracelets_up{site="a \"b\"\\\\",rack_1="x",tool="syscount"} 1' "$work/m/s.prom" || fail "$(<"$work/m/s.prom")"
	stop
	for bad in 1a a-b __a =x; do
		expect_error 2 "syscount: --metric-labels: \"${bad%%=*}\" is no name of a label: letters, digits and \"_\" $try" \
			syscount --metrics=- --metric-labels="$bad=1"
	done
	expect_error 2 "syscount: --metric-labels: \"b\" is not NAME=VALUE $try" \
		syscount --metrics=- --metric-labels=a=1,b
	for bad in le tool version a; do
		expect_error 2 "syscount: --metric-labels: metrics have a label \"$bad\" already $try" \
			syscount --metrics=- --metric-labels=a=1,$bad=1
	done
	expect_error 1 'cpudist: --metric-labels: these metrics have a label "time" already' \
		cpudist -d 1 --metrics=- --metric-labels=time=1
	expect_error 1 'syscount: --metric-labels: these metrics have a label "syscall" already' \
		syscount -c -d 1 --metrics=- --metric-labels=a=1,syscall=2
	expect_error 2 "syscount: --metric-labels needs --metrics $try" syscount --metric-labels=a=1
	expect_error 2 "syscount: --max-series needs --metrics $try" syscount --max-series=5
	expect_error 2 "syscount: --max-cpu needs --metrics $try" syscount --max-cpu=5%
	for bad in 0 0% 0.00001% 101% 100.1 99999999999999999999; do
		expect_error 2 "syscount: --max-cpu: \"$bad\" is not between 0.0001% and 100% $try" \
			syscount --metrics=- --max-cpu="$bad"
	done
	for bad in x . % 1%% -1 1e1; do
		expect_error 2 "syscount: --max-cpu: \"$bad\" is not a percentage like 1% or 0.5% $try" \
			syscount --metrics=- --max-cpu="$bad"
	done
	expect_error 2 "syscount: --metrics: not with -w, which counts nothing $try" syscount -w x --metrics=-
	expect_error 2 "syscount: use at most one of --json, --csv, --perfetto, --metrics $try" syscount --json --metrics=-
	expect_error 1 'runqlat: --metrics: what these options show is not counted: leave them out' runqlat -d 1 --instead --metrics=-
	expect_error 2 'funcgraph: --metrics: no such option (try funcgraph -h)' funcgraph --metrics=- vfs_read
}

# A capture is read at once; a file that is kept up to date there cannot be.
test_capture() {
	begin one
	start syscount -c -e clock_nanosleep,nanosleep -L "${tid[one]}" -w one.dat
	order one sleep 7 1
	done_with one 1
	stop
	run syscount -r one.dat --metrics=-
	expect_status 0
	expect_rows <(last "$out") <<<'tracelets_syscount_calls_total{syscall="clock_nanosleep"} 7'
	expect_error 2 'syscount: --metrics: those of a capture are no file that is kept up to date: --metrics=- (try syscount -h)' \
		syscount -r one.dat --metrics=x
	expect_error 2 'syscount: --max-cpu: not with -r, which records nothing (try syscount -h)' \
		syscount -r one.dat --metrics=- --max-cpu=1%
}

# What is lost is a metric.
test_losses() {
	start opensnoop --buffer=4K --metrics="$work/s.prom"
	kill -s STOP "$pid"
	opens_many
	kill -s CONT "$pid"
	until_true 60 lost_some || fail "$(<"$work/s.prom")"
	stop
	[[ $(<"$err") == 'opensnoop: '*' events were lost: the buffer was full'* ]] || fail "$(<"$err")"
}
opens_many() { local i; for ((i = 0; i < 5000; i++)); do : </dev/null; done; }
lost_some() { [ "$(of_run lost_events_total "$work/s.prom")" -gt 0 ]; }

# Debian's node_exporter reads the files of two runs.
once_node_exporter() {
	local node
	need prometheus-node-exporter
	mkdir "$work/m"
	ip link set lo up
	begin one
	beside all syscount -c -e clock_nanosleep,nanosleep -L "${tid[one]}" -i 0.2 --metrics="$work/m/all.prom"
	beside b syscount -c -e clock_nanosleep,nanosleep -L "${tid[one]}" -i 0.2 --metrics="$work/m/b.prom" --metric-labels=site=b
	order one sleep 5 1
	done_with one 1
	prometheus-node-exporter --collector.disable-defaults --collector.textfile --collector.textfile.directory="$work/m" \
		--web.listen-address=127.0.0.1:9100 >node.log 2>&1 &
	node=$!
	until_true 60 node_shows 'tracelets_syscount_calls_total{syscall="clock_nanosleep"} 5' || fail "$(<node)" "$(<node.log)"
	until_true 60 node_shows 'tracelets_syscount_calls_total{site="b",syscall="clock_nanosleep"} 5' || fail "$(<node)"
	grep -qx 'node_textfile_scrape_error 0' node || fail "$(<node)"
	stop_all
	until_true 60 node_shows 'node_textfile_scrape_error 0' || fail "$(<node)"
	! grep '^tracelets' node || fail "left after the end"
	kill "$node"
}
node_shows() {
	local http
	exec {http}<>/dev/tcp/127.0.0.1/9100 || return
	printf 'GET /metrics HTTP/1.0\r\n\r\n' >&"$http"
	cat <&"$http" >node
	exec {http}>&-
	grep -qxF "$1" node
} 2>/dev/null
