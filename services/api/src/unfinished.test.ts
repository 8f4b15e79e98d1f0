/** A machine with an unfinished Workflow gets a second one, and its Hardware is deleted. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base, startedApi } from './testing/started-api.ts';

type Api = Awaited<ReturnType<typeof startedApi>>;

const apiVersion = 'tinkerbell.org/v1alpha1';
const MAC = '52:54:00:00:00:01';
const template =
  'name: x\ntasks: [{name: t, worker: "{{ .device_1 }}", actions: [{name: a, image: cexec}]}]\n';
const kinds = { hardware: 'Hardware', templates: 'Template', workflows: 'Workflow' };

async function put(api: Api, plural: keyof typeof kinds, name: string, spec: object, query = '') {
  const object = { apiVersion, kind: kinds[plural], metadata: { name }, spec };
  const answer = await api.call('POST', `${base}/${plural}${query}`, object);
  assert.equal(answer.code, 201, JSON.stringify(answer.body));
  return answer.headers.get('warning') ?? '';
}

async function scene() {
  const api = await startedApi();
  await put(api, 'hardware', 'm1', { agentID: 'rack-1', interfaces: [{ dhcp: { mac: MAC } }] });
  await put(api, 'templates', 't', { data: template });
  return api;
}

function setState(api: Api, name: string, state: string, agentID = MAC) {
  const body = { status: { state, agentID } };
  const type = { 'content-type': 'application/merge-patch+json' };
  return api.call('PATCH', `${base}/workflows/${name}/status`, body, type);
}

const byRef = { templateRef: 't', hardwareRef: 'm1', hardwareMap: { device_1: MAC } };
const byAgent = { templateRef: 't', hardwareMap: { device_1: 'rack-1' } };

test('warns about a second Workflow for a machine whose first has not ended, with advice', async () => {
  await using api = await scene();
  assert.equal(await put(api, 'workflows', 'w1', byRef), '');
  const unrendered = await put(api, 'workflows', 'w2', byAgent, '?dryRun=All');
  assert.match(unrendered, /a Workflow that has not ended: w1 \(not rendered yet\)/);
  await setState(api, 'w1', 'RUNNING');
  for (const spec of [byRef, byAgent, { templateRef: 't', hardwareRef: 'm1' }]) {
    const warning = await put(api, 'workflows', 'w2', spec, '?dryRun=All');
    assert.match(warning, /w1 \(RUNNING\): both will write its disk, one after the other/);
    assert.match(warning, /tink workflow cancel w1\\?", or disable this one with \\?"spec.disabled: true/);
  }
  await setState(api, 'w1', 'SUCCESS');
  assert.equal(await put(api, 'workflows', 'w2', byRef), '');
});

test('a Workflow that names only an agent conflicts with one by Hardware, and with one without a Hardware', async () => {
  await using api = await scene();
  await put(api, 'workflows', 'w1', byAgent);
  await setState(api, 'w1', 'PENDING', 'rack-1');
  assert.match(await put(api, 'workflows', 'w2', byRef, '?dryRun=All'), /not ended: w1 \(PENDING\)/);
  await put(api, 'workflows', 'v1', { templateRef: 't', hardwareMap: { device_1: 'nobody' } });
  await setState(api, 'v1', 'PENDING', 'nobody');
  const other = { templateRef: 't', hardwareMap: { device_1: 'nobody' } };
  assert.match(await put(api, 'workflows', 'v2', other), /not ended: v1 \(PENDING\)/);
});

test('a disabled Workflow conflicts only when it is enabled', async () => {
  await using api = await scene();
  assert.equal(await put(api, 'workflows', 'w1', { ...byRef, disabled: true }), '');
  assert.equal(await put(api, 'workflows', 'w2', byRef), '');
  const type = { 'content-type': 'application/merge-patch+json' };
  const enabled = await api.call('PATCH', `${base}/workflows/w1`, { spec: { disabled: false } }, type);
  assert.equal(enabled.code, 200);
  assert.match(enabled.headers.get('warning') ?? '', /not ended: w2 /);
  const labelled = await api.call(
    'PATCH',
    `${base}/workflows/w1`,
    { metadata: { labels: { a: 'b' } } },
    type,
  );
  assert.equal(labelled.headers.get('warning'), null);
});

test('deletes a Hardware with a Workflow, with a warning and a record in both timelines', async () => {
  await using api = await scene();
  await put(api, 'workflows', 'w1', byRef);
  await setState(api, 'w1', 'RUNNING');
  const tried = await api.call('DELETE', `${base}/hardware/m1?dryRun=All`);
  assert.match(tried.headers.get('warning') ?? '', /w1 \(RUNNING\)/);
  assert.deepEqual(await api.journal.read({ workflows: ['default/w1'], after: 0 }), []);
  const deleted = await api.call('DELETE', `${base}/hardware/m1`);
  assert.equal(deleted.code, 200);
  const warning = deleted.headers.get('warning') ?? '';
  assert.match(warning, /hardware m1 is deleted while it has a Workflow that has not ended: w1 \(RUNNING\)/);
  assert.match(warning, /tink workflow cancel w1\\?", or create the Hardware again/);
  const records = await api.journal.read({ workflows: ['default/w1'], after: 0 });
  assert.deepEqual(
    records.map(({ event, machine }) => ({ event, machine })),
    [{ event: 'hardware-deleted', machine: MAC }],
  );
});

test('deleting all Hardware warns about each machine with open Workflows, and no others', async () => {
  await using api = await scene();
  await put(api, 'hardware', 'm2', {});
  assert.equal((await api.call('DELETE', `${base}/hardware/m2`)).headers.get('warning'), null);
  await put(api, 'workflows', 'w1', byRef);
  const deleted = await api.call('DELETE', `${base}/hardware`);
  assert.equal(deleted.code, 200);
  assert.match(deleted.headers.get('warning') ?? '', /hardware m1 is deleted while it has/);
});
