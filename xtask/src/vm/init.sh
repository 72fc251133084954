#!/bin/busybox sh
# The first process of the test machine, with busybox alone: loads modules, lays the root file system out of read-only
# shares and a layer in memory, adds the test user, and starts the guest part of xtask (or systemd, which does).
# When it fails it ends, the kernel panics, and the machine stops without a result.
set -e
export PATH=/bin

# After the change of root: reaps what tests leave behind while it waits, and stops the machine.
if [ "$1" = run ]; then
  PATH=/usr/sbin:/usr/bin:/sbin:/bin "$(/guild-vm/busybox cat /guild-vm/xtask)" vm-test --guest /guild-vm/plan.json || true
  exec /guild-vm/busybox reboot -f
fi

/bin/busybox --install -s /bin
mkdir -p /proc /host /debian /layer /root
mount -t proc proc /proc
echo "guild-vm: Linux $(uname -r) is up"
for module in /modules/*; do insmod "$module"; done

mount -t 9p -o trans=virtio,version=9p2000.L,ro,cache=loose,msize=1048576 host /host
lower=/host
if [ -e /vm/guild-vm.service ]; then
  mkdir -p /dev
  mount -t devtmpfs devtmpfs /dev
  mount -t squashfs -o ro /dev/vda /debian
  lower=/debian
fi
mount -t tmpfs -o mode=755 tmpfs /layer
mkdir /layer/upper /layer/work
mount -t overlay -o "lowerdir=$lower,upperdir=/layer/upper,workdir=/layer/work" overlay /root

cp -r /vm /root/guild-vm
cp /bin/busybox /init /root/guild-vm/
sed -i '/^[^:]*:[^:]*:1000:/d' /root/etc/passwd /root/etc/group
echo 'tester:x:1000:1000::/home/tester:/bin/bash' >>/root/etc/passwd
echo 'tester:x:1000:' >>/root/etc/group
rm -f /root/etc/shadow
printf '%s:*:20000::::::\n' root tester >/root/etc/shadow
chmod 600 /root/etc/shadow
echo vm >/root/etc/hostname
hostname vm

for directory in tmp var/tmp home/tester; do
  mkdir -p "/root/$directory"
  mount -t tmpfs -o mode=1777 tmpfs "/root/$directory"
done
chown 1000:1000 /root/home/tester

# Directories that tests need lie where they lie outside, and the test user can walk to them.
while read -r shared; do
  mkdir -p "/root$shared"
  mount -o bind "/host$shared" "/root$shared"
  way=${shared%/*}
  while [ -n "$way" ]; do
    [ -n "$(find "/root$way" -maxdepth 0 -perm -001)" ] || chmod o+x "/root$way"
    way=${way%/*}
  done
done </vm/shared

ip link set lo up
if [ "$lower" = /debian ]; then
  tr -d - </proc/sys/kernel/random/uuid >/root/etc/machine-id
  cp /vm/guild-vm.service /root/etc/systemd/system/
  exec switch_root /root /sbin/init --unit=guild-vm.service
fi
mount -t proc proc /root/proc
mount -t sysfs sysfs /root/sys
mount -t cgroup2 cgroup2 /root/sys/fs/cgroup
mount -t devtmpfs devtmpfs /root/dev
mkdir -p /root/dev/pts /root/dev/shm
mount -t devpts -o gid=5,mode=620,ptmxmode=666 devpts /root/dev/pts
mount -t tmpfs -o mode=1777 tmpfs /root/dev/shm
mount -t tmpfs -o mode=755 tmpfs /root/run
exec switch_root /root /guild-vm/busybox sh /guild-vm/init run
