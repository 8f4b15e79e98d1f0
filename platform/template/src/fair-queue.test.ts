import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairQueue, type Taken } from './fair-queue.ts';

interface Job {
  readonly name: string;
  readonly costMs: number;
}

function queueOf(limits = { namespaceAtOnce: 1, authorAtOnce: 1 }) {
  const queue = new FairQueue<Job>(limits);
  return Object.assign(queue, {
    put(owner: string, costMs: number, count = 1, urgency: 'rendering' | 'check' = 'rendering') {
      const [namespace = '', author = ''] = owner.split('/');
      for (let i = 0; i < count; i += 1) queue.add({ namespace, author }, urgency, { name: owner, costMs });
    },
    /** Renders one request after the other and returns their owners. */
    run(count: number): string[] {
      const names: string[] = [];
      for (let i = 0; i < count; i += 1) {
        const taken = queue.take();
        if (taken === undefined) break;
        names.push(taken.item.name);
        taken.done(taken.item.costMs);
      }
      return names;
    },
  });
}

test('with expensive renderings queued, a cheap one of another namespace is next', () => {
  const queue = queueOf();
  queue.put('a/x', 2000, 40);
  assert.deepEqual(queue.run(3), ['a/x', 'a/x', 'a/x']);
  queue.put('b/y', 2);
  assert.deepEqual(queue.run(2), ['b/y', 'a/x']);
});

test('many cheap ones of another namespace are all before the next expensive one', () => {
  const queue = queueOf();
  queue.put('a/x', 2000, 40);
  queue.run(1);
  queue.put('b/y', 2, 100);
  assert.deepEqual(new Set(queue.run(100)), new Set(['b/y']));
  assert.deepEqual(queue.run(1), ['a/x']);
});

test('the same holds for authors within a namespace', () => {
  const queue = queueOf();
  queue.put('a/x', 2000, 40);
  queue.run(2);
  queue.put('a/cheap', 2);
  assert.deepEqual(queue.run(2), ['a/cheap', 'a/x']);
});

test('many authors get no more than their namespace', () => {
  const queue = queueOf();
  for (let i = 0; i < 40; i += 1) queue.put(`a/x${i}`, 2000);
  queue.run(2);
  queue.put('b/y', 2, 3);
  assert.deepEqual(queue.run(3), ['b/y', 'b/y', 'b/y']);
});

test('equal costs take turns, however many wait', () => {
  const queue = queueOf();
  queue.put('a/x', 10, 50);
  queue.put('b/y', 10, 5);
  const names = queue.run(10);
  assert.equal(names.filter((name) => name === 'b/y').length, 5);
});

test('an owner that was away has saved nothing up, and one that was alone owes nothing', () => {
  const queue = queueOf();
  queue.put('early/x', 1000, 1);
  queue.put('a/x', 1000, 21);
  queue.run(21);
  queue.put('early/x', 1000, 20);
  queue.put('a/x', 1000, 20);
  const names = queue.run(20);
  const early = names.filter((name) => name === 'early/x').length;
  assert.ok(early >= 9 && early <= 11, `${early} of 20`);
});

test('in a namespace renderings come before checks, and this does not delay checks of others', () => {
  const queue = queueOf();
  queue.put('a/x', 10, 2, 'check');
  queue.put('a/y', 10, 2);
  assert.deepEqual(queue.run(4), ['a/y', 'a/y', 'a/x', 'a/x']);
  queue.put('a/y', 2000, 40);
  queue.run(1);
  queue.put('b/z', 2, 1, 'check');
  assert.deepEqual(queue.run(1), ['b/z']);
});

test('renderings of an author come before its own checks, whichever came first', () => {
  const queue = queueOf();
  const owner = { namespace: 'a', author: 'x' };
  queue.add(owner, 'check', { name: 'check', costMs: 1 });
  queue.add(owner, 'rendering', { name: 'rendering', costMs: 1 });
  assert.deepEqual(queue.run(3), ['rendering', 'check']);
});

test('no namespace uses all threads, and no author all of its namespace', () => {
  const queue = queueOf({ namespaceAtOnce: 3, authorAtOnce: 2 });
  queue.put('a/x', 2000, 40);
  queue.put('a/y', 2000, 1);
  queue.put('b/z', 2, 1);
  const under: Taken<Job>[] = [];
  for (let taken = queue.take(); taken !== undefined; taken = queue.take()) under.push(taken);
  assert.deepEqual(under.map(({ item }) => item.name).toSorted(), ['a/x', 'a/x', 'a/y', 'b/z']);
  under.find(({ item }) => item.name === 'a/x')?.done(2000);
  assert.equal(queue.take()?.item.name, 'a/x');
});

test('remembers only waiting owners beyond a bound, and none that owes nothing', () => {
  const queue = queueOf();
  for (let i = 0; i < 5000; i += 1) {
    queue.put(`n${i}/x`, 1);
    queue.run(1);
  }
  assert.ok(queue.owners() <= 1001, `${queue.owners()} are remembered`);
  assert.deepEqual(queue.waiting({ namespace: 'n1', author: 'x' }, 'rendering'), 0);
});
