# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every command of a tool in the documentation is run as it is written there, and
# ended by SIGINT once it traces. tests/doc-commands finds them.

# shellcheck disable=SC1091
. "$here/work/devices.bash"

# shellcheck disable=SC2034 # the suite's
test_limit=900

lanes=4		# so many commands at once

# What an example's machine has and a guest has not, for sed(1): a process is
# that of furnish, a disk its null_blk, a server a program of our own.
# shellcheck disable=SC2016 # arguments of probes
replace='
	s/(^| )(-[A-Za-z]*p|--pid=|--sender=) ?([0-9]{1,5})\>/\1\2 @PROCESS@/
	s/nvme0n1p2|\<sda1\>/nullb0p1/g
	s/nvme0n1|\<sda\>/nullb0/g
	s/-d 8,0/-d @DISK@/
	s/ \.\/values:/ @VALUES@:/
	s/--netns=left\>/--netns=1/
	s/\/usr\/local\/bin\/agent/@HOSTS@/
	s/mysqld:dispatch_command text=\$arg3/\/opt\/shop\/pie:shop_tax text=$arg2/
'

# KIND PATTERN # REASON, of commands as they are written
#   last     others are disturbed by it, or it by others
#   state    what there is decides its exit status
#   ends     by itself: not by a signal
#   quiet    of what it shows nothing happens in a guest
#   varies   its message depends on the machine: only its beginning is compared
#   other    its message tells of what is not so here: it runs
#   lacks    the kernel of the examples cannot do it
exceptions='
	last    reset-ftrace*
	last    tracelets?export*	# all at one port
	ends    tracelets?export*--check*
	ends    tracelets?export*-h
	state   reset-ftrace*
	state   tracelets*check*	# and who asks
	state   syscount*/nowhere	# that of the command
	ends    syscount*ls*
	ends    syscount*calls32
	ends    syscount*true
	ends    tracelets*export-perfetto*
	ends    opensnoop*-r*
	quiet   *tcpretrans*
	quiet   *tcpconnect*
	quiet   *tcpaccept*
	quiet   *gethostlatency*
	quiet   *dropsnoop*
	quiet   tracelets*cannot*
	quiet   iosnoop*grep*		# what failed
	quiet   reset-ftrace*
	quiet   *|?flamegraph*		# a file gets what it shows
	quiet   wakeuptime*-p*		# it sleeps all the time
	quiet   wakeuptime*convert*	# programs of the example
	quiet   profile*burn*		# the same
	quiet   lockstat?-f?-n*		# the same
	varies  *libc*
	varies  *bash:*
	varies  *-d?sdz			# the disks there are
	other   funcgraph?vfs_read	# another one is tracing
	lacks   tcpretrans*--failed	# no field err
'

# the examples' machine is of x86-64
if [ "$(uname -m)" = aarch64 ]; then
	replace+='s/%di\>/%x0/g; s/%si\>/%x1/g; s/%dx\>/%x2/g'
	exceptions+='
	other	kprobe*p:cmp_range	# there are two of it
	state	kprobe*p:exc_nmi	# a function of x86
	state	tpoint*sys_enter_open	# a call of x86
	state	stackcount*page_fault_user	# a tracepoint of x86
	lacks	funccount*--in-kernel*	# CONFIG_FPROBE_EVENTS
	lacks	kprobe*[!a-z][ft]:*
'
fi

kinds=() globs=()
while read -r kind pattern _; do
	[ ! "$kind" ] || kinds+=("$kind") globs+=("$pattern")
done <<<"$exceptions"

# is KIND COMMAND
is() {
	local i
	for i in "${!kinds[@]}"; do
		# shellcheck disable=SC2053
		[ "${kinds[i]}" != "$1" ] || [[ $2 != ${globs[i]} ]] || return 0
	done
	return 1
}

# furnish: what commands ask for
furnish() {
	local go
	process=''
	fresh
	at_end unfurnish
	null nullb0
	addpart /dev/nullb0 1 8 64 || fail "no partition"
	load ext4
	mkdir -p /opt/shop /mnt/stage /sys/fs/cgroup/web
	mount --bind "$TL_WORK/uprobe" /opt/shop
	# nobody can go where the checkout may lie
	mount --bind "$TL_STAGE" /mnt/stage
	mkfifo go
	exec {go}<>go
	/opt/shop/shared 2 wait <&"$go" >/dev/null &
	process=$!
	echo $process >/sys/fs/cgroup/web/cgroup.procs
	mkdir -p /var/lib/prometheus/node-exporter
	captures
	ip link set lo up
	config=$(tracelets-export -h | grep -om1 '/[^ ]*/export\.conf')
	mkdir -p "${config%/*}"
	cp "$here/../../etc/export.conf" "$config"
	replace=${replace//@PROCESS@/$process}
	replace=${replace//@DISK@/$nullb0}
	replace=${replace//@VALUES@/$(command -v values | sed 's/\//\\&/g')}
	replace=${replace//@HOSTS@/$(command -v hosts | sed 's/\//\\&/g')}
}
# captures: those that examples read
captures() {
	need trace-cmd
	schedtop -w sched.dat -d 0.2 >/dev/null
	opensnoop -w opens.dat -d 0.2 >/dev/null
	iosnoop -w io.dat 0.2 >/dev/null
	kmemstat -w kmem.dat -d 0.2 >/dev/null
	kmemstat -w k.dat -k kmalloc -d 1 >/dev/null
	trace-cmd record -q -o trace.dat -e sched_switch true >/dev/null 2>&1 || fail "trace-cmd does not record"
}
unfurnish() {
	remove_devices		# all there is where the test was skipped
	[ "$process" ] || return
	kill "$process"
	wait "$process"
	umount /opt/shop /mnt/stage
	rmdir /sys/fs/cgroup/web
}

# wrap: each tool writes down its process id, as it alone gets the signal: what
# is behind it in a pipe ends after it
wrap() {
	local tool
	for tool in /mnt/stage/sbin/*; do
		eval "${tool##*/}() { echo \$BASHPID >tool; exec \$as $tool \"\$@\"; }"
	done
	# It ends by itself, also behind another tool, which gets the signal.
	# shellcheck disable=SC2317,SC2086
	flamegraph() { exec $as /mnt/stage/sbin/flamegraph "$@"; }
	# To hook all functions takes 20 s, in which everything else is slow; funcgraph's
	# own tests do.
	# shellcheck disable=SC2317,SC2086 # called by eval; $as is words, or none
	funcgraph() {
		echo "$BASHPID" >tool
		[[ $* == *--only* ]] || set -- --only='vfs_*' "$@"
		exec $as /mnt/stage/sbin/funcgraph "$@"
	}
}

# something: a little of what tools show, for those in front of a pipe
something() {
	io read /dev/nullb0 0 4096 1
	cat /etc/hostname
	kill -0 $$
}

# over JOB: it has ended, or its tool traces
over() { read -rt 0 -u "$ready" || gone "$1"; }

# execute COMMAND: until it has ended, which is soon after its tool traces; sets
# $status, that of the tool, and $others, of what is behind it in a pipe
execute() {
	local job
	while read -rt 0 -u "$ready"; do read -r -u "$ready"; done
	: >tool
	: >statuses
	set -m
	(
		export TRACELETS_READY_FD=$ready
		eval "$1"$'\n''echo "${PIPESTATUS[@]}" >statuses'
	) </dev/null >out 2>err &
	job=$!
	set +m
	until_true 150 over $job && ! is ends "$1" && [ -s tool ] && {
		[[ $1 != *'|'* ]] || something >/dev/null
		kill -INT "$(<tool)" 2>/dev/null
	}
	until_true 150 gone $job || {
		kill -KILL -- -$job
		echo "still running" >>err
	}
	status=0 others=''
	wait $job || status=$?
	[ ! -s statuses ] || read -r status others <statuses
}

# even TEXT: sets $text to that without what differs each time, numbers and how many
# blanks are before them; the byte 1 is a number
even() {
	text=$1
	while [[ $text =~ 0x[0-9a-f]+ ]]; do text=${text/"${BASH_REMATCH[0]}"/$'\1'}; done
	text=${text//[0-9]/$'\1'}
	while [[ $text == *$'\1\1'* ]]; do text=${text//$'\1\1'/$'\1'}; done
	while [[ $text == *'   '* ]]; do text=${text//   /  }; done
}

# judge_error: an example that shows nothing but messages
judge_error() {
	local tool=${command%% *} complete='' want text
	[[ $messages != *' has all that is needed' ]] || complete=1
	[[ $status == [0-3] ]] || echo "exit status $status"
	[[ $status == 0 || $(<err) == "$tool: "* ]] || echo "no message"
	[ $((status == 0)) = $((complete)) ] || echo "exit status $status"
	is varies "$command" && return
	even "$messages"
	want=$text
	even "$(cat out err)"
	[ "$text" = "$want" ] ||
		diff -u --label documented --label shown <(echo "$messages") <(cat out err)
}

# judge_run: all others
judge_run() {
	local most=0
	! is state "$command" || most=3
	if [ "$wanted" ]; then
		[ "$status" = "$wanted" ] || echo "exit status $status, not $wanted"
	elif [[ $status == late || $status -gt $most ]]; then
		echo "exit status $status"
	fi
	[[ $command != *'|'* ]] || is quiet "$command" ||
		[[ -s out && $others != *[1-9]* ]] || echo "through the pipe came nothing, or an error: $others"
	[[ $command != *jq* ]] || ! grep -qx null out || echo "a key that is in no row"
}

# run_lane FILE: its commands one after the other; what is wrong goes to file
# wrong, what this kernel cannot do to lacking. Beside others a command can be
# starved of time: lane.last has it once more, alone.
run_lane() {
	local record where command prompt wanted messages as faults file
	mkdir "in.$1"
	cd "in.$1" || return
	mkfifo ready
	exec {ready}<>ready
	cp ../*.dat .
	chmod a+r ./*.dat
	printf '#!/bin/sh\ncat /etc/hostname\n' >program
	chmod +x program
	cp "$config" .
	for file in old new out off perf; do
		echo 'program;main 1' >$file.folded
	done
	while IFS= read -r record; do
		IFS=$'\037' read -r where command prompt wanted messages _ <<<"$record"
		# shellcheck disable=SC2034 # of wrap
		case $prompt in
		'#') as='' ;;
		*) as='setpriv --reuid=65534 --regid=65534 --clear-groups' ;;
		esac
		command=${command//$'\036'/$'\n'} messages=${messages//$'\036'/$'\n'}
		execute "$command"
		if [ "$messages" ] && ! is state "$command" && ! is other "$command"; then
			faults=$(judge_error)
		else
			faults=$(judge_run)
		fi
		[ "$faults" ] || continue
		[ "$1" = lane.last ] || { echo "$record" >>again; continue; }
		if [ "$status" = 3 ] && is lacks "$command" &&
			[ "$(wc -l <err)" = 1 ] && [ ! -s out ]; then
			printf '%s: %s\n\t%s\n' "$where" "$command" "$(<err)" >>lacking
		else
			printf '%s: %s\n%s\n' "$where" "$command" "$faults"
			tail -v -n 6 out err
		fi >>wrong
	done <"../$1"
}

# commands_of PATTERN: those of the files that match, and no file before has
commands_of() {
	local where command rest lane pids=() beside=0 total=0
	# others lack what some of them need, and have their tests of the same
	[[ $(uname -r) == 6.12.* ]] || skip "the documentation is of 6.12"
	furnish
	wrap
	"$here/../doc-commands" | awk -F '\037' '!had[$2 FS $3]++' | sed -E "$replace" >all
	while IFS=$'\037' read -r where command rest; do
		# shellcheck disable=SC2053
		[[ $where == $1 ]] || continue
		lane=$((1 + beside++ % (lanes - 1)))
		case $command in
		func[gst]*) lane=0 ;;	# a kernel may have but one function tracer
		esac
		! is last "$command" || lane=last
		printf '%s\037%s\037%s\n' "$where" "$command" "$rest" >>lane.$lane
		: $((++total))
	done <all
	[ $total -gt 0 ] || fail "no command in $1"
	set +eE
	trap - ERR
	for lane in lane.[0-9]; do
		run_lane "$lane" &
		pids+=($!)
	done
	wait "${pids[@]}"
	cat in.*/again >>lane.last 2>/dev/null
	[ ! -s lane.last ] || {
		(run_lane lane.last)
		echo "$full_kb" >"$tracefs/buffer_size_kb"	# reset
	}
	cat in.*/lacking in.*/wrong 2>/dev/null
	! grep -qs . in.*/wrong || fail "not all of $total commands are right"
}

once_readme() { commands_of 'README.md:*'; }
once_help() { commands_of '*.-h:*'; }
once_overview() { commands_of 'man/man8/tracelets.8:*'; }
once_man_pages() { commands_of 'man/man8/!(tracelets).8:*'; }
# of the tools whose names begin so
once_examples_a_to_h() { commands_of 'examples/[a-h]*'; }
once_examples_i_to_k() { commands_of 'examples/[i-k]*'; }
once_examples_l_to_z() { commands_of 'examples/[l-z]*'; }
