import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Workflow, WorkflowStatus } from '@tinkerbell/resources';
import { jobOf, listJobs, type Job } from './index.ts';

const id = '01J8ZQ5W6X0000000000000000';

function jobWith(status: WorkflowStatus, metadata: Partial<Workflow['metadata']> = {}): Job {
  const workflow: Workflow = {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Workflow',
    metadata: {
      name: `job-${id.toLowerCase()}`,
      namespace: 'default',
      labels: { 'tinkerbell.org/job-id': id, 'tinkerbell.org/user': 'ann' },
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...metadata,
    },
    spec: { hardwareRef: 'm1', templateRef: 'debian' },
    status,
  };
  const job = jobOf(workflow);
  assert.ok(job !== undefined);
  return job;
}

const task = (...states: string[]) => ({
  id: 't',
  name: 'os',
  agentID: 'a',
  actions: states.map((state, index) => ({ id: `a${index}`, name: `action-${index}`, state })),
});

const condition = (type: string, message: string, status = 'True') => ({ type, status, message });

const states: readonly (readonly [status: WorkflowStatus, state: string, message: string | undefined])[] = [
  [{}, 'ACCEPTED', undefined],
  [{ state: '' }, 'ACCEPTED', undefined],
  [
    {
      state: '',
      templateRendering: 'failed',
      conditions: [condition('TemplateRenderedSuccess', 'no entry for key "disk"', 'False')],
    },
    'FAILED',
    'no entry for key "disk"',
  ],
  [{ state: 'PREPARING' }, 'PREPARING', undefined],
  [{ state: 'PENDING', agentID: '52:54:00:00:00:01' }, 'PREPARING', 'waiting for agent 52:54:00:00:00:01'],
  [{ state: 'RUNNING', tasks: [task('SUCCESS', 'RUNNING')] }, 'RUNNING', undefined],
  [
    { state: 'RUNNING', paused: true, conditions: [condition('Paused', 'paused by bob: lunch')] },
    'RUNNING',
    'paused by bob: lunch',
  ],
  [{ state: 'POST', tasks: [task('SUCCESS')] }, 'RUNNING', undefined],
  [{ state: 'SUCCESS', tasks: [task('SUCCESS')] }, 'SUCCEEDED', undefined],
  [{ state: 'FAILED', tasks: [task('SUCCESS', 'FAILED')] }, 'FAILED', 'os / action-1: failed'],
  [
    { state: 'FAILED', conditions: [condition('BootJobFailed', 'BMC does not answer')] },
    'FAILED',
    'BMC does not answer',
  ],
  [{ state: 'TIMEOUT', tasks: [task('TIMEOUT')] }, 'TIMED_OUT', 'os / action-0: timeout'],
  [
    {
      state: 'FAILED',
      tasks: [task('FAILED')],
      conditions: [condition('Cancelled', 'cancelled by ann: wrong disk')],
    },
    'CANCELLED',
    'cancelled by ann: wrong disk',
  ],
];

for (const [index, [status, state, message]] of states.entries())
  test(`a workflow in ${status.state || 'no state'} is a job in ${state} (${index + 1})`, () => {
    const job = jobWith(status);
    assert.deepEqual([job.state, job.message], [state, message]);
  });

test('reports every action, its duration, the progress of the job, and its start and end', () => {
  const actions = [
    {
      id: 'a1',
      name: 'disk',
      state: 'SUCCESS',
      executionStart: '2026-01-01T10:00:00+02:00',
      executionStop: '2026-01-01T08:00:12.5Z',
      attempt: 2,
    },
    {
      id: 'a2',
      name: 'user',
      state: 'FAILED',
      message: 'disk full',
      executionStart: '2026-01-01T08:00:13Z',
      executionStop: '2026-01-01T08:00:14Z',
      attempt: 1,
    },
    { id: 'a3', name: 'reboot', state: 'PENDING', executionStart: 'soon' },
  ];
  const job = jobWith({
    state: 'FAILED',
    tasks: [{ id: 't', name: 'os', agentID: 'a', actions }],
    currentState: { taskName: 'os', actionName: 'user' },
    conditions: [{ type: 'TemplateRenderedSuccess', status: 'True', time: '2026-01-01T07:59:00Z' }],
  });
  assert.deepEqual(job, {
    job_id: id,
    state: 'FAILED',
    device_id: 'm1',
    user: 'ann',
    template: 'debian',
    workflow: `default/job-${id.toLowerCase()}`,
    percent: 33,
    actions: [
      { task: 'os', name: 'disk', state: 'SUCCESS', seconds: 12.5, attempt: 2 },
      { task: 'os', name: 'user', state: 'FAILED', seconds: 1, message: 'disk full', attempt: 1 },
      { task: 'os', name: 'reboot', state: 'PENDING' },
    ],
    current_task: 'os',
    current_action: 'user',
    message: 'os / user: disk full',
    created: '2026-01-01T00:00:00Z',
    started: '2026-01-01T08:00:00.000Z',
    finished: '2026-01-01T08:00:14.000Z',
  });
});

test('a workflow that no caller requested is not a job', () => {
  const workflow = { apiVersion: '', kind: 'Workflow', metadata: { name: 'w', namespace: 'default' } };
  assert.equal(jobOf(workflow), undefined);
});

function workflowOf(
  index: number,
  change: { device?: string; user?: string; state?: string } = {},
): Workflow {
  const jobId = `01J8ZQ5W6X00000000000000${String(index).padStart(2, '0')}`;
  const { device = 'm1', user = 'ann', state = 'SUCCESS' } = change;
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Workflow',
    metadata: {
      name: `job-${jobId.toLowerCase()}`,
      namespace: 'default',
      labels: { 'tinkerbell.org/job-id': jobId, 'tinkerbell.org/user': user },
      // Two jobs in each second.
      creationTimestamp: `2026-01-01T00:00:0${Math.floor(index / 2)}Z`,
    },
    spec: { hardwareRef: device },
    status: { state },
  };
}

test('lists all jobs once, newest first, in pages of any size', () => {
  const workflows = Array.from({ length: 9 }, (_, index) => workflowOf(index)).toSorted(() => -1);
  for (const size of [1, 2, 4, 9, 10]) {
    const seen: string[] = [];
    for (let token: string | undefined = ''; token !== undefined;) {
      const page = listJobs(workflows, { page_size: size, page_token: token });
      assert.ok(page.ok);
      seen.push(...page.value.jobs.map((job) => job.job_id.slice(-1)));
      token = page.value.next_page_token;
    }
    assert.equal(seen.join(''), '876543210', `pages of ${size}`);
  }
});

test('filters by device, state and user', () => {
  const workflows = [
    workflowOf(0),
    workflowOf(1, { device: 'm2' }),
    workflowOf(2, { user: 'bob' }),
    workflowOf(3, { state: 'RUNNING' }),
  ];
  const found = (filter: object) => {
    const page = listJobs(workflows, filter);
    assert.ok(page.ok);
    return page.value.jobs.map((job) => job.job_id.slice(-1)).join('');
  };
  assert.equal(found({}), '3210');
  assert.equal(found({ device_id: 'm2' }), '1');
  assert.equal(found({ state: 'SUCCEEDED' }), '210');
  assert.equal(found({ user: 'bob' }), '2');
  assert.equal(found({ user: 'bob', device_id: 'm2' }), '');
});

test('refuses an invalid page token', () => {
  const page = listJobs([], { page_token: 'x' });
  assert.ok(!page.ok);
  assert.equal(page.failure.field, 'page_token');
});
