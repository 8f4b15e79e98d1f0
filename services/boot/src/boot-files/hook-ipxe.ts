/**
 * Serves `hook.ipxe`, the script of the documented stack that boots the in-memory OS. The operator's own file, in the folder of
 * the images or of the in-memory OS, comes first. Otherwise it is the script of the requesting machine. A machine without
 * Hardware gets the script that is the same for every machine: it identifies itself by its own `${mac}`, and holds no secret.
 */
import { encodeUtf8, parseMac } from '@tinkerbell/wire';
import { createBootTokens } from '../boot-tokens.ts';
import type { BootConfig, BootDeps } from '../config.ts';
import { macAt } from '../machine-state.ts';
import { createScriptChoice } from '../http/script-choice.ts';
import { answerOf, fileOfBytes, type BootFile, type BootFileSource } from './boot-file.ts';
import type { FileStore } from './file-store.ts';

export const HOOK_IPXE = 'hook.ipxe';

/** Returns the operator's own file, or undefined when it does not exist. */
export async function ownHookIpxe(
  store: FileStore,
  { imagesDirectory, hookDirectory }: Pick<BootConfig, 'imagesDirectory' | 'hookDirectory'>,
): Promise<BootFile | undefined> {
  for (const directory of [imagesDirectory, hookDirectory]) {
    const file = directory === undefined ? undefined : await store.open(directory, HOOK_IPXE);
    if (file !== undefined) return file;
  }
  return undefined;
}

/** Serves it by TFTP, below any directories. A MAC among them names the machine. */
export function createHookIpxe(
  store: FileStore,
  deps: Pick<BootDeps, 'view' | 'bootTokens'>,
  config: BootConfig,
): BootFileSource {
  const { view } = deps;
  const choose = createScriptChoice(view, config, createBootTokens(deps, config));
  return {
    name: HOOK_IPXE,
    async find({ fileName, clientAddress }) {
      const elements = fileName.split('/');
      if (elements.at(-1) !== HOOK_IPXE) return undefined;
      const own = await ownHookIpxe(store, config);
      if (own !== undefined) return answerOf(own);
      const mac = elements.map(parseMac).find(Boolean) ?? macAt(view, clientAddress);
      const decision = choose(mac, clientAddress, true);
      if (decision.kind === 'script') return answerOf(fileOfBytes(encodeUtf8(decision.text)));
      return { kind: 'refused', message: 'message' in decision ? decision.message : decision.reason };
    },
  };
}
