/** Random breaks and kills while disk images are written: `npm run e2e -- breaks`, and some of them in `npm test`. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SeededChoice } from '../seeded-choice.ts';
import { excessIn } from './fetched-twice.ts';
import { runBreaks, type BreakResult, type StoredImage } from './break-run.ts';
import { addImage } from './add-image.ts';
import { sha256Of, writeDiskImage } from './disk-image.ts';
import { openSite, type Site } from './site.ts';

/** The site may be in a state that no further run can leave. */
const FAILURES_MAX = 3;
/** Makes the choices of each run independent of those before. */
const SEEDS_PER_SUITE = 10_007;

export interface BreaksOptions {
  readonly runs: number;
  readonly seed: number;
  /** Only the run with this number. */
  readonly only?: number;
  readonly onResult?: (result: BreakResult) => void;
}

/** Needs root and loop devices. Each run writes the image by chunk, as zstd, as gzip or as it is. */
export async function runBreakSuite({
  runs,
  seed,
  only,
  onResult,
}: BreaksOptions): Promise<readonly BreakResult[]> {
  await using cleanup = new AsyncDisposableStack();
  cleanWhenStopped(cleanup);
  const site = await openSite(cleanup);
  const images = await storeImages(site, new SeededChoice(seed));
  const results: BreakResult[] = [];
  for (let number = 1; number <= runs; number += 1) {
    if (only !== undefined && number !== only) continue;
    const choose = new SeededChoice(seed * SEEDS_PER_SUITE + number);
    // Half of the runs are by chunk: only they take up where they were.
    const image = choose.once(2) ? images.chunked : choose.of(images.files);
    const result = await runBreaks(site, { number, image, choose });
    const error = result.error ?? excessIn(result);
    results.push(error === undefined ? result : { ...result, error: repeatable(error, { number, seed }) });
    onResult?.(results.at(-1) ?? result);
    if (results.filter((one) => one.error !== undefined).length === FAILURES_MAX) break;
  }
  return results;
}

/** Nobody else detaches the disk. */
function cleanWhenStopped(cleanup: AsyncDisposableStack): void {
  const stop = (): void => void cleanup.disposeAsync().finally(() => process.exit(1));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, stop);
    cleanup.defer(() => void process.off(signal, stop));
  }
}

function repeatable(error: string, { number, seed }: { number: number; seed: number }): string {
  return `${error}\nRepeat it: npm run e2e -- breaks --seed ${seed} --only ${number}`;
}

interface StoredImages {
  readonly chunked: StoredImage;
  readonly files: readonly StoredImage[];
}

async function storeImages(site: Site, choose: SeededChoice): Promise<StoredImages> {
  const raw = join(site.folder, 'disk.raw');
  writeDiskImage(raw, choose);
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
