import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the header with which a command on the server's own machine uses the API. It contains the token in
 * the data folder.
 */
export function localAuthorization(dataDirectory: string): { readonly authorization: string } {
  const token = readFileSync(join(dataDirectory, 'local', 'token'), 'utf8').trim();
  return { authorization: `Bearer ${token}` };
}

/** Returns a `fetch` for URLs of one server, as its administrator unless a request has its own credential. */
export function localFetch(dataDirectory: string): (url: string, init?: RequestInit) => Promise<Response> {
  return (url, init = {}) => {
    const headers = new Headers(init.headers);
    if (!headers.has('authorization'))
      headers.set('authorization', localAuthorization(dataDirectory).authorization);
    return fetch(url, { ...init, headers });
  };
}
