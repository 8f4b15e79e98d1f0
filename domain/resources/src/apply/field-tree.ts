/**
 * Sets of fields as in server-side apply (structured-merge-diff, FieldsV1), represented as trees: `f:name` is
 * a field, `k:{…}` an item of a list with keys, `v:…` an item of a set. A node without children is an owned
 * field. Every function takes time linear in its trees.
 */
import { isRecord } from '@tinkerbell/yaml/json';
import { isDeepEqual } from '../deep-equal.ts';
import { partsByStep } from './steps.ts';

export type FieldTree = ReadonlyMap<string, FieldTree>;

export const leaf: FieldTree = new Map();
/** The number of fields between two pauses. */
export const FIELDS_AT_ONCE = 500;

/** Applies `inner` to each step of a tree, and omits steps for which it returns nothing. */
function mapped(
  tree: FieldTree,
  inner: (step: string, below: FieldTree) => FieldTree | undefined,
): FieldTree {
  const result = new Map<string, FieldTree>();
  for (const [step, below] of tree) {
    const made = inner(step, below);
    if (made !== undefined) result.set(step, made);
  }
  return result;
}

function unlessEmpty(tree: FieldTree): FieldTree | undefined {
  return tree.size === 0 ? undefined : tree;
}

/** Returns the fields of the first tree that are not in the second. */
export function minus(tree: FieldTree, other: FieldTree | undefined): FieldTree {
  return mapped(tree, (step, below) => {
    const same = other?.get(step);
    if (same === undefined) return below;
    if (below.size === 0) return same.size === 0 ? undefined : leaf;
    return unlessEmpty(minus(below, same));
  });
}

/** Returns the fields that are in both. */
export function shared(tree: FieldTree, other: FieldTree): FieldTree {
  return mapped(tree, (step, below) => {
    const same = other.get(step);
    if (same === undefined) return undefined;
    if (below.size === 0) return same.size === 0 ? leaf : undefined;
    return unlessEmpty(shared(below, same));
  });
}

/** Returns the fields that are in either. */
export function union(tree: FieldTree, other: FieldTree): FieldTree {
  if (tree.size === 0) return other;
  const result = new Map(tree);
  for (const [step, below] of other) {
    const own = result.get(step);
    result.set(step, own === undefined ? below : union(own, below));
  }
  return result;
}

/** Returns the fields of the tree that differ between two values. */
export function differing(tree: FieldTree, left: unknown, right: unknown): FieldTree {
  const [ours, theirs] = [partsByStep(left, tree.keys()), partsByStep(right, tree.keys())];
  return mapped(tree, (step, below) => {
    const [one, other] = [ours.get(step), theirs.get(step)];
    if (below.size > 0) return unlessEmpty(differing(below, one, other));
    return isDeepEqual(one, other) ? undefined : leaf;
  });
}

/** Returns the value without the fields of the tree. An item with only its keys left is removed too. */
export function without(value: unknown, tree: FieldTree): unknown {
  if (tree.size === 0) return value;
  const parts = partsByStep(value, tree.keys());
  if (Array.isArray(value)) return listWithout(value, tree, parts);
  if (!isRecord(value)) return value;
  const left = new Map(Object.entries(value));
  for (const [step, below] of tree) {
    const name = step.slice(2);
    if (!parts.has(step)) continue;
    const next = below.size === 0 ? undefined : without(parts.get(step), below);
    if (next === undefined || (isRecord(next) && Object.keys(next).length === 0)) left.delete(name);
    else left.set(name, next);
  }
  return Object.fromEntries(left);
}

function listWithout(
  list: readonly unknown[],
  tree: FieldTree,
  parts: ReadonlyMap<string, unknown>,
): readonly unknown[] {
  const gone = new Set<unknown>();
  const changed = new Map<unknown, unknown>();
  for (const [step, item] of parts) {
    const below = tree.get(step) ?? leaf;
    const next = below.size === 0 ? undefined : without(item, below);
    const keys: unknown = JSON.parse(step.slice(2));
    const names = isRecord(keys) ? Object.keys(keys) : [];
    const isGone = isRecord(next)
      ? Object.keys(next).every((name) => names.includes(name))
      : next === undefined;
    if (isGone) gone.add(item);
    else changed.set(item, next);
  }
  return list.filter((item) => !gone.has(item)).map((item) => (changed.has(item) ? changed.get(item) : item));
}

/** Converts a tree to the format of managedFields. Yields between some hundreds of fields. */
export function* toFieldsV1(tree: FieldTree): Generator<undefined, Record<string, unknown>> {
  const steps = [...tree.keys()].toSorted();
  const fields: Record<string, unknown> = {};
  for (const [index, step] of steps.entries()) {
    if (index % FIELDS_AT_ONCE === 0) yield undefined;
    const below = tree.get(step) ?? leaf;
    fields[step] = below.size === 0 ? {} : yield* toFieldsV1(below);
  }
  return fields;
}

export function fromFieldsV1(fields: unknown): FieldTree {
  const tree = new Map<string, FieldTree>();
  if (isRecord(fields))
    for (const [step, below] of Object.entries(fields)) if (step !== '.') tree.set(step, fromFieldsV1(below));
  return tree;
}

/**
 * Returns `.data.x` or `.spec.list[k="v"]`, as Kubernetes names fields in conflicts, up to a maximum number.
 */
export function fieldNames(tree: FieldTree, max: number): readonly string[] {
  const names: string[] = [];
  const visit = (below: FieldTree, path: string): void => {
    for (const [step, inner] of below) {
      if (names.length >= max) return;
      const next = `${path}${step.startsWith('f:') ? `.${step.slice(2)}` : `[${step.slice(2)}]`}`;
      if (inner.size === 0) names.push(next);
      else visit(inner, next);
    }
  };
  visit(tree, '');
  return names;
}
