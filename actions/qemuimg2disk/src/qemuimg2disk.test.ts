/** Images of qemu-img and qemu-io, compared with what qemu-img converts them to. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import type { ActionResult } from '@tinkerbell/action-kit';
import { loopDevice, missingPrograms, quietContext, serve } from '@tinkerbell/action-kit/testing';
import fc from 'fast-check';

import { qemuimg2diskAction } from './qemuimg2disk.ts';
import { readSettings } from './settings.ts';

const MEBIBYTE = 1024 * 1024;
const directory = mkdtempSync(join(tmpdir(), 'qemuimg2disk-test-'));
after(() => rmSync(directory, { recursive: true }));
// Where the action stores images.
process.env['TMPDIR'] = directory;
const skip = missingPrograms('qemu-img', 'qemu-io');

function run(program: string, args: readonly string[]): void {
  execFileSync(program, args, { stdio: 'pipe' });
}

/** A raw disk with data, repeated bytes and zeros, whose size is not a multiple of a cluster. */
function rawDisk(): string {
  const path = join(directory, 'raw');
  const parts = [
    randomBytes(MEBIBYTE + 4096),
    Buffer.alloc(3 * MEBIBYTE),
    Buffer.alloc(MEBIBYTE, 'abc'),
    Buffer.alloc(9 * MEBIBYTE),
    randomBytes(5 * 512),
  ];
  writeFileSync(path, Buffer.concat(parts));
  return path;
}

let images = 0;
function convert(format: string, ...args: string[]): string {
  images += 1;
  const path = join(directory, `image-${images}.${format}`);
  run('qemu-img', ['convert', '-O', format, ...args, rawDisk(), path]);
  return path;
}

/** What qemu-img reads from an image. */
function contentOf(image: string, format: string): Buffer {
  const path = join(directory, 'content');
  run('qemu-img', ['convert', '-f', format, '-O', 'raw', image, path]);
  return readFileSync(path);
}

/** Serves a file with ranges, as a web server does. */
function ranges(bytes: Buffer, seen: string[] = []): RequestListener {
  return (request, response) => {
    seen.push(request.headers.range ?? 'whole');
    const match = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
    if (match === null) {
      response.writeHead(200, { ETag: '"1"', 'Content-Length': bytes.length }).end(bytes);
      return;
    }
    const [first, last] = [Number(match[1]), Math.min(Number(match[2]), bytes.length - 1)];
    const headers = { ETag: '"1"', 'Content-Range': `bytes ${first}-${last}/${bytes.length}` };
    response.writeHead(206, headers).end(bytes.subarray(first, last + 1));
  };
}

const whole =
  (bytes: Buffer): RequestListener =>
  (_request, response) =>
    void response.end(bytes);

/** A file instead of a disk, full of old bytes. */
function dirtyDisk(sizeBytes: number): string {
  const path = join(directory, 'disk');
  writeFileSync(path, Buffer.alloc(sizeBytes, 0xaa));
  return path;
}

function write(address: string, disk: string, changes: Record<string, string> = {}): Promise<ActionResult> {
  return qemuimg2diskAction.run({ IMG_URL: `${address}/i`, DEST_DISK: disk, ...changes }, quietContext());
}

function assertOk(result: ActionResult): void {
  assert.ok(result.ok, result.ok ? '' : result.error);
}

function errorOf(result: ActionResult): string {
  assert.ok(!result.ok);
  return result.error;
}

const kinds: Readonly<Record<string, readonly string[]>> = {
  plain: [],
  'version 2': ['-o', 'compat=0.10'],
  'zlib compressed': ['-c'],
  'zstd compressed': ['-c', '-o', 'compression_type=zstd'],
  'clusters of 512 bytes': ['-o', 'cluster_size=512'],
  'clusters of 2 MiB, compressed': ['-c', '-o', 'cluster_size=2M'],
  preallocated: ['-o', 'preallocation=metadata'],
};

for (const [kind, args] of Object.entries(kinds))
  test(`writes what qemu-img reads: qcow2, ${kind}`, { skip }, async (context) => {
    const image = readFileSync(convert('qcow2', ...args));
    const expected = readFileSync(join(directory, 'raw'));
    for (const answer of [ranges(image), whole(image)]) {
      const address = await serve(context, answer);
      const disk = dirtyDisk(expected.length + 8192);
      assertOk(await write(address, disk));
      const written = readFileSync(disk);
      assert.ok(written.subarray(0, expected.length).equals(expected));
      assert.ok(
        written.subarray(expected.length).every((byte) => byte === 0xaa),
        'beyond it nothing changes',
      );
    }
    assert.deepEqual(
      readdirSync(directory).filter((name) => name.startsWith('image-') && !name.includes('.')),
      [],
      'no stored image is left',
    );
  });

test('writes images that qemu-io has changed at random', { skip }, async (context) => {
  const change = fc.record({
    command: fc.constantFrom(
      'write -P 7',
      'write -P 255',
      'write -z',
      'write -zu',
      'write -c -P 9',
      'discard',
    ),
    cluster: fc.nat({ max: 112 }),
    count: fc.integer({ min: 1, max: 8 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 12 }), async (changes) => {
      const path = join(directory, 'random.qcow2');
      run('qemu-img', ['create', '-f', 'qcow2', path, '9M']);
      const written = new Set<number>();
      const commands = changes.flatMap(({ command, cluster, count }) => {
        if (!command.includes('-c')) return ['-c', `${command} ${cluster * 64}k ${count * 64}k`];
        // A compressed write takes exactly one cluster, which must be new.
        const own = 128 - (cluster % 8);
        if (written.has(own)) return [];
        written.add(own);
        return ['-c', `${command} ${own * 64}k 64k`];
      });
      run('qemu-io', ['-f', 'qcow2', ...commands, path]);
      run('qemu-img', ['snapshot', '-c', 'before', path]);
      const address = await serve(context, ranges(readFileSync(path)));
      const disk = dirtyDisk(9 * MEBIBYTE);
      assertOk(await write(address, disk));
      assert.ok(readFileSync(disk).equals(contentOf(path, 'qcow2')));
    }),
    { numRuns: 15 },
  );
});

test('writes to a block device', { skip }, async (context) => {
  const image = readFileSync(convert('qcow2', '-c'));
  const expected = readFileSync(join(directory, 'raw'));
  const device = loopDevice(context, dirtyDisk(24 * MEBIBYTE));
  if (device === undefined) return;
  assertOk(await write(await serve(context, ranges(image)), device));
  assert.ok(readFileSync(device).subarray(0, expected.length).equals(expected));
});

test('a sparse image is read in few requests, and its zeros are not written', { skip }, async (context) => {
  const path = join(directory, 'sparse.qcow2');
  run('qemu-img', ['create', '-f', 'qcow2', path, '8G']);
  run('qemu-io', ['-f', 'qcow2', '-c', 'write -P 7 5G 64k', path]);
  const seen: string[] = [];
  const address = await serve(context, ranges(readFileSync(path), seen));
  const disk = join(directory, 'sparse');
  writeFileSync(disk, 'old');
  truncateSync(disk, 8 * 1024 * MEBIBYTE);
  assertOk(await write(address, disk));
  run('qemu-img', ['compare', '-f', 'qcow2', '-F', 'raw', path, disk]);
  assert.ok(statSync(disk).blocks * 512 < 16 * MEBIBYTE);
  assert.ok(seen.length < 6, seen.join());
});

test('other formats are converted by qemu-img', { skip }, async (context) => {
  for (const [format, ...args] of [
    ['vmdk'],
    ['vhdx'],
    ['vpc', '-o', 'subformat=fixed'],
    ['vdi'],
    ['qed'],
  ] as const) {
    const path = convert(format, ...args);
    const expected = contentOf(path, format);
    const result = await write(await serve(context, ranges(readFileSync(path))), dirtyDisk(16 * MEBIBYTE));
    assertOk(result);
    assert.match(result.ok ? result.message : '', new RegExp(`wrote a ${format} image with qemu-img`));
    assert.ok(readFileSync(join(directory, 'disk')).subarray(0, expected.length).equals(expected), format);
  }
});

test('without qemu-img the error names the way out', { skip }, async (context) => {
  const address = await serve(context, ranges(readFileSync(convert('vdi'))));
  const path = process.env['PATH'];
  process.env['PATH'] = '/nonexistent';
  try {
    assert.match(
      errorOf(await write(address, dirtyDisk(16 * MEBIBYTE))),
      /needs qemu-img.*convert the image to qcow2 or raw/,
    );
  } finally {
    process.env['PATH'] = path;
  }
});

test('raw images are written as they are', async (context) => {
  const bytes = randomBytes(2 * MEBIBYTE + 512);
  const disk = dirtyDisk(3 * MEBIBYTE);
  assertOk(await write(await serve(context, ranges(bytes)), disk));
  assert.ok(readFileSync(disk).subarray(0, bytes.length).equals(bytes));
});

test('EXTRA_ARGS go to qemu-img, also for qcow2', { skip }, async (context) => {
  const address = await serve(context, ranges(readFileSync(convert('qcow2'))));
  const result = await write(address, dirtyDisk(16 * MEBIBYTE), { EXTRA_ARGS: '-m  2' });
  assert.match(result.ok ? result.message : result.error, /wrote a qcow2 image with qemu-img/);
  assert.match(
    errorOf(await write(address, dirtyDisk(MEBIBYTE), { EXTRA_ARGS: '--bogus' })),
    /qemu-img convert .*ended with 1/,
  );
});

test(
  'refuses backing files, a disk that is too small, compressed files and web pages',
  { skip },
  async (context) => {
    const disk = dirtyDisk(MEBIBYTE);
    const base = convert('qcow2');
    const path = join(directory, 'overlay.qcow2');
    run('qemu-img', ['create', '-f', 'qcow2', '-b', base, '-F', 'qcow2', path]);
    for (const [bytes, problem] of [
      [readFileSync(path), /backing_file_offset: .*convert it with qemu-img convert/],
      [Buffer.from('\u001f\u008bgzip', 'latin1'), /compressed with gzip: use the action image2disk/],
      [Buffer.from('<html>'), /6 bytes and no known format/],
      [Buffer.from('# Disk DescriptorFile\n'), /vmdk descriptor/],
    ] as const)
      assert.match(errorOf(await write(await serve(context, ranges(bytes)), disk)), problem);
    const device = loopDevice(context, disk);
    if (device === undefined) return;
    const large = await write(await serve(context, ranges(readFileSync(base))), device);
    assert.match(errorOf(large), /is a disk of 14 MiB, which is larger than .* \(1 MiB\)/);
    assert.ok(readFileSync(disk).every((byte) => byte === 0xaa));
  },
);

test('repeats an interrupted range, and notices an image that changes', { skip }, async (context) => {
  const image = readFileSync(convert('qcow2'));
  const expected = readFileSync(join(directory, 'raw'));
  let requests = 0;
  const flaky = await serve(context, (request, response) => {
    requests += 1;
    if (requests === 3) response.destroy();
    else if (requests === 5) response.writeHead(503).end();
    else ranges(image)(request, response);
  });
  const disk = dirtyDisk(expected.length);
  assertOk(await write(flaky, disk));
  assert.ok(readFileSync(disk).equals(expected));
  let count = 0;
  const changing = await serve(context, (request, response) => {
    count += 1;
    response.setHeader('Last-Modified', 'x');
    ranges(count < 3 ? image : image.subarray(0, -512))(request, response);
  });
  assert.match(errorOf(await write(changing, disk)), /the image changed its size/);
});

/** Any damage ends in an error or in a disk of the same size. */
test('damaged images end', { skip }, async (context) => {
  const image = readFileSync(convert('qcow2', '-c'));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(image.length - 1), fc.nat(255)), { minLength: 1, maxLength: 50 }),
      async (changes) => {
        const damaged = Buffer.from(image);
        for (const [at, value] of changes) damaged[at] = value;
        const address = await serve(context, ranges(damaged));
        const result = await write(address, dirtyDisk(16 * MEBIBYTE));
        assert.ok(result.ok || result.error.length > 10);
      },
    ),
    { numRuns: 20 },
  );
});

test('names every wrong variable', () => {
  assert.throws(
    () => readSettings({ IMG_URL: 'x', DEST_DISK: 'sda', FORMAT: 'qcow2' }),
    /IMG_URL=x must.*DEST_DISK=sda must.*FORMAT=qcow2 is the format to write/,
  );
});
