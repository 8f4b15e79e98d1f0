import type { ObjectMeta } from './resource.ts';

/** The metadata of an object that may be cluster-scoped, and then has no namespace. */
export function objectMeta(
  fields: Omit<ObjectMeta, 'namespace'> & Partial<Pick<ObjectMeta, 'namespace'>>,
): ObjectMeta {
  return fields as ObjectMeta;
}
