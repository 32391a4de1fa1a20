# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tcptop in a guest: bytes of connections that conns makes, and of its processes.

# shellcheck source=/dev/null
. "$here/work/net.bash"
# shellcheck source=/dev/null
. "$here/work/conns.bash"

# both_ends [FILE]: PID LADDR LPORT RADDR RPORT TX RX of both ends of what conns made
both_ends() {
	awk '$9 == "ok" && $7 + $8 { print $1, $2, $3, $5, $6, $7, $8; print $10, $5, $6, $2, $3, $8, $7 }' "${1-made}" | sort
}

# shown [FILE]: the same of rows
shown() { jq -r '"\(.pid) \(.laddr) \(.lport) \(.raddr) \(.rport) \(.tx) \(.rx)"' "${1-$out}" | sort; }

# expect_made [FILE]: its rows are what conns made, each once
expect_made() {
	shown "${1-$out}" >rows
	expect_rows rows < <(both_ends)
}

first_check() { expect_exit 0 tcptop --check; }

first_row() {
	rm -f made
	start tcptop --json 3600
	made close-client 8000 300000 7
	stop
	expect_status 0
	expect_empty "$err"
	expect_made
}
