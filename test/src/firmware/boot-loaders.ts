/** The boot loaders of Debian's packages under the names that machines request. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { Mode } from './cases.ts';

const run = promisify(execFile);

const SIGNED_GRUB = '/usr/lib/grub/x86_64-efi-signed/grubnetx64.efi.signed';

const MODULES = ['efinet', 'tftp', 'normal', 'linux', 'configfile', 'echo', 'test', 'boot'];

export async function gatherBootLoaders(
  directory: string,
  { mode, serverAddress }: { readonly mode: Mode; readonly serverAddress: string },
): Promise<void> {
  await mkdir(directory, { recursive: true });
  await copyFile('/usr/lib/PXELINUX/lpxelinux.0', join(directory, 'lpxelinux.0'));
  await copyFile('/usr/lib/syslinux/modules/bios/ldlinux.c32', join(directory, 'ldlinux.c32'));
  const grub = join(directory, 'grubx64.efi');
  if (mode === 'reservation') return copyFile(SIGNED_GRUB, grub);
  // Debian's loads its files from the server that assigned the address, which a proxy is not. A self-built
  // one can name the server.
  const prefix = `(tftp,${serverAddress})/grub`;
  await run('grub-mkimage', ['-O', 'x86_64-efi', '-p', prefix, '-o', grub, ...MODULES]);
}
