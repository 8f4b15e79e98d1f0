import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { nodeAt, parseYaml, positionOf, stringifyYaml, toJson, type YamlNode } from './index.ts';

function only(text: string): YamlNode {
  const parsed = parseYaml(text);
  assert.ok(parsed.ok, parsed.ok ? '' : parsed.error.message);
  assert.equal(parsed.documents.length, 1);
  return parsed.documents[0]!;
}

test('keeps the position of every key and item', () => {
  const node = only('spec:\n  interfaces:\n    - dhcp:\n        mac: "00:11"\n');
  assert.deepEqual(positionOf(node, ['spec', 'interfaces', 0, 'dhcp', 'mac']), { line: 4, column: 9 });
  assert.deepEqual(positionOf(node, ['spec', 'interfaces', 0]), { line: 3, column: 7 });
});

test('gives the nearest ancestor for a field that is not there', () => {
  const node = only('spec:\n  a: 1\n');
  assert.deepEqual(positionOf(node, ['spec', 'missing', 'deeper']), { line: 1, column: 1 });
});

test('keeps the text of scalars beside their value', () => {
  const node = only('a: 0644\nb: y\nc: "true"\nd: ~\ne: 1.50\n');
  const text = (key: string) => (nodeAt(node, [key]) as { text: string }).text;
  assert.deepEqual(['a', 'b', 'c', 'd', 'e'].map(text), ['0644', 'y', 'true', '~', '1.50']);
  assert.deepEqual(toJson(node), { a: 644, b: 'y', c: 'true', d: null, e: 1.5 });
});

test('splits documents and leaves out the empty ones', () => {
  const parsed = parseYaml('---\na: 1\n---\n---\nb: 2\n');
  assert.ok(parsed.ok);
  assert.deepEqual(parsed.documents.map(toJson), [{ a: 1 }, { b: 2 }]);
});

/** What yaml.v3 makes of them; undefined where it refuses too. */
const quotedOverLines: readonly [string, unknown][] = [
  ['a:\n  b: "x\n  y &&\n z"\n  c: 1\n', { a: { b: 'x y && z', c: 1 } }],
  ["a:\n  b: 'x\n\n y'\n  c: 1\n", { a: { b: 'x\ny', c: 1 } }],
  ['a:\n  - "x\ny"\n  - ["p\nq", r]\n', { a: ['x y', ['p q', 'r']] }],
  ['a:\n  b: "x\n\ty"\n', { a: { b: 'x y' } }],
  ['a: "x\n---y"\n', { a: 'x ---y' }],
  ['a: "x\n--- y"\n', undefined],
  ['a:\n  b: "x\n', undefined],
  ['a:\n  b: "x\n  c: 1\n  d: "z"\n', undefined],
  ['"k\n  l": 1\n', undefined],
  ['a:\n  b: x\n  y\n  c: 1\n', undefined],
];

test('the lines of a quoted scalar may be indented as they like, as for yaml.v3', () => {
  for (const [text, expected] of quotedOverLines) {
    const parsed = parseYaml(text);
    assert.deepEqual(parsed.ok ? toJson(only(text)) : undefined, expected, text);
  }
  const node = only('a:\n  b: "x\ny"\n  c: 1\n');
  assert.deepEqual(positionOf(node, ['a', 'c']), { line: 4, column: 3 });
});

test('refuses a duplicate key with its line and column', () => {
  const parsed = parseYaml('a: 1\nb: 2\na: 3\n');
  assert.ok(!parsed.ok);
  assert.equal(parsed.error.position.line, 3);
});

test('names the place of a syntax error', () => {
  const parsed = parseYaml('a:\n  - b\n c: d\n');
  assert.ok(!parsed.ok);
  assert.ok(parsed.error.position.line >= 2);
});

test('resolves aliases and merge keys', () => {
  const node = only('base: &b {x: 1, y: 2}\nuse:\n  <<: *b\n  y: 3\nalso: *b\n');
  assert.deepEqual(toJson(node), { base: { x: 1, y: 2 }, use: { x: 1, y: 3 }, also: { x: 1, y: 2 } });
});

test('refuses an alias bomb', () => {
  let text = 'a0: &a0 [x, x, x, x, x, x, x, x, x]\n';
  for (let i = 1; i < 9; i++)
    text += `a${i}: &a${i} [${Array(9)
      .fill(`*a${i - 1}`)
      .join(', ')}]\n`;
  const parsed = parseYaml(text);
  assert.ok(!parsed.ok);
});

test('keeps a key named __proto__ as an own property', () => {
  const value = toJson(only('__proto__:\n  polluted: true\n')) as Record<string, unknown>;
  assert.ok(Object.hasOwn(value, '__proto__'));
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
});

test('reads back what it writes', () => {
  const value = { a: ['0644', 'y', 'null', '1e3', ''], b: { c: 'line\nbreak\n', d: [1, true, null] } };
  assert.deepEqual(toJson(only(stringifyYaml(value))), value);
});

test('never throws on arbitrary text', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => void parseYaml(text)));
});
