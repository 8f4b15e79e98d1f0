import { HOOK_PREFIX } from '@tinkerbell/netboot';
import { answerOf, type BootFileSource } from './boot-file.ts';
import { relativePathOf } from './file-names.ts';
import type { FileStore } from './file-store.ts';

/** Serves files below the asset directory by their path. */
export function createAssetFiles(store: FileStore, directory: string | undefined): BootFileSource {
  return {
    name: 'asset directory',
    async find({ fileName }) {
      const path = relativePathOf(fileName);
      return directory === undefined || path === undefined
        ? undefined
        : answerOf(await store.open(directory, path));
    },
  };
}

/**
 * Serves `hook/<name>`: kernel and initrd for boot loaders that load by TFTP. Directories before it are ignored, because PXELINUX
 * and U-Boot prepend the directory of their own boot file.
 */
export function createHookFiles(store: FileStore, directory: string | undefined): BootFileSource {
  return {
    name: 'hook directory',
    async find({ fileName }) {
      const at = `/${fileName}`.lastIndexOf(`/${HOOK_PREFIX}`);
      const path = at < 0 ? undefined : relativePathOf(fileName.slice(at + HOOK_PREFIX.length));
      return directory === undefined || path === undefined
        ? undefined
        : answerOf(await store.open(directory, path));
    },
  };
}
