/**
 * Makes random calls of a store and compares each one with a model of the contract. fast-check prints the seed and the shortest
 * calls that fail.
 */
import { test } from 'node:test';
import fc from 'fast-check';
import type { ObjectKey, Store } from './index.ts';
import {
  commitCommand,
  getCommand,
  listCommand,
  stopCommand,
  watchCommand,
  WatchedStore,
  type PlannedWrite,
} from './testing/store-commands.ts';
import { StoreModel } from './testing/store-model.ts';

const SEED = 20_261_123;
/** The number is small, so that changes are removed within one run. */
const CHANGES_KEPT = 5;
const COMMANDS_MAX = 40;
/** Revisions that a watch goes back. Some are more than a store keeps. */
const BACK_MAX = 4 * CHANGES_KEPT;
/** Objects in the form in which the program creates them. */
const PLAIN = { noNullPrototype: true } as const;

// Few keys, so that writes conflict, and names whose order a collation would change.
const collection = fc.constantFrom('templates.tinkerbell.org', 'hardware.tinkerbell.org');
const namespace = fc.constantFrom('one', 'one-a');
const name = fc.constantFrom('a', 'a-b', 'a0');
const crowded = { collection: 'templates.tinkerbell.org', namespace: 'one' } as const;
const key: fc.Arbitrary<ObjectKey> = fc.oneof(
  { weight: 3, arbitrary: name.map((one) => ({ ...crowded, name: one })) },
  { weight: 1, arbitrary: fc.record({ collection, namespace, name }, PLAIN) },
);

const write: fc.Arbitrary<PlannedWrite> = fc.record({
  operation: fc.constantFrom('create', 'create', 'update', 'update', 'delete'),
  key,
  text: fc.string({ unit: 'grapheme', maxLength: 8 }),
  isStale: fc.nat(5).map((value) => value === 0),
});
/** One commit writes each object at most once. */
const writes = fc.uniqueArray(write, {
  minLength: 1,
  maxLength: 3,
  selector: ({ key: one }) => `${one.collection} ${one.namespace} ${one.name}`,
});
const scope = fc.record({ collection, namespace }, { ...PLAIN, requiredKeys: [] });

const commands = [
  fc.array(writes, { minLength: 1, maxLength: 4 }).map(commitCommand),
  fc.array(writes, { minLength: 1, maxLength: 1 }).map(commitCommand),
  key.map(getCommand),
  fc
    .record(
      {
        collection,
        namespace,
        limit: fc.integer({ min: 1, max: 4 }),
        after: fc.record({ namespace, name }, PLAIN),
      },
      { ...PLAIN, requiredKeys: ['collection'] },
    )
    .map(listCommand),
  fc.tuple(scope, fc.nat(BACK_MAX)).map(([query, back]) => watchCommand(query, back)),
  fc.nat(9).map(stopCommand),
];

/** Registers the test for one backend. `open` returns a new, empty store. `runs` is the number of sequences of calls. */
export function storeModelSuite(
  backend: string,
  open: (options: { changesKept: number }) => Promise<Store>,
  runs: number,
): void {
  test(`${backend}: answers ${runs} random sequences of calls as the model does`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: COMMANDS_MAX, size: 'max' }), async (calls) => {
        const real = new WatchedStore(await open({ changesKept: CHANGES_KEPT }));
        try {
          await fc.asyncModelRun(() => ({ model: new StoreModel(CHANGES_KEPT), real }), calls);
        } finally {
          await real.close();
        }
      }),
      { seed: SEED, numRuns: runs },
    );
  });
}
