import assert from 'node:assert/strict';
import type { Workflow } from '@tinkerbell/resources';
import type { RunningServer } from './running-server.ts';

/** Returns the state and attempt of each action in every write from now on. */
export async function writesOf({ store }: RunningServer): Promise<string[]> {
  const writes: string[] = [];
  const watching = await store.watch(
    { fromRevision: await store.revision(), collection: 'workflows.tinkerbell.org' },
    { onChange: ({ object }) => void writes.push(actionsOf(object as Workflow)), onEnd: () => undefined },
  );
  assert.ok(watching.ok);
  return writes;
}

function actionsOf({ status }: Workflow): string {
  const actions = status?.tasks?.flatMap((task) => task.actions) ?? [];
  return actions.map(({ state, attempt = 0 }) => `${state} ${attempt}`).join(', ');
}
