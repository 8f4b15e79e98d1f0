import { pathNameOf } from '@tinkerbell/platform-contract';

const PATH_CHARACTERS_MAX = 1024;
/** Most paths: nothing is escaped, and no element is empty or hidden. */
const PLAIN_PATH = /^[\w~-][\w~.-]*(?:\/[\w~-][\w~.-]*)*$/;

/**
 * Returns the file's path below the root. Returns undefined for a prefix that does not match, broken percent-escapes, empty or
 * hidden elements (`.`, `..`, `.git`), and characters that separate or end paths on some system.
 */
export function imagePathOf(url: string, prefix: string): string | undefined {
  const pathname = pathNameOf(url);
  if (!pathname.startsWith(prefix) || pathname.length > PATH_CHARACTERS_MAX) return undefined;
  const path = pathname.slice(prefix.length);
  if (PLAIN_PATH.test(path)) return path;
  const elements = decodedElementsOf(path);
  const isPlain = elements?.every(
    (element) => element !== '' && !element.startsWith('.') && !/[/\\\p{Cc}]/u.test(element),
  );
  return isPlain ? elements?.join('/') : undefined;
}

function decodedElementsOf(path: string): readonly string[] | undefined {
  try {
    return path.split('/').map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
