/** Applies one write to one object. The code is pure and is shared by every store that keeps its own revisions. */
import type { Resource } from '@tinkerbell/resources';
import { formatKey, type Change, type CommitResult, type StoredObject, type Write } from './store.ts';

export type Refusal = Extract<CommitResult, { ok: false }>;

/** Returns undefined when `write` may be applied to `current`. */
export function refusalOf(write: Write, current: StoredObject | undefined): Refusal | undefined {
  if (write.operation === 'create') {
    return current === undefined ? undefined : refuse(write, 'already-exists', 'already exists');
  }
  if (current === undefined) return refuse(write, 'not-found', 'not found');
  if (current.revision === write.expectedRevision) return undefined;
  return refuse(
    write,
    'conflict',
    `was changed: revision ${current.revision}, expected ${write.expectedRevision}`,
  );
}

function refuse(write: Write, reason: Refusal['reason'], message: string): Refusal {
  return { ok: false, reason, key: write.key, message: `${formatKey(write.key)} ${message}` };
}

/** Returns the change that `write` makes at `revision`. */
export function changeOf(write: Write, current: StoredObject | undefined, revision: number): Change {
  const object = write.operation === 'delete' ? current?.object : write.object;
  if (object === undefined) throw new Error(`delete of a missing object: ${formatKey(write.key)}`);
  const type = ({ create: 'added', update: 'modified', delete: 'deleted' } as const)[write.operation];
  return { type, key: write.key, revision, object: withRevision(object, revision) };
}

export function withRevision(object: Resource, revision: number): Resource {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}
