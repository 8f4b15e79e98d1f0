/** What an operator does to a machine that boots. */
import { createObject } from '@tinkerbell/sandbox';
import { timelineOf } from '../bare-machine.ts';
import type { RunningFault } from './fault.ts';

const POLL_MS = 200;
const LIMIT_MS = 4 * 60_000;
const WORKFLOWS = '/apis/tinkerbell.org/v1alpha1/namespaces/default/workflows';

/** Pauses the workflow while it runs, creates another one, and restarts the machine. */
export async function holdWithPause(running: RunningFault): Promise<void> {
  const { server, machine } = running;
  await until(running, 'action-started');
  const headers = { 'content-type': 'application/json' };
  const pause = { method: 'POST', headers, body: '{}' };
  const response = await server.request(`${server.url}${WORKFLOWS}/work/pause`, pause);
  if (!response.ok) throw new Error(`the workflow is not paused: ${await response.text()}`);
  await until(running, 'action-succeeded');
  const { spec } = (await (await server.request(`${server.url}${WORKFLOWS}/work`)).json()) as {
    spec: object;
  };
  await createObject(server, {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Workflow',
    metadata: { name: 'next', namespace: 'default' },
    spec,
  });
  await machine.reset();
}

async function until({ server, hardware, machine }: RunningFault, event: string): Promise<void> {
  const end = AbortSignal.timeout(LIMIT_MS);
  while (!(await timelineOf(server, { hardware })).some((record) => record.event === event)) {
    if (end.aborted) throw new Error(`no ${event}: ${machine.serial.tail(30).join('\n')}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
