/** The rules of `x-kubernetes-validations`, in the Common Expression Language, at every place of a schema. */
import { Environment } from '@marcbachmann/cel-js';
import type { Problem } from './problem.ts';
import type { Schema } from './schema.ts';
import { isRecord, type Path } from './structure.ts';

interface Rule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly fieldPath?: string;
  readonly reason?: string;
}

type Evaluate = (variables: Record<string, unknown>) => unknown;

const environment = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false })
  .registerVariable('self', 'dyn')
  .registerVariable('oldSelf', 'dyn');

/** Of one object, so that a definition cannot drown its clients. */
const PROBLEMS_MAX = 20;

/** What the rules refuse. `before` is the value as it was; rules that speak of `oldSelf` hold only where there is one. */
export function celProblems(schema: Schema, value: unknown, before: unknown): readonly Problem[] {
  const problems: Problem[] = [];
  walk(schema, { value, before, path: [] }, problems);
  return problems.slice(0, PROBLEMS_MAX);
}

/** Why a rule of the schema cannot be used, or undefined. */
export function celFault(schema: Schema): string | undefined {
  for (const rule of rulesOf(schema)) {
    try {
      compiled(rule.rule);
    } catch (thrown) {
      return `rule ${JSON.stringify(rule.rule)}: ${(thrown as Error).message.split('\n')[0]}`;
    }
  }
  for (const part of partsOf(schema)) {
    const fault = celFault(part);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

interface Place {
  readonly value: unknown;
  readonly before: unknown;
  readonly path: Path;
}

function walk(schema: Schema, place: Place, problems: Problem[]): void {
  if (!hasRules(schema) || problems.length >= PROBLEMS_MAX) return;
  const { value, before, path } = place;
  if (value === null) return;
  for (const rule of rulesOf(schema)) {
    const problem = problemOf(rule, schema, place);
    if (problem !== undefined) problems.push(problem);
  }
  if (Array.isArray(value)) {
    const { items = {} } = schema;
    for (const [index, item] of value.entries())
      walk(items, { value: item, before: undefined, path: [...path, index] }, problems);
  } else if (isRecord(value)) {
    for (const [key, item] of Object.entries(value)) {
      const field = fieldSchema(schema, key) ?? {};
      walk(field, { value: item, before: fieldOf(before, key), path: [...path, key] }, problems);
    }
  }
}

function fieldOf(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function fieldSchema(schema: Schema, key: string): Schema | undefined {
  const { properties, additionalProperties } = schema;
  if (properties !== undefined && Object.hasOwn(properties, key)) return properties[key];
  return isRecord(additionalProperties) ? additionalProperties : undefined;
}

function problemOf(rule: Rule, schema: Schema, { value, before, path }: Place): Problem | undefined {
  const isTransition = /\boldSelf\b/.test(rule.rule);
  if (isTransition && before === undefined) return undefined;
  const variables = { self: celValue(schema, value), oldSelf: celValue(schema, before ?? null) };
  const at = [...path, ...(rule.fieldPath ?? '').split('.').filter((step) => step !== '')];
  try {
    if (compiled(rule.rule)(variables) === true) return undefined;
    return { reason: 'invalid', path: at, message: messageOf(rule, variables) };
  } catch (thrown) {
    const fault = (thrown as Error).message.split('\n')[0];
    return { reason: 'invalid', path: at, message: `rule ${JSON.stringify(rule.rule)} fails: ${fault}` };
  }
}

function messageOf({ rule, message, messageExpression }: Rule, variables: Record<string, unknown>): string {
  if (messageExpression === undefined) return message ?? `failed rule: ${rule}`;
  try {
    const text = compiled(messageExpression)(variables);
    if (typeof text === 'string' && text !== '') return text;
  } catch {
    // The plain message is told instead, as in Kubernetes.
  }
  return message ?? `failed rule: ${rule}`;
}

/** CEL tells integers from other numbers; JSON does not, the schema does. */
function celValue(schema: Schema | undefined, value: unknown): unknown {
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

/** Texts are few: those of the definitions that are or were served. */
const programs = new Map<string, Evaluate>();
const PROGRAMS_MAX = 1000;

function compiled(text: string): Evaluate {
  let program = programs.get(text);
  if (program === undefined) {
    const parsed = environment.parse(text);
    program = (variables) => parsed(variables);
    if (programs.size >= PROGRAMS_MAX) programs.clear();
    programs.set(text, program);
  }
  return program;
}

function rulesOf(schema: Schema): readonly Rule[] {
  const rules = schema['x-kubernetes-validations'];
  return Array.isArray(rules) ? (rules as readonly Rule[]) : [];
}

function partsOf({ properties = {}, items, additionalProperties }: Schema): readonly Schema[] {
  const parts = [...Object.values(properties), items, additionalProperties];
  return parts.filter((part): part is Schema => isRecord(part));
}

const known = new WeakMap<Schema, boolean>();

function hasRules(schema: Schema): boolean {
  let has = known.get(schema);
  if (has === undefined) {
    has = rulesOf(schema).length > 0 || partsOf(schema).some(hasRules);
    known.set(schema, has);
  }
  return has;
}
