/** How much was fetched more than once. */
import type { BreakResult } from './break-run.ts';
import type { Break } from './planned-breaks.ts';

const CHUNK_BYTES = 1024 * 1024;
/** The connections of `image2disk` at once. */
const LANES = 6;
/** A chunk continues where it was cut. What the network had of it on the way is lost, and that is less than a chunk. */
const LOST_BYTES_MAX = CHUNK_BYTES / 8;
/** Manifest, index, the headers of the answers, and the lists of peers. */
const OVERHEAD_BYTES = 128 * 1024;
/** The action reports mebibytes of peers without a fraction from ten on, and peers pack chunks a little worse. */
const PEER_BYTES_UNSURE = CHUNK_BYTES;

const survives = (kind: Break): boolean => kind === 'network' || kind.startsWith('peer ');

/**
 * The process that fetches by chunk survives a cut network. It fetches less than a chunk for each of its connections again. What a
 * peer has not sent in full comes from elsewhere once.
 */
export function excessIn({ form, breaks, peerBytes, excessBytes }: BreakResult): string | undefined {
  if (form !== 'by chunk' || !breaks.every(survives)) return undefined;
  const cuts = breaks.filter((kind) => kind === 'network').length;
  const allowed = cuts * LANES * LOST_BYTES_MAX + OVERHEAD_BYTES + (peerBytes > 0 ? PEER_BYTES_UNSURE : 0);
  if (excessBytes <= allowed) return undefined;
  return `${excessBytes} bytes were fetched twice, and ${allowed} are allowed after ${cuts} cuts of the network`;
}

/** A line for each form of the image, and the number of breaks of each kind. */
export function summaryOf(results: readonly BreakResult[]): string {
  const forms = Map.groupBy(results, ({ form, breaks }) =>
    breaks.every(survives) ? `${form}, only network or peer` : form,
  );
  const lines = [...forms]
    .map(([form, runs]) => {
      const breaks = runs.reduce((sum, one) => sum + one.breaks.length, 0);
      const worst = Math.max(...runs.map(({ fetched }) => fetched));
      const mean = runs.reduce((sum, { fetched }) => sum + fetched, 0) / runs.length;
      const excess = Math.max(...runs.map(({ excessBytes }) => excessBytes)) / CHUNK_BYTES;
      return `${form}: ${runs.length} runs, ${breaks} breaks, fetched ${mean.toFixed(2)} x, at most ${worst.toFixed(2)} x, ${excess.toFixed(1)} MiB more`;
    })
    .toSorted();
  const kinds = Map.groupBy(
    results.flatMap(({ breaks }) => breaks),
    (kind) => kind,
  );
  const counts = [...kinds].map(([kind, each]) => `${each.length} ${kind}`).toSorted();
  return [...lines, `breaks: ${counts.join(', ')}`].join('\n');
}
