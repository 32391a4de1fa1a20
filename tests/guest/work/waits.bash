# shellcheck shell=bash disable=SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# Threads whose runs, waits and sleeps are known. Each is asleep, in read(2), when
# begin and tell return: what the kernel counts for it stands still then.

# begin NAME [CPU]: a thread that does what tell says; its id is in ${tid[NAME]}
declare -A tid=()
begin() {
	mkfifo "$work/$1.to"
	at_end end_all
	if [ $# -gt 1 ]; then
		taskset -c "$2" waits "$work/$1.to" >"$work/$1.said" &
	else
		waits "$work/$1.to" >"$work/$1.said" &
	fi
	wait_lines "$work/$1.said" 1
	read -r "tid[$1]" <"$work/$1.said"
	asleep "$1"
}

# in_cgroup NAME: puts it into a cgroup of its own, /suite/inner
in_cgroup() {
	mountpoint -q /sys/fs/cgroup || mount -t cgroup2 none /sys/fs/cgroup || skip "no cgroup2"
	mkdir -p "$inner"
	echo "${tid[$1]}" >"$inner/cgroup.procs"
}
inner=/sys/fs/cgroup/suite/inner

# turns: one sleeps and runs, while two runs on the same processor
turns() {
	order one sleep 20 2
	order two burn 200
	done_with one 1
	done_with two 1
	order two burn 400
	order one burn 200
	done_with one 2
	done_with two 2
}

end_all() {
	local one
	kill -KILL "${tid[@]}" 2>/dev/null || :
	for one in "${tid[@]}"; do until_true 60 gone "$one"; done
}

# asleep NAME: waits until it is
asleep() { until_true 60 is_asleep "${tid[$1]}" || fail "$1 does not come to rest"; }
is_asleep() {
	local stat
	read -r stat <"/proc/$1/stat" && [[ ${stat##*) } == S* ]]
}

# order NAME WHAT...: has it begin with that
order() { echo "${*:2}" >"$work/$1.to"; }

# done_with NAME: waits until it has done N things, and is asleep again; $took is how
# long the last one took, ns
done_with() {
	wait_lines "$work/$1.said" $(($2 + 1))
	asleep "$1"
	took=$(tail -n 1 "$work/$1.said")
}

# counts NAME: sets $voluntary and $involuntary, its switches so far
counts() {
	local name value _
	while read -r name value _; do
		case $name in
		voluntary_ctxt_switches:) voluntary=$value ;;
		nonvoluntary_ctxt_switches:) involuntary=$value ;;
		esac
	done <"/proc/${tid[$1]}/status"
}

# ran NAME: sets $ran, the time that it has run, ns
ran() { read -r ran _ <"/proc/${tid[$1]}/schedstat"; }

# near HAVE WANT PERCENT WHAT: and no more than 2 ms off, or fails
near() {
	awk -v a="$1" -v b="$2" -v p="$3" 'BEGIN { d = a > b ? a - b : b - a; exit d > b * p / 100 + 2e6 }' ||
		fail "$4: $1, not $2"
}

# between HAVE FROM TO WHAT: or fails
between() {
	[ "$1" -ge "$2" ] && [ "$1" -le "$3" ] || fail "$4: $1, not $2 - $3"
}
