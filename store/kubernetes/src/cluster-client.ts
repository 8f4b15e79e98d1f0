/** Requests to the API of a cluster: JSON there and back, and streams of JSON lines. */
import type { Agent as HttpAgent, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { createInterface } from 'node:readline';
import { PlatformError } from '@tinkerbell/platform-contract';
import type { ClusterAccess } from './cluster-access.ts';

/** Not imported: platform/node/src/node-http.ts says why. */
const nodeHttp = process.getBuiltinModule('node:http');

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export interface LineStream {
  readonly status: number;
  /** One text a line; ends with the connection. */
  readonly lines: AsyncIterable<string>;
}

interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** Instead of `body`: sent as it is. */
  readonly text?: string;
  readonly contentType?: string;
}

const ANSWER_LIMIT_MS = 20_000;
/** A watch is quiet for a minute at most: bookmarks come in between. */
const QUIET_LIMIT_MS = 180_000;
const CONNECTIONS_MAX = 32;

export class ClusterClient {
  readonly #access: ClusterAccess;
  readonly #agent: HttpAgent | HttpsAgent;

  constructor(access: ClusterAccess) {
    this.#access = access;
    const { ca, certificate: cert, key, isInsecure } = access;
    const limits = { keepAlive: true, maxSockets: CONNECTIONS_MAX };
    this.#agent = access.url.startsWith('https:')
      ? new HttpsAgent({
          ...limits,
          rejectUnauthorized: isInsecure !== true,
          ...(ca === undefined ? {} : { ca }),
          ...(cert === undefined ? {} : { cert }),
          ...(key === undefined ? {} : { key }),
        })
      : new nodeHttp.Agent(limits);
  }

  /** Whatever the status is. Rejects with a PlatformError when there is no answer. */
  async call(call: Call): Promise<Answer> {
    const response = await this.#send(call, ANSWER_LIMIT_MS);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    return { status: response.statusCode ?? 0, body: parsed(text) };
  }

  /** Not on a connection that others wait for. */
  async stream(path: string, signal: AbortSignal): Promise<LineStream> {
    const response = await this.#send({ method: 'GET', path }, QUIET_LIMIT_MS, signal);
    response.on('error', () => undefined);
    return { status: response.statusCode ?? 0, lines: createInterface({ input: response }) };
  }

  close(): void {
    this.#agent.destroy();
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
      const options = { method: call.method, headers, agent: this.#agent, timeout: limitMs };
      const request = send(
        `${url}${call.path}`,
        { ...options, ...(signal === undefined ? {} : { signal }) },
        resolve,
      );
      request.once('timeout', () => request.destroy(new Error('no answer in time')));
      request.on('error', (cause: Error) => reject(this.#unavailable(cause)));
      request.end(body);
    });
  }

  #unavailable(cause: Error): PlatformError {
    const message = `the Kubernetes API at ${this.#access.url} does not answer: ${cause.message || cause.name}`;
    return new PlatformError('unavailable', message, { cause });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { message: text };
  }
}
