/** The network block device with a client that others wrote: qemu-img. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { NbdServer, type ReadableDisc } from './nbd-server.ts';

const QEMU_IMG = '/usr/bin/qemu-img';
const skip = existsSync(QEMU_IMG) ? false : 'needs qemu-img (Debian package qemu-utils)';
const timeout = 60_000;
const run = promisify(execFile);

function discOf(bytes: Uint8Array): ReadableDisc {
  return {
    sizeBytes: () => Promise.resolve(bytes.length),
    read: (offset, length) => Promise.resolve(bytes.subarray(offset, offset + length)),
  };
}

test('qemu-img reads the whole disc', { skip, timeout }, async () => {
  const bytes = Uint8Array.from(
    { length: 3 * 1024 * 1024 },
    (_, index) => (index * 31 + (index >> 9)) & 0xff,
  );
  await using server = await NbdServer.open(discOf(bytes));
  const directory = await mkdtemp(join(tmpdir(), 'nbd-'));
  try {
    const copy = join(directory, 'copy.raw');
    await run(QEMU_IMG, ['convert', '-f', 'raw', '-O', 'raw', server.url, copy]);
    assert.ok(Buffer.from(bytes).equals(await readFile(copy)));
    const words = ['convert', '-n', '-f', 'raw', '-O', 'raw', copy, server.url];
    await assert.rejects(run(QEMU_IMG, words), /read-only|permission|denied/i, 'nothing is written');
  } finally {
    await rm(directory, { recursive: true });
  }
});

test('a disc that cannot be read is an error of the device', { skip, timeout }, async () => {
  const broken = { sizeBytes: () => Promise.resolve(65_536), read: () => Promise.reject(new Error('gone')) };
  await using server = await NbdServer.open(broken);
  await assert.rejects(
    run(QEMU_IMG, ['compare', '-f', 'raw', '-F', 'raw', server.url, server.url]),
    /Input\/output/,
  );
});

test('a client that speaks nonsense is left', { timeout }, async () => {
  await using server = await NbdServer.open(discOf(new Uint8Array(2048)));
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.resume().write(Buffer.alloc(64, 0xff));
  await new Promise((resolve) => socket.once('close', resolve));
});
