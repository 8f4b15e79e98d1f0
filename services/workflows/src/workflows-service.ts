/** The gRPC server for agents (upstream tink/server). */
import type { AgentTrials, Service } from '@tinkerbell/platform-contract';
import { MetricSet } from '@tinkerbell/platform-metrics';
import {
  createAgentCallDeps,
  wakeAgents,
  type WorkflowsConfig,
  type WorkflowsDeps,
} from './agent-call-deps.ts';
import { Calls } from './grpc/calls.ts';
import { healthRpc } from './grpc/health.ts';
import { reflectionRpcs } from './grpc/reflection.ts';
import { GrpcServer } from './grpc/grpc-server.ts';
import { createProvisioning } from './provisioning/provisioning.ts';
import { agentRpc } from './sessions/agent-rpc.ts';
import { workflowRpc } from './workflow-rpc.ts';

export interface WorkflowsService extends Service {
  /** The port it listens on after the start. */
  port(): number;
  /** What connected agents can try. */
  readonly trials: AgentTrials;
}

export function createWorkflowsService(deps: WorkflowsDeps, config: WorkflowsConfig): WorkflowsService {
  const stopping = new AbortController();
  const set = new MetricSet();
  const callDeps = createAgentCallDeps(deps, config, set);
  const calls = new Calls({ ...deps, metrics: callDeps.metrics }, stopping.signal);
  const provisioning = createProvisioning(deps, { calls, stopping: stopping.signal }, config.provisioning);
  const services = [workflowRpc(callDeps, calls), agentRpc(callDeps, calls), provisioning.rpc];
  const all = [...services, healthRpc(calls, services)];
  const server = new GrpcServer([...all, ...reflectionRpcs(calls, all)], deps.clock);
  const { promise: stopped, resolve: markStopped } = Promise.withResolvers<void>();
  let boundPort = 0;

  return {
    name: 'workflows',
    routes: provisioning.routes,
    metrics: set,
    port: () => boundPort,
    trials: callDeps.trials,
    stopped: () => stopped,
    health: () => ({ ready: boundPort !== 0 }),
    async start(signal) {
      const unfollow = deps.view.onChange((change) => wakeAgents(change, callDeps));
      boundPort = await server.listen(config);
      signal.addEventListener('abort', () => {
        stopping.abort();
        callDeps.sessions.close();
        unfollow();
        void server.shutDown().then(markStopped);
      });
    },
  };
}
