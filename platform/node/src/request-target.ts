/** Turns the request target of HTTP/1 (RFC 9112, section 3.2) into the one URL that every handler sees. */

/** Characters that a URL parser would change: backslashes, spaces, controls. */
const UNSAFE = /[^\x21-\x7e]|\\/;

/**
 * Returns the normalised absolute URL of a target, based on the origin from the Host header (`http://host:port`). Empty for
 * anything but origin-form, and absolute-form for the same host. A target in origin-form never changes the host, however many
 * slashes it starts with.
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
