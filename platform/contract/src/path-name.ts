/**
 * The path of a normalised absolute http URL, as `new URL(url).pathname` gives it, without parsing it once more: every
 * layer an answer passes through asks for it.
 */
export function pathNameOf(url: string): string {
  const begin = url.indexOf('/', url.indexOf('://') + 3);
  if (begin < 0) return '/';
  const query = url.indexOf('?', begin);
  const fragment = url.indexOf('#', begin);
  if (query < 0 && fragment < 0) return url.slice(begin);
  return url.slice(begin, query < 0 || (fragment >= 0 && fragment < query) ? fragment : query);
}
