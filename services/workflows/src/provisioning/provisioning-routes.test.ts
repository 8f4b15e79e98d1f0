/** Tests the Provisioning API as REST. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RpcError } from '../grpc/rpc-error.ts';
import { mac, runningProvisioning, type RunningProvisioning } from '../testing/running-provisioning.ts';
import { eventually } from '../testing/running-server.ts';

interface JobJson {
  readonly job_id: string;
  readonly state: string;
  readonly message?: string;
}

async function provisioned(server: RunningProvisioning, device = 'm1'): Promise<string> {
  const response = await server.rest('POST', `/v1/devices/${device}/provision`, { os_image: 'debian-12' });
  assert.equal(response.status, 202);
  return ((await response.json()) as JobJson).job_id;
}

test('a device is provisioned, and its job is shown, listed, cancelled and retried', async () => {
  await using server = await runningProvisioning();
  const response = await server.rest(
    'POST',
    '/v1/devices/52-54-00-00-00-01/provision',
    { os_image: 'debian-12', config: { disk: '/dev/vda' } },
    { 'idempotency-key': 'k' },
  );
  assert.equal(response.status, 202);
  const accepted = (await response.json()) as { job_id: string };
  const { job_id: id } = accepted;
  assert.deepEqual(accepted, { job_id: id, status: 'ACCEPTED', message: 'debian will be run on m1' });
  assert.equal(response.headers.get('location'), `/v1/jobs/${id}`);
  const told = await server.rest('GET', `/v1/jobs/${id.toLowerCase()}`);
  assert.equal(((await told.json()) as JobJson).job_id, id);

  const other = await server.rest('POST', '/v1/jobs', { device_id: 'm2', template: 'debian' });
  assert.equal(other.status, 201);
  const page = await server.rest('GET', '/v1/jobs?page_size=1');
  const { jobs, next_page_token: next } = (await page.json()) as { jobs: JobJson[]; next_page_token: string };
  assert.equal(jobs.length, 1);
  const rest = await server.rest('GET', `/v1/jobs?page_size=1&page_token=${encodeURIComponent(next)}`);
  const second = (await rest.json()) as { jobs: JobJson[]; next_page_token?: string };
  assert.equal(second.next_page_token, undefined);
  assert.equal(new Set([...jobs, ...second.jobs].map((job) => job.job_id)).size, 2);
  const mine = await server.rest('GET', `/v1/jobs?device_id=${mac(1)}`);
  assert.deepEqual(
    ((await mine.json()) as { jobs: JobJson[] }).jobs.map((job) => job.job_id),
    [id],
  );

  const cancelled = await server.rest('POST', `/v1/jobs/${id}/cancel`, { reason: 'lunch' });
  const after = (await cancelled.json()) as JobJson;
  assert.equal(after.state, 'CANCELLED');
  assert.match(after.message ?? '', /by anonymous: lunch/);
  const retried = await server.rest('POST', `/v1/jobs/${id}/retry`);
  assert.equal(retried.status, 200);
  assert.notEqual(((await retried.json()) as JobJson).state, 'CANCELLED');
});

test('nested configuration reaches the template as JSON', async () => {
  await using server = await runningProvisioning();
  const data = `version: "0.1"
name: site
global_timeout: 600
tasks:
  - name: site
    worker: "{{.device_1}}"
    actions:
      - name: address
        image: example.org/write:v1
        timeout: 60
        environment:
          ADDRESS: "{{ (fromJson .network).address }}, {{ .retries }}, {{ index (.disks | fromJson) 1 }}"
`;
  await server.put('Template', 'site', { spec: { data } });
  const config = { network: { address: '10.1.0.5/24', vlan: 7 }, retries: 3, disks: ['sda', 'sdb'] };
  const created = await server.rest('POST', '/v1/devices/m1/provision', { os_image: 'site', config });
  assert.equal(created.status, 202);
  const action = await eventually(async () => {
    const [workflow] = await server.workflows();
    return workflow?.status?.tasks?.[0]?.actions?.[0];
  });
  assert.equal(action.environment?.['ADDRESS'], '10.1.0.5/24, 3, sdb');
});

test('a configuration is set and read back', async () => {
  await using server = await runningProvisioning();
  const response = await server.rest('PUT', '/v1/devices/m1/configuration', {
    hostname: 'edge-1',
    allow_workflow: true,
  });
  assert.deepEqual(await response.json(), {
    device_id: 'm1',
    config: { hostname: 'edge-1', allow_pxe: true, allow_workflow: true },
  });
  assert.equal((await server.hardware('m1')).spec?.interfaces?.[0]?.netboot?.allowWorkflow, true);
});

test('a watch sends one job per line until the job has ended', async () => {
  await using server = await runningProvisioning();
  const id = await provisioned(server);
  const response = await server.rest('GET', `/v1/jobs/${id}/watch`);
  assert.equal(response.headers.get('content-type'), 'application/x-ndjson');
  const [text] = await Promise.all([response.text(), server.runAgent(mac(1), 2)]);
  const states = text
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as JobJson).state);
  assert.equal(states.at(-1), 'SUCCEEDED');
  assert.ok(states.includes('RUNNING'), states.join());
});

test('a watch sends events to a client that accepts them, and reports why it ends early', async () => {
  await using server = await runningProvisioning();
  const id = await provisioned(server);
  const response = await server.rest('GET', `/v1/jobs/${id}/watch`, undefined, {
    accept: 'text/event-stream',
  });
  assert.equal(response.headers.get('content-type'), 'text/event-stream');
  const text = response.text();
  await server.deleteJob(id);
  const events = (await text).trim().split('\n\n');
  assert.match(events[0] ?? '', new RegExp(`^event: job\\ndata: .*${id}`));
  const [, problem] = /^event: problem\ndata: (.*)$/.exec(events.at(-1) ?? '') ?? [];
  assert.match((JSON.parse(problem ?? '') as { detail: string }).detail, /was deleted/);
});

for (const [when, reads] of [
  ['while nothing happens', 1],
  ['before it has read anything', 0],
] as const)
  test(`a client that goes away ${when} ends its watch`, async () => {
    await using server = await runningProvisioning();
    const id = await provisioned(server);
    const before = server.listeners();
    const response = await server.rest('GET', `/v1/jobs/${id}/watch`);
    assert.equal(server.listeners(), before + 1);
    const reader = response.body?.getReader();
    for (let i = 0; i < reads; i++) assert.ok((await reader?.read())?.value !== undefined);
    await new Promise(setImmediate);
    await reader?.cancel();
    await eventually(() => Promise.resolve(server.listeners() === before || undefined));
  });

const id = '01J8ZQ5W6X0000000000000000';
const image = { os_image: 'debian-12' };

interface Refused {
  readonly request: readonly [method: string, path: string, body?: unknown, headers?: Record<string, string>];
  readonly status: number;
  readonly field?: string;
  readonly detail: RegExp;
}

const refused: readonly Refused[] = [
  { request: ['GET', '/v1/'], status: 404, detail: /there is no \/v1\// },
  { request: ['GET', '/v1/machines'], status: 404, detail: /there is no/ },
  { request: ['DELETE', '/v1/jobs'], status: 405, detail: /takes GET, POST, not DELETE/ },
  { request: ['POST', '/v1/openapi.json'], status: 405, detail: /takes GET/ },
  { request: ['GET', '/v1/jobs/%ZZ'], status: 400, detail: /invalid percent escape/ },
  { request: ['GET', '/v1/jobs/x'], status: 400, field: 'job_id', detail: /must be a job id/ },
  { request: ['GET', `/v1/jobs/${id}`], status: 404, detail: /there is no job/ },
  { request: ['GET', `/v1/jobs/${id}/watch`], status: 404, detail: /there is no job/ },
  { request: ['POST', `/v1/jobs/${id}/cancel`], status: 404, detail: /there is no job/ },
  { request: ['POST', `/v1/jobs/${id}/retry`, {}], status: 404, detail: /there is no job/ },
  {
    request: ['GET', '/v1/jobs?page_size=many'],
    status: 400,
    field: 'page_size',
    detail: /must be an integer/,
  },
  { request: ['GET', '/v1/jobs?state=done'], status: 400, field: 'state', detail: /must be one of/ },
  {
    request: ['GET', '/v1/jobs?devise_id=x'],
    status: 400,
    field: 'devise_id',
    detail: /did you mean "device_id"/,
  },
  { request: ['POST', '/v1/jobs'], status: 400, field: 'device_id', detail: /is required/ },
  { request: ['POST', '/v1/jobs', '{'], status: 400, detail: /not JSON/ },
  { request: ['POST', '/v1/jobs', '[]'], status: 400, detail: /must be a JSON object/ },
  {
    request: ['POST', '/v1/jobs', 'a: 1', { 'content-type': 'text/plain' }],
    status: 415,
    detail: /application\/json/,
  },
  { request: ['POST', '/v1/jobs', `"${'x'.repeat(3_200_000)}"`], status: 413, detail: /larger than/ },
  {
    request: ['POST', '/v1/devices/m9/provision', image],
    status: 404,
    field: 'device_id',
    detail: /no Hardware/,
  },
  {
    request: ['POST', '/v1/devices/m1/provision', {}],
    status: 400,
    field: 'os_image',
    detail: /is required/,
  },
  {
    request: ['POST', '/v1/devices/m1/provision', { ...image, device_id: 'm2' }],
    status: 400,
    field: 'device_id',
    detail: /the path says "m1"/,
  },
  {
    request: ['POST', '/v1/devices/m1/provision', { ...image, config: { '1': '' } }],
    status: 400,
    field: 'config.1',
    detail: /must be a name/,
  },
  {
    request: ['PUT', '/v1/devices/m1/configuration', {}],
    status: 400,
    field: 'config',
    detail: /fewer than 1/,
  },
  {
    request: ['PUT', '/v1/devices/m1/configuration', []],
    status: 400,
    field: 'config',
    detail: /must be an object/,
  },
  {
    request: ['PUT', '/v1/devices/m1/configuration', { hostname: 'a b' }],
    status: 400,
    field: 'config.hostname',
    detail: /must be a host name/,
  },
];

test('invalid requests are problems (RFC 9457) that name the field, and write nothing', async (context) => {
  await using server = await runningProvisioning();
  const before = await server.store.revision();
  for (const { request, status, field, detail } of refused)
    await context.test(`${status}: ${request.slice(0, 3).map(String).join(' ').slice(0, 60)}`, async () => {
      const response = await server.rest(...request);
      assert.equal(response.headers.get('content-type'), 'application/problem+json');
      const problem = (await response.json()) as Record<string, unknown>;
      assert.match(String(problem['detail']), detail);
      assert.deepEqual([response.status, problem['status'], problem['field']], [status, status, field]);
      assert.equal(problem['type'], 'about:blank');
    });
  assert.equal(await server.store.revision(), before);
});

test('a device with a job and a used key are conflicts', async () => {
  await using server = await runningProvisioning();
  const job = await provisioned(server);
  const again = await server.rest('POST', '/v1/devices/m1/provision', image);
  assert.equal(again.status, 409);
  assert.match(((await again.json()) as { detail: string }).detail, new RegExp(job));
  const key = { 'idempotency-key': 'k' };
  assert.equal((await server.rest('POST', '/v1/devices/m2/provision', image, key)).status, 202);
  assert.equal((await server.rest('POST', '/v1/devices/m3/provision', image, key)).status, 409);
  const wrongVerb = await server.rest('PUT', '/v1/jobs');
  assert.equal(wrongVerb.headers.get('allow'), 'GET, POST');
});

test('serves its own description', async () => {
  await using server = await runningProvisioning();
  const response = await server.rest('GET', '/v1/openapi.json');
  assert.equal(((await response.json()) as { openapi: string }).openapi, '3.1.0');
});

test('refuses callers as the API does, with a problem', async () => {
  await using server = await runningProvisioning();
  for (const route of server.service.routes) {
    assert.ok(route.access === 'api');
    assert.equal(route.rejection?.('no').status, 403);
  }
});

test('reads a body only after its sender is authorized, and within a budget', async () => {
  await using server = await runningProvisioning();
  const wide = `{"config":{${Array.from({ length: 2000 }, (_, at) => `"k${at}":"v"`).join(',')}}}`;
  for (const body of [
    wide,
    '['.repeat(100_000),
    `{"a":[${'1,'.repeat(20_000)}1]}`,
    `"${'x'.repeat(3_200_000)}"`,
  ]) {
    const answer = await server.rest('POST', '/v1/devices/m1/provision', body);
    assert.equal(answer.status, 413, body.slice(0, 30));
  }
  await using closed = await runningProvisioning({
    config: {
      access: {
        identityOf: () => Promise.reject(new RpcError('permission-denied', 'not you')),
        mayProvision: () => false,
      },
    },
  });
  for (const path of ['/v1/devices/m1/provision', '/v1/jobs', '/v1/jobs/01J8ZQ5W6X0000000000000000/cancel'])
    assert.equal((await closed.rest('POST', path, '{')).status, 403, path);
});
