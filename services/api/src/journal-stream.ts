/** Streams journal records as JSON lines: existing records page by page as the client reads, then new ones. */
import { delay, StreamResponse, type Clock } from '@tinkerbell/platform-contract';
import type { Journal, JournalQuery, JournalRecord } from '@tinkerbell/store-contract';

const PAGE_MAX = 250;
/** Limit of bytes read ahead of a client that may never read them, estimated from the previous page. */
const PAGE_BYTES = 64 * 1024;
/** Size of a page without a previous page. */
const PAGE_FIRST = 25;
/** Collects a burst of records. */
const GATHER_MS = 10;

export interface JournalStreamOptions {
  /**
   * Queries whose records are merged in order. There may be several, because a query is either for output or for all other
   * records.
   */
  readonly queries: readonly Omit<JournalQuery, 'after' | 'limit'>[];
  readonly after: number;
  readonly follow: boolean;
  readonly keep?: (record: JournalRecord) => boolean;
  readonly signal: AbortSignal;
}

export function journalStream(
  deps: { readonly journal: Journal; readonly clock: Clock },
  options: JournalStreamOptions,
): Response {
  const stopping = new AbortController();
  const signal = AbortSignal.any([options.signal, stopping.signal]);
  const pages = pagesOf(deps, { ...options, signal });
  const encoder = new TextEncoder();
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const page = await pages.next();
        if (page.done === true) return controller.close();
        controller.enqueue(encoder.encode(page.value));
      },
      async cancel() {
        stopping.abort();
        // Observe the abort even while the client requests nothing.
        await pages.return();
      },
    },
    // Read a page when the client has taken the previous one.
    { highWaterMark: 0 },
  );
  return new StreamResponse(stream, { headers: { 'content-type': 'application/x-ndjson' } });
}

/** The journal itself is the buffer, so a slow client uses no memory here and misses nothing. */
async function* pagesOf(
  { journal, clock }: { readonly journal: Journal; readonly clock: Clock },
  { queries, after, follow, keep = () => true, signal }: JournalStreamOptions,
): AsyncGenerator<string, void, undefined> {
  let limit = PAGE_FIRST;
  let wake = Promise.withResolvers<void>();
  const rouse = (): void => wake.resolve();
  const stops = follow ? queries.map((query) => journal.follow(query, rouse)) : [];
  signal.addEventListener('abort', rouse, { once: true });
  try {
    for (let last = after; ;) {
      // Subscribe before reading, so that records appended meanwhile wake the stream.
      wake = Promise.withResolvers<void>();
      const { records, hasMore } = await readTogether(journal, queries, { after: last, limit });
      last = records.at(-1)?.sequence ?? last;
      const lines = records.filter(keep).map((record) => `${JSON.stringify(record)}\n`);
      limit = nextLimit(lines);
      if (lines.length > 0) yield lines.join('');
      if (hasMore && !signal.aborted) continue;
      if (!follow || signal.aborted) return;
      await wake.promise;
      await delay(clock, GATHER_MS, signal);
    }
  } finally {
    for (const stop of stops) stop();
  }
}

/** Number of records for the next page, so that it has the target size if they are like the previous ones. */
function nextLimit(lines: readonly string[]): number {
  if (lines.length === 0) return PAGE_MAX;
  const average = lines.reduce((sum, line) => sum + line.length, 0) / lines.length;
  return Math.min(PAGE_MAX, Math.max(1, Math.floor(PAGE_BYTES / average)));
}

interface Page {
  readonly records: readonly JournalRecord[];
  readonly hasMore: boolean;
}

/**
 * With several queries, returns records only up to the point that all have been read to. They run together, so no record is
 * appended in between.
 */
async function readTogether(
  journal: Journal,
  queries: JournalStreamOptions['queries'],
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<Page> {
  const pages = await Promise.all(queries.map((query) => journal.read({ ...query, after, limit })));
  const full = pages.filter((page) => page.length >= limit);
  const until = Math.min(...full.map((page) => page.at(-1)?.sequence ?? after));
  const records = pages
    .flat()
    .filter((record) => record.sequence <= until)
    .sort((a, b) => a.sequence - b.sequence);
  return { records, hasMore: full.length > 0 };
}
