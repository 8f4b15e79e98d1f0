/** Every layer that a request passes through asks for the same path. */
let lastUrl = '';
let lastPath = '/';

/** Returns the path of a normalised absolute http URL, as `new URL(url).pathname` does, without parsing the URL again. */
export function pathNameOf(url: string): string {
  if (url === lastUrl) return lastPath;
  lastPath = pathIn(url);
  lastUrl = url;
  return lastPath;
}

function pathIn(url: string): string {
  const begin = url.indexOf('/', url.indexOf('://') + 3);
  if (begin < 0) return '/';
  const query = url.indexOf('?', begin);
  const fragment = url.indexOf('#', begin);
  if (query < 0 && fragment < 0) return url.slice(begin);
  return url.slice(begin, query < 0 || (fragment >= 0 && fragment < query) ? fragment : query);
}

/** Returns the host of a normalised absolute http URL without credentials, as `new URL(url).hostname` does. */
export function hostNameOf(url: string): string {
  const begin = url.indexOf('://') + 3;
  const end = url.indexOf('/', begin);
  const host = url.slice(begin, end < 0 ? undefined : end);
  // The colons of an IPv6 address are in brackets.
  const port = host.indexOf(':', host.lastIndexOf(']') + 1);
  return port < 0 ? host : host.slice(0, port);
}

/** Returns the query of a normalised absolute http URL. */
export function queryOf(url: string): URLSearchParams {
  const begin = url.indexOf('?');
  const fragment = url.indexOf('#');
  if (begin < 0 || (fragment >= 0 && fragment < begin)) return new URLSearchParams();
  return new URLSearchParams(url.slice(begin + 1, fragment < 0 ? undefined : fragment));
}

/** Returns the whole path, percent-decoded. Returns undefined when an escape is invalid or hides a separator or NUL. */
export function decodedPathOf(url: string): string | undefined {
  const path = pathNameOf(url);
  if (!path.includes('%')) return path;
  const elements = pathElementsOf(url);
  return elements === undefined ? undefined : `/${elements.join('/')}`;
}

/** Returns the path's elements, percent-decoded. Returns undefined when an escape is invalid or hides a separator or NUL. */
export function pathElementsOf(url: string): readonly string[] | undefined {
  try {
    const path = pathNameOf(url);
    // Most paths have no escapes, and then nothing can be hidden: a URL contains no raw backslash or NUL.
    if (!path.includes('%')) return path.slice(1).split('/');
    const elements = path.split('/').slice(1).map(decodeURIComponent);
    return elements.some((element) => /[/\\\0]/.test(element)) ? undefined : elements;
  } catch {
    return undefined;
  }
}
