/** Requests to one Redfish service, with limits and failures as a BmcError. */
import type { Clock, EndpointHttp } from '@tinkerbell/platform-contract';
import {
  collectionOf,
  idOf,
  memberOf,
  parseRedfishJson,
  pathOfLocation,
  type RedfishObject,
} from '@tinkerbell/redfish';
import { BmcError } from '../bmc-error.ts';
import type { BmcTarget } from '../driver.ts';
import { bmcRequest } from '../http/bmc-request.ts';
import type { Reply, Resource, Send } from './redfish-exchange.ts';
import { refusalError, type RefusalError } from './refusal.ts';
import { waitForTask } from './wait-for-task.ts';

/** Several times the largest resource of real BMCs. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;
/** A collection of a machine has some 100 members at most. */
const PAGES_MAX = 50;
const MEMBERS_MAX = 1000;
const UNAUTHORIZED = 401;
/** A BMC that does not answer a logout ends the session by itself. */
const LOGOUT_MS_MAX = 5000;

interface Given {
  readonly clock: Clock;
  readonly http: EndpointHttp;
  readonly target: BmcTarget;
  readonly origin: URL;
  readonly signal: AbortSignal;
}

export class RedfishConnection implements AsyncDisposable {
  readonly #given: Given;
  #authorization: Readonly<Record<string, string>> = {};
  #session: string | undefined;
  #logInAgain: (() => Promise<unknown>) | undefined;

  constructor(given: Given) {
    this.#given = given;
  }

  get clock(): Clock {
    return this.#given.clock;
  }

  get timeoutMs(): number {
    return this.#given.target.timeoutMs;
  }

  get signal(): AbortSignal {
    return this.#given.signal;
  }

  certificateSha256(): string | undefined {
    return this.#given.http.certificateSha256();
  }

  useBasic({ username, password }: BmcTarget['credentials']): void {
    const text = new TextEncoder().encode(`${username}:${password}`).toBase64();
    this.#authorization = { Authorization: `Basic ${text}` };
  }

  /** `create` creates a session. It is called once more when the service has dropped the session. */
  async createSession(create: () => Promise<boolean>): Promise<boolean> {
    this.#logInAgain = undefined;
    const isCreated = await create();
    if (isCreated) this.#logInAgain = create;
    return isCreated;
  }

  /** `session` is the path that ends the session. */
  useToken(token: string, session: string | undefined): void {
    this.#authorization = { 'X-Auth-Token': token };
    this.#session = session;
  }

  /** Rejects unless the answer is a success. */
  async get(path: string): Promise<Resource> {
    const send: Send = { method: 'GET', path };
    const reply = await this.exchange(send);
    if (!isSuccess(reply)) throw this.refusal(send, reply);
    const { body, etag } = reply;
    const annotation = memberOf(body, '@odata.etag');
    return { path, fields: body, etag: etag ?? (typeof annotation === 'string' ? annotation : undefined) };
  }

  /** Reads the members of a collection, page by page: references, or whole resources when the service sends them. */
  async members(path: string): Promise<readonly RedfishObject[]> {
    const found: RedfishObject[] = [];
    const seen = new Set<string>();
    for (let next: string | undefined = path; next !== undefined;) {
      if (seen.has(next)) throw new BmcError('invalid-answer', `the pages of ${path} have no end`);
      seen.add(next);
      const page = collectionOf((await this.get(next)).fields);
      found.push(...page.members);
      if (seen.size > PAGES_MAX || found.length > MEMBERS_MAX)
        throw new BmcError('too-large', `${path} has more than ${PAGES_MAX} pages or ${MEMBERS_MAX} members`);
      next = page.next;
    }
    return found;
  }

  /** The paths of the members of a collection. */
  async memberPaths(path: string): Promise<readonly string[]> {
    return (await this.members(path)).flatMap((member) => idOf(member) ?? []);
  }

  /** Sends a change, and waits for the task that the service makes of it. Rejects unless it succeeds. */
  async change(send: Send): Promise<void> {
    await this.finish(send, await this.exchange(send));
  }

  /** Waits for the task of an answer, if it has one. Rejects unless the answer is a success. */
  async finish(send: Send, reply: Reply): Promise<void> {
    if (!isSuccess(reply)) throw this.refusal(send, reply);
    await waitForTask(this, reply);
  }

  refusal({ method, path }: Send, reply: Reply): RefusalError {
    const hasToken = 'X-Auth-Token' in this.#authorization;
    return refusalError(reply, { what: `${method} ${path}`, hasToken });
  }

  /**
   * Resolves with an answer of any status, except a redirect. BMCs close connections that were idle for some seconds, which shows only
   * when the next request fails. Only reading may be repeated. Each change reads first, and so has a fresh connection.
   */
  async exchange(send: Send): Promise<Reply> {
    const reply = await this.#exchangeOnce(send);
    const logInAgain = this.#logInAgain;
    if (reply.status !== UNAUTHORIZED || logInAgain === undefined) return reply;
    // Once: a service that answers it for other reasons would run out of sessions.
    this.#logInAgain = undefined;
    const lost = this.#session;
    this.#authorization = {};
    if (!(await logInAgain())) return reply;
    if (lost !== undefined) await this.#exchangeOnce({ method: 'DELETE', path: lost });
    // Status 401 means that nothing was done, so that also a change may be sent again.
    return await this.#exchangeOnce(send);
  }

  async #exchangeOnce(send: Send): Promise<Reply> {
    const limits = { timeoutMs: this.timeoutMs, signal: this.#given.signal };
    try {
      return await this.#exchange(send, limits);
    } catch (thrown) {
      const isBroken = thrown instanceof BmcError && thrown.code === 'session-lost';
      if (!isBroken || send.method !== 'GET') throw thrown;
      return await this.#exchange(send, limits);
    }
  }

  /** Ends the session, even after the signal has aborted. */
  async [Symbol.asyncDispose](): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    const timeoutMs = Math.min(this.timeoutMs, LOGOUT_MS_MAX);
    try {
      if (session !== undefined) await this.#exchange({ method: 'DELETE', path: session }, { timeoutMs });
    } catch (thrown) {
      if (!(thrown instanceof BmcError)) throw thrown;
    } finally {
      await this.#given.http[Symbol.asyncDispose]();
    }
  }

  async #exchange(
    { method, path, body, ifMatch }: Send,
    limits: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  ): Promise<Reply> {
    const { http, origin, target } = this.#given;
    const {
      status,
      headers,
      body: text,
    } = await bmcRequest(http, new URL(path, origin), {
      method,
      headers: {
        Accept: 'application/json',
        'OData-Version': '4.0',
        ...this.#authorization,
        ...(ifMatch === undefined ? {} : { 'If-Match': ifMatch }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      trust: target.trust,
      bytesMax: ANSWER_BYTES_MAX,
      ...limits,
    });
    return {
      status,
      body: objectIn(text, status < 300 ? `${method} ${path}` : undefined),
      etag: headers.get('etag') ?? undefined,
      location: pathOfLocation(headers.get('location')),
      token: headers.get('x-auth-token') ?? undefined,
    };
  }
}

function isSuccess({ status }: Reply): boolean {
  return status >= 200 && status < 300;
}

/** A refusal, which has no `what`, may be a page of a web server, or a sentence, which is quoted. */
function objectIn(text: string, what: string | undefined): RedfishObject {
  if (text.trim() === '') return {};
  const parsed = parseRedfishJson(text);
  if (parsed.ok) return parsed.value;
  if (what === undefined) return text.includes('<') ? {} : { error: { message: text } };
  const isLarge = parsed.error.code === 'too-deep' || parsed.error.code === 'too-many-values';
  throw new BmcError(isLarge ? 'too-large' : 'invalid-answer', `${what}: ${parsed.error.message}`);
}
