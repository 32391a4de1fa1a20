# shellcheck shell=bash disable=SC1091,SC2016 # $arg1, and what another bash expands
# SPDX-License-Identifier: GPL-2.0-or-later
# tracelets in a guest: what it says of a tool must be what a run of it does

# A short run of each tool. That of funcgraph hooks one function, not all.
declare -A runs_of=(
	[argdist]='-d 0.1 task:task_rename newcomm' [biotop]='0.1 1' [bitesize]='-d 0.1' [cachestat]='0.1 1' [execsnoop]='-d 0.1' [funccount]='-d 0.1 vfs_fsync'
	[funcgraph]='-m 1 -d 0.1 vfs_fsync' [funcslower]='-d 0.1 vfs_fsync 1000' [functrace]='-d 0.1 vfs_fsync'
	[iolatency]='0.1 1' [iosnoop]='0.1' [killsnoop]='-d 0.1' [kprobe]='-d 0.1 p:vfs_fsync'
	[opensnoop]='-d 0.1' [perf-stat-hist]='-d 0.1 sched:sched_wakeup pid' [reset-ftrace]='--dry-run'
	[profile]='0.1' [stackcount]='-d 0.1 task:task_rename' [offcputime]='0.1 1' [wakeuptime]='0.1 1' [offwaketime]='0.1 1'
	[flamegraph]='/proc/uptime'	# a number behind a blank is a stack
	[cpudist]='0.1 1' [runqlat]='0.1 1' [runqslower]='-d 0.1' [schedtop]='0.1 1'
	[hardirqs]='0.1 1' [softirqs]='0.1 1' [irqslower]='-d 0.1' [cpunoise]='0.1 1' [lockstat]='0.1 1' [kmemstat]='0.1 1'
	[syscount]='-d 0.1' [tpoint]='-d 0.1 task:task_rename' [uprobe]='-d 0.1 p:libc:malloc'
	[dropsnoop]='-d 0.1' [gethostlatency]='-d 0.1' [tcpaccept]='-d 0.1' [tcpconnect]='-d 0.1' [tcplife]='-d 0.1' [tcpretrans]='-d 0.1' [tcptop]='0.1 1'
)
# What a kernel may lack: TOOL|OPTION as it says|arguments that need it, ~ a space
# in one. All that it has are added to one run; behind = a run of its own.
limits=(
	'argdist|arguments by name|=-d 0.1 vfs_fsync datasync'
	'dropsnoop|--reason|--reason=NO_SOCKET'
	'dropsnoop|-s|=-s -d 0.1'
	'execsnoop|--failed|--failed'
	'funccount|--in-kernel|--in-kernel'
	'funccount|--user|=-d 0.1 -u libc malloc'
	'funcgraph|--args|--args'
	'funcgraph|--ret|--ret'
	'funcslower|--args|--args'
	'functrace|-s|-s'
	'functrace|--args|--args'
	'kprobe|arguments by name|p:vfs_fsync~file'
	'kprobe|arguments in r:|r:vfs_fsync~$arg1'
	'kprobe|f: and t:|f:vfs_fsync'
	'kprobe|-s|-s'
	'perf-stat-hist|--in-kernel|--in-kernel'
	'syscount|--in-kernel|-c --in-kernel'
	'tcpaccept|--overflows|--overflows'
	'tcpretrans|--failed|--failed'
	'tcpretrans|--netns|--netns=1'
	'tcpretrans|--synack|--synack'
	'tcpretrans|-l|-l'
	'tcpretrans|-s|=-s -d 0.1'
	'tpoint|-s|-s'
	'uprobe|-s|-s'
)

# all_tools: those that are installed, but for tracelets itself, into $among
all_tools() {
	local file
	among=()
	for file in "$(dirname "$(type -P tracelets)")"/*; do
		file=${file##*/}
		[[ $file == tracelets || $file == tracelets-export || $file == *.so* ]] || among+=("$file")
	done
}

# tracing_tools: the same, but for those that need no tracefs
tracing_tools() {
	local tool all
	all_tools
	all=("${among[@]}") among=()
	for tool in "${all[@]}"; do
		[ "$tool" = flamegraph ] || among+=("$tool")
	done
}

# checked COMMAND...: what it says of those tools of $among, or all, as lines "NAME
# STATUS OPTION: REASON" in $rows, and of the system, "NAME: VALUE", in $facts; each
# begins with a newline, and ends in one
among=()
checked() {
	run "$@" check --json "${among[@]}"
	take_rows
}
take_rows() {
	local line text='(null|"[^"\]*")' value=()
	rows=$'\n' facts=$'\n'
	while IFS= read -r line; do
		[[ $line =~ ^'{"kind":"'(tool|system)'","name":"'([^\"]+)'","status":'$text,'"option":'$text,'"reason":'$text,'"value":'$text'}'$ ]] ||
			fail "not understood: $line"
		value=("${BASH_REMATCH[@]//\"}")
		value=("${value[@]/#null/-}")
		case ${value[1]} in
		tool) rows+="${value[2]} ${value[3]} ${value[4]}: ${value[5]}"$'\n' ;;
		system) facts+="${value[2]}: ${value[6]}"$'\n' ;;
		esac
	done <"$out"
}

# expect_line TEXT LINE: it is one of the lines of $rows or $facts
expect_line() {
	[[ $1 == *$'\n'"$2"$'\n'* ]] || fail "no line \"$2\" in:$1"
}

# is_limited TOOL OPTION: sets $refused to the status that a run with it ends with: 3,
# or 1 if it is only switched off, or kept from us
is_limited() {
	[[ $rows =~ $'\n'"$1 limited $2: "([^$'\n']*) ]] || return 1
	refused=3
	[[ ! ${BASH_REMATCH[1]} =~ 'is switched off here: '|'hides the addresses' ]] || refused=1
}

# runs STATUS ARG...: a run of $tool, below the command $below, ends with that; in an
# argument ~ is a space
runs() {
	local want=$1
	shift
	run timeout -k 5 100 "${below[@]}" "$tool" "${@//\~/ }"
	[ "$status" = "$want" ] || fail "$tool $*: status $status, not $want, but:$rows"
}

# agrees COMMAND...: each tool, or those of $among, runs below it if, and only if,
# it says so there. Each option that it says to be limited is refused; all others
# are in one run.
agrees() {
	local tool below=("$@") line option arguments before after
	checked "$@" tracelets
	[ ${#among[@]} != 0 ] || all_tools
	for tool in "${among[@]}"; do
		if [[ $rows =~ $'\n'"$tool cannot -: "([^$'\n']*) ]]; then
			# shellcheck disable=SC2086 # words
			run timeout -k 5 100 "$@" "$tool" ${runs_of[$tool]}
			[ "$status" != 0 ] || fail "$tool: status 0, but:$rows"
			[[ $(<"$err") == *"${BASH_REMATCH[1]}"* ]] || fail "other words than: ${BASH_REMATCH[1]}"
			continue
		fi
		before='' after=''
		for line in "${limits[@]}"; do
			[[ $line == "$tool|"* ]] || continue
			IFS='|' read -r _ option arguments <<<"$line"
			# shellcheck disable=SC2086 # words
			if [[ $arguments == =* ]]; then
				is_limited "$tool" "$option" && line=$refused || line=0
				runs $line ${arguments#=}
			elif is_limited "$tool" "$option"; then
				[[ $arguments == -* ]] && arguments+=" ${runs_of[$tool]}" || arguments="${runs_of[$tool]} $arguments"
				runs $refused $arguments
			elif [[ $arguments == -* ]]; then
				before+=" $arguments"
			else
				after+=" $arguments"
			fi
		done
		# shellcheck disable=SC2086
		runs 0 $before ${runs_of[$tool]} $after
	done
}

# only_known_limits: all that it says is compared with runs, or below
only_known_limits() {
	local line tool option
	while read -r line; do
		[[ $line == *' limited '* ]] || continue
		tool=${line%% *} option=${line#* limited } option=${option%%: *}
		case $line in
		'funcgraph limited other tracers: '* | 'opensnoop limited 32-bit programs: '* | *'arguments in r:'* | *'f: and t:'*) ;;
		*) [[ " ${limits[*]}" == *" $tool|$option|"* ]] || fail "not known: $line" ;;
		esac
	done <<<"$rows"
}

# limits_of_this_kernel: those that its own help and files tell of
limits_of_this_kernel() {
	local tool
	if grep -q 'kernel return probes support' "$tracefs/README"; then
		[[ $rows != *$'\n'"kprobe limited arguments in r:: "* && $rows != *$'\n'"opensnoop limited 32-bit programs: "* ]] || fail "$rows"
	else
		[[ $rows == *$'\n'"kprobe limited arguments in r:: "* && $rows == *$'\n'"opensnoop limited 32-bit programs: "* ]] || fail "$rows"
	fi
	for tool in syscount perf-stat-hist; do
		if [ -e "$tracefs/events/sched/sched_switch/hist" ]; then
			! is_limited $tool --in-kernel || fail "$rows"
		else
			[[ $rows =~ $'\n'"$tool limited --in-kernel: "[^$'\n']*'(CONFIG_HIST_TRIGGERS)' ]] || fail "$rows"
		fi
	done
	mkdir "$tracefs/instances/mine"
	if [[ " $(<"$tracefs/instances/mine/available_tracers") " == *' function_graph '* ]]; then
		! is_limited funcgraph 'other tracers' || fail "$rows"
	else
		is_limited funcgraph 'other tracers' || fail "$rows"
	fi
	rmdir "$tracefs/instances/mine"
}

host_list() {
	local tool summary
	all_tools
	for tool in "${among[@]}"; do
		"$tool" -h | { IFS= read -r summary; echo "${summary/ - /$'\t'}"; cat >/dev/null; }
	done >expected
	run tracelets
	expect_status 0
	expect_rows <(sed -e 1d -e 's/  */\t/' "$out") <expected
	run tracelets list --json
	expect_rows <(jq -r '"\(.tool)\t\(.summary)"' "$out") <expected
}

. "$here/work/trace.bash"

# export CAPTURE...: into all.pftrace
export_all() {
	need protoc
	expect_exit 0 tracelets export-perfetto -o all.pftrace "$@"
	expect_empty "$out"
}

# Each row is a slice as long as it says, with all that JSON has.
host_export_slices() {
	need jq
	capture iosnoop
	export_all "$capture"
	expect_empty "$err"
	events_of all.pftrace iosnoop |
		sed -E 's/^(BEGIN|END) ([0-9]+)([0-9]{9})/\1 \2.\3/; s/ [a-z]+=-$//' >events
	run iosnoop --read="$capture" --json
	jq -r '"BEGIN \(.start) \(.type) \(.comm) \(.pid) \(.tid) \(.dev) \(.disk) \(.block) \(.bytes)", "END \(.end)"' "$out" |
		sed -E 's/([0-9]+\.[0-9]+)/\1 /; s/  / /; s/ $//' >rows
	sed -E 's/^BEGIN ([0-9]+\.[0-9]{6})[0-9]* ([^ ]*) .* comm=([^ ]*) pid=([^ ]*) tid=([^ ]*) .* dev=([^ ]*) disk=([^ ]*) block=([^ ]*) bytes=([^ ]*) .*/BEGIN \1 \2 \3 \4 \5 \6 \7 \8 \9/
		s/^END ([0-9]+\.[0-9]{6})[0-9]*/END \1/' events >shown
	[ "$(wc -l <rows)" = 10 ] || fail "$(<rows)"
	paste -d '\n' rows shown | awk '
		{ line = $0; $2 = "" }
		NR % 2 { rest = $0; split(line, was); next }
		{ split(line, is); d = is[2] - was[2] }
		rest != $0 || d > 2e-6 || d < -2e-6 { print line; bad = 1 }
		END { exit bad }' || fail "other rows than: $(<rows)"
}

# Of all captures, slices are what a reader makes of them, and so is who runs.
host_export_nests() {
	local file name tool
	local -A with=()
	need protoc
	for file in "$root"/tests/golden/*/*.dat.gz; do
		name=${file##*/}
		name=${name%.dat.gz}
		tool=${name%%_*}
		[ "$tool" != perf ] || tool=perf-stat-hist
		gzip -dc <"$file" >capture
		"$tool" --read=capture --perfetto >trace 2>said || fail "$file: $(<said)"
		expect_nesting trace
		[ ! -s slices ] || with["$tool"]=$file
		switches_of trace >switches
		expect_chain switches
	done
	[ "$(printf '%s\n' "${!with[@]}" | sort | xargs)" = 'funcgraph funcslower gethostlatency iosnoop irqslower runqslower tcpaccept tcpconnect tcplife' ] || fail "${!with[@]}"
}

# Numbers of an interval are values of counters from its begin to its end, as a reader has
# one go on until the next; "NAME VALUE FROM TO" in s.
host_export_counters() {
	need jq protoc
	capture biotop
	run biotop --read="$capture" --perfetto 0.05
	packets_of "$out" | awk -F= '
		{ v = $0; sub(/^[^=]*=/, "", v); gsub(/"/, "", v) }
		$1 == "track_descriptor.uuid" { uuid = v }
		$1 == "track_descriptor.name" { name[uuid] = v }
		$1 == "timestamp" { ns = v }
		$1 == "track_event.track_uuid" { track = v }
		$1 == "track_event.value" { print ns, v, name[track] }' | sort -n -k 1,1 | awk '
		{ ns = $1; v = $2; $1 = $2 = ""; if (value[$0] != 0) printf "%s %s %.6f %.6f\n", $0, value[$0], from[$0], ns / 1e9 }
		{ value[$0] = v; from[$0] = ns / 1e9 }
		END { for (name in value) if (value[name] != 0) print "has no end:", name }' | sed 's/^ *//' | sort >counters
	run biotop --read="$capture" --json 0.05
	jq -r '"biotop pid \(.pid) \(.comm) \(.type) major \(.major) minor \(.minor) \(.disk) " as $name |
		(["count", .count], ["bytes", .bytes]) as [$key, $value] | "\($name)\($key) \($value) \(.time)"' "$out" |
		awk '{ to = $NF; $NF = ""; printf "%s%.6f %.6f\n", $0, to - 0.05, to }' | sort >rows
	[ "$(wc -l <rows)" = 4 ] || fail "$(<rows)"
	grep -v latency counters | expect_rows rows
	# a track of its own for each number
	[ "$(wc -l <counters)" = 6 ] || fail "$(<counters)"
}

# What has no place in a trace is said.
host_export_histogram() {
	capture bitesize
	export_all "$capture"
	expect_match "$err" <<<'bitesize: --perfetto: the rows are not in the trace: they are sums, which have no place in time'
}

# by_tracecmd NAME: sets $theirs to that capture as one that no tool has written
by_tracecmd() {
	capture "$1"
	theirs=$1.theirs
	cp "$capture" "$theirs"
	echo >>"$theirs"
	LC_ALL=C tracelets export-perfetto -o /dev/null "$theirs" 2>said ||
		! grep ' need libtracecmd' said || skip "no libtracecmd"
}

# Switches are of one capture: of one that has those of all threads, as far as is known.
host_export_switches_once() {
	local theirs all some whole
	by_tracecmd runqslower
	capture cpudist
	some=$capture
	capture runqslower
	whole=$capture
	export_all "$whole"
	switches_of all.pftrace >switches
	has_lines switches 100 || fail "$(<switches)"
	for all in "$whole $theirs" "$theirs $whole" "$some $whole" "$whole $some" "$some $theirs" "$theirs $some" "$theirs $theirs" "$theirs"; do
		# shellcheck disable=SC2086 # several
		export_all $all
		switches_of all.pftrace | expect_rows switches
	done
}

# other_clock NAME: $theirs has that trace clock, of four letters
other_clock() { sed -i "s/\[mono\]/[$1]/" "$theirs"; }

# The clock of trace-cmd is said where it matters, and refused where it is none.
host_export_clocks() {
	local theirs
	by_tracecmd runqslower
	capture opensnoop
	export_all "$theirs" "$capture"
	expect_empty "$err"
	other_clock boot
	export_all "$theirs"
	expect_empty "$err"
	export_all "$theirs" "$capture"
	expect_match "$err" <<<'tracelets: runqslower.theirs: its trace clock is "boot", that of tools "mono": times of one beside the other can be off by milliseconds and more; trace-cmd record -C mono'
}

# clocks_of TRACE: how often it says what time it was
clocks_of() { packets_of "$1" | grep -c '^clock_snapshot.clocks.clock_id=6' || :; }

# An earlier time behind a later one would be an error; trace-cmd's files have none.
host_export_clocks_once() {
	local theirs first
	by_tracecmd runqslower
	capture opensnoop
	first=$capture
	capture iosnoop
	export_all "$theirs" "$first" "$capture"
	expect_rows <(clocks_of all.pftrace) <<<1
	export_all "$capture" "$first"
	expect_rows <(clocks_of all.pftrace) <<<1
}

# tracks_of TRACE: their numbers, but for those of threads
tracks_of() {
	packets_of "$1" | awk -F= '
		$1 == "track_descriptor.uuid" { uuid = $2 }
		/^track_descriptor.thread\./ { uuid = "" }
		!NF { if (uuid != "") print uuid; uuid = "" }' | sort -u
}

# Slices of two captures of a tool overlap.
host_export_tracks_apart() {
	local name
	for name in iosnoop cachestat opensnoop; do
		capture $name
		export_all "$capture"
		tracks_of all.pftrace >one
		has_lines one 1 || fail "no tracks"
		export_all "$capture" "$capture"
		tracks_of all.pftrace >both
		expect_rows <(wc -l <both) <<<$((2 * $(wc -l <one)))
		expect_rows <(comm -12 one both) <one
	done
}

# What is left out of a file of trace-cmd is said: that has no place, and that nobody
# can read.
host_export_left_out() {
	local theirs
	by_tracecmd functrace_stack
	export_all "$theirs"
	grep -Ex 'tracelets: functrace_stack.theirs: [0-9]+ fields left out that are arrays: a trace has no place for them' "$err" || fail "$(<"$err")"
	by_tracecmd schedtop
	sed -i 's/^ID: 3/ID: 9/' "$theirs"
	export_all "$theirs"
	grep -Ex 'tracelets: schedtop.theirs: [0-9]+ records left out, of events that it does not describe' "$err" || fail "$(<"$err")"
}

# Of a capture of one thread, nobody knows how long others had the processor.
host_export_of_one_thread() {
	local tool
	need protoc
	for tool in cpudist schedtop runqlat offcputime offwaketime wakeuptime; do
		capture "$tool"
		run "$tool" --read="$capture" --perfetto
		expect_status 0
		switches_of "$out" >switches
		expect_chain switches
		awk '
			$2 in since && since[$2] != $1 && who[$2] !~ /waits:|\[not recorded\]:/ { print tool, who[$2]; bad = 1 }
			{ since[$2] = $1; who[$2] = $0; sub(/.*-> /, "", who[$2]); seen[who[$2] ~ /waits/ ? 1 : 2] = 1 }
			END { exit bad || !seen[1] || !seen[2] }' tool="$tool" switches || fail "$tool: $(<switches)"
	done
}

# beside_fake: sets $fake to a tracelets beside which opensnoop is what comes from stdin
beside_fake() {
	mkdir sbin
	cp "$(type -P tracelets)" sbin/tracelets-x
	cat >sbin/opensnoop-x
	chmod +x sbin/opensnoop-x
	fake=sbin/tracelets-x
}

# A capture that is the output would be gone; and what there is stays until all is well.
host_export_output_stays() {
	local name
	capture opensnoop
	cp "$capture" kept
	ln "$capture" linked
	ln -s "$capture" pointed
	for name in "$capture" linked pointed; do
		expect_error 1 "tracelets: $capture: the output would replace this capture" tracelets export-perfetto -o "$name" "$capture"
		cmp kept "$capture"
	done
	bash -c 'tracelets export-perfetto "$1" 1<>"$1"' - "$capture" 2>/dev/null && fail "into itself"
	cmp kept "$capture"
	echo text >text
	echo before >all.pftrace
	for name in nosuch text; do
		expect_exit 1 tracelets export-perfetto -o all.pftrace "$capture" $name
		expect_rows all.pftrace <<<before
	done
	# also where it is damaged further on
	beside_fake <<<'echo part; exit 1'
	sed -i '1i #!/bin/sh' sbin/opensnoop-x
	expect_exit 1 $fake export-perfetto -o all.pftrace "$capture"
	expect_rows all.pftrace <<<before
	expect_exit 1 $fake export-perfetto -o new "$capture"
	[ ! -e new ] || fail "it is there"
	chmod 640 all.pftrace
	ln -s all.pftrace link
	expect_exit 0 tracelets export-perfetto -o link "$capture"
	expect_exit 0 tracelets export-perfetto -o new "$capture"
	[ -h link ] || fail "no link any more"
	cmp all.pftrace new
	expect_rows <(stat -c %a all.pftrace new) <<<$'640\n644'
	expect_rows <(compgen -G '*.part' || :) </dev/null
	# where nothing can be made beside it, and what is no file
	mkdir shut
	touch shut/here
	chmod 555 shut
	expect_exit 0 tracelets export-perfetto -o shut/here "$capture"
	chmod 755 shut
	cmp shut/here new
	expect_exit 0 tracelets export-perfetto -o /dev/null "$capture"
}

host_export_refused() {
	local option bytes
	capture opensnoop
	expect_error 2 'tracelets: of which capture? (try tracelets -h)' tracelets export-perfetto
	expect_error 1 'tracelets: nosuch: No such file or directory' tracelets export-perfetto nosuch
	for option in --json --csv --raw; do
		expect_error 2 "tracelets: $option: a trace is no text (try tracelets -h)" tracelets export-perfetto $option "$capture"
		expect_empty "$out"
	done
	echo text >text
	run tracelets export-perfetto text
	expect_status 1
	expect_empty "$out"
	grep -q 'tracelets: text: damaged, or neither\|tracelets: .* libtracecmd:' "$err" || fail "$(<"$err")"
	for bytes in 100 5000 20000; do
		head -c $bytes "$capture" >cut
		run tracelets export-perfetto cut
		expect_status 1
		expect_empty "$out"
		grep -q 'tracelets: cut: damaged, or neither\|tracelets: .* libtracecmd:' "$err" || fail "$bytes: $(<"$err")"
	done
	expect_error 2 'opensnoop: use at most one of --json, --csv, --perfetto, --metrics (try opensnoop -h)' opensnoop -r "$capture" --json --perfetto
	expect_error 2 'opensnoop: --perfetto: a capture becomes a trace later: -r c --perfetto (try opensnoop -h)' opensnoop -w c --perfetto
	to=/dev/full expect_exit 1 opensnoop -r "$capture" --perfetto
}

# full_pipe: that nobody reads, and nothing fits into, as "full", open as 8
full_pipe() {
	mkfifo full
	exec 8<>full
	! dd if=/dev/zero of=full bs=4096 count=1000 oflag=nonblock 2>/dev/null || fail "it takes all"
}

# child_of PID: sets $child to its first one, which it may not have yet
child_of() {
	until child=$(pgrep -P "$1"); do
		kill -0 "$1" || fail "it has ended"
	done
}

# is_gone PID: soon
is_gone() {
	local _
	for _ in {1..200}; do
		kill -0 "$1" 2>/dev/null || return 0
		sleep 0.02
	done
	fail "process $1 goes on"
}

# What it runs ends with it, however that ends: here they wait for who reads.
host_export_leaves_no_child() {
	local signal child pid
	need pgrep mkfifo
	full_pipe
	capture opensnoop
	for signal in TERM KILL; do
		tracelets export-perfetto "$capture" >full 2>/dev/null &
		pid=$!
		child_of $pid
		kill -$signal $pid
		! wait $pid || fail "status 0"
		is_gone "$child"
	done
}

# Nobody wants what is left.
host_export_reader_gone() {
	local fake
	beside_fake <<-'END'
		#!/bin/bash
		trap '' PIPE
		echo >>called
		while printf x; do :; done 2>/dev/null
		exit 0
	END
	capture opensnoop
	{ $fake export-perfetto "$capture" "$capture" "$capture" && echo >well; } | head -c 1 >/dev/null
	expect_rows <(wc -l <called) <<<1
	[ -e well ] || fail "it has failed"
}

# Each switch that trace-cmd shows of the same file, each open that JSON has; and what
# two captures have is shown once.
once_export_captures() {
	local name
	need trace-cmd jq protoc
	beside one schedtop -w sched 60
	beside two runqslower -w waits 0
	beside three opensnoop -w opens -n '^cat$'
	for name in hostname nosuch passwd; do cat /etc/$name >/dev/null 2>&1 || :; done
	stop_all
	export_all sched opens waits
	switches_of all.pftrace >switches
	switches_by_tracecmd sched | expect_rows switches
	has_lines switches 10 || fail "$(<switches)"
	run opensnoop -r opens --json
	jq -r '"\(.file) \(.fd) \(.tid)"' "$out" >rows
	has_lines rows 3 || fail "$(<rows)"
	events_of all.pftrace opensnoop | sed -E 's/INSTANT [0-9]+ ([^ ]+) .* tid=([0-9]+) fd=([^ ]+) .*/\1 \3 \2/' | expect_rows rows
	run runqslower -r waits --json
	expect_rows <(events_of all.pftrace runqslower | grep -c '^BEGIN') <<<"$(wc -l <"$out")"
	# their threads have names, which they got at exec
	packets_of all.pftrace | awk -F= '/^process_tree.threads.name="cat"/ { n++ } END { print (n >= 3) }' | expect_rows <(echo 1)
}

# Compressed or not, with another buffer, and any event as it is.
once_export_of_trace_cmd() {
	local how
	need trace-cmd protoc
	for how in '--compression none' '--compression any' '--file-version 6'; do
		# shellcheck disable=SC2086 # words
		run trace-cmd record $how -q -o t.dat -e sched_switch -B other -e sched_process_exec cat /etc/hostname
		expect_status 0
		export_all t.dat
		expect_empty "$err"
		switches_of all.pftrace >switches
		switches_by_tracecmd t.dat | expect_rows switches
		has_lines switches 3 || fail "$how: $(<switches)"
		packets_of all.pftrace | awk '
			/generic.event_name="sched_process_exec"$/ { is = 1 }
			/generic.field.str_value=".*\/cat"$/ { n += is }
			/^$/ { is = 0 }
			END { print n }' >execs
		expect_rows execs <<<1
	done
}

once_export_of_no_time() {
	need trace-cmd
	run trace-cmd record -q -o t.dat -C counter -e sched_switch cat /etc/hostname
	expect_status 0
	expect_error 1 'tracelets: t.dat: its trace clock is "counter", which has no nanoseconds: trace-cmd record -C mono' \
		tracelets export-perfetto -o all.pftrace t.dat
	[ ! -e all.pftrace ] || fail "there is a trace"
}

# Two buffers have the same switches, which are shown once.
once_export_of_two_buffers() {
	need trace-cmd protoc
	run trace-cmd record -q -o t.dat -e sched_switch -B other -e sched_switch sh -c 'for i in 1 2 3 4 5; do cat /etc/hostname; done'
	expect_status 0
	export_all t.dat
	[[ $(<"$err") =~ ^'tracelets: t.dat: trace-cmd'(' buffer other')?': '([0-9]+)' records of the scheduler left out: those of another buffer are shown'$ ]] ||
		fail "$(<"$err")"
	switches_of all.pftrace >switches
	has_lines switches 5 || fail "$(<switches)"
	expect_chain switches
	switches_by_tracecmd t.dat >reported
	expect_rows <(wc -l <reported) <<<$((BASH_REMATCH[2] + $(wc -l <switches)))
	! grep -vxFf reported switches || fail "that is in none of them"
}

# Markers, and what Perfetto makes slices of: a begin has its end.
once_export_of_slices() {
	need trace-cmd protoc
	run trace-cmd record -q -o t.dat -e irq -e raw_syscalls -e workqueue sh -c '
		for text in "C|1|depth|5" "B|1|two words" "E|1"; do echo "$text" >/sys/kernel/tracing/trace_marker; done
		cat /etc/hostname'
	expect_status 0
	export_all t.dat
	packets_of all.pftrace >packets
	sed -n 's/^ftrace_events.event.print.buf=//p' packets | grep '|' | expect_rows <(printf '"%s"\n' 'C|1|depth|5' 'B|1|two words' 'E|1')
	! grep -E 'event_name="(sys_enter|sys_exit|softirq_.*|irq_handler_.*|workqueue_execute_.*)"' packets || fail "not as Perfetto has them"
	# a write of 12 bytes returned so many
	awk -F= '/sys_exit.ret=12$/ { n++ } /sys_enter.id=1$/ { m++ } END { exit !n || !m }' packets || fail "no write"
	# of the first one of a processor only the end may be there, of the last one the begin
	awk -F= '
		{ key = $1; sub(/.*\./, "", key); f[key] = $2 }
		/softirq_(entry|exit)\.vec/ { what = /entry/ ? "in" : "out" }
		$0 == "" {
			if (what == "in") { if (in_[f["cpu"]] != "") bad = 1; in_[f["cpu"]] = f["vec"]; n++ }
			if (what == "out") { if (in_[f["cpu"]] != "" && in_[f["cpu"]] != f["vec"]) bad = 1; in_[f["cpu"]] = "" }
			what = ""; split("", f)
		}
		END { exit bad || !n }' packets || fail "softirqs do not pair"
}

# Nobody runs on over a gap, in which nobody knows who ran.
once_export_losses() {
	need trace-cmd protoc perl
	start runqslower -w waits --buffer=8K 0
	kill -STOP "$pid"
	perl -e 'pipe(A, B); pipe(C, D);
		if (!fork) { for (1..2000) { sysread(A, $b, 1); syswrite(D, "x") } exit }
		for (1..2000) { syswrite(B, "x"); sysread(C, $b, 1) }'
	kill -CONT "$pid"
	stop
	export_all waits
	switches_of all.pftrace >switches
	expect_chain switches
	events_of all.pftrace lost >lost
	[[ $(<"$err") =~ 'runqslower: '([0-9]+)' events were lost: ' ]] || fail "$(<"$err")"
	grep -c '^BEGIN' lost >count
	trace-cmd report -i waits 2>/dev/null | sed -n 's/.*\[\([0-9]*\) EVENTS DROPPED\].*/\1/p' >dropped
	wc -l <dropped | expect_rows count
	expect_rows <(awk '/lost/ { n += $4 } END { print n }' lost) < <(awk '{ n += $1 } END { print n }' dropped)
	grep -q -- '-> \[records lost\]:' switches || fail "no gap has begun"
}

# What has a tool write more than rows: headers, dates, intervals, what is called
# instead; it ends by Ctrl-C, but for a command, and for what only shows what there is.
declare -A talks_of=(
	[argdist]='-T -i 0.1 do_sys_open flags' [biotop]='0.1' [bitesize]='' [cachestat]='0.1' [execsnoop]='' [funccount]='-T -i 0.1 do_sys_open do_sys_openat2'
	[funcgraph]='-H -m 1 do_sys_open do_sys_openat2' [funcslower]='-H do_sys_openat2 0'
	[functrace]='-H -s do_sys_open do_sys_openat2' [iolatency]='-T 0.1' [iosnoop]='' [killsnoop]=''
	[kprobe]='-H -s p:do_sys_open p:do_sys_openat2' [opensnoop]=''
	[perf-stat-hist]='-i 0.1 sched:sched_wakeup pid' [reset-ftrace]='--dry-run' [syscount]='-c true'
	[flamegraph]='--check'	# of which there are rows
	[profile]='-I' [stackcount]='-K task:task_rename' [offcputime]='-K 0.1' [wakeuptime]='-K 0.1' [offwaketime]='-K 0.1'
	[cpudist]='-T 0.1' [runqlat]='-T --by=process 0.1' [runqslower]='-P 100' [schedtop]='0.1'
	[hardirqs]='-T -P 0.1' [softirqs]='-T 0.1' [irqslower]='100' [cpunoise]='-T 0.1' [lockstat]='0.1' [kmemstat]='-T 0.1'
	[tpoint]='-H -s syscalls:sys_enter_openat2 syscalls:sys_enter_openat' [uprobe]='-H p:libc:malloc'
	[dropsnoop]='0.1' [gethostlatency]='-c -i 0.1' [tcpaccept]='--overflows' [tcpconnect]='-c' [tcplife]='' [tcpretrans]='' [tcptop]='0.1 1'
)

# talk TOOL FORMAT: to its end
talk() {
	local args=${talks_of[$1]}
	if [[ $1 == flamegraph || $1 == reset-ftrace || $1 == syscount ]]; then
		# shellcheck disable=SC2086 # words
		expect_exit 0 "$1" "$2" $args
		return
	fi
	# shellcheck disable=SC2086
	start "$1" "$2" $args
	ls / >listed
	kill -CONT $$
	stop
	expect_status 0
}

# only_rows_of TOOL: as JSON and CSV; what else it says goes to standard error
only_rows_of() {
	talk "$1" --json
	jq -eRn '[inputs | fromjson] | all(type == "object")' "$out" >is || fail "$1: $(<"$out")"
	talk "$1" --csv
	sed -E 's/"([^"]|"")*"//g' "$out" | awk -F, '
		NR == 1 { columns = NF }
		NF != columns { print; bad = 1 }
		END { exit bad || columns < 2 }' || fail "$1: $(<"$out")"
}

once_data_is_only_rows() {
	local tool
	need jq
	all_tools
	expect_rows <(printf '%s\n' "${!talks_of[@]}" | sort) < <(printf '%s\n' "${among[@]}" | sort)
	for tool in "${among[@]}"; do
		only_rows_of "$tool"
	done
}

host_all_have_a_run() {
	all_tools
	expect_rows <(printf '%s\n' "${!runs_of[@]}" | sort) < <(printf '%s\n' "${among[@]}" | sort)
}

# The first of all that asks this kernel, and several ask at once.
first_check() { expect_exit 0 tracelets --check; }

first_row() {
	among=(opensnoop tpoint uprobe)
	checked tracelets
	expect_status 0
	expect_line "$rows" 'tpoint works -: -'
	expect_line "$facts" "tracefs: $tracefs"
}

# Nothing of what they ask changes what the next one gets.
first_checks() {
	all_tools
	run tracelets check "${among[@]}"
	[ "$status" = 0 ] || [ "$status" = 3 ] || fail "status $status"
	is_unused
	expect_room
}

# Of all tools, each once; and what this kernel lacks is what its files tell.
test_agrees_with_runs() {
	local names line
	agrees
	names=()
	while read -r line; do
		line=${line%% *}
		[ "${names[*]: -1}" = "$line" ] || names+=("$line")
	done <<<"${rows:1:-1}"
	[ "${names[*]}" = "${among[*]}" ] || fail "other tools: ${names[*]}"
	only_known_limits
	limits_of_this_kernel
	expect_clean
}

# what limits kprobe on each kernel
without_btf=(unshare -m bash -c 'mount --bind /dev/null /sys/kernel/btf/vmlinux && exec "$0" "$@"')

# A tool's own --check says the same, in words and as data.
once_check_of_a_tool() {
	local tool status_was limited
	need unshare
	among=(kprobe syscount tcpretrans tpoint)
	checked "${without_btf[@]}" tracelets
	expect_status 0
	[[ $rows == *' limited '* ]] || fail "none of them is limited"
	for tool in "${among[@]}"; do
		expect_exit 0 "${without_btf[@]}" "$tool" --check --json
		expect_rows <(jq -r '"\(.tool) \(.status) \(.option // "-"): \(.reason // "-")"' "$out") < <(grep "^$tool " <<<"$rows")
		expect_exit 0 "${without_btf[@]}" "$tool" --check
		limited=$(sed -n "s/^$tool limited //p" <<<"$rows")
		expect_rows <(sed -n 's/^limited: //p' "$out") < <(printf '%s' "${limited:+$limited$'\n'}")
		[ "$limited" ] && status_was='what is needed, with limits' || status_was='all that is needed'
		expect_rows <(head -n 1 "$out") <<<"$tool: this kernel has $status_was"
	done
}

# Here each of the three that can be said of a tool is said of one.
once_formats_say_the_same() {
	need unshare
	among=(cachestat iosnoop kprobe)
	checked "${without_btf[@]}" tracelets
	[[ $rows == *$'\n'cachestat\ cannot* && $rows == *$'\n'iosnoop\ works* && $rows == *$'\n'kprobe\ limited* ]] || fail "$rows"
	jq -r 'select(.kind == "tool") | "\(.name) \(.status) \(.option // "-"): \(.reason // "-")"' "$out" >rows
	jq -r 'select(.kind == "system") | "\(.name): \(.value // "-")"' "$out" >facts
	expect_rows rows <<<"${rows:1:-1}"
	expect_rows facts <<<"${facts:1:-1}"
	run "${without_btf[@]}" tracelets check --csv "${among[@]}"
	expect_rows <(head -n 1 "$out") <<<'kind,name,status,option,reason,value'
	expect_rows <(sed -E '/^tool,/!d; s/^tool,//; s/,$//; s/,,/,-,/; s/,$/,-/; s/,/ /; s/,/ /; s/,/: /; s/"//g' "$out") <rows
	expect_rows <(sed -E '/^system,/!d; s/^system,//; s/,,,,/: /; s/"//g; s/: $/: -/' "$out") <facts
	run "${without_btf[@]}" tracelets check "${among[@]}"
	expect_rows <(sed -n '1,/^$/p' "$out" | sed '/^$/d; s/^\([^ ]*\)  */\1: /') <facts
	expect_rows <(sed '1,/^TOOL /d' "$out" | awk '{ print $1, $2 }') < <(cut -d ' ' -f 1,2 rows)
}

test_facts() {
	local fact
	among=(tpoint)
	checked tracelets
	expect_line "$facts" "kernel: $(uname -rmv | awk '{ r = $1; m = $NF; sub(/^[^ ]* /, ""); sub(/ [^ ]*$/, ""); print r, m, $0 }')"
	expect_line "$facts" "tracefs: $tracefs"
	expect_line "$facts" "kernel.ftrace_enabled: 1"
	expect_line "$facts" "BTF: yes"
	# the host's files may be a container's
	fact='container: (no|[a-z]+, with the host'\''s PID namespace)'
	[[ $facts =~ $'\n'$fact$'\n' ]] || fail "$facts"
	expect_line "$facts" "user: uid 0, capabilities =ep"
	fact='libraries: [^'$'\n'']*libtraceevent\.so\.[0-9.]*[0-9]'
	[[ $facts =~ $'\n'$fact ]] || fail "$facts"
}

host_some_tools_only() {
	among=(tpoint opensnoop)
	checked tracelets
	[[ $rows == $'\n'opensnoop\ *$'\n'tpoint\ * && $rows != *$'\n'*$'\n'*$'\n'*$'\n'* ]] || fail "$rows"
	expect_error 2 'tracelets: there is no tool "nosuch" (try tracelets -h)' tracelets check nosuch
	expect_error 2 'tracelets: "nosuch" is none of list, check, export and export-perfetto (try tracelets -h)' tracelets nosuch
}

# switched_off TOOL...: that are so, and no others of $among
switched_off() {
	local tool why='tracing of functions is switched off here: sysctl kernel.ftrace_enabled=1'
	until_end /proc/sys/kernel/ftrace_enabled 0
	agrees
	for tool in "${among[@]}"; do
		if [[ " $* " == *" $tool "* ]]; then
			expect_line "$rows" "$tool cannot -: $why"
		else
			[[ $rows != *$'\n'"$tool cannot"* ]] || fail "$tool can"
		fi
	done
	expect_line "$facts" "kernel.ftrace_enabled: 0"
}

# One of each kind of tool, and those that work all the same.
# Where a probe at the begin of a function is the function tracer's doing
# (CONFIG_KPROBES_ON_FTRACE, of x86), probes are switched off with it.
by_tracer() { grep ' kprobe_ftrace_handler$' /proc/kallsyms >/dev/null; }
test_functions_switched_off() {
	local probes=()
	! by_tracer || probes=(cachestat kprobe opensnoop)
	among=(cachestat funccount funcgraph kprobe opensnoop tcpretrans tpoint uprobe)
	switched_off "${probes[@]}" funccount funcgraph
	expect_exit $((${#probes[@]} ? 3 : 0)) tracelets check kprobe tpoint
	expect_exit 0 tracelets check tpoint
}

test_functions_of_others_switched_off() {
	local probes=()
	! by_tracer || probes=(execsnoop syscount)
	among=(execsnoop funcslower functrace syscount)
	switched_off "${probes[@]}" funcslower functrace
}

test_addresses_kept() {
	local why='functrace cannot -: the kernel hides the addresses of its functions'
	until_end /proc/sys/kernel/kptr_restrict 2
	among=(funccount funcgraph funcslower functrace kprobe tcpretrans tpoint)
	agrees
	expect_line "$rows" "$why: sysctl kernel.kptr_restrict=1"
	expect_line "$rows" "${why/#functrace cannot -/tpoint limited -s}: sysctl kernel.kptr_restrict=1"
	expect_line "$facts" 'kernel.kptr_restrict: 2'
	echo 1 >/proc/sys/kernel/kptr_restrict
	among=(functrace)
	checked setpriv --bounding-set=-syslog tracelets
	expect_line "$rows" "$why: CAP_SYSLOG is needed (in a container: docker run --cap-add=SYSLOG)"
}

test_user_without_rights() {
	local tool why="$tracefs: permission denied: tracefs is for root (sudo)"
	for_all
	PATH=$stage/sbin:$PATH
	checked as_user tracelets
	expect_status 3
	expect_line "$rows" 'flamegraph works -: -'
	tracing_tools
	for tool in "${among[@]}"; do
		[[ $rows == *$'\n'"$tool cannot -: $why"* ]] || fail "$tool: $rows"
	done
	expect_line "$facts" 'user: uid 65534, capabilities ='
	[[ $facts == *$'\n'"tracefs: $why"* ]] || fail "$facts"
	run as_user opensnoop -d 0.1
	expect_status 1
	[[ $rows == *$'\n'"opensnoop cannot -: "${why%%:*}*$'\n'* ]]
	expect_line "${rows//opensnoop cannot -: /opensnoop: }" "$(<"$err")"
}

test_tracefs_not_mounted() {
	local tool why='tracefs is not mounted and cannot be mounted (mount -t tracefs tracefs /sys/kernel/tracing)'
	local gone=(unshare -m bash -c 'umount /sys/kernel/tracing && exec "$0" "$@"')
	need unshare
	checked "${gone[@]}" setpriv --bounding-set=-sys_admin tracelets
	expect_status 3
	expect_line "$rows" 'flamegraph works -: -'
	tracing_tools
	for_all
	expect_rows <(printf %s "${rows:1}" | grep -v '^flamegraph ') < <(printf "%s cannot -: $why: CAP_SYS_ADMIN is needed (in a container: docker run --privileged)\n" "${among[@]}")
	expect_error 1 "opensnoop: $why: CAP_SYS_ADMIN is needed (sudo)" "${gone[@]}" \
		setpriv --reuid=65534 --regid=65534 --clear-groups "$stage/sbin/opensnoop" -d 0.1
	# by itself, for itself
	among=(tpoint uprobe)
	checked "${gone[@]}" tracelets
	expect_status 0
	expect_line "$facts" 'tracefs: /sys/kernel/tracing'
}

# Root of a namespace is root no further than for files that are its own.
test_user_namespace() {
	local why with_debugfs
	need_user_namespace
	for_all
	why='permission denied: tracefs is for root outside of this user namespace'
	run as_user unshare -Ur "$stage/sbin/opensnoop" -d 0.1
	expect_status 1
	expect_rows "$err" <<<"opensnoop: $tracefs: $why"
	why='tracefs is not mounted and cannot be mounted (mount -t tracefs tracefs /sys/kernel/tracing)'
	expect_error 1 "opensnoop: $why: not permitted in a user namespace" \
		unshare -m bash -c 'umount /sys/kernel/tracing && exec unshare -Ur opensnoop -d 0.1'
	# in debugfs the kernel mounts it, on 7.2 also for root of a namespace
	with_debugfs=(unshare -m bash -c 'mount -t debugfs debugfs /sys/kernel/debug && umount /sys/kernel/tracing &&
		exec unshare -Ur "$@"' bash)
	if "${with_debugfs[@]}" test -e /sys/kernel/debug/tracing/README; then
		run "${with_debugfs[@]}" opensnoop -d 0.1
		expect_status 0
		expect_empty "$err"
	else
		expect_error 1 "opensnoop: $why: not permitted in a user namespace" "${with_debugfs[@]}" opensnoop -d 0.1
	fi
	# whose tracefs it is, outside and here
	among=(functrace killsnoop)
	checked unshare -Ur tracelets
	why='the kernel hides the addresses of its functions'
	expect_line "$rows" "functrace cannot -: $why: CAP_SYSLOG is needed outside of this user namespace"
	expect_line "$rows" 'killsnoop works -: -'
}

# There is no way out of it: this guest is for one test.
first_lockdown() {
	local why="$tracefs/README: not permitted"
	mount -t securityfs securityfs "${lockdown%/*}" || skip "no securityfs"
	[ -w "$lockdown" ] || skip "no lockdown"
	echo integrity >"$lockdown"
	expect_exit 0 opensnoop -d 0.1
	echo confidentiality >"$lockdown"
	expect_error 1 "opensnoop: $why: the kernel is in lockdown mode confidentiality, see kernel_lockdown(7)" opensnoop -d 0.1
	among=(tpoint)
	checked tracelets
	expect_line "$rows" "tpoint cannot -: $why: the kernel is in lockdown mode confidentiality, see kernel_lockdown(7)"
	expect_line "$facts" 'lockdown: confidentiality'
	expect_error 1 "opensnoop: $why (by lockdown? $lockdown cannot be read)" \
		unshare -m bash -c 'umount "$0" && exec opensnoop -d 0.1' "${lockdown%/*}"
}

test_read_only() {
	local tool
	need unshare
	at_end mount -o remount,rw "$tracefs"
	mount -o remount,ro "$tracefs"
	checked tracelets
	tracing_tools
	for tool in "${among[@]}"; do
		[ "$tool" = reset-ftrace ] ||
			expect_line "$rows" "$tool cannot -: $tracefs/instances: tracefs is mounted read-only: mount -o remount,rw it first"
	done
	run opensnoop -d 0.1
	expect_status 1
}

test_btf_hidden() {
	local why='this kernel has no BTF (/sys/kernel/btf, CONFIG_DEBUG_INFO_BTF)'
	need unshare
	[ -e /sys/kernel/btf/vmlinux ] || skip "no BTF that can be hidden"
	among=(cachestat execsnoop funcslower kprobe opensnoop tcpretrans)
	agrees "${without_btf[@]}"
	expect_line "$rows" "cachestat cannot -: $why"
	expect_line "$rows" "kprobe limited arguments by name: $why"
	[[ $rows == *$'\n''tcpretrans limited -l: this kernel has no BTF'* ]] || fail "$rows"
	expect_line "$facts" "BTF: $why"
}

# What is missing is the system's, not the kernel's.
test_libraries_hidden() {
	local hide lib
	need unshare
	hide=$(ldconfig -p | sed -En 's/.*(libelf\.so\.1|libseccomp\.so\.2) .*=> (.*)/\2/p')
	for lib in libelf libseccomp; do
		[[ $hide == *$lib* ]] || skip "no $lib"
	done
	# shellcheck disable=SC2086 # several
	hide=(unshare -m bash -c 'for lib in '"${hide//$'\n'/ }"'; do mount --bind /dev/null "$lib"; done; exec "$0" "$@"')
	among=(funccount syscount uprobe)
	agrees "${hide[@]}"
	expect_line "$rows" 'uprobe cannot -: libelf is needed: install libelf1'
	expect_line "$rows" 'funccount limited --user: libelf is needed: install libelf1'
	[[ $rows =~ $'\n''syscount cannot -: '[^$'\n']*'install libseccomp2' ]] || fail "$rows"
	[[ ! $facts =~ $'\n''libraries: '[^$'\n']*libelf ]] || fail "$facts"
	# nothing is wrong with what was typed
	expect_exit 1 "${hide[@]}" syscount -e read
}

test_pid_namespace() {
	need unshare
	among=(opensnoop tpoint)
	checked unshare -p -f --mount-proc tracelets
	expect_status 0
	[[ $facts =~ $'\n''container: '[^$'\n']*'with a PID namespace of its own: '[^$'\n']*'(--pid=host)'$'\n' ]] || fail "$facts"
}

# make_container VOLUME CAPABILITIES: sets $container to what a command is put behind to
# run as docker does it by default: root with some capabilities, and these; /sys
# read-only, without tracefs unless there is a VOLUME; with processes and mounts of its own
make_container() {
	local caps=-all,+chown,+dac_override,+fowner,+fsetid,+kill,+setgid,+setuid,+setpcap,+net_bind_service
	caps+=,+net_raw,+sys_chroot,+mknod,+audit_write,+setfcap
	need unshare
	container=(unshare -m -p -f --mount-proc bash -ec '
		for dir in tracing debug; do ! mountpoint -q /sys/kernel/$dir || umount -R /sys/kernel/$dir; done
		mount -o remount,bind,ro /sys
		[ ! -w /sys/class/net/lo/mtu ]
		[ ! "$0" ] || mount -t tracefs tracefs /sys/kernel/tracing
		exec setpriv --bounding-set="$1" --inh-caps="$1" "${@:2}"' "$1" "$caps$2")
}

test_container_by_default() {
	local why='tracefs is not mounted and cannot be mounted (mount -t tracefs tracefs /sys/kernel/tracing)'
	why+=': CAP_SYS_ADMIN is needed (in a container: docker run --privileged)'
	make_container '' ''
	expect_error 1 "opensnoop: $why" "${container[@]}" opensnoop -d 0.1
	among=(opensnoop)
	checked "${container[@]}" tracelets
	expect_status 3
	expect_line "$rows" "opensnoop cannot -: $why"
	[[ $facts =~ $'\n''container: '[^$'\n']*'with a PID namespace of its own: '[^$'\n']*'(--pid=host)'$'\n' ]] || fail "$facts"
}

# What needs the names of many functions needs CAP_SYSLOG, too.
test_container_with_tracefs() {
	local tool before why='the kernel hides the addresses of its functions'
	why+=': CAP_SYSLOG is needed (in a container: docker run --cap-add=SYSLOG)'
	make_container volume ''
	until_end /proc/sys/kernel/kptr_restrict 1
	all_tools
	checked tracelets
	before=$rows
	checked "${container[@]}" tracelets
	for tool in "${among[@]}"; do
		if [[ $tool = @(funccount|funcgraph|functrace|offcputime|offwaketime|profile|stackcount|wakeuptime) ]]; then
			expect_line "$rows" "$tool cannot -: $why"
		elif [[ $before != *$'\n'"$tool cannot"* && $rows = *$'\n'"$tool cannot"* ]]; then
			fail "$rows"
		fi
	done
	expect_line "$rows" "tpoint limited -s: $why"
	make_container volume ,+syslog
	checked "${container[@]}" tracelets
	# its samples would have ids of the container
	[[ $rows == *$'\nprofile '@(limited -F|cannot -)': '* ]] || fail "$rows"
	expect_rows <(grep -v '^profile ' <<<"$rows") < <(grep -v '^profile ' <<<"$before")
}

# set_text 0|1: options for the text of records, away from their defaults or back
set_text() {
	local option
	for option in sym-offset latency-format printk-msg-only fields; do
		[ ! -e "$tracefs/options/$option" ] || echo "$1" >"$tracefs/options/$option"
	done
	echo $((1 - $1)) >"$tracefs/options/context-info"
}

# Records have the host's process ids, which /proc does not tell inside of a PID
# namespace; whatever text is asked for of the kernel.
test_container_without_own_events() {
	make_container volume ,+syslog
	at_end set_text 0
	set_text 1
	touch /mnt/x
	start "${container[@]}" opensnoop
	cat /mnt/x
	kill -INT "$(pgrep -P "$pid")"
	finish "$pid"
	expect_status 0
	grep ' /mnt/x$' "$out" >/dev/null || fail "no row of cat"
	! grep -E '(tracing_on|kprobe_profile)$' "$out" || fail "rows of its own"
	expect_rows "$err" <<<"opensnoop: in a PID namespace: process ids are the host's, and what ran before has no name"
}

# No tool uses events of perf, which root may do all the same.
test_perf_events_forbidden() {
	local before dir=$tracefs/instances/byhand
	among=(funccount kprobe opensnoop syscount uprobe)
	checked tracelets
	before=$rows
	until_end /proc/sys/kernel/perf_event_paranoid 4
	mkdir "$dir"
	echo 1 >"$dir/events/syscalls/sys_enter_perf_event_open/enable"
	echo 1 >"$dir/events/syscalls/sys_enter_chdir/enable"
	(cd /)
	checked tracelets
	expect_rows <(printf %s "$rows") < <(printf %s "$before")
	echo 0 >"$dir/tracing_on"
	grep -q 'sys_chdir' "$dir/trace" || fail "nothing is recorded"
	! grep 'perf_event_open' "$dir/trace" || fail "a tool opens an event of perf"
	rmdir "$dir"
}

# Tools are those beside it, with the same end of the name. Who asks may trace
# nothing, so that each of ours answers that it cannot.
host_suffix_and_missing_tools() {
	local tool from
	from=$(dirname "$(type -P tracelets)")
	mkdir sbin
	for tool in tracelets tpoint opensnoop; do
		cp "$from/$tool" "sbin/$tool-x"
	done
	printf '#!/bin/sh\nkill -9 $$\n' >sbin/iosnoop-x
	printf '#!/bin/sh\necho tool,status,option,reason; echo bitesize,works,,; exit 2\n' >sbin/bitesize-x
	printf '#!/bin/sh\necho tool,status,option,reason; echo nonsense\n' >sbin/kprobe-x
	printf '#!/bin/sh\necho tool,status,option,reason; echo killsnoop,works,,\n' >sbin/killsnoop-x
	chmod +x sbin/*
	among=(tpoint opensnoop killsnoop)
	checked sbin/tracelets-x
	expect_status 3
	expect_empty "$err"
	[[ $rows =~ ^$'\n''killsnoop works -: -'$'\n''opensnoop cannot -: '[^$'\n']*$'\n''tpoint cannot -: '[^$'\n']*$'\n'$ ]] || fail "$rows"
	expect_exit 0 sbin/tracelets-x check killsnoop
	expect_exit 1 sbin/tracelets-x check tpoint uprobe
	expect_rows "$err" <<<"tracelets: $work/sbin/uprobe-x: No such file or directory"
	for tool in iosnoop bitesize kprobe; do
		expect_error 1 "tracelets: $work/sbin/$tool-x: has given no answer" sbin/tracelets-x check $tool
	done
	expect_exit 1 sbin/tracelets-x list
	grep -q '^opensnoop ' "$out" || fail "$(<"$out")"
}

host_options() {
	local option
	expect_exit 0 tracelets -V
	expect_exit 0 tracelets check -h
	expect_exit 2 tracelets check --json --csv
	expect_exit 2 tracelets check -p 1
	expect_exit 0 tracelets list --csv
	cp "$out" behind
	expect_exit 0 tracelets --csv list
	expect_rows "$out" <behind
	for option in '-o have' '--output have' --output=have '--csv -o have' -ohave; do
		# shellcheck disable=SC2086 # words
		expect_exit 0 tracelets $option --csv list
		expect_empty "$out"
		expect_rows have <behind
		rm have
	done
	run tracelets -o have check tpoint
	grep -q '^tpoint ' have || fail "nothing is checked: $(<"$err")"
	expect_exit 2 tracelets -o
	expect_exit 2 tracelets -- check
	to=/dev/full expect_exit 1 tracelets check tpoint
}
