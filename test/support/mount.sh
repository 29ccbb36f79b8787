#!/bin/bash
# Makes one real mount in a mount namespace of its own, runs a command with it, and takes it away again: mount.sh KIND FOLDER COMMAND…
# The command finds MOUNT, the mount point (or the mounted file), and BACKING, the folder behind it, where one can be written to
# past the mount. FOLDER is an empty one, for what this needs. Ends with 97 if the mount could not be made.
set -u
kind=$1 folder=$2
shift 2

if [ "${IN_NAMESPACE:-}" != "$folder" ]; then
  # The namespace, and with it every mount, goes with its last process; and each process here goes with this one.
  IN_NAMESPACE=$folder exec unshare --mount --propagation private bash "$0" "$kind" "$folder" "$@"
fi
unset IN_NAMESPACE

give_up() { echo "$1" >&2; exit 97; }
try() { "$@" >"$folder/log" 2>&1 || give_up "$* failed: $(tail -n 3 "$folder/log")"; }
# Before each command that is started: it is killed when this script is. A variable, since a function would be a shell of its own.
with_me='setpriv --pdeathsig KILL'

# Images and folders behind the mount lie in memory: nothing is left on the disk.
try mount -t tmpfs holdfast-test "$folder"
export MOUNT=$folder/mount BACKING=$folder/back
mkdir "$MOUNT" "$BACKING"

image() { # TYPE SIZE: mounts a new image of this file system
  truncate -s "$2" "$folder/image"
  try "mkfs.$1" -q "$folder/image"
  try mount -o loop "$folder/image" "$MOUNT"
}
fuse() { # COMMAND…: a FUSE program that stays in the foreground
  $with_me "$@" >"$folder/log" 2>&1 </dev/null &
  arrived "$1"
}
arrived() {
  for _ in $(seq 200); do
    mountpoint -q "$MOUNT" && return
    kill -0 $! 2>/dev/null || break
    sleep 0.02
  done
  give_up "$1 made no mount: $(tail -n 3 "$folder/log")"
}

case $kind in
  tmpfs) try mount -t tmpfs tmpfs "$MOUNT" ;;
  overlay)
    mkdir "$BACKING"/{lower,upper,work}
    try mount -t overlay overlay -o "lowerdir=$BACKING/lower,upperdir=$BACKING/upper,workdir=$BACKING/work" "$MOUNT"
    BACKING=$BACKING/upper
    ;;
  bind) try mount --bind "$BACKING" "$MOUNT" ;;
  bind-file)
    touch "$BACKING/app.db" "$MOUNT/app.db"
    MOUNT=$MOUNT/app.db
    try mount --bind "$BACKING/app.db" "$MOUNT"
    ;;
  ext4) image ext4 64M ;;
  xfs) image xfs 320M ;;
  btrfs) image btrfs 128M ;;
  stacked)
    try mount -t tmpfs covered "$MOUNT"
    image ext4 64M
    ;;
  hidden) # A mount inside a folder over which another one is made later.
    mkdir "$MOUNT/in"
    try mount -t tmpfs hidden "$MOUNT/in"
    image ext4 64M
    mkdir "$MOUNT/in"
    MOUNT=$MOUNT/in
    ;;
  blank)
    MOUNT="$folder/my 数据"
    mkdir "$MOUNT"
    try mount -t tmpfs tmpfs "$MOUNT"
    ;;
  bindfs) fuse bindfs -f "$BACKING" "$MOUNT" ;;
  bindfs-virtiofs) fuse bindfs -f -o subtype=virtiofs "$BACKING" "$MOUNT" ;;
  bindfs-direct) fuse bindfs -f -o direct_io "$BACKING" "$MOUNT" ;;
  mergerfs) fuse mergerfs -f -o category.create=ff "$BACKING" "$MOUNT" ;;
  sshfs) # Without a network: the two ends are joined by pipes.
    mkfifo "$folder/pipe"
    $with_me "${SFTP_SERVER:-/usr/lib/openssh/sftp-server}" <"$folder/pipe" 2>/dev/null |
      $with_me sshfs -f -o passive ":$BACKING" "$MOUNT" >"$folder/pipe" 2>"$folder/log" &
    arrived sshfs
    ;;
  *) give_up "there is no kind of mount called $kind" ;;
esac

$with_me "$@"
status=$?
# What FUSE programs still have in memory is written before they go.
umount "$MOUNT" 2>/dev/null || umount -l "$MOUNT" 2>/dev/null
exit $status
