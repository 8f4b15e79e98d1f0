import { PlatformError } from '@tinkerbell/platform-contract';

/** One damage: its place and its kind. */
export interface Damage {
  /** `table objects, hardware.tinkerbell.org/default/m1, revision 5`, `tinkerbell.db-wal`, `page 12`. */
  readonly place: string;
  readonly problem: string;
}

/** The number of places that a report names. The rest are counted. */
export const DAMAGES_MAX = 100;
/** The number of places that a message names. */
const NAMED_MAX = 3;

export const WAY_BACK =
  'Restore a backup, or start once with --accept-loss, which keeps the intact data and a copy of the damaged files';

/** The reason not to open the file, for the operator. */
export function damagedStore(path: string, damages: readonly Damage[], cause?: unknown): PlatformError {
  const named = damages.slice(0, NAMED_MAX).map(({ place, problem }) => `${place}: ${problem}`);
  const more = damages.length > NAMED_MAX ? `; and ${damages.length - NAMED_MAX} more places` : '';
  const message = `${path} is damaged: ${named.join('; ')}${more}. tinkerbell check lists every place. ${WAY_BACK}`;
  return new PlatformError('damaged', message, { cause });
}
