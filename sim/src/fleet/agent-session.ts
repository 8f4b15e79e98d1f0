/** The agent of a simulated machine as the server sees it, without the code that runs actions. */
import { StateType } from '@tinkerbell/api/agent';
import { AgentService, type Start } from '@tinkerbell/api/agent-v1';
import { serviceDefinition } from '@tinkerbell/api/grpc';
import { SESSION_HEADER } from '@tinkerbell/platform-contract';
import type { GivenAction } from '../machine/model.ts';
import { GrpcConnection } from './grpc-connection.ts';

const METHODS = serviceDefinition(AgentService);
const HEARTBEAT_SECONDS = 10;

/** What the kernel arguments of a boot say, and what became of the token. */
export interface AgentIdentity {
  readonly agentId: string;
  readonly address: string;
  readonly authority: string;
  readonly isTls: boolean;
  /** Empty: the server gave none. */
  readonly bootToken: string;
  /** Of an earlier connection of this boot. */
  session?: string;
}

export class AgentSession {
  readonly #connection: GrpcConnection;
  readonly #agentId: string;
  readonly #sessionId: string;
  readonly #heartbeat: ReturnType<typeof setInterval>;
  #start: Start | undefined;
  #attempt = 0;
  #failure: Error | undefined;
  #wake: () => void = () => undefined;

  private constructor(
    connection: GrpcConnection,
    agentId: string,
    terms: { readonly sessionId: string; readonly heartbeatSeconds: number },
  ) {
    this.#connection = connection;
    this.#agentId = agentId;
    this.#sessionId = terms.sessionId;
    const { sessionId } = terms;
    const orders = connection.stream(METHODS.actions, {
      onMessage: ({ order }) => {
        if (order.case === 'start') this.#start = order.value;
        this.#wake();
      },
      onEnd: (error) => {
        this.#failure = error ?? new Error('the server ended the stream of actions');
        this.#wake();
      },
    });
    orders.send({ sessionId });
    orders.end();
    const output = connection.stream(METHODS.output, { onMessage: () => undefined, onEnd: () => undefined });
    this.#heartbeat = setInterval(
      () => output.send({ sessionId, payload: { case: 'heartbeat', value: {} } }),
      terms.heartbeatSeconds * 1000,
    );
  }

  /** Connects, exchanges the boot token once, and begins a session. @throws CallError, or Error without a connection. */
  static async open(identity: AgentIdentity): Promise<AgentSession> {
    const { agentId, address, authority, isTls, bootToken } = identity;
    const tls = isTls ? { tls: { rejectUnauthorized: false } } : {};
    const connection = await GrpcConnection.open(authority, { ...tls, localAddress: address });
    try {
      if (identity.session === undefined && bootToken !== '')
        identity.session = (await connection.unary(METHODS.exchange, { agentId, bootToken })).session;
      if (identity.session !== undefined) connection.present(SESSION_HEADER, identity.session);
      const { sessionId, limits } = await connection.unary(METHODS.hello, { agentId });
      const heartbeatSeconds = limits?.heartbeatSeconds ?? HEARTBEAT_SECONDS;
      return new AgentSession(connection, agentId, { sessionId, heartbeatSeconds });
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  isOpen(): boolean {
    return this.#failure === undefined && this.#connection.isOpen();
  }

  /** Resolves as soon as there is an action. */
  async next(): Promise<GivenAction> {
    for (;;) {
      const start = this.#start;
      this.#start = undefined;
      if (start?.action !== undefined) {
        this.#attempt = start.attempt;
        return start.action;
      }
      if (this.#failure !== undefined) throw this.#failure;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** The report is durable when it resolves. */
  async report(action: GivenAction, state: 'RUNNING' | 'SUCCESS'): Promise<void> {
    const { workflowId, taskId, actionId, name } = action;
    const executionDuration = state === 'RUNNING' ? '' : '1s';
    const status = {
      workflowId,
      agentId: this.#agentId,
      taskId,
      actionId,
      actionName: name,
      executionDuration,
    };
    await this.#connection.unary(METHODS.report, {
      sessionId: this.#sessionId,
      attempt: this.#attempt,
      status: { ...status, actionState: StateType[state] },
    });
  }

  close(): void {
    clearInterval(this.#heartbeat);
    this.#connection.close();
  }
}
