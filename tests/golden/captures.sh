# shellcheck shell=bash disable=SC2016,SC2034 # what is quoted is jq's; variables are the suite's
# SPDX-License-Identifier: GPL-2.0-or-later
# The captures of tests/golden, as tests that tests/golden/make runs in a guest.
#
# Each tool runs thrice side by side, while a workload does what is known: live
# as text, live as JSON, and into a capture.  What is read from the capture has
# to be the same, save times, as the ring buffers are several; and what JSON has
# has to be true.  Then it is kept in /run/share, for tests/golden/run.

# shellcheck disable=SC1091
. "$here/work/devices.bash"
# shellcheck disable=SC1091
. "$here/work/names.bash"
# shellcheck disable=SC1091
. "$here/work/net.bash"
# shellcheck disable=SC1091
. "$here/work/conns.bash"
# shellcheck disable=SC1091
. "$here/work/waits.bash"

test_limit=120
share=/run/share
only=--only=rw_verify_area,security_file_permission,write_null

# capture TOOL ARG...: begins it; the capture with $more options
capture() {
	command=("$@") runs_of=()
	again "$@"
	again "$1" --json "${@:2}"
	# shellcheck disable=SC2086 # none, or one
	again "$1" --write=c.dat ${more-} "${@:2}"
}
again() {
	start "$@"
	runs_of+=("$pid $out $err")
}

# capture_alone WORK TOOL ARG...: the same of a tool of which one can run at a
# time, to its end, with command WORK
capture_alone() {
	local act=$1 tool=$2 how
	shift 2
	command=("$tool" "$@") runs_of=()
	for how in '' --json --write=c.dat; do
		# shellcheck disable=SC2086 # none, or one
		start "$tool" $how "$@"
		$act
		stop
		expect_status 0
		runs_of+=("- $out $err")
	done
}

# same LIVE READ: but for times, what is derived from them and, as $also says for
# sed, what else differs from one instance to the other: whether a thread is to
# be scheduled next, and where a call that has several return probes returns to
same() {
	local file
	for file; do
		sed -E "s/\b[0-9]+\.[0-9]+\b/T/g; s/ +T/ T/g; s/[0-9]{2}:[0-9]{2}:[0-9]{2}/T/g
			s/(\[[0-9]{3}\]) (.)[^ ]/\1 \2./; s/\([^ ]+ <- /(</; s/\"(func|return)\":\"[^\"]*\"/\"\1\":F/g
			${also-}" "$file" | ${order:-cat} >"$file.rows"
	done
	expect_rows "$2.rows" <"$1.rows"
}

# captured EVENTS COUNT WORK TRUE: ends it.  As many records of EVENTS, an
# expression for their names, are in it as jq's COUNT of an array of rows says,
# and TRUE is that of them.
captured() {
	local name=${FUNCNAME[1]#test_} events=$1 count=$2 work=$3 true=$4
	local tool=${command[0]} live=() said=() one
	for one in "${runs_of[@]}"; do
		# shellcheck disable=SC2086 # three words
		set -- $one
		[ "$1" = - ] || stop INT "$1"
		expect_status 0
		live+=("$2") said+=("$3")
	done
	expect_empty "${said[2]}"
	"$tool" --read=c.dat >c.txt 2>c.err
	expect_rows c.err <"${said[0]}"
	"$tool" --read=c.dat --json >c.json 2>c.err
	expect_rows c.err <"${said[1]}"
	same "${live[0]}" c.txt
	same "${live[1]}" c.json
	# shellcheck disable=SC2016 # jq's
	jq -ne --slurpfile live "${live[1]}" --slurpfile read c.json '[$live, $read] |
		map(map(.time // .start // empty)) | transpose | all(.[1] > 0 and (.[0] - .[1] | fabs) < 60)' >/dev/null ||
		fail "times are others: $(cat "${live[1]}" c.json)"
	jq -se "$true" c.json >/dev/null || fail "not $true: $(<c.json)"
	[ -d $share ] || return 0
	gzip -9n <c.dat >"$share/$name.dat.gz"
	[ "$(stat -c %s "$share/$name.dat.gz")" -lt 30000 ] || fail "$(stat -c %s "$share/$name.dat.gz") bytes"
	cp c.txt "$share/$name.txt"
	cp c.json "$share/$name.json"
	[ ! -s c.err ] || cp c.err "$share/$name.err"
	printf '%s\t%s\t%s\t%s; %s\n' "$name" "$events" "$count" "${command[*]}" "$work" >>$share/captures
}

# ---- opens, programs, signals ----------------------------------------------------

opens_of='open|sys_exit_(open|openat|openat2|creat)'

# whether it has one event for each open, so that the kernel can look at names
one_event() { grep -q 'kernel return probes support' "$tracefs/README"; }

test_opensnoop() {
	mkdir -p /mnt/w
	cp "$(command -v opens)" tries		# a name that no tool has in its own
	capture opensnoop --errno -n tries
	./tries | sed 's/^opens/tries/' >expected
	captured "$opens_of" length opens 'map(.comm == "tries") | all'
	sed -e 1,2d -e '/^$/,$d' c.txt >rows
	if one_event; then
		grep -v -e ENAMETOOLONG -e '0x3 -            -$' expected | expect_rows rows
	else
		expect_rows rows <expected
	fi
}

# All of it fits in these seconds.
test_opensnoop_last() {
	local more=--last=100
	capture opensnoop -n cat passwd
	cat /etc/passwd /etc/hostname >/dev/null
	cat /etc/passwd >/dev/null
	one_event || opens_of=-
	captured "$opens_of" length 'cat /etc/passwd /etc/hostname; cat /etc/passwd' \
		'map([.comm, .file]) == [["cat", "/etc/passwd"], ["cat", "/etc/passwd"]]'
}

test_opensnoop_failed() {
	capture opensnoop -tx -n cat nosuch
	cat /etc/hostname /nosuch/a $'/nosuch/\x1b\xff' /nothing 2>/dev/null || :
	one_event || opens_of=-
	captured "$opens_of" length "cat /etc/hostname /nosuch/a \$'/nosuch/\\x1b\\xff' /nothing" \
		'map([.comm, .fd, .error, .file]) == [["cat", -1, "ENOENT", "/nosuch/a"],
			["cat", -1, "ENOENT", "/nosuch/\u001b\udcff"]]'
}

test_execsnoop() {
	local nothing
	nothing=$(command -v nothing)
	capture execsnoop -r --failed 'execs$|nothing|by-descr|program|passwd|^$'
	"$(command -v execs)" "$nothing" >expected
	captured - length "execs nothing" 'length > 5'
	sed -e 1,2d -e '/^$/,$d' c.txt | grep -v "/execs $nothing\$" >rows
	expect_rows rows <expected
}

test_killsnoop() {
	capture killsnoop -s -n signals
	signals calls >expected
	captured - length "signals calls" 'length > 10'
	sed 's/"time":[0-9.]*,//' c.json >rows
	expect_rows rows <expected
}

test_tpoint() {
	capture tpoint -H -n nothing sched:sched_process_exec
	nothing
	nothing again
	captured sched_process_exec length "nothing; nothing again" \
		'map(.event == "sched:sched_process_exec" and .fields.pid == .fields.old_pid) | length == 2 and all'
}

test_tpoint_stack() {
	capture tpoint -s -n nothing sched:sched_process_exec
	nothing
	captured sched_process_exec length nothing 'length == 1 and (.[0].stack | map(select(. == "bprm_execve")) | length == 1)'
}

test_tpoint_syscalls() {
	capture tpoint -n values 'syscalls:sys_*_pread64'
	values reads 3 7 failing 2
	captured 'sys_(enter|exit)_pread64' length "values reads 3 7 failing 2" \
		'map(.fields.ret // empty) == [7, 7, 7, -9, -9] and length == 10'
}

test_kprobe() {
	capture kprobe -n probed 'p:open do_sys_openat2 dfd filename:ustring how->flags how->mode' 'mode == 0640'
	probed open "$PWD/known"
	captured open length "probed open known" \
		'length == 1 and (.[0].fields | .dfd == -100 and (.filename | endswith("/known")) and .flags == 32962 and .mode == 416)'
}

test_kprobe_return() {
	capture kprobe -n probed 'r:vfs_read ret=$retval' 'ret == 7 || ret == 8'
	probed open "$PWD/known"
	captured vfs_read length "probed open known" 'map(.fields.ret) == [7, 8]'
}

test_kprobe_stack() {
	capture kprobe -s -n probed 'p:do_nanosleep'
	probed sleep 1
	captured do_nanosleep length "probed sleep 1" \
		'length == 1 and (.[0].stack | map(select(. == "hrtimer_nanosleep")) | length == 1)'
}

# begin_made: a program that is there until all has been looked up
begin_made() {
	cp "$(command -v made)" prog
	mkfifo to
	at_end end_all
	taskset -c 0 ./prog to >said &	# the same for all who look
	tid[prog]=$!
	wait_lines said 1
}
reach() {
	echo reach >to
	wait_lines said 2
}

test_uprobe_stack() {
	walks_programs || skip "no stacks of programs"
	begin_made
	capture uprobe -s "p:$PWD/prog:reached"
	reach
	captured 'reached' length 'prog: reach' 'map([.stack[0:1], .stack[3:4]]) | length == 1'
}

test_gethostlatency() {
	resolver 200
	capture gethostlatency -n '^hosts-shared$'
	hosts-shared look here.test look slow.test look none.test by here.test small here.test service 80 >said
	captured 'getaddrinfo_return' 'map(select(.call == "getaddrinfo")) | length' 'hosts-shared looks up names' \
		'map(.result) == ["ok", "ok", "EAI_NONAME", "ok", "ERANGE", "ok"] and .[1].latency >= 0.2'
}

test_stackcount_user() {
	walks_programs || skip "no stacks of programs"
	begin_made
	capture stackcount "$PWD/prog:reached"
	reach
	captured 'reached' 'map(.count) | add' 'prog: reach' 'map(.user[0]) == ["reached"]'
}

test_uprobe() {
	cp "$TL_WORK/uprobe/pie" shop
	capture uprobe "p:$PWD/shop:shop_tax number=\$arg1:s32 item=\$arg2:string" 'item == "coffee"'
	./shop 3
	captured shop_tax length "shop 3" \
		'map([.event, .fields.number, .fields.item]) == [["shop_tax", 0, "coffee"], ["shop_tax", 2, "coffee"]]'
}

# ---- functions ---------------------------------------------------------------------

test_funccount() {
	capture funccount -n probed do_nanosleep
	probed sleep 1 sleep 2
	captured '(function|do_nanosleep)' 'map(.count) | add' "probed sleep 1 sleep 2" 'map([.function, .count]) == [["do_nanosleep", 2]]'
}

test_funccount_user() {
	cp "$TL_WORK/uprobe/pie" shop
	capture funccount -u "$PWD/shop" 'shop_*'
	./shop 3
	captured 'shop_.*' 'map(.count) | add' "shop 3" 'map(select(.function == "shop_tax") | .count) == [3] and length > 1'
}

test_functrace() {
	capture functrace -n probed do_nanosleep
	probed sleep 1 sleep 2
	captured function length "probed sleep 1 sleep 2" \
		'map([.comm, .function, .caller]) == [["probed", "do_nanosleep", "hrtimer_nanosleep"], ["probed", "do_nanosleep", "hrtimer_nanosleep"]]'
}

test_functrace_stack() {
	capture functrace -s -n probed do_nanosleep
	probed sleep 1
	captured do_nanosleep length "probed sleep 1" \
		'length == 1 and (.[0].stack | map(select(. == "hrtimer_nanosleep")) | length == 1)'
}

test_functrace_args() {
	[ -e /sys/kernel/btf/vmlinux ] || skip "no types here"
	capture functrace --args -n probed vfs_read
	probed open "$PWD/known"
	captured vfs_read length "probed open known" \
		'map(.args.count) | contains([7, 100])'
}

test_funcslower() {
	capture funcslower --probes -n probed do_nanosleep hrtimer_nanosleep 20000
	probed sleep 1 sleep 30
	captured - length "probed sleep 1 sleep 30" \
		'map(.function) == ["do_nanosleep", "hrtimer_nanosleep"] and (map(.duration >= 0.03) | all)'
}

# By the graph tracer, which one can have at a time: it records the slow ones only.
test_funcslower_traced() {
	local also='s/^ [0-9]+\)/ N)/; s/"(pid|tid|cpu)":[0-9]+/"\1":N/g'
	capture_alone 'probed sleep 1 sleep 30' funcslower -n probed do_nanosleep hrtimer_nanosleep 20000
	captured - length "probed sleep 1 sleep 30" \
		'map(.function) == ["do_nanosleep", "hrtimer_nanosleep"] and (map(.duration >= 0.03) | all)'
}

test_funcslower_args() {
	[ -e /sys/kernel/btf/vmlinux ] || skip "no types here"
	capture funcslower --args --ret -n probed do_sys_openat2 0
	probed open "$PWD/known"
	captured - length "probed open known" \
		'.[-1] | .ret == 3 and .args.dfd == -100 and (.args.filename | endswith("/known"))'
}

test_funcgraph() {
	local also='s/^ [0-9]+\)[^|]*\|/ |/; s/"(pid|tid|cpu)":[0-9]+/"\1":N/g'
	capture_alone 'graphed writes 3' funcgraph -n graphed $only vfs_write
	captured funcgraph_entry '[.. | objects] | length' "graphed writes 3" \
		'map([.. | objects | .function]) == [range(3) | ["vfs_write", "rw_verify_area", "security_file_permission", "write_null"]]'
}

# ---- block I/O ---------------------------------------------------------------------

test_iosnoop() {
	fresh
	null nullb0 ms=5
	capture iosnoop -ts -d nullb0
	io read /dev/nullb0 0 4096 3
	io write /dev/nullb0 1048576 512 2
	captured block_rq_complete length "io read nullb0 0 4096 3; io write nullb0 1048576 512 2" \
		'map([.type[:1], .block, .bytes]) == [["R", 0, 4096], ["R", 8, 4096], ["R", 16, 4096],
			["W", 2048, 512], ["W", 2049, 512]] and (map(.latency >= 0.005) | all)'
}

test_iosnoop_queued() {
	fresh
	null nullb0 memory_backed=1 cache_size=1 ms=5
	capture iosnoop -Q
	io fsync /dev/nullb0 0 0 3
	captured - length "io fsync nullb0 0 0 3" 'map([.comm, .type, .block, .bytes]) == [range(3) | ["io", "FWS", null, 0]]'
}

test_iolatency() {
	fresh
	null nullb0 ms=80
	capture iolatency --by=type 1000
	io -t 3 -s 0 read /dev/nullb0 0 4096 2
	io write /dev/nullb0 0 4096 1
	captured block_rq_complete 'map(.count) | add' "io -t 3 read nullb0 0 4096 2; io write nullb0 0 4096 1" \
		'map(select(.from >= 0.064) | .count) | add == 7'
}

test_biotop() {
	fresh
	null nullb0
	null nullb1
	capture biotop 3600
	io read /dev/nullb0 0 512 3
	io write /dev/nullb1 0 8192 4
	local also='s/ loadavg: .*//'
	captured block_rq_complete 'map(.count) | add' "io read nullb0 0 512 3; io write nullb1 0 8192 4" \
		'map([.comm, .type, .disk, .count, .bytes]) == [["io", "W", "nullb1", 4, 32768], ["io", "R", "nullb0", 3, 1536]]'
}

test_bitesize() {
	fresh
	null nullb0
	capture bitesize --by=disk
	io read /dev/nullb0 0 512 3
	io read /dev/nullb0 0 8192 4
	captured block_rq_complete 'map(.count) | add' "io read nullb0 0 512 3; io read nullb0 0 8192 4" \
		'map(select(.count > 0) | .count) == [3, 4]'
}

# ---- the others --------------------------------------------------------------------

test_syscount() {
	capture syscount -cv -n counted
	counted 2 5
	captured - 'map(.count) | add' "counted 2 5" 'map(select(.syscall == "getppid") | .count) == [10]'
}

test_perf_stat_hist() {
	capture perf-stat-hist -b '1 10 100' -n values syscalls:sys_exit_pread64 ret
	values failing 3 reads 5 0 reads 7 1 reads 4 100
	captured sys_exit_pread64 'map(.count) | add' "values failing 3 reads 5 0 reads 7 1 reads 4 100" \
		'map(.count) == [8, 7, 0, 4]'
}

test_cachestat() {
	need mkfs.ext4
	fresh
	null nullb0 size=64 blocksize=4096 memory_backed=1 irqmode=0
	load ext4
	mkdir -p /mnt/dev
	mkfs.ext4 -q -b 4096 -E lazy_itable_init=0,lazy_journal_init=0 /dev/nullb0
	mount /dev/nullb0 /mnt/dev
	pages /mnt/dev/f write $((64 * 4096)) 65536 >/dev/null
	sync
	echo 3 >/proc/sys/vm/drop_caches
	mkfifo go said
	exec {go}<>go {said}<>said
	pages /mnt/dev/f wait random 12 random 4 <go >said &
	local worker=$!
	read -r _ <&"$said"
	capture cachestat -p $worker 100
	echo >&"$go"
	wait $worker
	local also='s/"(buffers|cached)":([0-9]+|null)/"\1":N/g; s/( +([0-9]+|-)){2}$//'
	captured - length "pages random 12 random 4" 'map([.hits, .misses, .dirties]) == [[4, 12, 0]]'
	umount /mnt/dev
}

test_tcplife() {
	capture tcplife -W
	conns close-client 8000 3000 70 >made
	conns -a ::1 reset-server 8000 1 1 >>made
	captured - - "two connections, each with both ends" \
		'(map([.tx, .rx, .closed]) | sort) == [[1, 1, "local RST"], [1, 1, "remote RST"], [70, 3000, "remote"], [3000, 70, "local"]]'
}

test_tcpretrans() {
	local before
	network
	serve right 8000
	call left 10.9.0.1 4000 10.9.0.2 8000
	answered 4000
	say 4000 10
	arrived 4000
	capture tcpretrans -s
	counter left TcpRetransSegs
	before=$counter
	loss left 100
	say 4000 10
	wait_counter left TcpRetransSegs $((before + 2))
	loss left 0
	arrived 4000
	hang_up 4000
	counter left TcpRetransSegs
	captured 'tcp_retransmit_skb' length "10 bytes are sent while all are lost" \
		"length == $counter and (map(.laddr == \"10.9.0.1\" and .lport == 4000 and .rport == 8000 and .type == \"retransmit\") | all)"
}

test_tcptop() {
	capture tcptop -C 3600
	conns close-client 8000 3000 70 >made
	conns -a ::1 close-client 8001 50000 7 >>made
	local also='s/ loadavg: .*//'
	captured - - "two connections, each with both ends" \
		'(map([.comm, .tx, .rx]) | sort) == [["conns-client", 3000, 70], ["conns-client", 50000, 7], ["conns-server", 7, 50000], ["conns-server", 70, 3000]]'
}

test_dropsnoop() {
	ip link set lo up
	capture dropsnoop --port=7000-7001
	udp 127.0.0.1 7000 2 4000
	udp ::1 7001 1 4001
	captured - - "udp 127.0.0.1 7000 2 4000; udp ::1 7001 1 4001" \
		'map([.protocol, .saddr, .sport, .daddr, .dport, .interface, .length]) ==
		[["UDP", "127.0.0.1", 4000, "127.0.0.1", 7000, "lo", 29], ["UDP", "127.0.0.1", 4000, "127.0.0.1", 7000, "lo", 29],
		["UDP", "::1", 4001, "::1", 7001, "lo", 49]]'
}

test_tcpconnect() {
	capture tcpconnect -l
	made close-client 8000 10 10 2
	made -a ::1 connect 8001
	made -a 10.1.2.3 connect 8001
	captured 'connect' 'map(select(.latency)) | length' \
		"conns close-client 8000 10 10 2; -a ::1 connect 8001; -a 10.1.2.3 connect 8001" \
		'map([.raddr, .rport, .error]) == [["127.0.0.1", 8000, null], ["127.0.0.1", 8000, null],
			["::1", 8001, "ECONNREFUSED"], ["10.1.2.3", 8001, "ENETUNREACH"]]'
}

test_tcpaccept() {
	capture tcpaccept --overflows
	made close-client 8000 10 10
	made -a ::1 close-client 8000 10 10
	made_when true overflow 8000 0 2
	captured 'accept' 'map(select(.type == "accept")) | length' \
		"conns close-client 8000 10 10; -a ::1 close-client 8000 10 10; overflow 8000 0 2" \
		'map([.type, .laddr, .lport]) | unique == [["accept", "127.0.0.1", 8000], ["accept", "::1", 8000],
			["overflow", "127.0.0.1", 8000]]'
}

# ---- threads -----------------------------------------------------------------------

# slept TOOL ARG...: while a thread sleeps three times
slept() {
	begin one 0
	capture "$@" -L "${tid[one]}"
	order one sleep 3 10
	done_with one 1
}

test_runqlat() {
	slept runqlat -m --percentiles
	captured - - "sleep 3 10" 'length == 1 and .[0].count >= 3'
}

test_cpudist() {
	slept cpudist -Om --percentiles --by=thread
	captured - - "sleep 3 10" 'map([.comm, .count >= 3, .max > 0.01]) == [["waits", true, true]]'
}

test_runqslower() {
	slept runqslower -P 0
	local also='s/ +[0-9]+ (waits|[^ ]+ +[0-9]+ +[^ ]+-[0-9]+=)/ N \1/; s/=[0-9]+/=N/g'
	captured - - "sleep 3 10" 'map(.comm == "waits" and .cause == "woken") | all'
}

# ---- interrupts --------------------------------------------------------------------

# received TOOL ARG...: while segments of a connection are
received() {
	ip link set lo up
	capture "$@" -i NET_RX
	made close-client 8000 10 10
}

test_softirqs() {
	received softirqs
	captured - - "conns close-client 8000 10 10" 'map([.name, .count >= 1]) == [["NET_RX", true]]'
}

test_irqslower() {
	received irqslower -k soft 0
	local also='s/ +[0-9]+ ([^ ]+ +[0-9]+) +[^ ]+=.*/ N \1/; s/"ran":\{[^}]*\}/R/'
	captured - - "conns close-client 8000 10 10" 'map(.name == "NET_RX" and .ran.NET_RX != null) | all'
}

test_hardirqs() {
	capture hardirqs -i ttyS0
	for _ in {1..20}; do echo "test of hardirqs"; done >/dev/ttyS0
	captured - - "20 lines to ttyS0" 'map([.name, .count > 0]) == [["ttyS0", true]]'
}

# It records all that happens on all processors: what others do as well would be too much.
napped() {
	naps=$((naps + 1))
	order one sleep 1 5
	done_with one $naps
}

test_cpunoise() {
	local naps=0 also='s/[0-9]+/N/g; s/T/N/g; s/ +N/ N/g'
	begin one 0
	capture_alone napped cpunoise --who=0 -L "${tid[one]}"
	captured - - "sleep 1 5" 'map([.comm, .runtime > .noise]) == [["waits", true]]'
}

test_lockstat() {
	[ -e "$tracefs/events/lock/contention_begin" ] || skip "this kernel does not tell of waits"
	mkfifo go
	locks mutex 2 1 <go >said &
	local waits holding=$!
	exec {go}>go
	wait_lines said 1
	read -r _ waits <said
	capture lockstat -L "$waits"
	echo >&"$go"
	until_true 60 gone "$holding"
	captured - - "locks mutex 2 1" 'map([.waits, .kind]) == [[2, "mutex"]]'
}

# ---- memory ----------------------------------------------------------------------

test_kmemstat() {
	capture kmemstat -k kmalloc -n '^messages$'
	echo | messages 20 100 2000 >ids
	captured - - "messages 20 100 2000" \
		'map(select(.site | test("^(alloc|load)_msg")) | [.count, .asked]) == [[40, 43920]]'
}

# ---- stacks of threads -------------------------------------------------------------

# Of two runs, sums that are nearly the same can come in another order.
sums() {
	sed -E 's/^ {8}[0-9]+$/T/' | awk -v RS='\n+' '/^(\{|Tracing)/ { print; next } { printf "%s%s", $0, $0 == "T" ? "\n" : "|" }' | sort
}

test_offcputime() {
	local order=sums
	slept offcputime -K
	captured - - "sleep 3 10" '(map(select(.kernel | index("do_nanosleep") or index("hrtimer_nanosleep")) | .count) | add >= 3) and (map(.comm == "waits") | all)'
}

test_wakeuptime() {
	local order=sums
	slept wakeuptime -K
	captured - - "sleep 3 10" 'map(select(.waker == "<interrupt>") | .count) | add >= 3'
}

test_offwaketime() {
	local order=sums
	slept offwaketime -K
	captured - - "sleep 3 10" 'map(select(.waker == "<interrupt>" and (.kernel | index("do_nanosleep") or index("hrtimer_nanosleep"))) | .count) | add >= 3'
}

# Stacks that came as often as others are in any order, in text with a blank line behind each.
by_stack() {
	sed '/^{/G' | awk -v RS= '{ gsub(/\n/, "|"); print }' | sort
}

# Values that came as often as others are in any order.
test_argdist() {
	local order=sort
	slept argdist p:hrtimer_nanosleep 'ns=$arg1:u64' 'mode=$arg2:u32'
	captured - - "sleep 3 10" 'map(.count) | add >= 3'
}

test_stackcount() {
	local order=by_stack
	slept stackcount -K p:hrtimer_nanosleep
	captured - - "sleep 3 10" 'map(select(.kernel[0] == "hrtimer_nanosleep") | .count) | add >= 3'
}

test_schedtop() {
	slept schedtop -C 3600
	local also='s/ loadavg: .*//'
	captured - - "sleep 3 10" 'map([.comm, .voluntary >= 4, .run > 0, .sleep > 0.03]) == [["waits", true, true, true]]'
}
