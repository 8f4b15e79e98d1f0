/** Random breaks and kills while disk images are written: `npm run e2e -- breaks`, and some of them in `npm test`. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SeededChoice } from '../seeded-choice.ts';
import { excessIn } from './fetched-twice.ts';
import { runBreaks, type BreakResult, type StoredImage } from './break-run.ts';
import { addImage } from './add-image.ts';
import { sha256Of, writeDiskImage } from './disk-image.ts';
import { enterPeerNetwork, PeerMachine, SITE_ADDRESS } from './peer-machine.ts';
import { openSite, type Site } from './site.ts';

/** The site may be in a state that no further run can leave. */
const FAILURES_MAX = 3;
/** With a peer: so slow that it sends for seconds, in which it breaks. */
const SLOW_BYTES_PER_MS = 3 * 1024;
/** Its image is mostly noise, so that there is enough to send. */
const TEXT_ONE_OF_WITH_PEER = 8;
/** Makes the choices of each run independent of those before. */
const SEEDS_PER_SUITE = 10_007;

export interface BreaksOptions {
  readonly runs: number;
  readonly seed: number;
  /** Only the run with this number. */
  readonly only?: number;
  /** Another agent of ours writes each image too. It breaks while it sends chunks. Only once per process. */
  readonly hasPeer?: boolean;
  readonly onResult?: (result: BreakResult) => void;
}

/** Needs root and loop devices. Each run writes the image by chunk, and without an agent as peer also as zstd, as gzip or as it is. */
export async function runBreakSuite({
  runs,
  seed,
  only,
  hasPeer = false,
  onResult,
}: BreaksOptions): Promise<readonly BreakResult[]> {
  await using cleanup = new AsyncDisposableStack();
  cleanWhenStopped(cleanup);
  const { site, peer } = await openScene(cleanup, hasPeer);
  const images = await storeImages(site, { seed, textOneOf: hasPeer ? TEXT_ONE_OF_WITH_PEER : 2 });
  const results: BreakResult[] = [];
  for (let number = 1; number <= runs; number += 1) {
    if (only !== undefined && number !== only) continue;
    const choose = new SeededChoice(seed * SEEDS_PER_SUITE + number);
    // Half of the runs are by chunk: only they take up where they were.
    const image = hasPeer || choose.once(2) ? images.chunked : choose.of(images.files);
    const result = judged(await runBreaks(site, { number, image, choose, peer }), { number, seed, hasPeer });
    results.push(result);
    onResult?.(result);
    if (results.filter((one) => one.error !== undefined).length === FAILURES_MAX) break;
  }
  return results;
}

interface Run {
  readonly number: number;
  readonly seed: number;
  readonly hasPeer: boolean;
}

function judged(result: BreakResult, { number, seed, hasPeer }: Run): BreakResult {
  const error = result.error ?? excessIn(result);
  if (error === undefined) return result;
  const suite = hasPeer ? 'peer-breaks' : 'breaks';
  return { ...result, error: `${error}\nRepeat it: npm run e2e -- ${suite} --seed ${seed} --only ${number}` };
}

interface Scene {
  readonly site: Site;
  readonly peer: PeerMachine | undefined;
}

async function openScene(cleanup: AsyncDisposableStack, hasPeer: boolean): Promise<Scene> {
  if (!hasPeer) return { site: await openSite(cleanup), peer: undefined };
  const bridge = await enterPeerNetwork();
  const site = await openSite(cleanup, { address: SITE_ADDRESS, bytesPerMs: SLOW_BYTES_PER_MS });
  const disk = join(site.folder, 'peer-disk');
  return { site, peer: cleanup.use(await PeerMachine.open({ bridge, disk })) };
}

/** Nobody else detaches the disk. */
function cleanWhenStopped(cleanup: AsyncDisposableStack): void {
  const stop = (): void => void cleanup.disposeAsync().finally(() => process.exit(1));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, stop);
    cleanup.defer(() => void process.off(signal, stop));
  }
}

interface StoredImages {
  readonly chunked: StoredImage;
  readonly files: readonly StoredImage[];
}

async function storeImages(
  site: Site,
  { seed, textOneOf }: { readonly seed: number; readonly textOneOf: number },
): Promise<StoredImages> {
  const raw = join(site.folder, 'disk.raw');
  writeDiskImage(raw, new SeededChoice(seed), { textOneOf });
  const sha256 = await sha256Of(raw);
  const served = join(site.folder, 'images');
  copyFileSync(raw, join(served, 'disk.raw'));
  const compress = `zstd -q -c "${raw}" > disk.raw.zst; gzip -1 -c "${raw}" > disk.raw.gz`;
  execFileSync('sh', ['-e', '-c', compress], { cwd: served });
  const files = ['disk.raw', 'disk.raw.zst', 'disk.raw.gz'].map((name) => ({
    form: name,
    path: `/images/${name}`,
    sha256,
    bytes: statSync(join(served, name)).size,
  }));
  return { chunked: { form: 'by chunk', sha256, ...addImage(site.server(), raw) }, files };
}
