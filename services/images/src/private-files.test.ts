/** Tests files that only agents with a session can see. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { agentRefusal } from '@tinkerbell/agent-identity';
import { nodeClock, nodeFiles } from '@tinkerbell/platform-node';
import type { Log, SessionVerifier } from '@tinkerbell/platform-contract';
import { mac } from '@tinkerbell/wire';
import { createImagesService } from './index.ts';
import { requestImage } from './testing/images-request.ts';

const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silentLog };
const OWN = '02-00-5e-10-00-01';
const OTHER = '02-00-5e-10-00-02';
const directory = mkdtempSync(join(tmpdir(), 'images-private-'));
for (const folder of ['deep', OWN, OTHER]) mkdirSync(join(directory, 'private', folder), { recursive: true });
for (const path of [
  'public',
  'private/key',
  'private/deep/key',
  `private/${OWN}/key`,
  `private/${OTHER}/key`,
])
  writeFileSync(join(directory, path), path);
after(() => rmSync(directory, { recursive: true }));

const agentSessions: SessionVerifier = {
  async verify(session) {
    if (session === 'away') throw new Error('away');
    if (session !== 'good') return { ok: false, refusal: agentRefusal('ended') };
    return { ok: true, mac: mac('02:00:5e:10:00:01'), hardware: { namespace: 'default', name: 'machine0' } };
  },
};

async function ask(path: string, session?: string, sessions: SessionVerifier | undefined = agentSessions) {
  const service = createImagesService(
    {
      files: nodeFiles,
      clock: nodeClock,
      log: silentLog,
      onTransfer() {},
      onMissing() {},
      ...(sessions === undefined ? {} : { agentSessions: sessions }),
    },
    { directory, prefix: '/images/', privateFolder: 'private/' },
  );
  const headers: Record<string, string> = session === undefined ? {} : { 'x-tinkerbell-session': session };
  const response = await requestImage(service, path, headers);
  return { status: response?.status, headers: [...(response?.headers ?? [])], text: await response?.text() };
}

test('private files need a live session, and missing and refused files look the same', async () => {
  const missing = await ask('private/nothing');
  assert.equal(missing.status, 404);
  for (const path of ['private/key', 'private/deep/key', '%70rivate/key', 'private%2Fkey', './private/key']) {
    for (const session of [undefined, '', 'bad', 'away'])
      assert.deepEqual(await ask(path, session), missing, path);
  }
  assert.equal((await ask('private/key', 'good')).text, 'private/key');
  assert.equal((await ask('private/deep/key', 'good')).text, 'private/deep/key');
  assert.equal((await ask(`private/${OWN}/key`, 'good')).status, 200);
  assert.deepEqual(await ask(`private/${OTHER}/key`, 'good'), missing, 'that of another machine');
  assert.equal((await ask('public')).text, 'public');
  assert.equal((await ask('public', 'bad')).text, 'public');
});

test('the private folder is a route for agents, and everything else is public', () => {
  const deps = { files: nodeFiles, clock: nodeClock, log: silentLog, onTransfer() {}, onMissing() {} };
  const { routes } = createImagesService(deps, { directory, prefix: '/images/', privateFolder: 'private/' });
  assert.deepEqual(
    routes.map(({ prefix, access }) => [prefix, access]),
    [
      ['/images/private/', 'agent'],
      ['/images/', 'public'],
    ],
  );
});
