/** Cuts off clients that send or read a body so slowly that it must be intentional. */
import { inTurns, repeat, type Clock } from '@tinkerbell/platform-contract';
import { Transform, type Readable, type Writable } from 'node:stream';

const SWEEP_MS = 10_000;
/**
 * The minimum rate of a request's body. The slowest line over which a machine is installed is a hundred times
 * faster.
 */
const BYTES_PER_SWEEP_MIN = 2560;
/** The number of sweeps for which a client may pause the response. */
const STILL_SWEEPS_MAX = 6;

interface Watched {
  /** Returns false when the client must be cut off. */
  check(): boolean;
  cut(): void;
}

export class SlowClients {
  readonly #watched = new Set<Watched>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  start(signal: AbortSignal): void {
    repeat(this.#clock, { everyMs: SWEEP_MS, signal }, () => this.sweep());
  }

  /** Checks all, in turns, because there may be thousands. */
  sweep(): Promise<void> {
    return inTurns(this.#sweeping());
  }

  *#sweeping(): Generator<undefined, void> {
    for (const one of this.#watched) {
      if (!one.check()) {
        this.#watched.delete(one);
        one.cut();
      }
      yield undefined;
    }
  }

  /** Counts as too slow only while the gateway is ready to read more. */
  watchUpload(source: Readable, bytes: () => number, cut: () => void): void {
    let before = -BYTES_PER_SWEEP_MIN;
    this.#until(source, {
      cut,
      check() {
        const isEnough = source.isPaused() || bytes() - before >= BYTES_PER_SWEEP_MIN;
        before = bytes();
        return isEnough;
      },
    });
  }

  /**
   * Also cuts off a client that does not read a response that is ready. `bytes` is what was read from the
   * upstream so far.
   */
  watchDownload(sink: Writable, bytes: () => number, cut: () => void): void {
    let [before, still] = ['', 0];
    this.#until(sink, {
      cut,
      check() {
        const now = `${bytes()} ${sink.writableLength}`;
        const isWaiting = sink.writableLength > 0 || sink.writableEnded;
        still = isWaiting && now === before ? still + 1 : 0;
        before = now;
        return still < STILL_SWEEPS_MAX;
      },
    });
  }

  #until(stream: Readable | Writable, watched: Watched): void {
    // Its client has disconnected meanwhile, and it has no event any more.
    if (stream.destroyed) return;
    this.#watched.add(watched);
    for (const event of ['end', 'close']) stream.once(event, () => this.#watched.delete(watched));
  }
}

export interface MeteredBody {
  readonly body: Readable;
  readonly bytes: () => number;
}

/** Returns the same body, counted. It calls `onTooLarge` once, and forwards nothing after it. */
export function meteredBody(source: Readable, max: number, onTooLarge: () => void): MeteredBody {
  let count = 0;
  const body = new Transform({
    transform(chunk: Uint8Array, _, done) {
      count += chunk.length;
      if (count <= max) return done(null, chunk);
      onTooLarge();
    },
  });
  source.pipe(body);
  return { body, bytes: () => count };
}
