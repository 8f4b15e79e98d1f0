import { AUTOEXEC_SCRIPT } from '@tinkerbell/netboot';
import { encodeUtf8 } from '@tinkerbell/wire';
import { answerOf, fileOfBytes, type BootFileSource } from './boot-file.ts';

/**
 * iPXE on UEFI (1.21 and newer) first requests this name: in the root of TFTP, or beside the binary on HTTP. Serving it skips the
 * Ctrl-B prompt and the wait for an IPv6 router: in QEMU, iPXE then requested the script 0.5 s after the binary.
 */
export const autoexecScript: BootFileSource = {
  name: 'autoexec.ipxe',
  find: ({ fileName }) =>
    /^(?:.*\/)?autoexec\.ipxe$/.test(fileName)
      ? answerOf(fileOfBytes(encodeUtf8(AUTOEXEC_SCRIPT)))
      : undefined,
};
