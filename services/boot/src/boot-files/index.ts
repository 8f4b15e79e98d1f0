import { parseMac } from '@tinkerbell/wire';
import type { BootConfig, BootDeps } from '../config.ts';
import { autoexecScript } from './autoexec-script.ts';
import { type BootFile, type BootFileRequest, type BootFileSource } from './boot-file.ts';
import { createAssetFiles, createHookFiles } from './directory-files.ts';
import { createFileStore } from './file-store.ts';
import { createGeneratedLoaderConfig } from './generated-loader-config.ts';
import { createHardwarePxelinux } from './hardware-pxelinux.ts';
import { createHookIpxe, ownHookIpxe } from './hook-ipxe.ts';
import { createIpxeBinaries } from './ipxe-binaries.ts';
import { createRaspberryPiFiles } from './raspberry-pi-files.ts';
import { createSecureBootLoaders } from './secure-boot-loaders.ts';
import { uBootScriptSource } from './u-boot-script.ts';

export type { BootFile } from './boot-file.ts';
export { HOOK_IPXE } from './hook-ipxe.ts';
export { binaryNameOf } from './file-names.ts';

export type FoundBootFile =
  | { readonly kind: 'file'; readonly file: BootFile }
  | { readonly kind: 'refused'; readonly message: string }
  /** `asked`: names of the sources that declined. */
  | { readonly kind: 'not-found'; readonly asked: readonly string[] };

export interface BootFiles {
  /** Returns the file of the first source that has it. Rejects when an existing file cannot be read. */
  find(request: BootFileRequest): Promise<FoundBootFile>;
  /** Returns an iPXE binary, or `autoexec.ipxe`, by the last element of a path. Returns undefined when it does not exist. */
  binary(path: string): Promise<BootFile | undefined>;
  /** Returns the operator's own `hook.ipxe`, or undefined when it does not exist. */
  ownHookIpxe(): Promise<BootFile | undefined>;
}

/**
 * The sources of boot files, an ordered list: the first source that does not decline wins. What an operator wrote (Hardware,
 * asset directory) comes before what is generated.
 */
export function createBootFiles(
  deps: Pick<BootDeps, 'files' | 'view' | 'log' | 'clock' | 'bootTokens'>,
  config: BootConfig,
): BootFiles {
  const store = createFileStore(deps);
  const binaries = createIpxeBinaries(store, deps, config);
  const sources: readonly BootFileSource[] = [
    createSecureBootLoaders(store, config),
    binaries,
    createHardwarePxelinux(deps),
    createRaspberryPiFiles(store, deps, config),
    createAssetFiles(store, config.tftp?.assetDirectory),
    createHookIpxe(store, deps, config),
    createGeneratedLoaderConfig(deps, config),
    createHookFiles(store, config.hookDirectory),
    uBootScriptSource,
    autoexecScript,
  ];
  return {
    ownHookIpxe: () => ownHookIpxe(store, config),
    async binary(path) {
      const file = await binaries.binary(path);
      if (file !== undefined) return file;
      const script = await autoexecScript.find({ fileName: path, clientAddress: '' });
      return script?.kind === 'file' ? script.file : undefined;
    },
    async find(request) {
      for (const fileName of namesOf(request.fileName)) {
        for (const source of sources) {
          const answer = await source.find({ ...request, fileName });
          if (answer !== undefined) return answer;
        }
      }
      return { kind: 'not-found', asked: sources.map(({ name }) => name) };
    },
  };
}

/**
 * Returns the name, and the name without the MAC that our DHCP prepended: a boot loader requests all its files from the directory
 * it was loaded from.
 */
function namesOf(fileName: string): readonly string[] {
  const [first = '', ...rest] = fileName.replace(/^\/+/, '').split('/');
  const isOurs = rest.length > 0 && parseMac(first) !== undefined;
  return isOurs ? [fileName, rest.join('/')] : [fileName];
}
