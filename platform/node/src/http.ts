import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import {
  PlatformError,
  type Http,
  type HttpContext,
  type HttpHandler,
  type HttpServer,
  type Log,
} from '@tinkerbell/platform-contract';
import { releaseChunk } from './owned-chunks.ts';
import { holderOf } from './port-holder.ts';

/** Slow clients are cut off: headers within 10 s, a request body within 30 s. Answers may take as long as they move. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const IDLE_TIMEOUT_MS = 120_000;
const HEADER_BYTES_LIMIT = 16 * 1024;
const CLOSE_GRACE_MS = 5000;
const CLOSE_SWEEP_MS = 20;

export function createNodeHttp(log: Log): Http {
  return {
    async listen(options, handler) {
      const server = createServer({
        headersTimeout: HEADERS_TIMEOUT_MS,
        requestTimeout: REQUEST_TIMEOUT_MS,
        keepAliveTimeout: IDLE_TIMEOUT_MS,
        maxHeaderSize: HEADER_BYTES_LIMIT,
        highWaterMark: 1024 * 1024,
      });
      server.on('request', (incoming, outgoing) => void answer(incoming, outgoing, handler, log));
      await listen(server, options.port, options.address);
      return new NodeHttpServer(server);
    },
  };
}

function listen(server: Server, port: number, address: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => void listenError(port, cause).then(reject));
    server.listen({ port, ...(address === undefined ? {} : { host: address }) }, () => resolve());
  });
}

async function listenError(port: number, cause: NodeJS.ErrnoException): Promise<PlatformError> {
  if (cause.code === 'EADDRINUSE') {
    return new PlatformError('address-in-use', `TCP port ${port} is in use${await holderOf('tcp', port)}`, {
      cause,
    });
  }
  const code = cause.code === 'EACCES' ? 'permission-denied' : 'unavailable';
  return new PlatformError(code, `cannot listen on TCP port ${port}: ${cause.message}`, { cause });
}

async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  handler: HttpHandler,
  log: Log,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  try {
    const request = requestOf(incoming, gone.signal);
    const response =
      request === undefined
        ? new Response('bad request\n', { status: 400 })
        : await handler(request, contextOf(incoming, gone.signal));
    await send(response, incoming, outgoing);
  } catch (thrown) {
    if (!gone.signal.aborted)
      log.error('http handler failed', {
        method: incoming.method,
        path: incoming.url,
        error: String(thrown),
        stack: (thrown as Error).stack,
      });
    if (!outgoing.headersSent)
      outgoing.writeHead(500, { 'content-type': 'text/plain' }).end('internal error\n');
    else outgoing.destroy();
  }
}

function contextOf({ socket }: IncomingMessage, signal: AbortSignal): HttpContext {
  const plain = (address: string | undefined): string => (address ?? '').replace(/^::ffff:/, '');
  const peer = { address: plain(socket.remoteAddress), port: socket.remotePort ?? 0 };
  return { peer, localAddress: plain(socket.localAddress), signal };
}

/** Undefined when target or Host make no URL. */
function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request | undefined {
  const url = URL.parse(incoming.url ?? '/', `http://${incoming.headers.host ?? 'localhost'}`);
  if (url === null || url.username !== '') return undefined;
  const headers = new Headers();
  for (let index = 0; index + 1 < incoming.rawHeaders.length; index += 2) {
    headers.append(incoming.rawHeaders[index] ?? '', incoming.rawHeaders[index + 1] ?? '');
  }
  const hasBody = incoming.method !== 'GET' && incoming.method !== 'HEAD';
  return new Request(url, {
    method: incoming.method ?? 'GET',
    headers,
    signal,
    ...(hasBody ? { body: Readable.toWeb(incoming) as ReadableStream<Uint8Array>, duplex: 'half' } : {}),
  });
}

async function send(response: Response, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  outgoing.statusCode = response.status;
  outgoing.setHeaders(response.headers);
  // An answer before the whole body came in: what is still to come must not be taken for the next request.
  if (!incoming.complete) outgoing.setHeader('connection', 'close');
  if (response.body === null || incoming.method === 'HEAD') {
    await response.body?.cancel();
    outgoing.end();
    return;
  }
  outgoing.flushHeaders();
  await sendBody(response.body, outgoing);
}

/** One chunk is read while the one before it is written; a written chunk's memory is given back at once. */
async function sendBody(body: ReadableStream<Uint8Array>, outgoing: ServerResponse): Promise<void> {
  const reader = body.getReader();
  let writing = Promise.resolve();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      await writing;
      if (done) break;
      writing = written(outgoing, value);
      // Awaited with the next chunk, or below; until then a failure is nobody's surprise.
      writing.catch(() => undefined);
    }
    outgoing.end();
  } catch (thrown) {
    await reader.cancel(thrown);
    throw thrown;
  }
}

function written(outgoing: ServerResponse, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    outgoing.write(chunk, (error) => {
      releaseChunk(chunk);
      if (error) reject(error);
      else resolve();
    });
  });
}

class NodeHttpServer implements HttpServer {
  readonly local: { address: string; port: number };
  readonly #server: Server;

  constructor(server: Server) {
    this.#server = server;
    const { address, port } = server.address() as AddressInfo;
    this.local = { address, port };
  }

  close(graceMs = CLOSE_GRACE_MS): Promise<void> {
    return new Promise((resolve) => {
      // A kept-alive connection is idle only once its answer has ended, which may be after this.
      const sweep = setInterval(() => this.#server.closeIdleConnections(), CLOSE_SWEEP_MS);
      const force = setTimeout(() => this.#server.closeAllConnections(), graceMs);
      this.#server.close(() => {
        clearInterval(sweep);
        clearTimeout(force);
        resolve();
      });
      this.#server.closeIdleConnections();
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
