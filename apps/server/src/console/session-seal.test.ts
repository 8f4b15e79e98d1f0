import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeRandom } from '@tinkerbell/platform-node';
import { createSeal } from './session-seal.ts';

const secret = nodeRandom.bytes(32);
const seal = createSeal(secret, 'sessions', nodeRandom);

test('a sealed text is opened only by its own key and purpose', () => {
  const sealed = seal.seal('123 token');
  assert.equal(seal.open(sealed), '123 token');
  assert.equal(createSeal(secret, 'sessions', nodeRandom).open(sealed), '123 token');
  assert.equal(createSeal(secret, 'sign-ins', nodeRandom).open(sealed), undefined);
  assert.equal(createSeal(nodeRandom.bytes(32), 'sessions', nodeRandom).open(sealed), undefined);
});

test('a changed or cut text is not opened', () => {
  const bytes = Buffer.from(seal.seal('123 token'), 'base64url');
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1;
    assert.equal(seal.open(changed.toString('base64url')), undefined);
    assert.equal(seal.open(bytes.subarray(0, at).toString('base64url')), undefined);
  }
});

test('a token of 3,800 characters fits into a cookie', () => {
  const token = Buffer.from(nodeRandom.bytes(2850)).toString('base64url');
  assert.equal(token.length, 3800);
  assert.ok(seal.seal(`1234567890123 ${token}`).length < 3990);
});
