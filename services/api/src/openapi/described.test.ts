import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInKinds } from '@tinkerbell/resources';
import { described } from './described.ts';

test('builds a document once for the served kinds, and again for others', async () => {
  for (const path of ['/openapi/v2', '/openapi/v3', '/openapi/v3/apis/tinkerbell.org/v1alpha1']) {
    const first = await described(path, builtInKinds, '');
    assert.ok(first !== undefined && first.contentType === 'application/json');
    assert.equal((await described(path, builtInKinds, ''))?.content, first.content, path);
    assert.notEqual((await described(path, [...builtInKinds], ''))?.content, first.content, path);
    assert.equal(typeof JSON.parse(new TextDecoder().decode(first.content)), 'object');
  }
  const binary = await described(
    '/openapi/v2',
    builtInKinds,
    'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
  );
  assert.match(binary?.contentType ?? '', /protobuf/);
});

test('returns nothing for an unknown document', () => {
  for (const path of ['/openapi/v3/apis/none.org/v1', '/openapi/v4', '/version', '/openapi/'])
    assert.equal(described(path, builtInKinds, ''), undefined, path);
});
