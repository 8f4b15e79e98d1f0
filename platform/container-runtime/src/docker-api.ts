/** Requests to Docker's Engine API 1.41 on a Unix socket. */
import type { IncomingMessage } from 'node:http';
import { messageOf, PlatformError, type PlatformErrorCode } from '@tinkerbell/platform-contract';

/** Not imported: platform/node/src/node-http.ts gives the reason. */
const nodeHttp = process.getBuiltinModule('node:http');

const VERSION = '/v1.41';
/** Answers of Docker. Output of containers is a stream without a limit. */
const ANSWER_MAX_BYTES = 1024 * 1024;

export interface DockerRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** With its query: `/containers/create?name=a`. */
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export class DockerApi {
  readonly #socket: string;

  constructor(socket: string) {
    this.#socket = socket;
  }

  /** Returns a response with a status below 400. Rejects with a PlatformError that has Docker's own message. */
  async open(request: DockerRequest): Promise<IncomingMessage> {
    const answer = await this.#send(request);
    const status = answer.statusCode ?? 0;
    if (status < 400) return answer;
    const text = (await readAll(answer)).toString();
    const code: PlatformErrorCode = status === 404 ? 'not-found' : 'unavailable';
    throw new PlatformError(
      code,
      `Docker refused ${request.path.split('?')[0]}: status ${status}: ${messageIn(text)}`,
    );
  }

  async call(request: DockerRequest): Promise<object> {
    const text = (await readAll(await this.open(request))).toString();
    return text === '' ? {} : objectIn(text);
  }

  #send({ method, path, body, headers, signal }: DockerRequest): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const request = nodeHttp.request(
        {
          socketPath: this.#socket,
          method,
          path: VERSION + path,
          headers: { ...headers, ...(text === undefined ? {} : { 'content-type': 'application/json' }) },
          agent: false,
          ...(signal === undefined ? {} : { signal }),
        },
        resolve,
      );
      request.once('error', (cause) =>
        reject(new PlatformError('unavailable', `Docker at ${this.#socket}: ${messageOf(cause)}`, { cause })),
      );
      request.end(text);
    });
  }
}

async function readAll(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > ANSWER_MAX_BYTES) throw new PlatformError('too-large', 'an answer of Docker is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** An empty object for text that is not a JSON object. */
export function objectIn(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

export function fieldOf(value: object, name: string): unknown {
  return Object.entries(value).find(([key]) => key === name)?.[1];
}

function messageIn(text: string): string {
  const message = fieldOf(objectIn(text), 'message');
  return (typeof message === 'string' ? message : text).slice(0, 500);
}
