# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# Interrupts and softirqs whose numbers are known: by what the kernel counts, and by a
# program at the begin of each that looks at the clock for some time.

# spinner ARG...: has spin begin, up to where it waits for a word; its thread is $spins
spinner() {
	mkfifo "$work/go"
	at_end end_spinner
	spin "$@" <"$work/go" >"$work/spun" 2>"$work/spin.err" &
	spinning=$!
	exec {go}>"$work/go"
	until_true 60 spinner_waits || skip "spin cannot: $(<"$work/spin.err")"
	read -r spins <"$work/spun"
}
spinner_waits() { has_lines "$work/spun" 1 || gone "$spinning"; has_lines "$work/spun" 1; }
end_spinner() { kill -KILL "$spinning" 2>/dev/null || :; until_true 60 gone "$spinning"; }

# spun: gives it the word, waits for its end, and sets $count to how many there were
spun() {
	echo >&"$go"
	until_true 120 gone "$spinning" || fail "spin does not end"
	wait "$spinning" || fail "$(<"$work/spin.err")"
	count=$(tail -n 1 "$work/spun")
	exec {go}>&-
	rm "$work/go"
}

# timer: sets $at_timer to the event in the handler of the timer's interrupt, and $timer to
# what hardirqs calls that
timer() {
	if [ -e "$tracefs/events/irq_vectors" ]; then
		at_timer=irq_vectors:local_timer_entry timer=local_timer
	else
		at_timer=irq:irq_handler_entry timer=arch_timer
	fi
}

# the serial line, which nobody else writes to once the guest has booted
read -ra serial </sys/class/tty/console/active
serial=/dev/${serial[-1]}

# counted FILE ROW: how many that row of /proc/interrupts, or softirqs, has, on all
# processors together
counted() {
	awk -v row="$2:" '$1 == row { for (i = 2; $i ~ /^[0-9]+$/; i++) n += $i } END { print n + 0 }' "$1"
}

# sum_of FIELD FILTER FILE: of rows in JSON
sum_of() { jq -s "map(select($2) | .$1) | add // 0" "$3"; }

# loses COMMAND...: has what start began lose records of it, with a gap of seconds
loses() {
	kill -STOP "$pid"
	"$@"
	sleep 4
	"$@"
	kill -CONT "$pid"
}

# expect_short FIELD: there are rows, and what began before the gap has not ended behind it
expect_short() {
	stop
	expect_status 0
	grep -q 'events were lost' "$err" || fail "nothing lost: $(<"$err")"
	expect_rows <(jq -s "map(select(has(\"lost\") | not) | .$1) | length > 0 and max < 3" "$out") <<<true
}
