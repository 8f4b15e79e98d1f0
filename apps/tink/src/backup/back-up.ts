/** Reads everything a backup needs over the API: objects of all kinds that can be created, and all timelines. */
import { collectionOf } from '@tinkerbell/resources';
import type { ApiClient } from '../client/client.ts';
import { discoverKinds, type OfferedKind } from '../client/discovery.ts';
import type { BackupLine } from './backup-file.ts';

/** Kinds that are short-lived or belong to one server. */
const LEFT_OUT = new Set(['leases.coordination.k8s.io', 'events']);
const WITH_TIMELINE = new Set(['hardware.tinkerbell.org', 'workflows.tinkerbell.org']);
/** Kinds in the order of their dependencies: owners and namespaces first. */
const FIRST = [
  'namespaces',
  'customresourcedefinitions',
  'configmaps',
  'secrets',
  'hardware',
  'templates',
  'machines',
  'workflows',
  'jobs',
];

export async function kindsToBackUp(client: ApiClient): Promise<readonly OfferedKind[]> {
  const kinds = await discoverKinds(client);
  return kinds
    .filter(({ verbs }) => ['list', 'create'].every((verb) => verbs.includes(verb)))
    .filter((kind) => !LEFT_OUT.has(collectionName(kind)))
    .toSorted((a, b) => rank(a) - rank(b));
}

export function collectionName({ group, plural }: Pick<OfferedKind, 'group' | 'plural'>): string {
  return collectionOf({ group, plural });
}

function rank({ plural }: OfferedKind): number {
  const found = FIRST.indexOf(plural);
  return found < 0 ? FIRST.length : found;
}

/** Yields each collection as a snapshot of one moment. Calls `onKind` with the size of each. */
export async function* backUp(
  client: ApiClient,
  onKind: (collection: string, count: number) => void,
): AsyncGenerator<BackupLine, void, undefined> {
  for (const kind of await kindsToBackUp(client)) {
    const collection = collectionName(kind);
    const { items } = await client.list(kind, {});
    onKind(collection, items.length);
    const own = {
      apiVersion: kind.group === '' ? kind.version : `${kind.group}/${kind.version}`,
      kind: kind.kind,
    };
    for (const item of items) yield { type: 'object', collection, object: { ...own, ...item } };
    if (!WITH_TIMELINE.has(collection)) continue;
    for (const { metadata } of items) {
      const { namespace, name } = metadata;
      for (const record of await client.timeline({ kind, namespace, name }, 0))
        yield { type: 'record', record };
    }
  }
}
