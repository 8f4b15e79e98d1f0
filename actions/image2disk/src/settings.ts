import {
  compressionByExtension,
  readEnvironment,
  type Compression,
  type Environment,
} from '@tinkerbell/action-kit';

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
  /** Chunks are exchanged with agents that write the same image. */
  readonly withPeers: boolean;
}

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
  const peers = read.flag('PEERS', true);
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
    // Peers send without TLS, so whoever asked for it gets nothing from them.
    withPeers: peers && url.protocol === 'http:',
  };
}

function compressionFor(url: URL, compressed: boolean | undefined): Compression | 'detect' {
  if (compressed === false) return 'none';
  return compressionByExtension(url.pathname) ?? 'detect';
}
