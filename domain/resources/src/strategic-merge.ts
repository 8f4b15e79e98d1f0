/**
 * Strategic merge patch, as far as the kinds of Kubernetes that are served have lists (apimachinery strategicpatch): objects merge as in
 * RFC 7386, lists with a merge key merge by it, sets of plain values unite, other lists are replaced. `$patch`, `$retainKeys`,
 * `$deleteFromPrimitiveList` and `$setElementOrder` are understood.
 */
import { isDeepEqual } from './deep-equal.ts';
import { isRecord, type Path } from './structure.ts';

/** The lists that merge, by path; the value is the merge key, empty for a set. */
const mergingLists: Readonly<Record<string, string>> = {
  'metadata.finalizers': '',
  'metadata.ownerReferences': 'uid',
  'status.conditions': 'type',
};

/** The patched value; neither argument is changed. */
export function strategicMerge(target: unknown, patch: unknown): unknown {
  return merged(target, patch, []);
}

function merged(target: unknown, patch: unknown, path: Path): unknown {
  if (!isRecord(patch)) return patch;
  const { $patch: directive, $retainKeys: retained } = patch;
  if (directive === 'delete') return undefined;
  const kept = directive === 'replace' || !isRecord(target) ? [] : Object.entries(target);
  const fields = new Map(Array.isArray(retained) ? kept.filter(([key]) => retained.includes(key)) : kept);
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$deleteFromPrimitiveList/')) dropFrom(fields, key, value);
    if (key.startsWith('$')) continue;
    const next = value === null ? undefined : mergedField(fields.get(key), value, [...path, key]);
    if (next === undefined) fields.delete(key);
    else fields.set(key, next);
  }
  return Object.fromEntries(fields);
}

function dropFrom(fields: Map<string, unknown>, key: string, values: unknown): void {
  const name = key.slice('$deleteFromPrimitiveList/'.length);
  const list = fields.get(name);
  if (Array.isArray(list) && Array.isArray(values))
    fields.set(
      name,
      list.filter((item) => !values.includes(item)),
    );
}

function mergedField(current: unknown, value: unknown, path: Path): unknown {
  const key = mergingLists[path.join('.')];
  if (!Array.isArray(value) || key === undefined) return merged(current, value, path);
  const items: readonly unknown[] = Array.isArray(current) ? current : [];
  if (key === '') return [...new Set([...items, ...(value as readonly unknown[])])];
  return mergedItems(items, value as readonly unknown[], { key, path });
}

function mergedItems(
  current: readonly unknown[],
  patches: readonly unknown[],
  { key, path }: { readonly key: string; readonly path: Path },
): readonly unknown[] {
  if (patches.some((patch) => isRecord(patch) && patch['$patch'] === 'replace'))
    return patches.filter((patch) => isRecord(patch) && patch['$patch'] === undefined);
  const items = [...current];
  for (const patch of patches) {
    const at = items.findIndex((item) => isDeepEqual(keyIn(item, key), keyIn(patch, key)));
    const next = merged(items[at], patch, [...path, 0]);
    if (next === undefined) {
      if (at >= 0) items.splice(at, 1);
    } else items.splice(at < 0 ? items.length : at, at < 0 ? 0 : 1, next);
  }
  return items;
}

function keyIn(item: unknown, key: string): unknown {
  return isRecord(item) ? item[key] : undefined;
}
