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
  const taskId = actionId === 'id-5' ? 'id-4' : 'id-1';
  return { kind: 'action-reported', report: { agentId, taskId, actionId, state } };
}

const running = apply(
  apply(pending, { kind: 'action-requested', agentId: 'agent-1' }),
  reportOf('id-2', 'RUNNING'),
);

const allDone = ['id-3', 'id-5'].reduce(
  (status, id) => apply(status, reportOf(id, 'SUCCESS')),
  apply(running, reportOf('id-2', 'SUCCESS')),
);

const statusIn: Record<WorkflowState, WorkflowStatus> = {
  '': {},
  PREPARING: { ...pending, state: 'PREPARING' },
  PENDING: pending,
  RUNNING: running,
  POST: { ...allDone, state: 'POST' },
  SUCCESS: { ...allDone, state: 'SUCCESS' },
  FAILED: { ...running, state: 'FAILED' },
  TIMEOUT: { ...running, state: 'TIMEOUT' },
};

const byAnna = { who: 'anna', why: '' };

const sample: Record<EventKind, WorkflowEvent> = {
  'template-rendered': { kind: 'template-rendered', rendered, needsPreparation: false },
  'rendering-failed': { kind: 'rendering-failed', message: 'no' },
  'agent-named': { kind: 'agent-named', agentId: 'agent-1' },
  'netboot-toggled': { kind: 'netboot-toggled', allow: true },
  'boot-job-cleared': { kind: 'boot-job-cleared', job: 'netboot-w' },
  'boot-job-created': { kind: 'boot-job-created', job: 'netboot-w', uid: 'u' },
  'boot-job-neglected': { kind: 'boot-job-neglected', job: 'netboot-w' },
  'boot-job-started': { kind: 'boot-job-started', job: 'netboot-w' },
  'boot-job-completed': { kind: 'boot-job-completed', job: 'netboot-w' },
  'preparation-finished': { kind: 'preparation-finished' },
  'preparation-failed': {
    kind: 'preparation-failed',
    message: 'no',
    condition: 'BootJobFailed',
    status: 'True',
  },
  'action-requested': { kind: 'action-requested', agentId: 'agent-1' },
  'action-reported': reportOf('id-2', 'SUCCESS'),
  'deadline-passed': { kind: 'deadline-passed' },
  'backoff-passed': { kind: 'backoff-passed' },
  'post-finished': { kind: 'post-finished' },
  'post-failed': { kind: 'post-failed', message: 'no', condition: 'BootJobFailed', status: 'True' },
  pause: { kind: 'pause', ...byAnna },
  resume: { kind: 'resume', ...byAnna },
  cancel: { kind: 'cancel', ...byAnna },
  retry: { kind: 'retry', from: 'start', needsPreparation: false, ...byAnna },
  skip: { kind: 'skip', action: 'b', ...byAnna },
  breakpoint: { kind: 'breakpoint', action: 'b', set: true, ...byAnna },
  edit: { kind: 'edit', action: 'b', timeout: 5, ...byAnna },
};

/** In order of `workflowStates`: the next state, or the reason in lower case why nothing changes. */
const expected: Record<EventKind, string> = {
  'template-rendered':
    'PENDING already-rendered already-rendered already-rendered already-rendered already-rendered already-rendered already-rendered',
  'rendering-failed':
    'NEW already-rendered already-rendered already-rendered already-rendered already-rendered already-rendered already-rendered',
  'agent-named':
    'NEW already-rendered already-rendered already-rendered already-rendered already-rendered already-rendered already-rendered',
  'netboot-toggled': 'not-booting PREPARING not-booting not-booting POST not-booting not-booting not-booting',
  'boot-job-cleared':
    'not-booting PREPARING not-booting not-booting POST not-booting not-booting not-booting',
  'boot-job-created':
    'not-booting PREPARING not-booting not-booting POST not-booting not-booting not-booting',
  'boot-job-neglected':
    'not-booting PREPARING not-booting not-booting POST not-booting not-booting not-booting',
  'boot-job-started':
    'not-booting PREPARING not-booting not-booting POST not-booting not-booting not-booting',
  'boot-job-completed':
    'not-booting PREPARING not-booting not-booting POST not-booting not-booting not-booting',
  'preparation-finished':
    'not-rendered PENDING not-preparing not-preparing not-preparing not-preparing not-preparing not-preparing',
  'preparation-failed':
    'not-rendered FAILED not-preparing not-preparing not-preparing not-preparing not-preparing not-preparing',
  'action-requested':
    'not-rendered still-preparing PENDING RUNNING no-next-action workflow-finished workflow-finished workflow-finished',
  'action-reported':
    'not-rendered still-preparing RUNNING RUNNING already-reported already-reported workflow-finished workflow-finished',
  'deadline-passed':
    'not-rendered not-running not-running TIMEOUT not-running workflow-finished workflow-finished workflow-finished',
  'backoff-passed':
    'not-rendered not-running not-running deadline-ahead not-running workflow-finished workflow-finished workflow-finished',
  'post-finished':
    'not-rendered not-in-post not-in-post not-in-post SUCCESS workflow-finished workflow-finished workflow-finished',
  'post-failed':
    'not-rendered not-in-post not-in-post not-in-post FAILED workflow-finished workflow-finished workflow-finished',
  pause:
    'not-rendered still-preparing PENDING RUNNING no-next-action workflow-finished workflow-finished workflow-finished',
  resume:
    'not-rendered not-paused not-paused not-paused not-paused workflow-finished workflow-finished workflow-finished',
  cancel: 'FAILED FAILED FAILED FAILED FAILED workflow-finished workflow-finished workflow-finished',
  retry: 'not-finished not-finished not-finished not-finished not-finished PENDING PENDING PENDING',
  skip: 'not-rendered PREPARING PENDING RUNNING already-succeeded already-succeeded FAILED TIMEOUT',
  breakpoint: 'not-rendered PREPARING PENDING RUNNING already-succeeded already-succeeded FAILED TIMEOUT',
  edit: 'not-rendered PREPARING PENDING RUNNING already-succeeded already-succeeded FAILED TIMEOUT',
};

for (const [index, state] of workflowStates.entries()) {
  for (const kind of eventKinds) {
    const outcome = expected[kind].split(' ')[index];
    test(`${state || 'NEW'}: ${kind} -> ${outcome}`, () => {
      const result = transition(statusIn[state], sample[kind], context(10_000_000));
      assert.equal(result.ok ? result.status.state || 'NEW' : result.reason, outcome);
    });
  }
}

test('the table names every state and event', () => {
  for (const state of workflowStates)
    assert.deepEqual(Object.keys(table[state]).toSorted(), eventKinds.toSorted());
});

test('passes through all tasks, each with its own agent, to POST and SUCCESS', () => {
  let status = apply(running, reportOf('id-2', 'SUCCESS'));
  assert.equal(status.agentID, 'agent-1');
  status = apply(status, reportOf('id-3', 'SUCCESS'));
  assert.equal(status.state, 'RUNNING');
  assert.equal(status.agentID, 'agent-2');
  status = apply(status, reportOf('id-5', 'SUCCESS'));
  assert.equal(status.state, 'POST');
  assert.equal(apply(status, { kind: 'post-finished' }).state, 'SUCCESS');
});

test('never offers an action before the previous one succeeded', () => {
  const result = transition(running, reportOf('id-3', 'SUCCESS'), context());
  assert.deepEqual(result, { ok: false, reason: 'action-not-current' });
});

test('changes nothing when a report is repeated', () => {
  const once = apply(running, reportOf('id-2', 'SUCCESS'));
  assert.deepEqual(transition(once, reportOf('id-2', 'SUCCESS'), context()), {
    ok: false,
    reason: 'already-reported',
  });
});

test('changes nothing when a report contradicts an earlier one', () => {
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

test('counts an attempt when an action is assigned, and again only after it ran', () => {
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
  const later = apply(running, reportOf('id-2', 'SUCCESS'), 1_599_000);
  const deadline: WorkflowEvent = { kind: 'deadline-passed' };
  assert.deepEqual(transition(later, deadline, context(1_599_999)), {
    ok: false,
    reason: 'deadline-ahead',
  });
  assert.equal(apply(later, deadline, 1_600_000).state, 'TIMEOUT');
});

test('has no deadline when the global timeout is 0', () => {
  const started = apply({ ...pending, globalTimeout: 0 }, reportOf('id-2', 'RUNNING'));
  const status = apply(started, reportOf('id-2', 'SUCCESS'));
  assert.equal(status.globalExecutionStop, undefined);
  assert.deepEqual(transition(status, { kind: 'deadline-passed' }, context(1e12)), {
    ok: false,
    reason: 'deadline-ahead',
  });
});

test('records once why rendering failed, and renders later', () => {
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

test('prepares first when boot options require it', () => {
  assert.equal(apply({}, { kind: 'template-rendered', rendered, needsPreparation: true }).state, 'PREPARING');
});

test('for any events, a terminal state stays, and success comes in order', () => {
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

test('a report that names the task of another workflow, or another task, changes nothing in any state', () => {
  for (const status of [pending, running, allDone])
    for (const taskId of ['id-4', 'of-another-workflow', '', 'id-1 ', 'ID-1'])
      for (const state of ['RUNNING', 'SUCCESS', 'FAILED', 'TIMEOUT', 'PENDING'] as const) {
        const report = { agentId: 'agent-1', taskId, actionId: 'id-2', state };
        const result = transition(status, { kind: 'action-reported', report }, context());
        assert.deepEqual(result, { ok: false, reason: 'another-task' }, `${status.state} ${taskId} ${state}`);
      }
});
