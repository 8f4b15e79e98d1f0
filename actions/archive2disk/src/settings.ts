import { readEnvironment, type Compression, type Environment } from '@tinkerbell/action-kit';

export interface Checksum {
  readonly algorithm: 'sha256' | 'sha512';
  /** Lower-case. */
  readonly hex: string;
}

export interface Settings {
  readonly url: URL;
  /** `detect`: by the first bytes of the archive. */
  readonly compression: Compression | 'detect';
  readonly device: string;
  readonly fileSystem: string;
  readonly directory: string;
  /** Of the uncompressed archive. Absent when the template refuses it explicitly. */
  readonly checksum: Checksum | undefined;
  readonly retryForMs: number;
}

const TYPES: Readonly<Record<string, Compression>> = { tar: 'none', targz: 'gzip' };
const CHECKSUM = /^(sha256):([0-9a-f]{64})$|^(sha512):([0-9a-f]{128})$/i;
const MINUTES_DEFAULT = 5;
const MINUTES_MAX = 24 * 60;

/** Variables as in upstream's archive2disk. ARCHIVE_TYPE may be absent. */
export function readSettings(environment: Environment): Settings {
  const read = readEnvironment('archive2disk', environment);
  const url = read.httpUrl('ARCHIVE_URL', 'the address of the archive');
  const type = read.optional('ARCHIVE_TYPE')?.toLowerCase();
  if (type !== undefined && !Object.hasOwn(TYPES, type))
    read.problem(`ARCHIVE_TYPE=${type} must be tar or targz`);
  const settings = {
    url,
    compression: type === undefined ? 'detect' : (TYPES[type] ?? 'detect'),
    device: read.absolutePath('DEST_DISK', 'the partition to write to, for example /dev/sda1'),
    fileSystem: read.required('FS_TYPE', 'its file system, for example ext4'),
    directory: read.absolutePath('DEST_PATH', 'the directory in it, for example /'),
  } as const;
  const isInsecure = read.flag('INSECURE_NO_TARFILE_CHECKSUM_VERIFICATION', false);
  const text = isInsecure ? '' : read.required('TARFILE_CHECKSUM', 'sha256:<hex> of the uncompressed tar');
  const checksum = checksumOf(text);
  if (text !== '' && checksum === undefined)
    read.problem('TARFILE_CHECKSUM must be sha256: and 64 hexadecimal digits, or sha512: and 128');
  const minutes = read.integer('HTTP_CLIENT_TIMEOUT_MINUTES', {
    minimum: 0,
    maximum: MINUTES_MAX,
    fallback: MINUTES_DEFAULT,
  });
  read.finish();
  return { ...settings, checksum, retryForMs: minutes * 60_000 };
}

function checksumOf(text: string): Checksum | undefined {
  const match = CHECKSUM.exec(text)?.slice(1).filter(Boolean) ?? [];
  const [algorithm, hex] = match.map((part) => part.toLowerCase());
  if (hex === undefined) return undefined;
  return { algorithm: algorithm === 'sha512' ? 'sha512' : 'sha256', hex };
}
