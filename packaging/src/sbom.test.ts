import assert from 'node:assert/strict';
import { test } from 'node:test';
import { billOfMaterials, debianComponent, npmComponents } from './sbom.ts';

const locked = {
  'node_modules/@s/a': { version: '1.0.0', license: 'MIT', integrity: 'sha512-AQI=' },
  'node_modules/b': { version: '2.0.0' },
  'node_modules/c/node_modules/b': { version: '2.0.0' },
};

test('npm packages have version, license and sum of the lock file, each once', () => {
  assert.deepEqual(npmComponents(locked, Object.keys(locked)), [
    { name: '@s/a', version: '1.0.0', purl: 'pkg:npm/%40s/a@1.0.0', license: 'MIT', sha512: '0102' },
    { name: 'b', version: '2.0.0', purl: 'pkg:npm/b@2.0.0' },
  ]);
});

test('Debian packages are read from the names of their files', () => {
  assert.deepEqual(debianComponent('libcap2_1%3a2.66-4+deb12u3_amd64.deb'), {
    name: 'libcap2',
    version: '1:2.66-4+deb12u3',
    purl: 'pkg:deb/debian/libcap2@1%3A2.66-4%2Bdeb12u3?arch=amd64',
  });
  assert.throws(() => debianComponent('libcap2.deb'), TypeError);
});

test('the document describes one package, which contains all others', () => {
  const components = npmComponents(locked, ['node_modules/b', 'node_modules/@s/a']);
  const request = { version: '1.2.3', modifiedSeconds: 1_767_225_600 };
  const text = billOfMaterials({ ...request, components });
  assert.equal(billOfMaterials({ ...request, components: components.toReversed() }), text);
  const document = JSON.parse(text);
  assert.equal(document.creationInfo.created, '2026-01-01T00:00:00Z');
  assert.deepEqual(
    document.packages.map((one: Record<string, unknown>) => [one['SPDXID'], one['licenseDeclared']]),
    [
      ['SPDXRef-tinkerbell', 'Apache-2.0'],
      ['SPDXRef-npm-40s-a-1.0.0', 'MIT'],
      ['SPDXRef-npm-b-2.0.0', 'NOASSERTION'],
    ],
  );
  assert.equal(document.relationships.length, 3);
  const ids = new Set([
    'SPDXRef-DOCUMENT',
    ...document.packages.map((one: { SPDXID: string }) => one.SPDXID),
  ]);
  for (const { spdxElementId, relatedSpdxElement } of document.relationships)
    assert.ok(ids.has(spdxElementId) && ids.has(relatedSpdxElement));
});
