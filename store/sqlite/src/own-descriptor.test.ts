import assert from 'node:assert/strict';
import {
  closeSync,
  fstatSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { openWithDescriptor } from './own-descriptor.ts';

const folder = mkdtempSync(join(tmpdir(), 'tinkerbell-descriptor-'));
after(() => rmSync(folder, { recursive: true }));

test('finds the descriptor that SQLite has opened, also behind a link and beside others of the file', () => {
  const [file, link] = [join(folder, 'a.db'), join(folder, 'link.db')];
  writeFileSync(file, '');
  symlinkSync(file, link);
  const other = openSync(file, 'r');
  const { opened, descriptor } = openWithDescriptor(link, () => new DatabaseSync(link));
  assert.ok(descriptor !== undefined && descriptor !== other);
  assert.equal(fstatSync(descriptor).ino, statSync(file).ino);
  opened.close();
  closeSync(other);
});

test('finds the descriptor of a closed connection that SQLite uses again', () => {
  const file = join(folder, 'again.db');
  using writer = new DatabaseSync(file);
  writer.exec('pragma journal_mode = wal; create table t (value)');
  const open = () => {
    const { opened, descriptor } = openWithDescriptor(file, () => {
      const connection = new DatabaseSync(file);
      connection.exec('pragma user_version');
      return connection;
    });
    opened.close();
    return descriptor;
  };
  const descriptor = open();
  assert.ok(descriptor !== undefined);
  assert.equal(open(), descriptor);
});

test('finds none when nothing was opened', () => {
  const file = join(folder, 'b.db');
  writeFileSync(file, '');
  assert.deepEqual(
    openWithDescriptor(file, () => 'nothing'),
    { opened: 'nothing', descriptor: undefined },
  );
});
