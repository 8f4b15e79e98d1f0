import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { MetricSet, samplesOf } from '@tinkerbell/platform-metrics';
import { createNodeLog, nodeClock, nodeRandom } from '@tinkerbell/platform-node';
import type { Exchange } from './exchange.ts';
import { createGatewayMetrics } from './metrics.ts';
import { RequestFlow } from './request-flow.ts';
import { startGateway } from './testing/gateway-bench.ts';

const REQUESTS = 100;

function newFlow() {
  const metrics = new MetricSet();
  const flow = new RequestFlow(
    {
      clock: nodeClock,
      random: nodeRandom,
      log: createNodeLog({ level: 'silent', format: 'json' }),
      readFile: () => Promise.reject(new Error('unused')),
      verifierFor: () => assert.fail('unused'),
    },
    createGatewayMetrics(metrics),
  );
  return { flow, metrics };
}

function newExchange(begins: () => void, onClosed: Exchange['onClosed'] = () => undefined): Exchange {
  return {
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
      begins();
      return undefined;
    },
    onClosed,
    abort: () => undefined,
  };
}

test('the requests of one packet are spread over turns of the event loop', async () => {
  const { flow } = newFlow();
  let begun = 0;
  const exchange = () => newExchange(() => void (begun += 1));
  const beginsPerTurn: number[] = [];
  let isOver = false;
  const count = (): void => {
    beginsPerTurn.push(begun - beginsPerTurn.reduce((sum, one) => sum + one, 0));
    if (!isOver) setImmediate(count);
  };
  const answers = Array.from({ length: REQUESTS }, async () => flow.answer(exchange(), 'web'));
  setImmediate(count);
  await Promise.all(answers);
  isOver = true;
  count();
  assert.equal(begun, REQUESTS);
  assert.ok(Math.max(...beginsPerTurn) <= 8, beginsPerTurn.join(' '));
});

test('requests that their client gives up before their turn take none from the others', async () => {
  const { flow, metrics } = newFlow();
  const [begun, closed]: [string[], (() => void)[]] = [[], []];
  const exchange = (name: string) =>
    newExchange(
      () => void begun.push(name),
      (task) => void closed.push(task),
    );
  const answers = Array.from({ length: 1000 }, async () => flow.answer(exchange('given up'), 'web'));
  const atOnce = begun.length;
  for (const task of closed) task();
  void flow.answer(exchange('good'), 'web');
  let turns = 0;
  for (; begun.length === atOnce; turns += 1) await new Promise(setImmediate);
  assert.deepEqual(begun.slice(atOnce), ['good']);
  assert.ok(turns <= 5, `${turns} turns`);
  await Promise.all(answers);
  const gone = Object.entries(samplesOf(metrics)).find(([name]) => /refused.*client-gone/.test(name));
  assert.equal(gone?.[1], 1000 - atOnce);
});

test('the requests that end with one connection are spread over turns too', async () => {
  const upstream = createServer(() => undefined);
  const arrived = { count: 0 };
  upstream.on('request', () => void (arrived.count += 1));
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  const { port } = upstream.address() as AddressInfo;
  await using bench = await startGateway(
    `listeners: [{name: web, address: 127.0.0.1, port: 0}]\nroutes: [{name: r, upstream: {endpoints: "127.0.0.1:${port}"}}]\n`,
  );
  const session = connect(`http://127.0.0.1:${bench.gateway.portOf('web')}`);
  session.on('error', () => undefined);
  for (let count = 0; count < REQUESTS; count++)
    session.request({ ':path': '/', ':authority': 'a' }).on('error', () => undefined);
  while (arrived.count < REQUESTS) await new Promise(setImmediate);
  session.destroy();
  const ended = () =>
    Object.entries(samplesOf(bench.gateway.metrics))
      .filter(([name]) => name.startsWith('gateway_requests_total'))
      .reduce((sum, [, value]) => sum + value, 0);
  const endsPerTurn: number[] = [];
  for (let before = 0; before < REQUESTS; before = ended()) {
    await new Promise(setImmediate);
    endsPerTurn.push(ended() - before);
  }
  upstream.close();
  upstream.closeAllConnections();
  assert.ok(Math.max(...endsPerTurn) <= 20, endsPerTurn.filter((count) => count > 0).join(' '));
});
