const typeByExtension: Readonly<Record<string, string>> = {
  gz: 'application/gzip',
  zst: 'application/zstd',
  xz: 'application/x-xz',
  bz2: 'application/x-bzip2',
  tar: 'application/x-tar',
  iso: 'application/x-iso9660-image',
  json: 'application/json',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  txt: 'text/plain; charset=utf-8',
  ipxe: 'text/plain; charset=utf-8',
  cfg: 'text/plain; charset=utf-8',
  sha256: 'text/plain; charset=utf-8',
};

/**
 * Returns the type by the last extension, and bytes for any other, including HTML: scripts must not run in this host's origin.
 */
export function contentTypeOf(path: string): string {
  const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  return (
    (Object.hasOwn(typeByExtension, extension) ? typeByExtension[extension] : undefined) ??
    'application/octet-stream'
  );
}
