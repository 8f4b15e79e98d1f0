/** Breaks and damage while a disk image is written: the disk is identical at the end, or the failure has a reason. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { formatBytes, type ActionResult } from '@tinkerbell/action-kit';
import { loopDevice, quietContext, serve } from '@tinkerbell/action-kit/testing';
import { image2diskAction } from '../image2disk.ts';
import { CHUNK, digestOf, stored } from '../testing/stored-image.ts';

/** A limit that only ends tests that hang. */
const HANGS = { timeout: 120_000 };
/** Between two holes of the image. */
const STRETCH = 3 * (CHUNK + 1024);
const LANES = 6;
const PATH = '/v2/disks/one/manifests/v1';
const directory = mkdtempSync(join(tmpdir(), 'image2disk-breaks-'));
after(() => rmSync(directory, { recursive: true }));

const IMAGE = stored();
const packDigest = digestOf(IMAGE.pack);

interface Behaviour {
  /** Bytes of pack requests after which the connection breaks, in order. */
  readonly cuts?: readonly number[];
  readonly pack?: Buffer;
  readonly manifest?: Buffer;
  readonly onPack?: (sent: number) => void;
}

function registry({
  cuts = [],
  pack = IMAGE.pack,
  manifest = IMAGE.manifest,
  onPack,
}: Behaviour): RequestListener {
  const left = [...cuts];
  return (request, response) => {
    const url = request.url ?? '';
    if (url === PATH) return void response.end(manifest);
    const digest = url.split('/').at(-1) ?? '';
    const blob = digest === packDigest ? pack : IMAGE.blobs.get(digest);
    if (blob === undefined) return void response.writeHead(404).end();
    const range = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '');
    if (range === null) return void response.end(blob);
    const [first, last] = [Number(range[1]), Number(range[2])];
    const body = blob.subarray(first, last + 1);
    const headers = {
      'Content-Range': `bytes ${first}-${last}/${blob.length}`,
      'Content-Length': last - first + 1,
    };
    response.writeHead(206, headers);
    const cut = left.shift();
    const sent = cut === undefined ? body : body.subarray(0, cut % (body.length + 1));
    onPack?.(sent.length);
    if (cut === undefined) return void response.end(body);
    return void response.write(sent.length === 0 ? ' '.slice(1) : sent, () => response.destroy());
  };
}

let disks = 0;
function dirtyDisk(): string {
  const path = join(directory, `disk-${(disks += 1)}`);
  writeFileSync(path, Buffer.alloc(48 * CHUNK, 0xaa));
  return path;
}

function run(address: string, disk: string, signal = new AbortController().signal): Promise<ActionResult> {
  return image2diskAction.run(
    { IMG_URL: `${address}${PATH}`, DEST_DISK: disk, RETRY_ENABLED: 'true' },
    quietContext({ signal }),
  );
}

function assertWritten(result: ActionResult, disk: string): void {
  assert.ok(result.ok, result.ok ? '' : result.error);
  const bytes = readFileSync(disk);
  assert.ok(bytes.subarray(0, IMAGE.disk.length).equals(IMAGE.disk));
  assert.ok(
    bytes.subarray(IMAGE.disk.length).every((byte) => byte === 0xaa),
    'beyond the image nothing changes',
  );
}

function errorOf(result: ActionResult): string {
  assert.ok(!result.ok, 'it was written');
  return result.error;
}

test(
  'connections that break anywhere end in an identical disk, and cost at most a stretch each',
  HANGS,
  async (context) => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: CHUNK }), { maxLength: 12 }), async (cuts) => {
        let sent = 0;
        const address = await serve(context, registry({ cuts, onPack: (bytes) => (sent += bytes) }));
        const disk = dirtyDisk();
        assertWritten(await run(address, disk), disk);
        // What a broken connection had under way may be lost before it is read.
        assert.ok(sent <= IMAGE.pack.length + cuts.length * STRETCH);
      }),
      { numRuns: 15 },
    );
  },
);

test(
  'a write that is stopped anywhere resumes where the disk says, and fetches at most the stretches under way',
  HANGS,
  async (context) => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 30 }), async (requests) => {
        const stop = new AbortController();
        let [count, sent] = [0, 0];
        const onPack = (bytes: number): void => {
          sent += bytes;
          if ((count += 1) === requests) stop.abort();
        };
        const address = await serve(context, registry({ onPack }));
        const disk = dirtyDisk();
        await run(address, disk, stop.signal);
        assertWritten(await run(address, disk), disk);
        assert.ok(sent <= IMAGE.pack.length + LANES * STRETCH, `${sent} of ${IMAGE.pack.length}`);
      }),
      { numRuns: 15 },
    );
  },
);

test('a flipped bit anywhere in the chunks is found', HANGS, async (context) => {
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: IMAGE.pack.length - 1 }), fc.nat({ max: 7 }), async (at, bit) => {
      const pack = Buffer.from(IMAGE.pack);
      pack[at] = (pack[at] ?? 0) ^ (1 << bit);
      const disk = dirtyDisk();
      const result = await run(await serve(context, registry({ pack })), disk);
      // A few bits of a zstd frame do not change what it unpacks to.
      if (result.ok) assertWritten(result, disk);
      else assert.match(result.error, /the chunk at .* is damaged: .* is not sha256:/);
    }),
    { numRuns: 20 },
  );
});

test('the bits of a used disk are put right', HANGS, async (context) => {
  const address = await serve(context, registry({}));
  const disk = dirtyDisk();
  const first = await run(address, disk);
  assertWritten(first, disk);
  const fetched = `${formatBytes(IMAGE.pack.length)} fetched, 0 of 31 chunks kept`;
  assert.ok(first.ok && first.message.endsWith(fetched), first.ok ? first.message : '');
  const bytes = readFileSync(disk);
  for (const at of [5, 3 * CHUNK + 1, 2 * CHUNK + 9, IMAGE.disk.length - 1]) bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(disk, bytes);
  const result = await run(address, disk);
  assertWritten(result, disk);
  assert.match(result.ok ? result.message : '', / 28 of 31 chunks kept/);
});

test(
  'a damaged manifest or index, and an absent pack, are failures with a reason',
  HANGS,
  async (context) => {
    const withText = (from: string | RegExp, to: string): Buffer =>
      Buffer.from(IMAGE.manifest.toString().replace(from, to));
    const runWith = async (manifest: Buffer): Promise<string> =>
      errorOf(await run(await serve(context, registry({ manifest })), dirtyDisk()));
    assert.match(
      await runWith(Buffer.from('{')),
      /is not a disk image that can be written: manifest: not valid JSON/,
    );
    assert.match(
      await runWith(withText(/vnd\.tinkerbell\.disk\.v1/g, 'vnd.oci.image.config.v1')),
      /config\.mediaType: is/,
    );
    assert.match(await runWith(withText(packDigest, `sha256:${'0'.repeat(64)}`)), /answered 404/);
    assert.match(
      await runWith(withText(/"digest":"sha256:[0-9a-f]{64}"/, `"digest":"${packDigest}"`)),
      /config: |index/,
    );
  },
);

test('a disk that is smaller than the image is not written to', HANGS, async (context) => {
  const path = join(directory, 'small');
  writeFileSync(path, Buffer.alloc(16 * CHUNK, 0xaa));
  const device = loopDevice(context, path);
  if (device === undefined) return;
  const address = await serve(context, registry({}));
  assert.match(
    errorOf(await run(address, device)),
    /larger than \/dev\/loop.*choose a larger disk in DEST_DISK/,
  );
  assert.ok(readFileSync(device).every((byte) => byte === 0xaa));
});

test('writes to a block device', HANGS, async (context) => {
  const device = loopDevice(context, dirtyDisk());
  if (device === undefined) return;
  assertWritten(await run(await serve(context, registry({})), device), device);
});
