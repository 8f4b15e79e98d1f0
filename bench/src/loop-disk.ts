/**
 * A block device backed by memory if there is enough of it, so that the program and not this machine's disk
 * is measured.
 */
import { createHash } from 'node:crypto';
import { closeSync, createReadStream, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';

import { CannotRun, type BenchContext } from './benchmark.ts';
import { mustRun, runProgram } from './running-program.ts';

const MEMORY_DIRECTORY = '/dev/shm';
/** Memory is used when this many times the disk is free. */
const MEMORY_MARGIN = 2;
const FILL = Buffer.alloc(4 * 1024 * 1024, 0xaa);

export interface LoopDisk {
  /** `/dev/loop0` */
  readonly device: string;
  readonly isInMemory: boolean;
  /** Overwrites all of it, like a used disk, which reveals a program that does not write zeros. */
  soil(): void;
}

/** @throws CannotRun when not root or without loop devices. */
export async function createLoopDisk(context: BenchContext, bytes: number): Promise<LoopDisk> {
  const isInMemory = freeBytes(MEMORY_DIRECTORY) > bytes * MEMORY_MARGIN;
  const directory = isInMemory ? mkdtempSync(join(MEMORY_DIRECTORY, 'tinkerbell-bench-')) : context.directory;
  const path = join(directory, 'disk');
  if (isInMemory) context.scope.defer(() => rmSync(directory, { recursive: true, force: true }));
  const soil = (): void => overwrite(path, bytes);
  soil();
  const attached = await runProgram(context, { command: ['losetup', '--find', '--show', path] });
  if (attached.code !== 0) throw new CannotRun(`no loop device (root is needed): ${attached.output.trim()}`);
  const device = attached.output.trim();
  // The kernel detaches an open device when its last user ends, also when this process is killed.
  const held = openSync(device, 'r');
  await mustRun(context, { command: ['losetup', '--detach', device] });
  context.scope.defer(() => closeSync(held));
  return { device, isInMemory, soil };
}

function overwrite(path: string, bytes: number): void {
  const file = openSync(path, 'a+');
  closeSync(file);
  const writer = openSync(path, 'r+');
  for (let at = 0; at < bytes; at += FILL.length) {
    writeSync(writer, FILL, 0, Math.min(FILL.length, bytes - at), at);
  }
  closeSync(writer);
}

function freeBytes(directory: string): number {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

/** @throws Error when the disk does not have the SHA-256. */
export async function assertWritten(disk: LoopDisk, wanted: string): Promise<void> {
  const found = await sha256Of(disk.device);
  if (found !== wanted) throw new Error(`${disk.device} does not hold the image: ${found}, not ${wanted}`);
}

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
