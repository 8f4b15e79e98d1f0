import assert from 'node:assert/strict';
import { test } from 'node:test';
import { merged } from './merged.ts';
import { resumed } from './resumed.ts';
import { ApiFailure, UnreachableFailure } from './server-failure.ts';

type Opening = readonly number[] | Error;

/** Streams that end or fail as given, then the signal. Pauses take no time. */
async function run(openings: readonly Opening[]) {
  const stop = new AbortController();
  const notes: string[] = [];
  const pauses: number[] = [];
  const queue = [...openings];
  const options = {
    signal: stop.signal,
    random: { bytes: (count: number) => new Uint8Array(count), fraction: () => 0.5 },
    clock: {
      nowMs: () => 0,
      monotonicMs: () => 0,
      schedule(delayMs: number, task: () => void) {
        pauses.push(Math.round(delayMs));
        queueMicrotask(task);
        return () => undefined;
      },
    },
    onLost: () => notes.push('lost'),
    onBack: () => notes.push('back'),
  };
  const items: number[] = [];
  const open = (): Promise<AsyncIterable<number>> => {
    const next = queue.shift();
    if (next === undefined) stop.abort();
    if (next instanceof Error) return Promise.reject(next);
    return Promise.resolve(streamOf(next ?? []));
  };
  for await (const item of resumed(open, options)) items.push(item);
  return { items, notes, pauses };
}

async function* streamOf(items: readonly number[]): AsyncGenerator<number, void, undefined> {
  for (const item of items) yield item;
}

const away = new UnreachableFailure('away');

test('reopens a stream that ends, without a message', async () => {
  assert.deepEqual(await run([[1], [2, 3]]), { items: [1, 2, 3], notes: [], pauses: [200, 200] });
});

test('reports a loss once and a return once, and pauses grow until an item arrives', async () => {
  const { items, notes, pauses } = await run([
    [1],
    away,
    away,
    new ApiFailure({ code: 503, reason: '', message: '' }),
    [2],
  ]);
  assert.deepEqual(items, [1, 2]);
  assert.deepEqual(notes, ['lost', 'back']);
  assert.deepEqual(pauses, [200, 320, 512, 819, 200]);
});

test('pauses have a limit', async () => {
  const { pauses } = await run([[], ...Array.from({ length: 20 }, () => away)]);
  assert.equal(Math.max(...pauses), 5000);
});

test('throws permanent errors', async () => {
  assert.deepEqual((await run([away, [1]])).items, [1]);
  await assert.rejects(
    run([[1], new ApiFailure({ code: 404, reason: 'NotFound', message: '' })]),
    ApiFailure,
  );
  await assert.rejects(run([[1], new TypeError('a bug')]), TypeError);
});

test('merged streams yield all items and end with the last', async () => {
  const items = await Array.fromAsync(merged([streamOf([1, 2]), streamOf([]), streamOf([3])]));
  assert.deepEqual(items.toSorted(), [1, 2, 3]);
});

test('a failure of one stream ends the others', async () => {
  let ended = false;
  async function* endless(): AsyncGenerator<number, void, undefined> {
    try {
      for (;;) yield 1;
    } finally {
      ended = true;
    }
  }
  async function* broken(): AsyncGenerator<number, void, undefined> {
    yield 2;
    throw away;
  }
  await assert.rejects(Array.fromAsync(merged([broken(), endless()])), UnreachableFailure);
  assert.equal(ended, true);
});
