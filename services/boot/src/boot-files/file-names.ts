const PATH_CHARACTERS_MAX = 512;

/** The last element of a path, without the trace suffix upstream's DHCP appends (`-00-<trace id>-<span id>-<flags>`). */
export function baseNameOf(path: string): string {
  return path
    .slice(path.lastIndexOf('/') + 1)
    .replace(/-[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/, '');
}

/**
 * The iPXE binary at the end of a path, directories ignored so that `<mac>/ipxe.efi` works. Undefined when it is no plain
 * binary name.
 */
export function binaryNameOf(path: string): string | undefined {
  const base = baseNameOf(path);
  return /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}\.(?:efi|kpxe|kkpxe|pxe|iso|img|lkrn)$/.test(base)
    ? base
    : undefined;
}

/** A name relative to a root, or undefined when it climbs, is no text or could name anything but a file below. */
export function relativePathOf(fileName: string): string | undefined {
  if (fileName.length > PATH_CHARACTERS_MAX || /[\p{Cc}\\:]/u.test(fileName)) return undefined;
  const segments = fileName.replace(/^\/+/, '').split('/');
  const isPlain = segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..');
  return isPlain ? segments.join('/') : undefined;
}
