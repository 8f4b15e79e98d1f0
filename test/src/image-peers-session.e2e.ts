/** Who may ask the real server for the agents that write an image, when it does not let everybody pull. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createObject } from '@tinkerbell/sandbox';
import { freePort } from '@tinkerbell/sandbox/free-port';
import { bootedMachine } from './canary/booted-machine.ts';
import { addImage } from './image-breaks/add-image.ts';
import { IMAGE_BYTES, sha256Of, writeDiskImage } from './image-breaks/disk-image.ts';
import { startImage2disk } from './image-peers/action-child.ts';
import { SeededChoice } from './seeded-choice.ts';
import { startServer } from './start-server.ts';

const HANGS = { timeout: 120_000 };
const MAC = '02:00:5e:10:00:01';
const HEADER = 'x-tinkerbell-session';

async function openScene(context: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'image-peers-session-'));
  const grpc = await freePort();
  const server = await startServer({
    flags: [`--tink-server-bind-port=${grpc}`, '--agent-auth=required', '--public-ipv4=127.0.0.1'],
  });
  context.after(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });
  const dhcp = { mac: MAC, arch: 'x86_64', ip: { address: '127.0.0.1', netmask: '255.0.0.0' } };
  await createObject(server, {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name: 'm1' },
    spec: { interfaces: [{ dhcp, netboot: { allowPXE: true, allowWorkflow: true } }] },
  });
  const raw = join(folder, 'disk.raw');
  writeDiskImage(raw, new SeededChoice(1));
  const { path } = addImage(server, raw);
  const { session } = await bootedMachine(server.url, grpc, MAC);
  const imageUrl = `${server.url}${path}`;
  const manifest = await fetch(imageUrl, { headers: { [HEADER]: session } });
  const image = `sha256:${createHash('sha256')
    .update(Buffer.from(await manifest.arrayBuffer()))
    .digest('hex')}`;
  return {
    session,
    sha256: await sha256Of(raw),
    disk: join(folder, 'disk'),
    ask: (headers: Record<string, string>) =>
      fetch(`${server.url}/v1/registry/peers`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ image, port: 40_000, have: [], receivedBytes: 0 }),
      }),
    write: (disk: string, presented?: string) => {
      writeFileSync(disk, Buffer.alloc(IMAGE_BYTES, 0xaa));
      return startImage2disk({ url: imageUrl, disk, session: presented }).ended;
    },
  };
}

test(
  'an agent with the session of its machine finds others, and nobody else does',
  HANGS,
  async (context) => {
    const { session, sha256, disk, ask, write } = await openScene(context);
    for (const headers of [{}, { [HEADER]: `${session}x` }, { authorization: 'Bearer nonsense' }]) {
      const answer = await ask(headers);
      assert.equal(answer.status, 401);
      assert.doesNotMatch(await answer.text(), /[0-9a-f]{64}/, 'no secret of the image');
    }
    const refused = await write(disk);
    assert.ok(!refused.ok && /answered 401/.test(refused.message), refused.message);
    const first = (await (await ask({ [HEADER]: session })).json()) as { secret: string; peers: unknown[] };
    assert.match(first.secret, /^[0-9a-f]{64}$/);
    assert.deepEqual(first.peers, [], 'neither a refused request nor a refused action is on the list');

    const written = await write(disk, session);
    assert.ok(written.ok, written.message);
    assert.equal(await sha256Of(disk), sha256);
    const second = (await (await ask({ [HEADER]: session })).json()) as { secret: string; peers: object[] };
    assert.equal(second.secret, first.secret);
    assert.equal(second.peers.length, 1, 'the action was on the list, with its session');
  },
);
