import { quote } from '@tinkerbell/go-template';
import { isIpv6Address } from '../functions/ip-address.ts';
import { escapeUrl, unescapeUrl, UrlError } from '../functions/url-escape.ts';

/** The parts of a URL, as in Go's net/url. */
export interface GoUrl {
  readonly scheme: string;
  readonly opaque: string;
  readonly user: UserInfo | undefined;
  readonly host: string;
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
}

export interface UserInfo {
  readonly name: string;
  readonly password: string | undefined;
}

const EMPTY: GoUrl = {
  scheme: '',
  opaque: '',
  user: undefined,
  host: '',
  path: '',
  query: '',
  fragment: '',
};

/** Parses a URL, also a relative one. Throws UrlError with Go's text. */
export function parseUrl(source: string): GoUrl {
  const hash = source.indexOf('#');
  const main = hash < 0 ? source : source.slice(0, hash);
  const url = named(main, () => parseMain(main));
  const fragment = hash < 0 ? '' : source.slice(hash + 1);
  return { ...url, fragment: named(source, () => unescapeUrl(fragment, 'fragment')) };
}

function named<T>(source: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof UrlError) throw new UrlError(`parse ${quote(source)}: ${error.message}`);
    throw error;
  }
}

function parseMain(source: string): GoUrl {
  if (hasControlByte(source)) throw new UrlError('net/url: invalid control character in URL');
  if (source === '*') return { ...EMPTY, path: '*' };
  const { scheme, rest } = splitScheme(source);
  const [hierarchy, query] = cut(rest, rest.indexOf('?'));
  const url = { ...EMPTY, scheme, query: query.slice(1) };
  if (!hierarchy.startsWith('/')) {
    if (scheme !== '') return { ...url, opaque: hierarchy };
    if (/^[^/]*:/.test(hierarchy)) throw new UrlError('first path segment in URL cannot contain colon');
  }
  const hasAuthority = hierarchy.startsWith('//') && (scheme !== '' || !hierarchy.startsWith('///'));
  if (!hasAuthority) return { ...url, path: unescapeUrl(hierarchy, 'path') };
  const [authority, path] = cut(hierarchy.slice(2), hierarchy.slice(2).indexOf('/'));
  return { ...url, ...parseAuthority(scheme, authority), path: unescapeUrl(path, 'path') };
}

/** Returns the text before an index, and the rest. For -1 it returns the whole text and an empty one. */
function cut(source: string, at: number): [string, string] {
  return at < 0 ? [source, ''] : [source.slice(0, at), source.slice(at)];
}

function hasControlByte(source: string): boolean {
  return Array.from(source).some((character) => character < ' ' || character === '\u007f');
}

function splitScheme(source: string): { scheme: string; rest: string } {
  const match = /^([A-Za-z][A-Za-z0-9+\-.]*)?:/.exec(source);
  if (match === null) return { scheme: '', rest: source };
  if (match[1] === undefined) throw new UrlError('missing protocol scheme');
  return { scheme: match[1].toLowerCase(), rest: source.slice(match[0].length) };
}

function parseAuthority(scheme: string, authority: string): Pick<GoUrl, 'user' | 'host'> {
  const at = authority.lastIndexOf('@');
  const host = parseHost(scheme, authority.slice(at + 1));
  if (at < 0) return { host, user: undefined };
  const written = authority.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(written)) throw new UrlError('net/url: invalid userinfo');
  return { host, user: parseUserInfo(written) };
}

function parseUserInfo(written: string): UserInfo {
  const colon = written.indexOf(':');
  if (colon < 0) return { name: unescapeUrl(written, 'userinfo'), password: undefined };
  return {
    name: unescapeUrl(written.slice(0, colon), 'userinfo'),
    password: unescapeUrl(written.slice(colon + 1), 'userinfo'),
  };
}

function parseHost(scheme: string, host: string): string {
  if (host.lastIndexOf('[') > 0) throw new UrlError('invalid IP-literal');
  if (host.startsWith('[')) return parseBracketedHost(host);
  const colon = scheme === 'http' || scheme === 'https' ? host.indexOf(':') : host.lastIndexOf(':');
  if (colon >= 0) checkPort(host.slice(colon));
  return unescapeUrl(host, 'host');
}

function parseBracketedHost(host: string): string {
  const close = host.lastIndexOf(']');
  if (close < 0) throw new UrlError("missing ']' in host");
  const port = host.slice(close + 1);
  checkPort(port);
  const name = host.slice(1, close);
  const zone = name.indexOf('%25');
  const address =
    zone < 0
      ? unescapeUrl(name, 'host')
      : unescapeUrl(name.slice(0, zone), 'host') + unescapeUrl(name.slice(zone), 'zone');
  if (!isIpv6(address)) {
    if (/^[0-9.]+$/.test(address)) throw new UrlError('invalid IP-literal');
    throw new UrlError(`invalid host: ParseAddr(${quote(address)}): unable to parse IP`);
  }
  return `[${address}]${port}`;
}

/** The part after a percent sign is the zone, and must not be empty. */
function isIpv6(address: string): boolean {
  const percent = address.indexOf('%');
  if (percent === address.length - 1) return false;
  return isIpv6Address(percent < 0 ? address : address.slice(0, percent));
}

function checkPort(port: string): void {
  if (port !== '' && !/^:[0-9]*$/.test(port)) throw new UrlError(`invalid port ${quote(port)} after host`);
}

/** Returns the host without port and brackets. */
export function hostnameOf({ host }: GoUrl): string {
  const withoutPort = /^(.*):[0-9]*$/s.exec(host)?.[1] ?? host;
  const isBracketed = withoutPort.startsWith('[') && withoutPort.endsWith(']');
  return isBracketed ? withoutPort.slice(1, -1) : withoutPort;
}

/** Returns `name` or `name:password`, escaped. */
export function userInfoText({ name, password }: UserInfo): string {
  const escaped = escapeUrl(name, 'userinfo');
  return password === undefined ? escaped : `${escaped}:${escapeUrl(password, 'userinfo')}`;
}

/** Builds a URL (url.URL.String). */
export function urlText(url: GoUrl): string {
  const { scheme, opaque, query, fragment } = url;
  const start = scheme === '' ? '' : `${scheme}:`;
  const search = query === '' ? '' : `?${query}`;
  const end = fragment === '' ? search : `${search}#${escapeUrl(fragment, 'fragment')}`;
  return start + (opaque === '' ? hierarchyText(url) : opaque) + end;
}

function hierarchyText(url: GoUrl): string {
  const { scheme, host, path } = url;
  const escaped = path === '*' ? path : escapeUrl(path, 'path');
  const authority = authorityText(url);
  if (host !== '' && escaped !== '' && !escaped.startsWith('/')) return `${authority}/${escaped}`;
  // A first segment with a colon would read as a scheme (RFC 3986, section 4.2).
  const isAmbiguous = scheme === '' && authority === '' && /^[^/]*:/.test(escaped);
  return authority + (isAmbiguous ? './' : '') + escaped;
}

function authorityText({ scheme, user, host, path }: GoUrl): string {
  const written = (user === undefined ? '' : `${userInfoText(user)}@`) + escapeUrl(host, 'host');
  const hasSlashes = written !== '' || user !== undefined || (scheme !== '' && path !== '');
  return hasSlashes ? `//${written}` : '';
}
