/** Finds the rules of a schema, and converts values for rules. */
import { isRecord } from '@tinkerbell/yaml/json';
import type { Schema } from '../schema.ts';

export interface Rule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly fieldPath?: string;
  readonly reason?: string;
}

export function rulesOf(schema: Schema): readonly Rule[] {
  const rules = schema['x-kubernetes-validations'];
  return Array.isArray(rules) ? (rules as readonly Rule[]) : [];
}

export function fieldSchema({ properties, additionalProperties }: Schema, key: string): Schema | undefined {
  if (properties !== undefined && Object.hasOwn(properties, key)) return properties[key];
  return isRecord(additionalProperties) ? additionalProperties : undefined;
}

export function partsOf({ properties = {}, items, additionalProperties }: Schema): readonly Schema[] {
  const parts = [...Object.values(properties), items, additionalProperties];
  return parts.filter((part): part is Schema => isRecord(part));
}

const known = new WeakMap<Schema, boolean>();

/** Returns true if the schema or anything in it has a rule. */
export function hasRules(schema: Schema): boolean {
  let has = known.get(schema);
  if (has === undefined) {
    has = rulesOf(schema).length > 0 || partsOf(schema).some(hasRules);
    known.set(schema, has);
  }
  return has;
}

const comparing = new WeakMap<Schema, boolean>();

/** Returns true if a rule of the schema, or of anything in it, compares with the value before. */
export function hasTransitionRules(schema: Schema): boolean {
  let has = comparing.get(schema);
  if (has === undefined) {
    has = rulesOf(schema).some(isTransitionRule) || partsOf(schema).some(hasTransitionRules);
    comparing.set(schema, has);
  }
  return has;
}

export function isTransitionRule({ rule }: Rule): boolean {
  return /\boldSelf\b/.test(rule);
}

/** CEL distinguishes integers from other numbers. JSON does not, but the schema does. */
export function celValue(schema: Schema | undefined, value: unknown): unknown {
  if (typeof value === 'number') {
    const isWhole = schema?.type === 'integer' || schema?.['x-kubernetes-int-or-string'] === true;
    return isWhole && Number.isSafeInteger(value) ? BigInt(value) : value;
  }
  if (Array.isArray(value)) return value.map((item) => celValue(schema?.items, item));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      celValue(schema === undefined ? undefined : fieldSchema(schema, key), item),
    ]),
  );
}
