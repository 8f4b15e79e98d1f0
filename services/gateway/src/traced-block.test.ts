import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HpackDecoder, TextPool } from '@tinkerbell/http2';
import { TracedBlock } from './traced-block.ts';

test('each block has its own trace', () => {
  const traced = new TracedBlock([':method', 'POST', 'a', 'b']);
  const decoder = new HpackDecoder(new TextPool(), 1000, (bytes) => Buffer.from(bytes).toString('latin1'));
  for (const digits of ['0123456789abcdef'.repeat(3), 'f'.repeat(48)])
    assert.deepEqual(decoder.decode(traced.of(digits)), [
      ':method',
      'POST',
      'a',
      'b',
      'traceparent',
      `00-${digits.slice(0, 32)}-${digits.slice(32)}-00`,
    ]);
});
