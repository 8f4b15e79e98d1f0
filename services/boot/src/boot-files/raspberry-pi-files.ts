import { raspberryPiFile } from '@tinkerbell/netboot';
import { encodeUtf8 } from '@tinkerbell/wire';
import type { BootConfig, BootDeps } from '../config.ts';
import { answerOf, fileOfBytes, type BootFileSource } from './boot-file.ts';
import { relativePathOf } from './file-names.ts';
import type { FileStore } from './file-store.ts';

/**
 * Serves `<serial number>/...` to the Raspberry Pi whose Hardware has the client's address. Serves nothing without an asset
 * directory.
 */
export function createRaspberryPiFiles(
  store: FileStore,
  { view }: Pick<BootDeps, 'view'>,
  { tftp }: Pick<BootConfig, 'tftp'>,
): BootFileSource {
  const directory = tftp?.assetDirectory;
  return {
    name: 'Raspberry Pi files',
    async find({ fileName, clientAddress }) {
      const found = raspberryPiFile(view.hardwareByIp(clientAddress), clientAddress, fileName);
      if (found === undefined || directory === undefined) return undefined;
      if (found.kind === 'invalid') return { kind: 'refused', message: found.message };
      if (found.kind === 'text') return answerOf(fileOfBytes(encodeUtf8(found.text)));
      const path = relativePathOf(found.path);
      return path === undefined ? undefined : answerOf(await store.open(directory, path));
    },
  };
}
