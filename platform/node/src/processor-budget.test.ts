import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProcessorBudget } from './processor-budget.ts';

/** Works for so many milliseconds of each millisecond, and returns for how many of them the thread was first. */
function firstMs(budget: ProcessorBudget, time: Time, { share, forMs }: { share: number; forMs: number }) {
  let count = 0;
  for (let ms = 0; ms < forMs; ms += 1) {
    time.passedMs += 1;
    time.workedMs += share;
    if (budget.mayBeFirst({ ...time })) count += 1;
  }
  return count;
}

interface Time {
  passedMs: number;
  workedMs: number;
}

function newBudget() {
  const time = { passedMs: 1_000_000, workedMs: 70_000 };
  return { budget: new ProcessorBudget({ ...time }), time };
}

test('a thread that works for less than half of the time is always first', () => {
  for (const share of [0, 0.1, 0.4, 0.49]) {
    const { budget, time } = newBudget();
    assert.equal(firstMs(budget, time, { share, forMs: 1000 }), 1000, `${share} of the time`);
  }
});

test('a thread that never rests is first for 4 ms at most, however long it rested before', () => {
  for (const restMs of [0, 10, 1_000_000]) {
    const { budget, time } = newBudget();
    time.passedMs += restMs;
    budget.mayBeFirst({ ...time });
    assert.ok(firstMs(budget, time, { share: 1, forMs: 10_000 }) <= 4, `after ${restMs} ms`);
  }
});

test('any way to divide work and rest gives a thread half of the time at most, and 2 ms', () => {
  let seed = 7;
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  for (let run = 0; run < 200; run += 1) {
    const { budget, time } = newBudget();
    let isFirst = false;
    let [workedFirstMs, passedMs] = [0, 0];
    for (let step = 0; step < 500; step += 1) {
      const [workMs, restMs] = [random() * 2, random() < 0.5 ? 0 : random() * 4];
      if (isFirst) workedFirstMs += workMs;
      time.workedMs += workMs;
      time.passedMs += workMs + restMs;
      passedMs += workMs + restMs;
      isFirst = budget.mayBeFirst({ ...time });
    }
    // One turn of 2 ms may begin when nearly nothing is left.
    assert.ok(workedFirstMs <= passedMs / 2 + 4, `${workedFirstMs} of ${passedMs} ms`);
  }
});

test('a thread is first again within 20 ms after a flood', () => {
  const { budget, time } = newBudget();
  firstMs(budget, time, { share: 1, forMs: 60_000 });
  firstMs(budget, time, { share: 0, forMs: 20 });
  assert.equal(firstMs(budget, time, { share: 0.1, forMs: 100 }), 100);
});
