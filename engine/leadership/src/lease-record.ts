/** The Lease of coordination.k8s.io/v1 (Kubernetes API reference, LeaseSpec) as leader election uses it. */
import { uidOf, type Resource } from '@tinkerbell/resources';
import type { ObjectKey, StoredObject, Write } from '@tinkerbell/store-contract';

export interface LeaseSpec {
  /** Empty when the Lease was released. */
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  /** RFC 3339 with microseconds. It is for people, and no decision depends on it. */
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

const COLLECTION = 'leases.coordination.k8s.io';

export function leaseKey(namespace: string, name: string): ObjectKey {
  return { collection: COLLECTION, namespace, name };
}

export function specOf(stored: StoredObject | undefined): LeaseSpec {
  return stored?.object.spec ?? {};
}

export interface Holding {
  readonly identity: string;
  readonly durationSeconds: number;
  readonly nowMs: number;
  /** 16 bytes for the uid of a new Lease. */
  readonly randomBytes: Uint8Array;
}

/** Returns the write that acquires or renews a Lease, if no other process writes in between. */
export function holdWrite(
  key: ObjectKey,
  stored: StoredObject | undefined,
  { identity, durationSeconds, nowMs, randomBytes }: Holding,
): Write {
  const before = specOf(stored);
  const isRenewal = before.holderIdentity === identity;
  const now = microTime(nowMs);
  const transitions = before.leaseTransitions ?? 0;
  const spec: LeaseSpec = {
    holderIdentity: identity,
    leaseDurationSeconds: durationSeconds,
    acquireTime: isRenewal ? (before.acquireTime ?? now) : now,
    renewTime: now,
    leaseTransitions: isRenewal || stored === undefined ? transitions : transitions + 1,
  };
  if (stored !== undefined)
    return {
      operation: 'update',
      key,
      object: { ...stored.object, spec },
      expectedRevision: stored.revision,
    };
  const { namespace, name } = key;
  const creationTimestamp = `${now.slice(0, 19)}Z`;
  const metadata = { name, namespace, uid: uidOf(randomBytes), creationTimestamp, generation: 1 };
  const object: Resource = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec };
  return { operation: 'create', key, object };
}

/** Returns the write that releases the Lease at once. */
export function releaseWrite(key: ObjectKey, stored: StoredObject, nowMs: number): Write {
  const spec: LeaseSpec = {
    ...specOf(stored),
    holderIdentity: '',
    leaseDurationSeconds: 1,
    renewTime: microTime(nowMs),
  };
  return { operation: 'update', key, object: { ...stored.object, spec }, expectedRevision: stored.revision };
}

function microTime(nowMs: number): string {
  return new Date(nowMs).toISOString().replace('Z', '000Z');
}
