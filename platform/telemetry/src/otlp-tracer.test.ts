import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Log } from '@tinkerbell/platform-contract';
import { nodeClock } from '@tinkerbell/platform-node';
import { createOtlpTracer } from './otlp-tracer.ts';
import { startCollector } from './testing/otlp-collector.ts';

const mac = '52:54:00:00:00:01';

function tracerTo(url: string) {
  const said: string[] = [];
  const say = (message: string): void => void said.push(message);
  const log: Log = { debug: say, info: say, warn: say, error: say, child: () => log };
  let nowMs = 0;
  const clock = { ...nodeClock, monotonicMs: () => nowMs };
  return {
    tracer: createOtlpTracer({ clock, log }, { url, version: '1' }),
    said,
    advance: (ms: number) => (nowMs += ms),
  };
}

test('sends spans with their parent, times, attributes and failure', async () => {
  await using collector = await startCollector();
  const { tracer } = tracerTo(collector.url);
  const parent = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
  const span = tracer.startSpan('GET', {
    parent,
    kind: 'server',
    agoMs: 60_000,
    attributes: { route: 'api', gone: undefined },
  });
  span.setAttribute('status', 404);
  span.fail('not found');
  span.end();
  await tracer.close();
  const [sent, ...others] = collector.spans;
  assert.equal(others.length, 0);
  const { traceId, spanId } = span.context;
  const { started, ended, ...rest } = sent ?? assert.fail('nothing was sent');
  assert.deepEqual(rest, {
    traceId,
    spanId,
    parentSpanId: parent.spanId,
    name: 'GET',
    attributes: { route: 'api', status: '404' },
    failure: 'not found',
    service: 'tinkerbell',
  });
  assert.equal(traceId, parent.traceId);
  assert.ok(ended - started >= 60_000_000_000n, 'it began a minute ago');
});

test('the steps of one boot of a machine are one trace, and the next boot is another', async () => {
  await using collector = await startCollector();
  const { tracer, advance } = tracerTo(collector.url);
  const step = (machine: string, beginsBoot = false): string => {
    const span = tracer.startSpan('step', { machine, beginsBoot });
    span.end();
    return span.context.traceId;
  };
  const first = step(mac, true);
  advance(30_000);
  assert.equal(step(mac, true), first, 'firmware repeats its request');
  assert.notEqual(step('52:54:00:00:00:02'), first);
  advance(60_000);
  assert.equal(step(mac), first, 'an action follows later');
  assert.notEqual(step(mac, true), first, 'the machine boots again');
  await tracer.close();
  const own = collector.spans.filter(({ traceId }) => traceId === first);
  const [root, ...children] = own;
  assert.equal(root?.parentSpanId, '');
  assert.deepEqual(
    children.map(({ parentSpanId }) => parentSpanId),
    [root?.spanId, root?.spanId],
  );
});

test('an unreachable collector costs one log line and little memory, and gets later spans once it is back', async () => {
  const first = await startCollector();
  const port = Number(new URL(first.url).port);
  await first[Symbol.asyncDispose]();
  const { tracer, said } = tracerTo(first.url);
  for (let index = 0; index < 20_000; index++) tracer.startSpan('lost').end();
  while (said.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  await using collector = await startCollector(port);
  await collector.until((spans) => {
    tracer.startSpan('late').end();
    return spans.some(({ name }) => name === 'late');
  });
  const lost = collector.spans.filter(({ name }) => name === 'lost').length;
  assert.ok(lost <= 8192, String(lost));
  assert.equal(said.filter((line) => /does not accept/.test(line)).length, 1);
  await tracer.close();
});
