/** Disk images from `tink image add` to a disk, against a real server. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { image2diskAction } from '@tinkerbell/action-image2disk';
import { missingPrograms, quietContext } from '@tinkerbell/action-kit/testing';
import { runTink } from '../../run.ts';
import { createCommandRunner, type CommandRunner } from '../../testing/command-runner.ts';
import { runServer, type RunningServer } from '../../testing/running-server.ts';

const MEBIBYTE = 1024 * 1024;
interface Added {
  readonly url: string;
  readonly digest: string;
  readonly sentBytes: number;
  readonly diskBytes: number;
  readonly dataBytes: number;
}

describe('disk images', () => {
  let server: RunningServer;
  let runner: CommandRunner;
  const folder = mkdtempSync(join(tmpdir(), 'tink-disk-'));
  const raw = join(folder, 'disk.raw');
  let bytes: Buffer;

  before(async () => {
    server = await runServer({ flags: ['--registry-anonymous-pull'] });
    runner = createCommandRunner(() => server);
    const file = openSync(raw, 'w');
    ftruncateSync(file, 70 * MEBIBYTE + 512);
    for (const at of [0, 4, 9, 33, 66])
      writeSync(file, randomBytes(3 * MEBIBYTE + 77), 0, undefined, at * MEBIBYTE);
    closeSync(file);
    bytes = readFileSync(raw);
  });
  after(async () => {
    await server.remove();
    rmSync(folder, { recursive: true });
  });

  const added = async (source: string, name: string): Promise<Added> => {
    const result = JSON.parse(await runner.done(`image add ${source} ${name} --json`)) as Added & {
      path: string;
    };
    return { ...result, url: `${server.url}${result.path}` };
  };

  let disks = 0;
  function dirtyDisk(): string {
    const path = join(folder, `target-${(disks += 1)}`);
    writeFileSync(path, Buffer.alloc(72 * MEBIBYTE, 0xaa));
    return path;
  }

  async function written(url: string, disk: string): Promise<string> {
    const result = await image2diskAction.run({ IMG_URL: url, DEST_DISK: disk }, quietContext());
    assert.ok(result.ok, result.ok ? '' : result.error);
    assert.ok(readFileSync(disk).subarray(0, bytes.length).equals(bytes));
    return result.message;
  }

  test('a raw image is added without its holes, and written to a used disk', async () => {
    const image = await added(raw, 'disks/one:v1');
    assert.equal(image.diskBytes, bytes.length);
    assert.ok(image.dataBytes < 40 * MEBIBYTE);
    const disk = dirtyDisk();
    assert.match(await written(image.url, disk), /: .* fetched, 0 of \d+ chunks kept/);
    assert.match(await written(image.url, disk), /: 0 B fetched, (\d+) of \1 chunks kept/);
  });

  test(
    'the same disk is the same image, whatever its form',
    { skip: missingPrograms('qemu-img') },
    async () => {
      const first = await added(raw, 'disks/forms:raw');
      writeFileSync(join(folder, 'disk.gz'), gzipSync(bytes));
      execFileSync('qemu-img', [
        'convert',
        '-f',
        'raw',
        '-O',
        'qcow2',
        '-c',
        raw,
        join(folder, 'disk.qcow2'),
      ]);
      execFileSync('qemu-img', ['convert', '-f', 'raw', '-O', 'vmdk', raw, join(folder, 'disk.vmdk')]);
      for (const form of ['gz', 'qcow2']) {
        const image = await added(join(folder, `disk.${form}`), `disks/forms:${form}`);
        assert.equal(image.digest, first.digest, form);
        assert.equal(image.sentBytes, 0);
      }
      const vmdk = await added(join(folder, 'disk.vmdk'), 'disks/forms:vmdk');
      assert.equal(vmdk.sentBytes, 0);
    },
  );

  test('a changed image sends and fetches only what changed', async () => {
    const first = await added(raw, 'disks/two:v1');
    const disk = dirtyDisk();
    await written(first.url, disk);
    const changed = join(folder, 'changed.raw');
    copyFileSync(raw, changed);
    const file = openSync(changed, 'r+');
    writeSync(file, 'changed', 9 * MEBIBYTE);
    closeSync(file);
    const second = await added(changed, 'disks/two:v2');
    assert.ok(second.sentBytes > 0 && second.sentBytes < 5 * MEBIBYTE);
    const before = bytes;
    bytes = readFileSync(changed);
    assert.match(await written(second.url, disk), /(\d+) of \d+ chunks kept/);
    bytes = before;
    assert.match(await written(first.url, disk), /[1-9]\d* of \d+ chunks kept/);
  });

  test('a disk that is too small, a wrong checksum and an absent image are failures before a write', async () => {
    const { url } = await added(raw, 'disks/three:v1');
    const failed = async (environment: Record<string, string>): Promise<string> => {
      const result = await image2diskAction.run({ DEST_DISK: dirtyDisk(), ...environment }, quietContext());
      assert.ok(!result.ok);
      return result.error;
    };
    assert.match(
      await failed({ IMG_URL: url, IMG_CHECKSUM: `sha256:${'0'.repeat(64)}` }),
      /nothing was written/,
    );
    assert.match(await failed({ IMG_URL: url.replace('v1', 'v9') }), /answered 404/);
  });

  test('the list shows disk, data and shared chunks, and verify reads all of them', async () => {
    const image = await added(raw, 'disks/four:v1');
    const listed = JSON.parse(await runner.done('image list disks/four --json')) as {
      disk: { diskBytes: number };
    }[];
    assert.equal(listed[0]?.disk.diskBytes, image.diskBytes);
    assert.match(await runner.done('image list disks/four'), /MB of 73\.4 MB, 0\.0 MB shared/);
    assert.match(await runner.done('image verify disks/four:v1'), /is whole: 1 pack, \d+ chunks/);
  });

  test('verify names a pack that is damaged on the server', async () => {
    await added(raw, 'disks/five:v1');
    const blobs = join(server.folder, 'data/registry/blobs/sha256');
    const largest = readdirSync(blobs, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted((one, other) => statSync(other).size - statSync(one).size)[0];
    assert.ok(largest !== undefined);
    const before = readFileSync(largest);
    const damaged = Buffer.from(before);
    damaged[before.length >> 1] = (damaged[before.length >> 1] ?? 0) ^ 1;
    writeFileSync(largest, damaged);
    assert.match(await runner.failed('image verify disks/five:v1'), /is damaged/);
    writeFileSync(largest, before);
    assert.match(await runner.done('image verify disks/five:v1'), /is whole/);
  });

  test('two adds at once, and a server that is killed and started again, end in a whole image', async () => {
    await Promise.all([added(raw, 'disks/six:v1'), added(raw, 'disks/six:v1')]);
    const adding = runner.tink(`image add ${raw} disks/seven:v1`);
    await server.kill();
    await adding;
    await server.start();
    await added(raw, 'disks/seven:v1');
    assert.match(await runner.done('image verify disks/six:v1'), /is whole/);
    assert.match(await runner.done('image verify disks/seven:v1'), /is whole/);
  });

  test('what is not an image is named', async () => {
    writeFileSync(join(folder, 'empty'), '');
    writeFileSync(join(folder, 'page'), '<!DOCTYPE html><p>Log in');
    assert.match(await runner.failed(`image add ${folder}/empty a/b`), /is empty/);
    assert.match(await runner.failed(`image add ${folder}/page a/b`), /is a web page/);
    assert.match(
      await runner.failed(`image add ${folder}/absent a/b`),
      /cannot read .*absent: file not found/,
    );
    assert.match(await runner.failed(`image add ${folder} a/b`), /is not a file/);
  });

  test('an address that does not answer is named while it is tried again', async () => {
    const recording = runner.terminal();
    const adding = runTink(['image', 'add', 'http://127.0.0.1:1/x.img', 'a/b'], recording);
    await recording.until(/the download is interrupted: .*127\.0\.0\.1:1; trying again\n/);
    recording.interrupt();
    assert.notEqual(await adding, 0);
  });
});
