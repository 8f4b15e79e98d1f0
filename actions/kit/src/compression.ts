export type Compression = 'none' | 'gzip' | 'zstd' | 'xz' | 'bzip2';

const EXTENSIONS: Readonly<Record<string, Compression>> = {
  gz: 'gzip',
  gzip: 'gzip',
  tgz: 'gzip',
  zst: 'zstd',
  zs: 'zstd',
  zstd: 'zstd',
  xz: 'xz',
  bz2: 'bzip2',
  bzip2: 'bzip2',
};

/** Returns the format by the extension of a path or address, or undefined for any other extension. */
export function compressionByExtension(path: string): Compression | undefined {
  const extension = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(EXTENSIONS, extension) ? EXTENSIONS[extension] : undefined;
}

/** Detects the format by the magic numbers of RFC 1952, RFC 8878, the xz format and bzip2. */
export function detectCompression(start: Uint8Array): Compression {
  const begins = (...bytes: number[]): boolean => bytes.every((byte, index) => start[index] === byte);
  if (begins(0x1f, 0x8b)) return 'gzip';
  if (begins(0x28, 0xb5, 0x2f, 0xfd)) return 'zstd';
  if (begins(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00)) return 'xz';
  if (begins(0x42, 0x5a, 0x68)) return 'bzip2';
  return 'none';
}
