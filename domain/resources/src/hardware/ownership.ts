/**
 * Who owns a MAC, an address or an agent id when several Hardware name it: the one that was created first. The others are refused
 * when they are written; where they got in otherwise, they get nothing. So nobody takes a machine of another namespace by naming it.
 */
import type { Hardware, Workflow } from '../kinds.ts';
import type { Path } from '../schema/place.ts';

export interface Claim {
  readonly kind: 'mac' | 'address' | 'agent';
  /** MACs in lower case. */
  readonly value: string;
  readonly path: Path;
}

/** What a Hardware says is its machine's. */
export function claimsOf({ spec }: Hardware): readonly Claim[] {
  const interfaces = (spec?.interfaces ?? []).flatMap(({ dhcp }, index): readonly Claim[] => [
    {
      kind: 'mac',
      value: dhcp?.mac?.toLowerCase() ?? '',
      path: ['spec', 'interfaces', index, 'dhcp', 'mac'],
    },
    {
      kind: 'address',
      value: dhcp?.ip?.address ?? '',
      path: ['spec', 'interfaces', index, 'dhcp', 'ip', 'address'],
    },
  ]);
  const agent: Claim = { kind: 'agent', value: spec?.agentID ?? '', path: ['spec', 'agentID'] };
  return [...interfaces, agent].filter(({ value }) => value !== '');
}

/** The one that was created first; of several in the same second the first by namespace and name. */
export function ownerAmong(claimants: readonly Hardware[]): Hardware | undefined {
  const [first, ...others] = claimants;
  if (first === undefined || others.length === 0) return first;
  return others.reduce((owner, one) => (isBefore(one, owner) ? one : owner), first);
}

function isBefore({ metadata: one }: Hardware, { metadata: other }: Hardware): boolean {
  const [created, otherCreated] = [one.creationTimestamp ?? '', other.creationTimestamp ?? ''];
  if (created !== otherCreated) return created < otherCreated;
  return `${one.namespace}/${one.name}` < `${other.namespace}/${other.name}`;
}

/**
 * An annotation of Workflows: `NAMESPACE/NAME` of machines in other namespaces that it may run on, separated by commas. The API takes
 * it only from users who have the verb `use` on those Hardware.
 */
export const USE_HARDWARE = 'tinkerbell.org/use-hardware';

export function usedHardware({ metadata }: Workflow): readonly string[] {
  return (metadata.annotations?.[USE_HARDWARE] ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

/** A Workflow reaches the machines of its own namespace, and those that it was allowed to use. */
export function mayRunOn(workflow: Workflow, { metadata: { namespace, name } }: Hardware): boolean {
  return workflow.metadata.namespace === namespace || usedHardware(workflow).includes(`${namespace}/${name}`);
}
