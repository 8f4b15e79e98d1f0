/** Calls of a store. Each answer is compared with the model's answer. */
import assert from 'node:assert/strict';
import type { AsyncCommand } from 'fast-check';
import type { Change, CommitResult, ListQuery, NamespacedName, ObjectKey, Store, Write } from '../index.ts';
import type { StoreModel } from './store-model.ts';

/** A write without its expected revision, which depends on the objects that exist when it runs. */
export interface PlannedWrite {
  readonly operation: Write['operation'];
  readonly key: ObjectKey;
  readonly text: string;
  readonly isStale: boolean;
}

interface OpenWatch {
  readonly query: {
    readonly collection?: string;
    readonly namespace?: string;
    readonly fromRevision: number;
  };
  readonly seen: Change[];
  readonly ends: string[];
  readonly stop: () => void;
}

/** The store under test and its open watches. */
export class WatchedStore {
  readonly store: Store;
  watches: readonly OpenWatch[] = [];
  /** The stopped watches, and the number of changes that each one received. */
  readonly stopped: { readonly seen: readonly Change[]; readonly count: number }[] = [];

  constructor(store: Store) {
    this.store = store;
  }

  /** Every watch has received every change that concerns it, in order and once. */
  check(model: StoreModel): void {
    for (const { query, seen, ends } of this.watches) {
      assert.deepEqual(seen, model.changesOf(query));
      assert.deepEqual(ends, []);
    }
    for (const { seen, count } of this.stopped) assert.equal(seen.length, count);
  }

  async close(): Promise<void> {
    await this.store.close();
    for (const { ends } of this.watches) assert.equal(ends.length, 1);
  }
}

export type StoreCommand = AsyncCommand<StoreModel, WatchedStore>;

function commandOf(
  text: string,
  run: (model: StoreModel, real: WatchedStore) => Promise<void>,
): StoreCommand {
  return {
    check: () => true,
    async run(model, real) {
      await run(model, real);
      real.check(model);
      assert.equal(await real.store.revision(), model.revision);
    },
    toString: () => text,
  };
}

/** Several concurrent commits are applied in the order in which they were requested. */
export function commitCommand(commits: readonly (readonly PlannedWrite[])[]): StoreCommand {
  return commandOf(`commit(${JSON.stringify(commits)})`, async (model, { store }) => {
    const planned = commits.map((writes) => writes.map((write) => writeOf(write, model)));
    const answers = await Promise.all(planned.map((writes) => store.commit(writes)));
    for (const [index, writes] of planned.entries())
      assert.deepEqual(comparable(answers[index]), model.commit(writes));
  });
}

function writeOf({ operation, key, text, isStale }: PlannedWrite, model: StoreModel): Write {
  const current = model.get(key)?.revision ?? 1;
  const expectedRevision = isStale ? current - 1 : current;
  const object = {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Template',
    metadata: { name: key.name, namespace: key.namespace },
    spec: { data: text },
  };
  if (operation === 'create') return { operation, key, object };
  if (operation === 'delete') return { operation, key, expectedRevision };
  return { operation, key, object, expectedRevision };
}

/** Messages are for people, and a store need not have texts. */
function comparable(result: CommitResult | undefined): Partial<CommitResult> | undefined {
  if (result === undefined) return undefined;
  if (!result.ok) {
    const { message: _, ...rest } = result;
    return rest;
  }
  const { texts = new Map<object, string>(), ...rest } = result;
  for (const [object, text] of texts) {
    assert.ok(rest.objects.some((stored) => stored.object === object));
    assert.equal(text, JSON.stringify(object));
  }
  return rest;
}

export function getCommand(key: ObjectKey): StoreCommand {
  return commandOf(`get(${JSON.stringify(key)})`, async (model, { store }) => {
    assert.deepEqual(await store.get(key), model.get(key));
  });
}

/** Reads the first page. */
export function listCommand(query: ListQuery): StoreCommand {
  return commandOf(`list(${JSON.stringify(query)})`, async (model, { store }) => {
    const all = model.list(query);
    const items = all.slice(0, query.limit);
    const last = items.at(-1)?.key;
    const next = last !== undefined && items.length < all.length && nameOf(last);
    assert.deepEqual(await store.list(query), { items, revision: model.revision, ...(next ? { next } : {}) });
  });
}

function nameOf({ namespace, name }: ObjectKey): NamespacedName {
  return { namespace, name };
}

/**
 * Watches from `back` revisions ago. The watch succeeds for changes that are kept, and is refused for those more than twice as
 * far back. In between, a store may or may not have removed old changes. The oldest revision that a refusal names can be watched
 * from.
 */
export function watchCommand(
  query: { readonly collection?: string; readonly namespace?: string },
  back: number,
): StoreCommand {
  return commandOf(`watch(${JSON.stringify(query)}, ${back} back)`, async (model, real) => {
    const fromRevision = Math.max(0, model.revision - back);
    const age = model.revision - fromRevision;
    const opened = await openWatch(real, { ...query, fromRevision });
    if (age <= model.changesKept) assert.equal(opened, undefined);
    if (age > 2 * model.changesKept) assert.notEqual(opened, undefined);
    if (opened === undefined) return;
    assert.ok(opened.oldestRevision > fromRevision && opened.oldestRevision <= model.revision);
    assert.equal(await openWatch(real, { ...query, fromRevision: opened.oldestRevision }), undefined);
  });
}

/** Undefined while it is open. */
async function openWatch(
  real: WatchedStore,
  query: OpenWatch['query'],
): Promise<{ readonly oldestRevision: number } | undefined> {
  const [seen, ends]: [Change[], string[]] = [[], []];
  const watch = await real.store.watch(query, {
    onChange: (change) => void seen.push(change),
    onEnd: (reason) => void ends.push(reason),
  });
  if (!watch.ok) return watch;
  real.watches = [...real.watches, { query, seen, ends, stop: watch.stop }];
  return undefined;
}

/** Stops a watch, which receives no later changes. */
export function stopCommand(choice: number): StoreCommand {
  return commandOf(`stop(${choice})`, async (_, real) => {
    const watch = real.watches[choice % Math.max(1, real.watches.length)];
    if (watch === undefined) return;
    watch.stop();
    real.watches = real.watches.filter((one) => one !== watch);
    real.stopped.push({ seen: watch.seen, count: watch.seen.length });
  });
}
