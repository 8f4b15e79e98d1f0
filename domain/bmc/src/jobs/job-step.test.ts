import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BmcJob, BmcTask } from '@tinkerbell/resources';
import { CERTIFICATE_ANNOTATION, pinnedConnection } from '../pinned-connection.ts';
import { jobStepFor, taskFor } from './job-step.ts';

const apiVersion = 'bmc.tinkerbell.org/v1alpha1';
const running = { conditions: [{ type: 'Running', status: 'True' }] };

function jobWith(status: NonNullable<BmcJob['status']>, metadata = {}): BmcJob {
  return {
    apiVersion,
    kind: 'Job',
    metadata: { name: 'j', namespace: 'lab', uid: 'job-uid', ...metadata },
    spec: {
      machineRef: { name: 'm', namespace: 'lab' },
      tasks: [{ powerAction: 'off' }, { powerAction: 'on' }],
    },
    status,
  };
}

function task(index: number, condition?: string, message = ''): BmcTask {
  const made = taskFor(jobWith(running), index, { metadata: { name: 'm', namespace: 'lab' } });
  assert.ok(made !== undefined);
  const conditions = condition === undefined ? [] : [{ type: condition, status: 'True', message }];
  return { ...made, status: { conditions } };
}

const foreign: BmcTask = { ...task(0, 'Completed'), metadata: { name: 'j-task-0', namespace: 'lab' } };

const steps: readonly (readonly [string, BmcJob, readonly BmcTask[], unknown])[] = [
  ['a new Job starts', jobWith({}), [], { kind: 'start' }],
  ['a running Job creates its first Task', jobWith(running), [], { kind: 'create-task', index: 0 }],
  ['a Task that runs is waited for', jobWith(running), [task(0)], { kind: 'wait' }],
  [
    'the next Task follows a completed one',
    jobWith(running),
    [task(0, 'Completed')],
    { kind: 'create-task', index: 1 },
  ],
  [
    'completed Tasks complete the Job',
    jobWith(running),
    [task(0, 'Completed'), task(1, 'Completed')],
    { kind: 'complete' },
  ],
  [
    'a failed Task fails the Job with its reason',
    jobWith(running),
    [task(0, 'Failed', 'unreachable: no answer')],
    { kind: 'fail', message: 'task lab/j-task-0 failed: unreachable: no answer' },
  ],
  [
    'a Task of an earlier Job with the same name is removed',
    jobWith(running),
    [foreign],
    { kind: 'remove-task', name: 'j-task-0' },
  ],
  [
    'a completed Job is left alone',
    jobWith({ conditions: [{ type: 'Completed', status: 'True' }] }),
    [],
    { kind: 'wait' },
  ],
  [
    'a failed Job is left alone',
    jobWith({ conditions: [{ type: 'Failed', status: 'True' }] }),
    [],
    { kind: 'wait' },
  ],
  [
    'a Job that is being deleted is left alone',
    jobWith(running, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    [],
    { kind: 'wait' },
  ],
];

for (const [name, job, tasks, step] of steps)
  test(name, () => assert.deepEqual(jobStepFor(job, tasks), step));

test('a Task has the names, the label and the owner that upstream gives it', () => {
  const connection = { host: '192.0.2.9', insecureTLS: true };
  const machine = { metadata: { name: 'm', namespace: 'lab' }, spec: { connection } };
  assert.deepEqual(taskFor(jobWith(running), 1, machine), {
    apiVersion,
    kind: 'Task',
    metadata: {
      name: 'j-task-1',
      namespace: 'lab',
      labels: { 'owner-name': 'j' },
      ownerReferences: [
        { apiVersion, kind: 'Job', name: 'j', uid: 'job-uid', controller: true, blockOwnerDeletion: true },
      ],
    },
    spec: { task: { powerAction: 'on' }, connection },
  });
});

test('a Task keeps the certificate that is pinned for its Machine', () => {
  const annotations = { [CERTIFICATE_ANNOTATION]: 'AB:CD', 'example.org/other': 'x' };
  const machine = {
    metadata: { name: 'm', namespace: 'lab', annotations },
    spec: { connection: { host: '192.0.2.9', insecureTLS: false } },
  };
  const made = taskFor(jobWith(running), 0, machine);
  assert.deepEqual(made?.metadata.annotations, { [CERTIFICATE_ANNOTATION]: 'AB:CD' });
  assert.equal(made && pinnedConnection(made)?.certificateSha256, 'abcd');
});
