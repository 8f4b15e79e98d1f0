import { readEnvironment, type Environment, type EnvironmentReader } from '@tinkerbell/action-kit';

export type BootPlace = 'first' | 'last' | 'next';

export interface Settings {
  readonly label: string;
  /** Absent when an existing entry is selected. */
  readonly loader: { readonly disk: string; readonly partition: number; readonly file: string } | undefined;
  readonly place: BootPlace;
}

const PLACES: readonly BootPlace[] = ['first', 'last', 'next'];
const FALLBACK_LOADERS: Readonly<Record<string, string>> = { arm64: 'BOOTAA64.EFI' };
/** Firmware shows fewer, and stores little. */
const LABEL_MAX = 100;
const FILE_MAX = 500;
const CONTROL = /\p{Cc}/u;

export function readSettings(environment: Environment, architecture: string): Settings {
  const read = readEnvironment('efibootset', environment);
  const label = read.required('BOOT_LABEL', 'the name of the boot entry');
  if (label.length > LABEL_MAX || CONTROL.test(label))
    read.problem(`BOOT_LABEL must have at most ${LABEL_MAX} characters, and no control characters`);
  const text = read.optional('BOOT_PLACE') ?? 'first';
  const place = PLACES.find((one) => one === text);
  if (place === undefined) read.problem(`BOOT_PLACE=${text} must be one of ${PLACES.join(', ')}`);
  const loader = readLoader(read, architecture);
  read.finish();
  return { label, place: place ?? 'first', loader };
}

function readLoader(read: EnvironmentReader, architecture: string): Settings['loader'] {
  const partition = read.integer('BOOT_PARTITION', { minimum: 1, maximum: 128, fallback: 1 });
  const fallback = `\\EFI\\BOOT\\${FALLBACK_LOADERS[architecture] ?? 'BOOTX64.EFI'}`;
  const given = read.optional('BOOT_LOADER');
  const file = (given ?? fallback).replaceAll('/', '\\');
  if (!file.startsWith('\\') || file.length > FILE_MAX || CONTROL.test(file))
    read.problem('BOOT_LOADER must be a path such as \\EFI\\debian\\shimx64.efi');
  if (read.optional('BOOT_DISK') === undefined) {
    if (given !== undefined) read.problem('BOOT_DISK is missing: set it to the disk with BOOT_LOADER');
    return undefined;
  }
  return { disk: read.absolutePath('BOOT_DISK', 'the disk with the boot loader'), partition, file };
}
