/** What a disk has already: file systems, partition tables, and members of volume groups and arrays. */
import { ActionError } from './action-error.ts';
import type { ActionContext } from './action.ts';
import { programText } from './program-text.ts';
import { mustRun } from './run-program.ts';

type SignatureContext = Pick<ActionContext, 'signal' | 'log'>;

/**
 * Returns the types in libblkid's words, each once: `ext4`, `gpt`, `LVM2_member`, `crypto_LUKS`, `linux_raid_member`.
 */
export async function diskSignatures(
  device: string,
  { signal }: Pick<ActionContext, 'signal'>,
): Promise<readonly string[]> {
  const text = await programText('wipefs', ['--no-act', '--json', device], { signal });
  const found = signaturesIn(text);
  if (found !== undefined) return found;
  throw new ActionError(`wipefs printed something else than a list of the signatures of ${device}`);
}

/** Removes all signatures. The rest of the disk stays as it is. */
export async function wipeSignatures(device: string, { signal, log }: SignatureContext): Promise<void> {
  await mustRun('wipefs', ['--all', '--quiet', device], { signal, log });
}

/** Reads the output of `wipefs --json`, which is empty for a disk without signatures. */
export function signaturesIn(text: string): readonly string[] | undefined {
  if (text.trim() === '') return [];
  try {
    const document: unknown = JSON.parse(text);
    const list = isObject(document) ? document['signatures'] : undefined;
    if (!Array.isArray(list)) return undefined;
    const types = list.map((entry: unknown) => (isObject(entry) ? entry['type'] : undefined));
    return types.every((type) => typeof type === 'string') ? [...new Set(types)] : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
