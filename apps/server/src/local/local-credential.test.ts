import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { nodeClock, nodeRandom } from '@tinkerbell/platform-node';
import { openLocalCredential } from './local-credential.ts';

const folder = mkdtempSync(join(tmpdir(), 'local-credential-'));
after(() => rmSync(folder, { recursive: true }));

const NOW_MS = nodeClock.nowMs();

function open(nowMs = NOW_MS) {
  return openLocalCredential(folder, { random: nodeRandom, nowMs });
}

function tokenOf(kubeconfig: string): string {
  return /token: (\S+)\}/.exec(readFileSync(kubeconfig, 'utf8'))?.[1] ?? '';
}

test('only the token of the data folder is accepted, and it stays the same across starts', () => {
  const credential = open();
  const token = tokenOf(credential.writeKubeconfig({ https: 7444, http: 7080 }));
  assert.equal(credential.accepts(token), true);
  for (const other of ['', 'x', token.slice(0, -1), `${token}x`, token.toUpperCase()])
    assert.equal(credential.accepts(other), false, other);
  assert.equal(open().accepts(token), true);
});

test('only the owner can read the files', () => {
  const kubeconfig = open().writeKubeconfig({ https: 1, http: 2 });
  chmodSync(join(folder, 'local', 'token'), 0o644);
  open();
  for (const path of [kubeconfig, ...['token', 'cert.key'].map((name) => join(folder, 'local', name))])
    assert.equal(statSync(path).mode & 0o777, 0o600, path);
});

test('a certificate is kept until its last year', () => {
  const { tls } = open();
  assert.equal(open().tls.certificate, tls.certificate);
  assert.notEqual(open(NOW_MS + 9.5 * 365 * 86_400_000).tls.certificate, tls.certificate);
});

test('a token file with other content is a clear error', () => {
  writeFileSync(join(folder, 'local', 'token'), 'secret');
  assert.throws(() => open(), /local\/token contains no valid token; delete it/);
});
