# Runs a script in a copy-on-write view of this machine's root, in mount and process
# namespaces of its own: nothing that it does stays. Arguments: the script and its
# arguments, all below /tmp.
set -eu
root=$(mktemp -d)
mount -t tmpfs none "$root"
mkdir "$root/upper" "$root/work" "$root/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$root/upper,workdir=$root/work" "$root/root"
cd "$root/root"
rm -f var/lib/man-db/auto-update # no index of all manual pages
mount -t tmpfs none run # no systemd to talk to
mount -t proc none proc
mount --rbind /dev dev
mount --bind /tmp tmp
mkdir "$root/tmp"
exec chroot . bash "$@"
