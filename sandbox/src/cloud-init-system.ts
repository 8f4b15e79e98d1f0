/**
 * A Debian that gets its identity from the network: Debian's own cloud-init, with as few changes as a machine
 * allows.
 */
import type { SystemAddition } from './system-addition.ts';

/** The URL where the image finds EC2's tree. */
export const CLOUD_INIT_SERVER = { address: '192.168.56.4', url: 'http://192.168.56.4:7080' } as const;

export const cloudInitSystem: SystemAddition = {
  packages: ['cloud-init'],
  files: {
    // cloud-init's detection reads strict_id from files with `ec2` in their names, and from no others.
    'etc/cloud/cloud.cfg.d/90-ec2.cfg': `datasource_list: [NoCloud, Ec2]
datasource:
  Ec2:
    metadata_urls: ["${CLOUD_INIT_SERVER.url}"]
    strict_id: false
# The one that is there without a package of locales.
locale: C.UTF-8
`,
    // Without strict_id, Ec2 never counts as more than possible, and Debian ignores it.
    'etc/cloud/ds-identify.cfg': 'policy: search,found=all,maybe=all,notfound=disabled\n',
    // The plain system's own file, which uses DHCP by itself. Here cloud-init must write what is needed.
    'etc/systemd/network/20-wired.network': '[Match]\nName=none\n',
  },
  commands: ['systemctl enable systemd-networkd-wait-online'],
};
