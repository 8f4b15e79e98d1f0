/** Records the serial consoles of the machines that ask for it, while it runs. One of several servers runs it. */
import { inSlices, repeat, type Service } from '@tinkerbell/platform-contract';
import { primaryMacOf, type Hardware } from '@tinkerbell/resources';
import { CONSOLE_OUTPUT, hardwareCollection, type Change } from '@tinkerbell/store-contract';
import type { SerialConfig, SerialDeps } from '../config.ts';
import type { SerialMetrics } from '../metrics.ts';
import type { SharedConsoles } from '../shared-console.ts';
import { recordConsole } from '../timeline.ts';
import { watchedMachine } from '../watched-machine.ts';
import { blanked, secretsOf } from './blank-secrets.ts';
import { record } from './recording.ts';

/** `true` records the console of a Hardware, and `false` does not, whatever the flag says. */
export const RECORD_ANNOTATION = 'tinkerbell.org/record-console';
/** Finds what no change of a Hardware reports: a new or changed Machine, a view that was listed again, and a place that is free. */
const SCAN_EVERY_MS = 30_000;
/** Each has a session at a BMC, and the lines of a boot. */
const RECORDINGS_MAX = 1000;

interface RecorderDeps extends Pick<SerialDeps, 'view' | 'journal' | 'clock' | 'log'> {
  readonly consoles: SharedConsoles;
  readonly metrics: SerialMetrics;
}

interface Running {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  /** The BMC that was used at the start. It begins again when this changes. */
  readonly machine: string;
}

export function createConsoleRecorder(deps: RecorderDeps, config: Pick<SerialConfig, 'recordsAll'>): Service {
  const recorder = new ConsoleRecorder(deps, config);
  const { promise: stopped, resolve } = Promise.withResolvers<void>();
  return {
    name: 'console-recorder',
    routes: [],
    stopped: () => stopped,
    health: () => ({ ready: true }),
    start(signal) {
      const stopFollowing = deps.view.onChange((change) => recorder.changed(change));
      void recorder.scan(signal);
      repeat(deps.clock, { everyMs: SCAN_EVERY_MS, signal }, () => recorder.scan(signal));
      signal.addEventListener('abort', () => {
        stopFollowing();
        void recorder.close().then(resolve);
      });
      return Promise.resolve();
    },
  };
}

class ConsoleRecorder {
  readonly #deps: RecorderDeps;
  readonly #recordsAll: boolean;
  readonly #running = new Map<string, Running>();
  #isFull = false;

  constructor(deps: RecorderDeps, { recordsAll }: Pick<SerialConfig, 'recordsAll'>) {
    this.#deps = deps;
    this.#recordsAll = recordsAll;
    deps.metrics.recordings.from(() => this.#running.size);
  }

  changed(change: Change): void {
    if (!hardwareCollection.holds(change)) return;
    if (change.type === 'deleted') this.#stop(keyOf(change.object));
    else this.#update(change.object);
  }

  async scan(signal: AbortSignal): Promise<void> {
    const { view, clock } = this.#deps;
    for (const key of this.#running.keys()) {
      const [namespace = '', name = ''] = key.split('/');
      if (view.hardwareNamed(namespace, name) === undefined) this.#stop(key);
    }
    await inSlices(hardwareCollection.all(view), { clock, signal }, ({ metadata: { namespace, name } }) => {
      const hardware = view.hardwareNamed(namespace, name);
      if (hardware !== undefined) this.#update(hardware);
    });
  }

  #update(hardware: Hardware): void {
    const key = keyOf(hardware);
    const known = this.#running.get(key);
    const machine = this.#isWanted(hardware) ? watchedMachine(this.#deps.view, hardware) : '';
    const wanted = typeof machine === 'string' ? undefined : JSON.stringify(machine);
    if (wanted === known?.machine) return;
    this.#stop(key);
    if (wanted !== undefined) this.#start(key, hardware, wanted);
  }

  async close(): Promise<void> {
    const running = [...this.#running.values()];
    for (const key of this.#running.keys()) this.#stop(key);
    await Promise.all(running.map(({ ended }) => ended));
  }

  #isWanted({ metadata, spec }: Hardware): boolean {
    const asked = metadata.annotations?.[RECORD_ANNOTATION];
    return asked === 'true' || (this.#recordsAll && asked !== 'false' && spec?.bmcRef?.name !== undefined);
  }

  #start(key: string, hardware: Hardware, machine: string): void {
    if (this.#running.size >= RECORDINGS_MAX) {
      if (!this.#isFull)
        this.#deps.log.warn('some serial consoles are not recorded', { most: RECORDINGS_MAX, first: key });
      this.#isFull = true;
      return;
    }
    const stop = new AbortController();
    const { namespace, name } = hardware.metadata;
    // Read each time, because secrets and the BMC may have changed.
    const current = (): Hardware => this.#deps.view.hardwareNamed(namespace, name) ?? hardware;
    const ended = record(
      {
        ...this.#deps,
        machine: () => watchedMachine(this.#deps.view, current()),
        record: (lines) => this.#record(current(), lines),
        lost: (reason) => this.#lost(current(), reason),
      },
      stop.signal,
    ).catch((error: unknown) => {
      this.#deps.log.error('recording a serial console failed', { machine: key, error: String(error) });
    });
    this.#running.set(key, { stop, ended, machine });
  }

  #stop(key: string): void {
    this.#running.get(key)?.stop.abort();
    this.#running.delete(key);
  }

  #record(hardware: Hardware, lines: readonly string[]): void {
    const machine = primaryMacOf(hardware);
    if (machine === undefined) return;
    const secrets = secretsOf(hardware);
    this.#deps.metrics.recordedLines.add({}, lines.length);
    for (const line of lines)
      this.#deps.journal.append({
        source: 'bmc',
        event: CONSOLE_OUTPUT,
        machine,
        message: blanked(line, secrets),
      });
  }

  #lost(hardware: Hardware, reason: string): void {
    const message = `the serial console of ${hardware.metadata.name} is not recorded: ${reason}`;
    recordConsole(this.#deps.journal, hardware, { event: 'console-lost', message });
  }
}

function keyOf({ metadata }: Hardware): string {
  return `${metadata.namespace}/${metadata.name}`;
}
