import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { JsonLimitError, parseJson, readJson, type JsonLimits } from './json-reader.ts';
import { bulkyValues, counted } from './testing/bulky-values.ts';

const wide: JsonLimits = { nodes: 1e6, depth: 100, keys: 1e6 };

function pieces(text: string): number {
  return counted(readJson(text, wide)).pieces;
}

const bulky = bulkyValues();

test('reads what JSON.parse reads, in one piece or in many', () => {
  fc.assert(
    fc.property(bulky, fc.boolean(), (value, isIndented) => {
      const text = JSON.stringify(value, undefined, isIndented ? 2 : 0);
      assert.deepEqual(parseJson(text, wide), JSON.parse(text));
    }),
    { numRuns: 200 },
  );
});

test('refuses what JSON.parse refuses, wherever the fault is', () => {
  const long = `"${'x'.repeat(70_000)}"`;
  const text = `{"a":[1,${long},{"b":${long},"c":[[],{}]},true],"d":${long},"e":{"f":null}}`;
  assert.deepEqual(parseJson(text, wide), JSON.parse(text));
  const marks = [...text.matchAll(/[[\]{}:,"]|null|true/g)].map(({ index }) => index);
  for (const at of [...marks, text.length]) {
    const broken = [
      text.slice(0, at) + text.slice(at + 1),
      ...['"', ',', ':', '[', ']', '{', '}', 'x', ' 1 ', '\\', '""', '\u0001', '"k":1,'].flatMap((extra) => [
        text.slice(0, at) + extra + text.slice(at),
        text.slice(0, at) + extra + text.slice(at + 1),
      ]),
    ];
    for (const one of broken) {
      let expected: unknown = SyntaxError;
      try {
        expected = JSON.parse(one);
      } catch {}
      if (expected === SyntaxError)
        // Without its quotes, a long string is a value that is too long.
        assert.throws(
          () => parseJson(one, wide),
          (thrown) => thrown instanceof SyntaxError || thrown instanceof JsonLimitError,
          `${at}: ${one.slice(at, at + 20)}`,
        );
      else assert.deepEqual(parseJson(one, wide), expected);
    }
  }
});

test('an escape is not cut in two', () => {
  for (const escape of ['\\u00e9', '\\\\', '\\"', '\\n', '\\ud83d\\ude00'])
    for (let before = 0; before < 14; before++) {
      const text = `["${'x'.repeat(before)}${escape.repeat(30_000)}"]`;
      assert.deepEqual(parseJson(text, wide), JSON.parse(text));
    }
});

test('a repeated field has its last value, and a field named __proto__ is like any other', () => {
  const long = 'x'.repeat(70_000);
  const value = parseJson(
    `{"a":1,"__proto__":{"b":2},"c":"${long}","a":3,"__proto__":["${long}"]}`,
    wide,
  ) as object;
  assert.deepEqual(Object.keys(value), ['a', '__proto__', 'c']);
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
  assert.deepEqual(Object.getOwnPropertyDescriptor(value, '__proto__')?.value, [long]);
});

test('pauses often, whatever the text contains', () => {
  const units = ['{},', '"k":1,', '"\\n",', '[[1]],', '1,', ' 1 ,'];
  for (const unit of units) {
    const isObject = unit.startsWith('"k"');
    const items = unit.repeat(Math.ceil(1e6 / unit.length)) + (isObject ? '"k":1' : '1');
    const count = pieces(isObject ? `{${items}}` : `[${items}]`);
    assert.ok(count >= 1e6 / 20_000, `${unit}: ${count}`);
  }
  assert.ok(pieces(`{"a":"${'\\n'.repeat(500_000)}"}`) >= 60);
  assert.ok(pieces(`"${'\\"'.repeat(500_000)}"`) >= 15);
});

test('refuses long white space and long numbers, which would be one piece', () => {
  const long = 70_000;
  for (const filler of [' ', '\n', '1', '\t'])
    for (const [before, after] of [
      ['[', ']'],
      ['[1,', '1]'],
      ['{"a":', '1}'],
      ['[{"a":["b"', ']}]'],
      ['', ''],
      ['[]', ''],
    ])
      assert.throws(
        () => parseJson(`${before}${filler.repeat(long)}${after}`, wide),
        (thrown) => thrown instanceof JsonLimitError && /white space or of one number/.test(thrown.message),
        `${before} ${filler} ${after}`,
      );
  assert.deepEqual(parseJson(`[${' '.repeat(60_000)}1,${'\n'.repeat(60_000)}2]`, wide), [1, 2]);
});

test('refuses long names of fields', () => {
  const name = 'k'.repeat(1100);
  for (const text of [`{"${name}":1}`, `[{"a":1,"${name}":1}]`, `{"a":"${name}", "${name}" :1}`])
    assert.throws(
      () => parseJson(text, wide),
      (thrown) => thrown instanceof JsonLimitError && /a field name/.test(thrown.message),
    );
  assert.deepEqual(parseJson(`{"a":"${name}","b":["${name}"]}`, wide), { a: name, b: [name] });
});

test('nodes, depth and fields are counted on the text', () => {
  const limits: JsonLimits = { nodes: 10, depth: 3, keys: 3 };
  const refused = (text: string, message: RegExp) =>
    assert.throws(
      () => parseJson(text, limits),
      (thrown) => thrown instanceof JsonLimitError && message.test(thrown.message),
    );
  assert.deepEqual(parseJson('[[[1]],{"a":1,"b":",,,[[[[","c":"\\"[[[["}]', limits), [
    [[1]],
    { a: 1, b: ',,,[[[[', c: '"[[[[' },
  ]);
  refused('[1,2,3,4,5,6,7,8,9,10,11]', /more than 10 values/);
  refused('[[[[]]]]', /more than 3 levels of nesting/);
  refused('{"a":1,"b":1,"c":1,"d":1}', /more than 3 fields in one object/);
  refused('['.repeat(1e6), /more than 3 levels/);
});
