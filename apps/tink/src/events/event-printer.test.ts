import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JournalRecord } from '@tinkerbell/store-contract';
import { dayOf, eventLine } from './event-line.ts';
import { EventPrinter } from './event-printer.ts';

const noon = new Date(2026, 10, 20, 12, 0, 1, 123).getTime();
let sequence = 0;

function record(event: string, message: string, more: Partial<JournalRecord> = {}): JournalRecord {
  return { sequence: ++sequence, atMs: noon, source: 'dhcp', event, message, ...more };
}

function printed(
  records: readonly JournalRecord[],
  options: { isTty?: boolean; columns?: number; today?: string } = {},
) {
  let text = '';
  const printer = new EventPrinter({
    write: (part) => (text += part),
    isTty: options.isTty ?? true,
    columns: () => options.columns ?? 200,
    colour: false,
    today: options.today ?? dayOf(noon),
    subject: undefined,
  });
  for (const one of records) printer.print(one);
  printer.end();
  return text;
}

/** The final content of a terminal. */
function screen(text: string): string[] {
  return text.split('\n').map((line) => line.split('\r\u001b[2K').at(-1)!);
}

const moved = (percent: number, path = '/images/a') =>
  record('transfer-moved', `${path}: ${percent} %`, { source: 'image', details: { path } });

test('a line has time, source, event and message', () => {
  const style = { colour: false, subject: undefined };
  assert.equal(
    eventLine(record('offer-sent', 'an offer'), style),
    '12:00:01.123  dhcp      offer-sent           an offer',
  );
  const named = { colour: false, subject: () => 'm1' };
  assert.match(eventLine(record('offer-sent', 'x'), named), /^12:00:01\.123 {2}m1 {14} {2}dhcp/);
});

test('failures are red, successes green, and only in colour', () => {
  const style = { colour: true, subject: undefined };
  assert.ok(eventLine(record('action-failed', 'x'), style).includes('\u001b[31maction-failed'));
  const success = record('state-changed', 'x', { details: { to: 'SUCCESS' } });
  assert.ok(eventLine(success, style).includes('\u001b[32mstate-changed'));
});

test('text from a machine cannot move the cursor or start a line', () => {
  const line = eventLine(record('file-not-found', 'no file \u001b[2J\r\nfaked \u202e'), {
    colour: false,
    subject: undefined,
  });
  assert.match(line, /no file \\x1b\[2J faked \\u202e$/);
});

test('the progress of one operation is one line on a terminal', () => {
  const text = printed([record('offer-sent', 'a'), moved(10), moved(20), moved(90), record('x', 'b')]);
  const lines = screen(text);
  assert.equal(lines.length, 4);
  assert.match(lines[1]!, /90 %$/);
  assert.match(lines[2]!, / b$/);
});

test('two operations at once take turns, each on its own line', () => {
  const lines = screen(printed([moved(1, '/a'), moved(2, '/b'), moved(3, '/a')]));
  assert.deepEqual(
    lines.map((line) => /\/.: .*$/.exec(line)?.[0]),
    ['/a: 1 %', '/b: 2 %', '/a: 3 %', undefined],
  );
});

test('prints every progress line if lines cannot be overwritten', () => {
  const text = printed([moved(10), moved(20)], { isTty: false });
  assert.equal(text.includes('\r'), false);
  assert.equal(text.split('\n').length, 3);
});

test('a progress line is cut to the width of the terminal', () => {
  const lines = screen(printed([moved(10, '/images/a-very-long-name')], { columns: 40 }));
  assert.equal(lines[0]!.length, 39);
});

test('announces another day once, before its first record', () => {
  const later = noon + 86_400_000;
  const text = printed([
    record('a', 'x'),
    record('b', 'y', { atMs: later }),
    record('c', 'z', { atMs: later }),
  ]);
  assert.equal(text.match(/^--- 2026-11-21$/gm)?.length, 1);
});
