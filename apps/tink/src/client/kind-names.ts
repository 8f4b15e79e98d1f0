/** Names of kinds on the command line. */
import { hardwareKind, nearest, templateKind, workflowKind } from '@tinkerbell/resources';
import { printable } from '../output/printable.ts';
import type { ApiKind } from './api-kind.ts';
import type { ApiClient } from './client.ts';
import { discoverKinds, offeredKindNamed, ownKindNamed, ownKinds } from './discovery.ts';
import { TinkFailure, usageFailure } from '../failure.ts';

/** The kinds of `tink get all`. */
const everyday: readonly ApiKind[] = [hardwareKind, templateKind, workflowKind];

/** Finds a kind by its name: one of ours, else one of the server's. Throws a usage failure with the nearest name. */
export async function kindOf(word: string, client: ApiClient): Promise<ApiKind> {
  const own = ownKindNamed(word);
  if (own !== undefined) return own;
  const offered = await discovered(client);
  const kind = offeredKindNamed(word, offered.kinds);
  if (kind !== undefined) return kind;
  throw unknownKind(word, offered.kinds, offered.why);
}

async function discovered(client: ApiClient): Promise<{ kinds: readonly ApiKind[]; why?: string }> {
  try {
    return { kinds: await discoverKinds(client) };
  } catch (thrown) {
    if (!(thrown instanceof TinkFailure)) throw thrown;
    return { kinds: ownKinds, why: thrown.message };
  }
}

function unknownKind(word: string, kinds: readonly ApiKind[], why: string | undefined): TinkFailure {
  const names = kinds.flatMap((one) => [one.plural, one.singular, ...one.shortNames]);
  const close = nearest(
    word,
    names.filter((name) => name.length > 2),
  );
  const more = why === undefined ? '' : `; could not get the server’s kinds: ${why}`;
  return usageFailure(
    `unknown kind ${JSON.stringify(word)}`,
    (close === undefined ? `known kinds: ${knownText(kinds)}` : `did you mean ${close}?`) + more,
  );
}

/** `hardware (hw), templates (tpl)`: those of every day first. */
function knownText(kinds: readonly ApiKind[]): string {
  const isEveryday = (kind: ApiKind): boolean => everyday.some((one) => isSameKind(one, kind));
  const sorted = [...kinds.filter(isEveryday), ...kinds.filter((kind) => !isEveryday(kind))];
  return sorted
    .map(({ plural, shortNames }) =>
      shortNames.length === 0 ? plural : `${plural} (${shortNames.join(', ')})`,
    )
    .join(', ');
}

/** Parses `hardware`, `hw,wf` or `all`. */
export async function kindsOf(words: string, client: ApiClient): Promise<readonly ApiKind[]> {
  if (words === 'all') return everyday;
  const found = await Promise.all(words.split(',').map((word) => kindOf(word.trim(), client)));
  return found.filter((kind, index) => found.findIndex((one) => isSameKind(one, kind)) === index);
}

function isSameKind(one: ApiKind, other: ApiKind): boolean {
  return one.group === other.group && one.plural === other.plural;
}

/** Returns `hardware/m1`, the form that commands print and accept. */
export function nameOf(kind: ApiKind, name: string): string {
  return printable(`${kind.singular}/${name}`);
}
