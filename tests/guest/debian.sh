# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
# Packages of any Debian suite and architecture, downloaded apart from the machine's
# own apt. For scripts that have set $tmp, a directory of theirs.
#
# Environment:
#   TRACELETS_DEBIAN_URI, TRACELETS_DEBIAN_SECURITY_URI
#                    Debian's archives, where apt's configuration has none

# private ARCH COMMAND...: an apt with lists, sources and downloads of its own, and
# no package installed
private() {
	local arch=$1
	shift
	"$@" -qq -o Dir::Etc::sourcelist="$tmp/sources.list" -o Dir::Etc::sourceparts=- \
		-o Dir::State::lists="$tmp/lists" -o Dir::State::status=/dev/null -o Dir::Cache="$tmp" \
		-o APT::Architecture="$arch" -o APT::Architectures="$arch" -o APT::Sandbox::User=root \
		-o Acquire::Languages=none -o Acquire::Retries=2 -o APT::Update::Error-Mode=any
}

# source_of SUITE: prints its line of sources.list; address and key are those that
# this machine's apt has for the same archive
source_of() {
	local archive=debian setting uri entry='' key=''
	[[ $1 != *-security ]] || archive=debian-security
	setting=TRACELETS_${archive^^}_URI
	setting=${setting//-/_}
	uri=${!setting-}
	# shellcheck disable=SC2016 # apt expands these
	[ -n "$uri" ] || read -r uri entry < <(
		apt-get indextargets --format '$(REPO_URI) $(SOURCESENTRY)' 'Created-By: Packages' |
			grep "/$archive/ ") ||
		{ echo "apt knows no Debian archive here; set $setting"; return 1; }
	# an entry is FILE:NUMBER
	[ -z "$entry" ] || key=$(grep -ioPm1 'signed-by[:=]\s*\K/[^] ]+' "${entry%:*}") || true
	[ -r "$key" ] || key=/usr/share/keyrings/debian-archive-keyring.gpg
	[ -r "$key" ] || { echo "the package debian-archive-keyring is needed"; return 1; }
	echo "deb [signed-by=$key] $uri $1 main"
}

# use_suite ARCH SUITE...: has private know these, or sets $why to what is wrong
use_suite() {
	local arch=$1 suite line
	shift
	mkdir -p "$tmp"/{lists,archives}/partial
	: >"$tmp/sources.list"
	for suite; do
		line=$(source_of "$suite") || { why=$line; return 1; }
		echo "$line" >>"$tmp/sources.list"
	done
	private "$arch" apt-get update 2>"$tmp/log" || {
		why="suite $* cannot be had: $(grep -m1 '^[EW]:' "$tmp/log")"
		! grep -q 'Release file' "$tmp/log" || why="suite $* has gone from the mirror"
		return 1
	}
}
