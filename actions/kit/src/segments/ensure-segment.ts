import { createHash } from 'node:crypto';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { messageOf } from '@tinkerbell/platform-contract';

import { ActionError } from '../action-error.ts';
import type { ActionContext } from '../action.ts';
import { formatBytes } from '../format-bytes.ts';
import { downloadImage } from '../image-download.ts';
import { hookFileUrl } from './hook-url.ts';
import { offeredSegment, SYSTEM_ROOT, type Segment, type SegmentName } from './offered-segments.ts';
import { placeSegment } from './place-segment.ts';

/** A download without progress fails after this time. */
const RETRY_MS = 60_000;
/** Has a file for each segment that is completely unpacked. */
const MARKS = 'run/tinkerbell-segments';

type SegmentContext = Pick<ActionContext, 'signal' | 'clock' | 'log' | 'progress'>;

export interface SegmentSystem {
  readonly root: string;
  /** Reads the kernel's command line. */
  readonly kernelArguments: () => Promise<string>;
}

const thisSystem: SegmentSystem = {
  root: SYSTEM_ROOT,
  kernelArguments: () => readFile('/proc/cmdline', 'utf8'),
};

/**
 * Makes the programs of a segment available. Resolves without effect in a system that has no segments, where the
 * programs are installed or not.
 *
 * @throws ActionError when the segment cannot be downloaded, or is not the one that belongs to this system.
 */
export async function ensureSegment(
  name: SegmentName,
  context: SegmentContext,
  system: SegmentSystem = thisSystem,
): Promise<void> {
  const segment = offeredSegment(name, system.root);
  if (segment === undefined) return;
  const mark = join(system.root, MARKS, segment.file);
  if (await exists(mark)) return;
  const url = hookFileUrl(await system.kernelArguments(), segment.file);
  context.progress({ message: `downloading ${name} (${formatBytes(segment.bytes)})` });
  const content = await verified(segment, url, context);
  await placeSegment(content, system.root);
  await mkdir(dirname(mark), { recursive: true });
  await writeFile(mark, '');
  context.log.info('segment ready', { name, programs: segment.programs.join(' ') });
}

/** Nothing of it is used before all of it is verified. */
async function verified(segment: Segment, url: URL, context: SegmentContext): Promise<Buffer> {
  const { signal, clock, log } = context;
  const advice = 'Check that the server is reachable';
  const request = { url, retryForMs: RETRY_MS, signal, clock, log, advice, onTotal() {} };
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of downloadImage(request)) {
      length += chunk.length;
      if (length > segment.bytes) throw unfit(url, `it has more than ${segment.bytes} bytes`);
      chunks.push(chunk);
    }
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw new ActionError(
      `the segment "${segment.name}" of the in-memory OS is not available: ${messageOf(cause)}. ` +
        'Run npm run hook on the server, then restart this machine',
      { cause },
    );
  }
  const content = Buffer.concat(chunks);
  const digest = createHash('sha256').update(content).digest('hex');
  if (digest !== segment.sha256)
    throw new ActionError(
      `the segment "${segment.name}" does not belong to this in-memory OS: ` +
        `${unfit(url, `its SHA-256 is ${digest} instead of ${segment.sha256}`).message}. ` +
        'Run npm run hook on the server, then restart this machine',
    );
  return content;
}

function unfit(url: URL, reason: string): ActionError {
  return new ActionError(`${url.href}: ${reason}`);
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
