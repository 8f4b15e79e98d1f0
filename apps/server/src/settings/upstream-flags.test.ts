import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { SettingsError } from './settings-error.ts';
import { flags } from './flags/index.ts';
import { givenFlags } from './given-flags.ts';
import { upstreamFlags } from './upstream-flags.ts';

/** Every flag of upstream's `tinkerbell`, embedded build included, with its commit in the first line. */
const listed = readFileSync(join(import.meta.dirname, 'testdata/upstream-flags.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

test('every flag of upstream is known, and every one that changes nothing is upstream’s', () => {
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
  assert.equal(names.size, flags.length, 'a flag is there twice');
});

test('what upstream’s flags mean here is done', () => {
  const { reader, notes } = givenFlags(['--backend=kube', '--backend-kube-config=/etc/kube'], {
    TINKERBELL_IPXE_HTTP_SCRIPT_TRUSTED_PROXIES: '10.0.0.0/8',
  });
  assert.equal(reader.text('store'), 'kubernetes');
  assert.equal(reader.text('kubeconfig'), '/etc/kube');
  assert.deepEqual(reader.list('trusted-proxies'), ['10.0.0.0/8']);
  assert.deepEqual(notes, []);
});

test('a flag of ours wins over upstream’s for the same', () => {
  const { reader } = givenFlags(['--backend=kube', '--store=sqlite'], {});
  assert.equal(reader.text('store'), 'sqlite');
});

test('what changes nothing is said; what asks for nothing is not', () => {
  const { notes } = givenFlags(['--etcd-dir=/var/lib/etcd', '--enable-ui=false', '--ui-url-prefix=/'], {});
  assert.deepEqual(notes, [
    '--etcd-dir changes nothing: objects are kept in one SQLite file; there is no etcd and no kube-apiserver to set up',
  ]);
});

test('what cannot be done is refused, with what to do instead', () => {
  for (const [given, message] of [
    ['--backend=file', /^--backend cannot be "file": .*tink apply/],
    ['--backend-file-path=/hw.yaml', /^--backend-file-path cannot be "\/hw.yaml": .*tink apply/],
    ['--backend-kube-namespace=tink', /^--backend-kube-namespace cannot be "tink": .*every namespace/],
  ] as const)
    assert.throws(
      () => givenFlags([given], {}),
      (thrown) => thrown instanceof SettingsError && message.test(thrown.message),
    );
});
