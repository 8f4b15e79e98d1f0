/**
 * What waits to be rendered, by namespace and in it by author. Next comes who has used the least time, so that a template
 * of another namespace waits for none of those that wait here, and nobody may take all threads.
 */
import type { RenderOwner } from '@tinkerbell/engine-rendering';

export interface FairLimits {
  /** Renderings of one namespace, and of one author in it, under way at a time. */
  readonly namespaceAtOnce: number;
  readonly authorAtOnce: number;
}

/** In a namespace renderings come before checks, which only want to know. */
export type Urgency = 'rendering' | 'check';

/** An author that is not known yet is expected to need so much. */
const FIRST_COST_MS = 5;
/** Authors who wait for nothing are remembered for the time they have used; those beyond so many are forgotten. */
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

  /** Of an owner, and of that urgency. */
  waiting({ namespace, author }: RenderOwner, urgency: Urgency): number {
    return this.#namespaces.get(namespace)?.authors.get(author)?.items[urgency].length ?? 0;
  }

  /** Of all. */
  count(urgency: Urgency): number {
    let count = 0;
    for (const { authors } of this.#namespaces.all())
      for (const { items } of authors.all()) count += items[urgency].length;
    return count;
  }

  /** Namespaces that are remembered. */
  owners(): number {
    return this.#namespaces.size;
  }

  add({ namespace, author }: RenderOwner, urgency: Urgency, item: Item): void {
    const within = this.#namespaces.enter(namespace, () => new Namespace());
    within.authors.enter(author, () => new Author()).items[urgency].push(item);
  }

  /** Undefined when nothing waits, or nobody who waits may have more at a time. */
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
    // What it is expected to cost counts at once: several may begin before the first has ended.
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
  /** Of its last rendering. */
  costMs = FIRST_COST_MS;
  readonly items: Readonly<Record<Urgency, Item[]>> = { rendering: [], check: [] };

  isWaiting(): boolean {
    return this.items.rendering.length > 0 || this.items.check.length > 0;
  }
}

class Shares<Value extends Share> {
  readonly #shares = new Map<string, Value>();
  /** Of the one that was served last: who comes back has saved nothing up, and who is new owes nothing. */
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

  /** Those who wait for nothing and owe nothing; beyond a bound, all who wait for nothing. */
  forget(): void {
    const isFull = this.#shares.size > REMEMBERED_MAX;
    for (const [name, share] of this.#shares) {
      const isIdle = share.running === 0 && !share.isWaiting();
      if (isIdle && (isFull || share.usedMs <= this.#levelMs)) this.#shares.delete(name);
    }
  }
}
