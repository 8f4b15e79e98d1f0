import { loaderConfigFor } from '@tinkerbell/netboot';
import { encodeUtf8 } from '@tinkerbell/wire';
import { createBootTokens } from '../boot-tokens.ts';
import type { BootConfig, BootDeps } from '../config.ts';
import { hasWorkToDo } from '../machine-state.ts';
import { answerOf, fileOfBytes, type BootFileSource } from './boot-file.ts';
import { loaderMachine } from './loader-machine.ts';

/**
 * Generates `pxelinux.cfg/...` and `grub.cfg...` for a machine with Hardware: the in-memory OS while it has work, else its disk.
 */
export function createGeneratedLoaderConfig(
  deps: Pick<BootDeps, 'view' | 'bootTokens'>,
  { hook, netboot }: Pick<BootConfig, 'hook' | 'netboot'>,
): BootFileSource {
  const { view } = deps;
  const tokens = createBootTokens(deps, { netboot });
  return {
    name: 'generated PXELINUX and GRUB configurations',
    find(request) {
      const found = loaderMachine(view, request);
      if (found === undefined) return undefined;
      const { loader, reservation } = found;
      const machineState = { hasWorkToDo: hasWorkToDo(view, reservation) };
      const bootToken = tokens?.tokenFor(reservation, request.clientAddress);
      const settings = {
        hook: bootToken === undefined ? hook : { ...hook, bootToken },
        bootLocalWhenIdle: netboot.bootLocalWhenIdle,
      };
      const config = loaderConfigFor(loader, { reservation, machineState, settings });
      if (config.kind === 'invalid') return { kind: 'refused', message: config.message };
      return config.kind === 'refused' ? undefined : answerOf(fileOfBytes(encodeUtf8(config.text)));
    },
  };
}
