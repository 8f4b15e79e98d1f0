import { readEnvironment, type Environment } from '@tinkerbell/action-kit';

export type Compression = 'none' | 'gzip' | 'zstd' | 'xz' | 'bzip2';

export interface Settings {
  readonly url: URL;
  readonly disk: string;
  /** `detect`: by the first bytes of the image. */
  readonly compression: Compression | 'detect';
  /** Lower-case hex SHA-256 of the bytes as downloaded. */
  readonly sha256: string | undefined;
  /** How long a broken download is retried without a byte of progress. */
  readonly retryForMs: number;
  readonly progressIntervalMs: number;
}

const EXTENSIONS: Readonly<Record<string, Compression>> = {
  gz: 'gzip',
  gzip: 'gzip',
  zst: 'zstd',
  zs: 'zstd',
  zstd: 'zstd',
  xz: 'xz',
  bz2: 'bzip2',
  bzip2: 'bzip2',
};

/** Without RETRY_ENABLED a download still survives a short break. */
const RETRY_SHORT_MS = 30_000;
const RETRY_MINUTES_DEFAULT = 10;
const RETRY_MINUTES_MAX = 24 * 60;
const PROGRESS_SECONDS_DEFAULT = 1;

/**
 * Variables as in upstream's image2disk, and IMG_CHECKSUM (`sha256:<hex>`) of the image as downloaded.
 * Without COMPRESSED, upstream writes a compressed image to disk unchanged, which boots nowhere. Here the
 * image's first bytes decide, and COMPRESSED=false restores upstream's behaviour.
 */
export function readSettings(environment: Environment): Settings {
  const read = readEnvironment('image2disk', environment);
  const url = read.httpUrl('IMG_URL', 'the address of the image');
  const disk = read.absolutePath('DEST_DISK', 'the disk to write to, for example /dev/sda');
  const compressed = read.flag('COMPRESSED', undefined);
  const retry = read.flag('RETRY_ENABLED', false);
  const minutes = read.integer('RETRY_DURATION_MINUTES', {
    minimum: 0,
    maximum: RETRY_MINUTES_MAX,
    fallback: RETRY_MINUTES_DEFAULT,
  });
  const progressSeconds = read.integer('PROGRESS_INTERVAL_SECONDS', {
    minimum: 1,
    maximum: 3600,
    fallback: PROGRESS_SECONDS_DEFAULT,
  });
  const checksum = read.optional('IMG_CHECKSUM');
  const sha256 = checksum === undefined ? undefined : /^sha256:([0-9a-f]{64})$/i.exec(checksum)?.[1];
  if (checksum !== undefined && sha256 === undefined) {
    read.problem('IMG_CHECKSUM must be sha256: and 64 hexadecimal digits');
  }
  read.finish();
  return {
    url,
    disk,
    compression: compressionFor(url, compressed),
    sha256: sha256?.toLowerCase(),
    retryForMs: retry ? minutes * 60_000 : RETRY_SHORT_MS,
    progressIntervalMs: progressSeconds * 1000,
  };
}

function compressionFor(url: URL, compressed: boolean | undefined): Compression | 'detect' {
  if (compressed === false) return 'none';
  const extension = /\.(\w+)$/.exec(url.pathname)?.[1]?.toLowerCase() ?? '';
  return EXTENSIONS[extension] ?? 'detect';
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
