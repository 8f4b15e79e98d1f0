import { join } from 'node:path';

import { PROTOCOL_NAMES, runOnce } from '../action-rows.ts';
import { startOnLoopback } from '../tinkerbell-server.ts';
import { createSite } from '../workflow-objects.ts';
import type { StartOperations } from './operation.ts';

const AGENTS = 300;

export const startWorkflowOperations: StartOperations = async (context, checkout) => {
  const dataDirectory = join(context.directory, 'data');
  const server = await startOnLoopback(context, { dataDirectory, checkout });
  await createSite(server.url, AGENTS);
  let runs = 0;
  return (['sessions', 'upstream'] as const).map((protocol) => ({
    name: `durable transition of an action, ${PROTOCOL_NAMES[protocol]}`,
    unit: 'us',
    measure: async () => {
      runs += 1;
      const load = { server, protocol, agents: AGENTS };
      const { serverSeconds, transitions } = await runOnce(context, load, {
        phase: `run${runs}`,
        actionMs: 0,
      });
      return (serverSeconds * 1e6) / transitions;
    },
  }));
};
