/**
 * Tests that each job is created once, that a device has one job at a time, and that jobs run to their end.
 * The stores, the controller and the agent are real.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { status } from '@grpc/grpc-js';
import { Job_State, type ListJobsResponse, type ProvisionDeviceResponse } from '@tinkerbell/api/provisioning';
import { createNodeLog } from '@tinkerbell/platform-node';
import type { Store } from '@tinkerbell/store-contract';
import { createMemoryStore } from '@tinkerbell/store-memory';
import { openSqliteStore } from '@tinkerbell/store-sqlite';
import { hasCode } from '../testing/running-server.ts';
import {
  comesTo,
  jobOf,
  mac,
  provision,
  runningProvisioning,
  statesOf,
} from '../testing/running-provisioning.ts';

const log = createNodeLog({ level: 'silent', format: 'json' });
/** A database that outlives the servers. */
function database() {
  const folder = mkdtempSync(join(tmpdir(), 'tinkerbell-provisioning-'));
  return {
    open: (): Store => openSqliteStore({ path: join(folder, 'tinkerbell.db'), log }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

const stores: readonly (readonly [name: string, open: (files: ReturnType<typeof database>) => Store])[] = [
  ['memory', () => createMemoryStore()],
  ['sqlite', (files) => files.open()],
];

for (const [name, open] of stores) {
  test(`a device is provisioned, an agent runs the job, and a watch reports it until it ends (${name})`, async () => {
    using files = database();
    await using store = open(files);
    await using server = await runningProvisioning({ store });
    const accepted = await provision(server, { deviceId: 'm1', config: { disk: '/dev/vda' } });
    assert.equal(accepted.status, Job_State.ACCEPTED);
    assert.match(accepted.jobId, /^[0-9A-HJKMNP-TV-Z]{26}$/);
    const watched = statesOf(server.watch(accepted.jobId));
    await server.runAgent(mac(1), 2);
    const states = await watched;
    assert.equal(states.at(-1), 'SUCCEEDED');
    const order = ['ACCEPTED', 'PREPARING', 'RUNNING', 'SUCCEEDED'];
    const distinct = states.filter((state, index) => state !== states[index - 1]);
    assert.deepEqual(distinct, order.slice(order.indexOf(distinct[0] ?? '')));
    const job = await jobOf(server, accepted.jobId);
    assert.deepEqual(
      [job.percent, job.deviceId, job.user, job.osImage, job.template, job.message],
      [100, 'm1', 'anonymous', 'debian-12', 'debian', ''],
    );
    assert.deepEqual(
      job.actions.map((one) => [one.task, one.name, one.attempt]),
      [
        ['os', 'image', 1],
        ['os', 'reboot', 1],
      ],
    );
    assert.ok(job.created !== undefined && job.started !== undefined && job.finished !== undefined);
    const [workflow] = await server.workflows();
    assert.deepEqual(workflow?.metadata.labels, {
      'tinkerbell.org/job-id': accepted.jobId,
      'tinkerbell.org/device': 'm1',
      'tinkerbell.org/user': 'anonymous',
    });
    assert.equal(workflow?.status?.tasks?.[0]?.actions[0]?.environment?.['DISK'], '/dev/vda');
    assert.equal(
      (await server.hardware('m1')).metadata.annotations?.['tinkerbell.org/last-job'],
      accepted.jobId,
    );
  });

  test(`50 simultaneous requests with one key create one job (${name})`, async () => {
    using files = database();
    await using store = open(files);
    await using server = await runningProvisioning({ store });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        index % 2 === 0
          ? provision(server, { deviceId: 'm1', idempotencyKey: 'order-7' })
          : provision(server, { deviceId: 'm1' }, { 'idempotency-key': 'order-7' }),
      ),
    );
    assert.equal(new Set(answers.map(({ jobId }) => jobId)).size, 1);
    assert.equal((await server.workflows()).length, 1);
    assert.equal(answers.filter(({ message }) => message.includes('earlier request')).length, 49);
  });

  test(`of 50 simultaneous requests for one device, one creates a job and 49 are refused (${name})`, async () => {
    using files = database();
    await using store = open(files);
    await using server = await runningProvisioning({ store });
    const answers = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) =>
        provision(server, { deviceId: 'm1', idempotencyKey: `key-${index}` }),
      ),
    );
    const refused = answers.flatMap((one) =>
      one.status === 'rejected' ? [one.reason as { code: status }] : [],
    );
    assert.equal(refused.length, 49);
    assert.ok(refused.every(({ code }) => code === status.FAILED_PRECONDITION));
    assert.equal((await server.workflows()).length, 1);
  });
}

test('a key returns the same job after a restart, in any state of the job', async () => {
  using files = database();
  const request = { deviceId: 'm1', config: { disk: '/dev/vda', a: '1' }, idempotencyKey: 'order-7' };
  let first: ProvisionDeviceResponse;
  {
    await using store = files.open();
    await using server = await runningProvisioning({ store });
    first = await provision(server, request);
    await server.runAgent(mac(1), 2);
    await comesTo(server, first.jobId, Job_State.SUCCEEDED);
  }
  await using store = files.open();
  await using server = await runningProvisioning({ store });
  const again = await provision(server, { ...request, config: { a: '1', disk: '/dev/vda' } });
  assert.equal(again.jobId, first.jobId);
  assert.match(again.message, /made by an earlier request .* SUCCEEDED/);
  assert.equal((await server.workflows()).length, 1);
});

test('refuses a different request with a used key', async () => {
  await using server = await runningProvisioning();
  const { jobId } = await provision(server, { deviceId: 'm1', idempotencyKey: 'k' });
  for (const other of [
    { deviceId: 'm2' },
    { deviceId: 'm1', config: { disk: 'x' } },
    { deviceId: 'm1', replace: true },
  ])
    await assert.rejects(
      provision(server, { idempotencyKey: 'k', ...other }),
      hasCode(
        status.ALREADY_EXISTS,
        new RegExp(`job ${jobId} was made with this key by a different request`),
      ),
    );
  assert.equal((await server.workflows()).length, 1);
});

test('each user has their own keys', async () => {
  const access = {
    identityOf: (caller: { header(name: string): string | undefined }) =>
      Promise.resolve({ user: caller.header('x-user') ?? '' }),
    mayProvision: () => true,
  };
  await using server = await runningProvisioning({ config: { access } });
  const one = await provision(server, { deviceId: 'm1', idempotencyKey: 'k' }, { 'x-user': 'ann' });
  const other = await provision(server, { deviceId: 'm2', idempotencyKey: 'k' }, { 'x-user': 'bob' });
  assert.notEqual(one.jobId, other.jobId);
  const { jobs } = await server.call<ListJobsResponse>('listJobs', { user: 'bob' }, { 'x-user': 'ann' });
  assert.deepEqual(
    jobs.map(({ jobId, user }) => [jobId, user]),
    [[other.jobId, 'bob']],
  );
});

test('a conflict names the unfinished job, and replace cancels it', async () => {
  await using server = await runningProvisioning();
  const first = await provision(server, { deviceId: 'm1' });
  await assert.rejects(
    provision(server, { deviceId: mac(1) }),
    hasCode(
      status.FAILED_PRECONDITION,
      new RegExp(`m1 has the unfinished job ${first.jobId} .*cancel it, or set replace`),
    ),
  );
  const second = await provision(server, { deviceId: 'i-1', replace: true });
  const replaced = await jobOf(server, first.jobId);
  assert.equal(replaced.state, Job_State.CANCELLED);
  assert.match(replaced.message, new RegExp(`replaced by job ${second.jobId}`));
  await server.runAgent(mac(1), 2);
  await comesTo(server, second.jobId, Job_State.SUCCEEDED);
  assert.ok(
    (await provision(server, { deviceId: 'm1' })).jobId !== second.jobId,
    'a finished job does not block the next one',
  );
});
