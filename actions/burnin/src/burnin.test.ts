import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test, type TestContext } from 'node:test';

import { loopDevice, quietContext } from '@tinkerbell/action-kit/testing';

import { burninAction } from './burnin.ts';
import { overwriteDisk, patternAt } from './check-disk.ts';
import { runThreads } from './load-threads.ts';
import { readSettings } from './settings.ts';

const HANGS = { timeout: 120_000 };
const MEBIBYTE = 1024 * 1024;
const directory = mkdtempSync(join(tmpdir(), 'burnin-test-'));
after(() => rmSync(directory, { recursive: true }));

let images = 0;

function newDisk(context: TestContext, content: Buffer): { image: string; device: string } | undefined {
  images += 1;
  const image = join(directory, `disk-${images}`);
  writeFileSync(image, content);
  const device = loopDevice(context, image);
  return device === undefined ? undefined : { image, device };
}

test('checks processors, memory and two disks, and changes nothing', HANGS, async (context) => {
  const content = randomBytes(5 * MEBIBYTE + 512 * 3);
  const [one, two] = [newDisk(context, content), newDisk(context, content)];
  if (one === undefined || two === undefined) return;
  const result = await burninAction.run(
    { DURATION: '3', CPU_PERCENT: '50', MEMORY_PERCENT: '1', DISKS: `${one.device}, ${two.device}` },
    quietContext(),
  );
  assert.ok(result.ok, result.ok ? '' : result.error);
  assert.match(result.message, /no error in 3 s: checked [\d.]+ .iB of memory, read [\d.]+ .iB of 2 disks/);
  assert.ok(readFileSync(one.image).equals(content));
});

test('overwrites named disks, and reads back what it wrote', HANGS, async (context) => {
  const disk = newDisk(context, Buffer.alloc(5 * MEBIBYTE));
  if (disk === undefined) return;
  const result = await burninAction.run(
    { DURATION: '2', MEMORY_PERCENT: '1', DISKS: disk.device, DESTRUCTIVE: 'true' },
    quietContext(),
  );
  assert.ok(result.ok, result.ok ? '' : result.error);
  assert.match(result.message, /overwrote and read/);
  const key = Buffer.alloc(16, 7);
  let bytes = 0;
  const signal = new AbortController().signal;
  const isOver = () => bytes >= 5 * MEBIBYTE;
  await overwriteDisk({ disk: disk.device, signal, isOver, onBytes: (more) => (bytes += more) }, key);
  const written = readFileSync(disk.device);
  for (let at = 0; at < 5; at += 1)
    assert.ok(
      written.subarray(at * MEBIBYTE, (at + 1) * MEBIBYTE).equals(patternAt(key, at * MEBIBYTE)),
      `piece ${at}`,
    );
});

test('wrong bits of a processor or of memory are found and named', HANGS, async () => {
  const base = { threads: 2, memoryBytes: 2 * MEBIBYTE, signal: new AbortController().signal };
  for (const [fault, reason] of [
    ['cpu', /processor thread \d: integer operations gave \d+ instead of/],
    ['memory', /processor thread \d: memory returned other bits.*mask 0x10 in word 100 of block 0/],
  ] as const) {
    const stop = new Int32Array(new SharedArrayBuffer(4));
    await assert.rejects(runThreads({ ...base, stop, fault, onChecked() {} }), reason);
  }
});

test('a disk that shrinks is an error that names the byte', HANGS, async (context) => {
  const disk = newDisk(context, Buffer.alloc(4 * MEBIBYTE));
  if (disk === undefined) return;
  // The device keeps its size, and its file does not.
  execFileSync('truncate', ['-s', '2M', disk.image]);
  const result = await burninAction.run(
    { DURATION: '1000', MEMORY_PERCENT: '1', CPU_PERCENT: '1', DISKS: disk.device },
    quietContext({ clock: { ...quietContext().clock, monotonicMs: () => 0 } }),
  );
  assert.match(result.ok ? '' : result.error, /cannot read .* at byte 2097152|returned 0 of 1048576/);
});

test('stops at its timeout', HANGS, async () => {
  const timeout = new AbortController();
  const running = burninAction.run(
    { DURATION: '1h', MEMORY_PERCENT: '1', CPU_PERCENT: '1', DISKS: 'none' },
    quietContext({
      signal: timeout.signal,
      clock: { ...quietContext().clock, monotonicMs: () => 0 },
      progress: () => timeout.abort(),
    }),
  );
  const result = await running;
  assert.match(result.ok ? '' : result.error, /stopped at the timeout/);
});

test('names every wrong variable', () => {
  assert.throws(
    () => readSettings({ DURATION: '8d', CPU_PERCENT: '0', MEMORY_PERCENT: '100', DISKS: 'sda' }),
    /DURATION=8d must be.*CPU_PERCENT=0.*MEMORY_PERCENT=100.*DISKS names sda/,
  );
  assert.throws(() => readSettings({ DURATION: '169h' }), /DURATION=169h must be a time up to a week/);
  assert.throws(() => readSettings({ DURATION: '1m', DESTRUCTIVE: 'true' }), /DESTRUCTIVE=true needs DISKS/);
  assert.equal(readSettings({ DURATION: '2h' }).durationSeconds, 7200);
});
