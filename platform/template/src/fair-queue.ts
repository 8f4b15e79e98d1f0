/**
 * Queues renderings by namespace, and by author within a namespace. The owner that has used the least time is next. So a template
 * never waits for the backlog of another namespace, and no one can take all threads.
 */
import type { RenderOwner } from '@tinkerbell/engine-rendering';

export interface FairLimits {
  /** The number of active renderings of one namespace, and of one author in it. */
  readonly namespaceAtOnce: number;
  readonly authorAtOnce: number;
}

/** Within a namespace, renderings come before checks, because checks only validate. */
export type Urgency = 'rendering' | 'check';

/** The expected time for an author that is not known yet. */
const FIRST_COST_MS = 5;
/** Authors without waiting requests are remembered for the time they have used. Those beyond this number are forgotten. */
const REMEMBERED_MAX = 1000;

export interface Taken<Item> {
  readonly item: Item;
  /** Call it once, when the rendering has ended. */
  done(ranMs: number): void;
}

export class FairQueue<Item> {
  readonly #limits: FairLimits;
  readonly #namespaces = new Shares<Namespace<Item>>();

  constructor(limits: FairLimits) {
    this.#limits = limits;
  }

  /** The number of waiting requests of an owner with that urgency. */
  waiting({ namespace, author }: RenderOwner, urgency: Urgency): number {
    return this.#namespaces.get(namespace)?.authors.get(author)?.items[urgency].length ?? 0;
  }

  /** The number of all waiting requests. */
  count(urgency: Urgency): number {
    let count = 0;
    for (const { authors } of this.#namespaces.all())
      for (const { items } of authors.all()) count += items[urgency].length;
    return count;
  }

  /** The number of remembered namespaces. */
  owners(): number {
    return this.#namespaces.size;
  }

  add({ namespace, author }: RenderOwner, urgency: Urgency, item: Item): void {
    const within = this.#namespaces.enter(namespace, () => new Namespace());
    within.authors.enter(author, () => new Author()).items[urgency].push(item);
  }

  /** Returns undefined when nothing waits, or when every waiting owner is at its limit. */
  take(): Taken<Item> | undefined {
    const { namespaceAtOnce, authorAtOnce } = this.#limits;
    const mayTake = (author: Author<Item>): boolean => author.isWaiting() && author.running < authorAtOnce;
    const namespace = this.#namespaces.least(
      (one) => one.running < namespaceAtOnce && one.authors.some(mayTake),
    );
    const hasRendering = namespace?.authors.some((one) => mayTake(one) && one.items.rendering.length > 0);
    const author = namespace?.authors.least(
      (one) => mayTake(one) && (hasRendering === false || one.items.rendering.length > 0),
    );
    const item = author?.items.rendering.shift() ?? author?.items.check.shift();
    if (namespace === undefined || author === undefined || item === undefined) return undefined;
    // The expected cost counts at once, because several renderings may start before the first has ended.
    const expectedMs = author.costMs;
    charge([namespace, author], expectedMs, 1);
    return {
      item,
      done: (ranMs) => {
        author.costMs = ranMs;
        charge([namespace, author], ranMs - expectedMs, -1);
        namespace.authors.forget();
        this.#namespaces.forget();
      },
    };
  }
}

function charge(shares: readonly Share[], ms: number, running: number): void {
  for (const share of shares) {
    share.usedMs += ms;
    share.running += running;
  }
}

interface Share {
  usedMs: number;
  running: number;
  isWaiting(): boolean;
}

class Namespace<Item> implements Share {
  usedMs = 0;
  running = 0;
  readonly authors = new Shares<Author<Item>>();

  isWaiting(): boolean {
    return this.authors.some((author) => author.isWaiting());
  }
}

class Author<Item> implements Share {
  usedMs = 0;
  running = 0;
  /** The time of its last rendering. */
  costMs = FIRST_COST_MS;
  readonly items: Readonly<Record<Urgency, Item[]>> = { rendering: [], check: [] };

  isWaiting(): boolean {
    return this.items.rendering.length > 0 || this.items.check.length > 0;
  }
}

class Shares<Value extends Share> {
  readonly #shares = new Map<string, Value>();
  /** The time used by the owner that was served last. A returning owner has saved nothing up, and a new owner owes nothing. */
  #levelMs = 0;

  get size(): number {
    return this.#shares.size;
  }

  get(name: string): Value | undefined {
    return this.#shares.get(name);
  }

  all(): Iterable<Value> {
    return this.#shares.values();
  }

  some(test: (share: Value) => boolean): boolean {
    for (const share of this.#shares.values()) if (test(share)) return true;
    return false;
  }

  enter(name: string, make: () => Value): Value {
    const share = this.#shares.get(name) ?? make();
    const isIdle = share.running === 0 && !share.isWaiting();
    if (isIdle) share.usedMs = Math.max(share.usedMs, this.#levelMs);
    this.#shares.set(name, share);
    return share;
  }

  least(test: (share: Value) => boolean): Value | undefined {
    let found: Value | undefined;
    for (const share of this.#shares.values())
      if (test(share) && (found === undefined || share.usedMs < found.usedMs)) found = share;
    if (found !== undefined) this.#levelMs = Math.max(this.#levelMs, found.usedMs);
    return found;
  }

  /** Forgets owners that wait for nothing and owe nothing. Beyond a bound it forgets every owner that waits for nothing. */
  forget(): void {
    const isFull = this.#shares.size > REMEMBERED_MAX;
    for (const [name, share] of this.#shares) {
      const isIdle = share.running === 0 && !share.isWaiting();
      if (isIdle && (isFull || share.usedMs <= this.#levelMs)) this.#shares.delete(name);
    }
  }
}
