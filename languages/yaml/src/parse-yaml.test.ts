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

test('returns the nearest ancestor for a missing field', () => {
  const node = only('spec:\n  a: 1\n');
  assert.deepEqual(positionOf(node, ['spec', 'missing', 'deeper']), { line: 1, column: 1 });
});

test('keeps the text of scalars beside their value', () => {
  const node = only('a: 0644\nb: y\nc: "true"\nd: ~\ne: 1.50\n');
  const text = (key: string) => (nodeAt(node, [key]) as { text: string }).text;
  assert.deepEqual(['a', 'b', 'c', 'd', 'e'].map(text), ['0644', 'y', 'true', '~', '1.50']);
  assert.deepEqual(toJson(node), { a: 644, b: 'y', c: 'true', d: null, e: 1.5 });
});

test('splits documents and omits empty ones', () => {
  const parsed = parseYaml('---\na: 1\n---\n---\nb: 2\n');
  assert.ok(parsed.ok);
  assert.deepEqual(parsed.documents.map(toJson), [{ a: 1 }, { b: 2 }]);
});

/** The result of yaml.v3, or undefined where it refuses too. */
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

test('the lines of a quoted scalar may have any indentation, as in yaml.v3', () => {
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

test('reports the place of a syntax error', () => {
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

test('reads what it writes', () => {
  const value = { a: ['0644', 'y', 'null', '1e3', ''], b: { c: 'line\nbreak\n', d: [1, true, null] } };
  assert.deepEqual(toJson(only(stringifyYaml(value))), value);
});

test('never throws on arbitrary text', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => void parseYaml(text)));
});

function errorOf(text: string): string {
  const parsed = parseYaml(text);
  assert.ok(!parsed.ok, `${text.slice(0, 40)} was read`);
  return parsed.error.message;
}

test('an alias is the node of the nearest anchor before it', () => {
  const text = 'a: &n 1\nb: *n\nc: &n {x: &m 2}\nd: *n\ne: &m 3\nf: *n\ng: *m\nh: &k i\n&j k: *k\nl: *j\n';
  assert.deepEqual(toJson(only(text)), {
    a: 1,
    b: 1,
    c: { x: 2 },
    d: { x: 2 },
    e: 3,
    f: { x: 2 },
    g: 3,
    h: 'i',
    k: 'i',
    l: 'k',
  });
});

test('an alias without an anchor, or inside its own node, is refused', () => {
  assert.equal(errorOf('a: *b\n'), 'alias *b has no anchor');
  assert.equal(errorOf('a: &a [1, {b: *a}]\n'), 'alias *a contains itself');
  assert.equal(errorOf('a: *b\nc: &b 1\n'), 'alias *b has no anchor');
  assert.equal(errorOf('a: &b 1\n---\nc: *b\n'), 'alias *b has no anchor');
});

test('the expansion of aliases and merge keys is limited in nodes, in characters and in depth', () => {
  const aliases = (name: string, count: number) => `[${`*${name},`.repeat(count)}]`;
  assert.match(errorOf(`a: &a [${'x,'.repeat(999)}]\nb: ${aliases('a', 300)}\n`), /more than 200000 nodes/);
  assert.match(
    errorOf(`a: &a ${'x'.repeat(100_000)}\nb: ${aliases('a', 50)}\n`),
    /more than 4194304 characters/,
  );
  const base = `a: &a {${Array.from({ length: 500 }, (_, key) => `k${key}: v`).join(', ')}}\n`;
  assert.match(errorOf(`${base}b:\n${'  - <<: *a\n'.repeat(300)}`), /more than 200000 nodes/);
  assert.match(errorOf(`${base}b:\n  <<: ${aliases('a', 400)}\n`), /more than 200000 nodes/);
  const deep = Array.from({ length: 60 }, (_, at) => `a${at + 1}: &a${at + 1} [[*a${at}]]\n`).join('');
  assert.match(errorOf(`a0: &a0 [x]\n${deep}`), /nested deeper than 100/);
});

test('limits of nodes and of depth apply before there is a tree', () => {
  for (const text of ['[', '{a: ', '- ', '? ', '- ? ', '[? ', '!!seq [', '&a [', 'a: [', '- - {b: '])
    assert.match(errorOf(text.repeat(20_000)), /nested deeper than 100/, text);
  const indented = Array.from({ length: 2000 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join('');
  assert.match(errorOf(indented), /nested deeper than 100/);
  const limits = { nodes: 1000, depth: 100, keys: 3, characters: 1e6 };
  for (const text of ['a,', '{},', '- x\n', '#\n', '---\n', '? \n', '- !a\n', '- &a\n', '"",', '*a,']) {
    const parsed = parseYaml(`${text.endsWith(',') ? '[' : ''}${text.repeat(20_000)}`, limits);
    assert.match(parsed.ok ? 'ok' : parsed.error.message, /more than 1000 nodes/, text);
  }
  assert.ok(parseYaml('{a: 1, b: 2, c: 3}', limits).ok);
  for (const text of ['{a: 1, b: 2, c: 3, d: 4}', 'x: &x {a: 1, b: 2}\ny: {c: 3, d: 4, <<: *x}']) {
    const parsed = parseYaml(text, limits);
    assert.match(parsed.ok ? 'ok' : parsed.error.message, /more than 3 keys in one map/);
  }
});

test('the cost of keys, aliases and anchors is proportional to their length', () => {
  const many = (line: (index: number) => string, count = 20_000) =>
    Array.from({ length: count }, (_, index) => line(index)).join('');
  const texts: Record<string, string> = {
    keys: many((index) => `k${index}: v\n`),
    'keys in flow': `{${many((index) => `k${index}: v, `)}}`,
    aliases: `a: &a x\nb: [${'*a,'.repeat(20_000)}]\n`,
    anchors: many((index) => `k${index}: &a${index} v\n`),
    'misplaced items': `a: 1\n${'- b\n'.repeat(20_000)}`,
    pairs: many((index) => `k${index}: &a${index} v\nl${index}: *a${index}\n`, 10_000),
  };
  for (const [name, text] of Object.entries(texts)) {
    const before = process.cpuUsage();
    assert.equal(parseYaml(text).ok, !name.startsWith('misplaced'), name);
    const { user } = process.cpuUsage(before);
    assert.ok(user < 8_000_000, `${name}: ${user} microseconds`);
  }
});

test('refuses a duplicate key in any spelling', () => {
  for (const text of ['{a: 1, "a": 2}', '{1: a, "1": b}', 'a: 1\n"a": 2\n', '<<: {a: 1}\n<<: {b: 1}\n'])
    assert.equal(errorOf(text), 'map keys must be unique');
});
