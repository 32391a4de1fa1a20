# shellcheck shell=bash disable=SC2016 # what another bash expands
# SPDX-License-Identifier: GPL-2.0-or-later
# flamegraph: it traces nothing, so nearly all is asked without a guest

# fold: a file a.folded of 40 samples in 5 lines
fold() {
	cat >a.folded <<-'END'
	# by hand

	sh;main;read 20
	sh;main;write 10
	sh;main;write;vfs write 4
	sh;main 2
	ld 4
	END
}

# frames FILE: of its picture, "NAME (TITLE) X WIDTH"
frames() {
	sed -nE 's|^<g data-f="[^"]*"><title>([^<]*)</title><rect x="([^"]*)" y="[^"]*" width="([^"]*)".*|\1 \2 \3|p' "$1"
}

# heights FILE: "Y NAME", the highest first
heights() {
	sed -nE 's|^<g data-f="[^"]*"><title>([^<]*) \([^<(]*</title><rect x="[^"]*" y="([^"]*)".*|\2 \1|p' "$1" | sort -sn
}

# described FILE: what stands under the title
described() { sed -n '/<desc>/,/<\/desc>/{ s/<\/*desc>//g; p }' "$1"; }

# fails MESSAGE ARG...: with status 1, and nothing is drawn
fails() {
	local text=$1
	shift
	run flamegraph "$@"
	expect_status 1
	expect_rows "$err" <<<"$text"
	expect_empty "$out"
}

first_check() { expect_exit 0 flamegraph --check; }

# Where nothing can be traced, too, and for who may trace nothing.
first_row() {
	fold
	expect_exit 0 flamegraph a.folded
	cp "$out" drawn
	expect_empty "$err"
	for_all
	expect_exit 0 unshare -m bash -c 'umount "$0" && exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"' \
		"$tracefs" "$stage/sbin/flamegraph" a.folded
	expect_rows <(frames "$out") < <(frames drawn)
	is_unused
}

# By arithmetic: 1176 pixels are 40 samples, and what is wider than two has a gap of
# half a pixel.
host_widths() {
	fold
	expect_exit 0 flamegraph a.folded
	expect_empty "$err"
	expect_rows <(frames "$out") <<-'END'
	all (40 samples, 100.00%) 12.00 1175.50
	ld (4 samples, 10.00%) 12.00 117.10
	sh (36 samples, 90.00%) 129.60 1057.90
	main (36 samples, 90.00%, self 2 samples, 5.00%) 129.60 1057.90
	read (20 samples, 50.00%) 129.60 587.50
	write (14 samples, 35.00%, self 10 samples, 25.00%) 717.60 411.10
	vfs write (4 samples, 10.00%) 717.60 117.10
	END
	expect_rows <(described "$out") <<-'END'
	40 samples, 5 lines, losses not known, from a.folded
	drawn by: flamegraph a.folded
	END
	! command -v xmllint >/dev/null || xmllint --noout "$out"
}

# by_paths FILE: what a picture of it has to have, of each path "DEPTH START TOTAL NAME", in order
by_paths() {
	LC_ALL=C awk '{
		count = $NF
		sub(/ [0-9]+$/, "")
		n = split($0, names, ";")
		sum["all"] += count
		path = "all"
		for (i = 1; i <= n; i++) sum[path = path "\037" names[i]] += count
	}
	END { for (path in sum) print path "\t" sum[path] }' "$1" | LC_ALL=C sort | awk -F '\t' '{
		depth = split($1, names, "\037") - 1
		next_at[depth + 1] = next_at[depth] + 0
		print depth, next_at[depth] + 0, $2, names[depth + 1]
		next_at[depth] += $2
	}'
}

# Of thousands of frames, by arithmetic that is not the tool's.
host_many_widths() {
	awk 'BEGIN {
		srand(20)
		for (i = 0; i < 3000; i++) {
			line = ""
			for (depth = 1 + int(rand() * 12); depth; depth--) line = line (line ? ";" : "") "f" int(rand() * 6)
			print line, 1 + int(rand() * 1000)
		} }' >many
	expect_exit 0 flamegraph --min-width=0 many
	expect_empty "$err"
	sed -nE 's|^<g data-f="([^"]*)"><title>([^ ]*) .*|\1 \2|p' "$out" >drawn
	by_paths many >known
	[ "$(wc -l <known)" -ge 5000 ] || fail "$(wc -l <known) frames"
	cmp -s known drawn || fail "$(diff known drawn | sed -n 1,5p)"
	# of 1176 pixels, half a one less where that leaves enough
	sed -nE 's|^<g data-f="([0-9]+) ([0-9]+) ([0-9]+)"><title>[^ ]* \(([0-9]+) samples?, ([0-9.]+)%.*<rect x="([^"]*)" y="[^"]*" width="([^"]*)".*|\2 \3 \4 \5 \6 \7|p' "$out" | awk '
		function far(a, b) { return a - b > 0.011 || b - a > 0.011 }
		NR == 1 { all = $2 }
		{ width = $2 * 1176 / all }
		$2 != $3 || far($4, $2 * 100 / all) || far($5, 12 + $1 * 1176 / all) || far($6, width > 2 ? width - 0.5 : width) { print }
		END { print NR }' >wrong
	expect_rows wrong < <(wc -l <known)
}

# From files, from standard input, into a file: the same picture.
host_files() {
	fold
	head -n 4 a.folded >first
	tail -n +5 a.folded >rest
	expect_exit 0 flamegraph a.folded
	frames "$out" >drawn
	expect_exit 0 flamegraph first rest
	expect_rows <(frames "$out") <drawn
	expect_rows <(described "$out" | head -n 1) <<<'40 samples, 5 lines, losses not known, from first, rest'
	expect_exit 0 bash -c 'flamegraph <a.folded'
	expect_rows <(frames "$out") <drawn
	expect_exit 0 bash -c 'flamegraph first - <rest'
	expect_rows <(frames "$out") <drawn
	expect_rows <(described "$out" | head -n 1) <<<'40 samples, 5 lines, losses not known, from first, standard input'
	echo old >a.svg
	expect_exit 0 flamegraph -o a.svg a.folded
	expect_empty "$out"
	expect_rows <(frames a.svg) <drawn
	expect_exit 0 flamegraph -o - a.folded
	expect_rows <(frames "$out") <drawn
	to=/dev/full run flamegraph a.folded
	expect_status 1
	expect_rows "$err" <<<'flamegraph: writing the output: No space left on device'
	awk 'BEGIN { for (i = 0; i < 9000; i++) printf "f%d 1\n", i }' >many
	flamegraph --min-width=0 many | head -n 1 >one
	[ "${PIPESTATUS[*]}" = '0 0' ] || fail "not its reader's end: ${PIPESTATUS[*]}"
}

# The first line that is no stack is told with its place, the others are counted; it
# is a failure only if there is no other line.
host_lines_that_are_none() {
	fold
	printf 'x\ny z\n\n' | cat a.folded - a.folded >b.folded
	expect_exit 0 flamegraph b.folded
	expect_rows "$err" <<-'END'
	flamegraph: b.folded:8: no folded stack, there is no blank with a stack in front of it: "x"
	flamegraph: 2 lines were no folded stacks
	END
	expect_rows <(described "$out" | head -n 1) \
		<<<'80 samples, 10 lines, 2 lines were no folded stacks, losses not known, from b.folded'
	echo x >b.folded
	echo old >a.svg
	fails 'flamegraph: b.folded:1: no folded stack, there is no blank with a stack in front of it: "x"'$'\n'\
'flamegraph: there are no folded stacks in b.folded' b.folded -o a.svg
	expect_rows a.svg <<<old
	fails 'flamegraph: there are no folded stacks in standard input'
	fails 'flamegraph: nosuch: No such file or directory' a.folded nosuch
	fails 'flamegraph: no/a.svg: No such file or directory' -o no/a.svg a.folded
	fails 'flamegraph: nosuch: No such file or directory' -o new.svg nosuch
	fails 'flamegraph: there are no folded stacks in /dev/null' -o new.svg --diff=/dev/null a.folded
	[ ! -e new.svg ] || fail "an empty picture is left"
	echo 'a 0' >b.folded
	fails 'flamegraph: all counts in b.folded are 0' b.folded
	fails 'flamegraph: all counts in b.folded are 0' --diff=b.folded a.folded
	fails 'flamegraph: there are no folded stacks in /dev/null' --diff=/dev/null a.folded
}

# What has no place is told, with how much it is, and of which of two.
host_cut() {
	awk 'BEGIN { for (i = 0; i < 600; i++) printf "f;"; print "f 1"; print "a 3" }' >deep
	fold
	expect_exit 0 flamegraph deep
	expect_rows "$err" <<<'flamegraph: deep: 25.00% is in frames [...]: these stacks are deeper than 511 frames, or there was no room for more frames'
	expect_rows <(described "$out" | head -n 1) <<<'4 samples, 2 lines, 25.00% cut to [...], losses not known, from deep'
	expect_exit 0 flamegraph --diff=deep a.folded
	grep -q '^flamegraph: deep: 25.00% is in frames' "$err" || fail "$(cat "$err")"
	printf 'a;b 4 6\n' >two
	expect_exit 0 flamegraph two
	grep -q '^flamegraph: two: all lines have two counts' "$err" || fail "$(cat "$err")"
}

# A frame that nobody sees any more is told.
host_shrunk() {
	printf 'm;a 50\nm;b 50\n' >old
	printf 'm;a 1\nm;b 99999\n' >new
	expect_exit 0 flamegraph --diff=old new
	expect_rows <(described "$out" | tail -n 1) \
		<<<'red: own share larger than in old, blue: smaller, grey: the same; 1 frame is only there, or too narrow here: 50.00% of its total'
	expect_exit 0 flamegraph --diff=old old
	expect_rows <(described "$out" | tail -n 1) \
		<<<'red: own share larger than in old, blue: smaller, grey: the same'
}

host_names() {
	printf '%s\n' 'a\x3bb;C\\d;void f(int a, char) 3' 'App\Http\Kernel 2' '<b>&;x;;y 1' >a.folded
	expect_exit 0 flamegraph a.folded
	expect_rows <(frames "$out" | sed 's/ ([^(]*$//') <<-'END'
	all
	&#60;b&#62;&#38;
	x
	[?]
	y
	App\Http\Kernel
	a;b
	C\d
	void f(int a, char)
	END
}

# From the first fraction on, thousandths of units.
host_fractions() {
	printf 'a 1\na;b 0.25\nc 0.0004\ne 0.7496\n' >a.folded
	expect_exit 0 flamegraph a.folded
	expect_rows <(frames "$out" | sed 's/ [^ ]* [^ ]*$//') <<-'END'
	all (2.000 samples, 100.00%)
	a (1.250 samples, 62.50%, self 1.000 samples, 50.00%)
	b (0.250 samples, 12.50%)
	e (0.750 samples, 37.50%)
	END
	grep -q 'data-count="2.000" data-unit="samples"' "$out" || fail "not exact for programs"
	expect_exit 0 flamegraph --unit=s a.folded
	expect_rows <(frames "$out" | sed 's/ [^ ]* [^ ]*$//') <<-'END'
	all (2.000 s, 100.00%)
	a (1.250 s, 62.50%, self 1.000 s, 50.00%)
	b (250.0 ms, 12.50%)
	e (750.0 ms, 37.50%)
	END
	printf 'a 0.4\nb 0.05\n' >a.folded
	expect_exit 0 flamegraph --unit=s a.folded
	[[ $(described "$out" | head -n 1) == '450.0 ms, '* ]] || fail "rounded: $(described "$out")"
	grep -q 'data-count="0.450" data-unit="s"' "$out" || fail "rounded for programs"
}

host_titles_and_units() {
	fold
	expect_exit 0 flamegraph --title='<of> & mine' --unit=bytes a.folded
	grep -q '^<title>&#60;of&#62; &#38; mine</title>$' "$out" || fail "no title"
	grep -q 'data-count="40" data-unit="bytes"' "$out" || fail "no unit"
	expect_rows <(frames "$out" | sed -n 2p) <<<'ld (4 bytes, 10.00%) 12.00 117.10'
	expect_exit 0 flamegraph --unit=us a.folded
	expect_rows <(frames "$out" | sed -n 2p) <<<'ld (4.000 us, 10.00%) 12.00 117.10'
}

host_directions() {
	fold
	expect_exit 0 flamegraph a.folded
	expect_rows <(heights "$out" | sed -n '1p;$p') <<<'120 vfs write'$'\n''192 all'
	expect_exit 0 flamegraph --inverted a.folded
	expect_rows <(heights "$out" | sed -n '1p;$p') <<<'120 all'$'\n''192 vfs write'
	printf 'a;b;read 1\nc;read 2\nread 4\n' >a.folded
	expect_exit 0 flamegraph --reverse a.folded
	expect_rows <(frames "$out" | sed 's/ [^ ]* [^ ]*$//') <<-'END'
	all (7 samples, 100.00%)
	read (7 samples, 100.00%, self 4 samples, 57.14%)
	b (1 sample, 14.29%)
	a (1 sample, 14.29%)
	c (2 samples, 28.57%)
	END
}

# A frame of 1176 pixels for 11760 samples: one of 10 is a pixel wide.
host_narrow_frames() {
	local option want
	printf 'a 11748\nb 10\nc 1\ne 1\n' >a.folded
	while read -r want option; do
		# shellcheck disable=SC2086 # none, or one
		expect_exit 0 flamegraph $option a.folded
		[ "$(frames "$out" | wc -l)" = "$want" ] || fail "$option: $(frames "$out")"
	done <<-'END'
	5
	3 --min-width=1
	2 --min-width=1.1
	1 --min-width=1176
	5 --min-width=0
	END
	printf 'a 999999\nb 1\n' >a.folded
	expect_exit 0 flamegraph a.folded
	grep -q '>1 frame is too narrow to be drawn<' "$out" || fail "not told"
	expect_exit 0 flamegraph --min-width=0 a.folded
	[ "$(frames "$out" | wc -l)" = 3 ] || fail "not all: $(frames "$out")"
	for option in '' x 1px -1 -0 ' 1' .5 1e3 0x1p3 inf nan 1,5 1.5.1 1176.1 1e308; do
		expect_exit 2 flamegraph --min-width="$option" a.folded
	done
}

# colour NAME: of a frame in the picture
colour() { sed -nE "s|^<g data-f=\"[^\"]*\"><title>$1 \(.* fill=\"#([0-9a-f]*)\"/>.*|\1|p" "$out"; }

# is_most red|green|blue NAME: of the three, this one is the strongest in its colour
is_most() {
	local c r g b
	c=$(colour "$2")
	r=$((16#${c:0:2})) g=$((16#${c:2:2})) b=$((16#${c:4:2}))
	case $1 in
	red) [ $r -gt $g ] && [ $r -gt $b ] ;;
	green) [ $g -gt $r ] && [ $g -gt $b ] ;;
	blue) [ $b -gt $r ] && [ $b -gt $g ] ;;
	esac || fail "$2: $c is not $1"
}

# What stands behind names colours them, and is not shown.
host_kinds() {
	printf 'java;run_[j];copy_[i];read_[k] 5\nwoken_[w] 5\na::b 5\n' >a.folded
	expect_exit 0 flamegraph a.folded
	! grep -F '_[' "$out" || fail "it is shown"
	is_most red read
	is_most green run
	is_most blue java
	is_most blue 'a::b'
	is_most red woken
	grep -q '^orange: kernel, ' < <(described "$out") || fail "colours are not explained"
	expect_exit 0 flamegraph --palette=java a.folded
	is_most red 'a::b'
	expect_exit 0 flamegraph --palette=mem a.folded
	is_most green read
	expect_exit 0 flamegraph --palette=io a.folded
	is_most blue read
	expect_exit 0 flamegraph --palette=hot a.folded
	is_most red read
	printf 'cat;read;--;sh;write 5\n' >a.folded
	expect_exit 0 flamegraph --palette=sleeps a.folded
	is_most blue read
	is_most green write
	expect_exit 0 flamegraph --palette=wakers a.folded
	is_most green read
}

# Of 40 samples and 100: half a share is the same, whatever the totals are.
host_compared() {
	printf 'm;a 20\nm;b 10\nm;b;c 4\nm;n 6\n' >new
	printf 'm;a 50\nm;b 10\nm;b;c 25\nm;o 10\nm;o;p 5\n' >old
	expect_exit 0 flamegraph --diff=old new
	expect_rows <(frames "$out" | sed 's/ [^ ]* [^ ]*$//') <<-'END'
	all (40 samples, 100.00%; before: 100 samples, 100.00%; self +0.00 points)
	m (40 samples, 100.00%; before: 100 samples, 100.00%; self +0.00 points)
	a (20 samples, 50.00%; before: 50 samples, 50.00%; self +0.00 points)
	b (14 samples, 35.00%, self 10 samples, 25.00%; before: 35 samples, 35.00%, self 10 samples, 10.00%; self +15.00 points)
	c (4 samples, 10.00%; before: 25 samples, 25.00%; self -15.00 points)
	n (6 samples, 15.00%; before: none; self +15.00 points)
	END
	is_most red b
	is_most red n
	is_most blue c
	[ "$(colour a) $(colour m)" = 'e4e4e4 e4e4e4' ] || fail "$(colour a) $(colour m)"
	expect_rows <(described "$out" | tail -n 1) \
		<<<'red: own share larger than in old, blue: smaller, grey: the same; 2 frames are only there, or too narrow here: 15.00% of its total'
	expect_exit 0 flamegraph --diff=old --absolute new
	is_most blue a
	is_most blue c
	[ "$(colour b)" = e4e4e4 ] || fail "$(colour b)"
	expect_rows <(frames "$out" | sed -n '3s/ [^ ]* [^ ]*$//p') \
		<<<'a (20 samples, 50.00%; before: 50 samples, 50.00%; self -30 samples)'
}

host_usage() {
	fold
	expect_error 2 'flamegraph: a picture has no rows: --json and --csv can be used with --check only, --raw not at all (try flamegraph -h)' flamegraph --json a.folded
	expect_error 2 'flamegraph: --absolute needs --diff (try flamegraph -h)' flamegraph --absolute a.folded
	expect_error 2 'flamegraph: --diff=-: standard input is read already (try flamegraph -h)' flamegraph --diff=-
	expect_error 2 'flamegraph: use at most one of --palette, --diff (try flamegraph -h)' flamegraph --diff=a.folded --palette=hot a.folded
	expect_error 2 'flamegraph: -p: no such option (try flamegraph -h)' flamegraph -p 1
	expect_exit 2 flamegraph --palette=nosuch a.folded
	ln a.folded same
	cp a.folded before
	expect_error 2 'flamegraph: -o: a.folded is a file that is read (try flamegraph -h)' flamegraph -o a.folded ./same
	expect_error 2 'flamegraph: -o: same is a file that is read (try flamegraph -h)' flamegraph -o same --diff=a.folded before
	expect_error 2 'flamegraph: -o: a.folded is a file that is read (try flamegraph -h)' bash -c 'flamegraph -o a.folded <a.folded'
	expect_error 2 'flamegraph: -o: a.folded is a file that is read (try flamegraph -h)' bash -c 'flamegraph -o a.folded --diff=- before <a.folded'
	expect_error 2 'flamegraph: -o: /dev/null is not a regular file (use -o - for standard output) (try flamegraph -h)' flamegraph -o /dev/null before
	expect_rows a.folded <before
	expect_exit 0 flamegraph --check --json
	expect_rows "$out" <<<'{"tool":"flamegraph","status":"works","option":null,"reason":null}'
}

# 100,000 frames, of which those that are too narrow are only counted.
host_many_frames() {
	awk 'BEGIN {
		for (i = 0; i < 20000; i++)
			printf "a%d;b%d;c%d;d%d;e%d %d\n", i, i, i, i, i, i < 100 ? 1000 : 1
	}' >a.folded
	expect_exit 0 flamegraph a.folded
	[ "$(frames "$out" | wc -l)" = 501 ] || fail "$(frames "$out" | wc -l) frames"
	grep -q '>99500 frames are too narrow to be drawn<' "$out" || fail "not told"
	[ "$(wc -c <"$out")" -lt 200000 ] || fail "$(wc -c <"$out") bytes"
}
