/** Kinds of which TypeScript knows the objects. */
import { apiVersionOf, type Kind } from './kind.ts';
import type { Resource } from './resource.ts';

declare const objectType: unique symbol;

/** What carries the type; no value has such a field. */
export interface ObjectsOf<Object extends Resource> {
  readonly [objectType]?: Object;
}

/** A kind whose objects have the type. */
export interface KindOf<Object extends Resource> extends Kind, ObjectsOf<Object> {}

/** True for an object of the kind. Objects are valid by the schema of their kind, because the server has checked them. */
export function isOfKind<Object extends Resource>(object: Resource, kind: KindOf<Object>): object is Object {
  return object.kind === kind.kind && object.apiVersion === apiVersionOf(kind);
}

/** Returns the object with its type. Throws for an object of another kind, which is a bug. */
export function ofKind<Object extends Resource>(object: Resource, kind: KindOf<Object>): Object {
  if (isOfKind(object, kind)) return object;
  throw new Error(`${object.apiVersion} ${object.kind} is not ${apiVersionOf(kind)} ${kind.kind}`);
}
