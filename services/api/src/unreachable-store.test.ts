/** Answers while the database is unreachable. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PlatformError } from '@tinkerbell/platform-contract';
import { createMemoryStore } from '@tinkerbell/store-memory';
import { startedApi } from './testing/started-api.ts';

test('answers reads of an unreachable store with 503 and Retry-After', async () => {
  const away = () => Promise.reject(new PlatformError('unavailable', 'PostgreSQL at db cannot be used'));
  const store = createMemoryStore();
  await using api = await startedApi(undefined, { store });
  Object.assign(store, { get: away, list: away });
  const hardware = '/apis/tinkerbell.org/v1alpha1/namespaces/default/hardware';
  for (const path of [hardware, `${hardware}/m1`]) {
    const response = await api.raw('GET', path);
    assert.equal(response.status, 503, path);
    assert.equal(response.headers.get('retry-after'), '2');
    const status = (await response.json()) as { kind: string; reason: string; message: string };
    assert.deepEqual([status.kind, status.reason], ['Status', 'ServiceUnavailable']);
    assert.doesNotMatch(status.message, /PostgreSQL/);
  }
});
