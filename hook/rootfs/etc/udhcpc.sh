#!/bin/sh
# Called by udhcpc with the event as argument and the lease in the environment.

say() {
  read -r up _ </proc/uptime
  echo "hook: [$up s] $*" >/run/console
}

case $1 in
  deconfig)
    ip link set "$interface" up
    ;;
  bound|renew)
    ifconfig "$interface" "$ip" netmask "${subnet:-255.255.255.0}" ${mtu:+mtu "$mtu"} up
    if [ -n "$staticroutes" ]; then
      # RFC 3442: these replace the router option. "network/length router" pairs.
      set -- $staticroutes
      while [ $# -ge 2 ]; do
        ip route replace "$1" via "$2" dev "$interface"
        shift 2
      done
    else
      for gateway in $router; do
        ip route replace default via "$gateway" dev "$interface"
        break
      done
    fi
    {
      [ -z "${search:-$domain}" ] || echo "search ${search:-$domain}"
      for server in $dns; do echo "nameserver $server"; done
    } >/etc/resolv.conf
    [ -z "$hostname" ] || hostname "$hostname"
    [ -e /run/network-ready ] || say "network: $interface has $ip (DHCP)"
    : >/run/network-ready
    ;;
esac
