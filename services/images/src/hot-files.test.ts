import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { nodeFiles } from '@tinkerbell/platform-node';
import { HotFiles } from './hot-files.ts';

const directory = mkdtempSync(join(tmpdir(), 'hot-files-'));
after(() => rmSync(directory, { recursive: true }));

/** Real files, counts of their checks and reads, and a clock that stands still. */
function counted() {
  const counts = { stat: 0, readRange: 0 };
  const clock = { nowMs: 0, monotonicMs: () => clock.nowMs };
  const files: Pick<typeof nodeFiles, 'stat' | 'readRange'> = {
    stat: (root, path) => ((counts.stat += 1), nodeFiles.stat(root, path)),
    readRange: (root, path, range) => ((counts.readRange += 1), nodeFiles.readRange(root, path, range)),
  };
  return { counts, clock, hot: new HotFiles(directory, { files, clock }) };
}

function write(name: string, content: string, modifiedSeconds: number): void {
  writeFileSync(join(directory, name), content);
  utimesSync(join(directory, name), modifiedSeconds, modifiedSeconds);
}

async function textOf(hot: HotFiles, path: string): Promise<string | undefined> {
  const content = (await hot.see(path))?.content;
  return content && new TextDecoder().decode(content);
}

test('a small file is checked once a second, and read when it has changed', async () => {
  const { counts, clock, hot } = counted();
  write('a', 'one', 1);
  for (let round = 0; round < 3; round += 1) assert.equal(await textOf(hot, 'a'), 'one');
  assert.deepEqual(counts, { stat: 1, readRange: 1 });
  clock.nowMs = 1_000;
  assert.equal(await textOf(hot, 'a'), 'one');
  assert.deepEqual(counts, { stat: 2, readRange: 1 });
  write('a', 'two', 2);
  assert.equal(await textOf(hot, 'a'), 'one', 'not before a second has passed');
  clock.nowMs = 2_000;
  assert.equal(await textOf(hot, 'a'), 'two');
  rmSync(join(directory, 'a'));
  clock.nowMs = 3_000;
  assert.equal(await hot.see('a'), undefined);
});

test('simultaneous requests share one check, and continue over several turns of the event loop', async () => {
  const { counts, hot } = counted();
  write('b', 'b', 1);
  const answered: unknown[] = [];
  const all = Promise.all(Array.from({ length: 50 }, async () => answered.push(await hot.see('b'))));
  const seen: number[] = [];
  while (answered.length < 50) {
    if (answered.length > 0) seen.push(answered.length);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await all;
  assert.deepEqual(counts, { stat: 1, readRange: 1 });
  assert.ok(new Set(seen).size >= 5, `answered ${[0, ...seen, 50].join(', ')}`);
});

test('a new file is found at once, and large files and folders have no content', async () => {
  const { hot } = counted();
  assert.equal(await hot.see('c'), undefined);
  write('c', 'c', 1);
  assert.equal(await textOf(hot, 'c'), 'c');
  write('large', 'x'.repeat(65_537), 1);
  assert.deepEqual((await hot.see('large'))?.content, undefined);
  assert.equal((await hot.see('large'))?.info.sizeBytes, 65_537);
  assert.equal((await hot.see('.'))?.info.isFile, false);
});

test('keeps 16 MiB, and evicts the entry that was checked longest ago', async () => {
  const { counts, hot } = counted();
  for (let index = 0; index < 300; index += 1) {
    write(`many-${index}`, 'x'.repeat(65_536), 1);
    await hot.see(`many-${index}`);
  }
  counts.readRange = 0;
  await hot.see('many-299');
  await hot.see('many-60');
  assert.equal(counts.readRange, 0);
  await hot.see('many-0');
  assert.equal(counts.readRange, 1);
});
