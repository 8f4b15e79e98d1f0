import { encodeUtf8 } from '@tinkerbell/wire';
import type { BootDeps } from '../config.ts';
import { answerOf, fileOfBytes, type BootFileSource } from './boot-file.ts';
import { loaderMachine } from './loader-machine.ts';

/** Serves `pxelinux.cfg/...` verbatim from the Hardware. It is a configuration, and its author is responsible for it. */
export function createHardwarePxelinux({ view }: Pick<BootDeps, 'view'>): BootFileSource {
  return {
    name: 'pxelinux.config of the Hardware',
    find(request) {
      const found = loaderMachine(view, request);
      const text = found?.loader === 'pxelinux' ? found.reservation.pxelinuxConfig : '';
      return text === '' ? undefined : answerOf(fileOfBytes(encodeUtf8(text)));
    },
  };
}
