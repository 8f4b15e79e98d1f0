/** One HTTP request and its response, with limits on time, and without any rule of registries. */
import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
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

export interface TransportRequest {
  readonly url: URL;
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
  return ({ url, headers, signal }) =>
    new Promise((resolve, reject) => {
      const send = url.protocol === 'https:' ? httpsRequest : nodeHttp.request;
      const request = send(url, {
        agent: agents[url.protocol],
        headers: { 'accept-encoding': 'identity', 'user-agent': 'tinkerbell', ...headers },
        ...(signal === undefined ? {} : { signal }),
      });
      limitTime(request, limits);
      request.once('response', resolve);
      request.on('error', reject);
      request.end();
    });
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
