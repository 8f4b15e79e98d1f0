import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { endpointsFor } from './endpoints.ts';
import { readHosts, readMirrors } from './registry-settings.ts';
import { noSettings } from './testing/scripted-registry.ts';

const hrefs = (registry: string, mirrors = '', plainHttp: readonly string[] = []) =>
  endpointsFor(registry, { ...noSettings, mirrors: readMirrors(mirrors), plainHttp }).map(
    ({ base }) => base.href,
  );

test('mirrors precede the registry, with their own path or /v2/', () => {
  const mirrors =
    'docker.io=http://10.0.0.1:7080/v2/mirror/docker.io, docker.io=https://m.example,quay.io=http://q';
  assert.deepEqual(hrefs('docker.io', mirrors), [
    'http://10.0.0.1:7080/v2/mirror/docker.io/',
    'https://m.example/v2/',
    'https://registry-1.docker.io/v2/',
  ]);
  assert.deepEqual(hrefs('10.0.0.1:5000', mirrors, ['10.0.0.1:5000']), ['http://10.0.0.1:5000/v2/']);
  assert.deepEqual(hrefs('constructor'), ['https://constructor/v2/']);
});

test('credentials for Docker Hub have one name', () => {
  const credentials = [{ registry: 'index.docker.io', username: 'u', password: 'p' }];
  assert.equal(endpointsFor('docker.io', { ...noSettings, credentials })[0]?.credentials?.username, 'u');
});

for (const text of [
  'quay.io',
  'quay.io=',
  'quay.io=ftp://x',
  '=http://x',
  'a b=http://x',
  'a=http://u:p@x',
  'a=http://x?y',
])
  test(`the mirror "${text}" is refused and quoted`, () =>
    assert.throws(() => readMirrors(text), {
      message: new RegExp(`'${text.replace('?', '\\?')}' is invalid`),
    }));

test('any text is read or refused with an error', () => {
  const check = (read: (text: string) => unknown) => (text: string) => {
    try {
      read(text);
    } catch (error) {
      assert.match(String(error), /invalid|at most/);
    }
  };
  fc.assert(fc.property(fc.string(), check(readMirrors)));
  fc.assert(fc.property(fc.string(), check(readHosts)));
});
