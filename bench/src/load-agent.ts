/**
 * An agent as the server sees it, without the code that runs actions: with upstream's protocol, or our own.
 */
import {
  StateType,
  WorkflowService,
  type ActionResponse,
  type ActionStatusRequest,
} from '@tinkerbell/api/agent';
import { AgentService, type Start } from '@tinkerbell/api/agent-v1';
import { serviceDefinition } from '@tinkerbell/api/grpc';

import { CallError } from '@tinkerbell/sim/grpc-connection';

import { LoadGrpc } from './load-grpc.ts';

export type AgentProtocol = 'upstream' | 'sessions';

export interface LoadAgent {
  /**
   * Returns the next action as soon as there is one. @throws CallError when the server answers anything
   * unexpected.
   */
  nextAction(): Promise<ActionResponse>;
  /** Durable when it resolves. */
  report(action: ActionResponse, state: StateType): Promise<void>;
  close(): void;
}

const UPSTREAM = serviceDefinition(WorkflowService);
const SESSIONS = serviceDefinition(AgentService);
/** NOT_FOUND and FAILED_PRECONDITION mean that there is no work now. */
const IDLE_CODES: readonly number[] = [5, 9];
/** The agent itself waits this long before it sends its next request. */
const ASK_AGAIN_MS = 1000;

export async function connectAgent(
  authority: string,
  protocol: AgentProtocol,
  agentId: string,
): Promise<LoadAgent> {
  const connection = await LoadGrpc.open(authority);
  if (protocol === 'upstream') return new UpstreamAgent(connection, agentId);
  const { sessionId, limits } = await connection.unary(SESSIONS.hello, { agentId });
  return new SessionAgent(connection, agentId, {
    sessionId,
    heartbeatSeconds: limits?.heartbeatSeconds ?? 10,
  });
}

class UpstreamAgent implements LoadAgent {
  readonly #connection: LoadGrpc;
  readonly #agentId: string;

  constructor(connection: LoadGrpc, agentId: string) {
    this.#connection = connection;
    this.#agentId = agentId;
  }

  async nextAction(): Promise<ActionResponse> {
    for (;;) {
      try {
        return await this.#connection.unary(UPSTREAM.getAction, { agentId: this.#agentId });
      } catch (error) {
        if (!(error instanceof CallError) || !IDLE_CODES.includes(error.code)) throw error;
        await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
      }
    }
  }

  async report(action: ActionResponse, state: StateType): Promise<void> {
    await this.#connection.unary(
      UPSTREAM.reportActionStatus,
      statusOf(this.#agentId, action, state) as never,
    );
  }

  close(): void {
    this.#connection.close();
  }
}

interface SessionTerms {
  readonly sessionId: string;
  readonly heartbeatSeconds: number;
}

/** Keeps the stream of output open for heartbeats, as the agent does. */
class SessionAgent implements LoadAgent {
  readonly #connection: LoadGrpc;
  readonly #agentId: string;
  readonly #sessionId: string;
  readonly #heartbeat: ReturnType<typeof setInterval>;
  readonly #started: Start[] = [];
  #attempt = 0;
  #failure: Error | undefined;
  #wake: () => void = () => undefined;

  constructor(connection: LoadGrpc, agentId: string, { sessionId, heartbeatSeconds }: SessionTerms) {
    this.#connection = connection;
    this.#agentId = agentId;
    this.#sessionId = sessionId;
    const orders = connection.stream(SESSIONS.actions, {
      onMessage: ({ order }) => {
        if (order.case === 'start') this.#started.push(order.value);
        this.#wake();
      },
      onEnd: (error) => {
        this.#failure = error ?? new Error('the stream of actions ended');
        this.#wake();
      },
    });
    orders.send({ sessionId });
    orders.end();
    const output = connection.stream(SESSIONS.output, { onMessage: () => undefined, onEnd: () => undefined });
    const heartbeat = { sessionId, payload: { case: 'heartbeat', value: {} } } as never;
    this.#heartbeat = setInterval(() => output.send(heartbeat), heartbeatSeconds * 1000);
  }

  async nextAction(): Promise<ActionResponse> {
    for (;;) {
      const start = this.#started.shift();
      if (start?.action !== undefined) {
        this.#attempt = start.attempt;
        return start.action;
      }
      if (this.#failure !== undefined) throw this.#failure;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  async report(action: ActionResponse, state: StateType): Promise<void> {
    const status = statusOf(this.#agentId, action, state);
    const request = { sessionId: this.#sessionId, attempt: this.#attempt, status };
    await this.#connection.unary(SESSIONS.report, request as never);
  }

  close(): void {
    clearInterval(this.#heartbeat);
    this.#connection.close();
  }
}

function statusOf(
  agentId: string,
  action: ActionResponse,
  actionState: StateType,
): Partial<ActionStatusRequest> {
  const { workflowId, taskId, actionId, name } = action;
  const executionDuration = actionState === StateType.RUNNING ? '' : '1s';
  return { workflowId, agentId, taskId, actionId, actionName: name, actionState, executionDuration };
}
