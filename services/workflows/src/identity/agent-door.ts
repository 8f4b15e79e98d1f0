/**
 * Authorizes callers that act for an agent. Every call of every protocol passes this check before anything is read or changed.
 */
import { agentRefusal, isForeign, type AgentRefusal } from '@tinkerbell/agent-identity';
import {
  SESSION_HEADER,
  type AgentCall,
  type AgentGate,
  type AgentSession,
} from '@tinkerbell/platform-contract';
import type { Workflow } from '@tinkerbell/resources';
import type { Caller } from '../grpc/calls.ts';
import { RpcError } from '../grpc/rpc-error.ts';
import type { WorkflowsMetrics } from '../metrics.ts';
import { claimRefusal, type AgentClaimConfig } from './agent-claim.ts';
import type { RefusalTimeline } from './refusal-timeline.ts';

export interface AgentDoorDeps {
  /** Absent: no session is required. */
  readonly gate: AgentGate | undefined;
  /** Absent: no proxy asserts identities. */
  readonly claim: AgentClaimConfig | undefined;
  readonly metrics: Pick<WorkflowsMetrics, 'agentsRefused'>;
  readonly timeline: RefusalTimeline;
}

/** The admitted caller. */
export interface Speaker {
  /** Absent when no session is required. */
  readonly session?: AgentSession;
}

interface Said extends Pick<AgentCall, 'agentId' | 'purpose'> {
  /** `<namespace>/<name>` of the object that the call is about. */
  readonly workflowId?: string;
}

/** Returns the check for one caller. Rejects with an RpcError. */
export type Admit = (said: Said) => Promise<Speaker>;

export class AgentDoor {
  readonly #deps: AgentDoorDeps;

  constructor(deps: AgentDoorDeps) {
    this.#deps = deps;
  }

  /** Rejects with an RpcError that states only the reason. */
  async admit(caller: Caller, said: Said): Promise<Speaker> {
    const { speaker, refusal } = await this.#look(caller, said);
    if (refusal !== undefined) throw this.refused(refusal, said.agentId);
    return speaker;
  }

  /**
   * Checks a call that names no agent, but something that belongs to agents. With a session, it must be a session of one of them.
   * Without one, each of them must be allowed to have none.
   */
  async admitOneOf(
    caller: Caller,
    agentIds: readonly string[],
    said: Omit<Said, 'agentId'>,
  ): Promise<Speaker> {
    const all = agentIds.length === 0 ? [''] : agentIds;
    const looks = await Promise.all(all.map((agentId) => this.#look(caller, { ...said, agentId })));
    const isPresented = caller.header(SESSION_HEADER) !== undefined;
    const isIn = ({ refusal }: { refusal?: AgentRefusal }): boolean => refusal === undefined;
    const [first] = looks;
    const mayAll = looks.every(isIn) ? first : undefined;
    const admitted = isPresented ? looks.find(isIn) : mayAll;
    if (admitted !== undefined) return admitted.speaker;
    const refused = looks.find((look) => !isIn(look))?.refusal ?? agentRefusal('no-token');
    throw this.refused(refused, all[0] ?? '');
  }

  /** Runs before an action of a workflow is assigned. Rejects with an RpcError when the session is for another workflow. */
  async bind({ session }: Speaker, agentId: string, { metadata }: Workflow): Promise<void> {
    const { gate } = this.#deps;
    if (gate === undefined || session === undefined) return;
    const { namespace, name, uid = '' } = metadata;
    const refusal = await asked(() => gate.bind(session, { namespace, name, uid }));
    if (refusal !== undefined) throw this.refused(refusal, agentId);
  }

  /** Rejects with an RpcError. */
  async exchange(caller: Caller, request: { readonly agentId: string; readonly bootToken: string }) {
    const { gate, claim } = this.#deps;
    if (gate === undefined)
      throw new RpcError('unimplemented', 'this server issues no sessions: it runs with --agent-auth=off');
    const wrongClaim = claim && claimRefusal(claim, caller, request.agentId);
    if (wrongClaim !== undefined) throw this.refused(wrongClaim, request.agentId);
    const given = await asked(() => gate.exchange(request));
    if (!given.ok) throw this.refused(given.refusal, given.mac ?? request.agentId);
    return given;
  }

  /** Counts the refusal and records it in the timeline of the machine that it is about. */
  refused(refusal: AgentRefusal, agentId: string): RpcError {
    const { metrics, timeline } = this.#deps;
    const { reason, message } = refusal;
    metrics.agentsRefused.add({ reason });
    timeline.record(refusal, agentId);
    return new RpcError(isForeign(reason) ? 'permission-denied' : 'unauthenticated', `${reason}: ${message}`);
  }

  async #look(
    caller: Caller,
    { agentId, purpose, workflowId }: Said,
  ): Promise<{ readonly speaker: Speaker; readonly refusal?: AgentRefusal }> {
    const { gate, claim } = this.#deps;
    const wrongClaim = claim && claimRefusal(claim, caller, agentId);
    if (wrongClaim !== undefined) return { speaker: {}, refusal: wrongClaim };
    if (gate === undefined) return { speaker: {} };
    const session = caller.header(SESSION_HEADER);
    const admitted = await asked(() => gate.admit({ agentId, session, purpose }));
    if (!admitted.ok) return { speaker: {}, refusal: admitted.refusal };
    const { workflow } = admitted.session ?? {};
    const isOther =
      workflowId !== undefined &&
      workflow !== undefined &&
      workflowId !== `${workflow.namespace}/${workflow.name}`;
    return isOther
      ? { speaker: {}, refusal: agentRefusal('another-workflow') }
      : { speaker: admitted.session === undefined ? {} : { session: admitted.session } };
  }
}

/** A check that fails because the store is unreachable is neither accepted nor refused. */
async function asked<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (thrown) {
    throw new RpcError('unavailable', `the session cannot be verified: ${String(thrown)}`);
  }
}

/** Returns what a session may get: everything, or only its workflow. */
export function workflowsFor({ session }: Speaker, all: readonly Workflow[]): readonly Workflow[] {
  const bound = session?.workflow;
  return bound === undefined ? all : all.filter(({ metadata }) => (metadata.uid ?? '') === bound.uid);
}
