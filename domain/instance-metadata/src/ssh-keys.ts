import type { Hardware } from '@tinkerbell/resources';

/** The keys that may log in, one line each; blank entries are left out. */
export function sshKeysOf(hardware: Hardware): readonly string[] {
  const keys = hardware.spec?.metadata?.instance?.ssh_keys ?? [];
  return keys.flatMap((key) => key.split(/[\r\n]+/)).flatMap((line) => line.trim() || []);
}
