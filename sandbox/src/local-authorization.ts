import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The header with which a command on the server's own machine uses the API: the token in its data folder. */
export function localAuthorization(dataDirectory: string): { readonly authorization: string } {
  const token = readFileSync(join(dataDirectory, 'local', 'token'), 'utf8').trim();
  return { authorization: `Bearer ${token}` };
}

/** `fetch` for URLs of one server, as its administrator unless a request brings a credential of its own. */
export function localFetch(dataDirectory: string): (url: string, init?: RequestInit) => Promise<Response> {
  return (url, init = {}) => {
    const headers = new Headers(init.headers);
    if (!headers.has('authorization'))
      headers.set('authorization', localAuthorization(dataDirectory).authorization);
    return fetch(url, { ...init, headers });
  };
}
