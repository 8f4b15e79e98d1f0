import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Backlog } from './backlog.ts';

/** Time passes only while a slice works. */
function simulated() {
  const waiting: (() => void)[] = [];
  let nowMs = 0;
  return {
    backlog: new Backlog({ nowMs: () => nowMs, nextTurn: (callback) => void waiting.push(callback) }),
    work: (milliseconds: number) => void (nowMs += milliseconds),
    /** Returns false when nothing waits. */
    turn: () => {
      const callback = waiting.shift();
      callback?.();
      return callback !== undefined;
    },
    nowMs: () => nowMs,
  };
}

test('all connections together take a millisecond of a turn, and each gets its slices in turns', () => {
  const { backlog, work, turn, nowMs } = simulated();
  const done: string[] = [];
  const connection = (name: string, slices: number): void =>
    backlog.add(() => {
      work(0.25);
      done.push(name);
      if (slices > 1) connection(name, slices - 1);
    });
  for (let index = 0; index < 100; index += 1) connection(`flood-${index}`, 50);
  connection('good', 1);
  let turns = 0;
  for (let beforeMs = 0; turn(); beforeMs = nowMs()) {
    turns += 1;
    assert.ok(nowMs() - beforeMs <= 1, `${nowMs() - beforeMs} ms`);
  }
  assert.equal(done.length, 5001);
  assert.equal(done.indexOf('good'), 100);
  assert.equal(turns, Math.ceil(5001 / 4));
});

test('one slice runs in each turn, however long it takes', () => {
  const { backlog, work, turn } = simulated();
  let count = 0;
  for (let index = 0; index < 3; index += 1)
    backlog.add(() => {
      work(5);
      count += 1;
    });
  turn();
  assert.equal(count, 1);
  while (turn());
  assert.equal(count, 3);
});

test('a slice that throws stops none of the others', () => {
  const { backlog, turn } = simulated();
  let count = 0;
  backlog.add(() => {
    throw new Error('from a parser');
  });
  backlog.add(() => void (count += 1));
  assert.throws(turn, /from a parser/);
  while (turn());
  assert.equal(count, 1);
});

test('requests of lost connections end before others begin, so that few are open', () => {
  const { backlog, work, turn } = simulated();
  let [clients, open, most] = [0, 0, 0];
  function* ending(): Generator<undefined, void> {
    for (let left = 5; left > 0; left -= 1) {
      work(0.1);
      open -= 1;
      yield undefined;
    }
  }
  /** Begins requests and leaves, and another one comes. To end them takes twice as long as to begin them. */
  const client = (): void =>
    backlog.add(() => {
      work(0.25);
      open += 5;
      clients += 1;
      most = Math.max(most, open);
      backlog.end(ending());
      if (clients < 2000) client();
    });
  client();
  while (turn());
  assert.deepEqual([clients, open], [2000, 0]);
  assert.ok(most <= 50, `${most} were open`);
});
