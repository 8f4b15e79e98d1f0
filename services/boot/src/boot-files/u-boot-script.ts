import { U_BOOT_SCRIPT_NAME, uBootScript } from '@tinkerbell/netboot';
import { answerOf, fileOfBytes, type BootFileSource } from './boot-file.ts';

/** Otherwise U-Boot would run our iPXE, which cannot use its network there (seen with 2023.01 for QEMU). */
export const uBootScriptSource: BootFileSource = {
  name: 'U-Boot script',
  find: ({ fileName }) =>
    fileName === U_BOOT_SCRIPT_NAME || fileName.endsWith(`/${U_BOOT_SCRIPT_NAME}`)
      ? answerOf(fileOfBytes(uBootScript()))
      : undefined,
};
