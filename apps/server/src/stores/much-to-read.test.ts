import assert from 'node:assert/strict';
import { mkdtempDisposableSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { hasMuchToRead } from './much-to-read.ts';

test('a large file, a large log of it, and a store elsewhere may have much to read', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'much-to-read-'));
  const path = join(folder.path, 'tinkerbell.db');
  const sqlite = { kind: 'sqlite' } as const;
  assert.ok(!hasMuchToRead(sqlite, path), 'there is no file yet');
  writeFileSync(path, '');
  assert.ok(!hasMuchToRead(sqlite, path));
  writeFileSync(`${path}-wal`, '');
  truncateSync(`${path}-wal`, 5_000_000);
  assert.ok(hasMuchToRead(sqlite, path));
  assert.ok(!hasMuchToRead({ kind: 'memory' }, path));
  assert.ok(hasMuchToRead({ kind: 'kubernetes' }, path));
});
