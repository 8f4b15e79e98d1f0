import type { PowerOperation, PowerState } from '../machine-state.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { powerStepFor, TASK_MS_MAX, type PowerProgress } from './power-step.ts';

const base = { startedMs: 0, nowMs: 1000, sends: 0, lastSentMs: 0, isResumed: false } as const;

function step(operation: PowerOperation, state: PowerState, others: Partial<PowerProgress> = {}): string {
  const found = powerStepFor({ ...base, operation, state, ...others });
  return found.kind === 'send' ? `send ${found.operation}` : found.kind;
}

/** Rows: operation. Columns: the power is on, off, unknown before anything is sent. */
const firstSteps: Readonly<Record<PowerOperation, readonly [string, string, string]>> = {
  on: ['complete', 'send on', 'send on'],
  off: ['send off', 'complete', 'send off'],
  soft: ['send soft', 'complete', 'send soft'],
  cycle: ['send cycle', 'send on', 'send cycle'],
  reset: ['send reset', 'send reset', 'send reset'],
};

for (const [operation, row] of Object.entries(firstSteps) as [PowerOperation, readonly string[]][]) {
  for (const [index, state] of (['on', 'off', 'unknown'] as const).entries())
    test(`${operation} while the power is ${state}: ${row[index]}`, () =>
      assert.equal(step(operation, state), row[index]));
}

/** Rows: operation. Columns: the power is on, off, unknown after it was sent. */
const laterSteps: Readonly<Record<PowerOperation, readonly [string, string, string]>> = {
  on: ['complete', 'look-again', 'look-again'],
  off: ['look-again', 'complete', 'look-again'],
  soft: ['look-again', 'complete', 'look-again'],
  cycle: ['complete', 'look-again', 'look-again'],
  reset: ['complete', 'look-again', 'look-again'],
};

for (const [operation, row] of Object.entries(laterSteps) as [PowerOperation, readonly string[]][]) {
  for (const [index, state] of (['on', 'off', 'unknown'] as const).entries())
    test(`${operation} was sent, and the power is ${state}: ${row[index]}`, () =>
      assert.equal(step(operation, state, { sends: 1, lastSentMs: 900 }), row[index]));
}

test('a BMC that accepts power on and does nothing gets it three times, and then the Task fails', () => {
  const late = { nowMs: 25_000, lastSentMs: 0 };
  assert.equal(step('on', 'off', { ...late, sends: 1 }), 'send on');
  assert.equal(step('on', 'off', { ...late, sends: 2 }), 'send on');
  assert.equal(step('on', 'off', { ...late, sends: 3 }), 'look-again');
  const failed = powerStepFor({ ...base, operation: 'on', state: 'off', sends: 3, nowMs: 50_000 });
  assert.ok(failed.kind === 'fail');
  assert.match(failed.message, /^not-applied: .*3 times.* power is off/);
});

test('soft, cycle and reset are sent once', () => {
  for (const operation of ['soft', 'cycle', 'reset'] as const)
    assert.equal(
      step(operation, operation === 'soft' ? 'on' : 'off', { sends: 1, nowMs: 300_000 }),
      'look-again',
    );
});

test('cycle and reset are not repeated after the server stopped, and on and off are', () => {
  for (const operation of ['cycle', 'reset'] as const) {
    const failed = powerStepFor({ ...base, operation, state: 'on', isResumed: true });
    assert.ok(failed.kind === 'fail');
    assert.match(failed.message, /not repeated.*power is on.*create a new Job/);
  }
  assert.equal(step('off', 'on', { isResumed: true }), 'send off');
});

test('a Task fails after the limit of upstream', () => {
  const late = { nowMs: TASK_MS_MAX + 1, sends: 1, lastSentMs: TASK_MS_MAX };
  const failed = powerStepFor({ ...base, operation: 'soft', state: 'on', ...late });
  assert.ok(failed.kind === 'fail');
  assert.match(failed.message, /^bmc task timeout: .*did not shut down; use power off/);
  assert.equal(step('soft', 'off', late), 'complete');
});
