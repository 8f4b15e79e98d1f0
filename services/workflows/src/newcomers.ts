/** The state kept about unexpected agents: caps on what they may cause, and the last outcome reported for each. */
import {
  takeToken,
  type AgentAttributes,
  type DiscoverySettings,
  type RateCap,
  type TokenBucket,
} from '@tinkerbell/enrollment';
import { setLatest, type Clock, type Log, type Random } from '@tinkerbell/platform-contract';
import type { Hardware } from '@tinkerbell/resources';
import type { Journal, JournalEntry, Store, View } from '@tinkerbell/store-contract';
import type { WorkflowsMetrics } from './metrics.ts';

export interface AutoDiscoveryConfig extends DiscoverySettings {
  /** The limit of discovered Hardware (default: 1000). */
  readonly maxDiscovered?: number;
  readonly rate?: RateCap;
}

export interface AutoEnrollmentConfig {
  /** The limit of enrolled Workflows (default: 10,000). */
  readonly maxEnrolled?: number;
  readonly rate?: RateCap;
}

export interface NewcomerDeps {
  readonly store: Store;
  readonly view: View;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly newcomers: Newcomers;
}

/** An agent for the duration of one call. */
export interface Newcomer {
  readonly agentId: string;
  readonly attributes: AgentAttributes | undefined;
  readonly hardware?: Hardware;
  readonly isJustDiscovered: boolean;
  /** The reason it has no Hardware although discovery is enabled. */
  readonly refusal?: string;
  /** A Workflow was created in this call. */
  isEnrolled: boolean;
}

const MAX_DISCOVERED = 1000;
const MAX_ENROLLED = 10_000;
/** A rack at once, then as many as a large site switches on. A refused agent asks again within the hold time. */
const RATE: RateCap = { burst: 100, perSecond: 5 };
/** Agent names can be made up. They must not evict other machines' records from the journal. */
const RECORDS: RateCap = { burst: 500, perSecond: 20 };
/** The number of agents whose last outcome is remembered, so that only changes are recorded. */
const REMEMBERED_MAX = 10_000;

type NewcomerMetrics = Pick<WorkflowsMetrics, 'autoDiscovery' | 'autoEnrollment'>;

interface NewcomersConfig {
  readonly autoDiscovery?: AutoDiscoveryConfig;
  readonly autoEnrollment?: AutoEnrollmentConfig;
}

export class Newcomers {
  readonly discovery: Required<AutoDiscoveryConfig> | undefined;
  readonly enrollment: Required<AutoEnrollmentConfig> | undefined;
  readonly #metrics: NewcomerMetrics;
  readonly #buckets = new Map<RateCap, TokenBucket>();
  readonly #outcomes = new Map<string, string>();

  constructor(config: NewcomersConfig, metrics: NewcomerMetrics) {
    this.#metrics = metrics;
    const { autoDiscovery, autoEnrollment } = config;
    if (autoDiscovery !== undefined)
      this.discovery = { maxDiscovered: MAX_DISCOVERED, rate: { ...RATE }, ...autoDiscovery };
    if (autoEnrollment !== undefined)
      this.enrollment = { maxEnrolled: MAX_ENROLLED, rate: { ...RATE }, ...autoEnrollment };
  }

  mayMakeOne(rate: RateCap, nowMs: number): boolean {
    const { taken, bucket } = takeToken(this.#buckets.get(rate), rate, nowMs);
    this.#buckets.set(rate, bucket);
    return taken;
  }

  count(what: 'discovery' | 'enrollment', result: string): void {
    const { autoDiscovery, autoEnrollment } = this.#metrics;
    (what === 'discovery' ? autoDiscovery : autoEnrollment).add({ result });
  }

  /** Records the outcome for an agent, unless it is the same as the last one, or the rate limit is reached. */
  record(
    { journal, clock }: Pick<NewcomerDeps, 'journal' | 'clock'>,
    agentId: string,
    entry: JournalEntry,
  ): void {
    const outcome = `${entry.event} ${entry.message}`;
    if (this.#outcomes.get(agentId) === outcome) return;
    if (!this.mayMakeOne(RECORDS, clock.monotonicMs())) {
      this.count(entry.event.startsWith('enroll') ? 'enrollment' : 'discovery', 'unrecorded');
      return;
    }
    setLatest(this.#outcomes, [agentId, outcome], REMEMBERED_MAX);
    journal.append(entry);
  }
}
