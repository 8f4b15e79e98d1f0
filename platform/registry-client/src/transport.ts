/** One HTTP request and its response, with limits on time, and without any rule of registries. */
import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import { getCACertificates } from 'node:tls';
import type { RegistrySettings } from './registry-settings.ts';

/** Not imported: platform/node/src/node-http.ts gives the reason. */
const nodeHttp = process.getBuiltinModule('node:http');

export interface TransportLimits {
  readonly connectTimeoutMs: number;
  /** The longest time without a byte, after connecting. */
  readonly idleTimeoutMs: number;
}

export const TRANSPORT_LIMITS: TransportLimits = { connectTimeoutMs: 10_000, idleTimeoutMs: 60_000 };

export interface RequestBody {
  readonly sizeBytes: number;
  /** Starts from the beginning with every call, because a request may be repeated. */
  chunks(): AsyncIterable<Uint8Array>;
}

export interface TransportRequest {
  readonly url: URL;
  /** Default: GET. */
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | undefined;
  readonly body?: RequestBody | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** Rejects when there is no response. The caller reads the body to its end or destroys it. */
export type Transport = (request: TransportRequest) => Promise<IncomingMessage>;

/** The proxy variables of the environment (`HTTPS_PROXY`, `NO_PROXY`) apply. */
export function createTransport(
  { authorities, skipVerification }: Pick<RegistrySettings, 'authorities' | 'skipVerification'>,
  limits = TRANSPORT_LIMITS,
): Transport {
  const trust = skipVerification === true ? { rejectUnauthorized: false } : {};
  const ca = authorities === undefined ? {} : { ca: [...getCACertificates('default'), authorities] };
  const agents: Readonly<Record<string, Agent>> = {
    'http:': new nodeHttp.Agent({ proxyEnv: process.env }),
    'https:': new HttpsAgent({ proxyEnv: process.env, ...ca, ...trust }),
  };
  return ({ url, method = 'GET', body, headers, signal }) =>
    new Promise((resolve, reject) => {
      const send = url.protocol === 'https:' ? httpsRequest : nodeHttp.request;
      const request = send(url, {
        agent: agents[url.protocol],
        method,
        headers: {
          ...lengthOf(method, body),
          'accept-encoding': 'identity',
          'user-agent': 'tinkerbell',
          ...headers,
        },
        ...(signal === undefined ? {} : { signal }),
      });
      limitTime(request, limits);
      request.once('response', resolve);
      request.on('error', reject);
      if (body === undefined) request.end();
      else sendBody(request, body);
    });
}

/** Node sends chunks of unknown number for a POST without a length. Some registries refuse these. */
function lengthOf(method: string, body: RequestBody | undefined): Readonly<Record<string, string>> {
  return method === 'POST' || method === 'PUT' ? { 'content-length': String(body?.sizeBytes ?? 0) } : {};
}

/** A server may answer before it has read everything. The rest is then not sent. */
function sendBody(request: ClientRequest, body: RequestBody): void {
  const source = Readable.from(body.chunks(), { objectMode: false });
  source.on('error', (cause) => request.destroy(cause));
  request.once('close', () => source.destroy());
  source.pipe(request);
}

function limitTime(request: ClientRequest, { connectTimeoutMs, idleTimeoutMs }: TransportLimits): void {
  const stop = (why: string): void => void request.destroy(new Error(why));
  const connecting = setTimeout(() => stop(`no connection within ${connectTimeoutMs} ms`), connectTimeoutMs);
  request.once('close', () => clearTimeout(connecting));
  request.once('socket', (socket) => {
    socket.setTimeout(idleTimeoutMs, () => stop(`no data for ${idleTimeoutMs} ms`));
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => clearTimeout(connecting));
  });
}

/** Reads a body of at most `maxBytes`. Returns undefined, and closes the connection, when it is longer. */
export async function readBounded(body: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) {
      body.destroy();
      return undefined;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
