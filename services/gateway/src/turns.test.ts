import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MetricSet } from '@tinkerbell/platform-metrics';
import { createNodeLog, nodeClock, nodeRandom } from '@tinkerbell/platform-node';
import type { Exchange } from './exchange.ts';
import { createGatewayMetrics } from './metrics.ts';
import { RequestFlow } from './request-flow.ts';

const REQUESTS = 100;

test('the requests of one packet are spread over turns of the event loop', async () => {
  const flow = new RequestFlow(
    {
      clock: nodeClock,
      random: nodeRandom,
      log: createNodeLog({ level: 'silent', format: 'json' }),
      readFile: () => Promise.reject(new Error('unused')),
      verifierFor: () => assert.fail('unused'),
    },
    createGatewayMetrics(new MetricSet()),
  );
  let begun = 0;
  const exchange = (): Exchange => ({
    protocol: 'HTTP/2',
    method: 'GET',
    authority: 'a.example.org',
    target: '/',
    fields: {},
    peer: '192.0.2.1',
    sni: '',
    isTls: false,
    isAnswered: false,
    respond() {
      begun += 1;
      return undefined;
    },
    onClosed: () => undefined,
    abort: () => undefined,
  });
  const beginsPerTurn: number[] = [];
  let isOver = false;
  const count = (): void => {
    beginsPerTurn.push(begun - beginsPerTurn.reduce((sum, one) => sum + one, 0));
    if (!isOver) setImmediate(count);
  };
  const answers = Array.from({ length: REQUESTS }, () => flow.answer(exchange(), 'web'));
  setImmediate(count);
  await Promise.all(answers);
  isOver = true;
  count();
  assert.equal(begun, REQUESTS);
  assert.ok(Math.max(...beginsPerTurn) <= 8, beginsPerTurn.join(' '));
});
