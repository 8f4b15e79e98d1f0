import {
  closeSessionRequest,
  createClientSession,
  deviceIdRequest,
  sendPayload,
  startLogin,
  startRequest,
  stepClient,
  stepLogin,
  type ClientSession,
  type ClientStep,
  type IpmiCrypto,
  type IpmiRequest,
  type IpmiResponse,
  type Payload,
  type Session,
} from '@tinkerbell/ipmi';
import type { Clock } from '@tinkerbell/platform-contract';
import { BmcError } from '../bmc-error.ts';
import type { IpmiChannel } from './ipmi-channel.ts';
import { completionError, type CompletionMeanings } from './ipmi-errors.ts';
import { OneTimer } from './one-timer.ts';

/** BMCs end sessions after 60 s without a packet (section 6.12.15), with a tolerance of 3 s. Three of these may be lost. */
const KEEP_ALIVE_MS = 15_000;
/** A BMC that still answers does so in less. */
const PROBE_MS = 2_000;
/** The BMC ends a session by itself, so a lost farewell costs nothing but this. */
const CLOSE_MS = 1_000;

export interface ConnectionDeps {
  readonly clock: Clock;
  readonly crypto: IpmiCrypto;
}

export interface ConnectionParts {
  readonly channel: IpmiChannel;
  readonly session: Session;
  readonly timeoutMs: number;
}

export interface IpmiCall {
  /** Completes `cannot ...`, as in `set the boot device`. */
  readonly operation: string;
  readonly request: IpmiRequest;
  /** Default: true. */
  readonly mayRepeat?: boolean;
  readonly meanings?: CompletionMeanings;
}

/** An established session: requests one after the other, payloads of the console, and a keep-alive between them. */
export class IpmiConnection implements AsyncDisposable {
  /** Receives payloads other than answers. */
  onPayload: (payload: Payload) => void = () => undefined;
  /** Called once when the session is lost. */
  onLost: (error: BmcError) => void = () => undefined;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly #crypto: IpmiCrypto;
  readonly #channel: IpmiChannel;
  readonly #bmcSessionId: number;
  readonly #timer: OneTimer;
  readonly #keepAlive: OneTimer;
  #client: ClientSession;
  #settle: (response: IpmiResponse | undefined) => void = () => undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #lost: BmcError | undefined;
  #isClosed = false;

  constructor(deps: ConnectionDeps, { channel, session, timeoutMs }: ConnectionParts) {
    this.timeoutMs = timeoutMs;
    this.clock = deps.clock;
    this.#crypto = deps.crypto;
    this.#channel = channel;
    this.#bmcSessionId = session.remoteId;
    this.#client = createClientSession(session);
    this.#timer = new OneTimer(deps.clock);
    this.#keepAlive = new OneTimer(deps.clock);
    this.#listen();
    this.#scheduleKeepAlive();
  }

  /** Returns the answer of a command that succeeded. Rejects with a BmcError otherwise. */
  async call(call: IpmiCall): Promise<Uint8Array> {
    const { request } = call;
    const { completionCode, bytes } = await this.ask(call);
    if (completionCode !== 0) throw completionError({ ...call, request, completionCode });
    return bytes;
  }

  /** Returns the answer with its completion code. Rejects with a BmcError when none comes. */
  ask(call: IpmiCall): Promise<IpmiResponse> {
    const answer = this.#turn.then(() => this.#askNow(call));
    this.#turn = answer.catch(() => undefined);
    return answer;
  }

  sendPayload(payload: Payload): void {
    if (this.#isClosed) return;
    this.#perform(sendPayload(this.#client, payload, this.#crypto));
  }

  /** Ends the present request, and all later ones, with an error. */
  abandon(error: BmcError): void {
    this.#lost ??= error;
    this.#timer.stop();
    this.#keepAlive.stop();
    this.#settle(undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#keepAlive.stop();
    await this.#turn;
    if (this.#lost === undefined) {
      const request = closeSessionRequest(this.#bmcSessionId);
      await this.#exchange({ request, timeoutMs: CLOSE_MS, mayRepeat: false });
    }
    this.#isClosed = true;
    this.#keepAlive.stop();
    await this.#channel[Symbol.asyncDispose]();
  }

  async #askNow({ operation, request, mayRepeat = true }: IpmiCall): Promise<IpmiResponse> {
    this.#throwIfLost();
    if (this.#isClosed) throw new BmcError('session-lost', 'the IPMI session is closed');
    const response = await this.#exchange({ request, timeoutMs: this.timeoutMs, mayRepeat });
    if (response !== undefined) return response;
    this.#throwIfLost();
    const detail = mayRepeat ? '' : ', which it may have performed';
    if (await this.#isAlive()) {
      this.#lose(
        `the BMC no longer knows the IPMI session: it did not answer when asked to ${operation}${detail}`,
      );
      throw this.#lost ?? new BmcError('session-lost', 'the IPMI session is lost');
    }
    throw new BmcError('timed-out', `the BMC did not answer when asked to ${operation}${detail}`);
  }

  #throwIfLost(): void {
    if (this.#lost !== undefined) throw this.#lost;
  }

  #exchange(options: Parameters<typeof startRequest>[1]): Promise<IpmiResponse | undefined> {
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#perform(startRequest(this.#client, options, this.#crypto));
    });
  }

  #perform(step: ClientStep): void {
    this.#client = step.client;
    if (step.sends.length > 0) {
      this.#channel.send(step.sends);
      this.#scheduleKeepAlive();
    }
    if (step.timeoutMs !== undefined) {
      this.#timer.start(step.timeoutMs, () =>
        this.#perform(stepClient(this.#client, { kind: 'timeout' }, this.#crypto)),
      );
    }
    if (step.payload !== undefined) this.onPayload(step.payload);
    if (step.outcome === undefined) return;
    this.#timer.stop();
    this.#settle(step.outcome.response);
  }

  #listen(): void {
    this.#channel.receive = (bytes) =>
      this.#perform(stepClient(this.#client, { kind: 'datagram', bytes }, this.#crypto));
  }

  #scheduleKeepAlive(): void {
    if (this.#isClosed || this.#lost !== undefined) return;
    this.#keepAlive.start(KEEP_ALIVE_MS, () => {
      // A failure has called `onLost`, or the next request meets it.
      this.ask({ operation: 'keep the session', request: deviceIdRequest }).catch((error: unknown) => {
        if (this.#lost === undefined && error instanceof BmcError) this.#lose(error.message);
      });
    });
  }

  /** Returns whether the BMC answers outside the session. It then has dropped the session. */
  #isAlive(): Promise<boolean> {
    const settings = {
      username: '',
      password: '',
      privilege: 0,
      clientId: 1,
      clientRandom: new Uint8Array(16),
    };
    const probe = startLogin({ ...settings, timeoutMs: PROBE_MS });
    return new Promise((resolve) => {
      const end = (isAlive: boolean): void => {
        this.#timer.stop();
        this.#listen();
        resolve(isAlive);
      };
      this.#channel.receive = (bytes) => {
        const step = stepLogin(probe.login, { kind: 'datagram', bytes }, this.#crypto);
        if (step.ignored === undefined) end(true);
      };
      this.#timer.start(PROBE_MS, () => end(false));
      this.#channel.send(probe.sends);
    });
  }

  #lose(message: string): void {
    this.#keepAlive.stop();
    this.#lost = new BmcError('session-lost', message);
    this.onLost(this.#lost);
  }
}
