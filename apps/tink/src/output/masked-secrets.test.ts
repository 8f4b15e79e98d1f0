import assert from 'node:assert/strict';
import { test } from 'node:test';
import { masked, maskedPair } from './masked-secrets.ts';

const secret = (password: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's', namespace: 'default' },
  data: { password, user: 'YQ==' },
});

test('no value of a Secret is shown, and a changed one is marked', () => {
  const text = JSON.stringify(maskedPair(secret('b25l'), secret('dHdv')));
  assert.doesNotMatch(text, /b25l|dHdv|YQ==/);
  const { before, after } = maskedPair(secret('b25l'), secret('dHdv'));
  assert.notDeepEqual(before, after);
  assert.deepEqual(maskedPair(secret('x'), secret('x')).after, masked(secret('x')));
});

test('masks passwords of other kinds, but not names of secrets', () => {
  const object = { kind: 'Hardware', spec: { crypted_root_password: 'abc', authSecretRef: { name: 'n' } } };
  assert.deepEqual(masked(object).spec, {
    crypted_root_password: '*** (3 characters)',
    authSecretRef: { name: 'n' },
  });
});
