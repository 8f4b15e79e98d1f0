/** Small requests to one endpoint, over node:http and TLS connections whose certificate is checked before anything is sent. */
import type { Agent, AgentOptions, ClientRequest, IncomingMessage } from 'node:http';
import { Agent as TlsAgent, type AgentOptions as TlsAgentOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { connect, type TLSSocket } from 'node:tls';
import {
  EndpointError,
  messageOf,
  type EndpointAnswer,
  type EndpointHttp,
  type EndpointRequest,
  type EndpointTrust,
} from '@tinkerbell/platform-contract';
import { certificateSha256Of, failureOf, problemOf, verificationBy } from './endpoint-trust.ts';
import { nodeHttp } from './node-http.ts';

/** BMCs have few connections, and some serve only one. */
const CONNECTIONS_MAX = 1;
const IDLE_MS = 15_000;

export function openNodeEndpointHttp(): EndpointHttp {
  return new NodeEndpointHttp();
}

class NodeEndpointHttp implements EndpointHttp {
  readonly #plain = new nodeHttp.Agent(agentOptions);
  /** One for each trust, because a kept connection was checked by the trust of its time. */
  readonly #secure = new Map<string, CheckingAgent>();
  #sha256: string | undefined;

  certificateSha256(): string | undefined {
    return this.#sha256;
  }

  request(url: URL, request: EndpointRequest): Promise<EndpointAnswer> {
    const agent = url.protocol === 'https:' ? this.#agentFor(request.trust) : this.#plain;
    return exchange(url, agent, request);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#plain.destroy();
    for (const agent of this.#secure.values()) agent.destroy();
    await Promise.resolve();
  }

  #agentFor(trust: EndpointTrust): CheckingAgent {
    const key = JSON.stringify(trust);
    const known = this.#secure.get(key);
    if (known !== undefined) return known;
    const agent = new CheckingAgent(trust, (sha256) => (this.#sha256 = sha256));
    this.#secure.set(key, agent);
    return agent;
  }
}

const agentOptions: AgentOptions = { keepAlive: true, maxSockets: CONNECTIONS_MAX, timeout: IDLE_MS };

/** Gives a connection to a request only when its certificate is trusted. */
class CheckingAgent extends TlsAgent {
  readonly #trust: EndpointTrust;
  readonly #seen: (sha256: string) => void;
  readonly #opening = new Set<TLSSocket>();

  constructor(trust: EndpointTrust, seen: (sha256: string) => void) {
    super({ ...agentOptions, ...verificationBy(trust) });
    this.#trust = trust;
    this.#seen = seen;
  }

  override createConnection(
    options: TlsAgentOptions & { readonly host?: string; readonly port?: number },
    done: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    const socket = connect({ ...options, host: options.host ?? 'localhost', port: options.port ?? 443 });
    const fail = (error: Error): void => done(error, socket);
    // The request may have ended by then. This ends a handshake that nobody waits for.
    const stop = (): void => void socket.destroy(new Error('the TLS handshake stalled'));
    this.#opening.add(socket);
    socket.once('timeout', stop);
    socket.once('close', () => this.#opening.delete(socket));
    socket.once('error', fail);
    socket.once('secureConnect', () => {
      this.#opening.delete(socket);
      socket.off('timeout', stop);
      socket.off('error', fail);
      const sha256 = certificateSha256Of(socket);
      this.#seen(sha256);
      const problem = problemOf(sha256, this.#trust);
      if (problem !== undefined) socket.destroy();
      done(problem ?? null, socket);
    });
  }

  override destroy(): void {
    for (const socket of this.#opening) socket.destroy();
    super.destroy();
  }
}

async function exchange(url: URL, agent: Agent, request: EndpointRequest): Promise<EndpointAnswer> {
  const timeout = AbortSignal.timeout(request.timeoutMs);
  const signal = request.signal === undefined ? timeout : AbortSignal.any([request.signal, timeout]);
  let isConnected = false;
  try {
    const incoming = await answerTo(url, { agent, request, signal }, () => (isConnected = true));
    refuseCompression(incoming);
    const body = await bodyOf(incoming, request.bytesMax);
    const headers = { get: (name: string) => headerOf(incoming, name) };
    return { status: incoming.statusCode ?? 0, headers, body };
  } catch (thrown) {
    if (thrown instanceof EndpointError)
      throw new EndpointError(thrown.code, `${url.host}: ${thrown.message}`);
    const isOver = timeout.aborted;
    const code = failureOf(thrown, { isOver, isConnected, isAborted: request.signal?.aborted === true });
    const why = isOver ? `no answer within ${request.timeoutMs} ms` : messageOf(thrown);
    throw new EndpointError(code, `${url.host}: ${why}`, { cause: thrown });
  }
}

function answerTo(
  url: URL,
  { agent, request, signal }: { agent: Agent; request: EndpointRequest; signal: AbortSignal },
  connected: () => void,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const { method, headers = {}, body } = request;
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const sent: ClientRequest = nodeHttp.request(url, {
      agent,
      method,
      headers: { 'accept-encoding': 'identity', ...headers, ...length },
      signal,
    });
    sent.once('socket', (socket) => {
      if (socket.connecting) socket.once('connect', connected);
      else connected();
    });
    sent.once('response', resolve);
    sent.on('error', reject);
    // A request that waits for a connection does not report that it was aborted.
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    sent.end(body);
  });
}

function refuseCompression(incoming: IncomingMessage): void {
  const encoding = incoming.headers['content-encoding'] ?? 'identity';
  if (encoding === 'identity') return;
  incoming.destroy();
  throw new EndpointError('broken', `the answer is compressed (${encoding}), which was not requested`);
}

async function bodyOf(incoming: IncomingMessage, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new EndpointError('too-large', `the answer has more than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

function headerOf({ headers }: IncomingMessage, name: string): string | null {
  const value = headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(', ') : (value ?? null);
}
