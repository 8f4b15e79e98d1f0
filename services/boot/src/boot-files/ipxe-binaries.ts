import { patchIpxeBinary } from '@tinkerbell/ipxe';
import type { BootConfig, BootDeps } from '../config.ts';
import { answerOf, fileOfBytes, type BootFile, type BootFileSource } from './boot-file.ts';
import { binaryNameOf } from './file-names.ts';
import type { FileStore } from './file-store.ts';

/** Names of the same builds in Debian's ipxe package, where they differ from upstream's table. */
const debianNames: ReadonlyMap<string, readonly string[]> = new Map([
  ['snp-arm64.efi', ['snponly-arm64.efi', 'ipxe-arm64.efi']],
  ['snp-x86_64.efi', ['snponly.efi']],
]);

export interface IpxeBinaries extends BootFileSource {
  /** Looks up by the last element of a path. */
  binary(path: string): Promise<BootFile | undefined>;
}

/** Serves iPXE binaries by base name, patched as the operator configured. */
export function createIpxeBinaries(
  store: FileStore,
  { log }: Pick<BootDeps, 'log'>,
  { ipxeDirectory, ipxePatch }: Pick<BootConfig, 'ipxeDirectory' | 'ipxePatch'>,
): IpxeBinaries {
  // The bytes of a file are the same object until it changes, so a rack shares one patched copy.
  const patchedCopies = new WeakMap<Uint8Array, Uint8Array>();
  const patched = (bytes: Uint8Array): Uint8Array => {
    if (ipxePatch === '') return bytes;
    const known = patchedCopies.get(bytes);
    if (known !== undefined) return known;
    const result = patchIpxeBinary(bytes, ipxePatch);
    if (!result.ok)
      log.warn('iPXE binary served without the patch', { reason: result.code, detail: result.message });
    const copy = result.ok ? result.bytes : bytes;
    patchedCopies.set(bytes, copy);
    return copy;
  };
  const binary = async (path: string): Promise<BootFile | undefined> => {
    const name = binaryNameOf(path);
    const names = name === undefined ? [] : [name, ...(debianNames.get(name) ?? [])];
    for (const each of names) {
      const bytes = await store.read(ipxeDirectory, each);
      if (bytes !== undefined) return fileOfBytes(patched(bytes));
      const large = await store.open(ipxeDirectory, each);
      if (large !== undefined) return large;
    }
    return undefined;
  };
  return {
    name: 'iPXE binaries',
    binary,
    find: async ({ fileName }) => answerOf(await binary(fileName)),
  };
}
