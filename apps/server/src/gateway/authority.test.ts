import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Clock, Log } from '@tinkerbell/platform-contract';
import { nodeClock } from '@tinkerbell/platform-node';
import { issueCertificate } from './authority.ts';
import { keepCertificates } from './certificates.ts';

const DAY_MS = 86_400_000;
const NAMES = ['tinkerbell-server.edge.example.org', 'tinkerbell-nginx.edge.example.org'];

/** A manual clock. */
function standingClock() {
  let nowMs = nodeClock.nowMs();
  let task = (): void => undefined;
  const clock: Clock = {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    schedule(_, next) {
      task = next;
      return () => {
        task = () => undefined;
      };
    },
  };
  return {
    clock,
    pass: (ms: number) => {
      nowMs += ms;
      task();
    },
  };
}

function errorLog() {
  const errors: string[] = [];
  const ignore = (): void => undefined;
  const log: Log = {
    debug: ignore,
    info: ignore,
    warn: ignore,
    error: (message) => void errors.push(message),
    child: () => log,
  };
  return { log, errors };
}

function folder() {
  const path = mkdtempSync(join(tmpdir(), 'gateway-authority-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

const serialOf = (path: string) => new X509Certificate(readFileSync(path)).serialNumber;

test('signs a name with an ECDSA key and an RSA key, both by the authority', () => {
  using home = folder();
  const pairs = issueCertificate(home.path, ['files.example.org', '192.0.2.1']);
  const authority = new X509Certificate(readFileSync(join(home.path, 'ca.pem')));
  const kinds = pairs.map(({ certFile, keyFile }) => {
    const certificate = new X509Certificate(readFileSync(certFile));
    assert.ok(certificate.verify(authority.publicKey));
    assert.equal(certificate.checkHost('files.example.org'), 'files.example.org');
    assert.equal(certificate.checkIP('192.0.2.1'), '192.0.2.1');
    assert.match(readFileSync(keyFile, 'utf8'), /PRIVATE KEY/);
    return certificate.publicKey.asymmetricKeyType;
  });
  assert.deepEqual(kinds, ['ec', 'rsa']);
});

test('renews certificates while the server runs, in their last month and not before', () => {
  using home = folder();
  const { clock, pass } = standingClock();
  const stopping = new AbortController();
  const { log, errors } = errorLog();
  keepCertificates({ clock, log, directory: home.path, names: NAMES }, stopping.signal);
  const files = ['', '.rsa'].map((kind) => join(home.path, `${NAMES[0]}${kind}.pem`));
  const first = files.map(serialOf);
  pass(300 * DAY_MS);
  assert.deepEqual(files.map(serialOf), first);
  pass(70 * DAY_MS);
  const second = files.map(serialOf);
  assert.ok(second.every((serial, index) => serial !== first[index]));
  writeFileSync(join(home.path, 'ca.key'), 'broken');
  writeFileSync(files[0] ?? '', 'broken');
  pass(1);
  assert.deepEqual(errors, ['cannot renew the certificates of the gateway']);
  stopping.abort();
});
