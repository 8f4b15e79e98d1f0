/** Creates definitions whose patterns and rules would take for ever, and objects for which they would. */
import type { SeededChoice } from '../seeded-choice.ts';
import type { Attack, AttackTarget } from './attack.ts';
import { answered, REFUSED, sent } from './hostile-answer.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
/** Keeps the number of definitions from growing. */
const KINDS = 8;
const digits = (count: number): string[] => Array.from({ length: count }, (_, at) => String(at));

/**
 * Patterns for which a backtracking matcher takes exponential time, or which are large when they are
 * compiled.
 */
const patterns: readonly ((choice: SeededChoice) => string)[] = [
  () => '^(a+)+$',
  () => '^(a|a)*$',
  () => '^([a-z]+)*[0-9]$',
  () => '^(.*a){20}$',
  () => '(x+x+)+y',
  (choice) => `^(a{1,${1 + choice.below(100)}}){1,${1 + choice.below(100)}}$`,
  (choice) => `${'a?'.repeat(1 + choice.below(300))}${'a'.repeat(1 + choice.below(300))}`,
  (choice) => `^(${'[a-z]+|'.repeat(choice.below(200))}b)*$`,
  (choice) => `(${'('.repeat(choice.below(1500))}a${')'.repeat(choice.below(1500))})`,
  (choice) => `[${'a-z'.repeat(choice.below(1000))}]{${choice.below(1200)}}`,
  () => '^(?=a)(?!b)(a)\\1$',
  () => '\\pL{900}',
  () => '(?i)(a|b|ab)*c',
];

/** Rules about `self.l`, a list, and `self.t`, a text. */
const rules: readonly ((choice: SeededChoice) => string)[] = [
  () => 'self.l.all(a, self.l.all(b, a != b || a == b))',
  (choice) => nest('self.l.all', 2 + choice.below(6)),
  (choice) => `${nest('self.l.exists', 2 + choice.below(6))} || true`,
  () => 'self.l.map(a, self.l.map(b, a + b)).size() > 0',
  () => 'self.l.filter(a, a in self.l).size() >= 0',
  (choice) => `self.t.matches('${choice.of(patterns)(choice).replaceAll('\\', '\\\\').replaceAll("'", '')}')`,
  () => 'self.l.all(a, self.t.matches(a))',
  (choice) => doubled('self.t', choice.below(60)),
  (choice) => doubled('self.l', choice.below(60)),
  (choice) => `[${digits(1 + choice.below(900)).join(',')}].all(a, [1,2,3].all(b, a + b > 0))`,
  (choice) => `${'('.repeat(choice.below(300))}true${')'.repeat(choice.below(300))}`,
  (choice) => `${'!'.repeat(choice.below(3000))}true`,
  (choice) => `self.t + "${'x'.repeat(choice.below(9000))}" != ''`,
  () => 'self == self && self.l == self.l.map(x, x)',
  () => 'self.t.split("").size() >= 0 && self.t.split("").join(self.t).size() >= 0',
];

function nest(start: string, depth: number): string {
  return depth === 0 ? '1 == 1' : `${start}(v${depth}, ${nest(start, depth - 1)})`;
}

function doubled(start: string, depth: number): string {
  const inner = (left: number): string =>
    left === 0 ? 'a.size() >= 0' : `cel.bind(a, a + a, ${inner(left - 1)})`;
  return `cel.bind(a, ${start}, ${inner(depth)})`;
}

function definitionOf(name: string, choice: SeededChoice) {
  const bounds = choice.once(2);
  const text = {
    type: 'string',
    ...(choice.once(2) ? { pattern: choice.of(patterns)(choice) } : {}),
    ...(bounds ? { maxLength: 2000 } : {}),
  };
  const spec = {
    type: 'object',
    properties: { t: text, l: { type: 'array', items: text, ...(bounds ? { maxItems: 2000 } : {}) } },
    ...(choice.once(2)
      ? {
          'x-kubernetes-validations': [
            {
              rule: choice.of(rules)(choice),
              messageExpression: choice.once(3) ? 'self.t + self.t' : undefined,
            },
          ],
        }
      : { anyOf: Array.from({ length: choice.below(300) }, (_, at) => ({ required: [`k${at}`] })) }),
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${name}s.attack.example.org` },
    spec: {
      group: 'attack.example.org',
      scope: 'Namespaced',
      names: { plural: `${name}s`, singular: name, kind: `Attack${name}`, listKind: `Attack${name}List` },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
        },
      ],
    },
  };
}

const json = { 'content-type': 'application/json' };

async function tryObjects(target: AttackTarget, name: string, choice: SeededChoice): Promise<void> {
  const long = choice.of(['a', 'x', 'ab', 'aA0 ']).repeat(2 ** choice.below(16));
  const spec = {
    t: long,
    l: Array.from({ length: 2 ** choice.below(12) }, (_, at) =>
      choice.once(2) ? `${at}` : long.slice(0, 500),
    ),
  };
  const body = JSON.stringify({
    apiVersion: 'attack.example.org/v1',
    kind: `Attack${name}`,
    metadata: { name: 'x' },
    spec,
  });
  const path = `/apis/attack.example.org/v1/namespaces/lab/${name}s?dryRun=All`;
  const response = await sent(target.send('admin', path, { method: 'POST', headers: json, body }), body);
  if (response !== undefined) await answered(`an object of ${name}`, response, [...REFUSED, 201, 404, 409]);
}

export const hostilePatterns: Attack = {
  name: 'hostile-patterns',
  sends: 'body',
  async once(target, choice: SeededChoice) {
    const name = `kind${choice.below(KINDS)}`;
    const definition = definitionOf(name, choice);
    const gone = await target.send('admin', `${definitions}/${definition.metadata.name}`, {
      method: 'DELETE',
    });
    await answered(`delete ${name}`, gone, [200, 404]);
    const body = JSON.stringify(definition);
    const made = await target.send('admin', definitions, { method: 'POST', headers: json, body });
    const status = await answered(`definition ${body.slice(0, 800)}`, made, [...REFUSED, 201, 409]);
    if (status === 201) for (let tries = 0; tries < 3; tries++) await tryObjects(target, name, choice);
  },
};

const lab = '/apis/tinkerbell.org/v1alpha1/namespaces/lab';

/** Selectors as long as a request line may be, and patterns of rule sets. */
export const hostileSelectors: Attack = {
  name: 'hostile-selectors',
  sends: 'request',
  async once(target, choice: SeededChoice) {
    const length = 2 ** choice.below(13);
    const unit = choice.of([
      ',',
      'a,',
      'a=b,',
      'a in (b,',
      '(',
      'a(',
      '!',
      ' ',
      '\\,',
      'metadata.name=a,',
      '=',
    ]);
    const text = encodeURIComponent(unit.repeat(length).slice(0, 5000));
    const path = `${lab}/hardware?${choice.of(['labelSelector', 'fieldSelector'])}=${text}`;
    await answered('a selector', await target.send('viewer', path), [200, 400, 414, 431]);
    const regexp = choice.of([
      `${'(a?)'.repeat(choice.below(600))}b`,
      '(a*)*b',
      `(a{1,${choice.below(999)}}){1,9}`,
      '(((((a|b)*)*)*)*)*',
    ]);
    const rule = JSON.stringify({
      product: { serialNumber: [{ [choice.of(['regexp', 'wildcard', 'shellstyle'])]: regexp }] },
    });
    const made = await target.send('editor', `${lab}/workflowrulesets?dryRun=All`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({
        apiVersion: 'tinkerbell.org/v1alpha1',
        kind: 'WorkflowRuleSet',
        metadata: { name: 'slow' },
        spec: { rules: Array.from({ length: 2 ** choice.below(10) }, () => rule) },
      }),
    });
    await answered('a rule set', made, [...REFUSED, 201]);
  },
};
