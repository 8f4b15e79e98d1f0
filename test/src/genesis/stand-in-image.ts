/**
 * The disk image that takes the place of VyOS and of Talos: Debian with our own packages. At its first boot it becomes what the
 * partition cidata says.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildDebianImage, type DebianImage } from '@tinkerbell/sandbox';
import { shellFiles } from '../guest-shell.ts';

const unit = `[Unit]
ConditionPathExists=!/etc/first-boot-done
DefaultDependencies=no
After=local-fs.target systemd-udev-trigger.service systemd-modules-load.service
Before=systemd-networkd.service tinkerbell.service serial-getty@ttyS0.service
Requires=local-fs.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh /usr/local/sbin/first-boot
StandardOutput=journal+console
StandardError=journal+console

[Install]
WantedBy=multi-user.target
`;

/** The first boot of the router creates the file, and so does the move to the platform machine. */
const whenConfigured = `[Unit]
ConditionPathExists=/etc/tinkerbell/configured
`;

/** Builds the image, or finds it in the cache. `packageFiles` are the server's package and that of the in-memory OS. */
export function buildStandInImage(
  cacheDirectory: string,
  packageFiles: readonly string[],
): Promise<DebianImage> {
  const script = (name: string): string => readFileSync(join(import.meta.dirname, 'stand-in', name), 'utf8');
  return buildDebianImage({
    cacheDirectory,
    variant: {
      packages: ['adduser', 'libatomic1', 'libstdc++6', 'busybox-static'],
      packageFiles,
      files: {
        ...shellFiles,
        'etc/systemd/network/20-wired.network': '[Match]\nName=none\n',
        'etc/systemd/system/first-boot.service': unit,
        'etc/systemd/system/tinkerbell.service.d/when-configured.conf': whenConfigured,
        'usr/local/sbin/first-boot': script('first-boot.sh'),
        'usr/local/sbin/vyos-commands': script('vyos-commands.sh'),
      },
      commands: [
        'chmod 755 /usr/local/sbin/first-boot /usr/local/sbin/vyos-commands',
        'systemctl enable first-boot.service',
      ],
    },
  });
}
