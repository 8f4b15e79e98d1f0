import type { Mac } from '@tinkerbell/wire';
import type { BootDeps } from '../config.ts';
import type { BootMetrics } from '../metrics.ts';
import type { IsoImage } from './image.ts';
import { RateGate } from '../rate-gate.ts';

/** A mount is thousands of requests for a few kilobytes each, with pauses. It is over after this time without a request. */
const QUIET_MS = 60_000;
/** The number of machines that read images at once. Further ones are counted, not recorded. */
const MOUNTS_MAX = 1_000;
/** As with scripts: a machine that repeats its requests must not evict everything else from the bounded journal. */
const REFUSED_GATE = { intervalMs: 10_000, keysMax: 500 } as const;
const QUARTERS = 4;

export interface IsoTransfer {
  readonly mac: Mac;
  readonly peer: string;
  readonly image: IsoImage;
  /** False when the client requested the whole image at once. */
  readonly isRange: boolean;
  readonly leftOut: readonly string[];
}

interface Mount {
  readonly image: IsoImage;
  readonly startedMs: number;
  /** The time at which bytes were last sent. */
  lastMs: number;
  requests: number;
  running: number;
  sentBytes: number;
  quartersTold: number;
  stopWaiting: () => void;
  /** False when there are too many, or after the machine has begun to read another image. */
  isWritten: boolean;
}

interface Entry {
  readonly event: string;
  readonly message: string;
  readonly details: Readonly<Record<string, string | number>>;
}

/** Records how a machine, or its BMC, reads an image. All its requests until it is quiet are one mount. */
export class IsoTimeline {
  readonly #deps: Pick<BootDeps, 'clock' | 'journal' | 'log'>;
  readonly #metrics: BootMetrics;
  readonly #refusals: RateGate;
  readonly #mounts = new Map<Mac, Mount>();

  constructor(deps: Pick<BootDeps, 'clock' | 'journal' | 'log'>, metrics: BootMetrics) {
    this.#deps = deps;
    this.#metrics = metrics;
    this.#refusals = new RateGate(deps.clock, REFUSED_GATE);
  }

  refused(refusal: {
    readonly mac?: Mac;
    readonly peer: string;
    readonly reason: string;
    readonly message: string;
  }): void {
    const { mac, peer, reason, message } = refusal;
    this.#metrics.isoRequests.add({ outcome: reason });
    this.#deps.log.debug('ISO image refused', { mac, peer, reason, detail: message });
    if (mac === undefined || reason === 'no-hardware' || !this.#refusals.passes(`${mac} ${reason}`)) return;
    const details = { reason };
    this.#append(mac, { event: 'iso-refused', message: `no ISO image: ${message}`, details });
  }

  /** Returns callbacks for sent bytes and for the end. */
  begin(transfer: IsoTransfer): { sent(bytes: number): void; ended(isWhole: boolean): void } {
    const { mac, isRange } = transfer;
    const mount = this.#mountOf(transfer);
    mount.requests += 1;
    mount.running += 1;
    mount.stopWaiting();
    return {
      sent: (bytes) => {
        mount.sentBytes += bytes;
        mount.lastMs = this.#deps.clock.monotonicMs();
        this.#metrics.isoSentBytes.add({}, bytes);
        this.#tellProgress(mac, mount);
      },
      ended: (isWhole) => {
        mount.running -= 1;
        this.#metrics.isoRequests.add({ outcome: isWhole ? 'sent' : 'broken-off' });
        // A BMC cancels ranges at will. A client that requested the whole image and did not get it has a
        // problem.
        if (!isWhole && !isRange)
          this.#tell(mac, mount, { event: 'transfer-failed', message: `broken off: ${amount(mount)}` });
        if (mount.running > 0 || !mount.isWritten) return;
        mount.stopWaiting = this.#deps.clock.schedule(QUIET_MS, () => this.#close(mac, mount));
      },
    };
  }

  stop(): void {
    for (const mount of this.#mounts.values()) {
      mount.stopWaiting();
      mount.isWritten = false;
    }
    this.#mounts.clear();
  }

  #mountOf({ mac, peer, image, leftOut }: IsoTransfer): Mount {
    const found = this.#mounts.get(mac);
    if (found?.image === image) return found;
    found?.stopWaiting();
    if (found !== undefined) found.isWritten = false;
    const startedMs = this.#deps.clock.monotonicMs();
    const mount: Mount = {
      image,
      startedMs,
      lastMs: startedMs,
      requests: 0,
      running: 0,
      sentBytes: 0,
      quartersTold: 0,
      stopWaiting: () => undefined,
      isWritten: found !== undefined || this.#mounts.size < MOUNTS_MAX,
    };
    if (!mount.isWritten) return mount;
    this.#mounts.set(mac, mount);
    const without = leftOut.length === 0 ? '' : `; left out: ${leftOut.join('; ')}`;
    const message = `${peer} reads ${image.from}, ${megabytes(image.sizeBytes)} MB${without}`;
    this.#append(mac, { event: 'iso-started', message, details: { peer, bytes: image.sizeBytes } });
    return mount;
  }

  #tellProgress(mac: Mac, mount: Mount): void {
    const quarters = Math.floor((QUARTERS * mount.sentBytes) / mount.image.sizeBytes);
    if (quarters <= mount.quartersTold || mount.quartersTold === QUARTERS) return;
    mount.quartersTold = Math.min(quarters, QUARTERS);
    if (mount.quartersTold === QUARTERS)
      return this.#tell(mac, mount, { event: 'iso-sent', message: `sent: ${amount(mount)}` });
    const message = `${25 * mount.quartersTold} %: ${amount(mount)}`;
    this.#tell(mac, mount, { event: 'iso-progressed', message });
  }

  #close(mac: Mac, mount: Mount): void {
    if (this.#mounts.get(mac) === mount) this.#mounts.delete(mac);
    if (mount.quartersTold === QUARTERS) return;
    this.#tell(mac, mount, { event: 'iso-ended', message: `no longer read: ${amount(mount)}` });
  }

  #tell(mac: Mac, mount: Mount, { event, message: what }: Omit<Entry, 'details'>): void {
    if (!mount.isWritten) return;
    const { sentBytes: bytes, requests, startedMs, lastMs } = mount;
    const milliseconds = Math.round(lastMs - startedMs);
    const message = `ISO image ${what} in ${milliseconds} ms`;
    this.#append(mac, { event, message, details: { bytes, requests, milliseconds } });
  }

  #append(mac: Mac, entry: Entry): void {
    this.#deps.journal.append({ source: 'http', machine: mac, ...entry });
  }
}

function amount({ sentBytes, image, requests }: Mount): string {
  return `${megabytes(sentBytes)} of ${megabytes(image.sizeBytes)} MB by ${requests} requests`;
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
