/** "Not found" errors with suggested names. */
import { nearest, type Resource } from '@tinkerbell/resources';
import type { ApiKind } from './api-kind.ts';
import type { ApiClient, ObjectName } from './client.ts';
import { TinkFailure } from '../failure.ts';
import { ApiFailure } from './server-failure.ts';

const NAMES_SHOWN = 5;

/** Returns at most five names close to `name`: by edit distance, or containing it. */
export function closeNames(name: string, names: readonly string[]): readonly string[] {
  const slip = nearest(name, names);
  const parts = names.filter((one) => one.includes(name) || name.includes(one));
  return [...new Set([...(slip === undefined ? [] : [slip]), ...parts])].slice(0, NAMES_SHOWN);
}

/** Pure: builds the failure from the names in all namespaces. */
/** The object is absent: the advice names close ones. */
export class NotFoundFailure extends TinkFailure {
  override readonly name = 'NotFoundFailure';
}

export function notFoundFailure(
  { kind, namespace, name }: ObjectName,
  existing: readonly Resource[],
): NotFoundFailure {
  const where = kind.namespaced === false ? '' : ` in namespace ${namespace}`;
  const message = `${kind.singular} ${JSON.stringify(name)} not found${where}`;
  const elsewhere = existing
    .filter((one) => one.metadata.name === name && one.metadata.namespace !== undefined)
    .map((one) => one.metadata.namespace);
  if (elsewhere.length > 0) {
    return new NotFoundFailure(message, {
      advice: `it is in namespace ${elsewhere.join(', ')}; add -n ${elsewhere[0]}`,
    });
  }
  const names = existing
    .filter((one) => kind.namespaced === false || one.metadata.namespace === namespace)
    .map((one) => one.metadata.name);
  return new NotFoundFailure(message, { advice: adviceFor(kind, name, names) });
}

function adviceFor(kind: ApiKind, name: string, names: readonly string[]): string {
  if (names.length === 0)
    return `no ${kind.singular} exists in that namespace; "tink get ${kind.plural} -A" lists all`;
  const close = closeNames(name, names);
  const shown = names.slice(0, NAMES_SHOWN).join(', ');
  const more = names.length > NAMES_SHOWN ? `, and ${names.length - NAMES_SHOWN} more` : '';
  return close.length > 0 ? `did you mean ${close.join(' or ')}?` : `existing: ${shown}${more}`;
}

/** Runs `request`. Turns a 404 into a failure that lists close names. */
export async function withCloseNames<Result>(
  client: ApiClient,
  target: ObjectName,
  request: () => Promise<Result>,
): Promise<Result> {
  try {
    return await request();
  } catch (thrown) {
    if (!(thrown instanceof ApiFailure) || thrown.code !== 404) throw thrown;
    const { items } = await client.list(target.kind, {});
    throw notFoundFailure(target, items);
  }
}
