import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validateResource, type WorkflowRuleSet } from '@tinkerbell/resources';
import {
  enrolledWorkflow,
  existingWorkflow,
  explainRuleSets,
  matchRuleSets,
  noRuleSetMatched,
} from './index.ts';

type Spec = NonNullable<WorkflowRuleSet['spec']>;

function ruleSet(name: string, rules: readonly string[], workflow: Spec['workflow'] = {}): WorkflowRuleSet {
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'WorkflowRuleSet',
    metadata: { name, namespace: 'tink', uid: `uid-${name}` },
    spec: { rules: [...rules], workflow },
  };
}

const attributes = {
  chassis: { serial: '12345' },
  networkInterfaces: [{ mac: '52:54:00:00:00:01' }, { mac: '52:54:00:00:00:02' }],
};
const serial = '{"chassis": {"serial": ["12345"]}}';
const anyMac = '{"networkInterfaces": {"mac": [{"wildcard": "*"}]}}';
const none = '{"chassis": {"serial": ["0"]}}';

const table: readonly (readonly [
  what: string,
  sets: readonly WorkflowRuleSet[],
  winner: string | undefined,
])[] = [
  ['nothing without sets', [], undefined],
  ['nothing when no rule matches', [ruleSet('a', [none]), ruleSet('b', [])], undefined],
  ['the set that matches', [ruleSet('a', [none]), ruleSet('b', [none, anyMac])], 'b'],
  ['the set with most matching rules', [ruleSet('a', [serial]), ruleSet('b', [serial, anyMac])], 'b'],
  ['the first of two equally good ones', [ruleSet('b', [serial]), ruleSet('a', [anyMac, none])], 'a'],
  ['no set with an invalid rule', [ruleSet('a', ['x', serial]), ruleSet('b', [serial])], 'b'],
];

for (const [what, sets, winner] of table)
  test(`chooses ${what}`, () => {
    assert.equal(matchRuleSets(sets, attributes).winner?.metadata.name, winner);
  });

test('chooses nothing for an agent without attributes', () => {
  assert.equal(
    matchRuleSets([ruleSet('a', [anyMac, '{"x":[{"exists":false}]}'])], undefined).winner,
    undefined,
  );
});

test('reports the result of every set, and which rules are invalid', () => {
  const { results } = matchRuleSets([ruleSet('b', [none]), ruleSet('a', ['{"a":1}', serial])], attributes);
  assert.deepEqual(results, [
    {
      name: 'tink/a',
      rules: 2,
      matching: 0,
      invalid: [{ rule: 0, message: 'expected a list of values, or an object, at character 6' }],
    },
    { name: 'tink/b', rules: 1, matching: 0, invalid: [] },
  ]);
  assert.equal(
    explainRuleSets(results),
    'tink/a: 0 of 2 rules match; rule 1 is invalid: expected a list of values, or an object, at character 6, so that the set does not count; tink/b: 0 of 1 rules match',
  );
  assert.equal(explainRuleSets([]), 'there is no WorkflowRuleSet');
  const many = matchRuleSets(
    Array.from({ length: 30 }, (_, index) =>
      ruleSet(
        `s${index + 10}`,
        Array.from({ length: 99 }, () => 'x'),
      ),
    ),
    attributes,
  );
  const line = explainRuleSets(many.results);
  assert.match(line, /tink\/s10: 0 of 99 rules match; rule 1 .*; and 20 more$/);
  assert.ok(line.length < 4000, String(line.length));
});

const agentId = 'hello123456';

test("creates the Workflow of upstream's documentation", () => {
  const made = enrolledWorkflow({
    agentId,
    attributes,
    ruleSet: ruleSet('ruleset1', [anyMac], {
      addAttributes: true,
      disabled: false,
      namespace: 'tink-system',
      template: { agentValue: 'worker_id', kvs: { additional_value: 'im a value' }, ref: 'example' },
    }),
  });
  assert.ok(made.ok);
  assert.ok(validateResource(made.workflow).ok);
  assert.deepEqual(made.workflow, {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Workflow',
    metadata: {
      name: 'enrollment-hello123456',
      namespace: 'tink-system',
      labels: { 'tinkerbell.org/auto-enrollment': 'true' },
      annotations: { 'tinkerbell.org/agent-attributes': JSON.stringify(attributes) },
      ownerReferences: [
        {
          apiVersion: 'tinkerbell.org/v1alpha1',
          kind: 'WorkflowRuleSet',
          name: 'ruleset1',
          uid: 'uid-ruleset1',
        },
      ],
    },
    spec: {
      templateRef: 'example',
      disabled: false,
      hardwareMap: { worker_id: agentId, additional_value: 'im a value' },
    },
  });
});

test('names the Hardware, and uses its own namespace when the set names none', () => {
  const hardware = {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name: 'm1', namespace: 'tink' },
  };
  const made = enrolledWorkflow({ agentId, attributes, hardware, ruleSet: ruleSet('a', [anyMac]) });
  assert.ok(made.ok);
  assert.equal(made.workflow.metadata.namespace, 'tink');
  assert.equal(made.workflow.metadata.annotations, undefined);
  assert.deepEqual(made.workflow.spec, { hardwareRef: 'm1', hardwareMap: {} });
});

test("refuses with upstream's codes and messages", () => {
  assert.deepEqual(noRuleSetMatched('a1'), {
    code: 'not-found',
    message: 'no Workflow Rule Sets found or matched for Agent a1',
  });
  assert.deepEqual(existingWorkflow, { code: 'failed-precondition', message: 'existing workflow found' });
  assert.deepEqual(enrolledWorkflow({ agentId: ' ', ruleSet: ruleSet('a', []) }), {
    ok: false,
    refusal: {
      code: 'internal',
      message: 'error making agentID a valid Kubernetes name: name cannot be empty',
    },
  });
});
