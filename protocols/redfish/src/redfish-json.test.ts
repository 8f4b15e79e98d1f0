import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRedfishJson } from './index.ts';

const codeOf = (text: string): string => {
  const result = parseRedfishJson(text);
  return result.ok ? 'ok' : result.error.code;
};
const nested = (depth: number): string => `{"a":`.repeat(depth) + '1' + '}'.repeat(depth);

test('an object is read', () => {
  const result = parseRedfishJson('{"Id":"1","a":[{"b":"}]"}]}');
  assert.deepEqual(result, { ok: true, value: { Id: '1', a: [{ b: '}]' }] } });
});

test('the depth has a limit, which strings do not count for', () => {
  assert.equal(codeOf(nested(64)), 'ok');
  assert.equal(codeOf(nested(65)), 'too-deep');
  assert.equal(codeOf(nested(10_000)), 'too-deep');
  assert.equal(codeOf('['.repeat(1_000_000)), 'too-deep');
  assert.equal(codeOf(JSON.stringify({ a: String.raw`\"`.repeat(3) + '{'.repeat(100) })), 'ok');
});

test('the number of values has a limit', () => {
  assert.equal(codeOf(`{"a":[${'1,'.repeat(99_999)}1]}`), 'ok');
  assert.equal(codeOf(`{"a":[${'1,'.repeat(100_000)}1]}`), 'too-many-values');
});

test('text that is not a JSON object is an error', () => {
  assert.equal(codeOf(''), 'not-json');
  assert.equal(codeOf('<html>'), 'not-json');
  assert.equal(codeOf('{"a":"'), 'not-json');
  assert.equal(codeOf(String.raw`{"a":"\ `.trimEnd()), 'not-json');
  for (const text of ['[]', 'null', '1', '"a"']) assert.equal(codeOf(text), 'not-an-object');
});

test('random text never throws', () => {
  const parts = ['{', '}', '[', ']', '"', '\\', ',', ':', 'a', '1', ' '];
  let seed = 7;
  for (let round = 0; round < 2000; round += 1) {
    let text = '';
    for (let length = 0; length < round % 40; length += 1) {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      text += parts[(seed >> 8) % parts.length];
    }
    parseRedfishJson(text);
  }
});
