/** Paths: one form for matching and for the upstream, so that no spelling of a path passes by a rule. */
import type { RE2JS } from 're2js';

export interface RequestPath {
  readonly path: string;
  /** With its `?`, or empty. As the client wrote it. */
  readonly query: string;
}

const PATH_MAX = 8192;
/** Has one form only, as nearly all have: names that do not begin with a dot. */
const PLAIN = /^(?:\/[\w~-][\w.~-]*)+$/;

/** Servers of Java leave parameters out: `/..;x/` is `/../` there. */
const DOT_SEGMENT = /(^|\/)\.{1,2}([/;]|$)/;
/**
 * Servers differ on %2F, %5C, %00, and on a second decoding of `%255C` or `%252E`: some would see another path than we. Bytes that are in
 * no UTF-8 are letters written too long (`%C0%AF` for a slash) where somebody decodes them at all.
 */
const AMBIGUOUS = /%(2F|5C|00|C[01]|F[5-9A-F])|%(25)+(2F|5C|2E|00)/i;

/**
 * Undefined for a target that has no normal form: not beginning with `/`, with dot segments (however spelled), backslashes
 * (also escaped, once or more), control characters, fragments or wrong percent signs. Needless percent signs are taken away (RFC 3986 6.2.2), `//` becomes `/`.
 */
export function requestPath(target: string): RequestPath | undefined {
  if (target.length > PATH_MAX) return undefined;
  if (PLAIN.test(target)) return { path: target, query: '' };
  if (!target.startsWith('/') || !/^[!-~]*$/.test(target) || /[\\#]/.test(target)) return undefined;
  const at = target.indexOf('?');
  const written = at < 0 ? target : target.slice(0, at);
  if (/%(?![0-9a-fA-F]{2})/.test(written)) return undefined;
  const path = written
    .replaceAll(/%([0-9a-fA-F]{2})/g, (escape, digits: string) => {
      const letter = String.fromCharCode(Number.parseInt(digits, 16));
      return /[A-Za-z0-9._~-]/.test(letter) ? letter : escape.toUpperCase();
    })
    .replaceAll(/\/{2,}/g, '/');
  if (DOT_SEGMENT.test(path) || AMBIGUOUS.test(path)) return undefined;
  return { path, query: at < 0 ? '' : target.slice(at) };
}

/**
 * The part of `path` that `regex` matches from its start becomes `replacement`, in which `$1` and `${1}` are groups; a path that does not match
 * stays. The result begins with one `/`.
 */
export function rewritePath(path: string, regex: RE2JS, replacement: string): string {
  const matcher = regex.matcher(path);
  if (!matcher.lookingAt()) return path;
  const groups = matcher.groupCount();
  const rewritten =
    replacement.replaceAll(/\$(?:(\d)|\{(\d+)\})/g, (_, short?: string, long?: string) => {
      const group = Number(short ?? long);
      return group > groups ? '' : (matcher.group(group) ?? '');
    }) + path.slice(matcher.end());
  return `/${rewritten}`.replace(/^\/+/, '/');
}
