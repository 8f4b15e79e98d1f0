import type { Clock, Log } from '@tinkerbell/platform-contract';
import type { Journal } from '@tinkerbell/store-contract';
import type { Answer, Outcome, RequestKind } from './answer.ts';
import type { Visitor } from './visitor.ts';

const INTERVAL_MS = 60_000;
/** Machines times kinds; beyond it nothing new is written until old keys have aged. */
const KEYS_MAX = 262_144;
const PATH_LENGTH_MAX = 200;

export interface RequestTimeline {
  /** Counts and logs an answer, and writes it to the machine's timeline once a minute per kind and outcome. */
  record(answer: Answer, from: { readonly path: string; readonly visitor?: Visitor }): void;
  counters(): Readonly<Record<string, number>>;
}

export function createRequestTimeline(deps: {
  readonly journal: Pick<Journal, 'append'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Log;
}): RequestTimeline {
  const counts = new Map<string, number>();
  const isDue = createInterval(deps.clock);
  /** The one refusal nobody finds in a timeline. */
  const tellUnknown = (path: string, visitor: Visitor | undefined) => {
    if (visitor === undefined || !isDue(`${visitor.address} unknown`)) return;
    const ignored = visitor.origin === 'unproven' ? { ignoredHeader: 'x-forwarded-for' } : {};
    deps.log.info('metadata refused: no Hardware has the address', {
      path,
      address: visitor.address,
      ...ignored,
    });
  };
  return {
    record(answer, { path, visitor }) {
      const { kind, outcome } = answer;
      const counter = `metadata_requests_total{kind="${kind}",outcome="${outcome}"}`;
      counts.set(counter, (counts.get(counter) ?? 0) + 1);
      const where = { path: path.slice(0, PATH_LENGTH_MAX), address: visitor?.address ?? null };
      deps.log.debug('metadata asked for', { kind, outcome, ...where });
      if (outcome === 'machine-unknown') tellUnknown(where.path, visitor);
      const own = visitor?.search.ok === true ? visitor.search.machine : undefined;
      const machine = (answer.machine ?? own)?.mac;
      if (machine === undefined || !isDue(`${machine} ${kind} ${outcome}`)) return;
      deps.journal.append({
        source: 'http',
        machine,
        ...lineFor(kind, outcome),
        details: { kind, outcome, ...where },
      });
    },
    counters: () => Object.fromEntries(counts),
  };
}

function lineFor(kind: RequestKind, outcome: Outcome): { readonly event: string; readonly message: string } {
  if (outcome !== 'served')
    return { event: 'metadata-refused', message: `no metadata: ${outcome} (${kind})` };
  if (kind === 'phone-home') return { event: 'machine-ready', message: 'the machine says that it is ready' };
  return { event: 'metadata-served', message: `metadata served: ${kind}` };
}

/** True for a key that was not let through in the last minute. */
function createInterval(clock: Pick<Clock, 'monotonicMs'>): (key: string) => boolean {
  // In order of time: a key that passes moves to the end.
  const passedMs = new Map<string, number>();
  return (key) => {
    const nowMs = clock.monotonicMs();
    for (const [oldest, atMs] of passedMs) {
      if (nowMs - atMs < INTERVAL_MS) break;
      passedMs.delete(oldest);
    }
    if (passedMs.has(key) || passedMs.size >= KEYS_MAX) return false;
    passedMs.set(key, nowMs);
    return true;
  };
}
