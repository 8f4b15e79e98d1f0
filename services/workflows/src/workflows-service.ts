/** The gRPC server for agents (upstream tink/server). */
import type {
  AgentGate,
  Authenticator,
  Authorizer,
  Clock,
  Log,
  Random,
  Service,
  Tracer,
} from '@tinkerbell/platform-contract';
import { MetricSet } from '@tinkerbell/platform-metrics';
import {
  hardwareCollection,
  workflowCollection,
  type Change,
  type Journal,
  type Store,
  type View,
} from '@tinkerbell/store-contract';
import { AttemptSpans } from './attempt-spans.ts';
import { ruleSetCollection } from './enroll.ts';
import { Calls } from './grpc/calls.ts';
import { healthRpc } from './grpc/health.ts';
import { reflectionRpcs } from './grpc/reflection.ts';
import { bind, grpcServer, shutDown, type ListenConfig } from './grpc/grpc-server.ts';
import { HandoverTimes } from './handover-times.ts';
import type { AgentClaimConfig } from './identity/agent-claim.ts';
import { AgentDoor } from './identity/agent-door.ts';
import { RefusalTimeline } from './identity/refusal-timeline.ts';
import { createWorkflowsMetrics, type WorkflowsMetrics } from './metrics.ts';
import { Newcomers, type AutoDiscoveryConfig, type AutoEnrollmentConfig } from './newcomers.ts';
import { createProvisioning, type ProvisioningConfig } from './provisioning/provisioning.ts';
import { agentRpc } from './sessions/agent-rpc.ts';
import { Sessions } from './sessions/sessions.ts';
import { Timeline } from './timeline.ts';
import { WaitingAgents } from './waiting-agents.ts';
import { workflowRpc } from './workflow-rpc.ts';

export interface WorkflowsDeps {
  /** With an authenticator, they determine who may call the Provisioning API and what the caller may do. */
  readonly authorizer?: Authorizer;
  readonly authenticator?: Authenticator;
  /** Absent: agents need no session. */
  readonly agentGate?: AgentGate;
  /** Absent: no traces are collected. */
  readonly tracer?: Tracer;
  readonly store: Store;
  readonly view: View;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export interface WorkflowsConfig extends ListenConfig {
  readonly holdMs?: number;
  /** Absent: no proxy identifies agents. */
  readonly agentClaim?: AgentClaimConfig;
  /** The URLs of our own HTTP servers to which an agent may present its session. */
  readonly httpOrigins?: readonly string[];
  /** The time after which an agent of our own protocol counts as silent (default: 60 s). */
  readonly silenceMs?: number;
  /** Absent: machines are not discovered. */
  readonly autoDiscovery?: AutoDiscoveryConfig;
  /** Absent: agents without a Workflow get none automatically. */
  readonly autoEnrollment?: AutoEnrollmentConfig;
  readonly provisioning?: ProvisioningConfig;
}

export interface WorkflowsService extends Service {
  /** The port it listens on after the start. */
  port(): number;
}

const HOLD_MS = 60_000;
const SILENCE_MS = 60_000;

export function createWorkflowsService(deps: WorkflowsDeps, config: WorkflowsConfig): WorkflowsService {
  const stopping = new AbortController();
  const waiting = new WaitingAgents();
  const set = new MetricSet();
  const metrics = createWorkflowsMetrics(set);
  metrics.waitingAgents.from(() => waiting.count());
  const calls = new Calls({ ...deps, metrics }, stopping.signal);
  const newcomers = new Newcomers(config, metrics);
  const handovers = new HandoverTimes(deps.clock, metrics);
  const { silenceMs = SILENCE_MS, httpOrigins = [] } = config;
  const sessions = new Sessions({ ...deps, metrics }, silenceMs);
  const callDeps = {
    ...deps,
    door: doorOf(deps, config.agentClaim, metrics),
    httpOrigins,
    waiting,
    concerned: new WaitingAgents(),
    newcomers,
    sessions,
    silenceMs,
    metrics,
    timeline: timelineOf(deps, handovers),
    holdMs: config.holdMs ?? HOLD_MS,
  };
  const provisioning = createProvisioning(deps, { calls, stopping: stopping.signal }, config.provisioning);
  const services = [workflowRpc(callDeps, calls), agentRpc(callDeps, calls), provisioning.rpc];
  const all = [...services, healthRpc(calls, services)];
  const server = grpcServer([...all, ...reflectionRpcs(calls, all)]);
  const { promise: stopped, resolve: markStopped } = Promise.withResolvers<void>();
  let boundPort = 0;

  return {
    name: 'workflows',
    routes: provisioning.routes,
    metrics: set,
    port: () => boundPort,
    stopped: () => stopped,
    health: () => ({ ready: boundPort !== 0 }),
    async start(signal) {
      const unfollow = deps.view.onChange((change) => wakeAgents(change, callDeps));
      boundPort = await bind(server, config);
      signal.addEventListener('abort', () => {
        stopping.abort();
        sessions.close();
        unfollow();
        void shutDown(server, deps.clock).then(markStopped);
      });
    },
  };
}

function timelineOf({ journal, view, tracer }: WorkflowsDeps, handovers: HandoverTimes): Timeline {
  return new Timeline(journal, view, { handovers, attempts: new AttemptSpans(tracer) });
}

function doorOf(
  deps: WorkflowsDeps,
  claim: AgentClaimConfig | undefined,
  metrics: WorkflowsMetrics,
): AgentDoor {
  return new AgentDoor({ gate: deps.agentGate, claim, metrics, timeline: new RefusalTimeline(deps) });
}

interface Wakeable {
  readonly waiting: WaitingAgents;
  readonly concerned: WaitingAgents;
  readonly newcomers: Newcomers;
}

/** The agents concerned must learn of every change, also of one that gives them nothing. */
function wakeAgents(change: Change, { waiting, concerned, newcomers }: Wakeable): void {
  wakeFor(change, waiting, newcomers.enrollment !== undefined);
  wakeFor(change, concerned, newcomers.enrollment !== undefined);
  if (!workflowCollection.holds(change)) return;
  for (const { agentID } of change.object.status?.tasks ?? []) concerned.wake(agentID);
}

/**
 * Returns the agents that may get work now. These are the agent of a workflow, with enrollment those of a
 * Hardware, and for a rule set all agents.
 */
function wakeFor(change: Change, waiting: WaitingAgents, enrolls: boolean): void {
  if (workflowCollection.holds(change)) {
    const agentId = change.object.status?.agentID;
    if (agentId !== undefined) waiting.wake(agentId);
  } else if (enrolls && ruleSetCollection.holds(change)) {
    waiting.wakeAll();
  } else if (enrolls && hardwareCollection.holds(change)) {
    const { agentID, interfaces = [] } = change.object.spec ?? {};
    for (const name of [agentID, ...interfaces.map(({ dhcp }) => dhcp?.mac)])
      if (name !== undefined) waiting.wake(name);
  }
}
