/** Every layer an answer passes through asks for the same one. */
let lastUrl = '';
let lastPath = '/';

/** The path of a normalised absolute http URL, as `new URL(url).pathname` gives it, without parsing it once more. */
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

/** The whole path, percent-decoded; undefined when an escape is broken or hides a separator or NUL. */
export function decodedPathOf(url: string): string | undefined {
  const path = pathNameOf(url);
  if (!path.includes('%')) return path;
  const elements = pathElementsOf(url);
  return elements === undefined ? undefined : `/${elements.join('/')}`;
}

/** The path's elements, percent-decoded; undefined when an escape is broken or hides a separator or NUL. */
export function pathElementsOf(url: string): readonly string[] | undefined {
  try {
    const path = pathNameOf(url);
    // Nothing is escaped in most, and then nothing is hidden: a URL has no backslash or NUL of its own.
    if (!path.includes('%')) return path.slice(1).split('/');
    const elements = path.split('/').slice(1).map(decodeURIComponent);
    return elements.some((element) => /[/\\\0]/.test(element)) ? undefined : elements;
  } catch {
    return undefined;
  }
}
