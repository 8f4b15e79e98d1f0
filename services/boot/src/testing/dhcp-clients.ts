/**
 * Lists the DHCP clients of operating systems, each as a command that runs in the foreground on `c0` until it
 * is terminated.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface DhcpClient {
  readonly name: string;
  readonly program: string;
  /** Files go to `directory`. SIGTERM makes the client release its lease, except those with a `release` command. */
  command(directory: string): readonly string[];
  release?(directory: string): readonly string[];
}

/** Sets the address, as the scripts of distributions do, and leaves the machine's resolver alone. */
const SCRIPT = `#!/bin/sh
case "\${1:-$reason}" in
  deconfig|EXPIRE|FAIL|STOP|RELEASE) ip address flush dev c0; ip link set c0 up ;;
  PREINIT) ip link set c0 up ;;
  bound|renew|BOUND|RENEW|REBIND|REBOOT)
    ip address flush dev c0; ip address add "\${ip:-$new_ip_address}/24" dev c0 ;;
esac
exit 0
`;

function scriptIn(directory: string): string {
  const path = join(directory, 'lease.sh');
  writeFileSync(path, SCRIPT, { mode: 0o755 });
  return path;
}

const dhclient = (directory: string) => [
  '/usr/sbin/dhclient',
  '-4',
  '-sf',
  scriptIn(directory),
  '-lf',
  join(directory, 'leases'),
  '-pf',
  join(directory, 'pid'),
  '-cf',
  '/dev/null',
];

/** Gives these clients separate directories for what they write, and a /sys without udev. */
function inOwnMounts(script: string): readonly string[] {
  const mounts =
    'mount -t tmpfs tmpfs /run && { mount -o remount,ro,bind /sys || mount -o remount,ro /sys; }';
  return ['/usr/bin/unshare', '--mount', '/bin/sh', '-c', `${mounts} && ${script}`];
}

export const dhcpClients: readonly DhcpClient[] = [
  {
    name: 'udhcpc',
    program: '/usr/sbin/udhcpc',
    command: (directory) => ['/usr/sbin/udhcpc', '-f', '-R', '-i', 'c0', '-s', scriptIn(directory)],
  },
  {
    name: 'dhclient',
    program: '/usr/sbin/dhclient',
    command: (directory) => [...dhclient(directory), '-d', 'c0'],
    release: (directory) => [...dhclient(directory), '-r', 'c0'],
  },
  {
    name: 'dhcpcd',
    program: '/usr/sbin/dhcpcd',
    command: (directory) => {
      const configuration = join(directory, 'dhcpcd.conf');
      writeFileSync(configuration, 'release\nnoarp\nipv4only\nnoipv4ll\n');
      const state = 'mount -t tmpfs tmpfs /var/lib/dhcpcd';
      const run = `exec /usr/sbin/dhcpcd -B -f ${configuration} -c /bin/true c0`;
      return inOwnMounts(`${state} && ${run}`);
    },
  },
  {
    name: 'systemd-networkd',
    program: '/usr/lib/systemd/systemd-networkd',
    command: () => {
      const network =
        '[Match]\\nName=c0\\n[Network]\\nDHCP=ipv4\\nLinkLocalAddressing=no\\nIPv6AcceptRA=no\\n';
      const folders = 'mkdir -p /run/systemd/network /run/systemd/netif/leases /run/systemd/netif/links';
      const owner = 'chown -R systemd-network:systemd-network /run/systemd/netif';
      const file = `printf '${network}' > /run/systemd/network/c0.network`;
      return inOwnMounts(`${folders} && ${owner} && ${file} && exec /usr/lib/systemd/systemd-networkd`);
    },
  },
];
