/**
 * One HTTP request with node:http. fetch does not fit, because it ends a body that is silent for five minutes, and a watch
 * may be silent for hours.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';

import { nodeHttp } from '@tinkerbell/platform-node/node-http';
import type { TlsSettings } from './connection.ts';

export interface Exchange {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | StreamedBody;
  readonly signal: AbortSignal;
  /** TLS options for a private authority or a client certificate. */
  readonly tls?: TlsSettings | undefined;
}

/** A body that is too large for memory. */
export interface StreamedBody {
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly lengthBytes: number;
}

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  /** The content of the `Warning` header; empty without one. */
  readonly warning: string;
  /** Returns a header of the answer; empty without one. */
  readonly header: (name: string) => string;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Limit from the request's last byte to the answer's headers. A watch also answers at once. */
const ANSWER_TIMEOUT_MS = 30_000;
/** TCP keepalive, which detects a peer that vanished. */
const KEEP_ALIVE_PROBE_MS = 15_000;

const options = { keepAlive: true, maxFreeSockets: 16 };
/** One agent per connection target, to reuse sockets. */
const agentsOf = new WeakMap<TlsSettings, HttpsAgent>();
const agents = { http: new nodeHttp.Agent(options), https: new HttpsAgent(options) };

/** Rejects with the socket's error, whose `code` is such as ECONNREFUSED. */
export function exchange(url: URL, { method, headers, body, signal, tls }: Exchange): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const isTls = url.protocol === 'https:';
  const start = isTls ? httpsRequest : nodeHttp.request;
  const agent = isTls ? tlsAgent(tls) : agents.http;
  // Set the length explicitly, because Node does not frame the body of a DELETE by itself.
  const length = body === undefined ? {} : { 'content-length': String(lengthOf(body)) };
  const request = start(url, { method, headers: { ...headers, ...length }, signal, agent }, (response) => {
    request.setTimeout(0);
    // A server that rejects a body may leave the rest unread, which would block the next request.
    if ((response.statusCode ?? 0) >= 400) request.shouldKeepAlive = false;
    resolve(response);
  });
  request.setSocketKeepAlive(true, KEEP_ALIVE_PROBE_MS);
  request.setTimeout(ANSWER_TIMEOUT_MS, () => request.destroy(timeoutError()));
  request.on('error', reject);
  if (typeof body === 'object') sendStreamed(request, body);
  else request.end(body);
  return promise.then((response) => ({
    status: response.statusCode ?? 0,
    contentType: response.headers['content-type'] ?? '',
    warning: [response.headers['warning'] ?? []].flat().join(', '),
    header: (name) => [response.headers[name] ?? []].flat().join(', '),
    body: response,
  }));
}

function lengthOf(body: string | StreamedBody): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.lengthBytes;
}

function sendStreamed(request: ClientRequest, { chunks }: StreamedBody): void {
  const source = Readable.from(chunks);
  source.on('error', (error) => request.destroy(error));
  request.on('close', () => source.destroy());
  source.pipe(request);
}

function tlsAgent(tls: TlsSettings | undefined): HttpsAgent {
  if (tls === undefined) return agents.https;
  const agent = agentsOf.get(tls) ?? new HttpsAgent({ ...options, ...tls });
  agentsOf.set(tls, agent);
  return agent;
}

function timeoutError(): NodeJS.ErrnoException {
  return Object.assign(new Error(`no answer within ${ANSWER_TIMEOUT_MS / 1000} s`), { code: 'ETIMEDOUT' });
}
