/**
 * The disk image that takes the place of VyOS and of Talos: Debian with our own packages. At its first boot it becomes what the
 * partition cidata says.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildDebianImage, EMULATED_KERNEL_ARGUMENTS, type DebianImage } from '@tinkerbell/sandbox';

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

/** The serial port is that of somebody who stands before the machine. */
const console = `[Service]
ExecStart=
ExecStart=-/sbin/agetty --autologin root --keep-baud 115200 - xterm
`;

/** The shell prints it when it reads commands: what is typed into the port before is lost. */
export const SHELL_READY = 'genesis: the shell is ready';

/** The names of the network interfaces are those of the examples. */
const bootMenu = `set timeout=0
menuentry 'Genesis' {
  linux /vmlinuz root=LABEL=root ro console=tty0 console=ttyS0,115200 quiet net.ifnames=0 ${EMULATED_KERNEL_ARGUMENTS}
  initrd /initrd.img
}
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
        'boot/grub/grub.cfg': bootMenu,
        'etc/systemd/network/20-wired.network': '[Match]\nName=none\n',
        'etc/systemd/system/first-boot.service': unit,
        'etc/systemd/system/serial-getty@ttyS0.service.d/autologin.conf': console,
        'etc/profile.d/ready.sh': `echo '${SHELL_READY}'\n`,
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
