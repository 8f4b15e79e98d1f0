/** How much was fetched more than once. */
import type { BreakResult } from './break-run.ts';

const CHUNK_BYTES = 1024 * 1024;
/** The connections of `image2disk` at once. */
const LANES = 6;
/** A chunk continues where it was cut. What the network had of it on the way is lost, and that is less than a chunk. */
const LOST_BYTES_MAX = CHUNK_BYTES / 8;
/** Manifest, index and the headers of the answers. */
const OVERHEAD_BYTES = 128 * 1024;

/** The process that fetches by chunk survives a cut network. It fetches less than a chunk for each of its connections again. */
export function excessIn({ form, breaks, excessBytes }: BreakResult): string | undefined {
  if (form !== 'by chunk' || breaks.some((kind) => kind !== 'network')) return undefined;
  const allowed = breaks.length * LANES * LOST_BYTES_MAX + OVERHEAD_BYTES;
  if (excessBytes <= allowed) return undefined;
  return `${excessBytes} bytes were fetched twice, and ${allowed} are allowed after ${breaks.length} cuts`;
}

/** A line for each form of the image. */
export function summaryOf(results: readonly BreakResult[]): string {
  const forms = Map.groupBy(results, ({ form, breaks }) =>
    breaks.every((kind) => kind === 'network') ? `${form}, only the network` : form,
  );
  return [...forms]
    .map(([form, runs]) => {
      const breaks = runs.reduce((sum, one) => sum + one.breaks.length, 0);
      const worst = Math.max(...runs.map(({ fetched }) => fetched));
      const mean = runs.reduce((sum, { fetched }) => sum + fetched, 0) / runs.length;
      const excess = Math.max(...runs.map(({ excessBytes }) => excessBytes)) / CHUNK_BYTES;
      return `${form}: ${runs.length} runs, ${breaks} breaks, fetched ${mean.toFixed(2)} x, at most ${worst.toFixed(2)} x, ${excess.toFixed(1)} MiB more`;
    })
    .toSorted()
    .join('\n');
}
