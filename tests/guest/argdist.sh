# shellcheck shell=bash disable=SC2016,SC2154 # what is quoted is jq's
# SPDX-License-Identifier: GPL-2.0-or-later
# argdist in a guest

first_check() {
	expect_exit 0 argdist --check
}

first_row() {
	start argdist --json -n '^values$' syscalls:sys_exit_pread64 ret
	values reads 5 3
	stop
	expect_rows <(jq -c '[.count, .values.ret]' "$out") <<<'[5,3]'
}
