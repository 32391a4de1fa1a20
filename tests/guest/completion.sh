# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What bash completes from the kernel's own lists; tests/completion has all else.

# complete_line LINE: sets $words; LINE has one blank between words
complete_line() {
	local tool=${1%% *}
	# shellcheck disable=SC1090
	. "$TL_STAGE/share/bash-completion/completions/$tool"
	read -ra COMP_WORDS <<<"$1"
	[[ $1 != *' ' ]] || COMP_WORDS+=('')
	COMP_WORDBREAKS=$' \t\n' COMP_LINE=$1 COMP_POINT=${#1} COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
	"_tracelets_${tool//-/_}"
	words=" ${COMPREPLY[*]} "
}

# expect_words WORD...: these are among them, and all begin with $prefix
expect_words() {
	local word
	for word; do [[ $words == *" $word "* ]] || fail "no $word in$words"; done
	for word in $words; do [[ $word == "$prefix"* ]] || fail "$word does not begin with $prefix"; done
}

test_tracepoints() {
	prefix=sched:sched_process_e
	complete_line "tpoint -s $prefix"
	expect_words sched:sched_process_exec sched:sched_process_exit
	complete_line "funccount -e $prefix"
	expect_words sched:sched_process_exec sched:sched_process_exit
}

test_fields() {
	prefix=prev_
	complete_line "perf-stat-hist sched:sched_switch $prefix"
	expect_words prev_comm prev_pid prev_prio prev_state
	[ ${#COMPREPLY[@]} = 4 ] || fail "$words"
}

# All tools complete them by one function.
once_functions_of_another_tool() {
	prefix=vfs_rea
	complete_line "funccount $prefix"
	expect_words vfs_read
}

test_functions() {
	prefix=p:vfs_rea
	complete_line "kprobe $prefix"
	expect_words p:vfs_read
	# all of them, each once
	prefix=tcp_
	complete_line 'funcgraph tcp_'
	grep -o '^tcp_[^ ]*' "$tracefs/available_filter_functions" | sort -u >known
	[ -s known ] || fail "no function tcp_*"
	printf '%s\n' "${COMPREPLY[@]}" | sort >found
	diff known found || fail "other functions"
}

test_system_calls() {
	prefix='read'
	complete_line 'syscount -e read'
	expect_words read readahead readlinkat
}

once_functions_of_a_program() {
	[ -e "$TL_WORK/uprobe" ] || skip "no programs"
	local shop
	for shop in "$TL_WORK"/uprobe/*; do ! uprobe -l "$shop" 2>/dev/null | grep -xq shop_tax || break; done
	prefix=p:$shop:shop_t
	complete_line "uprobe $prefix"
	expect_words "p:$shop:shop_tax"
	prefix=shop_t
	complete_line "funccount -u $shop $prefix"
	expect_words shop_tax
}

# Names of functions are all that others may read, files of the test not.
test_without_root() {
	complete_line 'funccount x'
	complete_line 'syscount x'
	complete_line 'tpoint x'
	setpriv --reuid=65534 --regid=65534 --clear-groups bash -c "
		$(declare -f)
		complete_line() {
			COMP_LINE=\$1 COMP_POINT=\${#1} COMP_WORDS=(\$1) COMP_CWORD=\$((\${#COMP_WORDS[@]} - 1)) COMP_WORDBREAKS=' '
			_tracelets_\${1%% *}
			echo \"<\${COMPREPLY[*]}>\"
		}
		complete_line 'funccount vfs_rea'
		complete_line 'syscount -e readli'
		complete_line 'tpoint sched:sched_'" >found 2>messages
	cat found messages
	grep -E '[< ]vfs_read[ >]' found
	grep -E '[< ]readlink[ >]' found
	grep -x '<>' found
	[ ! -s messages ] || fail "messages"
}
