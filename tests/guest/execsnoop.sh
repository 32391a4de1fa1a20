# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# execsnoop in a guest: what it must show for programs that are run in odd ways

rows() { sed -e 1,2d -e '/^$/,$d' "$out"; }

test_every_kind_of_exec_and_argument() {
	local nothing
	nothing=$(command -v nothing)
	start execsnoop -r --failed 'execs|nothing|by-descr|program|passwd|^$'
	"$(command -v execs)" "$nothing" >expected
	stop
	expect_status 0
	rows | grep -v "/execs $nothing\$" >rows
	expect_rows rows <expected
}

test_header_and_columns() {
	start execsnoop -tu nobody
	stop
	expect_rows "$out" <<-END
	Tracing exec()s issued by process name "nobody". Ctrl-C to end.
	TIMEs               UID    PID   PPID ARGS

	Ending tracing...
	END
}

# Without -r a process is shown once, but a new one with its PID again.
test_first_exec_only() {
	start execsnoop '^(nothing|execs)$'
	"$(command -v execs)" "$(command -v nothing)" >expected
	stop
	rows | awk '{ print $4 }' | grep -e second -e again -e first -e reused >rows
	expect_rows rows <<-END
	again
	first
	reused
	END
}

test_argument_limit() {
	start execsnoop -a 2 '^nothing$'
	nothing one two three
	nothing one
	stop
	expect_rows <(rows | awk '{ $1 = $2 = ""; print }') <<-END
	  nothing one [...]
	  nothing one
	END
}

test_uid_and_parent() {
	local nothing child
	nothing=$(command -v nothing)
	start execsnoop -ru '^nothing$'
	# this shell was there before, and its child is another user's
	setpriv --reuid 65534 --clear-groups "$nothing" other &
	child=$!
	wait $child
	stop
	expect_rows <(rows | awk '{ print $1, $2, $3, $5 }') <<-END
	65534 $child $BASHPID other
	END
}

# 32 KiB in 8 arguments: what the kernel can't record is read while it lives.
test_large_arguments_of_a_living_process() {
	local x
	x=$(printf '%4096s' '' | tr ' ' x)
	start execsnoop '^nothing$'
	nothing -w "$x" "$x" "$x" "$x" "$x" "$x" "$x" end &
	wait_lines "$out" 3
	kill $!
	stop
	expect_rows <(rows | awk '{ $1 = $2 = ""; print }') <<-END
	  nothing -w $x $x $x $x $x $x $x end
	END
}

test_script() {
	printf '#!/bin/sh\n:\n' >/mnt/script
	chmod +x /mnt/script
	start execsnoop --json script
	/mnt/script 'an argument'
	stop
	expect_rows <(sed 's/"time":[0-9.]*/"time":1/; s/"pid":[0-9]*,"ppid":[0-9]*/"pid":2/' "$out") <<-'END'
	{"time":1,"uid":0,"pid":2,"error":null,"file":"/mnt/script","args":["/bin/sh","/mnt/script","an argument"]}
	END
}

test_burst_is_complete() {
	local nothing n
	nothing=$(command -v nothing)
	start execsnoop '^nothing$'
	burst exec 500 "$nothing" >/dev/null &
	burst exec 500 "$nothing" >/dev/null
	wait $!
	stop
	n=$(rows | grep -c "$nothing one two\$")
	[ "$n" = 1000 ] || fail "$n rows of 1000"
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
