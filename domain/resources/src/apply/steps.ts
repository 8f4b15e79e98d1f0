/** Splits a value by steps: fields by name, and items of lists by their keys or their value. */
import { isRecord } from '@tinkerbell/yaml/json';
import type { Schema } from '../schema.ts';

export interface Part {
  readonly step: string;
  readonly part: Schema | undefined;
  readonly value: unknown;
}

/** Returns undefined for a value that is one field: plain values, atomic lists and maps, and empty values. */
export function partsOf(schema: Schema | undefined, value: unknown): readonly Part[] | undefined {
  if (Array.isArray(value)) {
    const step = itemStep(schema);
    if (step === undefined || value.length === 0) return undefined;
    return value.map((item: unknown) => ({ step: step(item), part: schema?.items, value: item }));
  }
  if (!isRecord(value) || schema?.['x-kubernetes-map-type'] === 'atomic') return undefined;
  const entries = Object.entries(value);
  if (entries.length === 0) return undefined;
  return entries.map(([key, item]) => ({ step: `f:${key}`, part: fieldSchema(schema, key), value: item }));
}

function fieldSchema(schema: Schema | undefined, key: string): Schema | undefined {
  const { properties = {}, additionalProperties } = schema ?? {};
  if (Object.hasOwn(properties, key)) return properties[key];
  return isRecord(additionalProperties) ? additionalProperties : undefined;
}

/** Returns how items of a list are named, or undefined for an atomic list. */
function itemStep(schema: Schema | undefined): ((item: unknown) => string) | undefined {
  const type = schema?.['x-kubernetes-list-type'];
  if (type === 'set') return valueStep;
  const keys = schema?.['x-kubernetes-list-map-keys'];
  if (type !== 'map' || !Array.isArray(keys)) return undefined;
  const names = keys.map(String).toSorted();
  return (item) => keyStep(item, names);
}

function valueStep(item: unknown): string {
  return `v:${JSON.stringify(item)}`;
}

function keyStep(item: unknown, names: readonly string[]): string {
  const named = names.map((name) => [name, isRecord(item) ? item[name] : undefined]);
  return `k:${JSON.stringify(Object.fromEntries(named))}`;
}

/** Returns the value at each step that has one. */
export function partsByStep(value: unknown, steps: Iterable<string>): ReadonlyMap<string, unknown> {
  const parts = new Map<string, unknown>();
  const items = Array.isArray(value) ? new ItemIndex(value) : undefined;
  for (const step of steps) {
    if (items !== undefined) items.put(step, parts);
    else if (isRecord(value)) {
      const name = step.slice(2);
      if (step.startsWith('f:') && Object.hasOwn(value, name)) parts.set(step, value[name]);
    }
  }
  return parts;
}

/** Finds items of one list by their steps. The list is read once for each kind of name. */
class ItemIndex {
  readonly #list: readonly unknown[];
  readonly #indexes = new Map<string, ReadonlyMap<string, unknown>>();
  /** The index that had the last step. It nearly always has the next one too. */
  #latest: ReadonlyMap<string, unknown> = new Map();

  constructor(list: readonly unknown[]) {
    this.#list = list;
  }

  /** Adds the item of a step, if there is one. */
  put(step: string, parts: Map<string, unknown>): void {
    if (step.startsWith('f:')) return;
    let normal = step;
    if (!this.#latest.has(step)) {
      if (step.startsWith('v:')) this.#latest = this.#indexed('', valueStep);
      else {
        const keys: unknown = JSON.parse(step.slice(2));
        const names = isRecord(keys) ? Object.keys(keys).toSorted() : [];
        this.#latest = this.#indexed(JSON.stringify(names), (item) => keyStep(item, names));
        normal = keyStep(keys, names);
      }
    }
    if (this.#latest.has(normal)) parts.set(step, this.#latest.get(normal));
  }

  /** Returns the first of several items with the same step. */
  #indexed(way: string, stepOf: (item: unknown) => string): ReadonlyMap<string, unknown> {
    let index = this.#indexes.get(way);
    if (index === undefined) {
      index = new Map(this.#list.toReversed().map((item) => [stepOf(item), item]));
      this.#indexes.set(way, index);
    }
    return index;
  }
}
