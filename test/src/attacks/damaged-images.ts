/**
 * Images that a network, a disk or a person damaged, and actions that are stopped at any moment. Each ends
 * soon, either with the whole image on the disk or with a reason.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { image2diskAction } from '@tinkerbell/action-image2disk';
import type { ActionContext, ActionResult } from '@tinkerbell/action-kit';
import type { SeededChoice } from '../seeded-choice.ts';
import type { Attack } from './attack.ts';

const IMAGE_BYTES_MAX = 400_000;
/** A stopped action has ended within a second. The rest allows for other work on the host. */
const HANGS_MS = 20_000;
const STOP_MS_MAX = 30;

type Extension = 'gz' | 'zst' | 'xz' | 'bz2' | 'raw';

export const damagedImages: Attack = {
  name: 'damaged-images',
  sends: 'file',
  async once({ folder: parent }, choice) {
    const folder = mkdtempSync(join(parent, 'image-'));
    const image = imageOf(choice);
    const extension = choice.of<Extension>(['gz', 'zst', 'xz', 'bz2', 'raw']);
    const { what, bytes, isWhole } = damaged(packed(image, extension), choice);
    const pieces = 1 + choice.below(100_000);
    // Some servers send a part, and then nothing more.
    const isStalled = choice.once(6);
    const server = createServer((_request, response) => send(response, bytes, { pieces, isStalled }));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const stop = new AbortController();
    const timer =
      isStalled || choice.once(5) ? setTimeout(() => stop.abort(), choice.below(STOP_MS_MAX)) : undefined;
    try {
      const disk = join(folder, 'disk');
      writeFileSync(disk, '');
      const given = { IMG_URL: `http://127.0.0.1:${port}/image.${extension}`, DEST_DISK: disk };
      const result = await orHang(
        image2diskAction.run(given, contextOf(stop.signal)),
        `${extension}: ${what}`,
      );
      judge(result, { what: `${extension}: ${what}`, isWhole, isRaw: extension === 'raw', disk, image });
    } finally {
      clearTimeout(timer);
      server.closeAllConnections();
      server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

interface Judgement {
  readonly what: string;
  readonly isWhole: boolean;
  /** Without compression nothing could reveal a flipped bit. */
  readonly isRaw: boolean;
  readonly disk: string;
  readonly image: Buffer;
}

function judge(result: ActionResult, { what, isWhole, isRaw, disk, image }: Judgement): void {
  if (!result.ok) {
    if (result.error === '') throw new Error(`${what}: it failed without a reason`);
    return;
  }
  if (isRaw && !isWhole) return;
  if (image.length === 0) throw new Error(`${what}: an empty image is a success`);
  if (!readFileSync(disk).equals(image))
    throw new Error(`${what}: a success, and the disk holds something else`);
}

function imageOf(choice: SeededChoice): Buffer {
  const image = Buffer.alloc(choice.once(12) ? 0 : choice.below(IMAGE_BYTES_MAX));
  const isDense = choice.once(2);
  for (let at = 0; at < image.length; at += isDense ? 1 : 1 + choice.below(500))
    image[at] = choice.below(256);
  return image;
}

function packed(image: Buffer, extension: Extension): Buffer {
  if (extension === 'gz') return gzipSync(image);
  if (extension === 'zst') return zstdCompressSync(image, { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
  if (extension === 'raw') return image;
  const program = extension === 'xz' ? 'xz' : 'bzip2';
  return spawnSync(program, ['-1c'], { input: image, maxBuffer: 2 * IMAGE_BYTES_MAX }).stdout;
}

function damaged(
  bytes: Buffer,
  choice: SeededChoice,
): { readonly what: string; readonly bytes: Buffer; readonly isWhole: boolean } {
  const at = bytes.length === 0 ? 0 : choice.below(bytes.length);
  switch (
    choice.of(['none', 'flip', 'flip', 'flip', 'cut', 'rubbish', 'zeros', 'twice', 'page', 'empty'] as const)
  ) {
    case 'none':
      return { what: 'as it is', bytes, isWhole: true };
    case 'flip': {
      const copy = Buffer.from(bytes);
      if (copy.length > 0) copy[at] = (copy[at] ?? 0) ^ (1 << choice.below(8));
      return { what: `a flipped bit of byte ${at}`, bytes: copy, isWhole: bytes.length === 0 };
    }
    case 'cut':
      return { what: `cut to ${at} bytes`, bytes: bytes.subarray(0, at), isWhole: bytes.length === 0 };
    case 'rubbish': {
      const rubbish = Buffer.from(
        Array.from({ length: 1 + choice.below(90_000) }, () => 1 + choice.below(255)),
      );
      return { what: 'garbage after it', bytes: Buffer.concat([bytes, rubbish]), isWhole: false };
    }
    case 'zeros':
      return {
        what: 'zeros after it',
        bytes: Buffer.concat([bytes, Buffer.alloc(1 + choice.below(90_000))]),
        isWhole: false,
      };
    case 'twice':
      return {
        what: 'itself and a part of it',
        bytes: Buffer.concat([bytes, bytes.subarray(0, at)]),
        isWhole: at === 0,
      };
    case 'page':
      return {
        what: 'a web page',
        bytes: Buffer.from('<html><body>Not found</body></html>'),
        isWhole: false,
      };
    case 'empty':
      return { what: 'nothing', bytes: Buffer.alloc(0), isWhole: false };
  }
}

function send(
  response: ServerResponse,
  bytes: Buffer,
  { pieces, isStalled }: { readonly pieces: number; readonly isStalled: boolean },
): void {
  const end = isStalled ? bytes.length >> 1 : bytes.length;
  for (let at = 0; at < end; at += pieces) response.write(bytes.subarray(at, Math.min(at + pieces, end)));
  if (!isStalled) response.end();
}

async function orHang(work: Promise<ActionResult>, what: string): Promise<ActionResult> {
  let timer: NodeJS.Timeout | undefined;
  const hangs = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: the action does not end`)), HANGS_MS);
  });
  return Promise.race([work, hangs]).finally(() => clearTimeout(timer));
}

/** Every reading of its clock is a second later, so nothing is retried for long. */
function contextOf(signal: AbortSignal): ActionContext {
  let now = 0;
  const log: ActionContext['log'] = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };
  const clock: ActionContext['clock'] = {
    nowMs: () => now,
    monotonicMs: () => (now += 1000),
    schedule: (_delayMs, task) => {
      const timer = setImmediate(task);
      return () => clearImmediate(timer);
    },
  };
  return { log, clock, signal, command: [], progress() {} };
}
