/** The request target of HTTP/1 (RFC 9112, section 3.2) as the one URL that every handler sees. */

/** Anything that a URL parser would read as something else than the characters say: backslashes, spaces, controls. */
const UNSAFE = /[^\x21-\x7e]|\\/;

/**
 * The normalised absolute URL of a target, by the origin that the Host header names (`http://host:port`). Empty for everything but
 * origin-form, and absolute-form for the same host. A target of origin-form never changes the host, however many slashes it begins with.
 */
export function urlOfTarget(target: string, origin: string): string {
  if (UNSAFE.test(target)) return '';
  if (target.startsWith('/')) return URL.parse(origin + target)?.href ?? '';
  const absolute = /^http:\/\/([^/?#]+)(.*)$/i.exec(target);
  if (absolute === null) return '';
  const parsed = URL.parse(target);
  if (parsed === null || parsed.username !== '' || parsed.password !== '') return '';
  return parsed.origin === origin ? parsed.href : '';
}
