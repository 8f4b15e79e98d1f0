import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { matches, MatchTooLong, parsePattern, PATTERN_TEXT_MAX, type Pattern } from './index.ts';

interface Case {
  readonly name: string;
  readonly pattern: string;
  readonly matching: readonly unknown[];
  readonly other: readonly unknown[];
}

const cases = JSON.parse(
  readFileSync(join(import.meta.dirname, '../testdata/cases.json'), 'utf8'),
) as readonly Case[];

function parsed(text: string): Pattern {
  const result = parsePattern(text);
  assert.ok(result.ok, result.ok ? '' : JSON.stringify(result.error));
  return result.pattern;
}

for (const { name, pattern, matching, other } of cases) {
  test(`matches ${name}`, () => {
    const compiled = parsed(pattern);
    for (const event of matching) assert.equal(matches(compiled, event), true, JSON.stringify(event));
    for (const event of other) assert.equal(matches(compiled, event), false, JSON.stringify(event));
  });
}

const wrong: readonly (readonly [text: string, offset: number, path: string, message: RegExp])[] = [
  ['', 0, '', /expected a JSON value/],
  ['[]', 0, '', /expected an object/],
  ['{}', 0, '', /expected at least one field/],
  ['{"a":{}}', 0, '', /expected at least one field/],
  ['{"a":"x"}', 5, 'a', /expected a list of values, or an object/],
  ['{"a":[]}', 5, 'a', /expected at least one value/],
  ['{"a":["x"],"a":["y"]}', 11, 'a', /expected each field once/],
  ['{"a":["x"]} x', 12, '', /expected the end of the text/],
  ['{"a":["x"]', 10, '', /expected "," or "}"/],
  ['{"a":["x"', 9, 'a', /expected "," or "\]"/],
  ['{"a" ["x"]}', 5, 'a', /expected ":"/],
  ['{a:["x"]}', 1, '', /expected a field name in quotes/],
  ['{"a":["x",]}', 10, 'a[1]', /expected a JSON value/],
  ['{"a":["\\x"]}', 6, 'a[0]', /JSON escapes/],
  ['{"a":["\n"]}', 6, 'a[0]', /control characters/],
  ['{"a":[1e999]}', 6, 'a[0]', /at most 1.8e308/],
  ['{"a":[["x"]]}', 6, 'a[0]', /expected a value or an operator/],
  ['{"a":[{}]}', 6, 'a[0]', /an object of one field/],
  ['{"a":[{"prefix":"x","wildcard":"y"}]}', 6, 'a[0]', /an object of one field/],
  ['{"a":{"b":["x",{"like":"y"}]}}', 16, 'a.b[1]', /expected one of wildcard, shellstyle/],
  ['{"a":[{"constructor":"y"}]}', 7, 'a[0]', /expected one of wildcard/],
  ['{"a":[{"prefix":1}]}', 16, 'a[0].prefix', /expected a string/],
  ['{"a":[{"wildcard":"a**"}]}', 18, 'a[0].wildcard', /no two "\*" in a row/],
  ['{"a":[{"wildcard":"a\\\\x"}]}', 18, 'a[0].wildcard', /after "\\"/],
  ['{"a":[{"wildcard":"a\\\\"}]}', 18, 'a[0].wildcard', /after "\\"/],
  ['{"a":[{"exists":"true"}]}', 16, 'a[0].exists', /expected true or false/],
  ['{"a":[{"exists":true},"x"]}', 5, 'a', /stand alone/],
  ['{"a":[{"exists":false},"x"]}', 5, 'a', /stand alone/],
  ['{"a":[{"anything-but":["x"]},"x"]}', 5, 'a', /stand alone/],
  ['{"a":[{"anything-but":[]}]}', 22, 'a[0].anything-but', /expected a list of values/],
  ['{"a":[{"anything-but":[["x"]]}]}', 23, 'a[0].anything-but[0]', /expected a string, number/],
  ['{"a":[{"numeric":["=="]}]}', 17, 'a[0].numeric', /expected a list such as/],
  ['{"a":[{"numeric":["==",1]}]}', 18, 'a[0].numeric[0]', /expected one of = >/],
  ['{"a":[{"numeric":[">","1"]}]}', 22, 'a[0].numeric[0]', /expected a number after ">"/],
  ['{"a":[{"regexp":"a)"}]}', 16, 'a[0].regexp', /no "\)" without "\(" \(character 2\)/],
  ['{"a":[{"regexp":"(a"}]}', 16, 'a[0].regexp', /expected "\)" \(character 3\)/],
  ['{"a":[{"regexp":"*a"}]}', 16, 'a[0].regexp', /before "\*"/],
  ['{"a":[{"regexp":"a**"}]}', 16, 'a[0].regexp', /before "\*"/],
  ['{"a":[{"regexp":"[]"}]}', 16, 'a[0].regexp', /"~" before "\]"/],
  ['{"a":[{"regexp":"[a"}]}', 16, 'a[0].regexp', /expected "\]"/],
  ['{"a":[{"regexp":"[b-a]"}]}', 16, 'a[0].regexp', /go upwards/],
  ['{"a":[{"regexp":"[a-~p{L}]"}]}', 16, 'a[0].regexp', /a character at the end/],
  ['{"a":[{"regexp":"[a--b]"}]}', 16, 'a[0].regexp', /"~" before "-"/],
  ['{"a":[{"regexp":"~d"}]}', 16, 'a[0].regexp', /after "~"/],
  ['{"a":[{"regexp":"~"}]}', 16, 'a[0].regexp', /after "~"/],
  ['{"a":[{"regexp":"~p{Xx}"}]}', 16, 'a[0].regexp', /expected a category/],
  ['{"a":[{"regexp":"~p{Lx}"}]}', 16, 'a[0].regexp', /second letter/],
  ['{"a":[{"regexp":"a{2,1}"}]}', 16, 'a[0].regexp', /the larger one/],
  ['{"a":[{"regexp":"a{}"}]}', 16, 'a[0].regexp', /expected a count/],
  ['{"a":[{"regexp":"a{1001}"}]}', 16, 'a[0].regexp', /at most 1000/],
];

for (const [text, offset, path, message] of wrong) {
  test(`refuses ${text}`, () => {
    const result = parsePattern(text);
    assert.ok(!result.ok);
    assert.match(result.error.message, message);
    assert.deepEqual([result.error.offset, result.error.path], [offset, path]);
  });
}

test('refuses a pattern that is too long, too deep, or too large an automaton', () => {
  const nested = (depth: number): string => `${'{"a":'.repeat(depth)}["x"]${'}'.repeat(depth)}`;
  assert.ok(parsePattern(nested(31)).ok);
  const deep = parsePattern(nested(32));
  assert.match(deep.ok ? '' : deep.error.message, /at most 32 levels/);
  assert.ok(!parsePattern('['.repeat(PATTERN_TEXT_MAX)).ok);
  assert.ok(!parsePattern(`{"a":["${'x'.repeat(PATTERN_TEXT_MAX)}"]}`).ok);
  for (const regexp of [
    '((a{1000}){1000}){1000}',
    '((){1000}){1000}',
    '((()?){0,1000}){1000}',
    '('.repeat(33),
    '(a{40}){40}',
  ]) {
    assert.ok(!parsePattern(JSON.stringify({ a: [{ regexp }] })).ok, regexp);
  }
});

test('takes time linear in hostile texts', () => {
  const text = 'a'.repeat(30_000);
  const hostile: readonly object[] = [
    { wildcard: `*${'a*b*'.repeat(5000)}a` },
    { wildcard: `*${'a'.repeat(30_000)}b*` },
    { wildcard: `*${'a'.repeat(15_000)}b${'a'.repeat(15_000)}*` },
    { 'equals-ignore-case': `${'A'.repeat(29_999)}b` },
  ];
  const started = performance.now();
  for (const entry of hostile)
    assert.equal(matches(parsed(JSON.stringify({ a: [entry] })), { a: text }), false);
  const matchesText = (regexp: string, length: number): boolean =>
    matches(parsed(JSON.stringify({ a: [{ regexp }] })), { a: 'a'.repeat(length) });
  for (const regexp of ['(a*)*b', '(a|a|aa)*b', '(a?){90}b', '(.*.*.*)*b'])
    assert.equal(matchesText(regexp, 4000), false);
  assert.equal(matchesText('(a?){900}b', 200), false);
  assert.throws(() => matchesText('(a?){900}b', 4000), MatchTooLong);
  assert.ok(performance.now() - started < 20_000);
});

test('reads deep and wide events safely', () => {
  const pattern = parsed('{"a":{"b":["x"],"c":["y"]}}');
  let deep: unknown = { b: 'x', c: 'y' };
  for (let depth = 0; depth < 5000; depth++) deep = [deep];
  assert.equal(matches(pattern, { a: deep }), false);
  const wide = { a: Array.from({ length: 50_000 }, () => ({ b: ['x', 'z'], c: 'z' })) };
  assert.equal(matches(pattern, wide), false);
});

const scalar = fc.oneof(fc.string({ maxLength: 6 }), fc.integer(), fc.boolean(), fc.constant(null));
const name = fc.constantFrom('a', 'b', 'c');
const { event } = fc.letrec<{ event: unknown; value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3 }),
  ),
  event: fc.dictionary(name, tie('value'), { maxKeys: 3 }),
}));

/** Returns the event with every array replaced by one of its elements, or undefined for an empty array. */
function oneElementEach(value: unknown, choose: (length: number) => number): unknown {
  if (Array.isArray(value))
    return value.length === 0 ? undefined : oneElementEach(value[choose(value.length)], choose);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      const chosen = oneElementEach(inner, choose);
      return chosen === undefined ? [] : [[key, chosen]];
    }),
  );
}

function patternOf(value: object): object {
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]: [string, unknown]) => [
      key,
      typeof inner === 'object' && inner !== null ? patternOf(inner) : [inner],
    ]),
  );
}

test('an event matches the pattern made of one element of each of its arrays', () => {
  fc.assert(
    fc.property(event, fc.infiniteStream(fc.nat(99)), (value, stream) => {
      const choose = (length: number): number => (stream.next().value ?? 0) % length;
      const result = parsePattern(JSON.stringify(patternOf(oneElementEach(value, choose) as object)));
      return !result.ok || matches(result.pattern, JSON.parse(JSON.stringify(value)));
    }),
    { numRuns: 2000 },
  );
});

test('every ASCII character matches itself, alone, in classes and in ranges', () => {
  for (let code = 0; code < 128; code++) {
    const character = String.fromCharCode(code);
    const atom = '()*+-.?[\\]^{|}~'.includes(character) ? `~${character}` : character;
    const end = parsed(JSON.stringify({ x: [{ regexp: `${atom}[${atom}-\x7f][^${atom}]` }] }));
    for (const [text, expected] of [
      [`${character}\x7f\u0100`, true],
      [`${character}${character}\u0100`, true],
      [`${character}\u0100\u0100`, false],
      [`${character}\x7f${character}`, false],
      [`\u0100~\u0100`, false],
    ] as const)
      assert.equal(matches(end, { x: text }), expected, JSON.stringify(text));
  }
});

test('never throws on random texts', () => {
  const pieces = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    '"a"',
    ':',
    ',',
    '"regexp"',
    '"exists"',
    '1',
    'true',
    '"~("',
  );
  const texts = fc.oneof(
    fc.string(),
    fc.array(pieces, { maxLength: 20 }).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(texts, event, (text, value) => {
      const result = parsePattern(text);
      if (result.ok) matches(result.pattern, value);
    }),
    { numRuns: 3000 },
  );
});

test('agrees with the engine of JavaScript about regular expressions', () => {
  const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '(a|b)', '(ab)', '(a|)');
  const piece = fc.tuple(atom, fc.constantFrom('', '*', '+', '?', '{2}', '{1,2}', '{0,1}', '{1,}'));
  const regexp = fc
    .array(fc.array(piece, { maxLength: 3 }), { minLength: 1, maxLength: 3 })
    .map((branches) => branches.map((pieces) => pieces.map((one) => one.join('')).join('')).join('|'));
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 });
  fc.assert(
    fc.property(regexp, text, (source, value) => {
      const pattern = parsed(JSON.stringify({ x: [{ regexp: source }] }));
      return matches(pattern, { x: value }) === new RegExp(`^(?:${source})$`, 'su').test(value);
    }),
    { numRuns: 3000 },
  );
});
