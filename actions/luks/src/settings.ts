import { readEnvironment, type Environment } from '@tinkerbell/action-kit';

export type KeySource =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file'; readonly path: string };

export interface Settings {
  readonly device: string;
  readonly key: KeySource;
  /** The name below /dev/mapper under which it is opened. */
  readonly name: string | undefined;
  readonly label: string | undefined;
  readonly wipe: boolean;
  /** How long a machine like this one computes to try one key. */
  readonly iterationMs: number;
}

const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,63}$/;
/** LUKS2 has room for 47 characters. */
const LABEL = /^[\x21-\x7e]{1,47}$/;

/** @throws ActionError that lists every problem. No message has the key. */
export function readSettings(environment: Environment): Settings {
  const read = readEnvironment('luks', environment);
  const device = read.absolutePath('DEVICE', 'the disk or partition, for example /dev/sda3');
  const text = read.optional('KEY');
  const file = read.optional('KEY_FILE');
  if ((text === undefined) === (file === undefined))
    read.problem('set one of KEY, the passphrase, and KEY_FILE, the path of a file with the key');
  if (read.flag('TPM', false))
    read.problem(
      'TPM: keys in a TPM are not supported; bind one with systemd-cryptenroll in the installed system',
    );
  const path = file ?? '/';
  if (!path.startsWith('/')) read.problem(`KEY_FILE=${path} must be an absolute path that begins with /`);
  const name = read.optional('NAME');
  if (name !== undefined && !NAME.test(name))
    read.problem(`NAME=${name} must have letters, digits, "_", ".", "+" and "-", at most 64`);
  const label = read.optional('LABEL');
  if (label !== undefined && !LABEL.test(label))
    read.problem('LABEL must have 1 to 47 ASCII characters without spaces');
  const settings: Settings = {
    device,
    key: text === undefined ? { kind: 'file', path } : { kind: 'text', text },
    name,
    label,
    wipe: read.flag('WIPE', false),
    iterationMs: read.integer('ITERATION_MS', { minimum: 10, maximum: 60_000, fallback: 2000 }),
  };
  read.finish();
  return settings;
}
