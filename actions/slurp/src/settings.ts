import { readEnvironment, type Environment } from '@tinkerbell/action-kit';

export interface Settings {
  readonly disk: string;
  readonly url: URL;
  /** With its extension. */
  readonly fileName: string;
  readonly compressed: boolean;
}

/** These end the name in the header, or a path on the server. */
const FORBIDDEN = /["\\/\p{Cc}]/u;

/** Variables as in upstream's slurp. */
export function readSettings(environment: Environment): Settings {
  const read = readEnvironment('slurp', environment);
  const disk = read.absolutePath('SOURCE_DISK', 'the disk to read, for example /dev/sda');
  const url = read.httpUrl('DEST_URL', 'the address that accepts the image');
  const name = read.required('IMG_NAME', 'the name of the image');
  if (FORBIDDEN.test(name)) read.problem('IMG_NAME must not have quotes, slashes or control characters');
  const compressed = read.flag('COMPRESSED', false);
  read.finish();
  return { disk, url, fileName: `${name}.img${compressed ? '.gz' : ''}`, compressed };
}
