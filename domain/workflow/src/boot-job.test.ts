import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BmcJob, Hardware, Workflow } from '@tinkerbell/resources';
import {
  bootJobActions,
  bootJobName,
  bootJobOf,
  bootJobProgress,
  effectsFor,
  type BootPhase,
} from './index.ts';
import { TestWorkflow } from './testing/two-task-workflow.ts';

type BootOptions = NonNullable<NonNullable<Workflow['spec']>['bootOptions']>;

function workflowWith(bootOptions: BootOptions, status: Workflow['status'] = {}): Workflow {
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Workflow',
    metadata: { name: 'w', namespace: 'default', uid: 'workflow-uid' },
    spec: { bootOptions },
    status,
  };
}

const hardware: Hardware = {
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind: 'Hardware',
  metadata: { name: 'h', namespace: 'default' },
  spec: {
    bmcRef: { kind: 'Machine', name: 'bmc-1' },
    interfaces: [{ dhcp: { mac: '52:54:00:00:00:01' } }, { dhcp: { uefi: true } }],
  },
};

const off = { powerAction: 'off' } as const;
const on = { powerAction: 'on' } as const;
const eject = { virtualMediaAction: { mediaURL: '', kind: 'CD' } };
const iso = 'http://192.0.2.1:7080/iso/52-54-00-00-00-01/hook.iso';
const mount = { virtualMediaAction: { mediaURL: iso, kind: 'CD' } };
const bootFrom = (device: string) => ({ oneTimeBootDeviceAction: { device: [device], efiBoot: true } });
const custom: BootOptions = {
  bootMode: 'customboot',
  custombootConfig: { preparingActions: [off], postActions: [eject, on] },
};

const plans: readonly (readonly [BootOptions, BootPhase, string | undefined, unknown])[] = [
  [{ toggleAllowNetboot: true }, 'preparing', undefined, undefined],
  [{ bootMode: 'netboot' }, 'preparing', 'netboot-w', [off, bootFrom('pxe'), on]],
  [{ bootMode: 'netboot' }, 'post', undefined, undefined],
  [
    { bootMode: 'isoboot', isoURL: iso },
    'preparing',
    'iso-mount-w',
    [off, eject, mount, bootFrom('cdrom'), on],
  ],
  [{ bootMode: 'iso', isoURL: iso }, 'preparing', 'iso-mount-w', [off, eject, mount, bootFrom('cdrom'), on]],
  [{ bootMode: 'isoboot' }, 'preparing', 'iso-mount-w', { message: 'iso url must be a valid url' }],
  [{ bootMode: 'isoboot', isoURL: iso }, 'post', 'iso-eject-w', [eject]],
  [custom, 'preparing', 'customboot-preparing-w', [off]],
  [custom, 'post', 'customboot-post-w', [eject, on]],
  [{ bootMode: 'customboot' }, 'preparing', undefined, undefined],
  [{ bootMode: 'customboot' }, 'post', undefined, undefined],
];

for (const [options, phase, name, actions] of plans) {
  test(`${options.bootMode ?? 'no boot mode'}, ${phase}: ${name ?? 'no job'}`, () => {
    const workflow = workflowWith(options);
    assert.equal(bootJobName(workflow, phase), name);
    if (name !== undefined) assert.deepEqual(bootJobActions(workflow, phase, hardware), actions);
  });
}

test('a Job belongs to its workflow and is marked as upstream marks it', () => {
  const job = bootJobOf(workflowWith({ bootMode: 'netboot' }), hardware, { name: 'netboot-w', tasks: [on] });
  assert.deepEqual(job, {
    apiVersion: 'bmc.tinkerbell.org/v1alpha1',
    kind: 'Job',
    metadata: {
      name: 'netboot-w',
      namespace: 'default',
      labels: { 'tink-controller-auto-created': 'true' },
      annotations: { 'tink-controller-auto-created': 'true' },
      ownerReferences: [
        {
          apiVersion: 'tinkerbell.org/v1alpha1',
          kind: 'Workflow',
          name: 'w',
          uid: 'workflow-uid',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: { machineRef: { name: 'bmc-1', namespace: 'default' }, tasks: [on] },
  });
});

test('a machine without a BMC has no Job', () => {
  const job = bootJobOf(workflowWith({}), { ...hardware, spec: {} }, { name: 'netboot-w', tasks: [on] });
  assert.deepEqual(job, { message: 'hardware "h" does not have a BMC' });
});

test('the conditions of a Job describe its progress', () => {
  const progress = (status: NonNullable<BmcJob['status']>): string => bootJobProgress({ status } as BmcJob);
  assert.equal(progress({}), 'untaken');
  assert.equal(progress({ startTime: '2026-01-01T00:00:00Z' }), 'running');
  assert.equal(progress({ conditions: [{ type: 'Running', status: 'True' }] }), 'running');
  assert.equal(progress({ conditions: [{ type: 'Completed', status: 'True' }] }), 'completed');
  assert.equal(progress({ conditions: [{ type: 'Failed', status: 'True' }] }), 'failed');
});

test('a boot phase proceeds step by step, each visible in the status', () => {
  const run = new TestWorkflow({}, true);
  const next = () =>
    effectsFor(workflowWith({ bootMode: 'netboot', toggleAllowNetboot: true }, run.status), 0).map(
      (one) => one.kind,
    );
  const steps = [
    ['toggle-netboot', { kind: 'netboot-toggled', allow: true }],
    ['clear-boot-job', { kind: 'boot-job-cleared', job: 'netboot-w' }],
    ['create-boot-job', { kind: 'boot-job-created', job: 'netboot-w', uid: 'u' }],
    ['follow-boot-job', { kind: 'boot-job-started', job: 'netboot-w' }],
    ['follow-boot-job', { kind: 'boot-job-completed', job: 'netboot-w' }],
    ['finish-preparation', { kind: 'preparation-finished' }],
  ] as const;
  for (const [effect, event] of steps) {
    assert.deepEqual(next(), [effect]);
    run.apply(event);
    if (event.kind !== 'preparation-finished') assert.equal(run.try(event), 'already-reported');
  }
  assert.equal(run.status.state, 'PENDING');
  assert.deepEqual(run.status.bootOptions, {
    allowNetboot: { toggledTrue: true },
    jobs: { 'netboot-w': { existingJobDeleted: true, uid: 'u', complete: true } },
  });
  assert.deepEqual(run.conditions(), [
    'TemplateRenderedSuccess True Complete: template rendered successfully',
    'AllowNetbootTrue True Complete: set allowPXE to true',
    'BootJobSetupComplete True Created: job created',
    'BootJobRunning True Running: job running',
    'BootJobComplete True Complete: job completed',
  ]);
});

test('a Job that nobody takes is reported once', () => {
  const run = new TestWorkflow({}, true);
  const neglected = { kind: 'boot-job-neglected', job: 'netboot-w' } as const;
  run.apply(neglected);
  assert.equal(run.try(neglected), 'already-reported');
  assert.ok(
    run
      .conditions()
      .includes('BootJobRunning False Waiting: no BMC service has taken job netboot-w; is one running?'),
  );
});
