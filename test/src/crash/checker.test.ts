import assert from 'node:assert/strict';
import { test } from 'node:test';
import { violationsIn } from './checker.ts';
import type { AgentEntry, FinalAction, Journals } from './journals.ts';

const WORKFLOW = 'default/w';
const entry = (
  event: AgentEntry['event'],
  action: string,
  state: AgentEntry['state'] = 'SUCCESS',
): AgentEntry => ({ agent: 'a', event, state, workflow: WORKFLOW, action });
const done = (name: string, attempt = 1): FinalAction => ({ name, state: 'SUCCESS', attempt });

const history: readonly AgentEntry[] = [
  entry('report-acknowledged', 'one', 'RUNNING'),
  entry('started', 'one', 'RUNNING'),
  entry('report-sent', 'one'),
  entry('report-acknowledged', 'one'),
  entry('started', 'two', 'RUNNING'),
  entry('report-sent', 'two'),
  entry('report-acknowledged', 'two'),
];

function promisesBroken({
  agents = history,
  state = 'SUCCESS',
  actions = [done('one'), done('two')],
  created = [WORKFLOW],
}: {
  readonly agents?: readonly AgentEntry[];
  readonly state?: string;
  readonly actions?: readonly FinalAction[];
  readonly created?: readonly string[];
}) {
  const journals: Journals = {
    agents,
    created: new Set(created),
    workflows: new Map([[WORKFLOW, { state, actions }]]),
  };
  return violationsIn(journals).map(({ promise }) => promise);
}

const table = [
  ['nothing, when all is correct', {}, []],
  ['a missing acknowledged workflow', { created: [WORKFLOW, 'default/x'] }, ['G1']],
  [
    'a missing acknowledged success',
    { actions: [done('one'), { name: 'two', state: 'RUNNING', attempt: 1 }], state: 'RUNNING' },
    ['G1', 'G8'],
  ],
  [
    'an unrecorded start',
    { agents: [...history.slice(0, 5), entry('started', 'two', 'RUNNING'), ...history.slice(5)] },
    ['G2'],
  ],
  [
    'a success that was lost, so that its action was assigned again',
    { agents: [...history, entry('started', 'two', 'RUNNING')], actions: [done('one'), done('two', 2)] },
    ['G1'],
  ],
  [
    'one attempt more than starts, because the answer was lost',
    { actions: [done('one', 2), done('two')] },
    [],
  ],
  [
    'an action before its turn',
    { agents: [entry('started', 'two', 'RUNNING'), ...history.slice(0, 4)] },
    ['G6'],
  ],
  ['a workflow that does not end', { state: 'POST' }, ['G8']],
  ['a failure although everything succeeded', { state: 'FAILED' }, ['G4']],
] as const;

for (const [name, journals, expected] of table) {
  test(`finds ${name}`, () => assert.deepEqual(promisesBroken(journals), expected));
}
