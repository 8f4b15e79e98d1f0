/**
 * Decides which trace the steps of a machine belong to: the trace of its current boot. A client without a
 * name is known by its MAC.
 */
import { setLatest, type Clock, type SpanContext } from '@tinkerbell/platform-contract';

/**
 * Enough for a site that is switched on at once. The machine heard of least recently is forgotten first, and starts a new trace.
 */
const MACHINES_MAX = 16_384;
/** Firmware repeats its requests for up to a minute before it gives up. That counts as one boot. */
const BOOT_MS = 60_000;

interface Known {
  readonly context: SpanContext;
  readonly begunMs: number;
}

export class MachineTraces {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  /** The entries are in order of use. */
  readonly #known = new Map<string, Known>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** Returns the parent of a machine's step. Returns undefined when the step starts a trace. */
  parentOf(machine: string, beginsBoot: boolean): SpanContext | undefined {
    const known = this.#known.get(machine);
    if (known === undefined) return undefined;
    if (beginsBoot && this.#clock.monotonicMs() - known.begunMs >= BOOT_MS) return undefined;
    this.#known.delete(machine);
    this.#known.set(machine, known);
    return known.context;
  }

  /** A step without a parent has started a trace. */
  begun(machine: string, context: SpanContext): void {
    setLatest(this.#known, [machine, { context, begunMs: this.#clock.monotonicMs() }], MACHINES_MAX);
  }
}
