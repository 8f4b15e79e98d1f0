/** The calls of upstream's agents without a connection, for simulated machines. */
import type { ActionRequest, ActionResponse, ActionStatusRequest } from '@tinkerbell/api/agent';
import { MetricSet } from '@tinkerbell/platform-metrics';
import {
  createAgentCallDeps,
  wakeAgents,
  type AgentCallsConfig,
  type WorkflowsDeps,
} from './agent-call-deps.ts';
import { getAction } from './get-action.ts';
import { Ending } from './ending.ts';
import { reportActionStatus } from './report-action-status.ts';

export interface InProcessAgents {
  /** Holds until there is an action. Rejects with an RpcError. */
  getAction(request: ActionRequest, signal: AbortSignal): Promise<ActionResponse>;
  /** When it resolves, the report is durable. Rejects with an RpcError. */
  reportActionStatus(request: ActionStatusRequest): Promise<void>;
  close(): void;
}

export function createInProcessAgents(deps: WorkflowsDeps, config: AgentCallsConfig): InProcessAgents {
  const callDeps = createAgentCallDeps(deps, config, new MetricSet());
  const unfollow = deps.view.onChange((change) => wakeAgents(change, callDeps));
  return {
    async getAction(request, signal) {
      const ending = new Ending();
      const end = (): void => ending.end();
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
      try {
        return await getAction(callDeps, request, { ending, admit: () => Promise.resolve({}) });
      } finally {
        signal.removeEventListener('abort', end);
      }
    },
    async reportActionStatus(request) {
      await reportActionStatus(callDeps, request);
    },
    close() {
      unfollow();
      callDeps.sessions.close();
    },
  };
}
