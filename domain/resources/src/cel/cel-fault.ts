/**
 * Returns why the rules of a definition cannot be used: one is not an expression, or they may cost too much.
 */
import { isRecord } from '@tinkerbell/yaml/json';
import type { Schema } from '../schema.ts';
import { estimatedCost } from './cost-estimate.ts';
import { programOf } from './program.ts';
import { hasRules, rulesOf } from './rule-schema.ts';
import { asManyAsFit, sizeOf } from './shape.ts';

/** The limit of rules in one definition. Gateway API's largest has 40. */
const RULES_MAX = 1000;
/**
 * The limits for one rule at all its places, and for all rules. They are Kubernetes' own limits on estimates.
 */
const RULE_ESTIMATE_MAX = 10_000_000;
const DEFINITION_ESTIMATE_MAX = 100_000_000;

interface Place {
  readonly schema: Schema;
  /** How many values of the schema one object can contain. */
  readonly count: number;
}

/** Returns the first fault, or undefined. Yields after each rule. */
export function* celFault(whole: Schema): Generator<undefined, string | undefined> {
  let rules = 0;
  let cost = 0;
  const waiting: Place[] = [{ schema: whole, count: 1 }];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const { schema, count } = place;
    for (const { rule, messageExpression } of rulesOf(schema)) {
      rules += 1;
      if (rules > RULES_MAX) return `more than ${RULES_MAX} rules`;
      for (const text of messageExpression === undefined ? [rule] : [rule, messageExpression]) {
        const estimated = estimateOf(text, schema, Math.min(count, asManyAsFit(schema)));
        if ('fault' in estimated) return `rule ${JSON.stringify(text.slice(0, 200))}: ${estimated.fault}`;
        cost += estimated.cost;
      }
      yield undefined;
    }
    for (const inner of inside(place)) waiting.push(inner);
  }
  return cost > DEFINITION_ESTIMATE_MAX
    ? tooMuch('all rules together', cost / DEFINITION_ESTIMATE_MAX)
    : undefined;
}

function inside({ schema, count }: Place): readonly Place[] {
  const { properties = {}, items, additionalProperties } = schema;
  const fields = Object.values(properties).map((field) => ({ schema: field, count }));
  const repeated = [items, additionalProperties]
    .filter((one) => isRecord(one))
    .map((one) => ({ schema: one, count: count * sizeOf(schema) }));
  return [...fields, ...repeated].filter((one) => hasRules(one.schema));
}

function estimateOf(
  text: string,
  schema: Schema,
  count: number,
): { readonly cost: number } | { readonly fault: string } {
  try {
    const cost = estimatedCost(programOf(text).tree, schema) * count;
    if (cost <= RULE_ESTIMATE_MAX) return { cost };
    return { fault: tooMuch('the rule', cost / RULE_ESTIMATE_MAX) };
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return { fault: message.split('\n')[0] ?? '' };
  }
}

function tooMuch(what: string, factor: number): string {
  const way =
    'simplify it, or add maxItems, maxProperties and maxLength where lists, maps and strings are declared';
  return `the estimated cost of ${what} exceeds the budget by a factor of ${factor.toPrecision(2)}; ${way}`;
}
