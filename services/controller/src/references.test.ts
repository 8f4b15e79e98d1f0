/** Templates that use a Hardware's `spec.references`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseReferenceRules, type ReferenceRules } from '@tinkerbell/template';
import type { Hardware, HardwareSpec } from '@tinkerbell/resources';
import { Referrers } from './referrers.ts';
import { mac, startedController, type Controller } from './testing/started-controller.ts';

const text = `name: w
global_timeout: 60
tasks:
  - name: t
    worker: "{{.device_1}}"
    actions:
      - {name: a, image: "{{ .references.os.spec.data }}"}
`;

const os = {
  namespace: 'elsewhere',
  name: 'os',
  group: 'tinkerbell.org',
  version: 'v1alpha1',
  resource: 'templates',
};
const inDefault = { ...os, namespace: 'default' };

function rules(allow: string): ReferenceRules {
  const parsed = parseReferenceRules({ deny: '', allow });
  assert.ok(parsed.ok);
  return parsed.rules;
}

async function putAll(controller: Controller, reference: object = inDefault): Promise<void> {
  await controller.put('Hardware', 'h', { spec: { references: { os: reference } } });
  await controller.put('Template', 't', { spec: { data: text } });
  await controller.put('Workflow', 'w', {
    spec: { templateRef: 't', hardwareRef: 'h', hardwareMap: { device_1: mac } },
  });
}

const templates = rules('{"reference":{"resource":["templates"]}}');

test('a template sees the whole object that a rule allows', async () => {
  await using controller = await startedController([], templates);
  await controller.put('Template', 'os', { spec: { data: 'debian:12' } });
  await putAll(controller);
  const status = await controller.until((one) => one.state === 'PENDING');
  assert.equal(status.tasks?.[0]?.actions[0]?.image, 'debian:12');
});

test('a workflow waits for a referenced object, and resumes as soon as it is right', async () => {
  await using controller = await startedController([], templates);
  await putAll(controller);
  const waiting = await controller.until((one) => one.templateRendering === 'failed');
  assert.match(
    waiting.conditions?.[0]?.message ?? '',
    /map has no entry for key "os"\nreference not found: os$/,
  );
  await controller.put('Template', 'os', { spec: { data: 'NO IMAGE' } });
  await controller.until((one) => /invalid|reference format|image/.test(one.conditions?.[0]?.message ?? ''));
  await controller.put('Template', 'os', { spec: { data: 'debian:12' } });
  const status = await controller.until((one) => one.state === 'PENDING');
  assert.equal(status.tasks?.[0]?.actions[0]?.image, 'debian:12');
});

test('without rules, every reference is denied with an error', async () => {
  await using controller = await startedController([], rules(''));
  await controller.put('Template', 'os', { spec: { data: 'debian:12' } });
  await putAll(controller);
  const failed = await controller.until((one) => one.templateRendering === 'failed');
  assert.match(failed.conditions?.[0]?.message ?? '', /map has no entry for key "os"\nreference denied: os$/);
});

test('another namespace, version or kind is another object', async () => {
  for (const reference of [
    os,
    { ...inDefault, version: 'v2' },
    { ...inDefault, group: '', resource: 'secrets' },
  ]) {
    await using controller = await startedController([], rules('{"reference":{"name":["os"]}}'));
    await controller.put('Template', 'os', { spec: { data: 'debian:12' } });
    await putAll(controller, reference);
    const failed = await controller.until((one) => one.templateRendering === 'failed');
    assert.match(failed.conditions?.[0]?.message ?? '', /reference not found: os$/);
  }
});

const everything = rules('{"reference":{"name":["os"]}}');

for (const kind of ['Workflow', 'Job', 'Hardware'] as const)
  test(`a change of a referenced ${kind} is noticed at once`, async () => {
    await using controller = await startedController([], everything);
    const group = kind === 'Job' ? 'bmc.tinkerbell.org' : 'tinkerbell.org';
    const resource = { Workflow: 'workflows', Job: 'jobs', Hardware: 'hardware' }[kind];
    await putAll(controller, { ...inDefault, group, resource });
    const lines = text.replace('.spec.data', '.metadata.labels.image');
    await controller.put('Template', 't', { spec: { data: lines } });
    await controller.until(
      (one) => one.conditions?.[0]?.message?.endsWith('reference not found: os') === true,
    );
    const labelled = (image: string) => ({
      metadata: { name: 'os', namespace: 'default', labels: { image } },
    });
    await controller.put(kind, 'os', labelled('NO IMAGE'));
    await controller.until((one) =>
      /invalid|reference format|image/.test(one.conditions?.[0]?.message ?? ''),
    );
    await controller.put(kind, 'os', labelled('debian:12'));
    const status = await controller.until((one) => one.state === 'PENDING');
    assert.equal(status.tasks?.[0]?.actions[0]?.image, 'debian:12');
  });

test('an object that no Hardware references any more wakes no workflow', () => {
  const referrers = new Referrers(everything);
  const key = { collection: 'templates.tinkerbell.org', namespace: 'default', name: 'os' };
  const hardware = (references?: object): Hardware => ({
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name: 'h', namespace: 'default' },
    spec: { ...(references && { references }) } as HardwareSpec,
  });
  referrers.put(hardware({ os: inDefault, other: { ...inDefault, name: 'denied' } }));
  assert.deepEqual(referrers.naming(key), [{ namespace: 'default', name: 'h' }]);
  referrers.put(hardware());
  assert.deepEqual(referrers.naming(key), []);
  assert.deepEqual(referrers.all(), []);
  referrers.put(hardware({ os: inDefault }));
  assert.deepEqual(referrers.all(), [{ namespace: 'default', name: 'h' }]);
  referrers.remove({ namespace: 'default', name: 'h' });
  assert.deepEqual(referrers.naming(key), []);
});
