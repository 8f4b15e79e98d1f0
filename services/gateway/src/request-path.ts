/** Normalizes paths for matching and for the upstream, so that no spelling of a path bypasses a rule. */
import type { RE2JS } from 're2js';

export interface RequestPath {
  readonly path: string;
  /** With its `?`, or empty. As the client wrote it. */
  readonly query: string;
}

const PATH_MAX = 8192;
/** Matches paths that have one form only, as nearly all have: names that do not begin with a dot. */
const PLAIN = /^(?:\/[\w~-][\w.~-]*)+$/;

/** Java servers remove parameters, so that they read `/..;x/` as `/../`. */
const DOT_SEGMENT = /(^|\/)\.{1,2}([/;]|$)/;
/**
 * Servers differ on %2F, %5C, %00, and on a second decoding of `%255C` or `%252E`: some would see another
 * path than this gateway. Bytes that are not valid UTF-8 are overlong forms (`%C0%AF` for a slash), which
 * some programs decode.
 */
const AMBIGUOUS = /%(2F|5C|00|C[01]|F[5-9A-F])|%(25)+(2F|5C|2E|00)/i;

/**
 * Returns undefined for a target that has no normal form: not beginning with `/`, with dot segments (however
 * spelled), backslashes (also escaped, once or more), control characters, fragments or wrong percent signs.
 * Unnecessary escapes are decoded (RFC 3986 6.2.2), and `//` becomes `/`.
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
 * Replaces the part of `path` that `regex` matches from its start with `replacement`, in which `$1` and
 * `${1}` are groups. A path that does not match stays. The result begins with one `/`.
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
