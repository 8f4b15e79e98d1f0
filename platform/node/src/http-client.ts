import { lookup as resolve, type LookupAddress } from 'node:dns';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import {
  messageOf,
  codeOf,
  PlatformError,
  type HttpClient,
  type HttpClientResponse,
  type HttpGetOptions,
  type HttpTarget,
} from '@tinkerbell/platform-contract';
import { nodeHttp } from './node-http.ts';
import { isOwnAddress } from './own-addresses.ts';

export const HTTP_REDIRECTS_MAX = 10;
const REDIRECT_STATUSES: readonly number[] = [301, 302, 303, 307, 308];

export interface HttpClientLimits {
  readonly connectTimeoutMs: number;
  /** The longest time without a byte, after connecting. */
  readonly idleTimeoutMs: number;
}

const LIMITS: HttpClientLimits = { connectTimeoutMs: 10_000, idleTimeoutMs: 60_000 };

export function createNodeHttpClient(limits: HttpClientLimits = LIMITS): HttpClient {
  return {
    async get(url, options) {
      let target = parsedUrl(url, url);
      for (let redirects = 0; redirects <= HTTP_REDIRECTS_MAX; redirects += 1) {
        const incoming = await answerOf(target, { ...options, redirects, limits });
        const next = options.method === 'POST' ? undefined : redirectOf(incoming, target);
        if (next === undefined) return responseOf(incoming, target);
        incoming.destroy();
        target = parsedUrl(next, url);
      }
      throw new PlatformError('unavailable', `${url} redirects more than ${HTTP_REDIRECTS_MAX} times`);
    },
  };
}

function parsedUrl(text: string, asked: string): URL {
  const parsed = URL.parse(text);
  if (parsed?.protocol === 'http:' || parsed?.protocol === 'https:') return parsed;
  const redirected = text === asked ? '' : ` (${asked} redirects there)`;
  throw new PlatformError('unavailable', `${text} is not an http or https URL${redirected}`);
}

function redirectOf({ statusCode, headers }: IncomingMessage, base: URL): string | undefined {
  const isRedirect = REDIRECT_STATUSES.includes(statusCode ?? 0) && headers.location !== undefined;
  return isRedirect ? (URL.parse(headers.location ?? '', base)?.href ?? headers.location) : undefined;
}

interface Hop extends HttpGetOptions {
  readonly redirects: number;
  readonly limits: HttpClientLimits;
}

function answerOf(url: URL, hop: Hop): Promise<IncomingMessage> {
  return new Promise((answer, reject) => {
    const fail = (cause: Error) => reject(problemOf(url, cause));
    const hostname = url.hostname.replace(/^\[|\]$/g, '');
    // An address literal needs no resolver.
    if (isIP(hostname) !== 0 && !hop.mayConnect(targetOf(hostname, hostname, hop)))
      return fail(new Refused([hostname]));
    const send = url.protocol === 'https:' ? httpsRequest : nodeHttp.request;
    const request = send(url, {
      agent: false,
      method: hop.method ?? 'GET',
      headers: {
        'accept-encoding': 'identity',
        ...hop.headers,
        ...(hop.redirects === 0 ? hop.ownHeaders : {}),
        ...(hop.body === undefined ? {} : { 'content-length': hop.body.length }),
      },
      lookup: checkedLookup(hop),
      ...(hop.signal === undefined ? {} : { signal: hop.signal }),
    });
    limitTime(request, hop.limits);
    request.once('response', answer);
    request.on('error', fail);
    request.end(hop.body);
  });
}

class Refused extends Error {
  constructor(addresses: readonly string[]) {
    super(`it is at ${addresses.join(', ')}, where this server may not connect to`);
  }
}

function targetOf(hostname: string, address: string, { redirects }: Hop): HttpTarget {
  return { hostname, address, isThisMachine: isOwnAddress(address), redirects };
}

/** Node connects to what this returns. An address is checked and used in one step, so that no second lookup can differ. */
function checkedLookup(hop: Hop): LookupFunction {
  return (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return done(error, []);
      const allowed = found.filter(({ address }) => hop.mayConnect(targetOf(hostname, address, hop)));
      const [first] = allowed;
      if (first === undefined) return done(new Refused(found.map(({ address }) => address)), []);
      return options.all === true ? done(null, allowed) : one(first, done);
    });
  };
}

function one({ address, family }: LookupAddress, done: Parameters<LookupFunction>[2]): void {
  done(null, address, family);
}

function limitTime(request: ClientRequest, { connectTimeoutMs, idleTimeoutMs }: HttpClientLimits): void {
  const give = (up: string) => request.destroy(new Error(up));
  const connecting = setTimeout(() => give(`no connection within ${connectTimeoutMs} ms`), connectTimeoutMs);
  request.once('close', () => clearTimeout(connecting));
  request.once('socket', (socket) => {
    const isReady = () => {
      clearTimeout(connecting);
      socket.setTimeout(idleTimeoutMs, () => give(`no data for ${idleTimeoutMs} ms`));
    };
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', isReady);
  });
}

function problemOf(url: URL, cause: unknown): PlatformError {
  const code = cause instanceof Refused ? 'permission-denied' : 'unavailable';
  const message = messageOf(cause);
  const why = message === '' ? (codeOf(cause) ?? 'failed') : message;
  return new PlatformError(code, `cannot get ${shown(url)}: ${why}`, { cause });
}

function responseOf(incoming: IncomingMessage, url: URL): HttpClientResponse {
  return {
    status: incoming.statusCode ?? 0,
    url: url.href,
    headers: { get: (name) => valueOf(incoming.headers[name.toLowerCase()]) },
    body: bodyOf(incoming, url),
  };
}

/** Cancelling closes the connection, even when nothing has been read yet. */
function bodyOf(incoming: IncomingMessage, url: URL): ReadableStream<Uint8Array> {
  const chunks = incoming[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await chunks.next();
          if (done === true) controller.close();
          else controller.enqueue(value);
        } catch (cause) {
          throw problemOf(url, cause);
        }
      },
      cancel: () => void incoming.destroy(),
    },
    { highWaterMark: 0 },
  );
}

function valueOf(value: string | readonly string[] | undefined): string | null {
  if (value === undefined) return null;
  return typeof value === 'string' ? value : value.join(', ');
}

/** Omits the password that a URL may contain, and the query, which may be as secret. */
function shown({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname}`;
}
