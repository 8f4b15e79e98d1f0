import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTurns, Turns } from './in-turns.ts';

/** Runs turns manually, with a clock that advances when the work requires it. */
function scene() {
  let nowMs = 0;
  const next: (() => void)[] = [];
  const turns = new Turns({ nowMs: () => nowMs, later: (callback) => void next.push(callback) });
  const done: string[] = [];
  function* work(name: string, pieces: number, pieceMs: number): Generator<undefined, string> {
    for (let index = 1; index < pieces; index++) {
      nowMs += pieceMs;
      done.push(`${name}${index}`);
      yield undefined;
    }
    nowMs += pieceMs;
    return name;
  }
  /** Returns the work done in the next turn, and how long it took. */
  const turn = (): { pieces: string[]; tookMs: number } => {
    const startedMs = nowMs;
    for (const callback of next.splice(0)) callback();
    return { pieces: done.splice(0), tookMs: nowMs - startedMs };
  };
  /** Takes the callbacks of the next turn. */
  const callbacks = (): (() => void)[] => next.splice(0);
  const passes = (ms: number): void => void (nowMs += ms);
  return { turns, work, done, turn, callbacks, passes, isIdle: () => next.length === 0 };
}

test('short work completes at once, and requests one turn', async () => {
  const { turns, work, turn, done, isIdle } = scene();
  const result = turns.run(work('a', 3, 0.1));
  assert.deepEqual(done.splice(0), ['a1', 'a2']);
  assert.equal(await result, 'a');
  turn();
  assert.ok(isIdle());
});

test('all work of a turn shares one allowance, however many callers there are', () => {
  const { turns, work, done, turn } = scene();
  for (const name of ['a', 'b', 'c', 'd']) void turns.run(work(name, 100, 0.125));
  assert.deepEqual(done.splice(0), ['a1', 'a2', 'a3', 'a4']);
  const first = turn();
  assert.deepEqual(first.pieces, ['a5', 'a6', 'b1', 'b2']);
  assert.equal(first.tookMs, 0.5);
  assert.deepEqual(turn().pieces, ['c1', 'c2', 'd1', 'd2']);
  assert.deepEqual(turn().pieces, ['a7', 'a8', 'b3', 'b4']);
});

test('what callers do between two works does not use up the allowance', async () => {
  const { turns, work, done, passes } = scene();
  for (const name of ['a', 'b', 'c', 'd']) {
    const result = turns.run(work(name, 2, 0.0625));
    assert.deepEqual(done.splice(0), [`${name}1`]);
    assert.equal(await result, name);
    passes(10);
  }
  void turns.run(work('e', 2, 0.0625));
  assert.deepEqual(done.splice(0), []);
});

test('the longest waiting work continues first, and later work waits behind it', async () => {
  const { turns, work, done, turn } = scene();
  void turns.run(work('long', 100, 1));
  const short = turns.run(work('short', 1, 0.1));
  assert.deepEqual(done.splice(0), ['long1']);
  assert.deepEqual(turn().pieces, ['long2']);
  turn();
  turn();
  assert.equal(await short, 'short');
});

test('callers whose work ends in the same turn continue in different callbacks', async () => {
  const { turns, work, turn, callbacks } = scene();
  void turns.run(work('long', 100, 1));
  const told: string[] = [];
  for (const name of ['a', 'b', 'c']) void turns.run(work(name, 1, 0.1)).then((done) => told.push(done));
  turn();
  turn();
  assert.deepEqual(told, []);
  const seen: string[][] = [];
  for (const callback of callbacks()) {
    callback();
    await Promise.resolve();
    seen.push(told.splice(0));
  }
  assert.deepEqual(
    seen.filter((names) => names.length > 0),
    [['a'], ['b'], ['c']],
  );
});

test('an error ends only its own work', async () => {
  const { turns, work, turn } = scene();
  function* faulty(): Generator<undefined, string> {
    yield undefined;
    throw new Error('no');
  }
  const good = turns.run(work('a', 20, 0.5));
  const bad = assert.rejects(turns.run(faulty()), /^Error: no$/);
  for (let count = 0; count < 30; count++) turn();
  await bad;
  assert.equal(await good, 'a');
});

test('other work gets its turn while long work continues', async () => {
  const seen = { turns: 0 };
  let isOver = false;
  const count = (): void => {
    seen.turns += 1;
    if (!isOver) setImmediate(count);
  };
  function* untilSeen(): Generator<undefined, number> {
    // This work would never end if other work did not get a turn.
    while (seen.turns < 5) yield undefined;
    return seen.turns;
  }
  setImmediate(count);
  const turns = inTurns(untilSeen()).finally(() => (isOver = true));
  assert.ok((await turns) >= 5);
});
