import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MetricSet, samplesOf } from '@tinkerbell/platform-metrics';
import { createNodeLog, nodeClock } from '@tinkerbell/platform-node';
import { createWorkflowsMetrics } from '../metrics.ts';
import { Calls } from './calls.ts';
import { grpcStatus } from './grpc-status.ts';
import { RpcError } from './rpc-error.ts';

const log = createNodeLog({ level: 'silent', format: 'json' });

/** A call whose client reads one response at a time. */
function slowCall() {
  const { promise: ended, resolve: finish } = Promise.withResolvers<number>();
  return {
    ended,
    request: {},
    peer: '127.0.0.1:1',
    path: '/test.Numbers/Count',
    onCancelled: undefined,
    sent: 0,
    waits: 0,
    header: () => undefined,
    send() {
      this.sent += 1;
      return false;
    },
    room() {
      this.waits += 1;
      return new Promise<void>((resolve) => setImmediate(resolve));
    },
    finish,
  };
}

const callsOf = (set: MetricSet) =>
  new Calls({ log, clock: nodeClock, metrics: createWorkflowsMetrics(set) }, new AbortController().signal);

test('a stream to a slow client waits for room after each response', async () => {
  const call = slowCall();
  const handler = callsOf(new MetricSet()).serverStream<object, number>('Count', async (_request, out) => {
    for (let i = 0; i < 30; i++) {
      assert.equal(call.waits, i);
      await out.send(i);
    }
  });
  handler.start(call as never);
  assert.equal(await call.ended, grpcStatus.ok);
  assert.deepEqual([call.sent, call.waits], [30, 30]);
});

test('a response that cannot be encoded ends its call, and not the server', async () => {
  const call = slowCall();
  const send = (): never => {
    throw new RangeError('not a 32-bit number');
  };
  const handler = callsOf(new MetricSet()).unary<object, number>('Count', () => Promise.resolve(1));
  handler.start({ ...call, send } as never);
  assert.equal(await call.ended, grpcStatus.internal);
});

test('counts calls and messages as upstream does, with the code names of Go', async () => {
  const call = slowCall();
  const set = new MetricSet();
  const handler = callsOf(set).serverStream<object, number>('Count', async (_request, out) => {
    for (let i = 0; i < 3; i++) await out.send(i);
    throw new RpcError('not-found', 'no more');
  });
  handler.start(call as never);
  assert.equal(await call.ended, grpcStatus.notFound);
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
