import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatProblem, validateResource } from '../index.ts';
import type { Schema } from '../schema.ts';
import { schemaFault } from './schema-fault.ts';
import { schemaProblems } from './schema-check.ts';

interface Run<Result> {
  readonly result: Result;
  readonly pauses: number;
}

function run<Result>(work: Generator<undefined, Result>): Run<Result> {
  for (let pauses = 0; ; pauses++) {
    const next = work.next();
    if (next.done === true) return { result: next.value, pauses };
  }
}

function problems(schema: Schema, value: unknown): string[] {
  return run(schemaProblems(schema, value)).result.all().map(formatProblem);
}

const object = (properties: Record<string, Schema>, more: object = {}): Schema => ({
  type: 'object',
  properties,
  ...more,
});
const list = (items: Schema, more: object = {}): Schema => ({ type: 'array', items, ...more });

/** Each with a schema, values that fit, and values that do not fit with their messages. */
const keywords: readonly [schema: Schema, good: readonly unknown[], bad: readonly [unknown, string][]][] = [
  [
    { type: 'string' },
    ['', 'x'],
    [
      [1, 'must be a string; write "1" in quotes'],
      [null, 'must be a string'],
      [[], 'must be a string'],
    ],
  ],
  [{ type: 'string', nullable: true }, [null, 'x'], [[{}, 'must be a string']]],
  [
    { type: 'integer' },
    [1, -1, 1e300],
    [
      [1.5, 'must be an integer'],
      ['1', 'must be an integer'],
    ],
  ],
  [{ type: 'number' }, [1, 1.5], [['1', 'must be a number']]],
  [{ type: 'boolean' }, [true], [[0, 'must be a boolean']]],
  [
    object({}),
    [{}],
    [
      [[], 'must be an object'],
      [null, 'must be an object'],
    ],
  ],
  [list({}), [[], [1]], [[{}, 'must be an array']]],
  [
    { 'x-kubernetes-int-or-string': true },
    [1, '1'],
    [
      [1.5, 'must be an integer or a string'],
      [null, 'must be an integer or a string'],
    ],
  ],
  [{ type: 'string', maxLength: 2 }, ['ab', '😀😀'], [['abc', 'must NOT have more than 2 characters']]],
  [
    { type: 'string', minLength: 2 },
    ['ab'],
    [
      ['😀', 'must NOT have fewer than 2 characters'],
      ['', 'must NOT have fewer than 2 characters'],
    ],
  ],
  [{ type: 'string', pattern: '^a+$' }, ['a', 'aa'], [['b', 'must match ^a+$']]],
  [{ type: 'string', pattern: '(?i)^A+$' }, ['a', 'AA'], [['b', 'must match (?i)^A+$']]],
  [{ type: 'string', enum: ['a', 'b'] }, ['a'], [['c', 'must be one of "a", "b"']]],
  [{ enum: [1, { a: [1] }] }, [1, { a: [1] }], [[{ a: [2] }, 'must be one of 1, {"a":[1]}']]],
  [
    { type: 'string', format: 'date-time' },
    ['2026-01-01T00:00:00Z'],
    [['2026', 'must be a valid date-time']],
  ],
  [{ type: 'string', format: 'whatever' }, ['x'], []],
  [{ type: 'integer', format: 'int32' }, [2 ** 31 - 1], [[2 ** 31, 'must be a valid int32']]],
  [{ type: 'number', maximum: 3 }, [3], [[3.5, 'must be <= 3']]],
  [{ type: 'number', minimum: 3, exclusiveMinimum: true }, [4], [[3, 'must be > 3']]],
  [{ type: 'number', exclusiveMaximum: 3 }, [2], [[3, 'must be < 3']]],
  [{ type: 'number', multipleOf: 2 }, [4], [[3, 'must be multiple of 2']]],
  [list({}, { maxItems: 1 }), [[1]], [[[1, 2], 'must NOT have more than 1 items']]],
  [list({}, { minItems: 1 }), [[1]], [[[], 'must NOT have fewer than 1 items']]],
  [list({}, { uniqueItems: true }), [[1, '1']], [[[{ a: 1 }, { a: 1 }], 'must NOT have duplicate items']]],
  [
    { type: 'object', maxProperties: 1 },
    [{ a: 1 }],
    [[{ a: 1, b: 2 }, 'must NOT have more than 1 properties']],
  ],
  [{ type: 'object', minProperties: 1 }, [{ a: 1 }], [[{}, 'must NOT have fewer than 1 properties']]],
  [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, [1, 'x'], [[true, 'must match a schema in anyOf']]],
  [
    { oneOf: [{ minimum: 2 }, { multipleOf: 2 }] },
    [3, 0],
    [
      [4, 'must match exactly one schema in oneOf'],
      [1, 'must match exactly one schema in oneOf'],
    ],
  ],
  [{ not: { enum: ['a'] } }, ['b'], [['a', 'must NOT be valid']]],
  [{ allOf: [{ minLength: 2 }, { maxLength: 3 }] }, ['ab'], [['a', 'must NOT have fewer than 2 characters']]],
];

test('every keyword of structural schemas is checked', () => {
  for (const [schema, good, bad] of keywords) {
    assert.equal(run(schemaFault(schema)).result, undefined, JSON.stringify(schema));
    for (const value of good) assert.deepEqual(problems(schema, value), [], JSON.stringify([schema, value]));
    for (const [value, message] of bad)
      assert.deepEqual(
        run(schemaProblems(schema, value))
          .result.all()
          .map((one) => one.message),
        [message],
        JSON.stringify([schema, value]),
      );
  }
});

test('problems name their place, in lists, maps and objects', () => {
  const schema = object(
    {
      a: list(object({ b: { type: 'string' } }, { required: ['b', 'c'] })),
      m: { type: 'object', additionalProperties: { type: 'integer' } },
    },
    { required: ['z'] },
  );
  assert.deepEqual(problems(schema, { a: [{ b: 1, c: 1 }, {}], m: { 'x.y': 'one' } }), [
    'z: is required',
    'a[0].b: 1: must be a string; write "1" in quotes',
    'a[1].b: is required',
    'a[1].c: is required',
    'm["x.y"]: "one": must be an integer',
  ]);
});

test('invalid schemas are refused, and the error names the keyword', () => {
  const faults: readonly (readonly [unknown, RegExp])[] = [
    [{ type: 'text' }, /^type: "text": must be one of/],
    [{ pattern: '(' }, /^pattern: "\(": .*missing/],
    [{ pattern: '(?=a)' }, /^pattern: /],
    [{ pattern: '(a{500}){500}' }, /^pattern: /],
    [{ pattern: 'abcdefghijklmnopqrstuvwxyz{1000}' }, /may count to/],
    [{ pattern: 'a'.repeat(5000) }, /at most 2048 characters/],
    [{ maxItems: '3' }, /^maxItems/],
    [{ properties: { a: { items: [{}] } } }, /^items/],
    [{ anyOf: [{ properties: { a: { required: 'a' } } }] }, /^required/],
  ];
  for (const [schema, message] of faults)
    assert.match(run(schemaFault(schema as Schema)).result ?? 'none', message);
});

test('patterns are matched in linear time, and only on texts that are short enough for it', () => {
  const evil = { type: 'string', pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' };
  assert.equal(problems(evil, 'a'.repeat(5000)).length, 1);
  assert.equal(problems({ type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(5000)}b`).length, 1);
  const counted = { type: 'string', pattern: '^(x?){400}$' };
  const [message] = run(schemaProblems(counted, 'x'.repeat(100_000))).result.all();
  assert.match(message?.message ?? '', /must be at most \d+ characters to be checked against its pattern/);
});

test('a million invalid items become a hundred problems and a number, over many turns', () => {
  const schema = object({ list: list(object({ a: { type: 'string' } }, { required: ['b'] })) });
  const value = { list: Array.from({ length: 200_000 }, () => ({ a: 1 })) };
  const { result, pauses } = run(schemaProblems(schema, value));
  assert.equal(result.count, 400_000);
  assert.equal(result.all().length, 101);
  assert.equal(result.all().at(-1)?.message, 'and 399900 more problems');
  assert.ok(pauses >= 40, `${pauses} pauses`);
});

test('a schema whose branches multiply with the value is abandoned, with pauses before', () => {
  const branches = Array.from({ length: 2000 }, (_, at) => ({ required: [`k${at}`] }));
  const schema = list({ type: 'object', anyOf: branches });
  const { result, pauses } = run(
    schemaProblems(
      schema,
      Array.from({ length: 20_000 }, () => ({})),
    ),
  );
  assert.match(result.all().at(-1)?.message ?? '', /takes too long to be checked|more problems/);
  assert.ok(result.count < 20_000);
  assert.ok(pauses > 500);
});

test('a Hardware with 900,000 interfaces is refused by its schema, with a short message', () => {
  const hardware = {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name: 'm' },
    spec: { interfaces: Array.from({ length: 900_000 }, () => ({})) },
  };
  const before = process.cpuUsage();
  const validated = validateResource(hardware);
  const { user } = process.cpuUsage(before);
  assert.ok(!validated.ok);
  assert.match(
    validated.problems.map(formatProblem).join(),
    /spec\.interfaces: .*must NOT have more than \d+ items/,
  );
  assert.ok(JSON.stringify(validated.problems.map(formatProblem)).length < 20_000);
  assert.ok(user < 5_000_000, `${user} microseconds`);
});

test('up to a hundred unknown fields are named, however long their names', () => {
  const spec = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`${'x'.repeat(at)}${at}`, 1]));
  const validated = validateResource({
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name: 'm' },
    spec,
  });
  assert.ok(validated.ok);
  assert.equal(validated.unknownFields.length, 101);
  assert.equal(validated.unknownFields.at(-1)?.message, 'and 4900 more unknown fields');
  assert.ok(validated.unknownFields.map(formatProblem).join('').length < 60_000);
});
