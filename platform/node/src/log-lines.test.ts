import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LogLines } from './log-lines.ts';

function bench() {
  const written: string[] = [];
  let [nowMs, due] = [0, (): void => undefined];
  const clock = {
    monotonicMs: () => nowMs,
    schedule(_delayMs: number, task: () => void) {
      due = task;
      return () => undefined;
    },
  };
  return {
    written,
    lines: new LogLines(clock, (text) => void written.push(text)),
    forward: (byMs: number) => {
      nowMs += byMs;
      due();
    },
  };
}

test('the first lines of a second are written at once, and the rest together and in order', () => {
  const { lines, written, forward } = bench();
  for (let line = 0; line < 100; line += 1) lines.add(`${line}\n`);
  assert.equal(written.length, 32);
  forward(50);
  assert.equal(written.length, 33);
  assert.equal(written.join(''), Array.from({ length: 100 }, (_, line) => `${line}\n`).join(''));
  forward(1000);
  lines.add('later\n');
  assert.equal(written.at(-1), 'later\n');
});

test('a flush writes what waits, once', () => {
  const { lines, written, forward } = bench();
  for (let line = 0; line < 34; line += 1) lines.add(`${line}\n`);
  lines.flush();
  assert.equal(written.at(-1), '32\n33\n');
  lines.flush();
  forward(50);
  assert.equal(written.length, 33);
});

test('lines that fill a pipe do not wait', () => {
  const { lines, written } = bench();
  for (let line = 0; line < 34; line += 1) lines.add(`${'x'.repeat(70_000)}\n`);
  assert.equal(written.length, 33);
});
