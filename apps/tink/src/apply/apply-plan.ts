/** What is to be done with each object, decided without doing it. */
import { isDeepStrictEqual } from 'node:util';
import type { Kind, Resource } from '@tinkerbell/resources';

export type Deed = 'created' | 'configured' | 'unchanged';

export interface PlannedWrite {
  readonly kind: Kind;
  readonly deed: Deed;
  /** What is sent; for `unchanged` what is there. */
  readonly object: Resource;
  /** What was there. */
  readonly before?: Resource;
}

/**
 * The object of a file against the one on the server. The file's spec replaces the server's; so do labels and annotations
 * when the file has any, else the server's stay. Status, identity, finalizers and owners are the server's.
 */
export function planWrite(kind: Kind, wanted: Resource, current: Resource | undefined): PlannedWrite {
  if (current === undefined) {
    return { kind, deed: 'created', object: newObject(wanted) };
  }
  const object = replacement(wanted, current);
  const isSame = isDeepStrictEqual(contentOf(object), contentOf(current));
  return isSame
    ? { kind, deed: 'unchanged', object: current, before: current }
    : { kind, deed: 'configured', object, before: current };
}

function newObject({ apiVersion, kind, metadata, spec }: Resource): Resource {
  const { name, generateName, namespace, labels, annotations, finalizers, ownerReferences } = metadata;
  return plain({
    apiVersion,
    kind,
    metadata: { name, generateName, namespace, labels, annotations, finalizers, ownerReferences },
    spec,
  });
}

function replacement({ apiVersion, kind, metadata, spec }: Resource, current: Resource): Resource {
  const { labels = current.metadata.labels, annotations = current.metadata.annotations } = metadata;
  const { finalizers = current.metadata.finalizers } = metadata;
  return plain({
    apiVersion,
    kind,
    metadata: { ...current.metadata, labels, annotations, finalizers },
    spec,
  });
}

function contentOf({
  metadata: { labels = {}, annotations = {}, finalizers = [] },
  spec = {},
}: Resource): object {
  return plain({ labels, annotations, finalizers, spec });
}

/** Without undefined fields, as after a trip through JSON. */
function plain(value: object): Resource {
  return JSON.parse(JSON.stringify(value)) as Resource;
}

const ranks: Readonly<Record<string, number>> = { Workflow: 3, Job: 3, WorkflowRuleSet: 2, Task: 3 };

/** What others refer to comes first: a Workflow finds its Template and Hardware. Otherwise in the order of the files. */
export function inOrderOfReference<One extends { readonly kind: Kind }>(
  objects: readonly One[],
): readonly One[] {
  return objects.toSorted((a, b) => (ranks[a.kind.kind] ?? 1) - (ranks[b.kind.kind] ?? 1));
}
