/**
 * A smart plug that Home Assistant switches (upstream bmclib's provider `homeassistant`). The host is the URL of Home Assistant, and the
 * password is a long-lived access token.
 */
import type { PowerOperation, PowerState } from '@tinkerbell/bmc';
import { delay, type Clock, type OpenEndpointHttp } from '@tinkerbell/platform-contract';
import { BmcError } from '../bmc-error.ts';
import type { BmcDriver, BmcSession, BmcTarget } from '../driver.ts';
import { bmcRequest, codeOfStatus } from '../http/bmc-request.ts';

export interface HomeAssistantOptions {
  readonly switchEntityID: string;
  readonly powerOperationDelaySeconds?: number;
}

const ANSWER_BYTES_MAX = 512 * 1024;
/** Power supplies keep a machine running for a moment. */
const OFF_BEFORE_ON_MS = 5000;

export function createHomeAssistantDriver(deps: {
  readonly clock: Clock;
  readonly openHttp: OpenEndpointHttp;
}): BmcDriver<HomeAssistantOptions> {
  return {
    name: 'homeassistant',
    async open(target, options, signal) {
      const session = new HomeAssistantSession(deps, { target, options, signal });
      try {
        await session.powerState();
        return session;
      } catch (thrown) {
        await session[Symbol.asyncDispose]();
        throw thrown;
      }
    },
  };
}

class HomeAssistantSession implements BmcSession {
  readonly provider = 'homeassistant';
  readonly #clock: Clock;
  readonly #http: ReturnType<OpenEndpointHttp>;
  readonly #target: BmcTarget;
  readonly #options: HomeAssistantOptions;
  readonly #signal: AbortSignal;

  constructor(
    { clock, openHttp }: { readonly clock: Clock; readonly openHttp: OpenEndpointHttp },
    given: {
      readonly target: BmcTarget;
      readonly options: HomeAssistantOptions;
      readonly signal: AbortSignal;
    },
  ) {
    this.#clock = clock;
    this.#http = openHttp();
    this.#target = given.target;
    this.#options = given.options;
    this.#signal = given.signal;
  }

  async powerState(): Promise<PowerState> {
    const path = `/api/states/${encodeURIComponent(this.#options.switchEntityID)}`;
    const state = stateOf(await this.#request('GET', path));
    return state === 'on' || state === 'off' ? state : 'unknown';
  }

  async setPower(operation: PowerOperation): Promise<void> {
    if (operation === 'soft' || operation === 'reset')
      throw new BmcError('unsupported', `a smart plug cannot do power ${operation}; use off, on or cycle`);
    if (operation !== 'on') await this.#switch('turn_off');
    if (operation === 'cycle') await delay(this.#clock, OFF_BEFORE_ON_MS, this.#signal);
    if (operation !== 'off') await this.#switch('turn_on');
    await delay(this.#clock, (this.#options.powerOperationDelaySeconds ?? 0) * 1000, this.#signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#http[Symbol.asyncDispose]();
  }

  async #switch(service: 'turn_on' | 'turn_off'): Promise<void> {
    const body = JSON.stringify({ entity_id: this.#options.switchEntityID });
    await this.#request('POST', `/api/services/switch/${service}`, body);
  }

  async #request(method: string, path: string, body?: string): Promise<string> {
    const { host, credentials, trust, timeoutMs } = this.#target;
    const url = urlOf(host, path);
    const answer = await bmcRequest(this.#http, url, {
      method,
      headers: { authorization: `Bearer ${credentials.password}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body }),
      trust,
      timeoutMs,
      bytesMax: ANSWER_BYTES_MAX,
      signal: this.#signal,
    });
    if (answer.status < 300) return answer.body;
    if (answer.status === 404)
      throw new BmcError('rejected', `${url.host} has no entity ${this.#options.switchEntityID}`);
    throw new BmcError(codeOfStatus(answer.status), `${url.host} answered ${answer.status}`);
  }
}

/** A host without a scheme is http, as Home Assistant serves it by default. */
function urlOf(host: string, path: string): URL {
  const base = URL.parse(host.includes('://') ? host : `http://${host}`);
  if (base === null)
    throw new BmcError('unreachable', `spec.connection.host ${JSON.stringify(host)} is not a URL`);
  return new URL(base.pathname.replace(/\/$/, '') + path, base);
}

function stateOf(body: string): unknown {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null && 'state' in parsed ? parsed.state : undefined;
  } catch {
    throw new BmcError('invalid-answer', 'Home Assistant sent no JSON');
  }
}
