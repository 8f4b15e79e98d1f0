import type { Clock, Log } from '@tinkerbell/platform-contract';
import type { CounterChild } from '@tinkerbell/platform-metrics';
import type { Journal } from '@tinkerbell/store-contract';
import type { Answer, Outcome, RequestKind } from './answer.ts';
import type { MetadataMetrics } from './metrics.ts';
import type { Machine, Visitor } from './visitor.ts';

const INTERVAL_MS = 60_000;
/** The number of machines. Beyond it nothing new is recorded until the oldest entries have expired. */
const KEYS_MAX = 65_536;
const PATH_LENGTH_MAX = 200;
/** As with DHCP replies and scripts: thousands of machines at once must not evict everything else from the bounded journal. */
const WRITTEN_PER_SECOND_MAX = 500;

export interface RequestTimeline {
  /**
   * Counts and logs an answer, and records it in the machine's timeline: once a minute per kind and outcome, with a limit per
   * second for all machines.
   */
  record(answer: Answer, from: { readonly path: string; readonly visitor: Visitor | undefined }): void;
}

interface TimelineDeps {
  readonly journal: Pick<Journal, 'append'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Log;
}

export function createRequestTimeline(deps: TimelineDeps, metrics: MetadataMetrics): RequestTimeline {
  const classOf = createClasses(deps.clock, metrics);
  const hasRoom = createBudget(deps.clock, WRITTEN_PER_SECOND_MAX);
  const isUnknownDue = createInterval(deps.clock);
  /** The one refusal that is in no timeline. It is logged once a minute per address, whatever was requested. */
  const tellUnknown = (path: string, { address, origin }: Visitor) => {
    if (!isUnknownDue(address)) return;
    const ignored = origin === 'unproven' ? { ignoredHeader: 'x-forwarded-for' } : {};
    deps.log.info('metadata refused: no Hardware has the address', { path, address, ...ignored });
  };
  return {
    record(answer, { path, visitor }) {
      const { kind, outcome } = answer;
      const ofClass = classOf(kind, outcome);
      ofClass.requests.add();
      const details = {
        kind,
        outcome,
        path: path.slice(0, PATH_LENGTH_MAX),
        address: visitor?.address ?? null,
      };
      deps.log.debug('metadata requested', details);
      if (outcome === 'machine-unknown' && visitor !== undefined) tellUnknown(details.path, visitor);
      const machine = (answer.machine ?? ownOf(visitor))?.mac;
      if (machine === undefined || !ofClass.isDue(machine)) return;
      // Operators wait for a machine to be ready, so that is recorded regardless of the limits.
      if (kind !== 'phone-home' && !hasRoom()) return;
      deps.journal.append({ source: 'http', machine, ...lineFor(kind, outcome), details });
    },
  };
}

function ownOf(visitor: Visitor | undefined): Machine | undefined {
  return visitor?.search.ok === true ? visitor.search.machine : undefined;
}

/** Answers of one kind and outcome. */
interface AnswerClass {
  readonly requests: CounterChild;
  /** Returns true for a machine that did not pass in the last minute. */
  readonly isDue: (machine: string) => boolean;
}

/** Each is resolved once, not for each request. */
function createClasses(clock: Pick<Clock, 'monotonicMs'>, { requests }: MetadataMetrics) {
  const classes = new Map<RequestKind, Map<Outcome, AnswerClass>>();
  return (kind: RequestKind, outcome: Outcome): AnswerClass => {
    let ofKind = classes.get(kind);
    if (ofKind === undefined) classes.set(kind, (ofKind = new Map()));
    let found = ofKind.get(outcome);
    if (found === undefined) {
      found = { requests: requests.with({ kind, outcome }), isDue: createInterval(clock) };
      ofKind.set(outcome, found);
    }
    return found;
  };
}

function lineFor(kind: RequestKind, outcome: Outcome): { readonly event: string; readonly message: string } {
  if (outcome !== 'served')
    return { event: 'metadata-refused', message: `no metadata: ${outcome} (${kind})` };
  if (kind === 'phone-home')
    return { event: 'machine-ready', message: 'the machine reports that it is ready' };
  return { event: 'metadata-served', message: `metadata served: ${kind}` };
}

/** Returns true for a key that did not pass in the last minute. */
function createInterval(clock: Pick<Clock, 'monotonicMs'>): (key: string) => boolean {
  // In order of time: a key that passes moves to the end.
  const passedMs = new Map<string, number>();
  return (key) => {
    const nowMs = clock.monotonicMs();
    const lastMs = passedMs.get(key);
    if (lastMs !== undefined && nowMs - lastMs < INTERVAL_MS) return false;
    for (const [oldest, atMs] of passedMs) {
      if (nowMs - atMs < INTERVAL_MS) break;
      passedMs.delete(oldest);
    }
    if (passedMs.size >= KEYS_MAX) return false;
    passedMs.set(key, nowMs);
    return true;
  };
}

/** Returns true this many times in a second. */
function createBudget(clock: Pick<Clock, 'monotonicMs'>, perSecond: number): () => boolean {
  let startedMs = clock.monotonicMs();
  let left = perSecond;
  return () => {
    if (clock.monotonicMs() - startedMs >= 1_000) {
      startedMs = clock.monotonicMs();
      left = perSecond;
    }
    left -= 1;
    return left >= 0;
  };
}
