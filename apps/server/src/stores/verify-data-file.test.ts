import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { Log } from '@tinkerbell/platform-contract';
import { nodeClock } from '@tinkerbell/platform-node';
import { openSqliteJournal } from '@tinkerbell/store-journal';
import { openSqliteStore } from '@tinkerbell/store-sqlite';
import { verifyDataFile } from './verify-data-file.ts';

const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };

/** Larger than what a start reads completely, with more records than it reads of a history. */
async function largeDatabase(path: string): Promise<void> {
  await using file = new AsyncDisposableStack();
  file.use(openSqliteStore({ path, log: silent }));
  const journal = file.use(openSqliteJournal({ path, log: silent, clock: nodeClock }));
  for (let index = 0; index < 2_000; index++)
    journal.append({ source: 'server', event: 'noted', message: `${index}: ${'x'.repeat(5_000)}` });
}

test('damage in the old part of a large database is reported some seconds after the start', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'tinkerbell-verify-'));
  const path = join(folder, 'tinkerbell.db');
  await largeDatabase(path);
  {
    using database = new DatabaseSync(path);
    database.exec(`update journal set record = replace(record, '0: xxx', '0: xyx') where sequence = 1`);
  }
  const reported = Promise.withResolvers<void>();
  const errors: string[] = [];
  const log: Log = {
    ...silent,
    error(message, fields) {
      errors.push(`${message} ${String(fields?.['place'])}`);
      if (message.startsWith('stop the server')) reported.resolve();
    },
  };
  context.mock.timers.enable({ apis: ['setTimeout'] });
  {
    await using cleanup = new AsyncDisposableStack();
    assert.equal(verifyDataFile({ databasePath: path, acceptLoss: false, log }, cleanup), undefined);
    context.mock.timers.tick(9_000);
    assert.deepEqual(errors, [], 'a start does not read the old part');
    context.mock.timers.tick(1_000);
    await reported.promise;
  }
  assert.match(errors[0] ?? '', /^the database is damaged table journal, .*1/);
  rmSync(folder, { recursive: true });
});
