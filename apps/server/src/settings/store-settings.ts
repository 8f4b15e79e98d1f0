/** Settings of the store and of the keys that seal secrets. */
import { readFileSync } from 'node:fs';
import { parseKeys } from '@tinkerbell/store-sealed';
import type { FlagReader } from './flag-reader.ts';
import { SettingsError } from './settings-error.ts';

export type StoreSettings =
  /** A file in the data folder. */
  | { readonly kind: 'sqlite' }
  /** In memory; lost when the process ends. */
  | { readonly kind: 'memory' }
  /** Shared by several servers. The URL contains a password. */
  | { readonly kind: 'postgres'; readonly url: string }
  /** The API of a cluster. An empty path means the cluster of this pod. */
  | { readonly kind: 'kubernetes'; readonly kubeconfig: string };

/** Throws a SettingsError that names the flag and never contains a password. */
export function storeSettings(flags: FlagReader): StoreSettings {
  const kind = flags.oneOf('store', ['sqlite', 'memory', 'postgres', 'kubernetes']);
  const url = flags.text('postgres-url');
  if (kind !== 'postgres' && url !== '')
    throw new SettingsError(`--postgres-url requires --store postgres, not --store ${kind}`);
  if (kind === 'kubernetes') return { kind, kubeconfig: flags.text('kubeconfig') };
  if (kind !== 'postgres') return { kind };
  if (url === '')
    throw new SettingsError('--store postgres needs --postgres-url, such as postgres://user@host/database');
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url))
    throw new SettingsError(
      '--postgres-url must be postgres://user:password@host:5432/database; percent-encode special characters in the password',
    );
  return { kind, url };
}

/**
 * The first key seals. If undefined, secrets are stored unsealed. Throws a SettingsError that names the flag and never
 * contains a key.
 */
export function secretsKeys(flags: FlagReader): readonly Uint8Array[] | undefined {
  const [file, given] = [flags.text('secrets-key-file'), flags.text('secrets-key')];
  if (file !== '' && given !== '')
    throw new SettingsError('set --secrets-key-file or TINKERBELL_SECRETS_KEY, not both');
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
    throw new SettingsError(`cannot read --secrets-key-file ${file}`, { cause });
  }
}
