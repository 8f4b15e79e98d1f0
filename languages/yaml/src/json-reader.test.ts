import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { JsonLimitError, JsonReader, parseJson, readJson, type JsonLimits } from './json-reader.ts';
import { bulkyValues, counted } from './testing/bulky-values.ts';

const wide: JsonLimits = { nodes: 1e6, depth: 100, keys: 1e6 };

function pieces(text: string): number {
  return counted(readJson(text, wide)).pieces;
}

/** Reads a text that arrives in parts of these lengths, repeated. */
function parsedParts(text: string, lengths: readonly number[]): unknown {
  const reader = new JsonReader(wide);
  for (let at = 0, part = 0; at < text.length; part += 1) {
    const length = lengths[part % lengths.length] ?? 1;
    for (const _pause of reader.push(text.slice(at, at + length)));
    at += length;
  }
  const ending = reader.end();
  for (;;) {
    const next = ending.next();
    if (next.done === true) return next.value;
  }
}

/** Some parts are shorter than an escape, and some longer than what is parsed without a pause. */
const lengthsOfParts = fc.array(
  fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 10_000, max: 70_000 })),
  { minLength: 1, maxLength: 6 },
);

/** The value as JSON. Where the parts are cut decides which of several faults is found first. */
function outcomeOf(read: () => unknown): string | undefined {
  try {
    return JSON.stringify(read());
  } catch (thrown) {
    if (thrown instanceof SyntaxError || thrown instanceof JsonLimitError) return 'refused';
    throw thrown;
  }
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

test('reads a text that arrives in parts, wherever they are cut', () => {
  fc.assert(
    fc.property(bulky, fc.boolean(), lengthsOfParts, (value, isIndented, lengths) => {
      const text = JSON.stringify(value, undefined, isIndented ? 2 : 0);
      assert.deepEqual(parsedParts(text, lengths), JSON.parse(text));
    }),
    { numRuns: 200 },
  );
});

test('a short text is read at once, unless it may be invalid or over a limit', () => {
  const someLimits = fc.record({
    nodes: fc.integer({ min: 1, max: 20 }),
    depth: fc.integer({ min: 0, max: 5 }),
    keys: fc.integer({ min: 1, max: 20 }),
  });
  const values = fc.array(fc.oneof(fc.jsonValue({ maxDepth: 4 }), fc.string()), { maxLength: 12 });
  fc.assert(
    fc.property(values, fc.constantFrom('', ' ', ',', ']', '"'), someLimits, (value, end, limits) => {
      const text = JSON.stringify(value) + end;
      const reader = new JsonReader(limits);
      assert.ok(reader.keep(text.slice(0, 3)) && reader.keep(text.slice(3)));
      const found = reader.shortValue();
      if (found !== undefined) assert.deepEqual(found, parseJson(text, limits));
    }),
  );
  const limits: JsonLimits = { nodes: 12, depth: 3, keys: 4 };
  const valueOf = (text: string): unknown => {
    const reader = new JsonReader(limits);
    return reader.keep(text) ? reader.shortValue() : 'not kept';
  };
  assert.deepEqual(valueOf('{"a":[{"b":1}]}'), { a: [{ b: 1 }] });
  const others = ['[[[[]]]]', '{"a":1,"b":1,"c":1,"d":1,"e":1}', `[${'1,'.repeat(11)}1]`, '[1', '', ' '];
  for (const text of [...others, JSON.stringify('x'.repeat(1024))]) assert.equal(valueOf(text), undefined);
  assert.equal(valueOf(' '.repeat(16 * 1024)), 'not kept');
});

test('refuses a text whose end has not arrived', () => {
  const text = `{"a":[1,"${'\\n'.repeat(40_000)}",{"b":"c"}],"d":"${'x'.repeat(20_000)}"}`;
  for (let length = 1; length < text.length; length += 977)
    assert.throws(() => parsedParts(text.slice(0, length), [20_000, 3]), SyntaxError, String(length));
  assert.deepEqual(parsedParts(text, [20_000, 3]), JSON.parse(text));
});

test('refuses values without commas before all of them have arrived', () => {
  for (const [start, unit] of [
    ['', '""'],
    ['[', '"a" '],
    ['{"a":', '[]'],
    ['[{"a":', '{"b":1} '],
  ]) {
    const reader = new JsonReader(wide);
    const part = unit?.repeat(10_000) ?? '';
    let count = 0;
    const pushed = () => {
      for (const _pause of reader.push(start ?? ''));
      for (; count < 100; count += 1) for (const _pause of reader.push(part));
    };
    assert.throws(pushed, SyntaxError, unit);
    assert.ok(count < 20, `${unit}: ${count}`);
  }
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
      assert.equal(
        outcomeOf(() => parsedParts(one, [17_000])),
        outcomeOf(() => parseJson(one, wide)),
      );
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

test('an escaped quote is not the end of a string, where a piece ends', () => {
  for (let before = 16 * 1024 - 10; before < 16 * 1024 + 10; before++) {
    const text = `["${'x'.repeat(before)}\\"${'y'.repeat(20)}"]`;
    assert.deepEqual(parseJson(text, wide), JSON.parse(text));
    assert.deepEqual(parsedParts(text, [before, 30]), JSON.parse(text));
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
