# shellcheck shell=bash disable=SC2016 # what has a $ is the tool's
# SPDX-License-Identifier: GPL-2.0-or-later
# uprobe in a guest: functions and static probes of programs whose calls are known

shop=${TL_WORK-}/uprobe

# rows: "TASK NAME: ARGUMENTS", without processor, time and address
rows() { sed -nE 's/^ *(.*)-[0-9]+ +\[[0-9]+\] .{4,5} +[0-9.]+: (.*): \(0x[^)]*\)/\1 \2:/p' "$out"; }

x86() { [ "$(uname -m)" = x86_64 ]; }

# built NAME...: skips the test where this machine could not build one
built() {
	local name
	for name; do [ -e "$shop/$name" ] || skip "no program $name"; done
}

# address FILE FUNCTION: as nm(1) has it
address() { printf 0x%x "0x$(nm "$shop/$1" | sed -n "s/ [TtWw] $2\$//p")"; }

# waiting PROGRAM: starts it, which may be one of several; when it waits for go,
# $process is its id, and what the last one says is in file $said
going=() waiters=()
waiting() {
	local fd fifo=go.${#going[@]}
	said=said.${#going[@]}
	mkfifo "$fifo"
	exec {fd}<>"$fifo"
	: >"$said"
	"$@" 2 wait <"$fifo" >"$said" &
	process=$!
	going+=("$fd") waiters+=($!)
	wait_lines "$said" 1
}
go() {
	local i
	for i in "${!going[@]}"; do
		echo >&"${going[i]}"
		wait_lines "said.$i" 2
	done
}
# release: they end
release() {
	local i
	for i in "${!going[@]}"; do
		echo >&"${going[i]}"
		wait "${waiters[i]}"
	done
}

# A function's offset, whatever the file's segments and symbols are like; one that
# is local, or known from a small symbol table only; of a stripped file by offset;
# within a function; and one argument as two things.
test_every_build() {
	local build definitions=() expected=() tax at i items=(coffee tea coffee)
	need nm
	tax=$(address pie shop_tax)
	case $(uname -m) in x86_64) at=0x1 ;; *) at=0x4 ;; esac
	for build in pie nopie static lld lld-nopie debuglink debugdata; do
		[ -e "$shop/$build" ] || continue
		definitions+=("p:in_$build $shop/$build:shop_tax "'number=$arg1:s32 item=$arg2:string')
		for i in 0 1 2; do
			[ "$build" != nopie ] || expected+=("nopie shop_price: arg2=P arg2_2=\"${items[i]}\"")
			expected+=("$build in_$build: number=$i item=\"${items[i]}\"")
			case $build in
			pie) expected+=("pie shop_tax+$at:" "pie shop_secret: arg1=$((-i))") ;;
			debugdata) expected+=("debugdata shop_secret: arg1=$((-i))") ;;
			esac
		done
	done
	[ ${#definitions[@]} -ge 2 ] || fail "not even two builds"
	definitions+=("r:$shop/pie:shop_secret \$retval:s32" "p:$shop/pie:shop_tax+$at"
		"p:$shop/nopie:shop_price \$arg2:x64 \$arg2:string")
	[ ! -e "$shop/debugdata" ] || definitions+=("r:$shop/debugdata:shop_secret \$retval:s32")
	[ ! -e "$shop/stripped" ] || {
		definitions+=("p:$shop/stripped:$tax \$arg1:s32")
		expected+=("stripped stripped_$tax: arg1="{0,1,2})
	}
	start uprobe "${definitions[@]}"
	for build in pie nopie static lld lld-nopie debuglink debugdata stripped; do
		[ ! -e "$shop/$build" ] || "$shop/$build" 3
	done
	stop
	expect_status 0
	expect_empty "$err"
	expect_rows <(rows | sed 's/arg2=0x[0-9a-f]*/arg2=P/') < <(printf '%s\n' "${expected[@]}")
}

# The address is that of the function: what is below the size of a page is nm's.
test_addresses() {
	local build place at
	need nm
	built lld
	start uprobe "p:$shop/pie:shop_order" "p:$shop/lld:shop_order"
	"$shop/pie" 1
	"$shop/lld" 1
	stop
	for build in pie lld; do
		place=$(sed -n "s/^ *$build-.*shop_order: (\(0x[0-9a-f]*\))$/\1/p" "$out")
		at=$(address "$build" shop_order)
		[ $((place & 0xfff)) = $((at & 0xfff)) ] || fail "$build: hit at $place, shop_order is $at"
	done
}

# Any name but those that tracelets use themselves.
test_names_of_arguments() {
	local tries=('__at=$arg1:s32' '__attr=$arg1:s32')
	start uprobe --json "p:$shop/pie:shop_tax ${tries[*]}"
	"$shop/pie" 1 >said
	stop
	expect_rows <(sed -E 's/.*"fields":\{"__at":(-?[0-9]+),"__attr":\1\},.*/same/' "$out" | sort -u) <<<same
}

once_banner_and_file_offset() {
	need nm
	start uprobe "p:$shop/pie:shop_tax"
	stop
	expect_rows "$out" <<-END
	Tracing uprobe shop_tax (p:shop_tax $shop/pie:$(address pie shop_tax)). Ctrl-C to end.

	Ending tracing...
	END
	start uprobe -d 0.2 -n shop "r:tax $shop/pie:shop_tax \$retval:s32" "p:$shop/pie:main"
	finish
	expect_rows "$out" <<-END
	Tracing uprobe tax (r:tax $shop/pie:$(address pie shop_tax) \$retval:s32) and others issued by process name "shop" for 0.2 seconds (buffered)...

	Ending tracing...
	END
}

# All arguments, in registers and on the stack, and what is returned, in order; and
# names of C++.
test_library_and_cxx_arguments_and_results() {
	built cxx
	start uprobe "p:$shop/libshop.so:shop_sum \$arg1:s64 \$arg2 \$arg5 \$arg6 \$arg7 \$arg8:u8" \
		"r:$shop/libshop.so.1:shop_sum \$retval:s64" "r:$shop/libshop.so:shop_item \$retval:string" \
		"p:$shop/cxx:shop::Cart::add(int) n=\$arg2:s32" \
		"p:$shop/cxx:_ZN4shop4Cart3addEPKc item=\$arg2:string" \
		"r:total $shop/cxx:shop::Cart::total() const \$retval:s32" \
		"p:$shop/cxx:shop::twice<long> \$arg1"
	"$shop/shared" 2
	"$shop/pie" 2	# has functions of this name too
	"$shop/cxx" 2
	stop
	expect_rows <(rows) <<-END
	shared shop_item: arg1="coffee"
	shared shop_sum: arg1=0 arg2=0x2 arg5=0x5 arg6=0x6 arg7=0x7 arg8=8
	shared shop_sum: arg1=35
	shared shop_item: arg1="tea"
	shared shop_sum: arg1=1 arg2=0x2 arg5=0x5 arg6=0x6 arg7=0x7 arg8=8
	shared shop_sum: arg1=36
	cxx shop::Cart::add(int): n=0
	cxx _ZN4shop4Cart3addEPKc: item="tea"
	cxx total: arg1=116
	cxx shop::twice<long>: arg1=0xa
	cxx shop::Cart::add(int): n=1
	cxx _ZN4shop4Cart3addEPKc: item="tea"
	cxx total: arg1=233
	cxx shop::twice<long>: arg1=0xb
	END
}

once_ambiguous_name() {
	built cxx
	expect_exit 1 uprobe "p:$shop/cxx:shop::Cart::add"
	grep -q 'has 2 functions shop::Cart::add' "$err" || fail "does not say that there are two"
	grep -q ' shop::Cart::add(char const\*)$' "$err" || fail "does not say which"
}

# A link to musl's loader in /lib, as Debian's package musl makes it, is in glibc's
# cache from the next ldconfig on.
once_loader_of_musl_in_the_cache() {
	need musl-gcc ldconfig
	ldconfig
	grep -q ld-musl- <(ldconfig -p) || fail "the cache has no loader of musl"
	expect_exit 0 uprobe -H -d 0.1 p:libc:malloc
}

# ---- static probes -----------------------------------------------------------

# One at two places, by names; all arguments of another; and nobody listens to paid.
test_static_probes() {
	start uprobe "u:$shop/usdt:shop:order number=\$arg1 item=\$arg2:string amount=\$arg3" \
		"u:mine $shop/usdt:shop:constant"
	"$shop/usdt" 3 >said
	stop
	expect_rows <(rows) <<-END
	usdt order: number=0 item="coffee" amount=0
	usdt mine: arg1=-5 arg2=7
	usdt order: number=1 item="tea" amount=-1
	usdt mine: arg1=-5 arg2=7
	usdt order: number=2 item="coffee" amount=-2
	usdt mine: arg1=-5 arg2=7
	END
	expect_match <(head -n 1 "$out") <<-END
	Tracing uprobe order (u:order $shop/usdt:shop:order *) and others. Ctrl-C to end.
	END
	expect_rows said <<<"0 paid, semaphore 0"
}

# A program that runs already, and one that begins meanwhile, see that somebody
# listens; afterwards nobody does.
test_semaphore() {
	waiting "$shop/usdt"
	start uprobe "u:$shop/usdt:shop:paid"
	go
	"$shop/usdt" 1 >other
	stop
	release
	expect_rows <(rows) <<-END
	usdt paid: arg1=0
	usdt paid: arg1=1
	usdt paid: arg1=0
	END
	expect_rows other <<<"1 paid, semaphore 1"
	expect_rows "$said" <<-END
	waiting
	waiting
	2 paid, semaphore 0
	END
}

test_semaphore_after_a_kill() {
	waiting "$shop/usdt"
	start uprobe "u:$shop/usdt:shop:paid"
	stop KILL
	settle
	go
	release
	expect_rows <(tail -n 1 "$said") <<<"0 paid, semaphore 0"
}

# And without the provider, all arguments as they are.
test_static_probes_by_pattern() {
	start uprobe "u:$shop/usdt:sh*:[cp]*" "u:$shop/usdt:order"
	"$shop/usdt" 2 >said
	stop
	expect_rows <(rows | sed 's/arg2=[0-9]\{9,\}/arg2=POINTER/') <<-END
	usdt order: arg1=0 arg2=POINTER arg3=0
	usdt constant: arg1=-5 arg2=7
	usdt paid: arg1=0
	usdt order: arg1=1 arg2=POINTER arg3=-1
	usdt constant: arg1=-5 arg2=7
	usdt paid: arg1=1
	END
}

# ---- whose calls ---------------------------------------------------------------

test_process_and_its_library() {
	waiting "$shop/shared"
	start uprobe -p "$process" "p:libshop:shop_visit \$arg1:s32" "p:shared:main"  "p::main"
	"$shop/shared" 1
	go
	stop
	release
	go
	expect_rows <(rows) <<-END
	shared shop_visit: arg1=0
	shared shop_visit: arg1=1
	END
}

# The first one's file is traced; who has the same is not said to have another.
once_several_processes() {
	local first same copy
	cp "$shop/pie" copy
	waiting "$shop/pie"; first=$process
	waiting "$shop/pie"; same=$process
	waiting "$PWD/copy"; copy=$process
	start uprobe -p "$first,$same,$copy" p::shop_tax p::shop_secret p:libc:nanosleep
	go
	stop
	expect_status 0
	expect_rows "$err" <<<"uprobe: process $copy uses $PWD/copy, but only $shop/pie is traced"
	expect_rows <(grep -o '^ *pie-[0-9]*' "$out" | tr -dc '0-9\n' | sort -nu) <<<"$first"$'\n'"$same"
	start uprobe -p "$first,$same" p::shop_tax
	stop
	expect_empty "$err"
	release
}

test_other_mount_namespace() {
	local stacks=()
	! walks_programs || stacks=(-s)
	need unshare
	waiting unshare -m bash -c 'mount -t tmpfs none /mnt && cp "$0" /mnt/inside && exec /mnt/inside "$@"' "$shop/pie"
	start uprobe "${stacks[@]}" -p "$process" "p:/mnt/inside:shop_tax \$arg1:s32" "p:inside:shop_secret"
	go
	stop
	expect_rows <(rows) <<-END
	inside shop_tax: arg1=0
	inside shop_secret:
	inside shop_tax: arg1=1
	inside shop_secret:
	END
	[ ${#stacks[@]} = 0 ] || grep -q '^ => shop_tax+0x0 (inside)$' "$out" || fail "no symbols"
	expect_error 1 "uprobe: /proc/$process/root/mnt/outside: No such file or directory" \
		uprobe -p "$process" p:/mnt/outside:main
	release
}

test_name_and_filter() {
	start uprobe -n '^pie$' "p:$shop/libshop.so:shop_tax number=\$arg1:s32 item=\$arg2:string" \
		"p:$shop/pie:shop_tax number=\$arg1:s32 item=\$arg2:string" 'item == "tea" && number > 1'
	"$shop/shared" 6
	"$shop/pie" 6
	stop
	expect_rows <(rows) <<-END
	pie shop_tax: number=3 item="tea"
	pie shop_tax: number=5 item="tea"
	END
}

# ---- stacks ----------------------------------------------------------------------

# stacks: rows and stacks, without what differs from run to run
stacks() {
	sed -E -e '/^Tracing|^$|^Ending/d' -e 's/^ *(.*)-[0-9]+ +\[.*[0-9]: ([a-z_+0-9]+: \(|<user)/\1 \2/' \
		-e 's/\(0x[^)]*\)/(ADDRESS)/; s/\+0x[1-9a-f][0-9a-f]*/+N/' "$out" |
		grep -v 'libc\.so\|^ => _start+'	# the way to main differs: not everywhere are frame pointers
}

# stacks_of PROGRAM: those of it, in file stacks
stacks_of() { awk -v "program=$1" '/^[^ ]/ { on = $1 == program } on' stacks; }

stacks_or_skip() { walks_programs || skip "this kernel records no stacks of programs"; }

# It is said before, and by --check what it is for, not shown as rows without stacks.
test_no_stacks() {
	local lacks='this kernel records no stacks of programs (CONFIG_USER_STACKTRACE_SUPPORT)'
	if walks_programs; then
		expect_exit 0 uprobe --check
		! grep 'limited: -s' "$out" || fail "the kernel has them"
		return
	fi
	expect_error 3 "uprobe: $lacks" uprobe -s "p:$shop/pie:shop_tax"
	expect_clean
	expect_error 3 "uprobe: $lacks" uprobe -s --check
	expect_exit 0 uprobe --check
	expect_rows "$out" <<-END
	uprobe: this kernel has what is needed, with limits
	limited: -s: $lacks
	END
}

# The first instruction comes before the frame, and yet the caller is there, also
# where there are no frames.  Within a function its caller comes from its frame,
# and only from there: where a function has that is known on x86 only.  And the
# caller takes an argument of its own, for which there may be no room.
test_stacks() {
	local definitions=() register=x0
	stacks_or_skip
	! x86 || register=di
	! x86 || definitions=("p:$shop/pie:shop_price+0x4" "p:$shop/nofp:nofp_leaf")
	waiting "$shop/pie"
	waiting "$shop/shared"
	# shellcheck disable=SC2046 # 128 words
	start uprobe -s "p:$shop/pie:shop_tax number=\$arg1:s32" "r:$shop/libshop.so:shop_tax" \
		"p:many $shop/libshop.so:shop_visit $(printf "%%$register %.0s" {1..128})" "${definitions[@]}"
	go
	! x86 || "$shop/nofp"
	stop
	release
	stacks >stacks
	expect_match <(stacks_of shared) <<-END
	shared shop_tax: (ADDRESS)
	shared <user stack trace>
	 => shop_price+N (libshop.so.1)
	 => shop_order+N (libshop.so.1)
	 => main+N (shared)
	shared many: (ADDRESS) arg1=0x0 *
	shared <user stack trace>
	 => shop_visit+0x0 (libshop.so.1)*
	shared shop_tax: (ADDRESS)
	shared <user stack trace>
	 => shop_price+N (libshop.so.1)
	 => shop_order+N (libshop.so.1)
	 => main+N (shared)
	shared many: (ADDRESS) arg1=0x1 *
	shared <user stack trace>
	 => shop_visit+0x0 (libshop.so.1)*
	END
	! x86 || expect_match <(stacks_of nofp) <<-END
	nofp nofp_leaf: (ADDRESS)
	nofp <user stack trace>
	 => nofp_leaf+0x0 (nofp)
	 => nofp_caller+N (nofp)
	END
	for number in 0 1; do
		! x86 || cat <<-END
		pie shop_price+N: (ADDRESS)
		pie <user stack trace>
		 => shop_price+N (pie)
		 => shop_order+N (pie)
		 => main+N (pie)
		END
		cat <<-END
		pie shop_tax: (ADDRESS) number=$number
		pie <user stack trace>
		 => shop_tax+0x0 (pie)
		 => shop_price+N (pie)
		 => shop_order+N (pie)
		 => main+N (pie)
		END
	done >expected
	expect_match <(stacks_of pie) <expected
}

# Of a program that has ended when its records are read the probe's own file is
# known; of a stripped one there are offsets.
test_stack_of_ended_and_stripped_programs() {
	local secret
	need nm
	built stripped
	stacks_or_skip
	secret=$(address pie shop_secret)
	waiting "$shop/stripped"
	start uprobe -s "p:$shop/nopie:shop_secret" "p:$shop/stripped:$secret"
	kill -STOP "$pid"
	"$shop/nopie" 1
	kill -CONT "$pid"
	go
	stop
	release
	stacks >stacks
	expect_match <(stacks_of nopie | grep -v '=> 0x') <<-END
	nopie shop_secret: (ADDRESS)
	nopie <user stack trace>
	 => shop_secret+0x0 (nopie)
	 => shop_visit+N (nopie)
	 => main+N (nopie)
	END
	grep -q "^ => stripped+$secret\$" "$out" || fail "no offset"
}

# A process that executes another program meanwhile, at the same addresses.
test_stack_before_exec() {
	stacks_or_skip
	cp "$shop/nopie" /mnt/other
	start uprobe -s "p:$shop/nopie:shop_secret" "p:/mnt/other:main"
	kill -STOP "$pid"
	waiting "$shop/nopie" 1 exec /mnt/other
	kill -CONT "$pid"
	stop
	go
	release
	expect_match <(stacks | grep -v '=> 0x') <<-END
	nopie shop_secret: (ADDRESS)
	nopie <user stack trace>
	 => shop_secret+0x0 (nopie)
	 => shop_visit+N (nopie)
	 => main+N (nopie)
	other main: (ADDRESS)
	other <user stack trace>
	 => main+0x0 (other)
	END
}

once_stack_json() {
	stacks_or_skip
	waiting "$shop/pie"
	start uprobe --json -s "r:$shop/pie:shop_price price=\$retval:s32"
	go
	stop
	release
	expect_match <(sed -E 's/"time":[0-9.]+,/"time":1,/; s/"tid":[0-9]+,"cpu":[0-9]/"tid":2/; s/"0x[^"]*"/"PLACE"/; s/\+0x[0-9a-f]+/+N/g' "$out") <<-'END'
	{"time":1,"comm":"pie","tid":2,"event":"shop_price","place":"PLACE","fields":{"price":100},"stack":\["shop_order+N (pie)","main+N (pie)"*]}
	{"time":1,"comm":"pie","tid":2,"event":"shop_price","place":"PLACE","fields":{"price":118},"stack":\["shop_order+N (pie)","main+N (pie)"*]}
	END
}

# ---- output -----------------------------------------------------------------------

once_csv() {
	start uprobe --csv "p:$shop/pie:shop_tax \$arg1:s32 item=\$arg2:string"
	"$shop/pie" 1 'a,"b'
	stop
	expect_rows <(sed -E 's/^[0-9.]+,pie,[0-9]+,[0-9]+,/T,pie,P,/; s/0x[0-9a-f]+/PLACE/' "$out") <<-'END'
	time,comm,tid,cpu,event,place,fields,stack
	T,pie,P,shop_tax,PLACE,"arg1=0 item=a,""b",
	END
}

once_control_characters() {
	start uprobe "p:$shop/pie:shop_tax item=\$arg2:string"
	"$shop/pie" 1 $'\x1b[1m\n'
	stop
	expect_rows <(rows) <<-'END'
	pie shop_tax: item="\x1b[1m\n"
	END
}

host_header_and_csv() {
	capture uprobe
	run uprobe --read="$capture"
	! grep -q '^#' "$out" || fail "a header that was not asked for: $(<"$out")"
	run uprobe --read="$capture" -H
	expect_status 0
	grep -q '^# *TASK-PID *CPU#' "$out" || fail "no header"
	run uprobe --read="$capture" --csv
	expect_match "$out" <<-'END'
	time,comm,tid,cpu,event,place,fields,stack
	*,shop,*,shop_tax,0x*,number=0 item=coffee,
	*,shop,*,shop_tax,0x*,number=2 item=coffee,
	END
}

test_format() {
	run uprobe -v "p:$shop/pie:shop_tax n=\$arg1:s32" "u:$shop/usdt:shop:constant"
	expect_status 0
	expect_empty "$err"
	expect_clean
	expect_match <(grep -E '^name|__probe_ip;|:s32 n;|:s32 arg1;|:u64 arg2;|Tracing' "$out") <<-'END'
	name: shop_tax
	*field:unsigned long __probe_ip;*
	*field:s32 n;*
	name: constant
	*field:unsigned long __probe_ip;*
	*field:s32 arg1;*
	*field:u64 arg2;*
	END
}

once_list() {
	run uprobe -l "$shop/usdt" 'u:*'
	expect_status 0
	expect_rows "$out" <<-END
	u:shop:constant
	u:shop:order
	u:shop:paid
	END
	run uprobe -l "$shop/pie" shop_t
	expect_rows "$out" <<<shop_tax
	run uprobe -l "$shop/pie"
	sort -u "$out" | expect_rows "$out"
	built renamed
	run uprobe -l "$shop/renamed" shop_
	expect_rows <(grep -v 'order\|price\|secret\|visit' "$out") <<-'END'
	shop_\x1b[1m
	shop_tax
	END
	run uprobe --raw -l "$shop/renamed" 1m
	expect_rows "$out" <<<$'shop_\e[1m'
	built cxx
	run uprobe --demangle -l "$shop/cxx" '*add*'
	expect_rows "$out" <<-END
	shop::Cart::add(char const*)
	shop::Cart::add(int)
	END
	expect_error 1 "uprobe: $shop/pie: nothing matches nosuch" uprobe -l "$shop/pie" nosuch
}

# A path that the kernel would end at its blank, or cut as a comment.
test_odd_paths() {
	mkdir '/mnt/a b'
	cp "$shop/pie" '/mnt/a b/c#d'
	cp "$shop/pie" '/mnt/a b/c:d'
	ln -s c#d '/mnt/a b/link'
	cp "$shop/pie" $'/mnt/d\xc3\xa0'
	start uprobe "p:/mnt/a b/c#d:shop_tax" "p:my /mnt/a b/link:shop_tax" $'p:latin /mnt/d\xc3\xa0:shop_tax'
	'/mnt/a b/c#d' 1
	$'/mnt/d\xc3\xa0' 1
	stop
	expect_rows <(rows | sort | sed 's/^d.* latin/d latin/') <<-END
	c#d my:
	c#d shop_tax:
	d latin:
	END
}

# Of a text above 4,095 bytes the kernel fetches nothing; of records above
# 4,000 it says nothing, but counts the hits. (Above 4,096, it warns in its log.)
test_longer_than_a_record() {
	local long
	printf -v long '%05000d' 0
	start uprobe --strict "p:$shop/pie:shop_tax item=\$arg2:string"
	"$shop/pie" 2 "$long"
	stop
	expect_status 0
	expect_rows <(rows) < <(printf 'pie shop_tax: item=(fault)\n%.0s' 1 2)
	! long_texts_fit || return 0
	printf -v long '%02040d' 0
	start uprobe --strict "p:$shop/pie:shop_tax a=\$arg2:string b=\$arg2:string"
	"$shop/pie" 2 "$long"
	"$shop/pie" 1 short
	stop
	expect_status 1
	expect_rows <(rows) <<<'pie shop_tax: a="short" b="short"'
	expect_rows "$err" <<-END
	uprobe: 2 events were lost: their text, of more than 4,000 bytes, did not fit into a record
	END
}

# It is counted when it begins, and recorded when it returns.
test_function_that_has_not_returned() {
	start uprobe --strict "r:$shop/pie:main" "p:$shop/pie:main"
	waiting "$shop/pie"
	stop
	expect_status 0
	expect_empty "$err"
	expect_rows <(rows) <<<"pie main:"
	go
	release
}

once_too_long_a_filter() {
	local long
	printf -v long '%04100d' 0
	expect_error 1 "uprobe: filter of shop_tax: it has more than 4094 bytes, with what other options add" \
		uprobe "p:$shop/pie:shop_tax a=\$arg2:string" "a == \"$long\""
	expect_clean
}

test_every_call_in_order() {
	start uprobe "p:$shop/pie:shop_secret n=\$arg1:s32" "r:$shop/pie:shop_secret n=\$retval:s32"
	"$shop/pie" 1000
	stop
	expect_empty "$err"
	rows >seen
	seq 0 999 | awk '{ print "pie shop_secret: n=" $1; print "pie shop_secret: n=" ($1 ? "-" : "") $1 }' | expect_rows seen
}

test_losses_are_reported() {
	local lost kept
	start uprobe --buffer=64K --strict "p:$shop/pie:shop_tax"
	kill -STOP "$pid"
	"$shop/pie" 5000
	kill -CONT "$pid"
	stop
	expect_status 1
	kept=$(rows | grep -c shop_tax)
	lost=$(sed -n 's/^uprobe: \([0-9]*\) events were lost: the buffer.*/\1/p' "$err")
	if [ $((kept + lost)) -lt 5000 ] || [ $((kept + lost)) -gt 5050 ]; then
		fail "$kept kept, $lost lost of 5000"
	fi
}

test_nothing_is_left_after_a_kill() {
	stacks_or_skip
	start uprobe -s "p:$shop/pie:shop_tax" "u:$shop/usdt:shop:paid"
	stop KILL
	settle
}

# ---- what cannot be traced -----------------------------------------------------------

host_bad_input() {
	expect_error 2 'uprobe: which probe? (try uprobe -h)' uprobe
	expect_error 2 'uprobe: "bash:readline": a probe begins with p:, r: or u: (try uprobe -h)' uprobe bash:readline
	expect_error 2 'uprobe: "p:bash": not p:[NAME ]FILE:FUNCTION or FILE:0xOFFSET and arguments (try uprobe -h)' uprobe p:bash
	expect_error 2 'uprobe: which file? (none is the program of -p) (try uprobe -h)' uprobe p::main
	expect_error 2 "uprobe: \"r:/bin/bash:main+4\": a return is probed where its function begins, without an offset (try uprobe -h)" \
		uprobe "r:/bin/bash:main+4"
}

once_bad_input() {
	local calls32=$TL_WORK/calls32
	expect_error 1 'uprobe: /etc/passwd is not an ELF file' uprobe p:/etc/passwd:main
	expect_error 1 'uprobe: /nosuch: No such file or directory' uprobe p:/nosuch:main
	expect_error 1 "uprobe: $shop/usdt has no static probe shop:ordr (uprobe -l $shop/usdt shows what it has)" \
		uprobe "u:$shop/usdt:shop:ordr"
	expect_error 1 'uprobe: $arg4: probe shop:order has not so many' uprobe "u:$shop/usdt:shop:order \$arg4"
	expect_error 1 'uprobe: $arg1: when a function returns its arguments are gone; there is $retval' \
		uprobe "r:$shop/pie:shop_tax \$arg1"
	expect_error 1 'uprobe: "number": not an argument: $arg1, $retval, %REGISTER, +OFFSET(...), @ADDRESS or the like' \
		uprobe "p:$shop/pie:shop_tax number"
	expect_error 1 'uprobe: __at1_1=$arg1: tracelets themselves use the name __at1_1: choose another' \
		uprobe "p:$shop/pie:shop_tax __at1_1=\$arg1"
	# shellcheck disable=SC2046 # 129 words
	expect_error 1 'uprobe: a probe takes at most 128 arguments' \
		uprobe "p:$shop/pie:shop_tax $(printf '$arg1 %.0s' {1..129})"
	expect_error 1 'uprobe: $arg1: known only where a function begins: name the register (%REGISTER), or the place in memory (+OFFSET(%REGISTER):u32)' \
		uprobe "p:$shop/pie:shop_tax+4 \$arg1"
	expect_exit 1 uprobe "p:$shop/pie:0x10"
	expect_rows <(head -n 1 "$err") <<<"uprobe: there is no code at offset 0x10 of $shop/pie, but nothing that a section has"
	expect_exit 1 uprobe "p:$shop/pie:shop_tax" "p:$shop/pie:shop_taxi"
	expect_match "$err" <<-END
	uprobe: $shop/pie has no function shop_taxi
	uprobe: near it: 0x* shop_tax
	END
	[ ! -e "$calls32" ] || ! x86 || expect_exit 1 uprobe "p:$calls32:_start \$arg1"
	[ ! -e "$shop/stripped" ] || expect_exit 1 uprobe "p:$shop/stripped:shop_tax"
	expect_clean
}

# A breakpoint in a constant changes it; in the segment of the code there are some.
once_constants_are_no_code() {
	local text at what
	built mixed
	"$shop/mixed" >before
	while IFS=: read -r text what; do
		at=$(LC_ALL=C grep -abo "$text" "$shop/mixed")
		expect_exit 1 uprobe -d 1 "p:$shop/mixed:${at%%:*}"
		expect_match <(head -n 3 "$err") <<-END
		uprobe: there is no code at offset 0x* of $shop/mixed, but $what
		uprobe: the nearest function is *, at 0x*
		uprobe: code is at:
		END
	done <<-END
	constant apart:section .rodata
	constant among:variable among in section .text
	among code:variable among in section .text
	END
	expect_exit 1 uprobe "p:$shop/mixed:within"
	expect_match <(head -n 1 "$err") <<<"uprobe: $shop/mixed has no function within"
	run uprobe -l "$shop/mixed"
	! grep -qx within "$out" || fail "a label of data is listed"
	"$shop/mixed" | diff before -
	run uprobe -d 0.1 "p:$shop/mixed:main"
	expect_status 0
	expect_clean
}

# By an offset in the file too; -F means it.
test_return_within_a_function() {
	local tax
	need nm
	tax=$(($(address pie shop_tax)))
	expect_exit 1 uprobe "r:$shop/pie:$((tax + 4))"
	expect_match "$err" <<-END
	uprobe: 0x* of $shop/pie is within function shop_tax: its return is probed where it begins
	END
	run uprobe -d 0.1 "r:$shop/pie:$tax"
	expect_status 0
	run uprobe -F -d 0.1 "r:$shop/pie:$((tax + 4))"
	expect_status 0
	expect_clean
}

# offset_of_entry FILE: where in the file a program begins, as readelf(1) has it
offset_of_entry() {
	local entry type offset virt size
	entry=$(readelf -hW "$1" | sed -n 's/.*Entry point address: *//p')
	while read -r type offset virt _ size _; do
		[ "$type" != LOAD ] || ((entry < virt || entry >= virt + size)) ||
			printf '0x%x\n' $((entry - virt + offset))
	done < <(readelf -lW "$1")
}

# hits_by_hand FILE OFFSET COMMAND...: how often the kernel's own probe there is hit
hits_by_hand() {
	local events=$tracefs/dynamic_events instance=$tracefs/instances/byhand
	echo "p:byhand/start $1:$2" >>"$events"
	mkdir "$instance"
	echo 1 >"$instance/events/byhand/start/enable"
	"${@:3}" </dev/null
	awk '$2 == "start" { print $3 }' "$tracefs/uprobe_profile"
	rmdir "$instance"
	echo '-:byhand/start' >>"$events"
}

# The kernel of arm64 takes probes in these, and never hits one.
test_32_bit_programs() {
	local calls32=$TL_WORK/calls32 hits tool
	need readelf
	[ -e "$calls32" ] || skip "no 32-bit program can be built here"
	"$calls32" </dev/null || skip "this kernel runs no 32-bit programs"
	hits=$(hits_by_hand "$calls32" "$(offset_of_entry "$calls32")" "$calls32")
	if [ "$hits" != 0 ]; then
		start uprobe "p:$calls32:_start"
		"$calls32" </dev/null
		stop
		expect_rows <(rows) <<<'calls32 _start:'
		return
	fi
	for tool in "uprobe p:$calls32:_start" "uprobe -F p:$calls32:0x10" "funccount -u $calls32 _start"; do
		# shellcheck disable=SC2086 # words
		expect_error 3 "${tool%% *}: $calls32 is for 32-bit programs: this kernel has probes in 64-bit programs only" $tool
	done
	run uprobe -l "$calls32"
	expect_rows "$out" <<<_start
	expect_clean
}

# expect_caret WORD: the kernel's caret is below it
expect_caret() {
	local line
	mapfile -t line <"$err"
	[ "${#line[@]}" = 3 ] || fail "not three lines"
	line[2]=${line[2]#uprobe:} line[1]=${line[1]#uprobe:}
	[ "${line[1]:${#line[2]}-1:${#1}}" = "$1" ] || fail "the caret is not at $1"
}

test_kernel_says_where() {
	expect_exit 1 uprobe "p:$shop/pie:shop_tax a=%nosuch"
	expect_caret %nosuch
	expect_match <(head -n 1 "$err") <<<"uprobe: probe on $shop/pie:0x*: Invalid register name"
	expect_exit 1 uprobe "p:$shop/pie:shop_tax a=\$arg1:nosuch"
	expect_caret nosuch
	expect_exit 1 uprobe "p:$shop/pie:shop_tax a=\$arg1 a=\$arg2"
	expect_caret a=
	expect_exit 1 uprobe "p:$shop/pie:shop_tax a=\$arg1" 'b == 1'
	expect_rows <(head -n 1 "$err") <<<"uprobe: filter of shop_tax: Field not found"
	expect_clean
}

# ---- the original's one-liners ---------------------------------------------------------

# interactive COMMAND...: bash reads it from a terminal; $shell is its process
interactive() {
	need script
	printf '%s\n' "$@" | HISTFILE='' PS1='' script -qc 'bash --norc --noprofile -i' /dev/null >/dev/null
}

# Several of them at once.
test_one_liners_bash() {
	stacks_or_skip
	start uprobe -s p:bash:readline 'p:full /bin/bash:readline' 'r:text bash:readline +0($retval):string'
	interactive 'echo hello' exit
	stop
	expect_rows <(rows | grep -v '<user' | sort) <<-END
	bash full:
	bash full:
	bash readline:
	bash readline:
	bash text: arg1="echo hello"
	bash text: arg1="exit"
	END
	expect_match <(head -n 1 "$out") <<<"Tracing uprobe readline (p:readline *bin/bash:0x*) and others. Ctrl-C to end."
	grep -q '^ => readline+0x0 (bash)$' "$out" || fail "no stack"
}

once_one_liner_that_lists() {
	uprobe -l bash | grep -x readline >listed
	expect_rows listed <<<readline
}

once_one_liners_bash_process() {
	local shell
	need script
	mkfifo keys
	exec {keys}<>keys
	HISTFILE='' script -qc 'echo $$ >shell; exec bash --norc --noprofile -i' /dev/null <keys >/dev/null &
	until_true 60 test -s shell
	read -r shell <shell
	until_true 60 grep -q bash /proc/"$shell"/comm
	start uprobe -p "$shell" p:bash:readline
	interactive exit
	printf 'true\nexit\n' >&"$keys"
	until_true 60 gone "$shell"
	stop
	expect_rows <(rows | sort -u) <<<'bash readline:'
}

test_one_liners_libc() {
	start uprobe -H p:libc:sleep 'p:sleep_arg libc:sleep $arg1' 'r:libc:fopen file=$retval'
	"$shop/pie" 0
	stop
	expect_match <(rows | grep '^pie') <<-END
	pie sleep*:*
	pie sleep*:*
	pie fopen: file=0x0
	pie fopen: file=0x[1-9a-f]*
	END
	expect_rows <(rows | grep '^pie sleep' | sort) <<-END
	pie sleep:
	pie sleep_arg: arg1=0x0
	END
	start uprobe 'r:libc:fopen file=$retval' 'file == 0'
	"$shop/pie" 0
	stop
	expect_rows <(rows | grep '^pie') <<<"pie fopen: file=0x0"
}

# by register, as on x86-64, and by an offset that is looked up first
test_one_liners_x86() {
	local place
	[ "$(uname -m)" = x86_64 ] || skip "these name registers of x86-64"
	start uprobe 'p:libc:sleep %di'
	"$shop/pie" 0
	stop
	expect_rows <(rows | grep ^pie) <<<"pie sleep: arg1=0x0"
	place=$(sed -n 's/^Tracing.*:\(0x[0-9a-f]*\) %di).*/\1/p' "$out")
	start uprobe "p:libc:$place"
	"$shop/pie" 0
	stop
	expect_rows <(rows | grep ^pie) <<<"pie libc_$place:"
	start uprobe "p:dispatch_command $shop/pie:shop_tax cmd=+0(%si):string" 'cmd ~ "SELECT*"'
	"$shop/pie" 1 'SELECT * FROM t'
	"$shop/pie" 1 'UPDATE t'
	stop
	expect_rows <(rows) <<-'END'
	pie dispatch_command: cmd="SELECT * FROM t"
	END
}

# uprobe -p PID p:bash:sh_malloc | head -15: ends by itself when head has
test_one_liner_head() {
	waiting "$shop/pie"
	mkfifo pipe
	head -n 2 <pipe >seen &
	to=pipe start uprobe -p "$process" p:pie:shop_sum
	go
	finish
	expect_status 0
	expect_clean
	release
	expect_match seen <<-END
	Tracing uprobe shop_sum (p:shop_sum $shop/pie:0x*) issued by PID $process. Ctrl-C to end.
	*: shop_sum: (0x*)
	END
}

first_check() {
	run uprobe --check
	expect_status 0
	if walks_programs; then
		expect_rows "$out" <<<"uprobe: this kernel has all that is needed"
	else
		expect_match "$out" <<<$'uprobe: this kernel has what is needed, with limits\nlimited: -s: *'
	fi
}

first_row() {
	start uprobe "p:$shop/pie:shop_tax number=\$arg1:s32 item=\$arg2:string"
	"$shop/pie" 1
	stop
	expect_status 0
	expect_empty "$err"
	expect_rows <(rows) <<<'pie shop_tax: number=0 item="coffee"'
}
