/**
 * The sessions of agents that use tinkerbell.agent.v1. Each agent has one live session, and a newer one fences the older.
 * Sessions are in memory: after a restart of the server an agent sends Hello again. The attempt must survive, so it is in the
 * status of the workflow, and its session is in the timeline.
 */
import type { AgentAttributes } from '@tinkerbell/api/agent';
import type { ActionsResponse, HelloRequest } from '@tinkerbell/api/agent-v1';
import { machineOfAgent } from '@tinkerbell/enrollment';
import { setLatest, type Clock, type Random } from '@tinkerbell/platform-contract';
import type { Workflow } from '@tinkerbell/resources';
import type { Journal, View } from '@tinkerbell/store-contract';
import { ulid, type ActionPlace } from '@tinkerbell/workflow';
import type { Ending } from '../ending.ts';
import { RpcError } from '../grpc/rpc-error.ts';
import type { Speaker } from '../identity/agent-door.ts';
import type { SessionMetrics } from '../metrics.ts';
import type { ActionOutput } from './action-output.ts';

/** An action with the durable record of its assignment. */
export interface NextAction {
  readonly workflow: Workflow;
  readonly place: ActionPlace;
}

export interface Session {
  readonly id: string;
  readonly agentId: string;
  readonly attributes: AgentAttributes | undefined;
  /** In the server's monotonic clock. */
  heardMs: number;
  isSilent: boolean;
  /** False when it was fenced or forgotten. */
  isLive: boolean;
  /** Ends when the agent opens its stream of actions again, when a newer session begins, or when this one is forgotten. */
  stream: Ending | undefined;
  /** Sends an order on that stream. */
  give: ((order: ActionsResponse) => Promise<void>) | undefined;
  /** Authorizes the caller of that stream to get an action. Rejects with an RpcError. */
  admit: (() => Promise<Speaker>) | undefined;
  /** What became of the last report of a success: the next action, if it was assigned in the same write. */
  handover: Promise<NextAction | undefined> | undefined;
  output: ActionOutput | undefined;
  /** The last attempt whose end this session reported. */
  reported: string | undefined;
}

interface Deps {
  readonly clock: Clock;
  readonly random: Random;
  readonly journal: Journal;
  readonly view: View;
  readonly metrics: SessionMetrics;
}

const SESSIONS_MAX = 20_000;
/** The number of fenced sessions that get the reason for their refusal. Older ones get a request to send Hello. */
const FENCED_REMEMBERED = 10_000;
const AGENT_ID_MAX = 253;

export class Sessions {
  readonly #deps: Deps;
  readonly #silenceMs: number;
  readonly #byId = new Map<string, Session>();
  readonly #byAgent = new Map<string, Session>();
  /** The agents of fenced sessions. Only this is kept, because any client may start sessions as often as it likes. */
  readonly #fenced = new Map<string, string>();
  #cancelWatch: (() => void) | undefined;

  constructor(deps: Deps, silenceMs: number) {
    this.#deps = deps;
    this.#silenceMs = silenceMs;
    this.#measure(deps.metrics);
  }

  /** Starts a session. Throws an RpcError for an agent that may not have one. */
  open({ agentId, attributes }: Pick<HelloRequest, 'agentId' | 'attributes'>): Session {
    if (agentId === '' || agentId.length > AGENT_ID_MAX)
      throw new RpcError('invalid-argument', 'invalid Agent ID');
    this.fence(agentId);
    if (this.#byId.size >= SESSIONS_MAX) this.#forgetSilent();
    if (this.#byId.size >= SESSIONS_MAX)
      throw new RpcError('resource-exhausted', 'too many agents; try again in a minute');
    const { clock, random } = this.#deps;
    const session: Session = {
      id: ulid(clock.nowMs(), random.bytes(16)),
      agentId,
      attributes,
      heardMs: clock.monotonicMs(),
      isSilent: false,
      isLive: true,
      stream: undefined,
      give: undefined,
      admit: undefined,
      handover: undefined,
      output: undefined,
      reported: undefined,
    };
    this.#byId.set(session.id, session);
    this.#byAgent.set(agentId, session);
    this.#deps.metrics.sessionsStarted.add();
    this.#watch();
    return session;
  }

  /** Ends the session of an agent, because another one with that id has started. */
  fence(agentId: string): void {
    const session = this.#byAgent.get(agentId);
    if (session === undefined) return;
    setLatest(this.#fenced, [session.id, agentId], FENCED_REMEMBERED);
    this.#deps.metrics.sessionsFenced.add();
    this.#end(session);
  }

  #end(session: Session): void {
    session.isLive = false;
    this.#byId.delete(session.id);
    this.#byAgent.delete(session.agentId);
    session.stream?.end();
  }

  /**
   * Returns the session and records its activity. Throws `aborted` for a fenced one, `unauthenticated` for an unknown one. A caller
   * that had it before gives it, so that it is not searched for again.
   */
  live(sessionId: string, before?: Session): Session {
    const session = before?.isLive === true && before.id === sessionId ? before : this.#byId.get(sessionId);
    if (session === undefined) throw this.#refusal(sessionId);
    session.heardMs = this.#deps.clock.monotonicMs();
    session.isSilent = false;
    return session;
  }

  /** The agent that owned it. */
  fencedAgent(sessionId: string): string | undefined {
    return this.#fenced.get(sessionId);
  }

  /** Returns whether an agent has a recently active session. */
  hasLive(agentId: string): boolean {
    const session = this.#byAgent.get(agentId);
    return session !== undefined && !session.isSilent;
  }

  /** The session of an agent that waits for orders. */
  listener(agentId: string): Session | undefined {
    const session = this.#byAgent.get(agentId);
    return session?.give === undefined || session.isSilent ? undefined : session;
  }

  /** The agents that wait for orders. */
  *listening(): Generator<string> {
    for (const agentId of this.#byAgent.keys()) if (this.listener(agentId) !== undefined) yield agentId;
  }

  #measure({ sessions, agentsConnected, agentsSilent }: SessionMetrics): void {
    const countOf = (isCounted: (session: Session) => boolean): number =>
      [...this.#byId.values()].filter(isCounted).length;
    sessions.from(() => this.#byId.size);
    agentsConnected.from(() => countOf(({ stream }) => stream !== undefined));
    agentsSilent.from(() => countOf(({ isSilent }) => isSilent));
  }

  close(): void {
    this.#cancelWatch?.();
  }

  #refusal(sessionId: string): RpcError {
    const fenced = this.#fenced.get(sessionId);
    return fenced === undefined
      ? new RpcError('unauthenticated', 'unknown session; send Hello')
      : fencedError(fenced);
  }

  #watch(): void {
    this.#cancelWatch ??= this.#deps.clock.schedule(this.#silenceMs / 4, () => {
      this.#cancelWatch = undefined;
      const nowMs = this.#deps.clock.monotonicMs();
      for (const session of this.#byId.values())
        if (!session.isSilent && nowMs - session.heardMs >= this.#silenceMs) this.#fallSilent(session);
      if (this.#byId.size > 0) this.#watch();
    });
  }

  /**
   * Its action continues until its deadline, because the machine may only have lost its network. It is reported with stalled
   * work.
   */
  #fallSilent(session: Session): void {
    session.isSilent = true;
    const { metrics, journal, view } = this.#deps;
    metrics.agentsFellSilent.add();
    const running = view.workflowsByAgent(session.agentId).find(({ status }) => status?.state === 'RUNNING');
    if (running === undefined) return;
    const { namespace, name } = running.metadata;
    const machine = machineOfAgent(session.agentId, session.attributes);
    const seconds = Math.round(this.#silenceMs / 1000);
    journal.append({
      source: 'agent',
      event: 'agent-silent',
      workflow: `${namespace}/${name}`,
      ...(machine === undefined ? {} : { machine }),
      message: `no message from agent ${session.agentId} for ${seconds} s; its action continues until its deadline`,
      details: { agent: session.agentId, session: session.id },
    });
  }

  #forgetSilent(): void {
    for (const session of this.#byId.values()) {
      if (!session.isSilent) continue;
      this.#end(session);
    }
  }
}

export function fencedError(agentId: string): RpcError {
  return new RpcError('aborted', `fenced: a newer session of agent ${agentId} has begun`);
}
