/** Tests how callers cancel and retry jobs over gRPC. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { status } from '@grpc/grpc-js';
import { Job_State, type Job } from '@tinkerbell/api/provisioning';
import { hasCode } from '../testing/running-server.ts';
import {
  comesTo,
  jobOf,
  mac,
  provision,
  runningProvisioning,
  statesOf,
} from '../testing/running-provisioning.ts';

test('a job can be cancelled repeatedly, and a retry resumes where it stopped', async () => {
  await using server = await runningProvisioning();
  const { jobId } = await provision(server, { deviceId: 'm1' });
  await server.runAgent(mac(1), 1);
  const cancelled = await server.call<Job>('cancelJob', { jobId, reason: 'wrong\ndisk' });
  assert.deepEqual([cancelled.state, cancelled.percent], [Job_State.CANCELLED, 50]);
  assert.match(cancelled.message, /by anonymous: wrong disk/);
  assert.equal((await server.call<Job>('cancelJob', { jobId })).state, Job_State.CANCELLED);
  const retried = await server.call<Job>('retryJob', { jobId });
  assert.deepEqual([retried.state, retried.percent], [Job_State.PREPARING, 50]);
  await assert.rejects(
    server.call('retryJob', { jobId }),
    hasCode(status.FAILED_PRECONDITION, /cancel it first/),
  );
  await server.runAgent(mac(1), 1);
  await comesTo(server, jobId, Job_State.SUCCEEDED);
  for (const verb of ['cancelJob', 'retryJob'])
    await assert.rejects(server.call(verb, { jobId }), hasCode(status.FAILED_PRECONDITION, /SUCCEEDED/));
});

test('a job reports why its action failed, and a retry resumes with that action', async () => {
  await using server = await runningProvisioning();
  const { jobId } = await provision(server, { deviceId: 'm1' });
  await server.runAgent(mac(1), 2, 'reboot');
  const failed = await comesTo(server, jobId, Job_State.FAILED);
  assert.match(failed.message, /^os \/ reboot: /);
  const other = await provision(server, { deviceId: 'm1' });
  await assert.rejects(
    server.call('retryJob', { jobId }),
    hasCode(status.FAILED_PRECONDITION, new RegExp(`unfinished job ${other.jobId}`)),
  );
  await server.call('cancelJob', { jobId: other.jobId });
  await server.call('retryJob', { jobId });
  await server.runAgent(mac(1), 1);
  assert.equal((await comesTo(server, jobId, Job_State.SUCCEEDED)).actions[0]?.attempt, 1);
});

test('a template that cannot be rendered fails the job with the reason, and never runs behind a later job', async () => {
  await using server = await runningProvisioning();
  const job = await server.call<Job>('createJob', { deviceId: 'm1', template: 'strict' });
  assert.deepEqual(await statesOf(server.watch(job.jobId)).then((states) => states.at(-1)), 'FAILED');
  assert.match((await jobOf(server, job.jobId)).message, /needed/);
  const retried = await server.call<Job>('retryJob', { jobId: job.jobId });
  assert.equal(retried.state, Job_State.FAILED);
  await provision(server, { deviceId: 'm1' });
  assert.equal((await jobOf(server, job.jobId)).state, Job_State.CANCELLED);
  const good = await server.call<Job>('createJob', {
    deviceId: 'm2',
    template: 'strict',
    parameters: { needed: 'x' },
  });
  await comesTo(server, good.jobId, Job_State.PREPARING);
});
