/** One GET request that follows redirects, and the failures that another attempt may resolve. */
import type { IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';

import { ActionError } from './action-error.ts';
import { agentSession } from './agent-session.ts';

/** Not imported: platform/node/src/node-http.ts gives the reason. */
const nodeHttp = process.getBuiltinModule('node:http');

const REDIRECTS_MAX = 10;
/** A connection without data for this long is closed and replaced. */
const STALL_MS = 20_000;

/** A failure that another attempt may resolve. */
export class DroppedError extends Error {}

export interface Answer {
  readonly response: IncomingMessage;
  /** After redirects. */
  readonly url: URL;
}

/** Returns any answer that is not a redirect. Its body is not encoded. */
export async function getFollowing(
  start: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Answer> {
  let url = start;
  for (let hop = 0; hop <= REDIRECTS_MAX; hop += 1) {
    // Checked at each redirect, because it may lead elsewhere.
    const own = { 'Accept-Encoding': 'identity', ...headers, ...agentSession.headersFor(url) };
    const response = await respond(url, own, signal);
    const status = response.statusCode ?? 0;
    const location = response.headers.location;
    if (status < 300 || status >= 400 || location === undefined) return { response, url };
    // Its body may have no end.
    response.destroy();
    url = redirected(url, location);
  }
  throw new ActionError(`${start.href} redirects more than ${REDIRECTS_MAX} times`);
}

function respond(url: URL, headers: Record<string, string>, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const get = url.protocol === 'https:' ? getHttps : nodeHttp.get;
    const options = { headers, signal, timeout: STALL_MS };
    const outgoing = get(url, options, resolve);
    outgoing.on('timeout', () => {
      outgoing.destroy(new DroppedError(`no data for ${STALL_MS / 1000} s`));
    });
    outgoing.on('error', reject);
  });
}

function redirected(from: URL, location: string): URL {
  const url = URL.parse(location, from);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new ActionError(`${from.href} redirects to ${location}, which is not http or https`);
  }
  return url;
}

/** A strong ETag, or the modification date: RFC 9110 section 13.1.5 allows these in If-Range. */
export function validatorOf(response: IncomingMessage): string | undefined {
  const etag = response.headers.etag;
  if (etag !== undefined && !etag.startsWith('W/')) return etag;
  return response.headers['last-modified'];
}

/** The error for a status that is not success. */
export function refusedBy(url: URL, status: number): Error {
  const text = `${url.href} answered ${status}`;
  // Overload and gateway errors pass. Any other error would be the same next time.
  return status === 408 || status === 429 || status >= 500 ? new DroppedError(text) : new ActionError(text);
}

const DROPPED_CODES = new Set(
  (
    'ECONNRESET ECONNREFUSED ECONNABORTED ETIMEDOUT EPIPE EHOSTUNREACH ENETUNREACH ENETDOWN ' +
    'EAI_AGAIN ENOTFOUND HPE_INVALID_EOF_STATE'
  ).split(' '),
);

export function isDropped(error: unknown): error is Error {
  if (error instanceof DroppedError) return true;
  return error instanceof Error && 'code' in error && DROPPED_CODES.has(String(error.code));
}
