# shellcheck shell=bash disable=SC2016 # $arg1, and what another bash expands
# SPDX-License-Identifier: GPL-2.0-or-later
# tracelets in a guest: what it says of a tool must be what a run of it does

# A short run of each tool, and the options that a kernel may lack.
declare -A runs_of=(
	[bitesize]='-d 0.1' [cachestat]='0.1 1' [execsnoop]='-d 0.1' [funccount]='-d 0.1 vfs_fsync'
	[funcgraph]='-d 0.1 vfs_fsync' [funcslower]='-d 0.1 vfs_fsync 1000' [functrace]='-d 0.1 vfs_fsync'
	[iolatency]='0.1 1' [iosnoop]='0.1' [killsnoop]='-d 0.1' [kprobe]='-d 0.1 p:vfs_fsync'
	[opensnoop]='-d 0.1' [perf-stat-hist]='-d 0.1 sched:sched_wakeup pid' [reset-ftrace]='--dry-run'
	[syscount]='-d 0.1' [tcpretrans]='-d 0.1' [tpoint]='-d 0.1 task:task_rename' [uprobe]='-d 0.1 p:libc:malloc'
)
# TOOL|OPTION as it says|arguments of a run that needs it, ~ a space in one
limits=(
	'execsnoop|--failed|--failed -d 0.1'
	'funccount|--in-kernel|--in-kernel -d 0.1 vfs_fsync'
	'funccount|--user|-d 0.1 -u libc malloc'
	'funcgraph|--args|--args -d 0.1 vfs_fsync'
	'funcgraph|--ret|--ret -d 0.1 vfs_fsync'
	'funcslower|--args|--args -d 0.1 vfs_fsync 1000'
	'functrace|-s|-s -d 0.1 vfs_fsync'
	'functrace|--args|--args -d 0.1 vfs_fsync'
	'kprobe|arguments by name|-d 0.1 p:vfs_fsync~file'
	'kprobe|arguments in r:|-d 0.1 r:vfs_fsync~$arg1'
	'kprobe|f: and t:|-d 0.1 f:vfs_fsync'
	'kprobe|-s|-s -d 0.1 p:vfs_fsync'
	'perf-stat-hist|--in-kernel|--in-kernel -d 0.1 sched:sched_wakeup pid'
	'syscount|--in-kernel|-c --in-kernel -d 0.1'
	'tcpretrans|--failed|--failed -d 0.1'
	'tcpretrans|--synack|--synack -d 0.1'
	'tcpretrans|-l|-l -d 0.1'
	'tcpretrans|-s|-s -d 0.1'
	'tpoint|-s|-s -d 0.1 task:task_rename'
	'uprobe|-s|-s -d 0.1 p:libc:malloc'
)

# all_tools: those that are installed, but for tracelets itself
all_tools() {
	local file
	for file in "$TL_STAGE"/sbin/*; do
		[ "${file##*/}" = tracelets ] || echo "${file##*/}"
	done
}

# checked COMMAND...: its rows about tools, "NAME STATUS OPTION: REASON", in rows
checked() {
	run "$@" check --json
	take_rows
}
take_rows() {
	jq -r 'select(.kind == "tool") | "\(.name) \(.status) \(.option // "-"): \(.reason // "-")"' "$out" >rows
	jq -r 'select(.kind == "system") | "\(.name): \(.value // "-")"' "$out" >facts
}

# expect_line FILE LINE
expect_line() {
	grep -qxF -e "$2" "$1" || fail "no line \"$2\" in $1: $(<"$1")"
}

# agrees COMMAND...: each tool, or those of $among, runs below it if, and only
# if, it says so there
among=()
agrees() {
	local tool want
	run "$@" tracelets check --json "${among[@]}"
	take_rows
	[ ${#among[@]} != 0 ] || mapfile -t among < <(all_tools)
	for tool in "${among[@]}"; do
		grep -q "^$tool cannot " rows && want=1 || want=0
		# shellcheck disable=SC2086 # words
		run timeout -k 5 100 "$@" "$tool" ${runs_of[$tool]}
		[ $((status != 0)) = $want ] || fail "$tool: status $status, but: $(grep "^$tool " rows)"
		# with its own words
		[ $want = 0 ] || grep -qF -e "$(sed -n "s/^$tool cannot -: //p" rows)" "$err" ||
			fail "other words than of $(grep "^$tool " rows)"
	done
}

test_list() {
	local tool
	for tool in $(all_tools); do
		"$tool" -h | sed -n '1s/ - /\t/p'
	done >expected
	run tracelets
	expect_status 0
	expect_rows <(sed -e 1d -e 's/  */\t/' "$out") <expected
	run tracelets list --json
	expect_rows <(jq -r '"\(.tool)\t\(.summary)"' "$out") <expected
}

test_all_have_a_run() {
	expect_rows <(printf '%s\n' "${!runs_of[@]}" | LC_ALL=C sort) < <(all_tools | LC_ALL=C sort)
}

test_agrees_with_runs() {
	agrees
	expect_rows <(cut -d ' ' -f 1 rows | uniq) < <(all_tools)
	run tracelets check
	expect_status 0
	expect_clean
}

# A limit is said if, and only if, a run that needs it exits with status 3.
test_limits_agree_with_runs() {
	local tool option arguments line want
	checked tracelets
	for line in "${limits[@]}"; do
		IFS='|' read -r tool option arguments <<<"$line"
		grep -qF -e "$tool limited $option: " rows && want=3 || want=0
		# shellcheck disable=SC2086 # words
		set -- $arguments
		set -- "${@//\~/ }"
		run timeout -k 5 100 "$tool" "$@"
		[ "$status" = $want ] || fail "$tool $*: status $status, but: $(grep -e "^$tool " rows)"
	done
	# all that it says is looked at here, or below
	while read -r line; do
		[[ $line == *' limited '* ]] || continue
		tool=${line%% *} option=${line#* limited } option=${option%%: *}
		case $line in
		'funcgraph limited other tracers: '* | 'opensnoop limited 32-bit programs: '* | *'arguments in r:'* | *'f: and t:'*) ;;
		*) printf '%s\n' "${limits[@]}" | grep -qF -e "$tool|$option|" || fail "not known: $line" ;;
		esac
	done <rows
}

test_limits_of_this_kernel() {
	local want
	checked tracelets
	# has TEXT LINE: a limit is there unless the kernel's own help has the text
	grep -q 'kernel return probes support' "$tracefs/README" && want=1 || want=0
	expect_rows <(grep -c -e '^kprobe limited arguments in r:: ' rows || :) <<<$((1 - want))
	expect_rows <(grep -c -e '^opensnoop limited 32-bit programs: ' rows || :) <<<$((1 - want))
	[ -e "$tracefs/events/sched/sched_switch/hist" ] && want=0 || want=1
	expect_rows <(grep -c -e 'syscount limited --in-kernel: .*(CONFIG_HIST_TRIGGERS)' rows || :) <<<$want
	expect_rows <(grep -c -e 'perf-stat-hist limited --in-kernel: .*(CONFIG_HIST_TRIGGERS)' rows || :) <<<$want
	mkdir "$tracefs/instances/mine"
	grep -qw function_graph "$tracefs/instances/mine/available_tracers" && want=0 || want=1
	rmdir "$tracefs/instances/mine"
	expect_rows <(grep -c -e '^funcgraph limited other tracers: ' rows || :) <<<$want
}

# A tool's own --check says the same, in words and as data.
test_check_of_a_tool() {
	local tool status_was
	checked tracelets
	for tool in funcgraph kprobe syscount tpoint; do
		expect_exit 0 "$tool" --check --json
		expect_rows <(jq -r '"\(.tool) \(.status) \(.option // "-"): \(.reason // "-")"' "$out") < <(grep "^$tool " rows)
		expect_exit 0 "$tool" --check
		expect_rows <(sed -n 's/^limited: //p' "$out") < <(sed -n "s/^$tool limited //p" rows)
		grep -q "^$tool limited" rows && status_was='what is needed, with limits' || status_was='all that is needed'
		expect_rows <(head -n 1 "$out") <<<"$tool: this kernel has $status_was"
	done
}

test_formats_say_the_same() {
	checked tracelets
	run tracelets check --csv
	expect_rows <(head -n 1 "$out") <<<'kind,name,status,option,reason,value'
	expect_rows <(grep -c '^tool,' "$out") < <(grep -c '' rows)
	expect_rows <(grep -c '^system,' "$out") < <(grep -c '' facts)
	run tracelets check
	expect_rows <(sed -n '1,/^$/p' "$out" | sed '/^$/d; s/^\([^ ]*\)  */\1: /') <facts
	expect_rows <(sed '1,/^TOOL /d' "$out" | awk '{ print $1, $2 }') < <(awk '{ print $1, $2 }' rows)
}

test_facts() {
	checked tracelets
	expect_line facts "kernel: $(uname -rmv | awk '{ r = $1; m = $NF; sub(/^[^ ]* /, ""); sub(/ [^ ]*$/, ""); print r, m, $0 }')"
	expect_line facts "tracefs: $tracefs"
	expect_line facts "kernel.ftrace_enabled: 1"
	expect_line facts "BTF: yes"
	# the host's files may be a container's
	grep -Eq "^container: (no|[a-z]+, with the host's PID namespace)\$" facts || fail "$(<facts)"
	expect_line facts "user: uid 0, capabilities =ep"
	grep -q '^libraries: .*libtraceevent\.so\.[0-9.]*[0-9]' facts || fail "$(<facts)"
}

test_some_tools_only() {
	run tracelets check --json tpoint opensnoop
	expect_status 0
	expect_rows <(jq -r 'select(.kind == "tool") | .name' "$out" | uniq) <<-END
	opensnoop
	tpoint
	END
	expect_error 2 'tracelets: there is no tool "nosuch" (try tracelets -h)' tracelets check nosuch
	expect_error 2 'tracelets: "nosuch" is neither list nor check (try tracelets -h)' tracelets nosuch
}

test_functions_switched_off() {
	local tool why='tracing of functions is switched off here: sysctl kernel.ftrace_enabled=1'
	until_end /proc/sys/kernel/ftrace_enabled 0
	among=(cachestat execsnoop funccount funcgraph funcslower functrace kprobe opensnoop syscount tcpretrans tpoint uprobe)
	agrees
	for tool in cachestat execsnoop funccount funcgraph funcslower functrace kprobe opensnoop syscount; do
		expect_line rows "$tool cannot -: $why"
	done
	for tool in tpoint uprobe tcpretrans; do
		! grep "^$tool cannot" rows || fail "$tool can"
	done
	expect_line facts "kernel.ftrace_enabled: 0"
	expect_exit 3 tracelets check
	expect_exit 0 tracelets check tpoint
}

test_addresses_kept() {
	until_end /proc/sys/kernel/kptr_restrict 2
	among=(funccount funcgraph funcslower functrace kprobe tpoint)
	agrees
	expect_line rows 'functrace cannot -: the kernel keeps the addresses of its functions to itself: sysctl kernel.kptr_restrict=1'
	expect_line facts 'kernel.kptr_restrict: 2'
	echo 1 >/proc/sys/kernel/kptr_restrict
	checked setpriv --bounding-set=-syslog tracelets
	expect_line rows 'functrace cannot -: the kernel keeps the addresses of its functions to itself: CAP_SYSLOG is needed (sudo)'
}

test_user_without_rights() {
	local tool PATH=/mnt/stage/sbin:$PATH
	cp -r "$TL_STAGE" /mnt/stage	# the checkout may lie where nobody else can go
	checked as_user tracelets
	expect_status 3
	for tool in $(all_tools); do
		grep -q "^$tool cannot -: $tracefs: permission denied: tracefs is for root (sudo)" rows || fail "$(grep "^$tool " rows)"
	done
	expect_line facts 'user: uid 65534, capabilities ='
	grep -q "^tracefs: $tracefs: permission denied: tracefs is for root (sudo)" facts || fail "$(<facts)"
	run as_user opensnoop -d 0.1
	expect_status 1
	expect_rows "$err" < <(sed -n 's/^opensnoop cannot -/opensnoop/p' rows)
	run as_user tracelets list
	expect_status 0
	rm -r /mnt/stage
}

test_tracefs_not_mounted() {
	local gone=(unshare -m bash -c 'umount /sys/kernel/tracing && exec "$0" "$@"')
	need unshare
	checked "${gone[@]}" setpriv --bounding-set=-sys_admin tracelets
	expect_status 3
	expect_rows <(cut -d ' ' -f 2- rows | sort -u) <<-END
	cannot -: tracefs is not mounted: mount -t tracefs tracefs /sys/kernel/tracing (not permitted: see /sys/kernel/security/lockdown)
	END
	# by itself, for itself
	checked "${gone[@]}" tracelets
	expect_status 0
	expect_line facts 'tracefs: /sys/kernel/tracing'
}

test_read_only() {
	local tool
	need unshare
	at_end mount -o remount,rw "$tracefs"
	mount -o remount,ro "$tracefs"
	checked tracelets
	for tool in $(all_tools); do
		[ "$tool" = reset-ftrace ] ||
			expect_line rows "$tool cannot -: $tracefs/instances: tracefs is mounted read-only: mount -o remount,rw it first"
	done
	run opensnoop -d 0.1
	expect_status 1
}

test_btf_hidden() {
	local hide=(unshare -m bash -c 'mount --bind /dev/null /sys/kernel/btf/vmlinux && exec "$0" "$@"')
	need unshare
	[ -e /sys/kernel/btf/vmlinux ] || skip "no BTF that can be hidden"
	among=(cachestat execsnoop funcslower kprobe opensnoop tcpretrans)
	agrees "${hide[@]}"
	expect_line rows 'cachestat cannot -: this kernel has no BTF (/sys/kernel/btf, CONFIG_DEBUG_INFO_BTF)'
	expect_line rows 'kprobe limited arguments by name: this kernel has no BTF (/sys/kernel/btf, CONFIG_DEBUG_INFO_BTF)'
	grep -q '^tcpretrans limited -l: this kernel has no BTF' rows || fail "$(<rows)"
	expect_line facts 'BTF: this kernel has no BTF (/sys/kernel/btf, CONFIG_DEBUG_INFO_BTF)'
}

test_libraries_hidden() {
	local hide lib
	need unshare
	hide=$(ldconfig -p | sed -En 's/.*(libbpf\.so\.[01]|libelf\.so\.1|libseccomp\.so\.2) .*=> (.*)/\2/p')
	for lib in libbpf libelf libseccomp; do
		[[ $hide == *$lib* ]] || skip "no $lib"
	done
	# shellcheck disable=SC2086 # several
	hide=(unshare -m bash -c 'for lib in '"${hide//$'\n'/ }"'; do mount --bind /dev/null "$lib"; done; exec "$0" "$@"')
	among=(cachestat execsnoop funccount kprobe syscount uprobe)
	agrees "${hide[@]}"
	expect_line rows 'cachestat cannot -: libbpf is needed: install libbpf1 or libbpf0'
	expect_line rows 'uprobe cannot -: libelf is needed: install libelf1'
	expect_line rows 'funccount limited --user: libelf is needed: install libelf1'
	grep -q '^syscount cannot -: .*install libseccomp2' rows || fail "$(<rows)"
	! grep libbpf facts | grep libraries || fail "$(<facts)"
}

test_pid_namespace() {
	need unshare
	checked unshare -p -f --mount-proc tracelets
	expect_status 0
	grep -q '^container: .*with a PID namespace of its own: .*(--pid=host)$' facts || fail "$(<facts)"
}

# Tools are those beside it, with the same end of the name.
test_suffix_and_missing_tools() {
	local tool
	mkdir sbin
	ln -s "$TL_STAGE/lib" lib
	for tool in tracelets tpoint opensnoop; do
		cp "$TL_STAGE/sbin/$tool" "sbin/$tool-x"
	done
	printf '#!/bin/sh\nkill -9 $$\n' >sbin/iosnoop-x
	printf '#!/bin/sh\necho tool,status,option,reason; echo bitesize,works,,; exit 2\n' >sbin/bitesize-x
	printf '#!/bin/sh\necho tool,status,option,reason; echo nonsense\n' >sbin/kprobe-x
	chmod +x sbin/*
	expect_exit 0 sbin/tracelets-x check tpoint opensnoop
	expect_exit 1 sbin/tracelets-x check tpoint uprobe
	expect_rows "$err" <<<"tracelets: $work/sbin/uprobe-x: No such file or directory"
	for tool in iosnoop bitesize kprobe; do
		expect_error 1 "tracelets: $work/sbin/$tool-x: has given no answer" sbin/tracelets-x check $tool
	done
	expect_exit 1 sbin/tracelets-x list
	grep -q '^opensnoop ' "$out" || fail "$(<"$out")"
}

test_options() {
	expect_exit 0 tracelets -V
	expect_exit 0 tracelets check -h
	expect_exit 2 tracelets check --json --csv
	expect_exit 2 tracelets check -p 1
	to=/dev/full expect_exit 1 tracelets check tpoint
}
