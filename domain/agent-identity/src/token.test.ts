import assert from 'node:assert/strict';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { test } from 'node:test';
import { mac } from '@tinkerbell/wire';
import fc from 'fast-check';
import { decodeBase64url, encodeBase64url } from './base64url.ts';
import { decodeToken, encodeBootToken, encodeSessionToken, NO_WORKFLOW, workflowMark } from './token.ts';
import type { TokenKey } from './token-key.ts';

const keyOf = (secret: string): TokenKey => ({
  sign: (bytes) => new Uint8Array(createHmac('sha256', secret).update(bytes).digest()),
  isSame: timingSafeEqual,
});
const key = keyOf('site');
const boot = {
  mac: mac('02:00:5e:10:00:01'),
  expiresSeconds: 1_800_000_000,
  workflow: workflowMark('uid-1', key),
  nonce: new Uint8Array(8).fill(7),
};
const session = {
  ...boot,
  sessionId: new Uint8Array(16).fill(9),
  agentId: 'rack-7/ä',
};

test('a boot token decodes to the same fields, and fits a kernel argument', () => {
  const text = encodeBootToken(boot, key);
  assert.match(text, /^[\w-]{58}$/);
  assert.deepEqual(decodeToken(text, key), { purpose: 'boot', ...boot });
});

test('a session token decodes to the same fields', () => {
  const { nonce: _, ...fields } = session;
  assert.deepEqual(decodeToken(encodeSessionToken(fields, key), key), { purpose: 'session', ...fields });
});

test('only texts that the key has signed are tokens', () => {
  const text = encodeBootToken(boot, key);
  assert.equal(decodeToken(text, keyOf('other')), undefined);
  for (let at = 0; at < text.length; at++)
    for (const letter of ['A', 'B', '-', '=', ' ', 'ü']) {
      const changed = text.slice(0, at) + letter + text.slice(at + 1);
      if (changed !== text) assert.equal(decodeToken(changed, key), undefined, changed);
    }
  for (const other of ['', 'x', text.slice(1), `${text}A`, `${text}\n`, 'A'.repeat(100_000)])
    assert.equal(decodeToken(other, key), undefined);
});

test('one kind of token cannot be used as the other, whatever its length', () => {
  const bytes = decodeBase64url(encodeBootToken(boot, key)) ?? new Uint8Array();
  for (const purpose of [0, 2, 3, 255]) {
    const content = bytes.with(0, purpose).subarray(0, -16);
    const signed = new Uint8Array([...content, ...key.sign(content).subarray(0, 16)]);
    assert.equal(decodeToken(encodeBase64url(signed), key), undefined);
  }
});

test('a workflow has its mark, and no workflow has zeros', () => {
  assert.deepEqual(workflowMark(undefined, key), NO_WORKFLOW);
  assert.notDeepEqual(workflowMark('uid-1', key), workflowMark('uid-2', key));
  assert.notDeepEqual(workflowMark('uid-1', key), workflowMark('uid-1', keyOf('other')));
});

test('base64url matches that of Node', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      const text = Buffer.from(bytes).toString('base64url');
      assert.equal(encodeBase64url(bytes), text);
      assert.deepEqual(decodeBase64url(text), bytes);
    }),
  );
});

test('base64url has one text for the same bytes', () => {
  assert.deepEqual(decodeBase64url('AQ'), Uint8Array.of(1));
  for (const text of ['AQ==', 'AQ ', ' AQ', 'A Q', 'AR', 'A', '+/8', 'AQ=', 'ä'])
    assert.equal(decodeBase64url(text), undefined, text);
});

test('any text is a token or undefined, and nothing throws', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 120 }), (text) => assert.equal(decodeToken(text, key), undefined)),
  );
});
