import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TemplateRenderer } from '@tinkerbell/engine-rendering';
import type { Template, Workflow } from '@tinkerbell/resources';
import type { View } from '@tinkerbell/store-contract';
import { Rendering } from './rendering.ts';

const COUNT = 50;

const workflows = Array.from(
  { length: COUNT },
  (_, index) =>
    ({
      metadata: { namespace: 'default', name: `w${index}` },
      spec: { templateRef: 't', hardwareMap: { device_1: 'a' } },
    }) as unknown as Workflow,
);

/** Creates many workflows of one template that does not render, and counts the renderings. */
function failing() {
  const state = { renders: 0, text: 'broken', isStopped: false };
  const renderer = {
    workflow: () => {
      state.renders += 1;
      return Promise.resolve({ ok: false, message: 'no', isStopped: state.isStopped });
    },
  } as unknown as TemplateRenderer;
  const view = {
    templateNamed: () => ({ spec: { data: state.text } }) as Template,
    all: () => [],
  } as unknown as View;
  let nowMs = 0;
  const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs, schedule: () => () => undefined };
  const rendering = new Rendering({ view, renderer, clock, referenceRules: { deny: [], allow: [] } });
  return {
    state,
    advance: (ms: number) => (nowMs += ms),
    lookAtAll: async (): Promise<void> => {
      for (const one of workflows) assert.equal((await rendering.workflow(one)).ok, false);
    },
  };
}

test('a workflow that does not render is rendered again only after a change of its dependencies', async () => {
  const { state, advance, lookAtAll } = failing();
  await lookAtAll();
  assert.equal(state.renders, COUNT);
  for (let hour = 0; hour < 24; hour += 1) {
    advance(3_600_000);
    await lookAtAll();
  }
  assert.equal(state.renders, COUNT);
  state.text = 'broken otherwise';
  await lookAtAll();
  await lookAtAll();
  assert.equal(state.renders, 2 * COUNT);
});

test('a workflow whose template exceeded a limit is retried after minutes, not at every reconciliation', async () => {
  const { state, advance, lookAtAll } = failing();
  state.isStopped = true;
  for (let minute = 0; minute < 60; minute += 1) {
    await lookAtAll();
    advance(60_000);
  }
  assert.equal(state.renders, 6 * COUNT);
});
