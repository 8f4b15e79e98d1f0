import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createSerialConsole } from './serial-console.ts';

function linesOf(...chunks: readonly string[]): string[] {
  const lines: string[] = [];
  const serial = createSerialConsole();
  serial.onLine((line) => lines.push(line));
  for (const chunk of chunks) serial.push(Buffer.from(chunk));
  return lines;
}

test('joins chunks and removes terminal control sequences', () => {
  assert.deepEqual(linesOf('\u001bc\u001b[?7l\u001b[2JiPXE \u001b[0;1min', 'it\u001b[0m\r\n', '\r\nnext\n'), [
    'iPXE init',
    'next',
  ]);
});

test('shows a login prompt, which has no line end, once', () => {
  assert.deepEqual(linesOf('\r\nDebian GNU/Linux 12 m ttyS0\r\n\r\nmachine-1 log', 'in: ', '\r\n'), [
    'Debian GNU/Linux 12 m ttyS0',
    'machine-1 login:',
  ]);
});

test('keeps the last lines for an error report', () => {
  const serial = createSerialConsole();
  for (let number = 0; number < 500; number += 1) serial.push(Buffer.from(`${number}\n`));
  assert.deepEqual(serial.tail(2), ['498', '499']);
});

test('counts the output of a machine, with or without line ends', () => {
  const serial = createSerialConsole();
  serial.push(Buffer.from('\u001b[2J'));
  serial.push(Buffer.from(' 12%'));
  assert.equal(serial.bytes, 8);
});
