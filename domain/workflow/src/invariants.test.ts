/** Tests that any events in any order keep the promises of docs/reference/guarantees.md about a workflow. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkflowAction, WorkflowStatus } from '@tinkerbell/resources';
import {
  currentActionOf,
  eventKinds,
  handedOutOf,
  isTerminal,
  operatorVerbs,
  transition,
  type EventKind,
  type WorkflowEvent,
} from './index.ts';
import { definition, START_MS, twoTasks } from './testing/two-task-workflow.ts';

const STEPS = 20_000;
const STEPS_OF_ONE = 100;
const SEED = 20261121;

/** mulberry32: the same numbers for the same seed. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const next = numbersFrom(SEED);
const pick = <Item>(...items: readonly Item[]): Item => items[Math.floor(next() * items.length)] as Item;

const rendered = () =>
  twoTasks({
    a: { retries: pick(0, 2), onInterrupted: pick('retry', 'fail', 'ask') },
    b: { onFailure: pick([], [definition('logs')]), if: pick('true', 'true', 'no') },
    c: { timeoutSeconds: pick(0, 60) },
  });

function actionsOf(status: WorkflowStatus): WorkflowAction[] {
  return (status.tasks ?? []).flatMap((task) => task.actions);
}

function likelyIn({ state = '' }: WorkflowStatus): EventKind {
  if (state === '') return 'template-rendered';
  if (state === 'PREPARING') return pick('boot-job-created', 'preparation-finished', 'preparation-failed');
  if (state === 'POST') return pick('boot-job-created', 'post-finished', 'post-failed');
  if (isTerminal(state)) return pick('retry', 'retry', 'skip', 'edit', 'action-reported');
  return pick('action-requested', 'action-reported', 'action-reported', 'resume');
}

/** Most events could come next. The others are noise. */
function eventFor(status: WorkflowStatus): WorkflowEvent {
  const agentId = next() < 0.8 ? (status.agentID ?? '') : pick('agent-1', 'agent-2');
  const all = actionsOf(status).flatMap((one) => [one, ...(one.onFailure ?? [])]);
  const current = currentActionOf(status)?.action.id;
  const actionId = next() < 0.8 && current !== undefined ? current : (pick(...all)?.id ?? 'none');
  const named = { action: pick('a', 'b', 'c', 'x'), who: 'anna', why: '' };
  const state = pick('RUNNING', 'RUNNING', 'SUCCESS', 'SUCCESS', 'SUCCESS', 'FAILED', 'TIMEOUT', 'PENDING');
  const fields = {
    ...named,
    rendered: rendered(),
    needsPreparation: pick(true, false),
    message: 'm',
    agentId,
    allow: pick(true, false),
    job: 'netboot-w',
    uid: 'u',
    condition: 'BootJobFailed',
    status: 'True',
    report: { agentId, taskId: taskIdOf(status, actionId), actionId, state },
    from: pick<unknown>('failed', 'start', { action: named.action }),
    set: pick(true, false),
    timeout: pick(1, 60, -1),
  };
  const kind = next() < 0.7 ? likelyIn(status) : pick(...eventKinds);
  return { kind, ...fields } as unknown as WorkflowEvent;
}

function taskIdOf(status: WorkflowStatus, actionId: string): string {
  const holds = (action: WorkflowAction): boolean =>
    action.id === actionId || (action.onFailure ?? []).some(holds);
  return status.tasks?.find(({ actions }) => actions.some(holds))?.id ?? 'none';
}

const order = ['', 'PREPARING', 'PENDING', 'RUNNING', 'POST'];

function checkStep(before: WorkflowStatus, event: WorkflowEvent, after: WorkflowStatus): void {
  const isOperators = operatorVerbs.some((verb) => verb === event.kind);
  if (isOperators) {
    assert.equal(after.operations?.at(-1)?.verb, event.kind, 'an operator was not recorded');
  } else {
    assert.deepEqual(after.operations, before.operations);
    assert.ok(!isTerminal(before.state), `${before.state} was left by ${event.kind}`);
    const [from, to] = [order.indexOf(before.state ?? ''), order.indexOf(after.state ?? '')];
    assert.ok(isTerminal(after.state) || to >= from, `${before.state} went back to ${after.state}`);
  }
  if (event.kind !== 'template-rendered') checkAttempts(before, after);
  if (event.kind === 'action-requested') checkOffer(after);
}

function checkAttempts(before: WorkflowStatus, after: WorkflowStatus): void {
  const attempts = new Map(actionsOf(after).map((one) => [one.id, one.attempt ?? 0]));
  for (const one of actionsOf(before))
    assert.ok((attempts.get(one.id) ?? 0) >= (one.attempt ?? 0), 'an attempt was forgotten');
}

/** The assigned action is the first that has not succeeded, or one of its on-failure actions. */
function checkOffer(after: WorkflowStatus): void {
  const place = handedOutOf(after);
  if (place === undefined) return;
  assert.notEqual(after.paused, true);
  const first = actionsOf(after).find((one) => one.state !== 'SUCCESS');
  const isItsOwn = first?.id === place.action.id;
  assert.ok(isItsOwn || first?.onFailure?.some((one) => one.id === place.action.id), 'out of order');
  assert.ok(isItsOwn || isTerminal(first?.state));
}

test(`${STEPS} random events keep every promise`, () => {
  const seen = new Set<string>();
  let accepted = 0;
  for (let run = 0; run < STEPS / STEPS_OF_ONE; run++) {
    let status: WorkflowStatus = {};
    let nowMs = START_MS;
    let ids = 0;
    const nextId = (): string => `id-${++ids}`;
    for (let step = 0; step < STEPS_OF_ONE; step++) {
      nowMs += pick(0, 0, 1000, 10_000);
      const event = eventFor(status);
      const result = transition(status, event, { nowMs, nextId });
      if (!result.ok) continue;
      accepted += 1;
      checkStep(status, event, result.status);
      status = result.status;
      seen.add(`${status.state} ${event.kind}`);
      if (event.kind !== 'action-reported') continue;
      const again = transition(status, event, { nowMs, nextId });
      assert.ok(!again.ok, 'the same report changed something twice');
    }
  }
  // The stream reaches the states that it is designed to test.
  assert.ok(accepted > STEPS / 4, `${accepted}`);
  for (const state of ['PREPARING', 'PENDING', 'RUNNING', 'POST', 'SUCCESS', 'FAILED', 'TIMEOUT'])
    assert.ok(
      [...seen].some((one) => one.startsWith(`${state} `)),
      state,
    );
  for (const verb of operatorVerbs)
    assert.ok(
      [...seen].some((one) => one.endsWith(` ${verb}`)),
      verb,
    );
});
