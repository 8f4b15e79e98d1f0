/**
 * Checks machines: soon after something happened to them, and when silence becomes a finding. It keeps the verdicts in memory, and
 * does nothing with them. A machine at rest costs nothing.
 */
import {
  bootsIn,
  diagnose,
  modelOf,
  stepDurations,
  UsualDurations,
  type Check,
  type Observation,
  type TimelineRecord,
  type Verdict,
} from '@tinkerbell/diagnosis';
import {
  aborted,
  delay,
  inTurns,
  repeat,
  type RelayTrials,
  type Service,
} from '@tinkerbell/platform-contract';
import { MetricSet } from '@tinkerbell/platform-metrics';
import { macsOf, SeenHardware, type Hardware } from '@tinkerbell/resources';
import {
  hardwareCollection,
  workflowCollection,
  type Change,
  type JournalRecord,
} from '@tinkerbell/store-contract';
import { ActiveChecks } from './checks/active-checks.ts';
import { connectedAgentOf, neighboursOf, relaysOf, type CheckedFrom } from './checks/neighbours.ts';
import { RelayBook } from './checks/relay-book.ts';
import { trialPlace } from './checks/trial-place.ts';
import type { DoctorConfig, DoctorDeps } from './config.ts';
import { createDoctorMetrics, type DoctorMetrics } from './metrics.ts';
import { keyOf, Network, observationOf, printedSince, startOfKernel } from './observe.ts';
import { Schedule } from './schedule.ts';
import { Timelines } from './timelines.ts';

/** Of the journal that are read at once at the start, with a pause, so that packets are answered in between. */
const PAGE = 1_000;
const PAUSE_MS = 20;
const TICK_MS = 1_000;
/** Time of one core that checks may take in a tick, and in one turn of the event loop. */
const BUDGET_MS = 40;
const TURN_MS = 0.5;
/** Records that follow each other need one check. */
const SOON_MS = 2_000;
/** A machine that is heard of is checked so often, because its next check may be minutes away. */
const LATER_MS = 30_000;
/** Several boots. */
const CONDENSED_FROM = 150;
/** Machines whose boots are read in one turn of the event loop. */
const LEARNED_AT_ONCE = 50;
/** Records after which a machine that boots is checked soon. */
const DECISIVE: readonly string[] = [
  'state-changed',
  'machine-ready',
  'script-served',
  'action-served',
  'action-failed',
  'agent-silent',
  'rendering-failed',
];

export interface Doctor extends Service {
  /** Calls the listener with each machine whose verdict was checked. Returns the function that stops it. */
  onVerdict(listener: (hardware: Hardware, verdict: Verdict) => void): () => void;
  /** Calls the listener when the journal of former runs has been read, or now if it has. */
  onReadAll(listener: () => void): void;
  /**
   * Tries what can be tried for the machine from this server, from the agent of a neighbour, or from a relay, and takes it into its verdict. Returns
   * undefined if too many machines are being checked.
   */
  checkNow(hardware: Hardware, from?: CheckedFrom): Promise<readonly Check[]> | undefined;
  /** Returns whether the agent of a machine can be asked. */
  hasAgent(neighbour: Hardware): boolean;
  /** Returns the names of machines in its network whose agents can be asked, at most eight. */
  neighboursOf(hardware: Hardware): readonly string[];
  /** Returns the names of connected relays of its network, at most eight. */
  relaysOf(hardware: Hardware): readonly string[];
  /** Relay agents that call this server. */
  readonly relays: Pick<RelayBook, 'poll' | 'isConnected'>;
  /** What reporters have recorded, oldest first: reports, and deliveries of them. */
  reported(): readonly JournalRecord[];
}

export function createDoctorService(deps: DoctorDeps, config: DoctorConfig): Doctor {
  const set = new MetricSet();
  const relays = new RelayBook(deps);
  const ward = new Ward({ ...deps, relays }, config, createDoctorMetrics(set));
  const { promise: stopped, resolve: markStopped } = Promise.withResolvers<void>();
  return {
    name: 'doctor',
    routes: [],
    metrics: set,
    stopped: () => stopped,
    health: () => ({ ready: true }),
    onVerdict: (listener) => ward.onVerdict(listener),
    onReadAll: (listener) => void ward.readAll.then(listener),
    checkNow: (hardware, from) => ward.checkNow(hardware, from),
    hasAgent: (neighbour) => connectedAgentOf(deps, neighbour) !== undefined,
    neighboursOf: (hardware) => neighboursOf(deps, hardware).map(({ metadata }) => metadata.name),
    relaysOf: (hardware) => relaysOf(relays, hardware),
    relays,
    reported: () => ward.reported,
    start(signal) {
      const ended = ward.run(signal);
      signal.addEventListener('abort', () => void ended.then(markStopped));
      return Promise.resolve();
    },
  };
}

type Listener = (hardware: Hardware, verdict: Verdict) => void;

/** What the reporter needs to know after a restart. */
const REPORTED: readonly string[] = ['boot-stopped', 'boot-recovered', 'webhook-delivered'];
const REPORTED_KEPT = 2_000;

type WardDeps = DoctorDeps & { readonly relays: RelayTrials };

class Ward {
  readonly #deps: WardDeps;
  readonly #config: DoctorConfig;
  readonly #metrics: DoctorMetrics;
  readonly #usual: UsualDurations;
  readonly #timelines = new Timelines();
  readonly #network: Network;
  readonly #schedule = new Schedule();
  readonly #active: ActiveChecks;
  /** Machines that stand still, and wait for their active checks. */
  readonly #untried = new Set<string>();
  readonly #seen = new SeenHardware();
  readonly #listeners = new Set<Listener>();
  /** The first record of the last boot from which durations were learned. */
  readonly #learned = new Map<string, number>();
  /** From the last record of the former run to the start of this one. */
  #down: Observation['down'];
  readonly reported: JournalRecord[] = [];
  readonly #hasReadAll = Promise.withResolvers<void>();
  readonly readAll = this.#hasReadAll.promise;

  constructor(deps: WardDeps, config: DoctorConfig, metrics: DoctorMetrics) {
    this.#deps = deps;
    this.#config = config;
    this.#metrics = metrics;
    this.#usual = deps.usual ?? new UsualDurations();
    this.#network = new Network(deps.view);
    this.#active = new ActiveChecks(deps, config);
    metrics.verdicts.from(() =>
      [...deps.verdicts.counts()].map(([state, count]) => [{ state }, count] as const),
    );
    metrics.late.from(() => this.#schedule.countDue(deps.clock.nowMs()));
  }

  onVerdict(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  checkNow(hardware: Hardware, from?: CheckedFrom): Promise<readonly Check[]> | undefined {
    const running =
      from === undefined
        ? this.#fromHere(hardware)
        : this.#active.runFrom(hardware, trialPlace(this.#deps, from));
    return running?.then(async (checks) => {
      await this.#check(keyOf(hardware));
      return checks;
    });
  }

  #fromHere(hardware: Hardware): Promise<readonly Check[]> | undefined {
    const { journal } = this.#deps;
    const macs = macsOf(hardware);
    const first = bootsIn(this.#timelines.of(macs)).at(-1)?.[0]?.sequence ?? 0;
    return this.#active.run(hardware, () => printedSince(journal, macs, first));
  }

  /** Resolves after the signal, when no check is running. */
  async run(signal: AbortSignal): Promise<void> {
    const { journal, view, clock } = this.#deps;
    const waiting: JournalRecord[] = [];
    let readUpTo = Number.POSITIVE_INFINITY;
    const unfollow = journal.follow({}, (record) => {
      if (readUpTo === Number.POSITIVE_INFINITY) waiting.push(record);
      else if (record.sequence > readUpTo) this.#take(record);
    });
    const unwatch = view.onChange((change) => this.#changed(change));
    const last = await this.#readJournal(signal);
    for (const record of waiting.splice(0)) if (record.sequence > last) this.#take(record);
    readUpTo = last;
    await this.#learnAll(signal);
    if (!signal.aborted) this.#hasReadAll.resolve();
    await this.#checkAllSoon();
    let checking = Promise.resolve();
    repeat(clock, { everyMs: TICK_MS, signal }, () => (checking = this.#tick(signal)));
    await aborted(signal);
    unfollow();
    unwatch();
    await checking;
  }

  /** Not in `run`, which would keep them as they are now for as long as the doctor works. */
  async #checkAllSoon(): Promise<void> {
    const { view, clock } = this.#deps;
    const all = hardwareCollection.all(view).values().map(keyOf);
    await inTurns(this.#schedule.allSoon(all, clock.nowMs()));
  }

  /** Returns the sequence of the last record. */
  async #readJournal(signal: AbortSignal): Promise<number> {
    const { journal, clock, log } = this.#deps;
    const startedMs = clock.nowMs();
    let after = 0;
    while (!signal.aborted) {
      try {
        const records = await journal.read({ after, limit: PAGE });
        for (const record of records) this.#remember(record);
        this.#condenseOld(records);
        const lastMs = records.findLast(({ atMs }) => atMs < startedMs)?.atMs;
        if (lastMs !== undefined) this.#down = { fromMs: lastMs, untilMs: startedMs };
        after = records.at(-1)?.sequence ?? after;
        if (records.length < PAGE) break;
      } catch (thrown) {
        log.warn('the doctor cannot read the journal', { error: String(thrown) });
        break;
      }
      await delay(clock, PAUSE_MS, signal);
    }
    return after;
  }

  /** Learns from the boots of machines with many records, which the journal of years has, and condenses them. */
  #condenseOld(records: readonly JournalRecord[]): void {
    for (const machine of new Set(records.map((record) => record.machine))) {
      if (machine === undefined || this.#timelines.of([machine]).length < CONDENSED_FROM) continue;
      const [hardware] = this.#deps.view.hardwareByMac(machine);
      if (hardware !== undefined) this.#learn(hardware);
      this.#timelines.condenseBefore(machine);
    }
  }

  #remember(record: JournalRecord): readonly Hardware[] {
    if (REPORTED.includes(record.event)) {
      this.reported.push(record);
      if (this.reported.length > REPORTED_KEPT) this.reported.shift();
    } else this.#timelines.add(record);
    return this.#network.take(record);
  }

  #take(record: JournalRecord): void {
    const nowMs = this.#deps.clock.nowMs();
    const similarOnes = this.#remember(record);
    if (REPORTED.includes(record.event)) return;
    for (const similar of similarOnes) this.#schedule.soon(keyOf(similar), nowMs + SOON_MS);
    if (record.machine === undefined) return;
    for (const hardware of this.#deps.view.hardwareByMac(record.machine)) {
      const key = keyOf(hardware);
      const isBooting = this.#deps.verdicts.get(key)?.state === 'booting' && this.#schedule.has(key);
      const isDecisive =
        DECISIVE.includes(record.event) ||
        /refused|ignored|declined|failed|missing|not-found/.test(record.event);
      this.#schedule.soon(key, nowMs + (!isBooting || isDecisive ? SOON_MS : LATER_MS));
    }
  }

  #changed(change: Change): void {
    const nowMs = this.#deps.clock.nowMs();
    if (hardwareCollection.holds(change)) {
      const key = keyOf(change.object);
      if (change.type !== 'deleted') {
        if (this.#seen.isNews(change.object)) this.#schedule.soon(key, nowMs + SOON_MS);
        return;
      }
      this.#schedule.remove(key);
      this.#learned.delete(key);
      this.#active.forget(key);
      this.#deps.verdicts.delete(key);
    } else if (workflowCollection.holds(change)) {
      const { metadata, spec } = change.object;
      const key = `${metadata.namespace}/${spec?.hardwareRef ?? ''}`;
      if (this.#deps.verdicts.get(key)?.state !== 'working') this.#schedule.soon(key, nowMs + SOON_MS);
    }
  }

  async #tick(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps;
    this.#tryStopped();
    let [turnFromMs, earlierMs] = [clock.monotonicMs(), 0];
    for (const key of this.#schedule.due(clock.nowMs())) {
      const turnMs = clock.monotonicMs() - turnFromMs;
      if (signal.aborted || earlierMs + turnMs >= BUDGET_MS) return;
      if (turnMs >= TURN_MS) {
        await delay(clock, 0, signal);
        earlierMs += turnMs;
        turnFromMs = clock.monotonicMs();
      }
      this.#schedule.remove(key);
      try {
        await this.#check(key);
      } catch (thrown) {
        log.warn('a machine could not be checked', { machine: key, error: String(thrown) });
      }
    }
  }

  #noteStop(key: string, verdict: Verdict): void {
    const before = this.#deps.verdicts.get(key);
    if (this.#config.activeChecks && isNewStop(verdict, before)) this.#untried.add(key);
  }

  /** Starts the active checks of machines that stand still. The others wait for the next tick. */
  #tryStopped(): void {
    const { view, log, verdicts } = this.#deps;
    for (const key of this.#untried) {
      if (this.#active.isFull) return;
      this.#untried.delete(key);
      const [namespace = '', name = ''] = key.split('/');
      const hardware = view.hardwareNamed(namespace, name);
      if (hardware === undefined || verdicts.get(key)?.state !== 'stopped') continue;
      for (const place of [undefined, ...this.#oneOfEach(hardware)])
        void this.checkNow(hardware, place)?.catch((thrown: unknown) =>
          log.warn('the active checks of a machine failed', { machine: key, error: String(thrown) }),
        );
    }
  }

  #oneOfEach(hardware: Hardware): readonly CheckedFrom[] {
    const neighbours = neighboursOf(this.#deps, hardware).map((neighbour) => ({ neighbour }));
    const relays = relaysOf(this.#deps.relays, hardware).map((relay) => ({ relay }));
    return [...neighbours.slice(0, 1), ...relays.slice(0, 1)];
  }

  async #check(key: string): Promise<void> {
    const { view, clock, journal, verdicts } = this.#deps;
    const [namespace = '', name = ''] = key.split('/');
    const hardware = view.hardwareNamed(namespace, name);
    if (hardware === undefined) return verdicts.delete(key);
    this.#metrics.checks.add();
    const observation = observationOf(
      {
        ...this.#deps,
        ...this.#config,
        timelines: this.#timelines,
        network: this.#network,
        usual: this.#usual,
        triedOf: (machine) => this.#active.of(machine),
        ...(this.#down === undefined ? {} : { down: this.#down }),
      },
      hardware,
      clock.nowMs(),
    );
    let { verdict, againMs } = diagnose(observation);
    const start = verdict.state === 'stopped' ? startOfKernel(observation.records) : undefined;
    if (start !== undefined) {
      const printed = await printedSince(journal, macsOf(hardware), start);
      ({ verdict, againMs } = diagnose({ ...observation, printed }));
    }
    this.#noteStop(key, verdict);
    verdicts.set(key, verdict);
    if (againMs !== undefined) this.#schedule.soon(key, againMs);
    if (verdict.state === 'working' || verdict.state === 'healthy') this.#learn(hardware);
    if (verdict.state === 'healthy') this.#timelines.condense(macsOf(hardware));
    for (const listener of this.#listeners) listener(hardware, verdict);
  }

  /** Learns from the boots of former runs, a few machines at a time. */
  async #learnAll(signal: AbortSignal): Promise<void> {
    const all = hardwareCollection
      .all(this.#deps.view)
      .filter((hardware) => this.#timelines.of(macsOf(hardware)).length > 0);
    for (let at = 0; at < all.length && !signal.aborted; at += LEARNED_AT_ONCE) {
      for (const hardware of all.slice(at, at + LEARNED_AT_ONCE)) this.#learn(hardware);
      await delay(this.#deps.clock, 0, signal);
    }
  }

  /** Learns from each boot that got to its agent or its disk, once. */
  #learn(hardware: Hardware): void {
    const key = keyOf(hardware);
    const records = this.#timelines.of(macsOf(hardware));
    for (const boot of bootsIn(records)) {
      const first = boot[0]?.sequence ?? 0;
      if (!boot.some(isArrival) || first <= (this.#learned.get(key) ?? 0)) continue;
      this.#learned.set(key, first);
      this.#usual.learn(modelOf(hardware), stepDurations(boot, records));
    }
  }
}

function isNewStop({ state, cause }: Verdict, before: Verdict | undefined): boolean {
  return state === 'stopped' && (before?.state !== 'stopped' || before.cause !== cause);
}

function isArrival({ source, details }: TimelineRecord): boolean {
  return source === 'agent' || details?.['outcome'] === 'local-boot';
}
