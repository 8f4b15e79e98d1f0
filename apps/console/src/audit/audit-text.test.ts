import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditText } from './audit-text.ts';

test('a write has its outcome in words, and the address that it came from', () => {
  const peer = '10.0.0.7';
  const cases: readonly (readonly [message: string, code: number, text: string])[] = [
    ['ann create hardware lab/m1: 201', 201, 'ann create hardware lab/m1: done, from 10.0.0.7'],
    [
      'ann apply hardware lab/m1: 200 (dry run)',
      200,
      'ann apply hardware lab/m1: done (dry run), from 10.0.0.7',
    ],
    ['ann delete hardware lab/m1: 403', 403, 'ann delete hardware lab/m1: rejected (403), from 10.0.0.7'],
  ];
  for (const [message, code, text] of cases)
    assert.equal(auditText({ message, details: { code, peer } }), text);
});

test('a record without details is shown as it is', () => {
  assert.equal(
    auditText({ message: '12 writes of ann were not recorded' }),
    '12 writes of ann were not recorded',
  );
});
