/** Breaks and damage while a disk image is written: the disk is identical at the end, or the failure has a reason. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { formatBytes, type ActionContext, type ActionResult } from '@tinkerbell/action-kit';
import { loopDevice, quickClock, quietContext, serve } from '@tinkerbell/action-kit/testing';
import { image2diskAction } from '../image2disk.ts';
import { CHUNK, digestOf, stored } from '../testing/stored-image.ts';

/** A limit that only ends tests that hang. */
const HANGS = { timeout: 120_000 };
/** Between two holes of the image. */
const STRETCH = 3 * (CHUNK + 1024);
const STRETCHES = 11;
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
  /** The requests for packs, from 1 on, whose answers are damaged on their way. */
  readonly damages?: (request: number) => boolean;
  readonly onPack?: (sent: number) => void;
}

function registry({
  cuts = [],
  pack = IMAGE.pack,
  manifest = IMAGE.manifest,
  damages = () => false,
  onPack,
}: Behaviour): RequestListener {
  const left = [...cuts];
  let requests = 0;
  return (request, response) => {
    const url = request.url ?? '';
    if (url === PATH) return void response.end(manifest);
    const digest = url.split('/').at(-1) ?? '';
    const blob = digest === packDigest ? pack : IMAGE.blobs.get(digest);
    if (blob === undefined) return void response.writeHead(404).end();
    const range = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '');
    if (range === null) return void response.end(blob);
    const [first, last] = [Number(range[1]), Number(range[2])];
    const body = Buffer.from(blob.subarray(first, last + 1));
    if (damages((requests += 1))) body.fill(0, body.length >>> 1);
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

interface Circumstances {
  readonly signal?: AbortSignal;
  readonly link?: Link;
}

/** Over a slow one, a request takes a second. */
type Link = 'slow' | 'fast';

function run(
  address: string,
  disk: string,
  { signal = new AbortController().signal, link = 'slow' }: Circumstances = {},
): Promise<ActionResult> {
  return image2diskAction.run(
    { IMG_URL: `${address}${PATH}`, DEST_DISK: disk, RETRY_ENABLED: 'true' },
    quietContext({ signal, ...(link === 'slow' ? {} : { clock: fastClock() }) }),
  );
}

/** Every reading is a millisecond later. */
function fastClock(): ActionContext['clock'] {
  let now = 0;
  return { ...quickClock(), nowMs: () => now, monotonicMs: () => (now += 1) };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
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
      fc.asyncProperty(
        fc.array(fc.nat({ max: CHUNK }), { maxLength: 12 }),
        fc.constantFrom<Link>('slow', 'fast'),
        async (cuts, link) => {
          let sent = 0;
          const address = await serve(context, registry({ cuts, onPack: (bytes) => (sent += bytes) }));
          const disk = dirtyDisk();
          assertWritten(await run(address, disk, { link }), disk);
          // What a broken connection had under way may be lost before it is read.
          assert.ok(sent <= IMAGE.pack.length + cuts.length * STRETCH);
        },
      ),
      { numRuns: 15 },
    );
  },
);

test(
  'a write that is stopped anywhere resumes where the disk says, and fetches at most the requests under way again',
  HANGS,
  async (context) => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 30 }),
        fc.constantFrom<Link>('slow', 'fast'),
        async (requests, link) => {
          const stop = new AbortController();
          const sent: number[] = [];
          const onPack = (bytes: number): void => {
            if (sent.push(bytes) === requests) stop.abort();
          };
          const address = await serve(context, registry({ onPack }));
          const disk = dirtyDisk();
          await run(address, disk, { signal: stop.signal, link });
          assertWritten(await run(address, disk, { link }), disk);
          // Some of those of the first run reach the server after its end.
          const underWay = LANES * Math.max(STRETCH, ...sent);
          assert.ok(sum(sent) <= IMAGE.pack.length + underWay, `${sum(sent)} of ${IMAGE.pack.length}`);
        },
      ),
      { numRuns: 15 },
    );
  },
);

test(
  'over a fast link a request brings several stretches, and over a slow one a single one',
  HANGS,
  async (context) => {
    const requestsOver = async (link: Link): Promise<number> => {
      let requests = 0;
      const disk = dirtyDisk();
      assertWritten(
        await run(await serve(context, registry({ onPack: () => (requests += 1) })), disk, { link }),
        disk,
      );
      return requests;
    };
    assert.equal(await requestsOver('slow'), STRETCHES);
    // The first request of each lane is a small one, which shows how fast the link is.
    const fast = await requestsOver('fast');
    assert.ok(fast > LANES && fast < STRETCHES, `${fast} requests`);
  },
);

test('a flipped bit anywhere in the chunks is found', HANGS, async (context) => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat({ max: IMAGE.pack.length - 1 }),
      fc.nat({ max: 7 }),
      fc.constantFrom<Link>('slow', 'fast'),
      async (at, bit, link) => {
        const pack = Buffer.from(IMAGE.pack);
        pack[at] = (pack[at] ?? 0) ^ (1 << bit);
        const disk = dirtyDisk();
        const result = await run(await serve(context, registry({ pack })), disk, { link });
        // A few bits of a zstd frame do not change what it unpacks to.
        if (result.ok) assertWritten(result, disk);
        else assert.match(result.error, /the chunk at .* is damaged: .* is not sha256:/);
      },
    ),
    { numRuns: 20 },
  );
});

test('what was damaged on its way is fetched once more', HANGS, async (context) => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 7 }),
      fc.constantFrom<Link>('slow', 'fast'),
      async (damaged, link) => {
        let sent = 0;
        const onPack = (bytes: number): void => void (sent += bytes);
        const damages = (request: number): boolean => request === damaged;
        const disk = dirtyDisk();
        const result = await run(await serve(context, registry({ damages, onPack })), disk, { link });
        assertWritten(result, disk);
        assert.ok(sent > IMAGE.pack.length && sent < 2 * IMAGE.pack.length, `${sent} bytes`);
        assert.ok(result.ok && result.message.includes(`${formatBytes(sent)} fetched`));
      },
    ),
    { numRuns: 10 },
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
