/** Tests the other calls over gRPC: lists, configurations, watches, and their refusals. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { status } from '@grpc/grpc-js';
import { Job_State, type ListJobsResponse } from '@tinkerbell/api/provisioning';
import type { Hardware } from '@tinkerbell/resources';
import { RpcError } from '../grpc/rpc-error.ts';
import { eventually, hasCode } from '../testing/running-server.ts';
import { debian, mac, provision, runningProvisioning, statesOf } from '../testing/running-provisioning.ts';

test('jobs are listed in pages, by device, state and user', async () => {
  await using server = await runningProvisioning({ machines: 5 });
  const ids: string[] = [];
  for (let machine = 1; machine <= 5; machine++)
    ids.push((await provision(server, { deviceId: `m${machine}` })).jobId);
  await server.put('Workflow', 'not-a-job', { spec: { hardwareRef: 'm1', templateRef: 'debian' } });
  const list = (request: object) => server.call<ListJobsResponse>('listJobs', request);
  const seen: string[] = [];
  for (let pageToken = ''; ;) {
    const page = await list({ pageSize: 2, pageToken });
    seen.push(...page.jobs.map(({ jobId }) => jobId));
    pageToken = page.nextPageToken;
    if (pageToken === '') break;
  }
  assert.deepEqual(seen.toSorted(), ids.toSorted());
  assert.deepEqual(
    (await list({ deviceId: 'i-3' })).jobs.map(({ jobId }) => jobId),
    [ids[2]],
  );
  assert.deepEqual((await list({ deviceId: 'gone' })).jobs, []);
  await server.call('cancelJob', { jobId: ids[0] });
  assert.deepEqual(
    (await list({ state: Job_State.CANCELLED })).jobs.map(({ jobId }) => jobId),
    [ids[0]],
  );
  assert.equal((await list({ user: 'anonymous' })).jobs.length, 5);
  assert.deepEqual((await list({ user: 'bob' })).jobs, []);
});

test('a configuration is merged into the Hardware and returned', async () => {
  await using server = await runningProvisioning();
  const apply = (config: object, deviceId = 'm1') =>
    server.call<{ deviceId: string; config: object }>('applyConfiguration', { deviceId, config });
  const first = await apply({ user_data: '#cloud-config', hostname: 'edge-1', allow_pxe: false }, mac(1));
  assert.deepEqual(
    [first.deviceId, first.config],
    ['m1', { user_data: '#cloud-config', hostname: 'edge-1', allow_pxe: false }],
  );
  const second = await apply({ user_data: null, vendor_data: 'v' });
  assert.deepEqual(second.config, { vendor_data: 'v', hostname: 'edge-1', allow_pxe: false });
  const { spec, metadata } = await server.hardware('m1');
  assert.deepEqual(
    [
      spec?.userData,
      spec?.vendorData,
      spec?.metadata?.instance,
      spec?.interfaces?.[0]?.dhcp?.hostname,
      metadata.generation,
    ],
    [undefined, 'v', { id: 'i-1', hostname: 'edge-1' }, 'edge-1', 2],
  );
  const before = await server.store.revision();
  await apply({ vendor_data: 'v' });
  assert.equal(await server.store.revision(), before, 'an unchanged configuration is not written');
});

const id = '01J8ZQ5W6X0000000000000000';

const wrong: readonly (readonly [method: string, request: object, code: status, message: RegExp])[] = [
  ['provisionDevice', {}, status.INVALID_ARGUMENT, /device_id: is required/],
  ['provisionDevice', { deviceId: 'm1' }, status.INVALID_ARGUMENT, /os_image: is required/],
  ['provisionDevice', { deviceId: 'm9', osImage: 'debian-12' }, status.NOT_FOUND, /device_id: no Hardware/],
  [
    'provisionDevice',
    { deviceId: 'm1', osImage: 'talos' },
    status.NOT_FOUND,
    /os_image: no Template .* debian-12, strict/,
  ],
  [
    'provisionDevice',
    { deviceId: 'm1', osImage: 'debian-12', config: { 'a-b': '' } },
    status.INVALID_ARGUMENT,
    /config\.a-b/,
  ],
  ['createJob', { deviceId: 'm1' }, status.INVALID_ARGUMENT, /give template or os_image/],
  [
    'createJob',
    { deviceId: 'm1', template: 'a', osImage: 'b' },
    status.INVALID_ARGUMENT,
    /either template or os_image/,
  ],
  [
    'createJob',
    { deviceId: 'm1', template: 'debian', parameters: { hardware: '' } },
    status.INVALID_ARGUMENT,
    /parameters\.hardware/,
  ],
  ['getJobStatus', {}, status.INVALID_ARGUMENT, /job_id: is required/],
  ['getJobStatus', { jobId: '../x' }, status.INVALID_ARGUMENT, /must be a job id/],
  ['getJobStatus', { jobId: id }, status.NOT_FOUND, /there is no job/],
  ['cancelJob', { jobId: id }, status.NOT_FOUND, /there is no job/],
  ['retryJob', { jobId: id }, status.NOT_FOUND, /there is no job/],
  ['listJobs', { pageSize: 1000 }, status.INVALID_ARGUMENT, /page_size/],
  ['listJobs', { pageToken: 'x' }, status.INVALID_ARGUMENT, /page_token/],
  ['applyConfiguration', { deviceId: 'm1' }, status.INVALID_ARGUMENT, /config: is required/],
  ['applyConfiguration', { deviceId: 'm9', config: { hostname: 'a' } }, status.NOT_FOUND, /device_id/],
  [
    'applyConfiguration',
    { deviceId: 'm1', config: { ipxe: 'a' } },
    status.INVALID_ARGUMENT,
    /config\.ipxe: unknown field/,
  ],
  [
    'applyConfiguration',
    { deviceId: 'm1', config: { hostname: 'a\nb' } },
    status.INVALID_ARGUMENT,
    /must be a host name/,
  ],
];

test('invalid requests are refused with the field, and write nothing', async (context) => {
  await using server = await runningProvisioning();
  const before = await server.store.revision();
  for (const [method, request, code, message] of wrong)
    await context.test(`${method} ${JSON.stringify(request)}`, async () => {
      await assert.rejects(server.call(method, request), hasCode(code, message));
    });
  await assert.rejects(statesOf(server.watch(id)), hasCode(status.NOT_FOUND, /there is no job/));
  assert.equal(await server.store.revision(), before);
});

test('two machines with one MAC cannot be provisioned by it', async () => {
  await using server = await runningProvisioning();
  await server.put('Hardware', 'm1-twin', { spec: { interfaces: [{ dhcp: { mac: mac(1) } }] } });
  const twice = hasCode(status.FAILED_PRECONDITION, /more than one Hardware: m1, m1-twin/);
  await eventually(async () => {
    const refused = await provision(server, { deviceId: mac(1) }).then(
      () => undefined,
      (thrown: Error) => thrown,
    );
    return refused && twice(refused as never) ? true : undefined;
  });
});

test('anonymous callers are refused, and a caller without permission changes nothing', async () => {
  const access = {
    identityOf: (caller: { header(name: string): string | undefined }) => {
      const user = caller.header('authorization');
      if (user === undefined) return Promise.reject(new RpcError('unauthenticated', 'no token'));
      return Promise.resolve({ user });
    },
    mayProvision: ({ user }: { user: string }, { metadata }: Hardware) =>
      user === 'ann' && metadata.name === 'm1',
  };
  await using server = await runningProvisioning({ config: { access } });
  const ann = { authorization: 'ann' };
  const { jobId } = await provision(server, { deviceId: 'm1' }, ann);
  const requests: Readonly<Record<string, object>> = {
    provisionDevice: { deviceId: 'm1', ...debian },
    createJob: { deviceId: 'm1', template: 'debian' },
    cancelJob: { jobId },
    retryJob: { jobId },
    applyConfiguration: { deviceId: 'm1', config: { hostname: 'a' } },
  };
  for (const [method, request] of Object.entries(requests)) {
    await assert.rejects(server.call(method, request), hasCode(status.UNAUTHENTICATED, /no token/), method);
    await assert.rejects(
      server.call(method, request, { authorization: 'bob' }),
      hasCode(status.PERMISSION_DENIED, /bob may not provision default\/m1/),
    );
  }
  for (const [method, request] of [
    ['getJobStatus', { jobId }],
    ['listJobs', {}],
  ] as const)
    await assert.rejects(server.call(method, request), hasCode(status.UNAUTHENTICATED, /no token/), method);
  await assert.rejects(statesOf(server.watch(jobId)), hasCode(status.UNAUTHENTICATED, /no token/));
  assert.equal((await server.workflows()).length, 1);
});

test('a caller without a token is refused wherever it calls from, and nobody can act as another user', async () => {
  await using server = await runningProvisioning({ config: { audience: 'none' } });
  const refused = hasCode(
    status.PERMISSION_DENIED,
    /the provisioning API needs a token; 127\.0\.0\.1:\d+ sent none/,
  );
  await assert.rejects(provision(server, { deviceId: 'm1' }), refused);
  await assert.rejects(
    provision(server, { deviceId: 'm1' }, { 'impersonate-user': 'ann' }),
    hasCode(status.PERMISSION_DENIED, /does not act as other users/),
  );
  assert.equal((await server.workflows()).length, 0);
});

test('a watch ends when its job is deleted, and when the server stops', async () => {
  await using server = await runningProvisioning();
  const [one, two] = [
    await provision(server, { deviceId: 'm1' }),
    await provision(server, { deviceId: 'm2' }),
  ];
  const [deleted, kept] = [server.watch(one.jobId), server.watch(two.jobId)];
  await Promise.all([deleted, kept].map((stream) => new Promise((resolve) => stream.once('data', resolve))));
  const aborted = assert.rejects(statesOf(deleted), hasCode(status.ABORTED, /was deleted/));
  await server.deleteJob(one.jobId);
  await aborted;
  const stopped = assert.rejects(statesOf(kept), hasCode(status.UNAVAILABLE, /./));
  server.stop();
  await stopped;
});

test('watches beyond the limit are refused over both protocols, until some end', async () => {
  await using server = await runningProvisioning();
  const { jobId } = await provision(server, { deviceId: 'm1' });
  const path = `/v1/jobs/${jobId}/watch`;
  const responses: Response[] = [];
  for (let i = 0; i < 1000; i++) responses.push(await server.rest('GET', path));
  assert.ok(responses.every((one) => one.status === 200));
  const refused = await server.rest('GET', path);
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '10']);
  await assert.rejects(statesOf(server.watch(jobId)), hasCode(status.RESOURCE_EXHAUSTED, /too many watches/));
  await Promise.all(responses.map(async (one) => one.body?.cancel()));
  const again = await server.rest('GET', path);
  assert.equal(again.status, 200);
  await again.body?.cancel();
});
