import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import {
  codeOf,
  EndpointError,
  messageOf,
  type EndpointAnswer,
  type EndpointFailure,
  type EndpointHttp,
  type EndpointRequest,
  type EndpointTrust,
  type OpenEndpointHttp,
} from '@tinkerbell/platform-contract';
import { EndpointAgent, KEEP_ALIVE } from './endpoint-agent.ts';
import { nodeHttp } from './node-http.ts';

/**
 * Creates the client of one endpoint. A GET on a kept connection that the endpoint has just closed is repeated once on a new
 * connection. Other methods are not, because the endpoint may have acted.
 */
export const openNodeEndpointHttp: OpenEndpointHttp = () => new NodeEndpointHttp();

class NodeEndpointHttp implements EndpointHttp {
  /** One for each trust, so that no request uses a connection that another trust accepted. */
  readonly #agents = new Map<string, Agent>();
  #certificateSha256: string | undefined;

  async request(url: URL, request: EndpointRequest): Promise<EndpointAnswer> {
    const agent = this.#agentFor(url, request.trust);
    try {
      return await new Exchange(url, request, agent).answer();
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error;
      return await new Exchange(url, request, agent).answer();
    }
  }

  certificateSha256(): string | undefined {
    return this.#certificateSha256;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  #agentFor(url: URL, trust: EndpointTrust): Agent {
    const key = url.protocol === 'https:' ? JSON.stringify(trust) : url.protocol;
    const kept = this.#agents.get(key);
    if (kept !== undefined) return kept;
    const agent =
      url.protocol === 'https:'
        ? new EndpointAgent(trust, (sha256) => (this.#certificateSha256 = sha256))
        : new nodeHttp.Agent(KEEP_ALIVE);
    this.#agents.set(key, agent);
    return agent;
  }
}

/** The endpoint closed a kept connection before it saw the request. */
class StaleConnection extends EndpointError {}

/** One request and its answer. */
class Exchange {
  readonly #url: URL;
  readonly #asked: EndpointRequest;
  readonly #request: ClientRequest;
  readonly #outcome = Promise.withResolvers<EndpointAnswer>();
  #isConnected = false;
  #isAnswered = false;

  constructor(url: URL, asked: EndpointRequest, agent: Agent) {
    this.#url = url;
    this.#asked = asked;
    const send = url.protocol === 'https:' ? httpsRequest : nodeHttp.request;
    const { method, timeoutMs } = asked;
    this.#request = send(url, { agent, method, headers: headersOf(asked), timeout: timeoutMs });
  }

  async answer(): Promise<EndpointAnswer> {
    const { signal, timeoutMs, body } = this.#asked;
    const abort = (): void => this.#stop('aborted', 'the request was aborted');
    const timer = setTimeout(() => this.#stopLate(), timeoutMs);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      this.#listen();
      if (signal?.aborted === true) abort();
      else this.#request.end(body);
      return await this.#outcome.promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  #listen(): void {
    const fail = (cause: unknown): void => this.#outcome.reject(this.#problemOf(cause));
    // The agent passes only connections that are ready, except those of plain HTTP.
    this.#request.once('socket', (socket) => {
      if (socket.connecting) socket.once('connect', () => (this.#isConnected = true));
      else this.#isConnected = true;
    });
    this.#request.once('response', (incoming) => {
      this.#isAnswered = true;
      this.#read(incoming).then(this.#outcome.resolve, fail);
    });
    this.#request.on('error', fail);
  }

  #stopLate(): void {
    if (this.#isConnected) this.#stop('timed-out', `no complete answer within ${this.#asked.timeoutMs} ms`);
    else this.#stop('unreachable', `no connection within ${this.#asked.timeoutMs} ms`);
  }

  #stop(code: EndpointFailure, why: string): void {
    // First, because a request without a connection reports nothing yet.
    this.#outcome.reject(this.#problemOf(new EndpointError(code, why)));
    this.#request.destroy();
  }

  async #read(incoming: IncomingMessage): Promise<EndpointAnswer> {
    const { bytesMax } = this.#asked;
    const encoding = incoming.headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity') {
      throw this.#given(
        incoming,
        'broken',
        `the answer is compressed (${encoding}), which was not requested`,
      );
    }
    const tooLarge = `the answer has more than ${bytesMax} bytes`;
    if (Number(incoming.headers['content-length'] ?? 0) > bytesMax && this.#asked.method !== 'HEAD') {
      throw this.#given(incoming, 'too-large', tooLarge);
    }
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > bytesMax) throw this.#given(incoming, 'too-large', tooLarge);
      chunks.push(chunk);
    }
    return {
      status: incoming.statusCode ?? 0,
      headers: { get: (name) => valueOf(incoming.headers[name.toLowerCase()]) },
      body: new TextDecoder().decode(Buffer.concat(chunks)),
    };
  }

  /** Ends the connection with the rest of the answer. */
  #given(incoming: IncomingMessage, code: EndpointFailure, why: string): EndpointError {
    incoming.destroy();
    return new EndpointError(code, why);
  }

  #problemOf(cause: unknown): EndpointError {
    const { host, port, protocol } = this.#url;
    const endpoint = port === '' ? `${host}:${protocol === 'https:' ? 443 : 80}` : host;
    if (cause instanceof EndpointError) {
      return new EndpointError(cause.code, `${endpoint}: ${cause.message}`, { cause });
    }
    const why = `${endpoint}: ${messageOf(cause) || (codeOf(cause) ?? 'failed')}`;
    const isStale = this.#request.reusedSocket && !this.#isAnswered && this.#asked.method === 'GET';
    if (isStale) return new StaleConnection('broken', why, { cause });
    const code = this.#isConnected || isProtocolError(cause) ? 'broken' : 'unreachable';
    return new EndpointError(code, why, { cause });
  }
}

function headersOf({ headers, body }: EndpointRequest): Record<string, string | number> {
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  return { 'accept-encoding': 'identity', ...headers, ...length };
}

/** Something answers, but it does not speak TLS or HTTP. */
function isProtocolError(cause: unknown): boolean {
  return /^(EPROTO|ERR_SSL_|ERR_TLS_|HPE_)/.test(codeOf(cause) ?? '');
}

function valueOf(value: string | readonly string[] | undefined): string | null {
  if (value === undefined) return null;
  return typeof value === 'string' ? value : value.join(', ');
}
