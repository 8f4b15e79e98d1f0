/** Checks at the start for files that machines will request, before the first boot fails. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from './settings.ts';

/** Returns one line for each missing file, with the fix. */
export function missingFiles({ boot, images, dataDirectory }: Settings): string[] {
  const lines: string[] = [];
  const servesOwnHook = boot !== undefined && images !== undefined && boot.hook.osieUrl.endsWith('/hook');
  if (
    servesOwnHook &&
    !existsSync(join(images.hookDirectory, `${boot.hook.kernelName ?? 'vmlinuz'}-x86_64`))
  ) {
    lines.push(
      `no in-memory OS in ${images.hookDirectory}: build it with npm run hook, install the package tinkerbell-os, or set its folder with --hook-dir`,
    );
  }
  const isGiven = images !== undefined && images.imagesDirectory !== join(dataDirectory, 'images');
  if (isGiven && !existsSync(images.imagesDirectory)) {
    lines.push(
      `--images-dir ${images.imagesDirectory} does not exist: create it or correct the path; until then, requests below /images/ get 404`,
    );
  }
  if (boot !== undefined && !existsSync(join(boot.ipxeDirectory, 'ipxe.efi'))) {
    lines.push(
      `no iPXE binaries in ${boot.ipxeDirectory}: download them with npm run setup -- ipxe, or set their folder with --ipxe-binary-dir`,
    );
  }
  return lines;
}
