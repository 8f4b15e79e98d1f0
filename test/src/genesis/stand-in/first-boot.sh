#!/bin/sh
# Takes the place of VyOS' and of Talos' first boot: reads the partition that the action cidataio wrote, and configures
# itself as a router that relays DHCP, or as the machine of the platform.
set -eu
seed=/run/cidata
mkdir -p "$seed"
mount -t vfat -o ro "$(blkid -L CIDATA)" "$seed"

# The value of the first line `$1: value` of the file $2.
value() {
  sed -n "s/^[ -]*$1: *//p" "$2" | head -n 1 | tr -d "\"'"
}

prefix_length() {
  bits=0
  for part in $(echo "$1" | tr . ' '); do
    while [ "$part" -gt 0 ]; do
      bits=$((bits + part % 2))
      part=$((part / 2))
    done
  done
  echo "$bits"
}

router() {
  sed -n 's/^ *- \(set .*\)$/\1/p' "$seed/user-data" | /usr/local/sbin/vyos-commands
  touch /etc/tinkerbell/configured
}

platform() {
  network=$seed/network-config
  cat >/etc/systemd/network/10-eth0.network <<EOF
[Match]
Name=eth0

[Network]
LinkLocalAddressing=no
Address=$(value address "$network")/$(prefix_length "$(value netmask "$network")")
Gateway=$(value gateway "$network")
EOF
  value local-hostname "$seed/meta-data" >/etc/hostname
  mkdir -p /etc/talos
  cp "$seed/user-data" /etc/talos/config.yaml
}

if grep -q '^vyos_config_commands:' "$seed/user-data"; then
  router
elif grep -q '^version: v1alpha1' "$seed/user-data"; then
  platform
else
  echo 'first-boot: the partition cidata has neither VyOS commands nor a Talos configuration' >&2
  exit 1
fi
hostname "$(cat /etc/hostname)"
umount "$seed"
touch /etc/first-boot-done
