/** A doctor with the memory store, a real journal, and a clock that a test advances. */
import { UsualDurations, Verdicts } from '@tinkerbell/diagnosis';
import type { AddressProbe, AgentTrials, Clock, Log } from '@tinkerbell/platform-contract';
import { samplesOf } from '@tinkerbell/platform-metrics';
import { createNodeHttpClient, nodeHmac, nodeRandom } from '@tinkerbell/platform-node';
import type { Hardware, Resource } from '@tinkerbell/resources';
import type { JournalEntry, Store } from '@tinkerbell/store-contract';
import { openSqliteJournal } from '@tinkerbell/store-journal';
import { createMemoryStore } from '@tinkerbell/store-memory';
import { createStoreView } from '@tinkerbell/store-view';
import {
  createDoctorReporter,
  createDoctorService,
  type CheckedFrom,
  type DoctorDeps,
  type WebhookConfig,
} from '../index.ts';

export const MAC = '52:54:00:00:00:01';

export class HandClock implements Clock {
  #nowMs = Date.parse('2026-01-02T03:04:05Z');
  #tasks: { readonly atMs: number; readonly task: () => void }[] = [];

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  schedule(delayMs: number, task: () => void): () => void {
    const entry = { atMs: this.#nowMs + delayMs, task };
    this.#tasks.push(entry);
    return () => void (this.#tasks = this.#tasks.filter((one) => one !== entry));
  }

  /** Runs what becomes due, in steps of half a second, and lets promises settle after each. */
  async advance(seconds: number): Promise<void> {
    for (let step = 0; step < seconds * 2; step += 1) {
      this.#nowMs += 500;
      for (const due of this.#tasks.filter(({ atMs }) => atMs <= this.#nowMs)) {
        this.#tasks = this.#tasks.filter((one) => one !== due);
        due.task();
      }
      await settled();
    }
  }
}

/** A commit in memory takes a few turns. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
}

export function hardwareNamed(name: string, mac = MAC): Hardware {
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name, namespace: 'default', uid: `uid-of-${name}` },
    spec: { interfaces: [{ dhcp: { mac }, netboot: { allowPXE: true } }] },
  };
}

export interface DoctorOptions {
  /** Default: in memory. */
  readonly path?: string;
  readonly store?: Store;
  readonly clock?: HandClock;
  readonly objects?: readonly Resource[];
  readonly webhooks?: Partial<WebhookConfig>;
  /** False: another server reports. */
  readonly reports?: boolean;
  /** Default: no address has a holder. */
  readonly probe?: AddressProbe;
  /** Default: each BMC reports that the power is on. */
  readonly readBmc?: DoctorDeps['readBmc'];
  readonly activeChecks?: boolean;
  /** Default: no agent is connected. */
  readonly agents?: AgentTrials;
}

export async function startDoctor(options: DoctorOptions = {}) {
  const { path = ':memory:', clock = new HandClock(), store = createMemoryStore(), reports = true } = options;
  const logged: string[] = [];
  const write = (message: string, fields?: object): void =>
    void logged.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { debug: write, info: write, warn: write, error: write, child: () => log };
  const journal = openSqliteJournal({ path, clock, log });
  const view = createStoreView({ store, clock, log });
  const stopping = new AbortController();
  for (const object of options.objects ?? [hardwareNamed('m1')]) await create(store, object);
  await view.start(stopping.signal);
  const verdicts = new Verdicts();
  const deps = {
    store,
    view,
    journal,
    clock,
    log,
    verdicts,
    random: nodeRandom,
    hmac: nodeHmac,
    httpClient: createNodeHttpClient(),
    usual: new UsualDurations(),
    probe: options.probe ?? { holderOf: () => Promise.resolve(undefined) },
    readBmc: options.readBmc ?? (() => Promise.resolve({ power: 'on' })),
    ...(options.agents === undefined ? {} : { agents: options.agents }),
  };
  const config = {
    serverAddress: '10.0.0.1',
    ports: [{ name: 'TFTP', asks: 'tftp', port: 69 }] as const,
    activeChecks: options.activeChecks ?? false,
    webhooks: { urls: [], format: 'json', ...options.webhooks } as const,
  };
  const doctor = createDoctorService(deps, config);
  const reporter = createDoctorReporter(deps, config, doctor);
  const services = reports ? [doctor, reporter] : [doctor];
  for (const service of services) await service.start(stopping.signal);
  await settled();
  return {
    clock,
    store,
    journal,
    verdicts,
    checkNow: (hardware: Hardware, from?: CheckedFrom) => doctor.checkNow(hardware, from),
    relays: doctor.relays,
    relaysOf: (hardware: Hardware) => doctor.relaysOf(hardware),
    hasAgent: (neighbour: Hardware) => doctor.hasAgent(neighbour),
    neighboursOf: (hardware: Hardware) => doctor.neighboursOf(hardware),
    logged,
    usual: deps.usual,
    counters: () => ({ ...samplesOf(doctor.metrics), ...samplesOf(reporter.metrics) }),
    create: (object: Resource) => create(store, object),
    append(...entries: readonly JournalEntry[]): void {
      for (const entry of entries) journal.append(entry);
    },
    async condition(name: string) {
      const stored = await store.get({ collection: 'hardware.tinkerbell.org', namespace: 'default', name });
      const hardware = stored?.object as Hardware | undefined;
      return hardware?.status?.conditions?.find(({ type }) => type === 'BootHealthy');
    },
    async recorded(event: string) {
      return (await journal.read({ after: 0 })).filter((record) => record.event === event);
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await settled();
      await Promise.all(services.map((service) => service.stopped()));
      await journal.close();
    },
  };
}

async function create(store: Store, object: Resource): Promise<void> {
  const collections: Readonly<Record<string, string>> = {
    Hardware: 'hardware.tinkerbell.org',
    Workflow: 'workflows.tinkerbell.org',
    Machine: 'machines.bmc.tinkerbell.org',
  };
  const { name, namespace } = object.metadata;
  const key = { collection: collections[object.kind] ?? '', namespace, name };
  await store.commit([{ operation: 'create', key, object }]);
}

export const offer = (machine = MAC): JournalEntry => ({
  source: 'dhcp',
  event: 'offer-sent',
  machine,
  message: 'discover from PXE firmware: offer',
  details: { address: '10.0.0.5', file: 'ipxe.efi', client: 'PXE firmware', architecture: 7 },
});

export const acknowledge = (machine = MAC): JournalEntry => ({
  ...offer(machine),
  event: 'acknowledge-sent',
});

export const localBoot = (machine = MAC): JournalEntry => ({
  source: 'http',
  event: 'script-served',
  machine,
  message: 'iPXE script served: local-boot',
  details: { outcome: 'local-boot' },
});
