/**
 * Evaluates the rules of `x-kubernetes-validations`, in the Common Expression Language, at every place of a
 * schema.
 */
import { isRecord } from '@tinkerbell/yaml/json';
import { isDeepEqual } from '../deep-equal.ts';
import type { Problem } from '../problem.ts';
import { pathOf, type Place } from '../schema/place.ts';
import type { Schema } from '../schema.ts';
import { CelBudget, overBudget } from './budget.ts';
import {
  celValue,
  fieldSchema,
  hasRules,
  hasTransitionRules,
  isTransitionRule,
  rulesOf,
  type Rule,
} from './rule-schema.ts';
import { programOf } from './program.ts';

/** The limit of reported failures for one object, so that a definition cannot flood its clients. */
const PROBLEMS_MAX = 20;
/** The length of a rule in a message. */
const RULE_SHOWN_MAX = 200;
/** The length of a rule's message, or of an expression's result. Kubernetes allows 5 kB. */
const MESSAGE_CHARACTERS_MAX = 1000;

/**
 * Returns what the rules refuse. `before` is the previous value. Rules with `oldSelf` run only where there is
 * one. Yields often.
 */
export function* celProblems(
  schema: Schema,
  value: unknown,
  before: unknown,
): Generator<undefined, readonly Problem[]> {
  const problems: Problem[] = [];
  if (!hasRules(schema)) return problems;
  const budget = new CelBudget();
  const waiting: Ruled[] = [{ schema, value, before, place: undefined }];
  for (let one = waiting.pop(); one !== undefined && problems.length < PROBLEMS_MAX; one = waiting.pop()) {
    if (one.value === null) continue;
    const ruled = converted(one);
    for (const rule of rulesOf(ruled.schema)) {
      const problem = problemOf(rule, ruled, budget);
      if (problem !== undefined) problems.push(problem);
      if (budget.isPause()) yield undefined;
    }
    for (const inner of inside(ruled).toReversed()) waiting.push(inner);
  }
  return problems;
}

/** A value and its rules. */
interface Ruled {
  readonly schema: Schema;
  readonly value: unknown;
  readonly before: unknown;
  readonly place: Place | undefined;
  /** Both values in CEL's form. They are converted, with everything inside, where the outermost rules are. */
  readonly cel?: { readonly self: unknown; readonly oldSelf: unknown };
}

function converted(ruled: Ruled): Ruled {
  const { schema, value, before, cel } = ruled;
  if (cel !== undefined || rulesOf(schema).length === 0) return ruled;
  const oldSelf = before === undefined ? null : celValue(schema, before);
  return { ...ruled, cel: { self: celValue(schema, value), oldSelf } };
}

/** Returns the values inside that have rules, or contain values that have. */
function inside(ruled: Ruled): readonly Ruled[] {
  const { schema, value, before } = ruled;
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined || !hasRules(items)) return [];
    return value.map((item: unknown, step) =>
      partAt(ruled, step, { schema: items, value: item, before: undefined }),
    );
  }
  if (!isRecord(value)) return [];
  const parts: Ruled[] = [];
  for (const step of Object.keys(value)) {
    const field = fieldSchema(schema, step);
    if (field === undefined || !hasRules(field)) continue;
    const part = { schema: field, value: value[step], before: partOf(before, step) };
    if (!isSettled(part)) parts.push(partAt(ruled, step, part));
  }
  return parts;
}

/** As in Kubernetes since 1.33, an unchanged value is refused only by a rule about the change. */
function isSettled({ schema, value, before }: Part): boolean {
  return isRecord(value) && isDeepEqual(value, before) && !hasTransitionRules(schema);
}

type Part = Pick<Ruled, 'schema' | 'value' | 'before'>;

function partAt({ place, cel }: Ruled, step: string | number, part: Part): Ruled {
  const placed = { ...part, place: { within: place, step } };
  if (cel === undefined) return placed;
  const oldSelf = part.before === undefined ? null : partOf(cel.oldSelf, step);
  return { ...placed, cel: { self: partOf(cel.self, step), oldSelf } };
}

function partOf(value: unknown, step: string | number): unknown {
  if (Array.isArray(value)) return value[Number(step)];
  return isRecord(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

function problemOf(rule: Rule, { before, place, cel }: Ruled, budget: CelBudget): Problem | undefined {
  if (before === undefined && isTransitionRule(rule)) return undefined;
  const variables = { self: cel?.self, oldSelf: cel?.oldSelf ?? null };
  const refused = (message: string): Problem => {
    const path = [...pathOf(place), ...(rule.fieldPath ?? '').split('.').filter((step) => step !== '')];
    return { reason: 'invalid', path, message };
  };
  try {
    if (programOf(rule.rule).run(variables, budget) === true) return undefined;
    return refused(messageOf(rule, variables, budget));
  } catch (thrown) {
    const fault = (thrown instanceof Error ? thrown.message : String(thrown)).split('\n')[0];
    return refused(
      `rule ${JSON.stringify(rule.rule.slice(0, RULE_SHOWN_MAX))} fails: ${fault?.slice(0, RULE_SHOWN_MAX)}`,
    );
  }
}

function messageOf(
  { rule, message, messageExpression }: Rule,
  variables: Readonly<Record<string, unknown>>,
  budget: CelBudget,
): string {
  const plain = (message ?? `failed rule: ${rule}`).slice(0, MESSAGE_CHARACTERS_MAX);
  if (messageExpression === undefined) return plain;
  try {
    const text = programOf(messageExpression).run(variables, budget);
    return typeof text === 'string' && text !== '' ? text.slice(0, MESSAGE_CHARACTERS_MAX) : plain;
  } catch (thrown) {
    // The plain message is reported instead, as in Kubernetes.
    return thrown === overBudget ? `${plain} (its messageExpression costs too much)` : plain;
  }
}
