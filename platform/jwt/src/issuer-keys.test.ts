import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HttpClient } from '@tinkerbell/platform-contract';
import { createDiscoveredKeys } from './issuer-keys.ts';

const ISSUER = 'https://issuer.example';
const DOCUMENTS: Readonly<Record<string, object>> = {
  [`${ISSUER}/.well-known/openid-configuration`]: { issuer: ISSUER, jwks_uri: `${ISSUER}/keys` },
  [`${ISSUER}/keys`]: { keys: [] },
};

test('discovered keys are current once they are known, until they must be fetched again', async () => {
  let nowMs = 0;
  const asked: string[] = [];
  const httpClient: HttpClient = {
    get: (url) => {
      asked.push(url);
      const { body, headers } = Response.json(DOCUMENTS[url]);
      assert.ok(body);
      return Promise.resolve({ status: 200, url, headers, body });
    },
  };
  const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs, schedule: () => () => undefined };
  const keys = createDiscoveredKeys(ISSUER, { httpClient, clock, mayConnect: () => true });
  assert.equal(keys.current(), undefined);
  assert.deepEqual(asked, [], 'it causes no request');
  const set = await keys.keys(false);
  assert.equal(keys.current(), set);
  assert.deepEqual(asked, Object.keys(DOCUMENTS));
  nowMs += 600_000;
  assert.equal(keys.current(), undefined);
});
