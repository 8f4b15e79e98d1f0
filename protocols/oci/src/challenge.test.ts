import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeErrors, encodeErrors, parseChallenges } from './index.ts';

test("reads Docker Hub's challenge", () =>
  assert.deepEqual(
    parseChallenges(
      'Bearer realm="https://auth.docker.io/token",service="registry.docker.io",scope="repository:a/b:pull,push"',
    ),
    [
      {
        scheme: 'bearer',
        parameters: {
          realm: 'https://auth.docker.io/token',
          service: 'registry.docker.io',
          scope: 'repository:a/b:pull,push',
        },
      },
    ],
  ));

test('reads several challenges in one header, quoted pairs and tokens', () =>
  assert.deepEqual(parseChallenges(String.raw`Basic realm="a \"b\"", Bearer Realm=x , Negotiate`), [
    { scheme: 'basic', parameters: { realm: 'a "b"' } },
    { scheme: 'bearer', parameters: { realm: 'x' } },
    { scheme: 'negotiate', parameters: {} },
  ]));

test('any header gives a list', () => {
  fc.assert(fc.property(fc.string(), (text) => Array.isArray(parseChallenges(text))));
  assert.equal(parseChallenges('a=b').length, 0);
});

test('error bodies come back, and pages of proxies give none', () => {
  const errors = [{ code: 'DENIED', message: 'no' }];
  const bytes = (text: string) => new TextEncoder().encode(text);
  assert.deepEqual(decodeErrors(bytes(encodeErrors(errors))), errors);
  assert.deepEqual(decodeErrors(bytes('<html>')), []);
  assert.deepEqual(decodeErrors(bytes('{"errors":[{"code":5},null]}')), []);
});
