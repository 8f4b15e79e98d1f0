/** Implements Go's package path. On Linux, path/filepath does the same. */

/** Removes `.`, `..` and double slashes. An empty path becomes `.`. */
export function cleanPath(path: string): string {
  const isRooted = path.startsWith('/');
  const kept: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') kept.push(part);
    else if (kept.length > 0 && kept.at(-1) !== '..') kept.pop();
    else if (!isRooted) kept.push(part);
  }
  const clean = (isRooted ? '/' : '') + kept.join('/');
  return clean === '' ? '.' : clean;
}

/** Returns the last element: `.` for an empty path, `/` for slashes only. */
export function pathBase(path: string): string {
  if (path === '') return '.';
  let end = path.length;
  while (end > 0 && path[end - 1] === '/') end -= 1;
  return end === 0 ? '/' : path.slice(path.lastIndexOf('/', end - 1) + 1, end);
}

/** Returns everything before the last element, cleaned. */
export function pathDirectory(path: string): string {
  return cleanPath(path.slice(0, path.lastIndexOf('/') + 1));
}

/** Returns the last element from its last dot on. */
export function pathExtension(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot < 0 ? '' : name.slice(dot);
}
