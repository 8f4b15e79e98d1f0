/**
 * Applies a strategic merge patch, as far as the served Kubernetes kinds have lists (apimachinery
 * strategicpatch). Objects merge as in RFC 7386, lists with a merge key merge by it, sets of plain values are
 * united, and other lists are replaced. `$patch`, `$retainKeys`, `$deleteFromPrimitiveList` and
 * `$setElementOrder` are supported.
 */
import { isRecord } from '@tinkerbell/yaml/json';
import type { Path } from './schema/place.ts';

/** The lists that merge, by path. The value is the merge key, and empty for a set. */
const mergingLists: Readonly<Record<string, string>> = {
  'metadata.finalizers': '',
  'metadata.ownerReferences': 'uid',
  'status.conditions': 'type',
  // Lists of a ServiceAccount.
  secrets: 'name',
  imagePullSecrets: 'name',
};

/** Returns the patched value, and yields after each object. Neither argument is changed. */
export function* strategicMerge(target: unknown, patch: unknown): Generator<undefined, unknown> {
  return yield* merged(target, patch, []);
}

function* merged(target: unknown, patch: unknown, path: Path): Generator<undefined, unknown> {
  if (!isRecord(patch)) return patch;
  const { $patch: directive, $retainKeys: retained } = patch;
  if (directive === 'delete') return undefined;
  const kept = directive === 'replace' || !isRecord(target) ? [] : Object.entries(target);
  const names = Array.isArray(retained) ? new Set<unknown>(retained) : undefined;
  const fields = new Map(names === undefined ? kept : kept.filter(([key]) => names.has(key)));
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$deleteFromPrimitiveList/')) dropFrom(fields, key, value);
    if (key.startsWith('$')) continue;
    const next = value === null ? undefined : yield* mergedField(fields.get(key), value, [...path, key]);
    if (next === undefined) fields.delete(key);
    else fields.set(key, next);
  }
  yield undefined;
  return Object.fromEntries(fields);
}

function dropFrom(fields: Map<string, unknown>, key: string, values: unknown): void {
  const name = key.slice('$deleteFromPrimitiveList/'.length);
  const list = fields.get(name);
  if (!Array.isArray(list) || !Array.isArray(values)) return;
  const dropped = new Set<unknown>(values);
  fields.set(
    name,
    list.filter((item) => !dropped.has(item)),
  );
}

function* mergedField(current: unknown, value: unknown, path: Path): Generator<undefined, unknown> {
  const key = mergingLists[path.join('.')];
  if (!Array.isArray(value) || key === undefined) return yield* merged(current, value, path);
  const items: readonly unknown[] = Array.isArray(current) ? current : [];
  if (key === '') return [...new Set([...items, ...(value as readonly unknown[])])];
  return yield* mergedItems(items, value as readonly unknown[], { key, path });
}

function* mergedItems(
  current: readonly unknown[],
  patches: readonly unknown[],
  { key, path }: { readonly key: string; readonly path: Path },
): Generator<undefined, readonly unknown[]> {
  if (patches.some((patch) => isRecord(patch) && patch['$patch'] === 'replace'))
    return patches.filter((patch) => isRecord(patch) && patch['$patch'] === undefined);
  // Uses the key's text, because lists of patches and of items may both be long.
  const items = new Map<string, unknown>(
    current.map((item, at) => [keyOf(item, key) ?? `unnamed ${at}`, item]),
  );
  for (const [at, patch] of patches.entries()) {
    const name = keyOf(patch, key) ?? `new ${at}`;
    const next = yield* merged(items.get(name), patch, [...path, 0]);
    if (next === undefined) items.delete(name);
    else items.set(name, next);
  }
  return [...items.values()];
}

/** Returns undefined for an item without the key. */
function keyOf(item: unknown, key: string): string | undefined {
  const value = isRecord(item) ? item[key] : undefined;
  return value === undefined ? undefined : JSON.stringify(value);
}
