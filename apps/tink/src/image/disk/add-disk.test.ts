import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DiskImage } from '@tinkerbell/images';
import { readDigest } from '@tinkerbell/oci';
import { RegistrySession } from '../registry-session.ts';
import { addDisk } from './add-disk.ts';

const digest = readDigest(`sha256:${'7'.repeat(64)}`);

/** A registry that has every blob, and what it was asked. */
function fullRegistry() {
  const asked: string[] = [];
  const session = new RegistrySession({
    server: 'http://registry.test',
    async raw(path, { method }) {
      asked.push(`${method} ${path}`);
      async function* body(): AsyncGenerator<Uint8Array> {}
      return { status: 200, contentType: '', warning: '', header: () => '', body: body() };
    },
  });
  return { asked, session };
}

test('packs of an earlier image are asked for while an image is added', async () => {
  const { asked, session } = fullRegistry();
  let task: (() => void) | undefined;
  const clock = {
    nowMs: () => 0,
    monotonicMs: () => 0,
    schedule(_delayMs: number, next: () => void) {
      task = next;
      return () => (task = undefined);
    },
  };
  const earlier: DiskImage = {
    diskBytes: 1,
    chunkBytes: 1024 * 1024,
    packs: [{ digest, sizeBytes: 9 }],
    chunks: [],
    runs: [],
  };
  async function* parts() {
    yield { kind: 'data', bytes: Buffer.from('a') } as const;
    // A quarter of an hour in which the source sends nothing.
    task?.();
    yield { kind: 'data', bytes: Buffer.from('b') } as const;
  }
  const target = { registry: session, repository: 'disks/lab', reference: 'v2', clock, progress() {} };
  const added = await addDisk({ diskBytes: undefined, parts: parts() }, { ...target, earlier: [earlier] });
  assert.equal(added.image.diskBytes, 2);
  assert.ok(asked.includes(`HEAD /v2/disks/lab/blobs/${digest}`), asked.join('\n'));
  assert.equal(task, undefined, 'nothing is asked for after the image is stored');
});
