/**
 * Measures how soon the server is ready again after it was killed with thousands of Workflows in its store.
 */
import { join } from 'node:path';

import { createWorkflows, createSite, listWorkflows } from './workflow-objects.ts';
import { AgentLoad } from './agent-load.ts';
import { rowOf, type BenchContext, type Row } from './benchmark.ts';
import { median } from './rounds.ts';
import { startOnLoopback } from './tinkerbell-server.ts';

const READY_GOAL_SECONDS = 2;
const RUNNING_SHARE = 10;
/** No action ends while the server is measured. */
const ACTION_MS = 3_600_000;
const LOOK_AGAIN_MS = 200;

export async function restartRows(context: BenchContext): Promise<Row[]> {
  const workflows = context.quick ? 1000 : 10_000;
  const running = workflows / RUNNING_SHARE;
  const dataDirectory = join(context.directory, 'restart');
  const first = await startOnLoopback(context, { dataDirectory });
  context.say(`creating ${workflows} Hardware and Workflows, ${running} of which run`);
  await createSite(first.url, workflows);
  await createWorkflows(first.url, { name: 'restart', template: 'ten', count: workflows });
  const load = await AgentLoad.connect(context, {
    authority: first.grpcAddress,
    protocol: 'upstream',
    agents: running,
    processes: 1,
  });
  void load.run({ actions: 1, actionMs: ACTION_MS, spreadMs: 0 }).catch(() => undefined);
  while ((await runningWorkflows(first.url)) < running)
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  await load.stop();
  process.kill(first.process.pid ?? 0, 'SIGKILL');
  await first.ended;
  const seconds: number[] = [];
  for (let round = 0; round < (context.quick ? 1 : 3); round += 1) {
    const server = await startOnLoopback(context, { dataDirectory });
    seconds.push(server.readySeconds);
    if (round === 0 && (await runningWorkflows(server.url)) !== running)
      throw new Error('Workflows are lost after SIGKILL');
    process.kill(server.process.pid ?? 0, 'SIGKILL');
    await server.ended;
  }
  return [
    rowOf({
      name: `ready after SIGKILL, ${workflows} Workflows, ${running} of them running`,
      value: median(seconds),
      unit: 's',
      better: 'lower',
      goal: { value: READY_GOAL_SECONDS },
    }),
  ];
}

async function runningWorkflows(url: string): Promise<number> {
  return (await listWorkflows(url)).filter(({ status }) => status?.state === 'RUNNING').length;
}
