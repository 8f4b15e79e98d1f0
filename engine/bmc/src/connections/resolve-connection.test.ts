import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryStore } from '@tinkerbell/store-memory';
import { resolveConnection } from './resolve-connection.ts';

/** Of a connection whose credentials are in no Secret. */
async function trustOf(connection: { readonly insecureTLS: boolean; readonly certificateSha256?: string }) {
  const providerOptions = { rpc: { consumerURL: 'https://192.0.2.9' } };
  const authorities = { kind: 'authorities', certificates: ['PEM'] } as const;
  const whole = { host: '192.0.2.9', providerOptions, ...connection };
  return (await resolveConnection(createMemoryStore(), whole, () => authorities)).trust;
}

test('a pinned certificate comes before authorities and insecureTLS', async () => {
  const sha256 = 'ab'.repeat(32);
  const kinds = await Promise.all(
    [
      { insecureTLS: false },
      { insecureTLS: true },
      { insecureTLS: false, certificateSha256: sha256 },
      { insecureTLS: true, certificateSha256: sha256 },
    ].map(trustOf),
  );
  assert.deepEqual(
    kinds.map(({ kind }) => kind),
    ['authorities', 'any', 'pin', 'pin'],
  );
});

test('a pin that is not a SHA-256 is refused, with the annotation', async () => {
  const trust = trustOf({ insecureTLS: false, certificateSha256: 'abc' });
  await assert.rejects(trust, {
    code: 'untrusted-certificate',
    message: 'tinkerbell.org/bmc-certificate-sha256: "abc": must be 64 hex digits',
  });
});
