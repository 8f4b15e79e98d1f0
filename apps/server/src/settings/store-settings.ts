/** Where objects and records are kept, and with which keys secrets are sealed there. */
import { readFileSync } from 'node:fs';
import { parseKeys } from '@tinkerbell/store-sealed';
import type { FlagReader } from './flag-reader.ts';
import { SettingsError } from './settings-error.ts';

export type StoreSettings =
  /** One file in the data folder. */
  | { readonly kind: 'sqlite' }
  /** As long as the process lives. */
  | { readonly kind: 'memory' }
  /** For several servers. The address has a password in it. */
  | { readonly kind: 'postgres'; readonly url: string }
  /** The API of a cluster; an empty path means the one whose pod this is. */
  | { readonly kind: 'kubernetes'; readonly kubeconfig: string };

/** Throws a SettingsError that names the flag, and never a password. */
export function storeSettings(flags: FlagReader): StoreSettings {
  const kind = flags.oneOf('store', ['sqlite', 'memory', 'postgres', 'kubernetes']);
  const url = flags.text('postgres-url');
  if (kind !== 'postgres' && url !== '')
    throw new SettingsError(`--postgres-url goes with --store postgres, not with --store ${kind}`);
  if (kind === 'kubernetes') return { kind, kubeconfig: flags.text('kubeconfig') };
  if (kind !== 'postgres') return { kind };
  if (url === '')
    throw new SettingsError('--store postgres needs --postgres-url, such as postgres://user@host/database');
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url))
    throw new SettingsError(
      '--postgres-url must be as postgres://user:password@host:5432/database; special characters in the password are percent-encoded',
    );
  return { kind, url };
}

/** The first seals; undefined: secrets lie in the store as they are. Throws a SettingsError that names the flag, and never a key. */
export function secretsKeys(flags: FlagReader): readonly Uint8Array[] | undefined {
  const [file, given] = [flags.text('secrets-key-file'), flags.text('secrets-key')];
  if (file !== '' && given !== '')
    throw new SettingsError('give --secrets-key-file or TINKERBELL_SECRETS_KEY, not both');
  if (file === '' && given === '') return undefined;
  const source = file === '' ? 'TINKERBELL_SECRETS_KEY' : `--secrets-key-file ${file}`;
  const parsed = parseKeys(file === '' ? given : textOf(file));
  if (!parsed.ok) throw new SettingsError(`${source} ${parsed.message}`);
  return parsed.keys;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new SettingsError(`--secrets-key-file ${file} cannot be read`, { cause });
  }
}
