#!/bin/sh
# Takes the place of VyOS' configuration: applies `set` and `delete` commands from standard input, one a line.
# It knows those of Genesis, and refuses all others.
set -eu
settings=/etc/tinkerbell/tinkerbell.yaml

# The interface $1, with the addresses of the file $2, forwards packets.
write_network() {
  printf '[Match]\nName=%s\n\n[Network]\nIPForward=yes\nLinkLocalAddressing=no\nAddress=%s\n' "$1" "$2" \
    >"/etc/systemd/network/10-$1.network"
}

relay() {
  for name in smee tink-server tink-controller images tootles rufio-controller doctor; do
    echo "enable-$name: false"
  done
  printf 'data-dir: /var/lib/tinkerbell\nenable-relay: true\n'
}

apply() {
  case $* in
  'set system host-name '*) echo "$4" >/etc/hostname ;;
  'set interfaces ethernet '*' address '*) write_network "$4" "$6" ;;
  'set interfaces ethernet '*' description '*) ;;
  'set service ssh '* | 'set system login '*) ;;
  'set service dhcp-relay listen-interface '*)
    relay >"$settings"
    echo "relay-interface: [$5]" >>"$settings"
    ;;
  'set service dhcp-relay upstream-interface '*) ;;
  'set service dhcp-relay server '*) echo "relay-server: [$5]" >>"$settings" ;;
  'set protocols static route '*' next-hop '*) ip route replace "$5" via "$7" ;;
  'delete protocols static route '*) ip route delete "$5" ;;
  *)
    echo "vyos-commands: unknown: $*" >&2
    exit 1
    ;;
  esac
}

while read -r line; do
  line=$(echo "$line" | tr -d "'")
  # shellcheck disable=SC2086 # a word each
  [ -z "$line" ] || apply $line
done
