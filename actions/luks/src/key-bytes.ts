import { open } from 'node:fs/promises';

import { ActionError } from '@tinkerbell/action-kit';
import type { KeySource } from './settings.ts';

/** The limit of cryptsetup. */
const KEY_BYTES_MAX = 8 * 1024 * 1024;

/** Returns the bytes of the key as they are: a line break at the end of a file is part of it. */
export async function keyBytes(source: KeySource): Promise<Uint8Array> {
  if (source.kind === 'text') return Buffer.from(source.text);
  const bytes = await readKeyFile(source.path);
  if (bytes.length === 0) throw new ActionError(`luks: KEY_FILE=${source.path} is empty`);
  if (bytes.length > KEY_BYTES_MAX)
    throw new ActionError(`luks: KEY_FILE=${source.path} is larger than ${KEY_BYTES_MAX} bytes`);
  return bytes;
}

async function readKeyFile(path: string): Promise<Buffer> {
  const cannot = (reason: string, cause?: unknown): ActionError =>
    new ActionError(`luks: KEY_FILE=${path} cannot be read: ${reason}`, { cause });
  try {
    await using file = await open(path, 'r');
    // A pipe would wait for a writer, and a device has no end.
    if (!(await file.stat()).isFile()) throw cannot('it is not a file');
    const bytes = Buffer.alloc(KEY_BYTES_MAX + 1);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    return bytes.subarray(0, bytesRead);
  } catch (cause) {
    if (cause instanceof ActionError) throw cause;
    throw cannot(cause instanceof Error ? cause.message : String(cause), cause);
  }
}
