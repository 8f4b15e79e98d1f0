/**
 * The agent's side of tinkerbell.agent.v1: one session with a stream of orders and a stream of output. Each stream reconnects
 * after a failure. The agent sends the server its running action, so a broken stream interrupts nothing.
 */
import { create } from '@bufbuild/protobuf';
import { status, type ServiceError } from '@grpc/grpc-js';
import type { ActionStatusRequest, AgentAttributes } from '@tinkerbell/api/agent';
import {
  AgentService,
  AttemptSchema,
  type ActionsResponse,
  type Attempt,
  type Cancel,
  type Start,
  type Trial,
} from '@tinkerbell/api/agent-v1';
import { serviceDefinition } from '@tinkerbell/api/grpc';
import { redacted, secretsOf } from '@tinkerbell/api/redaction';
import {
  delay,
  type Clock,
  type Log,
  type NetworkTrial,
  type NetworkTrialResult,
  type Random,
} from '@tinkerbell/platform-contract';

import { createBackoff } from './backoff.ts';
import { environmentOf } from './environment-of.ts';
import { isIdentityRefusal } from './identity.ts';
import { trialIn, triedRequest } from './network-trial.ts';
import { OutputStream } from './output-stream.ts';
import type { Assignment } from './assignment.ts';
import type { Settings } from './settings.ts';
import { failure, unary, type CallResult, type Channel, type Fields } from './workflow-client.ts';

interface SessionDeps {
  readonly channel: Channel;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly attributes: AgentAttributes | undefined;
  readonly agentVersion: string;
  /** The boot ID of the machine. */
  readonly bootId: string;
  /** Never rejects. */
  readonly tryNetwork: (trial: NetworkTrial) => Promise<NetworkTrialResult>;
}

const METHODS = serviceDefinition(AgentService);
const HEARTBEAT_SECONDS = 10;
const STAY_AWAY_MS = 3_600_000;
/** The server asks seldom. More is not done. */
const TRIALS_MAX = 4;

interface Running {
  readonly attempt: Attempt;
  readonly cancel: AbortController;
}

export class SessionLink {
  readonly #deps: SessionDeps;
  readonly #output: OutputStream;
  readonly #closed = new AbortController();
  #sessionId = '';
  #opening: Promise<CallResult<'open' | 'unimplemented'>> | undefined;
  /** Ends the stream of orders, which then reconnects. */
  #closeOrders: (() => void) | undefined;
  #isListening = false;
  #running: Running | undefined;
  #started: Start | undefined;
  #wake: (() => void) | undefined;
  #trials = 0;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    this.#output = new OutputStream(deps.channel, deps.clock);
  }

  /**
   * `unimplemented`: the server does not support sessions. Concurrent calls share one Hello, because a second would fence the
   * first.
   */
  open(): Promise<CallResult<'open' | 'unimplemented'>> {
    this.#opening ??= this.#hello().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #hello(): Promise<CallResult<'open' | 'unimplemented'>> {
    const { settings, attributes, agentVersion, bootId } = this.#deps;
    const request = { agentId: settings.id, attributes, agentVersion, bootId };
    const answer = await unary(this.#deps.channel, METHODS.hello, { request });
    if ('error' in answer) {
      if (answer.error?.code === status.UNIMPLEMENTED) return { ok: true, value: 'unimplemented' };
      return failure(answer.error);
    }
    const { sessionId, limits } = answer.value;
    this.#sessionId = sessionId;
    this.#output.begin(sessionId, (limits?.heartbeatSeconds ?? HEARTBEAT_SECONDS) * 1000);
    return { ok: true, value: 'open' };
  }

  /** Resolves with the next action, or when `signal` aborts. Requests an action again if it was not started. */
  async next(signal: AbortSignal): Promise<CallResult<Assignment>> {
    if (this.#running !== undefined) {
      this.#running = undefined;
      this.#closeOrders?.();
    }
    if (!this.#isListening) void this.#listen();
    const stop = (): void => this.#wake?.();
    signal.addEventListener('abort', stop, { once: true });
    while (this.#started === undefined && !signal.aborted)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    signal.removeEventListener('abort', stop);
    const start = this.#started;
    this.#started = undefined;
    if (start?.action === undefined) return { ok: false, kind: 'temporary', error: 'the agent is stopping' };
    return { ok: true, value: this.#assign(start, start.action) };
  }

  async report(
    given: Fields<ActionStatusRequest>,
    attempt: number,
    deadlineMs?: number,
  ): Promise<CallResult<undefined>> {
    if (this.#sessionId === '') {
      const opened = await this.open();
      if (!opened.ok) return opened;
    }
    const sessionId = this.#sessionId;
    const request = { sessionId, attempt, status: given };
    const answer = await unary(this.#deps.channel, METHODS.report, { request, deadlineMs });
    if (!('error' in answer)) return { ok: true, value: undefined };
    const code = answer.error?.code;
    if (code === status.UNAUTHENTICATED) this.#forget(sessionId);
    const failed = failure(answer.error);
    const isForGood =
      code === status.ABORTED ||
      (code === status.PERMISSION_DENIED && answer.error !== null && !isIdentityRefusal(answer.error));
    return isForGood ? { ...failed, kind: 'permanent' } : failed;
  }

  close(): void {
    this.#closed.abort();
    this.#closeOrders?.();
    this.#output.close();
  }

  #assign(start: Start, action: NonNullable<Start['action']>): Assignment {
    const { workflowId, actionId, name } = action;
    const attempt = create(AttemptSchema, { workflowId, actionId, number: start.attempt });
    const cancel = new AbortController();
    this.#running = { attempt, cancel };
    const secrets = secretsOf(environmentOf(action));
    if (start.attempt > 1) this.#deps.log.info(`attempt ${start.attempt}`, { action: name });
    const lines = this.#output.of(attempt);
    return {
      action,
      attempt: start.attempt,
      cancelled: cancel.signal,
      output: {
        write: (stream, line) => lines.write(stream, redacted(line, secrets)),
        settled: () => lines.settled(),
      },
    };
  }

  /** Keeps the stream of orders open until the agent ends or is fenced. */
  async #listen(): Promise<void> {
    this.#isListening = true;
    const { clock, random, settings } = this.#deps;
    const backoff = createBackoff(settings.backoffMaxMs, random);
    while (!this.#closed.signal.aborted) {
      if (this.#sessionId === '') await this.open();
      const sessionId = this.#sessionId;
      const error = sessionId === '' ? undefined : await this.#takeOrders(() => backoff.reset());
      if (error === 'closed') continue;
      if (error?.code === status.UNAUTHENTICATED) this.#forget(sessionId);
      const isFenced = error?.code === status.ABORTED && error.details.startsWith('fenced');
      if (isFenced && sessionId === this.#sessionId) {
        await this.#stayAway(error.details);
        return;
      }
      await delay(clock, backoff.nextMs(), this.#closed.signal);
    }
  }

  /** Another call may have started a new session since `sessionId` was used. */
  #forget(sessionId: string): void {
    if (this.#sessionId === sessionId) this.#sessionId = '';
  }

  /** The process keeps running. If it exited, it would be restarted, send Hello, and fence the other agent in turn. */
  async #stayAway(reason: string): Promise<void> {
    const { clock, log } = this.#deps;
    log.error('another agent with this id has taken over; this agent stops requesting actions');
    this.#running?.cancel.abort(reason);
    this.#output.close();
    while (!this.#closed.signal.aborted) await delay(clock, STAY_AWAY_MS, this.#closed.signal);
  }

  /** Resolves with the reason when the stream has ended. */
  #takeOrders(onOrder: () => void): Promise<ServiceError | 'closed' | undefined> {
    const method = METHODS.actions;
    const request = { sessionId: this.#sessionId, running: this.#running?.attempt };
    const call = this.#deps.channel.makeServerStreamRequest(
      method.path,
      (value: typeof request) => method.requestSerialize(value),
      (bytes) => method.responseDeserialize(bytes),
      request,
    );
    let isClosed = false;
    this.#closeOrders = () => {
      isClosed = true;
      call.cancel();
    };
    call.on('data', (order: ActionsResponse) => {
      onOrder();
      this.#obey(order.order);
    });
    return new Promise((resolve) => {
      call.on('error', (error: ServiceError) => resolve(isClosed ? 'closed' : error));
      call.on('end', () => resolve(undefined));
    });
  }

  #obey(order: ActionsResponse['order']): void {
    if (order.case === 'start') {
      this.#started = order.value;
      this.#wake?.();
    } else if (order.case === 'idle') {
      this.#deps.log.info('no action to run', { reason: order.value.reason });
    } else if (order.case === 'cancel') {
      this.#cancel(order.value);
    } else if (order.case === 'trial') {
      void this.#try(order.value);
    }
  }

  #cancel({ attempt, reason }: Cancel): void {
    const running = this.#running;
    const isOurs =
      running?.attempt.actionId === attempt?.actionId && running?.attempt.number === attempt?.number;
    if (isOurs) running?.cancel.abort(reason);
  }

  /** Beside the running action. An answer that the server does not want any longer is lost. */
  async #try(trial: Trial): Promise<void> {
    if (this.#trials >= TRIALS_MAX) return;
    this.#trials += 1;
    const sessionId = this.#sessionId;
    const result = await this.#deps.tryNetwork(trialIn(trial));
    await unary(this.#deps.channel, METHODS.tried, { request: triedRequest(sessionId, trial.id, result) });
    this.#trials -= 1;
  }
}
