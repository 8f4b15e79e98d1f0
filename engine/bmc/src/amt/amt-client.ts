/** Calls of WS-Management to one machine with Intel AMT, with digest authentication. */
import type { EndpointAnswer, EndpointHttp } from '@tinkerbell/platform-contract';
import { bytesToHex } from '@tinkerbell/wire';
import {
  decodeAnswer,
  describeReturn,
  digestAuthorization,
  encodeRequest,
  instanceIn,
  pageIn,
  parseDigestChallenge,
  returnValueIn,
  type DigestChallenge,
  type Instance,
  type Member,
  type WsmanFault,
  type WsmanOperation,
  type XmlElement,
} from '@tinkerbell/wsman';
import { BmcError, type BmcErrorCode } from '../bmc-error.ts';
import type { BmcTarget } from '../driver.ts';
import { bmcRequest, codeOfStatus } from '../http/bmc-request.ts';
import { originOf } from '../http/origin-of.ts';
import type { AmtDeps, AmtOptions } from './amt-deps.ts';

const PATH = '/wsman';
const PORTS = { http: 16_992, https: 16_993 } as const;
/** All instances of a class have at most some tens of KB. */
const ANSWER_BYTES_MAX = 512 * 1024;
/** An enumeration of AMT has one page. */
const PAGES_MAX = 20;
const CLIENT_NONCE_BYTES = 16;
const UNAUTHORIZED = 401;

export interface AmtTarget {
  readonly target: BmcTarget;
  readonly options: AmtOptions;
  readonly signal: AbortSignal;
}

export function amtPort({ hostScheme = 'http', port }: AmtOptions): number {
  return port ?? PORTS[hostScheme];
}

export class AmtClient implements AsyncDisposable {
  readonly #deps: AmtDeps;
  readonly #given: AmtTarget;
  readonly #http: EndpointHttp;
  readonly #url: URL;
  #challenge: DigestChallenge | undefined;
  /** Requests with the nonce of the challenge. */
  #count = 0;
  #messages = 0;

  constructor(deps: AmtDeps, given: AmtTarget) {
    this.#deps = deps;
    this.#given = given;
    this.#http = deps.openHttp();
    const { hostScheme = 'http' } = given.options;
    this.#url = new URL(PATH, originOf(hostScheme, given.target.host, amtPort(given.options)));
  }

  certificateSha256(): string | undefined {
    return this.#http.certificateSha256();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#http[Symbol.asyncDispose]();
  }

  /** Returns the members of an instance. */
  async get(instance: Instance): Promise<XmlElement> {
    const found = instanceIn(await this.#call(instance, { kind: 'get' }));
    if (found !== undefined) return found;
    throw new BmcError('invalid-answer', `${this.#url.host} sent no instance of ${instance.resource}`);
  }

  async put(instance: Instance, members: readonly Member[]): Promise<void> {
    await this.#call(instance, { kind: 'put', members });
  }

  /** Returns all instances of a class. */
  async enumerate(resource: string): Promise<readonly XmlElement[]> {
    const items: XmlElement[] = [];
    let page = pageIn(await this.#call({ resource }, { kind: 'enumerate' }));
    for (let count = 0; page.context !== undefined; count += 1) {
      if (count === PAGES_MAX)
        throw new BmcError('too-large', `${resource} has more than ${PAGES_MAX} pages`);
      page = pageIn(await this.#call({ resource }, { kind: 'pull', context: page.context }));
      items.push(...page.items);
    }
    return items;
  }

  /** Calls a method. Rejects unless it returns 0. */
  async invoke(instance: Instance, operation: WsmanOperation & { readonly kind: 'invoke' }): Promise<void> {
    const value = returnValueIn(await this.#call(instance, operation));
    if (value === 0) return;
    if (value === undefined) throw new BmcError('invalid-answer', `${operation.method} returned nothing`);
    throw new BmcError(
      value === 36 || value === 1 ? 'unsupported' : 'rejected',
      `${operation.method}: ${describeReturn(value)}`,
    );
  }

  async #call(instance: Instance, operation: WsmanOperation): Promise<XmlElement> {
    this.#messages += 1;
    const timeoutSeconds = this.#given.target.timeoutMs / 1000;
    const body = encodeRequest({ ...instance, operation, messageId: this.#messages, timeoutSeconds });
    const answer = await this.#authorized(body);
    const { host } = this.#url;
    if (answer.status === UNAUTHORIZED) throw new BmcError('wrong-credentials', `${host} refused the login`);
    const decoded = decodeAnswer(answer.body);
    if (decoded.ok && decoded.value.kind === 'body') return decoded.value.body;
    if (decoded.ok && decoded.value.kind === 'fault') throw faultError(host, decoded.value.fault);
    if (answer.status !== 200)
      throw new BmcError(codeOfStatus(answer.status), `${host} answered ${answer.status}`);
    const why = decoded.ok ? '' : `: ${decoded.error.code} at character ${decoded.error.offset}`;
    throw new BmcError('invalid-answer', `${host} sent no SOAP envelope${why}`);
  }

  /** A nonce is used until the machine sends another one with 401. Such an answer does not refuse the password yet. */
  async #authorized(body: string): Promise<EndpointAnswer> {
    const known = this.#challenge;
    const answer = await this.#send(body);
    if (answer.status !== UNAUTHORIZED) return answer;
    const challenge = parseDigestChallenge(answer.headers.get('www-authenticate') ?? '');
    if (challenge === undefined)
      throw new BmcError(
        'unsupported',
        `${this.#url.host} offers no digest authentication with MD5 or SHA-256`,
      );
    if (known?.nonce === challenge.nonce) return answer;
    this.#challenge = challenge;
    this.#count = 0;
    return await this.#send(body);
  }

  #send(body: string): Promise<EndpointAnswer> {
    const { target, signal } = this.#given;
    return bmcRequest(this.#http, this.#url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/soap+xml;charset=UTF-8', ...this.#authorization() },
      body,
      trust: target.trust,
      timeoutMs: target.timeoutMs,
      bytesMax: ANSWER_BYTES_MAX,
      signal,
    });
  }

  #authorization(): Readonly<Record<string, string>> {
    const challenge = this.#challenge;
    if (challenge === undefined) return {};
    this.#count += 1;
    const { random, hash } = this.#deps;
    const clientNonce = bytesToHex(random.bytes(CLIENT_NONCE_BYTES));
    const request = {
      ...this.#given.target.credentials,
      method: 'POST',
      uri: PATH,
      count: this.#count,
      clientNonce,
    };
    return { Authorization: digestAuthorization(challenge, request, hash) };
  }
}

/** Codes of faults (DSP0226, section 14.6). */
const FAULTS: Readonly<Record<string, BmcErrorCode>> = {
  AccessDenied: 'missing-privilege',
  TimedOut: 'timed-out',
  QuotaLimit: 'busy',
  Concurrency: 'busy',
  DestinationUnreachable: 'unsupported',
  ActionNotSupported: 'unsupported',
  UnsupportedFeature: 'unsupported',
};

function faultError(host: string, { code, reason }: WsmanFault): BmcError {
  return new BmcError(
    FAULTS[code] ?? 'rejected',
    `${host} refused it: ${code}${reason === '' ? '' : `: ${reason}`}`,
  );
}
