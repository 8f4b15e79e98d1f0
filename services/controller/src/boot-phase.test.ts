import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BmcJob, Hardware, Workflow, WorkflowStatus } from '@tinkerbell/resources';
import { instantBmc, mac, startedController, type Controller } from './testing/started-controller.ts';

const template = `name: w
tasks:
  - name: t
    worker: "{{.device_1}}"
    actions:
      - {name: a, image: img}
`;

async function putWorkflow(controller: Controller, bootOptions: object): Promise<void> {
  await controller.put('Hardware', 'h', {
    spec: { bmcRef: { kind: 'Machine', name: 'bmc-1' }, interfaces: [{ dhcp: { mac, uefi: true } }] },
  });
  await controller.put('Template', 't', { spec: { data: template } });
  await controller.put('Workflow', 'w', {
    metadata: { name: 'w', namespace: 'default', uid: 'workflow-uid' },
    spec: { templateRef: 't', hardwareRef: 'h', hardwareMap: { device_1: mac }, bootOptions },
  });
}

async function toPost(controller: Controller, status: WorkflowStatus): Promise<void> {
  const tasks = (status.tasks ?? []).map((task) => ({
    ...task,
    actions: task.actions.map((one) => ({ ...one, state: 'SUCCESS' })),
  }));
  await controller.put('Workflow', 'w', { status: { ...status, tasks, state: 'POST' } });
}

const mayNetboot = async (controller: Controller) =>
  ((await controller.get('Hardware', 'h')) as Hardware).spec?.interfaces?.[0]?.netboot?.allowPXE;

const typesOf = (status: WorkflowStatus) => status.conditions?.map((one) => one.type);

test('netboot: allows PXE, boots the machine through its BMC, and disallows PXE afterwards', async () => {
  await using controller = await startedController();
  const seen = instantBmc(controller);
  await putWorkflow(controller, { bootMode: 'netboot', toggleAllowNetboot: true });
  const pending = await controller.until((one) => one.state === 'PENDING');
  assert.deepEqual(seen, [
    'netboot-w [{"powerAction":"off"},{"oneTimeBootDeviceAction":{"device":["pxe"],"efiBoot":true}},{"powerAction":"on"}]',
  ]);
  assert.equal(await mayNetboot(controller), true);
  assert.deepEqual(typesOf(pending), [
    'TemplateRenderedSuccess',
    'AllowNetbootTrue',
    'BootJobSetupComplete',
    'BootJobComplete',
  ]);
  const job = (await controller.get('Job', 'netboot-w')) as BmcJob;
  assert.deepEqual(pending.bootOptions?.jobs, {
    'netboot-w': { existingJobDeleted: true, uid: job.metadata.uid, complete: true },
  });
  assert.match(
    job.metadata.uid ?? '',
    /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  assert.equal(job.metadata.ownerReferences?.[0]?.uid, 'workflow-uid');
  await toPost(controller, pending);
  const done = await controller.until((one) => one.state === 'SUCCESS');
  assert.equal(await mayNetboot(controller), false);
  assert.deepEqual(done.bootOptions?.allowNetboot, { toggledTrue: true, toggledFalse: true });
});

test('isoboot: mounts the ISO before and ejects it after', async () => {
  await using controller = await startedController();
  const seen = instantBmc(controller);
  await putWorkflow(controller, { bootMode: 'isoboot', isoURL: 'http://192.0.2.1/x.iso' });
  await toPost(controller, await controller.until((one) => one.state === 'PENDING'));
  await controller.until((one) => one.state === 'SUCCESS');
  assert.match(seen[0] ?? '', /^iso-mount-w .*"mediaURL":"http:\/\/192.0.2.1\/x.iso"/);
  assert.deepEqual(seen[1], 'iso-eject-w [{"virtualMediaAction":{"mediaURL":"","kind":"CD"}}]');
});

test('customboot: renders Hardware in media URLs, and skips a phase without actions', async () => {
  await using controller = await startedController();
  const seen = instantBmc(controller);
  const mediaURL = 'http://x/{{ (index .Hardware.Interfaces 0).DHCP.MAC | replace ":" "-" }}/a.iso';
  const media = { virtualMediaAction: { mediaURL, kind: 'CD' } };
  await putWorkflow(controller, {
    bootMode: 'customboot',
    custombootConfig: { preparingActions: [{ powerAction: 'off' }, media] },
  });
  await toPost(controller, await controller.until((one) => one.state === 'PENDING'));
  await controller.until((one) => one.state === 'SUCCESS');
  assert.deepEqual(seen, [
    'customboot-preparing-w [{"powerAction":"off"},{"virtualMediaAction":{"mediaURL":"http://x/52-54-00-00-00-01/a.iso","kind":"CD"}}]',
  ]);
});

test('deletes the Job and the Tasks of another run before it creates its Job', async () => {
  await using controller = await startedController();
  const left = { name: 'netboot-w', namespace: 'default', uid: 'stale' };
  const completed = { conditions: [{ type: 'Completed', status: 'True' }] };
  await controller.put('Job', 'netboot-w', { metadata: left, spec: { tasks: [] }, status: completed });
  const labelled = (name: string, owner: string) =>
    controller.put('Task', name, {
      metadata: { name, namespace: 'default', labels: { 'owner-name': owner } },
    });
  await labelled('netboot-w-task-0', 'netboot-w');
  await labelled('other-task-0', 'other');
  const seen = instantBmc(controller);
  await putWorkflow(controller, { bootMode: 'netboot' });
  await controller.until((one) => one.state === 'PENDING');
  assert.equal(seen.length, 1);
  assert.notEqual((await controller.get('Job', 'netboot-w'))?.metadata.uid, 'stale');
  assert.equal(await controller.get('Task', 'netboot-w-task-0'), undefined);
  assert.notEqual(await controller.get('Task', 'other-task-0'), undefined);
});

test('after a crash between a Job and its record, uses the existing Job', async () => {
  await using controller = await startedController();
  await putWorkflow(controller, { bootMode: 'netboot' });
  const created = await controller.until((one) => one.bootOptions?.jobs?.['netboot-w']?.uid !== undefined);
  const jobs = { 'netboot-w': { existingJobDeleted: true } };
  await controller.put('Workflow', 'w', { status: { ...created, bootOptions: { jobs } } });
  const again = await controller.until((one) => one.bootOptions?.jobs?.['netboot-w']?.uid !== undefined);
  assert.equal(again.bootOptions?.jobs?.['netboot-w']?.uid, created.bootOptions?.jobs?.['netboot-w']?.uid);
});

test('fails with its Job, and reports why', async () => {
  await using controller = await startedController();
  instantBmc(controller, 'Failed');
  await putWorkflow(controller, { bootMode: 'netboot' });
  const failed = await controller.until((one) => one.state === 'FAILED');
  const { type, status, reason, message } = failed.conditions?.at(-1) ?? {};
  assert.deepEqual(
    [type, status, reason, message],
    ['BootJobFailed', 'True', 'Error', 'job failed: as configured'],
  );
});

test('fails if its Job is deleted, and without a Hardware or an ISO', async () => {
  await using controller = await startedController();
  await putWorkflow(controller, { bootMode: 'netboot' });
  await controller.until((one) => one.bootOptions?.jobs?.['netboot-w']?.uid !== undefined);
  const key = { collection: 'jobs.bmc.tinkerbell.org', namespace: 'default', name: 'netboot-w' };
  const stored = await controller.store.get(key);
  await controller.store.commit([{ operation: 'delete', key, expectedRevision: stored?.revision ?? 0 }]);
  const failed = await controller.until((one) => one.state === 'FAILED');
  assert.equal(failed.conditions?.at(-1)?.message, 'job netboot-w was deleted before it ended');
  await using other = await startedController();
  await putWorkflow(other, { bootMode: 'isoboot' });
  const without = await other.until((one) => one.state === 'FAILED');
  assert.equal(without.conditions?.at(-1)?.message, 'iso url must be a valid url');
});

test('reports once that no BMC service has started its Job for 30 s, and continues when one does', async () => {
  await using controller = await startedController();
  await putWorkflow(controller, { bootMode: 'netboot' });
  await controller.until((one) => one.bootOptions?.jobs?.['netboot-w']?.uid !== undefined);
  await controller.settled();
  const notices = async () =>
    (await controller.journal.read({ after: 0, workflows: ['default/w'] })).filter(
      (one) => one.event === 'boot-job-neglected',
    );
  controller.time.advance(29_000);
  await controller.settled();
  assert.equal((await notices()).length, 0);
  controller.time.advance(1000);
  await controller.until((one) => typesOf(one)?.includes('BootJobRunning') === true);
  controller.time.advance(60_000);
  await controller.settled();
  assert.deepEqual(
    (await notices()).map((one) => one.message),
    ['no BMC service has started job netboot-w; check that one is running'],
  );
  await controller.put('Job', 'netboot-w', {
    status: { conditions: [{ type: 'Completed', status: 'True' }] },
  });
  await controller.until((one) => one.state === 'PENDING');
});

test('a machine with a slow Job delays no other workflow', async () => {
  await using controller = await startedController();
  await putWorkflow(controller, { bootMode: 'netboot' });
  await controller.until((one) => one.bootOptions?.jobs?.['netboot-w']?.uid !== undefined);
  await controller.put('Workflow', 'other', {
    spec: { templateRef: 't', hardwareRef: 'h', hardwareMap: { device_1: mac } },
  });
  const stateOf = async () => ((await controller.get('Workflow', 'other')) as Workflow).status?.state;
  while ((await stateOf()) !== 'PENDING') await new Promise(setImmediate);
});
