/**
 * Fills the server's disk: a file system in memory, in the server's own mount namespace. Nothing is
 * acknowledged that is not stored, what was stored can still be read, and when there is room again the server
 * continues without a restart (G12).
 */
import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { localFetch } from '@tinkerbell/sandbox/local-authorization';
import { startServer } from './start-server.ts';

const COLLECTION = '/apis/tinkerbell.org/v1alpha1/namespaces/default/hardware';
const SIZE_MEGABYTES = 24;
const PAGE_BYTES = 4_096;
/** The rest of the log's last page has room for some more small objects. */
const MORE_OBJECTS_MAX = 500;

/** Runs the command after the folder, in which it sees an empty file system of that size. */
function smallDiskAt(directory: string): readonly string[] {
  const script = `mount -t tmpfs -o size=${SIZE_MEGABYTES}m tmpfs "$0" && exec "$@"`;
  return ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', script, directory];
}

/** Writes until nothing more fits. */
function fill(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (const block of [Buffer.alloc(256 * PAGE_BYTES, 1), Buffer.alloc(PAGE_BYTES, 1)])
      while (isWritten(file, block));
  } finally {
    closeSync(file);
  }
}

function isWritten(file: number, block: Buffer): boolean {
  try {
    return writeSync(file, block) === block.length;
  } catch (thrown) {
    assert.equal((thrown as NodeJS.ErrnoException).code, 'ENOSPC');
    return false;
  }
}

test('a full disk: no acknowledgement, a clear error, and reads continue; when there is room again, so do writes', async () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'tinkerbell-full-'));
  try {
    await using server = await startServer({ dataDirectory, prefix: smallDiskAt(dataDirectory) });
    const inside = join('/proc', String(server.pid), 'root', dataDirectory);
    const request = localFetch(inside);
    const create = async (name: string) => {
      const body = { apiVersion: 'tinkerbell.org/v1alpha1', kind: 'Hardware', metadata: { name }, spec: {} };
      const response = await request(`${server.url}${COLLECTION}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const status = (await response.json()) as { readonly reason?: string; readonly message?: string };
      return { code: response.status, ...status };
    };
    const names = async (): Promise<readonly string[]> => {
      const response = await request(`${server.url}${COLLECTION}`);
      assert.equal(response.status, 200, 'reads continue');
      const { items } = (await response.json()) as { items: { metadata: { name: string } }[] };
      return items.map(({ metadata }) => metadata.name).toSorted();
    };

    const kept: string[] = [];
    assert.equal((await create('before')).code, 201);
    kept.push('before');
    const filler = join(inside, 'filler');
    fill(filler);
    assert.equal(statfsSync(inside).bavail, 0);

    let refused: Awaited<ReturnType<typeof create>> | undefined;
    for (let index = 0; index < MORE_OBJECTS_MAX && refused === undefined; index += 1) {
      const name = `more-${String(index).padStart(3, '0')}`;
      const answer = await create(name);
      if (answer.code === 201) kept.push(name);
      else refused = answer;
    }
    assert.equal(refused?.code, 503, JSON.stringify(refused));
    assert.equal(refused.reason, 'ServiceUnavailable');
    assert.match(refused.message ?? '', /full|could not write|disk/);
    assert.deepEqual(await names(), kept.toSorted(), 'everything that was acknowledged, and nothing else');
    assert.equal((await create('still-refused')).code, 503);
    assert.ok((await fetch(`${server.url}/healthz`)).ok);

    rmSync(filler);
    let again = await create('after');
    for (let tries = 0; again.code === 503 && tries < 50; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      again = await create('after');
    }
    assert.equal(again.code, 201, JSON.stringify(again));
    assert.deepEqual(await names(), [...kept, 'after'].toSorted());
  } finally {
    rmSync(dataDirectory, { recursive: true, force: true });
  }
});
