/** A service of the operator that carries out operations (upstream bmclib's provider `rpc`). */
import type { BootSetting, PowerOperation, PowerState } from '@tinkerbell/bmc';
import { isRecord } from '@tinkerbell/resources';
import type { Clock, EndpointHttp, OpenEndpointHttp } from '@tinkerbell/platform-contract';
import { BmcError } from '../bmc-error.ts';
import type { BmcDriver, BmcSession, BmcTarget } from '../driver.ts';
import { bmcRequest, codeOfStatus } from '../http/bmc-request.ts';
import { rpcRequest, type RpcOptions } from './rpc-request.ts';

/** Upstream's limit of an answer. */
const ANSWER_BYTES_MAX = 512 * 1024;

interface RpcDeps {
  readonly clock: Clock;
  readonly openHttp: OpenEndpointHttp;
}

export function createRpcDriver(deps: RpcDeps): BmcDriver<RpcOptions> {
  return {
    name: 'rpc',
    async open(target, options, signal) {
      const session = new RpcSession(deps, { target, options, signal });
      try {
        await session.ping();
        return session;
      } catch (thrown) {
        await session[Symbol.asyncDispose]();
        throw thrown;
      }
    },
  };
}

class RpcSession implements BmcSession {
  readonly provider = 'rpc';
  readonly #clock: Clock;
  readonly #http: EndpointHttp;
  readonly #target: BmcTarget;
  readonly #options: RpcOptions;
  readonly #signal: AbortSignal;

  constructor(
    { clock, openHttp }: RpcDeps,
    given: { readonly target: BmcTarget; readonly options: RpcOptions; readonly signal: AbortSignal },
  ) {
    this.#clock = clock;
    this.#http = openHttp();
    this.#target = given.target;
    this.#options = given.options;
    this.#signal = given.signal;
  }

  async ping(): Promise<void> {
    await this.#call('ping');
  }

  async powerState(): Promise<PowerState> {
    const result = await this.#call('getPowerState');
    const text = typeof result === 'string' ? result.toLowerCase() : '';
    return text === 'on' || text === 'off' ? text : 'unknown';
  }

  async setPower(operation: PowerOperation): Promise<void> {
    if (operation === 'soft' || operation === 'reset')
      throw new BmcError('unsupported', `the protocol rpc has no power ${operation}; use on, off or cycle`);
    await this.#call('setPowerState', { state: operation });
  }

  async setBootDevice({ device, persistent, efiBoot }: BootSetting): Promise<void> {
    await this.#call('setBootDevice', { device, persistent, efiBoot });
  }

  async setVirtualMedia(url: string | undefined): Promise<void> {
    await this.#call('setVirtualMedia', { mediaUrl: url ?? '', kind: 'CD' });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#http[Symbol.asyncDispose]();
  }

  async #call(method: string, params?: Readonly<Record<string, unknown>>): Promise<unknown> {
    const { host, trust, timeoutMs } = this.#target;
    const url = URL.parse(this.#options.consumerURL);
    if (url === null)
      throw new BmcError(
        'unreachable',
        `rpc.consumerURL ${JSON.stringify(this.#options.consumerURL)} is not a URL`,
      );
    const nowMs = this.#clock.nowMs();
    const id = BigInt(nowMs) * 1_000_000n;
    const call = { id, host, method, ...(params === undefined ? {} : { params }) };
    const answer = await bmcRequest(this.#http, url, {
      ...signedRequest(call, this.#options, nowMs),
      trust,
      timeoutMs,
      bytesMax: ANSWER_BYTES_MAX,
      signal: this.#signal,
    });
    const { result, error } = answerOf(answer.body, answer.status);
    if (answer.status !== 200)
      throw new BmcError(codeOfStatus(answer.status), `${url.host} answered ${answer.status}${error}`);
    if (error !== '') throw new BmcError('rejected', `${url.host} refused ${method}${error}`);
    return result;
  }
}

function signedRequest(call: Parameters<typeof rpcRequest>[0], options: RpcOptions, nowMs: number) {
  try {
    return rpcRequest(call, options, nowMs);
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    throw new BmcError('unsupported', `rpc.experimental: ${thrown.message}`);
  }
}

interface RpcAnswer {
  readonly result: unknown;
  /** Empty, or `: 7: no such machine`. */
  readonly error: string;
}

function answerOf(body: string, status: number): RpcAnswer {
  const parsed = parsedBody(body);
  if (parsed === undefined && status === 200)
    throw new BmcError(
      'invalid-answer',
      'the service sent no JSON object; it must send {"id", "host", "result", "error"}',
    );
  const { result, error } = parsed ?? {};
  return { result, error: isRecord(error) ? errorText(error) : '' };
}

function parsedBody(body: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    return isRecord(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function errorText({ code, message }: Record<string, unknown>): string {
  const number = typeof code === 'number' ? code : 0;
  const text = typeof message === 'string' ? message : '';
  return number === 0 && text === '' ? '' : `: ${number}: ${text}`;
}
