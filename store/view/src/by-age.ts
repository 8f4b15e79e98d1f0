import type { Resource } from '@tinkerbell/resources';

/** Orders objects of one namespace by their creation. Neither their name nor the time of it ever changes. */
export function byAge(a: Resource, b: Resource): number {
  const [one, two] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''];
  if (one !== two) return one < two ? -1 : 1;
  return a.metadata.name < b.metadata.name ? -1 : 1;
}
