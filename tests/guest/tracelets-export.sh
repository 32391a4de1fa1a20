# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# tracelets-export in a guest: what it answers is what its tools count, whatever ends them,
# and whatever clients do

# shellcheck disable=SC1091
. "$here/work/devices.bash"
# shellcheck disable=SC1091
. "$here/work/waits.bash"

port=9470

# export_tools CONFIG ARG...: starts it with these lines as its file
export_tools() {
	ldconfig -p | grep 'libmicrohttpd\.so\.12' >/dev/null || skip "no libmicrohttpd"
	ip link set lo up
	printf '%s\n' "$1" >export.conf
	start tracelets-export ./export.conf "${@:2}"
}

# ask PATH [METHOD]: head and body of the answer
ask() {
	local http
	exec {http}<>/dev/tcp/127.0.0.1/$port || return
	printf '%s %s HTTP/1.0\r\nHost: here\r\n\r\n' "${2:-GET}" "$1" >&"$http"
	cat <&"$http"
	exec {http}>&-
}

# metrics: into a file of that name, without the head
metrics() { ask /metrics | sed '1,/^\r*$/d' >metrics; }

# shows LINE: it is among them now
shows() {
	metrics
	grep -qxF "$1" metrics
}

# wait_for LINE: until it is
wait_for() { until_true 60 shows "$1" || fail "no $1 in: $(<metrics)"; }

# value NAME: of the first of that name
value() { sed -nE "s/^$1(\{[^}]*\})? (.*)/\2/p" metrics | head -n 1; }

# child TOOL: process of that child
child() { pgrep -P "$pid" -x "$1"; }

# calls LABELS: of syscount, for sleeps of thread "one"
calls() { echo "tracelets_syscount_calls_total{${1:+$1,}syscall=\"clock_nanosleep\"}"; }

first_check() {
	expect_exit 0 tracelets-export --check
	expect_rows "$out" <<<'tracelets-export: this kernel has all that is needed'
}

first_row() {
	begin one
	export_tools "labels site=a
		syscount -c -e clock_nanosleep,nanosleep -L ${tid[one]} -i 0.2"
	wait_for 'tracelets_export_up{site="a",tool="syscount"} 1'
	order one sleep 5 1
	done_with one 1
	wait_for "$(calls 'site="a"') 5"
	order one sleep 3 1
	done_with one 2
	wait_for "$(calls 'site="a"') 8"
	expect_rows <(grep -c 'tracelets_export_runs_total{site="a",tool="syscount"} 1' metrics) <<<1
	stop
	expect_status 0
	expect_empty "$err" "$out"
	expect_clean
}

# Of several tools each metric has one block, with all their series.
test_several() {
	begin one
	export_tools "
		syscount --metric-labels=run=all -c -L ${tid[one]} -i 0.2
		syscount --metric-labels=run='a b' -c -e clock_nanosleep,nanosleep -L ${tid[one]} -i 0.2   # these only
		execsnoop -p $$ --max-cpu=50%
		max-series 50
		max-cpu 90%"
	wait_for 'tracelets_export_up{tool="execsnoop"} 1'
	order one sleep 7 1
	done_with one 1
	wait_for "$(calls 'run="all"') 7"
	wait_for "$(calls 'run="a b"') 7"
	expect_rows <(sort metrics | uniq -d) </dev/null
	expect_rows <(limits | sort | uniq -c | tr -s ' ') <<-END
	 1 execsnoop --max-cpu=50%
	 2 syscount --max-cpu=90%
	END
	expect_rows <(grep -c '^# TYPE tracelets_syscount_calls_total counter$' metrics) <<<1
	awk '/^# HELP/ { if (seen[$3]++) print $3 }
		!/^#/ { n = $1; sub(/\{.*/, "", n); sub(/_(bucket|sum|count)$/, "", n); if (n != last && done[n]++) print n; last = n }' metrics >torn
	expect_empty torn
	! command -v promtool >/dev/null || promtool check metrics <metrics || fail "promtool"
	stop
	expect_status 0
	expect_empty "$err"
}

# what --max-cpu each tool that the exporter runs has, the last one of which counts
limits() {
	local tool words word limit
	for tool in $(pgrep -P "$pid"); do
		mapfile -d '' words <"/proc/$tool/cmdline"
		limit=''
		for word in "${words[@]}"; do [[ $word != --max-cpu=* ]] || limit=$word; done
		[ -z "$limit" ] || echo "${words[0]##*/} $limit"
	done
}

# By the command that users see.
test_subcommand() {
	expect_exit 0 tracelets export --check
	expect_rows "$out" <<<'tracelets-export: this kernel has all that is needed'
	expect_exit 0 tracelets export -h
	[[ $(head -n 1 "$out") == 'tracelets-export - '* ]] || fail "$(<"$out")"
}

test_http() {
	export_tools 'funccount -i 0.2 vfs_fsync'
	wait_for 'tracelets_export_up{tool="funccount"} 1'
	ask /metrics >answer
	tr -d '\r' <answer | sed '/^$/q' | grep -v '^Date:' >head
	sed '1,/^\r*$/d' answer | wc -c >len
	expect_rows head <<-END
	HTTP/1.1 200 OK
	Connection: close
	Content-Type: text/plain; version=0.0.4; charset=utf-8
	Content-Length: $(<len)

	END
	ask /metrics HEAD | tr -d '\r' | sed 's/^Content-Length: .*/Content-Length: N/; /^Date:/d' >answer
	expect_rows answer < <(sed 's/^Content-Length: .*/Content-Length: N/' head)
	expect_rows <(ask /healthz | tail -n 1) <<<ok
	expect_rows <(ask / | tr -d '\r' | sed -n '1p;$p') <<-'END'
	HTTP/1.1 404 Not Found
	there are /metrics and /healthz
	END
	expect_rows <(ask /metrics POST | tr -d '\r' | grep -E '^(HTTP|Allow|only)') <<-'END'
	HTTP/1.1 405 Method Not Allowed
	Allow: GET, HEAD
	only GET, HEAD
	END
	stop
	expect_status 0
	expect_empty "$err"
}

# A tool that is killed: nothing of it is left, in the answer or in tracefs, and it is run again.
test_killed_tool() {
	local first
	begin one
	export_tools "syscount -c -L ${tid[one]} -i 0.2
		execsnoop -p $$"
	wait_for 'tracelets_export_up{tool="syscount"} 1'
	wait_for 'tracelets_export_up{tool="execsnoop"} 1'
	order one sleep 4 1
	done_with one 1
	wait_for "$(calls) 4"
	first=$(child syscount)
	kill -KILL "$first"
	wait_for 'tracelets_export_up{tool="syscount"} 0'
	! grep -q '^tracelets_syscount' metrics || fail "$(<metrics)"
	! grep -q 'tool="syscount"} [^01]' metrics || fail "$(<metrics)"
	grep -qx 'tracelets_up{tool="execsnoop"} 1' metrics || fail "$(<metrics)"
	wait_for 'tracelets_export_runs_total{tool="syscount"} 2'
	wait_for 'tracelets_export_up{tool="syscount"} 1'
	order one sleep 2 1
	done_with one 2
	wait_for "$(calls) 2"
	[ ! -e "$tracefs/instances/tl_syscount_$first" ] || fail "its instance is left"
	stop
	expect_status 0
	expect_rows "$err" <<<'tracelets-export: ./export.conf:1: syscount ended by signal 9: it is run again in 1 s'
	expect_clean
}

# One that ends by itself is run again; one that cannot work is not.
test_ended_tools() {
	export_tools 'funccount -d 0.1 vfs_fsync
		argdist nosuch:nosuch nosuch
		funccount --metric-labels=nosuch=x --nosuch vfs_fsync'
	wait_for 'tracelets_export_runs_total{tool="funccount"} 3'
	grep -qx 'tracelets_export_runs_total{nosuch="x",tool="funccount"} 1' metrics || fail "$(<metrics)"
	stop
	expect_status 0
	grep -qx 'tracelets-export: ./export.conf:1: funccount ended by itself with status 0: it is run again in 1 s' "$err" || fail "$(<"$err")"
	grep -qx 'tracelets-export: ./export.conf:1: funccount ended by itself with status 0: it is run again in 2 s' "$err" || fail "$(<"$err")"
	grep -qx 'tracelets-export: ./export.conf:3: funccount cannot work, and is not run again' "$err" || fail "$(<"$err")"
	expect_clean
}

# Nothing stays when it is killed itself: neither a process nor an instance.
test_killed_exporter() {
	local all
	export_tools 'funccount -i 0.2 vfs_fsync
		execsnoop'
	wait_for 'tracelets_export_up{tool="funccount"} 1'
	wait_for 'tracelets_export_up{tool="execsnoop"} 1'
	mapfile -t all < <(pgrep -P "$pid")
	[ ${#all[@]} = 3 ] || fail "${all[*]}"
	stop KILL
	for pid in "${all[@]}"; do
		until_true 60 gone "$pid" || fail "$pid is left: $(tr '\0' ' ' <"/proc/$pid/cmdline")"
	done
	settle
}

# Who answers is gone: that is an end with an error, which systemd sees.
test_killed_server() {
	export_tools 'funccount vfs_fsync'
	wait_for 'tracelets_export_up{tool="funccount"} 1'
	kill -KILL "$(child tl-http)"
	finish
	expect_status 1
	expect_rows "$err" <<<'tracelets-export: the process that answers has gone'
	expect_clean
}

# Who answers can do nothing but that.
test_capabilities() {
	local server
	export_tools 'funccount vfs_fsync'
	wait_for 'tracelets_export_up{tool="funccount"} 1'
	server=$(child tl-http)
	expect_rows <(awk '/^(Uid|Gid|Groups|CapPrm|CapEff|NoNewPrivs):/ { $1 = $1; print }' "/proc/$server/status") <<-'END'
	Uid: 65534 65534 65534 65534
	Gid: 65534 65534 65534 65534
	Groups:
	CapPrm: 0000000000000000
	CapEff: 0000000000000000
	NoNewPrivs: 1
	END
	# the first three, a pipe, a socket, and what waits for both
	stat -c %N "/proc/$server/fd/"* | grep -oE '(pipe|socket|anon_inode):.*' | grep -oE '^[a-z_]+' | sort -u >kinds
	expect_rows kinds <<-'END'
	anon_inode
	pipe
	socket
	END
	find "/proc/$server/fd" -lname 'pipe:*' >pipes
	[ "$(wc -l <pipes)" -le 1 ] || fail "$(ls -l "/proc/$server/fd")"
	# nobody sends a signal to root's processes
	stop
	expect_empty "$err"
}

# A hundred answers while work is done: nothing gets less, and the end is exact.
test_monotonic() {
	local i
	begin one
	export_tools "syscount -c -e clock_nanosleep,nanosleep -L ${tid[one]} -i 0.1
		runqlat -L ${tid[one]} 0.1"
	wait_for 'tracelets_export_up{tool="syscount"} 1'
	wait_for 'tracelets_export_up{tool="runqlat"} 1'
	order one sleep 500 1
	for ((i = 0; i < 100; i++)); do ask /metrics; done >answers
	done_with one 1
	wait_for "$(calls) 500"
	expect_rows <(grep -c '^tracelets_up{tool="runqlat"} 1' answers) <<<100
	grep -E '^tracelets_[a-z_]*(total|bucket|count|sum)[ {]' answers |
		awk '$NF < last[$1] { print } { last[$1] = $NF } END { if (NR < 2000) print NR " values" }' >less
	expect_empty less
	stop
	expect_status 0
	expect_empty "$err"
}

# Clients that send nothing, or byte by byte, or too much, or leave at once
test_clients() {
	local i one all=() slow huge memory
	begin one
	export_tools "syscount -c -e clock_nanosleep,nanosleep -L ${tid[one]} -i 0.2"
	wait_for 'tracelets_export_up{tool="syscount"} 1'
	memory=$(child tl-http)
	ulimit -n 4096
	trap '' PIPE	# of clients that are sent away
	exec {slow}<>/dev/tcp/127.0.0.1/$port
	# 1,000 that say nothing
	for ((i = 0; i < 1000; i++)); do
		exec {one}<>/dev/tcp/127.0.0.1/$port || fail "connection $i"
		all+=("$one")
		printf G || :
	done 2>/dev/null 1>&"$slow"
	order one sleep 5 1
	done_with one 1
	wait_for "$(calls) 5"
	# a request that is too long, by a head and by a path
	exec {huge}<>/dev/tcp/127.0.0.1/$port
	{ printf 'GET /metrics HTTP/1.1\r\nX: '; head -c 1000000 /dev/zero | tr '\0' x; } 2>/dev/null 1>&"$huge" || :
	expect_rows <(head -c 12 <&"$huge") < <(printf 'HTTP/1.1 431')
	exec {huge}>&-
	printf 'GET /%s HTTP/1.1\r\n\r\n' "$(head -c 100000 /dev/zero | tr '\0' x)" >/dev/tcp/127.0.0.1/$port 2>/dev/null || :
	head -c 100000 /dev/urandom >/dev/tcp/127.0.0.1/$port 2>/dev/null || :
	for ((i = 0; i < 50; i++)); do
		printf 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n' >/dev/tcp/127.0.0.1/$port 2>/dev/null || :
	done
	order one sleep 3 1
	done_with one 2
	wait_for "$(calls) 8"
	for i in "${all[@]}"; do exec {i}>&-; done
	until_true 60 is_closed "$slow" || fail "a slow client stays"
	shows 'tracelets_export_runs_total{tool="syscount"} 1' || fail "$(<metrics)"
	awk '/^VmHWM:/ && $2 > 16384 { print }' "/proc/$memory/status" >grown
	expect_empty grown
	stop
	expect_status 0
	expect_empty "$err"
}

# Who is stopped does not keep it from its end, and each way to end it is one.
test_ends() {
	local signal
	for signal in INT HUP QUIT TERM; do
		export_tools 'funccount -i 0.2 vfs_fsync'
		wait_for 'tracelets_export_up{tool="funccount"} 1'
		[ $signal != TERM ] || kill -STOP "$(child tl-http)" "$(child funccount)"
		stop $signal
		expect_status 0
		expect_empty "$err"
	done
	settle
}

# One that is silent is killed, and run again; not because the exporter was stopped itself.
once_silent_tool() {
	export_tools 'funccount -i 0.2 vfs_fsync'
	wait_for 'tracelets_export_up{tool="funccount"} 1'
	until_true 60 has_counted_more || fail "no second text"
	kill -STOP "$(child funccount)"
	until_true 180 shows 'tracelets_export_runs_total{tool="funccount"} 2' || fail "$(<metrics)"
	wait_for 'tracelets_export_up{tool="funccount"} 1'
	was=''
	until_true 60 has_counted_more || fail "no second text"
	kill -STOP "$pid"
	until_true 180 has_waited 65
	kill -CONT "$pid"
	was=''
	until_true 60 has_counted_more || fail "nothing new: $(<metrics)"
	stop
	expect_status 0
	expect_rows "$err" <<-'END'
	tracelets-export: ./export.conf:1: funccount has counted nothing for long: it is killed
	tracelets-export: ./export.conf:1: funccount ended by signal 9: it is run again in 1 s
	END
	settle
}
# has_counted_more: there is a newer text than that of the first time
has_counted_more() {
	metrics
	[ "$(value tracelets_cpu_seconds_total)" != "${was:=$(value tracelets_cpu_seconds_total)}" ]
}
# has_waited SECS: since the first time that this was asked
has_waited() { [ $((SECONDS - ${since:=$SECONDS})) -ge "$1" ]; }

# is_closed FD: of a client that goes on to send
is_closed() { ! printf G >&"$1"; } 2>/dev/null

# As systemd has it: a socket that is there already
test_given_socket() {
	local given
	export_tools 'funccount vfs_fsync' --listen=127.0.0.1:9471
	port=9471 wait_for 'tracelets_export_up{tool="funccount"} 1'
	stop
	expect_empty "$err"
	need systemd-socket-activate
	systemd-socket-activate -l 127.0.0.1:9472 tracelets-export ./export.conf 2>given.err &
	given=$!
	port=9472 wait_for 'tracelets_export_up{tool="funccount"} 1'
	kill "$given"
	wait "$given" || fail "$(<given.err)"
	! grep '^tracelets-export' given.err || fail "$(<given.err)"
}

test_address_in_use() {
	export_tools 'funccount vfs_fsync'
	expect_error 1 'tracelets-export: 127.0.0.1:9470: Address already in use' tracelets-export funccount
	stop
	expect_empty "$work/1.err"
}

# What is wrong in a file is shown with its place, all of it, and nothing runs.
host_config() {
	printf '%s\n' 'listen localhost:1' 'labels a=b,c' 'max-series 0' $'\tiosnop' 'runqlat "x' 'iosnoop --metrics=x' \
		iosnoop 'iosnoop 5' 'iosnoop --metric-labels=a=b' 'iosnoop --metric-labels a=c' 'listen 127.0.0.1:1 2' 'listen' \
		'listen 127.0.0.1:99999' 'listen :1' 'listen :2' 'listen []:1' 'labels tool=x' \
		'runqlat --metric-labels=a=1,b=2 --by=cpu' 'runqlat --metric-labels=b=2,c=,a=1' 'syscount -- ls' 'syscount -ofile' \
		$'syscount "\e[31m' 'schedtop --metric-labels=1a=b' 'schedtop --metric-labels=a=1,a=2' 'max-cpu 0%' 'max-cpu 1%' 'max-cpu 2%' >bad.conf
	printf 'cpudist\0 5\n' >>bad.conf
	expect_exit 2 tracelets-export ./bad.conf
	expect_empty "$out"
	expect_rows "$err" <<-'END'
	tracelets-export: ./bad.conf:1: the address is no number, as 127.0.0.1 or [::1] are
	  listen localhost:1
	         ^~~~~~~~~~~
	tracelets-export: ./bad.conf:2: not NAME=VALUE,...; a name has letters, digits and "_"
	  labels a=b,c
	         ^~~~~
	tracelets-export: ./bad.conf:3: not a number from 1 to 100000
	  max-series 0
	             ^
	tracelets-export: ./bad.conf:4: neither a tool nor a setting
	  \tiosnop
	    ^~~~~~
	tracelets-export: ./bad.conf:5: this quote is not closed
	  runqlat "x
	          ^
	tracelets-export: ./bad.conf:6: leave this out: the exporter sees to it
	  iosnoop --metrics=x
	          ^~~~~~~~~~~
	tracelets-export: ./bad.conf:8: line 7 has this tool, too: give each --metric-labels=NAME=VALUE of its own
	  iosnoop 5
	  ^~~~~~~
	tracelets-export: ./bad.conf:10: write --metric-labels=NAME=VALUE
	  iosnoop --metric-labels a=c
	          ^~~~~~~~~~~~~~~
	tracelets-export: ./bad.conf:11: one value is enough
	  listen 127.0.0.1:1 2
	                     ^
	tracelets-export: ./bad.conf:12: this needs a value
	  listen
	  ^~~~~~
	tracelets-export: ./bad.conf:13: the port is no number from 1 to 65535
	  listen 127.0.0.1:99999
	         ^~~~~~~~~~~~~~~
	tracelets-export: ./bad.conf:15: this was set above
	  listen :2
	  ^~~~~~
	tracelets-export: ./bad.conf:16: the address is no number, as 127.0.0.1 or [::1] are
	  listen []:1
	         ^~~~
	tracelets-export: ./bad.conf:17: le, tool and version are labels of the tools' own
	  labels tool=x
	         ^~~~~~
	tracelets-export: ./bad.conf:19: line 18 has this tool, too: give each --metric-labels=NAME=VALUE of its own
	  runqlat --metric-labels=b=2,c=,a=1
	  ^~~~~~~
	tracelets-export: ./bad.conf:20: with this a tool does not count here
	  syscount -- ls
	           ^~
	tracelets-export: ./bad.conf:21: with this a tool does not count here
	  syscount -ofile
	           ^~~~~~
	tracelets-export: ./bad.conf:22: this quote is not closed
	  syscount "\x1b[31m
	           ^
	tracelets-export: ./bad.conf:23: not NAME=VALUE,...; a name has letters, digits and "_"
	  schedtop --metric-labels=1a=b
	           ^~~~~~~~~~~~~~~~~~~~
	tracelets-export: ./bad.conf:24: a label is there twice
	  schedtop --metric-labels=a=1,a=2
	           ^~~~~~~~~~~~~~~~~~~~~~~
	tracelets-export: ./bad.conf:25: not a percentage like 1% or 0.5%
	  max-cpu 0%
	          ^~
	tracelets-export: ./bad.conf:27: this was set above
	  max-cpu 2%
	  ^~~~~~~
	tracelets-export: ./bad.conf:28: a byte 0 is no text
	  cpudist\x00 5
	         ^~~~
	END
}

host_wrong_use() {
	echo '# nothing' >empty.conf
	expect_error 2 'tracelets-export: ./empty.conf: there is no line with a tool' tracelets-export ./empty.conf
	printf '%s\n' 'schedtop --metric-labels=site=b' 'labels site=a' >both.conf
	expect_error 2 "tracelets-export: ./both.conf:1: \"site\" is one of the file's labels, too" tracelets-export ./both.conf
	expect_error 1 'tracelets-export: ./nosuch.conf: No such file or directory' tracelets-export ./nosuch.conf
	expect_error 2 'tracelets-export: there is no tool "nosuch" that counts (try tracelets-export -h)' tracelets-export nosuch
	expect_error 2 'tracelets-export: --listen: "junk": not ADDRESS:PORT, as 127.0.0.1:9470 or [::1]:9470 (try tracelets-export -h)' \
		tracelets-export --check --listen=junk iosnoop
	expect_error 2 'tracelets-export: iosnoop is named twice (try tracelets-export -h)' tracelets-export iosnoop iosnoop
	expect_error 2 'tracelets-export: behind a file there is no "iosnoop" (try tracelets-export -h)' tracelets-export ./empty.conf iosnoop
}

# Debian's Prometheus scrapes the default set, and the dashboard's queries get answers.
once_prometheus() {
	local node
	need prometheus curl
	fresh
	null nullb0
	cp "$fleet"/{prometheus.yml,alerts.yml} .
	sed -i 's/15s/1s/' prometheus.yml
	export_tools "$(<"$fleet/../etc/export.conf")"
	# shellcheck disable=SC2086
	prometheus --config.file=prometheus.yml --storage.tsdb.path="$work/tsdb" --web.listen-address=127.0.0.1:9090 \
		--log.level=warn >prometheus.log 2>&1 &
	node=$!
	until_true 180 has_panels || fail "$(<panels)" "$(<prometheus.log)"
	! grep '^not ok' panels || fail "$(<panels)"
	stop
	expect_status 0
	expect_empty "$err"
	kill "$node"
	wait "$node" || :
	remove_devices
}
fleet=$here/../../fleet

# has_panels: work is done, and panels have values of it
has_panels() {
	local panel
	io read /dev/nullb0 0 4096 10
	/nosuch/program 2>/dev/null || :
	echo x >/dev/udp/127.0.0.1/9 || :
	cat "$(type -P tracelets)" >/dev/null
	RATE_INTERVAL=30s "$fleet/queries" http://127.0.0.1:9090 >panels || :
	for panel in 'Block I/O latency, 99th percentile' 'Block I/O latency, median' 'Block I/O bytes' \
		'Wait for a processor, 99th percentile' 'Programs executed, and failures' 'Dropped packets' \
		'Page cache hit ratio' 'Processor time of tools' 'Lost events' 'Tools that are not up' 'Rows counted as "other"'; do
		grep -q "^ok [1-9][0-9]* $panel: " panels || return
	done
}

# PCP's daemon has what tracelets-export answers, by the file that we install.
once_pcp() {
	local pcp=$here/../../build/pcp pmcd
	(of_pcp bin/pminfo --version) >/dev/null 2>&1 || skip "no PCP (tests/guest/pcp unpacks it)"
	begin one
	export_tools "syscount -c -e clock_nanosleep,nanosleep -L ${tid[one]} -i 0.2 --metric-labels=site=a"
	mkdir agent
	cp "$fleet/pcp/tracelets.url" agent
	printf '\nroot {\n\topenmetrics 144:*:*\n}\n\n' >names
	echo "openmetrics 144 pipe binary notready /usr/bin/python3 $pcp/usr/lib/pcp/pmdas/openmetrics/pmdaopenmetrics.python" \
		"-c $PWD/agent -l $PWD/agent.log -d 144" >pmcd.conf
	of_pcp lib/pcp/bin/pmcd -f -c pmcd.conf -n names -p 44399 -s "$PWD/socket" -l pmcd.log -q 60 -i 127.0.0.1 -U root &
	pmcd=$!
	wait_for 'tracelets_export_up{site="a",tool="syscount"} 1'
	order one sleep 5 1
	done_with one 1
	until_true 180 pcp_shows 5 || fail "$(<shown)" "$(cat ./*.log)"
	order one sleep 3 1
	done_with one 2
	until_true 60 pcp_shows 8 || fail "$(<shown)" "$(cat ./*.log)"
	stop
	expect_status 0
	expect_empty "$err"
	kill "$pmcd"
	wait "$pmcd" || :
}

# of_pcp PROGRAM ARG...: below usr of where it is unpacked
of_pcp() {
	local pcp=$here/../../build/pcp
	PCP_CONF=$pcp/etc/pcp.conf PCP_BINADM_DIR=$pcp/usr/lib/pcp/bin PCP_TMP_DIR=$PWD PCP_RUN_DIR=$PWD \
		LD_LIBRARY_PATH=$pcp/usr/lib:$pcp/usr/lib/$(uname -m)-linux-gnu LD_PRELOAD="libpcp.so.3 libpcp_pmda.so.3" \
		PYTHONPATH=$pcp/usr/lib/python3/dist-packages exec "$pcp/usr/$1" "${@:2}"
}

# pcp_shows N: so many calls; one metric alone it knows only once it has listed all
pcp_shows() {
	(of_pcp bin/pminfo -h "unix://$PWD/socket" -f openmetrics.tracelets) >shown 2>&1 || return
	grep -A 1 '^openmetrics\.tracelets\.tracelets_syscount_calls_total$' shown | grep -q " site:a syscall:clock_nanosleep\"\] value $1\$"
}
