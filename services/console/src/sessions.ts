/**
 * Sessions of browsers. The cookie contains the token that the user signed in with, sealed with a key of the server, so the server
 * stores nothing, and a deleted account ends its sessions at once.
 */
import type { Clock, HttpRequest } from '@tinkerbell/platform-contract';
import { cookieIn, sessionCookie } from './session-cookie.ts';
import { foreignRequest } from './same-origin.ts';

/** Encrypts and authenticates short texts. */
export interface Seal {
  /** Returns base64url. */
  seal(text: string): string;
  /** Returns undefined for a text that this key did not seal. */
  open(sealed: string): string | undefined;
}

/** The credential of a request that has a session cookie, or why the cookie does not count. */
export type SessionCredential = { readonly authorization: string } | { readonly refused: string };

export interface Sessions {
  /** Returns undefined for a request without a session cookie. */
  credentialOf(request: HttpRequest): SessionCredential | undefined;
  /** Returns the value of `Set-Cookie`, or undefined if the token is too long for a cookie. */
  begin(token: string, request: HttpRequest): string | undefined;
  /** Returns the value of `Set-Cookie` that removes the cookie. */
  end(request: HttpRequest): string;
}

/** A working day. A token that ends earlier ends the session. */
export const SESSION_SECONDS = 12 * 3600;

export function createSessions({ seal, clock }: { readonly seal: Seal; readonly clock: Clock }): Sessions {
  return {
    credentialOf(request) {
      const value = cookieIn(request);
      if (value === undefined) return undefined;
      const foreign = foreignRequest(request);
      if (foreign !== undefined) return { refused: foreign };
      const token = tokenIn(seal.open(value), clock.nowMs());
      return token === undefined
        ? { refused: 'the session has ended; sign in again' }
        : { authorization: `Bearer ${token}` };
    },
    begin(token, request) {
      const endsMs = clock.nowMs() + SESSION_SECONDS * 1000;
      return sessionCookie(request, {
        value: seal.seal(`${endsMs} ${token}`),
        maxAgeSeconds: SESSION_SECONDS,
      });
    },
    end: (request) => sessionCookie(request, { value: '', maxAgeSeconds: 0 }) ?? '',
  };
}

function tokenIn(opened: string | undefined, nowMs: number): string | undefined {
  const [, endsMs, token] = /^(\d+) (\S+)$/.exec(opened ?? '') ?? [];
  return endsMs === undefined || Number(endsMs) <= nowMs ? undefined : token;
}
