import type { Resource } from '@tinkerbell/resources';
import { hardwareCollection, workflowCollection, type Collection } from '@tinkerbell/store-contract';

/** The place of an object in the view and its indexes. A change that keeps the object's keys replaces the object in it, and no index. */
export interface Held<Object extends object = Resource> {
  object: Object;
}

/** By collection, and there by namespace and name. */
export type Objects = Map<string, Map<string, Held>>;

/** Returns the place as one of the collection's objects. It must be that of one. */
export function heldIn<Object extends Resource>(
  _collection: Collection<Object>,
  held: Held | undefined,
): Held<Object> | undefined {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- All objects of a collection have its type.
  return held as Held<Object> | undefined;
}

/** Returns true if both versions of an object have the same place in every index. Most changes keep the spec. */
export function hasSameKeys(collection: string, one: Resource, other: Resource): boolean {
  if (collection === hardwareCollection.name) return one.spec === other.spec;
  if (collection !== workflowCollection.name) return true;
  const [agentId, otherId] = [one, other].map((each) => workflowCollection.typed(each).status?.agentID);
  return one.spec === other.spec && agentId === otherId;
}
