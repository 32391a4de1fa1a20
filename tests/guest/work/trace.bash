# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A trace of --perfetto as lines, by protoc, which knows nothing of who wrote it

# packets_of TRACE: as "PATH=VALUE", one in a line, a packet ends with an empty line; no
# field may be one that the schema does not have
packets_of() {
	protoc --proto_path="$here/work" --decode=Trace trace.proto <"$1" >decoded || fail "protoc cannot read $1"
	! grep -E '^ *[0-9]+[: ]' decoded || fail "a field that is not known"
	awk '
		/\{$/ { path[++depth] = $1; next }
		/\}$/ { if (!--depth) print ""; next }
		{
			line = $0; sub(/^ */, "", line); sub(/: /, "=", line)
			head = ""; for (i = 2; i <= depth; i++) head = head path[i] "."
			print head line
		}' decoded
}

# switches_of TRACE: "TIME CPU PREV PRIO -> NEXT PRIO" of each, by time; TIME in ns
switches_of() {
	packets_of "$1" | awk -F= '
		function text() { v = $0; sub(/^[^=]*=/, "", v); gsub(/"/, "", v); return v }
		{ key = $1; sub(/.*\./, "", key) }
		$1 ~ /^ftrace_events/ { f[key] = text() }
		$1 == "ftrace_events.event.sched_switch.next_pid" { is = 1 }
		$0 == "" {
			if (is)
				print f["timestamp"], f["cpu"], f["prev_comm"] ":" f["prev_pid"],
					f["prev_prio"], "->", f["next_comm"] ":" f["next_pid"], f["next_prio"]
			is = 0
			split("", f)
		}' | sort -s -n -k 1,1
}

# expect_chain SWITCHES: who leaves a processor is who got it last, by the id: names change
expect_chain() {
	awk '
		{
			prev = $3
			for (i = 4; $i != "->"; i++) if ($(i + 1) != "->") prev = prev " " $i
			next_ = $(i + 1)
			for (i += 2; i < NF; i++) next_ = next_ " " $i
		}
		# exec gives a thread another name
		{ sub(/.*:/, "", prev); sub(/.*:/, "", next_) }
		$2 in runs && runs[$2] != prev { print; bad = 1 }
		{ runs[$2] = next_ }
		END { exit bad }' "$1" || fail "somebody leaves who had not come"
}

# switches_by_tracecmd CAPTURE: the same, as trace-cmd shows them
switches_by_tracecmd() {
	trace-cmd report -t -i "$1" 2>/dev/null | sed -nE \
		's/.* \[0*([0-9]+)\] .* ([0-9]+)\.([0-9]{9}): sched_switch: +(.*) \[([0-9]+)\] [^ ]+ ==> (.*) \[([0-9]+)\]$/\2\3 \1 \4 \5 -> \6 \7/p' |
		sort -n
}

# events_of TRACE CATEGORY: "TYPE TIME NAME" of each, and behind it " ARG=VALUE" of plain
# arguments; in the order of the trace, TIME in ns
events_of() {
	packets_of "$1" | awk -F= -v "category=\"$2\"" '
		function text() { v = $0; sub(/^[^=]*=/, "", v); gsub(/"/, "", v); return v }
		$1 == "timestamp" { ns = text() }
		$1 == "track_event.type" { type = text() }
		$1 == "track_event.track_uuid" { uuid = text() }
		$1 == "track_event.category" && text() == substr(category, 2, length(category) - 2) { is = 1 }
		$1 == "track_event.name" { name = text() }
		$1 ~ /^track_event\.arg\.[a-z]*_value$/ { value = text() }
		$1 == "track_event.arg.name" { args = args " " text() "=" value }
		$0 == "" {
			if (is) { print type, ns, name args; if (type == "BEGIN") open[uuid]++ }
			else if (type == "END" && open[uuid]) { print type, ns; open[uuid]-- }
			is = 0; type = args = name = ""
		}'
}

# slices_of TRACE: "TIME TRACK B NUMBER" and "TIME TRACK E NUMBER" of each slice, in ns and
# as they were written: an end is that of the last begin on its track; "SECONDS" behind E
# of those whose row has their length
slices_of() {
	packets_of "$1" | awk -F= '
		function text() { v = $0; sub(/^[^=]*=/, "", v); gsub(/"/, "", v); return v }
		$1 == "timestamp" { ns = text() }
		$1 == "track_event.type" { type = text() }
		$1 == "track_event.track_uuid" { track = text() }
		$1 == "track_event.category" { tool = text() }
		$1 == "track_event.arg.double_value" { value = text() }
		$1 == "track_event.arg.name" && text() ~ /^(duration|latency)$/ { seconds = value }
		$0 == "" && type == "BEGIN" {
			print ns, track, "B", ++n
			number[track] = n
			# calls are as long as by another clock, and by -C without sleeps
			length_[track] = tool ~ /^func/ ? "" : seconds
		}
		$0 == "" && type == "END" { print ns, track, "E", number[track], length_[track] }
		$0 == "" { type = seconds = "" }'
}

# expect_nesting TRACE: a reader, which sorts by time, and closes with an end the last
# begin of the track that is open, sees the slices that were written, as long as their rows
expect_nesting() {
	slices_of "$1" >slices
	sort -s -n -k 1,1 slices | awk '
		NR == FNR { if ($3 == "E") { end[$4] = $1; length_[$4] = $5 } else from[$4] = $1; next }
		$3 == "B" { stack[$2, depth[$2]++] = $4; next }
		!depth[$2] { print "has no begin:", $0; bad = 1; next }
		{
			n = stack[$2, --depth[$2]]
			if (end[n] != $1) { print "slice", n, "ends with another one:", $0; bad = 1 }
			d = $1 - from[n] - length_[n] * 1e9
			if (length_[n] != "" && (d > 1 || d < -1)) { print "is not of", length_[n], "s:", $0; bad = 1 }
		}
		END {
			for (track in depth) if (depth[track]) { print "has no end:", track; bad = 1 }
			exit bad
		}' slices - || fail "$1: slices do not nest"
}
