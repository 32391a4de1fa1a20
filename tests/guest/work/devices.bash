# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# Block devices for guest tests. A test that uses them begins with fresh; they
# go when it ends, however that is. A guest has no others, and no udev.

# load MODULE [PARAMETER=VALUE...]; one without parameters once only
load() {
	[ $# -gt 1 ] || [ ! -e "/sys/module/${1//-/_}" ] || return 0
	modprobe -d "$TL_MODULES" "$@" || skip "this kernel has no module $1"
}

# fresh: no devices now, and none after the test
fresh() {
	remove_devices
	at_end remove_devices
}

remove_devices() {
	local path module
	# where a test has failed, its processes may still be there: the next one does it
	[[ $(</proc/mounts) != *' /mnt/dev '* ]] || umount /mnt/dev || return
	[ ! -e /sys/block/dm-0 ] || DM_DISABLE_UDEV=1 dmsetup remove_all --force
	for path in /sys/block/md*/md/array_state; do
		[ ! -e "$path" ] || echo clear >"$path"
	done
	for path in /sys/block/loop*/loop; do
		[ ! -e "$path" ] || losetup -d "/dev/$(basename "${path%/loop}")"
	done
	for path in /sys/kernel/config/nullb/nullb*; do
		[ ! -d "$path" ] || rmdir "$path"
	done
	# a name written to a filter of functions is compared with all that modules
	# have, each of them found among all their symbols: 65 ms, with xfs 1,500 ms
	for module in scsi_debug xfs ext4; do
		[ ! -e /sys/module/$module/initstate ] || until_true 10 rmmod $module 2>/dev/null
	done
}

# number_of NAME: sets $NAME to its "major,minor"
number_of() {
	local number
	read -r number <"/sys/class/block/$1/dev"
	printf -v "${1//-/_}" %s "${number/:/,}"
}

# null nullbN [ATTRIBUTE=VALUE...]: in the order of their numbers; $nullbN
# becomes its device number. Without a scheduler unless scheduler=NAME (the
# default one if that is empty); ms=N is the time that each I/O takes.
null() {
	local name=$1 attribute scheduler=none dir=/sys/kernel/config/nullb/$1
	shift
	[ -d /sys/kernel/config/nullb ] || {
		load configfs
		load null_blk nr_devices=0
		mount -t configfs configfs /sys/kernel/config 2>/dev/null || :
	}
	mkdir "$dir"
	echo 64 >"$dir/size"
	for attribute in blocksize=512 irqmode=2 completion_nsec=10000 "$@"; do
		case $attribute in
		scheduler=*) scheduler=${attribute#*=} ;;
		ms=*) echo "${attribute#*=}000000" >"$dir/completion_nsec" ;;
		*)	[ -e "$dir/${attribute%%=*}" ] || skip "null_blk has no ${attribute%%=*} here"
			echo "${attribute#*=}" >"$dir/${attribute%%=*}" ;;
		esac
	done
	echo 1 >"$dir/power"
	[ -z "$scheduler" ] || echo "$scheduler" >"/sys/block/$name/queue/scheduler"
	number_of "$name"
}

# scsi [PARAMETER=VALUE...]: a disk sda of 8 MiB, $sda its number. That takes
# longer than all else here: opts, every_nth and delay can be changed, by scsi_set.
scsi() {
	local attached
	attached=$(times_attached)
	load sd_mod
	load scsi_debug dev_size_mb=8 "$@"
	until_true 60 test -e /sys/block/sda/queue/scheduler || fail "no sda"
	until_true 60 is_attached || fail "no sda"
	echo none >/sys/block/sda/queue/scheduler
	number_of sda
}

# scsi_set PARAMETER=VALUE...
scsi_set() {
	local setting
	for setting; do echo "${setting#*=}" >"/sys/bus/pseudo/drivers/scsi_debug/${setting%%=*}"; done
}

# The kernel looks for disks in the background; this is the last that it does.
times_attached() { dmesg | grep -c '\[sda\] Attached' || :; }
is_attached() { [ "$(times_attached)" -gt "$attached" ]; }

# dm TABLE: the next of dm-0, dm-1 ..., its number in $dm_0, $dm_1 ...
dm() {
	local count=0
	while [ -e /sys/block/dm-$count ]; do count=$((count + 1)); done
	need dmsetup
	load dm-mod
	load dm-delay
	DM_DISABLE_UDEV=1 dmsetup create tl$count --table "$1"
	number_of dm-$count
}

# rows: what iosnoop showed
rows() { sed -e 1,2d -e '/^$/,$d' "$out"; }

# fields LIST: these fields of rows, as in cut
fields() { rows | tr -s ' ' | cut -d ' ' -f "$1"; }

# brief [FILE]: of rows COMM TYPE DEV BLOCK BYTES, of those that iosnoop showed or
# those in FILE. Whether a direct read is R or RS depends on the kernel.
brief() {
	local skip=2 file=${1-}
	[ -z "$file" ] || skip=0
	awk -v skip=$skip -v worker="${worker-}" 'NR <= skip { next } /^$/ { exit }
		{ sub(/^RS$/, "R", $3); if (worker) sub(/^kworker.*/, worker, $1); print $1, $3, $4, $5, $6 }' "${file:-$out}"
}

known() { brief "$@"; }

# issued: the same with io where it is a worker of the kernel that issued it
issued() { local worker=io; brief "$@"; }

# expect_latency LOW HIGH: of all rows in file rows, in ms
expect_latency() {
	awk -v low="$1" -v high="$2" '$7 < low || $7 >= high { print; bad = 1 } END { exit bad }' rows >odd ||
		fail "latency is not in $1..$2: $(<odd)"
}
