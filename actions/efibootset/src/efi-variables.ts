/** The variables of the firmware as files: Documentation/filesystems/efivarfs.rst. */
import { open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { ActionError } from '@tinkerbell/action-kit';
import { GLOBAL_VARIABLES } from '@tinkerbell/efi-boot';
import { messageOf } from '@tinkerbell/platform-contract';

/** Non-volatile, and accessible at boot and later. It precedes the value in the file. */
const ATTRIBUTES = [7, 0, 0, 0] as const;
const SUFFIX = `-${GLOBAL_VARIABLES}`;

export class EfiVariables {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** @throws ActionError when the machine was not booted by UEFI. */
  async names(): Promise<readonly string[]> {
    const files = await readdir(this.#directory).catch(() => []);
    if (files.length === 0)
      throw new ActionError(
        `there are no EFI variables in ${this.#directory}: was this machine booted in legacy BIOS mode, or is efivarfs not mounted?`,
      );
    return files.filter((file) => file.endsWith(SUFFIX)).map((file) => file.slice(0, -SUFFIX.length));
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    const bytes = await readFile(this.#pathOf(name)).catch(() => undefined);
    return bytes?.subarray(ATTRIBUTES.length);
  }

  /** The kernel takes a variable in exactly one write. */
  async write(name: string, value: Uint8Array): Promise<void> {
    const bytes = Buffer.concat([Buffer.from(ATTRIBUTES), value]);
    try {
      await using file = await open(this.#pathOf(name), 'w', 0o644);
      const { bytesWritten } = await file.write(bytes, 0, bytes.length, 0);
      if (bytesWritten !== bytes.length) throw new Error(`${bytesWritten} of ${bytes.length} bytes written`);
    } catch (cause) {
      throw new ActionError(
        `cannot set the EFI variable ${name}: ${messageOf(cause)}; is the memory of the firmware full?`,
        { cause },
      );
    }
  }

  #pathOf(name: string): string {
    return join(this.#directory, `${name}${SUFFIX}`);
  }
}
