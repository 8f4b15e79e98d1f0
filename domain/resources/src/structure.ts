/**
 * Walks a value beside its schema. It fills in defaults and finds fields that the schema does not know, as
 * the Kubernetes API does for structural schemas. The value itself is not changed.
 */
import { isRecord } from '@tinkerbell/yaml/json';
import { hasPassed } from './schema/passed-values.ts';
import { pathOf, type Path, type Place } from './schema/place.ts';
import { Steps } from './schema/steps.ts';
import type { Schema } from './schema.ts';

/** The number of unknown fields whose places are kept. Further ones are counted. */
const UNKNOWN_KEPT_MAX = 100;

export interface Structured {
  /** The value with defaults filled in and unknown fields removed. */
  readonly value: unknown;
  /** The first hundred unknown fields. */
  readonly unknownFields: readonly Path[];
  /** The number of all unknown fields. */
  readonly unknownCount: number;
}

/** Yields often. */
export function* structured(schema: Schema, value: unknown): Generator<undefined, Structured> {
  const walk = new StructureWalk();
  const result = walk.placed(schema, value, undefined);
  yield* walk.run();
  return { value: result, unknownFields: walk.unknown.map(pathOf), unknownCount: walk.unknownCount };
}

interface Work {
  readonly schema: Schema;
  readonly from: unknown[] | Record<string, unknown>;
  /** The result for the value. It is empty at first, and filled in its turn. */
  readonly to: unknown[] | Record<string, unknown>;
  readonly place: Place | undefined;
}

class StructureWalk {
  readonly unknown: Place[] = [];
  unknownCount = 0;
  readonly #waiting: Work[] = [];
  readonly #steps = new Steps();

  *run(): Generator<undefined, void> {
    for (let work = this.#waiting.pop(); work !== undefined; work = this.#waiting.pop()) {
      const { from, to } = work;
      if (Array.isArray(from) && Array.isArray(to)) yield* this.#fillList(work, from, to);
      else if (isRecord(from) && isRecord(to)) this.#fillObject(work, from, to);
      if (this.#steps.isPause()) yield undefined;
    }
  }

  /** Returns the value for the result. Lists and objects that the schema describes are filled later. */
  placed(schema: Schema, from: unknown, place: Place | undefined): unknown {
    if (Array.isArray(from)) {
      if (schema.items === undefined) return from;
      return this.#later({ schema, from, to: [], place });
    }
    if (!isRecord(from) || isFree(schema) || hasPassed(schema, from)) return from;
    return this.#later({ schema, from, to: {}, place });
  }

  #later(work: Work): unknown {
    this.#waiting.push(work);
    return work.to;
  }

  *#fillList({ schema, place }: Work, from: readonly unknown[], to: unknown[]): Generator<undefined, void> {
    const { items = {} } = schema;
    for (const [step, item] of from.entries()) {
      to.push(this.placed(items, item, { within: place, step }));
      this.#steps.take(1);
      if (this.#steps.isPause()) yield undefined;
    }
  }

  #fillObject({ schema, place }: Work, from: Record<string, unknown>, target: Record<string, unknown>): void {
    const { properties = {} } = schema;
    const names = Object.keys(from);
    this.#steps.take(1 + names.length);
    for (const step of names) {
      const item = from[step];
      const field = fieldOf(schema, step);
      if (field === undefined) this.#unknownField(schema, item, { to: target, within: place, step });
      else if (!isUnset(field, item, schema))
        set(target, step, this.placed(field, item, { within: place, step }));
    }
    for (const [step, { default: value }] of defaultsOf(schema))
      if (!Object.hasOwn(target, step))
        set(target, step, this.placed(properties[step] ?? {}, value, { within: place, step }));
  }

  #unknownField(
    schema: Schema,
    item: unknown,
    { to, ...place }: Place & { readonly to: Record<string, unknown> },
  ): void {
    if (keepsUnknown(schema, String(place.step))) {
      set(to, String(place.step), item);
      return;
    }
    if (this.unknown.length < UNKNOWN_KEPT_MAX) this.unknown.push(place);
    this.unknownCount += 1;
  }
}

function fieldOf({ properties, additionalProperties }: Schema, name: string): Schema | undefined {
  if (properties === undefined) return isRecord(additionalProperties) ? additionalProperties : undefined;
  return Object.hasOwn(properties, name) ? (properties[name] ?? {}) : undefined;
}

/** As in Kubernetes, null means the default where the schema has one and does not allow null. */
function isUnset(field: Schema, value: unknown, { properties }: Schema): boolean {
  return (
    value === null && properties !== undefined && field.default !== undefined && field['nullable'] !== true
  );
}

/** Objects that the schema does not describe stay unchanged. */
function isFree(schema: Schema): boolean {
  if (schema.properties !== undefined || isRecord(schema.additionalProperties)) return false;
  // In a CustomResourceDefinition an object without properties has no fields, unless it allows any.
  return schema['x-kubernetes-prune-free-objects'] !== true;
}

const defaults = new WeakMap<Schema, readonly (readonly [string, Schema])[]>();

/** Returns the fields of a schema that have a default. They are few, while fields may be many. */
function defaultsOf(schema: Schema): readonly (readonly [string, Schema])[] {
  let found = defaults.get(schema);
  if (found === undefined) {
    found = Object.entries(schema.properties ?? {}).filter(([, field]) => field.default !== undefined);
    defaults.set(schema, found);
  }
  return found;
}

function keepsUnknown(schema: Schema, key: string): boolean {
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return true;
  return (
    schema['x-kubernetes-embedded-resource'] === true && ['apiVersion', 'kind', 'metadata'].includes(key)
  );
}

/** Treats a field named `__proto__` like any other. */
function set(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
  else target[name] = value;
}

/** Returns the schema of the field at `path`, or undefined. */
export function schemaAt(schema: Schema, path: Path): Schema | undefined {
  let current: Schema | undefined = schema;
  for (const step of path) {
    if (current === undefined) return undefined;
    current = typeof step === 'number' ? current.items : fieldOf(current, step);
  }
  return current;
}
