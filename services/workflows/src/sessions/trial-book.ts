/** Lets agents try something on their machines beside their actions: an order on their stream, and a call that brings what became of it. */
import { create } from '@bufbuild/protobuf';
import {
  ActionsResponseSchema,
  ServerPort_Asks as Asks,
  TriedPort_Outcome as Outcome,
  TriedResponseSchema,
  type ActionsResponse,
  type TriedRequest,
  type TriedResponse,
} from '@tinkerbell/api/agent-v1';
import {
  trialResult,
  type AgentTrials,
  type Clock,
  type NetworkTrial,
  type NetworkTrialResult,
  type Random,
  type ServerPort,
  type TriedPort,
} from '@tinkerbell/platform-contract';
import { ulid } from '@tinkerbell/workflow';
import { RpcError } from '../grpc/rpc-error.ts';
import type { Admit } from '../identity/agent-door.ts';
import type { Session, Sessions } from './sessions.ts';

/** A port that drops packets takes the agent three seconds. */
const ANSWER_MS = 8_000;
const WAITING_MAX = 100;

interface Deps {
  readonly clock: Clock;
  readonly random: Random;
  readonly sessions: Sessions;
}

interface Waiting {
  readonly session: Session;
  readonly trial: NetworkTrial;
  readonly resolve: (result: NetworkTrialResult | undefined) => void;
}

export class TrialBook implements AgentTrials {
  readonly #deps: Deps;
  readonly #waiting = new Map<string, Waiting>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  connected(): Iterable<string> {
    return this.#deps.sessions.listening();
  }

  isConnected(agentId: string): boolean {
    return this.#deps.sessions.listener(agentId) !== undefined;
  }

  async run(agentId: string, trial: NetworkTrial): Promise<NetworkTrialResult | undefined> {
    const { clock, random, sessions } = this.#deps;
    const session = sessions.listener(agentId);
    if (session?.give === undefined || this.#waiting.size >= WAITING_MAX) return undefined;
    const id = ulid(clock.nowMs(), random.bytes(16));
    const { promise, resolve } = Promise.withResolvers<NetworkTrialResult | undefined>();
    const cancel = clock.schedule(ANSWER_MS, () => resolve(undefined));
    this.#waiting.set(id, { session, trial, resolve });
    session.give(orderOf(id, trial)).catch(() => resolve(undefined));
    try {
      return await promise;
    } finally {
      cancel();
      this.#waiting.delete(id);
    }
  }

  /** Returns false if nobody waits for the answer of this session. */
  take(session: Session, request: TriedRequest): boolean {
    const waiting = this.#waiting.get(request.id);
    if (waiting?.session !== session) return false;
    waiting.resolve(resultIn(request, waiting.trial));
    return true;
  }
}

/** Rejects with an RpcError. */
export async function tried(
  { sessions, trials }: { readonly sessions: Sessions; readonly trials: TrialBook },
  request: TriedRequest,
  admit: Admit,
): Promise<TriedResponse> {
  const session = sessions.live(request.sessionId);
  await admit({ agentId: session.agentId, purpose: 'report' });
  if (!trials.take(session, request))
    throw new RpcError('not-found', 'the server does not wait for this answer, or does not any longer');
  return create(TriedResponseSchema, {});
}

const asksOf: Readonly<Record<ServerPort['asks'], Asks>> = {
  tcp: Asks.TCP,
  tftp: Asks.TFTP,
  dhcp: Asks.DHCP,
};

function orderOf(id: string, { host, ports, addresses }: NetworkTrial): ActionsResponse {
  const wanted = ports.map(({ name, asks, port }) => ({ name, asks: asksOf[asks], port }));
  const value = { id, host, ports: wanted, addresses: [...addresses] };
  return create(ActionsResponseSchema, { order: { case: 'trial', value } });
}

const outcomeOf: Readonly<Record<number, TriedPort['outcome']>> = {
  [Outcome.ANSWERED]: 'answered',
  [Outcome.SILENT]: 'silent',
};

function resultIn({ ports, holders }: TriedRequest, trial: NetworkTrial): NetworkTrialResult {
  const tried = ports.map(({ name, outcome, reason }) => ({ name, outcome: outcomeOf[outcome], reason }));
  return trialResult({ ports: tried, holders }, trial, 'its agent has not tried it');
}
