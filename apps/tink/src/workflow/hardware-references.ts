/** Resolves a Hardware's `spec.references` for local rendering. */
import { kinds, type Hardware, type Resource } from '@tinkerbell/resources';
import type { Session } from '../client/session.ts';

/** Assumes that the server's rules allow all references. The server checks again. Undefined if there are none. */
export async function referencesOf(
  { client }: Session,
  hardware: Hardware | undefined,
): Promise<Readonly<Record<string, Resource>> | undefined> {
  const named = hardware?.spec?.references;
  if (named === undefined) return undefined;
  const found: [name: string, object: Resource][] = [];
  for (const [key, reference] of Object.entries(named)) {
    const { group = '', version, resource = '', namespace = '', name = '' } = reference;
    const kind = kinds.find(
      (one) =>
        one.group === group.toLowerCase() && one.version === version && one.plural === resource.toLowerCase(),
    );
    const object = kind === undefined ? undefined : await client.find({ kind, namespace, name });
    if (object !== undefined) found.push([key, object]);
  }
  return Object.fromEntries(found);
}
