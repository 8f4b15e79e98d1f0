import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseDeb822Sources, parseOneLineSources, sourcesFor } from './debian-sources.ts';

const DEB822 = `Types: deb
# a comment
URIs: http://mirror.test/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By: /usr/share/keyrings/k.gpg

Types: deb-src
URIs: http://source.test/debian
Suites: bookworm
Components: main

Types: deb
URIs: http://mirror.test/security
Suites: bookworm-security
Components: main
`;

test('reads deb822 stanzas, without source packages', () => {
  assert.deepEqual(
    parseDeb822Sources(DEB822).map(({ uri, suite }) => `${uri} ${suite}`),
    [
      'http://mirror.test/debian bookworm',
      'http://mirror.test/debian bookworm-updates',
      'http://mirror.test/security bookworm-security',
    ],
  );
  assert.equal(parseDeb822Sources(DEB822)[0]?.signedBy, '/usr/share/keyrings/k.gpg');
});

test('reads one-line sources with and without options', () => {
  const text =
    '# deb http://no.test x main\ndeb [arch=amd64 signed-by=/k] http://a.test s main x\ndeb http://b.test t main';
  assert.deepEqual(parseOneLineSources(text), [
    { uri: 'http://a.test', suite: 's', components: ['main', 'x'], signedBy: '/k' },
    { uri: 'http://b.test', suite: 't', components: ['main'], signedBy: undefined },
  ]);
});

test('points the same mirrors at another release', () => {
  assert.equal(
    sourcesFor('trixie', parseDeb822Sources(DEB822)),
    'deb [signed-by=/usr/share/keyrings/k.gpg] http://mirror.test/debian trixie main\n' +
      'deb http://mirror.test/security trixie-security main\n',
  );
});

test('reports the fix on a machine without a Debian mirror', () => {
  assert.throws(() => sourcesFor('trixie', []), /no Debian mirror in \/etc\/apt: add a source/);
});
