import { readEnvironment, type Environment } from '@tinkerbell/action-kit';

import type { FatFile } from './fat-image.ts';

export interface Settings {
  readonly disk: string;
  readonly files: readonly FatFile[];
}

/** What cloud-init's NoCloud source and Talos read. Upstream has no VENDOR_DATA in its code, but in its README. */
const FILES: Readonly<Record<string, string>> = {
  USER_DATA: 'user-data',
  META_DATA: 'meta-data',
  NETWORK_CONFIG: 'network-config',
  VENDOR_DATA: 'vendor-data',
};

/** Enough for any document: cloud providers limit user data to 64 KiB. */
const FILE_BYTES_MAX = 2 * 1024 * 1024;

/** Variables as in upstream's cidataio. An empty variable is a file that is not written. */
export function readSettings(environment: Environment): Settings {
  const read = readEnvironment('cidataio', environment);
  const disk = read.absolutePath('DEST_DISK', 'the whole disk, for example /dev/sda');
  const files = Object.entries(FILES).flatMap(([variable, name]) => {
    const content = Buffer.from(read.optional(variable) ?? '');
    if (content.length > FILE_BYTES_MAX)
      read.problem(`${variable} has ${content.length} bytes; at most ${FILE_BYTES_MAX} are allowed`);
    return content.length === 0 ? [] : [{ name, content }];
  });
  if (files.length === 0) read.problem(`set at least one of ${Object.keys(FILES).join(', ')}`);
  read.finish();
  return { disk, files };
}
