/**
 * The path of a normalised absolute http URL, as `new URL(url).pathname` gives it, without parsing it once more: every
 * layer an answer passes through asks for it.
 */
export function pathNameOf(url: string): string {
  const begin = url.indexOf('/', url.indexOf('://') + 3);
  if (begin < 0) return '/';
  const end = url.slice(begin).search(/[?#]/);
  return end < 0 ? url.slice(begin) : url.slice(begin, begin + end);
}
