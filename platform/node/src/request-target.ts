/** Turns the request target of HTTP/1 (RFC 9112, section 3.2) into the one URL that every handler sees. */

/** Characters that a URL parser would change: backslashes, spaces, controls. */
const UNSAFE = /[^\x21-\x7e]|\\/;

/**
 * Returns the normalised absolute URL of a target, based on the origin from the Host header (`http://host:port`). Empty for
 * anything but origin-form, and absolute-form for the same host. A target in origin-form never changes the host, however many
 * slashes it starts with.
 */
function urlOfTarget(target: string, origin: string): string {
  if (UNSAFE.test(target)) return '';
  if (target.startsWith('/')) return URL.parse(origin + target)?.href ?? '';
  const absolute = /^http:\/\/([^/?#]+)(.*)$/i.exec(target);
  if (absolute === null) return '';
  const parsed = URL.parse(target);
  if (parsed === null || parsed.username !== '' || parsed.password !== '') return '';
  return parsed.origin === origin ? parsed.href : '';
}

/** A path that normalisation does not change: nothing escaped, no empty or dotted segment, no query. */
const PLAIN_TARGET = /^(?:\/[\w~:-][\w~:.-]*)+\/?$/;

/** The Host of a request is nearly always that of the previous one. */
let lastHost = '';
let lastOrigin = '';

/** Returns `http://<host>`, normalised. Empty when the Host is more than a host. */
function originOf(host: string): string {
  if (host === lastHost) return lastOrigin;
  const parsed = URL.parse(`http://${host}`);
  lastHost = host;
  lastOrigin = parsed !== null && parsed.href === `${parsed.origin}/` ? parsed.origin : '';
  return lastOrigin;
}

/** Returns the normalised absolute URL of a request. Empty when target and Host do not form one. */
export function urlOfRequest(target: string, host: string): string {
  const origin = originOf(host);
  if (origin === '') return '';
  return PLAIN_TARGET.test(target) ? origin + target : urlOfTarget(target, origin);
}
