import assert from 'node:assert/strict';
import { fdatasync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import type { Log } from '@tinkerbell/platform-contract';
import { openSqliteStore } from '../index.ts';
import { verifyDatabase } from './index.ts';

const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };
const folder = mkdtempSync(join(tmpdir(), 'tinkerbell-power-cut-'));
after(() => rmSync(folder, { recursive: true }));
const collection = 'templates.tinkerbell.org';
const SECTOR_BYTES = 512;
const syncData = promisify(fdatasync);

interface Files {
  readonly database: Buffer;
  readonly log: Buffer;
  readonly acknowledged: Buffer;
}

function filesOf(path: string): Files {
  return {
    database: readFileSync(path),
    log: readFileSync(`${path}-wal`),
    acknowledged: readFileSync(`${path}-acknowledged`),
  };
}

/** Returns the content of the disk before the sync, with any of the sectors written since, in any order. */
function afterPowerCut(durable: Files, written: Files, seed: number): Files {
  const log = Buffer.from(written.log);
  let state = seed;
  for (let offset = 0; offset < log.length; offset += SECTOR_BYTES) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const isWritten = state >>> 31 === 1;
    if (isWritten) continue;
    const before = durable.log.subarray(offset, Math.min(offset + SECTOR_BYTES, log.length));
    log.fill(0, offset, Math.min(offset + SECTOR_BYTES, log.length));
    before.copy(log, offset);
  }
  return { ...durable, log: log.subarray(0, Math.max(durable.log.length, state % (log.length + 1))) };
}

function put(path: string, { database, log, acknowledged }: Files): void {
  rmSync(`${path}-shm`, { force: true });
  writeFileSync(path, database);
  writeFileSync(`${path}-wal`, log);
  writeFileSync(`${path}-acknowledged`, acknowledged);
}

test('a tail of the log that a power cut has torn is removed, and everything acknowledged is there', async () => {
  const path = join(folder, 'a.db');
  const cuts: { readonly files: Files; readonly acknowledged: number }[] = [];
  let durable: Files | undefined;
  let acknowledged = 0;
  const syncLog = async (descriptor: number): Promise<void> => {
    const written = filesOf(path);
    const before = durable;
    if (before !== undefined)
      for (let seed = 0; seed < 3; seed += 1)
        cuts.push({ files: afterPowerCut(before, written, acknowledged * 3 + seed), acknowledged });
    await syncData(descriptor);
    durable = filesOf(path);
  };
  {
    await using store = openSqliteStore({ path, log: silent, syncLog });
    for (let count = 1; count <= 40; count += 1) {
      const name = `t${count}`;
      const spec = { text: name.repeat(count * 40) };
      const object = {
        apiVersion: 'tinkerbell.org/v1alpha1',
        kind: 'Template',
        metadata: { name, namespace: 'default' },
        spec,
      };
      const key = { collection, namespace: 'default', name };
      const result = await store.commit([{ operation: 'create', key, object }]);
      assert.ok(result.ok, JSON.stringify(result));
      acknowledged = count;
      durable = filesOf(path);
      if (count % 15 !== 0) continue;
      // The log starts again. Where a later sync has not reached, it has frames of the previous log.
      using other = new DatabaseSync(path);
      other.exec('pragma wal_checkpoint(restart)');
      durable = filesOf(path);
    }
  }
  assert.equal(cuts.length, 39 * 3);
  const cutPath = join(folder, 'cut.db');
  for (const cut of cuts) {
    put(cutPath, cut.files);
    assert.deepEqual(verifyDatabase(cutPath, { depth: 'full' }).damages, []);
    await using store = openSqliteStore({ path: cutPath, log: silent });
    const { items } = await store.list({ collection });
    assert.ok(items.length >= cut.acknowledged, `${items.length} of ${cut.acknowledged}`);
  }
});

test('the file of acknowledgements may be behind the database, as after a power cut', async () => {
  const path = join(folder, 'b.db');
  const store = openSqliteStore({ path, log: silent });
  const early = readFileSync(`${path}-acknowledged`);
  for (const name of ['a', 'b', 'c']) {
    const object = {
      apiVersion: 'tinkerbell.org/v1alpha1',
      kind: 'Template',
      metadata: { name, namespace: 'default' },
    };
    await store.commit([{ operation: 'create', key: { collection, namespace: 'default', name }, object }]);
  }
  const late = readFileSync(`${path}-acknowledged`);
  await store.close();
  for (const acknowledged of [early, torn(late), late]) {
    writeFileSync(`${path}-acknowledged`, acknowledged);
    await using again = openSqliteStore({ path, log: silent });
    assert.equal((await again.list({ collection })).items.length, 3);
  }
});

/** The newest block is half written. */
function torn(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1');
  const numbers = [0, 4096].map((at) => Number(/"number":(\d+)/.exec(text.slice(at, at + 512))?.[1] ?? 0));
  const at = (numbers[0] ?? 0) > (numbers[1] ?? 0) ? 0 : 4096;
  return Buffer.concat([bytes.subarray(0, at + 100), Buffer.alloc(412), bytes.subarray(at + 512)]);
}
