/**
 * One HTTP request on node:http rather than fetch: a watch may be silent for hours, and fetch ends a body that is silent
 * for five minutes.
 */
import type { IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

import { nodeHttp } from '@tinkerbell/platform-node/node-http';
import type { TlsSettings } from './connection.ts';

export interface Exchange {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Of a server with an authority of its own, or that wants a certificate. */
  readonly tls?: TlsSettings | undefined;
}

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  /** The header, empty without one. */
  readonly warning: string;
  readonly body: AsyncIterable<Uint8Array>;
}

/** From the request's last byte to the answer's headers; a watch answers at once, too. */
const ANSWER_TIMEOUT_MS = 30_000;
/** A peer that vanished without a word is noticed by TCP's own probes. */
const KEEP_ALIVE_PROBE_MS = 15_000;

const options = { keepAlive: true, maxFreeSockets: 16 };
/** One agent for each connection, so that its sockets are used again. */
const agentsOf = new WeakMap<TlsSettings, HttpsAgent>();
const agents = { http: new nodeHttp.Agent(options), https: new HttpsAgent(options) };

/** Rejects with the socket's error, which carries a `code` such as ECONNREFUSED. */
export function exchange(url: URL, { method, headers, body, signal, tls }: Exchange): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const isTls = url.protocol === 'https:';
  const start = isTls ? httpsRequest : nodeHttp.request;
  const agent = isTls ? tlsAgent(tls) : agents.http;
  // Said outright: Node frames no body of a DELETE by itself.
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const request = start(url, { method, headers: { ...headers, ...length }, signal, agent }, (response) => {
    request.setTimeout(0);
    // A server that refuses a body may leave the rest of it unread, in the way of the next request.
    if ((response.statusCode ?? 0) >= 400) request.shouldKeepAlive = false;
    resolve(response);
  });
  request.setSocketKeepAlive(true, KEEP_ALIVE_PROBE_MS);
  request.setTimeout(ANSWER_TIMEOUT_MS, () => request.destroy(timeoutError()));
  request.on('error', reject);
  request.end(body);
  return promise.then((response) => ({
    status: response.statusCode ?? 0,
    contentType: response.headers['content-type'] ?? '',
    warning: [response.headers['warning'] ?? []].flat().join(', '),
    body: response,
  }));
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
