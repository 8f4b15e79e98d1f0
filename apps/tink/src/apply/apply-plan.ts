/** Decides what to do with each object. Sends nothing. */
import { isDeepStrictEqual } from 'node:util';
import type { Kind, Resource } from '@tinkerbell/resources';

export type Operation = 'created' | 'configured' | 'unchanged';

export interface PlannedWrite {
  readonly kind: Kind;
  readonly operation: Operation;
  /** The object to send; for `unchanged`, the current object. */
  readonly object: Resource;
  /** The current object. */
  readonly before?: Resource;
}

/**
 * Merges the object of a file into the one on the server. The file's fields replace the server's: `spec`, or `data` of a Secret. The
 * file's labels and annotations replace the server's if the file has any. Status, identity, finalizers and owners stay the server's.
 */
export function planWrite(kind: Kind, wanted: Resource, current: Resource | undefined): PlannedWrite {
  if (current === undefined) {
    return { kind, operation: 'created', object: newObject(wanted) };
  }
  const object = replacement(wanted, current);
  const isSame = isDeepStrictEqual(comparable(object), comparable(current));
  return isSame
    ? { kind, operation: 'unchanged', object: current, before: current }
    : { kind, operation: 'configured', object, before: current };
}

function newObject(wanted: Resource): Resource {
  const { name, generateName, namespace, labels, annotations, finalizers, ownerReferences } = wanted.metadata;
  return plain({
    ...contentOf(wanted),
    metadata: { name, generateName, namespace, labels, annotations, finalizers, ownerReferences },
  });
}

function replacement(wanted: Resource, current: Resource): Resource {
  const { labels = current.metadata.labels, annotations = current.metadata.annotations } = wanted.metadata;
  const { finalizers = current.metadata.finalizers } = wanted.metadata;
  return plain({
    ...contentOf(wanted),
    metadata: { ...current.metadata, labels, annotations, finalizers },
  });
}

/** Returns what a file decides: all fields but the status, and of the metadata what users write. */
function comparable(resource: Resource): object {
  const { labels = {}, annotations = {}, finalizers = [] } = resource.metadata;
  return plain({ spec: {}, ...contentOf(resource), metadata: { labels, annotations, finalizers } });
}

function contentOf({ metadata: _metadata, status: _status, ...content }: Resource): object {
  return content;
}

/** Returns the object after a round trip through JSON, which drops undefined fields. */
function plain(value: object): Resource {
  return JSON.parse(JSON.stringify(value));
}

const ranks: Readonly<Record<string, number>> = { Workflow: 3, Job: 3, WorkflowRuleSet: 2, Task: 3 };

/** Orders referenced objects first, because a Workflow needs its Template and Hardware. Otherwise keeps the order of the files. */
export function inOrderOfReference<One extends { readonly kind: Kind }>(
  objects: readonly One[],
): readonly One[] {
  return objects.toSorted((a, b) => (ranks[a.kind.kind] ?? 1) - (ranks[b.kind.kind] ?? 1));
}
