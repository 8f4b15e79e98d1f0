import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { SettingsError } from './settings-error.ts';
import { flags } from './flags/index.ts';
import { givenFlags } from './given-flags.ts';
import { upstreamFlags } from './upstream-flags.ts';

/** Every flag of upstream's `tinkerbell`, including the embedded build, with its commit in the first line. */
const listed = readFileSync(join(import.meta.dirname, 'testdata/upstream-flags.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

test('knows every flag of upstream, and every flag without effect is upstream’s', () => {
  const names = new Set(flags.map(({ name }) => name));
  assert.ok(listed.length > 100);
  assert.deepEqual(
    listed.filter((name) => !names.has(name)),
    [],
  );
  assert.deepEqual(
    upstreamFlags.map(({ name }) => name).filter((name) => !listed.includes(name)),
    [],
  );
  assert.equal(names.size, flags.length, 'a flag is duplicated');
});

test('maps upstream’s flags to their effect here', () => {
  const { reader, notes } = givenFlags(['--backend=kube', '--backend-kube-config=/etc/kube'], {
    TINKERBELL_IPXE_HTTP_SCRIPT_TRUSTED_PROXIES: '10.0.0.0/8',
  });
  assert.equal(reader.text('store'), 'kubernetes');
  assert.equal(reader.text('kubeconfig'), '/etc/kube');
  assert.deepEqual(reader.list('trusted-proxies'), ['10.0.0.0/8']);
  assert.deepEqual(notes, []);
});

test('our flag takes precedence over upstream’s', () => {
  const { reader } = givenFlags(['--backend=kube', '--store=sqlite'], {});
  assert.equal(reader.text('store'), 'sqlite');
});

test('reports flags without effect, unless they request nothing', () => {
  const { notes } = givenFlags(['--etcd-dir=/var/lib/etcd', '--enable-ui=false', '--ui-url-prefix=/'], {});
  assert.deepEqual(notes, [
    '--etcd-dir has no effect: objects are stored in one SQLite file; there is no etcd and no kube-apiserver to configure',
  ]);
});

test('rejects unsupported values with the alternative', () => {
  for (const [given, message] of [
    ['--backend=file', /^--backend does not support "file": .*tink apply/],
    ['--backend-file-path=/hw.yaml', /^--backend-file-path does not support "\/hw.yaml": .*tink apply/],
    ['--backend-kube-namespace=tink', /^--backend-kube-namespace does not support "tink": .*all namespaces/],
  ] as const)
    assert.throws(
      () => givenFlags([given], {}),
      (thrown) => thrown instanceof SettingsError && message.test(thrown.message),
    );
});
