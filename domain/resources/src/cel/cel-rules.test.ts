import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Schema } from '../schema.ts';
import { celFault } from './cel-fault.ts';
import { celProblems } from './cel-rules.ts';

function run<Result>(work: Generator<undefined, Result>): { result: Result; pauses: number } {
  for (let pauses = 0; ; pauses++) {
    const next = work.next();
    if (next.done === true) return { result: next.value, pauses };
  }
}

function ruled(rule: string, properties: Record<string, Schema>, more: object = {}): Schema {
  return { type: 'object', properties, 'x-kubernetes-validations': [{ rule, message: 'refused', ...more }] };
}

function messages(schema: Schema, value: unknown, before?: unknown): string[] {
  return run(celProblems(schema, value, before)).result.map((one) => one.message);
}

const integers: Schema = { type: 'array', items: { type: 'integer' } };
const texts: Schema = { type: 'array', items: { type: 'string' } };
const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

test('rules of every kind hold as before', () => {
  const cases: readonly [rule: string, value: object, holds: boolean][] = [
    ['self.a < 3', { a: 2 }, true],
    ['self.a < 3', { a: 3 }, false],
    ['has(self.b) || self.a == 1', { a: 1 }, true],
    ['self.l.all(x, x > 0)', { l: [1, 2] }, true],
    ['self.l.exists_one(x, x == 1)', { l: [1, 1] }, false],
    ['self.l.map(x, x + 1) == [2, 3]', { l: [1, 2] }, true],
    ['self.l.filter(x, x > 1).size() == 1', { l: [1, 2] }, true],
    ['cel.bind(n, size(self.l), n == 2)', { l: [1, 2] }, true],
    ['self.t.matches("^a+$") && !self.t.matches("b")', { t: 'aa' }, true],
    ['self.t.matches("(?i)^A")', { t: 'ab' }, true],
    ['self.t.startsWith("a") ? self.a == 1 : true', { t: 'ab', a: 2 }, false],
    ['1 in self.l', { l: [0, 1] }, true],
    ['self.m.all(k, self.m[k] == k)', { m: { a: 'a', b: 'b' } }, true],
    ['self.?b.orValue(1) == 1', {}, true],
  ];
  const properties: Record<string, Schema> = {
    a: { type: 'integer' },
    b: { type: 'integer' },
    l: integers,
    t: { type: 'string' },
    m: { type: 'object', additionalProperties: { type: 'string' } },
  };
  for (const [rule, value, holds] of cases)
    assert.deepEqual(messages(ruled(rule, properties), value), holds ? [] : ['refused'], rule);
});

test('rules inside lists and maps see their own value, and the previous one where there is one', () => {
  const item = ruled('self.a == 1', { a: { type: 'integer' } });
  const later = ruled('self.n >= oldSelf.n', { n: { type: 'integer' } });
  const schema: Schema = {
    type: 'object',
    properties: { l: { type: 'array', items: item }, m: { type: 'object', additionalProperties: later } },
  };
  const before = { l: [{ a: 1 }], m: { x: { n: 5 } } };
  const problems = run(
    celProblems(schema, { l: [{ a: 1 }, { a: 2 }], m: { x: { n: 4 }, y: { n: 1 } } }, before),
  ).result;
  assert.deepEqual(
    problems.map(({ path }) => path),
    [
      ['l', 1],
      ['m', 'x'],
    ],
  );
});

test('an unchanged value is refused only by a rule about the change', () => {
  const positive = ruled('self.n > 0', { n: { type: 'integer' } });
  const growing = ruled('self.n > oldSelf.n', { n: { type: 'integer' } });
  const schema: Schema = { type: 'object', properties: { positive, growing, other: positive } };
  const before = { positive: { n: -1 }, growing: { n: 1 }, other: { n: -1 } };
  const problems = run(
    celProblems(schema, { ...before, positive: { n: -1 }, other: { n: -2 } }, before),
  ).result;
  assert.deepEqual(problems.map(({ path }) => path).toSorted(), [['growing'], ['other']]);
});

const overBudget = /costs more than is allowed/;

test('an expression with nested loops over lists is stopped, also where its failure would not count', () => {
  const rules = [
    'self.l.all(a, self.l.all(b, a + b >= 0))',
    'self.l.all(a, self.l.all(b, self.l.all(c, a + b + c >= 0))) || true',
    'self.l.exists(a, self.l.exists(b, self.l.exists(c, a + b + c < 0))) || true',
    'self.l.map(a, self.l.map(b, a + b)).size() > 0',
    'self.l.filter(a, self.l.filter(b, b == a).size() == 1).size() > 0',
    'self.l.all(a, a in self.l)',
    'self.l.all(a, self.l == self.l.map(x, x))',
    'self.t.all(a, self.t.all(b, (a + b).contains("y") || true))',
    '[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, self.l.all(c, a + b + c > 0)))',
  ];
  const schema = (rule: string): Schema => ruled(rule, { l: integers, t: texts });
  const value = { l: numbers(2000), t: Array.from({ length: 2000 }, () => 'x'.repeat(500)) };
  for (const rule of rules) {
    const before = process.cpuUsage();
    const [message = 'holds'] = messages(schema(rule), value);
    const { user } = process.cpuUsage(before);
    assert.match(message, overBudget, rule);
    assert.ok(user < 2_000_000, `${rule}: ${user} microseconds`);
  }
});

test('the memory of an expression is limited by its cost', () => {
  const doubled = (depth: number): string =>
    depth === 0 ? 'a.size() > 0' : `cel.bind(a, a + a, ${doubled(depth - 1)})`;
  for (const [start, properties, value] of [
    ['self.t', { t: { type: 'string' } }, { t: 'x'.repeat(1000) }],
    ['self.l', { l: integers }, { l: numbers(1000) }],
  ] as const) {
    const [message = 'holds'] = messages(ruled(`cel.bind(a, ${start}, ${doubled(40)})`, properties), value);
    assert.match(message, overBudget);
  }
  const before = process.memoryUsage().heapUsed;
  const product = ruled('self.t.split("").join(self.t).size() > 0', { t: { type: 'string' } });
  assert.match(messages(product, { t: 'x'.repeat(16_000) })[0] ?? 'holds', overBudget);
  assert.ok(process.memoryUsage().heapUsed - before < 50_000_000);
  assert.deepEqual(
    messages(ruled('self.l.map(x, string(x)).join("-") == "1-2"', { l: integers }), { l: [1, 2] }),
    [],
  );
});

test('the rules of one object share a budget, with pauses between them', () => {
  const rule = ruled('self.l.all(a, self.l.all(b, a + b >= 0))', { l: integers });
  const schema: Schema = { type: 'object', properties: { items: { type: 'array', items: rule } } };
  const value = { items: Array.from({ length: 500 }, () => ({ l: numbers(60) })) };
  const { result, pauses } = run(celProblems(schema, value, undefined));
  assert.ok(result.length > 0);
  assert.match(result[0]?.message ?? '', overBudget);
  assert.ok(pauses >= 20, `${pauses} pauses`);
});

test('matches accepts RE2 only, in linear time', () => {
  const schema = (pattern: string): Schema =>
    ruled(`self.t.matches('${pattern}')`, { t: { type: 'string' } });
  assert.deepEqual(messages(schema('^(a+)+$'), { t: `${'a'.repeat(3000)}b` }), ['refused']);
  assert.match(messages(schema('(?=a)'), { t: 'a' })[0] ?? '', /invalid pattern/);
  assert.match(
    messages(schema('^(x?){400}$'), { t: 'x'.repeat(100_000) })[0] ?? '',
    /costs more|can be matched/,
  );
});

test('a match costs a rule as much as it takes at worst, and the matches of usual rules fit', () => {
  const texts: Schema = { type: 'array', items: { type: 'string' } };
  const all = (pattern: string): Schema => ruled(`self.l.all(x, x.matches('${pattern}'))`, { l: texts });
  const long = Array.from({ length: 6 }, () => 'a'.repeat(170));
  assert.match(messages(all('^(a|b)*a(a|b){90}'), { l: long })[0] ?? 'holds', overBudget);
  const name = `${'a'.repeat(60)}.example.org`;
  const names = Array.from({ length: 32 }, () => name);
  const dns = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$';
  assert.deepEqual(messages(all(dns), { l: names }), []);
});

test('a definition whose rules may cost too much is refused, and limits make it acceptable', () => {
  const nested = 'self.l.all(a, self.l.all(b, a == b))';
  const fault = (schema: Schema): string | undefined => run(celFault(schema)).result;
  const bounded = (max: object, maxLength: number): Schema => ({
    ...texts,
    ...max,
    items: { type: 'string', maxLength },
  });
  assert.match(fault(ruled(nested, { l: texts })) ?? '', /exceeds the budget by a factor of .*add maxItems/);
  assert.match(fault(ruled(nested, { l: bounded({}, 10) })) ?? '', /exceeds the budget/);
  assert.equal(fault(ruled(nested, { l: bounded({ maxItems: 64 }, 253) })), undefined);
  assert.match(fault(ruled('self.t.matches("^a+$")', { t: { type: 'string' } })) ?? 'fits', /fits/);
  const inList: Schema = { type: 'array', items: ruled('self.l.all(a, a > 0)', { l: integers }) };
  assert.match(fault(inList) ?? '', /exceeds the budget/);
  assert.match(fault(ruled('self.', {})) ?? '', /^rule "self\."/);
  assert.match(fault(ruled(`${'!'.repeat(900)}true`, {})) ?? '', /250 operators deep/);
  assert.equal(fault(ruled(`${'!'.repeat(200)}true`, {})), undefined);
  assert.match(fault(ruled(`${'true||'.repeat(600)}true`, {})) ?? '', /maxAstNodes \(1000\)/);
  assert.match(
    fault(ruled('true', {}, { messageExpression: 'self.l.map(' })) ?? '',
    /^rule "self\.l\.map\("/,
  );
  const many = Object.fromEntries(numbers(1200).map((at) => [`f${at}`, ruled('true', {})]));
  assert.match(fault({ type: 'object', properties: many }) ?? '', /more than 1000 rules/);
});

test('rules of widely used definitions are accepted, and work on large objects', () => {
  // Gateway API v1: the listeners of a Gateway.
  const listener: Schema = {
    type: 'object',
    required: ['name', 'port', 'protocol'],
    properties: {
      name: { type: 'string', minLength: 1, maxLength: 253 },
      hostname: { type: 'string', minLength: 1, maxLength: 253 },
      port: { type: 'integer' },
      protocol: { type: 'string', minLength: 1, maxLength: 255 },
    },
  };
  const rules = [
    "self.all(l, l.protocol in ['HTTP', 'TCP', 'UDP'] ? !has(l.tls) : true)",
    'self.all(l1, self.exists_one(l2, l1.name == l2.name))',
    'self.all(l1, self.exists_one(l2, l1.port == l2.port && l1.protocol == l2.protocol && (has(l1.hostname) && has(l2.hostname) ? l1.hostname == l2.hostname : !has(l1.hostname) && !has(l2.hostname))))',
  ];
  const listeners: Schema = {
    type: 'array',
    items: listener,
    maxItems: 64,
    'x-kubernetes-validations': rules.map((rule) => ({ rule })),
  };
  const schema: Schema = { type: 'object', properties: { listeners } };
  assert.equal(run(celFault(schema)).result, undefined);
  const value = {
    listeners: numbers(64).map((at) => ({ name: `l${at}`, port: at, protocol: 'HTTP', hostname: `h${at}` })),
  };
  assert.deepEqual(messages(schema, value), []);
});
