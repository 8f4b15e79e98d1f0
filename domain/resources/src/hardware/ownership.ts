/**
 * Determines the owner of a MAC, an address or an agent id when several Hardware name it: the one that was created first. Writes
 * of the others are refused. Where they were stored by other means, they get nothing. This prevents a user from taking a machine
 * of another namespace by naming it.
 */
import type { Hardware, Workflow } from '../kinds.ts';
import type { Path } from '../schema/place.ts';

export interface Claim {
  readonly kind: 'mac' | 'address' | 'agent';
  /** MACs in lower case. */
  readonly value: string;
  readonly path: Path;
}

/** The identifiers that a Hardware claims for its machine. */
export function claimsOf({ spec }: Hardware): readonly Claim[] {
  const claims: Claim[] = [];
  for (const [index, { dhcp }] of spec?.interfaces?.entries() ?? []) {
    const path = ['spec', 'interfaces', index, 'dhcp'];
    add(claims, { kind: 'mac', value: dhcp?.mac?.toLowerCase(), path: [...path, 'mac'] });
    add(claims, { kind: 'address', value: dhcp?.ip?.address, path: [...path, 'ip', 'address'] });
  }
  add(claims, { kind: 'agent', value: spec?.agentID, path: ['spec', 'agentID'] });
  return claims;
}

function add(
  claims: Claim[],
  { kind, value, path }: Omit<Claim, 'value'> & { readonly value: string | undefined },
): void {
  if (value !== undefined && value !== '') claims.push({ kind, value, path });
}

/** Returns the one that was created first. Of several in the same second, it returns the first by namespace and name. */
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
 * An annotation of Workflows: `NAMESPACE/NAME` of machines in other namespaces on which it may run, separated by commas. The API
 * accepts it only from users who have the verb `use` on those Hardware.
 */
export const USE_HARDWARE = 'tinkerbell.org/use-hardware';

export function usedHardware({ metadata }: Workflow): readonly string[] {
  return (metadata.annotations?.[USE_HARDWARE] ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

/** A Workflow can use the machines of its own namespace, and those for which it has permission. */
export function mayRunOn(workflow: Workflow, { metadata: { namespace, name } }: Hardware): boolean {
  return workflow.metadata.namespace === namespace || usedHardware(workflow).includes(`${namespace}/${name}`);
}
