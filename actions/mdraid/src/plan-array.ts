/** Decides what must be done so that an array is as wanted. It destroys nothing without `wipe`. */
import type { Settings } from './settings.ts';

/** What a superblock says of the whole array. */
export interface ArrayFacts {
  readonly uuid: string;
  /** `raid1`. */
  readonly level: string;
  /** Without spares. */
  readonly devices: number;
}

export interface MemberFacts {
  readonly path: string;
  /** In libblkid's words. */
  readonly signatures: readonly string[];
  readonly memberOf: ArrayFacts | undefined;
}

export interface RaidFacts {
  readonly members: readonly MemberFacts[];
  /** The array that has the wanted name now, with the devices that it is made of. */
  readonly active: { readonly uuid: string; readonly members: readonly string[] } | undefined;
}

export type RaidStep = 'stop' | 'wipe' | 'create' | 'assemble';

export type RaidPlan =
  | { readonly ok: true; readonly steps: readonly RaidStep[] }
  | { readonly ok: false; readonly error: string };

type Wanted = Pick<Settings, 'array' | 'level' | 'spares' | 'wipe'>;

/** Returns steps in order, or none when the array is there and active. */
export function planArray(wanted: Wanted, facts: RaidFacts): RaidPlan {
  const existing = existingArray(wanted, facts);
  return existing === undefined ? planNewArray(wanted, facts) : planExisting(wanted, existing, facts);
}

function planExisting({ array }: Wanted, uuid: string, { active }: RaidFacts): RaidPlan {
  if (active === undefined) return { ok: true, steps: ['assemble'] };
  if (active.uuid === uuid) return { ok: true, steps: [] };
  return refusal(`${array} is another array, of ${active.members.join(', ')}: choose another ARRAY`);
}

function planNewArray({ array, wipe }: Wanted, { active, members }: RaidFacts): RaidPlan {
  const steps: RaidStep[] = [];
  if (active !== undefined) {
    const outside = active.members.filter((path) => members.every((one) => one.path !== path));
    if (outside.length > 0 || !wipe)
      return refusal(`${array} is already an array of ${active.members.join(', ')}: ${wayOut(outside)}`);
    steps.push('stop');
  }
  const used = members.find(({ signatures, memberOf }) => signatures.length > 0 || memberOf !== undefined);
  if (used !== undefined) {
    if (!wipe) return refusal(`${used.path} has ${contentOf(used)}: set WIPE=true to replace it`);
    steps.push('wipe');
  }
  return { ok: true, steps: [...steps, 'create'] };
}

/** Returns its UUID if all devices are members of one array like the wanted one. */
function existingArray({ level, spares }: Wanted, { members }: RaidFacts): string | undefined {
  const first = members[0]?.memberOf;
  if (first === undefined || first.level !== `raid${level}`) return undefined;
  if (first.devices !== members.length - spares) return undefined;
  return members.every(({ memberOf }) => memberOf?.uuid === first.uuid) ? first.uuid : undefined;
}

function wayOut(outside: readonly string[]): string {
  return outside.length > 0 ? 'choose another ARRAY' : 'set WIPE=true to replace it';
}

function contentOf({ signatures, memberOf }: MemberFacts): string {
  if (memberOf !== undefined) return `a part of the ${memberOf.level} array ${memberOf.uuid}`;
  return signatures.join(', ');
}

function refusal(error: string): RaidPlan {
  return { ok: false, error };
}
