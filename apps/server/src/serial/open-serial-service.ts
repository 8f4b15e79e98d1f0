import { existsSync, readFileSync } from 'node:fs';
import { messageOf } from '@tinkerbell/platform-contract';
import { createSerialService, type SerialDeps, type SerialService } from '@tinkerbell/service-serial';
import ssh2 from 'ssh2';
import { writePrivateFile } from '../private-file.ts';
import { SettingsError } from '../settings/settings-error.ts';
import type { SerialSettings } from './serial-settings.ts';

/** Throws a SettingsError when the host key cannot be read or is not a private key. */
export function openSerialService(deps: SerialDeps, settings: SerialSettings): SerialService {
  return createSerialService(deps, { ...settings, hostKey: hostKeyOf(settings) });
}

/** Clients recognise the server by this key, so that it must stay the same over restarts. */
function hostKeyOf({ hostKeyFile, createsHostKey }: SerialSettings): string {
  try {
    if (createsHostKey && !existsSync(hostKeyFile))
      writePrivateFile(hostKeyFile, ssh2.utils.generateKeyPairSync('ed25519').private);
    const text = readFileSync(hostKeyFile, 'utf8');
    const parsed = ssh2.utils.parseKey(text);
    const isPrivate = !(parsed instanceof Error) && !Array.isArray(parsed) && parsed.isPrivateKey();
    if (isPrivate) return text;
  } catch (thrown) {
    throw new SettingsError(`--secondstar-host-key: ${messageOf(thrown)}`);
  }
  throw new SettingsError(
    `--secondstar-host-key: ${hostKeyFile} is not a private key without a passphrase; create one with ssh-keygen -t ed25519 -N "" -f FILE`,
  );
}
