import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { test } from 'node:test';
import { MetricSet, samplesOf } from '@tinkerbell/platform-metrics';
import { createNodeLog, nodeClock } from '@tinkerbell/platform-node';
import { createWorkflowsMetrics } from '../metrics.ts';
import { Calls } from './calls.ts';
import { RpcError } from './rpc-error.ts';

const log = createNodeLog({ level: 'silent', format: 'json' });

/** A client that reads one response at a time. */
function slowCall() {
  const call = new EventEmitter();
  return Object.assign(call, {
    request: {},
    getPeer: () => '127.0.0.1:1',
    getPath: () => '/test.Numbers/Count',
    write: () => {
      setImmediate(() => call.emit('drain'));
      return false;
    },
    end: () => void call.emit('end'),
  });
}

test('a stream to a slow client leaves no listener behind after a response', async () => {
  const call = slowCall();
  const names = ['drain', 'cancelled', 'close'];
  const counts = (): number[] => names.map((name) => call.listenerCount(name));
  const set = new MetricSet();
  const calls = new Calls(
    { log, clock: nodeClock, metrics: createWorkflowsMetrics(set) },
    new AbortController().signal,
  );
  let before: number[] = [];
  const handler = calls.serverStream<object, number>('Count', async (_request, out) => {
    before = counts();
    for (let i = 0; i < 30; i++) await out.send(i);
  });
  handler(call as never);
  await once(call, 'end');
  assert.deepEqual(counts(), before);
});

test('counts calls and messages as upstream does, with the code names of Go', async () => {
  const call = slowCall();
  const set = new MetricSet();
  const calls = new Calls(
    { log, clock: nodeClock, metrics: createWorkflowsMetrics(set) },
    new AbortController().signal,
  );
  const handler = calls.serverStream<object, number>('Count', async (_request, out) => {
    for (let i = 0; i < 3; i++) await out.send(i);
    throw new RpcError('not-found', 'no more');
  });
  handler(call as never);
  await once(call, 'error').catch(() => undefined);
  const counters = samplesOf(set);
  const labels = 'grpc_type="server_stream",grpc_service="test.Numbers",grpc_method="Count"';
  const names = [
    `grpc_server_started_total{${labels}}`,
    `grpc_server_handled_total{${labels},grpc_code="NotFound"}`,
    `grpc_server_msg_received_total{${labels}}`,
    `grpc_server_msg_sent_total{${labels}}`,
    `grpc_server_handling_seconds_count{${labels}}`,
  ];
  assert.deepEqual(
    names.map((name) => counters[name]),
    [1, 1, 1, 3, 1],
  );
});
