/** Tests what sessions hold in memory, and what they drop. */
import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { MetricSet } from '@tinkerbell/platform-metrics';
import { nodeRandom } from '@tinkerbell/platform-node';
import type { Journal, View } from '@tinkerbell/store-contract';
import { createWorkflowsMetrics } from '../metrics.ts';
import { Ending } from '../ending.ts';
import { RpcError } from '../grpc/rpc-error.ts';
import { Sessions } from './sessions.ts';

function sessionsWithTime() {
  let nowMs = 0;
  let due: () => void = () => undefined;
  const clock = {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    schedule(_delayMs: number, task: () => void) {
      due = task;
      return () => undefined;
    },
  };
  const view = { workflowsByAgent: () => [] } as unknown as View;
  const deps = {
    clock,
    view,
    random: nodeRandom,
    journal: {} as Journal,
    metrics: createWorkflowsMetrics(new MetricSet()),
  };
  const advance = (ms: number): void => {
    nowMs += ms;
    due();
  };
  return { sessions: new Sessions(deps, 1000), advance };
}

const open = (sessions: Sessions, agentId: string) => sessions.open({ agentId, attributes: undefined });

test('of a fenced session only its agent is kept', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const { sessions } = sessionsWithTime();
  const { id, session } = (() => {
    const opened = open(sessions, 'a');
    return { id: opened.id, session: new WeakRef(opened) };
  })();
  open(sessions, 'a');
  await new Promise(setImmediate);
  collect();
  assert.equal(session.deref(), undefined);
  assert.equal(sessions.fencedAgent(id), 'a');
});

test('a caller that had a session before gets it by its id only while it is live', () => {
  const { sessions } = sessionsWithTime();
  const [first, other] = [open(sessions, 'a'), open(sessions, 'b')];
  assert.equal(sessions.live(first.id, first), first);
  assert.equal(sessions.live(other.id, first), other);
  const newer = open(sessions, 'a');
  assert.throws(
    () => sessions.live(first.id, first),
    (thrown) => thrown instanceof RpcError && thrown.code === 'aborted',
  );
  assert.equal(sessions.live(newer.id, first), newer);
});

test('at the limit of sessions, the silent ones and their streams end', () => {
  const { sessions, advance } = sessionsWithTime();
  const silent = open(sessions, 'silent');
  silent.stream = new Ending();
  for (let i = 1; i < 20_000; i++) open(sessions, `agent-${i}`);
  assert.throws(() => open(sessions, 'more'), { code: 'resource-exhausted' });
  advance(999);
  sessions.live(open(sessions, 'agent-1').id);
  advance(1);
  open(sessions, 'more');
  assert.ok(silent.stream.isOver);
  assert.throws(
    () => sessions.live(silent.id, silent),
    (thrown) => thrown instanceof RpcError && thrown.code === 'unauthenticated',
  );
});
