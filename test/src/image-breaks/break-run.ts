/**
 * One installation during which things break. It begins with a used disk, and ends when the Workflow has succeeded. Then the machine
 * loses its power, and its disk must have the image, byte by byte.
 */
import { startWrongPeer, type WrongAnswer, type WrongPeer } from '../image-peers/wrong-peer.ts';
import type { SeededChoice } from '../seeded-choice.ts';
import { sha256Of, soil } from './disk-image.ts';
import { orderInstallation, untilInstalled } from './installation.ts';
import type { Site } from './site.ts';

const BREAKS_MAX = 3;
const CUT_MS_MAX = 1500;
/** A power cut loses a quarter of the blocks in the cache of the disk. */
const LOST_ONE_OF = 4;

/** Where the image comes from: the registry by chunk, or a file. */
export interface StoredImage {
  readonly form: string;
  /** `/images/disk.zst` */
  readonly path: string;
  /** Of the disk. */
  readonly sha256: string;
  /** What the agent must fetch at least. */
  readonly bytes: number;
}

const BREAKS = ['network', 'agent', 'machine', 'server'] as const;
const WRONG_NAMES: readonly WrongAnswer[] = ['other bytes', 'an end', 'nothing', 'a part'];
export type Break = (typeof BREAKS)[number];

export interface BreakResult {
  readonly name: string;
  readonly form: string;
  readonly seconds: number;
  /** Those that happened before the end. */
  readonly breaks: readonly Break[];
  /** The bytes from the server, as a multiple of the image. */
  readonly fetched: number;
  /** The bytes from the server beyond those of the image. */
  readonly excessBytes: number;
  /** Absent: installed, and identical. */
  readonly error?: string;
}

export interface BreakOrder {
  readonly number: number;
  readonly image: StoredImage;
  readonly choose: SeededChoice;
}

export async function runBreaks(site: Site, order: BreakOrder): Promise<BreakResult> {
  const { number, image, choose } = order;
  const startedMs = performance.now();
  const planned = Array.from({ length: 1 + choose.below(BREAKS_MAX) }, () => choose.of(BREAKS));
  // Half of the runs by chunk have a peer, which sends wrong answers until the end.
  const answer = image.form === 'by chunk' && choose.once(2) ? choose.of(WRONG_NAMES) : undefined;
  const before = site.files.passedBytes();
  const breaks: Break[] = [];
  let error: string | undefined;
  let wrong: WrongPeer | undefined;
  try {
    if (answer !== undefined) {
      const url = `http://127.0.0.1:${site.files.port}${image.path}`;
      wrong = await startWrongPeer(url, { address: '127.0.0.1', answer });
    }
    soil(site.device);
    await install(site, order, { planned, happened: breaks });
    await site.restartMachine();
    if ((await sha256Of(site.device)) !== image.sha256)
      error = 'the Workflow succeeded, and the disk differs after a power cut';
  } catch (thrown) {
    error = thrown instanceof Error ? thrown.message : String(thrown);
  } finally {
    await wrong?.[Symbol.asyncDispose]();
  }
  const excessBytes = site.files.passedBytes() - before - image.bytes;
  return {
    name: `${number} ${image.form}: ${planned.join(', ')}${peerNamed(answer, wrong)}`,
    form: image.form,
    seconds: (performance.now() - startedMs) / 1000,
    breaks,
    fetched: excessBytes / image.bytes + 1,
    excessBytes,
    ...(error === undefined ? {} : { error }),
  };
}

function peerNamed(answer: string | undefined, wrong: WrongPeer | undefined): string {
  return answer === undefined ? '' : `; a peer that sends ${answer}, asked ${wrong?.asked() ?? 0} times`;
}

interface Course {
  readonly planned: readonly Break[];
  readonly happened: Break[];
}

async function install(site: Site, { number, image, choose }: BreakOrder, course: Course): Promise<void> {
  const name = `run-${number}`;
  await orderInstallation(site, { name, path: image.path });
  const over = new AbortController();
  const breaking = breakAll(site, { course, image, choose, over: over.signal });
  try {
    // A break that cannot be made ends the run too.
    await Promise.race([untilInstalled(site, name), breaking.then(() => new Promise(() => {}))]);
  } finally {
    over.abort();
    await Promise.allSettled([breaking]);
  }
  await breaking;
}

interface Details {
  /** Of a cut network. */
  readonly forMs: number;
  readonly keeps: () => boolean;
}

interface Breaking {
  readonly course: Course;
  readonly image: StoredImage;
  readonly choose: SeededChoice;
  /** Aborts at the end of the installation. */
  readonly over: AbortSignal;
}

/** Each break comes at a random byte of the image. */
async function breakAll(site: Site, { course, image, choose, over }: Breaking): Promise<void> {
  const { planned, happened } = course;
  for (const kind of planned) {
    const bytes = 1 + choose.below(Math.ceil(image.bytes / planned.length));
    const forMs = choose.below(CUT_MS_MAX);
    if (!(await site.files.afterBytes(bytes, over))) return;
    happened.push(kind);
    await breakOne(site, kind, { forMs, keeps: () => !choose.once(LOST_ONE_OF) });
  }
}

async function breakOne(site: Site, kind: Break, { forMs, keeps }: Details): Promise<void> {
  switch (kind) {
    case 'network':
      site.files.cut(forMs);
      return site.actions.cut(forMs);
    case 'agent':
      return await site.restartAgent();
    case 'machine':
      return await site.restartMachine(keeps);
    case 'server':
      return await site.restartServer();
  }
}
