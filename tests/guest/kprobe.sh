# shellcheck shell=bash disable=SC2016 # $arg1 and the like are the kernel's
# SPDX-License-Identifier: GPL-2.0-or-later
# kprobe in a guest: values by name must be those that the workload has passed,
# and those that the same registers hold

x86() { [ "$(uname -m)" = x86_64 ]; }
has_btf() { [ -e /sys/kernel/btf/vmlinux ]; }
return_args() { grep -q 'kernel return probes support: $retval, $arg<N>' "$tracefs/README"; }

# trace ACT... -- ARG...: fields of what the workload hits, in file rows
trace() {
	local acts=()
	while [ "$1" != -- ]; do acts+=("$1"); shift; done
	shift
	start kprobe --json -n '^probed$' "$@"
	probed "${acts[@]}" >printed
	stop
	expect_status 0
	fields
}
fields() { sed 's/.*"fields":{\(.*\)},"stack".*/\1/' "$out" >rows; }

# fields_of EVENT PATTERN [EVENT PATTERN]...: of these events, in this order, those
# whose fields match, as "EVENT FIELDS"
fields_of() {
	awk 'BEGIN { for (n = 0; 2 * n + 2 < ARGC; n++) {
			event[n] = ARGV[2 * n + 1]; pattern[n] = ARGV[2 * n + 2]
			ARGV[2 * n + 1] = ARGV[2 * n + 2] = "" } }
		match($0, /"event":"[^"]*"/) {
			name = substr($0, RSTART + 9, RLENGTH - 10)
			fields = $0
			sub(/.*"fields":[{]/, "", fields); sub(/[}],"stack".*/, "", fields)
			for (i = 0; i < n; i++) if (event[i] == name && fields ~ pattern[i])
				text[i] = text[i] name " " fields "\n" }
		END { for (i = 0; i < n; i++) printf "%s", text[i] }' "$@" "$out"
}

# kallsyms: sets $kallsyms to a copy of the kernel's, which takes long to make it
kallsyms() {
	kallsyms=/mnt/kallsyms
	[ -e $kallsyms ] || cat /proc/kallsyms >$kallsyms
}

# large_file: sets $large to O_LARGEFILE, which the kernel adds to what a program opens
large_file() {
	local fd flags
	exec {fd}</dev/null
	flags=$(sed -n 's/^flags:[[:space:]]*//p' "/proc/self/fdinfo/$fd")
	exec {fd}<&-
	large=$((8#$flags))
}

# Many definitions at once, of a file that is opened and read: by name and by
# register; what is recognised as a string; through pointers; function pointers as
# symbols; and at return.
test_values_of_a_file() {
	local raw='d=$arg1:s32 f=+0($arg2):ustring g=+0($arg3):u64 m=+8($arg3):u64' at_return=() rows=()
	large_file
	! x86 || raw='d=%di:s32 f=+0(%si):string g=+0(%dx):u64 m=+8(%dx):u64'
	! return_args || at_return=('r:with vfs_read ret=$retval count file:%pD')
	trace open "$work/known" reads 1 -- \
		"p:open do_sys_openat2 dfd filename how->flags how->mode $raw" \
		"p:strings do_sys_openat2 filename a=filename:string b=filename:ustring c=\$arg2:string d=+0(\$arg2):string" \
		'p:address do_sys_openat2 at=filename:x64 raw=$arg2:x64 n=filename:string' \
		'p:pointers vfs_read count file->f_path.dentry->d_name.name pos=*pos name2=file:%pD file.f_flags d=file->f_path.dentry:%pd r=$arg3:u64 i=*(int *)pos' \
		'p:symbol vfs_read count file->f_op->read_iter s=file->f_op->read_iter:symbol' \
		'p:all vfs_read $arg*' \
		'r:fd do_sys_openat2 fd=$retval:s32' 'r:read vfs_read $retval' 'r4:four vfs_read $retval' \
		'p:return vfs_read%return $retval' 'r:file alloc_empty_file $retval->f_flags' "${at_return[@]}"
	grep -q '"event":"open","place":"do_sys_openat2"' "$out" || fail "no place: $(<"$out")"
	fields_of open '"mode":416' strings /known address '/known"' pointers '"known"' symbol '"count":1,' \
		all '"count":100' fd '"fd":3' read ':[78]$' four ':8$' return ':8$' file ":$((large + 194))" with '"known"' >rows
	# 194 is O_RDWR | O_CREAT | O_EXCL
	rows=('open "dfd":-100,"filename":"W/known","flags":'$((large + 194))',"mode":416,"d":-100,"f":"W/known","g":'$((large + 194))',"m":416'
		'strings "filename":"W/known","a":"W/known","b":"W/known","c":"W/known","d":"W/known"'
		'address same'
		'pointers "count":7,"name":"known","pos":3,"name2":"known","f_flags":'$((large + 2))',"d":"known","r":7,"i":3'
		'pointers "count":100,"name":"known","pos":3,"name2":"known","f_flags":'$((large + 2))',"d":"known","r":100,"i":3'
		'symbol "count":1,"read_iter":"read_iter_zero","s":"read_iter_zero"'
		'all "file":N,"buf":N,"count":100,"pos":N'
		'fd "fd":3' 'fd "fd":3' 'read "arg1":7' 'read "arg1":8' 'four "arg1":8' 'return "arg1":8' "file \"f_flags\":$((large + 194))")
	if return_args; then
		rows+=('with "ret":7,"count":7,"file":"known"' 'with "ret":8,"count":100,"file":"known"')
	else
		expect_error 3 'kprobe: count: at return this kernel has $retval only and no arguments (6.9 and later do); trace the entry too, with p:' \
			kprobe 'r:vfs_read ret=$retval count'
	fi
	sed -i "s#$work#W#g
		s/^address \"at\":\(\"0x[0-9a-f]*\"\),\"raw\":\1,.*/address same/
		/^symbol/s#+0x0/0x[0-9a-f]*##g
		/^all/s/:\"0x[0-9a-f]\{9,\}\"/:N/g" rows
	expect_rows rows < <(printf '%s\n' "${rows[@]}")
}

# Arrays of unsigned char: a name, and six bytes that are none (the position, 3);
# also in a capture, and as numbers when that is said.
test_arrays_of_bytes() {
	local name=d_iname
	has_btf || skip "no BTF"
	grep -q "$name" <(kprobe --fields 'struct dentry') || name=d_shortname.string
	start kprobe -w capture "p:vfs_read count n=file->f_path.dentry->$name h=((struct ethhdr *)pos)->h_dest m=((struct ethhdr *)pos)->h_dest:u8[6]" 'count == 7'
	probed open "$work/known" reads 1
	stop
	expect_status 0
	run kprobe -r capture --json -n '^probed$'
	expect_status 0
	fields
	expect_rows rows <<<'"count":7,"n":"known","h":"\u0003\u0000\u0000\u0000\u0000\u0000","m":[3,0,0,0,0,0]'
	run kprobe -r capture -n '^probed$'
	grep -q ' count=7 n="known" h="\\x03\\x00\\x00\\x00\\x00\\x00" m={3,0,0,0,0,0}$' "$out" || fail "$(<"$out")"
}

# Where a pointer before the last leads nowhere there is no text, and not the next one's:
# the first argument is -100, and the third, behind what is no address, begins with the
# flags.
test_texts_that_no_pointer_leads_to() {
	local name='name=+0($arg2):ustring'
	trace open "$work/known" -- \
		"p:before do_sys_openat2 bad=+0(+8(\$arg1)):string $name" \
		"p:twice do_sys_openat2 bad=+0(+8(\$arg1)):string worse=+8(+8(+0(\$arg1))):ustring $name" \
		"p:behind do_sys_openat2 $name bad=+0(+8(\$arg1)):string" \
		"p:list do_sys_openat2 bad=+0(+8(\$arg1)):string[2] $name" \
		"p:last do_sys_openat2 $name bad=+0(+8(\$arg1)):string[3]"
	fields_of before '/known"' twice '/known"' behind '/known"' list '/known"' last '/known"' >rows
	expect_rows rows <<-END
	before "bad":null,"name":"$work/known"
	twice "bad":null,"worse":null,"name":"$work/known"
	behind "name":"$work/known","bad":null
	list "bad":[null,null],"name":"$work/known"
	last "name":"$work/known","bad":[null,null,null]
	END
}

# What it reads itself is neither a row nor lost, however long the text in its
# memory is; of others nothing is lost for that.
test_own_calls() {
	local kind args=('p:vfs_read $arg*' 'p:vfs_read buf:string' 'p:vfs_read count')
	has_btf || skip "no BTF"
	for kind in "${args[@]}"; do
		start kprobe --strict --buffer=8M "$kind"
		probed reads 500 lengths 8
		stop
		expect_status 0
		expect_empty "$err"
		# and those of the loader
		[ "$(grep -c '^ *probed-.*: vfs_read: ' "$out")" -ge 508 ] || fail "reads of $kind: $(wc -l <"$out")"
		! grep '^ *kprobe-' "$out" || fail "it sees itself"
	done
}

# The first bytes of a text that does not end, also in JSON and in a capture; the
# length is not shown if it was not asked for.
test_bytes_without_an_end() {
	local some more
	has_btf || skip "no BTF"
	text_shown 129
	some=$text$cut
	text_shown 8192
	more=$text$cut
	start kprobe --strict -w capture 'p:vfs_write buf' 'p:name vfs_write x=buf:string'
	probed bytes 3 bytes 129 bytes 8192
	stop
	expect_status 0
	run kprobe -r capture --strict --json -n '^probed$'
	expect_status 0
	expect_empty "$err"
	fields
	sort -o rows rows
	expect_rows rows <<-END
	"buf":"aaa"
	"buf":"$some"
	"buf":"$more"
	"x":"aaa"
	"x":"$some"
	"x":"$more"
	END
}

# At return, too, what does not fit is said, by who writes a capture or reads it;
# some could be of the tool, which nobody knows then.
once_returns_that_do_not_fit() {
	local long
	! long_texts_fit || skip "pages that all texts fit into"
	printf -v long '/%4090s' ''
	start kprobe -w capture 'r:getname_flags n=+0(+0($retval)):string'
	[ ! -e "${long// /n}" ] || fail "it is there"
	[ ! -e short ] || fail "it is there"
	stop
	expect_status 0
	run kprobe -r capture --strict
	expect_status 1
	expect_match "$err" <<-END
	kprobe: up to [1-9]* events were lost: their text, of more than 4,000 bytes, did not fit into a record (or they were of this tool itself)
	END
}

# The only call is lost: it was called all the same.
once_a_call_that_is_lost() {
	! long_texts_fit || skip "pages that all texts fit into"
	start kprobe 'r:strndup_user n=+0($retval):string'
	probed mount 4095
	stop
	expect_status 0
	expect_match "$err" <<<'kprobe: up to 1 events were lost: their text, of more than 4,000 bytes, did not fit into a record (or they were of this tool itself)'
}

test_text() {
	large_file
	start kprobe 'p:open do_sys_openat2 dfd filename:ustring how->flags' "filename == \"$work/known\""
	probed open "$work/known"
	stop
	expect_match "$out" <<-END
	Tracing kprobe open. Ctrl-C to end.
	          probed-* \[0*\] *: open: (do_sys_openat2+0x0/0x*) dfd=-100 filename="$work/known" flags=$((large + 194))

	Ending tracing...
	END
	expect_empty "$err"
}

# The same of a socket, with enum and bit fields, casts and arrays (the four bytes
# of 127.0.0.1 as they are in memory), of tasks, signals and capabilities.
test_values_of_a_socket_and_tasks() {
	local port parent child new=()
	! has_fprobes || new=('t:new sched_process_fork parent->comm child->pid c=$arg2 child')
	trace listen fork signal capable -- \
		'p:socket inet_listen sock->state sock->type backlog sk=sock->sk->__sk_common.skc_reuse sock->sk->__sk_common.skc_family skc=sock->sk->__sk_common.skc_num raw=sock->state:u32 sock->sk.__sk_common.skc_ipv6only b=$arg2:s32' \
		'p:bind inet_bind uaddr->sa_family a=((struct sockaddr_in *)uaddr)->sin_addr.s_addr:x8[4] uaddr->sa_data[2] x=uaddr->sa_data[5]:u8 z=((struct sockaddr_in *)$arg2)->sin_port addr_len' \
		'p:pad inet_bind ((struct sockaddr_in *)uaddr)->__pad' \
		'p:task wake_up_new_task p->comm p->pid p->tgid parent=p->real_parent->pid p->real_parent->comm p->mm->owner->tgid prio=p->prio:s32' \
		'p:signal group_send_sig_info sig type p->comm n=type:u32' \
		'r:able ns_capable $retval' 'p:capable ns_capable cap' "${new[@]}"
	{ read -r port; read -r parent child; } <printed
	[ ${#new[@]} = 0 ] || new=($'\n'"new \"comm\":\"probed\",\"pid\":$child,same")
	fields_of socket . bind . pad . task "\"pid\":$child," signal . able . capable . new "\"pid\":$child," >rows
	sed -i 's/"c":\("0x[0-9a-f]*"\),"child":\1$/same/' rows
	expect_rows rows <<-END
	socket "state":"SS_UNCONNECTED","type":1,"backlog":13,"sk":1,"skc_family":2,"skc":$port,"raw":1,"skc_ipv6only":0,"b":13
	bind "sa_family":2,"a":[127,0,0,1],"sa_data":127,"x":1,"z":0,"addr_len":16
	pad "__pad":""
	task "comm":"probed","pid":$child,"tgid":$child,"parent":$parent,"comm_2":"probed","tgid_2":$child,"prio":120
	signal "sig":28,"type":"PIDTYPE_TGID","comm":"probed","n":1
	able "arg1":"true"
	able "arg1":"false"
	capable "cap":21
	capable "cap":21${new[*]}
	END
}

test_several_definitions_and_a_filter() {
	start kprobe -n '^probed$' 'p:one vfs_read count' 'r:two vfs_read count=$retval' 'p:vfs_write count' 'count == 11 || count == 7'
	probed open "$work/known"
	stop
	sed -n 's/.*: \([a-z_]*\): (.*) /\1 /p' "$out" >rows
	expect_rows rows <<-END
	vfs_write count=11
	one count=7
	two count=7
	END
	[[ $(<"$out") == "Tracing kprobe one and others issued by process name \"^probed\$\". Ctrl-C to end."* ]] || fail "$(<"$out")"
}

test_same_name_twice() {
	start kprobe --json -n '^probed$' 'p:vfs_read count' 'p:vfs_read count c=count' 'count == 7'
	probed open "$work/known"
	stop
	fields
	sort rows >sorted
	expect_rows sorted <<<$'"count":7\n"count":7,"c":7'
}

# ---- kinds of probes --------------------------------------------------------

test_fprobes() {
	if ! has_fprobes; then
		expect_error 3 'kprobe: this kernel has no probes of type f (6.5 on, CONFIG_FPROBE_EVENTS); use p: or r:' kprobe f:vfs_read
		return 0
	fi
	trace open "$work/known" reads 500 -- 'f:entry vfs_read count file:%pD' 'f:left vfs_read%return ret=$retval count'
	fields_of entry '"known"' left '"count":100' left '"ret":1,' >rows
	expect_rows rows < <(printf '%s\n' 'entry "count":7,"file":"known"' 'entry "count":100,"file":"known"' \
		'left "ret":8,"count":100'; printf 'left "ret":1,"count":1\n%.0s' {1..500})
}

# Its values are above.
test_tracepoint_probes() {
	if ! has_fprobes; then
		expect_error 3 'kprobe: this kernel has no probes of type t (6.5 on, CONFIG_FPROBE_EVENTS); use tpoint' kprobe t:sched_switch
		return 0
	fi
	expect_exit 1 kprobe t:sched_swtich
	expect_rows "$err" <<-END
	kprobe: the kernel has no tracepoint sched_swtich
	kprobe: did you mean sched_switch?
	END
}

# The same place twice: what a return misses is counted all the same.
test_missed_returns() {
	local i sleepers=()
	has_fprobes || skip "this kernel may not count what a return probe misses"
	start kprobe -n '^probed$' 'p:in do_nanosleep' 'r1:out do_nanosleep'
	for i in 1 2 3 4; do
		probed sleep 2000 &
		sleepers+=($!)
	done
	wait "${sleepers[@]}"
	stop
	grep -qx 'kprobe: up to [0-9]* events were lost: a probe was busy' "$err" || fail "$(<"$err")"
}

# section: sets $first to the symbol where the kernel's code begins, and $text to its
# address; some kernels have no _text
section() {
	read -r text first < <(awk '$3 == "_text" || $3 == "_stext" { print $1, $3 }' "$kallsyms" | sort -k 2r)
}

test_address() {
	local first text at offset inside here=()
	kallsyms
	section
	at=$(awk '$3 == "vfs_read" { print $1 }' "$kallsyms")
	! x86 || here=("p:there 0x$at count=%dx:u64")
	for offset in 4 5 8 9 12; do	# one of them is an instruction
		inside=$(printf 0x%x $((0x$at + offset)))
		run kprobe -v "p:here $inside"
		[ "$status" != 0 ] || break
	done
	trace open "$work/known" -- "p:$first+$((0x$at - 0x$text)) count=\$arg3:u64" "${here[@]}" "p:here $inside"
	fields_of "$first" :100$ there :100$ >rows
	expect_rows rows < <(echo "$first \"count\":100"; ! x86 || echo 'there "count":100')
	grep -q "\"place\":\"vfs_read+0x$(printf %x $offset)\"" "$out" || fail "$(<"$out")"
	expect_exit 1 kprobe 'p:vfs_read+1'
	[[ $(<"$err") == 'kprobe: '*'vfs_read+1'*@(instruction|offset)* ]] || fail "$(<"$err")"
	expect_error 1 'kprobe: count: arguments are known at the entry of vfs_read only, not inside' kprobe 'p:vfs_read+16 count'
}

test_modules() {
	local entry=()
	! has_fprobes || entry=('f:entry 9p:v9fs_file_open')
	if [ ! -e /sys/kernel/btf/9p ]; then
		expect_error 3 'kprobe: inode->i_ino: arguments of v9fs_file_open are not known by name: this kernel has no BTF of its module' \
			kprobe 'p:v9fs_file_open inode->i_ino'
		start kprobe --json -n '^cat$' 'p:opened 9p:v9fs_file_open f=$arg2:%pD' "${entry[@]}"
	else
		start kprobe --json -n '^cat$' 'p:opened 9p:v9fs_file_open f=file:%pD' "${entry[@]}"
	fi
	cat /etc/hostname >/dev/null
	stop
	fields_of opened '"hostname"' >rows
	expect_rows rows <<<'opened "f":"hostname"'
	! has_fprobes || grep -q '"event":"entry","place":"v9fs_file_open"' "$out" || fail "$(<"$out")"
	expect_error 1 'kprobe: printk is no module but built into the kernel: leave out "printk:"' \
		kprobe p:printk:vprintk
	expect_error 1 'kprobe: module nosuch is not loaded (-F waits until it is)' kprobe p:nosuch:function
}

test_globs() {
	start kprobe -n '^probed$' 'p:one vfs_rea[a-d]*' 'p:two vfs_[^r]*[at][de]'
	probed open "$work/known" reads 3
	stop
	expect_status 0
	[ "$(grep -c ' one: (vfs_read+' "$out")" = 5 ] || fail "$(<"$out")"
	grep -q ' two: (vfs_write+' "$out" || fail "$(<"$out")"
	! grep -q ' two: (vfs_r' "$out" || fail "$(<"$out")"
	# each by itself where arguments have names; others of the kind have no count
	start kprobe -n '^probed$' 'p:vfs_[rw]* count' 'count == 11 || count == 7 || count == 100'
	probed open "$work/known"
	stop
	sed -n 's/.*: \(vfs_[a-z_]*\): (\([a-z_]*\)+.*) /\1 \2 /p' "$out" >rows
	expect_rows rows <<-END
	vfs_write vfs_write count=11
	vfs_read vfs_read count=7
	vfs_read vfs_read count=100
	END
	grep -q '^kprobe: [0-9]* of [0-9]* functions are left out: ' "$err" || fail "$(<"$err")"
}

once_globs_are_not_arguments() {
	expect_exit 1 kprobe 'p:vfs_read *ops'
	expect_match <(head -n 1 "$err") <<<'kprobe: \*ops: vfs_read has no argument ops'
	expect_exit 1 kprobe 'p:vfs_read fiel[2]'
	expect_match <(head -n 1 "$err") <<<'kprobe: fiel\[2\]: vfs_read has no argument fiel'
	expect_exit 1 kprobe 'p:vfs_rea* nosuch'
	expect_match <(head -n 1 "$err") <<<'kprobe: nosuch: vfs_read has no argument nosuch'
}

test_globs_leave_out_what_does_not_fit() {
	local casted='(struct file *)file' entry=()
	! has_fprobes || entry=('f:vfs_rea* e=count')
	large_file
	start kprobe --json -n '^probed$' 'r:vfs_[rt]* r=$retval' \
		"p:vfs_[rf]* (($casted))->f_flags count:u32" 'p:vfs_[rf]* $arg4:x64 n=$arg3' "${entry[@]}"
	probed open "$work/known"
	stop
	grep -q '^kprobe: [0-9]* of [0-9]* functions are left out: ' "$err" || fail "$(<"$err")"
	fields_of vfs_read '"r":[78]$' vfs_read '"count":100' vfs_read '"n":100' vfs_read '"e":100' |
		sed 's/"pos":"0x[0-9a-f]*"/"pos":N/' >rows
	expect_rows rows < <(printf 'vfs_read %s\n' '"r":7' '"r":8' "\"f_flags\":$((large + 2)),\"count\":100" '"pos":N,"n":100'
		! has_fprobes || echo 'vfs_read "e":100')
}

once_places_that_f_and_t_do_not_take() {
	has_fprobes || skip "no probes of type f and t"
	expect_error 1 'kprobe: a probe of type t takes no %return' kprobe t:kfree%return
	expect_error 1 'kprobe: a probe of type t takes no offset' kprobe t:kfree+4
	expect_error 1 'kprobe: a probe of type t takes no module' kprobe t:kernel:kfree
	expect_error 1 'kprobe: a probe of type t takes no glob' kprobe 't:kfre*'
	expect_error 1 'kprobe: a probe of type f takes no offset' kprobe f:vfs_read+4
	expect_error 1 'kprobe: a probe of type f takes no address' kprobe f:0xffffffff81000000
}

test_globs_of_too_many() {
	expect_exit 1 kprobe 'p:tcp_*'
	[[ $(<"$err") == 'kprobe: tcp_*: '[0-9]*' functions are more than 100 (-F does it all the same)' ]] || fail "$(<"$err")"
	expect_error 1 'kprobe: no function matches nosuch*' kprobe 'p:nosuch*'
}

# ---- what there is ------------------------------------------------------------

test_list() {
	expect_exit 0 kprobe -l
	sed -e '/__ftrace_invalid_address__/d' -e 's/\(.*\) \[\(.*\)\]$/\2:\1/' "$tracefs/available_filter_functions" >expected
	expect_rows "$out" <expected
}

once_list_of_a_pattern() {
	expect_exit 0 kprobe -l 'vfs_rea[d]'
	expect_rows "$out" <<<vfs_read
	expect_exit 0 kprobe -l vfs_readli
	expect_rows "$out" <<<vfs_readlink
	expect_error 1 'kprobe: no function matches nosuch' kprobe -l nosuch
}

test_prototype() {
	expect_exit 0 kprobe -V vfs_read
	expect_rows "$out" <<<'ssize_t vfs_read(struct file *file, char *buf, size_t count, loff_t *pos)'
	expect_exit 0 kprobe -V do_sys_openat2
	expect_match "$out" <<<'*int do_sys_openat2(int dfd, const char \*filename, struct open_how \*how)'
}

test_fields() {
	local want="struct open_how {
    __u64 flags;                                         /* 0 8 */
    __u64 mode;                                          /* 8 8 */
    __u64 resolve;                                       /* 16 8 */
}; /* size: 24 */"
	expect_exit 0 kprobe --fields open_how
	expect_rows "$out" <<<"$want"
	expect_exit 0 kprobe --fields 'struct open_how'
	expect_rows "$out" <<<"$want"
	expect_exit 0 kprobe --fields 'enum pid_type'
	expect_match "$out" <<-END
	enum pid_type {
	    PIDTYPE_PID = 0,
	    PIDTYPE_TGID = 1,
	    PIDTYPE_PGID = 2,
	    PIDTYPE_SID = 3,
	    PIDTYPE_MAX = 4,
	};
	END
}

test_format() {
	expect_exit 0 kprobe -v 'p:myopen do_sys_openat2 dfd filename'
	[[ $(<"$out") == 'name: myopen'$'\n'* ]] || fail "$(<"$out")"
	sed -n '/__probe_ip/,$p' "$out" | sed 's/;.*//' >rows
	expect_match rows <<-'END'
	?field:unsigned long __probe_ip
	?field:s32 dfd
	?field:__data_loc char\[\] filename

	print fmt: "(%lx) dfd=%d filename=\\"%s\\"", REC->__probe_ip, REC->dfd, __get_str(filename)
	END
}

test_stacks() {
	start kprobe -s -n '^probed$' 'p:vfs_read count' 'count == 1'
	probed reads 1
	stop
	sed -n 3,4p "$out" >rows
	expect_match rows <<-'END'
	          probed-*: <stack trace>
	 => vfs_read
	END
	grep -q '^ => .*sys_read$' "$out" || fail "$(<"$out")"
}

# inner_frames: each event and the two innermost functions of its stack; none of them
# is there twice
inner_frames() {
	! grep -E '"stack":.*"([^"]*)","\1"' "$out" || fail "a function is in the stack twice"
	sed -n 's/.*"event":"\([^"]*\)".*"stack":\["\([^"]*\)","\([^"]*\)".*/\1 \2 <-\3/p' "$out"
}

# At the first instruction who called the function may not be in the stack yet: it is
# who the kernel's own tracer says.  Return addresses are in the stack already.
test_callers_in_stacks() {
	local dir=$tracefs/instances/byhand
	start kprobe --json -s -n '^probed$' 'p:vfs_read count' 'p:do_sys_openat2+0x0'
	mkdir "$dir"
	printf '%s\n' vfs_read do_sys_openat2 >"$dir/set_ftrace_filter"
	echo function >"$dir/current_tracer"
	probed open "$work/known" reads 2
	echo 0 >"$dir/tracing_on"
	stop
	sed -n 's/^ *probed-.*: \(.*\) <-\(.*\)/\1 \1 <-\2/p' "$dir/trace" >expected
	echo nop >"$dir/current_tracer"
	rmdir "$dir"
	[ "$(grep -c 'vfs_read <-ksys_read' expected)" -ge 2 ] || fail "the kernel saw no reads"
	grep -q 'do_sys_openat2 <-' expected || fail "the kernel saw no open"
	inner_frames >rows
	expect_rows rows <expected
}

# Where the kernel can look up what a return probe has put away (5.15 on); before,
# stacks end there.
test_stacks_at_return() {
	kallsyms
	grep -qE ' (kretprobe|rethook)_find_ret_addr$' "$kallsyms" || skip "stacks end at a return probe here"
	start kprobe --json -s -n '^probed$' 'r:vfs_read'
	probed reads 1
	stop
	inner_frames >rows
	grep -q '^vfs_read ksys_read <-.' rows || fail "$(<"$out")"
}

# The tracer's own functions are not shown.
test_stacks_by_the_tracer() {
	has_fprobes || skip "no f:"
	start kprobe --json -s -n '^probed$' 'f:vfs_read' 'f:back vfs_read%return'
	probed reads 1
	stop
	inner_frames >rows
	grep -q '^vfs_read vfs_read <-ksys_read' rows || fail "$(<"$out")"
	grep -q '^back ksys_read <-.*sys' rows || fail "$(<"$out")"
	! grep -v '^vfs_read vfs_read <-ksys_read\|^back ksys_read <-' rows || fail "others"
}

host_headers() {
	capture kprobe
	run kprobe --read="$capture"
	! grep -q '^#' "$out" || fail "a header that was not asked for: $(<"$out")"
	run kprobe --read="$capture" -H
	expect_status 0
	grep -q '^#           TASK-PID     CPU#' "$out" || fail "$(<"$out")"
}

host_format_of_a_capture() {
	capture kprobe
	run kprobe --read="$capture" -v
	expect_status 0
	grep -q $'^\tfield:unsigned short common_type;' "$out" || fail "$(<"$out")"
}

test_process_and_duration() {
	local go
	mkfifo go
	exec {go}<>go
	bash -c 'read -r _; exec probed reads 2 sleep 100000' <go &
	local who=$!
	start kprobe -p $who -d 4 'p:vfs_read count'
	probed reads 2
	echo >&"$go"
	finish
	expect_status 0
	sed -n "s/ *probed-.* vfs_read: .*count=1$/row/p" "$out" >rows
	expect_rows rows <<<$'row\nrow'
	[[ $(<"$out") == "Tracing kprobe vfs_read issued by PID $who for 4 seconds (buffered)..."* ]] || fail "$(<"$out")"
	kill $who
}

# ---- the original's examples ----------------------------------------------------

# accepts ARG...: it traces, and says nothing but that nothing was called
accepts() {
	start kprobe "$@"
	stop
	expect_status 0
	sed '/: not called, or the compiler has put .* into .* callers$/d; /: no call was seen, \(programs mostly call\|the kernel mostly calls\) /d' "$err" >said
	expect_empty said
}

once_one_liners_as_documented() {
	local di=%di si=%si dx=%dx cx=%cx
	accepts p:do_sys_open
	accepts r:do_sys_open
	accepts -H p:do_sys_open
	accepts 'r:do_sys_open $retval'
	accepts 'r:myopen do_sys_open $retval'
	accepts 'r:myopen do_sys_open rval=$retval'
	x86 || return 0
	accepts "p:myopen do_sys_open mode=$cx:u16"
	accepts -p $$ "p:myopen do_sys_open mode=$cx:u16"
	accepts "p:myopen do_sys_open filename=+0($si):string" 'filename ~ "*stat"'
	accepts "p:do_sys_open file=+0($si):string" 'file ~ "*stat"'
	accepts "p:myprobe bio_alloc_bioset %ax %bx $cx $dx"
	accepts "p:myprobe bio_alloc_bioset %ax:u32"
	accepts "p:myprobe bio_alloc_bioset ax=%ax"
	accepts 'r:myprobe bio_alloc_bioset $retval'
	accepts -s 'p:mytcp tcp_init_cwnd'
	accepts -s 'p:myprobe tcp_retransmit_skb'
	accepts "p:udp_send_skb si=$si di=$di"
}

# The same definitions on each kernel, several at a time.
test_one_liners() {
	accepts -H p:do_sys_open r:do_sys_open 'r:myopen do_sys_open $retval' 'r:other do_sys_open rval=$retval'
	x86 || return 0
	accepts -p $$ "p:myopen do_sys_open mode=%cx:u16" "p:do_sys_open file=+0(%si):string" \
		"p:myprobe bio_alloc_bioset %ax %bx %cx %dx" "p:one bio_alloc_bioset %ax:u32" \
		"p:two bio_alloc_bioset ax=%ax" 'r:three bio_alloc_bioset $retval'
	accepts -s 'p:mytcp tcp_init_cwnd' 'p:myprobe tcp_retransmit_skb' "p:udp_send_skb si=%si di=%di"
}

# Those that still have something to show: do_sys_open has become a wrapper.
test_one_liners_of_today() {
	trace open "$work/known" -- 'p:myopen do_sys_openat2 filename=+0($arg2):string' 'filename ~ "*known"'
	sed "s#$work#W#" rows >short
	expect_rows short <<<'"filename":"W/known"'
	x86 || return 0
	trace open "$work/known" -- 'p:do_sys_openat2 file=+0(%si):string mode=+8(%dx):u16' 'file ~ "*known" && mode == 0640'
	sed "s#$work#W#" rows >short
	expect_rows short <<<'"file":"W/known","mode":416'
}

# ---- what is wrong -----------------------------------------------------------------

once_unknown_names() {
	expect_exit 1 kprobe 'p:vfs_raed'
	expect_rows "$err" <<-END
	kprobe: the kernel has no function vfs_raed
	kprobe: did you mean vfs_read?
	END
	expect_exit 1 kprobe 'p:vfs_raed count'
	expect_rows "$err" <<-END
	kprobe: the kernel has no function vfs_raed
	kprobe: did you mean vfs_read?
	END
	expect_exit 1 kprobe 'p:vfs_read cuont'
	expect_rows "$err" <<-END
	kprobe: cuont: vfs_read has no argument cuont
	kprobe: did you mean count?
	END
	expect_exit 1 kprobe 'p:vfs_read zzzzzz=quxquux'
	expect_rows "$err" <<-END
	kprobe: zzzzzz=quxquux: vfs_read has no argument quxquux
	kprobe: it is ssize_t vfs_read(struct file *file, char *buf, size_t count, loff_t *pos)
	END
	expect_exit 1 kprobe 'p:vfs_read file->f_flag'
	expect_rows "$err" <<-END
	kprobe: file->f_flag: struct file has no member f_flag
	kprobe: did you mean f_flags?
	END
	expect_error 1 'kprobe: count->x: not a structure: size_t count' kprobe 'p:vfs_read count->x'
	expect_error 1 'kprobe: *count: not a pointer: size_t count' kprobe 'p:vfs_read *count'
	expect_error 1 'kprobe: $arg5: vfs_read has 4 arguments' kprobe 'p:vfs_read $arg5'
	expect_error 1 'kprobe: ((struct nosuch *)file)->x: the kernel has no type struct nosuch' \
		kprobe 'p:vfs_read ((struct nosuch *)file)->x'
	expect_exit 1 kprobe 'p:do_sys_openat2 *how'
	expect_rows "$err" <<-END
	kprobe: *how: a whole struct open_how; say which of its members:
	kprobe:     flags
	kprobe:     mode
	kprobe:     resolve
	END
	expect_exit 1 kprobe -V vfs_raed
	expect_rows "$err" <<-END
	kprobe: the kernel has no function vfs_raed
	kprobe: did you mean vfs_read?
	END
	expect_exit 1 kprobe --fields open_hwo
	expect_rows "$err" <<-END
	kprobe: the kernel has no type open_hwo
	kprobe: did you mean open_how?
	END
}

host_wrong_definitions() {
	expect_error 2 'kprobe: which function? (try kprobe -h)' kprobe
	expect_error 2 'kprobe: "vfs_read" is no definition: it begins with p:, r:, f: or t: (try kprobe -h)' kprobe vfs_read
	expect_error 2 'kprobe: "p:": which function? (try kprobe -h)' kprobe p:
	expect_error 2 'kprobe: "r0:vfs_read": r0: not from 1 to 4096 (try kprobe -h)' kprobe r0:vfs_read
}

once_wrong_definitions() {
	local i many=''
	expect_error 1 'kprobe: a=count: a is the name of another field' kprobe 'p:vfs_read a=pos:x64 a=count'
	expect_error 1 'kprobe: count:: a type is missing behind ":"' kprobe 'p:vfs_read count:'
	expect_error 1 'kprobe: file->: a member'"'"'s name is missing before ""' kprobe 'p:vfs_read file->'
	for ((i = 0; i < 100; i++)); do many+=" file->f_path.dentry->d_parent->d_name.name"; done
	expect_exit 1 kprobe "p:vfs_read$many"
	expect_match "$err" <<<'kprobe: vfs_read: its arguments are * characters for the kernel, which takes about 3800'
	many=''
	for ((i = 0; i < 129; i++)); do many+=" count"; done
	expect_error 1 'kprobe: count: more than 128 arguments to fetch' kprobe "p:vfs_read$many"
	expect_error 1 'kprobe: $retval: wake_up_new_task returns nothing (void)' kprobe 'r:wake_up_new_task $retval'
	expect_error 1 'kprobe: $retval: $retval is known at return only: r:vfs_read' kprobe 'p:vfs_read $retval'
}

test_the_kernels_words() {
	expect_exit 1 kprobe 'p:vfs_read x=%nosuch'
	expect_match "$err" <<-END
	kprobe: probe on vfs_read: Invalid *
	kprobe:   Command: p:*vfs_read x=%nosuch
	kprobe:  *^
	END
	expect_exit 1 kprobe 'p:vfs_read count:nosuch'
	expect_match "$err" <<-END
	kprobe: probe on vfs_read: Unknown type*
	kprobe:   Command: p:*vfs_read count=\$arg3:nosuch
	kprobe:  *^
	END
	expect_exit 1 kprobe 'p:vfs_read count' 'cuont == 1'
	expect_match "$err" <<-END
	kprobe: filter of vfs_read: Field not found
	kprobe:   Command: cuont == 1
	kprobe:  *^
	END
}

test_what_cannot_be_probed() {
	local name
	kallsyms
	name=$(sed -nE 's/^[0-9a-f]* [tT] (exc_nmi|el1_abort|do_int3)$/\1/p' "$kallsyms" | head -n 1)
	[ "$name" ] || skip "no function known that cannot be probed"
	expect_error 1 "kprobe: $name cannot be probed: the kernel excludes it" kprobe "p:$name"
}

# Of functions that share a name, two of which both can be traced.
test_ambiguous_names() {
	local first text at want='' name
	kallsyms
	name=$(comm -12 <(awk 'NF == 3 && $2 ~ /[tT]/ { print $3 }' "$kallsyms" | sort | uniq -c | sed -n 's/^ *2 //p') \
		<(sed 's/ .*//' "$tracefs/available_filter_functions" | sort | uniq -d) | sed -n 1p)
	[ "$name" ] || skip "no two functions have one name"
	section
	while read -r at _; do
		want+="kprobe:     $first+0x$(printf %x $((0x$at - 0x$text)))"$'\n'
	done < <(grep " [tT] $name\$" "$kallsyms")
	expect_exit 1 kprobe "p:$name"
	sed 1,3d "$err" >rows
	expect_rows rows <<<"kprobe: 2 functions are called $name; write the one that is meant as:"$'\n'"${want%$'\n'}"
	expect_match <(head -n 1 "$err") <<<"kprobe: probe on $name: *not unique"
	accepts "p:$(sed -n 's/.* \(_s*text+0x.*\)/\1/p' rows | head -n 1)"
}

test_a_compilers_suffix_is_found() {
	local full bare
	kallsyms
	full=$(grep -o ' t [a-z_]*\.isra\.0$' "$kallsyms" | sed 's/ t //' | sort | uniq -u |
		while read -r full; do
			[ "$(grep -c " [tT] ${full%.isra.0}[.a-z0-9]*$" "$kallsyms")" = 1 ] &&
				grep -qx "$full" "$tracefs/available_filter_functions" && echo "$full" && break
		done)
	bare=${full%.isra.0}
	start kprobe "p:$bare"
	stop
	expect_status 0
	head -n 1 "$err" >said
	expect_rows said <<<"kprobe: $bare is $full here: the compiler may have changed its arguments"
}

once_an_unknown_suffix() {
	expect_exit 1 kprobe p:vfs_read.isra.0
	expect_match <(head -n 1 "$err") <<<'kprobe: the kernel has no function vfs_read.isra.0'
}

test_no_call() {
	start kprobe p:inet_listen
	stop
	expect_status 0
	expect_rows "$err" <<<'kprobe: inet_listen: not called, or the compiler has put it into its callers'
	start kprobe -n '^probed$' 'p:inet_listen sock->state' 'state == 1'
	probed listen
	stop
	expect_empty "$err"
	grep -q ': inet_listen: (inet_listen+0x.*) state=SS_UNCONNECTED$' "$out" || fail "$(<"$out")"
	start kprobe 'p:inet_listen backlog' 'backlog == 12345'
	stop
	expect_empty "$err"
}

test_without_btf() {
	local hide=(unshare -m bash -c 'mount -t tmpfs none /sys/kernel/btf && exec "$0" "$@"')
	has_btf || skip "no BTF that can be hidden"
	need unshare
	start "${hide[@]}" kprobe --json -n '^probed$' 'r:do_sys_openat2 $retval' 'arg1 == 3'
	probed open "$work/known"
	stop
	expect_status 0
	expect_empty "$err"
	fields
	# a kernel that does not know its type has it as a word, in hexadecimal digits
	sed -i 's/"0x3"/3/' rows
	expect_rows rows <<<'"arg1":3'
	expect_error 3 'kprobe: dfd: arguments of do_sys_openat2 are not known by name: this kernel has no BTF (/sys/kernel/btf, CONFIG_DEBUG_INFO_BTF)' \
		"${hide[@]}" kprobe 'p:do_sys_openat2 dfd'
	expect_error 3 'kprobe: vfs_read: this kernel has no BTF (/sys/kernel/btf, CONFIG_DEBUG_INFO_BTF)' "${hide[@]}" kprobe -V vfs_read
	expect_error 3 'kprobe: file: this kernel has no BTF (/sys/kernel/btf, CONFIG_DEBUG_INFO_BTF)' "${hide[@]}" kprobe --fields file
}

# Its limits: tracelets.sh.
first_check() {
	expect_exit 0 kprobe --check
	[[ $(<"$out") == 'kprobe: this kernel has '* ]] || fail "$(<"$out")"
}

# Some 5.10 say that the argument is none, not that the function is not there.
first_unknown() {
	expect_exit 1 kprobe 'p:vfs_raed +0($arg1):string'
	expect_match <(head -n 1 "$err") <<<'kprobe: the kernel has no function vfs_raed'
}

first_row() {
	start kprobe -n '^probed$' 'p:inet_listen backlog=$arg2:s32'
	probed listen >port
	stop
	expect_status 0
	expect_empty "$err"
	expect_match "$out" <<-END
	Tracing kprobe inet_listen issued by process name "^probed\\$". Ctrl-C to end.
	          probed-* \[0*\] *: inet_listen: (inet_listen+0x*) backlog=13

	Ending tracing...
	END
}
