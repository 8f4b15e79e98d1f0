import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { WorkflowStatus } from '@tinkerbell/resources';
import type { WorkflowDefinition } from '@tinkerbell/template';
import {
  currentActionOf,
  eventKinds,
  isTerminal,
  statusOf,
  table,
  transition,
  workflowStates,
  type ActionState,
  type EventKind,
  type WorkflowEvent,
  type WorkflowState,
} from './index.ts';

const action = (name: string) => ({
  name,
  image: 'img',
  timeoutSeconds: 60,
  command: [],
  volumes: [],
  environment: new Map(),
  pid: '',
  namespaces: { network: '', pid: '' },
});
const rendered: WorkflowDefinition = {
  name: 'w',
  globalTimeoutSeconds: 600,
  tasks: [
    {
      name: 'one',
      worker: 'agent-1',
      volumes: [],
      environment: new Map(),
      actions: [action('a'), action('b')],
    },
    { name: 'two', worker: 'agent-2', volumes: [], environment: new Map(), actions: [action('c')] },
  ],
};

function context(nowMs = 1_000_000) {
  let ids = 0;
  return { nowMs, nextId: () => `id-${++ids}` };
}

/** task one: id-1 with actions id-2, id-3; task two: id-4 with action id-5. */
const pending: WorkflowStatus = { ...statusOf(rendered, context().nextId), state: 'PENDING' };

function apply(status: WorkflowStatus, event: WorkflowEvent, nowMs?: number): WorkflowStatus {
  const result = transition(status, event, context(nowMs));
  assert.ok(result.ok, result.ok ? '' : result.reason);
  return result.status;
}

function reportOf(
  actionId: string,
  state: ActionState,
  agentId = actionId === 'id-5' ? 'agent-2' : 'agent-1',
): WorkflowEvent {
  return { kind: 'action-reported', report: { agentId, taskId: '', actionId, state } };
}

const running = apply(
  apply(pending, { kind: 'action-requested', agentId: 'agent-1' }),
  reportOf('id-2', 'RUNNING'),
);

const statusIn: Record<WorkflowState, WorkflowStatus> = {
  '': {},
  PREPARING: { ...pending, state: 'PREPARING' },
  PENDING: pending,
  RUNNING: running,
  POST: { ...running, state: 'POST', currentState: { state: 'SUCCESS' } },
  SUCCESS: { ...running, state: 'SUCCESS' },
  FAILED: { ...running, state: 'FAILED' },
  TIMEOUT: { ...running, state: 'TIMEOUT' },
};

const sample: Record<EventKind, WorkflowEvent> = {
  'template-rendered': { kind: 'template-rendered', rendered, needsPreparation: false },
  'rendering-failed': { kind: 'rendering-failed', message: 'no' },
  'preparation-finished': { kind: 'preparation-finished' },
  'preparation-failed': { kind: 'preparation-failed', message: 'no' },
  'action-requested': { kind: 'action-requested', agentId: 'agent-1' },
  'action-reported': reportOf('id-2', 'SUCCESS'),
  'deadline-passed': { kind: 'deadline-passed' },
  'post-finished': { kind: 'post-finished' },
  'post-failed': { kind: 'post-failed', message: 'no' },
};

/** In order of `eventKinds`: the state that follows, or the reason in lower case for which nothing happens. */
const expected: Record<WorkflowState, readonly string[]> = {
  '': [
    'PENDING',
    '',
    'not-rendered',
    'not-rendered',
    'not-rendered',
    'not-rendered',
    'not-rendered',
    'not-rendered',
    'not-rendered',
  ],
  PREPARING: [
    'already-rendered',
    'already-rendered',
    'PENDING',
    'FAILED',
    'still-preparing',
    'still-preparing',
    'not-running',
    'not-in-post',
    'not-in-post',
  ],
  PENDING: [
    'already-rendered',
    'already-rendered',
    'not-preparing',
    'not-preparing',
    'PENDING',
    'RUNNING',
    'not-running',
    'not-in-post',
    'not-in-post',
  ],
  RUNNING: [
    'already-rendered',
    'already-rendered',
    'not-preparing',
    'not-preparing',
    'RUNNING',
    'RUNNING',
    'TIMEOUT',
    'not-in-post',
    'not-in-post',
  ],
  POST: [
    'already-rendered',
    'already-rendered',
    'not-preparing',
    'not-preparing',
    'no-next-action',
    'workflow-finished',
    'not-running',
    'SUCCESS',
    'FAILED',
  ],
  SUCCESS: [
    'already-rendered',
    'already-rendered',
    'not-preparing',
    'not-preparing',
    'workflow-finished',
    'workflow-finished',
    'workflow-finished',
    'workflow-finished',
    'workflow-finished',
  ],
  FAILED: [
    'already-rendered',
    'already-rendered',
    'not-preparing',
    'not-preparing',
    'workflow-finished',
    'workflow-finished',
    'workflow-finished',
    'workflow-finished',
    'workflow-finished',
  ],
  TIMEOUT: [
    'already-rendered',
    'already-rendered',
    'not-preparing',
    'not-preparing',
    'workflow-finished',
    'workflow-finished',
    'workflow-finished',
    'workflow-finished',
    'workflow-finished',
  ],
};

for (const state of workflowStates) {
  for (const [index, kind] of eventKinds.entries()) {
    const outcome = expected[state][index];
    test(`${state || 'new'}: ${kind} -> ${outcome || 'stays new'}`, () => {
      const result = transition(statusIn[state], sample[kind], context(10_000_000));
      assert.equal(result.ok ? (result.status.state ?? '') : result.reason, outcome);
    });
  }
}

test('the table names every state and event', () => {
  for (const state of workflowStates)
    assert.deepEqual(Object.keys(table[state]).toSorted(), eventKinds.toSorted());
});

test('walks through all tasks, handing over to the next agent, to POST and SUCCESS', () => {
  let status = apply(running, reportOf('id-2', 'SUCCESS'));
  assert.equal(status.agentID, 'agent-1');
  status = apply(status, reportOf('id-3', 'SUCCESS'));
  assert.equal(status.state, 'RUNNING');
  assert.equal(status.agentID, 'agent-2');
  status = apply(status, reportOf('id-5', 'SUCCESS'));
  assert.equal(status.state, 'POST');
  assert.equal(apply(status, { kind: 'post-finished' }).state, 'SUCCESS');
});

test('never offers an action before the one before it succeeded', () => {
  const result = transition(running, reportOf('id-3', 'SUCCESS'), context());
  assert.deepEqual(result, { ok: false, reason: 'action-not-current' });
});

test('changes nothing when the same report comes twice', () => {
  const once = apply(running, reportOf('id-2', 'SUCCESS'));
  assert.deepEqual(transition(once, reportOf('id-2', 'SUCCESS'), context()), {
    ok: false,
    reason: 'already-reported',
  });
});

test('changes nothing when a report contradicts one that is in', () => {
  const once = apply(running, reportOf('id-2', 'SUCCESS'));
  assert.deepEqual(transition(once, reportOf('id-2', 'FAILED'), context()), {
    ok: false,
    reason: 'action-not-current',
  });
});

test('refuses a report of another agent', () => {
  assert.deepEqual(transition(running, reportOf('id-2', 'SUCCESS', 'agent-2'), context()), {
    ok: false,
    reason: 'action-not-found',
  });
});

test('counts an attempt when an action is handed out, and again only after it ran', () => {
  const requested: WorkflowEvent = { kind: 'action-requested', agentId: 'agent-1' };
  const attempts = (status: WorkflowStatus) => currentActionOf(status)?.action.attempt;
  const first = apply(pending, requested);
  assert.equal(attempts(first), 1);
  assert.equal(first.state, 'PENDING');
  assert.equal(attempts(apply(first, requested)), 1);
  const again = apply(apply(first, reportOf('id-2', 'RUNNING')), requested);
  assert.equal(attempts(again), 2);
  assert.equal(again.state, 'RUNNING');
});

test('gives nothing to an agent whose turn it is not', () => {
  const result = transition(running, { kind: 'action-requested', agentId: 'agent-2' }, context());
  assert.deepEqual(result, { ok: false, reason: 'not-this-agent' });
});

test('fails and times out with its action', () => {
  assert.equal(apply(running, reportOf('id-2', 'FAILED')).state, 'FAILED');
  assert.equal(apply(running, reportOf('id-2', 'TIMEOUT')).state, 'TIMEOUT');
});

test('starts the global timeout with the first report, by the server clock', () => {
  assert.equal(running.globalExecutionStop, new Date(1_000_000 + 600_000).toISOString());
  const deadline: WorkflowEvent = { kind: 'deadline-passed' };
  assert.deepEqual(transition(running, deadline, context(1_599_999)), {
    ok: false,
    reason: 'deadline-ahead',
  });
  assert.equal(apply(running, deadline, 1_600_000).state, 'TIMEOUT');
});

test('has no deadline when the global timeout is 0', () => {
  const status = apply({ ...pending, globalTimeout: 0 }, reportOf('id-2', 'RUNNING'));
  assert.equal(status.globalExecutionStop, undefined);
  assert.deepEqual(transition(status, { kind: 'deadline-passed' }, context(1e12)), {
    ok: false,
    reason: 'deadline-ahead',
  });
});

test('says once why rendering failed, and renders later', () => {
  const failed = apply({}, { kind: 'rendering-failed', message: 'template not found' });
  assert.equal(failed.templateRendering, 'failed');
  assert.deepEqual(
    failed.conditions?.map(({ type, status, reason, message }) => ({ type, status, reason, message })),
    [{ type: 'TemplateRenderedSuccess', status: 'False', reason: 'Error', message: 'template not found' }],
  );
  const again = transition(failed, { kind: 'rendering-failed', message: 'template not found' }, context());
  assert.deepEqual(again, { ok: false, reason: 'already-reported' });
  const mended = apply(failed, sample['template-rendered']);
  assert.equal(mended.templateRendering, 'successful');
  assert.deepEqual(
    mended.conditions?.map((one) => one.status),
    ['True'],
  );
});

test('prepares first when boot options ask for it', () => {
  assert.equal(apply({}, { kind: 'template-rendered', rendered, needsPreparation: true }).state, 'PREPARING');
});

test('whatever happens: a terminal state stays, and success comes in order', () => {
  const kinds: fc.Arbitrary<WorkflowEvent> = fc.oneof(
    fc.record({
      kind: fc.constant('action-requested' as const),
      agentId: fc.constantFrom('agent-1', 'agent-2'),
    }),
    fc
      .tuple(
        fc.constantFrom('id-2', 'id-3', 'id-5'),
        fc.constantFrom<ActionState>('PENDING', 'RUNNING', 'SUCCESS', 'FAILED', 'TIMEOUT'),
      )
      .map(([id, state]) => reportOf(id, state)),
    fc.constantFrom<WorkflowEvent>(
      sample['deadline-passed'],
      sample['post-finished'],
      sample['preparation-finished'],
    ),
  );
  fc.assert(
    fc.property(fc.array(kinds, { maxLength: 40 }), (events) => {
      let status = pending;
      for (const event of events) {
        const result = transition(status, event, context());
        if (!result.ok) continue;
        assert.ok(!isTerminal(status.state), `${status.state} left by ${event.kind}`);
        status = result.status;
        const states = (status.tasks ?? []).flatMap((task) => task.actions.map((one) => one.state));
        const firstOpen = states.findIndex((state) => state !== 'SUCCESS');
        if (firstOpen >= 0)
          assert.ok(
            states.slice(firstOpen + 1).every((state) => state === 'PENDING'),
            states.join(),
          );
      }
    }),
  );
});
