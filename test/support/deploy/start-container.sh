# Start of a container without an engine: process 1 of namespaces of its own, in a root folder, without privileges.
# By `unshare --mount --pid --ipc --uts --fork sh start-container.sh ROOT rw|ro VOLUME UID GID NAME=VALUE... COMMAND...`
set -eu
root=$1 mode=$2 volume=$3 uid=$4 gid=$5
shift 5
mount --make-rprivate /
mount --bind "$root" "$root"
[ "$mode" = rw ] || mount -o remount,bind,ro "$root"
cd "$root"
mount -t proc proc proc
mount -t tmpfs -o mode=755,nosuid tmpfs dev
for device in null zero full random urandom; do
  touch "dev/$device"
  mount --bind "/dev/$device" "dev/$device"
done
mkdir dev/shm
# As large as Docker makes it.
mount -t tmpfs -o mode=1777,nosuid,nodev,size=64m tmpfs dev/shm
mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs tmp
mount --bind "$volume" data
exec chroot . /usr/bin/setpriv --reuid "$uid" --regid "$gid" --clear-groups --no-new-privs --bounding-set=-all \
  /usr/bin/env -i --chdir=/data "$@"
