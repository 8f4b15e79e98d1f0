/** A Debian that learns from the network who it is: Debian's own cloud-init, with as little of our hand as a machine allows. */
import type { SystemAddition } from './system-addition.ts';

/** Where the image looks for EC2's tree. */
export const CLOUD_INIT_SERVER = { address: '192.168.56.4', url: 'http://192.168.56.4:7080' } as const;

export const cloudInitSystem: SystemAddition = {
  packages: ['cloud-init'],
  files: {
    // cloud-init's detection looks for strict_id in files whose names have `ec2` in them, and nowhere else.
    'etc/cloud/cloud.cfg.d/90-ec2.cfg': `datasource_list: [NoCloud, Ec2]
datasource:
  Ec2:
    metadata_urls: ["${CLOUD_INIT_SERVER.url}"]
    strict_id: false
# The one that is there without a package of locales.
locale: C.UTF-8
`,
    // Without strict_id Ec2 is never more than a maybe, which Debian does not look at.
    'etc/cloud/ds-identify.cfg': 'policy: search,found=all,maybe=all,notfound=disabled\n',
    // The plain system's own, which asks for an address by itself: here cloud-init is to write what is needed.
    'etc/systemd/network/20-wired.network': '[Match]\nName=none\n',
  },
  commands: ['systemctl enable systemd-networkd-wait-online'],
};
