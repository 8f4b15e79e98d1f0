import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BmcMachine, BmcTask, Hardware } from '@tinkerbell/resources';
import { bmcReport } from './bmc-report.ts';

type Condition = { readonly type: string; readonly status: string; readonly message?: string };

const apiVersion = 'bmc.tinkerbell.org/v1alpha1';
const connection = { host: '192.0.2.9', insecureTLS: false };

function machine(conditions: readonly Condition[], changes: Partial<BmcMachine> = {}): BmcMachine {
  return {
    apiVersion,
    kind: 'Machine',
    metadata: { name: 'm', namespace: 'lab' },
    spec: { connection },
    status: { powerState: 'on', conditions: [...conditions] },
    ...changes,
  };
}

const hardware: Hardware = {
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind: 'Hardware',
  metadata: { name: 'h', namespace: 'lab' },
  status: { attributes: { outOfBand: { collectionMethod: 'ipmi', lastUpdated: '2026-01-01T00:00:00Z' } } },
};

function failedTask(name: string, host: string, message: string): BmcTask {
  return {
    apiVersion,
    kind: 'Task',
    metadata: { name, namespace: 'lab' },
    spec: { task: { powerAction: 'on' }, connection: { ...connection, host } },
    status: { conditions: [{ type: 'Failed', status: 'True', message }] },
  };
}

/** `check state` of each finding. */
function states(objects: Partial<Parameters<typeof bmcReport>[0]>): readonly string[] {
  const report = bmcReport({ machine: machine([contactable]), hardware, tasks: [], ...objects });
  return report.findings.map(({ check, state }) => `${check} ${state}`);
}

const contactable: Condition = { type: 'Contactable', status: 'True' };
const healthy = ['contact ok', 'certificate ok', 'power ok', 'inventory ok', 'operations ok'];

test('a BMC without findings', () => assert.deepEqual(states({}), healthy));

const cases: readonly (readonly [string, Partial<Parameters<typeof bmcReport>[0]>, string])[] = [
  ['never checked', { machine: machine([]) }, 'contact warning'],
  [
    'no login',
    { machine: machine([{ type: 'Contactable', status: 'False', message: 'wrong-credentials' }]) },
    'contact failed',
  ],
  [
    'insecureTLS',
    { machine: machine([contactable], { spec: { connection: { ...connection, insecureTLS: true } } }) },
    'certificate warning',
  ],
  [
    'no power state',
    { machine: machine([contactable], { status: { conditions: [contactable] } }) },
    'power warning',
  ],
  ['no Hardware', { hardware: undefined }, 'inventory warning'],
  [
    'parts that cannot be read',
    {
      machine: machine([
        contactable,
        { type: 'InventoryCollected', status: 'False', message: 'unsupported' },
      ]),
    },
    'inventory warning',
  ],
  ['parts not read', { hardware: { ...hardware, status: {} } }, 'inventory warning'],
  ['a lie', { tasks: [failedTask('t', '192.0.2.9', 'not-applied: power on')] }, 'operations failed'],
];

for (const [name, objects, expected] of cases)
  test(`${name}: ${expected}`, () => {
    const [check = ''] = expected.split(' ');
    const wanted = healthy.map((one) => (one.startsWith(`${check} `) ? expected : one));
    assert.deepEqual(states(objects), wanted);
  });

test('failures of other BMCs, and other failures, are no lies', () => {
  const tasks = [
    failedTask('a', '192.0.2.10', 'not-applied: power on'),
    failedTask('b', '192.0.2.9', 'unreachable: no answer, not-applied: no'),
  ];
  assert.deepEqual(states({ tasks }), healthy);
});

test('many lies are counted', () => {
  const tasks = Array.from({ length: 5 }, (_, index) =>
    failedTask(`t${index}`, '192.0.2.9', 'not-applied: x'),
  );
  const { findings } = bmcReport({ machine: machine([contactable]), hardware, tasks });
  assert.match(findings.at(-1)?.message ?? '', /task\/t2: not-applied: x and 2 more$/);
});
