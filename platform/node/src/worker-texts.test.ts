import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { nodeClock } from './clock.ts';
import { createWorkerTexts } from './worker-texts.ts';

const limits = { nodes: 50_000, depth: 100, keys: 5000, characters: 1e6 };

test('converts YAML to JSON, and reports errors with their place', async () => {
  const yaml = createWorkerTexts(nodeClock);
  try {
    assert.deepEqual(await yaml.yaml('a: [1, x]\n', limits), { ok: true, json: '{"a":[1,"x"]}' });
    assert.deepEqual(await yaml.yaml('a: 1\na: 2\n', limits), {
      ok: false,
      reason: 'invalid',
      message: 'line 2, column 1: map keys must be unique',
    });
    const two = await yaml.yaml('a: 1\n---\nb: 2\n', limits);
    assert.ok(!two.ok && two.reason === 'invalid', JSON.stringify(two));
  } finally {
    await yaml.close();
  }
});

test('parses templates, and reports where one cannot be parsed', async () => {
  const texts = createWorkerTexts(nodeClock);
  assert.deepEqual(await texts.template('name: {{ .x }}\n'), { ok: true });
  const broken = await texts.template('name: x\n{{ end }}\n');
  assert.ok(!broken.ok && broken.reason === 'invalid');
  assert.equal(broken.error.line, 2);
  await texts.close();
});

test('a text that takes too long ends its thread, and the next one is read', async () => {
  const slow = createWorkerTexts(nodeClock, { timeMs: 1 });
  const late = await slow.yaml('- a\n'.repeat(40_000), limits);
  assert.ok(!late.ok && late.reason === 'too-long', JSON.stringify(late));
  await slow.close();
  // Far from both values: a thread that compiles its sources for the first time takes some 10 MB, and the
  // text takes 200 MB.
  const small = createWorkerTexts(nodeClock, { memoryMb: 48 });
  const large = await small.yaml('- a\n'.repeat(450_000), { ...limits, nodes: 1e6, characters: 1e7 });
  assert.ok(!large.ok && large.reason === 'too-long', JSON.stringify(large));
  assert.deepEqual(await small.yaml('a', limits), { ok: true, json: '"a"' });
  await small.close();
});

test('a text that left the thread large ends it, and the next one starts another', async () => {
  const threads = (): number => readdirSync('/proc/self/task').length;
  const texts = createWorkerTexts(nodeClock);
  assert.ok((await texts.yaml('a', limits)).ok);
  const running = threads();
  assert.ok((await texts.yaml('- a\n'.repeat(40_000), limits)).ok);
  assert.equal(threads(), running - 1);
  assert.ok((await texts.yaml('a', limits)).ok);
  assert.equal(threads(), running);
  await texts.close();
});

test('limits the number of waiting texts', async () => {
  const yaml = createWorkerTexts(nodeClock, { waiting: 2 });
  const reads = await Promise.all(['a', 'b', 'c'].map((text) => yaml.yaml(text, limits)));
  assert.deepEqual(
    reads.map((one) => (one.ok ? one.json : one.reason)),
    ['"a"', '"b"', 'busy'],
  );
  assert.ok((await yaml.yaml('d', limits)).ok);
  await yaml.close();
  const closed = await yaml.yaml('e', limits);
  assert.ok(!closed.ok && closed.reason === 'busy');
});

test('checks custom resources and definitions', async () => {
  const texts = createWorkerTexts(nodeClock);
  const spec = {
    type: 'object',
    properties: { name: { type: 'string', pattern: '^(a+)+$' } },
    'x-kubernetes-validations': [{ rule: 'self.name.size() < 5' }],
  };
  const schema = JSON.stringify({ type: 'object', properties: { spec } });
  const rack = (name: string): string => JSON.stringify({ metadata: { name: 'r' }, spec: { name } });
  const checks = [rack('aaa'), rack('a'.repeat(40)), rack(`${'a'.repeat(40)}!`)];
  const verdicts = await Promise.all(checks.map((object) => texts.object({ schema, object })));
  assert.deepEqual(
    verdicts.map(({ ok }) => ok),
    [true, false, false],
  );
  assert.deepEqual(await texts.definition(JSON.stringify({ metadata: { name: 'r' } })), {
    ok: true,
    problems: [],
  });
  await texts.close();
});
