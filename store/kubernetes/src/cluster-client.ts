/** Single requests to the API of a cluster: JSON requests and answers, and streams of JSON lines. Nothing is retried here. */
import type { Agent as HttpAgent, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { PlatformError } from '@tinkerbell/platform-contract';
import type { ClusterAccess } from './cluster-access.ts';
import { linesOf } from './lines-of.ts';

/** It is not imported. The reason is in platform/node/src/node-http.ts. */
const nodeHttp = process.getBuiltinModule('node:http');

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** The header `Retry-After` in milliseconds. */
  readonly retryAfterMs?: number;
}

export interface LineStream {
  readonly status: number;
  /** The error of an answer that is not a stream: its status is not 200. */
  readonly body: unknown;
  /** Each text is one line. Ends with the answer. Rejects when the connection breaks or is quiet for too long. */
  readonly lines: AsyncIterable<string>;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** Sent unchanged, instead of `body`. */
  readonly text?: string;
  readonly contentType?: string;
}

export interface ClientLimits {
  /** The timeout without a byte of an answer. */
  readonly answerMs?: number;
  /** The timeout without a byte on a watch. Bookmarks arrive once a minute. */
  readonly quietMs?: number;
}

const ANSWER_MS = 20_000;
const QUIET_MS = 90_000;
const CONNECTIONS_MAX = 32;
/** A page of a list has 500 objects. etcd accepts 1.5 MB for one, and most have a few kB. */
const ANSWER_BYTES_MAX = 256 * 1024 * 1024;

/** The request did not reach the cluster, so it was certainly not performed. */
const UNSENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

export class ClusterClient {
  readonly #access: ClusterAccess;
  readonly #agent: HttpAgent | HttpsAgent;
  /** Each watch occupies a connection, and requests must not wait for one. */
  readonly #streamAgent: HttpAgent | HttpsAgent;
  readonly #limits: Required<ClientLimits>;

  constructor(access: ClusterAccess, { answerMs = ANSWER_MS, quietMs = QUIET_MS }: ClientLimits = {}) {
    this.#access = access;
    this.#limits = { answerMs, quietMs };
    this.#agent = agentFor(access, { keepAlive: true, maxSockets: CONNECTIONS_MAX });
    this.#streamAgent = agentFor(access, { keepAlive: true });
  }

  get url(): string {
    return this.#access.url;
  }

  /** Resolves with any status. Rejects with a PlatformError when there is no complete answer (see `wasSent`). */
  async call(call: Call): Promise<Answer> {
    const response = await this.#send(call, this.#limits.answerMs);
    const text = await this.#textOf(response);
    const status = response.statusCode ?? 0;
    const seconds = Number(response.headers['retry-after'] ?? Number.NaN);
    return {
      status,
      body: this.#parsed(status, text),
      ...(Number.isFinite(seconds) ? { retryAfterMs: seconds * 1000 } : {}),
    };
  }

  /** Uses its own connection. Rejects with a PlatformError when there is no answer. */
  async stream(path: string, signal: AbortSignal): Promise<LineStream> {
    const response = await this.#send({ method: 'GET', path }, this.#limits.answerMs, signal);
    const status = response.statusCode ?? 0;
    if (status !== 200)
      return { status, body: this.#parsed(status, await this.#textOf(response)), lines: none() };
    const { quietMs } = this.#limits;
    response.setTimeout(quietMs, () => response.destroy(new Error(`no data for ${quietMs} ms`)));
    return { status, body: undefined, lines: linesOf(response) };
  }

  close(): void {
    this.#agent.destroy();
    this.#streamAgent.destroy();
  }

  async #textOf(response: IncomingMessage): Promise<string> {
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      const body: AsyncIterable<Buffer> = response;
      for await (const chunk of body) {
        chunks.push(chunk);
        size += chunk.length;
        if (size > ANSWER_BYTES_MAX) throw new Error(`its answer has more than ${ANSWER_BYTES_MAX} bytes`);
      }
    } catch (thrown) {
      throw this.#unavailable(thrown);
    }
    return Buffer.concat(chunks).toString('utf8');
  }

  /** Proxies answer errors in HTML, which is kept as the message. */
  #parsed(status: number, text: string): unknown {
    try {
      return JSON.parse(text);
    } catch (thrown) {
      if (status >= 200 && status < 300) throw this.#unavailable(thrown);
      return { message: text.slice(0, 1_000) };
    }
  }

  #send(call: Call, limitMs: number, signal?: AbortSignal): Promise<IncomingMessage> {
    const { url, token } = this.#access;
    const body = call.body === undefined ? call.text : JSON.stringify(call.body);
    const headers = {
      accept: 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token()}` }),
      ...(body === undefined
        ? {}
        : {
            'content-type': call.contentType ?? 'application/json',
            'content-length': String(Buffer.byteLength(body)),
          }),
    };
    const send = url.startsWith('https:') ? httpsRequest : nodeHttp.request;
    return new Promise((resolve, reject) => {
      // Requests that can be aborted are streams.
      const agent = signal === undefined ? this.#agent : this.#streamAgent;
      const options = { method: call.method, headers, agent, timeout: limitMs };
      const request = send(
        `${url}${call.path}`,
        { ...options, ...(signal === undefined ? {} : { signal }) },
        resolve,
      );
      request.once('timeout', () => request.destroy(new Error(`no answer within ${limitMs} ms`)));
      request.on('error', (cause: Error) => reject(this.#unavailable(cause)));
      request.end(body);
    });
  }

  #unavailable(cause: unknown): PlatformError {
    const why = cause instanceof Error ? cause.message || cause.name : String(cause);
    const message = `the Kubernetes API at ${this.url} does not answer: ${why}`;
    return new PlatformError('unavailable', message, { cause });
  }
}

function agentFor(
  { url, ca, certificate: cert, key, isInsecure }: ClusterAccess,
  limits: { readonly keepAlive: boolean; readonly maxSockets?: number },
): HttpAgent | HttpsAgent {
  if (!url.startsWith('https:')) return new nodeHttp.Agent(limits);
  return new HttpsAgent({
    ...limits,
    rejectUnauthorized: isInsecure !== true,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  });
}

async function* none(): AsyncGenerator<string> {
  // An answer that is not a stream has no lines.
}

/** For an error of `call`, returns true when the request may have reached the cluster and may have been performed. */
export function wasSent(error: PlatformError): boolean {
  const { code } = (error.cause ?? {}) as { readonly code?: string };
  return error.code === 'unavailable' && !UNSENT.has(code ?? '');
}
