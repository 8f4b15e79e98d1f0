/** Decides what must be done so that a volume group is as wanted. It destroys nothing without `wipe`. */
import type { Settings, VolumeSize, WantedVolume } from './settings.ts';

export interface DeviceFacts {
  readonly path: string;
  /** In libblkid's words. A physical volume has `LVM2_member`. */
  readonly signatures: readonly string[];
}

export interface FoundVolume {
  readonly group: string;
  readonly name: string;
  readonly bytes: number;
}

export interface LvmFacts {
  /** Those of the settings, in the same order. */
  readonly devices: readonly DeviceFacts[];
  /** All physical volumes of the machine, with an empty group for those without one. */
  readonly physicalVolumes: readonly { readonly path: string; readonly group: string }[];
  /** The extent size of each volume group in bytes. */
  readonly groups: ReadonlyMap<string, number>;
  readonly volumes: readonly FoundVolume[];
}

export type LvmStep =
  | { readonly kind: 'remove-group'; readonly group: string }
  | { readonly kind: 'wipe'; readonly device: string }
  | { readonly kind: 'create-physical'; readonly device: string }
  | { readonly kind: 'create-group'; readonly group: string; readonly devices: readonly string[] }
  | { readonly kind: 'create-volume'; readonly group: string; readonly volume: WantedVolume };

export type LvmPlan =
  | { readonly ok: true; readonly steps: readonly LvmStep[] }
  | { readonly ok: false; readonly error: string };

const MEMBER = 'LVM2_member';

type Wanted = Pick<Settings, 'group' | 'volumes' | 'wipe'>;

/** Returns steps in order, or none when everything is there already. */
export function planGroup(wanted: Wanted, facts: LvmFacts): LvmPlan {
  const { group } = wanted;
  const paths = facts.devices.map(({ path }) => path);
  const members = membersOf(group, facts);
  if (facts.groups.has(group) && isSame(members, paths)) return planVolumes(wanted, facts);
  const foreign = members.filter((path) => !paths.includes(path));
  if (foreign.length > 0)
    return refusal(
      `the volume group ${group} is on ${members.join(', ')}: add ${foreign.join(', ')} to PHYSICAL_VOLUMES, or choose another name`,
    );
  return planNewGroup(wanted, facts);
}

function planVolumes({ group, volumes }: Wanted, facts: LvmFacts): LvmPlan {
  const extentBytes = facts.groups.get(group) ?? 1;
  const steps: LvmStep[] = [];
  for (const volume of volumes) {
    const found = facts.volumes.find((one) => one.group === group && one.name === volume.name);
    if (found === undefined) steps.push({ kind: 'create-volume', group, volume });
    else if (!fits(volume.size, found.bytes, extentBytes))
      return refusal(
        `${group}/${volume.name} has ${found.bytes} bytes, and LOGICAL_VOLUMES wants another size: remove or resize it with cexec`,
      );
  }
  return { ok: true, steps };
}

/** A share of the space depends on what was free then. LVM rounds sizes up to extents. */
function fits(wanted: VolumeSize, foundBytes: number, extentBytes: number): boolean {
  if (wanted.kind === 'percent') return true;
  return Math.ceil(wanted.bytes / extentBytes) * extentBytes === foundBytes;
}

function planNewGroup({ group, volumes, wipe }: Wanted, facts: LvmFacts): LvmPlan {
  const removed = new Set<string>();
  for (const device of facts.devices) {
    const old = groupOf(device, facts);
    const problem = problemOf(device, wipe, facts);
    if (problem !== undefined) return refusal(problem);
    if (old !== '') removed.add(old);
  }
  const removals = [...removed].map((old): LvmStep => ({ kind: 'remove-group', group: old }));
  const disks = facts.devices.flatMap(({ path, signatures }): readonly LvmStep[] => [
    ...(signatures.length > 0 ? [{ kind: 'wipe' as const, device: path }] : []),
    { kind: 'create-physical', device: path },
  ]);
  const devices = facts.devices.map(({ path }) => path);
  const created = volumes.map((volume): LvmStep => ({ kind: 'create-volume', group, volume }));
  return { ok: true, steps: [...removals, ...disks, { kind: 'create-group', group, devices }, ...created] };
}

/** Returns the reason why a disk cannot become part of a new group. */
function problemOf(device: DeviceFacts, wipe: boolean, facts: LvmFacts): string | undefined {
  const { path, signatures } = device;
  const old = groupOf(device, facts);
  const others = signatures.filter((type) => type !== MEMBER);
  // A physical volume without a group has no data, as after an interrupted run.
  if (old === '' && others.length === 0) return undefined;
  const has = old === '' ? others.join(', ') : `the volume group ${old}`;
  if (!wipe) return `${path} has ${has}: set WIPE=true to replace it`;
  if (old === '') return undefined;
  const outside = membersOf(old, facts).filter((one) => facts.devices.every((wanted) => wanted.path !== one));
  if (outside.length === 0) return undefined;
  return `${path} has the volume group ${old}, which is also on ${outside.join(', ')}`;
}

/** Returns an empty name for a disk without a group. */
function groupOf({ path }: DeviceFacts, { physicalVolumes }: LvmFacts): string {
  return physicalVolumes.find((one) => one.path === path)?.group ?? '';
}

function membersOf(group: string, { physicalVolumes }: LvmFacts): readonly string[] {
  return physicalVolumes.filter((one) => one.group === group).map(({ path }) => path);
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((path) => other.includes(path));
}

function refusal(error: string): LvmPlan {
  return { ok: false, error };
}
