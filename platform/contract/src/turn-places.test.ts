import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TurnPlaces } from './turn-places.ts';

/** Runs turns manually. */
function scene(each: number | (() => number)) {
  const next: (() => void)[] = [];
  const places = new TurnPlaces(
    typeof each === 'number' ? () => each : each,
    (callback) => void next.push(callback),
  );
  const begun: string[] = [];
  const begin = async (name: string, owner?: string): Promise<void> => {
    await places.take(owner);
    begun.push(name);
  };
  /** Returns what began in each callback of the next turn. */
  const turn = async (): Promise<string[][]> => {
    const seen: string[][] = [];
    for (const callback of next.splice(0)) {
      callback();
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(begun.splice(0));
    }
    return seen.filter((names) => names.length > 0);
  };
  return { begin, begun, turn, places, isIdle: () => next.length === 0 };
}

test('work begins at once until the places of the turn are taken', async () => {
  const { begin, begun, turn, isIdle } = scene(2);
  assert.ok(isIdle());
  for (const name of ['a', 'b', 'c', 'd', 'e']) void begin(name);
  await Promise.resolve();
  assert.deepEqual(begun.splice(0), ['a', 'b']);
  assert.deepEqual(await turn(), []);
  void begin('f');
  assert.deepEqual(await turn(), [['c'], ['d']]);
  assert.deepEqual(await turn(), [['e'], ['f']]);
  while (!isIdle()) assert.deepEqual(await turn(), []);
  void begin('g');
  await Promise.resolve();
  assert.deepEqual(begun, ['g']);
});

test('those that wait for one promise continue over several turns, also when it rejects', async () => {
  const { begun, turn, places } = scene(2);
  const shared = Promise.withResolvers<string>();
  const failed = Promise.withResolvers<string>();
  for (const name of ['a', 'b', 'c'])
    void places.after(shared.promise).then((value) => begun.push(name + value));
  for (const name of ['d', 'e']) places.after(failed.promise).catch(() => begun.push(name));
  shared.resolve('1');
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(begun.splice(0), ['a1', 'b1']);
  failed.reject(new Error('no'));
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(await turn(), []);
  assert.deepEqual(await turn(), [['c1'], ['d']]);
  assert.deepEqual(await turn(), [['e']]);
});

test('owners get places in turns, and one is full when it has its share of those that wait', async () => {
  const { begin, begun, turn, places } = scene(2);
  for (let index = 0; index < 1000; index += 1) void begin(`flood-${index}`, 'flood');
  void begin('good', 'good');
  await Promise.resolve();
  begun.splice(0);
  const isFull = (most: number) => ['flood', 'good', 'other'].map((owner) => places.isFull(owner, most));
  assert.deepEqual(isFull(999), [true, false, false]);
  assert.deepEqual(isFull(1000), [false, false, false]);
  assert.deepEqual(await turn(), []);
  assert.deepEqual(await turn(), [['flood-2'], ['good']]);
  assert.deepEqual(await turn(), [['flood-3'], ['flood-4']]);
  while (places.isFull('flood', 1)) await turn();
  assert.deepEqual(begun, []);
});

test('what nobody wants any more takes no place', async () => {
  const { begin, begun, turn, places } = scene(2);
  for (const name of ['a', 'b']) void begin(name);
  const leave = ['c', 'd', 'e'].map((name) => places.wait('flood', () => void begun.push(name)));
  void begin('f', 'good');
  await Promise.resolve();
  begun.splice(0);
  assert.deepEqual(
    leave.slice(0, 2).map((end) => end()),
    [true, true],
  );
  assert.equal(leave[0]?.(), false);
  assert.equal(places.isFull('flood', 3), false);
  assert.deepEqual(await turn(), []);
  assert.deepEqual(await turn(), [['e'], ['f']]);
  assert.equal(leave[2]?.(), false);
});

test('the number of places may be another one in each turn', async () => {
  let places = 3;
  const { begin, begun, turn } = scene(() => places);
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) void begin(name);
  await Promise.resolve();
  assert.deepEqual(begun.splice(0), ['a', 'b', 'c']);
  places = 1;
  assert.deepEqual(await turn(), []);
  assert.deepEqual(await turn(), [['d']]);
  places = 2;
  assert.deepEqual(await turn(), [['e']]);
  assert.deepEqual(await turn(), [['f'], ['g']]);
});
