/** Selects the WorkflowRuleSet of a machine (upstream enrollment.go). */
import {
  matches,
  MatchSteps,
  MatchTooLong,
  parsePattern,
  type ParsedPattern,
} from '@tinkerbell/event-pattern';
import type { WorkflowRuleSet } from '@tinkerbell/resources';
import type { AttributesJson } from './attributes-json.ts';

export interface RuleSetResult {
  /** `<namespace>/<name>` */
  readonly name: string;
  readonly rules: number;
  /** The number of matching rules. It is 0 when one is invalid, as in upstream. */
  readonly matching: number;
  /** Patterns that are invalid or take too long, by their index. */
  readonly invalid: readonly { readonly rule: number; readonly message: string }[];
}

export interface RuleSetMatch {
  /** The set with most matching rules. Of several, the first by namespace and name. Absent when nothing matches. */
  readonly winner?: WorkflowRuleSet;
  readonly results: readonly RuleSetResult[];
}

/** Absent attributes match nothing. */
export function matchRuleSets(
  ruleSets: readonly WorkflowRuleSet[],
  attributes: AttributesJson | undefined,
): RuleSetMatch {
  const ordered = ruleSets.toSorted((a, b) => compare(nameOf(a), nameOf(b)));
  const results = ordered.map((ruleSet) => resultOf(ruleSet, attributes));
  let best = 0;
  let winner: WorkflowRuleSet | undefined;
  for (const [index, { matching }] of results.entries()) {
    if (matching <= best) continue;
    best = matching;
    winner = ordered[index];
  }
  return winner === undefined ? { results } : { winner, results };
}

const SETS_SHOWN = 10;
const INVALID_SHOWN = 3;

/** One line for the operator with the result of every set, or of the first ten sets. */
export function explainRuleSets(results: readonly RuleSetResult[]): string {
  if (results.length === 0) return 'there is no WorkflowRuleSet';
  const shown = results.slice(0, SETS_SHOWN).map(({ name, rules, matching, invalid }) => {
    const wrong = invalid.slice(0, INVALID_SHOWN);
    const reasons = wrong.map(({ rule, message }) => `; rule ${rule + 1} is invalid: ${message}`);
    const therefore = wrong.length > 0 ? ', so that the set does not count' : '';
    return `${name}: ${matching} of ${rules} rules match${reasons.join('')}${therefore}`;
  });
  const more = results.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

/**
 * The steps of all rules of one set for one machine: 2 ms at worst, and 15 ms with deliberately slow regular
 * expressions. Most rules take about a hundred steps.
 */
const SET_STEPS_MAX = 100_000;

function resultOf(ruleSet: WorkflowRuleSet, attributes: AttributesJson | undefined): RuleSetResult {
  const rules = ruleSet.spec?.rules ?? [];
  const invalid: { rule: number; message: string }[] = [];
  const steps = new MatchSteps(SET_STEPS_MAX);
  let matching = 0;
  for (const [rule, parsed] of parsedRules(rules).entries()) {
    if (!parsed.ok) {
      invalid.push({ rule, message: `${parsed.error.message}, at character ${parsed.error.offset + 1}` });
      continue;
    }
    try {
      matching += matches(parsed.pattern, attributes, steps) ? 1 : 0;
    } catch (thrown) {
      if (!(thrown instanceof MatchTooLong)) throw thrown;
      invalid.push({ rule, message: thrown.message });
    }
  }
  return { name: nameOf(ruleSet), rules: rules.length, matching: invalid.length > 0 ? 0 : matching, invalid };
}

/** A set is evaluated for each machine that connects, and changes rarely. */
const parsedSets = new WeakMap<readonly string[], readonly ParsedPattern[]>();

function parsedRules(rules: readonly string[]): readonly ParsedPattern[] {
  let parsed = parsedSets.get(rules);
  if (parsed === undefined) parsedSets.set(rules, (parsed = rules.map(parsePattern)));
  return parsed;
}

function nameOf({ metadata }: WorkflowRuleSet): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
