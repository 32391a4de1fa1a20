# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shares.bash - how many samples are where, and how many have to be

# samples CONDITION FILE: of all rows that are so
samples() { jq -s "map(select($1) | .count) | add // 0" "$2"; }

# within WHAT SHARE OF PERCENT: SHARE is so many percent of OF, but for 3, or as much as so few
# samples can be off by chance: 4 times the standard deviation
within() {
	awk -v share="$2" -v of="$3" -v want="$4" -v what="$1" 'BEGIN {
		have = of ? 100 * share / of : -1
		off = of ? 4 * sqrt(want * (100 - want) / of) : 0
		if (off < 3) off = 3
		if (have < want - off || have > want + off) {
			printf "%s: %d of %d are %.1f %%, not %.1f\n", what, share, of, have, want
			exit 1
		} }' >wrong || fail "$(<wrong)"
}
