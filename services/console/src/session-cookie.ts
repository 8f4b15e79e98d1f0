/** The cookie of a session (RFC 6265bis). */
import type { HttpRequest } from '@tinkerbell/platform-contract';

const NAME = 'tinkerbell-session';
/** Browsers drop a cookie whose name, value and attributes are longer. */
const COOKIE_BYTES_MAX = 4096;

/** Returns the sealed session of a request. */
export function cookieIn({ headers }: Pick<HttpRequest, 'headers'>): string | undefined {
  const pairs = (headers.get('cookie') ?? '').split(';');
  const found = pairs.map((pair) => pair.trim()).find((pair) => pair.startsWith(`${NAME}=`));
  const value = found?.slice(NAME.length + 1);
  return value === '' ? undefined : value;
}

/**
 * Returns the value of `Set-Cookie`, or undefined if it is too long. The path is `/`, because the API is outside `/console/`. A page
 * that came over https, as its Origin shows also behind a proxy, gets a cookie for https only.
 */
export function sessionCookie(
  { headers }: Pick<HttpRequest, 'headers'>,
  { value, maxAgeSeconds }: { readonly value: string; readonly maxAgeSeconds: number },
): string | undefined {
  const secure = headers.get('origin')?.startsWith('https:') === true ? '; Secure' : '';
  const cookie = `${NAME}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${secure}`;
  return cookie.length > COOKIE_BYTES_MAX ? undefined : cookie;
}
