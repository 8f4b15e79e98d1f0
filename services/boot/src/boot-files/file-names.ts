const PATH_CHARACTERS_MAX = 512;

/**
 * Returns the last element of a path, without the trace suffix that upstream's DHCP appends (`-00-<trace id>-<span id>-<flags>`).
 */
export function baseNameOf(path: string): string {
  return path
    .slice(path.lastIndexOf('/') + 1)
    .replace(/-[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/, '');
}

/**
 * Returns the iPXE binary at the end of a path. Directories are ignored, so that `<mac>/ipxe.efi` works. Returns undefined when
 * it is not a plain binary name.
 */
export function binaryNameOf(path: string): string | undefined {
  const base = baseNameOf(path);
  return /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}\.(?:efi|kpxe|kkpxe|pxe|iso|img|lkrn)$/.test(base)
    ? base
    : undefined;
}

/**
 * Returns a name relative to a root. Returns undefined when it climbs, is not text, or could name anything but a file below the
 * root.
 */
export function relativePathOf(fileName: string): string | undefined {
  if (fileName.length > PATH_CHARACTERS_MAX || /[\p{Cc}\\:]/u.test(fileName)) return undefined;
  const segments = fileName.replace(/^\/+/, '').split('/');
  const isPlain = segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..');
  return isPlain ? segments.join('/') : undefined;
}
