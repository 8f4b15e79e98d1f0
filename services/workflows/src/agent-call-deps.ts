/** What the calls of agents need, whatever carries them. */
import type {
  AgentGate,
  Authenticator,
  Authorizer,
  Clock,
  Log,
  Random,
  Tracer,
} from '@tinkerbell/platform-contract';
import type { MetricSet } from '@tinkerbell/platform-metrics';
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
import type { ListenConfig } from './grpc/grpc-server.ts';
import { HandoverTimes } from './handover-times.ts';
import type { AgentClaimConfig } from './identity/agent-claim.ts';
import { AgentDoor } from './identity/agent-door.ts';
import { RefusalTimeline } from './identity/refusal-timeline.ts';
import { createWorkflowsMetrics, type WorkflowsMetrics } from './metrics.ts';
import { Newcomers, type AutoDiscoveryConfig, type AutoEnrollmentConfig } from './newcomers.ts';
import type { ProvisioningConfig } from './provisioning/provisioning.ts';
import { Sessions } from './sessions/sessions.ts';
import { TrialBook } from './sessions/trial-book.ts';
import { Timeline } from './timeline.ts';
import { WaitingAgents } from './waiting-agents.ts';

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

export interface AgentCallsConfig {
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
}

export interface WorkflowsConfig extends ListenConfig, AgentCallsConfig {
  readonly provisioning?: ProvisioningConfig;
}

const HOLD_MS = 60_000;
const SILENCE_MS = 60_000;

export function createAgentCallDeps(deps: WorkflowsDeps, config: AgentCallsConfig, set: MetricSet) {
  const waiting = new WaitingAgents();
  const metrics = createWorkflowsMetrics(set);
  metrics.waitingAgents.from(() => waiting.count());
  const handovers = new HandoverTimes(deps.clock, metrics);
  const { silenceMs = SILENCE_MS, httpOrigins = [] } = config;
  const sessions = new Sessions({ ...deps, metrics }, silenceMs);
  return {
    ...deps,
    door: doorOf(deps, config.agentClaim, metrics),
    httpOrigins,
    waiting,
    concerned: new WaitingAgents(),
    newcomers: new Newcomers(config, metrics),
    sessions,
    trials: new TrialBook({ ...deps, sessions }),
    silenceMs,
    metrics,
    timeline: timelineOf(deps, handovers),
    holdMs: config.holdMs ?? HOLD_MS,
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
export function wakeAgents(change: Change, { waiting, concerned, newcomers }: Wakeable): void {
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
