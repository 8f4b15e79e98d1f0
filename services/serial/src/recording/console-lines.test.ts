import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ConsoleLines } from './console-lines.ts';

function linesOf(text: string | Uint8Array, cuts: readonly number[] = []): readonly string[] {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  const console = new ConsoleLines();
  const lines: string[] = [];
  let from = 0;
  for (const cut of [...cuts.filter((one) => one < bytes.length).toSorted((a, b) => a - b), bytes.length]) {
    lines.push(...console.take(bytes.subarray(from, cut)));
    from = cut;
  }
  return [...lines, ...console.flush()];
}

test('shows what a person would have read', () => {
  const cases: readonly [printed: string, lines: readonly string[]][] = [
    ['one\r\ntwo\n\n  \nlogin: ', ['one', 'two', 'login: '.trimEnd()]],
    ['\u001B[1;31mred\u001B[0m \u001B]0;title\u0007text\n', ['red text']],
    ['10 %\r50 %\r100 %\r\n', ['100 %']],
    ['abx\b\bAB\n', ['aAB']],
    ['Welcome to GRUB!\b\u001B[0m\n', ['Welcome to GRUB!']],
    ['root\b \b\n\b\bx\n', ['roo', 'x']],
    ['\u001B[2J\u001B[1;1HSETUP\u001B[2;1HBoot order\u001B[25;80H', ['SETUP', 'Boot order']],
    ['tab\there \u0000\u0007bell\u009B\n', ['tab\there bell']],
    ['\u001B(B\u001B=\u001BMé☃\n', ['é☃']],
    ['x'.repeat(1200), ['x'.repeat(500), 'x'.repeat(500), 'x'.repeat(200)]],
  ];
  for (const [printed, lines] of cases) assert.deepEqual(linesOf(printed), lines, JSON.stringify(printed));
});

test('the cut of the bytes does not matter while lines are short', () => {
  const unit = fc.constantFrom('a', 'é', '\r\n', '\n', '\u001B[31m', '\u001B[2;3H', '☃ ', '\u0000');
  fc.assert(
    fc.property(
      fc.array(unit, { maxLength: 60 }).map((units) => units.join('')),
      fc.array(fc.nat(200)),
      (text, cuts) => {
        assert.deepEqual(linesOf(text, cuts), linesOf(text));
      },
    ),
    { seed: 20 },
  );
});

test('holds little of a line without an end, and passes no control character on', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 20_000, minLength: 10 }), (bytes) => {
      for (const line of linesOf(bytes, [100, 5000])) {
        assert.ok(line.length <= 500);
        assert.match(line, /^[\t\P{Cc}]*$/u);
      }
    }),
    { seed: 21 },
  );
  const console = new ConsoleLines();
  let count = 0;
  for (let round = 0; round < 2000; round++) count += console.take(new Uint8Array(1000).fill(0x61)).length;
  assert.ok(count >= (2_000_000 / 500) * 0.9, String(count));
});
