/**
 * Returns why the schema of a definition cannot be used: keywords of the wrong shape, or invalid patterns.
 */
import { isRecord } from '@tinkerbell/yaml/json';
import type { Schema } from '../schema.ts';
import { compilePattern } from './pattern.ts';
import { Steps } from './steps.ts';

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => typeof value === 'number';
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isFlag: Check = (value) => typeof value === 'boolean';
const isFlagOrNumber: Check = (value) => isFlag(value) || isNumber(value);
const isListOfSchemas: Check = (value) => Array.isArray(value) && value.every(isRecord);
const types: readonly unknown[] = ['object', 'array', 'string', 'integer', 'number', 'boolean'];

/** The keywords of JSONSchemaProps that have an effect here. Any other is kept and ignored. */
const keywords: Readonly<Record<string, readonly [check: Check, expected: string]>> = {
  type: [(value) => types.includes(value), `one of ${types.join(', ')}`],
  description: [isText, 'text'],
  format: [isText, 'text'],
  pattern: [isText, 'text'],
  nullable: [isFlag, 'true or false'],
  uniqueItems: [isFlag, 'true or false'],
  ...Object.fromEntries(
    ['maxLength', 'minLength', 'maxItems', 'minItems', 'maxProperties', 'minProperties'].map((name) => [
      name,
      [isCount, 'a whole number of 0 or more'] as const,
    ]),
  ),
  maximum: [isNumber, 'a number'],
  minimum: [isNumber, 'a number'],
  multipleOf: [(value) => isNumber(value) && Number(value) > 0, 'a number above 0'],
  exclusiveMaximum: [isFlagOrNumber, 'true, false or a number'],
  exclusiveMinimum: [isFlagOrNumber, 'true, false or a number'],
  enum: [(value) => Array.isArray(value) && value.length > 0, 'a list of values'],
  required: [(value) => Array.isArray(value) && value.every(isText), 'a list of names'],
  properties: [(value) => isRecord(value) && Object.values(value).every(isRecord), 'an object of schemas'],
  additionalProperties: [(value) => isRecord(value) || isFlag(value), 'a schema, true or false'],
  items: [isRecord, 'a schema'],
  not: [isRecord, 'a schema'],
  allOf: [isListOfSchemas, 'a list of schemas'],
  anyOf: [isListOfSchemas, 'a list of schemas'],
  oneOf: [isListOfSchemas, 'a list of schemas'],
};

/** A pattern of typical length takes 1 ms to compile. */
const STEPS_PER_PATTERN = 5000;

/** Returns the first fault, or undefined. Yields often. */
export function* schemaFault(schema: Schema): Generator<undefined, string | undefined> {
  const steps = new Steps();
  const waiting: Schema[] = [schema];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    const fault = keywordFault(one) ?? patternFault(one);
    if (fault !== undefined) return fault;
    steps.take(Object.keys(one).length + (one['pattern'] === undefined ? 0 : STEPS_PER_PATTERN));
    if (steps.isPause()) yield undefined;
    for (const inner of innerSchemas(one)) waiting.push(inner);
  }
  return undefined;
}

function keywordFault(schema: Schema): string | undefined {
  for (const [name, value] of Object.entries(schema)) {
    const [check, expected] = (Object.hasOwn(keywords, name) && keywords[name]) || [];
    if (check?.(value) === false)
      return `${name}: ${JSON.stringify(value).slice(0, 80)}: must be ${expected}`;
  }
  return undefined;
}

function patternFault({ pattern }: Schema): string | undefined {
  if (typeof pattern !== 'string') return undefined;
  const compiled = compilePattern(pattern);
  return compiled.ok ? undefined : `pattern: ${JSON.stringify(pattern.slice(0, 200))}: ${compiled.fault}`;
}

/** Returns all schemas that are directly in a schema. */
export function innerSchemas(schema: Schema): readonly Schema[] {
  const { properties = {}, items, additionalProperties, not } = schema;
  const combined = ['allOf', 'anyOf', 'oneOf'].flatMap((name) => {
    const schemas = schema[name];
    return Array.isArray(schemas) ? (schemas as readonly unknown[]) : [];
  });
  const all = [...Object.values(properties), items, additionalProperties, not, ...combined];
  return all.filter((one): one is Schema => isRecord(one));
}
