import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noTracer, parseTraceparent, traceparentOf } from './index.ts';

const context = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const text = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

test('reads and writes traceparent', () => {
  assert.equal(traceparentOf(context), text);
  assert.deepEqual(parseTraceparent(text), context);
  assert.deepEqual(parseTraceparent(`cc${text.slice(2)}-what-comes`), context);
});

test('rejects every other format', () => {
  const zeros = `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`;
  for (const bad of [undefined, null, '', 'x', text.toUpperCase(), `ff${text.slice(2)}`, zeros, `${text}0`])
    assert.equal(parseTraceparent(bad), undefined, String(bad));
});

test('the tracer without a collector accepts every call', () => {
  const span = noTracer.startSpan('x', { machine: '52:54:00:00:00:01' });
  span.setAttribute('a', 1);
  span.fail('no');
  span.end();
  assert.equal(parseTraceparent(traceparentOf(span.context)), undefined);
});
