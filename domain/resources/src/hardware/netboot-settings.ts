import { Type, type Static } from '../schema.ts';
import { described, document, optional } from '../schema-builders.ts';

const ipxe = Type.Object({
  binary: optional(
    'iPXE binary to load, for example `snp-x86_64.efi`. Default: selected by the architecture of the client.',
    Type.String(),
  ),
  contents: optional("iPXE script to run instead of the server's own.", document()),
  url: optional(
    'iPXE script to chain to, an http or https URL. It takes precedence over `contents`.',
    Type.String(),
  ),
});

const osie = Type.Object({
  baseURL: optional(
    "URL of the directory with kernel and initrd. Default: the server's setting.",
    Type.String(),
  ),
  initrd: optional('File name of the initrd. Default: `initramfs-` and the architecture.', Type.String()),
  kernel: optional('File name of the kernel. Default: `vmlinuz-` and the architecture.', Type.String()),
  kernelParams: optional(
    'Additional kernel arguments, for example `console=ttyS0`. A Raspberry Pi gets them as `cmdline.txt`.',
    Type.Array(Type.String()),
  ),
});

const raspberryPi = Type.Object({
  configTxt: optional('Contents of `config.txt`. Default: the file in `firmwarePath`.', document()),
  firmwarePath: optional(
    'Folder with the firmware, below the TFTP asset directory, for example `rpi-firmware`.',
    Type.String(),
  ),
  serialNum: described(
    'Serial number of the Raspberry Pi, as it prefixes the files it requests.',
    Type.String(),
  ),
});

export const NetbootSettings = Type.Object({
  allowPXE: optional('Allows the interface to boot from the network. Default: false.', Type.Boolean()),
  allowWorkflow: optional(
    'Kept for compatibility with older tools. It does not stop a Workflow. Set `disabled` of the Workflow instead.',
    Type.Boolean(),
  ),
  ipxe: optional('iPXE binary and script of this machine.', ipxe),
  osie: optional('In-memory OS that the machine boots for its Workflow.', osie),
  pxelinux: optional(
    'Settings for U-Boot and other loaders that read `pxelinux.cfg`.',
    Type.Object({
      config: optional('Contents of `pxelinux.cfg`. Default: generated from `osie`.', document()),
    }),
  ),
  rpi: optional('Settings for Raspberry Pi firmware that boots by TFTP without iPXE.', raspberryPi),
});
export type NetbootSettings = Static<typeof NetbootSettings>;
