import { readEnvironment, type Environment } from '@tinkerbell/action-kit';

export interface Settings {
  readonly disk: string;
  readonly url: URL | undefined;
  readonly checksum: { readonly sha256: string; readonly lengthBytes: number | undefined } | undefined;
  readonly retryForMs: number;
}

const MINUTES_MAX = 24 * 60;

export function readSettings(environment: Environment): Settings {
  const read = readEnvironment('verify', environment);
  const disk = read.absolutePath('DEST_DISK', 'the disk to read, for example /dev/sda');
  const url = read.optional('IMG_URL') === undefined ? undefined : read.httpUrl('IMG_URL', 'the image');
  const text = read.optional('DISK_CHECKSUM');
  const sha256 = /^sha256:([0-9a-f]{64})$/i.exec(text ?? '')?.[1]?.toLowerCase();
  if (text !== undefined && sha256 === undefined)
    read.problem('DISK_CHECKSUM must be sha256: and 64 hexadecimal digits');
  if (url === undefined && text === undefined)
    read.problem('IMG_URL and DISK_CHECKSUM are missing: set one of them');
  const lengthBytes = read.integer('DISK_BYTES', {
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    fallback: 0,
  });
  const minutes = read.integer('RETRY_DURATION_MINUTES', { minimum: 0, maximum: MINUTES_MAX, fallback: 1 });
  read.finish();
  const length = lengthBytes === 0 ? undefined : lengthBytes;
  const checksum = sha256 === undefined ? undefined : { sha256, lengthBytes: length };
  return { disk, url, checksum, retryForMs: minutes * 60_000 };
}
