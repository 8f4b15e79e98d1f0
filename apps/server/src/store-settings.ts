/** Where objects and records are kept. */
import { SettingsError, type FlagReader } from './flag-reader.ts';

export type StoreSettings =
  /** One file in the data folder. */
  | { readonly kind: 'sqlite' }
  /** As long as the process lives. */
  | { readonly kind: 'memory' }
  /** For several servers. The address has a password in it. */
  | { readonly kind: 'postgres'; readonly url: string };

/** Throws a SettingsError that names the flag, and never a password. */
export function storeSettings(flags: FlagReader): StoreSettings {
  const kind = flags.oneOf('store', ['sqlite', 'memory', 'postgres']);
  const url = flags.text('postgres-url');
  if (kind !== 'postgres' && url !== '')
    throw new SettingsError(`--postgres-url goes with --store postgres, not with --store ${kind}`);
  if (kind !== 'postgres') return { kind };
  if (url === '')
    throw new SettingsError('--store postgres needs --postgres-url, such as postgres://user@host/database');
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url))
    throw new SettingsError(
      '--postgres-url must be as postgres://user:password@host:5432/database; special characters in the password are percent-encoded',
    );
  return { kind, url };
}
