import type { BootConfig } from '../config.ts';
import { answerOf, type BootFileSource } from './boot-file.ts';
import { baseNameOf } from './file-names.ts';
import type { FileStore } from './file-store.ts';

/** Names of one program: first the name that firmware and shim request, then Debian's (shim-signed, grub-efi-*-signed). */
const NAMES: readonly (readonly string[])[] = [
  ['shimx64.efi', 'shimx64.efi.signed'],
  ['shimaa64.efi', 'shimaa64.efi.signed'],
  ['grubx64.efi', 'grubnetx64.efi.signed', 'grubnetx64.efi'],
  ['grubaa64.efi', 'grubnetaa64.efi.signed', 'grubnetaa64.efi'],
  ['mmx64.efi', 'mmx64.efi.signed'],
  ['mmaa64.efi', 'mmaa64.efi.signed'],
];

/**
 * Serves shim, GRUB and MokManager to machines with Secure Boot, which reject iPXE. Files are found by base name, in the iPXE or
 * the asset directory. shim requests GRUB from its own directory, whichever that was.
 */
export function createSecureBootLoaders(
  store: FileStore,
  { ipxeDirectory, tftp }: Pick<BootConfig, 'ipxeDirectory' | 'tftp'>,
): BootFileSource {
  const directories = [ipxeDirectory, tftp?.assetDirectory].filter((each) => each !== undefined);
  return {
    name: 'Secure Boot loaders',
    async find({ fileName }) {
      const asked = baseNameOf(fileName);
      const names = NAMES.find((each) => each.includes(asked)) ?? [];
      for (const name of new Set([asked, ...names])) {
        for (const directory of names.length === 0 ? [] : directories) {
          const file = await store.open(directory, name);
          if (file !== undefined) return answerOf(file);
        }
      }
      return undefined;
    },
  };
}
