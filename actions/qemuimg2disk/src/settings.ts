import { readEnvironment, type Environment } from '@tinkerbell/action-kit';

export interface Settings {
  readonly url: URL;
  readonly disk: string;
  /** Arguments for qemu-img. */
  readonly extraArguments: readonly string[];
}

/** Variables as in upstream's qemuimg2disk. EXTRA_ARGS is split at white space, as its shell does. */
export function readSettings(environment: Environment): Settings {
  const read = readEnvironment('qemuimg2disk', environment);
  const url = read.httpUrl('IMG_URL', 'the address of the image');
  const disk = read.absolutePath('DEST_DISK', 'the disk to write to, for example /dev/sda');
  const format = read.optional('FORMAT') ?? 'host_device';
  if (format !== 'host_device' && format !== 'raw')
    read.problem(`FORMAT=${format} is the format to write, which must be host_device or raw on a disk`);
  const extraArguments = (read.optional('EXTRA_ARGS') ?? '').split(/\s+/).filter(Boolean);
  read.finish();
  return { url, disk, extraArguments };
}
