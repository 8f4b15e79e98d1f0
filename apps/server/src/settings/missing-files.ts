/** What machines will ask for and not get, found at the start instead of at the first boot. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from './settings.ts';

/** One line for each thing that is missing, with the way to get it. */
export function missingFiles({ boot, images, dataDirectory }: Settings): string[] {
  const lines: string[] = [];
  const servesOwnHook = boot !== undefined && images !== undefined && boot.hook.osieUrl.endsWith('/hook');
  if (
    servesOwnHook &&
    !existsSync(join(images.hookDirectory, `${boot.hook.kernelName ?? 'vmlinuz'}-x86_64`))
  ) {
    lines.push(
      `no in-memory OS in ${images.hookDirectory}: build it with npm run hook, or give its folder with --hook-dir`,
    );
  }
  const isGiven = images !== undefined && images.imagesDirectory !== join(dataDirectory, 'images');
  if (isGiven && !existsSync(images.imagesDirectory)) {
    lines.push(
      `--images-dir ${images.imagesDirectory} does not exist: make it, or correct the path; until then every file below /images/ is not found`,
    );
  }
  if (boot !== undefined && !existsSync(join(boot.ipxeDirectory, 'ipxe.efi'))) {
    lines.push(
      `no iPXE binaries in ${boot.ipxeDirectory}: fetch them with npm run setup -- ipxe, or give their folder with --ipxe-binary-dir`,
    );
  }
  return lines;
}
