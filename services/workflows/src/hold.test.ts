import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ending } from './ending.ts';
import { Hold } from './hold.ts';
import { WaitingAgents } from './waiting-agents.ts';

const HOLD_MS = 60_000;

function held() {
  const waiting = new WaitingAgents();
  const own = new Ending();
  const timers = new Set<() => void>();
  const clock = {
    nowMs: () => 0,
    monotonicMs: () => 0,
    schedule: (_: number, run: () => void) => {
      timers.add(run);
      return () => void timers.delete(run);
    },
  };
  const hold = new Hold({ clock, holdMs: HOLD_MS }, own);
  return { hold, waiting, own, timers, listeners: () => own.listeners };
}

test('a change between listening and waiting ends the wait', async () => {
  const { hold, waiting } = held();
  hold.listen(waiting, 'agent');
  waiting.wake('agent');
  assert.equal(await hold.wait(), 'change');
});

test('a change of another agent does not end the wait, and the time does', async () => {
  const { hold, waiting, timers } = held();
  hold.listen(waiting, 'agent');
  const end = hold.wait();
  waiting.wake('other');
  for (const run of timers) run();
  assert.equal(await end, 'time');
});

test('the time begins again while the waiting agent has nothing', async () => {
  const { hold, waiting, timers } = held();
  let hasNothing = true;
  const passTime = (): void => {
    const [run] = timers;
    assert.ok(run);
    timers.delete(run);
    run();
  };
  hold.listen(waiting, 'agent');
  let ended: string | undefined;
  const end = hold.wait(() => hasNothing).then((how) => (ended = how));
  passTime();
  await Promise.resolve();
  assert.deepEqual([timers.size, ended], [1, undefined]);
  hasNothing = false;
  passTime();
  assert.equal(await end, 'time');
});

test('the time covers all waits until it is renewed', async () => {
  const { hold, waiting, timers } = held();
  for (let wait = 0; wait < 3; wait += 1) {
    hold.listen(waiting, 'agent');
    const end = hold.wait();
    assert.equal(timers.size, 1);
    waiting.wake('agent');
    assert.equal(await end, 'change');
  }
  hold.renew();
  assert.equal(timers.size, 0);
});

test('the end of the call ends the wait, also when it came before', async () => {
  const { hold, waiting, own } = held();
  hold.listen(waiting, 'agent');
  const end = hold.wait();
  own.end();
  assert.equal(await end, 'ended');
  hold.listen(waiting, 'agent');
  assert.equal(await hold.wait(), 'ended');
});

test('leaves no listener, timer or waiting agent behind', async () => {
  const { hold, waiting, timers, listeners } = held();
  hold.listen(waiting, 'agent');
  const end = hold.wait();
  assert.deepEqual([listeners(), timers.size, waiting.count()], [1, 1, 1]);
  waiting.wake('agent');
  await end;
  hold.listen(waiting, 'agent');
  hold[Symbol.dispose]();
  assert.deepEqual([listeners(), timers.size, waiting.count()], [0, 0, 0]);
});

test('a wait that has ended does not end a later one of the same agent', () => {
  const waiting = new WaitingAgents();
  const leave = waiting.enter('agent', () => undefined);
  waiting.wake('agent');
  waiting.enter('agent', () => undefined);
  leave();
  assert.equal(waiting.count(), 1);
});
