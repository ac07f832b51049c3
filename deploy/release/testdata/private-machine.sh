# Boots systemd in a copy-on-write view of this machine, and runs a script there as an
# operator who may use sudo. Arguments: a folder, which is /day there, and the script's
# name in it. What the script says is in the folder's file "out".
#
# Nothing that it does stays: systemd-nspawn gives it a network, a /tmp and a /run of its
# own, and keeps the kernel's settings and the devices from it. Only the folder is shared.
set -eu
day=$1 script=$2

# Groups of processes of its own: two such machines would end each other's services.
groups=
leave() {
    for hierarchy in $groups; do
        echo 0 >$hierarchy/cgroup.procs
        find "$hierarchy/watchpost-day-$$" -depth -type d -exec rmdir {} +
    done
}
trap leave EXIT
for hierarchy in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/systemd; do
    [ -w $hierarchy/cgroup.procs ] || continue
    mkdir "$hierarchy/watchpost-day-$$"
    echo 0 >"$hierarchy/watchpost-day-$$/cgroup.procs"
    groups="$groups $hierarchy"
done

mount -t tmpfs none /run
mkdir /run/machine
mount -t tmpfs none /run/machine
cd /run/machine
mkdir upper work root
mount -t overlay overlay -o lowerdir=/,upperdir=upper,workdir=work root
rm -f root/var/lib/man-db/auto-update # no index of all manual pages
mkdir -p root/etc/dpkg/dpkg.cfg.d root/etc/sudoers.d
echo force-unsafe-io >root/etc/dpkg/dpkg.cfg.d/day
echo '%sudo ALL=(ALL:ALL) NOPASSWD: ALL' >root/etc/sudoers.d/day
chroot root useradd --create-home --shell /bin/bash --groups sudo ada
cat >root/etc/systemd/system/day.service <<UNIT
[Unit]
Wants=dbus.socket
After=dbus.socket
SuccessAction=exit
FailureAction=exit
[Service]
Type=oneshot
User=ada
WorkingDirectory=/home/ada
ExecStart=bash -eu /day/$script
StandardOutput=file:/day/out
StandardError=file:/day/out
UNIT
systemd-nspawn --quiet --directory=root --hostname=day --register=no --keep-unit --link-journal=no \
    --private-network --bind="$day:/day" --console=pipe \
    --boot -- --unit=day.service --show-status=no --log-level=warning </dev/null
