/** Tests links within the folder of files: private files stay private under every name. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { agentRefusal } from '@tinkerbell/agent-identity';
import type { Log, SessionVerifier } from '@tinkerbell/platform-contract';
import { nodeClock, nodeFiles } from '@tinkerbell/platform-node';
import { mac } from '@tinkerbell/wire';
import { createImagesService } from './index.ts';
import { requestImage } from './testing/images-request.ts';

const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silentLog };
const OWN = '02-00-5e-10-00-01';
const OTHER = '02-00-5e-10-00-02';
const folder = mkdtempSync(join(tmpdir(), 'images-links-'));
const directory = join(folder, 'images');
/** Small files are kept in memory, large ones are sent from the disk. */
const SIZES: Readonly<Record<string, number>> = { small: 100, large: 100_000 };
for (const path of ['', 'private', 'private-not', `private/${OWN}`, `private/${OTHER}`, '../images-secret']) {
  mkdirSync(join(directory, path), { recursive: true });
  for (const [name, bytes] of Object.entries(SIZES))
    writeFileSync(join(directory, path, name), `${path} `.padEnd(bytes, '.'));
}
after(() => rmSync(folder, { recursive: true }));

const agentSessions: SessionVerifier = {
  async verify(session) {
    if (session !== 'good') return { ok: false, refusal: agentRefusal('ended') };
    return { ok: true, mac: mac('02:00:5e:10:00:01'), hardware: { namespace: 'default', name: 'machine0' } };
  },
};

function createService() {
  return createImagesService(
    { files: nodeFiles, clock: nodeClock, log: silentLog, onTransfer() {}, onMissing() {}, agentSessions },
    { directory, prefix: '/images/', privateFolder: 'private/' },
  );
}

async function ask(path: string, headers: Record<string, string> = {}, service = createService()) {
  const response = await requestImage(service, path, headers);
  const body = await response?.text().catch(() => 'broken off');
  return { status: response?.status, etag: response?.headers.get('etag'), from: body?.split(' ')[0] };
}

const session = { 'x-tinkerbell-session': 'good' };

for (const size of Object.keys(SIZES)) {
  test(`a link into the private folder needs the same session as its file (${size} file)`, async () => {
    const links: Readonly<Record<string, string>> = {
      'to-file': `private/${size}`,
      'to-folder': 'private',
      chain: 'to-folder',
      'to-own': `private/${OWN}`,
      'to-other': `private/${OTHER}`,
      'to-secret': '../images-secret',
    };
    for (const [name, target] of Object.entries(links)) symlinkSync(target, join(directory, name));
    const secret = [
      'to-file',
      `to-folder/${size}`,
      `chain/${size}`,
      `chain/${OWN}/${size}`,
      `to-own/${size}`,
      `to-other/${size}`,
      `to-secret/${size}`,
    ];
    const missing = await ask('nothing');
    for (const path of secret)
      for (const range of ['bytes=0-', 'bytes=0-9', 'bytes=0-9,5000-5001'])
        assert.deepEqual(await ask(path, { range }), missing, path);
    assert.equal((await ask('to-file', session)).from, 'private');
    assert.equal((await ask(`chain/${size}`, session)).from, 'private');
    assert.equal((await ask(`to-own/${size}`, session)).from, `private/${OWN}`);
    assert.deepEqual(await ask(`to-other/${size}`, session), missing, 'of another machine');
    assert.deepEqual(await ask(`to-secret/${size}`, session), missing);
    assert.equal((await ask(`private-not/${size}`)).from, 'private-not');
    for (const name of Object.keys(links)) unlinkSync(join(directory, name));
  });

  test(`a link in an agent's own private folder reveals nothing of another agent's (${size} file)`, async () => {
    symlinkSync(`../${OTHER}/${size}`, join(directory, 'private', OWN, 'link'));
    assert.equal((await ask(`private/${OWN}/link`, session)).status, 404);
    unlinkSync(join(directory, 'private', OWN, 'link'));
  });

  test(`a compressed variant that links to a private file is not sent (${size} file)`, async () => {
    for (const extension of ['gz', 'zst']) {
      const link = join(directory, `${size}.${extension}`);
      symlinkSync(`private/${size}`, link);
      const answer = await ask(size, { 'accept-encoding': 'gzip, zstd' });
      assert.deepEqual([answer.status, answer.from], [200, '']);
      unlinkSync(link);
    }
  });

  test(`a link that changes to lead into the private folder is checked again (${size} file)`, async () => {
    const service = createService();
    const link = join(directory, 'moving');
    const at = new Date('2026-01-02T03:04:05Z');
    for (const path of [size, `private/${size}`]) utimesSync(join(directory, path), at, at);
    symlinkSync(size, link);
    assert.equal((await ask('moving', {}, service)).from, '');
    unlinkSync(link);
    symlinkSync(`private/${size}`, link);
    assert.notEqual((await ask('moving', {}, service)).from, 'private');
    assert.equal((await ask('moving')).status, 404);
    unlinkSync(link);
  });
}
