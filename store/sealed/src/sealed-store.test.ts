import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Log } from '@tinkerbell/platform-contract';
import type { Resource } from '@tinkerbell/resources';
import type { Change, Store } from '@tinkerbell/store-contract';
import { storeModelSuite } from '@tinkerbell/store-contract/model-suite';
import { storeSuite } from '@tinkerbell/store-contract/suite';
import { createMemoryStore } from '@tinkerbell/store-memory';
import { openSqliteStore } from '@tinkerbell/store-sqlite';
import { createAesCipher, createSealedStore, parseKeys } from './index.ts';

const log: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };
const [older, newer] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
const key = { collection: 'secrets', namespace: 'default', name: 'bmc' };
const words = ['correcthorsebatterystaple', 'hunter2hunter2'] as const;
const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'bmc', namespace: 'default' },
  type: 'Opaque',
  data: { password: Buffer.from(words[0]).toString('base64') },
  stringData: { user: words[1] },
} as Resource;
const sealed = (store: Store, ...keys: Uint8Array[]) =>
  createSealedStore({ store, cipher: createAesCipher(keys) });

const newStore = (options: { changesKept: number }) =>
  Promise.resolve(
    createSealedStore({
      store: createMemoryStore(options),
      cipher: createAesCipher([newer]),
      collections: ['templates.tinkerbell.org'],
    }),
  );
storeSuite('sealed', newStore);
storeModelSuite('sealed', newStore, 60);

test('the files of the database contain no secret in any form, and readers of the store get it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tinkerbell-sealed-'));
  const path = join(folder, 'tinkerbell.db');
  {
    await using store = sealed(openSqliteStore({ path, log }), newer);
    const created = await store.commit([{ operation: 'create', key, object: secret }]);
    assert.ok(created.ok);
    await store.commit([{ operation: 'update', key, object: secret, expectedRevision: created.revision }]);
    const found = (await store.get(key))?.object as unknown as typeof secret & { data: object };
    assert.deepEqual(found.data, { password: Buffer.from(words[0]).toString('base64') });
  }
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name)));
  for (const word of words) {
    for (const form of [word, Buffer.from(word).toString('base64')])
      assert.ok(!files.some((bytes) => bytes.includes(form)), `${form} is there to read`);
  }
  assert.ok(files.some((bytes) => bytes.includes('sealed:v1:')));
  rmSync(folder, { recursive: true });
});

test('with a new key, what the old one sealed is opened, and the next write seals with the new one', async () => {
  const beneath = createMemoryStore();
  const before = await sealed(beneath, older).commit([{ operation: 'create', key, object: secret }]);
  assert.ok(before.ok);
  const rotated = sealed(beneath, newer, older);
  const stored = await rotated.get(key);
  const object = stored?.object ?? secret;
  await rotated.commit([{ operation: 'update', key, object, expectedRevision: before.revision }]);
  assert.deepEqual((await sealed(beneath, newer).get(key))?.object, (await rotated.get(key))?.object);
  await assert.rejects(sealed(beneath, older).get(key), /sealed with key [0-9a-f]{8}, which is missing/);
});

test('a sealed value in the place of another is refused, and a watch ends at it', async () => {
  const beneath = createMemoryStore();
  const store = sealed(beneath, newer);
  await store.commit([{ operation: 'create', key, object: secret }]);
  const copied = (await beneath.get(key))?.object ?? secret;
  const seen: Change[] = [];
  const ends: string[] = [];
  await store.watch(
    { fromRevision: 1 },
    { onChange: (change) => void seen.push(change), onEnd: (reason) => void ends.push(reason) },
  );
  const other = { ...key, name: 'other' };
  await beneath.commit([{ operation: 'create', key: other, object: copied }]);
  await assert.rejects(store.get(other), /changed in the store, or replaced by another/);
  assert.deepEqual([seen.length, ends.length], [0, 1]);
});

test('the error for an invalid key names it', () => {
  const good = Buffer.from(older).toString('base64');
  assert.deepEqual(parseKeys(`# of May\n${good}\n`).ok, true);
  const wrong = parseKeys(`${good},c2hvcnQ=`);
  assert.ok(!wrong.ok);
  assert.match(wrong.message, /^key 2 has 5 bytes instead of 32; create one with/);
  const none = parseKeys('\n');
  assert.ok(!none.ok && none.message.startsWith('holds no key'));
});
